#!/usr/bin/python3
"""compare_features.py CLIENT 1.1|1.2 CLIENT_OUTPUT SERVER_OUTPUT: is features.md true?

The table has a cell for each feature and client. `yes`: the client must have printed ok in that version, and the
server that the value arrived. A number: the client must have failed with the text at the beginning of the note with
that number; success is a failure of this check, too. `-`: the client does not try the feature. A feature that was
not tried, was tried twice, or is not in the table is a failure. Ends in a line `N passed, M failed`.
"""

import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).with_name("features.md")


def read_table(client):
    """{feature: its cell for this client}, {number: the text of the failure}"""
    text = TABLE.read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in text.splitlines() if line[:1] == "|"]
    at = rows[0].index(client)
    cells = {row[0]: row[at] for row in rows[2:]}
    if len(cells) != len(rows) - 2 or any(len(row) != len(rows[0]) for row in rows):
        sys.exit(f"{TABLE.name}: a feature is there twice, or a row has not as many cells as the first")
    notes = re.findall(r"^(\d+)\. `([^`]+)`: \S", text, re.MULTILINE)
    if len(dict(notes)) != len(notes):
        sys.exit(f"{TABLE.name}: a number is there twice")
    return cells, dict(notes)


def read_outcomes(path):
    """[(feature, None or the text of the failure)]"""
    lines = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    found = [re.fullmatch(r"(ok  |FAIL) \S+ 1\.[12]: ([^:]+)(?:: (.*))?", line) for line in lines]
    other = [line for line, outcome in zip(lines, found) if not outcome]
    return [(o[2], None if o[1] == "ok  " else o[3] or "") for o in found if o], other


def judge(cell, notes, failures, arrived):
    """The error of one feature, or None."""
    if cell == "-":
        return "was tried, though the table has '-'" if failures else None
    if not failures:
        return "was not tried"
    if len(failures) > 1:
        return "was tried twice"
    failure = failures[0]
    if cell == "yes":
        if failure is not None:
            return failure or "failed"
        return None if arrived else "its value never arrived"
    if cell not in notes:
        return f"the table says {cell!r}, which is neither yes nor the number of a note"
    if failure is None:
        return f"works, though note {cell} says that it cannot"
    return None if notes[cell] in failure else f"failed in another way than note {cell} says: {failure}"


def main():
    client, version, output, server = sys.argv[1:5]
    cells, notes = read_table(client)
    outcomes, other = read_outcomes(output)
    told = pathlib.Path(server).read_text(encoding="utf-8")
    arrived = set(re.findall(rf"^arrived in {re.escape(version)}: (.+)$", told, re.MULTILINE))
    passed = failed = 0
    for feature, cell in cells.items():
        wrong = judge(cell, notes, [f for name, f in outcomes if name == feature], feature in arrived)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        note = "" if cell in ("yes", "-") or wrong else f" (cannot: note {cell})"
        print(f"FAIL {client}: {feature}: {wrong}" if wrong else f"ok   {client}: {feature}{note}")
    for feature in sorted({name for name, _ in outcomes} - set(cells)):
        failed += 1
        print(f"FAIL {client}: {feature}: is not in the table")
    if failed:
        print("\n".join(other[-20:]))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
