#!/usr/bin/python3
"""cgi_program.py: example/hello/cgi.cpp, driven as a web server drives a CGI program (RFC 3875).

First by hand, with an environment and standard input, wrong ones as well; then behind the CGI server
of Python's standard library. $CGI names the program.
"""

import http.client
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from http.server import CGIHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(os.environ.get("CGI", ROOT / "build/example/cgi"))
SERVICE = "http://example.com/Hello"
SOAP11 = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP12 = "http://www.w3.org/2003/05/soap-envelope"

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    if good:
        passed += 1
        print(f"ok   {name}", flush=True)
    else:
        failed += 1
        print(f"FAIL {name}\n     {found}", flush=True)


def envelope(name="Ada", soap=SOAP11):
    greet = f'<Greet xmlns="{SERVICE}"><Name>{name}</Name></Greet>'
    return f'<Envelope xmlns="{soap}"><Body>{greet}</Body></Envelope>'.encode()


class Response:
    def __init__(self, out, err):
        head, _, self.body = out.partition(b"\r\n\r\n")
        lines = head.decode("ascii").split("\r\n")
        self.fields = dict(line.split(": ", 1) for line in lines)
        self.status = int(self.fields["Status"].split()[0])
        self.log = err.decode()
        self.all = (out + err).decode("utf-8", "replace")

    def holds(self, text):
        return text.encode() in self.body


def run(body=b"", stdin=None, **changes):
    """Runs the program once; a variable that is None is not set."""
    variables = {
        "GATEWAY_INTERFACE": "CGI/1.1",
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "/cgi-bin/hello",
        "PATH_INFO": "/Hello.asmx",
        "QUERY_STRING": "",
        "CONTENT_TYPE": "text/xml; charset=utf-8",
        "CONTENT_LENGTH": str(len(body)),
        "SERVER_NAME": "www.example.com",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "192.0.2.7",
        **changes,
    }
    variables = {name: value for name, value in variables.items() if value is not None}
    done = subprocess.run(
        [PROGRAM],
        env=variables,
        capture_output=True,
        timeout=60,
        **({"stdin": stdin} if stdin is not None else {"input": body}),
    )
    if done.returncode != 0:
        raise RuntimeError(f"status {done.returncode}: {done.stderr.decode()}")
    return Response(done.stdout, done.stderr)


def by_hand():
    for soap, kind in ((SOAP11, "text/xml"), (SOAP12, "application/soap+xml")):
        response = run(envelope("Ad\u00e1", soap), CONTENT_TYPE=kind)
        check(f"{kind} is answered", response.status == 200 and response.holds("Hello, Ad\u00e1!"), response.all)
        check(f"{kind} has its type", response.fields["Content-Type"] == f"{kind}; charset=utf-8", response.all)
        length = int(response.fields["Content-Length"])
        check(f"{kind} has its length", length == len(response.body), response.all)
        check(f"{kind} is logged with its caller", response.log == "192.0.2.7 Greet 200\n", response.log)
    response = run(envelope(), HTTP_SOAPACTION=f'"{SERVICE}/Greet"', HTTP_X_REQUEST_ID="id-7")
    check("header fields arrive", response.fields.get("X-Request-Id") == "id-7", response.all)
    response = run(envelope(), HTTP_SOAPACTION='"urn:other/Other"')
    check("a wrong SOAPAction is a fault", response.status == 500 and response.holds("SOAPAction"), response.all)
    big = envelope("x" * 3_000_000)
    check("a large body is read whole", len(run(big).body) > 3_000_000)


