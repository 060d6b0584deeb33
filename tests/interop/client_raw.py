#!/usr/bin/python3
"""Requests byte for byte against the payroll demo: client_raw.py URL 1.1|1.2 full|token

For clients that cannot be run here: shapes of HTTP and XML that were seen from them, sent over a
plain socket (or TLS), and the responses looked at down to the last header field.
"""

import gzip
import io
import os
import pathlib
import re
import socket
import ssl
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree
import zlib

BASE, VERSION, MODE = sys.argv[1:4]
URL = urllib.parse.urlsplit(BASE)
NAMESPACES = "https://payroll.example.com/soap/v3/"
SOAP11 = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP12 = "http://www.w3.org/2003/05/soap-envelope"
IS_11 = VERSION == "1.1"
ENVELOPE = SOAP11 if IS_11 else SOAP12
TYPE = "text/xml" if IS_11 else "application/soap+xml"
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
XSD = 'xmlns:xsd="http://www.w3.org/2001/XMLSchema"'
EMPLOYEES = NAMESPACES + "EmployeeService"
PATH = "/soap/v3/EmployeeService.asmx"
LIST = "Address_GetListCurrent"
ACTION = f"{EMPLOYEES}/{LIST}"
SERVICE_OF = {
    "GetToken": "SingleSignOn", "GetToken2": "SingleSignOn", "GetTokenWithDomain": "SingleSignOn",
    "Address_GetListCurrent": "EmployeeService", "Address_InsertCurrent": "EmployeeService",
    "WebhookSettings_Get": "DebtorService",
}  # fmt: skip

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
    print(f"{'ok  ' if good else 'FAIL'} raw {VERSION}: {name}" + ("" if good else f": {found!r}"), flush=True)


# --- HTTP ----------------------------------------------------------------------------------------


class Response:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def xml(self):
        return ElementTree.fromstring(self.body)

    def texts(self, name):
        """The texts of all elements with that local name."""
        return [e.text or "" for e in self.xml().iter() if e.tag.rsplit("}", 1)[-1] == name]

    def __repr__(self):
        return f"{self.status} {self.fields} {self.body[:600]!r}"


class Connection:
    def __init__(self):
        plain = socket.create_connection((URL.hostname, URL.port), timeout=20)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if URL.scheme == "https":
            trust = ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE"))
            plain = trust.wrap_socket(plain, server_hostname=URL.hostname)
        self.socket, self.buffer = plain, b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def more(self):
        data = self.socket.recv(65536)
        self.buffer += data
        return bool(data)

    def line(self):
        while b"\r\n" not in self.buffer:
            if not self.more():
                raise EOFError(f"closed within a line: {self.buffer!r}")
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line.decode("ascii")

    def response(self, head=False):
        """The next response, which must have a length."""
        status = int(self.line().split(" ")[1])
        fields = {}
        while line := self.line():
            name, value = line.split(":", 1)
            fields[name.lower()] = value.strip()
        length = 0 if head or status == 100 else int(fields["content-length"])
        while len(self.buffer) < length:
            if not self.more():
                raise EOFError("closed within a body")
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return Response(status, fields, body)

    def closed(self):
        """True when the server closes and sends nothing more."""
        return self.buffer == b"" and not self.more()


