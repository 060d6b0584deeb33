"""Calls a served contract with zeep, which has read the original: each operation reaches its method.

What zeep itself cannot load, or cannot write as the schemas say, is told as such and is no failure.
"""

import pathlib
import subprocess
import warnings

import contract


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
    return made


class Server:
    """A program of verify.hpp that serves; stopped by its own input."""

    def __init__(self, program):
        self._child = subprocess.Popen([program, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self._child.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._child.communicate("\n", timeout=20)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


class Calls:
    """`reached` and `unsent` are names of operations, `wrong` lines of what does not hold."""

    def __init__(self, client, trial, port):
        warnings.simplefilter("ignore")
        self._client, self._trial, self._port = client, trial, port
        self.reached, self.unsent, self.wrong = set(), {}, []
        self._where = pathlib.Path(trial.where) / "zeep"
        self._where.mkdir(exist_ok=True)
        by_operation = {}
        for message in trial.messages:
            by_operation.setdefault(id(message.operation), []).append(message)
        for each in by_operation.values():
            self._try(each)

    def _try(self, tried):
        """One of the messages for an operation has to reach it."""
        name, why = tried[0].operation.name, "there is no such binding"
        for message in [*tried, *self._trial.more(tried[0], 12)]:
            for binding in self._client.wsdl.bindings.values():
                if name in binding._operations and self._is_of(binding, message):
                    why = self._call(binding, message)
                    if why is None:
                        return self.reached.add(name)
                    if why.startswith("refused"):
                        self.wrong.append(f"{name}: {why}")
                        return None
        self.unsent[name] = why
        return None

    @staticmethod
    def _is_of(binding, message):
        """Of the message's version, and of its operation where several have its name."""
        of = {"Soap11Binding": "1.1", "Soap12Binding": "1.2"}.get(type(binding).__name__)
        return of == message.version

    def _call(self, binding, message):
        """None: it got there. What begins with 'refused' is a failure, the rest is zeep's."""
        import lxml.etree
        import zeep

        name = message.operation.name
        url = f"http://127.0.0.1:{self._port}{message.address.path}"
        try:
            service = self._client.create_service(binding.name.text, url)
            body = binding.get(name).input.body
            given, named = (), {}
            if message.sent["request"][1] is not None:
                value = body.parse(lxml.etree.fromstring(message.sent["request"][1].text.encode()), self._client.wsdl.types)
                if hasattr(value, "__values__"):
                    named = dict(value.__values__)
                elif value is not None:  # else an element without content
                    given = (value,)
            service[name](*given, **named)
        except zeep.exceptions.Fault as fault:
            if fault.message == f"{name} is not implemented":
                return None
            if "SOAPAction: 'None'" in fault.message:
                return "zeep sends the action None where the contract says nothing of one"
            return self._judge(message, fault.message)
        except Exception as error:  # whatever zeep's own limits raise
            return f"zeep: {type(error).__name__}: {error}"
        return None if message.operation.one_way else "refused: an answer without a fault"

    def _judge(self, message, reason):
        """Refused by the server: wrong if what zeep sent is valid by the original schemas."""
        body = next(each for each in self._client.history.last_sent["envelope"] if each.tag.endswith("}Body"))
        path = self._where / f"{message.name}.xml"
        if len(body):
            import lxml.etree

            path.write_bytes(lxml.etree.tostring(body[0]))
            invalid = self._trial.schemas[0].invalid([path])
            if invalid:
                return f"zeep writes what is not valid: {next(iter(invalid.values()))}"
        return f"refused: {reason}"
