#!/usr/bin/python3
"""gate_lists.py: the tests of .ci/run and .ci/nightly depend on the commit alone.

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


def check(name, good, found=""):
    global passed, failed
    passed += bool(good)
    failed += not good
    print(f"ok   {name}" if good else f"FAIL {name}: {str(found)[:1500]}", flush=True)


def output(*command, **environment):
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else f"status {done.returncode}: {done.stdout}{done.stderr}"


def difference(one, other):
    return sorted(set(one.splitlines()) ^ set(other.splitlines()))[:10]


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
    check("the other clock is a month on", abs(ahead - MONTH) < 60, f"{ahead} s ahead")
    python = ["/usr/bin/python3", "-c", "import time; print(int(time.time()))"]
    ahead = int(output(*python, **later)) - int(output(*python))
    check("... for Python, too", abs(ahead - MONTH) < 60, f"{ahead} s ahead")
    for script, least in ((".ci/run", 1000), (".ci/nightly", 2000)):
        now = output(script, "--list")
        check(f"{script} lists its checks", len(now.splitlines()) >= least, now)
        other = output(script, "--list", **later)
        check(f"{script} lists the same with the clock a month on", now == other, difference(now, other))


def names_of(text):
    return {re.split(r"[: ]", line)[0] for line in text.splitlines()}


def check_names(build):
    for suite in ("unit", "tools", "long", "fuzz"):
        listed = names_of(output("tests/tools/cases.py", suite))
        told = output("meson", "test", "-C", build, "--list", "--suite", suite).splitlines()
        known = {line.split(" / ")[-1] for line in told if " / " in line}
        check(f"the list has all tests of the suite {suite}", known and listed == known, sorted(listed ^ known))


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
