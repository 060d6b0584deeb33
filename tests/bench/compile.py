"""compile.py FOLDER [--rounds N] [--levels -O0,-O2] [--units WORD]: the cost of compiling units with this header.

Measures the compiler's processor time, on which other work has less influence than on the clock's; its memory; and
the size of the object's code and data, by `size`. Prints rows as measure.hpp describes them, one of each in every
round, and progress on standard error. The units are compiled in turn, so that disturbances meet all of them; three
rounds take a quarter of an hour.

The cost of a record is a difference: a unit with COUNT records of eight fields, each repeated in one more record,
minus its floor, a unit with the same structs without tables, where a vector of each is made, grown and destroyed.
The same is measured for records of eight members that use one feature of tables: the difference to plain records is
the cost of the feature. There the header is precompiled, since it would take most of the time. --units keeps only
units with the word in their names.
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
EXAMPLE = ("services/sign_on", "services/employee", "services/debtor", "auth/auth")



class Feature:
    """How the records with one feature differ from plain ones.

    `members` are other types of fields, `rows` other rows, by the field's number; `before` stands
    once before all records and `before_each` before each, as `tables` of the two do after; all may
    hold {name} and {i} for the record and the field.
    """

    def __init__(
        self, members=None, rows=None, before="", before_tables="", before_each="",
        each_tables="", base="", first_row="", count=8,
    ):
        self.members = members or {}
        self.rows = rows or {}
        self.before, self.before_tables = before, before_tables
        self.before_each, self.each_tables = before_each, each_tables
        self.base, self.first_row, self.count = base, first_row, count

    def struct(self, name):
        lines = [self.before_each.format(name=name)] if self.before_each else []
        lines.append(f"struct {name}{self.base} {{")
        for i in range(self.count):
            kind = self.members.get(i, TYPES[i]).format(name=name)
            lines.append(f"    {kind} field{i}{{}};")
        return lines + ["};"]

    def table(self, name):
        lines = [self.each_tables.format(name=name)] if self.each_tables else []
        rows = [self.first_row] if self.first_row else []
        for i in range(self.count):
            row = self.rows.get(i, 'field("Field{i}", &{name}::field{i})')
            rows.append("    " + row.format(name=name, i=i))
        lines += ["template <>", f"inline constexpr auto soapsvc::schema<{name}> = record("]
        return lines + [f'    "{name}",', ",\n".join(rows) + ");"]


PLAIN = Feature()
PART = """struct {name}Part {{
    std::optional<std::int64_t> a;
    std::optional<std::int32_t> b;
    std::optional<std::string> c;
}};"""
PART_TABLE = """template <>
inline constexpr auto soapsvc::schema<{name}Part> = %s
    field("A", &{name}Part::a), field("B", &{name}Part::b), field("C", &{name}Part::c));"""
BASE = """struct Base {
    std::int32_t id{};
    std::string label;
};
"""
BASE_TABLE = """template <>
inline constexpr auto soapsvc::schema<Base> =
    record("Base", field("Id", &Base::id), field("Label", &Base::label));
"""
KINDS = """struct Left : Base {
    bool left{};
};
struct Right : Base {
    bool right{};
};
"""
KINDS_TABLES = """template <>
inline constexpr auto soapsvc::schema<Left> =
    record("Left", extends<Base>(), field("Left", &Left::left));
template <>
inline constexpr auto soapsvc::schema<Right> =
    record("Right", extends<Base>(), field("Right", &Right::right));
