#!/usr/bin/env python3
"""manual.py PROGRAM: its manual page, made of what it says of itself with --help.

Made when the program is built, so that the page cannot be older than it. The help of each command
is what help.hpp makes of CLI11's: a line that says what it does, the usage, lists of arguments, each
below a title, and below them text that stays as it is.
"""

import os
import re
import subprocess
import sys

PROGRAM = sys.argv[1]
NAME = os.path.basename(PROGRAM)
# Defaults that come from the environment would become those of the page.
QUIET = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"}


def said(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, env=QUIET, check=True)
    return done.stdout.splitlines()


def roff(text):
    """A line of text as it is: no character of it is an instruction."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return "\\&" + text if text.startswith(".") else text


class Help:
    """The help text of one command."""

    def __init__(self, words):
        self.words = words
        self.what, self.usage, self.text = [], "", []
        self.lists = []  # (title, [(name, what it means)])
        part = None
        lines = said(*words, "--help")
        for line, behind in zip(lines, [*lines[1:], ""]):
            title = re.fullmatch(r"(Positionals|Options|Subcommands[^:]*|\S.*(?=:\n  -)):\n.*", f"{line}\n{behind}")
            if line.startswith("Usage: "):
                self.usage = line.removeprefix("Usage: ")
            elif not self.usage:
                self.what.append(line)
            elif title:
                self.lists.append((title.group(1), []))
                part = self.lists[-1][1]
            elif part is not None and line.startswith(" "):
                name, _, meaning = line.strip().partition("  ")
                if re.match(r" {20}", line):
                    part[-1] = (part[-1][0], f"{part[-1][1]} {line.strip()}".strip())
                else:
                    part.append((name, meaning.strip()))
            else:
                part = None
                self.text.append(line)

    def commands(self):
        return [name for title, rows in self.lists if title.startswith("Subcommands") for name, _ in rows]


def block(lines):
    """A text with its lines, without empty lines around it."""
    text = "\n".join(lines).strip("\n").splitlines()
    return [".nf", *map(roff, text), ".fi"] if text else []


def options_of(found):
    page = []
    for title, rows in found.lists:
        rows = [(name, meaning) for name, meaning in rows if not name.startswith("-h,")]
        if title.startswith("Subcommands") or not rows:
            continue
        page += [".PP", f"{roff(title)}:"] if title not in ("Positionals", "Options") else []
        for name, meaning in rows:
            page += [".TP", f".B {roff(name)}", roff(meaning)]
    return page


def page_of(found):
    """One command below COMMANDS."""
    page = [f".SS {roff(' '.join([NAME, *found.words]))}", *map(roff, found.what)]
    page += [".PP", f".B {roff(found.usage)}", *options_of(found)]
    return page + block(found.text)


def main():
    top = Help([])
    pages, waiting = [], [[name] for name in top.commands()]
    while waiting:
        found = Help(waiting.pop(0))
        below = found.commands()
        waiting = [[*found.words, name] for name in below] + waiting
        if not below:
            pages += page_of(found)
    what = " ".join(top.what).rstrip(".")
    version = said("--version")[0]
    print(f'.TH {NAME.upper()} 1 "" "{roff(NAME + " " + version)}" "User Commands"')
    print(f".SH NAME\n{roff(NAME)} \\- {roff(what)}")
    print(f".SH SYNOPSIS\n.B {roff(top.usage)}")
    print(".SH OPTIONS\n" + "\n".join(options_of(top)))
    print(".SH COMMANDS\nEach command has the option\n.BR \\-\\-help ,\nwhich prints the same text.\n" + "\n".join(pages))
    print(".SH EXIT STATUS\n.TP\n.B 0\nSuccess.\n.TP\n.B 1\nThe command failed, or the service answered with a fault.")
    print(".TP\n.B 2\nThe command line is invalid.\n.TP\n.B 3\nNo service answered.")
    examples = [line for line in top.text if not line.startswith("Exit status")]
    print(".SH EXAMPLES\n" + "\n".join(block(examples)))
    print(".SH SEE ALSO\n.BR systemctl (1),\n.BR systemd.exec (5)")


main()
