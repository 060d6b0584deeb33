#!/usr/bin/python3
"""contents.py [HEADER]: is the header laid out as its own title says?

The title comment names the sections of three parts in brackets. The banners agree with it in key, in
order and in part. Part 1, all that is public, has at most the lines of tests/bounds.txt, and the
examples of its docstrings are compiled by a test. Above the implementation nothing belongs to a
system or to a package: no header of theirs is included, no name of theirs is used. RapidXML is named
in its section only, cpp-httplib and std::ranges nowhere. The core does not name the extensions
WS-Addressing and WS-Security. The version is the build's; no line is over 100 columns, no class over
400 lines. Prints the number of lines of every section and part.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BOUNDS = ROOT / "tests/bounds.txt"
PARTS = ("interface", "machinery", "implementation")
BORDERS = ("// TABLE MACHINERY", "// IMPLEMENTATION")  # they begin the second and the third part
# Where the names of the replaceable packages may stand: sections that use them in code; and names that
# libc++ 14 lacks, which its row of tests/tools/platforms would find a day later.
HOMES = {"rapidxml::": {"reading"}, "httplib::": set(), "std::ranges::": set(), "std::views::": set()}
# Words of packages and systems, which are for the implementation.
FOREIGN = re.compile(
    r"\b(rapidxml\w*|httplib|CPPHTTPLIB\w*|SSL\w*|OPENSSL\w*|X509\w*|BIO|EVP_\w+|z_stream|gz_header"
    r"|(?:in|de)flate\w*|p?pollfd|epoll_\w+|eventfd|sockaddr\w*|socklen_t|addrinfo|in6?_addr|iovec"
    r"|pthread_\w+|SIG[A-Z]+|E[A-Z]{4,}|AF_\w+|SOCK_\w+|__m128i|_mm_\w+)\b"
)
# WS-Addressing and WS-Security in code; and the sections that must work without knowing them. The script
# of the test form, which is one text, speaks both.
EXTENSIONS = re.compile(
    r"\b(?:is_)?(?:addressing|addressed|wsa|wssp|secured|security_|x509|xenc|username|signature_|sign_)\w*"
)
CORE = {"text", "reading", "writing", "codec", "facts", "call", "description", "dispatch"}

passed = failed = 0


def check(name, problems):
    global passed, failed
    if problems:
        failed += 1
        print(f"FAIL {name}")
        for problem in problems:
            print(f"     {problem}")
    else:
        passed += 1
        print(f"ok   {name}")


def code_of(line):
    return re.sub(r'//.*|"(?:[^"\\]|\\.)*"', "", line)


def is_foreign_include(line):
    """C++'s own headers have neither a suffix nor a folder. A line that ends a compiler of C++17 is no header."""
    if line.startswith('#include "C++20: '):
        return False
    name = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
    return name is not None and (name.group(1) == '"' or re.search(r"[./]", name.group(2)) is not None)


def read_list(lines):
    """The keys of each part in the title comment, in their order."""
    title = []
    for line in lines:
        if not line.startswith("//"):
            break
        title.append(line[2:].strip())
    parts = re.split(r"Part \d, ", " ".join(title))[1:]
    return [re.findall(r"\[([a-z]+)\]", part) for part in parts]


def missing_examples(lines):
    """Examples of docstrings, a block each, that the test does not have, whatever the white space."""

    def bare(text):
        return re.sub(r"\s+", "", re.sub(r"//.*", "", text))

    blocks, block = [], []
    for line in [*lines, ""]:
        if example := re.match(r"\s*/// {5}( *\S.*)", line):
            block.append(example.group(1))
        elif block:
            blocks.append(block)
            block = []
    compiled = "".join(
        bare((ROOT / f"{where}.cpp").read_text(encoding="utf-8"))
        for where in ("tests/unit/docstrings", "example/features/behind_httplib")
    )
    # Lines of one block may be examples of their own.
    return [
        line
        for block in blocks
        if bare("\n".join(block)) not in compiled
        for line in block
        if bare(line).rstrip(";") not in compiled
    ]


def long_classes(lines):
    """Classes of over 400 lines; the formatter puts the end below the beginning."""
    for begin, line in enumerate(lines):
        if found := re.match(r"( *)(?:class|struct) (\w+)[^;]*\{$", line):
            end = next(at for at in range(begin, len(lines)) if lines[at].startswith(found[1] + "}"))
            if end - begin >= 400:
                yield f"line {begin + 1}: {found[2]} has {end - begin + 1}"


