#!/usr/bin/python3
"""readme.py [FILE]: are README.md and the guides true?

Each code fence, but those in the language `text`, follows one of these comments:

    <!-- file: PATH -->    the fence is that file, word for word
    <!-- from: PATH -->    the fence is a piece of that file (indentation of the piece aside)
    <!-- compile -->       C++ that compiles as a unit of its own (soapsvc.hpp is included for it)
    <!-- run: NAME -->     a shell script, or Python: must succeed
    <!-- installed: NAME -->  the same, where the library of build/ is installed
    <!-- serve: NAME -->   a shell command of the project's folder that serves until it is stopped
    <!-- answer: NAME -->  what `run: NAME` printed; a line `...` stands for any lines, `…` for any text
    <!-- shown: REASON --> not run, and why not; a fence of shell commands is one that bash can read

The guides are the other .md files of example/ and its folders. Scripts run in order, README.md's first,
all in one scratch folder that holds soapsvc.hpp, the files shown so far by their base names, and
example/, tests/ and build/. Background processes live until the next `serve` or the end.
Port 8080 becomes a free one, in shown files and answers too; curl waits until its port is open. The
line `**Contents:**` names every section, links within a file lead to one, and links to files of the project
to what is there. README.md has at
most 300 lines and 25 KB, and names each guide. Without FILE tests/README.md is looked at as well, of which
nothing is run: its table of behaviours names for each a file in which a test case has the tag. Limits and
speeds that a document repeats are compared, and the names that example/README.md has for options.
"""

import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from free_port import free_port

ROOT = Path(__file__).resolve().parents[2]
# Installs the build below the scratch folder, where alone it is found.
INSTALL = r"""
(
    . "$ROOT/tests/tools/common.sh"
    configure "$root/build"
    build "$root/build" libsoapsvc.a
    meson install -C "$root/build" --no-rebuild --tags devel --destdir "$PWD/installed"
) >&2
export PKG_CONFIG_SYSROOT_DIR=$PWD/installed
PKG_CONFIG_PATH=$(dirname "$(find "$PWD/installed" -name soapsvc.pc)")
export PKG_CONFIG_PATH
"""
# Sourced before each script. The wait is bounded: a server that never comes fails the curl itself.
PRELUDE = r"""
set -euo pipefail
curl() {
    local word host tries=0
    for word in "$@"; do
        host=$(sed -nE 's,^[a-z]+://(127\.0\.0\.1|localhost):([0-9]+).*,\2,p' <<<"$word")
        [ -n "$host" ] || continue
        until (exec 3<>"/dev/tcp/127.0.0.1/$host") 2>/dev/null || [ "$tries" -ge 200 ]; do
            tries=$((tries + 1))
            sleep 0.1
        done
    done
    command curl -sS --max-time 30 "$@"
}
"""

passed = failed = 0


def check(name, good, found=""):
    global passed, failed
    if good:
        passed += 1
        print(f"ok   {name}", flush=True)
    else:
        failed += 1
        print(f"FAIL {name}\n{textwrap.indent(str(found), '     ')}", flush=True)


def fences(text):
    """(kind, argument, language, code, line) of every marked fence."""
    pattern = r"^<!-- *(\w+)(?:: *([^\n]*?))? *-->\n(```+)(\w*)\n(.*?)^\3$"
    for match in re.finditer(pattern, text, re.M | re.S):
        line = text.count("\n", 0, match.start()) + 1
        yield match.group(1), match.group(2), match.group(4), match.group(5), line


def check_marks(name, text):
    """Nothing is left unchecked because a mark was forgotten."""
    every = re.finditer(r"^(?:([^\n]*)\n)?^(```+)(\w*)\n.*?^\2$", text, re.M | re.S)
    bare = [
        text.count("\n", 0, each.start(2)) + 1
        for each in every
        if each[3] != "text" and not (each[1] or "").startswith("<!-- ")
    ]
    check(f"{name}: each fence is run, compared, or says why it is not", not bare, f"lines {bare}")
    marks = [text.count("\n", 0, each.start()) + 1 for each in re.finditer(r"^ *<!--.*-->\n *```", text, re.M)]
    unread = sorted(set(marks) - {line for *_, line in fences(text)})
    check(f"{name}: each mark is one of those", not unread, f"lines {unread}")


