"""imported.py FOLDER NAME[:OPERATION]...: contracts side by side with gSOAP. Run by `import`, which see.

How the two are built:
  - ours: soapsvc-import with --skeleton; the skeleton compiled with -O2 -DSOAPSVC_SPLIT; linked with the
    library's object. With the header precompiled, as the README has it, and without.
  - gSOAP: wsdl2h and soapcpp2 as its manual has it for a C++ server (-S -j -x); a skeleton that answers each
    operation with a fault; its units and the generated ones compiled with -O2; linked with Debian's
    library, the one with TLS and compression, as ours has these, and static, as ours is.
The libraries are prebuilt in both, ours with the precompiled header; the time for this is measured as well.

How the speed is measured: a request and a response of one operation, made at random from the contract's
schemas, valid by xmllint. Both serve the request and answer with the response; the messages that they read and
write must have the same content as these. Of the pairs that both accept, the one with the largest smaller half, up to
20 KB, is taken. Reading ends where the operation's function begins. gSOAP is measured as it was built, and in
its fastest form: pointers to char (wsdl2h -s -d), the engine compiled anew without
multi-reference objects and with a buffer of 256 KB (see build_gsoap).
"""

import argparse
import collections
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from xml.parsers.expat import ExpatError

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "import"))
import components
import contract
import messages
import verify
from cells import ratio, table, text

root = verify.root
TYPEMAP = "/usr/share/gsoap/WS/typemap.dat"
IMPORTS = "/usr/share/gsoap/import"
BEST = ["-DWITH_NOIDREF", "-DSOAP_BUFLEN=262144"]
LONGEST = 20_000  # bytes of a request or response
LIBRARIES = ["-lssl", "-lcrypto", "-lz", "-pthread"]
STEPS = {"ours": ["import", "compile", "link"], "gsoap": ["wsdl2h", "soapcpp2", "compile", "link"]}
WHOLE = ["import", "compile whole", "link"]  # the header is read, not its precompiled form


def say(text):
    print(f"[tests/bench/import] {text}", file=sys.stderr, flush=True)


class Failed(Exception):
    pass


def run(command, where=None, seconds=900):
    """Runs a command; returns its cost."""
    command = [str(each) for each in command]
    if where:
        command = ["/usr/bin/env", "-C", str(where), *command]
    made = verify.measured(command, seconds)
    if made["status"] != 0:
        raise Failed(f"{' '.join(command)}:\n{made['said'][-3000:]}")
    return made


def together(each):
    """The cost of several compilers, one after the other."""
    made = {key: sum(one[key] for one in each) for key in ("seconds", "wall")}
    return {**made, "megabytes": max(one["megabytes"] for one in each)}


def lines_of(paths):
    """The numbers of all lines, and of lines that are neither empty nor comment."""
    all_lines, code = 0, 0
    for path in paths:
        text = pathlib.Path(path).read_text(errors="replace")
        all_lines += text.count("\n")
        bare = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        # Directives of wsdl2h for soapcpp2, in comments, are no comments.
        bare = re.sub(r"^\s*//(?!gsoap).*$", "", bare, flags=re.M)
        code += sum(bool(line.strip()) for line in bare.splitlines())
    return all_lines, code


# --- Messages -------------------------------------------------------------------------------------


