#!/usr/bin/python3
"""python3-suds against the payroll demo: client_suds.py URL 1.1|1.2 full|token

Reads the three WSDLs, calls all six operations, checks typed values, faults and a round trip. suds
speaks SOAP 1.1 alone; told to use the port for 1.2, it goes on doing so there, which must work too.
The other clients in this folder make the same checks under the same names.
"""

import re
import sys

import suds
import suds.client
import suds.plugin

BASE, VERSION, MODE = sys.argv[1:4]
NAMESPACES = "https://payroll.example.com/soap/v3/"
ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
DOMAIN = {"Domain": "acme"}
AWKWARD = "Café & <b>Straße</b> \"€\" 'ü' ]]> 日本"
STRINGS = (
    "Street", "HouseNumber", "HouseNumberAddition", "PostalCode", "City", "StateProvince", "CountryISOCode",
)  # fmt: skip

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
    print(f"{'ok  ' if good else 'FAIL'} suds {VERSION}: {name}" + ("" if good else f": {found!r}"), flush=True)


class Keep(suds.plugin.MessagePlugin):
    """The last response, as suds parsed it: its objects do not tell an empty string from none."""

    def parsed(self, context):
        self.response = context.reply.root()


class Service:
    """One WSDL, at the port of the version under test."""

    def __init__(self, name):
        self.name = name
        self.kept = Keep()
        port = name + ("Soap" if VERSION == "1.1" else "Soap12")
        self.client = suds.client.Client(
            f"{BASE}/soap/v3/{name}.asmx?wsdl", cache=None, timeout=20, port=port, plugins=[self.kept]
        )

    def call(self, operation, header=None, **parameters):
        blocks = ()
        if header is not None:
            blocks = self.client.factory.create("AuthHeaderWithDomain")
            for name, value in header.items():
                setattr(blocks, name, value)
        self.client.set_options(soapheaders=blocks)
        return getattr(self.client.service, operation)(**parameters)

    def elements(self, name):
        """The elements with that name in the last response."""
        found, waiting = [], [self.kept.response]
        while waiting:
            element = waiting.pop(0)
            waiting[:0] = element.getChildren()
            if element.name == name:
                found.append(element)
        return found

    def fault(self, name, expected, operation, header=None, **parameters):
        """The call must fail with the code in the text, and typed in the detail where there is one."""
        code, message = expected
        try:
            check(name, False, self.call(operation, header, **parameters))
            return
        except suds.WebFault as caught:
            fault = caught.fault
        check(name, fault.faultstring == f"Unable to process request. ---> {code}: {message}", fault.faultstring)
        check(name + ", its code", fault.faultcode.split(":")[-1] == "Client", fault.faultcode)
        detail = getattr(fault, "detail", None)
        if code == 1001 and self.name != "SingleSignOn":
            # SOAP 1.1, 4.4: an error about a header block carries no detail.
            check(name + ", no detail", detail is None, detail)
            return
        error = getattr(detail, "Error", None)
        found = (getattr(error, "Code", None), getattr(error, "Message", None))
        check(name + ", its detail", found == (str(code), message), detail)


def addresses(employees, employee, header):
    """The list as objects, and the elements of the raw response that they came from."""
    result = employees.call("Address_GetListCurrent", header, EmployeeId=employee)
    return list(getattr(result, "EmployeeAddress", [])), employees.elements("EmployeeAddress")


def text_of(element, name):
    """None: absent."""
    child = element.getChild(name)
    return None if child is None else str(child.getText() or "")


def sign_on_checks(sign_on):
    tokens = [
        sign_on.call("GetToken2", Username="alice", Token="api-token-alice"),
        sign_on.call("GetToken", Username="alice", Password="correct horse"),
        sign_on.call("GetTokenWithDomain", Username="alice", Password="correct horse", Domain="acme"),
    ]
    for name, token in zip(("GetToken2", "GetToken", "GetTokenWithDomain"), tokens):
        check(f"{name} answers a token", bool(re.fullmatch(r"[A-Za-z0-9_-]{43}", token or "")), token)
    check("every token is a new one", len(set(tokens)) == 3, tokens)
    check("the response speaks the version", sign_on.elements("Envelope")[0].namespace()[1] == ENVELOPE)
    wrong = (1001, "Invalid Authentication")
    sign_on.fault("GetToken2, wrong API token", wrong, "GetToken2", Username="alice", Token="wrong")
    sign_on.fault("GetToken, wrong password", wrong, "GetToken", Username="alice", Password="wrong")
    sign_on.fault(
        "GetTokenWithDomain, unknown domain", wrong, "GetTokenWithDomain",
        Username="alice", Password="correct horse", Domain="nowhere",
    )  # fmt: skip
    return str(tokens[0])


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