def anchor(title):
    """Sections are called as GitHub calls them: small letters, no signs, - for a space."""
    return re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-")


def check_links(name, text):
    text = re.sub(r"^(```+)\w*\n.*?^\1$", "", text, flags=re.M | re.S)
    titles = re.findall(r"^(##+) (.*)$", text, re.M)
    links = set(re.findall(r"\]\(#([^)]*)\)", text)) - {anchor(title) for _, title in titles}
    check(f"{name}: links within the file lead to a section", not links, links)
    if contents := re.search(r"^\*\*Contents:\*\* (.*)$", text, re.M):
        listed = re.findall(r"\[([^]]*)\]\(#([^)]*)\)", contents.group(1))
        wanted = [(title, anchor(title)) for level, title in titles if level == "##"]
        check(f"{name}: the contents name every section in order", listed == wanted, f"{listed}\n{wanted}")


def check_files(readme, name, text):
    """Links to files and folders lead to something; those into another document to a section of it."""
    links = re.findall(r"\]\(([^)#:\s]+)(?:#([^)]*))?\)", text)
    missing = [file for file, _ in links if not (readme.parent / file).exists()]
    check(f"{name}: linked files are there", not missing, missing)
    for file, section in links:
        if section and (readme.parent / file).is_file():
            titles = re.findall(r"^##+ (.*)$", (readme.parent / file).read_text(encoding="utf-8"), re.M)
            check(f"{name}: {file} has the section {section}", section in map(anchor, titles), titles)


def check_text(document):
    """The checks of every document; returns its text."""
    name, text = document.relative_to(ROOT), document.read_text(encoding="utf-8")
    check_marks(name, text)
    check_links(name, text)
    check_files(document, name, text)
    return text


def check_size(readme, guides):
    """It is read in one sitting, and leads to the guides."""
    text = readme.read_text(encoding="utf-8")
    check("README.md has at most 300 lines and 25 KB", text.count("\n") <= 300 and len(text.encode()) <= 25 * 1024)
    linked = set(re.findall(r"\]\(([^)#\s]+\.md)\)", text))
    index = {f"example/features/{file}" for file in re.findall(r"\]\((\w+\.md)\)", (ROOT / "example/features/README.md").read_text())}
    missing = {str(guide.relative_to(ROOT)) for guide in guides} - linked - {"example/features/README.md"}
    check("README.md names each guide", not missing, missing)
    unlisted = {str(guide.relative_to(ROOT)) for guide in guides if guide.parent.name == "features"} - index
    check("... and so does the list of guides", unlisted == {"example/features/README.md"}, unlisted)


def check_numbers():
    """Numbers that the documents repeat: limits of the header, and rows of the measurements."""
    header, host = ((ROOT / file).read_text(encoding="utf-8") for file in ("soapsvc.hpp", "example/features/host.md"))
    table = host.partition("| `soapsvc::message_limits` | Default |")[2].partition("\n\n")[0]
    told = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", table, re.M))
    limits = header.partition("\nstruct message_limits {")[2].partition("\n};")[0]
    made = dict(re.findall(r"^  std::\w+ (\w+) = ([\d']+);", limits, re.M))
    wanted = {name: value.replace("'", ",") for name, value in made.items()}
    check("host.md has the limits of a message as the header has them", told and told == wanted, f"{told}\n{wanted}")
    readme, tests = ((ROOT / file).read_text(encoding="utf-8") for file in ("README.md", "tests/README.md"))
    rows = re.findall(r"^\| .* \| \d+\.\d+ \|$", readme.partition("\n## Speed\n")[2].partition("\n## ")[0], re.M)
    missing = [row for row in rows if row not in tests.splitlines()]
    check("README.md has speeds of tests/README.md", rows and not missing, missing)


