#!/usr/bin/env python3
"""Rewrites results of `perturb bench --json` with one row of a table per line, as docs/benchmarks stores them.

  scripts/compact_json.py FILE...

Values stay the same. Lists of points are broken into lines of at most 1000 characters.
"""
import json
import pathlib
import sys

LINE = 1000


def flat(value):
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def is_row(value):
    """Fits on a line, and holds no table of its own."""
    parts = value.values() if isinstance(value, dict) else value
    return len(flat(value)) <= LINE and not any(isinstance(part, (dict, list)) and len(flat(part)) > 160 for part in parts)


def lines_of_points(values):
    lines, line = [], ""
    for text in map(flat, values):
        if line and len(line) + len(text) > LINE:
            lines.append(line)
            line = ""
        line += (", " if line else "") + text
    return lines + [line]


def dump(value, indent=0):
    if not isinstance(value, (dict, list)) or not value or is_row(value):
        return flat(value)
    pad = "  " * (indent + 1)
    if isinstance(value, dict):
        parts = [f"{flat(key)}: {dump(part, indent + 1)}" for key, part in value.items()]
        return "{\n" + ",\n".join(pad + part for part in parts) + "\n" + pad[2:] + "}"
    if all(isinstance(part, list) and len(part) <= 3 or not isinstance(part, (dict, list)) for part in value):
        parts = lines_of_points(value)
    else:
        parts = [dump(part, indent + 1) for part in value]
    return "[\n" + ",\n".join(pad + part for part in parts) + "\n" + pad[2:] + "]"


for name in sys.argv[1:]:
    path = pathlib.Path(name)
    value = json.loads(path.read_text(encoding="utf-8"))
    text = dump(value) + "\n"
    assert json.loads(text) == value
    path.write_text(text, encoding="utf-8")
