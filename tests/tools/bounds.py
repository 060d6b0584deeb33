#!/usr/bin/python3
"""bounds.py [--write] [NAME...]: size and work stay within the bounds of tests/bounds.txt.

    interface lines       above the header's border between interface and implementation
    header bytes          of soapsvc.hpp
    hello functions       that the object file of example/hello/hello.cpp defines, in build/
    hello header-only     the same of one unit without SOAPSVC_SPLIT
    hello extensions      those of them that belong to WS-Addressing, WS-Security, MTOM, patterns and the client, which it
                          does not ask for
    codec CASE PART       instructions of a call in tests/bench/codec.cpp, by callgrind; of its PART `read`
                          those before the handler is entered

A line of tests/bounds.txt has a name, a value and a tolerance in percent. A smaller result never fails; if it
is smaller by more than the tolerance, the script asks for a lower bound. --write puts the results into the
file; NAME (for instance `codec`) chooses lines that begin with it. Instructions are those of
g++ 12 at -O2. Builds what it needs in build/.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
FILE = ROOT / "tests/bounds.txt"
ROUNDS, MILLISECONDS = 1, 10
# The C library copies and clears by instructions of the processor at hand, and callgrind counts each byte
# of `rep stosb` as one. These settings let it use SSE2 alone, so that all processors count alike.
ALIKE = "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-AVX512F,-ERMS,-FSRM,-AVX_Fast_Unaligned_Load"
NO_REP = "glibc.cpu.x86_rep_movsb_threshold=2000000000:glibc.cpu.x86_rep_stosb_threshold=2000000000"


def lines(text, pattern):
    for line in text.splitlines():
        if match := re.fullmatch(pattern, line):
            yield match


def size_of_header():
    text = (ROOT / "soapsvc.hpp").read_text(encoding="utf-8")
    done = subprocess.run([ROOT / "tests/tools/contents.py"], capture_output=True, text=True)
    told = re.search(r"^interface: (\d+) lines", done.stdout, re.M)
    return {"interface lines": int(told[1]) if told else 0, "header bytes": len(text.encode())}


def functions_of_hello():
    listed = subprocess.run(
        ["nm", "--defined-only", BUILD / "example/hello.p/hello_hello.cpp.o"], capture_output=True, text=True, check=True
    ).stdout
    return {"hello functions": len(list(lines(listed, r"\S+ [tTwW] .*")))}


EXTENSIONS = (
    "addressed_|addressing_check|secured_|security_check|signature_check|message_signer|canonicalizer|replay_store|"
    "request_file|spool_ledger|multipart_|kept_attachments|pattern_compiler|pattern::|char_set|client_"
)


def functions_of_hello_alone():
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "hello.o")
        script = ". tests/tools/common.sh && g++ -std=c++20 -O0 -I. -c example/hello/hello.cpp -o \"$1\" && nm -C \"$1\""
        command = ["bash", "-euo", "pipefail", "-c", script, "bash", made]
        listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    functions = [match[0] for match in lines(listed, r"\S+ [tTwW] .*")]
    extensions = sum(bool(re.search(rf"soapsvc::detail::({EXTENSIONS})", each)) for each in functions)
    return {"hello header-only": len(functions), "hello extensions": extensions}


def instructions_of_codec():
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "callgrind")
        command = [
            "valgrind", "--tool=callgrind", "--collect-atstart=no", "--combine-dumps=yes", f"--callgrind-out-file={output}",
            BUILD / "tests/bench/codec", "run", str(ROUNDS), str(MILLISECONDS),
        ]  # fmt: skip
        settings = {**os.environ, "GLIBC_TUNABLES": f"{ALIKE}:{NO_REP}"}
        done = subprocess.run(command, capture_output=True, text=True, env=settings)
        if done.returncode:
            sys.exit(f"bounds.py: valgrind ended with status {done.returncode}: {done.stderr[-2000:]}")
        found, name, times = {}, "", 0
        for line in output.read_text().splitlines():
            if match := re.fullmatch(r"desc: Trigger: Client Request: (\S+) (\S+) \*(\d+)", line):
                name, times = f"codec {match[1]} {match[2]}", int(match[3])
            elif times and (match := re.match(r"totals: (\d+)", line)):
                found[name], times = round(int(match[1]) / times), 0
        return found


def build(targets):
    """With the header that makes callgrind count, and one script at a time in a build folder."""
    script = """
        . tests/tools/common.sh
        progress_name=bounds
        install_missing "${header_packages[@]}" "${build_packages[@]}" "${example_packages[@]}" \
            "${test_packages[@]}" valgrind:valgrind >&2
        configure "$root/build" -Dexample=enabled -Dtests=enabled >&2
        build "$root/build" "$@" >&2"""
    if subprocess.run(["bash", "-euo", "pipefail", "-c", script, "bash", *targets], cwd=ROOT).returncode:
        sys.exit("bounds.py: build/ cannot be built")


def measured(names):
    found = {}
    for prefix, measure, target in (
        ("interface lines", size_of_header, None),
        ("header bytes", size_of_header, None),
        ("hello functions", functions_of_hello, "example/hello"),
        ("hello header-only", functions_of_hello_alone, None),
        ("hello extensions", functions_of_hello_alone, None),
        ("codec", instructions_of_codec, "tests/bench/codec"),
    ):
        if not names or any(prefix.startswith(name) or name.startswith(prefix) for name in names):
            if target:
                build([target])
            found |= measure()
    return {name: value for name, value in found.items() if not names or name.startswith(tuple(names))}


def read_bounds():
    """value and percent of each name; lines of the file that are none."""
    bounds, comments = {}, []
    for line in FILE.read_text().splitlines():
        if match := re.fullmatch(r"(\S.*\S) +(\d+) +(\d+) %", line):
            bounds[match[1]] = int(match[2]), int(match[3])
        else:
            comments.append(line)
    return bounds, comments


def write_bounds(found):
    bounds, comments = read_bounds()
    for name, value in found.items():
        bounds[name] = value, bounds.get(name, (0, 5))[1]
    rows = [f"{name:<28}{value:>12}{percent:>4} %" for name, (value, percent) in bounds.items()]
    FILE.write_text("\n".join([*comments, *rows]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--write", action="store_true", help="put what is found into tests/bounds.txt")
    given = parser.parse_args()
    found = measured(given.names)
    if given.write:
        write_bounds(found)
    passed = failed = 0
    bounds, _ = read_bounds()
    wanted = {name for name in bounds if not given.names or name.startswith(tuple(given.names))}
    for name in [*bounds, *sorted(set(found) - set(bounds))]:
        if name not in wanted and name not in found:
            continue
        value, percent = bounds.get(name, (0, 0))
        most, is_now = value * (100 + percent) // 100, found.get(name)
        if is_now is None:
            failed += 1
            print(f"FAIL {name}: was not measured")
        elif is_now > most or (value and not is_now):
            failed += 1
            print(f"FAIL {name}: {is_now}; at most {most} are allowed, {percent} % more than {value} in tests/bounds.txt")
        else:
            passed += 1
            print(f"ok   {name}: {is_now} of {most}")
            if is_now < value * (100 - percent) // 100:
                print(f"{name}: {is_now} is less than {value}: lower it in tests/bounds.txt, by bounds.py --write")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