def request(
    body, content_type=TYPE, path=PATH, version="1.1", method="POST", host=URL.netloc, length=True, **fields
):
    """A request; fields by name with `_` for `-`, as many as wanted."""
    lines = [f"{method} {path} HTTP/{version}"]
    if host:
        lines.append(f"Host: {host}")
    if content_type:
        lines.append(f"Content-Type: {content_type}")
    if length:
        lines.append(f"Content-Length: {len(body)}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items() if value is not None]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def get(path, method="GET", **how):
    return request(b"", "", path, method=method, length=False, **how)


def exchange(data):
    with Connection() as connection:
        connection.send(data)
        return connection.response()


# --- SOAP ----------------------------------------------------------------------------------------


def header(inside="<Domain>acme</Domain>", attributes="", namespace=EMPLOYEES):
    return f'<AuthHeaderWithDomain xmlns="{namespace}"{attributes}>{inside}</AuthHeaderWithDomain>'


DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'


def envelope(payload, header_block="", prefix="soap", attributes="", declaration=DECLARATION):
    head = f"<{prefix}:Header>{header_block}</{prefix}:Header>" if header_block else ""
    return (
        f'{declaration}<{prefix}:Envelope xmlns:{prefix}="{ENVELOPE}"{attributes}>{head}'
        f"<{prefix}:Body>{payload}</{prefix}:Body></{prefix}:Envelope>"
    )


def listing(employee="1"):
    return f'<{LIST} xmlns="{EMPLOYEES}"><EmployeeId>{employee}</EmployeeId></{LIST}>'


def ordinary(employee="1"):
    return envelope(listing(employee), header()).encode()


def message(*parts, **how):
    return envelope(*parts, **how).encode()


def is_listing(response, count=3):
    kind = f"{TYPE}; charset=utf-8"
    return (
        response.status == 200
        and response.fields.get("content-type") == kind
        and response.xml().tag == f"{{{ENVELOPE}}}Envelope"
        and len(response.texts("EmployeeAddress")) == count
    )


def serves(name, body=None, **how):
    """Checks that a request in this form gets the list of addresses."""
    response = exchange(request(ordinary() if body is None else body, **how))
    check(name, is_listing(response), response)
    return response


def reason(response):
    """The reason of a fault in the structure of the version; else the response."""
    root = response.xml()
    if root.tag == f"{{{SOAP11}}}Envelope":
        fault = root.find(f"{{{SOAP11}}}Body/{{{SOAP11}}}Fault")
        return None if fault is None else (fault.findtext("faultcode"), fault.findtext("faultstring"))
    s = f"{{{SOAP12}}}"
    fault = root.find(f"{s}Body/{s}Fault")
    return None if fault is None else (fault.findtext(f"{s}Code/{s}Value"), fault.findtext(f"{s}Reason/{s}Text"))


def refuses(name, pattern, body, kind=None, status=None, **how):
    """Checks for a fault with a matching text, and with the status of its code."""
    response = exchange(request(body, **how))
    kind = kind or ("soap:Client" if IS_11 else "soap12:Sender")
    status = status or (500 if IS_11 or not kind.endswith("Sender") else 400)
    found = reason(response)
    good = found is not None and found[0] == kind and re.search(pattern, found[1]) and response.status == status
    check(name, bool(good), response)
    return response


# --- The checks ----------------------------------------------------------------------------------


def action_checks():
    other = f"{EMPLOYEES}/Address_InsertCurrent"
    serves("SOAPAction quoted", SOAPAction=f'"{ACTION}"')
    serves("SOAPAction bare", SOAPAction=ACTION)
    serves("SOAPAction absent")
    serves("SOAPAction empty", SOAPAction='""')
    serves("SOAPAction without a value", SOAPAction="")
    serves("SOAPAction in small letters", soapaction=f'"{ACTION}"')
    serves("SOAPAction with the escapes of .NET", SOAPAction='"' + ACTION.replace("_", "%5f") + '"')
    told = f"does not name the operation {LIST}"
    refuses("SOAPAction of another operation", told, ordinary(), SOAPAction=f'"{other}"')
    both = f'{TYPE}; charset=utf-8; action="{ACTION}"'
    serves("action parameter", content_type=both)
    serves("action parameter and SOAPAction", content_type=both, SOAPAction=f'"{ACTION}"')
    serves("action parameter first", content_type=f'{TYPE};action="{ACTION}";charset=utf-8')
    serves("action parameter bare", content_type=f"{TYPE}; action={ACTION}")
    serves("action parameter empty", content_type=f'{TYPE}; action=""')
    if not IS_11:
        wrong = f'{TYPE}; action="{other}"'
        refuses("action parameter of another operation", told, ordinary(), content_type=wrong)


def type_checks():
    for kind in (
        f"{TYPE}; charset=utf-8", f'{TYPE}; charset="utf-8"', f"{TYPE};charset=UTF-8", TYPE.upper(),
        f"{TYPE} ; charset=utf-8", f"{TYPE}; charset=utf-8;", f"{TYPE}; charset='utf-8'",
        "text/xml", "application/soap+xml", "application/xml",
    ):  # fmt: skip
        serves(f"Content-Type {kind}", content_type=kind)
    response = exchange(request(ordinary(), content_type="application/json"))
    check("another type is 415, with a body", response.status == 415 and response.body, response)
    response = exchange(request(ordinary(), content_type=None))
    check("no type at all is answered with a body", response.body and response.status in (200, 415), response)


def encoding_checks():
    text = ordinary().decode()
    serves("UTF-8 with a byte order mark", b"\xef\xbb\xbf" + text.encode())
    serves("UTF-16, little end first", b"\xff\xfe" + text.replace("utf-8", "utf-16").encode("utf-16-le"))
    serves("UTF-16, big end first", b"\xfe\xff" + text.replace("utf-8", "utf-16").encode("utf-16-be"))
    serves(
        "UTF-16 by charset as well", b"\xff\xfe" + text.replace("utf-8", "utf-16").encode("utf-16-le"),
        content_type=f"{TYPE}; charset=utf-16",
    )  # fmt: skip
    bare = message(listing(), header(), declaration="")
    serves("no XML declaration", bare)
    serves("a blank line before an Envelope without declaration", b"\r\n\n " + bare)
    refuses("a blank line before the XML declaration", "(?i)well-formed", b"\n" + ordinary())
    single = "<?xml version='1.0' encoding='UTF-8'?>"
    serves("single quotes in the declaration", message(listing(), header(), declaration=single))
    serves("standalone in the declaration", text.replace('"utf-8"?>', '"utf-8" standalone="yes"?>').encode())
    serves("blank lines after the Envelope", ordinary() + b"\r\n\r\n")
    latin = insertion("<Street>Caf\u00e9</Street><Type>WorkAddress</Type>").replace("utf-8", "iso-8859-1")
    response = exchange(request(latin.encode("latin-1"), content_type=f"{TYPE}; charset=iso-8859-1"))
    new_id = (response.texts("Address_InsertCurrentResult") or [""])[0]
    check("ISO-8859-1 by charset", new_id.isdigit(), response)
    response = exchange(request(ordinary("2")))
    check("and it reads back as UTF-8", "Caf\u00e9" in response.texts("Street"), response)


def insertion(inside, attributes="", more=""):
    payload = (
        f'<Address_InsertCurrent xmlns="{EMPLOYEES}"><EmployeeId>2</EmployeeId>'
        f"<Address{attributes}>{inside}</Address></Address_InsertCurrent>"
    )
    return envelope(payload, header(), attributes=f" {XSI} {XSD}{more}")


def inserted(name, inside, attributes="", more=""):
    """The address as it was stored, by its elements."""
    response = exchange(request(insertion(inside, attributes, more).encode()))
    new_id = (response.texts("Address_InsertCurrentResult") or [""])[0]
    check(name, response.status == 200 and new_id.isdigit(), response)
    for address in exchange(request(ordinary("2"))).xml().iter(f"{{{EMPLOYEES}}}EmployeeAddress"):
        fields = {e.tag.rsplit("}", 1)[-1]: e.text or "" for e in address}
        if fields["Id"] == new_id:
            return fields
    return {}


def value_checks():
    found = inserted("children out of order", "<Type>WorkAddress</Type><City>Y</City><Street>X</Street><Id>0</Id>")
    check("each is in its place", (found.get("Street"), found.get("City")) == ("X", "Y"), found)
    found = inserted(
        "xsi:type on everything",
        '<Id xsi:type="xsd:int">0</Id><Street xsi:type="xsd:string">X</Street>'
        f'<Type xsi:type="t:AddressType">WorkAddress</Type>',
        ' xsi:type="t:EmployeeAddress"', f' xmlns:t="{EMPLOYEES}"',
    )  # fmt: skip
    check("and it is read", found.get("Street") == "X", found)
    found = inserted(
        "xsi:nil on strings",
        '<Street xsi:nil="true"/><City xsi:nil="1"></City><PostalCode xsi:nil="false">P</PostalCode>'
        "<Type>WorkAddress</Type>",
    )  # fmt: skip
    check("nil is absent", "Street" not in found and "City" not in found and found.get("PostalCode") == "P", found)
    found = inserted(
        "comments and CDATA",
        "<!-- a --><Street>Ke<!-- b -->izers<![CDATA[<gracht> & co]]></Street><City><![CDATA[]]></City>"
        "<HouseNumber><!-- only --></HouseNumber><Type>Work<!-- c -->Address</Type><!-- d -->",
    )  # fmt: skip
    check("the text is whole", found.get("Street") == "Keizers<gracht> & co", found)
    check("empty stays empty", found.get("City") == "" and found.get("HouseNumber") == "", found)
    escaped = "&#x43;af&#233; &lt;&amp;&gt;&quot;&apos;"
    found = inserted("references", f"<Street>{escaped}</Street><Type>WorkAddress</Type>")
    check("are resolved", found.get("Street") == "Caf\u00e9 <&>\"'", found)
    found = inserted(
        "spaces around numbers, booleans and enumerations",
        "<Id> +007 </Id><Default>\n0\t</Default><Street>  a  b </Street><Type>\r\n  WorkAddress </Type>",
    )  # fmt: skip
    check("not around strings", found.get("Street") == "  a  b ", found)
    found = inserted("line ends", "<Street>a\r\nb\rc\nd&#13;e</Street><Type>WorkAddress</Type>")
    check("are normalised, written ones kept", found.get("Street") == "a\nb\nc\nd\re", found)
    found = inserted("elements of foreign namespaces", '<x:New xmlns:x="urn:x">1</x:New><Type>WorkAddress</Type>')
    check("are skipped", "New" not in found and found.get("Type") == "WorkAddress", found)
    located = f' {XSI} xsi:schemaLocation="a b"'
    serves("xsi:schemaLocation", message(listing(), header(), attributes=located))
    for name, inside, pattern in (
        ("an unknown element", "<Streets>X</Streets><Type>WorkAddress</Type>", "Address: the element 'Streets'"),
        ("an element twice", "<Street>X</Street><Street>Y</Street><Type>WorkAddress</Type>", "Address/Street"),
        ("an element in no namespace", '<Street xmlns="">X</Street><Type>WorkAddress</Type>', "no namespace"),
        ("a missing element", "<Street>X</Street>", "Address/Type"),
        ("a wrong value", "<Type>Home</Type>", "Address/Type: 'Home'"),
        ("a wrong boolean", "<Default>yes</Default><Type>WorkAddress</Type>", "Address/Default: 'yes'"),
    ):
        refuses(name, pattern, insertion(inside).encode())
    refuses("a number out of range", "EmployeeId: '2147483648'", ordinary("2147483648"))
    refuses("a number that is empty", "EmployeeId", ordinary(""))


def prefix_checks():
    for prefix in ("SOAP-ENV", "soapenv", "s", "S", "env", "soap12", "SOAP", "_", "e-1.x", "n\u00e9"):
        serves(f"prefix {prefix}", message(listing(), header(), prefix))
    payload = f'<t:{LIST} xmlns:t="{EMPLOYEES}"><t:EmployeeId>1</t:EmployeeId></t:{LIST}>'
    serves("a prefix for the payload", message(payload, header()))
    payload = f'<a:{LIST} xmlns:a="{EMPLOYEES}" xmlns:b="{EMPLOYEES}"><b:EmployeeId>1</b:EmployeeId></a:{LIST}>'
    serves("two prefixes for one namespace", message(payload, header()))
    payload = f'<a:{LIST} xmlns:a="{EMPLOYEES}"><EmployeeId xmlns="{EMPLOYEES}">1</EmployeeId></a:{LIST}>'
    serves("a prefix and a default", message(payload, header()))
    payload = f"<t:{LIST}><t:EmployeeId>1</t:EmployeeId></t:{LIST}>"
    block = "<t:AuthHeaderWithDomain><t:Domain>acme</t:Domain></t:AuthHeaderWithDomain>"
    declared = f' xmlns:t="{EMPLOYEES}" {XSI} {XSD}'
    serves("all declared on the Envelope", message(payload, block, attributes=declared))
    serves(
        "the Envelope as default namespace",
        f'<Envelope xmlns="{ENVELOPE}"><Header>{header()}</Header><Body>{listing()}</Body></Envelope>'.encode(),
    )
    two = (
        f'<a:Envelope xmlns:a="{ENVELOPE}" xmlns:b="{ENVELOPE}"><b:Header>{header()}</b:Header>'
        f"<b:Body>{listing()}</b:Body></a:Envelope>"
    )
    serves("two prefixes for the Envelope's", two.encode())
    broken = two.replace(" xmlns", "\r\n\t xmlns").replace("</a:Envelope>", "</a:Envelope\n>")
    serves("line breaks and tabs within tags", broken.encode())


def encoding_style_checks():
    style = "http://schemas.xmlsoap.org/soap/encoding/" if IS_11 else "http://www.w3.org/2003/05/soap-encoding"
    styled = f' soap:encodingStyle="{style}"'
    serves("encodingStyle on the Envelope", message(listing(), header(), attributes=styled))
    on_body = ordinary().replace(b"<soap:Body>", f'<soap:Body soap:encodingStyle="{style}">'.encode())
    if IS_11:
        serves("encodingStyle on the Body", on_body)
        styled = listing().replace("<EmployeeId>", f'<EmployeeId xmlns:e="{SOAP11}" e:encodingStyle="{style}">')
        serves("encodingStyle on the payload", message(styled, header()))
    else:
        refuses("encodingStyle on the Body", "encodingStyle", on_body)


def header_block_checks(token):
    must = f' xmlns:m="{ENVELOPE}" m:mustUnderstand="%s"'
    role = "actor" if IS_11 else "role"
    last = "" if IS_11 else f"{SOAP12}/role/ultimateReceiver"
    following = "http://schemas.xmlsoap.org/soap/actor/next" if IS_11 else f"{SOAP12}/role/next"

    def served(name, block):
        serves(name, message(listing(), block))

    served("mustUnderstand=1 on the header", header(attributes=must % "1"))
    served("mustUnderstand=0 on the header", header(attributes=must % "0"))
    if not IS_11:
        served("mustUnderstand=true on the header", header(attributes=must % "true"))
        served("the header for the ultimate receiver", header(attributes=(must % "1") + f' m:role="{last}"'))
    served("the header for the next node", header(attributes=(must % "1") + f' m:{role}="{following}"'))
    by_token = f"<Username>alice</Username><Token>{token}</Token>"
    served("header without Domain", header(by_token))
    served("Domain before Token", header(f"<Domain>acme</Domain><Token>{token}</Token><Username>alice</Username>"))
    served("a foreign header beside it", '<x:Trace xmlns:x="urn:x">1</x:Trace>' + header())
    block = f'<x:Trace xmlns:x="urn:x"{must % "0"}>1</x:Trace>' + header()
    served("a foreign header that need not be understood", block)
    served("any attribute on the header", header(attributes=' xmlns:x="urn:x" x:y="z"'))
    block = f'<x:Trace xmlns:x="urn:x"{must % "1"}>1</x:Trace>' + header()
    kind = ("soap:" if IS_11 else "soap12:") + "MustUnderstand"
    response = refuses("a foreign header that must be", "Trace.*must be understood", message(listing(), block), kind)
    if not IS_11:
        names = [e.get("qname") for e in response.xml().iter(f"{{{SOAP12}}}NotUnderstood")]
        check("is named", len(names) == 1 and names[0].endswith(":Trace"), names)
    for name, block in (
        ("no header", ""),
        ("a header in another namespace", header(namespace="urn:x")),
        ("a plain AuthHeader", f'<AuthHeader xmlns="{EMPLOYEES}"><Domain>acme</Domain></AuthHeader>'),
        ("an empty Domain", header("<Domain/>")),
    ):
        expected = "^Unable to process request. ---> 1001: Invalid Authentication$"
        refuses(name, expected, message(listing(), block))


def http_checks():
    body = ordinary()
    with Connection() as connection:
        connection.send(request(b"", length=False, Expect="100-continue", Content_Length=len(body)))
        response = connection.response()
        check("Expect: 100-continue is answered", response.status == 100, response)
        connection.send(body)
        response = connection.response()
        check("and then the request", is_listing(response), response)
    serves("Expect: 100-continue by one that does not wait", Expect="100-Continue")
    chunks = [body[:1], body[1:100], body[100:]]
    plain = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in chunks) + b"0\r\n\r\n"
    fancy = b"".join(b"%X;a=b\r\n%s\r\n" % (len(c), c) for c in chunks) + b"0\r\nX-Trailer: 1\r\n\r\n"
    serves("chunked", plain, length=False, Transfer_Encoding="chunked")
    serves("chunked, with extensions and a trailer", fancy, length=False, Transfer_Encoding="Chunked")
    serves("gzip", gzip.compress(body), Content_Encoding="gzip")
    serves("deflate", zlib.compress(body), Content_Encoding="deflate")
    serves("deflate of .NET's streams", zlib.compress(body)[2:-4], Content_Encoding="deflate")
    response = exchange(request(body, Accept_Encoding="gzip, deflate"))
    if response.fields.get("content-encoding") == "gzip":
        response.body = gzip.decompress(response.body)
    check("Accept-Encoding", is_listing(response), response)
    with Connection() as connection:
        connection.send(request(body, version="1.0"))
        check("HTTP/1.0", is_listing(connection.response()))
        check("closes", connection.closed())
    with Connection() as connection:
        for _ in range(2):
            connection.send(request(body, version="1.0", Connection="Keep-Alive"))
            response = connection.response()
            kept = response.fields.get("connection", "").lower() == "keep-alive"
            check("HTTP/1.0, kept alive", is_listing(response) and kept, response)
    check("HTTP/1.0 without Host", is_listing(exchange(request(body, version="1.0", host=None))))
    with Connection() as connection:
        for _ in range(12):
            connection.send(request(body))
            check("kept alive", is_listing(connection.response()))
    with Connection() as connection:
        connection.send(request(body) + request(ordinary("2")) + request(body, Connection="close"))
        kinds = [len(connection.response().texts("EmployeeAddress")) for _ in range(3)]
        check("pipelined", kinds[0] == kinds[2] == 3, kinds)
        check("and closed as told", connection.closed())
    with Connection() as connection:
        connection.send(b"\r\n" + request(body) + b"\r\n" + request(body))
        check("empty lines before requests", is_listing(connection.response()) and is_listing(connection.response()))
    with Connection() as connection:
        data = request(body)
        for i in range(0, len(data), 97):
            connection.send(data[i : i + 97])
        check("in many pieces", is_listing(connection.response()))
    serves("an absolute target", path=f"{BASE}{PATH}")
    serves("Connection: close", Connection="close")
    serves("Connection: TE, close", Connection="TE, close", TE="deflate,gzip;q=0.3")
    accepted = "text/xml, multipart/*, application/soap"
    serves("fields of old clients", Accept=accepted, User_Agent="Old/1.0", Pragma="no-cache")
    serves("POST to the address of the WSDL", path=PATH + "?wsdl")
    response = exchange(request(b"", "", method="PUT"))
    check("PUT is 405, with Allow", response.status == 405 and "POST" in response.fields.get("allow", ""), response)
    response = exchange(request(b"", TYPE))
    check("an empty body is answered in words", response.status in (400, 500) and response.body, response)


