"""Contracts that soapsvc-import --fetch reads from a network or refuses: against a server here."""

import errno
import gzip
import base64
import http.server
import os
import pty
import select
import signal
import ssl
import subprocess
import threading
import time

WSDL = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:t="urn:test" targetNamespace="urn:test">
<types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:test">
<xs:{how} schemaLocation="{location}"/>
<xs:element name="Do"><xs:complexType><xs:sequence><xs:element name="A" type="{type}"/></xs:sequence></xs:complexType>
</xs:element></xs:schema></types>
<message name="In"><part name="p" element="t:Do"/></message>
<portType name="Test"><operation name="Do"><input message="t:In"/></operation></portType>
<binding name="B" type="t:Test"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="Do"><soap:operation soapAction=""/><input><soap:body use="literal"/></input></operation></binding>
</definitions>
"""
SCHEMA = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="{ns}">{content}</xs:schema>'
TYPE = '<xs:simpleType name="Code"><xs:restriction base="xs:string"><xs:maxLength value="3"/></xs:restriction></xs:simpleType>'


def including(location):
    return WSDL.format(how="include", location=location, type="t:Code").encode()


def schema(content, ns="urn:test"):
    return SCHEMA.format(ns=ns, content=content).encode()


def forever(piece, pause=0.0):
    while True:
        yield piece
        time.sleep(pause)


class Server(http.server.ThreadingHTTPServer):
    """Answers each target with bytes, a redirect (a text), pieces (an iterator) or raw pieces."""

    daemon_threads = True

    def __init__(self, certificate=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages, self.asked, self.fields = {}, [], []
        self.at = f"http{'s' if certificate else ''}://127.0.0.1:{self.server_port}"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # a client that ends early is what is tested


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.asked.append(self.path)
        self.server.fields.append(dict(self.headers))
        page = self.server.pages.get(self.path)
        if page is None:
            return self.send_error(404)
        if isinstance(page, str):
            self.send_response(302)
            self.send_header("Location", page)
            return self.end_headers()
        if isinstance(page, tuple):  # fields and body
            self.send_response(200)
            self.send_header(*page[0])
            page = page[1]
        elif callable(page):  # not even a header
            for piece in page():
                self.wfile.write(piece)
            return None
        else:
            self.send_response(200)
        self.end_headers()
        for piece in [page] if isinstance(page, bytes) else page:
            self.wfile.write(piece)
        return None


def endless_fields():
    yield b"HTTP/1.1 200 OK\r\n"
    yield from (b"X-%d: %s\r\n" % (number, b"x" * 8000) for number in range(10**9))


def check_fetch(importer, where):
    """The errors of --fetch."""
    wrong = []
    certificate = where / "own.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", certificate, "-out", where / "own.crt"],
        check=True, capture_output=True,
    )
    certificate.write_bytes(certificate.read_bytes() + (where / "own.crt").read_bytes())
    with Server() as server, Server(certificate) as secure:
        def expect(status, said, *arguments, env=None):
            try:
                made = subprocess.run(
                    [importer, *arguments], capture_output=True, text=True, timeout=20, env={**os.environ, **(env or {})}
                )
            except subprocess.TimeoutExpired:
                wrong.append(f"{arguments}: more than 20 seconds")
                return ""
            lines = made.stderr.splitlines()
            if made.returncode != status or said not in made.stderr or (status == 3 and len(lines) != 1):
                wrong.append(f"{arguments}: status {made.returncode}, not said: {said}: {made.stderr[:600]}")
            return made.stdout

        expect.importer = importer
        check_documents(server, where, expect, wrong)
        check_redirects(server, secure, expect, where / "own.crt")
        check_bounds(server, expect)
        check_credentials(server, where, expect, wrong)
        wrong += check_terminal(importer, server, where)
        wrong += check_interrupted(importer, server, where)
    return wrong


def check_documents(server, where, expect, wrong):
    """Addresses: with a query, relative, of files, and no fetch without --fetch."""
    server.pages["/soap/Service.asmx?wsdl"] = including("../types/a.xsd?of=1&amp;v=2#top")
    server.pages["/types/a.xsd?of=1&v=2"] = schema('<xs:include schemaLocation="?b"/>')
    server.pages["/types/a.xsd?b"] = schema('<xs:include schemaLocation="//127.0.0.1:%d/c"/>' % server.server_port)
    server.pages["/c"] = schema(TYPE + '<xs:include schemaLocation="types/./a.xsd?of=1&amp;v=2"/>')
    made = expect(0, "read 4 files", server.at + "/soap/Service.asmx?wsdl", "--fetch")
    if "max_length(3)" not in made or server.at + "/soap/Service.asmx?wsdl" not in made:
        wrong.append("what was fetched is not in the header: " + made)
    if len(server.asked) != 4:
        wrong.append(f"a document was asked for twice: {server.asked}")
    server.asked.clear()
    local = where / "local.wsdl"
    local.write_bytes(including(server.at.replace("http", "HTTP") + "/c"))
    expect(0, "read 4 files", local, "--fetch")
    server.asked.clear()
    expect(3, "local.wsdl:4:1: the schema 'HTTP", local)
    expect(3, "is not fetched; save it and name the file as an input, or give --fetch", local)
    expect(3, "is not fetched without --fetch", server.at + "/soap/Service.asmx?wsdl")
    if server.asked:
        wrong.append(f"fetched without --fetch: {server.asked}")
    expect(3, "http://127.0.0.1/: an address must not contain a user name or a password", "http://user:secret@127.0.0.1/", "--fetch")
    # A file that is there, by its path and by its scheme.
    there = where / "there.xsd"
    there.write_bytes(schema(TYPE))
    server.pages["/path"] = including(there)
    server.pages["/scheme"] = including("file://" + str(there))
    server.pages["/imports"] = including("file:" + str(there)).replace(b"xs:include", b"xs:import")
    expect(3, f"/path:4:1: the schema '{there}'", server.at + "/path", "--fetch")
    expect(3, f"{server.at}{there}: the server answers with status 404", server.at + "/path", "--fetch")
    expect(3, "a document from the network cannot name a file", server.at + "/scheme", "--fetch")
    # The same by the catalog of this machine, which leads to its own folder alone.
    catalog = where / "rewritten" / "catalog.xml"
    catalog.parent.mkdir()
    catalog.write_text(
        '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">'
        '<rewriteURI uriStartString="http://host.invalid/" rewritePrefix="./"/></catalog>'
    )
    (catalog.parent / "here.xsd").write_bytes(schema(TYPE))
    server.pages["/inside"] = including("http://host.invalid/here.xsd")
    server.pages["/outside"] = including("http://host.invalid/../there.xsd")
    expect(0, "read 3 files", server.at + "/inside", "--fetch", "--catalog", catalog)
    expect(3, "rewritten/there.xsd cannot be read: there is no such file", server.at + "/outside", "--fetch", "--catalog", catalog)
    # A dead link to a namespace that is declared elsewhere is no harm; it is tried once.
    server.pages["/dead"] = including("c").replace(
        b"<xs:element", b'<xs:import namespace="urn:x" schemaLocation="dead.xsd"/>' * 2
        + b'<xs:import namespace="urn:x" schemaLocation="x.xsd"/><xs:element', 1)
    server.pages["/x.xsd"] = schema("", "urn:x")
    server.asked.clear()
    expect(0, "read 5 files", server.at + "/dead", "--fetch")
    if server.asked.count("/dead.xsd") != 1:
        wrong.append(f"asked for what is not there: {server.asked}")
    expect(3, "cannot be fetched: cannot connect", "http://127.0.0.1:1/x", "--fetch")


def check_credentials(server, where, expect, wrong):
    """A name and a password (RFC 7617) and fields, for the server of the input and for no other."""
    password = where / "password"
    password.write_bytes(b"secret\r\nnot this\n")
    with Server() as other:
        server.pages["/secured"] = including(other.at + "/elsewhere")
        other.pages["/elsewhere"] = schema(TYPE)
        server.fields.clear()
        told = ["--user", "alice", "--password-file", password, "--header", "X-Token: 7"]
        expect(0, "read 2 files", server.at + "/secured", "--fetch", *told)
        basic = "Basic " + base64.b64encode(b"alice:secret").decode()
        sent = server.fields[-1] if server.fields else {}
        if sent.get("Authorization") != basic or sent.get("X-Token") != "7":
            wrong.append(f"the server of the input got {sent}")
        if not other.fields or {"Authorization", "X-Token"} & other.fields[-1].keys():
            wrong.append(f"another server got {other.fields}")
    expect(2, "--password-file", server.at + "/secured", "--fetch", "--user", "alice")
    expect(2, "in one line", server.at + "/secured", "--fetch", "--header", "X-Token")
    for address in ("http://alice:secret@127.0.0.1/x", "http://alice:secret@127.0.0.1:none/x"):
        made = subprocess.run([expect.importer, address, "--fetch"], capture_output=True, text=True, timeout=20)
        if made.returncode != 3 or "secret" in made.stderr or "must not contain a user name or a password" not in made.stderr:
            wrong.append(f"an address with credentials: {made.stderr}")


def check_redirects(server, secure, expect, authority):
    server.pages["/moved"] = "/deep/er/moved"
    server.pages["/deep/er/moved"] = including("code.xsd")
    server.pages["/deep/er/code.xsd"] = schema(TYPE)
    expect(0, "read 2 files", server.at + "/moved", "--fetch")
    server.pages["/loop"] = "/loop"
    expect(3, "more than 5 redirects", server.at + "/loop", "--fetch")
    server.pages["/to-file"] = "file:///etc/passwd"
    expect(3, "it leads to 'file:///etc/passwd', which is not an http", server.at + "/to-file", "--fetch")
    server.pages["/to-secret"] = "http://user:secret@host.invalid/x"
    expect(3, "it leads to 'http://host.invalid/x', which is not an http or https address without a user", server.at + "/to-secret", "--fetch")
    # TLS, by an unknown authority and by a named one.
    secure.pages["/a"] = including("code.xsd")
    secure.pages["/code.xsd"] = schema(TYPE)
    secure.pages["/down"] = server.at + "/moved"
    known = {"SSL_CERT_FILE": str(authority)}
    expect(3, "the server's certificate is not trusted: self", secure.at + "/a", "--fetch")
    expect(0, "read 2 files", secure.at + "/a", "--fetch", env=known)
    expect(3, "it leads from https to http:", secure.at + "/down", "--fetch", env=known)
    server.pages["/up"] = secure.at + "/a"
    expect(0, "read 2 files", server.at + "/up", "--fetch", env=known)
    other_name = secure.at.replace("127.0.0.1", "localhost")
    expect(3, "is not trusted: it is for another host", other_name + "/a", "--fetch", env=known)


def check_bounds(server, expect):
    """Servers with endless responses."""
    server.pages["/endless"] = forever(b" " * 65536)
    expect(3, "it is longer than 67108864 bytes", server.at + "/endless", "--fetch")
    server.pages["/fields"] = endless_fields
    expect(3, "it is longer than 67108864 bytes", server.at + "/fields", "--fetch")
    packed = gzip.compress(b" " * (65 * 1024 * 1024))
    server.pages["/packed"] = (("Content-Encoding", "gzip"), packed)
    expect(3, "it is longer than 67108864 bytes", server.at + "/packed", "--fetch")
    server.pages["/slow"] = forever(b" ", 0.1)
    expect(3, "it took longer than 1 second", server.at + "/slow", "--fetch", "--fetch-time", "1")
    server.pages["/slow-fields"] = lambda: forever(b"H", 0.1)
    expect(3, "it took longer than 1 second", server.at + "/slow-fields", "--fetch", "--fetch-time", "1")
    # Each page includes the next.
    for number in range(1001):
        server.pages[f"/many/{number}"] = schema(f'<xs:include schemaLocation="{number + 1}"/>')
    server.pages["/many/0"] = including("1")
    expect(3, "more than 1000 documents", server.at + "/many/0", "--fetch")


def read_to_end(terminal):
    """Everything that is written to a terminal, until all processes have closed it."""
    shown = b""
    try:
        while select.select([terminal], [], [], 60)[0]:
            shown += os.read(terminal, 65536)
    except OSError as error:
        if error.errno != errno.EIO:  # which is how its end is told
            raise
    return shown.decode()


def check_terminal(importer, server, where):
    """The line that a terminal shows while work takes long, gone in the end; and no line elsewhere."""
    server.pages["/late"] = lambda: late(including("c"))
    command = [importer, server.at + "/late", "--fetch", "-o", where / "late.hpp"]
    wrong = []
    quiet = subprocess.run(command, capture_output=True, text=True)
    if "\r" in quiet.stderr:
        wrong.append("no terminal was shown: " + repr(quiet.stderr))
    try:
        ours, theirs = pty.openpty()
    except OSError as error:  # as in a bare root without /dev/pts
        print(f"not checked, for there is no pseudo-terminal here ({error}): the line of progress")
        return wrong
    run = subprocess.Popen(command, stderr=theirs)
    os.close(theirs)
    shown = read_to_end(ours)
    os.close(ours)
    run.wait(timeout=60)
    if f"0 documents, 0 KB; fetching {server.at}/late"[:60] not in shown or "\r\x1b[Kread 4 files" not in shown:
        wrong.append("a terminal was shown: " + repr(shown))
    return wrong


def check_interrupted(importer, server, where):
    """Ctrl-C, or SIGTERM: existing files stay, and no unfinished file does."""
    wrong = []
    # A job in the background ignores SIGINT, and so would its child processes.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    out = where / "late.hpp"
    out.write_text("as it was")
    for signal_sent in (signal.SIGINT, signal.SIGTERM):
        run = subprocess.Popen([importer, server.at + "/late", "--fetch", "-o", out], stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        run.send_signal(signal_sent)
        if run.wait(timeout=10) != -signal_sent or out.read_text() != "as it was":
            wrong.append(f"interrupted: status {run.returncode}, {out.read_text()[:40]}")
    # A pipe without a reader holds the program up with an unfinished file.
    pipe, skeleton = where / "pipe", where / "skeleton.cpp"
    os.mkfifo(pipe)
    run = subprocess.Popen(
        [importer, server.at + "/deep/er/moved", "--fetch", "-o", pipe, "--skeleton", skeleton], stderr=subprocess.DEVNULL
    )

    def unfinished():
        return [each.name for each in where.glob("skeleton.cpp.unfinished-*")]

    deadline = time.monotonic() + 60
    while not unfinished() and time.monotonic() < deadline:
        time.sleep(0.02)
    was_there = bool(unfinished())
    run.send_signal(signal.SIGINT)
    if run.wait(timeout=10) != -signal.SIGINT or not was_there or unfinished() or skeleton.exists():
        wrong.append(f"interrupted while writing: {was_there}, {unfinished()}, {skeleton.exists()}")
    return wrong


def late(body):
    time.sleep(1.6)
    yield b"HTTP/1.0 200 OK\r\n\r\n" + body
