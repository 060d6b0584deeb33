"""Shared by the tests of a cluster: PostgreSQL servers, payroll processes and proxies in their own
folder, and clients that record the responses.

Everything runs as an unprivileged user on loopback and Unix sockets. All processes are children of
the test, and end with it: at its end, at Ctrl-C, and by the kernel when the test is killed.
"""

import contextlib
import ctypes
import http.client
import os
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))
from free_port import free_port  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BIN = Path("/usr/lib/postgresql/15/bin")
BASE = "https://payroll.example.com/soap/v3/"
PATIENCE = 60  # seconds for anything to start, stop or come back
DATABASE = "payroll"
DIES_WITH_US = 1  # PR_SET_PDEATHSIG


# Debian starts a service that it installs; here it must not, or a proxy would hold port 80 from then on.
INSTALL = """
set -euo pipefail
cd "$1"; shift
. tests/tools/common.sh
. tests/postgres/common.sh
pg_install
policy=/usr/sbin/policy-rc.d
if ! dpkg-query -W "$@" >/dev/null 2>&1 && [ ! -e "$policy" ]; then
    printf '#!/bin/sh\\nexit 101\\n' | as_root tee "$policy" >/dev/null
    as_root chmod +x "$policy"
    trap 'as_root rm -f "$policy"' EXIT
fi
install_missing "$@"
[ -n "${PAYROLL:-}" ] || { configure "$root/build"; build "$root/build" example/payroll; }
"""


def install(*packages):
    """Installs the packages of the tests by the scripts, and builds the program."""
    os.environ["PATH"] += ":/usr/sbin"
    subprocess.run(["bash", "-c", INSTALL, "install", ROOT, *packages], check=True, stdin=subprocess.DEVNULL)