def wsdl_checks():
    for service in ("SingleSignOn", "EmployeeService", "DebtorService"):
        texts = set()
        for query in ("wsdl", "WSDL", "Wsdl", "wsdl="):
            with Connection() as connection:
                connection.send(get(f"/soap/v3/{service}.asmx?{query}", Connection="close"))
                response = connection.response()
                kind = response.fields["content-type"]
                check(f"?{query} of {service}", response.status == 200 and kind.startswith("text/xml"), response)
                told = response.fields.get("connection", "").lower()
                check("Connection: close is announced", told == "close", response.fields)
                check("and obeyed", connection.closed())
                texts.add(response.body)
        check("the same each time", len(texts) == 1)
        address = f'location="{BASE}/soap/v3/{service}.asmx"'.encode()
        check("its address is the one it was read from", texts.pop().count(address) == 2)
    with Connection() as connection:
        connection.send(get(PATH + "?wsdl", method="HEAD"))
        response = connection.response(head=True)
        check("HEAD of it", response.status == 200 and int(response.fields["content-length"]) > 1000, response)
    with Connection() as connection:
        connection.send(get(PATH + "?wsdl", version="1.0"))
        check("HTTP/1.0", connection.response().status == 200)
        check("closes as well", connection.closed())


def canonical(text):
    """A line for each element: depth, expanded name, attributes sorted, names in them expanded, and
    its text; so that prefixes and layout do not matter, and everything else does."""
    lines, spaces, depth = [], [], 0
    events = ("start-ns", "end-ns", "start", "end")
    for event, thing in ElementTree.iterparse(io.BytesIO(text), events):
        if event == "start-ns":
            spaces.append(thing)
        elif event == "end-ns":
            spaces.pop()
        elif event == "end":
            depth -= 1
        else:
            known = dict(spaces)
            named = ("type", "element", "message", "binding", "base", "ref")
            attributes = []
            for name, value in sorted(thing.items()):
                if name in named:
                    prefix, _, local = value.rpartition(":")
                    value = f"{{{known.get(prefix)}}}{local}"
                attributes.append(f" {name}={value!r}")
            lines.append([depth, thing, "".join(attributes)])
            depth += 1
    # Only now is the text of every element known.
    return [f"{d} {e.tag}{a} {(e.text or '').strip()}" for d, e, a in lines]


