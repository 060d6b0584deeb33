#!/usr/bin/python3
"""python3-zeep, with python3-xmlsec, and WS-Security: secured_zeep.py URL 1.1|1.2 KEYS

zeep writes what it is told and nothing that the WSDL's policy says. It verifies each response when it
signs, faults among them, by the certificate that it signs with itself: the service has another one,
so that its own functions are called with that. What it does otherwise than the specifications want
is tried at the end, with the reason why it is refused.
"""

import datetime
import sys

import xmlsec
import zeep
from zeep.exceptions import SignatureVerificationFailed
from zeep.plugins import HistoryPlugin
from zeep.wsse import BinarySignature, Signature, UsernameToken
from zeep.wsse.compose import Compose
from zeep.wsse.signature import verify_envelope
from zeep.wsse.utils import WSU

URL, VERSION, KEYS = sys.argv[1:4]
USER, WORD = "alice", "secret & <word>"
SHA256 = (xmlsec.Transform.RSA_SHA256, xmlsec.Transform.SHA256)

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
    print(f"{'ok  ' if good else 'FAIL'} zeep {VERSION}, security: {name}" + ("" if good else f": {found!r}"))


class Stamp:
    """A Timestamp for signers, which sign it but do not make it."""

    def __init__(self, age=0):
        self.age = age

    def apply(self, envelope, headers):
        zeep.wsse.utils.get_security_header(envelope).append(stamp(self.age))
        return envelope, headers

    def verify(self, envelope):
        pass


def stamp(age=0):
    created = datetime.datetime.utcnow().replace(microsecond=0) - datetime.timedelta(seconds=age)
    expires = created + datetime.timedelta(seconds=300)
    return WSU.Timestamp(WSU.Created(created.isoformat() + "Z"), WSU.Expires(expires.isoformat() + "Z"))


def port(service, wsse):
    client = zeep.Client(f"{URL}/soap/v3/{service}.asmx?wsdl", wsse=wsse, plugins=[history])
    return client.bind(service, service + ("Soap" if VERSION == "1.1" else "Soap12"))


def told(call):
    """The result of a call, or the fault's code and text."""
    try:
        return call()
    except zeep.exceptions.Fault as fault:
        if VERSION == "1.1":
            return f"{fault.code.split(':')[-1]}: {fault.message}"
        return f"{fault.subcodes[0].localname if fault.subcodes else fault.code}: {fault.message}"
    except Exception as error:
        return error


def refused(name, service, wsse, code):
    got = told(port(service, wsse).Who)
    check(name, str(got).startswith(code + ": "), got)
    if VERSION == "1.2":
        return
    fault = history.last_received["envelope"].find(".//faultcode")
    prefix = fault.text.split(":")[0]
    ns = zeep.ns.WSU if code == "MessageExpired" else zeep.ns.WSSE
    check(name + ", the code's namespace", fault.nsmap.get(prefix) == ns, fault.nsmap)


def token(word=WORD, user=USER, age=0, **how):
    return UsernameToken(user, word, timestamp_token=stamp(age), **how)


history = HistoryPlugin(maxlen=1)

# --- UsernameToken --------------------------------------------------------------------------------

for form, how in (
    ("text", {}),
    ("digest", {"use_digest": True}),
    ("digest, Z", {"use_digest": True, "zulu_timestamp": True}),
):
    who = port("Tokens", token(**how))
    got = told(who.Who)
    check(f"{form}: served", got == USER, got)
    fault = told(lambda: port("Tokens", token(**how)).Fail(Text="no"))
    check(f"{form}: a fault of the method", str(fault).endswith(": no"), fault)
    refused(f"{form}: another password", "Tokens", token("wrong", **how), "FailedAuthentication")
    refused(f"{form}: another user", "Tokens", token(user="bob", **how), "FailedAuthentication")
    refused(f"{form}: no Timestamp", "Tokens", UsernameToken(USER, WORD, **how), "InvalidSecurity")
    refused(f"{form}: an old Timestamp", "Tokens", token(age=600, **how), "MessageExpired")

# The same nonce and time again: a copied message.
again = {"use_digest": True, "nonce": f"{VERSION} once", "created": datetime.datetime.utcnow()}
got = told(port("Tokens", token(**again)).Who)
check("digest: a nonce", got == USER, got)
refused("digest: the same nonce", "Tokens", token(**again), "FailedAuthentication")
refused("digest: of a digest", "Tokens", token(use_digest=True, hash_password=True), "FailedAuthentication")
refused("no token", "Tokens", None, "InvalidSecurity")

