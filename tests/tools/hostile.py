#!/usr/bin/python3
"""Does `payroll serve` serve other clients during attacks?

For each flood a server of its own is started with demo data, then the hostile peers: 8 processes of a
flood that burns processor time, 64 connections of another kind, which open again what is closed. Beside
them ordinary clients, on 127.0.0.1, list addresses: over new connections and kept-alive ones, in one
packet and in two. None of their calls may fail, and SIGTERM, sent while the flood goes on, must end the
server within its stop timeout, with status 0. The times of calls are printed beside a control run: as many
busy processes, or none. They are not checked. Peers come from 127.0.1.x; a greedy peer comes from 127.0.0.2,
so that it has an address of its own. The streams are those of tests/tools/hostile_streams.cpp; they must not
take more than 128 MB. At the end large messages come one after another, and must leave no more than 400 MB
behind.

Builds what it needs in build, which must be configured.
"""

import argparse
import gzip
import math
import multiprocessing
import os
import random
import re
import resource
import select
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
BASE = "https://payroll.example.com/soap/v3/"
ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
BURNING, OTHERS = 8, 64
STOP_TIMEOUT = 3
passed = failed = 0


def report(name, problem):
    global passed, failed
    passed += 0 if problem else 1
    failed += 1 if problem else 0
    print(f"FAIL {name}: {str(problem)[:1500]}" if problem else f"ok   {name}", flush=True)


# --- Messages ---------------------------------------------------------------------------------------