def description_checks():
    """The served WSDLs against those that clients were generated from (tests/golden/wsdl), by a
    parser that is not the header's own. Three differences are meant: the address, the documentation
    of types and elements, and Username and Token in AuthHeaderWithDomain."""
    schema = "{http://www.w3.org/2001/XMLSchema}"
    for service in ("SingleSignOn", "EmployeeService", "DebtorService"):
        folder = pathlib.Path(__file__).parent.parent / "golden" / "wsdl"
        path = f"/soap/v3/{service}.asmx"
        reference = (folder / f"{service}.wsdl").read_bytes()
        wanted = canonical(reference.replace(f"http://localhost{path}".encode(), (BASE + path).encode()))
        domain = f"5 {schema}element maxOccurs='1' minOccurs='0' name='Domain' type='{schema}string' "
        type_at = f"3 {schema}complexType name='AuthHeaderWithDomain' "
        if type_at in wanted:
            at = wanted.index(domain, wanted.index(type_at))
            wanted[at:at] = [domain.replace("Domain", name) for name in ("Username", "Token")]
        served = exchange(get(path + "?wsdl")).body
        found = canonical(re.sub(rb"(?s)\s*<s:annotation>.*?</s:annotation>\s*", b"", served))
        different = [pair for pair in zip(found, wanted) if pair[0] != pair[1]]
        told = (len(found), len(wanted), different[:1])
        check(f"the WSDL of {service} is the original's", found == wanted, told)


