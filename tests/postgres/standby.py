#!/usr/bin/python3
"""standby.py: tests --read-from, with two processes of payroll over a primary and its standby.

Reads go to the standby, as its log shows. They return at once the writes of any process. When the standby dies,
reads go to the primary; when it is back, they go to the standby again. --read-from with a server that is no
standby, or for which no commit waits, is reported.
"""

import argparse
import time

import cluster

READ = "current_addresses"  # the name of the list's statement
SILENT, BACK = "no standby answers", "a standby answers again"


class Scene:
    def __init__(self, run, report):
        self.run, self.report = run, report
        # Commits wait for the standby's disk, by themselves not until it shows them.
        settings = {"log_statement": "all", "synchronous_commit": "on"}
        self.primary = cluster.Postgres(run, "one", settings).make()
        self.standby = cluster.Postgres(run, "two", settings).copy_of(self.primary)
        self.primary.follow(self.standby)
        self.employees, _ = cluster.prepare(run, cluster.address_of(self.primary), employees=4)

    def serve(self, name, *options, read_from=None):
        """One process writes, another one reads: neither knows of the other."""
        where = read_from or cluster.address_of(self.standby)
        given = ["--read-from", where, "--db-timeout", 2, *options]
        return cluster.Payroll(self.run, name, cluster.address_of(self.primary), *given).start()

    def reads(self, server):
        return sum(READ in line for line in self.run.log(f"{server.name}.log").splitlines())

    def told(self, desk, text):
        return self.run.log(f"{desk.name}.log").count(text)

    def read_often(self, desks, count):
        """Returns the lists, and the total seconds."""
        begun, lists = time.monotonic(), []
        clients = [cluster.Client(desk.port) for desk in desks]
        for number in range(count):
            streets, _, response = clients[number % len(clients)].streets(self.employees[0])
            lists.append(cluster.short(response) if streets is None else streets)
        for client in clients:
            client.close()
        return lists, time.monotonic() - begun


# --- While it lives --------------------------------------------------------------------------------


def read_at_once(scene, desks):
    """Inserts through one process, and reads through the other."""
    clients = [cluster.Client(desk.port) for desk in desks]
    before = scene.reads(scene.primary), scene.reads(scene.standby)
    unseen = []
    for number in range(200):
        writer, reader = clients[number % 2], clients[(number + 1) % 2]
        employee, street = scene.employees[number % 4], f"street {number}"
        added, _, response = writer.insert(employee, street)
        streets, _, _ = reader.streets(employee)
        if added is None or (streets or {}).get(street) != added:
            unseen.append((street, response))
    for client in clients:
        client.close()
    scene.report.check(not unseen, "200 inserts are read at once through the other process", str(unseen[:3]))
    cluster.wait_until(lambda: scene.reads(scene.standby) >= before[1] + 200, "the standby's log is written")
    primary = scene.reads(scene.primary) - before[0]
    scene.report.check(primary == 0, "the standby was read, and the primary was not", str(primary))


def wait_for_it(scene, desks):
    """A row that the standby does not show yet is not acknowledged, even if it is on the standby's disk."""
    client = cluster.Client(desks[0].port)
    scene.standby.sql("SELECT pg_wal_replay_pause()")
    cluster.wait_until(
        lambda: scene.standby.sql("SELECT pg_get_wal_replay_pause_state()") == "paused", "replay pauses"
    )
    number, _, response = client.insert(scene.employees[0], "not shown")
    scene.report.check(number is None and "not known" in response, "a commit waits until it is shown", response)
    scene.standby.sql("SELECT pg_wal_replay_resume()")
    scene.report.check(insert_soon(client, scene, "shown"), "and then commits are acknowledged again")
    client.close()
    lists, _ = scene.read_often(desks, 2)
    scene.report.check(all("shown" in each for each in lists), "which both processes show", str(lists))


def insert_soon(client, scene, street):
    """True if an insert is acknowledged in the end."""
    until = time.monotonic() + cluster.PATIENCE
    while time.monotonic() < until:
        if client.insert(scene.employees[0], street)[0] is not None:
            return True
    return False


# --- When it dies ----------------------------------------------------------------------------------


