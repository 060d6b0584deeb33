#!/usr/bin/python3
"""migration.py: does example/migration/migrate.py give a user's file the new names, and nothing else?

A file of the state before is migrated: each line that ends in `// changes` must change, and no other;
what comes out is compared word by word. A second run changes nothing. The page must be what
`migrate.py --table` prints, and each new name of the table must be in the header's interface.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MIGRATE = ROOT / "example/migration/migrate.py"
BEFORE = r"""
#include "soapsvc.hpp"
using limits = std::numeric_limits<int>;
using bounds = soapsvc::limits;  // changes
struct Own { int queue = 0, connections = 0; };
template <>
inline constexpr auto soapsvc::schema<A> = record("A", in("urn:a"),  // changes
    field("In", &A::in), field("Below", &A::below), field("L", &A::l, table_of<LineV1>()),
    field("P", &A::p, preset("x")), field("B", &A::b, below));  // changes
template <>
inline constexpr auto soapsvc::derivations<Animal> = soapsvc::types<Dog>();  // changes
template <> soapsvc::table<A> soapsvc::table_of<A>();  // changes
int below(int in, Own own, soapsvc::host_options& options) {
    options.queue = own.queue;  // changes
    options.limits.depth = limits::max();  // changes
    std::size_t bounds::*member = &bounds::parts;  // changes
    own.connections = 5;
    soapsvc::host host{{.ns_base = "urn:x", .limits = {.depth = 3}, .connections = 4}};  // changes
    PoolOptions pool{.connections = 3};
    std::string text = "in(\"urn:a\"), preset, soapsvc::http_reply";
    soapsvc::client<Hello> hello("http://x", {.on_reply = [](const soapsvc::http_reply& reply) { use(reply); }});  // changes
    throw soapsvc::fault(soapsvc::fault_code::client, "x").with_header(A{}).about_header();  // changes
    const auto field = request.header("Host");
    const auto block = call.header<A>();  // changes
    return in + below;
}
"""
AFTER = {  # what the lines that change hold then
    "using bounds": "soapsvc::message_limits",
    "schema<A>": 'ns("urn:a")',
    '"P"': 'default_value("x")), field("B", &A::b, forward_declared)',
    "<Animal>": "soapsvc::known_types<Animal>",
    "soapsvc::table<A>": "soapsvc::define_schema<A>()",
    "own.queue": "options.limits.max_queued_requests = own.queue",
    "limits::max": "options.limits.max_depth = limits::max()",
    "member": "bounds::*member = &bounds::max_parts",
    "host host": "{.max_depth = 3}, .limits = {.max_connections = 4}}}",
    "hello": ".on_response = [](const soapsvc::http_response& reply)",
    "throw": ".with_header_block(A{}).about_header_block()",
    "block =": "call.header_block<A>()",
}
passed = failed = 0


def check(name, problem):
    global passed, failed
    passed += not problem
    failed += bool(problem)
    print(f"FAIL {name}: {problem}" if problem else f"ok   {name}")


def migrate(*arguments):
    return subprocess.run([MIGRATE, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def declared(interface):
    """The names that the public part of the header declares in its namespace."""
    patterns = (
        r"^(?:template <.*> )?(?:class|struct|enum class|namespace) (\w+)",
        r"^using (\w+) =",
        r"^(?:extern )?(?:inline )?(?:const|constexpr) .*\b(\w+)[;=]",
        r"^(?:template <.*> )?(?:SOAPSVC_INLINE )?(?:consteval |constexpr )?[\w:<>]+ (\w+)\(",
    )
    public = interface.partition("}  // namespace detail")[2].partition("namespace detail {")[0]
    public = re.sub(r"//.*", "", public)
    return {name for pattern in patterns for name in re.findall(pattern, public, re.MULTILINE)}


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "user.cpp"
        file.write_text(BEFORE)
        told = migrate("--dry-run", file)
        check("--dry-run writes nothing", file.read_text() != BEFORE)
        check("--dry-run tells what would change", "queue -> limits.max_queued_requests" not in told and repr(told))
        migrate(file)
        pairs = list(zip(BEFORE.splitlines(), file.read_text().splitlines()))
        check("what is to change does", [old for old, new in pairs if old.endswith("// changes") and old == new])
        check("nothing else changes", [old for old, new in pairs if not old.endswith("// changes") and old != new])
        wrong = [
            new
            for old, new in pairs
            for mark, text in AFTER.items()
            if old.endswith("// changes") and mark in old and text not in new
        ]
        check("each line has the new name", wrong)
        lost = [mark for mark in AFTER if not any(old.endswith("// changes") and mark in old for old, _ in pairs)]
        check("each new name has its line", lost)
        again = file.read_text()
        migrate(file)
        check("a second run changes nothing", file.read_text() != again)
    page = (ROOT / "example/migration/README.md").read_text()
    check("the page is the table", page != migrate("--table") and "run example/migration/migrate.py --table > example/migration/README.md")
    interface = (ROOT / "soapsvc.hpp").read_text().split("\n// IMPLEMENTATION")[0]
    rows = [line.split("\t") for line in (ROOT / "example/migration/renamed.txt").read_text().splitlines() if line[0] != "#"]
    news = {word for row in rows for word in re.match(r"[\w.]+", row[1]).group(0).split(".")}
    check("the table has rows", len(rows) < 20 and f"it has {len(rows)}")
    check("new names are in the interface", sorted(n for n in news if not re.search(rf"\b{n}\b", interface)))
    hidden = (ROOT / "example/import/writer.cpp").read_text().partition("hidden =")[2].partition(";")[0]
    names = declared(interface)
    check("the interface declares names", len(names) < 100 and f"{len(names)} are found")
    check("soapsvc-import avoids the names of the interface", sorted(names - set(re.findall(r"\w+", hidden))))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
