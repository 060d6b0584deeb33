#!/usr/bin/python3
"""steps.py gate|nightly [--list] [--again] [STEP...]: runs the steps of .ci/run or of .ci/nightly.

Each step is a command that ends in a line `N passed, N failed`. A step that ends badly without a
counted failure, or at its time limit, is one failure. A failed step does not stop the steps after it.
The first step builds, alone. In the gate two steps run at a time after that, taken in order. Nothing
here looks at the date: the same commit gets the same steps.

The nightly keeps results by commit in build-steps/, so that it can be done over several sittings: a
step that has passed on this commit is not run again, unless it is named or --again is given. The gate
always runs its steps. The log of each step is kept there for both.

--list prints every check: the name of each test case where the step can tell it, else the step.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "build-steps"
FREE_GB = 10  # the size of all steps' build folders
GRACE = 15  # seconds between asking a step to end and killing it
MARK = "SOAPSVC_STEP"  # in the environment of all processes of a step


class Step(NamedTuple):
    name: str
    seconds: int  # time limit
    command: str
    lists: bool = False  # `COMMAND --list` prints its checks


IMPORT = "tests/import/run.py build/example/import/soapsvc-import --compile build/libsoapsvc.a"
# Long steps first; steps that mostly wait beside steps that compute.
GATE = [
    Step("build", 2400, "tests/run --build"),
    Step("readme", 1200, "tests/run --only readme consumer installed"),
    Step("tests", 1800, "tests/run", lists=True),
    Step("sanitizers", 2400, "tests/tools/sanitizers --header example_sign_on", lists=True),
    Step("interop", 1500, "tests/interop/run --services --kinds zeep gsoap java raw"),
    Step("crash", 600, "tests/tools/crash.py 20"),
    Step("secrets", 1200, "tests/tools/leaks.py"),
    Step("hostile", 1200, "tests/tools/hostile.py --short"),
    Step("imports", 1500, "tests/run --only import fuzz_dispatch fuzz_import", lists=True),
    Step("lint", 1500, "tests/tools/lint --gate"),
    Step("threads", 1800, "tests/tools/threads loop loop_refusals client calling_threads example_host", lists=True),
    Step("tables", 1200, "tests/tools/mistakes --by g++", lists=True),
    Step("forms", 1200, "tests/tools/forms --by clang++"),
    Step("bounds", 900, "tests/tools/bounds.py"),
]
MUTANT_PARTS = 8
NIGHTLY = [
    Step("build", 3600, "tests/run --build"),
    Step("tests", 7200, "tests/run --all", lists=True),
    Step("forms", 3600, "tests/tools/forms"),
    Step("tables", 3600, "tests/tools/mistakes --by clang++", lists=True),
    Step("tables_other", 7200, "tests/tools/mistakes --other", lists=True),
    Step("imports_vary", 7200, f"{IMPORT} --vary"),
    Step("imports_large", 7200, f"{IMPORT} --large"),
    Step("sanitizers", 7200, "tests/tools/sanitizers", lists=True),
    Step("threads", 7200, "tests/tools/threads", lists=True),
    Step("xml_suite", 1200, "tests/tools/xml_suite"),
    Step("growth", 1800, "tests/tools/growth"),
    Step("interop", 3600, "tests/interop/run"),
    Step("postgres", 3600, "tests/postgres/run"),
    Step("failover", 900, "tests/postgres/failover.py"),
    Step("rolling", 900, "tests/postgres/rolling.py"),
    Step("outages", 900, "tests/postgres/outages.py"),
    Step("proxies", 600, "tests/tools/features.py --install"),
    Step("browser", 1800, "tests/browser/run"),
    Step("crash", 1200, "tests/tools/crash.py"),
    Step("failures", 900, "tests/tools/failures.py"),
    Step("hostile", 1800, "tests/tools/hostile.py"),
    Step("secrets", 900, "tests/tools/leaks.py"),
    Step("lint", 3600, "tests/tools/lint"),
    Step("bounds", 900, "tests/tools/bounds.py"),
    Step("api_docs", 600, "tests/tools/api_docs.py"),
    *(
        Step(f"platforms_{platform}", 7200, f"tests/tools/platforms {platform}")
        for platform in re.search(r"all_platforms=\((.+)\)", (ROOT / "tests/tools/platforms").read_text())[1].split()
    ),
    Step("fuzz", 7200, "tests/fuzz/run 300"),
    *(
        Step(f"mutants_{part}", 7200, f"tests/tools/mutants.py --part {part} {MUTANT_PARTS}")
        for part in range(1, MUTANT_PARTS + 1)
    ),
]
SUITES = {"gate": (".ci/run", GATE, 2), "nightly": (".ci/nightly", NIGHTLY, 1)}  # steps at a time


def counts(log):
    """The counts in the last line of a step's output; None if that line has none."""
    last = (log.read_text(errors="replace").rstrip().rsplit("\n", 1) or [""])[-1]
    match = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
    return (int(match[1]), int(match[2])) if match else None