def go_on_without(scene, desks):
    """Kills the standby: calls do not wait for it, except one test call per second."""
    before, _ = scene.read_often(desks, 2)
    scene.standby.kill()
    reads = scene.reads(scene.primary)
    lists, seconds = scene.read_often(desks, 120)
    scene.report.check(
        isinstance(before[0], dict) and all(each == before[0] for each in lists),
        "without the standby reads go on",
        str([before[0], *lists[:3]]),
    )
    scene.report.check(seconds < 15, "and do not wait for it each time", f"{seconds:.1f} s for 120 reads")
    cluster.wait_until(lambda: scene.reads(scene.primary) > reads, "the primary's log is written")
    told = [scene.told(desk, SILENT) for desk in desks]
    scene.report.check(told == [1, 1], "each process tells it once", str(told))
    scene.primary.set("synchronous_standby_names", "")
    client = cluster.Client(desks[0].port)
    scene.report.check(insert_soon(client, scene, "alone"), "inserts go on once no commit waits for it")
    client.close()
    lists, _ = scene.read_often(desks, 4)
    scene.report.check(all("alone" in each for each in lists), "and are read at once", str(lists))


def come_back(scene, desks):
    scene.standby.start()
    scene.primary.follow(scene.standby)

    def is_back():
        scene.read_often(desks, 2)
        return [scene.told(desk, BACK) for desk in desks] == [1, 1]

    cluster.wait_until(is_back, "both processes read the standby again")
    before = scene.reads(scene.primary), scene.reads(scene.standby)
    lists, _ = scene.read_often(desks, 20)
    cluster.wait_until(lambda: scene.reads(scene.standby) >= before[1] + 20, "the standby's log is written")
    primary = scene.reads(scene.primary) - before[0]
    scene.report.check(primary == 0 and all("alone" in each for each in lists), "it is read again", str(primary))
    read_at_once(scene, desks)


# --- Reports ---------------------------------------------------------------------------------------


def told_at_start(scene):
    """Checks the warnings at start: for a primary, for no server, for a standby without waiting commits."""
    report, nobody = scene.report, "postgresql://u:secret@127.0.0.1:1/d"
    both = cluster.address_of(scene.primary, scene.standby)
    cases = [
        ("primary", cluster.address_of(scene.primary), "not in hot standby mode"),
        ("nobody", nobody, SILENT),
        ("both", both, ""),
    ]
    for name, address, expected in cases:
        desk = scene.serve(name, read_from=address)
        before = scene.reads(scene.standby)
        lists, _ = scene.read_often([desk], 4)
        said = scene.run.log(f"{name}.log")
        good = expected in said if expected else "--read-from" not in said
        report.check(good and "secret" not in said, f"--read-from {name}: told at the start", said)
        report.check(all("alone" in each for each in lists), f"--read-from {name}: it serves", str(lists))
        if name == "both":
            cluster.wait_until(lambda: scene.reads(scene.standby) >= before + 4, "of both the standby is read")
        report.check(desk.stop() == 0, f"--read-from {name}: it stops as it should")
    scene.primary.set("synchronous_standby_names", "")
    cluster.wait_until(lambda: scene.primary.sql("SHOW synchronous_standby_names") == "", "nobody is waited for")
    desk = scene.serve("unwaited")
    said = scene.run.log("unwaited.log")
    report.check("no commit waits for a standby" in said, "a standby that no commit waits for is told", said)
    desk.stop()
    for address, database, expected in (
        ("postgresql://u:secret@[h/d", cluster.address_of(scene.primary), "the address after --read-from cannot"),
        (both, "a.db", "--read-from needs PostgreSQL"),
    ):
        done = scene.run.operate("serve", "--port", 0, "--db", database, "--read-from", address)
        report.check_refused(done, expected, f"--read-from: {expected}")


def main():
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    ).parse_args()
    cluster.install()
    report = cluster.Report("standby")
    with cluster.Run() as run:
        scene = Scene(run, report)
        desks = [scene.serve(name) for name in "ab"]
        for desk in desks:
            report.check("--read-from" not in desk.tail(), f"{desk.name} has nothing to warn of", desk.tail())
        for test in (read_at_once, wait_for_it, go_on_without, come_back):
            test(scene, desks)
        for desk in desks:
            report.check(desk.stop() == 0, f"{desk.name} stops as it should")
        told_at_start(scene)
    return report.end()


if __name__ == "__main__":
    cluster.run_main(main)
