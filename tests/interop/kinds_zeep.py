#!/usr/bin/python3
"""python3-zeep against the service of all kinds: kinds_zeep.py URL 1.1|1.2

Sends the value of each feature in features.md, as zeep's own objects, and compares what comes back.
"""

import datetime
import decimal
import sys

import isodate
import zeep
from lxml import etree
from zeep import xsd

BASE, VERSION = sys.argv[1:3]
KINDS = "http://kinds.example/Kinds"
NIL, SKIP = xsd.Nil, xsd.SkipValue
D = decimal.Decimal
QName = etree.QName


def client(name):
    loaded = zeep.Client(f"{BASE}/soap/v3/{name}.asmx?wsdl")
    return loaded, loaded.bind(name, name + ("Soap" if VERSION == "1.1" else "Soap12"))


KINDS_CLIENT, KINDS_PORT = client("Kinds")
CALLS_CLIENT, CALLS_PORT = client("Calls")
SUMS_CLIENT, SUMS_PORT = client("Sums")
MIRRORS_CLIENT, MIRRORS_PORT = client("Mirrors")
ROWS_CLIENT, ROWS_PORT = client("Rows")


def feature(name, *steps):
    """Runs the steps; each returns the error, if there is one."""
    try:
        wrong = next(filter(None, (step() for step in steps)), None)
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    wrong = wrong and " ".join(str(wrong).split())
    print(f"FAIL zeep {VERSION}: {name}: {wrong}" if wrong else f"ok   zeep {VERSION}: {name}", flush=True)


def plain(value):
    """A sent or received value, without absent members."""
    if isinstance(value, etree._Element):
        return [value.tag, value.text]
    if isinstance(value, xsd.AnyObject):
        return plain(value.value)
    if isinstance(value, (QName, etree.QName)):
        return value.text
    if hasattr(value, "__values__"):
        kind = type(value).__name__
        return {**plain(dict(value.__values__)), **({"type": kind} if kind in DERIVED else {})}
    if hasattr(value, "items"):
        made = {key: plain(each) for key, each in value.items()}
        return {key: each for key, each in made.items() if each is not None and each != [] and each != {}}
    if isinstance(value, (list, tuple)):
        return [None if each is NIL else plain(each) for each in value]
    return None if value is NIL or value is SKIP else value


DERIVED = ("Dog", "Puppy", "Cat", "Circle", "Shape")


def same(sent, found):
    sent, found = plain(sent), plain(found)
    return None if sent == found else f"sent {sent}, got {found}"


def echo(absent=None, **fields):
    """The response may also have default values: `absent` lists those that were not sent."""

    def step():
        found = plain(KINDS_PORT.Everything(**fields))
        for record, names in (absent or {}).items():
            for each, expected in ((e, n) for e in found[record] for n in names.items()):
                if each.pop(expected[0], None) != expected[1]:
                    return f"{expected[0]} is not {expected[1]}"
        return same(fields, found)

    return step


def kind(name, ns="ns0", **fields):
    return KINDS_CLIENT.get_type(f"{ns}:{name}")(**fields)


def element(text):
    return etree.fromstring(text)


PRESET = {"Length": {"system": "SI"}}
VERSION_1 = {"version": "1.0"}
LENGTH = {"unit": "m", **VERSION_1}
NOTE, MORE = element("<a xmlns='urn:notes'>one</a>"), element("<b xmlns='urn:more'>two</b>")
LISTS = {"Numbers": [1, -2, 3], "Many": [[0.5, 1.5], [2.0]], "words": ["a", "b"]}
NAMES = {"Element": QName("urn:q", "a"), "Many": [QName("urn:q", "b"), QName("urn:r", "c")]}
XS = {
    "NormalizedString": "a  b", "Token": "a b", "Language": "pt-BR", "Name": "a:b", "NCName": "_1.2-3",
    "NMTOKEN": "-a:b.c", "id": "id-1", "IDREF": "id-1", "AnyURI": "http://example.com/a?b#c", "attribute": "a b",
}  # fmt: skip


