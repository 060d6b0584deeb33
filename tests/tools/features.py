#!/usr/bin/python3
"""features.py [--install] [PROGRAM...]: does each program of example/features print the output in its source?

The end of a source is the comment `// Output:` and the lines that the program prints. Programs run in a
scratch folder with the certificates that example/features/tls.md makes. client_only gets the address of a
service that is not soapsvc's. production is driven as systemd, a proxy and an operator do; and through nginx
and HAProxy with the configuration of production.md, where they are installed. Every source must be given as a
program, except behind_httplib, which is not built without cpp-httplib; and a guide must name it.
With --install, nginx and HAProxy are installed first, and it is a failure if one is missing. Without PROGRAM,
those of build/ are taken.
"""

import http.client
import http.server
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from free_port import free_port

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "example/features"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
ENVELOPE = f'<Envelope xmlns="{SOAP}"><Body>%s</Body></Envelope>'
GREETED = '<GreetResponse xmlns="urn:hello"><GreetResult>Hello, %s!</GreetResult></GreetResponse>'
REFUSED = (
    '<f:Fault xmlns:f="http://schemas.xmlsoap.org/soap/envelope/"><faultcode>f:Client</faultcode><faultstring>a name '
    'is needed</faultstring><detail><Error xmlns="urn:hello"><Code>17</Code></Error></detail></f:Fault>'
)

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(f"ok   {name}" if good else f"FAIL {name}\n{found}", flush=True)


class Service(http.server.BaseHTTPRequestHandler):
    """A service of another toolkit, for client_only."""

    def do_POST(self):
        request = self.rfile.read(int(self.headers["Content-Length"])).decode()
        name = re.search(r"<Name>(\w*)</Name>", request)
        body = (ENVELOPE % (GREETED % name[1] if name and name[1] else REFUSED)).encode()
        self.send_response(200 if name and name[1] else 500)
        self.send_header("Content-Type", "text/xml; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def ask(port, path, body=None, headers=(), tls=False, caller="127.0.0.1"):
    """Status and body of a response; 0 when there is none."""
    context = ssl._create_unverified_context() if tls else None
    make = http.client.HTTPSConnection if tls else http.client.HTTPConnection
    more = {"context": context} if tls else {}
    connection = make("127.0.0.1", port, timeout=30, source_address=(caller, 0), **more)
    fields = {"Host": "orders.example.com", **dict(headers)}
    if body is not None:
        fields["Content-Type"] = "text/xml; charset=utf-8"
    try:
        connection.request("GET" if body is None else "POST", path, body, fields)
        response = connection.getresponse()
        return response.status, response.read().decode()
    except OSError as error:
        return 0, str(error)
    finally:
        connection.close()


def order(article, session=""):
    header = f'<h:Header xmlns:h="{SOAP}"><Session xmlns="urn:orders"><Id>{session}</Id></Session></h:Header>'
    content = f'<Place xmlns="urn:orders"><Article>{article}</Article></Place>'
    return f'<Envelope xmlns="{SOAP}">{header if session else ""}<Body>{content}</Body></Envelope>'.encode()


def wait_for(what):
    for _ in range(200):
        if what():
            return True
        time.sleep(0.05)
    return False


ORDERS = "/soap/v3/Orders.asmx"
SPOOFED = {"X-Forwarded-For": "6.6.6.6", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher"}


class Production:
    """The program, with a service manager."""

    def __init__(self, path, folder):
        self.port, self.operators = free_port(), free_port()
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(f"{folder}/notify")
        self.manager.settimeout(30)
        self.log = open(f"{folder}/production.log", "w+")
        environment = {**os.environ, "NOTIFY_SOCKET": f"{folder}/notify"}
        command = [path, str(self.port), str(self.operators)]
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=self.log)

    def told(self):
        return self.manager.recv(100).decode()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        draining = 200
        while draining == 200:
            draining = ask(self.port, "/readyz")[0]
        told = self.told()
        status = self.process.wait(timeout=30)
        self.log.seek(0)
        return told, draining, status, self.log.read()


def check_operated(at):
    """Checks the program as systemd, a proxy and an operator use it."""
    check("production: READY=1", at.told() == "READY=1")
    status, body = ask(at.port, ORDERS, order("tea", "s-1"), {"X-Forwarded-For": "6.6.6.6, 192.0.2.7"})
    check("production: the caller that the proxy names, and the header block", "3 letters for 192.0.2.7 in session s-1" in body, body)
    pages = [ask(at.port, page)[0] for page in ("/healthz", "/readyz", "/metrics")]
    check("production: pages for everyone", pages == [200, 200, 404], pages)
    check("production: pages for operators", "orders_calls_total 2\n" in ask(at.operators, "/metrics")[1])
    check("production: no services for operators", ask(at.operators, ORDERS, order("tea"))[0] == 404)
    at.process.send_signal(signal.SIGHUP)
    check("production: it serves on after SIGHUP", ask(at.port, ORDERS, order("tea"))[0] == 200)


def check_proxy(name, command, config, at, folder):
    """Calls through a proxy with TLS, from 127.0.0.5 with a forged address."""
    port = free_port()
    text = config.replace("127.0.0.1:8443", f"127.0.0.1:{port}").replace("127.0.0.1:8081", f"127.0.0.1:{at.port}")
    (folder / f"{name}.conf").write_text(text.replace("server.pem", f"{folder}/server.pem"))
    proxy = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=open(folder / f"{name}.log", "w"))
    try:
        good = wait_for(lambda: ask(port, ORDERS, order("tea"), tls=True)[0] == 200)
        check(f"{name} serves", good, (folder / f"{name}.log").read_text())
        body = ask(port, ORDERS, order("tea"), SPOOFED, tls=True, caller="127.0.0.5")[1]
        check(f"{name} names the caller", "for 127.0.0.5 in" in body, body)
        wsdl = ask(port, f"{ORDERS}?wsdl", None, SPOOFED, tls=True)[1]
        check(f"{name} keeps the address", f'"https://orders.example.com{ORDERS}"' in wsdl, wsdl[-400:])
        pages = [ask(port, page, tls=True)[0] for page in ("/healthz", "/readyz", "/metrics")]
        check(f"{name} keeps the operators' pages", pages == [404] * 3, pages)
        status, body = ask(port, ORDERS, order("x" * 10_000_000), tls=True)
        check(f"{name} passes 10 MB", status == 200, f"{status} {body}")
        status = ask(port, ORDERS, order("x" * 17_000_000), tls=True)[0]
        check(f"... and 17 MB are refused", status in (413, 0), status)
    finally:
        proxy.terminate()
        proxy.wait(timeout=30)


