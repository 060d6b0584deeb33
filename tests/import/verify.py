"""Makes a program of imported contracts that describes, passes on and serves: see verify.hpp. The trials
and the importer's own tests run it."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import time

import components
import contract
import messages

folder = pathlib.Path(__file__).resolve().parent
root = folder.parent.parent
FLAGS = "-std=c++20 -O0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -DSOAPSVC_SPLIT".split()
LIBRARIES = ["-lssl", "-lcrypto", "-lz", "-pthread"]

METHOD = re.compile(
    r"^(?P<result>\S.*?)\s+(?P<class>\w+)::(?P<method>\w+)\((?P<parameters>.*)\) \{\n"
    r'\s+::not_implemented\(\s*"(?P<operation>[^"]+)"\);\n\}$', re.S
)  # fmt: skip


def split_types(text):
    """The parts between commas outside of angle brackets."""
    parts, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    return [each.strip() for each in [*parts, text[begin:]] if each.strip()]


class Imported:
    """A header that the importer wrote, and its skeleton."""

    def __init__(self, space, header, skeleton, folder):
        self.space, self.header, self.folder = space, pathlib.Path(header), pathlib.Path(folder)
        text = re.sub(r"::\n\s+", "::", self.header.read_text())  # a long name stands in two lines
        skeleton = pathlib.Path(skeleton).read_text()
        # Of each operation: its method, and its row.
        rows = re.split(rf"\boperation\(\s*\"[^\"]+\",\s*&{space}::", text)[1:]
        self._details = {}
        for row in rows:
            row = row.split(";\n")[0]
            self._details[row[: re.search(r"[,)\s]", row).start()]] = re.findall(r"fault_detail<([\w:]+)>\(\)", row)
        inside = re.search(rf"\nnamespace {space} \{{\n(.*)\n\}}  // namespace {space}\n", skeleton, re.S)[1]
        self._methods = [METHOD.match(block.strip()) for block in inside.split("\n\n") if block.strip()]
        if None in self._methods:
            raise ValueError(f"{skeleton}: a method that is not understood")
        self.services = re.findall(rf"^        ({space}::\w+)\s+\w+;$", skeleton, re.M)
        # Of a large contract, the tables are in units of their own.
        beside = self.header.parent.glob(self.header.stem + "_*.cpp")
        self.units = sorted(each for each in beside if each.stem.removeprefix(self.header.stem)[1:].isdigit())

    def _method(self, found):
        method = found["class"] + "::" + found["method"]
        names = ["first", "second"]
        parameters = list(zip(split_types(found["parameters"]), names))
        given = "".join(", " + name for _, name in parameters)
        types = ", ".join([found["class"], *self._details[method]])
        return (
            f"{found['result']} {method}({', '.join(f'{type} {name}' for type, name in parameters)}) {{\n"
            f'    return verify::pass_on<{types}>("{found["operation"]}", &{method}{given});\n}}\n'
        )

    def methods(self):
        inside = "\n".join(self._method(each) for each in self._methods)
        return f'#include "{self.header}"\n\nnamespace {self.space} {{\n\n{inside}\n}}  // namespace {self.space}\n\n'

    def offers(self):
        services = ", ".join(f"verify::offer<{each}>()" for each in self.services)
        return f'{{"{self.folder}", {{{services}}}}}'


def program_text(imported):
    return (
        '#include "verify.hpp"\n\n' + "".join(each.methods() for each in imported)
        + "int main(int count, char** arguments) {\n    return verify::run(count, arguments, {\n        "
        + ",\n        ".join(each.offers() for each in imported) + "});\n}\n"
    )  # fmt: skip


def measured(command, seconds):
    """Runs a command and says how long and how much it took, its own children included."""
    begin = time.monotonic()
    with open(os.devnull) as nothing, subprocess.Popen(
        ["/usr/bin/timeout", str(seconds), *command], stdin=nothing, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as child:
        said = child.stdout.read().decode(errors="replace")
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode == 124:
        said = f"longer than {seconds} s\n"
    return {
        "status": child.returncode, "said": said, "seconds": usage.ru_utime + usage.ru_stime,
        "wall": time.monotonic() - begin, "megabytes": usage.ru_maxrss / 1024,
    }  # fmt: skip


def build(imported, where, compiler, library, seconds=600, varies=False):
    """Compiles the program of these headers, with changed structs if it `varies`; returns its path, or
    what was said instead."""
    source, program = where / "verified.cpp", where / "verified"
    source.write_text(program_text(imported))
    sources = [source, folder / "verify.cpp", *([folder / "vary.cpp"] if varies else [])]
    sources += [unit for each in imported for unit in each.units]
    flags = [*FLAGS, *(["-DVERIFY_VARY"] if varies else []), "-I", str(root), "-I", str(folder)]
    objects = [str(where / f"{number}.{unit.stem}.o") for number, unit in enumerate(sources)]

    def compiled(unit, made):
        return measured([*compiler.split(), *flags, "-c", str(unit), "-o", made], seconds)

    # Each unit alone: beside each other, and by ccache where it has been compiled before.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for made in pool.map(compiled, sources, objects):
            if made["status"] != 0:
                return None, made
    made = measured([*compiler.split(), *objects, str(library), "-o", str(program), *LIBRARIES], seconds)
    return (program, made) if made["status"] == 0 else (None, made)


def served(where):
    return contract.Contract(*sorted(where.glob("served.*.wsdl")))


# Accepted differences of a served contract: (pattern of the line, reason).
ACCEPTED = [
    (r" soapAction: none; served: the Action of WS-Addressing$",
     "an Action without a soapAction is sent as SOAPAction, too (WS-Addressing 1.0 SOAP Binding)"),
    (r" (headers|told)/\w+(\(\w+\))?/@anyAttribute: none; served: (any|other than [^;]*), \w+$",
     "a header block may have any attributes, as .NET describes them"),
    (r"@anyAttribute: [^;]*, strict; served: [^;]*, lax$", "elements that no table lists are not described, so it is lax"),
    (r": wildcards (strict|, )+; served: (lax|, )+$", "elements that no table lists are not described, so it is lax"),
    (r": [^;]*list\((IDREF|NMTOKEN|ENTITY|token)\)[^;]*; served: [^;]*list\(string\)", "lists of words are lists of strings"),
    (r": [^;]*anySimpleType[^;]*; served: [^;]*string", "anySimpleType is a string: it takes the same texts"),
    (r": (\w+ )?union\((string|token) [^;]*; served: (\w+ )?(string|token) pattern", "a union of strings is a string with the patterns of all"),
    (r": (\w+ )?union\(.*\bstring\)[^;]*; served: (\w+ )?string$", "a union with any string takes all strings"),
    (r": (\w+ )?union\(string [^;]*\) \{[^;]*; served: (\w+ )?string \{", "values of a union of strings are an enumeration"),
    (r": (\w+ )?(union|list)\([^;]*; served: (\w+ )?(union\(|list\(|\w+)[^;]* pattern ",
     "the facets of a union's members, or of a list's items, are a pattern of the whole value"),
    (r": union\(string, [^;]*; served: union\(string", "a union whose first type is string says no other string type"),
    (r"/KeyValueOf\w+: [^;]*Key nillable, [^;]*; served: [^;]*Key, ", "no key of a dictionary is nil, whatever its schema says"),
    (r" faults/\w+: [^;]*; served: complex type \w+ of ", "a fault of a simple type is a record with that content alone"),
    (r" (request|response)/(\w+): \w+; served: complex type \2 of ", "and so is a message that has the element of a fault"),
    (r": mixed complex type[^;]*; served: anyType$", "mixed content is kept as it is, in a soapsvc::xml"),
    (r"by the served schemas: .*instance\}type'.* does not resolve to a type definition",
     "mixed content is kept as it is, so types derived from it are not described"),
]  # fmt: skip


def sorted_out(lines):
    """The lines that are not accepted; the accepted lines, each with the reason."""
    wrong, accepted = [], []
    for line in lines:
        reason = next((why for what, why in ACCEPTED if re.search(what, line)), None)
        if reason:
            accepted.append((line, reason))
        else:
            wrong.append(line)
    return wrong, accepted


def compare(original, where):
    """The differences of the contracts served from a folder: see sorted_out."""
    return sorted_out(components.differences(original, served(where)))


class Passed:
    """The number of messages that were tried, and the errors of those that failed."""

    def __init__(self, original, where, seed=1, each=4):
        self.trial = messages.Trial(original, served(where), where, seed, each)
        self.trial.prepare()
        self.tried = len(self.trial.messages)

    def check(self):
        self.trial.judge()
        return sorted_out(f"{message.name}: {why}" for message, why in self.trial.failures)


# --- Changed structs ------------------------------------------------------------------------------

# Messages that tables let a client send and the original does not allow: (the line, reason).
LET_OUT = [
    (r"attribute '\w+': '.*' is not a valid value of the atomic type 'xs:IDREF'", "lists of words are lists of strings"),
    (r" response: .*: The attribute '\w+' is required but missing", "a nil value keeps no attributes"),
    (r"'-?\d{25,}' is not a valid value", "libxml2 reads integers of at most 24 digits"),
]


def rows_with(options, header):
    """The names of the rows of a header that have such options; content has none."""
    rows = re.split(r"\b(?:(?:field|attribute)\(\s*\"|(?=content\())", pathlib.Path(header).read_text())[1:]
    return {"" if row.startswith("content(") else row.split('"')[0]
            for row in rows if re.search(options, row.split(";\n")[0])}


def is_earlier_member(one, other):
    """Whether two texts differ only in the member types of unions that take them, and the other's is an
    earlier one: XML Schema part 2, 4.2.1.3."""
    mark = re.compile(r"#(\d+):")
    indices, others = ([int(each) for each in mark.findall(text)] for text in (one, other))
    without = [re.sub(r"\[\d+\]| ", "", mark.sub("#", text)) for text in (one, other)]
    earlier = [first >= second for first, second in zip(indices, others)]
    return bool(indices) and len(indices) == len(others) and all(earlier) and without[0] == without[1]


class Varied:
    """The results of changed structs, if a program got the argument `vary`: the number of sent and of refused
    ones, the errors, and the accepted differences."""

    def __init__(self, trial, header):
        self.out, self.refused = 0, 0
        self._by_default = rows_with(r"\b(default_value|fixed)\(", header)
        self._by_form = rows_with(r"^[^\"&]*\"?[^\"&]*&[\w:]+\s*,", header)
        lines, files = [], {}
        for message in trial.messages:
            for line in (trial.where / "out" / f"{message.name}.variants").read_text().splitlines():
                path, way, came, *why = line.split(" ", 3)
                label = f"{pathlib.Path(path).name} {way}"
                if came == "refused:":
                    self.refused += 1
                    continue
                self.out += 1
                if came == "wrong:" or came == "differs:" and not self._is_known(why[0]):
                    lines.append(f"{label}: {came} {why[0]}")
                headers, body = messages.parts(contract.parse(pathlib.Path(f"{path}.{way}.xml").read_bytes()))
                for number, node in enumerate([*headers, *([body] if body else [])]):
                    piece = trial.where / "back" / f"{pathlib.Path(path).name}.{way}.{number}.xml"
                    piece.write_text(messages.written(node))
                    files[str(piece)] = label
        for path, why in trial.schemas[0].invalid(files).items():
            lines.append(f"{files[path]}: is let out and is not valid by the original schemas: {why}")
        accepted = {line: why for line in lines for what, why in LET_OUT if re.search(what, line)}
        self.wrong = [line for line in lines if line not in accepted]
        self.accepted = list(accepted.items())

    def _is_known(self, differing):
        """An absent attribute arrives with its default; a fixed value is written as it must be; a text of a
        union belongs to the first member type that takes it; and a reader collapses the spaces that a
        server writes in a token: see white_space in components."""
        parts = differing.split("\t")
        return all(
            name in self._by_default or is_earlier_member(one, other)
            or name in self._by_form and one.replace(" ", "") == other.replace(" ", "")
            for name, one, other in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        )