def kinds():
    feature("attribute", echo(PRESET, Length=[{"Value": 1.5, "digits": 2, **LENGTH}]))
    feature("attribute of another namespace", echo(PRESET, Length=[{"Value": 2.5, "source": "Zoë & <Ada>", **LENGTH}]))
    feature("enumeration", echo(PRESET, Length=[{"Value": 3.5, "unit": "ft", **VERSION_1}]))
    feature("default and fixed", echo(Length=[{"Value": 4.5, "system": "imperial", **LENGTH}]))
    prices = [{"_value_1": D("10.50"), "currency": "EUR"}, {"_value_1": D(-1), "currency": '"Zoë" & <Ada>'}]
    feature("text with attributes", echo(Price=prices))
    feature("type of another namespace", echo(Point=[{"X": 1.5, "Y": -2.0}]))
    feature("unqualified element", echo(Point=[{"X": 1.0, "Y": 2.0, "Note": "Zoë"}]))
    feature("element of a third namespace", echo(Point=[{"X": 3.0, "Y": 4.0, "Comment": "Zoë"}]))
    two = {"Price": [{"_value_1": D(1), "currency": "EUR"}], "OtherPrice": [{"Cents": 100}]}
    feature("two types of one name", echo(**two))
    feature("unqualified record", echo(Plain=[{"A": "a", "B": [1, 2]}]))
    feature("occurrence", occurrence)
    nils = [{"MustBeThere": NIL, "MayBeThere": NIL}, {"MustBeThere": "there", "MayBeThere": 5}]
    feature("nillable", echo(Nils=nils))
    feature("nillable record", echo(Nils=[{"MustBeThere": "there", "Many": [{"A": "a"}, NIL]}]))
    books = [{"Title": "One", "Author": {"Name": "Bob"}, "Sequel": {"Title": "Two"}}]
    feature("recursion", echo(Author={"Name": "Ann", "Book": books}))
    persons = [{"Name": "Ann", "Phone": "1"}, {"Name": "Bob", "Mail": "b@c"}, {"Name": "Cy", "Alias": ["c", "d"]}]
    feature("choice", echo(Person=persons))
    feature("repeated choice", echo(Walk=[{"_value_1": [{"Left": 1}, {"Right": 2}, {"Left": 3}]}]))
    payments = [
        {"Number": "4111", "Code": 7, "Amount": D(1)},
        {"Account": "DE1", "Bank": "bank", "Amount": D(2)},
        {"Amount": D(3)},
    ]
    feature("choice of groups", echo(Payment=payments))
    grouped = {"Name": "n", "id": 1, "Last": "z"}
    no_pairs, no_range = {"_value_1": [{"Key": SKIP}]}, {"From": SKIP, "To": SKIP}
    with_range = {**grouped, "From": 1, "To": 2}
    feature("optional group", echo(Grouped=[{**with_range, **no_pairs}, {**grouped, **no_range, **no_pairs}]))
    pairs = [{"Key": "a", "Value": "b"}, {"Key": "c"}, {"Key": "d", "Value": "e"}]
    feature("repeated group", echo(Grouped=[{**grouped, **no_range, "_value_1": pairs}]))
    rex = kind("Dog", Name="Rex", id=1, Barks=True)
    feature("extension", echo(Dog=[rex], Puppy=[kind("Puppy", Name="Bo", id=2, Barks=False)]))
    tom, kit = (kind("Cat", "ns1", Name=n, id=i, Lives=7, colour="grey") for n, i in (("Tom", 2), ("Kit", 4)))
    bo = kind("Puppy", Name="Bo", id=3, Barks=False)
    feature("derived type", echo(Zoo=[{"Director": rex, "Star": tom, "Animal": [bo, kit]}]))
    shapes = [kind("Shape", Label="plain"), kind("Circle", Label="round", Radius=1.5)]
    director = kind("Dog", Name="Rex", id=9, Barks=False)
    feature("derived type in another namespace", echo(Zoo=[{"Director": director, "Shape": shapes}]))
    wildcards()
    simple_types()