def lengths():
    good = envelope()
    for value, status in (  # a SOAP 1.1 fault is HTTP 500, but for 411, 413 and the like
        (None, 411),
        ("", 411),
        ("abc", 500),
        ("-1", 500),
        ("+300", 500),
        (" 300", 500),
        ("300 ", 500),
        ("1e3", 500),
        (str(len(good) + 1), 500),
        ("16777216", 500),
        ("16777217", 413),
        ("9" * 40, 413),
    ):
        response = run(good, CONTENT_LENGTH=value)
        fault = response.holds("faultstring") and not response.holds("Hello, ")
        check(f"CONTENT_LENGTH {value!r} is {status}", response.status == status and fault, response.all)
    response = run(good, CONTENT_LENGTH=str(len(good) - 10))
    check("a length that cuts the body is a fault", response.status == 500, response.all)
    response = run(good + b"more", CONTENT_LENGTH=str(len(good)))
    check("what follows the body is left", response.status == 200, response.all)
    check("a body of no bytes is a fault", run(b"").status == 500)
    # Neither a pipe that stays empty nor one without end is read when too much is announced.
    reading, writing = os.pipe()
    begun = time.monotonic()
    response = run(stdin=reading, CONTENT_LENGTH="17000000")
    os.close(writing)
    os.close(reading)
    check("413 comes before anything is read", response.status == 413 and time.monotonic() - begun < 30)
    with open("/dev/zero", "rb") as zeros:
        check("nor is a body without end read", run(stdin=zeros, CONTENT_LENGTH="99999999999").status == 413)
        check("no more is read than announced", run(stdin=zeros, CONTENT_LENGTH="1000").status == 500)


def pages():
    path = "/cgi-bin/hello/Hello.asmx"
    for https, host, expected in (
        (None, "www.example.com", "http://www.example.com"),
        ("on", "www.example.com:8443", "https://www.example.com:8443"),
        ("off", "x", "http://x"),
        (None, None, "http://www.example.com:80"),
    ):
        response = run(
            REQUEST_METHOD="GET", QUERY_STRING="wsdl", CONTENT_LENGTH=None, HTTPS=https, HTTP_HOST=host
        )
        good = response.status == 200 and response.holds(f'location="{expected}{path}"')
        check(f"the WSDL's address with HTTPS={https} is {expected}", good, response.all)
    get = {"REQUEST_METHOD": "GET", "CONTENT_LENGTH": None, "CONTENT_TYPE": None}
    page = run(**get)
    check("GET is the page for people", page.status == 200 and page.holds("<html"), page.all)
    head = run(**{**get, "REQUEST_METHOD": "HEAD"})
    same = head.fields["Content-Length"] == page.fields["Content-Length"]
    check("HEAD is the same without a body", head.body == b"" and same, head.all)
    check("another path is 404", run(**{**get, "PATH_INFO": "/Other.asmx"}).status == 404)
    check("no path is 404", run(**{**get, "PATH_INFO": None}).status == 404)
    response = run(**{**get, "REQUEST_METHOD": "DELETE"})
    check("DELETE is 405", response.status == 405 and response.fields["Allow"] == "GET, HEAD, POST", response.all)
    at_root = run(**{**get, "SCRIPT_NAME": "", "QUERY_STRING": "wsdl", "HTTP_HOST": "x"})
    check("a program at the root works", at_root.holds('location="http://x/Hello.asmx"'), at_root.all)


def behind_a_server():
    class Quiet(CGIHTTPRequestHandler):
        have_fork = False  # or it becomes another user, who may not be able to read this folder

        def log_message(self, *_):
            pass

    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "cgi-bin").mkdir()
        shutil.copy(PROGRAM, Path(scratch) / "cgi-bin" / "hello")
        server = ThreadingHTTPServer(
            ("127.0.0.1", 0), lambda *arguments: Quiet(*arguments, directory=scratch)
        )
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            client = http.client.HTTPConnection(*server.server_address, timeout=60)
            path = "/cgi-bin/hello/Hello.asmx"
            client.request("POST", path, envelope("Grace"), {"Content-Type": "text/xml"})
            answer = client.getresponse().read().decode()
            check("a POST through a CGI server", "Hello, Grace!" in answer, answer)
            client.request("GET", path + "?wsdl")
            answer = client.getresponse().read().decode()
            found = re.search(r'location="http://[^/"]+:\d+' + path, answer)
            check("the WSDL through a CGI server", found, answer)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


for part in (by_hand, lengths, pages, behind_a_server):
    try:
        part()
    except Exception as error:  # a step that breaks is a failure, and the others still run
        check(part.__name__, False, repr(error))
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
