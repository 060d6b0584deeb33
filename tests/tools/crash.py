#!/usr/bin/python3
"""crash.py [ROUNDS [PAYROLL]]: is every insert that was answered still there after `kill -9`?

Each round (100 by default) starts `payroll serve` on the same database, lets eight clients insert, one
list and one sign on at once, and kills the process in the middle of it. Then every address whose
insert was answered must be there exactly once, with the id of the answer, in the file and in the
list of the next server; every row must be whole, and the last one alone be the default; the token
that was answered last must still be good; and the database must pass its own checks.
"""

import http.client
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BASE = "https://payroll.example.com/soap/v3/"
ENVELOPE = (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header>{header}</s:Header>'
    '<s:Body><{operation} xmlns="' + BASE + '{service}">{inner}</{operation}></s:Body></s:Envelope>'
)
# Every field is made from the street, so that a row that is not whole shows.
FIELDS = {"HouseNumber": "{}-h", "HouseNumberAddition": "{}-a", "PostalCode": "{}-p", "City": "{}-c"}
ADDRESS = (
    "<Address><Id>0</Id><Default>true</Default><Street>{0}</Street>"
    + "".join(f"<{name}>{text.replace('{}', '{0}')}</{name}>" for name, text in FIELDS.items())
    + "<Type>WorkAddress</Type></Address>"
)
WRITERS = 8


class Server:
    def __init__(self, payroll, database):
        command = [payroll, "serve", "--demo", "--db", database, "--port", "0", "--log-level", "error"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        ready = self.process.stdout.readline()
        match = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", ready)
        if not match:
            self.kill()
            sys.exit(f"no ready line but {ready!r}")
        self.port = int(match.group(1))

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=30)
        self.process.stdout.close()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)


def call(connection, operation, inner, service="EmployeeService", token=None):
    known = f"<Username>alice</Username><Token>{token}</Token>" if token else ""
    block = f'<AuthHeaderWithDomain xmlns="{BASE}{service}">{known}<Domain>acme</Domain></AuthHeaderWithDomain>'
    header = block if service == "EmployeeService" else ""
    body = ENVELOPE.format(header=header, service=service, operation=operation, inner=inner)
    headers = {"Content-Type": "text/xml; charset=utf-8"}
    connection.request("POST", f"/soap/v3/{service}.asmx", body, headers)
    response = connection.getresponse()
    return response.status, response.read().decode()


def list_addresses(connection, employee, token=None):
    return call(connection, "Address_GetListCurrent", f"<EmployeeId>{employee}</EmployeeId>", token=token)


class Round:
    """The responses to the clients of one round."""

    def __init__(self, number, employee):
        self.number = number
        self.employee = employee
        self.answered = {}  # street: id
        self.token = None
        self.token_time = 0.0
        self.problems = []

    def until_the_end(self, server, work):
        connection = server.connect()
        for count in range(1_000_000):
            try:
                problem = work(connection, count)
            except (OSError, http.client.HTTPException):
                return
            if problem:
                self.problems.append(problem)
                return

    def write(self, writer):
        def work(connection, count):
            street = f"{self.number}-{writer}-{count}"
            inner = f"<EmployeeId>{self.employee}</EmployeeId>" + ADDRESS.format(street)
            status, response = call(connection, "Address_InsertCurrent", inner)
            match = re.search(r"<Address_InsertCurrentResult>(\d+)<", response)
            if status != 200 or not match:
                return f"an insert is refused: {response}"
            self.answered[street] = int(match.group(1))
            return None

        return work

    def read(self, connection, _):
        before = dict(self.answered)
        status, response = list_addresses(connection, self.employee)
        if status != 200:
            return f"a list is refused: {response}"
        return problem_of_rows(rows_of(response), before)

    def sign_on(self, connection, _):
        inner = "<Username>alice</Username><Token>api-token-alice</Token>"
        begun = time.monotonic()
        status, response = call(connection, "GetToken2", inner, "SingleSignOn")
        match = re.search(r"<GetToken2Result>([\w-]{43})<", response)
        if status != 200 or not match:
            return f"a sign-on is refused: {response}"
        self.token, self.token_time = match.group(1), begun
        return None

    def run(self, server):
        works = [self.write(writer) for writer in range(WRITERS)] + [self.read, self.sign_on]
        clients = [threading.Thread(target=self.until_the_end, args=(server, work)) for work in works]
        for client in clients:
            client.start()
        limit = time.monotonic() + 20
        while not (self.answered and self.token) and not self.problems and time.monotonic() < limit:
            time.sleep(0.005)  # a disk that others use takes its time
        time.sleep(random.uniform(0, 0.3))
        if (status := server.process.poll()) is not None:
            self.problems.append(f"the server ended by itself, with status {status}")
        server.kill()
        for client in clients:
            client.join(timeout=60)