def processes_of(mark):
    """The ids of all processes that were started by a step, wherever they are now."""
    wanted = f"{MARK}={mark}".encode()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    yield int(folder.name)
            except OSError:
                pass  # it has ended, or is another user's


def signal_all(mark, number):
    for pid in processes_of(mark):
        try:
            os.kill(pid, number)
        except OSError:
            pass


def state_of_tree():
    """Names the commit, and the changes in the working tree."""
    run = lambda *words: subprocess.run(["git", "-C", ROOT, *words], capture_output=True, check=True).stdout
    try:
        commit = run("rev-parse", "--short=12", "HEAD").decode().strip()
        new = run("ls-files", "-o", "--exclude-standard", "-z")
        changed = run("diff", "HEAD", "--binary") + new
        for name in new.decode().split("\0"):
            changed += (ROOT / name).read_bytes() if name and (ROOT / name).is_file() else b""
    except (OSError, subprocess.CalledProcessError):
        return "no-commit"
    return f"{commit}-{hashlib.sha256(changed).hexdigest()[:8]}" if changed else commit


class Runner:
    def __init__(self, name, steps, folder, lanes=2):
        self.name = name
        self.steps = steps
        self.lanes = lanes
        self.folder = folder
        self.results = {}  # of a step's name: passed, failed, seconds, processor seconds
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.begun = time.monotonic()

    def say(self, text):
        print(f"[{self.name}] {text}", flush=True)

    def end(self, process, mark):
        """Asks all processes of a step to end, and kills the rest."""
        signal_all(mark, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline and any(pid != process.pid for pid in processes_of(mark)):
            time.sleep(0.2)
        signal_all(mark, signal.SIGKILL)

    def run(self, step):
        log = self.folder / f"{step.name}.log"
        mark = f"{os.getpid()}.{step.name}"
        begun = time.monotonic()
        with self.lock:
            self.say(f"== {step.name}: {step.command}")
        problem = ""
        try:
            with open(log, "wb") as output:
                process = subprocess.Popen(
                    shlex.split(step.command), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output,
                    stderr=subprocess.STDOUT, start_new_session=True, env={**os.environ, MARK: mark},
                )  # fmt: skip
        except OSError as error:
            with self.lock:
                self.say(f"{step.name}: cannot be started: {error}")
                self.results[step.name] = (0, 1, 0, 0)
            return
        while True:
            # Not by process.wait(): only this tells how much processor time all its children took.
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if self.stopping.is_set() or time.monotonic() - begun > step.seconds:
                problem = "interrupted" if self.stopping.is_set() else f"stopped after {step.seconds} s"
                self.end(process, mark)
                pid, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(0.1)
        process.returncode = os.waitstatus_to_exitcode(status)
        if left := list(processes_of(mark)):
            time.sleep(2)  # they may be about to end
            if left := list(processes_of(mark)):
                problem = problem or f"left {len(left)} processes running, which were ended"
                self.end(process, mark)
        good, bad = counts(log) or (0, 0)
        if not problem and process.returncode and not bad:
            problem = f"ended with status {process.returncode}"
        if not problem and not good and not bad:
            problem = "counted no checks"
        if problem:
            bad = bad or 1
        self.report(step, log, problem, (good, bad, time.monotonic() - begun, usage.ru_utime + usage.ru_stime))

    def report(self, step, log, problem, result):
        """Prints a step's output without its passed checks."""
        good, bad, seconds, busy = result
        text = log.read_text(errors="replace")
        shown = [line for line in text.splitlines() if not re.match(r"ok  |\d+ passed, \d+ failed$", line)]
        with self.lock:
            if shown:
                print("\n".join(shown), flush=True)
            if problem:
                self.say(f"{step.name}: {problem}")
            if bad and "No space left on device" in text:
                self.say(f"{step.name}: the disk is full: free {FREE_GB} GB, or set TMPDIR and CCACHE_DIR, and run again")
            self.results[step.name] = result
            self.say(
                f"== {step.name}: {good} passed, {bad} failed, {seconds:.0f} s, {busy:.0f} s of processor time"
                f" ({len(self.results)} of {len(self.steps)} steps)"
            )
            if not self.stopping.is_set():
                (self.folder / f"{step.name}.json").write_text(json.dumps(result))

    def lane(self, steps):
        """Runs steps until the list is empty; another lane may take from it as well."""
        while steps and not self.stopping.is_set():
            with self.lock:
                if not steps:
                    return
                step = steps.pop(0)
            try:
                self.run(step)
            except OSError as error:  # a full disk, most likely
                with self.lock:
                    self.say(f"{step.name}: {error}")
                    self.results[step.name] = (0, 1, 0, 0)

    def whole(self, kept):
        self.results.update(kept)
        wanted = [step for step in self.steps if step.name not in kept]
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self.stopping.set())
        self.beside(1, wanted[:1])
        self.beside(self.lanes, wanted[1:])
        return self.closing()

    def beside(self, count, steps):
        lanes = [threading.Thread(target=self.lane, args=(steps,)) for _ in range(count)]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            while lane.is_alive():  # a join without a limit would not let signals in
                lane.join(0.5)

    def closing(self):
        print(f"{'step':<14}{'passed':>8}{'failed':>8}{'minutes':>9}{'processor':>11}")
        for step in self.steps:
            if result := self.results.get(step.name):
                good, bad, seconds, busy = result
                print(f"{step.name:<14}{good:>8}{bad:>8}{seconds / 60:>9.1f}{busy / 60:>11.1f}")
            else:
                print(f"{step.name:<14}{'not run':>16}")
        good = sum(result[0] for result in self.results.values())
        bad = sum(result[1] for result in self.results.values())
        missing = len(self.steps) - len(self.results)
        self.say(f"{(time.monotonic() - self.begun) / 60:.1f} minutes; logs are in {os.path.relpath(self.folder, ROOT)}")
        if self.stopping.is_set():
            self.say(f"interrupted: {missing} steps were not run; call it again to run them")
        print(f"{good} passed, {bad + missing} failed")
        return 130 if self.stopping.is_set() else 1 if bad or missing else 0