def hostile_checks():
    text = ordinary().decode()
    refuses("a DTD", "(?i)DTD|DOCTYPE", text.replace("?><", '?><!DOCTYPE a [<!ENTITY b "c">]><', 1).encode())
    instructed = text.replace("<soap:Body>", "<soap:Body><?php a?>").encode()
    refuses("a processing instruction", "(?i)processing instruction", instructed)
    refuses("a cut off message", "(?i)well-formed|end", text[:-5].encode())
    refuses("two payloads", "(?i)Body", message(listing() + listing(), header()))
    refuses("no payload", "(?i)Body", message("", header()))
    deletion = f'<Address_Delete xmlns="{EMPLOYEES}"/>'
    refuses("an operation that there is not", "Address_Delete", message(deletion, header()))
    refuses("an operation in no namespace", "no namespace", message(f"<{LIST}/>", header()))
    strange = text.replace(ENVELOPE, "urn:soap").encode()
    response = exchange(request(strange))
    kind = (reason(response) or [""])[0]
    check("an unknown version", kind == "soap12:VersionMismatch" and response.status == 500, response)
    supported = [e.get("qname") for e in response.xml().iter(f"{{{SOAP12}}}SupportedEnvelope")]
    check("both versions are offered", len(supported) == 2, supported)


def operation_checks(token):
    """Calls all six operations, and checks the typed faults."""
    user = "<Username>alice</Username>"
    password = user + "<Password>correct horse</Password>"
    api = user + "<Token>api-token-alice</Token>"
    wrong = user + "<Token>wrong</Token>"
    domain = "<Domain>acme</Domain>"
    globex = f"<Username>alice</Username><Token>{token}</Token><Domain>globex</Domain>"
    address = "<EmployeeId>%s</EmployeeId><Address><Type>HomeAddress</Type></Address>"
    for operation, inside, block, code in (
        ("GetToken", password, None, None),
        ("GetToken2", api, None, None),
        ("GetTokenWithDomain", password + domain, None, None),
        ("GetToken", user, None, 1001),
        ("GetToken2", wrong, None, 1001),
        ("GetTokenWithDomain", password + "<Domain>nowhere</Domain>", None, 1001),
        ("Address_GetListCurrent", "<EmployeeId>1</EmployeeId>", domain, None),
        ("Address_InsertCurrent", address % 2, domain, None),
        ("WebhookSettings_Get", "<DebtorId>1</DebtorId>", domain, None),
        ("Address_GetListCurrent", "<EmployeeId>1</EmployeeId>", globex, 1003),
        ("Address_InsertCurrent", address % 1, globex, 1003),
        ("WebhookSettings_Get", "<DebtorId>1</DebtorId>", globex, 1003),
        ("Address_GetListCurrent", "<EmployeeId>3</EmployeeId>", domain, 2003),
        ("Address_InsertCurrent", address % 3, domain, 2003),
        ("WebhookSettings_Get", "<DebtorId>3</DebtorId>", domain, 2009),
    ):
        service = SERVICE_OF[operation]
        namespace = NAMESPACES + service
        payload = f'<{operation} xmlns="{namespace}">{inside}</{operation}>'
        block = header(block, namespace=namespace) if block else ""
        how = {"path": f"/soap/v3/{service}.asmx", "SOAPAction": f'"{namespace}/{operation}"'}
        body = message(payload, block)
        if code is None:
            response = exchange(request(body, **how))
            path = f"{{{ENVELOPE}}}Body/{{{namespace}}}{operation}Response/{{{namespace}}}{operation}Result"
            check(operation, response.status == 200 and response.xml().find(path) is not None, response)
            continue
        text = "Invalid Authentication" if code == 1001 else "Unauthorized access"
        expected = f"^Unable to process request. ---> {code}: {text}$"
        response = refuses(f"{operation}, {code}", expected, body, **how)
        error = response.xml().find(f".//{{{namespace}}}Error")
        found = None if error is None else [(e.tag, e.text) for e in error]
        wanted = [(f"{{{namespace}}}Code", str(code)), (f"{{{namespace}}}Message", text)]
        check(f"{operation}, {code}, its detail", found == wanted, response)


