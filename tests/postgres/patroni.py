#!/usr/bin/python3
"""patroni.py [--rounds N] [--seconds S]: the same as failover, where Patroni decides.

etcd, and two nodes of Patroni with synchronous_mode and a ttl of 5 s: as an unprivileged user on
loopback. Two processes of payroll behind HAProxy, 32 writers and 8 readers. In each round (one by
default) the node of the primary, Patroni and PostgreSQL, is killed with -9; Patroni promotes the
standby when the lease in etcd has run out; the killed node is started again and becomes the standby.
Not part of .ci/run: a round takes about half a minute.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import time

import cluster
from free_port import free_port

WRITERS, READERS = 32, 8
BOUND = 60  # seconds

NODE = """\
scope: payroll
name: {name}
restapi: {{listen: '127.0.0.1:{rest}', connect_address: '127.0.0.1:{rest}'}}
etcd3: {{hosts: '127.0.0.1:{etcd}'}}
bootstrap:
  dcs:
    ttl: 5
    loop_wait: 1
    retry_timeout: 2
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters:
        synchronous_commit: remote_apply
        max_connections: 100
        shared_buffers: 32MB
        timezone: UTC
        wal_keep_size: 64MB
  initdb: [{{encoding: UTF8}}, {{locale: C.UTF-8}}]
postgresql:
  listen: 127.0.0.1:{port}
  connect_address: 127.0.0.1:{port}
  data_dir: {folder}/{name}
  bin_dir: {bin}
  pgpass: {folder}/{name}.pgpass
  use_unix_socket: true
  pg_hba:
    - local all all trust
    - host all all 127.0.0.1/32 trust
    - host replication all 127.0.0.1/32 trust
  parameters: {{unix_socket_directories: '{folder}', wal_log_hints: 'on'}}
  authentication:
    superuser: {{username: postgres, password: unused}}
    replication: {{username: replicator, password: unused}}
    rewind: {{username: postgres, password: unused}}
"""


class Node(cluster.Postgres):
    """A PostgreSQL server that Patroni makes, starts and promotes."""

    def __init__(self, run, name, etcd):
        super().__init__(run, name)
        self.port, self.rest = free_port(), free_port()
        self.file = run.folder / f"{name}.yml"
        values = {"name": name, "rest": self.rest, "etcd": etcd, "port": self.port}
        run.call("tee", self.file, input_text=NODE.format(**values, folder=run.folder, bin=cluster.BIN))
        run.at_end.append(self.kill)

    def start(self):
        self.process = self.run.spawn(["/usr/bin/patroni", self.file], f"{self.name}.log")

    def server_pid(self):
        with contextlib.suppress(OSError, ValueError):
            return int((self.data / "postmaster.pid").read_text().splitlines()[0])
        return None

    def kill(self):
        """Kills both processes, because Patroni's server is not its child process."""
        pid = self.server_pid()
        if self.process:
            self.run.destroy(self.process)
        for each in [pid, *cluster.children_of(pid)] if pid else []:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)

    def is_primary(self):
        try:
            text = "SELECT pg_is_in_recovery()"
            return self.sql(text, database="postgres", patience=5) == "f"
        except (RuntimeError, subprocess.TimeoutExpired):
            return False

    def has_synchronous_standby(self):
        try:
            text = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
            return self.sql(text, database="postgres", patience=5) == "1"
        except (RuntimeError, subprocess.TimeoutExpired):
            return False


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=4, help="of load before and after each kill")
    return parser.parse_args()


def start_etcd(run):
    port, peers = free_port(), free_port()
    own, other = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peers}"
    command = ["/usr/bin/etcd", "--data-dir", run.folder / "etcd", "--unsafe-no-fsync"]
    command += ["--listen-client-urls", own, "--advertise-client-urls", own]
    command += ["--listen-peer-urls", other, "--initial-advertise-peer-urls", other]
    run.spawn(command + ["--initial-cluster", f"default={other}"], "etcd.log")
    cluster.wait_until(lambda: cluster.is_listening(port), "etcd listens; see its log")
    return port


def one_round(number, given, report, nodes, proxy, employees):
    label = f"round {number}"
    primary, standby = nodes if nodes[0].is_primary() else reversed(nodes)
    with cluster.Load([proxy.port], employees, WRITERS, READERS, f"r{number}") as load:
        time.sleep(given.seconds)
        begun = time.monotonic()
        primary.kill()
        cluster.wait_until(standby.is_primary, "Patroni promotes the standby")
        promoted = time.monotonic()
        limit = promoted + BOUND
        while load.first_after(promoted) is None and time.monotonic() < limit:
            time.sleep(0.01)
        back = load.first_after(promoted)
        time.sleep(given.seconds)
        ended = time.monotonic()
    report.check(back is not None, f"{label}: service is back within a bound")
    cluster.check_rows(report, standby, load, label)
    report.say(
        f"{label}: promoted {promoted - begun:.2f} s after the kill, acknowledged again "
        f"{back if back is not None else -1:.2f} s after that; longest pause "
        f"{load.longest_pause(begun - 1, ended):.2f} s; "
        f"not answered: {len(load.others)} inserts, {len(load.unread)} reads"
    )
    for why, count in cluster.reasons(load)[:5]:
        report.say(f"{label}: {count} x {why}")
    primary.start()
    cluster.wait_until(standby.has_synchronous_standby, "the killed node is a synchronous standby")
    return back


def main():
    given = parse()
    cluster.install("haproxy", "patroni", "etcd-server", "python3-etcd")
    report = cluster.Report("patroni")
    backs = []
    with cluster.Run() as run:
        etcd = start_etcd(run)
        nodes = [Node(run, name, etcd) for name in ("one", "two")]
        nodes[0].start()
        cluster.wait_until(nodes[0].is_primary, "the first node is the primary")
        nodes[1].start()
        cluster.wait_until(nodes[0].has_synchronous_standby, "the second is its synchronous standby")
        nodes[0].sql("CREATE ROLE payroll LOGIN", database="postgres")
        nodes[0].sql(f"CREATE DATABASE {cluster.DATABASE} OWNER payroll", database="postgres")
        database = cluster.address_of(*nodes)
        employees, _ = cluster.prepare(run, database)
        desks = [cluster.Payroll(run, name, database).start() for name in ("a", "b")]
        proxy = cluster.Haproxy(run, desks)
        for number in range(1, given.rounds + 1):
            backs.append(one_round(number, given, report, nodes, proxy, employees))
    known = [each for each in backs if each is not None]
    if known:
        report.say(f"{len(known)} rounds: back after {min(known):.2f} to {max(known):.2f} s")
    return report.end()


if __name__ == "__main__":
    cluster.run_main(main)
