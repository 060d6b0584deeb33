"""Compares two contracts as schema components: do both accept the same documents, and give their
elements the same types? Groups, references and substitution groups are expanded. Names and places of types
do not count, nor does the form of equal occurrences, such as a sequence in a sequence.

Each difference is a line with its path.
"""

import datetime
import re
import struct

import contract
from contract import UNBOUNDED, Complex, Particle, any_type

INTEGERS = {
    "integer", "nonPositiveInteger", "negativeInteger", "nonNegativeInteger", "positiveInteger", "long",
    "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte",
}  # fmt: skip
WHITE_SPACE = {"string": "preserve", "normalizedString": "replace"}


# --- Simple types ---------------------------------------------------------------------------------


def white_space(type):
    """How a simple type treats spaces: preserve, replace or collapse."""
    if type.item is not None or type.members is not None:
        return "collapse"
    return type.facets.get("whiteSpace") or WHITE_SPACE.get(type.builtin, "collapse")


def collapsed(text, how="collapse"):
    if how == "preserve":
        return text
    text = re.sub("[\t\n\r]", " ", text)
    return text if how == "replace" else re.sub(" +", " ", text).strip(" ")


def zone(text):
    return "Z" if text in ("+00:00", "-00:00") else text


def value(text, type):
    """One form for all values that are equal by XML Schema."""
    if type is any_type or isinstance(type, Complex):
        return text
    if type.item is not None:
        return " ".join(value(each, type.item) for each in text.split())
    if type.members is not None:
        return next((value(text, each) for each in type.members if is_value(text, each)), text)
    text = collapsed(text, white_space(type))
    form = FORMS.get("integer" if type.builtin in INTEGERS else type.builtin)
    try:
        return form(text) if form else text
    except (ValueError, OverflowError):
        return text


def decimal(text):
    """With no more digits than it needs; of any length."""
    whole, _, part = text.lstrip("+-").partition(".")
    whole, part = whole.lstrip("0") or "0", part.rstrip("0")
    number = whole + ("." + part if part else "")
    return "-" + number if text.startswith("-") and number != "0" else number


def single(text):
    return repr(struct.unpack("f", struct.pack("f", float(text.replace("INF", "inf"))))[0])


def duration(text):
    found = re.fullmatch(r"(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?", text)
    if not found:
        return text
    sign, years, months, days, hours, minutes, seconds, part = (each or "" for each in found.groups())
    number = lambda each: int(each or 0)
    months = 12 * number(years) + number(months)
    seconds = ((number(days) * 24 + number(hours)) * 60 + number(minutes)) * 60 + number(seconds)
    return f"{sign}P{months}M{seconds}.{part.rstrip('0')}S"


def moment(text):
    """Fractions without zeros at the end; a moment with a zone as the moment in UTC."""
    found = re.fullmatch(r"(?:(-?\d{4,})-(\d\d)-(\d\d)T)?(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?", text)
    if not found:
        return text
    year, month, day, hour, minute, second, part, offset = found.groups()
    part = (part or "").rstrip("0")
    if not offset and hour != "24":
        return text.partition(".")[0] + ("." + part if part else "")
    base = datetime.datetime(int(year or 2000), int(month or 1), int(day or 2))
    at = base + datetime.timedelta(hours=int(hour), minutes=int(minute), seconds=int(second))
    if offset and offset != "Z":
        shift = datetime.timedelta(hours=int(offset[1:3]), minutes=int(offset[4:]))
        at = at - shift if offset[0] == "+" else at + shift
    form = "%Y-%m-%dT%H:%M:%S" if year else "%H:%M:%S"
    return at.strftime(form) + ("." + part if part else "") + ("Z" if offset else "")


def day(text):
    return re.sub(r"(Z|[+-]\d\d:\d\d)$", lambda found: zone(found[0]), text)


