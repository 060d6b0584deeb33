#!/usr/bin/python3
"""outages.py [--only NAME]... [--seconds S]: calls while the database is in trouble.

Two processes of payroll over one PostgreSQL, 16 writers and 4 readers. In turn:

  frozen       the server is stopped with SIGSTOP for a while, and goes on
  cut          a proxy between them cuts every connection after some byte, mid-query or mid-commit
  connections  others hold all connections that the server allows
  disk         the server's disk is full, and has room again
  clock        one process is an hour ahead, then the database's clock is put forward, then back

Nothing that was acknowledged may be lost, nothing be there twice; every call is answered, by a fault
if need be; /readyz says 503 meanwhile; and it recovers by itself, which is measured.
"""

import argparse
import contextlib
import os
import random
import socket
import struct
import threading
import time

import cluster

WRITERS, READERS = 16, 4
BOUND = 30  # seconds to recover: the aim is 1
LONGEST = 30  # seconds that any call may take
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", action="append", choices=list(TESTS))
    parser.add_argument("--seconds", type=float, default=6, help="of each trouble")
    return parser.parse_args()


class Scene:
    """Two processes over a database, and load on both."""

    def __init__(self, run, report, server, label, database=None, environments=({}, {})):
        self.run, self.report, self.server, self.label = run, report, server, label
        own = cluster.address_of(server)
        self.employees, self.token = cluster.prepare(run, own)
        self.desks = [
            cluster.Payroll(run, f"{label}-{name}", database or own, environment=environment).start()
            for name, environment in zip("ab", environments)
        ]

    def load(self):
        ports = [desk.port for desk in self.desks]
        return cluster.Load(ports, self.employees, WRITERS, READERS, self.label)

    def not_ready(self):
        return all(desk.page("/readyz")[0] == 503 for desk in self.desks)

    def recovered(self, load, moment):
        """Seconds from then until a write is acknowledged, and the processes say that they are ready."""
        limit = time.monotonic() + BOUND
        while load.first_after(moment) is None and time.monotonic() < limit:
            time.sleep(0.01)
        back = load.first_after(moment)
        self.report.check(back is not None, f"{self.label}: it recovers by itself", str(cluster.reasons(load)[:3]))
        cluster.wait_until(lambda: all(desk.is_ready() for desk in self.desks), "ready again", BOUND)
        self.report.say(f"{self.label}: recovered after {back or -1:.2f} s; ready after {time.monotonic() - moment:.2f} s")

    def judge(self, load):
        cluster.check_rows(self.report, self.server, load, self.label)
        unanswered = [said for status, said in [*load.others.values(), *load.unread] if status == 0]
        self.report.check(not unanswered, f"{self.label}: every call was answered", str(unanswered[:3]))
        incidents = [why for why, _ in cluster.reasons(load) if "Incident" in why]
        self.report.check(not incidents, f"{self.label}: no error came as a surprise", str(incidents[:3]))
        self.report.check(load.longest < LONGEST, f"{self.label}: none took long", f"{load.longest:.1f} s")
        self.report.say(f"{self.label}: longest call {load.longest:.2f} s")
        for why, count in cluster.reasons(load)[:5]:
            self.report.say(f"{self.label}: {count} x {why}")
        for desk in self.desks:
            self.report.check(desk.stop() == 0, f"{self.label}: {desk.name} stops as it should")


# --- Frozen ----------------------------------------------------------------------------------------


def frozen(run, report, given):
    scene = Scene(run, report, cluster.Postgres(run, "frozen-db").make(), "frozen")
    with scene.load() as load:
        time.sleep(1)
        scene.server.freeze()
        cluster.wait_until(scene.not_ready, "not ready", BOUND)
        report.check(True, "frozen: /readyz says so")
        time.sleep(given.seconds)
        scene.server.thaw()
        scene.recovered(load, time.monotonic())
        time.sleep(1)
    scene.judge(load)


# --- Cut -------------------------------------------------------------------------------------------