def check_options():
    """The members of the library that example/README.md names for options of payroll are those that serve.cpp sets."""
    text = (ROOT / "example/README.md").read_text(encoding="utf-8")
    table = text.partition("\n### Options of your own program\n")[2].partition("\n### ")[0]
    code = (ROOT / "example/payroll/operate/serve.cpp").read_text(encoding="utf-8")
    wrong, count = [], 0
    for left, right in re.findall(r"^\| (`--.*) \| (.*) \|$", table, re.M):
        options, members = re.findall(r"`(--[a-z-]+)`", left), re.findall(r"`([\w.]+)[^`]*`", right)
        count += len(options)
        wrong += [left] if len(options) != len(members) else []
        for option, member in zip(options, members):
            statement = re.search(rf'"!?{option}".*?;\n', code, re.S)
            names = f"{member.split('.')[-1]}|{option[2:].replace('-', '_')}"
            if not statement or not re.search(rf"\.(?:{names})\b", statement[0]):
                wrong.append(f"{option}: {member}")
    check("options of payroll set the members that example/README.md names", count > 30 and not wrong, wrong or count)


def check_tests():
    """The statements of tests/README.md about tests."""
    readme = ROOT / "tests/README.md"
    text = check_text(readme)
    rows = re.findall(r"^\| .* \| \[(\S+)\]\((\S+\.cpp)\) \| `(\[\S+\])` \|$", text, re.M)
    table = text.partition("| Behaviour | File | Tag |\n")[2].partition("\n\n")[0].splitlines()[1:]
    check("tests/README.md has a table of behaviours", len(rows) > 40 and len(rows) == len(table), f"{rows}\n{table}")
    for shown, file, tag in rows:
        code = (readme.parent / file).read_text(encoding="utf-8")
        tagged = re.search(rf'TEST_CASE\([^;{{]*{re.escape(tag)}', code)
        check(f"a case of tests/{file} has the tag {tag}", shown == file and tagged)
    rules = set(re.findall(r"^(\d+)\. \*\*", text.partition("\n## The rules\n")[2].partition("\n## ")[0], re.M))
    cases = "".join(file.read_text(encoding="utf-8") for file in readme.parent.rglob("*.cpp"))
    tagged = set(re.findall(r"\[rule-(\d+)\]", cases))
    check("each rule has a case with its tag, and each tag a rule", rules and rules == tagged, sorted(rules ^ tagged))


def matches(wanted, found):
    """`...` on a line of its own is any lines, `…` any text within one."""
    pattern = []
    for line in wanted.strip().splitlines():
        if line.strip() == "...":
            pattern.append(r"(?:.*\n)*?")
        else:
            pattern.append(".*?".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ \t\r]*\n")
    return re.fullmatch("".join(pattern), found.strip() + "\n") is not None


