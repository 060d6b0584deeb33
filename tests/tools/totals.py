#!/usr/bin/python3
"""totals.py BUILD LOGNAME TEST...: one line for each program of the last `meson test` there, and the counts.

Counted are Catch2's test cases and the checks of scripts that end in `N passed, N failed`. A program that
failed without such a count (it crashed, or ran out of time) counts as one failure. So does a program that
was skipped, and a TEST that is not in the log: meson may have ended before its turn.
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
    log = Path(sys.argv[1], "meson-logs", sys.argv[2] + ".json")
    missing = set(sys.argv[3:])
    passed = failed = 0
    for line in log.read_text(encoding="utf-8").splitlines() if log.is_file() else ():
        test = json.loads(line)
        good, bad = counts(test.get("stdout") or "") or (0, 0)
        if test["result"] != "OK" or not good:  # a program that ran no test has not passed
            bad = max(bad, 1)
        passed += good
        failed += bad
        name = test["name"].split(" / ")[-1].split(":")[-1]
        missing.discard(name)
        print(f"{'ok  ' if not bad else 'FAIL'} {name}: {good} passed, {bad} failed, {test['duration']:.1f} s")
        if bad:
            output = (test.get("stdout") or "") + "\n" + (test.get("stderr") or "")
            shown = [part for part in output.splitlines() if part and not part.startswith("ok ")]
            print("\n".join("     " + part for part in shown[-60:]))
    for name in sorted(missing):
        failed += 1
        print(f"FAIL {name}: was not run")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