def head(service="EmployeeService", *fields):
    lines = [f"POST /soap/v3/{service}.asmx HTTP/1.1", "Host: 127.0.0.1", "Content-Type: text/xml", *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def envelope(service, operation, inner, more=""):
    known = f'<AuthHeaderWithDomain xmlns="{BASE}{service}"><Domain>acme</Domain></AuthHeaderWithDomain>'
    header = (known if service != "SingleSignOn" else "") + more
    payload = f'<{operation} xmlns="{BASE}{service}">{inner}</{operation}>'
    text = f'<s:Envelope xmlns:s="{ENVELOPE}"><s:Header>{header}</s:Header><s:Body>{payload}</s:Body></s:Envelope>'
    return text.encode()


def request(body, service="EmployeeService", *fields):
    return head(service, f"Content-Length: {len(body)}", *fields) + body


def packed(body, service="EmployeeService", missing=0):
    """Of which the last bytes never come, if some are missing."""
    body = gzip.compress(body, 9, mtime=0)
    return head(service, f"Content-Length: {len(body) + missing}", "Content-Encoding: gzip") + body


def list_of(employee, more=""):
    return envelope("EmployeeService", "Address_GetListCurrent", f"<EmployeeId>{employee}</EmployeeId>", more)


def big_list():
    """15 MB that a reader must go through, in 20 KB."""
    return list_of(1, '<x:Other xmlns:x="urn:x">' + '<x:a b="                   "/>' * 450_000 + "</x:Other>")


def wrong_password():
    inner = "<Username>nobody</Username><Password>wrong</Password>"
    return request(envelope("SingleSignOn", "GetToken", inner), "SingleSignOn")


CHUNKED = head("EmployeeService", "Transfer-Encoding: chunked")
LONG = head("EmployeeService", "Content-Length: 16000000")

# Name of a flood: the bytes sent once on each connection, and the bytes sent without end.
REPEATED = {
    "one-byte-chunks": lambda: (CHUNKED, b"1\r\n \r\n" * 5_000),
    "chunk-lines": lambda: (CHUNKED, b"0" * 15 + b"1\r\n \r\n"),
    "chunk-extensions": lambda: (CHUNKED, b"1;" + b"x" * 15_000 + b"\r\n \r\n"),
    "header-fields": lambda: (b"", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"a: b\r\n" * 98 + b"\r\n"),
    "pipelined": lambda: (b"", request(list_of(100)) * 20),
    "gzip-bombs": lambda: (b"", packed(b" " * 17_000_000)),
    "packed-envelopes": lambda: (b"", packed(big_list())),
    "wrong-passwords": lambda: (b"", wrong_password()),
    "one-byte-packets": lambda: (LONG, b" " * 65_536),
}
# The ones that tests/tools/hostile.cpp knows by name, over TLS.
OVER_TLS = {
    "key-updates": "key-updates",
    "key-updates-asked": "key-updates-asked",
    "one-byte-records": "records",
    "handshake-restarts": "greetings",
}


class Peers:
    """So many connections of one kind, in a process that sleeps nearly always."""

    count = OTHERS
    tls = False  # the server speaks it ...
    encrypts = False  # ... and so do they, to the end of the handshake and beyond
    reopened = 100  # of those that were closed, in a turn

    def address(self, number):
        return f"127.0.1.{1 + number % 250}"

    def prepare(self, connection, number):
        """Before it is connected."""

    def begin(self, number):
        """The bytes to send at once."""
        return b""

    def go_on(self, number):
        """The bytes to send each turn, four times a second."""
        return b""

    def read(self, connection, number):
        """The number of bytes to read each turn."""


class HalfHandshakes(Peers):
    tls = True

    def begin(self, number):
        outgoing = ssl.MemoryBIO()
        greeting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        greeting.check_hostname = False
        try:
            greeting.wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
        except ssl.SSLWantReadError:
            pass
        whole = outgoing.read()
        return whole if number % 2 else whole[: len(whole) // 2]


class SlowReaders(Peers):
    """Half of them never read, the others just enough for the server to write on."""

    def prepare(self, connection, number):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)

    def begin(self, number):
        return request(list_of(100)) * 200

    def read(self, connection, number):
        if number % 2 and random.random() < 0.25:
            connection.recv(4_096)


class SlowWriters(Peers):
    """A byte a turn, of the header, of the body, of a chunked one."""

    def begin(self, number):
        return (b"POST /soap/v3/EmployeeService.asmx HTTP/1.1\r\nHost: 127.0.0.1\r\nx: ", LONG, CHUNKED)[number % 3]

    def go_on(self, number):
        return (b"x", b" ", b"1\r\n \r\n")[number % 3]


class GreedyByConnections(Peers):
    count = 20_000

    def address(self, number):
        return "127.0.0.2"


class GreedyByBytes(Peers):
    count = 416
    reopened = 4

    def address(self, number):
        return "127.0.0.2"

    def begin(self, number):
        return LONG + b" " * 640_000

    def go_on(self, number):
        return b" "


def upload(operation, element="Bytes"):
    """The beginning of a message whose stream goes on for ever, in chunks."""
    end = f"</{operation}>".encode()
    text = envelope("Vault", operation, f"<{element}>")
    return head("Vault", "Transfer-Encoding: chunked") + chunk(text[: text.index(end)])


def chunk(text):
    return f"{len(text):x}\r\n".encode() + text + b"\r\n"


def large_block():
    """A header block of 3 MB, in 70 KB when packed, which takes over 60 MB to read."""
    noise = random.Random(1).randbytes(60_000).hex()
    return f'<x:Other xmlns:x="urn:x"><x:a>{noise}</x:a>' + "<x:b/>" * 480_000 + "</x:Other>"


def unfinished():
    """A message whose operation stands behind the bytes that tell whether a request streams."""
    return packed(envelope("Vault", "Put", "", large_block()), "Vault", 100)


def download(operation, size):
    return request(envelope("Vault", operation, f"<Size>{size}</Size>"), "Vault")


class Streams(Peers):
    """Streams that stop, crawl, break off, are not taken, not asked for, given up and lost."""

    text = chunk(b"QUJD" * 64_000)
    items = chunk(b"x</Item><Item>" * 16_000)
    beginning = unfinished()
    # The bytes sent at first and in each turn, how many are read in each, and the number of turns.
    kinds = [
        (lambda: upload("Put"), b"1\r\nQ\r\n", 0, None),
        (lambda: upload("Put") + Streams.text, b"", 0, None),
        (lambda: upload("Put"), text * 4, 0, 3),
        (lambda: upload("PutItems", "Item"), items, 0, 5),
        (lambda: upload("PutItems", "Item") + chunk(b"x" * 1_000_000), b"", 0, None),
        (lambda: upload("Ignore"), text, 4_096, None),
        (lambda: upload("Drop"), text, 0, None),
        (lambda: download("Get", 10**10), b"", 0, None),
        (lambda: download("Get", 10**10), b"", 4_096, None),
        (lambda: download("Get", 10**10), b"", 1_000_000, 4),
        (lambda: download("Lose", 10**6), b"", 4_000_000, None),
        (lambda: Streams.beginning, b"", 0, 2),
    ]

    def __init__(self):
        self.turns = {}

    def prepare(self, connection, number):
        self.turns[number] = 0
        if number % 2:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)

    def kind(self, number):
        return self.kinds[number % len(self.kinds)]

    def begin(self, number):
        return self.kind(number)[0]()

    def go_on(self, number):
        return self.kind(number)[1]

    def read(self, connection, number):
        _, _, size, turns = self.kind(number)
        self.turns[number] += 1
        if self.turns[number] == turns:
            raise ConnectionAbortedError("enough")
        while size > 0:
            got = len(connection.recv(size))
            if got == 0:
                raise ConnectionAbortedError("the server ended it")
            size -= got


