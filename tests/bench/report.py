"""report.py FOLDER [--readme] SECTION...: the results in FOLDER as tables in markdown.

Each file holds rows of section, series, case, measure and value; of equal keys the median counts.
"""
import functools
import itertools
import math
import os
import sys
from collections import defaultdict
from statistics import median

from cells import ratio, table, text

FOLDER = sys.argv[1]
README = "--readme" in sys.argv
SECTIONS = [name for name in sys.argv[2:] if name != "--readme"]
BEST, DEBIAN = "gsoap-best", "gsoap-debian"


class Results:
    """Medians by series, case and measure, in the order in which they came."""

    def __init__(self, section):
        values = defaultdict(list)
        path = os.path.join(FOLDER, section)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    _, series, case, measure, value = line.rstrip("\n").split("\t")
                    values[series, case, measure].append(float(value))
        self.medians = {key: median(found) for key, found in values.items()}
        self.worst = {key: max(found) for key, found in values.items()}
        self.series = list(dict.fromkeys(key[0] for key in values))

    def get(self, series, case, measure):
        return self.medians.get((series, str(case), measure))

    def cases(self, series):
        return list(dict.fromkeys(key[1] for key in self.medians if key[0] == series))


def us(ns):
    return None if ns is None else ns / 1000


# --- Sections ------------------------------------------------------------------------------------

CASES = {
    "list-3": "three-address call",
    "insert": "insert",
    "webhooks": "webhooks, 4 of 5 events",
    "list-100": "100 addresses out",
    "list-1000": "1,000 addresses out",
    "insert-10000": "10,000 addresses in",
    "attributes-in": "100 articles in: attributes and simpleContent",
    "attributes-out": "100 articles out",
    "choices-in": "100 moves in: choices",
    "choices-out": "100 moves out",
    "derived-in": "100 loads in: types derived from another",
    "derived-out": "100 loads out",
    "wildcards-in": "100 notes in: wildcards",
    "wildcards-out": "100 notes out",
}
DEPOT = [case for case in CASES if case.endswith(("-in", "-out"))]


def speed(results, series, case, way):
    """MB/s of the bytes read until the method is called, or written from then on.

    None where they are less than a twentieth of all bytes: there, other things are measured.
    """
    call, read = (results.get(series, case, name) for name in ("ns", "read_ns"))
    sizes = {side: results.get(series, case, f"bytes_{side}") for side in ("in", "out")}
    if None in (call, read, *sizes.values()):
        return None
    time = read if way == "in" else call - read
    if time <= 0 or sizes[way] < sum(sizes.values()) / 20:
        return None
    return sizes[way] / time * 1000


def codec():
    results = Results("codec")
    rows, counts = [], []
    for case, name in CASES.items():
        times = [results.get(series, case, "ns") for series in ("ours", DEBIAN, BEST)]
        rows.append(
            [name, *(text(us(time)) for time in times)]
            + [text(ratio(times[1], times[0]), 1), text(ratio(times[2], times[0]), 1)]
            + [text(speed(results, "ours", case, way), 0) for way in ("in", "out")]
            + [text(speed(results, BEST, case, way), 0) for way in ("in", "out")]
        )
        made = [results.get(series, case, "instructions") for series in ("ours", DEBIAN, BEST)]
        read = [results.get(series, case, "read_instructions") for series in ("ours", BEST)]
        counts.append(
            [name, *(text(count, 0) for count in made)]
            + [text(ratio(made[1], made[0]), 1), text(ratio(made[2], made[0]), 1)]
            + [text(count, 0) for count in read]
            + [text(results.get(series, case, "allocations"), 0) for series in ("ours", BEST)]
        )
    yield "### Codec, in process"
    yield ""
    yield (
        "Microseconds of processor time per call, bytes in to bytes out; ratios are gSOAP's time "
        "to ours; MB/s of the bytes that each reads and writes itself. `best` is gSOAP's engine "
        "compiled anew with WITH_NOIDREF, a buffer of 256 KB and -O2."
    )
    yield ""
    yield from table(
        ["case", "ours us", "gSOAP us", "gSOAP best us", "gSOAP/ours", "best/ours",
         "ours read MB/s", "ours write MB/s", "best read MB/s", "best write MB/s"],
        rows,
    )
    yield from table(
        ["instructions per call", "ours", "gSOAP", "gSOAP best", "gSOAP/ours", "best/ours",
         "ours, reading", "best, reading", "ours, allocations", "best, allocations"],
        counts,
    )


SIGNED = {
    "verify-small": "verify 10 records",
    "verify-large": "verify 1,000 records",
    "sign-small": "sign 10 records",
    "sign-large": "sign 1,000 records",
}
SIGNERS = ("ours", "gSOAP", "xmlsec1")


