"""Do random messages of a contract come back as they were sent? verify.hpp describes their way.

The messages are made from the original schemas, not from the imported tables. xmllint confirms each element by
these schemas before it is sent. The element that comes back must be valid by the original and by the served
schemas, and must have the same content. Prefixes, the order in an all group, absent defaults and the form of a
value do not count.
"""

import base64
import pathlib
import random
import re
import subprocess
import warnings
from xml.parsers.expat import ExpatError
from xml.sax.saxutils import escape, quoteattr

import components
import contract
from contract import XML, XS, Complex, Node, any_type

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import sre_parse

XSI = "http://www.w3.org/2001/XMLSchema-instance"
ENVELOPES = {"1.1": "http://schemas.xmlsoap.org/soap/envelope/", "1.2": "http://www.w3.org/2003/05/soap-envelope"}
STRANGE = "urn:strange"
DEPTH, SIZE = 7, 120


# --- Schemas for xmllint --------------------------------------------------------------------------


def declarations(scope):
    return "".join(
        f" xmlns{':' + prefix if prefix else ''}={quoteattr(ns)}" for prefix, ns in scope.items() if prefix != "xml"
    )


def written(node, scope=True):
    """An element as text that stands alone."""
    name, given = node.raw
    if scope:
        given = {k: v for k, v in given.items() if k != "xmlns" and not k.startswith("xmlns:")}
    attributes = "".join(f" {k}={quoteattr(v, {chr(10): '&#10;', chr(9): '&#9;'})}" for k, v in given.items())
    inside = "".join(written(each, False) if isinstance(each, Node) else escaped(each) for each in node.children)
    return f"<{name}{declarations(node.scope) if scope else ''}{attributes}>{inside}</{name}>"


def escaped(text):
    return escape(text, {"\r": "&#13;"})


class Schemas:
    """The schemas of a contract as files, one for each namespace, all of them imported by `path`."""

    def __init__(self, of, where):
        self.of, self.where = of, where
        where.mkdir(exist_ok=True)
        self._numbers = {id(each): at for at, each in enumerate(of.documents)}
        self._targets = list(dict.fromkeys(
            [each.target for each in of.documents] + [each.name[0] for each in self._wrappers()]))
        redefined = {id(made) for each in of.documents for said, made in each.references if said.local == "redefine"}
        for each in of.documents:
            self._write(each)
        for number, target in enumerate(self._targets):
            inside = "".join(f'<xs:include schemaLocation="document{self._numbers[id(each)]}.xsd"/>'
                             for each in of.documents if each.target == target and id(each) not in redefined)
            self._schema(f"namespace{number}.xsd", target, inside + self._imports(target) + self._rpc(target))
        self.path = where / "all.xsd"
        self._schema("all.xsd", "urn:all", self._imports("urn:all"))

    def _schema(self, file, target, inside):
        about = f" targetNamespace={quoteattr(target)}" if target else ""
        # Includes stand before imports or after them: both come first.
        (self.where / file).write_text(f'<xs:schema xmlns:xs="{XS}"{about}>{inside}</xs:schema>\n')

    def _imports(self, target, said="urn:said"):
        return "".join(
            "<xs:import " + (f"namespace={quoteattr(each)} " if each else "") + f'schemaLocation="namespace{number}.xsd"/>'
            for number, each in enumerate(self._targets) if (each or "") not in ((target or ""), (said or ""))
        )

    def _wrappers(self):
        each_once = {}
        for operation in self.of.operations:
            for element in (operation.request, operation.response):
                if element is not None and hasattr(element, "rpc"):
                    each_once[element.name] = element
        return each_once.values()

    def _rpc(self, target):
        """Elements for the wrappers of rpc/literal, which no schema declares."""
        made = ""
        for element in self._wrappers():
            if element.name[0] != target or element.name in self.of.components["element"]:
                continue
            parts = "".join(f'<xs:element name="{name}" type="p:{type[1]}" form="unqualified" xmlns:p={quoteattr(type[0])}/>'
                            for name, type in element.rpc)
            made += (f'<xs:element name="{element.name[1]}"><xs:complexType><xs:sequence>{parts}</xs:sequence>'
                     "</xs:complexType></xs:element>")
        return made

    def _write(self, document):
        node = document.node
        first = f"{node.raw[0]}"
        prefix = first.rpartition(":")[0]
        xs = prefix + ":" if prefix else ""
        about = "".join(f" {k}={quoteattr(v)}" for k, v in node.raw[1].items()
                        if ":" not in k and k != "xmlns" and (k != "targetNamespace" or v))
        inside = ""
        for said, made in document.references:
            if said.local == "redefine":
                inside += re.sub(r"schemaLocation=(\"[^\"]*\"|'[^']*')",
                                 f'schemaLocation="document{self._numbers[id(made)]}.xsd"', written(said), count=1)
        # A schema without a namespace, included into another, imports as one without a namespace.
        said = document.target if node.get("targetNamespace") else ""
        inside += self._imports(document.target, said).replace("xs:import", xs + "import")
        for each in node.elements:
            if each.ns == XS and each.local in contract.KINDS and self._counts(each, document):
                inside += written(each)
        path = self.where / f"document{self._numbers[id(document)]}.xsd"
        # Numbers of more than 24 digits are too long for xmllint, as defaults too.
        inside = re.sub(r' default="-?\d{25,}"', "", inside)
        path.write_text(f"<{first}{declarations(node.scope)}{about}>{inside}</{first}>\n")

    def _counts(self, node, document):
        at = self.of.components[contract.KINDS[node.local]].get((document.target, node.get("name")))
        while at is not None and at.node is not node:
            at = at.old
        return at is not None

    def invalid(self, files):
        """The errors of xmllint for invalid files; None, with its errors, if it cannot read the schemas."""
        told = {}
        files = [str(each) for each in files]
        for begin in range(0, len(files), 400):
            made = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", self.path, *files[begin : begin + 400]],
                                  capture_output=True, text=True, errors="replace")
            if "failed to compile" in made.stderr or made.returncode in (1, 5, 6, 7):
                lines = [line for line in made.stderr.splitlines() if "error" in line]
                raise ValueError("xmllint: " + (lines or made.stderr.splitlines() or ["?"])[0][:400])
            for line in made.stderr.splitlines():
                found = re.match(r"(.+?\.xml):\d+: (.*)", line)
                if found and "warning" not in found[2].split(":")[0]:
                    told.setdefault(found[1], found[2])
                elif line.endswith(" fails to validate"):
                    told.setdefault(line[: -len(" fails to validate")], "not valid")
        return told