# Each value's one form, by its built-in type; of the others the text is the value.
FORMS = {
    "integer": lambda text: str(int(text)), "decimal": decimal, "float": single,
    "double": lambda text: repr(float(text.replace("INF", "inf"))),
    "boolean": lambda text: {"1": "true", "0": "false"}.get(text, text),
    "hexBinary": str.upper, "base64Binary": lambda text: text.replace(" ", ""),
    "duration": duration, "dateTime": moment, "time": moment,
    **dict.fromkeys(("date", "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay"), day),
}  # fmt: skip


def is_value(text, type):
    """Whether a text is likely one of a member of a union: by its form and its facets."""
    if isinstance(type, Complex):
        return True
    if type.item is not None:
        return all(is_value(each, type.item) for each in text.split())
    if type.members is not None:
        return any(is_value(text, each) for each in type.members)
    text = collapsed(text, white_space(type))
    forms = {
        "boolean": "true|false|1|0", "decimal": r"[+-]?(\d+(\.\d*)?|\.\d+)",
        "float": r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|-?INF|NaN", "date": r"-?\d{4,}-\d\d-\d\d(Z|[+-]\d\d:\d\d)?",
        "dateTime": r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?",
        "time": r"\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", "gYear": r"-?\d{4,}(Z|[+-]\d\d:\d\d)?",
        "gYearMonth": r"-?\d{4,}-\d\d(Z|[+-]\d\d:\d\d)?", "duration": r"-?P.+", "NMTOKEN": r"[\w.:-]+",
        "NCName": r"[^\W\d][\w.-]*", "hexBinary": "([0-9a-fA-F]{2})*",
    }  # fmt: skip
    forms["double"] = forms["float"]
    form = r"[+-]?\d+" if type.builtin in INTEGERS else forms.get(type.builtin)
    if form and not re.fullmatch(form, text):
        return False
    if type.enumeration is not None and value(text, type) not in [value(each, type) for each in type.enumeration]:
        return False
    if "length" in type.facets and len(text) != int(type.facets["length"]):
        return False
    return all(any(matches(each, text) for each in step) for step in type.patterns)


def matches(pattern, text):
    """By Python's expressions, which are near enough for most patterns; if not, yes."""
    try:
        return re.fullmatch(pattern.replace(r"\i", r"[^\W\d]").replace(r"\c", r"[\w.:-]"), text) is not None
    except re.error:
        return True


def simple_text(type):
    """All that a simple type allows, as one line."""
    if isinstance(type, Complex):
        return "anyType"
    if type.members is not None:
        what = "union(" + ", ".join(simple_text(each) for each in flat_members(type)) + ")"
    else:
        what = f"list({simple_text(type.item)})" if type.item is not None else type.builtin
    if type.enumeration is not None:
        # Its values say all that other facets do.
        each_once = {value(each, contract.Simple(type.builtin)) if isinstance(each, str) and type.builtin else str(each)
                     for each in type.enumeration if not isinstance(each, str) or is_value(each, type)}
        what = {"preserve": "string", "replace": "normalizedString", "collapse": "token"}[white_space(type)] \
            if what == "string" else what
        return what + " {" + ", ".join(sorted(each_once)) + "}"
    if what == "string" and white_space(type) != "preserve":
        what = {"replace": "normalizedString", "collapse": "token"}[white_space(type)]
    facets = {}
    for name, said in type.facets.items():
        if name == "whiteSpace":
            if type.builtin in (None, "string") or said == WHITE_SPACE.get(type.builtin, "collapse"):
                continue
        elif name in ("minInclusive", "maxInclusive", "minExclusive", "maxExclusive"):
            said = value(said, contract.Simple(type.builtin))
        elif name != "whiteSpace":
            said = str(int(said))
        if (name, said) not in (("fractionDigits", "0"), ("minLength", "0")) or type.builtin not in INTEGERS | {"string"}:
            facets[name] = said
    what += "".join(f" {name} {facets[name]}" for name in sorted(facets))
    if type.patterns:
        what += "".join(f" pattern {each}" for each in sorted("|".join(sorted(step)) for step in type.patterns))
    return what


