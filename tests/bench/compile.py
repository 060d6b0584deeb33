"""compile.py FOLDER [--rounds N] [--levels -O0,-O2]: what compilers take for units of this header.

Processor time of the compiler, not the clock's, so that other work counts less; the size of the
object's code and data as `size` tells it; the compiler's memory. Prints rows as measure.hpp
describes them, one of each in every round, and says on standard error where it is. The units stand in
turn, so that what disturbs the machine disturbs all of them; three rounds take a quarter of an hour.

What a record costs is measured as a difference: a unit with COUNT records of eight fields, each
repeated in one more record, against its floor: a unit with the same structs without tables, where a
vector of each is made, grown and destroyed.
"""
import argparse
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILERS = ("g++", "clang++")
COUNTS = (50, 200)  # of records
TYPES = [
    "std::int32_t", "std::optional<std::string>", "bool", "std::int64_t",
    "std::optional<std::int32_t>", "std::string", "double", "std::optional<std::string>",
]  # of eight fields
# Units of the example whose headers have tables.
EXAMPLE = ("sign_on", "employee", "debtor", "auth")


def structs(count, with_tables):
    lines = []
    for number in range(count):
        name = f"Record{number}"
        lines.append(f"struct {name} {{")
        lines += [f"    {kind} field{index}{{}};" for index, kind in enumerate(TYPES)]
        lines.append("};")
        if not with_tables:
            continue
        fields = [f'    field("Field{i}", &{name}::field{i})' for i in range(len(TYPES))]
        lines += ["template <>", f"inline constexpr auto soapsvc::schema<{name}> = record("]
        lines += [f'    "{name}",', ",\n".join(fields) + ");"]
    lines.append("struct All {")
    lines += [f"    std::vector<Record{number}> all{number};" for number in range(count)]
    return lines + ["};"]


def records(count):
    """A unit that describes the records, each as a repeated member of one request."""
    lines = ['#include "soapsvc.hpp"', *structs(count, True)]
    lines += ["template <>", "inline constexpr auto soapsvc::schema<All> = record("]
    lines.append(",\n".join(f'    field("All{n}", &All::all{n})' for n in range(count)) + ");")
    lines.append("const void* describe() { return &soapsvc::detail::describe_record<All>(); }")
    return "\n".join(lines) + "\n"


def floor(count):
    lines = ['#include "soapsvc.hpp"', *structs(count, False), "void use(All& all) {"]
    lines += [f"    all.all{number}.emplace_back();" for number in range(count)]
    lines += ["}", "void work() {", "    All all{};", "    use(all);", "}"]
    return "\n".join(lines) + "\n"


def flags_of(*packages):
    return subprocess.check_output(["pkg-config", "--cflags", *packages], text=True).split()


def units(folder):
    """(name, path, flags) of each, those that are compared first."""

    def source(name, text):
        path = os.path.join(folder, name + ".cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    include = '#include "soapsvc.hpp"\n'
    example = os.path.join(ROOT, "example")
    hello = os.path.join(example, "hello.cpp")
    split = ["-DSOAPSVC_SPLIT"]
    services = split + ["-I" + example, *flags_of("spdlog", "libutf8proc")]
    yield "only httplib.h", source("httplib_only", "#include <httplib.h>\n"), flags_of(
        "cpp-httplib", "openssl"
    )
    yield "only soapsvc.hpp, split", source("interface", include), split
    yield "hello, split", hello, split
    yield "hello, header-only", hello, []
    for name in EXAMPLE:
        yield f"{name}, split", os.path.join(example, name + ".cpp"), services
    yield "implementation", source("implementation", include), split + ["-DSOAPSVC_IMPLEMENTATION"]
    for count in COUNTS:
        yield f"{count} records", source(f"records_{count}", records(count)), split
        yield f"{count} records, floor", source(f"floor_{count}", floor(count)), split


def compile_once(compiler, level, path, flags, target):
    command = [compiler, "-std=c++20", level, "-I" + ROOT, *flags, "-c", path, "-o", target]
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"compile.py: failed: {' '.join(command)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def size_of(target):
    fields = subprocess.check_output(["size", target], text=True).splitlines()[1].split()
    return int(fields[0]) + int(fields[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--levels", default="-O0,-O2")
    arguments = parser.parse_args()
    target = os.path.join(arguments.folder, "unit.o")
    all_units = list(units(arguments.folder))
    begun = time.monotonic()
    for turn in range(arguments.rounds):
        for compiler in COMPILERS:
            for level in arguments.levels.split(","):
                minutes = (time.monotonic() - begun) / 60
                where = f"round {turn + 1} of {arguments.rounds}: {compiler} {level}"
                print(f"compile: {where}, after {minutes:.1f} minutes", file=sys.stderr, flush=True)
                for name, path, flags in all_units:
                    seconds, megabytes = compile_once(compiler, level, path, flags, target)
                    key = f"compile\t{compiler} {level}\t{name}\t"
                    print(f"{key}seconds\t{seconds:.3f}")
                    if turn == 0:
                        print(f"{key}mb\t{megabytes:.0f}\n{key}bytes\t{size_of(target)}")
                    sys.stdout.flush()


main()
