#!/usr/bin/python3
"""python3-suds against the service of all kinds: kinds_suds.py URL 1.1|1.2

Sends the value of each feature in features.md, as suds' own objects, and compares what comes back.
"""

import datetime
import decimal
import logging
import sys

import suds
import suds.client
from suds.sax.element import Element
from suds.sudsobject import Object

BASE, VERSION = sys.argv[1:3]
D = decimal.Decimal
logging.disable(logging.CRITICAL)


def client(name):
    # Pretty, since its other way to write XML drops the text of elements that it did not make itself.
    loaded = suds.client.Client(f"{BASE}/soap/v3/{name}.asmx?wsdl", cache=None, prettyxml=True)
    loaded.set_options(port=name + ("Soap" if VERSION == "1.1" else "Soap12"))
    return loaded


KINDS, CALLS, MIRRORS, SUMS = (client(name) for name in ("Kinds", "Calls", "Mirrors", "Sums"))


def feature(name, *steps):
    """Runs the steps; each returns the error, if there is one."""
    try:
        wrong = next(filter(None, (step() for step in steps)), None)
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    wrong = wrong and " ".join(str(wrong).split())
    print(f"FAIL suds {VERSION}: {name}: {wrong}" if wrong else f"ok   suds {VERSION}: {name}", flush=True)


DERIVED = ("Dog", "Puppy", "Cat", "Circle", "Shape")  # types that responses must keep


def plain(value):
    """A sent or received value, without absent members."""
    if isinstance(value, Element):
        return f"{value.name} {value.getText()}"
    if isinstance(value, Object):
        kind = value.__class__.__name__
        made = plain(dict(suds.client.Client.dict(value)))
        return {**made, "type": kind} if kind in DERIVED else made
    if isinstance(value, dict):
        made = {key: plain(each) for key, each in value.items() if not isinstance(each, suds.null)}
        return {key: each for key, each in made.items() if each not in (None, [], {})}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, suds.null):
        return None
    return str(value) if isinstance(value, str) else value


def same(sent, found):
    sent, found = plain(sent), plain(found)
    return None if sent == found else f"sent {sent}, got {found}"


def echo(absent=None, **fields):
    """The response may also have default values: `absent` lists those that were not sent."""

    def step():
        found = plain(KINDS.service.Everything(**fields))
        for record, (name, expected) in (absent or {}).items():
            for each in found[record]:
                if each.pop(name, None) != expected:
                    return f"{name} is not {expected}"
        return same(fields, found)

    return step


def kind(name, **fields):
    made = KINDS.factory.create(name)
    for key, value in fields.items():
        setattr(made, key, value)
    return made


def element(name, prefix, uri, text):
    made = Element(name, ns=(prefix, uri))
    return made.setText(text)


PRESET = {"Length": ("_system", "SI")}
LENGTH = {"_unit": "m", "_version": "1.0"}
NOTE, MORE = element("a", "n", "urn:notes", "one"), element("b", "m", "urn:more", "two")
LISTS = {"Numbers": "1 -2 3", "Many": ["0.5 1.5", "2"], "_words": "a b"}
XS = {
    "NormalizedString": "a  b", "Token": "a b", "Language": "pt-BR", "Name": "a:b", "NCName": "_1.2-3",
    "NMTOKEN": "-a:b.c", "_id": "id-1", "IDREF": "id-1", "AnyURI": "http://example.com/a?b#c",
    "_attribute": "a b",
}  # fmt: skip


