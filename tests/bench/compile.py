"""compile.py FOLDER TIMES: what the compilers take for units of this header, and what comes out.

Processor time of the compiler, not the clock's, so that other work does not count; the size of the
object's sections as `size` tells it. Prints rows as measure.hpp describes them, TIMES of each.
"""
import os
import subprocess
import sys

FOLDER, TIMES = sys.argv[1], int(sys.argv[2])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLAGS = subprocess.check_output(
    ["pkg-config", "--cflags", "cpp-httplib", "openssl"], text=True
).split()
TYPES = [
    "std::int32_t", "std::optional<std::string>", "bool", "std::optional<std::string>",
    "std::int64_t", "std::optional<std::string>", "double", "std::string",
    "std::optional<std::int32_t>", "std::vector<std::string>",
]  # of ten fields


def records(count):
    """A unit with `count` records of ten fields, each request and result of an operation."""
    lines = ['#include "soapsvc.hpp"']
    for number in range(count):
        name = f"Record{number}"
        lines.append(f"struct {name} {{")
        lines += [f"    {kind} field{index}{{}};" for index, kind in enumerate(TYPES)]
        lines += ["};", "template <>", f"inline constexpr auto soapsvc::schema<{name}> = record("]
        fields = [f'    field("Field{i}", &{name}::field{i})' for i in range(len(TYPES))]
        lines += [f'    "{name}",', ",\n".join(fields) + ");"]
    lines += ["class Records {", "public:"]
    for number in range(count):
        name = f"Record{number}"
        lines.append(f"    {name} echo{number}(const {name}& given) {{ return given; }}")
    lines += ["};", "template <>", "inline constexpr auto soapsvc::schema<Records> = service("]
    echoes = [f'    operation("Record{i}", &Records::echo{i})' for i in range(count)]
    lines += ['    "Records",', ",\n".join(echoes) + ");"]
    lines.append("void offer(soapsvc::dispatcher& to, Records& them) { to.add(them); }")
    return "\n".join(lines) + "\n"


def source(name, text):
    path = os.path.join(FOLDER, name + ".cpp")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


UNITS = {
    "only httplib.h": source("httplib_only", "#include <httplib.h>\n"),
    "only soapsvc.hpp": source("header_only", '#include "soapsvc.hpp"\n'),
    "hello.cpp": os.path.join(ROOT, "example", "hello.cpp"),
    "10 records": source("records_10", records(10)),
    "40 records": source("records_40", records(40)),
    "160 records": source("records_160", records(160)),
}


def compile_once(compiler, level, unit, target):
    command = [compiler, "-std=c++20", level, "-I" + ROOT, *FLAGS, "-c", unit, "-o", target]
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"compile.py: failed: {' '.join(command)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def size_of(target):
    fields = subprocess.check_output(["size", target], text=True).splitlines()[1].split()
    return int(fields[0]) + int(fields[1])


def main():
    for compiler in ("g++", "clang++"):
        for level in ("-O0", "-O2"):
            for turn in range(TIMES):
                for name, unit in UNITS.items():  # in turn
                    if turn > 0 and name == "160 records" and level == "-O2":
                        continue  # once: it takes longer than all others together
                    target = os.path.join(FOLDER, "unit.o")
                    seconds, megabytes = compile_once(compiler, level, unit, target)
                    key = f"compile\t{compiler} {level}\t{name}\t"
                    print(f"{key}seconds\t{seconds:.3f}")
                    if turn == 0:
                        print(f"{key}mb\t{megabytes:.0f}\n{key}bytes\t{size_of(target)}")
                    sys.stdout.flush()


main()
