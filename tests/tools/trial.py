#!/usr/bin/python3
"""trial.py FOLDER [NAME...] [--compiler g++|clang++] [--keep DIR]: imports and serves each contract
in FOLDER.

FOLDER holds a folder for each contract, and contracts.tsv, whose first two columns are the names of
folder and file. Each contract is imported. Its skeleton is compiled with the project's warnings as errors,
and served. The served contract is compared with the original as schema components. Random messages made
from the original go through server and client, as tests/import/verify.hpp describes.

Ends in a table and a line `N passed, N failed`. Contracts that are rpc/encoded must be refused.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "import"))
import contract
import verify
import zeep_calls

root = verify.root


def say(text):
    print(f"[trial] {text}", flush=True)


class Trial:
    """One contract; `row` is its line in the table, `wrong` its errors."""

    def __init__(self, name, path, where, given):
        self.name, self.path, self.where, self.given = name, path, where, given
        self.row = {"contract": name}
        self.wrong = []
        where.mkdir(parents=True, exist_ok=True)

    def fail(self, step, lines):
        lines = [lines] if isinstance(lines, str) else lines
        self.wrong.append(step)
        for line in lines[:30]:
            say(f"{self.name}: {step}: {line}")
        if len(lines) > 30:
            say(f"{self.name}: {step}: and {len(lines) - 30} more")

    def run(self):
        if not self.imports():
            return
        self.compiles()
        original = contract.Contract(self.path)
        program = self.builds()
        if program:
            self.compares(original, program)
            passed = self.passes_on(original, program)
            self.is_called(passed.trial, program)

    def imports(self):
        self.header, self.skeleton = self.where / "contract.hpp", self.where / "skeleton.cpp"
        self.skeleton.unlink(missing_ok=True)  # of an earlier trial: the importer overwrites none
        command = [str(self.given.importer), str(self.path), "-o", str(self.header), "--skeleton", str(self.skeleton)]
        made = verify.measured(command, 600)
        refused = [line for line in made["said"].splitlines() if "rpc/encoded" in line or "encoded" in line]
        if made["status"] == 1 and refused:
            self.row["import"] = "encoded"
            return False
        if made["status"] == 1:
            self.fail("import", [line for line in made["said"].splitlines() if "(note)" not in line])
            made = verify.measured([*command, "--skip"], 600)
        if made["status"] != 0 or not self.header.exists():
            self.fail("import", made["said"].splitlines() or [f"status {made['status']}"])
            self.row["import"] = "no"
            return False
        self.left = set(re.findall(r"the operation (\S+) cannot be imported", made["said"]))
        self.row["import"] = f"{made['seconds']:.2f} s" + (f", {len(self.left)} left out" if self.left else "")
        if not self.skeleton.exists() or "::" not in self.skeleton.read_text():
            self.fail("import", "no skeleton")
            return False
        text = self.header.read_text()
        self.row["lines"] = text.count("\n")
        self.row["types"] = len(re.findall(r"^inline constexpr auto soapsvc::schema<", text, re.M))
        return True

    def compiles(self):
        for compiler in self.given.compiler:
            made = verify.measured(
                [*compiler.split(), *verify.FLAGS, "-I", str(root), "-c", str(self.skeleton),
                 "-o", str(self.where / "skeleton.o")], 600,
            )  # fmt: skip
            said = f"{made['seconds']:.1f} s {made['megabytes']:.0f} MB"
            if made["status"] != 0:
                self.fail(f"compile by {compiler}", made["said"].splitlines())
                said = "no"
            key = "compile" if compiler == self.given.compiler[0] else compiler.split()[-1]
            self.row[key] = said
            self.row.setdefault("ms/type", f"{1000 * made['seconds'] / max(1, self.row['types']):.0f}")

    def builds(self):
        space = re.search(r"^namespace (\w+) \{$", self.header.read_text(), re.M)[1]
        imported = verify.Imported(space, self.header, self.skeleton, self.where)
        program, made = verify.build([imported], self.where, self.given.compiler[0], self.given.library)
        if not program:
            self.fail("build", made["said"].splitlines())
            return None
        described = subprocess.run([program, "describe"], capture_output=True, text=True, timeout=120)
        if described.returncode != 0:
            self.fail("serve", described.stderr.splitlines() or [f"status {described.returncode}"])
            self.row["equal"] = "no"
            return None
        return program

    def compares(self, original, program):
        wrong, accepted = verify.compare(original, self.where)
        left = [line for line in wrong if line.split(": operation ")[0] in self.left]
        wrong = [line for line in wrong if line not in left]
        self.row["equal"] = "yes" if not wrong else f"{len(wrong)} differ"
        if accepted:
            self.row["equal"] += f", {len(accepted)} accepted"
            self.accept(accepted)
        if wrong:
            self.fail("compare", wrong)

    def accept(self, accepted):
        for reason in sorted({why for _, why in accepted}):
            lines = [line for line, why in accepted if why == reason]
            say(f"{self.name}: accepted {len(lines)} times, {reason}, as: {lines[0]}")

    def passes_on(self, original, program):
        many = len(original.operations) > 200
        passed = verify.Passed(original, self.where, self.given.seed, 1 if many else self.given.messages)
        made = subprocess.run([program, "messages"], capture_output=True, text=True, timeout=600)
        if made.returncode != 0:
            self.fail("messages", made.stderr.splitlines() or [f"status {made.returncode}"])
            return passed
        wrong, accepted = passed.check()
        self.accept(accepted)
        dropped = len(passed.trial.dropped)
        self.row["messages"] = f"{passed.tried - len(wrong)} of {passed.tried}" + (f", {dropped} not valid" if dropped else "")
        for why in list(passed.trial.dropped.values())[:3] if dropped else []:
            say(f"{self.name}: not valid as made: {why}")
        if wrong:
            self.fail("messages", wrong)
        return passed

    def is_called(self, messages, program):
        try:
            client = zeep_calls.load(self.path)
        except Exception as error:  # zeep's own limits, of many kinds
            self.row["zeep"] = "cannot load"
            say(f"{self.name}: zeep cannot load it: {type(error).__name__}: {error}")
            return
        with zeep_calls.Server(program) as server:
            calls = zeep_calls.Calls(client, messages, server)
        self.row["zeep"] = f"{len(calls.reached)} reached"
        self.row["zeep"] += f", {len(calls.unsent)} not sent" if calls.unsent else ""
        self.row["zeep"] += f", {len(calls.unread)} not read" if calls.unread else ""
        for line in calls.told()[:3]:
            say(f"{self.name}: zeep: {line[:300]}")
        if calls.wrong:
            self.fail("zeep", calls.wrong)


def table(rows):
    columns = []
    for row in rows:
        columns += [each for each in row if each not in columns]
    lines = [columns] + [[str(row.get(each, "")) for each in columns] for row in rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(columns))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def library_of(given, where):
    """The implementation, compiled once."""
    made = where / "soapsvc.o"
    subprocess.run(
        [*given.compiler[0].split(), "-std=c++20", "-O1", "-DSOAPSVC_SPLIT", "-DSOAPSVC_IMPLEMENTATION", "-I", root,
         "-x", "c++", "-c", root / "soapsvc.hpp", "-o", made], check=True,
    )  # fmt: skip
    return made


def main():
    asked = argparse.ArgumentParser(usage=__doc__)
    asked.add_argument("folder", type=pathlib.Path)
    asked.add_argument("names", nargs="*")
    asked.add_argument("--compiler", action="append", help="g++ unless said; a second one compiles the skeletons only")
    asked.add_argument("--importer", type=pathlib.Path, default=root / "build/example/import/soapsvc-import")
    asked.add_argument("--library", type=pathlib.Path, help="the compiled implementation")
    asked.add_argument("--messages", type=int, default=4, help="of each operation")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="where what is made stays")
    given = asked.parse_intermixed_args()
    given.compiler = given.compiler or ["g++"]
    if not given.importer.exists():
        asked.error(f"{given.importer} is not built")
    lines = (given.folder / "contracts.tsv").read_text().splitlines()[1:]
    listed = [tuple(line.split("\t")[:2]) for line in lines]
    with tempfile.TemporaryDirectory() as scratch:
        where = (given.keep or pathlib.Path(scratch)).resolve()
        where.mkdir(parents=True, exist_ok=True)
        if given.library is None:
            given.library = library_of(given, where)
        trials = []
        for name, file in listed:
            if given.names and name not in given.names:
                continue
            trial = Trial(name, (given.folder / name / file).resolve(), where / name, given)
            try:
                trial.run()
            except Exception as error:  # one contract must not end the others
                trial.fail("trial", f"{type(error).__name__}: {error}")
            trials.append(trial)
            say(f"{name}: " + (", ".join(sorted(set(trial.wrong))) + " failed" if trial.wrong else "held"))
        print(table([each.row for each in trials]))
    failed = sum(bool(each.wrong) for each in trials)
    print(f"{len(trials) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