template <>
inline constexpr auto soapsvc::known_types<Base> = soapsvc::types<Left, Right>();
"""
ATTRIBUTE = 'attribute("field{i}", &{name}::field{i})'
GROUP = "group(&{name}::field{i})"
# A feature in place of three plain fields counts as three: such a record has six members.
# A choice and a group have a table of their own, so their cost is told against a nested record,
# which has the same structs and as many tables; the other features, against nothing.
FEATURES = {
    "a nested record": Feature(
        members={5: "{name}Part"}, count=6,
        before_each=PART, each_tables=PART_TABLE % 'record("{name}Part",',
    ),
    "attribute": Feature(rows=dict.fromkeys((0, 2, 4, 5), ATTRIBUTE)),
    "content": Feature(
        rows={0: "content(&{name}::field{i})", **dict.fromkeys(range(1, 8), ATTRIBUTE)}
    ),
    "choice": Feature(
        members={5: "{name}Part"}, rows={5: GROUP}, count=6,
        before_each=PART, each_tables=PART_TABLE % "choice(",
    ),
    "group": Feature(
        members={5: "{name}Part"}, rows={5: GROUP}, count=6,
        before_each=PART, each_tables=PART_TABLE % "record(",
    ),
    "extends": Feature(
        before=BASE, before_tables=BASE_TABLE, base=" : Base",
        first_row="    extends<Base>()", count=6,
    ),
    "derived": Feature(
        members={7: "soapsvc::polymorphic<Base>"},
        before=BASE + KINDS, before_tables=BASE_TABLE + KINDS_TABLES,
    ),
    "any": Feature(
        members={6: "std::vector<soapsvc::xml>", 7: "std::vector<soapsvc::xml_attribute>"},
        rows={6: "any(&{name}::field{i})", 7: "any_attribute(&{name}::field{i})"},
    ),
    "list": Feature(
        members={3: "soapsvc::list<std::int64_t>", 5: "soapsvc::list<std::string>"}
    ),
    "variant": Feature(members={5: "std::variant<std::int32_t, soapsvc::date, std::string>"}),
    "facets": Feature(
        rows={
            0: 'field("Field{i}", &{name}::field{i}, min_inclusive("0"), max_inclusive("99"))',
            1: 'field("Field{i}", &{name}::field{i}, max_length(40))',
            5: 'field("Field{i}", &{name}::field{i}, pattern("[A-Z]{{2}}[0-9]+"), sample("AB1"))',
            7: 'field("Field{i}", &{name}::field{i}, enumerated("a", "b"))',
        }
    ),
    "nillable": Feature(
        members={
            0: "soapsvc::nillable<std::int32_t>",
            1: "std::optional<soapsvc::nillable<std::string>>",
        }
    ),
    "box": Feature(members={7: "soapsvc::box<{name}>"}),
}
FEATURE_COUNT = 25  # of records with each
PRECOMPILED = "precompiled"  # among the flags of a unit: the header is


def structs(count, with_tables, feature=PLAIN):
    lines = [feature.before, feature.before_tables if with_tables else ""]
    for number in range(count):
        name = f"Record{number}"
        lines += feature.struct(name)
        if with_tables:
            lines += feature.table(name)
    lines.append("struct All {")
    lines += [f"    std::vector<Record{number}> all{number};" for number in range(count)]
    return lines + ["};"]


def records(count, feature=PLAIN):
    """A unit that describes the records, each as a repeated member of one request."""
    lines = ['#include "soapsvc.hpp"', *structs(count, True, feature)]
    lines += ["template <>", "inline constexpr auto soapsvc::schema<All> = record("]
    lines.append(",\n".join(f'    field("All{n}", &All::all{n})' for n in range(count)) + ");")
    lines.append("const void* describe() { return &soapsvc::detail::describe_record<All>(); }")
    return "\n".join(lines) + "\n"


def floor(count, feature=PLAIN):
    lines = ['#include "soapsvc.hpp"', *structs(count, False, feature), "void use(All& all) {"]
    lines += [f"    all.all{number}.emplace_back();" for number in range(count)]
    lines += ["}", "void work() {", "    All all{};", "    use(all);", "}"]
    return "\n".join(lines) + "\n"


def flags_of(*packages):
    return subprocess.check_output(["pkg-config", "--cflags", *packages], text=True).split()


def units(folder):
    """(name, path, flags) of each unit, compared units first."""

    def source(name, text):
        path = os.path.join(folder, name + ".cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    include = '#include "soapsvc.hpp"\n'
    example = os.path.join(ROOT, "example/payroll")
    hello = os.path.join(ROOT, "example/hello/hello.cpp")
    split = ["-DSOAPSVC_SPLIT"]
    services = split + ["-I" + example, *flags_of("spdlog", "libutf8proc")]
    yield "only httplib.h", source("httplib_only", "#include <httplib.h>\n"), flags_of(
        "cpp-httplib", "openssl"
    )
    yield "only soapsvc.hpp, split", source("interface", include), split
    yield "hello, split", hello, split
    yield "hello, header-only", hello, []
    for name in EXAMPLE:
        yield f"{os.path.basename(name)}, split", os.path.join(example, name + ".cpp"), services
    yield "implementation", source("implementation", include), split + ["-DSOAPSVC_IMPLEMENTATION"]
    for count in COUNTS:
        yield f"{count} records", source(f"records_{count}", records(count)), split
        yield f"{count} records, floor", source(f"floor_{count}", floor(count)), split
    for name, feature in {"nothing": PLAIN, **FEATURES}.items():
        text, bare = records(FEATURE_COUNT, feature), floor(FEATURE_COUNT, feature)
        yield f"with {name}", source(f"with_{name}", text), split + [PRECOMPILED]
        yield f"with {name}, floor", source(f"floor_{name}", bare), split + [PRECOMPILED]


def precompile(compiler, level, folder):
    """The split header, where g++ looks for it, or as clang++ is told; gives the flags."""
    place = os.path.join(folder, "header")
    os.makedirs(place, exist_ok=True)
    target = os.path.join(place, "soapsvc.hpp.gch")
    header = os.path.join(ROOT, "soapsvc.hpp")
    command = [compiler, "-std=c++20", level, "-I" + ROOT, "-DSOAPSVC_SPLIT"]
    subprocess.check_call(command + ["-x", "c++-header", header, "-o", target])
    return ["-I" + place] if compiler == "g++" else ["-include-pch", target]


def compile_once(compiler, level, path, flags, target, precompiled):
    if PRECOMPILED in flags:
        flags = precompiled + [flag for flag in flags if flag != PRECOMPILED]
    command = [compiler, "-std=c++20", level, *flags, "-I" + ROOT, "-c", path, "-o", target]
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
    parser.add_argument("--units", default="")
    arguments = parser.parse_args()
    target = os.path.join(arguments.folder, "unit.o")
    all_units = [unit for unit in units(arguments.folder) if arguments.units in unit[0]]
    begun = time.monotonic()
    for turn in range(arguments.rounds):
        for compiler in COMPILERS:
            for level in arguments.levels.split(","):
                minutes = (time.monotonic() - begun) / 60
                where = f"round {turn + 1} of {arguments.rounds}: {compiler} {level}"
                print(f"compile: {where}, after {minutes:.1f} minutes", file=sys.stderr, flush=True)
                precompiled = precompile(compiler, level, arguments.folder)
                for name, path, flags in all_units:
                    seconds, megabytes = compile_once(
                        compiler, level, path, flags, target, precompiled
                    )
                    key = f"compile\t{compiler} {level}\t{name}\t"
                    print(f"{key}seconds\t{seconds:.3f}")
                    if turn == 0:
                        print(f"{key}mb\t{megabytes:.0f}\n{key}bytes\t{size_of(target)}")
                    sys.stdout.flush()


main()