def rows_of(response):
    """Id, default mark, street and the other fields of each address in a list."""
    rows = []
    for text in re.findall(r"<EmployeeAddress>(.*?)</EmployeeAddress>", response, re.S):
        field = dict(re.findall(r"<(\w+)>([^<]*)</\1>", text))
        others = tuple(field.get(name) for name in FIELDS)
        rows.append((int(field["Id"]), field["Default"] == "true", field.get("Street"), others))
    return rows


def problem_of_rows(rows, answered):
    found = {}
    for number, _, street, others in rows:
        if others != tuple(text.replace("{}", str(street)) for text in FIELDS.values()):
            return f"a row is not whole: {number} {street} {others}"
        found.setdefault(street, []).append(number)
    wrong = [street for street, number in answered.items() if found.get(street) != [number]]
    if wrong:
        return f"{len(wrong)} of {len(answered)} answered inserts are lost or doubled, as {wrong[:3]}"
    doubled = [street for street, numbers in found.items() if len(numbers) != 1]
    if doubled:
        return f"inserted twice: {doubled[:3]}"
    defaults = [number for number, is_default, _, _ in rows if is_default]
    if rows and defaults != [max(row[0] for row in rows)]:
        return f"the default addresses are {defaults}"
    return None


def problem_in_file(database, rounds):
    with sqlite3.connect(database) as connection:
        for check in ("integrity_check", "quick_check"):
            said = connection.execute(f"PRAGMA {check}").fetchall()
            if said != [("ok",)]:
                return f"{check}: {said}"
        if connection.execute("PRAGMA foreign_key_check").fetchall():
            return "foreign_key_check finds rows"
        for each in rounds:
            rows = connection.execute(
                "SELECT id, is_default, street, house_number, house_number_addition, postal_code, city"
                " FROM address WHERE employee_id = ?",
                (each.employee,),
            ).fetchall()
            problem = problem_of_rows([(row[0], bool(row[1]), row[2], row[3:]) for row in rows], each.answered)
            if problem:
                return f"round {each.number}: {problem}"
    connection.close()
    return None


def add_employee(database):
    with sqlite3.connect(database) as connection:
        made = connection.execute("INSERT INTO employee (domain_id) SELECT id FROM domain WHERE name = 'acme'")
        employee = made.lastrowid
    connection.close()
    return employee


def problem_after_restart(server, last):
    """The error of the next server's data of the round before, or None."""
    token = last.token if time.monotonic() - last.token_time < 25 else None
    status, response = list_addresses(server.connect(), last.employee, token)
    if status != 200:
        return f"the list is refused{', with a token that was answered' if token else ''}: {response}"
    return problem_of_rows(rows_of(response), last.answered)


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    payroll = sys.argv[2] if len(sys.argv) > 2 else str(ROOT / "build/example/payroll")
    rounds = []
    failed = 0
    total = tokens = 0
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder, "payroll.db"))
        server = Server(payroll, database)
        while len(rounds) != count and not failed:
            now = Round(len(rounds) + 1, add_employee(database))
            rounds.append(now)
            now.run(server)
            # The first process that opens the file recovers it: in turn the next server, and SQLite alone.
            problem = problem_in_file(database, [now]) if now.number % 2 else None
            server = Server(payroll, database)
            problem = problem or problem_after_restart(server, now) or next(iter(now.problems), None)
            problem = problem or problem_in_file(database, [now])
            if not now.answered:
                problem = problem or "no insert was answered"
            total += len(now.answered)
            tokens += 1 if now.token else 0
            failed += 1 if problem else 0
            print(f"FAIL round {now.number}: {problem}" if problem else f"ok   round {now.number}", flush=True)
        server.kill()
        problem = problem_in_file(database, rounds)
        if problem:
            failed += 1
            print(f"FAIL at the end: {problem}")
    print(f"{total} inserts were answered, and {tokens} tokens were good after the restart")
    print(f"{len(rounds) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