def main():
    header = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "soapsvc.hpp"
    lines = header.read_text(encoding="utf-8").splitlines()
    listed = read_list(lines)
    stray = []
    bar = re.compile(r"// ={20,}$")
    banners = []  # key, index of the line
    borders = []
    for index in range(1, len(lines) - 1):
        if not bar.match(lines[index - 1]) or not bar.match(lines[index + 1]):
            continue
        if match := re.match(r"// \[([a-z]+)\] [A-Z]", lines[index]):
            banners.append((match.group(1), index))
        elif lines[index] in BORDERS:
            borders.append((lines[index], index))
        else:
            stray.append(f"line {index + 1} is no banner `// [key] Text`: {lines[index]}")

    check("line 1 says what it is", [] if re.match(r"//\s+\S+", lines[0]) else [lines[0]])
    check("banners are written alike", stray)
    found = [text for text, _ in borders]
    check("the parts begin with their banners", [] if found == list(BORDERS) else [f"there are {found}"])
    # The bar above a banner is part of it.
    begins = [0, *(index - 1 for _, index in borders), len(lines)]
    begins += [len(lines)] * (len(PARTS) + 1 - len(begins))
    sides = []
    for number, part in enumerate(PARTS):
        side = [key for key, index in banners if begins[number] <= index < begins[number + 1]]
        sides.append(side)
        wanted = listed[number] if number < len(listed) else []
        check(f"title and banners agree: {part}", [] if wanted and wanted == side else [f"{wanted}", f"{side}"])
    border = begins[2]
    keys = [key for key, _ in banners]
    check("no key stands twice", sorted({key for key in keys if keys.count(key) > 1}))

    section = [""] * len(lines)
    for number, (key, start) in enumerate(banners):
        end = banners[number + 1][1] - 1 if number + 1 < len(banners) else len(lines)
        end = min([end, *(begin for begin in begins if begin > start)])
        section[start - 1 : end] = [key] * (end - start + 1)
    for word, homes in HOMES.items():
        check(
            f"{word} {'only in ' + ', '.join(sorted(homes)) if homes else 'nowhere'}",
            [
                f"line {number} ({section[number - 1]}): {line.strip()}"
                for number, line in enumerate(lines, 1)
                if word in code_of(line) and section[number - 1] not in homes
            ],
        )
    check(
        "interface and machinery include headers of C++ alone",
        [f"line {n}: {line}" for n, line in enumerate(lines[:border], 1) if is_foreign_include(line)],
    )
    check(
        "interface and machinery name nothing of a system or a package",
        [
            f"line {number}: {found.group()}: {line.strip()}"
            for number, line in enumerate(lines[:border], 1)
            if (found := FOREIGN.search(code_of(line)))
        ],
    )
    script = {
        number
        for raw in re.finditer(r'R"(\w*)\(.*?\)\1"', "\n".join(lines), re.S)
        for number in range(1 + raw.string.count("\n", 0, raw.start()), 1 + raw.string.count("\n", 0, raw.end()))
    }
    check(
        "the core does not name its extensions",
        [
            f"line {number} ({section[number - 1]}): {found.group()}: {line.strip()}"
            for number, line in enumerate(lines, 1)
            if section[number - 1] in CORE and number not in script and (found := EXTENSIONS.search(code_of(line)))
        ],
    )
    most = int(re.search(r"^interface lines +(\d+)", BOUNDS.read_text(encoding="utf-8"), re.M)[1])
    check(f"the interface has at most {most:,} lines", [] if begins[1] <= most else [f"it has {begins[1]:,}"])
    check("docstrings' examples are compiled by tests/unit/docstrings.cpp", missing_examples(lines[: begins[1]]))
    check(
        "no line over 100 columns",
        [f"line {number}: {len(line)}" for number, line in enumerate(lines, 1) if len(line) > 100],
    )
    check("no class over 400 lines", list(long_classes(lines)))
    build = re.search(r"^\s*version: '([^']+)'", (ROOT / "meson.build").read_text(), re.M).group(1)
    macros = re.findall(r"^#define (SOAPSVC_VERSION\w*) +(\S+)$", "\n".join(lines), re.M)
    numbers = [f"SOAPSVC_VERSION_{part}" for part in ("MAJOR", "MINOR", "PATCH")]
    wanted = [("SOAPSVC_VERSION", f'"{build}"'), *zip(numbers, build.split("."))]
    check("the version is the build's, as text and as numbers", [] if macros == wanted else [f"{macros} and {build}"])

    comments = sum(1 for line in lines if line.lstrip().startswith("//"))
    for number, part in enumerate(PARTS):
        count = begins[number + 1] - begins[number]
        print(f"{part}: {count} lines: " + " ".join(f"{key}={section.count(key)}" for key in sides[number]))
    print(f"{len(lines)} lines in all, {100 * comments // max(1, len(lines))} % comment lines")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