def check_proxies(at, folder, must):
    nginx, haproxy = (shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") for name in ("nginx", "haproxy"))
    if must or nginx:
        user = "user root; " if os.geteuid() == 0 else ""  # who else could write to the scratch folder
        around = user + "pid {0}/nginx.pid; error_log stderr; events {{}} http {{ access_log off;\n{1}}}"
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config = around.format(folder, temporary + (FOLDER / "production.nginx.conf").read_text())
        command = [nginx or "nginx", "-e", "stderr", "-g", "daemon off;", "-c", f"{folder}/nginx.conf"]
        check_proxy("nginx", command, config, at, folder)
    if must or haproxy:
        config = (FOLDER / "production.haproxy.cfg").read_text()
        check_proxy("haproxy", [haproxy or "haproxy", "-db", "-f", f"{folder}/haproxy.conf"], config, at, folder)


def check_unit(path, folder):
    """As tests/tools/installed checks that of payroll; that script has systemd installed."""
    if shutil.which("systemd-analyze"):
        text = (FOLDER / "production.service").read_text().replace("/usr/local/bin/production", str(path))
        (folder / "production.service").write_text(text)
        command = ["systemd-analyze", "verify", "--man=no", folder / "production.service"]
        done = subprocess.run(command, capture_output=True, text=True)
        check("production.service is a unit", done.returncode == 0 and not done.stderr, done.stderr)


def check_production(path, folder, must):
    check_unit(path, folder)
    at = Production(path, folder)
    try:
        check_operated(at)
        check_proxies(at, folder, must)
        told, draining, status, log = at.stop()
        check("production: STOPPING=1, and /readyz says so before it ends", (told, draining, status) == ("STOPPING=1", 503, 0))
        check("production: a line for each call and each refusal", log.startswith("Place 200\n 404\n"), log[:300])
    finally:
        at.process.kill()
        at.process.wait()


def make_certificates(folder):
    """Runs the commands of the guide unchanged."""
    script = re.search(r"<!-- run: certificates -->\n```sh\n(.*?)^```", (FOLDER / "tls.md").read_text(), re.M | re.S)
    done = subprocess.run(["bash", "-euc", script[1]], cwd=folder, capture_output=True, text=True)
    check("tls.md makes the certificates", done.returncode == 0, done.stderr)


def install_proxies():
    script = ". tests/tools/common.sh; progress_name=features; install_missing haproxy:/usr/sbin/haproxy nginx-light:/usr/sbin/nginx"
    subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, check=True, stdout=sys.stderr)


def check_program(name, path, source, folder, address):
    wanted = re.search(r"^// Output:\n((?:// .*\n)+)\Z", source, re.M)
    wanted = re.sub(r"^// ", "", wanted[1], flags=re.M) if wanted else "no `// Output:`"
    try:
        given = [path, address] if name == "client_only" else [path]
        done = subprocess.run(given, cwd=folder, capture_output=True, text=True, timeout=60)
        found = f"status {done.returncode}: {done.stderr}" if done.returncode else done.stdout
    except subprocess.TimeoutExpired as error:
        found = str(error)
    check(name, found == wanted, f"{found}\nwanted:\n{wanted}")


def main():
    must = "--install" in sys.argv[1:2]
    if must:
        install_proxies()
    sources = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.cpp"))}
    given = sys.argv[1 + must :] or filter(os.path.exists, (ROOT / "build/example/features" / name for name in sources))
    programs = {Path(path).name: Path(path).resolve() for path in given}
    missing = set(sources) - set(programs) - {"behind_httplib"}
    check("all programs are built", programs and not missing, f"{missing}")
    long = {name: source.count("\n") for name, source in sources.items() if source.count("\n") > 90}
    check("no program is longer than 90 lines, and production not than 130", set(long) <= {"production"} and max(long.values(), default=0) <= 130, long)
    guides = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md"))
    unnamed = [name for name in sources if f"({name}.cpp)" not in guides]
    check("a guide links to each program", not unnamed, unnamed)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        make_certificates(folder)
        for name, path in sorted(programs.items()):
            if name == "production":
                check_production(path, folder, must)
            else:
                check_program(name, path, sources[name], folder, f"http://127.0.0.1:{server.server_port}/hello")
    server.shutdown()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
