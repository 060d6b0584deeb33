#!/usr/bin/python3
"""unicode_table.py [--check]: the header's tables of Unicode, from Debian's package unicode-data.

Writes the strings `unicode_categories` and `unicode_blocks` of soapsvc.hpp anew. --check writes
nothing, and says whether they are what would be written; it exits with 77, which is a skipped test,
when the package is not there.

A category is a letter, by its place in CATEGORIES; the string has one letter for each run of
characters with the same category, from U+0000 on, and the number of characters when that is not 1.
E and a number are so many pairs of an upper and a lower case letter, which many alphabets have in
turns. A block is its name without spaces, a comma, how many times sixteen characters it has, and a
semicolon; characters in no block are a block without a name.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "soapsvc.hpp"
DATA = Path("/usr/share/unicode")
VERSION = "15.0.0"
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn Cs".split()
LETTERS = "abcdefghijklmnopqrstuvwxyzABCD"
PAIR = "E"
COLUMNS = 100


def rows(path):
    """Range and value of each line, and the version that the file says it is of."""
    text = (DATA / path).read_text(encoding="utf-8")
    name = Path(path).stem
    if not text.startswith(f"# {name}-{VERSION}.txt"):
        sys.exit(f"{DATA / path} is not of Unicode {VERSION}")
    for line in text.splitlines():
        if match := re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*; ([^#]+)", line):
            first, last, value = match.groups()
            yield int(first, 16), int(last or first, 16), value.strip()


def run(letter, count):
    return letter + (str(count) if count > 1 else "")


def categories():
    of = ["Cn"] * 0x110000
    for first, last, value in rows("extracted/DerivedGeneralCategory.txt"):
        of[first : last + 1] = [value] * (last + 1 - first)
    letters = "".join(LETTERS[CATEGORIES.index(value)] for value in of)
    upper, lower = LETTERS[0], LETTERS[1]
    out = []
    # Two pairs or more, of which the last does not begin a longer run.
    for match in re.finditer(rf"(?:{upper}{lower}){{2,}}(?!{lower})|(.)\1*", letters):
        pair = match.group(1) is None
        out.append(run(PAIR, len(match.group()) // 2) if pair else run(match.group(1), len(match.group())))
    return "".join(out)


def blocks():
    out, end = [], 0
    for first, last, name in [*rows("Blocks.txt"), (0x110000, 0x10FFFF, "")]:
        if first > end:
            out.append(f",{(first - end) // 16};")
        if first <= last:
            out.append(f"{name.replace(' ', '')},{(last + 1 - first) // 16};")
        end = last + 1
    return "".join(out)


def literal(name, value):
    width = COLUMNS - 6  # four spaces and two quotes; the last line has a semicolon besides
    lines = [value[at : at + width] for at in range(0, len(value), width)]
    if len(lines[-1]) == width:
        lines[-1:] = [lines[-1][:-1], lines[-1][-1:]]
    text = "\n".join(f'    "{line}"' for line in lines)
    return f"inline constexpr std::string_view {name} =\n{text};"


def main():
    if not (DATA / "Blocks.txt").exists():
        print("skipped: the package unicode-data is not installed")
        return 77
    before = after = HEADER.read_text(encoding="utf-8")
    if f"Unicode {VERSION}" not in before:
        sys.exit(f"{HEADER.name} does not say that its tables are of Unicode {VERSION}")
    for name, value in [("unicode_categories", categories()), ("unicode_blocks", blocks())]:
        place = re.compile(rf'inline constexpr std::string_view {name} =\s*(?:"[^"]*"\s*)*;')
        if len(place.findall(after)) != 1:
            sys.exit(f"{HEADER.name} has no string {name}, or more than one")
        after = place.sub(lambda _: literal(name, value), after)
    if sys.argv[1:] == ["--check"]:
        same = before == after
        print(f"{'ok  ' if same else 'FAIL'} the tables are those of Unicode {VERSION}")
        print(f"{int(same)} passed, {int(not same)} failed")
        return 0 if same else 1
    HEADER.write_text(after, encoding="utf-8")
    return 0


sys.exit(main())