class Cutter:
    """Passes bytes on between payroll and the server, and cuts each connection after some of them."""

    def __init__(self, server):
        self.target = str(server.run.folder / f".s.PGSQL.{server.port}")
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.cutting = False
        self.cuts = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                ours, _ = self.listener.accept()
                theirs = socket.socket(socket.AF_UNIX)
                try:
                    theirs.connect(self.target)
                except OSError:
                    ours.close()
                    continue
                # Most live long enough to do something; some are cut while they are being made.
                left = [random.choice([random.randrange(1, 2000), random.randrange(1, 60_000)])]
                for source, sink in ((ours, theirs), (theirs, ours)):
                    threading.Thread(target=self.pump, args=(source, sink, left), daemon=True).start()

    def pump(self, source, sink, left):
        """Both directions share the rest. Bytes that arrive and are not passed on are lost."""
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                with self.lock:
                    allowed = min(len(data), left[0]) if self.cutting else len(data)
                    left[0] -= allowed if self.cutting else 0
                sink.sendall(data[:allowed])
                if allowed < len(data):
                    with self.lock:
                        self.cuts += 1
                    break
        for each in (source, sink):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
                each.close()


def cut(run, report, given):
    server = cluster.Postgres(run, "cut-db").make()
    cutter = Cutter(server)
    address = f"postgresql://payroll@127.0.0.1:{cutter.port}/{cluster.DATABASE}"
    scene = Scene(run, report, server, "cut", database=address)
    with scene.load() as load:
        time.sleep(1)
        cutter.cutting = True
        time.sleep(2 * given.seconds)
        cutter.cutting = False
        scene.recovered(load, time.monotonic())
        time.sleep(1)
    report.check(cutter.cuts > 10, f"cut: {cutter.cuts} connections were cut")
    scene.judge(load)
    cutter.listener.close()


# --- Connections -----------------------------------------------------------------------------------


def hold_connection(server):
    """Opens an idle session; returns None if the server has no room for it."""
    session = socket.socket(socket.AF_UNIX)
    session.settimeout(10)
    session.connect(str(server.run.folder / f".s.PGSQL.{server.port}"))
    words = f"user\0payroll\0database\0{cluster.DATABASE}\0\0".encode()
    session.sendall(struct.pack("!ii", len(words) + 8, 196608) + words)
    said = b""
    while not said.endswith(b"Z\0\0\0\5I"):  # ready for queries; some are refused after they were let in
        more = session.recv(4096)
        if not more:
            session.close()
            return None
        said += more
    return session


def connections(run, report, given):
    server = cluster.Postgres(run, "connections-db", {"max_connections": 20}).make()
    scene = Scene(run, report, server, "connections")
    held = []
    with scene.load() as load:
        time.sleep(1)
        until = time.monotonic() + BOUND
        while len(held) < 17 and time.monotonic() < until:  # 3 are the superuser's
            try:
                server.sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE usename = 'payroll' AND query <> ''"
                )
            except RuntimeError as error:  # payroll's attempts count until they are refused
                if "too many clients" not in str(error):
                    raise
            while session := hold_connection(server):
                held.append(session)
        report.check(len(held) == 17, f"connections: {len(held)} of 17 are held by others")
        time.sleep(given.seconds)
        report.check(scene.not_ready(), "connections: /readyz says so")
        for session in held:
            session.close()
        scene.recovered(load, time.monotonic())
        time.sleep(1)
    scene.judge(load)


# --- Disk ------------------------------------------------------------------------------------------


class SmallDisk:
    """A small file system for one server, visible only to its processes, and removed with the last one."""

    def __init__(self, run, folder, megabytes):
        self.run, self.folder = run, folder
        folder.mkdir()
        folder.chmod(0o777)
        mount = f"mount -t tmpfs -o size={megabytes}m,mode=1777 none {folder}; echo mounted; exec sleep 600"
        own = [] if run.user else ["-U", "-c", "--keep-caps"]
        self.process = run.spawn_as_we_are(["unshare", *own, "-m", "bash", "-c", mount], "disk.log")
        cluster.wait_until(lambda: "mounted" in run.log("disk.log"), "the small disk is mounted")

    def prefix(self):
        enter = ["nsenter", "-t", self.process.pid, "-m"]
        if not self.run.user:
            return [*enter, "-U", "--preserve-credentials"]
        return [*enter, "setpriv", f"--reuid={self.run.user}", f"--regid={self.run.user}", "--clear-groups"]

    def fill(self):
        self.run.call_as_we_are(*self.prefix(), "sh", "-c", f"cat /dev/zero >>{self.folder}/filler; true")

    def make_room(self):
        self.run.call_as_we_are(*self.prefix(), "rm", "-f", f"{self.folder}/filler")


