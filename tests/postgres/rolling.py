#!/usr/bin/python3
"""rolling.py [--rounds N] [--proxy haproxy|nginx] [--db ADDRESS]: can processes be replaced in service?

Three processes of payroll over one PostgreSQL behind a proxy, 64 connections that call without a
pause. In each round (two by default) every process is stopped with SIGTERM and started again, one
after the other. No call may fail: not one response that is no success, not one lost connection. HAProxy
learns from /readyz that a process is about to stop (--drain-delay); nginx asks for nothing, so there
the process is taken out of its list first, and since nginx (1.22) closes idle connections of clients
whenever it reads its configuration, each call has a connection of its own. --db runs over another database, for instance a file.
"""

import argparse
import time

import cluster

DRAIN = 2  # seconds: longer than HAProxy needs to ask twice


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--proxy", choices=["haproxy", "nginx"], default="haproxy")
    parser.add_argument("--db", help="instead of a PostgreSQL server of the test's own")
    return parser.parse_args()


def replace(desk, proxy):
    """Replaces a process; returns its exit status."""
    if isinstance(proxy, cluster.Nginx):
        proxy.take_out(desk)
        time.sleep(1)  # until its old workers are gone
    status = desk.stop()
    desk.start()
    if isinstance(proxy, cluster.Nginx):
        proxy.take_out(None)
    time.sleep(1)  # until the proxy has seen it
    return status


def rounds(report, given, desks, proxy, employees):
    for number in range(1, given.rounds + 1):
        label = f"round {number}"
        keep = isinstance(proxy, cluster.Haproxy)
        with cluster.Load([proxy.port], employees, 32, 32, f"r{number}", keep) as load:
            time.sleep(1)
            begun = time.monotonic()
            statuses = [replace(desk, proxy) for desk in desks]
            ended = time.monotonic()
        failed = [f"{count} x {why}" for why, count in cluster.reasons(load)]
        calls = len(load.acknowledged) + load.reads
        report.check(statuses == [0, 0, 0], f"{label}: all three stopped as they should", str(statuses))
        report.check(calls > 100 and not failed, f"{label}: {calls} calls, 0 failed", "; ".join(failed[:5]))
        report.check(not load.problems, f"{label}: readers saw what was acknowledged", str(load.problems[:3]))
        report.say(f"{label}: {ended - begun:.1f} s, longest pause {load.longest_pause(begun, ended):.2f} s")


def main():
    given = parse()
    cluster.install("haproxy", "nginx-light")
    report = cluster.Report(f"rolling, {given.proxy}")
    with cluster.Run() as run:
        database = given.db
        if not database:
            database = cluster.address_of(cluster.Postgres(run, "one").make())
        elif "/" not in database:
            database = run.folder / database
        employees, _ = cluster.prepare(run, database)
        options = ["--drain-delay", DRAIN if given.proxy == "haproxy" else 0]
        desks = [cluster.Payroll(run, name, database, *options).start() for name in "abc"]
        proxy = cluster.Haproxy(run, desks) if given.proxy == "haproxy" else cluster.Nginx(run, desks)
        time.sleep(1)
        rounds(report, given, desks, proxy, employees)
    return report.end()


if __name__ == "__main__":
    cluster.run_main(main)
