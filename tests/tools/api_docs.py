#!/usr/bin/python3
"""api_docs.py: does Doxygen read the interface of soapsvc.hpp without a warning?

The interface is what stands above the border to the implementation. Installs Doxygen (Debian's package). Members
whose names say enough have no comment, so that is no warning here; the classes that a program begins with must
have one. A comment that is wrong on purpose must be noticed.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFIG = """
INPUT = soapsvc.hpp
EXCLUDE_SYMBOLS = soapsvc::detail soapsvc::detail::*
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
JAVADOC_AUTOBRIEF = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = SOAPSVC_INLINE=
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_IF_DOC_ERROR = YES
"""
BEGUN_WITH = ["binary", "client", "client_options", "context", "date", "decimal", "dispatcher", "fault", "host",
              "host_options", "http_request", "http_response", "intercepted_call", "message_limits", "remote_fault",
              "stream", "transport_error"]  # fmt: skip
passed = failed = 0


def check(name, problem):
    global passed, failed
    passed, failed = passed + (not problem), failed + bool(problem)
    print(f"FAIL {name}\n{problem}" if problem else f"ok   {name}", flush=True)


def interface():
    text = (ROOT / "soapsvc.hpp").read_text(encoding="utf-8")
    return text[: text.index("// TABLE MACHINERY")].rsplit("// ==", 1)[0] + "\n#endif\n"


def read(text, folder):
    """Doxygen's warnings. The name of a header in angle brackets is no tag of HTML."""
    text = re.sub(r"^(\s*//.* )<([a-z_]+)>(?=[ ,.])", r"\1`\2`", text, flags=re.M)
    (folder / "soapsvc.hpp").write_text(text, encoding="utf-8")
    done = subprocess.run(["doxygen", "-"], cwd=folder, input=CONFIG, capture_output=True, text=True, timeout=300)
    return f"status {done.returncode}\n{done.stderr}" if done.returncode else done.stderr.strip()


def briefs(folder):
    """The first sentence of each class that has a comment."""
    found = {}
    for path in (folder / "xml").glob("*.xml"):
        for each in xml.etree.ElementTree.parse(path).iter("compounddef"):
            name = re.sub(r"^soapsvc::|<.*", "", each.findtext("compoundname", "")).strip()
            if brief := "".join(each.find("briefdescription").itertext()).strip():
                found[name] = brief
    return found


def main():
    if sys.argv[1:]:
        print(__doc__.strip())
        return 0
    if not shutil.which("doxygen"):
        script = ". tests/tools/common.sh; progress_name=api_docs; install_missing doxygen:doxygen"
        subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, check=True, stdout=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        text = interface()
        wrong = text.replace("/// A dispatcher behind", "/// \\ref nowhere\n/// A dispatcher behind")
        check("a comment that is wrong would be noticed", wrong == text or not read(wrong, folder))
        check("Doxygen has no warning", read(text, folder))
        found = briefs(folder)
        check("the classes to begin with have a comment", [name for name in BEGUN_WITH if name not in found])
        check("nothing of the table machinery is shown", [name for name in found if name.startswith("detail")])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
