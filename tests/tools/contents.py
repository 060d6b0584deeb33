#!/usr/bin/python3
"""contents.py [HEADER]: is the header laid out as its own title says?

The title comment lists the sections in two groups, the interface and the implementation; the banners
agree with it in key, in order and in the side of the border that they stand on. Above the border
there are at most 5,700 lines (3,000 before tables could say all of XML Schema's data model, of which
every row has a type or an option with a comment of its own; 4,700 before messages could be nil or
derived as a whole; 4,770 before there were streams; 5,200 before calls had options
of their own; 5,300 before WS-Addressing, MTOM and WS-Security), and nothing that belongs to a system or to a
package: no header of theirs is included, no name of theirs is used. RapidXML is named in its section only, cpp-httplib
and std::ranges nowhere. The version is the build's; no line is over 100 columns. Prints the number of lines of every
section, and of either side.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TITLE_LINES = 80
MOST_INTERFACE_LINES = 5700
BORDER = "// IMPLEMENTATION"
GROUPS = ("The interface:", "The implementation:")
# Where the names of the replaceable packages may stand: sections that speak of them in code; and what
# libc++ 14 has not, which its row of tests/tools/platforms would find a day later.
HOMES = {"rapidxml::": {"reading"}, "httplib::": set(), "std::ranges::": set(), "std::views::": set()}
# Words of packages and systems, which are for the implementation.
FOREIGN = re.compile(
    r"\b(rapidxml\w*|httplib|CPPHTTPLIB\w*|SSL\w*|OPENSSL\w*|X509\w*|BIO|EVP_\w+|z_stream|gz_header"
    r"|(?:in|de)flate\w*|p?pollfd|epoll_\w+|eventfd|sockaddr\w*|socklen_t|addrinfo|in6?_addr|iovec"
    r"|pthread_\w+|SIG[A-Z]+|E[A-Z]{4,}|AF_\w+|SOCK_\w+|__m128i|_mm_\w+)\b"
)

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
    """C++'s own headers have neither a suffix nor a folder."""
    name = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
    return name is not None and (name.group(1) == '"' or re.search(r"[./]", name.group(2)) is not None)


def read_list(lines):
    """The keys of each group of the title comment, and the lines that are like none of them."""
    groups, group, stray = {name: [] for name in GROUPS}, None, []
    for number, line in enumerate(lines[:TITLE_LINES], 1):
        if not line.startswith("//"):
            break
        text = line[2:].strip()
        group = next((name for name in GROUPS if text.startswith(name)), group)
        entry = re.match(r"//  \[([a-z]+)\] {2,}\S", line)
        if entry and group:
            groups[group].append(entry.group(1))
        elif re.match(r"//\s*\[", line):
            stray.append(f"line {number} belongs to no group, or reads not `//  [key]  text`: {line}")
    return groups, stray


def main():
    header = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "soapsvc.hpp"
    lines = header.read_text(encoding="utf-8").splitlines()
    groups, stray = read_list(lines)
    bar = re.compile(r"// ={20,}$")
    banners = []  # key, index of the line
    borders = []
    for index in range(1, len(lines) - 1):
        if not bar.match(lines[index - 1]) or not bar.match(lines[index + 1]):
            continue
        if match := re.match(r"// \[([a-z]+)\] [A-Z]", lines[index]):
            banners.append((match.group(1), index))
        elif lines[index].startswith(BORDER):
            borders.append(index)
        else:
            stray.append(f"line {index + 1} is no banner `// [key] Text`: {lines[index]}")

    check("line 1 says what it is", [] if re.match(r"//\s+\S+", lines[0]) else [lines[0]])
    check("list and banners are written alike", stray)
    check("one banner says IMPLEMENTATION", [] if len(borders) == 1 else [f"there are {len(borders)}"])
    # The bar above the banner is part of it.
    border = borders[0] - 1 if borders else len(lines)
    sides = {
        GROUPS[0]: [key for key, index in banners if index < border],
        GROUPS[1]: [key for key, index in banners if index > border],
    }
    for group in GROUPS:
        listed, found = groups[group], sides[group]
        check(
            f"list and banners agree: {group[:-1].lower()}",
            [f"title only: {key}" for key in listed if key not in found]
            + [f"banner only: {key}" for key in found if key not in listed]
            + ([] if set(listed) != set(found) or listed == found else [f"another order: {found}"])
            + ([] if listed else [f"nothing is listed below: {group}"]),
        )
    keys = [key for key, _ in banners]
    check("no key stands twice", sorted({key for key in keys if keys.count(key) > 1}))

    section = [""] * len(lines)
    for number, (key, start) in enumerate(banners):
        end = banners[number + 1][1] - 1 if number + 1 < len(banners) else len(lines)
        if start < border < end:
            end = border
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
        "the interface includes headers of C++ alone",
        [f"line {n}: {line}" for n, line in enumerate(lines[:border], 1) if is_foreign_include(line)],
    )
    check(
        "the interface names nothing of a system or a package",
        [
            f"line {number}: {found.group()}: {line.strip()}"
            for number, line in enumerate(lines[:border], 1)
            if (found := FOREIGN.search(code_of(line)))
        ],
    )
    check(
        f"the interface has at most {MOST_INTERFACE_LINES:,} lines",
        [] if border <= MOST_INTERFACE_LINES else [f"it has {border:,}"],
    )
    check(
        "no line over 100 columns",
        [f"line {number}: {len(line)}" for number, line in enumerate(lines, 1) if len(line) > 100],
    )
    build = re.search(r"^\s*version: '([^']+)'", (ROOT / "meson.build").read_text(), re.M).group(1)
    macros = re.findall(r"^#define (SOAPSVC_VERSION\w*) +(\S+)$", "\n".join(lines), re.M)
    numbers = [f"SOAPSVC_VERSION_{part}" for part in ("MAJOR", "MINOR", "PATCH")]
    wanted = [("SOAPSVC_VERSION", f'"{build}"'), *zip(numbers, build.split("."))]
    check("the version is the build's, as text and as numbers", [] if macros == wanted else [f"{macros} and {build}"])

    comments = sum(1 for line in lines if line.lstrip().startswith("//"))
    for name, side, count in [
        ("interface", sides[GROUPS[0]], border),
        ("implementation", sides[GROUPS[1]], len(lines) - border),
    ]:
        print(f"{name}: {count} lines: " + " ".join(f"{key}={section.count(key)}" for key in side))
    print(f"{len(lines)} lines in all, {100 * comments // max(1, len(lines))} % comment lines")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
