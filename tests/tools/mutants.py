#!/usr/bin/python3
"""mutants.py [--list | --check | --all | --seed SEED COUNT | --part K N | NUMBER...]: do the tests notice bugs?

Puts each bug of tests/mutants.txt into a copy of the tree, builds the tests that are said to see it
and runs them: at least one must fail. First they must pass without the bug. --seed takes COUNT
of the bugs, the same for the same SEED; --part the K-th of N parts of the list. A bug that does not
compile, or does not fit the code once, is a failure: the list has to be mended. Whichever are
taken, the whole list is looked at for that beforehand; --check does no more, and builds nothing.

Many bugs are built together, so that the tests are compiled once for all: a function with bugs gets a
copy of its body for each, and SOAPSVC_MUTANT in the environment says which of them runs. A bug that
acts while the compiler runs, is outside of a function, breaks the build of the others or is not
noticed there is put in alone.

A bug is written so that it outlives renamed variables, moved functions and another formatter:

    == the bug
    in FILE, FUNCTION, seen by TEST, or by a script as in postgres/tls.py
    -a fragment of the code
    +its replacement; none: the fragment is dropped

FUNCTION is a name alone, without its class; a type's name will do as well. The fragment must be
found once in all that have that name, overloads together, each from its name to its closing brace.
Without FUNCTION it must be found once in the file: so in tables, and where the code is not C++.

Fragments are compared token by token: white space, line ends, comments and where a long string is
split do not count. They may be inside a raw string, and have several lines, each with `-` or `+`.
$a, or another single letter, stands for any one word, the same wherever it is in the bug: write
variables so, which get renamed, but not functions, types, constants and enumerators. The best
fragment is the shortest.
"""