class StreamsOverTls(Streams):
    tls = encrypts = True


# The peer of tests/tools/hostile.cpp for each flood that burns, where it is not "repeat".
PEERS = {**OVER_TLS, "one-byte-packets": "drip", "visits": "visits"}
SLOW = {
    "half-handshakes": HalfHandshakes,
    "slow-readers": SlowReaders,
    "slow-writers": SlowWriters,
    "greedy-connections": GreedyByConnections,
    "greedy-bytes": GreedyByBytes,
    "streams": Streams,
    "streams-tls": StreamsOverTls,
}
FLOODS = [*OVER_TLS, *REPEATED, "visits", *SLOW]
SHORT = ["key-updates", "one-byte-packets", "visits", "slow-readers", "slow-writers", "greedy-bytes", "streams"]


WOULD_BLOCK = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


def encrypted(connection):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(connection)


def connect(peers, number, port):
    connection = socket.socket()
    connection.setsockopt(socket.SOL_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT: the port is chosen by connect
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.settimeout(2)
    try:
        peers.prepare(connection, number)
        connection.bind((peers.address(number), 0))
        connection.connect(("127.0.0.1", port))
        connection = encrypted(connection) if peers.encrypts else connection
        connection.setblocking(False)
        return connection, peers.begin(number)
    except OSError:
        connection.close()
        return None, b""


def take_turn(peers, number, connection, left):
    """The rest to send; throws OSError when the connection is over."""
    try:
        left = left or peers.go_on(number)
        while left:
            left = left[connection.send(left) :]
    except WOULD_BLOCK:
        pass
    try:
        peers.read(connection, number)
    except WOULD_BLOCK:
        pass
    return left


def keep_open(peers, first, count, port, pipe):
    """The process of slow peers, until it is ended. Says when all are open, and how many when it is asked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    connections, left, opened = {}, {}, 0
    for turn in range(1_000_000):
        closed = [number for number in range(first, first + count) if number not in connections]
        for number in closed[: count if turn == 0 else peers.reopened]:
            connections[number], left[number] = connect(peers, number, port)
            opened += connections[number] is not None
            if connections[number] is None:
                del connections[number]
        watcher = select.poll()
        numbers = {}
        for number, connection in list(connections.items()):
            try:
                left[number] = take_turn(peers, number, connection, left[number])
                watcher.register(connection, select.POLLRDHUP)
                numbers[connection.fileno()] = number
            except OSError:
                connections.pop(number).close()
        for descriptor, _ in watcher.poll(0):
            connections.pop(numbers[descriptor]).close()
        if turn == 4:
            pipe.send("ready")
        if pipe.poll(0.25):
            pipe.send(f"{opened} opened, {len(connections)} open" if pipe.recv() else "")


class Flood:
    """The running peers of one flood."""

    def __init__(self, name, tool, server, folder):
        self.programs, self.slow = [], []
        if name in SLOW:
            self.begin_slow(SLOW[name](), server.port)
        else:
            what, files = PEERS.get(name, "repeat"), files_of(name, folder)
            for each in range(BURNING):
                words = [what, f"127.0.1.{each + 1}", str(server.port), *files]
                self.programs.append(program(tool, words))
        for each in self.programs:
            each.stdout.readline()
        for _, pipe in self.slow:
            if not pipe.poll(60):
                sys.exit(f"{name}: the connections are not there after a minute")
            pipe.recv()

    def begin_slow(self, peers, port):
        room = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200
        parts = math.ceil(peers.count / room)
        for part in range(parts):
            here, there = multiprocessing.Pipe()
            first, end = (peers.count * at // parts for at in (part, part + 1))
            process = multiprocessing.Process(
                target=keep_open, args=(peers, first, end - first, port, there), daemon=True
            )
            process.start()
            self.slow.append((process, here))

    def say(self):
        """The open connections of slow peers."""
        said = []
        for _, pipe in self.slow:
            pipe.send("say")
            said.append(pipe.recv() if pipe.poll(30) else "nothing")
        return ", ".join(said)

    def end(self):
        """Ends the peers; returns the number of turns of each of those that burn."""
        said = [ended(each) for each in self.programs]
        for process, _ in self.slow:
            process.terminate()
            process.join()
        return said


def files_of(name, folder):
    if name not in REPEATED:
        return []
    files = [folder / f"{name}.head", folder / f"{name}.piece"]
    for file, text in zip(files, REPEATED[name]()):
        file.write_bytes(text)
    return [str(file) for file in files]


def program(tool, words):
    return subprocess.Popen([tool, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)


def ended(each):
    """How often the peer acted; below 0 if it ended badly."""
    each.terminate()
    try:
        said = each.communicate(timeout=30)[0].split()
    except subprocess.TimeoutExpired:
        each.kill()
        said = each.communicate()[0].split()
    return int(said[-1]) if each.returncode == 0 and said else -abs(each.returncode) - 1


# --- The server, its ordinary clients, and one run --------------------------------------------------


class Server:
    def __init__(self, payroll, folder, tls, options):
        self.log = folder / "err"
        files = ["--certificate", str(folder / "cert.pem"), "--key", str(folder / "key.pem")] if tls else []
        command = [payroll, "serve", "--demo", "--port", "0", "--stop-timeout", str(STOP_TIMEOUT), *files, *options]
        with open(folder / "out", "wb") as out, open(self.log, "wb") as err:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        for _ in range(600):
            match = re.search(r"listening on https?://127\.0\.0\.1:(\d+)\n", (folder / "out").read_text())
            if match:
                self.port = int(match.group(1))
                return
            time.sleep(0.05)
        self.process.kill()
        sys.exit("no ready line: " + self.log.read_text())

    def figures(self):
        """Seconds of processor time so far, peak memory in MB, lines in the log."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return seconds, int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) // 1024, self.log.read_bytes().count(b"\n")

    def stop(self):
        """The time of its end, and its errors."""
        begun = now = time.monotonic()
        stalled = 0  # how long the machine did not run this process, which only sleeps
        self.process.terminate()
        while (status := self.process.poll()) is None and now < begun + STOP_TIMEOUT + 30:
            time.sleep(0.02)
            before, now = now, time.monotonic()
            stalled += max(0, now - before - 0.1)
        if status is None:
            self.process.kill()
            self.process.wait()
            return time.monotonic() - begun, "it had to be killed"
        took = time.monotonic() - begun
        said = self.log.read_text(errors="replace")
        found = re.search(r"(ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:).*", said)
        if found:
            return took, said[found.start() :]
        if status:
            return took, f"it ended with {status}: {said[-1000:]}"
        # The second and a half is for a machine that is busy with the flood.
        late = f"it took {took:.1f} s, and the machine stalled for {stalled:.1f} s"
        return took, late if took > STOP_TIMEOUT + 1.5 + stalled else None


class Calls:
    """The results of ordinary clients."""

    def __init__(self, tool, port, seconds, tls):
        words = ["call", "127.0.0.1", str(port), str(seconds), "tls" if tls else "plain"]
        said = program(tool, words).communicate(timeout=seconds + 120)[0].split(maxsplit=5)
        self.made, self.failed = int(said[0]), int(said[1])
        self.half, self.p99, self.longest = (float(text) for text in said[2:5])
        self.first = said[5].strip() if len(said) > 5 else ""


def is_tls(name):
    return name in OVER_TLS or (name in SLOW and SLOW[name].tls)


def is_of_streams(name):
    return name in SLOW and issubclass(SLOW[name], Streams)


class Run:
    """The tool, the server's program, and where their files are."""

    def __init__(self, options, folder):
        self.payroll, self.seconds, self.options = str(options.payroll), options.seconds, options.serve
        self.tool, self.folder = str(BUILD / "tests/hostile"), folder
        self.streams = str(options.streams)
        self.controls, self.rows = {}, []

    def control(self, tls, burning):
        """Calls beside as many processes that only burn, made once for each kind."""
        if (tls, burning) not in self.controls:
            server = Server(self.payroll, self.folder, tls, self.options)
            burners = [program(self.tool, ["burn"]) for _ in range(BURNING if burning else 0)]
            calls = Calls(self.tool, server.port, self.seconds, tls)
            for burner in burners:
                ended(burner)
            problem = server.stop()[1] or calls.first
            beside = f"{'TLS' if tls else 'plain'}, beside {len(burners)} that burn"
            report(f"control: {calls.made} calls, {beside}", problem)
            self.controls[tls, burning] = calls
        return self.controls[tls, burning]

    def program(self, name):
        return self.streams if is_of_streams(name) else self.payroll

    def flood(self, name):
        control = self.control(is_tls(name), name not in SLOW)
        server = Server(self.program(name), self.folder, is_tls(name), self.options)
        try:
            peers = Flood(name, self.tool, server, self.folder)
            calls = Calls(self.tool, server.port, self.seconds, is_tls(name))
            did = peers.say()
            figures = server.figures() if server.process.poll() is None else (0, 0, 0)
            took, problem = server.stop()
            counts = peers.end()
        finally:
            server.process.kill()
        first = f"{calls.failed} of {calls.made} failed; the first: {calls.first}" if calls.failed or not calls.made else None
        report(f"{name}: all {calls.made} calls of ordinary clients are answered", first)
        report(f"{name}: SIGTERM ends the server in {took:.1f} s", problem)
        if is_of_streams(name) and self.streams == str(BUILD / "tests/hostile_streams"):
            size = figures[1]
            report(f"{name}: {size} MB are held at most", None if 0 < size <= 128 else "allowed are 128")
        if not counts:
            report(f"{name}: the peers are connected ({did})", None if re.search(r"\b[1-9]\d* opened|nothing", did) else "none is")
        else:
            report(f"{name}: each peer does its worst", None if min(counts) > 0 else f"what they did: {counts}")
            did = f"{sum(counts)} times"
        self.rows.append((name, calls, control, figures, took, did))

    def row_of_large(self):
        """Large requests, one after another, and the memory that is left of them."""
        server = Server(self.payroll, self.folder, False, self.options)
        text = packed(list_of(1, large_block()))
        statuses = set()
        try:
            for _ in range(24):
                with socket.create_connection(("127.0.0.1", server.port), 60) as connection:
                    connection.sendall(text)
                    statuses.add(connection.recv(12))
            for _ in range(50):  # the last response comes before its request's memory is freed
                status = Path(f"/proc/{server.process.pid}/status").read_text()
                left = int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) // 1024
                if left <= 400:
                    break
                time.sleep(0.1)
            problem = server.stop()[1]
        finally:
            server.process.kill()
        report("large messages are answered", problem or (None if statuses == {b"HTTP/1.1 200"} else statuses))
        if self.payroll == str(BUILD / "example/payroll"):
            report(f"{left} MB are left of large messages", None if left <= 400 else "allowed are 400")

    def table(self):
        print(f"Beside {BURNING} that burn or {OTHERS} others; milliseconds, and the control's in brackets.")
        columns = "flood | calls | failed | half | p99 | longest | processor s | MB | log lines | stop s | peers did"
        print(f"| {columns} |\n|---|" + "---:|" * 9 + "---|")
        for name, calls, control, (seconds, size, lines), took, did in self.rows:
            pairs = ((calls.half, control.half), (calls.p99, control.p99), (calls.longest, control.longest))
            times = " | ".join(f"{one:.1f} ({other:.1f})" for one, other in pairs)
            print(
                f"| {name} | {calls.made} | {calls.failed} | {times} | {seconds:.1f} | {size} | {lines}"
                f" | {took:.1f} | {did} |"
            )