class Runner:
    def __init__(self, scratch):
        self.scratch = Path(scratch)
        self.processes = []
        self.printed = {}
        self.numbers = itertools.count()
        self.port = str(free_port())
        shutil.copy(ROOT / "soapsvc.hpp", self.scratch)
        for folder in ("example", "tests", "build"):
            os.symlink(ROOT / folder, self.scratch / folder)

    def moved(self, text):
        return re.sub(r"\b8080\b", self.port, text)

    def start(self, script, folder, output):
        process = subprocess.Popen(
            ["bash", "-c", PRELUDE + script],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=open(self.scratch / ".stderr", "w"),
            start_new_session=True,  # so that what it leaves running can be stopped with it
        )
        self.processes.append(process)
        return process

    def file(self, path, code, line):
        text = (ROOT / path).read_text(encoding="utf-8")
        check(f"{line}: the fence is {path}", code == text, f"they differ:\n{code}")
        (self.scratch / Path(path).name).write_text(self.moved(text), encoding="utf-8")

    def piece(self, path, code, line):
        def flat(text):
            return "\n".join(part.strip() for part in text.strip().splitlines())

        text = (ROOT / path).read_text(encoding="utf-8")
        check(f"{line}: the fence is part of {path}", flat(code) in flat(text), code)

    def compile(self, code, line):
        unit = self.scratch / f"fence{next(self.numbers)}.cpp"
        unit.write_text(code, encoding="utf-8")
        done = self.compiled("-fsyntax-only", "-include", self.precompiled(), unit)
        check(f"{line}: it compiles", done.returncode == 0, done.stderr[:4000])

    def compiled(self, *words):
        flags = subprocess.run(
            ["pkg-config", "--cflags", "openssl", "zlib"], capture_output=True, text=True
        ).stdout.split()
        # Only the declarations: with the implementation each fence takes six seconds more.
        command = ["g++", "-std=c++20", "-DSOAPSVC_SPLIT", "-Wall", "-Wextra", f"-I{ROOT}", *flags, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    def precompiled(self):
        """The header, read once for all fences."""
        header = self.scratch / "once" / "soapsvc.hpp"
        if not header.parent.exists():
            header.parent.mkdir()
            header.write_text(f'#include "{ROOT}/soapsvc.hpp"\n', encoding="utf-8")
            done = self.compiled("-x", "c++-header", header, "-o", f"{header}.gch")
            check("the header can be precompiled", done.returncode == 0, done.stderr[:4000])
        return header

    def shown(self, reason, language, code, line):
        check(f"{line}: it says why it is not run", reason, "no reason")
        if language == "sh":
            done = subprocess.run(["bash", "-n"], input=code, capture_output=True, text=True)
            check(f"{line}: bash reads it", done.returncode == 0, done.stderr)

    def run(self, name, code, line):
        output = self.scratch / f".{name}.stdout"
        with output.open("w") as out:
            process = self.start(self.moved(code), self.scratch, out)
        try:
            status = process.wait(timeout=300)
        except subprocess.TimeoutExpired:
            status = "none after 300 s"
        self.printed[name] = output.read_text(encoding="utf-8")
        errors = (self.scratch / ".stderr").read_text(encoding="utf-8", errors="replace")
        check(f"{line}: it runs", status == 0, f"status {status}\n{errors[-4000:]}")

    def installed(self, name, code, line):
        self.run(name, f"ROOT={shlex.quote(str(ROOT))}\n{INSTALL}{code}", line)

    def serve(self, name, code, line):
        self.stop()
        output = self.scratch / f".{name}.stdout"
        port = "" if "8080" in code else f" --port {self.port}"
        with output.open("w") as out:
            process = self.start(self.moved(code.strip()) + port, ROOT, out)
        for _ in range(6000):
            ready = "listening on" in output.read_text(encoding="utf-8")
            if ready or process.poll() is not None:
                break
            time.sleep(0.1)
        errors = (self.scratch / ".stderr").read_text(encoding="utf-8", errors="replace")
        check(f"{line}: it serves", ready, errors[-4000:])

    def answer(self, name, code, line):
        found = self.printed.get(name, "")
        good = matches(self.moved(code), found)
        check(f"{line}: that is the answer", good, f"printed:\n{found}\nshown:\n{self.moved(code)}")

    def stop(self):
        """Ends processes that the scripts left running: each script leads a session of its own."""
        for process in self.processes:
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
        for process in self.processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
        self.processes.clear()


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    documents = [Path(sys.argv[1]).resolve()] if len(sys.argv) > 1 else [ROOT / "README.md"]
    if not sys.argv[1:]:
        guides = sorted((ROOT / "example").rglob("*.md"))
        documents += guides
        check_size(documents[0], guides)
        check_numbers()
        check_options()
        check_tests()
    found = []
    for document in documents:
        text = check_text(document)
        found += [(*fence[:4], f"{document.relative_to(ROOT)}:{fence[4]}") for fence in fences(text)]
    kinds = [kind for kind, *_ in found]
    if not sys.argv[1:]:
        check("a file is shown and a script is run", "file" in kinds and "run" in kinds, kinds)
    with tempfile.TemporaryDirectory() as scratch:
        runner = Runner(scratch)
        try:
            for kind, argument, language, code, line in found:
                if language == "python":
                    code = f"/usr/bin/python3 - <<'PYTHON'\n{code}PYTHON\n"
                if kind == "file":
                    runner.file(argument, code, line)
                elif kind == "from":
                    runner.piece(argument, code, line)
                elif kind == "compile":
                    runner.compile(code, line)
                elif kind == "shown":
                    runner.shown(argument, language, code, line)
                elif kind in ("run", "installed", "serve", "answer"):
                    getattr(runner, kind)(argument, code, line)
                else:
                    check(f"{line}: a known mark", False, kind)
        finally:
            runner.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
