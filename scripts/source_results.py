#!/usr/bin/env python3
"""What the studies of the five published works found, in docs/sources.md: the works' numbers beside those of two machines.

  scripts/source_results.py          prints the blocks
  scripts/source_results.py --write  puts them into docs/sources.md
  scripts/source_results.py --check  prints what the page says otherwise, exits 1 if anything

Everything comes from docs/benchmarks/SIMULATION-sources-MACHINE.json, which `perturb bench SIMULATION --sources --json`
writes, and the works' numbers from assets/sources. What a machine has not measured yet says so. --root FOLDER looks at
another copy of the repository.
"""
import argparse
import csv
import json
import pathlib
import sys

PAGE = "docs/sources.md"
MACHINES = [("h200-host-2-cores", "two cores"), ("nvidia-h200", "H200")]
SIMULATIONS = ["wave", "lbm", "particles", "fibers", "membrane"]

# Of each simulation the tables that are shown beside its work: study, table, what of the work it repeats, the columns that
# name a row, the columns of each machine, the work's columns as {id: (place, row, column)} with the row's keys in braces,
# and how many rows are left out between two that are shown.
TABLES = {
    "wave": [
        ("stages", "stages", "the four stages", ["stage", "backend"], ["seconds_per_step"], {}, 1),
        ("programs", "programs", "the three programs", ["program", "on", "stage"], ["seconds_per_step"], {}, 1),
    ],
    "lbm": [
        ("split", "split", "figure 8, time a step", ["size", "kernel"], ["seconds_per_step", "speed_up"], {}, 1),
        ("convergence", "convergence", "figure 8, time to converge", ["size", "ratio"],
         ["steps", "unsplit_seconds", "split_seconds", "gain"],
         {"source_gain": ("figure 8", "{size}", "gain of the split version")}, 1),
        ("occupancy", "branches", "figure 2", ["gpu", "kernel"], ["occupancy"],
         {"source_occupancy": ("figure 2", "{kernel}", "occupancy")}, 1),
        ("occupancy", "loops", "figures 1 and 6", ["gpu", "block"], ["gain"],
         {"source_gain": ("figure 1", "loop split", "largest gain of occupancy")}, 1),
        ("split", "shapes", "figures 4 to 7", ["kernel", "part"], ["registers_per_thread", "occupancy"], {}, 1),
        ("occupancy", "prediction", "equation 1", ["size"], ["predicted", "measured"], {}, 1),
    ],
    "particles": [
        ("sweeps", "numbers", "figures 8, 9, 17 and 18", ["discs"],
         ["all_pairs_fp64", "all_pairs_fp64_contraction", "all_pairs_fp32"], {}, 1),
        ("sweeps", "blocks", "figure 20", ["block"], ["fp64", "fp64_contraction", "fp32", "fp32_contraction"], {}, 1),
        ("figures", "parts", "figures 11 to 15", ["discs"],
         ["walls_seconds", "pairs_seconds", "settle_seconds", "update_seconds", "filter_seconds"], {}, 1),
        ("figures", "candidates", "figure 16", ["discs"], ["ratio"], {}, 1),
        ("figures", "speed_up", "figure 10", ["discs"], ["speed_up"], {}, 1),
        ("figures", "disc_blocks", "figure 19", ["block"], ["walls_seconds", "move_seconds"], {}, 1),
        ("divergence", "full_divergence", "figure 7", ["pair"], ["step"], {}, 1),
    ],
    "fibers": [
        ("calls", "calls", "tables 2.1 and 2.2", ["fibers", "source_function"], ["seconds", "share"],
         {"source_seconds": None, "source_share": None}, 1),
        ("runs", "runs", "table B.1, figure 6.4", ["fibers"], ["seconds"],
         {"source_cpu_seconds": ("table B.1", "{fibers}", "CPU-only"),
          "source_gpu_seconds": ("table B.1", "{fibers}", "GPU-extension")}, 1),
        ("interaction", "interaction", "tables 6.1 and B.2, figures 6.2 and 6.3", ["fibers"],
         ["cpu_seconds", "gpu_in_turn_seconds", "gpu_at_once_seconds", "ratio"],
         {"source_cpu_seconds": ("table B.2", "{fibers}", "CPU-only"),
          "source_gpu_in_turn_seconds": ("table B.2", "{fibers}", "GPU-extension (non-parallel)"),
          "source_gpu_at_once_seconds": ("table B.2", "{fibers}", "GPU-extension"),
          "source_ratio": ("table 6.1", "{fibers}", "CPU to GPU time ratio")}, 1),
        ("interaction", "average", "table 6.1, average", [], ["here"],
         {"source": ("section 6.1", "all runs", "average of table 6.1")}, 1),
        ("interaction", "gain", "tables 6.2 and 6.3", ["fibers"], ["share", "gain"],
         {"source_share": ("table 6.3", "{fibers}", "portion"), "source_gain": ("table 6.2", "{fibers}", "gain")}, 1),
        ("accuracy", "drift", "figures 5.5 and 5.6", ["time"],
         ["recursion_fp32", "recursion_fp64_rounded_start", "stable_fp32", "nodes_fp32"], {}, 4),
        ("accuracy", "causes", "section 5.6", ["way"], ["least", "median", "most"], {}, 1),
        ("patterns", "global", "figures 5.7 and 5.8", ["pattern"], ["seconds"], {}, 1),
        ("patterns", "shared", "figures 5.9 and 5.10", ["pattern"], ["seconds"], {}, 1),
        ("patterns", "needs", "section 5.7.6", ["number"], ["here"], {"source": None}, 1),
    ],
    "membrane": [
        ("tables", None, "tables 4.2 to 4.8, figures 4.1 to 4.3", ["degree", "level", "kernel"],
         ["gpu_seconds_per_dof", "cpu_seconds_per_dof", "core_seconds_per_dof"],
         {"source_gpu_seconds_per_dof": None, "source_cpu_seconds_per_dof": None}, 1),
        ("cells", "cells", "figure 3.6", ["degree", "integration_level", "level", "on"], ["seconds_per_dof"], {}, 1),
    ],
}


