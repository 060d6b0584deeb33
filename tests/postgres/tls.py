#!/usr/bin/python3
"""tls.py: does payroll verify the database server, and does it keep its password secret?

A server with certificates of the test's own, on 127.0.0.1 and, in a network that only this test sees,
on 192.0.2.1, which is no loopback address: as far as payroll can tell, it is another machine.
"""

import argparse
import contextlib
import ctypes
import fcntl
import os
import select
import socket
import ssl
import struct
import threading
import time
from pathlib import Path

import cluster

SECRET = "marked-pass-word"
NAME = "db.example.test"
ELSEWHERE = "192.0.2.1"
BIG_READS = 20
WARNING = "does not verify the server's certificate; add sslmode=verify-full to "


# --- The network -----------------------------------------------------------------------------------


def enter_own_network():
    """Gives this process and its children a network with only loopback. Needs no root."""
    new_user, new_network = 0x10000000, 0x40000000
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(new_network if user == 0 else new_network | new_user) != 0:
        raise OSError(ctypes.get_errno(), "no network of its own for this test")
    if user != 0:
        maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
        for file, text in maps.items():
            Path(f"/proc/self/{file}").write_text(text)


def add_address(label, address):
    """Adds an address to the loopback device, and enables the device."""
    set_address, get_flags, set_flags, up = 0x8916, 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        where = struct.pack("!HH4s8x", 0, 0, socket.inet_aton(address))
        where = struct.pack("H", socket.AF_INET) + where[2:]
        fcntl.ioctl(any_socket, set_address, struct.pack("16s16s", label, where))
        flags = fcntl.ioctl(any_socket, get_flags, struct.pack("16sH14x", label, 0))
        number = struct.unpack("16sH14x", flags)[1]
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14x", label, number | up))


# --- Certificates ----------------------------------------------------------------------------------


class Authority:
    """The authority that signs certificates."""

    def __init__(self, run, name):
        self.run, self.name = run, name
        self.file = run.folder / f"{name}.crt"
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key"]
        run.call("openssl", "req", "-x509", *key, "-out", self.file, "-days", 2, "-subj", f"/CN={name}")

    def sign(self, name, host):
        """Makes the files name.crt and name.key for a server with that host name."""
        folder = self.run.folder
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key"]
        self.run.call("openssl", "req", *key, "-out", f"{name}.csr", "-subj", f"/CN={host}")
        self.run.call("tee", folder / f"{name}.ext", input_text=f"subjectAltName=DNS:{host}\n")
        signed = ["-CA", self.file, "-CAkey", f"{self.name}.key", "-CAcreateserial", "-extfile", f"{name}.ext"]
        self.run.call("openssl", "x509", "-req", "-in", f"{name}.csr", *signed, "-days", 2, "-out", f"{name}.crt")


# --- The server ------------------------------------------------------------------------------------


class Scene:
    def __init__(self, run, report):
        self.run, self.report = run, report
        self.authority, self.stranger = Authority(run, "authority"), Authority(run, "stranger")
        self.authority.sign("server", NAME)
        settings = {
            "listen_addresses": f"127.0.0.1,{ELSEWHERE}",
            "ssl": "on",
            "ssl_cert_file": run.folder / "server.crt",
            "ssl_key_file": run.folder / "server.key",
            "log_connections": "on",
            "fsync": "off",
        }
        self.server = cluster.Postgres(run, "tls-db", settings).make()
        self.server.sql(f"ALTER ROLE payroll PASSWORD '{SECRET}'")
        rules = "local all all trust\nhost all closed all reject\nhost all all all scram-sha-256\n"
        self.server.call("tee", self.server.data / "pg_hba.conf", input_text=rules)
        self.server.set("log_statement", "all")
        self.said = []  # by all commands
        self.variables = {"PGPASSWORD": SECRET, "HOME": str(run.folder)}
        local = cluster.address_of(self.server)
        self.employees, _ = cluster.prepare(run, local, employees=BIG_READS)
        refused = self.address(user="payroll:wrong")
        cluster.wait_until(lambda: "authentication failed" in self.list(refused)[2], "passwords are asked for")

    def address(self, host=NAME, at=ELSEWHERE, mode="verify-full", root=None, user="payroll", port=None):
        where = f"{host}:{port or self.server.port}/{cluster.DATABASE}"
        trusted = root or self.authority.file
        return f"postgresql://{user}@{where}?hostaddr={at}&sslmode={mode}&sslrootcert={trusted}"

    def list(self, address):
        """Runs an operator's command over that address."""
        return self.operate("domain", "list", "--db", address)

    def operate(self, *words):
        done = self.run.operate(*words, **self.variables)
        self.said.append(done[1] + done[2])
        return done

    def serve(self, name, address, *options):
        return cluster.Payroll(self.run, name, address, *options, environment=self.variables).start()