def occurrence():
    """zeep reads an empty string as None, so the response's are compared so."""
    found = KINDS_PORT.Everything(Counted=[{"TwoToFive": [1, 2, 3], "Some": ["a", ""]}])["Counted"]
    return same([{"TwoToFive": [1, 2, 3], "Some": ["a", None]}], found)


def wildcards():
    feature("any", echo(Open=[{"Known": "k", "_value_1": [NOTE, MORE]}]))
    attributes = {"{urn:others}a": "v", "own": "w"}
    feature("anyAttribute", echo(Open=[{"Known": "k", "_attr_1": attributes}]))
    elsewhere = {"_value_1": NOTE, "_attr_1": {"{urn:kinds:geo}a": "1"}}
    feature("any in another namespace", echo(OpenElsewhere=[elsewhere]))
    groups = {"_value_1": [{"_value_1": NOTE}, {"_value_1": MORE}], "Last": "z"}
    feature("any in a repeated group", echo(OpenGroups=[groups]))
    beside = {"_value_1": "Zoë", "_attr_1": {"{urn:others}a": "v"}}
    feature("anyAttribute beside text", echo(OpenText=[beside]))

    def text(value):
        return xsd.AnyObject(xsd.String(), value)

    feature("anyType", echo(Anything=[{"Value": text("Zoë"), "Many": [text("one"), text("two")]}]))


def simple_types():
    feature("list", echo(Lists=[{**LISTS, "Mixed": []}]))
    feature("list of an enumeration", echo(Lists=[{**LISTS, "Mixed": [], "units": ["m", "ft"]}]))
    feature("list of a union", echo(Lists=[{**LISTS, "Mixed": ["-7", "2020-01-02"]}]))
    unions = [{"Value": "7", "Many": ["true", "1.5"]}, *({"Value": v} for v in ("2020-01-02", "ft", "Zoë"))]
    feature("union", echo(Unions=unions))
    feature("union in an attribute", echo(Unions=[{"Value": "8", "attribute": "1 2"}]))
    feature("QName", echo(QualifiedNames=[NAMES]))
    feature("QName in an attribute", echo(QualifiedNames=[{**NAMES, "attribute": QName("urn:q", "d")}]))
    facets = {
        "Code": "ZZ12", "Name": "Zoë", "Three": b"\0\1\2", "Two": "00FF", "Percent": 100, "Share": D("0.5"),
        "Money": D("-999.99"), "Size": 0.5, "Letter": "b c", "Day": datetime.date(2024, 2, 29),
        "Span": datetime.timedelta(hours=1), "Numbers": [1, 2, 3], "Pair": ["ab", "cd"], "level": -3,
    }  # fmt: skip
    feature("facets", echo(Facets=[facets]))
    named = {
        "Code": "1234", "Codes": ["0001", "9999"], "LowCode": "0123", "Share": 0.5, "Few": [1, 2],
        "Area": {"_value_1": "4321", "share": 0.25}, "keyword": "word",
    }  # fmt: skip
    feature("named simple types", echo(NamedTypes=[named]))
    small = {"Integer": 0, "NonNegative": 0, "Positive": 1, "NonPositive": 0, "Negative": -1}
    feature("kinds of text", echo(XsTypes=[{**XS, **small}]))
    big = 123456789012345678901234567890
    large = {"Integer": big, "NonNegative": 1 << 64, "Positive": 65535, "NonPositive": -5, "Negative": -big}
    feature("integers of any length", echo(XsTypes=[{**XS, **large}]))


def values(**sent):
    return lambda: same(sent, CALLS_PORT.Values(**sent))


