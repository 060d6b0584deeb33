#!/usr/bin/python3
"""gate_steps.py: how .ci/steps.py counts, stops, ends and keeps steps, and totals.py counts tests."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / ".ci"))
sys.dont_write_bytecode = True
import steps  # noqa: E402

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    passed += bool(good)
    failed += not good
    print(f"ok   {name}" if good else f"FAIL {name}: {str(found)[:1500]}", flush=True)


def step(name, script, seconds=60, **more):
    return steps.Step(name, seconds, f"bash -c {steps.shlex.quote(script)}", **more)


def run(folder, *wanted, kept=()):
    """The status, the output and the results of these steps."""
    runner = steps.Runner("test", list(wanted), Path(folder))
    with contextlib.redirect_stdout(io.StringIO()) as said:
        status = runner.whole(dict(kept))
    return status, said.getvalue(), runner.results


def check_counts(folder):
    status, said, results = run(
        folder,
        step("good", "echo 'ok   one'; echo 3 passed, 0 failed"),
        step("bad", "echo FAIL two; echo 1 passed, 2 failed; exit 1"),
        step("breaks", "echo 5 passed, 0 failed; exit 7"),
        step("silent", "true"),
        step("nothing", "echo 0 passed, 0 failed"),
        steps.Step("missing", 60, "tests/no-such-script"),
        step("last", "echo 1 passed, 0 failed"),
    )
    check("counts are added up", said.endswith("\n10 passed, 6 failed\n"), said)
    check("... and the status tells of a failure", status == 1, status)
    check("a failed check is shown, one that passed is not", "\nFAIL two\n" in said and "\nok   one\n" not in said, said)
    check("a status without a counted failure is one", results["breaks"][:2] == (5, 1), results)
    check("a step that counts nothing has failed", results["silent"][1] == results["nothing"][1] == 1, results)
    check("a step that is not there has failed", results["missing"][:2] == (0, 1), results)
    check("the steps after a failure are run", results["last"][:2] == (1, 0), results)
    status, said, _ = run(folder, step("good", "echo 3 passed, 0 failed"))
    check("all passed is status 0", status == 0 and said.endswith("\n3 passed, 0 failed\n"), said)


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def check_ends(folder):
    pids = Path(folder, "pids")
    away = f"setsid bash -c 'echo $$ >>{pids}; exec sleep 300' & "
    begun = time.monotonic()
    _, said, results = run(folder, step("slow", away + "sleep 300; echo 1 passed, 0 failed", seconds=5))
    check("a step ends at its time limit", time.monotonic() - begun < 60 and results["slow"][:2] == (0, 1), said)
    check("... with what it started in another session", not any(map(runs, pids.read_text().split())), said)
    pids.unlink()
    _, said, results = run(folder, step("leaves", away + f"until [ -s {pids} ]; do sleep 0.1; done; echo 1 passed, 0 failed"))
    check("a step that leaves a process running has failed", results["leaves"][:2] == (1, 1), said)
    check("... and the process is ended", not any(map(runs, pids.read_text().split())), said)


def check_lanes(folder):
    wait_for = "until [ -e {0} ]; do sleep 0.05; done; echo 1 passed, 0 failed"
    meets = Path(folder, "meets")
    _, said, results = run(
        folder,
        step("first", "echo 1 passed, 0 failed"),
        step("busy", wait_for.format(meets), seconds=30),
        step("second", f"touch {meets}; echo 1 passed, 0 failed"),
    )
    check("two steps run beside each other", results["busy"][:2] == (1, 0), said)
    early = Path(folder, "early")
    _, said, results = run(
        folder,
        step("first", f"sleep 0.5; [ ! -e {early} ] && echo 1 passed, 0 failed"),
        step("second", f"touch {early}; echo 1 passed, 0 failed"),
    )
    check("... but none before the first step has ended", results["first"][:2] == (1, 0), said)


def check_interrupt():
    """Ctrl-C, by a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        pids = Path(folder, "pid")
        program = (
            f"import sys; sys.path.insert(0, {str(ROOT / '.ci')!r}); sys.dont_write_bytecode = True\n"
            "import steps; from pathlib import Path\n"
            f"slow = steps.Step('slow', 60, 'bash -c \"echo $$ >{pids}; sleep 300\"')\n"
            "after = steps.Step('after', 60, 'true')\n"
            f"sys.exit(steps.Runner('test', [slow, after], Path({folder!r})).whole({{}}))"
        )
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not (pids.exists() and pids.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
        check("Ctrl-C ends a run with its own status", process.returncode == 130, process.returncode)
        check("... says that steps were not run", "interrupted: 1 steps were not run" in said, said)
        check("... counts them as failed", said.endswith("\n0 passed, 2 failed\n"), said)
        check("... and leaves no process", not runs(int(pids.read_text())), said)
        check("... and no result", not Path(folder, "slow.json").exists())


def check_names():
    all_of = [step(name, "true") for name in ("one", "two", "two_more", "parts_1", "parts_2", "apart")]

    class Parser:
        def error(self, text):
            raise ValueError(text)

    names = lambda *given: [each.name for each in steps.chosen(all_of, given, Parser())]
    check("a name is one step", names("two") == ["two"], names("two"))
    check("the name of parts is all of them", names("parts", "one") == ["one", "parts_1", "parts_2"], names("parts", "one"))
    try:
        found = names("one", "part")
    except ValueError as error:
        found = str(error)
    check("the start of a name is no step", found.startswith("no such step: part;"), found)


def check_kept(folder):
    status, said, results = run(folder, step("one", "false"), step("two", "echo 1 passed, 0 failed"), kept={"one": (4, 0, 9, 9)})
    check("a step whose result is kept is not run again", status == 0 and said.endswith("5 passed, 0 failed\n"), said)
    check("results are kept", Path(folder, "two.json").exists())


def check_state(folder):
    """Results are kept by the tested code: the commit, and all that differs from it."""

    def git(*words):
        subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True)

    known, new, states = Path(folder, "known"), Path(folder, "new"), []
    known.write_text("one\n")
    git("init")
    git("add", "known")
    git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-m", "one")
    root, steps.ROOT = steps.ROOT, Path(folder)
    try:
        for file, text in ((known, "one\n"), (known, "two\n"), (new, "one\n"), (new, "two\n"), (known, "one\n")):
            file.write_text(text)
            states.append(steps.state_of_tree())
    finally:
        steps.ROOT = root
    check("each change has a state of its own, also in a new file", len(set(states)) == 5, states)
    check("... and a clean tree is named by its commit", "-" not in states[0], states)