def flat_members(type):
    for each in type.members:
        if isinstance(each, contract.Simple) and each.members is not None and each.enumeration is None and not each.patterns:
            yield from flat_members(each)
        else:
            yield each


# --- Content models -------------------------------------------------------------------------------


def with_occurrence(part, least, most):
    return Particle(part.kind, least, most, part.of)


def simplified(part):
    """The same content with as few groups as can be; None: nothing."""
    if part is None or part.most == 0:
        return None
    if part.kind in ("element", "any"):
        return part
    inner = [each for each in (simplified(child) for child in part.of) if each is not None]
    least, most = part.least, part.most
    if part.kind == "choice":
        if len(inner) < len(part.of) and any(simplified(child) is None and (child is None or child.most)
                                             and not is_impossible(child) for child in part.of):
            least = 0  # a branch without content
        inner, least, most = simplified_choice(inner, least, most)
    if part.kind == "sequence":
        flat = []
        for each in inner:
            flat += each.of if each.kind == "sequence" and each.least == each.most == 1 else [each]
        inner = flat
        if len(inner) == 1 and (least, most) != (1, 1):
            merged = merged_occurrence(inner[0], least, most)
            if merged:
                return merged
        if inner and most == 1 and least == 1 and len(inner) == 1:
            return inner[0]
        if all(each.least == 0 for each in inner):
            least = 1 if most == 1 else 0
        if least == most == 1 and len(inner) == 1:
            return inner[0]
    if part.kind == "all" and least == 0 and all(each.least == 0 for each in inner):
        least = 1
    if not inner:
        return None
    if len(inner) == 1:
        merged = merged_occurrence(inner[0], least, most)
        if merged:
            return merged
    return Particle(part.kind, least, most, inner)


def is_impossible(part):
    """A choice without branches, such as an abstract element that no other replaces."""
    return part is not None and part.kind == "choice" and not part.of


def simplified_choice(inner, least, most):
    # A repeated choice of things that may repeat, or be absent, is one of things that do neither.
    if most == UNBOUNDED and least <= 1:
        if any(each.least == 0 for each in inner):
            least = 0
        inner = [with_occurrence(each, 1, 1) if each.least <= 1 and each.kind != "sequence" or each.kind == "sequence"
                 and (each.least, each.most) in ((0, 1), (1, 1), (0, UNBOUNDED), (1, UNBOUNDED)) else each
                 for each in inner]
    elif any(each.least == 0 for each in inner):
        least = 0
        inner = [with_occurrence(each, 1, each.most) if each.least == 0 else each for each in inner]
    flat = []
    for each in inner:
        flat += each.of if each.kind == "choice" and each.least == each.most == 1 else [each]
    return flat, least, most


def merged_occurrence(part, least, most):
    """One particle for a particle in a group of its own; None where no occurrence says the same."""
    # So many groups, and one more, leave out no number between those that they allow.
    if part.least > 1 and least != most and (least + 1) * part.least > product(least, part.most) + 1:
        return None
    return with_occurrence(part, least * part.least, product(most, part.most))


def product(one, other):
    return 0 if 0 in (one, other) else UNBOUNDED if UNBOUNDED in (one, other) else one * other


def occurrence_text(part):
    if (part.least, part.most) in ((1, 1), (0, 1), (0, UNBOUNDED), (1, UNBOUNDED)):
        return {(1, 1): "", (0, 1): "?", (0, UNBOUNDED): "*", (1, UNBOUNDED): "+"}[part.least, part.most]
    return "{" + f"{part.least},{'' if part.most == UNBOUNDED else part.most}" + "}"


def name_text(name):
    return f"{{{name[0]}}}{name[1]}" if name[0] else name[1]


