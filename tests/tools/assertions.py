#!/usr/bin/python3
"""assertions.py [TABLE [FOLDER]]: does every assertion have its test, and every test its assertion?

TABLE is tests/assertions.md, FOLDER the one with the tests' sources. A row names its assertion, the
clause, what it says, and then the tests, in double quotes; or it says "Does not apply: " and why; or
"Decided otherwise: ", why, and the tests that pin what is done instead. Checked:

- no row is open, and none stands twice;
- the tests of a row exist, and carry the assertion as their tag;
- every tag of an assertion in the sources has a row, and is named in it.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The form of an assertion's tag: other tags sort the tests.
ASSERTION = re.compile(r"(x[12]-|T\d+$|TH\d+$|SBR\d-|XMLP-|S11-|R\d{4}$)")
# Each list is closed, but for those of the newest profiles: with fewer rows, some were lost.
LEAST = {"x1-": 84, "x2-": 56, "T": 79, "TH": 5, "SBR": 22, "XMLP-": 19, "S11-": 46, "R": 186}

passed = failed = 0


def check(name, problems):
    global passed, failed
    if problems:
        failed += 1
        print(f"FAIL {name}")
        for problem in problems:
            print(f"     {problem}")
    else:
        passed += 1
        print(f"ok   {name}")


def literal(text):
    """The value of adjacent C++ string literals."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)).replace('\\"', '"')


def read_tests(folder):
    """The name of each test, and its tags."""
    strings = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
    tests = {}
    for file in sorted(folder.rglob("*.cpp")):
        text = file.read_text(encoding="utf-8")
        for match in re.finditer(r"TEST_CASE\(\s*" + strings + r"(?:,\s*" + strings + r")?\)", text):
            tags = re.findall(r"\[([^\]]+)\]", literal(match.group(2) or ""))
            tests.setdefault(literal(match.group(1)), set()).update(tags)
    return tests


def read_rows(table):
    """The cells of each row of each table: a list, so that duplicates are seen."""
    rows = []
    for number, line in enumerate(table.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|") or re.match(r"\|[\s:|-]+\|$", line):
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells[0] != "assertion":
            rows.append((number, cells))
    return rows


def kind_of(assertion):
    for prefix in ("x1-", "x2-", "XMLP-", "S11-", "SBR", "TH", "T"):
        if assertion.startswith(prefix):
            return prefix
    return "R"


def main():
    if len(sys.argv) > 1 and sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0
    table = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests/assertions.md"
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "tests"
    tests = read_tests(folder)
    rows = read_rows(table)

    check(
        "rows have four cells",
        [f"line {number}: {len(cells)}" for number, cells in rows if len(cells) != 4],
    )
    rows = [(number, cells) for number, cells in rows if len(cells) == 4]
    names = [cells[0] for _, cells in rows]
    check("no assertion stands twice", sorted({name for name in names if names.count(name) > 1}))
    check(
        "rows are about assertions",
        [f"line {number}: {cells[0]}" for number, cells in rows if not ASSERTION.match(cells[0])],
    )
    check(
        "no list is cut short",
        [
            f"{kind}: {have} rows, at least {least} are expected"
            for kind, least in LEAST.items()
            if (have := sum(kind_of(name) == kind for name in names)) < least
        ],
    )
    check(
        "each row says where it stands and what it says",
        [f"line {number}: {cells[0]}" for number, cells in rows if not cells[1] or not cells[2]],
    )

    open_rows, unknown, untagged = [], [], []
    named = {}  # by assertion, the tests of its row
    for number, (assertion, _, _, state) in rows:
        where = f"line {number}: {assertion}"
        quoted = re.findall(r'"([^"]+)"', state)
        reason = re.match(r"(Does not apply|Decided otherwise): (.*)", state)
        if reason:
            words = len(re.sub(r'"[^"]+"', "", reason.group(2)).split())
            if words < 3 or (reason.group(1) == "Decided otherwise" and not quoted):
                open_rows.append(where + ": the reason, or the test of what is done, is missing")
        elif not quoted or re.sub(r'"[^"]+"|[,;\s]', "", state):
            open_rows.append(f"{where}: neither tests alone nor a reason: {state or '(empty)'}")
        named[assertion] = set(quoted)
        for name in quoted:
            if name not in tests:
                unknown.append(f"{where}: {name}")
            elif assertion not in tests[name]:
                untagged.append(f"{where}: {name}")
    check("no row is open", open_rows)
    check("the tests of the rows exist", unknown)
    check("the tests of the rows carry their assertion as a tag", untagged)

    stray, missing = [], []
    for name, tags in tests.items():
        for tag in tags:
            if not ASSERTION.match(tag):
                continue
            if tag not in named:
                stray.append(f"[{tag}] of: {name}")
            elif name not in named[tag]:
                missing.append(f"{tag}: {name}")
    check("every tag of an assertion has a row", sorted(stray))
    check("every test with the tag is named in the row", sorted(missing))

    tested = sum(1 for names in named.values() if names)
    print(f"{len(rows)} assertions: {tested} with tests, {len(rows) - tested} that do not apply")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