def beside_rsa(results, series, case):
    """The time of a message without RSA's: one to sign, two to verify it and its certificate."""
    way = case.split("-")[0]
    each = results.get("RSA", way, "ns")
    whole = results.get(series, case, "ns")
    if None in (each, whole):
        return None
    return whole - each * (2 if way == "verify" else 1)


def signatures():
    results = Results("signatures")
    yield "### Signatures"
    yield ""
    yield (
        "One message, Body and Timestamp signed by RSA (2,048 bits) and SHA-256, with the "
        "certificate in it: instructions outside of RSA, and microseconds of processor time. To "
        "verify is to parse, trust, check and decode; to sign is to encode and sign. gSOAP is "
        "Debian's with its plugin; xmlsec1's library decodes and encodes nothing."
    )
    yield ""
    for title, find, digits in (
        ("instructions outside of RSA", lambda *of: results.get(*of, "instructions"), 0),
        ("us outside of RSA", lambda *of: us(beside_rsa(results, *of)), 1),
        ("us with RSA", lambda *of: us(results.get(*of, "ns")), 1),
    ):
        rows = []
        for case, name in SIGNED.items():
            found = [find(series, case) for series in SIGNERS]
            rows.append(
                [name, *(text(value, digits) for value in found)]
                + [text(ratio(value, found[0]), 2) for value in found[1:]]
            )
        yield from table([title, *SIGNERS, "gSOAP/ours", "xmlsec1/ours"], rows)


CONNECTIONS = ("1", "8", "64", "512")


def http():
    results = Results("http")
    yield "### HTTP, three-address call"
    yield ""
    yield (
        "One wrk thread on the same machine. Peers answer from memory; `cpu us` is the server's "
        "processor time for a request, `MB` what it has resident, ratios are of requests per "
        "second. cpp-httplib and gSOAP's pool hold a thread for each connection: gSOAP was given "
        "as many, and so was cpp-httplib in its second row; in its first, connections beyond its "
        "pool wait all the time and are in no latency."
    )
    yield ""
    rows = []
    for connections in CONNECTIONS:
        for series in results.series:
            rate = results.get(series, connections, "rps")
            if rate is None:
                continue
            prefix = "TLS " if series.startswith("TLS ") else ""
            pool = results.get(prefix + "gSOAP, its pool", connections, "rps")
            bare = None if prefix else results.get("bare epoll loop", connections, "rps")
            find = functools.partial(results.get, series, connections)
            rows.append(
                [series, connections, text(rate, 0)]
                + [text(find(name), 0) for name in ("p50", "p99", "p999")]
                + [text(find(name), 1) for name in ("cpu_us", "mb")]
                + [text(ratio(rate, pool), 2), text(ratio(rate, bare), 2)]
                + [text(results.worst[series, connections, "errors"], 0)]
            )
    yield from table(
        ["server", "connections", "requests/s", "p50 us", "p99 us", "p99.9 us", "cpu us", "MB",
         "to gSOAP's pool", "to the bare loop", "errors"],
        rows,
    )
    made = results.get("ours, memory", 8, "allocations")
    yield f"Allocations of our host for a warm call: {text(made, 2)}."
    yield ""


SHARES = ("25", "50", "75")
STORES = ("memory", "SQLite")


def paced_cells(results):
    """Scheme, connections, store, share, and the best peer by p99; None where one is missing."""
    for scheme in ("http", "https"):
        for connections in CONNECTIONS:
            for store in STORES:
                for share in SHARES:
                    case = f"{scheme} {connections} {store} {share}"
                    peers = [
                        (results.get(series, case, "p99"), series)
                        for series in results.series
                        if not series.startswith("ours") and not results.get(series, case, "errors")
                    ]
                    found = [peer for peer in peers if peer[0] is not None]
                    yield case, f"ours, {store}", min(found)[1] if found else None


def paced():
    results = Results("paced")
    yield "### Paced"
    yield ""
    yield (
        "The three-address call, so many times a second: 25, 50 and 75 % of what the slower of us "
        "and the best peer can do with as many connections. Latency counts from the moment at which "
        "a request was to be sent. The best peer is the one of the lowest p99 in that cell, from "
        "memory; cpp-httplib and gSOAP's pool have a thread for each connection, JAX-WS one a core."
    )
    yield ""
    rows = []
    for case, ours, best in paced_cells(results):
        find = functools.partial(results.get, ours, case)
        beside = functools.partial(results.get, best, case)
        scheme, connections, store, share = case.split()
        rows.append(
            [f"{'TLS, ' if scheme == 'https' else ''}{store}, {connections}", f"{share} %"]
            + [text(find("rps"), 0)]
            + [text(find(name), 0) for name in ("p50", "p99", "p999")]
            + [best or "-"]
            + [text(beside(name), 0) for name in ("p50", "p99", "p999")]
            + [text(ratio(find("p99"), beside("p99")), 2)]
            + [text(results.worst.get((ours, case, "errors")), 0)]
        )
    yield from table(
        ["ours, connections", "load", "requests/s", "p50 us", "p99 us", "p99.9 us", "best peer",
         "its p50", "its p99", "its p99.9", "p99 to its", "errors"],
        rows,
    )
    rows = []
    for series in results.series:
        for scheme in ("http", "https"):
            each = [results.get(series, f"{scheme} {number}", "capacity") for number in CONNECTIONS]
            if any(each):
                rows.append([("TLS, " if scheme == "https" else "") + series, *(text(one, 0) for one in each)])
    yield from table(["requests/s without pause", *CONNECTIONS], rows)


