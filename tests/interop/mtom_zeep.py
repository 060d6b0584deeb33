#!/usr/bin/python3
"""python3-zeep with MTOM: mtom_zeep.py URL 1.1|1.2 ATTACH_BYTES

zeep reads parts, and writes none: its requests are base64, and it does not say that it can read parts;
so they are asked for by an Accept that is given to its session. An element without text is None to it,
of an empty part it is not.
"""

import functools
import sys

import zeep

URL, VERSION, LEAST = sys.argv[1:4]
TEXT = "Straße <&>"

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
    print(f"{'ok  ' if good else 'FAIL'} zeep {VERSION}, MTOM: {name}" + ("" if good else f": {found!r}"))


@functools.cache
def carried(size):
    return bytes((at * 7 + at // 256) & 255 for at in range(size))


types = []
client = zeep.Client(f"{URL}/soap/v3/Parcels.asmx?wsdl")
client.transport.session.hooks["response"].append(lambda got, **_: types.append(got.headers["Content-Type"]))
port = client.bind("Parcels", "ParcelsSoap" if VERSION == "1.1" else "ParcelsSoap12")
for accept in ("*/*", 'multipart/related; type="application/xop+xml", */*'):
    client.transport.session.headers["Accept"] = accept
    kind = "parts" if "related" in accept else "base64"
    for operation in ("Carry", "Pour"):
        for size in (0, 10, 1024, 1000000):
            back = port[operation](Text=TEXT, Content=carried(size))
            name = f"{operation}, {size} bytes, {kind}"
            content = back.Content or b""
            check(name, (back.Text, content) == (TEXT, carried(size)), len(content))
            check(f"{name}, answered so", types[-1].startswith("multipart/related") == (kind == "parts"), types[-1])

print(f"{passed} passed, {failed} failed")