import argparse
import functools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build-mutants"
SEEN_BY_GATE = 95  # percent of the bugs
WORTH_A_BUILD = 10  # so many bugs are built together; fewer are ready sooner alone
PATIENCE = 400  # seconds for one test program: a bug may make it hang
JOBS = os.cpu_count() or 2
RUNS = 2 * JOBS  # tests at a time: the longest ones mostly wait
# As in tools/common.sh: compilers are ccache's.
os.environ["PATH"] = "/usr/lib/ccache:" + os.environ["PATH"]
os.environ.setdefault("CCACHE_DIR", os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")) + "/soapsvc-ccache")
os.environ.setdefault("CCACHE_SLOPPINESS", "pch_defines,time_macros,include_file_mtime,include_file_ctime")
os.environ.setdefault("CCACHE_MAXSIZE", "20G")


STRING = r'"(?:[^"\\\n]|\\.)*"'


def token_pattern(comment, string):
    return re.compile(
        rf"""\s+ | {comment}
        | (?P<open>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\() (?P<inside>.*?) (?P<close>\)(?P=mark)")
        | (?P<token>(?:u8|[uUL])?(?:{string} | '(?:[^'\\\n]|\\.)+')\w*
            | \.?[0-9](?:[eEpP][+-] | '?[\w.])*
            | [\w$]+
            | <=> | ->\*? | \.\.\. | :: | \+\+ | -- | && | \|\| | <<=? | [-+*/%&|^=!<>]=
            | .)""",  # and no >>, which may be the ends of two templates
        re.VERBOSE | re.DOTALL,
    )


CPP = token_pattern(r"//[^\n]* | /\*.*?\*/", rf"{STRING}(?P<split>(?:\s+{STRING})*)")
OTHER = token_pattern(r"(?!)", rf"{STRING}(?P<split>)")
PLACEHOLDER = re.compile(r"\$[a-z]\b")
CLOSING = {"(": ")", "[": "]", "{": "}"}
# Tokens that may stand between a function's parameters and its body. The others begin
# a sequence that ends at it: initializers, a result, a condition.
BEHIND_PARAMETERS = {"const", "noexcept", "override", "final", "mutable", "&", "&&", "("}
LONGER = {":", "->", "requires"}


class Token(NamedTuple):
    text: str
    begin: int
    end: int
    is_quoted: bool  # in a raw string, whose braces are no braces


def unsplit(token, is_split):
    if not is_split:
        return token
    parts = "".join(part[1:-1] for part in re.findall(STRING, token))
    return token[: token.index('"') + 1] + parts + token[token.rindex('"') :]


def tokens_of(text, pattern=OTHER, offset=0, is_quoted=False):
    """A raw string is a token at either end, with the tokens that it holds between them. A string
    that is split over lines is one token."""
    for match in pattern.finditer(text):
        for part in ("open", "inside", "close", "token"):
            if match[part] is None:
                continue
            begin, end = (offset + place for place in match.span(part))
            if part == "inside":
                yield from tokens_of(match[part], OTHER, begin, True)
            else:
                yield Token(unsplit(match[part], match["split"]), begin, end, is_quoted)


class Code:
    """A file as tokens."""

    def __init__(self, text, pattern):
        self.text = text
        self.tokens = list(tokens_of(text, pattern))
        self.words = [token.text for token in self.tokens]
        self.places = {}  # of each word
        self.partner, self.opening = {}, {}  # of each bracket that opens, and that closes
        opened = {")": [], "]": [], "}": []}
        for at, token in enumerate(self.tokens):
            if token.is_quoted:
                continue
            self.places.setdefault(token.text, []).append(at)
            if token.text in CLOSING:
                opened[CLOSING[token.text]].append(at)
            elif opened.get(token.text):
                self.opening[at] = opened[token.text].pop()
                self.partner[self.opening[at]] = at

    def word(self, at):
        return self.words[at] if at < len(self.words) else ""

    def behind(self, bracket):
        return self.partner.get(bracket, len(self.words)) + 1

    def body(self, at):
        """Where the function begins whose parameters end before `at`; None: it is only declared."""
        longer = ""
        while (word := self.word(at)) not in (";", "=", ")", "]", "}", ""):
            if word == "{" and not (longer == ":" and re.match(r"[\w>]", self.words[at - 1])):
                return at
            if not longer and word in LONGER:
                longer = word
            elif not longer and word not in BEHIND_PARAMETERS:
                return None
            at = self.behind(at) if word in ("(", "{") else at + 1
        return None

    def body_of_type(self, at):
        """The same for a type, whose name ends before `at`, and for a template's parameter."""
        if self.word(at) not in ("{", ":", "<", "final"):
            return None
        while self.word(at) not in ("{", ";", "(", ""):
            at += 1
        return at if self.word(at) == "{" else None

    def extents(self, name):
        """Where each function and type of that name is defined."""
        parts = [token.text for token in tokens_of(name)]
        for at in self.places.get(parts[0], []):
            end, body = at + len(parts), None
            if self.words[at:end] != parts:
                continue
            if at and self.words[at - 1] in ("struct", "class", "union", "enum"):
                body = self.body_of_type(end)
            elif self.word(end) == "(":
                body = self.body(self.behind(end))
            if body is not None:
                yield range(at, self.behind(body))

    def line(self, at):
        return 1 + self.text.count("\n", 0, self.tokens[at].begin)

    def heading(self, brace):
        """The words before a brace, back to the end of the code before them, without round brackets."""
        words, at = [], brace - 1
        while at >= 0 and self.words[at] not in (";", "{", "}"):
            words.append(self.words[at])
            at = self.opening.get(at, at) - 1
        return words[::-1]

    def function_around(self, at):
        """The braces of the function's body around a token that runs when the program does; None elsewhere."""
        braces = [brace for brace in self.places.get("{", []) if brace < at < self.partner.get(brace, 0)]
        for brace in braces:  # from the outermost
            words = " ".join(self.heading(brace))
            words = re.sub(r"\btemplate < .*? >(?= (?!>|,|&|\.))", "", words)
            if re.search(r"\b(namespace|class|struct|union|enum|extern)\b", words):
                continue
            is_body = ")" in words and not re.search(r"(?<!operator) = |\bconsteval\b", words)
            return range(brace, self.behind(brace)) if is_body else None
        return None


def names_in(fragment, words):
    """The words for a fragment's placeholders; None where the fragment does not match."""
    names = {}
    for wanted, word in zip(fragment, words):
        if not PLACEHOLDER.fullmatch(wanted):
            fits = wanted == word
        else:
            fits = re.match(r"[^\W\d]", word) and names.setdefault(wanted, word) == word
        if not fits:
            return None
    return names


@functools.lru_cache(maxsize=8)
def code_of(text, pattern):
    return Code(text, pattern)


class Mutant:
    def __init__(self, number, text):
        self.number = number
        self.name, where, *change = text.strip().splitlines()
        place = re.fullmatch(r"in ([^\s,]+)(?:, (\S+))?, seen by (.+)", where)
        self.file, self.function, tests = place.groups()
        self.tests = tests.split()
        self.pattern = CPP if self.file.endswith((".cpp", ".hpp")) else OTHER
        if any(line[0] not in "-+" for line in change):
            sys.exit(f"tests/mutants.txt: a line of the bug {self.name!r} begins neither with - nor with +")
        old = "\n".join(line[1:] for line in change if line[0] == "-")
        self.old = [token.text for token in tokens_of(old, self.pattern)]
        self.new = "\n".join(line[1:] for line in change if line[0] == "+")

    def found(self, code):
        """Each place of the fragment, and the words for its placeholders there."""
        extents = [range(len(code.words))]
        if self.function and not (extents := list(code.extents(self.function))):
            raise ValueError(f"no function or type {self.function} is defined there")
        size = len(self.old)
        starts = {at for extent in extents for at in extent[: max(0, len(extent) + 1 - size)]}
        for at in sorted(starts):
            names = names_in(self.old, code.words[at : at + size])
            if names is not None:
                yield at, names

    def change(self, code):
        """The token where the bug begins, the replaced range of the text, and its replacement."""
        found = list(self.found(code))
        where = f" in {self.function}" if self.function else ""
        if not found:
            raise ValueError(f"fits nowhere{where}")
        if len(found) > 1:
            lines = ", ".join(str(code.line(at)) for at, _ in found)
            raise ValueError(f"fits {len(found)} times{where}, at lines {lines}")
        at, names = found[0]
        if unknown := set(PLACEHOLDER.findall(self.new)) - set(names):
            raise ValueError(f"its fragment has no {', '.join(sorted(unknown))}")
        begin, end = code.tokens[at].begin, code.tokens[at + len(self.old) - 1].end
        new = PLACEHOLDER.sub(lambda placeholder: names[placeholder[0]], self.new)
        return at, begin, end, re.sub(r"^(?=\w)|(?<=\w)$", " ", new) or " "

    def applied(self, text):
        """The file's text with the bug in it."""
        _, begin, end, new = self.change(code_of(text, self.pattern))
        return text[:begin] + new + text[end:]


def read_mutants():
    text = (ROOT / "tests/mutants.txt").read_text(encoding="utf-8")
    text = "\n".join(line for line in text.splitlines() if not line.startswith("# "))
    return [Mutant(number, part) for number, part in enumerate(text.split("\n== ")[1:], 1)]


class Tree:
    """A copy of the tree with a build folder: unoptimised by clang, which is ready first."""

    def __init__(self, name):
        self.root = WORK / f"tree_{name}"
        self.build = WORK / f"build_{name}"

    def fill(self, other=None):
        """Makes it a copy of the tree, but for files with another text. A file that stays the same keeps its
        time, so that nothing is built again."""
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
        ).stdout.decode()
        other = {name: text.encode() for name, text in (other or {}).items()}
        wanted = {name for name in listed.split("\0") if name and (ROOT / name).is_file()} | set(other)
        if self.root.is_dir():
            for file in self.root.rglob("*"):
                if file.is_file() and str(file.relative_to(self.root)) not in wanted:
                    file.unlink()
        for name in sorted(wanted):
            target = self.root / name
            content = other[name] if name in other else (ROOT / name).read_bytes()
            if target.is_file() and target.read_bytes() == content:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            if (ROOT / name).is_file():
                shutil.copymode(ROOT / name, target)
        if not (self.build / "build.ninja").is_file():
            subprocess.run(
                ["meson", "setup", "-Dexample=enabled", "-Dtests=enabled", "-Dbuildtype=plain",
                 "-Doptimization=0", str(self.build), str(self.root)],
                env={**os.environ, "CXX": "clang++"}, check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip

    @staticmethod
    def targets(tests):
        targets = [f"tests/test_{name}" for name in tests if "/" not in name]
        if any(name.startswith("example_") or "/" in name for name in tests):
            targets.append("example/payroll")  # which some of these start
        return targets

    def ninja(self, *arguments):
        """The output if something cannot be built; None if all is built."""
        done = subprocess.run(
            ["ninja", "-C", str(self.build), *arguments],
            env={**os.environ, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"},  # see tools/common.sh
            capture_output=True, text=True,
        )  # fmt: skip
        return (done.stdout or "no output") if done.returncode else None

    def make(self, tests):
        """None, or the compiler's first complaint."""
        if (output := self.ninja("-j", "1", *self.targets(tests))) is None:
            return None
        errors = [line for line in output.splitlines() if "error:" in line]
        return (errors or output.splitlines())[0]

    def passes(self, test, number=0, patience=PATIENCE):
        """With the bug of that number among those that are built together."""
        environment = {
            **os.environ,
            "SOAPSVC_ROOT": str(self.root),
            "PAYROLL": str(self.build / "example/payroll"),
            "SOAPSVC_MUTANT": str(number),
        }
        command = [str(self.build / f"tests/test_{test}"), "--abort"]
        if test.startswith("postgres_"):
            command = [str(self.root / "tests/postgres/run"), "--program", command[0]]
        if "/" in test:  # a script, which runs payroll
            command = [str(self.root / "tests" / test)]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        test_process = subprocess.Popen(command, cwd=self.root, env=environment, start_new_session=True, **quiet)
        try:
            return test_process.wait(timeout=patience) == 0
        except subprocess.TimeoutExpired:
            self.end(test_process)
            return False

    @staticmethod
    def end(test_process):
        """With all that it has started: a script ends its servers when it is asked to go."""
        try:
            os.killpg(test_process.pid, signal.SIGTERM)
            test_process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(test_process.pid, signal.SIGKILL)
            test_process.wait()

    def judge(self, mutant):
        """The failure of the tests; None if one of them notices."""
        file = self.root / mutant.file
        whole = file.read_text(encoding="utf-8")
        try:
            file.write_text(mutant.applied(whole), encoding="utf-8")
            if complaint := self.make(mutant.tests):
                return f"does not compile: {complaint}"
            return None if not all(self.passes(test) for test in mutant.tests) else "no test notices"
        except ValueError as error:
            return str(error)
        finally:
            file.write_text(whole, encoding="utf-8")


# Included by files with bugs that are built together. In a constant expression no bug runs.
SWITCH = """#pragma once
#include <cstdlib>
#include <type_traits>
namespace soapsvc_mutants {
inline const int chosen = std::getenv("SOAPSVC_MUTANT") ? std::atoi(std::getenv("SOAPSVC_MUTANT")) : 0;
constexpr bool is_on(int number) { return !std::is_constant_evaluated() && chosen == number; }
}  // namespace soapsvc_mutants
"""


class Together(Tree):
    """The tree with many bugs in it, of which none runs unless it is chosen."""

    def __init__(self):
        super().__init__("together")
        self.bodies = {}  # of each file: of each function's range in its text, the bodies with bugs by number
        self.blocks = {}  # of each file: number, first and last line of each of these bodies

    def take(self, mutants):
        """Keeps the bugs that can be built together."""
        for mutant in mutants:
            if mutant.pattern is not CPP or any("/" in test for test in mutant.tests):
                continue
            code = code_of((ROOT / mutant.file).read_text(encoding="utf-8"), CPP)
            at, begin, end, new = mutant.change(code)
            if (body := code.function_around(at)) is None:
                continue
            first, last = code.tokens[body[0]].begin, code.tokens[body[-1]].end
            bodies = self.bodies.setdefault(mutant.file, {}).setdefault((first, last), {})
            bodies[mutant.number] = code.text[first:begin] + new + code.text[end:last]

    def numbers(self):
        return {number for file in self.bodies.values() for bodies in file.values() for number in bodies}

    def drop(self, numbers):
        for file in self.bodies.values():
            for bodies in file.values():
                for number in numbers & set(bodies):
                    del bodies[number]

    def text_of(self, name):
        """A file in which a function with bugs has a body for each of them, and its own behind these."""
        whole = (ROOT / name).read_text(encoding="utf-8")
        parts, line, done = [], 1, 0
        self.blocks[name] = []

        def add(text):
            nonlocal line
            parts.append(text)
            line += text.count("\n")

        add(f'#include "{self.root}/soapsvc_mutants.hpp"\n')
        for (first, last), bodies in sorted(self.bodies[name].items()):
            add(whole[done:first])
            done = first
            if not bodies:
                continue
            add("{\n")
            for number, body in bodies.items():
                begin = line
                add(f"if (::soapsvc_mutants::is_on({number}))\n{body}\nelse\n")
                self.blocks[name].append((number, begin, line - 1))
            add(whole[first:last] + "\n}")
            done = last
        add(whole[done:])
        return "".join(parts)

    def broken(self, output):
        """The numbers of bugs in the lines that a compiler complains of."""
        for name, at in re.findall(rf"{re.escape(str(self.root))}/([^\s:]+):(\d+):", output):
            for number, begin, end in self.blocks.get(name, []):
                if begin <= int(at) <= end:
                    yield number

    def build_all(self, tests):
        """Builds the tests; bugs that break them are dropped. False: they cannot be built."""
        for targets in (["libsoapsvc.a"], self.targets(tests)):
            while True:
                self.fill({"soapsvc_mutants.hpp": SWITCH, **{name: self.text_of(name) for name in self.bodies}})
                print(f"building {len(self.numbers())} bugs together: {len(targets)} programs", flush=True)
                if (output := self.ninja("-k", "0", "-j", str(JOBS), *targets)) is None:
                    break
                if not (numbers := set(self.broken(output))):
                    print(output[-3000:])
                    return False
                self.drop(numbers)
        return True


def tests_of_gate():
    """The tests of .ci/run, named as in mutants.txt: test programs, and scripts without `tests/`."""
    listed = subprocess.run([ROOT / ".ci/steps.py", "gate", "--list"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        step, _, check = line.partition(": ")
        if step in ("tests", "imports"):
            yield check.partition(":")[0]
        elif check.startswith("tests/"):
            yield check.split()[0].removeprefix("tests/")


def check_gate(mutants):
    """Says how many bugs a test of the gate sees; whether these are enough."""
    gate = set(tests_of_gate())
    outside = [mutant for mutant in mutants if not gate & set(mutant.tests)]
    seen = len(mutants) - len(outside)
    for mutant in outside:
        print(f"the nightly alone sees {mutant.number}. {mutant.name} ({', '.join(mutant.tests)})")
    enough = seen * 100 >= len(mutants) * SEEN_BY_GATE
    print(f"{'ok  ' if enough else 'FAIL'} a test of the gate sees {seen} of {len(mutants)} bugs; {SEEN_BY_GATE} % are wanted")
    return enough


def is_stale(mutant):
    """Says so of a bug that does not fit the code."""
    try:
        mutant.applied((ROOT / mutant.file).read_text(encoding="utf-8"))
        return False
    except (OSError, ValueError) as error:
        print(f"FAIL {mutant.number}. {mutant.name} ({mutant.file}): {error}")
        return True


def in_turn(mutant):
    """The key that sorts bugs with the same tests next to each other."""
    return mutant.file, mutant.tests


def chosen(mutants, options):
    if options.numbers:
        return [mutants[number - 1] for number in options.numbers]
    if options.seed:
        seed, count = options.seed
        return random.Random(seed).sample(mutants, min(count, len(mutants)))
    if options.part:
        # Neighbours in the order of their tests share a build.
        part, parts = options.part
        mutants = sorted(mutants, key=in_turn)
        return mutants[len(mutants) * (part - 1) // parts : len(mutants) * part // parts]
    return mutants


class Report:
    """Says how it went with each bug."""

    def __init__(self):
        self.lock = threading.Lock()
        self.failed = 0

    def add(self, mutant, seconds, wrong):
        with self.lock:
            self.failed += wrong is not None
            print(
                f"{'FAIL' if wrong else 'ok  '} {mutant.number}. {mutant.name} "
                f"({', '.join(mutant.tests)}, {seconds:.0f} s){': ' + wrong if wrong else ''}",
                flush=True,
            )


def beside(work, items, count=JOBS):
    """Does the work for each item, `count` at a time."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, items))


def try_together(mutants, report):
    """Tries the bugs that can be built together. Returns the others, and bugs that no test noticed."""
    tree = Together()
    tree.take(mutants)
    tests = sorted({test for mutant in mutants for test in mutant.tests if "/" not in test})
    if len(tree.numbers()) < WORTH_A_BUILD or not tree.build_all(tests):
        return mutants
    usual = {}  # seconds of each test that passes without a bug

    def without_bug(test):
        began = time.monotonic()
        if tree.passes(test):
            usual[test] = time.monotonic() - began

    def with_bug(mutant):
        began = time.monotonic()
        for test in mutant.tests:
            if not tree.passes(test, mutant.number, 60 + 5 * usual[test]):
                report.add(mutant, time.monotonic() - began, None)
                return None
        return mutant

    numbers = tree.numbers()
    taken = [mutant for mutant in mutants if mutant.number in numbers]
    beside(without_bug, sorted({test for mutant in taken for test in mutant.tests}), RUNS)
    taken = [mutant for mutant in taken if all(test in usual for test in mutant.tests)]
    left = {mutant.number for mutant in beside(with_bug, taken, RUNS) if mutant}
    print(f"{len(taken)} bugs were tried together; {len(left)} of these were not noticed there")
    return [mutant for mutant in mutants if mutant not in taken or mutant.number in left]


def try_alone(mutants, report):
    queue, lock = list(mutants), threading.Lock()

    def work(index):
        tree, checked = Tree(index), set()
        tree.fill()
        while True:
            with lock:
                if not queue:
                    return
                mutant = queue.pop(0)
            began = time.monotonic()
            wrong = None
            for test in [name for name in mutant.tests if name not in checked]:
                if complaint := tree.make([test]):
                    wrong = f"{test} does not compile without the bug: {complaint}"
                elif not tree.passes(test):
                    wrong = f"{test} fails without the bug"
                checked.add(test)
            report.add(mutant, time.monotonic() - began, wrong or tree.judge(mutant))

    beside(work, range(min(JOBS, len(queue))))


def main():
    parser = argparse.ArgumentParser(
        prog="mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("numbers", nargs="*", type=int, metavar="NUMBER", help="these, as --list counts them")
    parser.add_argument("--list", action="store_true", help="show what there is")
    parser.add_argument("--check", action="store_true", help="see whether each of them fits")
    parser.add_argument("--all", action="store_true", help="all of them (the default)")
    parser.add_argument("--seed", nargs=2, type=int, metavar=("SEED", "COUNT"), help="so many of them")
    parser.add_argument("--part", nargs=2, type=int, metavar=("K", "N"), help="the K-th of N parts")
    options = parser.parse_args()
    mutants = read_mutants()
    if options.list:
        for mutant in mutants:
            print(f"{mutant.number}. {mutant.name} ({mutant.file}: {', '.join(mutant.tests)})")
        return 0
    if any(not 1 <= number <= len(mutants) for number in options.numbers):
        parser.error(f"there are {len(mutants)} (see --list)")
    # All of them, whichever are chosen: a list that is not mended at once never is.
    stale = [mutant for mutant in mutants if is_stale(mutant)]
    if stale or options.check:
        failed = len(stale) + (0 if check_gate(mutants) else 1)
        print(f"{len(mutants) + 1 - failed} passed, {failed} failed")
        return 1 if failed else 0
    for tool in ("clang++", "meson", "ninja", "git"):
        if not shutil.which(tool):
            print(f"mutants: {tool} is missing (Debian: clang, meson, ninja-build, git)", file=sys.stderr)
            return 2
    wanted = sorted(chosen(mutants, options), key=in_turn)
    WORK.mkdir(exist_ok=True)
    report = Report()
    try_alone(try_together(wanted, report), report)
    print(f"{len(wanted) - report.failed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