def run_main(main):
    """Runs a test, and exits with its status. Cleans up after Ctrl-C first."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


def payroll_program():
    return Path(os.environ.get("PAYROLL", ROOT / "build/example/payroll"))


def wait_until(holds, what, patience=PATIENCE):
    limit = time.monotonic() + patience
    while not holds():
        if time.monotonic() > limit:
            raise RuntimeError(f"it did not come about in {patience} s: {what}")
        time.sleep(0.02)


def children_of(pid):
    """All child processes of this one, and their children."""
    parents = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            parents.setdefault(int(stat[1]), []).append(int(entry.name))
    found, left = [], [pid]
    while left:
        below = parents.get(left.pop(), [])
        found += below
        left += below
    return found


class Report:
    """Counts the checks, and prints them like the other scripts."""

    def __init__(self, name):
        self.name = name
        self.passed = self.failed = 0

    def say(self, text):
        print(f"[{self.name}] {text}", flush=True)

    def check(self, holds, what, why=""):
        if holds:
            self.passed += 1
            print(f"ok   {what}", flush=True)
        else:
            self.failed += 1
            print(f"FAIL {what}{': ' if why else ''}{why}", flush=True)
        return holds

    def check_refused(self, done, expected, what, secret="secret"):
        """Checks that a command ended with one line for the operator, without the secret."""
        status, printed, said = done
        one_line = said.startswith("payroll: ") and said.count("\n") == 1 and said.endswith("\n")
        good = status > 0 and one_line and expected in said and secret not in printed + said
        return self.check(good, f"{what}: refused, and told what to do", f"{status} {printed!r} {said!r}")

    def check_done(self, done, what, printed="", said=""):
        """Checks that a command succeeded, and printed only its output and one line with its result."""
        status, out, err = done
        told = re.fullmatch(rf"payroll: .*{re.escape(said)}.*\n", err) is not None if said else err == ""
        return self.check(status == 0 and out == printed and told, what, str(done))

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


class Run:
    """The folder, and every process that was started in it. Use it with `with`."""

    def __init__(self):
        self.user = "postgres" if os.getuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="payroll-cluster-", dir="/tmp"))
        os.chmod(self.folder, 0o755)
        if self.user:
            account = pwd.getpwnam(self.user)
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        self.program = self.folder / "payroll"
        shutil.copy(payroll_program(), self.program)  # where an unprivileged user may read it
        self.program.chmod(0o755)
        self.processes = []
        self.at_end = []  # what else there is to do, before the folder goes
        self.ports = 5500

    def __enter__(self):
        def stop(number, _):
            raise KeyboardInterrupt(number)

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, stop)
        return self

    def __exit__(self, kind, *_):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        for do in self.at_end:
            do()
        for process in reversed(self.processes):
            self.destroy(process)
        if os.environ.get("KEEP"):
            print(f"kept: {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def as_user(self):
        """Arguments for subprocess: the user that runs the servers."""
        if not self.user:
            return {}
        account = pwd.getpwnam(self.user)
        return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def spawn(self, command, log, **more):
        """Starts a server that ends with this process; its output goes to a file."""
        return self.spawn_as_we_are(command, log, **self.as_user(), **more)

    def spawn_as_we_are(self, command, log, **more):
        """The same, not as another user."""
        libc = ctypes.CDLL(None)

        def before():
            libc.prctl(DIES_WITH_US, signal.SIGKILL)

        with open(self.folder / log, "ab") as output:
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self.folder,
                preexec_fn=before,
                start_new_session=True,
                **more,
            )
        self.processes.append(process)
        return process

    def call(self, *command, **more):
        """Runs a program to its end; returns its standard output."""
        return self.call_as_we_are(*command, **self.as_user(), **more)

    def call_as_we_are(self, *command, check=True, patience=PATIENCE, input_text="", **more):
        """The same, not as another user."""
        done = subprocess.run(
            [str(word) for word in command],
            input=input_text,
            capture_output=True,
            text=True,
            timeout=patience,
            cwd=self.folder,
            **more,
        )
        if check and done.returncode != 0:
            raise RuntimeError(f"{command[0]}: status {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout.strip()

    def operate(self, *words, text="", **variables):
        """Runs an operator's command, which may fail: returns status, output and error text."""
        done = subprocess.run(
            [str(word) for word in (self.program, *words)],
            input=text,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            cwd=self.folder,
            env={**os.environ, **variables},
            **self.as_user(),
        )
        return done.returncode, done.stdout, done.stderr

    @staticmethod
    def destroy(process):
        """Kills a process and all its children."""
        if process.poll() is not None:
            return
        for pid in [process.pid, *children_of(process.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait(timeout=PATIENCE)

    def log(self, name):
        return (self.folder / name).read_text(errors="replace")


# --- PostgreSQL ------------------------------------------------------------------------------------


class Postgres:
    """One server, with a socket in the run's folder. It is a child process, never a daemon."""

    def __init__(self, run, name, settings=(), environment=None, segment=None, prefix=()):
        self.run, self.name = run, name
        self.data = run.folder / name
        self.port = run.ports
        self.environment = environment
        self.prefix = prefix  # a command that runs others where the data is, as the right user
        run.ports += 1
        self.process = None
        self.settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(run.folder),
            "port": self.port,
            "max_connections": 100,
            "shared_buffers": "32MB",
            "wal_keep_size": "64MB",
            "timezone": "UTC",
            "cluster_name": self.data.name,
            **dict(settings),
        }
        self.segment = segment

    def make(self):
        """A new cluster with the database and the role that payroll uses."""
        segment = ["--wal-segsize", self.segment] if self.segment else []
        options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        self.call(BIN / "initdb", "-D", self.data, *options, *segment)
        self.write_settings()
        self.start()
        self.sql("CREATE ROLE payroll LOGIN", database="postgres")
        self.sql(f"CREATE DATABASE {DATABASE} OWNER payroll", database="postgres")
        return self

    def copy_of(self, primary):
        """Makes this a new standby of another server."""
        shutil.rmtree(self.data, ignore_errors=True)
        where = f"host={self.run.folder} port={primary.port} user=postgres"
        options = ["-X", "stream", "-c", "fast", "--no-sync"]
        self.run.call(BIN / "pg_basebackup", "-D", self.data, "-d", where, *options)
        self.settings["primary_conninfo"] = f"{where} application_name={self.name}"
        self.settings.pop("synchronous_standby_names", None)
        self.write_settings()
        self.run.call("touch", self.data / "standby.signal")
        self.start()
        return self

    def write_settings(self):
        lines = [f"{name} = '{value}'" for name, value in self.settings.items()]
        self.call("tee", self.data / "postgresql.conf", input_text="\n".join(lines) + "\n")

    def call(self, *command, **more):
        """Runs a command in the data folder."""
        call = self.run.call_as_we_are if self.prefix else self.run.call
        return call(*self.prefix, *command, **more)

    def set(self, name, value):
        """Changes a setting of the running server."""
        self.settings[name] = value
        self.write_settings()
        os.kill(self.process.pid, signal.SIGHUP)

    def start(self):
        environment = {**os.environ, **(self.environment or {})}
        command = [*self.prefix, BIN / "postgres", "-D", self.data]
        spawn = self.run.spawn_as_we_are if self.prefix else self.run.spawn
        self.process = spawn(command, f"{self.data.name}.log", env=environment)
        wait_until(self.answers, f"{self.name} answers; see its log")

    def answers(self):
        if self.process.poll() is not None:
            log = self.run.log(f"{self.data.name}.log")
            raise RuntimeError(f"{self.name} ended:\n{log[-2000:]}")
        return self.is_up()

    def is_up(self):
        try:
            return self.sql("SELECT 1", database="postgres", patience=5) == "1"
        except (RuntimeError, subprocess.TimeoutExpired):
            return False

    def psql(self, database=DATABASE):
        where = ["-h", self.run.folder, "-p", self.port, "-U", "postgres", "-d", database]
        return [BIN / "psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", *where]

    def sql(self, text, database=DATABASE, patience=PATIENCE):
        return self.run.call(*self.psql(database), "-c", text, patience=patience)

    def follow(self, standby):
        """Makes each commit wait for that standby, once the standby streams."""
        self.wait_for_stream(standby)
        self.set("synchronous_standby_names", standby.name)
        text = f"SELECT count(*) FROM pg_stat_replication WHERE application_name = '{standby.name}' "
        text += "AND sync_state = 'sync'"
        wait_until(lambda: self.sql(text) == "1", f"{standby.name} is synchronous")

    def wait_for_stream(self, standby):
        text = f"SELECT count(*) FROM pg_stat_replication WHERE application_name = '{standby.name}' "
        text += "AND state = 'streaming'"
        wait_until(lambda: self.sql(text) == "1", f"{standby.name} streams")

    def promote(self):
        self.sql("SELECT pg_promote(true, 60)", database="postgres")

    def everybody(self):
        return [self.process.pid, *children_of(self.process.pid)]

    def signal(self, number):
        for pid in self.everybody():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def freeze(self):
        self.signal(signal.SIGSTOP)

    def thaw(self):
        self.signal(signal.SIGCONT)

    def kill(self):
        """Kills the server like a failed machine: nothing is flushed, and connections get no message."""
        self.run.destroy(self.process)

    def stop(self):
        self.process.send_signal(signal.SIGINT)  # fast
        self.process.wait(timeout=PATIENCE)


def address_of(*servers, user="payroll", more=""):
    """The value of --db."""
    folder = str(servers[0].run.folder)
    hosts = ",".join([folder] * len(servers))
    ports = ",".join(str(server.port) for server in servers)
    return f"postgresql:///{DATABASE}?host={hosts}&port={ports}&user={user}{more}"


# --- payroll ---------------------------------------------------------------------------------------


class Payroll:
    """One process of `payroll serve`, always at the same port."""

    def __init__(self, run, name, database, *options, environment=None):
        self.run, self.name, self.database = run, name, database
        self.options = options
        self.environment = {**os.environ, **(environment or {})}
        self.port = free_port()
        self.process = None

    def start(self):
        command = [self.run.program, "serve", "--db", self.database, "--port", self.port]
        command += ["--name", self.name, "--log-level", "warning", *self.options]
        self.process = self.run.spawn(command, f"{self.name}.log", env=self.environment)
        wait_until(self.is_ready, f"{self.name} is ready; see its log:\n{self.tail()}")
        return self

    def tail(self):
        with contextlib.suppress(OSError):
            return self.run.log(f"{self.name}.log")[-2000:]
        return ""

    def page(self, path):
        """Status and text of a page."""
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        except (OSError, http.client.HTTPException) as error:
            return 0, str(error)

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended with {self.process.returncode}:\n{self.tail()}")
        return self.page("/readyz")[0] == 200

    def stop(self):
        """Stops the process cleanly; returns the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)

    def kill(self):
        self.run.destroy(self.process)


def prepare(run, database, employees=256):
    """Adds domain, user and employees. Returns the token, and employees for 1,000 addresses each."""
    def command(*words, text=""):
        return run.call(run.program, *words, "--db", database, input_text=text)

    command("domain", "add", "acme")
    token = command("user", "add", "acme", "alice", text="correct horse\n").splitlines()[0]
    added = "INSERT INTO employee (domain_id, id) SELECT domain.id, nextval('employee_id_seq')"
    added += f" FROM domain, generate_series(1, {employees}) RETURNING employee.id"
    return [int(each) for each in run.call(BIN / "psql", "-XqtA", "-c", added, database).split()], token


# --- Proxies ---------------------------------------------------------------------------------------

NGINX = """\
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
daemon off;
worker_processes 1;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    upstream payroll {{
        least_conn;
{servers}
    }}
    server {{
        listen 127.0.0.1:{port};
        client_max_body_size 16m;
        location = /metrics {{ return 403; }}
        location = /readyz {{ return 403; }}
        location / {{
            proxy_pass http://payroll;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_connect_timeout 1s;
        }}
    }}
}}
"""


class Haproxy:
    """HAProxy with the configuration of the README, except the addresses."""

    def __init__(self, run, backends):
        self.port = free_port()
        given = (ROOT / "example/payroll/operate/haproxy.cfg").read_text()
        lines = [line for line in given.splitlines() if not line.strip().startswith("server ")]
        text = "\n".join(lines).replace("127.0.0.1:8000", f"127.0.0.1:{self.port}") + "\n"
        text += "".join(f"    server {each.name} 127.0.0.1:{each.port}\n" for each in backends)
        file = run.folder / "haproxy.cfg"
        run.call("tee", file, input_text=text)
        self.process = run.spawn(["/usr/sbin/haproxy", "-db", "-f", file], "haproxy.log")
        wait_until(lambda: is_listening(self.port), "HAProxy listens; see its log")


class Nginx:
    """nginx, which does not check /readyz: a process is removed from its list before it stops."""

    def __init__(self, run, backends):
        self.run, self.backends = run, backends
        self.port = free_port()
        self.write(down=None)
        command = ["/usr/sbin/nginx", "-p", run.folder, "-c", run.folder / "nginx.conf"]
        self.process = run.spawn(command, "nginx-output.log")
        wait_until(lambda: is_listening(self.port), "nginx listens; see its log")

    def write(self, down):
        servers = [
            f"        server 127.0.0.1:{each.port}{' down' if each is down else ''};"
            for each in self.backends
        ]
        text = NGINX.format(folder=self.run.folder, port=self.port, servers="\n".join(servers))
        self.run.call("tee", self.run.folder / "nginx.conf", input_text=text)

    def take_out(self, backend):
        self.write(backend)
        self.process.send_signal(signal.SIGHUP)


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


# --- Clients ---------------------------------------------------------------------------------------

ENVELOPE = (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header>{header}</s:Header>'
    '<s:Body><{operation} xmlns="' + BASE + '{service}">{inner}</{operation}></s:Body></s:Envelope>'
)


class Client:
    """One connection, opened again after a loss; or a new one for each call."""

    def __init__(self, port, timeout=60, keep=True):
        self.port, self.timeout, self.keep = port, timeout, keep
        self.connection = None

    def call(self, operation, inner, service="EmployeeService", credentials="<Domain>acme</Domain>"):
        """Status and response; 0 and the reason if there was none."""
        block = ""
        if service != "SingleSignOn":
            block = f'<AuthHeaderWithDomain xmlns="{BASE}{service}">{credentials}</AuthHeaderWithDomain>'
        body = ENVELOPE.format(header=block, service=service, operation=operation, inner=inner)
        try:
            if not self.connection:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
            headers = {"Content-Type": "text/xml; charset=utf-8"}
            self.connection.request("POST", f"/soap/v3/{service}.asmx", body, headers)
            response = self.connection.getresponse()
            answer = response.status, response.read().decode()
            if not self.keep:
                self.close()
            return answer
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return 0, repr(error)

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def insert(self, employee, street):
        """Returns the new id, or None; and the text of the response."""
        inner = (
            f"<EmployeeId>{employee}</EmployeeId><Address><Id>0</Id><Default>false</Default>"
            f"<Street>{street}</Street><City>{street}-c</City><Type>WorkAddress</Type></Address>"
        )
        status, response = self.call("Address_InsertCurrent", inner)
        match = re.search(r"<Address_InsertCurrentResult>(\d+)<", response)
        return (int(match.group(1)) if status == 200 and match else None), status, response

    def streets(self, employee):
        """Returns street and id of each address, or None; and the text of the response."""
        status, response = self.call("Address_GetListCurrent", f"<EmployeeId>{employee}</EmployeeId>")
        if status != 200 or "Address_GetListCurrentResult" not in response:
            return None, status, response
        rows = re.findall(r"<EmployeeAddress><Id>(\d+)</Id>.*?<Street>([^<]*)</Street>", response)
        return {street: int(number) for number, street in rows}, status, response

    def sign_on(self, token, user="alice"):
        inner = f"<Username>{user}</Username><Token>{token}</Token>"
        status, response = self.call("GetToken2", inner, "SingleSignOn")
        match = re.search(r"<GetToken2Result>([\w-]{43})<", response)
        return (match.group(1) if status == 200 and match else None), status, response


class Load:
    """Writers that insert, and readers that check the acknowledged inserts, until they are stopped."""

    def __init__(self, ports, employees, writers=32, readers=8, label="w", keep=True):
        self.ports, self.employees, self.label, self.keep = ports, employees, label, keep
        self.readers = readers
        self.lock = threading.Lock()
        self.acknowledged = {}  # street: id
        self.others = {}  # street: what was said, of inserts that were not acknowledged
        self.unread = []  # what was said, of reads that were not answered
        self.reads = 0
        self.times = []  # of acknowledgements
        self.recent = []  # of acknowledged inserts, to look for: employee, street, id
        self.longest = 0.0  # seconds that a call took
        self.problems = []
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(each,)) for each in range(writers)]
        self.threads += [threading.Thread(target=self.read, args=(each,)) for each in range(readers)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(timeout=2 * PATIENCE)

    def write(self, writer):
        client = Client(self.ports[writer % len(self.ports)], keep=self.keep)
        for count in range(10_000_000):
            if self.over.is_set():
                break
            employee = self.employees[(writer + count) % len(self.employees)]
            street = f"{self.label}-{writer}-{count}"
            begun = time.monotonic()
            number, status, response = client.insert(employee, street)
            with self.lock:
                self.longest = max(self.longest, time.monotonic() - begun)
                if number is not None:
                    self.acknowledged[street] = number
                    self.times.append(time.monotonic())
                    self.recent = self.recent[-255:] + [(employee, street, number)]
                else:
                    self.others[street] = (status, short(response))
            if number is None:
                self.over.wait(0.02)
        client.close()

    def read(self, reader):
        client = Client(self.ports[reader % len(self.ports)], keep=self.keep)
        while not self.over.is_set():
            with self.lock:
                wanted = random.choice(self.recent) if self.recent else None
            if not wanted:
                self.over.wait(0.02)
                continue
            employee, street, number = wanted
            begun = time.monotonic()
            rows, status, response = client.streets(employee)
            with self.lock:
                self.longest = max(self.longest, time.monotonic() - begun)
                if rows is None:
                    self.unread.append((status, short(response)))
                else:
                    self.reads += 1
                    if rows.get(street) != number:
                        self.problems.append(f"acknowledged, and not in the list: {street} {number}")
            if rows is None:
                self.over.wait(0.02)
        client.close()

    def count(self):
        with self.lock:
            return len(self.acknowledged)

    def longest_pause(self, begun, ended):
        """The longest time without any acknowledgement, in seconds."""
        with self.lock:
            times = [begun, *sorted(each for each in self.times if begun <= each <= ended), ended]
        return max(later - earlier for earlier, later in zip(times, times[1:]))

    def first_after(self, moment):
        """Seconds until the first acknowledgement after that moment; None: none yet."""
        with self.lock:
            later = [each for each in self.times if each > moment]
        return min(later) - moment if later else None


def short(response):
    """The fault's text, or the first words of a page or an error, without numbers of incidents."""
    reason = re.search(r"<faultstring[^>]*>([^<]*)<", response)
    text = reason.group(1) if reason else re.sub(r"<[^>]*>|\s+", " ", response)
    return re.sub(r"Incident \w+", "Incident ...", text.strip())[:200]