def element_text(element):
    said = name_text(element.name)
    if element.nillable:
        said += " nillable"
    for word in ("default", "fixed"):
        text = getattr(element, word)
        if text is not None:
            type = element.type.simple if isinstance(element.type, Complex) else element.type
            said += f" {word} '{value(text, type) if type else text}'"
    return said


def content_text(part):
    """A content model as one line, in which names alone stand for elements."""
    if part is None:
        return "nothing"
    if part.kind == "element":
        return element_text(part.of) + occurrence_text(part)
    if part.kind == "any":
        return f"<{part.of}>" + occurrence_text(part)
    texts = [content_text(each) for each in part.of]
    if part.kind == "choice":
        texts = sorted(set(texts))
    if part.kind == "all":
        texts.sort()
    sign = {"sequence": ", ", "choice": " | ", "all": " & "}[part.kind]
    return "(" + sign.join(texts) + ")" + occurrence_text(part)


def elements_of(part):
    """The elements of a content model by name; XML Schema gives those of one name one type."""
    found = {}
    todo = [part]
    while todo:
        at = todo.pop()
        if at is None or at.most == 0:
            continue
        if at.kind == "element":
            found.setdefault(at.of.name, at.of)
        elif at.kind != "any":
            todo += at.of
    return found


def wildcards_of(part):
    """How strictly the wildcards of a content model are looked at, in their order."""
    if part is None or part.kind == "element" or part.most == 0:
        return []
    return [part.of.process] if part.kind == "any" else [each for child in part.of for each in wildcards_of(child)]


def attribute_texts(type):
    made = {}
    for name, each in type.attributes.items():
        text = f"{each.use} {simple_text(each.type)}"
        for word in ("default", "fixed"):
            if getattr(each, word) is not None:
                text += f" {word} '{value(getattr(each, word), each.type)}'"
        made[name_text(name)] = text
    if type.any_attribute is not None:
        made["anyAttribute"] = f"{type.any_attribute}, {type.any_attribute.process}"
    return made


def paired(original, served):
    """The operations of both: by name and request, else by name alone. None where the other has none."""
    theirs = list(served.operations)
    pairs = []
    for one in original.operations:
        same = [each for each in theirs if each.name == one.name]
        exact = [each for each in same if (each.request and each.request.name) == (one.request and one.request.name)]
        other = next(iter(exact or (same if len(same) == 1 else [])), None)
        if other is not None:
            theirs.remove(other)
        pairs.append((one, other))
    return pairs + [(None, each) for each in theirs]


# --- Comparison -----------------------------------------------------------------------------------


