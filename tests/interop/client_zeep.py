#!/usr/bin/python3
"""python3-zeep against the payroll demo: client_zeep.py URL 1.1|1.2 full|token

Reads the three WSDLs, calls all six operations, checks typed values, faults and a round trip.
The other clients in this folder make the same checks under the same names.
"""

import datetime
import re
import sys

import zeep
from lxml import etree
from zeep.plugins import HistoryPlugin
from zeep.wsse import utils as wsse_utils
from zeep.wsse.username import UsernameToken

BASE, VERSION, MODE = sys.argv[1:4]
NAMESPACES = "https://payroll.example.com/soap/v3/"
ENVELOPE = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}[VERSION]
DOMAIN = {"Domain": "acme"}
AWKWARD = "Café & <b>Straße</b> \"€\" 'ü' ]]> 日本"

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
    print(f"{'ok  ' if good else 'FAIL'} zeep {VERSION}: {name}" + ("" if good else f": {found!r}"), flush=True)


class Service:
    """One WSDL, bound to the port of the version under test."""

    def __init__(self, name, wsse=None):
        self.name = name
        self.history = HistoryPlugin(maxlen=1)
        self.client = zeep.Client(f"{BASE}/soap/v3/{name}.asmx?wsdl", plugins=[self.history], wsse=wsse)
        self.port = self.client.bind(name, name + ("Soap" if VERSION == "1.1" else "Soap12"))

    def call(self, operation, header=None, **parameters):
        if header is not None:
            parameters["_soapheaders"] = {"AuthHeaderWithDomain": header}
        return self.port[operation](**parameters)

    def response(self):
        return self.history.last_received["envelope"]

    def fault(self, name, expected, operation, header=None, **parameters):
        """The call must fail with the code in the text, and typed in the detail where there is one."""
        code, message = expected
        try:
            check(name, False, self.call(operation, header, **parameters))
            return
        except zeep.exceptions.Fault as caught:
            fault = caught
        text = f"Unable to process request. ---> {code}: {message}"
        check(name, fault.message == text, fault.message)
        kind = (fault.code or "").split(":")[-1]
        check(name + ", its code", kind == ("Client" if VERSION == "1.1" else "Sender"), fault.code)
        if VERSION == "1.1" and code in (1001, 1003):
            # SOAP 1.1, 4.4: an error about a header block carries no detail.
            if code == 1001 and self.name != "SingleSignOn":
                check(name + ", no detail", fault.detail is None, fault.detail)
            return
        namespace = "{%s%s}" % (NAMESPACES, self.name)
        error = None if fault.detail is None else fault.detail.find(f".//{namespace}Error")
        found = None if error is None else [(child.tag, child.text) for child in error]
        wanted = [(namespace + "Code", str(code)), (namespace + "Message", message)]
        check(name + ", its detail", found == wanted, found)


def addresses(employees, employee, header):
    """The list as objects, and the elements of the raw response that they came from."""
    result = employees.call("Address_GetListCurrent", header, EmployeeId=employee)
    objects = list(result or [])
    elements = employees.response().findall(".//{*}EmployeeAddress")
    return objects, elements


def text_of(element, name):
    """None: absent; zeep itself reads an empty string as None, so this looks at the response."""
    child = element.find("{*}" + name)
    return None if child is None else (child.text or "")


def sign_on_checks(sign_on):
    tokens = [
        sign_on.call("GetToken2", Username="alice", Token="api-token-alice"),
        sign_on.call("GetToken", Username="alice", Password="correct horse"),
        sign_on.call("GetTokenWithDomain", Username="alice", Password="correct horse", Domain="acme"),
    ]
    for name, token in zip(("GetToken2", "GetToken", "GetTokenWithDomain"), tokens):
        check(f"{name} answers a token", bool(re.fullmatch(r"[A-Za-z0-9_-]{43}", token or "")), token)
    check("every token is a new one", len(set(tokens)) == 3, tokens)
    check("the response speaks the version", etree.QName(sign_on.response()).namespace == ENVELOPE)
    wrong = (1001, "Invalid Authentication")
    sign_on.fault("GetToken2, wrong API token", wrong, "GetToken2", Username="alice", Token="wrong")
    sign_on.fault("GetToken, wrong password", wrong, "GetToken", Username="alice", Password="wrong")
    sign_on.fault(
        "GetTokenWithDomain, unknown domain", wrong, "GetTokenWithDomain",
        Username="alice", Password="correct horse", Domain="nowhere",
    )  # fmt: skip
    return tokens[0]