def chosen(steps, names, parser):
    """The steps of these names. `mutants` stands for all steps with names that begin with mutants_."""
    known = [step.name for step in steps]
    found = set()
    for name in names:
        parts = [name] if name in known else [each for each in known if each.startswith(f"{name}_")]
        if not parts:
            parser.error(f"no such step: {name}; there are {', '.join(known)}")
        found.update(parts)
    return [step for step in steps if step.name in found]


def list_checks(steps):
    for step in steps:
        checks = [step.command]
        if step.lists:
            done = subprocess.run(
                [*shlex.split(step.command), "--list"], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True
            )
            if done.returncode or not done.stdout.strip():
                sys.exit(f"{step.command} --list: {done.stderr.strip() or 'lists nothing'}")
            checks = done.stdout.splitlines()
        for check in checks:
            print(f"{step.name}: {check}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("steps", nargs="*", metavar="STEP")
    parser.add_argument("--list", action="store_true", help="print every check, and run nothing")
    parser.add_argument("--again", action="store_true", help="run also what has passed on this commit")
    given = parser.parse_intermixed_args()
    name, steps, lanes = SUITES[given.suite]
    if given.steps:
        steps = chosen(steps, given.steps, parser)
    if given.list:
        return list_checks(steps)
    folder = KEPT / given.suite / state_of_tree()
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(ROOT).free < FREE_GB * 10**9 and not (ROOT / "build").is_dir():
        sys.exit(f"[{name}] the disk of {ROOT} has less than {FREE_GB} GB free: free some and run again")
    kept = {}
    if given.suite == "nightly" and not given.again and not given.steps:
        for step in steps:
            file = folder / f"{step.name}.json"
            if file.is_file() and (result := json.loads(file.read_text()))[1] == 0:
                kept[step.name] = result
        if kept:
            print(f"[{name}] passed on this commit already: {' '.join(kept)}", flush=True)
    return Runner(name, steps, folder, lanes).whole(kept)


if __name__ == "__main__":
    sys.exit(main())