def marks(simulation):
    return (f"<!-- results of {simulation}: by scripts/source_results.py --write -->\n",
            f"<!-- end of results of {simulation} -->\n")


def number_in_words(value, unit=""):
    """As the studies' tables print it: three digits, with a prefix where the unit has one."""
    if value is None or value == "":
        return "–"
    if isinstance(value, str):
        return value.replace("|", "\\|") if value != "-" else "–"
    if unit == "s" and value > 0:
        for factor, word in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
            if value >= 0.9995 * factor or word == "ns":
                return f"{float(f'{value / factor:.3g}'):g} {word}"
    if value == int(value) and abs(value) < 1e7:
        return str(int(value)) + (f" {unit}" if unit == "%" else "")
    return f"{value:.3g}" + (f" {unit}" if unit == "%" else "")


def read_source(root, simulation):
    with open(root / "assets/sources" / f"{simulation}.csv", encoding="utf-8") as file:
        next(file)
        return {(r["place"], r["row"], r["column"]): (r["value"], r["unit"]) for r in csv.DictReader(file)}


def read_machines(root, simulation):
    found = []
    for name, _ in MACHINES:
        path = root / "docs/benchmarks" / f"{simulation}-sources-{name}.json"
        found.append(json.loads(path.read_text(encoding="utf-8")) if path.exists() else None)
    return found


def table_of(results, study, table):
    """The study's table, or all its tables' rows together where `table` is None."""
    if results is None:
        return None
    for s in results["studies"]:
        if s["study"] != study:
            continue
        some = [t for t in s["tables"] if t["id"] == table or (table is None and t["id"].startswith("table"))]
        if some:
            return {"columns": some[0]["columns"], "rows": [row for t in some for row in t["rows"]]}
    return None


def rows_in_words(rows):
    if not rows:
        return ""
    head, *rest = rows
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rest]
    return "\n".join(lines) + "\n"


def findings(machines):
    """Claims in the order in which they come, each with what every machine found."""
    claims = {}
    for k, results in enumerate(machines):
        for study in results["studies"] if results else []:
            for table in study["tables"]:
                if table["id"] != "findings":
                    continue
                for row in table["rows"]:
                    claims.setdefault((study["study"], row["claim"], row["place"]), [None] * len(machines))[k] = row
    rows = [["of the source", "where", "its ratio"] + [word for _, word in MACHINES]]
    for (_, claim, place), found in claims.items():
        first = next(row for row in found if row)
        cells = []
        for row in found:
            if row is None or row["repeats"] == 0:
                cells.append("–")
            else:
                cells.append(f"{number_in_words(row['ratio'])}: **{row['verdict']}**")
        # The work's own ratio is computed from its numbers; a word keeps it apart from a number that somebody typed.
        rows.append([claim.replace("|", "\\|"), place, number_in_words(first["source_ratio"])] + cells)
    return rows_in_words(rows) if len(rows) > 1 else ""