def check_totals(folder):
    """Meson's list of its tests, and the totals of totals.py for it."""
    logs = Path(folder, "meson-logs")
    logs.mkdir()
    good = "All tests passed (3 assertions in 2 test cases)\n"
    tests = {
        "good": ("OK", good),
        "expected": ("OK", "test cases: 3 | 2 passed | 1 failed as expected\n"),
        "failed": ("FAIL", "test cases: 3 | 1 passed | 2 failed\n"),
        "lies": ("OK", "3 passed, 1 failed\n"),
        "crashes": ("FAIL", good),
        "nothing": ("OK", ""),
        "skipped": ("SKIP", ""),
    }

    def totals(*names):
        lines = [{"name": f"x:unit / {name}", "result": tests[name][0], "stdout": tests[name][1], "duration": 1} for name in names if name in tests]
        (logs / "log.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
        command = [ROOT / "tests/tools/totals.py", folder, "log", *names]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()[-1]

    wanted = {"good": "2 passed, 0 failed", "expected": "2 passed, 0 failed", "failed": "1 passed, 2 failed", "lies": "3 passed, 1 failed",
              "crashes": "2 passed, 1 failed", "nothing": "0 passed, 1 failed", "skipped": "0 passed, 1 failed", "absent": "0 passed, 1 failed"}  # fmt: skip
    for name, counts in wanted.items():
        found = totals(name)
        check(f"a test program: {name}", found == (0 if counts.endswith(" 0 failed") else 1, counts), found)
    check("a test that meson did not come to has failed", totals("good", "absent") == (1, "2 passed, 1 failed"))


def check_table():
    for name, (_, wanted, _) in steps.SUITES.items():
        names = [each.name for each in wanted]
        check(f"{name}: each step has a name of its own", len(set(names)) == len(names), names)
        missing = [each.command for each in wanted if not os.access(ROOT / each.command.split()[0], os.X_OK)]
        check(f"{name}: each step is a script that is there", not missing, missing)
        check(f"{name}: the first step builds", wanted[0].name == "build")


def main():
    if sys.argv[1:]:
        print(__doc__.strip())
        return 0
    for checked in (check_counts, check_ends, check_lanes, check_kept, check_state, check_totals):
        with tempfile.TemporaryDirectory() as folder:
            checked(folder)
    check_names()
    check_interrupt()
    check_table()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