def make_certificate(folder):
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split()
    files = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run(command + files, check=True, capture_output=True)


def raise_descriptor_limit():
    """To more than payroll's bound on connections, where that is allowed; children inherit it."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(hard, 65_536), max(hard, 65_536)))
    except (ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flood", nargs="*", help=f"default: all, which are {', '.join(FLOODS)}", default=FLOODS)
    parser.add_argument("--seconds", type=float, default=4, help="of calls beside each flood (default: 4)")
    parser.add_argument("--short", action="store_true", help=f"{', '.join(SHORT)}, for a second each")
    payroll = BUILD / "example/payroll"
    parser.add_argument("--payroll", type=Path, default=payroll, help="(default: build/example/payroll)")
    streams = BUILD / "tests/hostile_streams"
    parser.add_argument("--streams", type=Path, default=streams, help="(default: build/tests/hostile_streams)")
    parser.add_argument("--serve", nargs="+", default=[], metavar="WORD", help="more options of `payroll serve`")
    options = parser.parse_args()
    if options.short:
        options.flood, options.seconds = SHORT, 1
    unknown = [name for name in options.flood if name not in FLOODS]
    if unknown:
        parser.error(f"no such flood: {', '.join(unknown)}")
    options.payroll, options.streams = options.payroll.resolve(), options.streams.resolve()
    return options


def main():
    options = arguments()
    own = ["example/payroll"] if options.payroll == BUILD / "example/payroll" else []
    own += ["tests/hostile_streams"] if options.streams == BUILD / "tests/hostile_streams" else []
    # One at a time in a build folder: see build, in tests/tools/common.sh.
    command = ["flock", BUILD / ".lock", "ninja", "-C", BUILD, "tests/hostile", *own]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"{BUILD} cannot be built: {made.stdout[-2000:]}{made.stderr[-500:]}")
    raise_descriptor_limit()
    with tempfile.TemporaryDirectory() as folder:
        make_certificate(Path(folder))
        run = Run(options, Path(folder))
        for name in options.flood:
            run.flood(name)
        run.row_of_large()
    run.table()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
