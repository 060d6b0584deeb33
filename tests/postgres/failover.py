#!/usr/bin/python3
"""failover.py [--rounds N] [--seconds S]: is anything lost when the primary dies?

A primary and a synchronous standby (every commit waits until it is applied there), two processes of
payroll behind HAProxy, 32 writers and 8 readers without a pause. In each round (two by default) the
primary is killed with -9 and the standby promoted; then the other is made its standby, and the next
round begins. Every acknowledged insert must be there once, in the database and in the readers' lists,
which come from the standby as long as there is one (--read-from). Told are the calls that were not
answered, the longest pause, and how soon after the promotion inserts were acknowledged again.
"""

import argparse
import time

import cluster

WRITERS, READERS = 32, 8
BOUND = 30  # seconds: a recovery that takes longer is a failure; the aim is 5


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=4, help="of load before and after each kill")
    return parser.parse_args()


class Failover:
    def __init__(self, run, report, given):
        self.run, self.report, self.given = run, report, given
        self.primary = cluster.Postgres(run, "one", {"synchronous_commit": "remote_apply"}).make()
        self.standby = cluster.Postgres(run, "two", {"synchronous_commit": "remote_apply"})
        self.standby.copy_of(self.primary)
        self.primary.follow(self.standby)
        database = cluster.address_of(self.primary, self.standby)
        self.employees, _ = cluster.prepare(run, database)
        read_from = ["--read-from", database]
        self.desks = [cluster.Payroll(run, name, database, *read_from).start() for name in ("a", "b")]
        self.proxy = cluster.Haproxy(run, self.desks)

    def round(self, number):
        label = f"round {number}"
        with cluster.Load([self.proxy.port], self.employees, WRITERS, READERS, f"r{number}") as load:
            time.sleep(self.given.seconds)
            begun = time.monotonic()
            self.primary.kill()
            self.standby.promote()
            promoted = time.monotonic()
            back = self.wait_for_service(load, promoted)
            time.sleep(self.given.seconds)
            ended = time.monotonic()
        self.report.check(
            back is not None and back < BOUND,
            f"{label}: service is back within a bound",
            "; ".join(f"{count} x {why}" for why, count in cluster.reasons(load)[:3]),
        )
        cluster.check_rows(self.report, self.standby, load, label)
        self.report.say(
            f"{label}: promoted {promoted - begun:.2f} s after the kill, acknowledged again "
            f"{back if back is not None else -1:.2f} s after that; longest pause "
            f"{load.longest_pause(begun - 1, ended):.2f} s; "
            f"not answered: {len(load.others)} inserts, {len(load.unread)} reads"
        )
        for why, count in cluster.reasons(load)[:5]:
            self.report.say(f"{label}: {count} x {why}")
        self.swap()
        return back

    def wait_for_service(self, load, promoted):
        limit = time.monotonic() + BOUND
        while load.first_after(promoted) is None and time.monotonic() < limit:
            time.sleep(0.01)
        return load.first_after(promoted)

    def swap(self):
        """The old primary becomes the standby of the new one."""
        self.primary, self.standby = self.standby, self.primary
        self.standby.copy_of(self.primary)
        self.primary.follow(self.standby)


def main():
    given = parse()
    cluster.install("haproxy")
    report = cluster.Report("failover")
    backs = []
    with cluster.Run() as run:
        failover = Failover(run, report, given)
        for number in range(1, given.rounds + 1):
            backs.append(failover.round(number))
        for desk in failover.desks:
            report.check(desk.stop() == 0, f"{desk.name} stops as it should")
    known = [each for each in backs if each is not None]
    if known:
        report.say(f"{len(known)} rounds: back after {min(known):.2f} to {max(known):.2f} s")
    return report.end()


if __name__ == "__main__":
    cluster.run_main(main)