def built_in():
    feature("time", values(Time=datetime.time(13, 20, 5, tzinfo=isodate.UTC)))
    east = datetime.timezone(datetime.timedelta(hours=2))
    moment = datetime.datetime(2024, 2, 29, 23, 59, 58, 125000, east)
    feature("date and dateTime", values(Date=datetime.date(2024, 2, 29), DateTime=moment))
    year_and_more = isodate.Duration(years=1, months=2, days=1, hours=2, minutes=3, seconds=4)
    feature("duration", values(Duration=year_and_more))
    parts = values(Year=(1999, None), YearMonth=(1999, 5, None), Month=(5, None), MonthDay=(2, 29, None), Day=(31, None))
    feature("gYear, gMonthDay ...", parts)
    feature("hexBinary and base64Binary", values(Hex="0001FF", Base64=b"\0\1\xff\xfe"))
    feature("decimal", values(Decimal=D("12345678901234567.12345")))
    feature("long and unsignedLong", values(Most=(1 << 64) - 1, Least=-(1 << 63)))
    # zeep would write its own number as Python does, -inf, and so is given text.
    feature("INF", lambda: same(-float("inf"), CALLS_PORT.Values(Endless="-INF").Endless))


def header_response():
    response = CALLS_PORT.Pay(Text="pay")
    wrong = same("paid", response.body.PayResult)
    return wrong or same({"Receipt": {"Number": 7}, "Trace": {"Id": "t2"}}, response.header)


def declared_fault():
    try:
        return f"no fault, but {CALLS_PORT.Fail(Text='fail')}"
    except zeep.exceptions.Fault as fault:
        problem = fault.detail.find("{urn:kinds:calls}Problem")
        known = CALLS_CLIENT.get_element("{urn:kinds:calls}Problem")
        read = known.parse(problem, CALLS_CLIENT.wsdl.types)
        return same([7, "Zoë", "it failed"], [read.Code, read.Text, fault.message])


def operations():
    tagged = {"_value_1": "Zoë", "lang": "en"}
    feature("bare operation", lambda: same(tagged, MIRRORS_PORT.Mirror(**tagged)))
    found = {"Count": 2, "Word": ["one", "two"]}
    feature("several response elements", lambda: same(found, CALLS_PORT.Find(Text="find")))
    blocks = {"Login": {"Key": "Zoë"}, "Trace": {"Id": "t1"}}
    feature("header blocks in requests", lambda: same("in", CALLS_PORT.Enter(Text="in", _soapheaders=blocks)))
    feature("header blocks in responses", header_response)
    feature("declared fault", declared_fault)
    feature("one-way operation", lambda: CALLS_PORT.Forget(Text="forget") and "a response")
    feature("rpc/literal", lambda: same(5, SUMS_PORT.Add(a=2, b=3, note=tagged)))


def rows():
    def put(name, **sent):
        [(part, value)] = sent.items()
        return lambda: same(value, getattr(ROWS_PORT, name)(**sent))

    items = [{"Article": "Zoë", "Count": 1}, {"Article": "<b>", "Count": -2}]
    order = {"Lines": {"Item": items}, "Words": {"string": ["one", "two"]}, "Numbers": NIL}
    feature("wrapped list", put("PutOrder", order=order))
    pairs = [{"Key": "Ann", "Value": 1}, {"Key": "Zoë", "Value": 2}]
    line = {"Article": "a", "Count": 1}
    scores = {
        "Scores": {"KeyValueOfstringint": pairs}, "Lines": {"Numbered": [{"Number": 7, "Line": line}]},
    }  # fmt: skip
    feature("map", put("PutScores", scores=scores))
    moment = datetime.datetime(2024, 2, 29, 13, 5, tzinfo=isodate.UTC)
    event = {
        "Day": moment.date(), "At": moment, "Length": datetime.timedelta(minutes=90), "Price": D("10.50"), "Line": line,
    }  # fmt: skip
    feature("types by adapters", put("PutEvent", event=event))
    feature("parameters", lambda: same(5, ROWS_PORT.Add(a=2, b=3)))


kinds()
built_in()
operations()
rows()