CALLERS = {
    "alone": "nobody",
    "upload": "an upload of 16 MB",
    "both": "an upload of 16 MB, a handler of 200 ms",
    "streamed": "an upload read as a stream, a handler of 200 ms",
    "handlers": "three handlers of 200 ms",
}
WAYS = {"full": "without pause", "half": "paced at half"}


def mixed():
    results = Results("mixed")
    yield "### Readers beside others"
    yield ""
    yield (
        "The three-address call from memory, by 64 connections or 8, alone and beside those who ask "
        "for something else again and again, each by a connection of its own: without pause, and at "
        "half the rate that the server then answers alone, where latency counts from the moment at "
        "which a request was to be sent. gSOAP's pool and cpp-httplib have a thread for each "
        "connection; cpp-httplib decodes nothing and has no handlers, so it has uploads only, and "
        "gSOAP no streams."
    )
    yield ""
    rows = []
    for series, connections, way, beside in itertools.product(
        results.series, ("64", "8"), WAYS, CALLERS
    ):
        case = f"{connections} {way} {beside}"
        find = functools.partial(results.get, series, case)
        if find("rps") is not None:
            alone = functools.partial(results.get, series, f"{connections} {way} alone")
            kinds = ("errors", "Put_errors", "Wait_errors")
            failed = (results.worst.get((series, case, kind), 0) for kind in kinds)
            rows.append(
                [series, f"{connections}, {WAYS[way]}", CALLERS[beside], text(find("rps"), 0)]
                + [text(find(name), 0) for name in ("p50", "p99", "p999")]
                + [text(ratio(find(name), alone(name)), 2) for name in ("p99", "p999")]
                + [text(find(name), 1) for name in ("Put_rps", "Wait_rps")]
                + [text(sum(failed), 0)]
            )
    yield from table(
        ["server", "readers", "beside", "requests/s", "p50 us", "p99 us", "p99.9 us",
         "p99 to alone", "p99.9 to alone", "uploads/s", "slow calls/s", "errors"],
        rows,
    )


def inserts():
    results = Results("inserts")
    disk = results.get("disk", "fdatasync", "us")
    yield "### Durable inserts"
    yield ""
    yield (
        "Over HTTP on SQLite, synchronous=FULL. `syncs` are fsync and fdatasync calls for an "
        f"insert. A bare fdatasync of 4 KB takes {text(disk, 0)} us on this disk."
    )
    yield ""
    rows = []
    for connections in ("1", "8", "64", "256"):
        single = results.get("a commit each", connections, "rps")
        for series in ("group commit", "a commit each"):
            rate = results.get(series, connections, "rps")
            per = results.get(series, connections, "syncs_per_insert")
            rows.append(
                [series, connections, text(rate, 0), text(per, 3), text(ratio(1, per), 1)]
                + [text(results.get(series, connections, name), 0) for name in ("p50", "p99")]
                + [text(ratio(rate, single), 2)]
                + [text(results.worst.get((series, connections, "errors")), 0)]
            )
    yield from table(
        ["inserts", "connections", "inserts/s", "syncs", "inserts a sync", "p50 us", "p99 us",
         "to a commit each", "errors"],
        rows,
    )
    rows = []
    for series in ("group commit", "a commit each"):
        alone = results.get(series, "reads alone", "read_rps")
        for case in ("reads alone", "reads beside"):
            rate = results.get(series, case, "read_rps")
            rows.append(
                [f"{series}, {case}", text(rate, 0)]
                + [text(results.get(series, case, name), 0) for name in ("read_p50", "read_p99")]
                + [text(results.get(series, case, "rps"), 0), text(ratio(rate, alone), 2)]
                + [text(results.worst.get((series, case, "read_errors")), 0)]
            )
    yield from table(
        ["8 readers, 64 writers beside", "reads/s", "p50 us", "p99 us", "inserts/s",
         "to alone", "errors"],
        rows,
    )


