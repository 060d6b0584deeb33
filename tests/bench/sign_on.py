#!/usr/bin/python3
"""sign_on.py [CALLS [PAYROLL [OPERATION...]]]: can it be told from the time whether a user exists?

Sends refused sign-ons of each kind to `payroll serve`, interleaved in random order, CALLS (200 by default)
of each, and prints the median time of each kind, how far apart the middle half of its calls lies, and
how far its median is from that of its group's first kind, with the range that 95 of 100 such runs
would give (bootstrap). A proxy's header gives each call an address of its own, so that no answer is held
back. Then the same for a list, without and with a flood of wrong passwords beside it. Takes some minutes;
measures, and passes or fails nothing.
"""

import http.client
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BASE = "https://payroll.example.com/soap/v3/"
GROUPS = {
    "GetToken": {
        "known user, wrong password": ("alice", "wrong", None),
        "unknown user": ("nobody", "wrong", None),
        "disabled user, right password": ("gone", "password", None),
    },
    "GetTokenWithDomain": {
        "known user, wrong password": ("alice", "wrong", "acme"),
        "unknown user": ("nobody", "wrong", "acme"),
        "user of another domain": ("bob", "wrong", "acme"),
        "unknown domain": ("alice", "wrong", "nowhere"),
    },
    "GetToken2": {
        "known user, wrong token": ("alice", "wrong", None),
        "unknown user, wrong token": ("nobody", "wrong", None),
        "known user, token of another": ("alice", "api-token-bob", None),
        "disabled user, right token": ("gone", "GONE", None),
    },
    "Address_GetListCurrent": {
        "known user, wrong token": ("alice", "wrong", "acme"),
        "unknown user, wrong token": ("nobody", "wrong", "acme"),
        "known user, unknown domain": ("alice", "wrong", "nowhere"),
    },
}


def element(name, text):
    return "" if text is None else f"<{name}>{text}</{name}>"


def request_of(operation, user, secret, domain):
    lists = operation == "Address_GetListCurrent"
    service = "EmployeeService" if lists else "SingleSignOn"
    name = "Token" if lists or operation == "GetToken2" else "Password"
    who = element("Username", user) + element(name, secret) + element("Domain", domain)
    header = f'<AuthHeaderWithDomain xmlns="{BASE}{service}">{who}</AuthHeaderWithDomain>' if lists else ""
    inner = "<EmployeeId>1</EmployeeId>" if lists else who
    body = (
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">'
        f'<s:Header>{header}</s:Header><s:Body><{operation} xmlns="{BASE}{service}">{inner}</{operation}>'
        "</s:Body></s:Envelope>"
    )
    return f"/soap/v3/{service}.asmx", body


def send(connection, request, number):
    """Seconds, and the status."""
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    headers = {"Content-Type": "text/xml", "X-Forwarded-For": address}
    begun = time.perf_counter()
    connection.request("POST", *request, headers)
    response = connection.getresponse()
    body = response.read()
    return time.perf_counter() - begun, response.status, body


def distance(first, other):
    """Of the medians, with the range of 95 in 100."""
    drawn = sorted(
        statistics.median(random.choices(other, k=len(other))) - statistics.median(random.choices(first, k=len(first)))
        for _ in range(1000)
    )
    return statistics.median(other) - statistics.median(first), drawn[25], drawn[974]


def show(name, times, first):
    quarter = statistics.quantiles(times, n=4)
    line = f"  {name:32} {statistics.median(times) * 1e3:9.3f} ms, middle half {(quarter[2] - quarter[0]) * 1e3:8.3f} ms"
    if first is not times:
        apart, low, high = distance(first, times)
        line += f", {apart * 1e3:+8.3f} ms ({low * 1e3:+.3f} to {high * 1e3:+.3f})"
    print(line, flush=True)


def measure(port, operation, kinds, calls, secret_of_gone):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    requests = {
        name: request_of(operation, user, secret_of_gone if secret == "GONE" else secret, domain)
        for name, (user, secret, domain) in kinds.items()
    }
    times = {name: [] for name in kinds}
    said = set()
    for number in range(calls + 5):
        order = list(kinds)
        random.shuffle(order)
        for place, name in enumerate(order):
            seconds, status, response = send(connection, requests[name], number * 8 + place)
            said.add((status, response))
            if number >= 5:  # the first ones warm caches
                times[name].append(seconds)
    print(f"{operation}: {calls} calls each; {'all say the same' if len(said) == 1 else f'{len(said)} REPLIES'}")
    first = next(iter(times.values()))
    for name, each in times.items():
        show(name, each, first)


def measure_lists(port, calls):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    good = request_of("Address_GetListCurrent", None, None, "acme")
    wrong = request_of("GetToken", "alice", "wrong", None)
    over = threading.Event()

    def flood():
        attacker = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while not over.is_set():
            send(attacker, wrong, 1)

    quiet = [send(connection, good, 2)[0] for _ in range(calls)]
    attackers = [threading.Thread(target=flood) for _ in range(16)]
    for attacker in attackers:
        attacker.start()
    time.sleep(1)
    loud = [send(connection, good, 2)[0] for _ in range(calls)]
    over.set()
    for attacker in attackers:
        attacker.join()
    print("Address_GetListCurrent that succeeds:")
    show("alone", quiet, quiet)
    show("beside 16 with wrong passwords", loud, quiet)


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    payroll = str(Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else ROOT / "build/example/payroll")
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder, "payroll.db"))
        server = subprocess.Popen(
            [payroll, "serve", "--demo", "--db", database, "--port", "0", "--log-level", "off"]
            + ["--auth", "domain", "--trusted-proxy", "127.0.0.1"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            port = int(re.search(r":(\d+)\n", server.stdout.readline()).group(1))
            operator = [payroll, "user", "add", "acme", "gone", "--db", database]
            made = subprocess.run(operator, input="password\n", capture_output=True, text=True, check=True)
            subprocess.run([payroll, "user", "disable", "acme", "gone", "--db", database], check=True, capture_output=True)
            secret_of_gone = re.search(r"[\w-]{43}", made.stdout).group(0)
            for operation in sys.argv[3:] or GROUPS:
                kinds = GROUPS[operation]
                more = 1 if "Password" in request_of(operation, "", "", None)[1] else 5
                measure(port, operation, kinds, calls * more, secret_of_gone)
            measure_lists(port, calls)
        finally:
            server.terminate()
            server.wait(timeout=30)
    return 0


sys.exit(main())