def insert(employees, employee=2, **fields):
    address = employees.client.factory.create("EmployeeAddress")
    for name, value in {"Id": 0, "Default": False, **fields}.items():
        setattr(address, name, value)
    return employees.call("Address_InsertCurrent", DOMAIN, EmployeeId=employee, Address=address)


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
    check("all strings absent", [c.name for c in second[1][1].getChildren()] == ["Id", "Default", "Type"])
    full = {name: f"{name} ü" for name in STRINGS}
    insert(employees, **full, Type="AbsenceAddress")
    insert(employees, **dict.fromkeys(STRINGS, ""), Type="PostAddress")
    elements = addresses(employees, 2, DOMAIN)[1]
    check("all strings filled", {n: text_of(elements[3], n) for n in STRINGS} == full, elements[3])
    check("all strings empty", [text_of(elements[4], n) for n in STRINGS] == [""] * 7, elements[4])
    try:
        check("insert for an unknown employee", False, insert(employees, 4711, Type="HomeAddress"))
    except suds.WebFault as caught:
        expected = "Unable to process request. ---> 2003: Unauthorized access"
        check("insert for an unknown employee", caught.fault.faultstring == expected, caught.fault)
        check("insert for an unknown employee, its detail", caught.fault.detail.Error.Code == "2003", caught.fault)
    try:
        check("a type that there is not", False, insert(employees, Type="Home"))
    except suds.WebFault as caught:
        told = "Address/Type: 'Home'" in caught.fault.faultstring
        check("a type that there is not", told and "HomeAddress" in caught.fault.faultstring, caught.fault)


def debtor_checks(debtors, token):
    def settings(debtor, header):
        return list(getattr(debtors.call("WebhookSettings_Get", header, DebtorId=debtor), "WebhookSetting", []))

    found = settings(1, DOMAIN)
    described = [(s.WebhookSettingId, s.Name, s.Active) for s in found]
    check("debtor 1 has its settings", described == [(1, "Payroll runs", True), (2, "Archive", False)], found)
    check("with an endpoint each", all(s.Endpoint for s in found), found)
    events = [(e.EventId, e.EventName, e.Active) for e in found[0].Event]
    check("with events", events == [(1, "Run Finish", True), (2, "Journals Finish", False)], events)
    check("or without", not getattr(found[1], "Event", None), found[1])
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
    except suds.WebFault as caught:
        text = caught.fault.faultstring
        check("--no-deprecated: GetToken", text.endswith("use GetToken2 instead"), text)
    full = {"Username": "alice", "Token": token, "Domain": "acme"}
    check("--auth token: with a token", len(addresses(employees, 1, full)[0]) == 3)
    expected = (1001, "Invalid Authentication")
    employees.fault("--auth token: Domain alone", expected, "Address_GetListCurrent", DOMAIN, EmployeeId=1)
    debtors.fault("--auth token: Domain alone, debtor", expected, "WebhookSettings_Get", DOMAIN, DebtorId=1)


def main():
    sign_on, employees, debtors = (Service(n) for n in ("SingleSignOn", "EmployeeService", "DebtorService"))
    check("the WSDLs are read", True)
    if MODE == "token":
        token = sign_on.call("GetToken2", Username="alice", Token="api-token-alice")
        token_checks(sign_on, employees, debtors, str(token))
    else:
        token = sign_on_checks(sign_on)
        list_checks(employees)
        header_checks(employees, token)
        insert_checks(employees)
        debtor_checks(debtors, token)


try:
    main()
except Exception as error:  # a client that gives up is a failed check, not a missing one
    check("no error of the client's own", False, error)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