def on_postgres():
    results = Results("postgres")
    yield "### PostgreSQL"
    yield ""
    yield (
        "Over HTTP with 64 connections, beside pgbench with the same prepared statements over the "
        "same socket, with as many connections as a process of ours has at most."
    )
    yield ""
    rows = []
    for case in ("list", "insert"):
        peer = results.get("pgbench", case, "rps")
        rows.append([f"pgbench, {case}", text(peer, 0), "-", "1", "0"])
        for processes in (1, 2, 4):
            series = f"{processes} processes"
            rate = results.get(series, case, "rps")
            rows.append(
                [f"{case}, {processes} process{'es' if processes > 1 else ''}", text(rate, 0)]
                + [text(results.get(series, case, "p99"), 0), text(ratio(rate, peer), 2)]
                + [text(results.worst.get((series, case, "errors")), 0)]
            )
    for case in ("list, its statement alone", "insert, 64 connections"):
        rows.append([f"pgbench, {case}", text(results.get("pgbench", case, "rps"), 0), "-", "-", "0"])
    yield from table(["calls", "a second", "p99 us", "to pgbench", "errors"], rows)


def slope(points):
    """Of the logarithms, by least squares; points are (how large, how much)."""
    points = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y and y > 0]
    if len(points) < 2:
        return None
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum(
        (x - mean_x) ** 2 for x, _ in points
    )


def growth_lines():
    """Name, unit, and the points of each line."""
    results = Results("growth")
    for name, prefix in (("addresses out, codec", "list"), ("addresses in, codec", "insert")):
        points = [
            (size, us(results.get("ours", f"{prefix}-{size}", "ns")))
            for size in (10, 100, 1_000, 10_000)
        ]
        yield name, "us", points
    for series in results.series:
        if series == "ours":
            continue
        cases = sorted((int(case) for case in results.cases(series)))
        yield series, "us", [(case, us(results.get(series, case, "ns"))) for case in cases]
        kilobytes = [(case, results.get(series, case, "kb_each")) for case in cases]
        if any(value is not None for _, value in kilobytes):
            yield series + ", memory each", "KB", kilobytes


def growth():
    yield "### Growth"
    yield ""
    yield (
        "One call while something else grows by tens. The slope is that of the logarithms: 0 is no "
        "growth, 1 is in proportion."
    )
    yield ""
    rows = []
    for name, unit, points in growth_lines():
        points = [(size, value) for size, value in points if value is not None]
        if points:
            steps = ", ".join(f"{size:,}: {text(value)}" for size, value in points)
            rows.append([name, unit, steps, text(slope(points), 2)])
    yield from table(["what grows", "unit", "measured at", "slope"], rows)


FILE_WAYS = ("to a server", "from a server")


def files():
    results = Results("files")
    yield "### Files"
    yield ""
    yield (
        "One file as base64 between a client and a server in two processes: read by one, written by "
        "the other. MB are of base64; memory is the most that each has resident beyond what it has "
        "when idle. Ours by read_file and write_file, and a client that wants no gzip; gSOAP by its "
        "own type for base64, in chunks and by its best build: that type is in memory as a whole on "
        "both sides."
    )
    yield ""
    rows = []
    for way in FILE_WAYS:
        for series in results.series:
            find = functools.partial(results.get, series, way)
            rows.append(
                [way, series, text(find("mb"), 0), text(find("mb_s"), 0)]
                + [text(ratio(find(f"{side}_kb"), 1024), 1) for side in ("client", "server")]
                + [text(ratio(find("mb_s"), results.get("gSOAP best", way, "mb_s")), 2)]
            )
    yield from table(
        ["a file", "by", "MB", "MB/s", "client, MB more", "server, MB more", "MB/s to gSOAP's"],
        rows,
    )


UNITS = (
    "only httplib.h",
    "only soapsvc.hpp, split",
    "hello, split",
    "hello, header-only",
    "sign_on, split",
    "employee, split",
    "debtor, split",
    "auth, split",
    "implementation",
    "200 records",
    "200 records, floor",
)
EXAMPLE_UNITS = UNITS[4:8]
RECORDS = (50, 200)
FEATURES = (
    "attribute", "content", "choice", "group", "extends", "derived", "any", "list", "variant",
    "facets", "nillable", "box",
)
FEATURE_COUNT = 25  # as in compile.py
COMPILERS = ("g++ -O0", "clang++ -O0", "g++ -O2", "clang++ -O2")


def to_httplib(results, compiler, unit):
    """The time of a unit, divided by that of a unit that only includes httplib.h."""
    return ratio(
        results.get(compiler, unit, "seconds"), results.get(compiler, "only httplib.h", "seconds")
    )


def of_record(results, compiler, count, measure):
    """The cost of one record beyond its floor: milliseconds, or bytes."""
    whole = results.get(compiler, f"{count} records", measure)
    floor = results.get(compiler, f"{count} records, floor", measure)
    if whole is None or floor is None:
        return None
    return (whole - floor) / count * (1000 if measure == "seconds" else 1)


def with_feature(results, compiler, feature):
    """The cost of a record with a feature beyond its floor, in milliseconds."""
    whole = results.get(compiler, f"with {feature}", "seconds")
    floor = results.get(compiler, f"with {feature}, floor", "seconds")
    return None if whole is None or floor is None else (whole - floor) / FEATURE_COUNT * 1000


