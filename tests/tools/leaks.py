#!/usr/bin/python3
"""leaks.py [PAYROLL]: are secrets in any output?

Sends marked passwords, API tokens and issued tokens to `payroll serve`, which logs all it can, in
right and wrong places: as text, attribute, name, header field, query, in messages that are broken
before or after them, too large, packed, in other encodings. Then looks for the marks, as they are and
as base64, hexadecimal, UTF-16, percent and character references, in all responses, all pages, standard
output and error, and every file that the process wrote.

No output shows a secret field, however its message is broken. The log shows no header field but
X-Request-Id. If a secret is in a wrong place, the fault may quote up to 64 characters of it, to its sender
only (`echo`). With --log-messages, the log has texts of fields that are not secret, names of elements, and
responses with the quotes of their faults (`messages`). User names and domains are there, and nowhere else.
"""

import base64
import gzip
import html
import os
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BASE = "https://payroll.example.com/soap/v3/"
SOAP = {
    "1.1": ("http://schemas.xmlsoap.org/soap/envelope/", "text/xml"),
    "1.2": ("http://www.w3.org/2003/05/soap-envelope", "application/soap+xml"),
}
PASSWORD = "mk000pAssWordOfAlice"
passed = failed = 0


def report(name, problem):
    global passed, failed
    passed += 0 if problem else 1
    failed += 1 if problem else 0
    print(f"FAIL {name}: {problem}" if problem else f"ok   {name}", flush=True)


WAYS = ("plain", "gzip", "gzip that is broken", "chunked", "UTF-16", "UTF-16 that is broken", "ISO-8859-1", "cut")
EVERY_WAY = {
    "a wrong API token", "a password in a misspelt element", "an end tag that is wrong after it",
    "a header token", "a password twice", "the user's name",
}


class Server:
    def __init__(self, payroll, folder, options):
        self.out, self.err = open(folder / "out", "wb"), open(folder / "err", "wb")
        command = [payroll, "serve", "--db", str(folder / "payroll.db"), "--port", "0", "--body-bytes", "200000"]
        self.process = subprocess.Popen(
            command + ["--username-token", "anywhere"] + options,
            stdin=subprocess.DEVNULL,
            stdout=self.out,
            stderr=self.err,
            cwd=folder,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),  # it would hold everything
        )
        for _ in range(200):
            match = re.search(r"listening on http://127\.0\.0\.1:(\d+)\n", (folder / "out").read_text())
            if match:
                self.port = int(match.group(1))
                return
            time.sleep(0.05)
        self.process.kill()
        sys.exit("no ready line: " + (folder / "err").read_text())

    def abort(self):
        """As if it had crashed."""
        self.process.send_signal(signal.SIGABRT)
        status = self.process.wait(timeout=30)
        self.out.close()
        self.err.close()
        return status


