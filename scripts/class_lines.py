#!/usr/bin/env python3
"""Lists the classes of app/ and cuda/ that have more lines than a class may have: their declaration, and the
definitions of their members, in whichever files these lie. Prints nothing, and exits with 0, where there is none.

  scripts/class_lines.py [MOST]     (300)
"""
import collections
import pathlib
import re
import sys

DECLARATION = re.compile(r"^(?:class|struct) (\w+)(?: final)?(?: : [^{]*)? \{$")
MEMBER = re.compile(r"^[^\s/#}].*?\b(\w+)(?:<\w+>)?::~?\w+[( ]")
NO_MEMBER = ("namespace", "using", "static_assert", "extern")


def lines_of_classes(paths):
    """By folder and name, for each simulation has its own names: where it is declared, and how many lines it has."""
    declared, lines = {}, collections.Counter()
    for path in paths:
        text = path.read_text(encoding="utf-8").split("\n")
        at = 0
        while at < len(text):
            last, line = at, text[at]
            member = None if line.startswith(NO_MEMBER) or "(" not in line else MEMBER.match(line)
            if found := DECLARATION.match(line):
                declared[path.parent, found[1]] = path
                last = text.index("};", at)
            elif member and not line.endswith(("}", ";")):
                # As clang-format leaves it: all in one line, or to a brace at a line's beginning.
                last = next(k for k in range(at, len(text)) if text[k].startswith("}"))
            if found or member:
                lines[path.parent, (found or member)[1]] += last - at + 1
            at = last + 1
    return {name: (path, lines[name]) for name, path in declared.items()}


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    root = pathlib.Path(__file__).resolve().parent.parent
    paths = [path for room in ("app", "cuda") for path in sorted((root / room).rglob("*"))
             if path.suffix in (".h", ".cpp")]
    long = [(count, name, path) for (_, name), (path, count) in lines_of_classes(paths).items() if count > most]
    for count, name, path in sorted(long, reverse=True):
        print(f"{path.relative_to(root)}: {name} has {count} lines")
    sys.exit(bool(long))


main()