def to_nothing(results, compiler, feature):
    return ratio(
        with_feature(results, compiler, feature), with_feature(results, compiler, "nothing")
    )


def record_slope(results, compiler):
    """How the time of all records grows with their number: 1 is in proportion."""
    each = ((count, of_record(results, compiler, count, "seconds")) for count in RECORDS)
    return slope([(count, count * time) for count, time in each if time is not None and time > 0])


def compile_time():
    results = Results("compile")
    yield "### Compile time and size"
    yield ""
    yield (
        "Processor seconds, how many times that of a unit with httplib.h alone, and KB of code and "
        "data in the object. A record has eight fields, and is repeated in another one; its floor "
        "is the struct, with a vector of it made, grown and destroyed."
    )
    yield ""
    rows = []
    for unit in UNITS:
        cells = []
        for compiler in COMPILERS:
            size = ratio(results.get(compiler, unit, "bytes"), 1024)
            seconds = results.get(compiler, unit, "seconds")
            times = text(to_httplib(results, compiler, unit), 2)
            cells.append(f"{text(seconds, 2)} s, {times}x, {text(size, 0)} KB")
        rows.append([unit, *cells])
    for name, measure, unit in [("time", "seconds", "ms"), ("code", "bytes", "bytes")]:
        cells = (text(of_record(results, compiler, 200, measure), 1) for compiler in COMPILERS)
        rows.append([f"a record beyond its floor, {name}", *(f"{cell} {unit}" for cell in cells)])
    yield from table(["unit", *COMPILERS], rows)
    yield (
        f"Milliseconds of a record with each feature beyond its floor, of {FEATURE_COUNT}; in "
        "brackets how many times one with nothing of the kind."
    )
    yield ""
    rows = []
    for feature in ("nothing", *FEATURES):
        cells = []
        for compiler in COMPILERS:
            time = text(with_feature(results, compiler, feature), 1)
            cells.append(f"{time} ({text(to_nothing(results, compiler, feature), 2)})")
        rows.append([feature, *cells])
    yield from table(["a record with", *COMPILERS], rows)


# --- Targets -------------------------------------------------------------------------------------


def target(name, wanted, value, digits, good, slower=None):
    held = "-" if value is None else "yes" if good(value) else "**no**"
    return [name, wanted, text(value, digits), text(slower, digits), held]


def tail_target(name, wanted, measure, digits, good):
    """`measure` makes the value of "p99", which is compared with the target, and of "p999"."""
    return target(name, wanted, measure("p99"), digits, good, measure("p999"))


def codec_targets():
    results = Results("codec")
    for case in ("list-3", "webhooks", "insert"):
        value = ratio(results.get(BEST, case, "ns"), results.get("ours", case, "ns"))
        yield target(f"{CASES[case]}, codec", ">= 3x gSOAP best", value, 2, lambda v: v >= 3)
    case = "list-1000"
    value = ratio(results.get(BEST, case, "ns"), results.get("ours", case, "ns"))
    yield target("writing 1,000 addresses", ">= 3x gSOAP best", value, 2, lambda v: v >= 3)
    value = speed(results, "ours", case, "out")
    yield target("writing 1,000 addresses, MB/s", ">= 2000", value, 0, lambda v: v >= 2000)
    case = "insert-10000"
    value = ratio(results.get(BEST, case, "ns"), results.get("ours", case, "ns"))
    yield target("reading 10,000 addresses", ">= 5x gSOAP best", value, 2, lambda v: v >= 5)
    value = speed(results, "ours", case, "in")
    yield target("reading 10,000 addresses, MB/s", ">= 1000", value, 0, lambda v: v >= 1000)
    for case in DEPOT:
        value = ratio(results.get(BEST, case, "ns"), results.get("ours", case, "ns"))
        yield target(f"{CASES[case]}, codec", ">= 3x gSOAP best", value, 2, lambda v: v >= 3)
    found = [results.get("ours", name, "allocations") for name in ("list-3", "webhooks", "insert")]
    found = [value for value in found if value is not None]
    value = max(found) if found else None
    yield target("allocations of a warm call, codec", "0", value, 0, lambda v: v == 0)
    value = results.get("ours", "list-3", "instructions")
    wanted = "<= 30,000"
    yield target("instructions, three-address call", wanted, value, 0, lambda v: v <= 30_000)


def signature_targets():
    results = Results("signatures")
    for case, name in SIGNED.items():
        ours, *others = (results.get(series, case, "instructions") for series in SIGNERS)
        value = None if None in others else ratio(min(others), ours)
        wanted = ">= 2x gSOAP and xmlsec1"
        yield target(f"{name}, instructions outside of RSA", wanted, value, 2, lambda v: v >= 2)