def list_checks(employees):
    objects, elements = addresses(employees, 1, DOMAIN)
    check("employee 1 has three addresses", len(objects) == 3, objects)
    check("types", [a.Type for a in objects] == ["HomeAddress", "PostAddress", "WorkAddress"], objects)
    check("one default, the first", [a.Default for a in objects] == [True, False, False], objects)
    ids = [a.Id for a in objects]
    check("ids are numbers in order", all(type(i) is int for i in ids) and ids == sorted(set(ids)), ids)
    names = ("Street", "HouseNumber", "PostalCode", "City", "CountryISOCode")
    check("the other fields are filled", all(getattr(a, n) for a in objects for n in names), objects)
    additions = [text_of(e, "HouseNumberAddition") for e in elements]
    check("one HouseNumberAddition is absent", additions.count(None) == 1 and "" not in additions, additions)
    states = [text_of(e, "StateProvince") for e in elements]
    check("one StateProvince is empty", states.count("") == 1 and None not in states, states)
    check("employee 2 has none", addresses(employees, 2, DOMAIN)[0] == [])
    many = addresses(employees, 100, DOMAIN)[0]
    check("employee 100 has a hundred", len(many) == 100 and len({a.Id for a in many}) == 100, len(many))
    check("employee 3 of the other domain", len(addresses(employees, 3, {"Domain": "globex"})[0]) == 1)


def header_checks(employees, token):
    def served(header):
        return len(addresses(employees, 1, header)[0]) == 3

    full = {"Username": "alice", "Token": token, "Domain": "acme"}
    check("header with an issued token", served(full))
    check("header with the API token", served({**full, "Token": "api-token-alice"}))
    check("header without Domain", served({"Username": "alice", "Token": token}))

    def refused(name, expected, header, employee=1):
        employees.fault(name, expected, "Address_GetListCurrent", header, EmployeeId=employee)

    invalid, unauthorized = "Invalid Authentication", "Unauthorized access"
    refused("wrong token", (1001, invalid), {**full, "Token": "wrong"})
    refused("missing header", (1001, invalid), None)
    refused("unknown domain", (1001, invalid), {"Domain": "nowhere"})
    refused("the domain of others", (1003, unauthorized), {**full, "Domain": "globex"})
    refused("unknown employee", (2003, unauthorized), DOMAIN, 4711)
    refused("employee of another domain", (2003, unauthorized), DOMAIN, 3)


def insert(employees, **fields):
    empty = dict.fromkeys(
        ("Street", "HouseNumber", "HouseNumberAddition", "PostalCode", "City", "StateProvince", "CountryISOCode"),
        zeep.xsd.SkipValue,
    )
    address = {"Id": 0, "Default": False, **empty, **fields}
    return employees.call("Address_InsertCurrent", DOMAIN, EmployeeId=2, Address=address)


def insert_checks(employees):
    sent = {
        "Street": AWKWARD, "HouseNumber": "12", "PostalCode": "1011 AB", "City": " é ",
        "StateProvince": "", "CountryISOCode": "NL", "Type": "HolidaysAddress",
    }  # fmt: skip
    new_id = insert(employees, **sent)
    check("insert answers a number", type(new_id) is int and new_id > 0, new_id)
    objects, elements = addresses(employees, 2, DOMAIN)
    check("the inserted address is listed alone", [a.Id for a in objects] == [new_id], objects)
    found = {name: text_of(elements[0], name) for name in sent}
    check("it reads back as it was sent", found == sent, found)
    check("as an object as well", objects[0].Street == AWKWARD and objects[0].Default is False, objects)
    check("the absent string stays absent", text_of(elements[0], "HouseNumberAddition") is None)
    bare = insert(employees, Default=True, Type="WeekendAddress")
    first, second = insert(employees, Default=True, Type="WorkAddress"), addresses(employees, 2, DOMAIN)
    check("ids rise", new_id < bare < first, (new_id, bare, first))
    check("a new default replaces the old", [a.Default for a in second[0]] == [False, False, True], second[0])
    check("all strings absent", [c.tag.split("}")[1] for c in second[1][1]] == ["Id", "Default", "Type"])
    employees.fault(
        "insert for an unknown employee", (2003, "Unauthorized access"), "Address_InsertCurrent", DOMAIN,
        EmployeeId=4711, Address={"Id": 0, "Default": False, "Type": "HomeAddress"},
    )  # fmt: skip


