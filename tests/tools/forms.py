#!/usr/bin/python3
"""forms.py HEADER IMPLEMENTATION OBJECT...: do these objects define anything of the implementation?

IMPLEMENTATION is the object of the unit that compiles it, the others are of units that must not. What
an object defines in namespace soapsvc is known by its own name, which a mangled name begins with: not
by what stands in its result, parameters or template arguments. It must be

- weak, or local to something weak, as templates and inline functions are: what is defined once, in
  one unit, is neither;
- named above the border of the header, a class with its members there and not only declared;
- nothing that the implementation's object defines as its own.
"""

import re
import subprocess
import sys

BORDER = "\n// IMPLEMENTATION\n"
# Definitions of a program, once: a table that other units have elsewhere.
THE_PROGRAMS = "soapsvc::define_schema"


def defined(path):
    """(type, mangled name) of each symbol that an object defines, as nm has them."""
    lines = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True)
    for line in lines.stdout.splitlines():
        kind, name = line.split()[-2:]
        yield kind, name


def own_names(mangled):
    """The components of a symbol's own name, up to the first template arguments; None when it is not
    of soapsvc. What is local to a function (Z) bears the function's name. (Itanium C++ ABI, 5.1)"""
    begin = re.match(r"_Z(?:GV|TV|TT|TI|TS)?(?:Z)*N[VKrRO]*(?=7soapsvc)", mangled)
    if not begin:
        return None
    rest, names = mangled[begin.end() :], []
    while number := re.match(r"[1-9][0-9]*", rest):
        end = number.end() + int(number.group())
        names.append(rest[number.end() : end])
        rest = rest[end:]
        if abi := re.match(r"B[0-9]+\w+?(?=E|I)", rest):
            rest = rest[abi.end() :]
    return names


def is_named(names, interface):
    """Whether a name stands in the interface: for a member, its class is also defined there."""
    for name in names:
        if name in ("soapsvc", "detail"):
            continue
        if not re.search(rf"\b{name}\b", interface):
            return False
        only_declared = re.search(rf"\b(?:class|struct|union) {name};", interface) and not re.search(
            rf"\b(?:class|struct|union) {name}\b[^;{{(]*\{{", interface
        )
        if only_declared:
            return False
    return True


def main():
    if len(sys.argv) < 4:
        print(__doc__)
        return 2
    text = open(sys.argv[1], encoding="utf-8").read()
    if text.count(BORDER) != 1:
        print("the header has no border")
        return 1
    interface = re.sub(r"//.*", "", text[: text.index(BORDER)])
    compiled_once = {name for kind, name in defined(sys.argv[2]) if kind in "TDBR"}
    if len(compiled_once) < 20:
        print(f"the implementation defines {len(compiled_once)} symbols only")
        return 1
    bad = seen = 0
    for path in sys.argv[3:]:
        for kind, mangled in defined(path):
            names = own_names(mangled)
            if names is None or "::".join(names) == THE_PROGRAMS:
                continue
            seen += 1
            reason = (
                "defined for good" if kind in "TDBR" else
                "defined there as well" if mangled in compiled_once else
                "not named above the border" if not is_named(names, interface) else ""
            )
            if reason:
                bad += 1
                if bad <= 20:
                    print(f"of the implementation: {'::'.join(names)} ({kind}), {reason}: {mangled}")
    print(f"{seen} symbols of soapsvc, {bad} of the implementation")
    return 1 if bad or not seen else 0


sys.exit(main())
