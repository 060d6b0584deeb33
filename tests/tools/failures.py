#!/usr/bin/python3
"""failures.py [PAYROLL]: does `payroll serve` survive failures of its machine?

Takes memory from the running process (RLIMIT_AS), gives it fewer threads than it wants, lets another
process hold the database's lock for longer than payroll waits, damages the database file and repairs
it, and sets the clock an hour back and forward (libraries that are loaded before the C library do two
of these). Meanwhile each call gets a result or a fault without internals, and no acknowledged write is lost.
When the cause is gone, the server works again without a restart.
"""

import calendar
import collections
import http.client
import os
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BASE = "https://payroll.example.com/soap/v3/"
THREADS = """
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
int pthread_create(pthread_t* thread, const pthread_attr_t* with, void* (*begin)(void*), void* given) {
    static int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static int made = 0;
    if (!real) real = (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(RTLD_NEXT, "pthread_create");
    return __sync_fetch_and_add(&made, 1) < 100 ? real(thread, with, begin, given) : EAGAIN;
}
"""
CLOCK = (ROOT / "tests/tools/other_clock.c").read_text()
passed = failed = 0


def report(name, problem):
    global passed, failed
    passed += 0 if problem else 1
    failed += 1 if problem else 0
    print(f"FAIL {name}: {str(problem)[:1000]}" if problem else f"ok   {name}", flush=True)


def problem_of_refusals(answers):
    """None if each response only says that the database is unavailable; else the error."""
    if not answers:
        return "nobody was answered"
    refusal = re.compile(r"<faultstring>The database (takes no writes now|does not answer)\. Try again later\.<")
    wrong = [f"{status} {response}" for status, response in answers if status != 503 or not refusal.search(response)]
    return wrong[:1] or None


