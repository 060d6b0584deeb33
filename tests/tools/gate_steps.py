#!/usr/bin/python3
"""gate_steps.py: how .ci/steps.py counts, stops, ends and keeps steps."""

import contextlib
import io
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


def check_kept(folder):
    status, said, results = run(folder, step("one", "false"), step("two", "echo 1 passed, 0 failed"), kept={"one": (4, 0, 9, 9)})
    check("a step whose result is kept is not run again", status == 0 and said.endswith("5 passed, 0 failed\n"), said)
    check("results are kept", Path(folder, "two.json").exists())


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
    for checked in (check_counts, check_ends, check_lanes, check_kept):
        with tempfile.TemporaryDirectory() as folder:
            checked(folder)
    check_interrupt()
    check_table()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
