"""Calls a served contract with zeep, which has read the original.

One message of each operation, in each of its versions, has to go all the way. The method receives the
values that zeep sent; zeep reads the same values from the response as from the method's own. Errors of
zeep itself, in loading, writing and reading, are reported as such: LIMITS lists them for the tests' contracts.
"""

import datetime
import pathlib
import re
import subprocess
import warnings

import contract
import messages

# Limits of zeep 4.2: (cases, pattern of the report, reason). Each must still show in each of its cases.
LIMITS = [
    ("chameleon", r"cannot be loaded: NamespaceError: .* type \{http://schemas.xmlsoap.org/wsdl/\}Code",
     "the types of an included schema without a namespace get the one of the document's root"),
    ("redefine", r"cannot be loaded: ValueError: No visitor defined for '.*\}redefine'", "it does not know redefine"),
    ("built_ins list_of_names", r"writes what is not valid: .* The QName value '.*' has no corresponding namespace",
     "a QName is read as text with a prefix, whose declaration is lost"),
    ("lists", r"zeep: AttributeError: 'lxml.etree.QName' object has no attribute 'pythonvalue'",
     "a restriction of a list has its base as a type inside it, which is not resolved"),
    ("union_of_lengths union_restricted", r"cannot be loaded: AttributeError: 'lxml.etree.QName' object has no attribute 'resolve'",
     "a restriction of a list that has a name is not resolved"),
    ("empty letter_case_and_scripts", r"zeep: ValidationError: Missing element \w ", "an element of an empty type is read as none"),
    ("bare_simple whole", r"cannot be read: .*object of type 'int' has no len", "a response that is a number alone is not read"),
    ("whole", r"Draw .* cannot be sent: zeep: TypeError: .* unexpected keyword argument",
     "a request is of its element's type, never of one that extends it"),
    ("travel", r"zeep: XMLParseError: Unexpected element '.*\}(Errors|Success|Transfer)'",
     "a branch that is a sequence is read only when it is the last one of its choice"),
]


def load(path):
    """zeep's client of a contract; raises whatever zeep does."""
    import zeep

    class Local(zeep.transports.Transport):
        """Nothing from a network but xml.xsd, which is here."""

        def load(self, url):
            if url.startswith(("http:", "https:")):
                if url.endswith("/xml.xsd"):
                    return contract.xml_schema.read_bytes()
                raise ValueError(f"{url} is not here")
            return super().load(url)

    history = zeep.plugins.HistoryPlugin(maxlen=1)
    settings = zeep.Settings(forbid_entities=False)  # the schemas of XML Signature declare some
    made = zeep.Client(str(path), transport=Local(timeout=20, operation_timeout=20), plugins=[history], settings=settings)
    made.history = history
    # It would send the action "None" in SOAP 1.2 for an operation without one, where WSDL 1.1 has none.
    for binding in made.wsdl.bindings.values():
        for operation in binding._operations.values():
            operation.soapaction = getattr(operation, "soapaction", None) or ""
    return made