def growth_targets():
    results = Results("growth")
    for series in results.series:
        found = [results.get(series, case, "kb_each") for case in results.cases(series)]
        if not series.startswith("MB of ") or None in found:
            continue
        value = ratio(max(found), 1024)
        yield target(f"{series}, both sides, MB more", "<= 32", value, 1, lambda v: v <= 32)


def file_targets():
    results = Results("files")
    found = [
        results.worst.get(("ours", way, f"{side}_kb"))
        for way in FILE_WAYS
        for side in ("client", "server")
    ]
    value = None if None in found else max(found) / 1024
    yield target("a file, MB more on either side", "<= 32", value, 1, lambda v: v <= 32)
    for way in FILE_WAYS:
        value = results.get("ours", way, "mb_s")
        yield target(f"a file {way}, MB/s of base64", ">= 400", value, 0, lambda v: v >= 400)
        value = ratio(value, results.get("gSOAP best", way, "mb_s"))
        yield target(f"a file {way}", ">= 1x gSOAP best", value, 2, lambda v: v >= 1)


def http_targets():
    results = Results("http")
    ours = results.get("ours, SQLite", 64, "rps")
    value = ratio(ours, results.get("gSOAP, its pool", 64, "rps"))
    wanted = ">= 1.5x gSOAP's pool"
    yield target("HTTP, 64 connections, SQLite", wanted, value, 2, lambda v: v >= 1.5)
    best = [results.get(f"gSOAP best, {mode}", 64, "rps") for mode in ("pool", "epoll")]
    value = ratio(ours, max(rate or 0 for rate in best))
    yield target("HTTP, 64 connections, SQLite", "> gSOAP best", value, 2, lambda v: v > 1)
    for connections, least in ((64, 0.65), (512, 0.6)):
        rates = (
            results.get(series, connections, "rps") for series in ("ours, SQLite", "bare epoll loop")
        )
        name = f"HTTP, {connections} connections, SQLite"
        wanted = f">= {least}x bare loop"
        yield target(name, wanted, ratio(*rates), 2, lambda v, least=least: v >= least)
    for store in STORES:
        pair = (f"ours, {store}", "gSOAP, its pool")
        yield tail_target(
            f"HTTP, 8 connections, {store}, p99",
            "<= 2x gSOAP's pool",
            lambda tail, pair=pair: ratio(*(results.get(series, 8, tail) for series in pair)),
            2,
            lambda v: v <= 2,
        )
    value = results.get("ours, memory", 8, "allocations")
    yield target("allocations of a warm call, host", "<= 4", value, 2, lambda v: v <= 4)


def paced_share(name, stores=STORES):
    """How many % of these stores' cells are within 1.1 of the best peer's; None: there are none."""
    results = Results("paced")
    ratios = [
        ratio(results.get(ours, case, name), results.get(best, case, name))
        for case, ours, best in paced_cells(results)
        if ours.removeprefix("ours, ") in stores
    ]
    found = [value for value in ratios if value is not None]
    return 100 * sum(each <= 1.1 for each in found) / len(found) if found else None


def paced_targets():
    wanted = ">= 90 % of cells within 1.1x the best peer"
    yield tail_target("paced, p99", wanted, paced_share, 0, lambda v: v >= 90)


def mixed_targets():
    find = functools.partial(Results("mixed").get, "ours, memory")

    def beside_alone(case, alone, name):
        return ratio(find(case, name), find(alone, name))

    def ms_more(case, alone, name):
        tails = [find(each, name) for each in (case, alone)]
        return None if None in tails else (tails[0] - tails[1]) / 1000

    for way, name in WAYS.items():
        for beside in ("both", "streamed"):
            what = f"p99, 64 readers {name}, beside {CALLERS[beside]}"
            value = functools.partial(beside_alone, f"64 {way} {beside}", f"64 {way} alone")
            yield tail_target(what, "<= 1.5x alone", value, 2, lambda v: v <= 1.5)
        what = f"p99, 8 readers {name}, beside {CALLERS['handlers']}, ms more"
        value = functools.partial(ms_more, f"8 {way} handlers", f"8 {way} alone")
        yield tail_target(what, "< 1", value, 2, lambda v: v < 1)


def insert_targets():
    results = Results("inserts")
    value = ratio(1, results.get("group commit", 64, "syncs_per_insert"))
    yield target("inserts a sync, 64 clients", ">= 16", value, 1, lambda v: v >= 16)
    value = ratio(
        results.get("group commit", "reads beside", "read_rps"),
        results.get("group commit", "reads alone", "read_rps"),
    )
    wanted = "none set: the cores are shared"
    yield ["reads beside 64 writers, to alone", wanted, text(value, 2), "-"]