class Comparison:
    def __init__(self, original, served):
        self.original, self.served = original, served
        self.differences, self._seen = [], set()

    def differ(self, path, one, other):
        self.differences.append(f"{path}: {one}; served: {other}")

    def elements(self, one, other, path):
        if one is None or other is None:
            if (one is None) != (other is None):
                self.differ(path, one and element_text(one), other and element_text(other))
            return
        if element_text(one) != element_text(other):
            self.differ(path, element_text(one), element_text(other))
        self.types(one.type, other.type, f"{path}/{one.name[1]}")

    def types(self, one, other, path):
        if (id(one), id(other)) in self._seen:
            return
        self._seen.add((id(one), id(other)))
        if isinstance(one, Complex) != isinstance(other, Complex):
            return self.differ(path, kind_text(one), kind_text(other))
        if not isinstance(one, Complex):
            if simple_text(one) != simple_text(other):
                self.differ(path, simple_text(one), simple_text(other))
            return None
        if one is any_type or other is any_type:
            if one is not other:
                self.differ(path, kind_text(one), kind_text(other))
            return None
        for word in ("abstract", "mixed"):
            if getattr(one, word) != getattr(other, word):
                self.differ(path, f"{word} {getattr(one, word)}", getattr(other, word))
        self._attributes(one, other, path)
        self._content(one, other, path)
        self._derived(one, other, path)
        return None

    def _attributes(self, one, other, path):
        ours, theirs = attribute_texts(one), attribute_texts(other)
        for name in sorted({*ours, *theirs}):
            if ours.get(name) != theirs.get(name):
                self.differ(f"{path}/@{name}", ours.get(name, "none"), theirs.get(name, "none"))

    def _content(self, one, other, path):
        if one.simple is not None or other.simple is not None:
            if one.simple is None or other.simple is None:
                return self.differ(path, kind_text(one), kind_text(other))
            if simple_text(one.simple) != simple_text(other.simple):
                self.differ(path, simple_text(one.simple), simple_text(other.simple))
            return None
        ours, theirs = simplified(one.content), simplified(other.content)
        if content_text(ours) != content_text(theirs):
            self.differ(path, *shortened(content_text(ours), content_text(theirs)))
        elif sorted(wildcards_of(ours)) != sorted(wildcards_of(theirs)):
            self.differ(path, "wildcards " + ", ".join(wildcards_of(ours)), ", ".join(wildcards_of(theirs)))
        theirs = elements_of(theirs)
        for name, element in elements_of(ours).items():
            if name in theirs:
                self.types(element.type, theirs[name].type, f"{path}/{name[1]}")
        return None

    def _derived(self, one, other, path):
        """The types that xsi:type may name in place of a type."""
        if one.name is None:
            return
        ours = self.original.derived(one)
        theirs = self.served.derived(other) if other.name is not None else {}
        for key in sorted(set(ours) ^ set(theirs)):
            self.differ(path, *(("derived " + name_text(key), "none") if key in ours else ("none", "derived " + name_text(key))))
        for key in sorted(set(ours) & set(theirs)):
            self.types(ours[key], theirs[key], f"{path}({key[1]})")

    def operations(self):
        for one, other in paired(self.original, self.served):
            if one is None or other is None:
                self.differ((one or other).name, one and "operation", other and "operation")
            else:
                self._operation(one, other)

    def _operation(self, one, other):
        for word in ("style", "versions", "one_way"):
            if getattr(one, word) != getattr(other, word):
                self.differ(f"{one.name} {word}", getattr(one, word), getattr(other, word))
        addressed = {version: action or one.addressed.get("input", "") for version, action in one.actions.items()}
        if one.actions != other.actions and addressed == other.actions:
            self.differ(f"{one.name} soapAction", "none", "the Action of WS-Addressing")
        elif one.actions != other.actions:
            self.differ(f"{one.name} actions", one.actions, other.actions)
        self.elements(one.request, other.request, f"{one.name} request")
        self.elements(one.response, other.response, f"{one.name} response")
        for word in ("headers", "told", "faults"):
            ours = {each.name: each for each in getattr(one, word)}
            theirs = {each.name: each for each in getattr(other, word)}
            for name in sorted({*ours, *theirs}):
                if name not in ours or name not in theirs:
                    self.differ(f"{one.name} {word}", name_text(name) if name in ours else "none",
                                name_text(name) if name in theirs else "none")
                else:
                    self.elements(ours[name], theirs[name], f"{one.name} {word}")


def kind_text(type):
    if type is any_type:
        return "anyType"
    if not isinstance(type, Complex):
        return simple_text(type)
    named = f" {type.name[1]}" if type.name else ""
    if type.simple is not None:
        return f"complex type{named} of {simple_text(type.simple)}"
    return f"{'mixed ' if type.mixed else ''}complex type{named}"


def shortened(one, other):
    """Two long lines from a little before where they differ."""
    at = next((index for index, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    begin = max(0, at - 60)
    return ["..." * bool(begin) + each[begin : at + 120] + "..." * (len(each) > at + 120) for each in (one, other)]


def differences(original, served):
    """The differences between the served contract and the original."""
    comparison = Comparison(original, served)
    comparison.operations()
    return comparison.differences
