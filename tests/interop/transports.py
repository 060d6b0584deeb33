#!/usr/bin/python3
"""transports.py PROGRAM: our client, and the transport over libcurl, through servers that are others'.

PROGRAM is what transports.cpp makes. The servers stand before a host of ours: Apache httpd and lighttpd, which demand
Digest (MD5 and SHA-256), and nghttpx, which speaks HTTP/2 in TLS and without. Apache httpd is also a proxy, over HTTP and
HTTPS, for callers with a password. Each has a free port of 127.0.0.1 and a
scratch folder, and is stopped by its process id. Ends in a line `N passed, N failed`.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
from free_port import free_port  # noqa: E402

PATH = "/soap/v3/Relay.asmx"
REALM, USER, PASSWORD = "desk", "ada", "secret"
MODULES = Path("/usr/lib/apache2/modules")

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(f"ok   {name}" if good else f"FAIL {name}: {found}", flush=True)


def answers(port):
    """True if a server answers there, with any response."""
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5)
    except urllib.error.HTTPError:
        return True
    except OSError as error:
        return "refused" not in str(error)  # such as a server that only speaks HTTP/2, or TLS
    return True


class Server:
    """A program in the foreground, until the end of the block."""

    def __init__(self, name, command, port, folder):
        self.name, self.command, self.port = name, command, port
        self.log = folder / f"{name}.log"

    def __enter__(self):
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for _ in range(200):
            if self.process.poll() is not None or answers(self.port):
                break
            time.sleep(0.05)
        good = self.process.poll() is None and answers(self.port)
        check(f"{self.name} serves", good, self.log.read_text(errors="replace"))
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.kill()


class Host:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __enter__(self):
        self.process = subprocess.Popen([self.program, "serve"], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def calls_of(self, caller):
        """The number of calls of this caller that have arrived."""
        soap = "http://schemas.xmlsoap.org/soap/envelope/"
        body = f'<Envelope xmlns="{soap}"><Body><Calls xmlns="urn:relay"><Caller>{caller}</Caller></Calls></Body></Envelope>'
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{PATH}", body.encode(), {"Content-Type": "text/xml"})
        with urllib.request.urlopen(request, timeout=30) as response:
            return int(re.search(r"<CallsResult>(\d+)<", response.read().decode())[1])

    def command(self, way, name, port, **keys):
        scheme = "https" if "ca" in keys else "http"
        words = [f"{key}={value}" for key, value in keys.items()]
        return [self.program, "call", way, f"{way} to {name}", f"{scheme}://127.0.0.1:{port}{PATH}", *words]

    def call(self, *args, **keys):
        global passed, failed
        done = subprocess.run(self.command(*args, **keys), capture_output=True, text=True, timeout=240)
        *lines, last = done.stdout.splitlines() or [""]
        print("\n".join(lines))
        counts = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
        if counts and (done.returncode == 0) == (counts[2] == "0") and counts[0] != "0 passed, 0 failed":
            passed, failed = passed + int(counts[1]), failed + int(counts[2])
        else:
            check(f"{args[0]} to {args[1]}", False, f"{done.returncode}: {last} {done.stderr}")
        if done.stderr:
            print(done.stderr, end="")


def write_users(folder):
    for name, kind in (("md5", hashlib.md5), ("sha256", hashlib.sha256)):
        secret = kind(f"{USER}:{REALM}:{PASSWORD}".encode()).hexdigest()
        (folder / f"{name}.users").write_text(f"{USER}:{REALM}:{secret}\n")
    secret = base64.b64encode(hashlib.sha1(PASSWORD.encode()).digest()).decode()
    (folder / "basic.users").write_text(f"{USER}:{{SHA}}{secret}\n")


def apache(folder, host):
    port = free_port()
    modules = "mpm_event authn_core authn_file authz_core authz_user auth_digest proxy proxy_http".split()
    lines = [f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in modules]
    lines += [
        f"ServerRoot {folder}", "ServerName 127.0.0.1", f"Listen 127.0.0.1:{port}", f"PidFile {folder}/apache.pid",
        f"DefaultRuntimeDir {folder}", "ErrorLog /dev/stderr", "LogLevel warn",
        *(["User www-data", "Group www-data"] if os.geteuid() == 0 else []),
        '<Location "/">', "AuthType Digest", f"AuthName {REALM}", f"AuthUserFile {folder}/md5.users",
        "AuthDigestNonceLifetime 2", "Require valid-user",
        f"ProxyPass http://127.0.0.1:{host.port}/", "</Location>",
    ]  # fmt: skip
    (folder / "apache.conf").write_text("\n".join(lines) + "\n")
    command = ["/usr/sbin/apache2", "-f", f"{folder}/apache.conf", "-DFOREGROUND"]
    return Server("Apache httpd", command, port, folder)


def forwarding(folder, secure):
    """Apache httpd as a proxy for callers with a password."""
    port = free_port()
    modules = "mpm_event authn_core authn_file authz_core authz_user auth_basic proxy proxy_http proxy_connect"
    modules = (modules + " ssl socache_shmcb" * secure).split()
    lines = [f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in modules]
    lines += [
        f"ServerRoot {folder}", "ServerName localhost", f"Listen 127.0.0.1:{port}", f"PidFile {folder}/apache.pid",
        f"DefaultRuntimeDir {folder}", "ErrorLog /dev/stderr", "LogLevel warn",
        *(["User www-data", "Group www-data"] if os.geteuid() == 0 else []),
        *([f"SSLEngine on\nSSLCertificateFile {folder}/proxy.pem\nSSLCertificateKeyFile {folder}/proxy.key"] * secure),
        "ProxyRequests On", "AllowCONNECT 1-65535", f"CustomLog {folder}/proxy.access %r",
        '<Proxy "*">', "AuthType Basic", "AuthName proxy", "AuthBasicProvider file",
        f"AuthUserFile {folder}/basic.users", "Require valid-user", "</Proxy>",
    ]  # fmt: skip
    (folder / "proxy.conf").write_text("\n".join(lines) + "\n")
    return Server("Apache httpd as a proxy", ["/usr/sbin/apache2", "-f", f"{folder}/proxy.conf", "-DFOREGROUND"], port, folder)


def lighttpd(folder, host):
    port = free_port()
    (folder / "lighttpd.conf").write_text(f"""