def postgres_targets():
    results = Results("postgres")
    for case in ("list", "insert"):
        value = ratio(
            results.get("1 processes", case, "rps"), results.get("pgbench", case, "rps")
        )
        name = f"{case} over HTTP on PostgreSQL, to pgbench"
        yield target(name, ">= 0.6, aim 0.8", value, 2, lambda v: v >= 0.6)


def compile_targets():
    results = Results("compile")
    for compiler in COMPILERS:
        value = to_httplib(results, compiler, "hello, split")
        name = f"split hello to a unit with httplib.h, {compiler}"
        yield target(name, "<= 1.0x", value, 2, lambda v: v <= 1.0)
        ratios = [to_httplib(results, compiler, unit) for unit in EXAMPLE_UNITS]
        value = None if None in ratios else max(ratios)
        name = f"the slowest of the example's units with tables, split, {compiler}"
        yield target(name, "<= 1.2x", value, 2, lambda v: v <= 1.2)
    value = to_httplib(results, "g++ -O0", "hello, header-only")
    yield target("header-only hello, g++ -O0", "<= 3x", value, 2, lambda v: v <= 3)
    for compiler, most in (("g++ -O0", 10), ("g++ -O2", 40)):
        value = of_record(results, compiler, 200, "seconds")
        name = f"a record beyond its floor, {compiler}"
        yield target(name, f"<= {most} ms", value, 1, lambda v, most=most: v <= most)
        value = of_record(results, compiler, 200, "bytes")
        name = f"code of a record beyond its floor, {compiler}"
        yield target(name, "<= 3,072 bytes", value, 0, lambda v: v <= 3072)
    for compiler in COMPILERS:
        found = [to_nothing(results, compiler, feature) for feature in FEATURES]
        value = None if None in found else max(found)
        name = f"the slowest feature of a record, to a record without, {compiler}"
        yield target(name, "<= 1.5x", value, 2, lambda v: v <= 1.5)
    for compiler in COMPILERS:
        value = record_slope(results, compiler)
        yield target(f"records, slope, {compiler}", "<= 1.1", value, 2, lambda v: v <= 1.1)


def targets():
    yield "### Targets"
    yield ""
    rows = []
    for section in SECTIONS:
        rows += PARTS[section][1]()
    yield from table(["what", "wanted", "measured", "at p99.9", "holds"], rows)


# --- The part of tests/README.md ------------------------------------------------------------------


def readme_rows():
    results = Results("codec")
    for case, name in CASES.items():
        ours, best = (results.get(series, case, "ns") for series in ("ours", BEST))
        beside = f"gSOAP best {text(us(best))} us"
        yield [f"{name}, in process", f"{text(us(ours))} us", beside, text(ratio(best, ours), 1)]
    results = Results("http")
    pool = results.get("gSOAP, its pool", 64, "rps")
    for series in results.series:
        rate = results.get(series, 64, "rps")
        if rate is None or series.endswith("gSOAP, its pool"):
            continue
        peer = results.get("TLS gSOAP, its pool", 64, "rps") if series.startswith("TLS") else pool
        beside = f"gSOAP's pool {text(peer, 0)}/s"
        name = f"{series}, 64 connections"
        yield [name, f"{text(rate, 0)}/s", beside, text(ratio(rate, peer), 2)]
    results = Results("inserts")
    for connections in ("8", "64"):
        ours, each = (
            results.get(series, connections, "rps") for series in ("group commit", "a commit each")
        )
        name = f"durable inserts, {connections} clients"
        beside = f"a commit each {text(each, 0)}/s"
        yield [name, f"{text(ours, 0)}/s", beside, text(ratio(ours, each), 2)]


def tails(results, series, case):
    return " / ".join(text(results.get(series, case, name), 0) for name in ("p99", "p999"))


def tail_rows():
    results = Results("http")
    servers = ("ours, memory", "ours, SQLite", "gSOAP, its pool")
    for connections in CONNECTIONS:
        found = (tails(results, series, connections) for series in servers)
        connection = "connection" if connections == "1" else "connections"
        yield [f"{connections} {connection} without pause", *found]
    results = Results("mixed")
    during = {"alone": "alone", "both": "during an upload of 16 MB and a handler of 200 ms"}
    for beside, words in during.items():
        ours, pool = (tails(results, servers[at], f"64 full {beside}") for at in (0, 2))
        yield [f"64 readers, {words}", ours, "-", pool]


def paced_lines():
    memory, sqlite = (text(paced_share("p99", [store]), 0) for store in STORES)
    yield (
        "Most services are called at a rate below their maximum. Our server and the best competitor "
        "each have a maximum rate. A second test takes the lower of these two rates, and sends at 25, 50 "
        "and 75 % of it. The test has 1 to 512 connections, with and without TLS. It compares the latency "
        "at the 99th percentile (p99) of both:"
    )
    yield ""
    yield "- A latency counts from the moment at which the request was due."
    yield (
        "- The competitors answer from memory. If our server also answers from memory, its p99 is at most "
        f"1.1 times the best competitor's in {memory} % of the cases. With SQLite, this holds "
        f"in {sqlite} % of the cases."
    )
    yield "- In each case, the best competitor is the fastest of gSOAP, cpp-httplib and JAX-WS."