def check_rows(report, server, load, what):
    """Every acknowledged insert is in the database once, with its id; no other is there twice."""
    text = f"SELECT id, street, city FROM address WHERE street LIKE '{load.label}-%'"
    rows = [line.split("|") for line in server.sql(text).splitlines()]
    found = {}
    for number, street, city in rows:
        found.setdefault(street, []).append((int(number), city))
    lost = [street for street in load.acknowledged if street not in found]
    wrong = [
        street
        for street, number in load.acknowledged.items()
        if street in found and found[street] != [(number, f"{street}-c")]
    ]
    twice = [street for street, ids in found.items() if len(ids) > 1]
    unknown = [s for s in found if s not in load.acknowledged and s not in load.others]
    there = sum(1 for street in load.others if street in found)
    total = len(load.acknowledged)
    report.check(total > 0 and not lost, f"{what}: {total} acknowledged inserts are there", str(lost[:5]))
    report.check(not wrong, f"{what}: each with its id, whole", str(wrong[:5]))
    report.check(not twice, f"{what}: none is there twice", str(twice[:5]))
    report.check(not unknown, f"{what}: no row exists that was not sent", str(unknown[:5]))
    read = load.reads > 0 or load.readers == 0
    report.check(read and not load.problems, f"{what}: {load.reads} readers' lists held it", str(load.problems[:5]))
    report.say(
        f"{what}: {len(load.others)} inserts and {len(load.unread)} reads not answered "
        f"({there} of these inserts are there)"
    )
    return not (lost or wrong or twice or unknown or load.problems)


def reasons(load):
    """The errors of failed calls, with their number."""
    counts = {}
    for status, said in [*load.others.values(), *load.unread]:
        counts[f"{status} {said}"] = counts.get(f"{status} {said}", 0) + 1
    return sorted(counts.items(), key=lambda each: -each[1])