class Server:
    def __init__(self, payroll, folder, environment=None):
        self.folder = folder
        self.database = str(folder / "payroll.db")
        self.out, self.err = folder / "out", folder / "err"
        self.process = subprocess.Popen(
            [payroll, "serve", "--demo", "--db", self.database, "--port", "0"],
            stdin=subprocess.DEVNULL,
            stdout=open(self.out, "wb"),
            stderr=open(self.err, "wb"),
            env=environment,
        )
        for _ in range(200):
            match = re.search(r"listening on http://127\.0\.0\.1:(\d+)\n", self.out.read_text())
            if match:
                self.port = int(match.group(1))
                self.get("/healthz")  # it serves when its threads run, which is after that line
                return
            time.sleep(0.05)
        self.process.kill()
        sys.exit("no ready line: " + self.err.read_text())

    def stop(self):
        """The error of its end."""
        self.process.terminate()
        status = self.process.wait(timeout=30)
        return f"it ended with {status}: {self.err.read_text()[-2000:]}" if status else None

    def get(self, path):
        """The status of a page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        status = connection.getresponse().status
        connection.close()
        return status

    def call(self, service, operation, inner, token=None):
        known = f"<Username>alice</Username><Token>{token}</Token>" if token else ""
        header = f'<AuthHeaderWithDomain xmlns="{BASE}{service}">{known}<Domain>acme</Domain></AuthHeaderWithDomain>'
        body = (
            '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">'
            f"<s:Header>{header if service != 'SingleSignOn' else ''}</s:Header>"
            f'<s:Body><{operation} xmlns="{BASE}{service}">{inner}</{operation}></s:Body></s:Envelope>'
        )
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", f"/soap/v3/{service}.asmx", body, {"Content-Type": "text/xml"})
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused while it was sent; the answer is there
        try:
            response = connection.getresponse()
            return response.status, response.read().decode()
        except (OSError, http.client.HTTPException) as error:
            return 0, repr(error)
        finally:
            connection.close()

    def insert(self, street, more=""):
        address = f"<Street>{street}</Street><Type>WorkAddress</Type>"
        inner = f"<EmployeeId>2</EmployeeId><Address>{address}{more}</Address>"
        return self.call("EmployeeService", "Address_InsertCurrent", inner)

    def list(self, employee=1, token=None):
        return self.call("EmployeeService", "Address_GetListCurrent", f"<EmployeeId>{employee}</EmployeeId>", token)

    def sign_on(self):
        inner = "<Username>alice</Username><Token>api-token-alice</Token>"
        return self.call("SingleSignOn", "GetToken2", inner)

    def token(self):
        return re.search("Result>([^<]*)<", self.sign_on()[1]).group(1)

    def problem_afterwards(self, acknowledged):
        """The error of the server afterwards, or None."""
        for status, response in (self.insert("afterwards"), self.list(1), self.list(100), self.sign_on()):
            if status != 200:
                return f"{status} {response}"
        response = self.list(2)[1]
        lost = [street for street in acknowledged if response.count(f"<Street>{street}</Street>") != 1]
        return f"{len(lost)} acknowledged inserts are lost or doubled" if lost else None


def at_once(count, call):
    """The responses to this number of concurrent calls; 0 and the error for a failed call."""
    answers = []

    def ask():
        try:
            answers.append(call())
        except Exception as error:  # else a client that fails would only be missing
            answers.append((0, repr(error)))

    clients = [threading.Thread(target=ask) for _ in range(count)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return answers


def without_memory(payroll, folder):
    server = Server(payroll, folder)
    size = int(re.search(r"VmSize:\s+(\d+)", Path(f"/proc/{server.process.pid}/status").read_text()).group(1))
    everything = resource.prlimit(server.process.pid, resource.RLIMIT_AS)
    resource.prlimit(server.process.pid, resource.RLIMIT_AS, ((size + 4096) * 1024, everything[1]))
    acknowledged, statuses, problems = [], [], []

    def work(thread):
        for number in range(8):
            street = f"{thread}-{number}"
            status, response = server.insert(street, "<!--" + "s" * 300_000 * (number + 1) + "-->")
            statuses.append(status)
            if status == 200:
                acknowledged.append(street)
            elif not response or not ("Incident" in response or "memory" in response or "unfinished" in response):
                problems.append(f"{status} {response[:300]}")

    clients = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    counts = dict(collections.Counter(statuses))
    answered = len(statuses) == 32 and 0 not in counts
    lost = None if answered else f"of 32 there are {len(statuses)}"
    report(f"each large request is answered without memory, as {counts}", problems[:3] or lost)
    report("memory was short", None if set(counts) - {200} else "nothing failed")
    resource.prlimit(server.process.pid, resource.RLIMIT_AS, everything)
    report("all is well with memory again", server.problem_afterwards(acknowledged))
    report("it ends as it should", server.stop())


def preloaded(folder, name, source, **environment):
    """The environment of a program with a preloaded library of that source."""
    (folder / f"{name}.c").write_text(source)
    library = folder / f"{name}.so"
    command = ["g++", "-x", "c", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, folder / f"{name}.c", "-ldl"]
    subprocess.run(command, check=True)
    return {**os.environ, "LD_PRELOAD": str(library), **environment}


def with_few_threads(payroll, folder):
    server = Server(payroll, folder, preloaded(folder, "threads", THREADS))
    missing = 0
    for _ in range(200):  # the log has a thread of its own
        if said := re.search(r"of 256 executor threads (\d+) are missing", server.err.read_text()):
            missing = int(said.group(1))
            break
        time.sleep(0.05)
    report("it says how many threads it has not", None if 150 < missing < 170 else f"{missing}: {server.err.read_text()}")
    answers = at_once(200, lambda: server.insert("beside"))
    report("200 inserts at once pass", [answer for answer in answers if answer[0] != 200][:3])
    report("all is well with few threads", server.problem_afterwards([]))
    report("it ends as it should", server.stop())


def locked(payroll, folder):
    server = Server(payroll, folder)
    acknowledged = ["before"] if server.insert("before")[0] == 200 else []
    # A process of its own; it lets go when its standard input ends.
    holder = subprocess.Popen(
        [sys.executable, "-c", "import sqlite3, sys\n"
         "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
         "db.execute('BEGIN EXCLUSIVE')\nprint('held', flush=True)\nsys.stdin.read()", server.database],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )
    held = holder.stdout.readline()
    report("another process holds the lock", None if held == "held\n" else f"it says {held!r}")
    answers = []
    clients = [threading.Thread(target=lambda: answers.append(server.insert("during"))) for _ in range(4)]
    for client in clients:
        client.start()
    time.sleep(0.5)
    begun = time.monotonic()
    report("lists are answered meanwhile", None if server.list(100)[0] == 200 else "refused")
    report("and do not wait for the lock", None if time.monotonic() - begun < 3 else "they do")
    for client in clients:
        client.join()
    report("inserts are refused with status 503", problem_of_refusals(answers))
    holder.stdin.close()
    holder.wait(timeout=30)
    report("all is well without the lock", server.problem_afterwards(acknowledged))
    response = server.list(2)[1]
    report("what was refused is not there", "during" in response)
    report("it ends as it should", server.stop())


def damaged(payroll, folder):
    server = Server(payroll, folder)
    acknowledged = ["before"] if server.insert("before")[0] == 200 else []
    with sqlite3.connect(server.database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    file = Path(server.database)
    before = file.read_bytes()
    with open(file, "r+b") as damage:
        damage.seek(4096)
        damage.write(b"\xff" * (len(before) - 4096))
    # Connections believe their memory, until a write of another one tells them to look again;
    # so there must be more readers than there were.
    answers = at_once(32, lambda: server.list(100))
    answers.append(server.insert("during"))
    answers.append(server.sign_on())
    refused = [answer for answer in answers if answer[0] != 200]
    report("damage is noticed", None if refused else "nobody noticed")
    report("calls are refused with status 503", problem_of_refusals(refused))
    report("a probe for readiness finds it", None if server.get("/readyz") == 503 else "it does not")
    with open(file, "r+b") as repair:
        repair.write(before)
    report("all is well when it is repaired", server.problem_afterwards(acknowledged))
    report("it ends as it should", server.stop())


def other_time(payroll, folder):
    offset = folder / "offset"
    offset.write_text("0")
    server = Server(payroll, folder, preloaded(folder, "clock", CLOCK, CLOCK_OFFSET=str(offset)))

    def set_clock(seconds):
        (folder / "new").write_text(str(seconds))
        (folder / "new").rename(offset)

    def hour_in_log():
        server.list(1)
        time.sleep(0.3)
        line = re.findall(r"^(\S+)Z info call ", server.err.read_text(), re.M)[-1]
        return calendar.timegm(time.strptime(line[:19], "%Y-%m-%dT%H:%M:%S")) - time.time()

    tokens = []
    for hours in (-1, 1):
        set_clock(0)
        token = server.token()
        set_clock(hours * 3600)
        ahead = hour_in_log()
        report(f"the process sees the clock {hours:+} h", None if abs(ahead - hours * 3600) < 60 else f"{ahead:.0f} s ahead")
        report("a token from before is good", None if server.list(1, token)[0] == 200 else "refused")
        fresh = server.token()
        report("a token from after is good", None if server.list(1, fresh)[0] == 200 else "refused")
        set_clock(0)
        report("and stays good when the clock goes back", None if server.list(1, fresh)[0] == 200 else "refused")
        # Wrong secrets are answered late, and no later because of the clock.
        wrong = "<Username>alice</Username><Token>wrong</Token>"
        for _ in range(8):
            server.call("SingleSignOn", "GetToken2", wrong)
        set_clock(-hours * 3600)
        asked = time.monotonic()
        server.call("SingleSignOn", "GetToken2", wrong)
        late = time.monotonic() - asked
        report("a wrong secret is not answered an hour late", None if late < 5 else late)
        report("a right one passes", None if server.sign_on()[0] == 200 else "refused")
        tokens += [(token, hours), (fresh, hours)]
    time.sleep(30.2)
    for token, hours in tokens:
        for now in (0, -hours):
            set_clock(now * 3600)
            status, response = server.list(1, token)
            report("a token ends after 30 seconds", None if status == 500 and "1001" in response else f"{status} {response}")
    set_clock(0)
    report("all is well at the right time", server.problem_afterwards([]))
    report("it ends as it should", server.stop())


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    payroll = str(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build/example/payroll")
    for scenario in (without_memory, with_few_threads, locked, damaged, other_time):
        with tempfile.TemporaryDirectory() as folder:
            scenario(payroll, Path(folder))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