def ask(port, data):
    """Sends bytes as they are; all that comes back, unpacked if it was packed."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        received = b""
        try:
            while more := connection.recv(65536):
                received += more
        except OSError:
            pass
    head, _, body = received.partition(b"\r\n\r\n")
    if b"content-encoding: gzip" in head.lower():
        body = gzip.decompress(body)
    return head + b"\r\n\r\n" + body


def post(service, body, content_type, fields="", target=None):
    target = target or f"/soap/v3/{service}.asmx"
    head = f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\n{fields}"
    return f"{head}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def envelope(version, service, operation, inner, header=""):
    return (
        f'<e:Envelope xmlns:e="{SOAP[version][0]}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f'<e:Header>{header}</e:Header><e:Body><{operation} xmlns="{BASE}{service}">{inner}</{operation}>'
        f"</e:Body></e:Envelope>"
    )


def sign_on(inner, operation="GetToken", header=""):
    return ("SingleSignOn", operation, f"<Username>alice</Username>{inner}", header)


def listing(header):
    return ("EmployeeService", "Address_GetListCurrent", "<EmployeeId>1</EmployeeId>", header)


def auth(inner):
    return f'<AuthHeaderWithDomain xmlns="{BASE}EmployeeService">{inner}</AuthHeaderWithDomain>'


def security(token, inside=""):
    """A Security block whose UsernameToken holds this beside its user."""
    wss = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"
    return (
        f'<o:Security xmlns:o="{wss}wssecurity-secext-1.0.xsd" xmlns:u="{wss}wssecurity-utility-1.0.xsd">'
        f"<o:UsernameToken><o:Username>alice</o:Username>{token}</o:UsernameToken>{inside}</o:Security>"
    )


def inserting(inner):
    call = f"<EmployeeId>1</EmployeeId><Address>{inner}</Address>"
    return ("EmployeeService", "Address_InsertCurrent", call, auth("<Domain>acme</Domain>"))


NONE, ECHO, MESSAGES, LOG = frozenset(), frozenset({"echo"}), frozenset({"messages"}), frozenset({"log"})
LONG = "y" * 70_000

# Name, the places that may show it, and the message with M for the mark.
PLACES = [
    ("a wrong password", NONE, sign_on("<Password>M</Password>")),
    ("a wrong API token", NONE, sign_on("<Token>M</Token>", "GetToken2")),
    ("a password with a domain", NONE, sign_on("<Password>M</Password><Domain>acme</Domain>", "GetTokenWithDomain")),
    ("a password of nobody", NONE, ("SingleSignOn", "GetToken", "<Username>nobody</Username><Password>M</Password>", "")),
    ("a password before the user name", NONE, ("SingleSignOn", "GetToken", "<Password>M</Password><Username>x</Username>", "")),
    ("a password as CDATA", NONE, sign_on("<Password><![CDATA[M]]></Password>")),
    ("a password between comments", NONE, sign_on("<Password><!--M-->M<!--M--></Password>")),
    ("a password with spaces", NONE, sign_on("<Password>\n\t M \n</Password>")),
    ("a password with references", NONE, sign_on("<Password>&#65;M&amp;&lt;</Password>")),
    ("a password twice", NONE, sign_on("<Password>M</Password><Password>M</Password>")),
    ("a password with an element within", NONE, sign_on("<Password>M<b>M</b></Password>")),
    ("a password as an element within", NONE, sign_on("<Password><M/></Password>")),
    ("a password as an attribute of its field", NONE, sign_on('<Password value="M"/>')),
    ("a password as an attribute's name", NONE, sign_on('<Password M="1"/>')),
    ("a password as xsi:nil", NONE, sign_on('<Password xsi:nil="M"/>')),
    ("a password as xsi:type", NONE, sign_on('<Password xsi:type="M">M</Password>')),
    ("a password with nil", NONE, sign_on('<Password xsi:nil="true">M</Password>')),
    ("a password in another namespace", NONE, sign_on('<Password xmlns="urn:x">M</Password>')),
    ("a password in no namespace", NONE, sign_on('<Password xmlns="">M</Password>')),
    ("a password in a misspelt element", NONE, sign_on("<Passwort>M</Passwort>")),
    ("a password in lower case", NONE, sign_on("<password>M</password>")),
    ("a password beside the elements", NONE, sign_on("M<Password>x</Password>")),
    ("a password after them", NONE, sign_on("<Password>x</Password>M")),
    ("an attribute of the operation", NONE, ("SingleSignOn", "GetToken\" M=\"1\" x=\"", "", "")),
    ("the password for another operation", NONE, sign_on("<Password>M</Password>", "GetToken2")),
    ("the token for another operation", NONE, sign_on("<Token>M</Token>", "GetToken")),
    ("for an operation that is none", NONE, sign_on("<Password>M</Password>", "GetTokens")),
    ("an end tag that is wrong after it", NONE, sign_on("<Password>M</Passwort>")),
    ("an end tag that is missing after it", NONE, sign_on("<Password>M")),
    ("a < after it", NONE, sign_on("<Password>M<</Password>")),
    ("a < before it", NONE, sign_on("<Password><M</Password>")),
    ("an & after it", NONE, sign_on("<Password>M&</Password>")),
    ("an & before it", NONE, sign_on("<Password>&M</Password>")),
    ("an entity that is none after it", NONE, sign_on("<Password>M&nope;</Password>")),
    ("an entity of its name", NONE, sign_on("<Password>&M;</Password>")),
    ("a reference that is none before it", NONE, sign_on("<Password>&#xZZM;</Password>")),
    ("]]> after it", NONE, sign_on("<Password>M]]></Password>")),
    ("CDATA without an end", NONE, sign_on("<Password><![CDATA[M</Password>")),
    ("a comment without an end", NONE, sign_on("<Password><!-- M</Password>")),
    ("-- in its comment", NONE, sign_on("<Password><!-- M -- M --></Password>")),
    ("a control character after it", NONE, sign_on("<Password>M\x01</Password>")),
    ("a NUL before it", NONE, sign_on("<Password>\0M</Password>")),
    ("a processing instruction of its name", NONE, sign_on("<Password><?M M?></Password>")),
    ("an attribute without quotes before it", NONE, sign_on("<Password a=M>x</Password>")),
    ("an attribute without an end", NONE, sign_on('<Password a="M>x</Password>')),
    ("an attribute twice", NONE, sign_on('<Password a="M" a="M">x</Password>')),
    ("< in an attribute", NONE, sign_on('<Password a="M<M">x</Password>')),
    ("an unknown prefix in it", NONE, sign_on("<Password><q:M/></Password>")),
    ("over long", NONE, sign_on(f"<Password>M{LONG}M</Password>")),
    ("over the limit", NONE, sign_on(f"<Password>M{LONG}{LONG}{LONG}M</Password>")),
    ("a header token", NONE, listing(auth("<Username>alice</Username><Token>M</Token><Domain>acme</Domain>"))),
    ("a header token alone", NONE, listing(auth("<Token>M</Token>"))),
    ("a header token twice", NONE, listing(auth("<Token>M</Token><Token>M</Token>"))),
    ("a header token with an element within", NONE, listing(auth("<Token><M>M</M></Token>"))),
    ("a header token as an attribute", NONE, listing(auth('<Token v="M"/>'))),
    ("a UsernameToken's password", NONE, listing(security("<o:Password>M</o:Password>"))),
    ("a UsernameToken's password twice", NONE, listing(security("<o:Password>M</o:Password><o:Password>M</o:Password>"))),
    ("a UsernameToken's password with an element", NONE, listing(security("<o:Password>M<M>M</M></o:Password>"))),
    ("a UsernameToken's password as an attribute", NONE, listing(security('<o:Password Value="M"/>'))),
    ("a UsernameToken's password as its Type", NONE, listing(security('<o:Password Type="M">x</o:Password>'))),
    ("a UsernameToken's password that is over long", NONE, listing(security(f"<o:Password>M{LONG}</o:Password>"))),
    ("a UsernameToken's digest", NONE, listing(security(
        '<o:Password Type="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0'
        '#PasswordDigest">M</o:Password><o:Nonce>MDE=</o:Nonce><u:Created>2026-01-01T00:00:00Z</u:Created>'))),
    ("a UsernameToken's nonce", NONE, listing(security("<o:Password>x</o:Password><o:Nonce>M</o:Nonce>"))),
    ("a nonce's encoding", NONE, listing(security('<o:Password>x</o:Password><o:Nonce EncodingType="M">x</o:Nonce>'))),
    ("a password beside a UsernameToken's elements", NONE, listing(security("M<o:Password>x</o:Password>"))),
    ("a password in a Security block alone", NONE, listing(security("", "M"))),
    ("a binary token", NONE, listing(security("<o:Password>x</o:Password>", "<o:BinarySecurityToken>M</o:BinarySecurityToken>"))),
    ("a header token that is misspelt", NONE, listing(auth("<Tokn>M</Tokn>"))),
    ("a header token of another service", NONE, sign_on("<Token>x</Token>", "GetToken2", auth("<Token>M</Token>"))),
    ("a header of somebody else", NONE, listing(f'<S xmlns="urn:s" a="M">M</S>{auth("<Domain>acme</Domain>")}')),
    ("a header that must be understood", NONE, listing('<S xmlns="urn:s" e:mustUnderstand="1">M</S>')),
    ("an older header", NONE, listing(f'<AuthHeader xmlns="{BASE}EmployeeService"><Token>M</Token></AuthHeader>')),
    ("a header that is broken after it", NONE, listing(auth("<Token>M</Tokn>"))),
    ("a comment of the message", NONE, listing(f"<!-- M -->{auth('<Domain>acme</Domain>')}")),
    # From here on it is somewhere where no secret belongs.
    ("the user's name", MESSAGES, ("SingleSignOn", "GetToken", "<Username>M</Username><Password>x</Password>", "")),
    ("the domain", MESSAGES, sign_on("<Password>x</Password><Domain>M</Domain>", "GetTokenWithDomain")),
    ("the header's domain", MESSAGES, listing(auth("<Domain>M</Domain>"))),
    ("the header's user name", MESSAGES, listing(auth("<Username>M</Username><Token>x</Token><Domain>acme</Domain>"))),
    ("an enumeration's value", ECHO | MESSAGES, inserting("<Type>M</Type>")),
    ("a number", ECHO | MESSAGES, ("EmployeeService", "Address_GetListCurrent", "<EmployeeId>M</EmployeeId>", auth("<Domain>acme</Domain>"))),
    ("an unknown element's name", ECHO | MESSAGES, sign_on("<M/>")),
    ("an operation's name", ECHO, ("SingleSignOn", "M", "", "")),
    ("a namespace", ECHO | MESSAGES, sign_on('<Username xmlns="urn:M">x</Username>')),
    ("a header block's name", ECHO | MESSAGES, listing('<M xmlns="urn:s" e:mustUnderstand="1"/>')),
]

# The same for other bodies than XML: name, the places that may show it, and a whole request with M.
GOOD = envelope("1.1", *sign_on("<Password>x</Password>")[:3]).encode()
WIRE = [
    ("a query", NONE, post("SingleSignOn", GOOD, "text/xml", target="/soap/v3/SingleSignOn.asmx?password=M")),
    ("a query of the WSDL", NONE, b"GET /soap/v3/SingleSignOn.asmx?wsdl&M HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("a query of the help page", NONE, b"GET /soap/v3/SingleSignOn.asmx?M HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("a query of the metrics", NONE, b"GET /metrics?M HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("a path", NONE, b"GET /M HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("a path to post to", NONE, post("M", GOOD, "text/xml")),
    ("a form", NONE, post("SingleSignOn", b"username=alice&password=M", "application/x-www-form-urlencoded")),
    ("JSON", NONE, post("SingleSignOn", b'{"password":"M"}', "text/xml")),
    ("Authorization", NONE, post("SingleSignOn", GOOD, "text/xml", "Authorization: Basic M\r\n")),
    ("a cookie", NONE, post("SingleSignOn", GOOD, "text/xml", "Cookie: session=M\r\n")),
    ("a field of its own", NONE, post("SingleSignOn", GOOD, "text/xml", "X-Api-Key: M\r\n")),
    ("a field's name", NONE, post("SingleSignOn", GOOD, "text/xml", "M: 1\r\n")),
    ("X-Forwarded-For", NONE, post("SingleSignOn", GOOD, "text/xml", "X-Forwarded-For: M\r\n")),
    ("a request id with a space", NONE, post("SingleSignOn", GOOD, "text/xml", "X-Request-Id: M x\r\n")),
    ("a method", NONE, b"M / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("a line that is no field", NONE, b"GET / HTTP/1.1\r\nHost: localhost\r\nM\r\n\r\n"),
    ("an HTTP version", NONE, b"GET / M\r\nHost: localhost\r\n\r\n"),
    ("a content coding", NONE, post("SingleSignOn", GOOD, "text/xml", "Content-Encoding: M\r\n")),
    ("a transfer coding", NONE, post("SingleSignOn", GOOD, "text/xml", "Transfer-Encoding: M\r\n")),
    ("a chunk's size", NONE, b"POST /soap/v3/SingleSignOn.asmx HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nM\r\n"),
    ("a length", NONE, b"POST /soap/v3/SingleSignOn.asmx HTTP/1.1\r\nHost: localhost\r\nContent-Length: M\r\n\r\n"),
    ("a body that ends early", NONE, post("SingleSignOn", GOOD.replace(b">x<", b">M<"), "text/xml")[:-30]),
    ("SOAPAction", ECHO | MESSAGES, post("SingleSignOn", GOOD, "text/xml", 'SOAPAction: "M"\r\n')),
    ("the action parameter", ECHO | MESSAGES, post("SingleSignOn", GOOD, 'text/xml; action="M"')),
    ("a media type", ECHO, post("SingleSignOn", GOOD, "text/M")),
    ("a charset", ECHO, post("SingleSignOn", GOOD, "text/xml; charset=M")),
    ("an XML encoding", ECHO, post("SingleSignOn", b'<?xml version="1.0" encoding="M"?>' + GOOD, "text/xml")),
    ("the host of a WSDL", ECHO | LOG, b"GET /soap/v3/SingleSignOn.asmx?wsdl HTTP/1.1\r\nHost: M\r\n\r\n"),
    ("a request id", ECHO | LOG | MESSAGES, post("SingleSignOn", GOOD, "text/xml", "X-Request-Id: M\r\n")),
]


def forms(mark):
    """All ways in which a mark could be written, in lower case."""
    plain = mark.encode()
    made = {plain, plain.hex().encode(), mark.encode("utf-16-le"), mark.encode("utf-16-be"), plain[:10], plain[-10:]}
    made.add("".join(f"&#{c};" for c in plain).encode())
    made.add("".join(f"&#x{c:x};" for c in plain).encode())
    made.add("".join(f"%{c:02x}" for c in plain).encode())
    for shift in range(3):  # base64 of the mark behind other bytes, without what those change
        made.add(base64.b64encode(b"\0" * shift + plain)[(shift * 8 + 5) // 6 : -4])
    return {form.lower() for form in made}


def holds(data, mark):
    """Whether `readings` of something show the mark, or the first or last half of it."""
    return any(form in data for form in forms(mark))


def readings(data):
    """The bytes, and their decoded forms if they are percent-encoded or character references."""
    text = data.decode("utf-8", "replace")
    return b"\n".join([data, urllib.parse.unquote(text).encode(), html.unescape(text).encode()]).lower()


def encodings(version, message):
    """The message as it is, packed, in chunks and in other encodings: requests by name."""
    service = message[0]
    text = envelope(version, *message)
    kind = SOAP[version][1]
    body = text.encode("utf-8")
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    head = post(service, body, kind).partition(b"\r\n\r\n")[0]
    chunked = re.sub(rb"Content-Length: \d+", b"Transfer-Encoding: chunked", head) + b"\r\n\r\n" + chunks
    return {
        "plain": post(service, body, kind + "; charset=utf-8"),
        "gzip": post(service, gzip.compress(body), kind, "Content-Encoding: gzip\r\nAccept-Encoding: gzip\r\n"),
        "gzip that is broken": post(service, gzip.compress(body)[:-9], kind, "Content-Encoding: gzip\r\n"),
        "chunked": chunked,
        "UTF-16": post(service, text.encode("utf-16"), kind),
        "UTF-16 that is broken": post(service, text.encode("utf-16")[:-1], kind),
        "ISO-8859-1": post(service, text.encode("latin-1"), kind + "; charset=iso-8859-1"),
        "cut": post(service, body[:-20], kind),
    }


def with_mark(template, mark):
    """Puts the mark for each M that stands alone; a length, if there is one, is made to fit."""
    head, separator, body = template.partition(b"\r\n\r\n")
    alone = re.compile(rb"(?<![A-Za-z])M(?![A-Za-z])")
    body = alone.sub(mark.encode(), body)
    head = alone.sub(mark.encode(), head)
    if re.search(rb"Content-Length: \d+", head) and template[-1:] == b">":
        head = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % len(body), head)
    return head + separator + body


def marked_message(message, mark):
    return tuple(re.sub(r"(?<![A-Za-z0-9])M(?![A-Za-z0-9])|M(?=y{9})|(?<=y{9})M", mark, part) for part in message)


def send_everything(port):
    """(name, places that may show it, mark, response) of each request."""
    sent = []

    def fresh():
        return f"mk{len(sent):04d}qJxHuShx{len(sent):04d}km"  # both halves have the number

    for name, may, message in PLACES:
        for version in SOAP:
            for way in WAYS if name in EVERY_WAY else WAYS[:1]:
                mark = fresh()
                data = encodings(version, marked_message(message, mark))[way]
                # A user of its own each time, or the answers to failures would be held back.
                data = data.replace(b">alice<", f">u{len(sent):04d}<".encode())
                sent.append((f"{name}, {way}, SOAP {version}", may, mark, ask(port, data)))
    for name, may, template in WIRE:
        mark = fresh()
        sent.append((f"{name}, HTTP", may, mark, ask(port, with_mark(template, mark))))
    return sent


def good_calls(port, database, api_token):
    """Right secrets, also while the database is locked or fails; their marks are the secrets themselves."""
    sent = []
    tokens = []
    for version in SOAP:
        for operation, inner in (
            ("GetToken", f"<Password>{PASSWORD}</Password>"),
            ("GetTokenWithDomain", f"<Password>{PASSWORD}</Password><Domain>acme</Domain>"),
            ("GetToken2", f"<Token>{api_token}</Token>"),
        ):
            response = ask(port, encodings(version, sign_on(inner, operation))["plain"])
            token = re.search(rb"Result>([\w-]{43})<", response)
            if not token:
                sys.exit(f"{operation} gives no token: {response}")
            tokens.append(token.group(1).decode())
            sent.append((f"the {operation} of SOAP {version}", NONE, PASSWORD, response))
            sent.append((f"the {operation} of SOAP {version}", NONE, api_token, response))
            header = auth(f"<Username>alice</Username><Token>{tokens[-1]}</Token><Domain>acme</Domain>")
            response = ask(port, encodings(version, listing(header))["plain"])
            if b" 200 " not in response[:20]:
                sys.exit(f"a token is not taken: {response}")
            sent.append(("an issued token in the header", NONE, tokens[-1], response))
    other = sqlite3.connect(database, isolation_level=None)

    def refused(failure, wanted):
        response = ask(port, encodings("1.1", sign_on(f"<Token>{api_token}</Token>", "GetToken2"))["plain"])
        if wanted not in response:
            sys.exit(f"no {wanted.decode()} while the database {failure}: {response}")
        sent.append((f"an API token while the database {failure}", NONE, api_token, response))

    other.execute("BEGIN IMMEDIATE")
    refused("is locked", b" 503 ")
    other.execute("ROLLBACK")
    other.execute("CREATE TRIGGER fails BEFORE INSERT ON issued_token BEGIN SELECT raise(ABORT, 'fails'); END")
    refused("fails", b"Incident")
    other.execute("DROP TRIGGER fails")
    other.close()
    return sent, tokens


def run(payroll, log_format):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = str(folder / "payroll.db")

        def operator(*words, text=""):
            done = subprocess.run(
                [payroll, *words, "--db", database], input=text, capture_output=True, text=True, check=True
            )
            return done.stdout

        operator("domain", "add", "acme")
        api_token = re.search(r"[\w-]{43}", operator("user", "add", "acme", "alice", text=PASSWORD + "\n")).group(0)
        operator("employee", "add", "acme")
        options = ["--log-format", log_format, "--log-level", "trace", "--log-messages"]
        server = Server(payroll, folder, options)
        sent, tokens = good_calls(server.port, database, api_token)
        sent += send_everything(server.port)
        pages = b""
        for target in ("/", "/metrics", "/healthz", "/readyz", "/soap/v3/SingleSignOn.asmx", "/soap/v3/SingleSignOn.asmx?wsdl"):
            pages += ask(server.port, f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        time.sleep(0.3)  # the log's thread writes the rest
        status = server.abort()
        files = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
        check(log_format, sent, tokens, api_token, pages, files, status)


def check(log_format, sent, tokens, api_token, pages, files, status):
    log = files["err"]
    # The log of messages, and all other logs.
    lines = log.split(b"\n")
    is_message = re.compile(rb'"event":"message"|^\S+ \S+ message ')
    messages = readings(b"\n".join(line for line in lines if is_message.search(line)))
    facts = readings(b"\n".join(line for line in lines if not is_message.search(line)))
    pages = readings(pages)
    others = {file: readings(data) for file, data in files.items() if file != "err"}
    shown = {"echo": 0, "messages": 0, "log": 0}
    for name, may, mark, response in sent:
        found = []
        for outlet, data in (("echo", readings(response)), ("messages", messages), ("log", facts)):
            if holds(data, mark):
                shown[outlet] += 1
                if outlet not in may:
                    found.append(outlet)
        found += ["a page"] if holds(pages, mark) else []
        found += [file for file, data in others.items() if holds(data, mark)]
        report(f"{log_format}: {name}", f"is shown in {', '.join(found)}" if found else None)
    for secret in [PASSWORD, api_token, *tokens]:
        places = [file for file, data in files.items() if holds(readings(data), secret)]
        report(f"{log_format}: {secret[:3]}... is in no file", f"is in {', '.join(places)}" if places else None)
    # Conditions under which the checks above would find nothing.
    enough = b"***" in log and b"acme" in messages and len(lines) > len(sent) and "payroll.db-wal" in files
    report(f"{log_format}: all was looked at", None if enough and status == -signal.SIGABRT else f"{sorted(files)}, {status}")
    some = all(shown.values())
    report(f"{log_format}: what may be shown is found", None if some else f"{shown}")
    unanswered = [name for name, *_, response in sent if not response.startswith(b"HTTP/1.1 ")]
    report(f"{log_format}: each message is answered", unanswered[:3])


# --- Services that are secured by WS-Security, and their client -----------------------------------

WORD = "mkWordOfAlice & <more>"
BROKEN = "mkIsNoKeyxxBrokenMark"
SECURED = {"Tokens": "tokens", "Signed": "signed", "Both": "both"}
MAKE = """
set -euo pipefail
cd "$1"
. tests/tools/common.sh
configure "$root/build"
build "$root/build" tests/secrets
make_keys "$2/rsa" rsa:2048
make_keys "$2/curve" ec -pkeyopt ec_paramgen_curve:P-256
"""


class Proxy:
    """Between a client and a port; keeps the bytes of both."""

    def __init__(self, port):
        self.port_there, self.requests, self.responses = port, [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            there = socket.create_connection(("127.0.0.1", self.port_there))
            for one, other, kept in ((client, there, self.requests), (there, client, self.responses)):
                threading.Thread(target=self.carry, args=(one, other, kept), daemon=True).start()

    @staticmethod
    def carry(one, other, kept):
        try:
            while data := one.recv(65536):
                kept.append(data)
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def private_parts(file):
    """The secret numbers of a key, as bytes in pieces."""
    text = subprocess.run(
        ["openssl", "pkey", "-in", file, "-noout", "-text"], check=True, capture_output=True, text=True
    ).stdout
    found = re.findall(r"^(?:priv|privateExponent|prime1|prime2):\n((?: +[0-9a-f:]+\n)+)", text, re.M)
    numbers = [bytes.fromhex(re.sub(r"[\s:]", "", each)) for each in found]
    return [number[at : at + 16] for number in numbers for at in range(0, len(number) - 15, 8)]


def shows_key(data, parts):
    """Whether bytes hold any of these, as they are, as hexadecimal or as base64."""
    packed = re.sub(rb"\s|\\n", b"", data)
    lower = re.sub(rb":", b"", packed).lower()
    for part in parts:
        base64s = [base64.b64encode(b"\0" * shift + part)[(shift * 8 + 5) // 6 : -4] for shift in range(3)]
        if part in data or part.hex().encode() in lower or any(form in packed for form in base64s):
            return True
    return False


def guarded_envelope(version, service, header):
    return (
        f'<e:Envelope xmlns:e="{SOAP[version][0]}"><e:Header>{header}</e:Header>'
        f'<e:Body><Who xmlns="urn:guarded:{SECURED[service]}"/></e:Body></e:Envelope>'
    ).encode()


def send_marked_tokens(port):
    """The places of above that are of a Security block, sent to the secured services: mark and response."""
    sent = []
    for name, _, message in PLACES:
        for version in SOAP if "<o:Security" in message[3] else ():
            for service in SECURED:
                mark = f"mg{len(sent):04d}qJxHuShx{len(sent):04d}gm"
                header = marked_message(message, mark)[3]
                body = guarded_envelope(version, service, header)
                response = ask(port, post(service, body, SOAP[version][1]))
                sent.append((f"{name}, {service}, SOAP {version}", mark, response))
    return sent


class Secured:
    """The services with one kind of keys, the calls of their client, and all output."""

    def __init__(self, program, keys):
        self.program, self.keys = program, keys
        self.environment = {**os.environ, "WORD": WORD}
        self.out = keys / "out"
        (keys / "broken.key").write_text(f"-----BEGIN PRIVATE KEY-----\n{BROKEN}\n-----END PRIVATE KEY-----\n")
        with open(self.out, "wb") as out:
            self.process = subprocess.Popen(
                [program, "serve", keys], stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.environment
            )

    def __enter__(self):
        for _ in range(200):
            match = re.search(r"listening on http://127\.0\.0\.1:(\d+)\n", self.out.read_text())
            if match:
                self.port = int(match.group(1))
                return self
            time.sleep(0.05)
        self.__exit__()
        sys.exit("no ready line: " + self.out.read_text())

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def call(self):
        """The client's output; the proxy has the rest."""
        self.proxy = Proxy(self.port)
        command = [self.program, "call", f"http://127.0.0.1:{self.proxy.port}", self.keys]
        done = subprocess.run(command, capture_output=True, env=self.environment, timeout=60, check=True)
        return done.stdout + done.stderr

    def pages(self):
        targets = ["/"]
        for service in SECURED:
            targets += [f"/soap/v3/{service}.asmx{more}" for more in ("", "?wsdl", "?op=Who")]
        return b"".join(
            ask(self.port, f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            for target in targets
        )


def run_secured(program, keys):
    kind = keys.name
    with Secured(program, keys) as services:
        told = services.call()
        requests, responses = b"".join(services.proxy.requests), b"".join(services.proxy.responses)
        sent = send_marked_tokens(services.port)
        outlets = {"a response": responses + b"".join(response for _, _, response in sent), "a page": services.pages()}
    outlets |= {"the log": services.out.read_bytes(), "the client's exceptions": told}
    read = {name: readings(data) for name, data in outlets.items()}

    def look(name, shows):
        places = [outlet for outlet in outlets if shows(outlet)]
        report(f"{kind}: {name}", f"is shown in {', '.join(places)}" if places else None)

    for name, mark, _ in sent:
        look(name, lambda outlet: holds(read[outlet], mark))
    made = {"the password": {WORD}, "what is no key": {BROKEN}}
    made["a nonce"] = set(re.findall(r"<wsse:Nonce[^>]*>([^<]+)<", requests.decode()))
    made["a password's digest"] = set(re.findall(r"#PasswordDigest\">([^<]+)<", requests.decode()))
    for name, marks in made.items():
        look(f"{name} ({len(marks)})", lambda outlet: any(holds(read[outlet], mark) for mark in marks))
    files = [keys / f"{name}.key" for name in ("authority", "pinned", "stranger", "caller", "service")]
    for file in files:
        parts = private_parts(file)
        look(f"{file.name} ({len(parts)} pieces)", lambda outlet: shows_key(outlets[outlet], parts))
    # Conditions under which the checks above would find nothing.
    some = holds(readings(requests), WORD) and len(made["a nonce"]) > 8 and len(made["a password's digest"]) > 4
    keys_found = all(private_parts(file) and shows_key(file.read_bytes(), private_parts(file)) for file in files)
    served = [told.count(f"/{service}.asmx: served".encode()) for service in SECURED]
    errors = told.count(b"broken.key") and told.count(b"FailedAuthentication") and told.count(b"cannot be believed")
    log = services.out.read_bytes()
    logged = b"\nmessage " in log and b"\ncall " in log and b"Security" in log
    good = some and keys_found and min(served) > 0 and errors and logged and len(sent) > 50
    facts = f"{some} {keys_found} {served} {errors} {logged} {len(sent)}"
    report(f"{kind}: all was looked at", None if good else f"{facts}\n{told.decode()}")


def secured():
    program = ROOT / "build/tests/secrets"
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["bash", "-c", MAKE, "make", ROOT, name], check=True, stdin=subprocess.DEVNULL)
        for kind in ("rsa", "curve"):
            run_secured(program, Path(name) / kind)


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    payroll = str(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build/example/payroll")
    for log_format in ("text", "json"):
        run(payroll, log_format)
    secured()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
