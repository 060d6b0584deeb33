#!/usr/bin/python3
"""mutants.py [--list | --check | --all | --seed SEED COUNT | --part K N | NUMBER...]: do the tests notice bugs?

Puts each bug of tests/mutants.txt into a copy of the tree, builds the tests that are said to see it
and runs them: at least one must fail. First they must pass without the bug. --seed takes COUNT
of the bugs, the same for the same SEED; --part the K-th of N parts of the list. A bug that does not
compile, or does not fit the code once, is a failure: the list has to be mended. Whichever are
taken, the whole list is looked at for that beforehand; --check does no more, and builds nothing.

A bug is written so that it outlives renamed variables, moved functions and another formatter:

    == what the bug is
    in FILE, FUNCTION, seen by TEST, or by a script as in postgres/tls.py
    -a fragment of the code
    +what stands there instead; none: the fragment is dropped

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
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build-mutants"
SEEN_BY_GATE = 95  # percent of the bugs
PATIENCE = 400  # seconds for one test program: a bug may make it hang
JOBS = os.cpu_count() or 2
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
# What may stand between a function's parameters and its body. The others begin
# what goes on up to it: initializers, a result, a condition.
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
        self.partner, opened = {}, {")": [], "]": [], "}": []}  # of each bracket that opens
        for at, token in enumerate(self.tokens):
            if token.is_quoted:
                continue
            self.places.setdefault(token.text, []).append(at)
            if token.text in CLOSING:
                opened[CLOSING[token.text]].append(at)
            elif opened.get(token.text):
                self.partner[opened[token.text].pop()] = at

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


def names_in(fragment, words):
    """What each placeholder of a fragment stands for; None where the words are others."""
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
        old = "\n".join(line[1:] for line in change if line[0] == "-")
        self.old = [token.text for token in tokens_of(old, self.pattern)]
        self.new = "\n".join(line[1:] for line in change if line[0] == "+")

    def found(self, code):
        """Each place where the fragment is, and what its placeholders stand for there."""
        extents = [range(len(code.words))]
        if self.function and not (extents := list(code.extents(self.function))):
            raise ValueError(f"no function or type {self.function} is defined there")
        size = len(self.old)
        starts = {at for extent in extents for at in extent[: max(0, len(extent) + 1 - size)]}
        for at in sorted(starts):
            names = names_in(self.old, code.words[at : at + size])
            if names is not None:
                yield at, names

    def applied(self, text):
        """The file's text with the bug in it."""
        code = code_of(text, self.pattern)
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
        new = PLACEHOLDER.sub(lambda placeholder: names[placeholder[0]], self.new)
        result = text[: code.tokens[at].begin]
        for part in (new, text[code.tokens[at + len(self.old) - 1].end :]):
            glues = re.fullmatch(r"\w\w", result[-1:] + part[:1])
            result += " " + part if glues else part
        return result


def read_mutants():
    text = (ROOT / "tests/mutants.txt").read_text(encoding="utf-8")
    text = "\n".join(line for line in text.splitlines() if not line.startswith("# "))
    return [Mutant(number, part) for number, part in enumerate(text.split("\n== ")[1:], 1)]


class Tree:
    """A copy of the tree with a build folder: unoptimised by clang, which is ready first."""

    def __init__(self, index):
        self.root = WORK / f"tree{index}"
        self.build = WORK / f"build{index}"
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
        ).stdout.decode()
        wanted = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
        if self.root.is_dir():
            for file in self.root.rglob("*"):
                if file.is_file() and str(file.relative_to(self.root)) not in wanted:
                    file.unlink()
        for name in sorted(wanted):
            source, target = ROOT / name, self.root / name
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue  # keeps its time: nothing is built again
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        if not (self.build / "build.ninja").is_file():
            subprocess.run(
                ["meson", "setup", "-Dexample=enabled", "-Dtests=enabled", "-Dbuildtype=plain",
                 "-Doptimization=0", str(self.build), str(self.root)],
                env={**os.environ, "CXX": "clang++"}, check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip

    def make(self, tests):
        """None, or the compiler's first complaint."""
        targets = [f"tests/test_{name}" for name in tests if "/" not in name]
        if any(name.startswith("example_") or "/" in name for name in tests):
            targets.append("example/payroll")  # which some of these start
        done = subprocess.run(
            ["ninja", "-C", str(self.build), "-j", "1", *targets],
            env={**os.environ, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"},  # see tools/common.sh
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode == 0:
            return None
        errors = [line for line in done.stdout.splitlines() if "error:" in line]
        return (errors or done.stdout.splitlines() or ["no output"])[0]

    def passes(self, test):
        environment = {
            **os.environ,
            "SOAPSVC_ROOT": str(self.root),
            "PAYROLL": str(self.build / "example/payroll"),
        }
        command = [str(self.build / f"tests/test_{test}")]
        if test.startswith("postgres_"):
            command = [str(self.root / "tests/postgres/run"), "--program", *command]
        if "/" in test:  # a script, which runs payroll
            command = [str(self.root / "tests" / test)]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        test_process = subprocess.Popen(command, cwd=self.root, env=environment, start_new_session=True, **quiet)
        try:
            return test_process.wait(timeout=PATIENCE) == 0
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
        """What is wrong with the tests; None when one of them notices."""
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


def tests_of_gate():
    """The names of what .ci/run runs, as mutants name it: test programs, and scripts without `tests/`."""
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
    """Those that need the same tests one after the other, in the same tree."""
    return mutant.file, mutant.tests


def chosen(mutants, options):
    if options.numbers:
        return [mutants[number - 1] for number in options.numbers]
    if options.seed:
        seed, count = options.seed
        return random.Random(seed).sample(mutants, min(count, len(mutants)))
    if options.part:
        # Neighbours in the order of their tests: what is built for one does for the next.
        part, parts = options.part
        mutants = sorted(mutants, key=in_turn)
        return mutants[len(mutants) * (part - 1) // parts : len(mutants) * part // parts]
    return mutants


def worker(tree, queue, lock, failures, checked):
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
        wrong = wrong or tree.judge(mutant)
        with lock:
            if wrong:
                failures.append(mutant)
            print(
                f"{'FAIL' if wrong else 'ok  '} {mutant.number}. {mutant.name} "
                f"({', '.join(mutant.tests)}, {time.monotonic() - began:.0f} s){': ' + wrong if wrong else ''}",
                flush=True,
            )


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
    queue = sorted(chosen(mutants, options), key=in_turn)
    count = len(queue)
    WORK.mkdir(exist_ok=True)
    failures, lock = [], threading.Lock()
    threads = [
        threading.Thread(target=worker, args=(Tree(index), queue, lock, failures, set()))
        for index in range(min(JOBS, count))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{count - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