def kinds():
    feature("attribute", echo(PRESET, Length=[{"Value": 1.5, "_digits": 2, **LENGTH}]))
    feature("attribute of another namespace", echo(PRESET, Length=[{"Value": 2.5, "_source": "Zoë & <Ada>", **LENGTH}]))
    feature("enumeration", echo(PRESET, Length=[{"Value": 3.5, **LENGTH, "_unit": "ft"}]))
    feature("default and fixed", echo(Length=[{"Value": 4.5, "_system": "imperial", **LENGTH}]))
    price = "{http://kinds.example/Kinds}Price"
    prices = [kind(price, value="10.50", _currency="EUR"), kind(price, value="-1", _currency='"Zoë" & <Ada>')]
    feature("text with attributes", echo(Price=prices))
    feature("type of another namespace", echo(Point=[{"X": 1.5, "Y": -2.0}]))
    feature("unqualified element", echo(Point=[{"X": 1.0, "Y": 2.0, "Note": "Zoë"}]))
    feature("element of a third namespace", echo(Point=[{"X": 3.0, "Y": 4.0, "Comment": "Zoë"}]))
    two = {"Price": [kind(price, value="1", _currency="EUR")], "OtherPrice": [{"Cents": 100}]}
    feature("two types of one name", echo(**two))
    feature("unqualified record", echo(Plain=[{"A": "a", "B": [1, 2]}]))
    feature("occurrence", occurrence)
    nils = [{"MustBeThere": suds.null(), "MayBeThere": suds.null()}, {"MustBeThere": "there", "MayBeThere": 5}]
    feature("nillable", echo(Nils=nils))
    feature("nillable record", echo(Nils=[{"MustBeThere": "there", "Many": [{"A": "a"}, suds.null()]}]))
    books = [{"Title": "One", "Author": {"Name": "Bob"}, "Sequel": {"Title": "Two"}}]
    feature("recursion", echo(Author={"Name": "Ann", "Book": books}))
    persons = [{"Name": "Ann", "Phone": "1"}, {"Name": "Bob", "Mail": "b@c"}, {"Name": "Cy", "Alias": ["c", "d"]}]
    feature("choice", echo(Person=persons))
    feature("repeated choice", echo(Walk=[{"Left": [1, 3], "Right": [2]}]))
    payments = [
        {"Number": "4111", "Code": 7, "Amount": D(1)},
        {"Account": "DE1", "Bank": "bank", "Amount": D(2)},
        {"Amount": D(3)},
    ]
    feature("choice of groups", echo(Payment=payments))
    grouped = {"Name": "n", "_id": 1, "Last": "z"}
    feature("optional group", echo(Grouped=[{**grouped, "From": 1, "To": 2}, grouped]))
    feature("repeated group", echo(Grouped=[{**grouped, "Key": ["a", "c", "d"], "Value": ["b", None, "e"]}]))
    rex = kind("{http://kinds.example/Kinds}Dog", Name="Rex", _id=1, Barks=True)
    puppy = "{http://kinds.example/Kinds}Puppy"
    feature("extension", echo(Dog=[rex], Puppy=[kind(puppy, Name="Bo", _id=2, Barks=False)]))
    cat = "{urn:kinds:geo}Cat"
    tom, kit = (kind(cat, Name=n, _id=i, Lives=7, _colour="grey") for n, i in (("Tom", 2), ("Kit", 4)))
    bo = kind(puppy, Name="Bo", _id=3, Barks=False)
    feature("derived type", echo(Zoo=[{"Director": rex, "Star": tom, "Animal": [bo, kit]}]))
    shape, circle = "{http://kinds.example/Kinds}Shape", "{http://kinds.example/Kinds}Circle"
    shapes = [kind(shape, Label="plain"), kind(circle, Label="round", Radius=1.5)]
    director = kind("{http://kinds.example/Kinds}Dog", Name="Rex", _id=9, Barks=False)
    feature("derived type in another namespace", echo(Zoo=[{"Director": director, "Shape": shapes}]))
    wildcards()
    simple_types()


def occurrence():
    """suds reads an empty string as None, so the response's are compared so."""
    found = KINDS.service.Everything(Counted=[{"TwoToFive": [1, 2, 3], "Some": ["a", ""]}]).Counted
    return same([{"TwoToFive": [1, 2, 3], "Some": ["a", None]}], found)


def taken(record, expected, **fields):
    named = {name: value for name, value in fields.items() if name != "any"}
    return lambda: same([{**named, **expected}], KINDS.service.Everything(**{record: [fields]})[record])


def wildcards():
    """suds reads the elements of a wildcard by local names, without namespaces."""
    feature("any", taken("Open", {"a": ["one"], "b": ["two"]}, Known="k", any=[NOTE, MORE]))
    feature("anyAttribute", echo(Open=[{"Known": "k", "_a": "v", "_own": "w"}]))
    feature("any in another namespace", taken("OpenElsewhere", {"a": "one", "_a": "1"}, any=NOTE, _a="1"))
    feature("any in a repeated group", taken("OpenGroups", {"a": "one", "b": "two"}, any=[NOTE, MORE], Last="z"))
    beside = kind("{http://kinds.example/Kinds}OpenText", value="Zoë", _a="v")
    feature("anyAttribute beside text", echo(OpenText=[beside]))
    feature("anyType", echo(Anything=[{"Value": "Zoë", "Many": ["one", "two"]}]))


