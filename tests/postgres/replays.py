#!/usr/bin/python3
"""replays.py [--db ADDRESS]: is a message with a nonce served once, whichever process on the database gets it?

Two processes of `payroll serve --username-token` share a PostgreSQL server. Messages have a
UsernameToken with the password as text, a nonce and Created: the users' secrets are kept as hashes, so
that payroll takes no digest. A message is sent to one process and then to the other, to both at the
same time, again when the processes were started anew or killed, and when the clock of one was set
(a library that is loaded before the C library does this). --db runs over a database that is there and
empty, instead of a PostgreSQL server of the test's own.
"""

import argparse
import base64
import http.client
import os
import re
import subprocess
import threading
import time

import cluster

ROUNDS = 60  # messages that go to both at once
WSS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"


class Sender:
    """The user alice, who sends UsernameTokens."""

    def __init__(self, token, employee):
        self.token, self.employee = token, employee

    def message(self, seconds=0, secret=None, nonce=None):
        """A message with its own nonce and a time relative to now, in seconds."""
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
        nonce = nonce or base64.b64encode(os.urandom(16)).decode()
        header = (
            f'<o:Security xmlns:o="{WSS}wssecurity-secext-1.0.xsd" xmlns:u="{WSS}wssecurity-utility-1.0.xsd">'
            f"<o:UsernameToken><o:Username>alice@acme</o:Username><o:Password>{secret or self.token}</o:Password>"
            f"<o:Nonce>{nonce}</o:Nonce><u:Created>{created}</u:Created></o:UsernameToken></o:Security>"
        )
        return cluster.ENVELOPE.format(
            header=header,
            service="EmployeeService",
            operation="Address_GetListCurrent",
            inner=f"<EmployeeId>{self.employee}</EmployeeId>",
        )


def send(process, message):
    """`served`, or the fault's code and text, or the whole response."""
    connection = http.client.HTTPConnection("127.0.0.1", process.port, timeout=cluster.PATIENCE)
    try:
        headers = {"Content-Type": "text/xml; charset=utf-8"}
        connection.request("POST", "/soap/v3/EmployeeService.asmx", message, headers)
        response = connection.getresponse()
        body = response.read().decode()
    finally:
        connection.close()
    if response.status == 200 and "<Address_GetListCurrentResult" in body:
        return "served"
    fault = re.search(r"<faultcode[^>]*>(?:\w+:)?(\w+)</faultcode><faultstring[^>]*>([^<]*)<", body)
    return f"{fault.group(1)}: {fault.group(2)}" if fault else f"{response.status} {body}"


def at_once(processes, message):
    """Sends messages at the same time; returns the results in order."""
    together = threading.Barrier(len(processes))
    answers = []

    def one(process):
        together.wait()
        answers.append(send(process, message))

    threads = [threading.Thread(target=one, args=(each,)) for each in processes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(answers)


class Desk:
    """The two processes, and the response to the second sender of a message."""

    def __init__(self, run, report, database):
        self.report = report
        self.clock = run.folder / "clock"
        self.set_clock(0)
        library = run.folder / "clock.so"
        source = cluster.ROOT / "tests/tools/other_clock.c"
        build = ["g++", "-x", "c", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, source, "-ldl"]
        subprocess.run(build, check=True)
        employees, token = cluster.prepare(run, database, employees=1)
        self.alice = Sender(token, employees[0])
        other = {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(self.clock)}
        serve = [database, "--username-token", "anywhere"]
        self.a = cluster.Payroll(run, "a", *serve).start()
        self.b = cluster.Payroll(run, "b", *serve, environment=other).start()
        wrong = send(self.a, self.alice.message(secret="wrong"))
        report.check(wrong.startswith("FailedAuthentication: "), "a wrong secret has its fault", wrong)
        self.refused = wrong  # the one fault of all credentials

    def set_clock(self, seconds):
        """Sets the clock of the second process."""
        new = self.clock.with_suffix(".new")
        new.write_text(str(seconds))
        new.chmod(0o644)
        new.rename(self.clock)

    def served(self, process, message, what):
        got = send(process, message)
        self.report.check(got == "served", f"{what}: served", got)

    def again(self, process, message, what):
        got = send(process, message)
        self.report.check(got == self.refused, f"{what}: refused as a wrong secret is", got)


def in_turn(desk):
    for first, second in ((desk.a, desk.b), (desk.b, desk.a)):
        message = desk.alice.message()
        desk.served(first, message, f"a message to {first.name}")
        desk.again(second, message, f"the same to {second.name}")
        desk.again(first, message, f"and to {first.name}")
    nonce = base64.b64encode(b"the same nonce").decode()
    desk.served(desk.a, desk.alice.message(nonce=nonce), "a nonce")
    desk.again(desk.b, desk.alice.message(seconds=5, nonce=nonce), "it with another Created")


def both_at_once(desk):
    expected = sorted([desk.refused, "served"])
    answers = [at_once([desk.a, desk.b], desk.alice.message()) for _ in range(ROUNDS)]
    other = [each for each in answers if each != expected]
    desk.report.check(not other, f"{ROUNDS} messages to both at once: each served once", str(other[:3]))
    got = at_once([desk.a, desk.b] * 8, desk.alice.message())
    one = sorted([desk.refused] * 15 + ["served"])
    desk.report.check(got == one, "16 copies of one at once: one served", str(got))


def after_a_start(desk):
    message, other = desk.alice.message(), desk.alice.message()
    desk.served(desk.a, message, "a message before a stop")
    desk.served(desk.b, other, "one before a kill")
    status = desk.a.stop()
    desk.report.check(status == 0, "a stops as it should", str(status))
    desk.b.kill()
    desk.a.start()
    desk.b.start()
    for process in (desk.a, desk.b):
        desk.again(process, message, f"the first to {process.name}, started anew")
        desk.again(process, other, f"the second to {process.name}, started anew")


def other_clocks(desk):
    """Sets the second process's clock, as on a machine with a wrong clock."""
    before = desk.alice.message()
    desk.served(desk.a, before, "a message before the clock is set")
    for seconds in (-50, 50):
        desk.set_clock(seconds)
        desk.again(desk.b, before, f"the same by a clock of {seconds:+} s")
        fresh = desk.alice.message()
        desk.served(desk.b, fresh, f"another by a clock of {seconds:+} s")
        desk.again(desk.a, fresh, "the same by a right clock")
    for seconds in (-600, 600):
        desk.set_clock(seconds)
        got = send(desk.b, before)
        desk.report.check(got.startswith("MessageExpired: "), f"by a clock of {seconds:+} s it has expired", got)
    # A process that is started far ahead forgets nonces that are too old by its clock.
    hours = 3 * 3600
    desk.b.stop()
    desk.set_clock(hours)
    desk.b.start()
    desk.served(desk.b, desk.alice.message(seconds=hours), "one of three hours ahead, by a clock that is")
    desk.again(desk.a, before, "what that clock forgot, by a right one")
    desk.set_clock(0)
    desk.again(desk.b, before, "and by the one that was set back")
    desk.served(desk.b, desk.alice.message(seconds=55), "a message that is younger than what was forgotten")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--db")
    database = parser.parse_args().db
    cluster.install()
    report = cluster.Report("replays")
    with cluster.Run() as run:
        if not database:
            server = cluster.Postgres(run, "replays-db", {"fsync": "off"}).make()
            database = cluster.address_of(server)
        desk = Desk(run, report, database)
        for test in (in_turn, both_at_once, after_a_start, other_clocks):
            test(desk)
    return report.end()


if __name__ == "__main__":
    cluster.run_main(main)