class Server:
    """A program of verify.hpp that serves, one contract at a time; stopped by the end of its input."""

    def __init__(self, program):
        self._child = subprocess.Popen([program, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def serve(self, folder):
        self.port = int(self.tell(f"contract {folder}"))

    def tell(self, line):
        self._child.stdin.write(line + "\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        if not answer:
            raise RuntimeError(f"the program ended with status {self._child.wait()}: {line}")
        return answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._child.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


def plain(value):
    """The values that zeep read, comparable. messages.Reader has compared the XML; this checks that zeep
    finds each value at its place."""
    import lxml.etree
    import zeep

    if isinstance(value, zeep.xsd.CompoundValue):
        kind = getattr(value, "_xsd_type", None)
        return {"type": str(kind and kind.qname), **{name: plain(each) for name, each in value.__values__.items()}}
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, zeep.xsd.valueobjects.AnyObject):
        return plain(value.value)
    return value.tag if isinstance(value, lxml.etree._Element) else value


def text(value):
    """zeep keeps the spaces of tokens and the zones of dates, and reads a default that is left out as text."""
    if isinstance(value, datetime.datetime) and value.tzinfo:
        value = value.astimezone(datetime.timezone.utc)
    return re.sub(r"\+00:00$", "z", " ".join(str(value).lower().split()))


def is_nil(value):
    """It may be; then its type is not kept."""
    return isinstance(value, dict) and all(each is None for name, each in value.items() if name != "type")


def presets_of(original):
    """The values of empty elements and absent attributes, as text: zeep reads None, and the server writes them."""
    made, next_nodes = {}, [document.node for document in original.documents]
    while next_nodes:
        node = next_nodes.pop()
        next_nodes += node.elements
        preset = node.get("fixed", node.get("default"))
        if node.name in ((contract.XS, "element"), (contract.XS, "attribute")) and preset is not None:
            made.setdefault(node.get("name"), set()).add(preset)
    return made


def is_same_number(said, read):
    try:
        return not isinstance(read, bool) and float(said) == float(read)
    except (TypeError, ValueError):
        return False


def difference(given, read, presets, path="the response"):
    """Where two values differ that `plain` made; None: nowhere."""
    if is_nil(given) and is_nil(read):
        return None
    if isinstance(given, dict) and isinstance(read, dict) and given.keys() == read.keys():
        pairs = [(f"{path}/{name}", given[name], read[name]) for name in given]
    elif isinstance(given, list) and isinstance(read, list) and len(given) == len(read):
        pairs = [(path, *each) for each in zip(given, read)]
    elif given is None and any(text(read) == text(each) or is_same_number(each, read)
                               for each in presets.get(path.rpartition("/")[2], ())):
        return None
    else:
        return None if given == read or text(given) == text(read) else f"{path}: zeep reads {read!r}, given was {given!r}"
    return next(filter(None, (difference(one, other, presets, at) for at, one, other in pairs)), None)


class Calls:
    """Operations, each in a version. `reached`: the method got the values that zeep sent. `unsent`: zeep cannot
    send the request, with the reason. `unread`: zeep cannot read the response. `wrong`: lines of errors."""

    def __init__(self, client, trial, server):
        warnings.simplefilter("ignore")
        self._client, self._trial, self._server = client, trial, server
        self.reached, self.unsent, self.unread, self.wrong = set(), {}, {}, []
        self._reader = messages.Reader(trial.original)
        self._presets = presets_of(trial.original)
        self._where = pathlib.Path(trial.where) / "zeep"
        self._where.mkdir(exist_ok=True)
        server.serve(trial.where)
        by_operation = {}
        for message in trial.messages:
            by_operation.setdefault(id(message.operation), []).append(message)
        for each in by_operation.values():
            for version in sorted(each[0].operation.versions & each[0].address.versions):
                self._try(each, version)

    def _try(self, tried, version):
        """One of the messages for an operation has to go all the way."""
        name, why = f"{tried[0].operation.name} {version}", "there is no such binding"
        for like, count in [*((each, 0) for each in tried), (tried[0], 12)]:
            for message in self._trial.others(like, version, count):
                for binding in self._client.wsdl.bindings.values():
                    if message.operation.name in binding._operations and self._is_of(binding, version):
                        why = self._call(binding, message)
                        if why is None:
                            self.unread.pop(name, None)
                            return None
                        if why.startswith("wrong: "):
                            self.wrong.append(f"{name}: {why[7:]}")
                            return None
        if name not in self.reached:
            self.unsent[name] = why
        return None

    @staticmethod
    def _is_of(binding, version):
        return {"Soap11Binding": "1.1", "Soap12Binding": "1.2"}.get(type(binding).__name__) == version

    def _call(self, binding, message):
        """None: it went all the way. A text that begins with 'wrong' is a failure; other texts are zeep's limits."""
        import zeep

        kind = "fault" if message.is_fault else "response"
        self._server.tell(f"message {message.name} {message.version} {kind}")
        url = f"http://127.0.0.1:{self._server.port}{message.address.path}"
        self._client.history._buffer.clear()
        told = None
        try:
            service = self._client.create_service(binding.name.text, url)
            given, named = self._parameters(binding.get(message.operation.name), message)
            service[message.operation.name](*given, **named)
        except zeep.exceptions.Fault as fault:
            told = fault.message
        except Exception as error:  # whatever zeep's own limits raise
            told = f"zeep: {type(error).__name__}: {error}"
        if not self._client.history._buffer:
            return told
        received = self._trial.where / "out" / f"{message.name}.request.xml"
        if not received.exists():
            return self._refused(told)
        wrong = self._compared(received, message)
        if wrong:
            return wrong
        name = f"{message.operation.name} {message.version}"
        self.reached.add(name)
        why = self._read(binding, message, told)
        if why:
            self.unread[name] = why
        return why

    def _parameters(self, operation, message):
        """The values that zeep reads from the message, in the form of a call."""
        given, named = (), {}
        headers, body = message.sent["request"]
        if body is not None:
            value = self._parsed(operation.input.body, body)
            if hasattr(value, "__values__"):
                named = dict(value.__values__)
            elif value is not None:  # else an element without content
                given = (value,)
        blocks = {}
        for name, element in operation.input.header.type.elements if headers else ():
            found = [each for each in headers if f"{{{each.of.name[0]}}}{each.of.name[1]}" == str(element.qname)]
            if found:
                blocks[name] = self._parsed(element, found[0])
        if blocks:
            named["_soapheaders"] = blocks
        return given, named

    def _parsed(self, element, piece):
        import lxml.etree

        return element.parse(lxml.etree.fromstring(piece.text.encode()), self._client.wsdl.types)

    def _sent(self):
        import lxml.etree

        return contract.parse(lxml.etree.tostring(self._client.history.last_sent["envelope"], encoding="utf-8"))

    def _refused(self, told):
        """Refused by the server: wrong if zeep's message is valid by the original schemas."""
        headers, body = messages.parts(self._sent())
        files = []
        for number, node in enumerate([*headers, *([body] if body else [])]):
            files.append(self._where / f"{number}.xml")
            files[-1].write_text(messages.written(node))
        invalid = self._trial.schemas[0].invalid(files)
        if invalid:
            return f"zeep writes what is not valid: {next(iter(invalid.values()))}"
        return f"wrong: refused: {told}"

    def _compared(self, received, message):
        """Whether the method received the values that zeep sent."""
        (sent_headers, sent), (headers, came) = (
            messages.parts(each) for each in (self._sent(), contract.parse(received.read_bytes())))
        pairs = [(each, next((node for node in headers if node.name == each.name), None), piece.of)
                 for each in sent_headers for piece in message.sent["request"][0] if piece.of.name == each.name]
        if message.sent["request"][1] is not None:
            pairs.append((sent, came, message.sent["request"][1].of))
        for one, other, of in pairs:
            if one is None or other is None:
                return f"wrong: there is no {of.name[1]}"
            differs = messages.first_difference(self._reader.element(one, of), self._reader.element(other, of))
            if differs:
                return f"wrong: {differs}"
        return None

    def _read(self, binding, message, told):
        """Whether zeep reads the same values from the response as from the method's own."""
        if message.is_fault:
            return None if told == "told" else f"wrong: the fault was {told}"
        if message.operation.one_way:
            return told and f"wrong: {told}"
        import lxml.etree

        if not self._client.history.last_received:
            return f"wrong: {told}"
        read = []
        given = self._trial.where / "in" / f"{message.name}.response.xml"
        for envelope in (lxml.etree.fromstring(given.read_bytes()), self._client.history.last_received["envelope"]):
            try:
                if not envelope.xpath("*[local-name() = 'Header']/*"):  # an empty one would count
                    for header in envelope.xpath("*[local-name() = 'Header']"):
                        envelope.remove(header)
                read.append(plain(binding.get(message.operation.name).process_reply(envelope)))
            except Exception as error:  # as above
                read.append(f"zeep: {type(error).__name__}: {error}")
        differs = difference(*read, self._presets)
        return f"wrong: {differs}" if differs else told


    def told(self):
        """The limits of zeep, as lines."""
        return [f"{name} cannot be sent: {why}" for name, why in self.unsent.items()] + [
            f"the response of {name} cannot be read: {why}" for name, why in self.unread.items()]


def check(cases, trials, program):
    """Calls all contracts of a program: `cases` has the path of each by its name, `trials` its messages.
    Returns the errors of each."""
    wrong = {}
    with Server(program) as server:
        for name, path in cases.items():
            try:
                client = load(path)
            except Exception as error:  # zeep's own limits, of many kinds
                told, wrong[name] = [f"it cannot be loaded: {type(error).__name__}: {error}"], []
            else:
                calls = Calls(client, trials[name], server)
                told, wrong[name] = calls.told(), calls.wrong
            limits = [what for of, what, _ in LIMITS if name in of.split()]
            wrong[name] += [line for line in told if not any(re.search(what, line) for what in limits)]
            wrong[name] += [f"zeep can do what LIMITS says that it cannot: {what}" for what in limits
                            if not any(re.search(what, line) for line in told)]
            wrong[name] += [] if told or calls.reached else ["zeep has called nothing"]
    return wrong