def simple_types():
    """Lists are text to suds, which has no type for them."""
    feature("list", echo(Lists=[{**LISTS, "Mixed": ""}]))
    feature("list of an enumeration", echo(Lists=[{**LISTS, "Mixed": "", "_units": "m ft"}]))
    feature("list of a union", echo(Lists=[{**LISTS, "Mixed": "-7 2020-01-02"}]))
    unions = [{"Value": "7", "Many": ["true", "1.5"]}, *({"Value": v} for v in ("2020-01-02", "ft", "Zoë"))]
    feature("union", echo(Unions=unions))
    feature("union in an attribute", echo(Unions=[{"Value": "8", "_attribute": "1 2"}]))
    names = {"Element": "{urn:q}a", "Many": ["{urn:q}b", "{urn:r}c"]}
    feature("QName", echo(QualifiedNames=[names]))
    feature("QName in an attribute", echo(QualifiedNames=[{**names, "_attribute": "{urn:q}d"}]))
    facets = {
        "Code": "ZZ12", "Name": "Zoë", "Three": "AAEC", "Two": "00FF", "Percent": 100, "Share": D("0.5"),
        "Money": D("-999.99"), "Size": "0.5", "Letter": "b c", "Day": datetime.date(2024, 2, 29),
        "Span": "PT1H", "Numbers": "1 2 3", "Pair": ["ab", "cd"], "_level": "-3",
    }  # fmt: skip
    feature("facets", echo(Facets=[facets]))
    area = kind("{http://kinds.example/Kinds}Area", value="4321", _share="0.25")
    named = {
        "Code": "1234", "Codes": ["0001", "9999"], "LowCode": "0123", "Share": "0.5", "Few": "1 2",
        "Area": area, "_keyword": "word",
    }  # fmt: skip
    feature("named simple types", echo(NamedTypes=[named]))
    small = {"Integer": 0, "NonNegative": 0, "Positive": 1, "NonPositive": 0, "Negative": -1}
    feature("kinds of text", echo(XsTypes=[{**XS, **small}]))
    big = 123456789012345678901234567890
    large = {"Integer": big, "NonNegative": 1 << 64, "Positive": 65535, "NonPositive": -5, "Negative": -big}
    feature("integers of any length", echo(XsTypes=[{**XS, **large}]))


def values(**sent):
    return lambda: same(sent, CALLS.service.Values(**sent))


def built_in():
    utc = suds.sax.date.UtcTimezone()
    feature("time", values(Time=datetime.time(13, 20, 5, tzinfo=utc)))
    moment = datetime.datetime(2024, 2, 29, 23, 59, 58, 125000, suds.sax.date.FixedOffsetTimezone(2))
    feature("date and dateTime", values(Date=datetime.date(2024, 2, 29), DateTime=moment))
    feature("duration", values(Duration="P1Y2M1DT2H3M4S"))
    parts = values(Year="1999", YearMonth="1999-05", Month="--05", MonthDay="--02-29", Day="---31")
    feature("gYear, gMonthDay ...", parts)
    feature("hexBinary and base64Binary", values(Hex="0001FF", Base64="AAH//g=="))
    feature("decimal", values(Decimal=D("12345678901234567.12345")))
    feature("long and unsignedLong", values(Most=(1 << 64) - 1, Least=-(1 << 63)))
    # suds would write its own number as Python does, -inf, and so is given text.
    feature("INF", lambda: same(-float("inf"), CALLS.service.Values(Endless="-INF").Endless))


def headers_in():
    login = CALLS.factory.create("{urn:kinds:calls}Login")
    trace = CALLS.factory.create("{urn:trace}Trace")
    login.Key, trace.Id = "Zoë", "t1"
    CALLS.set_options(soapheaders=(login, trace))
    try:
        return same("in", CALLS.service.Enter(Text="in"))
    finally:
        CALLS.set_options(soapheaders=())


def headers_out():
    response = CALLS.service.Pay(Text="pay")
    if response == "paid":
        return "only the result comes back"
    return same({"PayResult": "paid", "Receipt": {"Number": 7}, "Trace": {"Id": "t2"}}, response)


def declared_fault():
    try:
        return f"no fault, but {CALLS.service.Fail(Text='fail')}"
    except suds.WebFault as refused:
        problem = refused.fault.detail.Problem
        told = "it failed" if "it failed" in str(refused) else str(refused)
        return same([7, "Zoë", "it failed"], [int(problem.Code), problem.Text, told])


def operations():
    tagged, note = (made.factory.create("Tagged") for made in (MIRRORS, SUMS))
    for each in (tagged, note):
        each.value, each._lang = "Zoë", "en"
    feature("bare operation", lambda: same(tagged, MIRRORS.service.Mirror(tagged)))
    found = {"Count": 2, "Word": ["one", "two"]}
    feature("several response elements", lambda: same(found, CALLS.service.Find(Text="find")))
    feature("header blocks in requests", headers_in)
    feature("header blocks in responses", headers_out)
    feature("declared fault", declared_fault)
    feature("one-way operation", lambda: CALLS.service.Forget(Text="forget") and "a response")
    feature("rpc/literal", lambda: same(5, SUMS.service.Add(a=2, b=3, note=note)))


kinds()
built_in()
operations()