# --- X.509 ----------------------------------------------------------------------------------------


def signer(kind, name, algorithms=SHA256, before=(Stamp(),), service="service"):
    """Signs Body and Timestamp; verifies responses by the service's certificate."""
    sender = Compose([*before, kind(f"{KEYS}/{name}.key", f"{KEYS}/{name}.pem", None, *algorithms)])
    sender.verify = lambda envelope: verify_envelope(envelope, f"{KEYS}/{service}.pem")
    return sender


AWKWARD = "é & <b>\r\n\t\"x\"</b> \u20ac"
for name in ("caller", "pinned"):
    how = signer(BinarySignature, name)
    got = told(port("Signed", how).Who)
    check(f"{name}: served, and the response's signature holds", got == f"CN={name}", got)
    fault = told(lambda: port("Signed", how).Fail(Text="no"))
    check(f"{name}: a fault of the method, signed", str(fault).endswith(": no"), fault)
    got = told(lambda: port("Signed", how).Say(Text=AWKWARD))
    check(f"{name}: text that is escaped", got == AWKWARD, got)

got = told(port("Signed", signer(BinarySignature, "caller", service="stranger")).Who)
check("a response that another should have signed", isinstance(got, SignatureVerificationFailed), got)
refused("a stranger", "Signed", signer(BinarySignature, "stranger"), "InvalidSecurityToken")
refused("an old Timestamp", "Signed", signer(BinarySignature, "caller", before=[Stamp(600)]), "MessageExpired")
refused("no Timestamp", "Signed", signer(BinarySignature, "caller", before=[]), "InvalidSecurity")
refused("no signature", "Signed", Stamp(), "InvalidSecurity")


class Late(Stamp):
    """Replaces the signed Timestamp."""

    def apply(self, envelope, headers):
        signed = envelope.find(".//{%s}Timestamp" % zeep.ns.WSU)
        other = stamp()
        other[1].text = other[1].text.replace("Z", ".5Z")
        other.attrib.update(signed.attrib)
        signed.getparent().replace(signed, other)
        return envelope, headers


changed = Compose([signer(BinarySignature, "caller"), Late()])
refused("a Timestamp changed", "Signed", changed, "FailedCheck")

# --- Both -----------------------------------------------------------------------------------------

# It signs Body and Timestamp, and no option adds to them. So a token beside them is not covered, which
# the service wants; with its own function called for that as well, it is.
sign_one = zeep.wsse.signature._sign_node


def sign_token_too(context, signature, target, digest):
    sign_one(context, signature, target, digest)
    beside = target.getparent().find("{%s}UsernameToken" % zeep.ns.WSSE)
    if beside is not None:
        sign_one(context, signature, beside, digest)


for form, how in (("text", {}), ("digest", {"use_digest": True})):
    name = f"{form} and a signature"
    said = signer(BinarySignature, "caller", before=[token(**how)])
    refused(f"{name}, which does not cover the token", "Both", said, "InvalidSecurity")
    zeep.wsse.signature._sign_node = sign_token_too
    got = told(port("Both", signer(BinarySignature, "caller", before=[token(**how)])).Who)
    check(f"{name}: served, and the response's holds", got == f"{USER} by CN=caller", got)
    wrong = signer(BinarySignature, "caller", before=[token("wrong", **how)])
    refused(f"{name}: another password", "Both", wrong, "FailedAuthentication")
    zeep.wsse.signature._sign_node = sign_one
refused("a signature and no token", "Both", signer(BinarySignature, "caller"), "InvalidSecurity")

# --- Differences from the specifications ----------------------------------------------------------

# By default it signs by SHA-1, which the service refuses (unless it sets sha1_digests and
# sha1_signatures).
refused("SHA-1, its default", "Signed", signer(BinarySignature, "caller", ()), "UnsupportedAlgorithm")
# Signature puts the certificate itself into X509Data, beside the issuer and the serial number that
# the X.509 profile 1.1, 3.2.3, has there alone: BinarySignature works.
for name in ("caller", "pinned"):
    refused(f"Signature of {name}, its X509Data", "Signed", signer(Signature, name), "InvalidSecurity")


print(f"{passed} passed, {failed} failed")