# --- Random values --------------------------------------------------------------------------------


class Made:
    """An element that was made: `attributes` by name, children of these or str."""

    def __init__(self, name):
        self.name, self.attributes, self.children = name, {}, []


RANGES = {
    "byte": (-(2**7), 2**7 - 1), "short": (-(2**15), 2**15 - 1), "int": (-(2**31), 2**31 - 1),
    "long": (-(2**63), 2**63 - 1), "unsignedByte": (0, 2**8 - 1), "unsignedShort": (0, 2**16 - 1),
    "unsignedInt": (0, 2**32 - 1), "unsignedLong": (0, 2**64 - 1), "integer": (-(10**23), 10**23),
    "nonNegativeInteger": (0, 10**23), "positiveInteger": (1, 10**23), "nonPositiveInteger": (-(10**23), 0),
    "negativeInteger": (-(10**23), -1),
}  # fmt: skip
WORDS = ["a", "Zoë", "&", "<b>", "\"'", "]]>", "10", "日本", "x y", "B", "–", "€", "{c}", "&amp;", "%41"]


class Maker:
    """Makes random elements. Names in values are written with the prefixes of `prefixes`."""

    def __init__(self, of, seed):
        self.of, self.random = of, random.Random(seed)
        self.prefixes, self._heights, self._ids = {}, {}, 0
        self.least = 0  # characters of a text and items of a list, where the facets leave that open

    def coin(self, chance=0.5):
        return self.random.random() < chance

    def prefix(self, ns):
        return self.prefixes.setdefault(ns, f"n{len(self.prefixes)}")

    def element(self, of, is_free=True):
        self._left = SIZE
        return self._element(of, 0, is_free)

    # The depth of a type's smallest element, which ends recursion.

    def height(self, type):
        if type not in self._heights:
            reached, todo = [], [type]
            while todo:
                at = todo.pop()
                if at in reached:
                    continue
                reached.append(at)
                if isinstance(at, Complex) and at is not any_type:
                    todo += self.of.derived(at).values()
                    todo += [each.type for each in components.elements_of(at.content).values()]
            changed = True
            self._heights.update({each: self._heights.get(each, 10**6) for each in reached})
            while changed:
                changed = False
                for each in reached:
                    now = self._type_height(each)
                    changed = changed or now < self._heights[each]
                    self._heights[each] = now
        return self._heights[type]

    def _type_height(self, type):
        if not isinstance(type, Complex) or type is any_type:
            return 0
        own = 10**6 if type.abstract else self._particle_height(type.content)
        return min([own] + [self._heights[each] for each in self.of.derived(type).values()])

    def _particle_height(self, part):
        if part is None or part.least == 0 or part.kind == "any":
            return 0
        if part.kind == "element":
            return 0 if part.of.nillable else 1 + self._heights.get(part.of.type, 10**6)
        each = [self._particle_height(child) for child in part.of]
        return (min if part.kind == "choice" else max)(each, default=0)

    # Elements

    def _is_tight(self, depth):
        return depth >= DEPTH or self._left <= 0

    def _element(self, of, depth, is_free=True):
        self._left -= 1
        made, type = Made(of.name), of.type
        if isinstance(type, Complex) and type is not any_type:
            self.height(type)
            chosen = self._derived(type, depth) if is_free else type
            if chosen is not type:
                made.attributes[XSI, "type"] = f"{self.prefix(chosen.name[0])}:{chosen.name[1]}"
            type = chosen
            self._attributes(made, type)
        is_simple = not isinstance(type, Complex) or type.simple is not None
        # A nil value keeps no attributes, as the README says, so that it cannot have a required attribute.
        must_say = any(each.use == "required" for each in getattr(type, "attributes", {}).values())
        nil = is_free and of.nillable and of.fixed is None and not must_say and (self.coin(0.15) or self._is_tight(depth) and not is_simple)
        if nil:
            made.attributes[XSI, "nil"] = "true"
        elif of.fixed is not None:
            made.children = [of.fixed]
        elif of.default is not None and len(of.default) < 25 and self.coin(0.3):
            made.children = [of.default] if self.coin() else []
        elif is_simple:
            made.children = [self.value(type.simple if isinstance(type, Complex) else type)]
        elif type is any_type:
            self._anything(made)
        else:
            self._content(made, type.content, depth)
            if type.mixed and type.content is None:
                made.children.append(self._text())
            elif type.mixed:
                made.children = [part for each in made.children for part in (self._text(), each)]
        return made

    def _derived(self, type, depth):
        others = [each for each in self.of.derived(type).values() if not each.abstract]
        if self._is_tight(depth):
            return min([each for each in [type, *others] if not each.abstract] or [type],
                       key=lambda each: self._particle_height(each.content))
        if others and (type.abstract or self.coin(0.4)):
            return self.random.choice(others)
        return type

    def _attributes(self, made, type):
        for each in type.attributes.values():
            if each.use == "required" or self.coin():
                text = each.fixed if each.fixed is not None else self.value(each.type)
                made.attributes[each.name] = text
        if type.any_attribute is not None and self.coin(0.3):
            if type.any_attribute.process != "strict" and type.any_attribute.allows(STRANGE):
                made.attributes[STRANGE, "mark"] = self._text()

    def _text(self):
        return " ".join(self.random.choices(WORDS, k=self.random.randint(0, 3)))

    def _anything(self, made):
        if self.coin():
            made.children = [self._text() or "t"]
            return
        for _ in range(self.random.randint(0, 2)):
            made.children.append(self._strange())

    def _strange(self, ns=STRANGE):
        made = Made((ns, "anything"))
        if self.coin():
            made.attributes["", "about"] = self._text()
        if self.coin():
            inner = Made((STRANGE, "more"))
            inner.children = [self._text()]
            made.children.append(inner)
        made.children.append(self._text())
        return made

    def _content(self, made, part, depth):
        if part is None or part.most == 0:
            return
        most = min(part.most, part.least + (0 if self._is_tight(depth) else self.random.choice((0, 1, 1, 2))))
        if part.least == 0 and self._needs(part) >= 10**6:
            return
        # A map sorts its entries, and has each key once.
        if part.kind == "element" and part.of.name[1].startswith("KeyValueOf"):
            most = min(most, 1)
        for _ in range(int(most)):
            self._once(made, part, depth)

    def _needs(self, part):
        if part.kind == "element":
            return 0 if part.of.nillable else self.height(part.of.type)
        if part.kind == "any":
            return 0
        return (min if part.kind == "choice" else max)(
            [self._needs(each) if each is not None and each.least else 0 for each in part.of], default=0)

    def _once(self, made, part, depth):
        if part.kind == "element":
            is_key = made.name[1].startswith("KeyValueOf") and part.of.name[1] == "Key"  # never nil in a map
            made.children.append(self._element(part.of, depth + 1, not is_key))
        elif part.kind == "any":
            self._any(made, part, depth)
        elif part.kind == "choice":
            possible = [each for each in part.of if each is not None and each.most]
            if not possible:
                return
            if self._is_tight(depth):
                self._content(made, min(possible, key=self._needs), depth)
            else:
                possible = [each for each in possible if self._needs(each) < 10**6]
                self._content(made, self.random.choice(possible), depth)
        else:
            parts = list(part.of)
            if part.kind == "all":
                self.random.shuffle(parts)
            for each in parts:
                self._content(made, each, depth)

    def _any(self, made, part, depth):
        rule = part.of
        if rule.process != "strict":
            for ns in [STRANGE, *(["", *rule.namespaces] if not rule.rule else [])]:
                if rule.allows(ns) and ns != "##any":
                    made.children.append(self._strange(ns))
                    return
        known = [key for key in self.of.components["element"] if rule.allows(key[0]) and key[0] != XS
                 and not self.of.global_element(key).abstract]
        if known and not self._is_tight(depth):
            element = self.of.global_element(self.random.choice(known))
            if self.height(element.type) < 10**6:
                made.children.append(self._element(element, depth + 3))

    # Simple values

    def value(self, type):
        text = self._value(type)
        # Of other types xmllint, as of libxml2 2.9, does not take spaces around values.
        if getattr(type, "builtin", None) in ("token", "NMTOKEN", "anyURI") and text and self.coin(0.1):
            return f" {text}\n"
        return text

    def _value(self, type):
        if isinstance(type, Complex):
            return self._text()
        if type.enumeration is not None:
            chosen = self.random.choice(type.enumeration)
            return f"{self.prefix(chosen[0])}:{chosen[1]}" if isinstance(chosen, tuple) else chosen
        if type.members is not None:
            return self._value(self.random.choice(type.members))
        facets = type.facets
        if type.item is not None:
            least = int(facets.get("length", facets.get("minLength", self.least)))
            most = int(facets.get("length", facets.get("maxLength", least + 3)))
            return " ".join(self._value(type.item) or "x" for _ in range(self.random.randint(least, min(most, least + 3))))
        for _ in range(100):
            text = self._of_pattern(self.random.choice(type.patterns)) if type.patterns else self._atomic(type)
            # Digits stand before and behind the point of seconds, though xmllint takes them without.
            if components.is_value(text, type) and not (
                    type.builtin == "duration" and re.search(r"\.S|T\.|[A-Z]\.", text)):
                break
        return text

    def _length(self, facets, most=8):
        if "length" in facets:
            return int(facets["length"])
        least = int(facets.get("minLength", self.least))
        return self.random.randint(least, min(int(facets.get("maxLength", least + most)), least + most))

    def _atomic(self, type):
        kind, facets = type.builtin, type.facets
        if kind in RANGES:
            return self._integer(kind, facets)
        if kind == "decimal":
            return self._decimal(facets)
        make = getattr(self, "_make_" + kind, None)
        if make:
            return make(facets)
        length = self._length(facets)
        if kind in ("NMTOKEN", "Name", "NCName", "ENTITY", "IDREF", "language", "NOTATION"):
            if kind == "language":
                return self.random.choice(("en", "nb-NO", "de-CH-1996"))
            return "n" + "".join(self.random.choices("abcXYZ019-._é", k=max(0, length - 1)))
        text = "".join(self.random.choices("abcdefgh ijkl XYZ 0123456789 &<>'\"é日€", k=length))
        if kind == "anyURI":
            return "http://example.org/" + re.sub(r"\W", "", text)
        return text.replace(" ", "_") if kind != "string" and kind != "anySimpleType" else text

    def _integer(self, kind, facets):
        least, most = RANGES[kind]
        for word, step in (("minInclusive", 0), ("minExclusive", 1)):
            if word in facets:
                least = max(least, int(facets[word]) + step)
        for word, step in (("maxInclusive", 0), ("maxExclusive", -1)):
            if word in facets:
                most = min(most, int(facets[word]) + step)
        digits = int(facets.get("totalDigits", 40))
        least, most = max(least, -(10**digits) + 1), min(most, 10**digits - 1)
        number = self.random.choice((least, most, self.random.randint(least, most), max(least, min(most, 7))))
        text = str(number)
        if number >= 0 and not kind.startswith("u") and self.coin(0.1):
            text = "+" + text
        return text.replace("-", "-0") if number < 0 and self.coin(0.1) else text

    def _decimal(self, facets):
        digits, part = int(facets.get("totalDigits", 12)), int(facets.get("fractionDigits", 4))
        part = min(part, digits)
        least = next((float(facets[each]) for each in ("minInclusive", "minExclusive") if each in facets), -(10**6))
        most = next((float(facets[each]) for each in ("maxInclusive", "maxExclusive") if each in facets), 10**6)
        bound = 10 ** (digits - part) - 1
        number = self.random.uniform(max(least, -bound), min(most, bound))
        text = f"{number:.{self.random.randint(0, part)}f}"
        return text + "0" if "." in text and self.coin(0.1) and "totalDigits" not in facets else text

    def _make_boolean(self, _):
        return self.random.choice(("true", "false", "1", "0"))

    def _make_double(self, facets):
        if {"minInclusive", "maxInclusive", "minExclusive", "maxExclusive"} & facets.keys():
            return self._decimal(facets)
        return self.random.choice(("0", "-1.5", "1E3", "INF", "-INF", "NaN", "12.25", "1.0e-2", "00.50"))

    _make_float = _make_double

    def _zone(self):
        return self.random.choice(("", "", "Z", "+02:00", "-05:30", "+00:00"))

    def _make_date(self, _):
        return f"{self.random.randint(1, 2100):04}-{self.random.randint(1, 12):02}-{self.random.randint(1, 28):02}" + self._zone()

    def _make_time(self, facets):
        seconds = f"{self.random.randint(0, 59):02}" + self.random.choice(("", "", ".5", ".120", ".000001"))
        # A time with a zone is neither before nor after a bound without one.
        zone = "" if any(each.endswith("clusive") for each in facets) else self._zone()
        return f"{self.random.randint(0, 23):02}:{self.random.randint(0, 59):02}:{seconds}" + zone

    def _make_dateTime(self, facets):
        return self._make_date(facets)[:10] + "T" + self._make_time(facets)

    def _make_gYear(self, _):
        return f"{self.random.randint(1, 2100):04}" + self._zone()

    def _make_gYearMonth(self, _):
        return f"{self.random.randint(1, 2100):04}-{self.random.randint(1, 12):02}" + self._zone()

    def _make_gMonth(self, _):
        return f"--{self.random.randint(1, 12):02}"

    def _make_gMonthDay(self, _):
        return f"--{self.random.randint(1, 12):02}-{self.random.randint(1, 28):02}"

    def _make_gDay(self, _):
        return f"---{self.random.randint(1, 31):02}"

    def _make_duration(self, _):
        return self.random.choice(("P1Y", "PT5M", "-P3DT4H", "P1Y2M3DT4H5M6.5S", "PT0S", "P14M", "PT90S"))

    def _make_hexBinary(self, facets):
        return "".join(self.random.choices("0123456789ABCDEFabcdef", k=2 * self._length(facets)))

    def _make_base64Binary(self, facets):
        return base64.b64encode(self.random.randbytes(self._length(facets))).decode()

    def _make_QName(self, _):
        return f"{self.prefix(STRANGE)}:{self.random.choice(('name', 'other'))}"

    def _make_ID(self, _):
        self._ids += 1
        return f"id{self._ids}"

    def _of_pattern(self, alternatives):
        pattern = self.random.choice(alternatives)
        for said, python in ((r"\i", "[A-Za-z_]"), (r"\c", "[A-Za-z0-9._-]"), (r"\p{L}", "[A-Za-z]"), (r"\p{Lu}", "[A-Z]"),
                             (r"\p{Ll}", "[a-z]"), (r"\p{N}", "[0-9]"), (r"\p{Nd}", "[0-9]"), ("$", r"\$"), ("^", "^")):
            pattern = pattern.replace(said, python)
        try:
            return "".join(self._of_tree(sre_parse.parse(pattern)))
        except (re.error, ValueError):
            return self._text()

    def _of_tree(self, tree):
        for what, said in tree:
            what = str(what)
            if what == "LITERAL":
                yield chr(said)
            elif what == "ANY":
                yield self.random.choice("abc 019é")
            elif what == "IN":
                yield self._of_class(said)
            elif what == "NOT_LITERAL":
                yield self.random.choice([each for each in "abc019" if ord(each) != said])
            elif what == "BRANCH":
                yield from self._of_tree(self.random.choice(said[1]))
            elif what == "SUBPATTERN":
                yield from self._of_tree(said[3])
            elif what in ("MAX_REPEAT", "MIN_REPEAT"):
                least, most, inner = said
                for _ in range(self.random.randint(least, min(int(most), least + 4))):
                    yield from self._of_tree(inner)

    def _of_class(self, said):
        not_these = str(said[0][0]) == "NEGATE"
        possible = []
        for what, each in said:
            what = str(what)
            if what == "LITERAL":
                possible.append(chr(each))
            elif what == "RANGE":
                possible += [chr(each[0]), chr(each[1]), chr((each[0] + each[1]) // 2)]
            elif what == "CATEGORY":
                of = {"CATEGORY_DIGIT": "059", "CATEGORY_WORD": "aZ0_", "CATEGORY_SPACE": " ", "CATEGORY_NOT_SPACE": "aZ0.",
                      "CATEGORY_NOT_DIGIT": "aZ", "CATEGORY_NOT_WORD": " ."}  # fmt: skip
                possible += of[str(each)]
        if not_these:
            possible = [each for each in "abcXYZ019-+ é" if each not in possible] or ["~"]
        return self.random.choice(possible)

    # Text

    def text(self, made):
        """A made element as text that declares its prefixes."""
        inside = self._written(made)
        return inside.replace(">", declarations({prefix: ns for ns, prefix in self.prefixes.items() if ns}) + ">", 1) \
            if not inside.endswith("/>") or ">" in inside[:-1] \
            else inside[:-2] + declarations({prefix: ns for ns, prefix in self.prefixes.items() if ns}) + "/>"

    def _name(self, name):
        if name[0] == XML:
            return "xml:" + name[1]
        return f"{self.prefix(name[0])}:{name[1]}" if name[0] else name[1]

    def _written(self, made):
        name = self._name(made.name)
        attributes = "".join(
            f" {self._name(k)}={quoteattr(v, {chr(10): '&#10;', chr(9): '&#9;'})}" for k, v in made.attributes.items()
        ).replace(">", "&gt;")
        inside = "".join(self._written(each) if isinstance(each, Made) else escaped(each) for each in made.children)
        return f"<{name}{attributes}>{inside}</{name}>" if inside or self.coin() else f"<{name}{attributes}/>"


# --- Texts of messages -----------------------------------------------------------------------------


class Reader:
    """The values of elements by their types, comparable."""

    def __init__(self, of):
        self.of, self._elements, self._alls = of, {}, {}

    def element(self, node, of):
        type, said = of.type, None
        named = node.attributes.get((XSI, "type"))
        if named is not None:
            key = node.qname(named)
            if key != type.name:
                said = key
                type = self.of.type(key)
        attributes = self._attributes(node, type)
        if node.attributes.get((XSI, "nil"), "false").strip() in ("true", "1"):
            return node.name, None, (), "nil"  # whatever its type; a nil value keeps no attributes
        simple = type.simple if isinstance(type, Complex) else type
        if simple is not None:
            text = node.text
            preset = of.fixed if of.fixed is not None else of.default
            if text == "" and preset is not None:
                text = preset
            return node.name, said, attributes, self.value(text, simple, node)
        return node.name, said, attributes, self._content(node, type)

    def value(self, text, type, node):
        if isinstance(type, Complex):
            return text
        if type.builtin == "QName":
            return node.qname(text.strip())
        if type.members is not None or type.item is not None:
            text = re.sub(r"\b(n\d+|[\w.-]+):(?=[A-Za-z_])", lambda found: "{%s}" % node.scope.get(found[1], found[1])
                          if self._has_names(type) else found[0], text)
        return components.value(text, type)

    def _has_names(self, type):
        if type.members is not None:
            return any(self._has_names(each) for each in type.members)
        return self._has_names(type.item) if type.item is not None else type.builtin == "QName"

    def _attributes(self, node, type):
        known = type.attributes if isinstance(type, Complex) else {}
        made = {}
        for name, text in node.attributes.items():
            if name[0] != XSI:
                made[name] = self.value(text, known[name].type, node) if name in known else text
        for name, each in known.items():
            preset = each.fixed if each.fixed is not None else each.default
            if preset is not None and name not in made:
                made[name] = self.value(preset, each.type, node)
        return tuple(sorted(made.items(), key=repr))

    def _content(self, node, type):
        if type not in self._elements:
            self._elements[type] = components.elements_of(type.content)
            self._alls[type] = type.content is not None and type.content.kind == "all"
        if type is any_type:
            return self._children(node, self._raw)
        known = self._elements[type]

        def inner(each):
            return self.element(each, known[each.name]) if each.name in known else self._raw(each)

        if type.mixed:
            return self._children(node, inner)
        children = [inner(each) for each in node.elements]
        return tuple(sorted(children, key=lambda each: each[0])) if self._alls[type] else tuple(children)

    @staticmethod
    def _children(node, inner):
        made = []
        for each in node.children:
            if isinstance(each, str) and made and isinstance(made[-1], str):
                made[-1] += each
            else:
                made.append(each if isinstance(each, str) else inner(each))
        return tuple(made)

    def _raw(self, node):
        attributes = {
            name: str(node.qname(text)) if name == (XSI, "type") else text for name, text in node.attributes.items()
        }
        return node.name, "any", tuple(sorted(attributes.items())), self._children(node, self._raw)


def first_difference(one, other, path=""):
    """Where two read elements differ; None: nowhere."""
    if one == other:
        return None
    is_element = isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other) == 4
    if is_element and isinstance(one[0], tuple) and one[0] == other[0]:
        path = f"{path}/{one[0][1]}"
        for word, a, b in (("type", one[1], other[1]), ("attributes", one[2], other[2])):
            if a != b:
                return f"{path} {word}: {a}; came back: {b}"
        a, b = one[3], other[3]
        if isinstance(a, tuple) and isinstance(b, tuple):
            for x, y in zip(a, b):
                if x != y:
                    return first_difference(x, y, path)
            extra = (a[len(b) :] or b[len(a) :])[0]
            return f"{path}: {'not' if len(a) > len(b) else 'also'} back: {str(extra)[:200]}"
        return f"{path}: {str(a)[:200]!r}; came back: {str(b)[:200]!r}"
    return f"{path}: {str(one)[:200]}; came back: {str(other)[:200]}"


# --- Messages -------------------------------------------------------------------------------------


class Piece:
    """An element of a message: a header block, the content of the body, a fault's detail."""

    def __init__(self, of, text):
        self.of, self.text, self.node = of, text, contract.parse(text.encode())


class Message:
    def __init__(self, name, operation, address, version, is_fault):
        self.name, self.operation, self.address = name, operation, address
        self.version, self.is_fault = version, is_fault
        self.sent = {"request": ([], None), "response": ([], None)}  # header blocks, body

    def pieces(self):
        for way, (headers, body) in self.sent.items():
            for number, each in enumerate([*headers, *([body] if body else [])]):
                yield way, number, each

    def _addressing(self, way, headers):
        """The blocks of WS-Addressing for a contract that declares actions, unless it declares blocks itself.
        The program puts the id of the request into its response."""
        kind = "input" if way == "request" else "fault" if self.is_fault else "output"
        action = self.operation.addressed.get(kind)
        if action is None or any(each.node.ns in OWN for each in headers):
            return ""
        block = lambda name, text: f"<a:{name} xmlns:a='{OWN[0]}'>{escaped(text)}</a:{name}>"
        return block("Action", action) + (block("RelatesTo", "{MessageID}") if way == "response" else "")

    def envelope(self, way):
        headers, body = self.sent[way]
        inside = body.text if body else ""
        if way == "response" and self.is_fault and self.version == "1.1":
            inside = f"<e:Fault><faultcode>e:Server</faultcode><faultstring>told</faultstring><detail>{inside}</detail></e:Fault>"
        elif way == "response" and self.is_fault:
            inside = ("<e:Fault><e:Code><e:Value>e:Receiver</e:Value></e:Code><e:Reason><e:Text xml:lang='en'>told</e:Text>"
                      f"</e:Reason><e:Detail>{inside}</e:Detail></e:Fault>")
        blocks = "".join(each.text for each in headers) + self._addressing(way, headers)
        head = f"<e:Header>{blocks}</e:Header>" if blocks else ""
        return f"<e:Envelope xmlns:e='{ENVELOPES[self.version]}'>{head}<e:Body>{inside}</e:Body></e:Envelope>"


# Whose header blocks the library writes of itself, which no schema of a contract has.
OWN = ("http://www.w3.org/2005/08/addressing", "http://schemas.xmlsoap.org/ws/2004/08/addressing")


def parts(envelope, is_fault=False):
    """Header blocks, and the content of the body or of a fault's detail."""
    inside = {each.local: each for each in envelope.elements}
    headers = inside["Header"].elements if "Header" in inside else []
    headers = [each for each in headers if each.ns not in OWN]
    body = next(iter(inside["Body"].elements), None)
    if is_fault and body is not None and body.local == "Fault":
        detail = [each for each in body.elements if each.local.lower() == "detail"]
        body = next(iter(detail[0].elements), body) if detail else body
    return headers, body


class Trial:
    """The messages of a contract, for a program that serves it (see verify.hpp) in the folder `where`."""

    def __init__(self, original, served, where, seed=1, each=4):
        self.original, self.served, self.where = original, served, pathlib.Path(where)
        for name in ("in", "out", "sent", "back"):
            (self.where / name).mkdir(exist_ok=True)
        self.maker = Maker(original, seed)
        self.failures, self.dropped = [], {}
        self.schemas = [Schemas(original, self.where / "original"), Schemas(served, self.where / "described")]
        self.messages = []
        for index, (operation, other) in enumerate(components.paired(original, served)):
            if operation is not None and other is not None:
                for number in range(each):
                    self._make(f"{operation.name}.{index}.{number}", operation, other)

    def _piece(self, of, is_free=True):
        self.maker.prefixes = {}
        return Piece(of, self.maker.text(self.maker.element(of, is_free)))

    def _make(self, name, operation, other):
        version = self.maker.random.choice(sorted(operation.versions & other.versions) or ["1.1"])
        is_fault = bool(operation.faults) and self.maker.coin(0.3)
        made = Message(name, operation, other, version, is_fault)
        # A header block or a detail is of its own type alone, and counts as none when it is nil: the
        # importer and the README say so.
        some = lambda all: [self._piece(each, False) for each in all if self.maker.coin(0.7)]
        made.sent["request"] = (some(operation.headers), operation.request and self._piece(operation.request))
        if is_fault:
            made.sent["response"] = ([], self._piece(self.maker.random.choice(operation.faults), False))
        elif not operation.one_way:
            made.sent["response"] = (some(operation.told), operation.response and self._piece(operation.response))
        self.messages.append(made)

    def others(self, like, version, count):
        """A message in a version; then more for its operation, with its response and nothing empty."""
        for number in range(count + 1):
            made = Message(f"{like.name}.{version}.{number}", like.operation, like.address, version, like.is_fault)
            made.sent = dict(like.sent)
            if number:
                self.maker.least = 1
                headers, body = like.operation.headers, like.operation.request
                made.sent["request"] = ([self._piece(each, False) for each in headers], body and self._piece(body))
                self.maker.least = 0
                if self._invalid(made):
                    continue
            self._write(made)
            yield made

    def _write(self, message):
        for way in ("request", "response"):
            text = "" if way == "response" and message.operation.one_way else message.envelope(way)
            (self.where / "in" / f"{message.name}.{way}.xml").write_text(text)

    def _invalid(self, *messages):
        """Those of the messages that are not valid by the original schemas, each with the reason."""
        files = {}
        for message in messages:
            for way, number, piece in message.pieces():
                path = self.where / "sent" / f"{message.name}.{way}.{number}.xml"
                path.write_text(piece.text)
                files[str(path)] = message
        told = self.schemas[0].invalid(files)
        return {files[path].name: f"{pathlib.Path(path).name}: {why}" for path, why in told.items()}

    def prepare(self):
        """Writes those messages that are valid by the original schemas, for the program."""
        self.dropped = self._invalid(*self.messages)
        self.messages = [each for each in self.messages if each.name not in self.dropped]
        with open(self.where / "in" / "messages", "w") as lines:
            for each in self.messages:
                kind = "fault" if each.is_fault else "response"
                lines.write(f"{each.name} {each.version} {kind} {each.address.path} {each.operation.actions[each.version]}\n")
                self._write(each)

    def judge(self):
        """The messages that came back. Each failure is a pair: the message and the error."""
        back = {}
        reader = Reader(self.original)
        for message in self.messages:
            try:
                wrong = self._judge(message, reader, back)
            except (ValueError, KeyError, AttributeError, ExpatError) as error:
                wrong = f"cannot be read: {error!r}"
            if wrong:
                self.failures.append((message, wrong))
        failed = {id(message) for message, _ in self.failures}
        sent = {str(self.where / "sent" / f"{each.name}.{way}.{number}.xml"): each
                for each in self.messages for way, number, _ in each.pieces()}
        for schemas, files, whose in ((self.schemas[0], back, "original"), (self.schemas[1], {**back, **sent}, "served")):
            if not files:
                continue
            for path, why in schemas.invalid(files).items():
                if id(files[path]) not in failed:
                    failed.add(id(files[path]))
                    what = "what came back" if path in back else "what was sent"
                    self.failures.append((files[path], f"{what}, {pathlib.Path(path).name}, is not valid by the {whose} schemas: {why}"))

    def _judge(self, message, reader, back):
        out = self.where / "out"
        error = out / f"{message.name}.error"
        told = error.read_text().strip() + ": " if error.exists() else ""
        for way in ("request", "response"):
            path = out / f"{message.name}.{way}.xml"
            text = path.read_bytes() if path.exists() else b""
            if way == "response" and message.operation.one_way:
                return None if not text else told + "a response to what is one-way"
            if not text:
                return f"{told}no {way}: {self._reason(out / f'{message.name}.response.xml')}"
            headers, body = parts(contract.parse(text), message.is_fault and way == "response")
            sent_headers, sent_body = message.sent[way]
            if told or (body is None) != (sent_body is None):
                return f"{told}{way}: {self._reason(path)}"
            pairs = [(each, next((node for node in headers if node.name == each.of.name), None)) for each in sent_headers]
            pairs += [(sent_body, body)] if sent_body else []
            for number, (piece, node) in enumerate(pairs):
                if node is None:
                    return f"{way}: {piece.of.name[1]} did not come back"
                if node.name != piece.of.name:
                    return f"{way}: {self._reason(path)}"
                saved = self.where / "back" / f"{message.name}.{way}.{number}.xml"
                saved.write_text(written(node))
                back[str(saved)] = message
                differs = first_difference(reader.element(piece.node, piece.of), reader.element(node, piece.of))
                if differs:
                    return f"{way}: {differs}"
        return None

    @staticmethod
    def _reason(path):
        if not path.exists():
            return "nothing was answered"
        found = re.search(r"<(?:faultstring|[\w:]*Text)[^>]*>([^<]*)<", path.read_text())
        return found[1] if found else path.read_text()[:300]