def disk(run, report, given):
    small = SmallDisk(run, run.folder / "small", 160)
    # Nothing set aside: the log needs room soon.
    settings = {"max_wal_size": "4MB", "min_wal_size": "2MB", "wal_keep_size": "0", "wal_recycle": "off"}
    server = cluster.Postgres(run, "small/disk-db", settings, segment="1", prefix=small.prefix()).make()
    scene = Scene(run, report, server, "disk")
    with scene.load() as load:
        time.sleep(1)
        until = time.monotonic() + BOUND
        while not scene.not_ready() and time.monotonic() < until:
            small.fill()  # again: the server frees some room at its checkpoints
        report.check(scene.not_ready(), "disk: /readyz says so")
        time.sleep(given.seconds)
        small.make_room()
        if server.process.poll() is not None:  # it gave up: a service manager would start it again
            server.start()
        moment = time.monotonic()
        cluster.wait_until(server.is_up, "the server is up again")
        scene.recovered(load, moment)
        time.sleep(1)
    scene.judge(load)


# --- Clock -----------------------------------------------------------------------------------------


class FakeClock:
    """Moves the wall clock of the processes that are given its environment, and no other clock."""

    def __init__(self, run, name, offset="+0"):
        self.file = run.folder / f"{name}.clock"
        self.run = run
        self.set(offset)
        self.environment = {
            "LD_PRELOAD": FAKETIME,
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    def set(self, offset):
        self.run.call("tee", self.file, input_text=f"{offset}\n")


def answers(desk, token, employee):
    """True if this process accepts the token."""
    credentials = f"<Username>alice</Username><Token>{token}</Token><Domain>acme</Domain>"
    inner = f"<EmployeeId>{employee}</EmployeeId>"
    client = cluster.Client(desk.port)
    status, _ = client.call("Address_GetListCurrent", inner, credentials=credentials)
    client.close()
    return status == 200


def sign_on(scene, desk):
    client = cluster.Client(desk.port)
    issued, status, response = client.sign_on(scene.token)
    client.close()
    if not issued:
        scene.report.check(False, "clock: a sign-on succeeds", f"{status} {cluster.short(response)}")
    return issued


def check_life(scene, what, issued, began):
    """Checks that a token is valid for some time, but at most 30 s."""
    employee = scene.employees[0]
    while time.monotonic() - began < 31.5 and any(answers(desk, issued, employee) for desk in scene.desks):
        time.sleep(0.1)
    lived = time.monotonic() - began
    scene.report.check(lived < 31, f"clock: {what}: a token dies after 30 s at the latest", f"{lived:.1f} s")
    scene.report.say(f"clock: {what}: a token lived for {lived:.1f} s")
    return lived


def clock(run, report, given):
    own, database = FakeClock(run, "desk", "+3600"), FakeClock(run, "database")
    server = cluster.Postgres(run, "clock-db", environment=database.environment).make()
    scene = Scene(run, report, server, "clock", environments=(own.environment, {}))
    one, other = scene.desks
    with scene.load() as load:
        for desk in scene.desks:
            issued = sign_on(scene, desk)
            good = [answers(each, issued, scene.employees[0]) for each in (one, other)]
            report.check(good == [True, True], f"clock: a token of {desk.name} is good everywhere", str(good))
        began = time.monotonic()
        lived = check_life(scene, "an hour between processes", sign_on(scene, one), began)
        report.check(lived > 28, "clock: an hour between processes shortens no token", f"{lived:.1f} s")
        for what, offset in (("the database's clock put forward", "+3600"), ("put back", "-3600")):
            began = time.monotonic()
            before = sign_on(scene, other)
            database.set(offset)
            own.set("-7200" if offset == "+3600" else "+0")
            time.sleep(2)
            issued = sign_on(scene, one)
            good = [answers(each, issued, scene.employees[0]) for each in (one, other)]
            report.check(good == [True, True], f"clock: {what}: a new sign-on is good everywhere", str(good))
            check_life(scene, what, before, began)
        time.sleep(1)
    scene.judge(load)


TESTS = {"frozen": frozen, "cut": cut, "connections": connections, "disk": disk, "clock": clock}


def main():
    given = parse()
    cluster.install("faketime")
    report = cluster.Report("outages")
    for name, test in TESTS.items():
        if given.only and name not in given.only:
            continue
        with cluster.Run() as run:
            try:
                test(run, report, given)
            except Exception as error:  # the others tell something, too
                report.check(False, f"{name}: ran to its end", f"{type(error).__name__}: {error}")
    return report.end()


if __name__ == "__main__":
    cluster.run_main(main)