def sign_on():
    namespace = NAMESPACES + "SingleSignOn"
    inside = "<Username>alice</Username><Token>api-token-alice</Token>"
    body = message(f'<GetToken2 xmlns="{namespace}">{inside}</GetToken2>')
    response = exchange(request(body, path="/soap/v3/SingleSignOn.asmx"))
    return response.texts("GetToken2Result")[0]


def token_checks(token):
    """Against a server that was started with --auth token --no-deprecated."""
    user = "<Username>alice</Username><Password>correct horse</Password>"
    for operation in ("GetToken", "GetTokenWithDomain"):
        payload = f'<{operation} xmlns="{NAMESPACES}SingleSignOn">{user}</{operation}>'
        body, path = message(payload), "/soap/v3/SingleSignOn.asmx"
        refuses(f"--no-deprecated: {operation}", "use GetToken2 instead$", body, path=path)
    block = header(f"<Username>alice</Username><Token>{token}</Token>")
    serves("--auth token: with a token", message(listing(), block))
    refuses("--auth token: Domain alone", "---> 1001: Invalid Authentication$", ordinary())


def main():
    token = sign_on()
    if MODE == "token":
        token_checks(token)
        return
    operation_checks(token)
    action_checks()
    type_checks()
    encoding_checks()
    value_checks()
    prefix_checks()
    encoding_style_checks()
    header_block_checks(token)
    http_checks()
    wsdl_checks()
    description_checks()
    hostile_checks()


try:
    main()
except Exception as error:  # a response that cannot be read is a failed check, not a missing one
    check("no error of the client's own", False, error)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