def in_source(label):
    return label if "source" in label else f"source: {label}"


def cell_of_source(source, where, key, row, column):
    value = row.get(column["id"])
    if where is not None:
        words = {name: number_in_words(part) for name, part in key.items()}
        at = tuple(part.format(**words) for part in where)
        if at in source:
            digits, unit = source[at]
            if isinstance(value, str):
                return "–"
            shown = digits + (f" {unit}" if unit in ("s", "%") else "")
            return f'[{shown}](../assets/sources/{{simulation}}.csv "{at[0]}, {at[1]}, {at[2]}")'
    return number_in_words(value, column["unit"])


def beside(simulation, source, machines, shown):
    study, name, repeats, keys, columns, theirs, every = shown
    tables = [table_of(results, study, name) for results in machines]
    if not any(tables):
        return ""
    known = next(t for t in tables if t)
    labels = {c["id"]: c for t in tables if t for c in t["columns"]}
    theirs = {k: v for k, v in theirs.items() if k in labels}
    columns = [c for c in columns if c in labels]
    head = [labels[k]["label"] for k in keys] + [in_source(labels[k]["label"]) for k in theirs]
    for (_, word), table in zip(MACHINES, tables):
        head += [f"{word}: {labels[c]['label']}" for c in columns] if table else []
    merged = {}
    for k, table in enumerate(tables):
        for row in table["rows"] if table else []:
            merged.setdefault(tuple(str(row.get(key)) for key in keys), [None] * len(tables))[k] = row
    rows = [head]
    for at, found in enumerate(merged.values()):
        if at % every != every - 1:
            continue
        first = next(row for row in found if row)
        key = {k: first[k] for k in keys}
        cells = [number_in_words(first[k], labels[k]["unit"]) for k in keys]
        for column, where in theirs.items():
            cells.append(cell_of_source(source, where, key, first, labels[column]).replace("{simulation}", simulation))
        for table, row in zip(tables, found):
            if table:
                cells += [number_in_words(row.get(c) if row else None, labels[c]["unit"]) for c in columns]
        rows.append(cells)
    missing = [word for (_, word), table in zip(MACHINES, tables) if not table]
    note = f"\nNot measured yet on: {', '.join(missing)}.\n" if missing else ""
    title = f"{repeats[0].upper()}{repeats[1:]} (`--{study}`)"
    return f"<details><summary>{title}</summary>\n\n{rows_in_words(rows)}{note}\n</details>\n\n"


def block_of(root, simulation):
    machines = read_machines(root, simulation)
    source = read_source(root, simulation)
    words = []
    for (name, word), results in zip(MACHINES, machines):
        file = f"{simulation}-sources-{name}.json"
        words.append(f"{word}: {results['device']} ([{file}](benchmarks/{file}))" if results
                     else f"{word}: not measured yet")
    text = "\n**What was found here.** " + "; ".join(words[:1] + words[1:]) + ".\n\n"
    text += findings(machines) or "No verdicts yet.\n"
    text += "\n" + "".join(beside(simulation, source, machines, shown) for shown in TABLES[simulation])
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    page = arguments.root / PAGE
    text = page.read_text(encoding="utf-8")
    offences = []
    for simulation in SIMULATIONS:
        block = block_of(arguments.root, simulation)
        if not arguments.write and not arguments.check:
            print(f"## {simulation}\n{block}")
            continue
        begin, end = marks(simulation)
        if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
            offences.append(f"{PAGE}: the marks of {simulation}'s results are not there once each: {begin.strip()}")
            continue
        first, last = text.index(begin) + len(begin), text.index(end)
        if arguments.check and text[first:last] != block:
            offences.append(f"{PAGE}: the results of {simulation} are not those of docs/benchmarks: "
                            "run scripts/source_results.py --write")
        text = text[:first] + block + text[last:]
    if arguments.write and not offences:
        page.write_text(text, encoding="utf-8")
    for offence in offences:
        print(offence)
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