def debtor_checks(debtors, token):
    def settings(debtor, header):
        return list(debtors.call("WebhookSettings_Get", header, DebtorId=debtor) or [])

    found = settings(1, DOMAIN)
    described = [(s.WebhookSettingId, s.Name, s.Active) for s in found]
    check("debtor 1 has its settings", described == [(1, "Payroll runs", True), (2, "Archive", False)], found)
    check("with an endpoint each", all(s.Endpoint for s in found), found)
    events = [(e.EventId, e.EventName, e.Active) for e in found[0].Event]
    check("with events", events == [(1, "Run Finish", True), (2, "Journals Finish", False)], events)
    check("or without", not found[1].Event, found[1])
    check("debtor 2 has none", settings(2, DOMAIN) == [])
    check("debtor 3 of the other domain", len(settings(3, {"Domain": "globex"})) == 1)
    check("with an issued token", len(settings(1, {"Username": "alice", "Token": token, "Domain": "acme"})) == 2)
    unauthorized, invalid = "Unauthorized access", "Invalid Authentication"
    debtors.fault("unknown debtor", (2009, unauthorized), "WebhookSettings_Get", DOMAIN, DebtorId=4711)
    debtors.fault("debtor of another domain", (2009, unauthorized), "WebhookSettings_Get", DOMAIN, DebtorId=3)
    debtors.fault("debtor, missing header", (1001, invalid), "WebhookSettings_Get", None, DebtorId=1)


def token_checks(sign_on, employees, debtors, token):
    """Against a server that was started with --auth token --no-deprecated."""
    try:
        found = sign_on.call("GetToken", Username="alice", Password="correct horse")
        check("--no-deprecated: GetToken", False, found)
    except zeep.exceptions.Fault as fault:
        check("--no-deprecated: GetToken", fault.message.endswith("use GetToken2 instead"), fault.message)
    full = {"Username": "alice", "Token": token, "Domain": "acme"}
    check("--auth token: with a token", len(addresses(employees, 1, full)[0]) == 3)
    expected = (1001, "Invalid Authentication")
    employees.fault("--auth token: Domain alone", expected, "Address_GetListCurrent", DOMAIN, EmployeeId=1)
    debtors.fault("--auth token: Domain alone, debtor", expected, "WebhookSettings_Get", DOMAIN, DebtorId=1)


def stamp(created):
    """A Timestamp of WS-Security."""
    made = wsse_utils.WSU.Timestamp()
    for name, at in (("Created", created), ("Expires", created + datetime.timedelta(minutes=5))):
        made.append(getattr(wsse_utils.WSU, name)(at.strftime("%Y-%m-%dT%H:%M:%SZ")))
    return made


def security_checks():
    """A UsernameToken in place of AuthHeaderWithDomain, by zeep's own."""
    def called(*arguments, **options):
        service = Service("EmployeeService", UsernameToken(*arguments, **options))
        try:
            return len(service.call("Address_GetListCurrent", EmployeeId=1))
        except zeep.exceptions.Fault as fault:
            return fault.message

    now = datetime.datetime.now(datetime.timezone.utc)
    old = stamp(now - datetime.timedelta(hours=1))
    token = "api-token-alice"
    check("UsernameToken, text", called("alice", token) == 3)
    check("UsernameToken, text, user@domain", called("alice@acme", token) == 3)
    check("UsernameToken, text with a Timestamp", called("alice", token, timestamp_token=stamp(now)) == 3)
    for name, found, expected in (
        ("an old Timestamp", called("alice", token, timestamp_token=old), "Security/Timestamp/Created: lies 3"),
        ("a wrong password", called("alice", "wrong"), "could not be authenticated"),
        ("a digest, which a hash cannot serve", called("alice", token, use_digest=True), "PasswordDigest is not accepted"),
    ):
        check(f"UsernameToken: {name}", expected in str(found), found)


def main():
    sign_on, employees, debtors = (Service(n) for n in ("SingleSignOn", "EmployeeService", "DebtorService"))
    check("the WSDLs are read", True)
    if MODE == "token":
        token = sign_on.call("GetToken2", Username="alice", Token="api-token-alice")
        token_checks(sign_on, employees, debtors, token)
        security_checks()
    else:
        token = sign_on_checks(sign_on)
        list_checks(employees)
        header_checks(employees, token)
        insert_checks(employees)
        debtor_checks(debtors, token)


try:
    main()
except Exception as error:  # a client that gives up is a failed check, not a missing one
    check(f"no error of the client's own", False, error)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
