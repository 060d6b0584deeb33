"""spyne_server.py: Python's Spyne serves EmployeeService from memory. Prints its port.

Debian's Spyne is a WSGI application; the little HTTP server in front of it keeps connections open,
which wsgiref's own does not.
"""
import io
import logging
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from spyne import Application, Array, Boolean, ComplexModel, Integer32, ServiceBase, Unicode, rpc
from spyne.protocol.soap import Soap11
from spyne.server.wsgi import WsgiApplication

SPACE = "https://payroll.example.com/soap/v3/EmployeeService"
logging.disable(logging.CRITICAL)


class AuthHeaderWithDomain(ComplexModel):
    __namespace__ = SPACE
    Username = Unicode
    Token = Unicode
    Domain = Unicode


class EmployeeAddress(ComplexModel):
    __namespace__ = SPACE
    _type_info = [
        ("Id", Integer32),
        ("Default", Boolean),
        ("Street", Unicode),
        ("HouseNumber", Unicode),
        ("HouseNumberAddition", Unicode),
        ("PostalCode", Unicode),
        ("City", Unicode),
        ("StateProvince", Unicode),
        ("CountryISOCode", Unicode),
        ("Type", Unicode),
    ]


NAMES = [name for name, _ in EmployeeAddress._type_info.items()]
ADDRESSES = [
    EmployeeAddress(**{name: value for name, value in zip(NAMES, values) if value is not None})
    for values in (
        (1, True, "Keizersgracht", "12", "A", "1015 CJ", "Amsterdam", "Noord-Holland", "NL", "HomeAddress"),
        (2, False, "Postbus", "345", None, "1000 AH", "Amsterdam", "Noord-Holland", "NL", "PostAddress"),
        (3, False, "Königsallee", "60", "3. Etage", "40212", "Düsseldorf", "", "DE", "WorkAddress"),
    )
]


class EmployeeService(ServiceBase):
    __in_header__ = AuthHeaderWithDomain

    @rpc(Integer32(sub_name="EmployeeId"), _returns=Array(EmployeeAddress))
    def Address_GetListCurrent(ctx, EmployeeId):
        return ADDRESSES


APPLICATION = WsgiApplication(
    Application([EmployeeService], SPACE, in_protocol=Soap11(), out_protocol=Soap11())
)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        environment = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": self.path,
            "SCRIPT_NAME": "",
            "QUERY_STRING": "",
            "CONTENT_TYPE": self.headers["Content-Type"],
            "CONTENT_LENGTH": str(length),
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "0",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(self.rfile.read(length)),
        }
        begun = []
        body = b"".join(APPLICATION(environment, lambda *head: begun.append(head)))
        status, headers = begun[0][0], dict(begun[0][1])
        self.send_response(int(status.split()[0]))
        self.send_header("Content-Type", headers.get("Content-Type", "text/xml; charset=utf-8"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
