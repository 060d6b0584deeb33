#!/usr/bin/python3
"""cases.py [--names] unit|tools|long|fuzz|header|TEST...: the checks of these suites and tests, one a line.

Read from the sources, so that nothing has to be built: each test case of a Catch2 program, each
corpus that a fuzz target replays, and of a script its name. `header` is of the suites `unit` and `fuzz`
what needs neither example nor importer. --names prints the names of the tests instead.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STRING = r'"(?:[^"\\]|\\.)*"'
CASE = re.compile(rf"\b(?:TEST_CASE|SCENARIO|TEMPLATE_TEST_CASE)\(\s*((?:{STRING}\s*)+)")
LONG = ("mistakes", "readme", "consumer", "installed", "import")
TOOLS = ("assertions", "contents", "mentions", "migration", "mutants_fit", "unicode_table", "gate_lists", "gate_steps", "requests", "cgi", "features")


def tests():
    """The name of each Catch2 program of tests/meson.build, and its sources."""
    build = (ROOT / "tests/meson.build").read_text()
    for name, files in re.findall(r"'(\w+)': \[((?:'[\w/]+\.cpp'(?:, )?)+)\]", build):
        if name != "postgres_store":
            yield name, [ROOT / "tests" / file for file in re.findall(r"'([^']+)'", files)]


def fuzz_targets():
    return sorted(file.name.removesuffix(".tar.gz") for file in (ROOT / "tests/fuzz/corpus").iterdir())


def is_of_header(name):
    return name not in ("golden", "fuzz_dispatch", "fuzz_import") and not name.startswith("example_")


def cases_of(files):
    for file in files:
        for match in CASE.finditer(file.read_text()):
            yield "".join(part[1:-1] for part in re.findall(STRING, match[1]))


def main():
    known = dict(tests())
    every = {name: [f"{name}: {case}" for case in cases_of(files)] for name, files in known.items()}
    every |= {name: [name] for name in LONG + TOOLS if name not in every}
    every |= {f"fuzz_{name}": [f"fuzz_{name}: replays its corpus"] for name in fuzz_targets()}
    unit, fuzz = sorted(known), [f"fuzz_{name}" for name in fuzz_targets()]
    suites = {"unit": unit, "tools": TOOLS, "long": LONG, "fuzz": fuzz, "header": filter(is_of_header, unit + fuzz)}
    words = sys.argv[1:]
    if names := words[:1] == ["--names"]:
        words.pop(0)
    for word in words:
        for name in suites.get(word, [word]):
            if name not in every:
                sys.exit(f"cases.py: there is no test {name}")
            print("\n".join([name] if names else every[name]))


main()
