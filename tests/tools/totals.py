#!/usr/bin/python3
"""totals.py BUILD [LOGNAME]: one line for each program of the last `meson test` there, and the counts.

Counted are Catch2's test cases and the checks of scripts that end in `N passed, N failed`. A program
that failed without such a count (it crashed, or ran out of time) counts as one failure.
"""

import json
import re
import sys
from pathlib import Path


def counts(output):
    """(passed, failed) as the program itself said at its end, or None."""
    for line in reversed(output.splitlines()):
        if match := re.match(r"All tests passed \(\d+ assertions? in (\d+) test cases?\)", line):
            return int(match.group(1)), 0
        if re.match(r"test cases: ", line):
            found = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed)\b(?! as)", line)}
            return found.get("passed", 0), found.get("failed", 0)
        if match := re.fullmatch(r"(\d+) passed, (\d+) failed", line.strip()):
            return int(match.group(1)), int(match.group(2))
    return None


def main():
    log = Path(sys.argv[1], "meson-logs", (sys.argv[2] if len(sys.argv) > 2 else "testlog") + ".json")
    passed = failed = 0
    for line in log.read_text(encoding="utf-8").splitlines():
        test = json.loads(line)
        good, bad = counts(test.get("stdout") or "") or (0, 0)
        if test["result"] == "OK":
            bad = 0 if good else 1  # a program that ran no test has not passed
        elif test["result"] != "SKIP":
            bad = max(bad, 1)
        passed += good
        failed += bad
        name = test["name"].split(" / ")[-1].split(":")[-1]
        print(f"{'ok  ' if not bad else 'FAIL'} {name}: {good} passed, {bad} failed, {test['duration']:.1f} s")
        if bad:
            output = (test.get("stdout") or "") + "\n" + (test.get("stderr") or "")
            shown = [part for part in output.splitlines() if part and not part.startswith("ok ")]
            print("\n".join("     " + part for part in shown[-60:]))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
