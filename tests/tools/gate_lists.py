#!/usr/bin/python3
"""gate_lists.py: what .ci/run and .ci/nightly test depends on the commit alone.

With the clock a month on, --list prints the same; and it knows the tests that Meson knows. $BUILD names
the build folder.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MONTH = 31 * 86400
passed = failed = 0


def check(name, problem):
    global passed, failed
    passed += not problem
    failed += bool(problem)
    print(f"FAIL {name}: {str(problem)[:1500]}" if problem else f"ok   {name}", flush=True)


def output(*command, **environment):
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else f"status {done.returncode}: {done.stdout}{done.stderr}"


def difference(one, other):
    return [line for line in set(one.splitlines()) ^ set(other.splitlines())][:10] if one != other else None


def other_clock(folder):
    """The environment of a program whose clock is a month on."""
    library, offset = folder / "clock.so", folder / "offset"
    offset.write_text(str(MONTH))
    command = ["gcc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", library, ROOT / "tests/tools/other_clock.c", "-ldl"]
    subprocess.run(command, check=True)
    return {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(offset)}


def check_clocks(folder):
    later = other_clock(folder)
    ahead = int(output("date", "+%s", **later)) - int(output("date", "+%s"))
    check("the other clock is a month on", None if abs(ahead - MONTH) < 60 else ahead)
    python = ["/usr/bin/python3", "-c", "import time; print(int(time.time()))"]
    ahead = int(output(*python, **later)) - int(output(*python))
    check("... for Python, too", None if abs(ahead - MONTH) < 60 else ahead)
    for script, least in ((".ci/run", 1000), (".ci/nightly", 2000)):
        now = output(script, "--list")
        check(f"{script} lists its checks", None if len(now.splitlines()) >= least else now)
        check(f"{script} lists the same with the clock a month on", difference(now, output(script, "--list", **later)))


def names_of(text):
    return {re.split(r"[: ]", line)[0] for line in text.splitlines()}


def check_names(build):
    for suite in ("unit", "tools", "long", "fuzz"):
        listed = names_of(output("tests/tools/cases.py", suite))
        told = output("meson", "test", "-C", build, "--list", "--suite", suite).splitlines()
        known = {line.split(" / ")[-1] for line in told if " / " in line}
        check(f"the list has all tests of the suite {suite}", sorted(listed ^ known) or not known)


def main():
    if sys.argv[1:]:
        print(__doc__.strip())
        return 0
    with tempfile.TemporaryDirectory() as folder:
        check_clocks(Path(folder))
    check_names(os.environ.get("BUILD", ROOT / "build"))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
