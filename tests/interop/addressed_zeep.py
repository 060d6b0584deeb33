#!/usr/bin/python3
"""python3-zeep with WS-Addressing: addressed_zeep.py URL 1.1|1.2

zeep sends WS-Addressing if the WSDL has actions, and uses these. It has no ReplyTo, and does not check
the headers of a response, so this script checks them.
"""

import sys

import zeep
from zeep.plugins import HistoryPlugin

URL, VERSION = sys.argv[1:3]
WSA = "{http://www.w3.org/2005/08/addressing}"

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
    print(f"{'ok  ' if good else 'FAIL'} zeep {VERSION}, addressing: {name}" + ("" if good else f": {found!r}"))


def block(message, name):
    found = message["envelope"].findall(f".//{WSA}{name}")
    return found[0].text if len(found) == 1 else f"{len(found)} of {name}"


for service, begin in (("Taken", "urn:letters:taken"), ("Demanded", "http://example.com/letters/demanded")):
    history = HistoryPlugin(maxlen=1)
    client = zeep.Client(f"{URL}/soap/v3/{service}.asmx?wsdl", plugins=[history])
    port = client.bind(service, service + ("Soap" if VERSION == "1.1" else "Soap12"))
    apart = ":" if begin.startswith("urn:") else "/"

    check(f"{service}: a call", port.Say(Text="hello") == "hello")
    check(f"{service}: it is spoken", port.Told() == "Action MessageID To", port.Told())
    port.Say(Text="x")
    sent, got = history.last_sent, history.last_received
    check(f"{service}: the action of the request", block(sent, "Action") == f"{begin}/Say", block(sent, "Action"))
    action = f"{begin}{apart}{service}Soap{apart}SayResponse"
    check(f"{service}: the action of the response", block(got, "Action") == action, block(got, "Action"))
    check(f"{service}: what it relates to", block(got, "RelatesTo") == block(sent, "MessageID"))
    check(f"{service}: one way", port.Tell(Text="x") is None)
    try:
        port.Fail(Text="no")
        check(f"{service}: a fault", False)
    except zeep.exceptions.Fault as refused:
        check(f"{service}: a fault", refused.message == "no", refused.message)
        got = history.last_received
        action = f"{begin}{apart}{service}Soap{apart}Fail{apart}Fault{apart}Refusal"
        check(f"{service}: its action", block(got, "Action") == action, block(got, "Action"))

print(f"{passed} passed, {failed} failed")
