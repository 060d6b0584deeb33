#!/usr/bin/python3
"""features.py PROGRAM...: does each program of example/features print what its source says?

The end of a source is the comment `// Output:` and the lines that the program prints. Programs run in a
scratch folder with the certificates that example/features/tls.md makes. client_only gets the address of a
service that is not soapsvc's. Every source must be given as a program, except behind_httplib, which is not
built without cpp-httplib; and its guide must name it.
"""

import http.server
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "example/features"
ENVELOPE = '<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body>%s</Body></Envelope>'
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
    """A service of somebody else, for client_only."""

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


def make_certificates(folder):
    """As the guide says, word for word."""
    script = re.search(r"<!-- run: certificates -->\n```sh\n(.*?)^```", (FOLDER / "tls.md").read_text(), re.M | re.S)
    done = subprocess.run(["bash", "-euc", script[1]], cwd=folder, capture_output=True, text=True)
    check("tls.md makes the certificates", done.returncode == 0, done.stderr)


def main():
    programs = {Path(path).name: Path(path).resolve() for path in sys.argv[1:]}
    sources = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.cpp"))}
    missing = set(sources) - set(programs) - {"behind_httplib"}
    check("all programs are built", programs and not missing, f"{missing}")
    guides = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md"))
    unnamed = [name for name in sources if f"({name}.cpp)" not in guides]
    check("a guide links to each program", not unnamed, unnamed)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        make_certificates(folder)
        for name, path in sorted(programs.items()):
            given = [f"http://127.0.0.1:{server.server_port}/hello"] if name == "client_only" else []
            wanted = re.search(r"^// Output:\n((?:// .*\n)+)\Z", sources[name], re.M)
            wanted = re.sub(r"^// ", "", wanted[1], flags=re.M) if wanted else "no `// Output:`"
            try:
                done = subprocess.run([path, *given], cwd=folder, capture_output=True, text=True, timeout=60)
                found, status = done.stdout, done.returncode
            except subprocess.TimeoutExpired as error:
                found, status = f"{error}", -1
            lines = sources[name].count("\n")
            check(f"{name}", found == wanted and status == 0, f"status {status}:\n{found}\nwanted:\n{wanted}\n{done.stderr}")
            check(f"{name} has 30 to 90 lines", 30 <= lines <= 90, lines)
    server.shutdown()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