# --- The server's identity -------------------------------------------------------------------------


def served(scene):
    """With verify-full, commands succeed over an encrypted connection."""
    report = scene.report
    desk = scene.serve("full", scene.address(), "--read-from", scene.address())
    client = cluster.Client(desk.port)
    number, _, response = client.insert(scene.employees[0], "Elm Street")
    streets, _, _ = client.streets(scene.employees[0])
    client.close()
    report.check(number is not None and streets == {"Elm Street": number}, "verify-full: it serves", response)
    text = "SELECT ssl, version, count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
    text += f"WHERE application_name = 'payroll' AND client_addr = '{ELSEWHERE}' GROUP BY 1, 2"
    rows = [line.split("|") for line in scene.server.sql(text).splitlines()]
    encrypted = len(rows) == 1 and rows[0][:2] == ["t", "TLSv1.3"] and int(rows[0][2]) >= 2
    report.check(encrypted, "verify-full: all its connections are encrypted", str(rows))
    report.check(desk.stop() == 0, "verify-full: it stops as it should")
    report.check(WARNING not in desk.tail(), "verify-full: there is nothing to warn of", desk.tail())


def refused(scene):
    """Servers with a wrong or missing certificate are refused."""
    advice = "check that the server has TLS and a certificate for the host that --db names"
    cases = {
        "of another name": {"host": "other.example.test"},
        "of another CA": {"root": scene.stranger.file},
        "of no CA that is known": {"root": "missing.crt"},
    }
    for at in (ELSEWHERE, "127.0.0.1"):
        for what, more in cases.items():
            done = scene.list(scene.address(at=at, **more))
            scene.report.check_refused(done, advice, f"a certificate {what}, at {at}", SECRET)
    done = scene.list(scene.address(root=scene.stranger.file, mode="verify-ca"))
    scene.report.check_refused(done, advice, "verify-ca: a certificate of another CA", SECRET)
    for user in (f"payroll:wrong-{SECRET}", f"payroll:{SECRET}%00", f"nobody:{SECRET}"):
        done = scene.list(scene.address(user=user))
        scene.report.check_refused(done, "--db", f"as {user.split(':')[0]} with what is no password", SECRET)
    done = scene.list(scene.address(user="closed"))
    scene.report.check_refused(done, "accepts this user", "a user whom the server keeps out", SECRET)
    scene.server.set("ssl", "off")
    cluster.wait_until(lambda: scene.server.sql("SHOW ssl") == "off", "TLS is off")
    scene.report.check_refused(scene.list(scene.address()), advice, "a server without TLS", SECRET)
    scene.server.set("ssl", "on")
    cluster.wait_until(lambda: scene.server.sql("SHOW ssl") == "on", "TLS is on")


def warned(scene):
    """Weaker modes cause a warning for another machine."""
    check = scene.report.check
    for mode in ("disable", "allow", "prefer", "require", "verify-ca"):
        for at, expected in ((ELSEWHERE, 1), ("127.0.0.1", 0)):
            status, printed, said = scene.list(scene.address(at=at, mode=mode))
            good = (status, printed) == (0, "acme\n") and said.count(WARNING + "--db\n") == expected
            check(good and said.count("\n") == expected, f"{mode}: {expected} warnings at {at}", said)
    done = scene.list(scene.address(host="localhost", at="127.0.0.1", mode="require"))
    scene.report.check_done(done, "require: no warning for localhost", "acme\n")
    done = scene.list(cluster.address_of(scene.server, more="&sslmode=require"))
    scene.report.check_done(done, "require: no warning for a Unix socket", "acme\n")
    done = scene.operate("copy", "--from", scene.address(mode="require"), "--to", "copy.db")
    check(done[0] == 0 and done[2].count(WARNING + "--from\n") == 1, "copy: the warning names --from", str(done))
    weak = scene.address(mode="require")
    desk = scene.serve("weak", weak, "--read-from", weak)
    said = desk.tail()
    check(said.count(WARNING + "--db") == 1, "serve: the warning is in the log, once", said)
    check(desk.stop() == 0, "serve: it stops as it should")