def signed_rows():
    results = Results("signatures")
    for case, name in SIGNED.items():
        found = [results.get(series, case, "instructions") for series in SIGNERS]
        yield [name, *(text(ratio(value, 1000), 0) for value in found)]


def readme():
    facts = about_all()
    yield "## Speed"
    yield ""
    yield (
        f"Measured on {facts['date']} with `tests/bench/run` (commits: {facts['commits']}). This script "
        "builds the programs that soapsvc is compared with (the competitors), and repeats the measurements."
    )
    yield ""
    yield f"- Machine: {facts['machine']}, {facts['kernel']}, {facts['compilers']}."
    yield f"- Software: {facts['versions']}."
    yield (
        "- Figures are medians of all rounds. The servers ran in turn, on the same machine as their "
        "clients."
    )
    yield '- A ratio above 1 means that the value under "measured" is better.'
    yield (
        '- Rows "in process" measure the codec and dispatch without HTTP. They are compared with '
        '"gSOAP best": gSOAP\'s engine in its fastest build.'
    )
    yield (
        '- Rows with 64 connections are compared with "gSOAP\'s pool": Debian\'s gSOAP with the thread '
        'pool that its manual shows. It answers from memory. "Ours, SQLite" is the payroll server. '
        '"Ours, memory" is a soapsvc host that answers from memory, too.'
    )
    yield (
        '- In "durable inserts", one commit stores the inserts of several calls. "A commit each" is the '
        "same service without shared commits."
    )
    yield ""
    yield from table(["what", "measured", "compared with", "ratio"], readme_rows())
    results = Results("codec")
    count, best = (results.get(series, "list-3", "instructions") for series in ("ours", BEST))
    yield (
        f"A three-address call takes {text(count, 0)} instructions in process (gSOAP "
        f"{text(best, 0)}). `tests/bench/run` prints the other results: latencies, memory, "
        "growth to ten million addresses, compile times."
    )
    yield ""
    yield from paced_lines()
    yield ""
    yield (
        "The next table has latencies at full load: each connection sends its next request at once. "
        '"Alone" means without other calls:'
    )
    yield ""
    yield from table(
        ["latency p99 / p99.9, us", "ours, memory", "ours, SQLite", "gSOAP's pool"],
        tail_rows(),
    )
    yield (
        "The next table is about signed messages: Body and Timestamp, RSA and SHA-256, the certificate "
        "in the message. gSOAP uses its plugin. The program with xmlsec1's library only signs and "
        "verifies; it does not decode or encode records:"
    )
    yield ""
    yield from table(
        ["thousands of instructions for a signed message, without the RSA operations", *SIGNERS], signed_rows()
    )


def about(section):
    """The machine and the versions with which that section was measured."""
    path = os.path.join(FOLDER, section + ".about")
    if not os.path.exists(path):
        raise SystemExit(f"report: {section} was not measured yet")
    with open(path, encoding="utf-8") as file:
        return dict(line.rstrip("\n").split("\t", 1) for line in file)


def about_all():
    """Of the whole table: the figures of a README were measured together, and at length."""
    facts = [about(section) for section in SECTIONS]
    if any(fact["mode"] for fact in facts):
        raise SystemExit("report: some of the results are quick ones")
    if len({fact["machine"] for fact in facts}) > 1:
        raise SystemExit("report: the results are of different machines")
    return {**facts[-1], "commits": ", ".join(dict.fromkeys(fact["commit"] for fact in facts))}


# The tables of each section, and its targets.
PARTS = {
    "codec": (codec, codec_targets),
    "signatures": (signatures, signature_targets),
    "http": (http, http_targets),
    "paced": (paced, paced_targets),
    "mixed": (mixed, mixed_targets),
    "inserts": (inserts, insert_targets),
    "postgres": (on_postgres, postgres_targets),
    "growth": (growth, growth_targets),
    "files": (files, file_targets),
    "compile": (compile_time, compile_targets),
}


def main():
    if README:
        print("\n".join(readme()).rstrip())
        return
    facts = about(SECTIONS[-1])
    print("## Benchmarks" + (" (quick: for trying out only)" if facts["mode"] else "") + "\n")
    for name in ("date", "machine", "kernel", "commit", "compilers", "versions"):
        print(f"- {name}: {facts[name]}")
    rounds = ", ".join(f"{section} {about(section).get('rounds', '?')}" for section in SECTIONS)
    print(f"- rounds, of which the figures are medians: {rounds}\n")
    for section in SECTIONS:
        print("\n".join(PARTS[section][0]()))
    print("\n".join(targets()).rstrip())


main()