server.modules = ("mod_auth", "mod_authn_file", "mod_proxy")
server.document-root = "{folder}"
server.upload-dirs = ("{folder}")
server.bind = "127.0.0.1"
server.port = {port}
server.stream-request-body = 2
server.stream-response-body = 2
auth.backend = "htdigest"
auth.backend.htdigest.userfile = "{folder}/sha256.users"
auth.require = ("/" => ("method" => "digest", "algorithm" => "SHA-256", "realm" => "{REALM}", "require" => "valid-user"))
proxy.server = ("" => (("host" => "127.0.0.1", "port" => {host.port})))
""")
    return Server("lighttpd", ["/usr/sbin/lighttpd", "-D", "-f", f"{folder}/lighttpd.conf"], port, folder)


def nghttpx(folder, backend, secure):
    port, keys = free_port(), [f"{folder}/server.key", f"{folder}/server.pem"] if secure else []
    command = [
        "/usr/sbin/nghttpx", "--conf=/dev/null", f"--frontend=127.0.0.1,{port}{'' if secure else ';no-tls'}",
        f"--backend=127.0.0.1,{backend}", "--workers=1", "--errorlog-file=/dev/stderr",
        f"--accesslog-file={folder}/nghttpx.access", "--accesslog-format=$request", *keys,
    ]  # fmt: skip
    (folder / "nghttpx.access").write_text("")
    return Server("nghttpx", command, port, folder)


def check_digest(host, server):
    known = {"user": USER, "password": PASSWORD}
    for way in ("own", "curl"):
        host.call(way, server.name, server.port, **known, **({"nonce": 2} if server.name != "lighttpd" else {}))
        host.call(way, server.name, server.port, user=USER, password="another", refused=401)
        host.call(way, server.name, server.port, refused=401)


def check_http2(folder, host):
    log = folder / "nghttpx.access"
    for secure in (True, False):
        keys = {"ca": f"{folder}/server.pem", "http": 2} if secure else {"http": "direct"}
        name = "nghttpx in TLS" if secure else "nghttpx without TLS"
        with nghttpx(folder, host.port, secure) as server:
            host.call("curl", name, server.port, **keys)
            lines = [line for line in log.read_text().splitlines() if line.startswith("POST ")]
            check(f"{name}: all of it in HTTP/2", len(lines) > 200 and all("HTTP/2" in line for line in lines), lines[:3])
        with nghttpx(folder, host.port, secure) as server:
            check_lost(host, name, server, keys)
        with nghttpx(folder, free_port(), secure) as server:
            # It may end the stream behind its response, and libcurl 7.88 then tells the end alone.
            host.call("curl", f"{name}, without a host", server.port, refused=502, **{"or-lost": 1}, **keys)


def check_proxies(folder, host):
    log = folder / "proxy.access"
    for secure in (False, True):
        scheme = "https" if secure else "http"
        with forwarding(folder, secure) as proxy, nghttpx(folder, host.port, True) as target:
            by = {"proxy": f"{scheme}://{USER}:{PASSWORD}@localhost:{proxy.port}"}
            keys = {"ca": f"{folder}/authorities.pem", "http": 2, **by}
            host.call("curl", f"a host by a proxy of {scheme}", host.port, **({"proxy-ca": keys["ca"]} if secure else {}), **by)
            host.call("curl", f"nghttpx by a proxy of {scheme}", target.port, **keys)
            asked = log.read_text()
            check(f"all of it by the proxy of {scheme}", asked.count("CONNECT ") > 200 and asked.count("POST http:") > 200)
            log.write_text("")
            by["proxy"] = f"{scheme}://localhost:{proxy.port}"
            host.call("curl", f"nghttpx by a proxy of {scheme} without a password", target.port, unsent="connect", **{**keys, **by})
            if secure:
                keys["ca"] = f"{folder}/server.pem"
                host.call("curl", "a proxy with an untrusted certificate", target.port, unsent="tls", **keys)


def check_lost(host, name, server, keys):
    """Kills the server during a call, while another server is available at once."""
    command = host.command("curl", f"{name}, killed", server.port, slow=3000, **keys)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as caller:
        for _ in range(200):
            time.sleep(0.05)
            if host.calls_of(caller.pid):
                break
        server.kill()
        server.process = subprocess.Popen(server.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        output = caller.communicate(timeout=60)[0]
    check(f"curl to {name}, killed", caller.returncode == 0, output)
    check(f"curl to {name}, killed: the call has arrived once", host.calls_of(caller.pid) == 1, host.calls_of(caller.pid))


def make_certificates(folder):
    for name, of in (("server", "IP:127.0.0.1"), ("proxy", "DNS:localhost")):
        command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=x -addext subjectAltName={of}"
        files = ["-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem"]
        subprocess.run([*command.split(), *files], check=True, capture_output=True)
    both = [(folder / f"{name}.pem").read_text() for name in ("server", "proxy")]
    (folder / "authorities.pem").write_text("".join(both))


def main():
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)  # for servers that give root's rights up
        write_users(folder)
        make_certificates(folder)
        with Host(program, folder) as host:
            for make in (apache, lighttpd):
                with make(folder, host) as server:
                    check_digest(host, server)
            check_http2(folder, host)
            check_proxies(folder, host)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