# --- Long records ----------------------------------------------------------------------------------


class LongRecords:
    """A pooler that speaks TLS for the server, in records as long as they may be: 16 KB."""

    def __init__(self, scene):
        self.target = str(scene.run.folder / f".s.PGSQL.{scene.server.port}")
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(scene.run.folder / "server.crt", scene.run.folder / "server.key")
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                ours, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(ours,), daemon=True).start()

    def serve(self, ours):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as theirs:
            theirs.connect(self.target)
            ours.recv(8)  # may we speak TLS?
            ours.sendall(b"S")
            with self.context.wrap_socket(ours, server_side=True) as secure:
                while self.pass_on(secure, theirs):
                    pass

    @staticmethod
    def pass_on(secure, theirs):
        """Returns False if one of the two connections has ended."""
        ready = [secure] if secure.pending() else select.select([secure, theirs], [], [], 60)[0]
        for source, sink in ((secure, theirs), (theirs, secure)):
            if source not in ready:
                continue
            if source is theirs:
                time.sleep(0.03)  # so that there is as much as a record holds
            data = source.recv(1 << 20)
            if not data:
                return False
            sink.sendall(data)
        return bool(ready)


def long_records(scene):
    """No answer's end is left lying in a record that was read in part: what libpq has room for depends on
    how much of a row it holds already."""
    shortest, step = 5000, 70
    for count, employee in enumerate(scene.employees):
        text = "INSERT INTO address (domain_id, employee_id, id, is_default, street, type, first_day) "
        text += f"SELECT domain_id, id, {count} * 5 + 1000 + row, false, repeat('x', {shortest + step * count}) "
        text += f"|| row, 5, '2020-01-01' FROM employee, generate_series(1, 5) row WHERE id = {employee}"
        scene.server.sql(text)
    pooler = LongRecords(scene)
    desk = scene.serve("long", scene.address(at="127.0.0.1", port=pooler.port))
    client = cluster.Client(desk.port)
    lengths = []
    for employee in scene.employees:
        streets, _, response = client.streets(employee)
        lengths.append([len(street) for street in streets if street[0] == "x"] if streets else cluster.short(response))
    expected = [[shortest + step * count + 1] * 5 for count in range(BIG_READS)]
    scene.report.check(lengths == expected, "answers in long records arrive whole", str(lengths))
    client.close()
    scene.report.check(desk.stop() == 0, "long records: it stops as it should")
    pooler.listener.close()


# --- The password ----------------------------------------------------------------------------------


def told_nobody(scene):
    """Neither our password nor a tried one is in any output or file."""
    for name in ("tls-db", "full", "weak", "long"):
        log = scene.run.log(f"{name}.log")
        scene.report.check(SECRET not in log, f"the password is not in the log of {name}")
    log = scene.run.log("tls-db.log")
    logged = "SCRAM" in log or "password authentication failed" in log
    scene.report.check(logged and "current_addresses" in log, "which tells of sign-ons and statements")
    scene.report.check(len(scene.said) > 20 and SECRET not in "".join(scene.said), "nor has a command said it")


def main():
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    ).parse_args()
    cluster.install("openssl")
    enter_own_network()
    add_address(b"lo", "127.0.0.1")
    add_address(b"lo:1", ELSEWHERE)
    report = cluster.Report("tls")
    with cluster.Run() as run:
        scene = Scene(run, report)
        for test in (served, refused, warned, long_records, told_nobody):
            test(scene)
    return report.end()


if __name__ == "__main__":
    cluster.run_main(main)