class Longer(messages.Maker):
    """Ordinary messages: words in strings, lists of some length, and nothing that gSOAP keeps only
    in part: fractions of seconds, times without a zone, nil where absent would do."""

    def element(self, of, is_free=True):
        while True:
            self._left = 400
            made = self._element(of, 0, is_free)
            if (messages.XSI, "nil") not in made.attributes:
                return made

    def _content(self, made, part, depth):
        before = len(made.children)
        super()._content(made, part, depth)
        if part is not None and part.kind == "element" and part.least == 0:
            added = made.children[before:]
            made.children[before:] = [each for each in added if (messages.XSI, "nil") not in each.attributes]
        if part is None or part.most < 10 or self._is_tight(depth):
            return
        if part.least == 0 and self._needs(part) >= 10**6:
            return
        for _ in range(self.random.randint(0, 24)):
            self._once(made, part, depth)

    def _make_date(self, _):
        return f"{self.random.randint(1980, 2030)}-{self.random.randint(1, 12):02}-{self.random.randint(1, 28):02}"

    def _make_time(self, _):
        return f"{self.random.randint(0, 23):02}:{self.random.randint(0, 59):02}:{self.random.randint(0, 59):02}Z"

    def _text(self):
        # Every tenth has characters that must be escaped.
        words = ("Oslo", "Main Street 12", "order", "2024-11", "Zoë", "Hill & Co")
        return " ".join(self.random.choices(words, weights=(4, 4, 4, 4, 2, 1), k=2))

    def _atomic(self, type):
        if type.builtin not in ("string", "normalizedString", "token", "anySimpleType"):
            return super()._atomic(type)
        length = self._length(type.facets, 24)
        text = self._text() + " " + self._text()
        return (text * (1 + length // len(text)))[:length].strip().ljust(length, "x")


class Candidates:
    """Pairs of request and response, the best ones first."""

    def __init__(self, path, where, operation, seed):
        self.original = contract.Contract(path)
        self.reader = messages.Reader(self.original)
        self.where = where
        where.mkdir(exist_ok=True)
        schemas = messages.Schemas(self.original, where / "schemas")
        maker = Longer(self.original, seed)
        made, files = [], {}
        offered = [each for each in self.original.operations if not each.one_way and each.request and each.response
                   and operation in (None, each.name)]
        for index, each in enumerate(offered):
            for number in range(max(8, 60 // max(1, len(offered)))):
                pair = self._make(maker, each, f"{each.name}.{index}.{number}")
                made.append(pair)
                for way, at, piece in pair.pieces():
                    file = where / f"{pair.name}.{way}.{at}.xml"
                    file.write_text(piece.text)
                    files[str(file)] = pair
        wrong = {id(files[path]) for path in schemas.invalid(files)}
        self.pairs = [each for each in made if id(each) not in wrong and max(self._sizes(each)) <= LONGEST]
        self.pairs.sort(key=lambda each: math.prod(self._sizes(each)), reverse=True)
        for each in self.pairs:
            for way in ("request", "response"):
                self.file(each, way).write_text(each.envelope(way))

    @staticmethod
    def _sizes(pair):
        return [len(pair.envelope(way).encode()) for way in ("request", "response")]

    def _make(self, maker, operation, name):
        version = sorted(operation.versions)[0]
        made = messages.Message(name, operation, operation, version, False)

        def piece(of, is_free=True):
            maker.prefixes = {}
            return messages.Piece(of, maker.text(maker.element(of, is_free)))

        made.sent["request"] = ([piece(each, False) for each in operation.headers], piece(operation.request))
        made.sent["response"] = ([], piece(operation.response))
        return made

    def file(self, pair, way):
        return self.where / f"{pair.name}.{way}.envelope.xml"

    def differ(self, pair, out):
        """A program's copies of both, compared with them."""
        try:
            wrong = self.request_differs(pair, out / "request.xml") if (out / "request.xml").exists() else None
            return wrong or self.response_differs(pair, out / "response.xml")
        except (ValueError, KeyError, ExpatError) as error:
            return f"cannot be read: {error!r}"

    def response_differs(self, pair, path):
        _, body = messages.parts(contract.parse(path.read_bytes()))
        return self._differs(pair.sent["response"][1], body)

    def request_differs(self, pair, path):
        """The message, as an envelope or as the element alone; of rpc its part alone."""
        node = contract.parse(path.read_bytes())
        if node.local == "Envelope":
            _, node = messages.parts(node)
        sent = pair.sent["request"][1]
        if hasattr(sent.of, "rpc") and node.name != sent.of.name:
            if len(sent.of.rpc) != 1:
                return None
            part = components.elements_of(sent.of.type.content)
            of, first = next(iter(part.values())), sent.node.elements[0]
            read = self.reader.element(node, of)
            return messages.first_difference(self.reader.element(first, of)[1:], read[1:])
        return self._differs(sent, node)

    def _differs(self, sent, node):
        if node is None or node.name != sent.of.name:
            return f"{node and node.name} in place of {sent.of.name}"
        return messages.first_difference(self.reader.element(sent.node, sent.of), self.reader.element(node, sent.of))


# --- Ours -----------------------------------------------------------------------------------------


class Answering(verify.Imported):
    """The skeleton with one method that answers, as imported.hpp says."""

    def program(self, operation, action, is_12):
        chosen = [each for each in self._methods if each["operation"] == operation]
        if not chosen:
            raise Failed(f"no method for {operation}")
        self.chosen = chosen[0]
        name, method = self.chosen["class"], self.chosen["method"]
        header = self.header.read_text()
        # Answered by reference, as the services of the other benchmarks do: a copy is no part of the codec.
        declared = re.compile(rf"^(    )([^\s/][^;{{}}/]*?)(\s+{method}\()", re.M)
        begin = header.index(f"\nclass {name} {{")
        header, times = header[:begin], declared.subn(r"\1const \2&\3", header[begin:], count=1)
        if times[1] != 1:
            raise Failed(f"{method} is not declared as expected")
        answering = self.folder / "answering.hpp"
        answering.write_text(header + times[0])
        inside = "\n".join(self._method(each) for each in self._methods)
        return (
            f'#include "imported.hpp"\n#include "{answering}"\n\nnamespace {self.space} {{\n\n{inside}\n}}\n\n'
            f"int main(int count, char** arguments) {{\n    return bench::run<{self.space}::{name}>"
            f'(count, arguments, "{action}", {str(is_12).lower()});\n}}\n'
        )

    def _method(self, found):
        parameters = [f"{type} given{at}" for at, type in enumerate(verify.split_types(found["parameters"]))]
        method = f"{found['class']}::{found['method']}"
        if found is not self.chosen:
            return (f"{found['result']} {method}({', '.join(parameters)}) {{\n"
                    f"    throw soapsvc::fault(soapsvc::fault_code::server, \"not implemented\");\n}}\n")
        given = "".join(f", given{at}" for at in range(len(parameters)))
        return (f"const {found['result']}& {method}({', '.join(parameters)}) {{\n"
                f"    return bench::answer<{found['result']}, {found['class']}>(&{method}{given});\n}}\n")


class Ours:
    series = "ours"

    def __init__(self, path, where, given):
        self.path, self.where, self.given = path, where / "ours", given
        self.where.mkdir(exist_ok=True)
        self.header, self.skeleton = self.where / "contract.hpp", self.where / "skeleton.cpp"

    def build(self):
        """The cost of each step."""
        shutil.rmtree(self.where)  # a skeleton that is there is not written again
        self.where.mkdir()
        program = self.where / "server"
        made = {"import": run([self.given.importer, self.path, "-o", self.header, "--skeleton", self.skeleton])}
        sources = [self.skeleton, *self._units()]
        # Without the precompiled form first: the linked program is as the README has it.
        for step, found in (("compile whole", root), ("compile", self.given.precompiled.parent)):
            made[step] = together([self._compile(source, source.stem + ".o", found) for source in sources])
        made["link"] = run(["g++", self.where / "skeleton.o", *self._objects(), self.given.library, "-o", program,
                            *LIBRARIES])
        run(["strip", program])
        self.size = program.stat().st_size
        self.looked_at, self.others = [*sorted(self.where.glob("contract*.hpp")), *sources], []
        return made

    def _units(self):
        """Large contracts have their tables in several."""
        return sorted(self.where.glob("contract_*.cpp"))

    def _objects(self):
        return [each.with_suffix(".o") for each in self._units()]

    def _compile(self, source, target, header_in=root):
        return run(["g++", "-std=c++20", "-O2", "-DSOAPSVC_SPLIT", "-I", header_in, "-I", here, "-c", source,
                    "-o", self.where / target])

    def answering(self, pair):
        """A program for messages of the pair's operation."""
        space = re.search(r"^namespace (\w+) \{$", self.header.read_text(), re.M)[1]
        imported = Answering(space, self.header, self.skeleton, self.where)
        source, program = self.where / "answering.cpp", self.where / "answering"
        action = pair.operation.actions[pair.version]
        source.write_text(imported.program(pair.operation.name, action, pair.version == "1.2"))
        self._compile(source, "answering.o")
        run(["g++", self.where / "answering.o", *self._objects(), here / "allocations.cpp", self.given.library, "-o",
             program, *LIBRARIES])
        return program


# --- gSOAP ----------------------------------------------------------------------------------------


def plain(name):
    """A name of gSOAP's as the contract has it."""
    name = re.sub(r"_x([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), name.rstrip("_"))
    return name.replace("_USCORE", "_")


def flags_of(package, kind):
    return subprocess.check_output(["pkg-config", kind, package], text=True).split()


class Gsoap:
    """gSOAP as its manual has it: service classes, std::string and std::vector, Debian's library."""

    series, options = "gsoap", ["-t", TYPEMAP]

    def __init__(self, path, where, given):
        self.path, self.where, self.given = path, where / self.series, given
        self.where.mkdir(exist_ok=True)
        self.header, self.folder = self.where / "contract.h", self.where / "generated"
        self.flags = flags_of("gsoapssl++", "--cflags")
        archive = subprocess.check_output(["g++", "-print-file-name=libgsoapssl++.a"], text=True).strip()
        self.libraries = [archive, *LIBRARIES]

    def _generate(self, folder, *options):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return run(["soapcpp2", "-S", "-L", "-x", *options, "-I", IMPORTS, "-d", folder, self.header])

    def _describe(self):
        # Beside its file: it finds imports from the current folder.
        return run(["wsdl2h", *self.options, "-o", self.header, self.path.name], self.path.parent)

    def _compile(self, source, target, *flags):
        return run(["g++", "-O2", *self.flags, *flags, "-I", self.folder, "-I", here, "-I", here / "peers",
                    "-c", source, "-o", self.where / target])

    def build(self):
        program = self.where / "server"
        made = {"wsdl2h": self._describe(), "soapcpp2": self._generate(self.folder, "-j")}
        services = sorted(self.folder.glob("soap*Service.h"))
        skeleton = self.where / "skeleton.cpp"
        skeleton.write_text(self._skeleton(services))
        sources = [*sorted(self.folder.glob("soap*.cpp")), skeleton]
        made["compile"] = together([self._compile(source, source.stem + ".o") for source in sources])
        objects = [self.where / (source.stem + ".o") for source in sources]
        made["link"] = run(["g++", *objects, "-o", program, *self.libraries])
        run(["strip", program])
        self.size = program.stat().st_size
        self.looked_at = [self.header, *services, skeleton]
        self.others = [each for each in self.folder.iterdir() if each not in services]
        return made

    def _skeleton(self, services):
        text = "".join(f'#include "{each.name}"\n' for each in services)
        text += f'#include "{sorted(self.folder.glob("*.nsmap"))[0].name}"\n\n'
        for each in services:
            name = re.search(r"class SOAP_CMAC (\w+)", each.read_text())[1]
            for operation, parameters in re.findall(r"virtual int (\w+)\((.*)\) SOAP_PURE_VIRTUAL;", each.read_text()):
                text += (f"int {name}::{operation}({parameters}) {{\n"
                         f'    return soap_receiverfault("{plain(operation)} is not implemented", nullptr);\n}}\n\n')
        return text + f"int main() {{\n    {name} service;\n    return service.run(8080);\n}}\n"

    # The speed

    def prepare(self):
        """The part that does not depend on the operation. The types are those of the build, so its unit of
        them is taken; it is served without the service class, as in the other benchmarks."""
        self.folder = self.where / "plain"
        self._generate(self.folder, "-w")
        self._compile(self.folder / "soapServer.cpp", "soapServer.o", "-w")
        self.objects = [self.where / "soapServer.o", self.where / "soapC.o"]

    def answering(self, pair):
        source, program = self.where / "answering.cpp", self.where / "answering"
        source.write_text(self._program(pair))
        self._compile(source, "answering.o", "-std=c++17", "-w")
        self._compile(here / "allocations.cpp", "allocations.o", "-std=c++17")
        objects = [self.where / "answering.o", self.where / "allocations.o", *self.objects]
        run(["g++", *objects, "-o", program, *self.libraries])
        return program

    def _program(self, pair):
        text = (self.folder / "soapStub.h").read_text()
        text = text[text.index("* Server-Side Operations"):]
        functions = re.findall(r"SOAP_FMAC5 int SOAP_FMAC6 (\w+)\(struct soap\*,? ?(.*)\);", text)
        made, result = "", None
        for name, given in functions:
            if name.startswith("soap_serve"):
                continue
            parameters = verify.split_types(given)
            found = re.fullmatch(r"(?:struct )?(\w+) &(\w+)", parameters[-1]) if parameters else None
            chosen = plain(re.sub(r"^_*\w+?__", "", name)) == pair.operation.name and found
            if chosen and result in (None, found[1]) and not found[1].startswith("__"):
                result = found[1]
                made += self._function(name, given, parameters, found[2])
            else:
                made += f"int {name}(soap*{', ' if given else ''}{given}) {{\n    return SOAP_NO_METHOD;\n}}\n"
        if result is None:
            raise Failed(f"gSOAP has no function for {pair.operation.name} whose response can be read")
        return (
            f'#include "gsoap_imported.hpp"\n#include "{sorted(self.folder.glob("*.nsmap"))[0].name}"\n\n'
            f"static {result} kept;\n\n{made}\n"
            "int main(int count, char** arguments) {\n    return imported::run(count, arguments, [](soap* reader) {\n"
            f"        return soap_get_{result}(reader, &kept, nullptr, nullptr) != nullptr;\n    }});\n}}\n"
        )

    @staticmethod
    def _function(name, given, parameters, result):
        put = "return true;"
        # Classes only: structures are made of several parts, or of none.
        request = re.fullmatch(r"(\w+__\w+) \*(\w+)", parameters[0])
        if request and len(parameters) == 2:
            tag = plain(request[2]).lstrip("_").replace("__", ":", 1)
            put = (f"{request[2]}->soap_serialize(writer);\n        "
                   f'return {request[2]}->soap_put(writer, "{tag}", nullptr) == SOAP_OK;')
        return (f"int {name}(soap* soap, {given}) {{\n    imported::entered(soap, [&](struct soap* writer) {{\n"
                f"        {put}\n    }});\n    {result} = kept;\n    return SOAP_OK;\n}}\n")


class Best(Gsoap):
    """gSOAP in its fastest form."""

    series, options = "gsoap-best", ["-s", "-d", "-t", TYPEMAP]

    def __init__(self, path, where, given):
        super().__init__(path, where, given)
        engine = given.engine
        self.flags = ["-std=c++17", "-w", *BEST, "-I", engine]
        self.libraries = []
        self.engine = [given.keep / "stdsoap2.best.o", given.keep / "dom.best.o"]
        for source, target in zip(("stdsoap2.cpp", "dom.cpp"), self.engine):
            if not target.exists():
                run(["g++", "-O2", *self.flags, "-c", engine / source, "-o", target])

    def prepare(self):
        self._describe()
        self._generate(self.folder, "-w")
        for unit in ("soapC", "soapServer"):
            self._compile(self.folder / f"{unit}.cpp", f"{unit}.o")
        self.objects = [self.where / "soapC.o", self.where / "soapServer.o", *self.engine]


# --- Measuring ------------------------------------------------------------------------------------


class Measured:
    """One contract; adds its rows to the results."""

    def __init__(self, name, path, operation, given):
        self.name, self.path, self.operation, self.given = name, path, operation, given
        self.where = given.keep / name
        self.where.mkdir(exist_ok=True)
        self.ours, self.gsoap, self.best = (kind(path, self.where, given) for kind in (Ours, Gsoap, Best))

    def row(self, section, series, measure, value):
        with open(self.given.keep / "results", "a") as results:
            results.write(f"{section}\t{series}\t{self.name}\t{measure}\t{value}\n")

    def build(self):
        for turn in range(self.given.rounds):
            say(f"{self.name}: build {turn + 1} of {self.given.rounds}")
            for each in (self.ours, self.gsoap):
                for step, made in each.build().items():
                    for key in ("seconds", "wall", "megabytes"):
                        self.row("build", each.series, f"{step} {key}", made[key])
                self.row("build", each.series, "bytes", each.size)
                for what, files in (("looked at", each.looked_at), ("others", each.others)):
                    for key, value in zip(("lines", "code"), lines_of(files)):
                        self.row("build", each.series, f"{what} {key}", value)

    def speed(self):
        candidates = Candidates(self.path, self.where / "messages", self.operation, self.given.seed)
        say(f"{self.name}: {len(candidates.pairs)} pairs of messages")
        self.gsoap.prepare()
        self.best.prepare()
        pair, programs = self._choose(candidates)
        say(f"{self.name}: {pair.name}")
        self._forget()
        self.row("speed", "message", pair.operation.name, 0)
        for turn in range(self.given.speed):
            for each, program in programs:
                self._add([program, "run", *self._files(candidates, pair), 3, 20, each.series, self.name])

    def _forget(self):
        """The speed that was measured before: it may be of another message."""
        results = self.given.keep / "results"
        lines = results.read_text().splitlines(keepends=True)
        results.write_text("".join(line for line in lines if line.split("\t")[::2][:2] != ["speed", self.name]))

    def _files(self, candidates, pair):
        return [candidates.file(pair, "request"), candidates.file(pair, "response")]

    def _add(self, command):
        said = run(command)["said"]
        with open(self.given.keep / "results", "a") as results:
            results.write(said)

    def _choose(self, candidates):
        """The first pair that all take, with their programs; an operation after the other."""
        by_operation = {}
        for pair in candidates.pairs:
            by_operation.setdefault((pair.operation.name, pair.version), []).append(pair)
        refused = []
        # Its other form may carry values that gSOAP as built does not, such as the namespaces of wildcards.
        for kinds in ([self.gsoap, self.best], [self.best]):
            for pairs in list(by_operation.values())[:6]:
                try:
                    programs = [(each, each.answering(pairs[0])) for each in kinds]
                except Failed as why:
                    refused.append(str(why)[-1500:])
                    continue
                taken = [pair for pair in pairs if self._all_take(candidates, pair, programs, refused)]
                if taken:
                    programs.insert(0, (self.ours, self.ours.answering(taken[0])))
                for pair in taken:
                    if self._all_take(candidates, pair, programs[:1], refused):
                        return pair, programs
        raise Failed("no message that all take:\n" + "\n".join(refused[-12:]))

    def _all_take(self, candidates, pair, programs, refused):
        for each, program in programs:
            out = self.where / "out"
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            made = verify.measured([str(program), "check", *map(str, self._files(candidates, pair)), str(out)], 60)
            wrong = (made["said"] or f"status {made['status']}") if made["status"] else candidates.differ(pair, out)
            if wrong:
                refused.append(f"{each.series}: {pair.name}: {wrong[:400]}")
                return False
        return True


def build_libraries(given):
    """The cost of the two libraries, once."""
    say("the libraries")
    flags = ["-std=c++20", "-DSOAPSVC_SPLIT", "-DSOAPSVC_IMPLEMENTATION"]
    given.precompiled.parent.mkdir(exist_ok=True)
    shutil.copy(root / "soapsvc.hpp", given.precompiled.parent)
    made = {"ours": [["-c", *flags, "-x", "c++", root / "soapsvc.hpp", "-o", given.keep / "library.ours.o"],
                     [*flags[:2], "-x", "c++-header", given.precompiled.with_suffix(""), "-o", given.precompiled]]}
    flags = flags_of("gsoapssl++", "--cflags")
    made["gsoap"] = [["-c", "-w", *flags, given.engine / source, "-o", given.keep / "library.gsoap.o"]
                     for source in ("stdsoap2.cpp", "dom.cpp")]
    with open(given.keep / "results", "a") as results:
        for series, units in made.items():
            each = [run(["g++", "-O2", *unit]) for unit in units]
            for key in ("seconds", "wall"):
                results.write(f"library\t{series}\tlibrary\t{key}\t{sum(one[key] for one in each)}\n")


# --- The table ------------------------------------------------------------------------------------


class Results:
    def __init__(self, path):
        values = collections.defaultdict(list)
        self.names, self.messages = [], {}
        for line in path.read_text().splitlines():
            section, series, name, measure, value = line.split("\t")
            if section == "library":
                values[series, "", measure].append(float(value))
                continue
            if name not in self.names:
                self.names.append(name)
            if series == "message":
                self.messages[name] = measure
            else:
                values[series, name, measure].append(float(value))
        self.medians = {key: statistics.median(each) for key, each in values.items()}
        self.rounds = collections.Counter({key: len(each) for key, each in values.items()})

    def get(self, series, name, measure):
        return self.medians.get((series, name, measure))

    def sum(self, series, name, kind, steps=None):
        each = [self.get(series, name, f"{step} {kind}") for step in steps or STEPS[series]]
        return None if None in each else sum(each)


def held(is_held):
    return "-" if is_held is None else "held" if is_held else "**missed**"


def summary(results):
    """How many of the contracts hold the targets."""
    def share(name):
        return ratio(results.sum("ours", name, "seconds"), results.sum("gsoap", name, "seconds"))

    def faster(name):
        return ratio(results.get("gsoap-best", name, "ns"), results.get("ours", name, "ns"))

    for what, value, wanted in (("build", share, lambda each: each <= 0.5), ("speed", faster, lambda each: each >= 3)):
        each = [found for found in map(value, results.names) if found]
        if each:
            yield (f"Target of the {what}: held by {sum(map(wanted, each))} of {len(each)}, "
                   f"{text(min(each), 2)} to {text(max(each), 2)}, median {text(statistics.median(each), 2)}.")


def report(results):
    get, names = results.get, results.names
    library = [get(series, "", "seconds") for series in STEPS]
    rounds = min((results.rounds["ours", name, "bytes"] for name in names), default=0)
    yield ("From the WSDL to a linked server: seconds of processor time (of the clock), "
           f"medians of at least {rounds} rounds.")
    yield ""
    steps = [(series, step) for series, all_steps in STEPS.items() for step in all_steps]
    rows = []
    for name in names:
        ours, gsoap = (results.sum(series, name, "seconds") for series in STEPS)
        share = ratio(ours, gsoap)
        both = None
        if None not in (ours, gsoap, *library):
            both = ratio(ours + library[0], gsoap + library[1])
        walls = [results.sum(series, name, "wall") for series in STEPS]
        whole = results.sum("ours", name, "seconds", WHOLE)
        rows.append([name, *(text(get(series, name, f"{step} seconds"), 2) for series, step in steps),
                     f"{text(ours)} ({text(walls[0])})", f"{text(gsoap)} ({text(walls[1])})", text(share, 2),
                     text(ratio(whole, gsoap), 2), text(both, 2), held(share and share <= 0.5)])
    yield from table(
        ["contract", *(f"{'gSOAP' if series == 'gsoap' else series} {step}" for series, step in steps), "ours",
         "gSOAP", "ours/gSOAP", "header not precompiled", "with libraries", "at most 0.5"], rows)
    if None not in library:
        yield f"The library itself, compiled once: ours {text(library[0])} s, gSOAP's {text(library[1])} s."
        yield ""
    yield ("Lines (without comments and empty ones), size of the stripped program with its library in it, and "
           "memory of the compiler.")
    yield ""
    rows = []
    for name in names:
        lines = [f"{text(get(series, name, what + ' lines'), 0)} ({text(get(series, name, what + ' code'), 0)})"
                 for what, series in (("looked at", "ours"), ("looked at", "gsoap"), ("others", "gsoap"))]
        sizes = [get(series, name, "bytes") for series in STEPS]
        memory = [get(series, name, "compile megabytes") for series in STEPS]
        rows.append([name, *lines, *(text(ratio(size, 1e6), 2) for size in sizes), text(ratio(*sizes), 2),
                     *(text(each, 0) for each in memory)])
    yield from table(["contract", "ours to look at", "gSOAP to look at", "gSOAP besides", "ours MB", "gSOAP MB",
                      "ours/gSOAP", "ours compiler MB", "gSOAP compiler MB"], rows)
    yield ("A call in process: request in, response out, microseconds of processor time. `best` is gSOAP in its "
           "fastest form, the target's, which `reading` and `writing` are about too; ratios are gSOAP's time to ours. "
           "A dash under gSOAP: as built it does not carry the message.")
    yield ""
    rows = []
    for name in names:
        calls = [get(series, name, "ns") for series in ("ours", "gsoap", "gsoap-best")]
        reads = [get(series, name, "read_ns") for series in ("ours", "gsoap-best")]
        writes = [call - read if call is not None else None for call, read in zip((calls[0], calls[2]), reads)]
        faster = ratio(calls[2], calls[0])
        rows.append([
            name, results.messages.get(name, "-"),
            *(text(get("ours", name, f"bytes_{way}"), 0) for way in ("in", "out")),
            *(text(ratio(call, 1000)) for call in calls), text(ratio(calls[1], calls[0])), text(faster),
            text(ratio(*reversed(reads))), text(ratio(*reversed(writes))),
            text(get("ours", name, "allocations"), 0), text(get("gsoap-best", name, "allocations"), 0),
            held(faster and faster >= 3)])
    yield from table(["contract", "operation", "bytes in", "out", "ours us", "gSOAP us", "best us", "gSOAP/ours",
                      "best/ours", "reading", "writing", "ours allocations", "best allocations", "at least 3"], rows)


def main():
    asked = argparse.ArgumentParser(usage=__doc__)
    asked.add_argument("folder", type=pathlib.Path)
    asked.add_argument("names", nargs="*", metavar="NAME[:OPERATION]")
    asked.add_argument("--importer", type=pathlib.Path, default=root / "build/example/import/soapsvc-import")
    asked.add_argument("--library", type=pathlib.Path, help="the compiled implementation")
    asked.add_argument("--rounds", type=int, default=3, help="of the builds")
    asked.add_argument("--speed", type=int, default=9, help="rounds of the speed")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="where what is made stays")
    asked.add_argument("--report", action="store_true", help="print the table of what is there")
    given = asked.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as scratch:
        given.keep = (given.keep or pathlib.Path(scratch)).resolve()
        given.keep.mkdir(parents=True, exist_ok=True)
        failed = False if given.report else measure(given, asked)
        results = given.keep / "results"
        if results.exists():
            found = Results(results)
            print("\n".join([*report(found), *summary(found)]))
    sys.exit(1 if failed else 0)


def measure(given, asked):
    """Whether one of them could not be measured."""
    if not given.importer.exists():
        asked.error(f"{given.importer} is not built")
    given.importer = given.importer.resolve()
    listed = dict(line.split("\t")[:2] for line in (given.folder / "contracts.tsv").read_text().splitlines()[1:])
    wanted = [each.partition(":")[::2] for each in given.names]
    unknown = [name for name, _ in wanted if name not in listed]
    if unknown:
        asked.error(f"no such contract: {', '.join(unknown)}")
    given.engine = pathlib.Path(subprocess.check_output([here / "fetch_gsoap", given.keep], text=True).strip())
    given.precompiled = given.keep / "precompiled" / "soapsvc.hpp.gch"
    results = given.keep / "results"
    if not results.exists() or "library\t" not in results.read_text():
        build_libraries(given)
    given.library = (given.library or given.keep / "library.ours.o").resolve()
    failed = False
    for name, operation in wanted:
        one = Measured(name, (given.folder / name / listed[name]).resolve(), operation or None, given)
        for step in ([one.build] if given.rounds else []) + ([one.speed] if given.speed else []):
            try:
                step()
            except (Failed, ValueError) as why:
                failed = True
                say(f"{name}: {why}")
    return failed


main()
