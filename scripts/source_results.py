#!/usr/bin/env python3
"""What the studies of the five published works found, in docs/sources.md: the works' numbers next to those of two machines.

  scripts/source_results.py          prints the blocks
  scripts/source_results.py --write  puts them into docs/sources.md
  scripts/source_results.py --check  prints what the page says otherwise, exits 1 if anything

With --write and --check it also makes and compares assets/source_findings.tsv, which the program shows where there is no
CUDA device. assets/source_changes.csv lists which stored results are no longer those of their study.

Everything comes from docs/benchmarks/SIMULATION-sources-MACHINE.json, which `perturb bench SIMULATION --paper --json`
writes, and the works' numbers from assets/sources. What a machine has not measured yet says so: a file may be older
than a study's newest tables and columns. --root FOLDER looks at another copy of the repository.
"""
import argparse
import csv
import json
import pathlib
import re
import sys
import textwrap

PAGE = "docs/sources.md"
STORED = "assets/source_findings.tsv"
MACHINES = [("h200-host-2-cores", "two cores"), ("nvidia-h200", "H200")]
SIMULATIONS = ["wave", "lbm", "particles", "fibers", "membrane"]

# The tables of each simulation that are shown next to the paper's numbers: study, table, the part of the paper that it
# repeats, the columns that name a row, the columns of each machine, the paper's columns as {heading: its number}, and n
# if only every n-th row is shown. A machine's column is the study's own, or (heading, computed from a row, its unit). A
# number of the paper is (place, row, column), with the row's keys in braces, or a function that makes that from the
# keys; or Computed.


class Computed:
    """A number computed from the paper's: `of(at, keys)`, where `at` reads a printed one. None if there is none."""

    def __init__(self, of, unit):
        self.of, self.unit = of, unit


def profile(keys):
    return {"300": "table 2.1", "600": "table 2.2"}[keys["fibers"]]


def profile_time(column):
    return lambda keys: (profile(keys), keys["source_function"], column)


def profile_share(at, keys):
    return 100 * at(profile(keys), keys["source_function"], "total time") / at(profile(keys), "advect", "total time")


def with_totals(table):
    """Files of an older version have one column: the total time of `assemble`, the self time of the others. Each
    function's total is its self time and the total of the one that it calls."""
    if any(column["id"] == "total_seconds" for column in table["columns"]):
        return
    table["columns"] += [{"id": name, "label": "", "unit": "s"} for name in ("total_seconds", "self_seconds")]
    seconds = {(row["fibers"], row["source_function"]): row["seconds"] for row in table["rows"]}
    for row in table["rows"]:
        called = {"assemble": [], "velocity": ["assemble"], "advect": ["velocity", "assemble"]}.get(row["source_function"])
        if called is None:
            continue
        row["total_seconds"] = row["seconds"] + sum(seconds[row["fibers"], name] for name in called)
        if called:
            row["self_seconds"] = row["seconds"]


def needs(keys):
    column = {"threads of a block": "threads per block", "registers of a thread": "registers per thread",
              "blocks of a multiprocessor": "blocks per multiprocessor", "warps of a multiprocessor": "warps per multiprocessor"}.get(keys["number"])
    return ("section 5.7.6", "kernel", column) if column else None


def limits(keys):
    what, row = keys["number"].split(", ")
    return (("section 5.7", row, "most registers per thread") if what == "registers of a thread"
            else ("section 4.2.1", row, "clock cycles of a warp"))


def divergence(keys):
    row = {"contraction on, FP64": "fmad on", "CPU compared with CUDA, FP64": "fmad off",
           "CPU compared with CUDA, contraction on in both, FP64": "fmad on in the CPU program"}.get(keys["pair"])
    return ("figure 7", row, "step of full divergence") if row else None


def first_divergence(keys):
    return ("section 4.1", "fmad on", "first step that differs") if keys["pair"] == "contraction on, FP64" else None


def more_registers_than(keys):
    whole = keys["part"].startswith("velocities")
    return ("section 3.2", "kernel that branches", "registers per thread") if whole else None


def occupancy_after(keys):
    branch_alone = keys["part"].startswith(("if-kernel", "else-kernel"))
    return ("figure 7", "each kernel", "occupancy") if branch_alone else None


def largest_gain(keys):
    """Figure 1's value for the G80; blocks of 256 threads reproduce it."""
    its_own = keys["gpu"].startswith("G80") and keys["block"] == "256"
    return ("figure 1", "loop split", "largest gain of occupancy") if its_own else None


def branch(keys):
    return ("figure 2", keys["kernel"], "occupancy") if keys["gpu"].startswith("G80") else None


def threads_at_once(keys):
    stated = ("section 1", "GeForce 8", "active threads")
    return stated if keys["registers_per_thread"] == "10" else None


def membrane_place(degree, integration_level):
    """Tables 4.2 to 4.6: p = 1 to 5 with level p; 4.7 and 4.8: p = 1 and 2 with level 10."""
    if integration_level == degree:
        return f"table 4.{int(degree) + 1}"
    return {"1": "table 4.7", "2": "table 4.8"}.get(degree)


def membrane(column, level_10=None):
    def where(keys):
        integration_level = keys.get("integration_level", "10" if level_10 else keys["degree"])
        return (membrane_place(keys["degree"], integration_level), keys["level"], column)
    return where


def crossing(keys):
    """The one that the paper states, of p = 2 with its own integration level."""
    own_level = keys["integration_level"] == "p"
    return ("section 4.2.1", f"degree {keys['degree']}", "DOF from which the GPU is faster") if own_level else None


def membrane_figure(column, level_10):
    where, unknowns = membrane(column, level_10), membrane("DOF", level_10)

    def of(at, keys):
        return None if at(*where(keys)) is None else at(*where(keys)) / at(*unknowns(keys))
    return Computed(of, "")


def per_unknown_again(column):
    return lambda row: row[column] / row["unknowns"] if isinstance(row.get(column), float) else None


def membrane_tables(table, level_10, of_tables, of_figures):
    keys = ["degree", "level", "unknowns", "kernel"]
    return [
        ("tables", table, of_tables, keys,
         ["gpu_seconds_per_dof", "cpu_seconds_per_dof", "core_seconds_per_dof", "ratio_core", "ratio_cpu"],
         {"DOF": membrane("DOF", level_10), "GPU": membrane("GPU", level_10), "one core": membrane("CPU", level_10),
          "GPU over one core": membrane("ratio GPU/CPU", level_10)}, 1),
        ("tables", table, of_figures + ", (t/DOF)/DOF", keys,
         [("GPU, s", per_unknown_again("gpu_seconds_per_dof"), ""),
          ("one core, s", per_unknown_again("core_seconds_per_dof"), "")],
         {"GPU, s": membrane_figure("GPU", level_10), "one core, s": membrane_figure("CPU", level_10)}, 1),
    ]


def kernel_share(part):
    """Share of the time of the four kernels, as in figure 15; order and filter run on the host."""
    return lambda row: (100 * row[f"{part}_seconds"] / sum(row[f"{k}_seconds"] for k in FOUR_KERNELS)
                        if all(isinstance(row.get(f"{k}_seconds"), float) for k in FOUR_KERNELS) else None)


FOUR_KERNELS = ["walls", "pairs", "settle", "update"]

TABLES = {
    "wave": [
        ("stages", "stages", "the four stages", ["stage", "backend"], ["steps", "seconds_per_step"], {}, 1),
        ("programs", "programs", "the three programs", ["program", "on", "stage"], ["steps", "seconds_per_step"], {},
         1),
        ("profile", "profile", "what a step spends its time on", ["program", "on", "part"],
         ["seconds_per_step", "percent"], {}, 1),
        ("convolution", "convolution", "section CUDA, kinds of memory and blocks", ["side", "way", "on", "block"],
         ["seconds", "rate"], {}, 1),
        ("transfers", "transfers", "copies between host and device", ["side", "direction", "memory"],
         ["seconds", "bytes_per_second"], {}, 1),
        ("practices", "practices", "best practices", ["practice", "good", "bad"],
         ["good_seconds", "bad_seconds", "gain"], {}, 1),
        ("practices", "blocks", "best practices, blocks of a GT200", ["threads"], ["blocks", "occupancy"],
         {"blocks": ("section CUDA Kernels best practices", "{threads}", "blocks per multiprocessor")}, 1),
        ("larger", "larger", "larger data", ["side"], ["cpu_seconds", "gpu_seconds", "speed_up"], {}, 1),
    ],
    "lbm": [
        ("split", "split", "figure 8, time a step", ["size", "kernel"], ["seconds_per_step", "speed_up"], {}, 1),
        ("split", "ratios", "figure 8 against the system ratio, time a step", ["size", "solid"],
         ["unsplit_seconds", "split_seconds", "gain"], {}, 1),
        ("convergence", "convergence", "figure 8, time to converge", ["size", "solid"],
         ["steps", "unsplit_seconds", "split_seconds", "gain"], {}, 1),
        ("convergence", "gains", "figure 8, gain", ["size"], ["gain", "least_gain", "most_gain"],
         {"gain": ("figure 8", "{size}", "gain of the split version")}, 1),
        ("occupancy", "branches", "figure 2", ["gpu", "kernel"], ["occupancy"], {"occupancy": branch}, 1),
        ("occupancy", "loops", "figure 1", ["gpu", "block"], ["gain"], {"gain of occupancy": largest_gain}, 1),
        ("splitting", "figure_1", "figure 1 as kernels", ["loops"], ["seconds", "registers_per_thread", "occupancy"],
         {}, 1),
        ("splitting", "figure_2", "figure 2 as kernels", ["branches", "kernel"],
         ["registers_per_thread", "occupancy"], {}, 1),
        ("splitting", "divergence", "sections 2.2 and 2.3, the worst case and conditions", ["branches", "pattern"],
         ["together_seconds", "split_seconds", "gain"], {}, 1),
        ("occupancy", "threads", "section 1, threads at once", ["registers_per_thread"], ["threads", "occupancy"],
         {"threads at once": threads_at_once}, 1),
        ("split", "shapes", "figures 4 to 7", ["kernel", "part"], ["registers_per_thread", "occupancy"],
         {"registers, more than": more_registers_than, "occupancy": occupancy_after}, 1),
        ("occupancy", "equation", "equation 1 with the source's registers", ["share"], ["speed_up", "measured"], {}, 1),
        ("occupancy", "prediction", "equation 1 for our kernels", ["size"],
         ["launch_seconds", "together", "if_seconds", "else_seconds", "predicted", "measured", "least_measured",
          "most_measured"], {}, 1),
    ],
    "particles": [
        ("sweeps", "numbers", "figures 8, 9, 17 and 18", ["discs"],
         ["all_pairs_fp64", "all_pairs_fp64_contraction", "all_pairs_fp32", "all_pairs_fp32_contraction"], {}, 1),
        ("sweeps", "blocks", "figure 20", ["block"], ["fp64", "fp64_contraction", "fp32", "fp32_contraction"], {}, 1),
        ("figures", "parts", "figures 11 to 14", ["discs"],
         ["walls_seconds", "pairs_seconds", "settle_seconds", "update_seconds", "qsort_seconds"],
         {"qsort and filter": ("figure 14", "{discs}", "qsort and filter on the host per step")}, 1),
        ("figures", "parts_plain", "figures 11 to 13 without contraction", ["discs"],
         ["walls_seconds", "pairs_seconds", "settle_seconds", "update_seconds"], {}, 1),
        ("figures", "parts", "figure 15, of the four kernels' time", ["discs"],
         [(part, kernel_share(part), "%") for part in FOUR_KERNELS], {}, 1),
        ("figures", "candidates", "figure 16", ["discs"], ["ratio"], {}, 1),
        ("figures", "candidates", "section 7.2, candidates over N squared", ["discs"], ["of_square"], {}, 1),
        ("figures", "gain_growth", "section 7.2, growth of the gain", ["from", "to"], ["growth"], {}, 1),
        ("chunks", "spreads", "section 9.1 over nine N", ["discs", "contraction"],
         ["best_discs_block", "best_pairs_block", "over_discs", "over_pairs"], {}, 1),
        ("memory", "memory", "section 3.2, kinds of memory", ["memory"], ["seconds"], {}, 1),
        ("memory", "contention", "section 8.3, additions to a counter", ["threads"],
         ["one_seconds", "many_seconds", "ratio"], {}, 1),
        ("figures", "speed_up", "figure 10", ["discs"], ["speed_up", "speed_up_plain"], {}, 1),
        ("figures", "disc_blocks", "figure 19", ["block"],
         ["seconds", "walls_seconds", "settle_seconds", "update_seconds"], {}, 1),
        ("divergence", "full_divergence", "figure 7", ["pair"], ["step", "first_step"],
         {"step": divergence, "first step at which one differs": first_divergence}, 1),
    ],
    "fibers": [
        ("calls", "calls", "tables 2.1 and 2.2", ["fibers", "source_function", "part"],
         ["calls", ("total time", lambda row: row.get("total_seconds"), "s"),
          ("self time", lambda row: row.get("self_seconds"), "s")],
         {"calls": profile_time("calls"), "total time": profile_time("total time"),
          "self time": profile_time("self time"), "share, total": Computed(profile_share, "%")}, 1),
        ("runs", "runs", "table B.1, figure 6.4", ["fibers"], ["seconds"],
         {"CPU only": ("table B.1", "{fibers}", "CPU-only"),
          "GPU extension": ("table B.1", "{fibers}", "GPU-extension")}, 1),
        ("ring", "ring", "figure 6.1", ["time"], ["ring_radius", "section", "least_section", "most_section", "together"],
         {}, 1),
        ("interaction", "interaction", "tables 6.1 and B.2, figures 6.2 and 6.3", ["fibers"],
         ["cpu_seconds", "gpu_in_turn_seconds", "gpu_at_once_seconds", "gpu_pinned_seconds", "ratio"],
         {"CPU": ("table B.2", "{fibers}", "CPU-only"),
          "GPU in turn": ("table B.2", "{fibers}", "GPU-extension (non-parallel)"),
          "both at once": ("table B.2", "{fibers}", "GPU-extension"),
          "ratio": ("table 6.1", "{fibers}", "CPU to GPU time ratio")}, 1),
        ("interaction", "average", "table 6.1, average", [], ["here"],
         {"average": ("section 6.1", "all runs", "average of table 6.1")}, 1),
        ("interaction", "gain", "tables 6.2, 6.3 and B.1 on the CPU alone", ["fibers"],
         ["cpu_seconds", "share", "gain"],
         {"run, CPU only": ("table B.1", "{fibers}", "CPU-only"), "share": ("table 6.3", "{fibers}", "portion"),
          "gain": ("table 6.2", "{fibers}", "gain")}, 1),
        ("profile", "profile", "table 6.3, a step by part", ["fibers", "precision", "kernel"],
         ["seconds_per_step", "interaction", "products", "solve", "rest", "share"],
         {"share": ("table 6.3", "{fibers}", "portion")}, 1),
        ("accuracy", "drift", "figures 5.5 and 5.6", ["time"],
         ["recursion_fp32", "recursion_fp64_rounded_start", "stable_fp32", "nodes_fp32"], {}, 4),
        ("accuracy", "causes", "section 5.6", ["way"], ["least", "median", "most"], {}, 1),
        ("patterns", "global", "figures 5.7 and 5.8", ["pattern"], ["seconds"], {}, 1),
        ("patterns", "shared", "figures 5.9 and 5.10", ["pattern"], ["seconds"], {}, 1),
        ("interaction", "gain", "section 6.2, time saved", ["fibers"], ["cpu_seconds", "saved_seconds"], {}, 1),
        ("patterns", "limits", "section 5.7, limits", ["number"], ["here"], {"number": limits}, 1),
        ("patterns", "needs", "section 5.7.6", ["number"], ["here"], {"number": needs}, 1),
    ],
    "membrane": [
        *membrane_tables("integration_level_p", False, "tables 4.2 to 4.6", "figures 4.1 and 4.2"),
        *membrane_tables("integration_level_10", True, "tables 4.7 and 4.8", "figure 4.3"),
        ("tables", "crossings", "section 4.2.1, where the GPU becomes faster", ["degree", "integration_level", "kernel"],
         ["unknowns"], {"unknowns": crossing}, 1),
        ("cells", "cells", "tables 4.2 to 4.8 and figure 3.6", ["degree", "integration_level", "level", "on"],
         ["schedule_seconds", "there_seconds", "evaluate_seconds", "back_seconds", "insert_seconds",
          "seconds_per_dof", "ratio_core"],
         {"GPU, per DOF": membrane("GPU"), "one core, per DOF": membrane("CPU"),
          "GPU over one core": membrane("ratio GPU/CPU")}, 1),
        ("cells", "shapes", "registers and occupancy, section 3.5.2", ["degree", "patches"],
         ["registers_per_thread", "shared_bytes", "occupancy", "on_its_gpu"], {}, 1),
    ],
}


def marks(simulation):
    return (f"<!-- results of {simulation}: by scripts/source_results.py --write -->\n",
            f"<!-- end of results of {simulation} -->\n")


def format_number(value, unit=""):
    """Formats like the studies' tables: three digits, with a prefix if the unit has one."""
    if value is None or value == "":
        return "–"
    if isinstance(value, str):
        return value.replace("|", "\\|") if value != "-" else "–"
    if unit == "s" and value != 0:
        for factor, word in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
            if abs(value) >= 0.9995 * factor or word == "ns":
                return f"{float(f'{value / factor:.3g}'):g} {word}"
    if value == int(value) and abs(value) < 1e7:
        return str(int(value)) + (f" {unit}" if unit == "%" else "")
    return f"{value:.3g}" + (f" {unit}" if unit == "%" else "")


def with_unit(digits, unit):
    """A printed number as in its file. A time per unknown is shown as a time, like the measured ones."""
    return f"{digits} {'s' if unit == 's/DOF' else unit}".rstrip()


def read_source(root, simulation):
    with open(root / "assets/sources" / f"{simulation}.csv", encoding="utf-8") as file:
        next(file)
        return {(r["place"], r["row"], r["column"]): (r["value"], r["unit"]) for r in csv.DictReader(file)}


def read_machines(root, simulation):
    found = []
    for name, _ in MACHINES:
        path = root / "docs/benchmarks" / f"{simulation}-sources-{name}.json"
        found.append(json.loads(path.read_text(encoding="utf-8")) if path.exists() else None)
    drop_older_claims(found)
    return found


def findings_in(results):
    """(study, its table of findings) for the studies of a file that have one."""
    return [(s["study"], t) for s in results["studies"] for t in s["tables"] if t["id"] == "findings"] if results else []


def drop_older_claims(found):
    """Without a CUDA device the program lists what was last stored for an H200 as "not measured here". Claims that the
    H200's file has no longer, or of another place in the paper, are left out."""
    known = {study: {(renamed(row["claim"]), row["place"]) for row in table["rows"]}
             for study, table in findings_in(found[-1])}
    for results in found[:-1]:
        for study, table in findings_in(results):
            table["rows"] = [row for row in table["rows"] if row["repeats"] or study not in known
                             or (renamed(row["claim"]), row["place"]) in known[study]]


AGAIN = "to be measured again"


def read_changes(root):
    """Why results of older versions of the studies are no longer theirs (assets/source_changes.csv)."""
    with open(root / "assets/source_changes.csv", encoding="utf-8") as file:
        return [dict(row, version=int(row["version"])) for row in csv.DictReader(file)]


def changes_since(root, simulation, results, study):
    """The changes that a machine's results of a study do not have yet: (kind, what, reason)."""
    version = next((s.get("version", 1) for s in results["studies"] if s["study"] == study), 1)
    return [(*row["what"].split(" ", 1), row["reason"]) for row in read_changes(root)
            if row["simulation"] == simulation and row["study"] == study and row["version"] > version]


def void_columns(table, changes):
    """The columns of a table that changed, by their ids, with the reason; all of them under the key None."""
    void = {}
    for kind, what, reason in changes:
        if kind == "table" and what == table:
            void[None] = reason
        elif kind == "column" and what.split(" ")[0] == table:
            void[what.split(" ")[1]] = reason
    return void


def table_of(results, study, table):
    for s in results["studies"] if results else []:
        for t in s["tables"] if s["study"] == study else []:
            if t["id"] == table:
                for row in t["rows"]:  # stored rows have an older wording
                    row.update({k: v.replace(" beside ", " compared with ") for k, v in row.items() if isinstance(v, str)})
                if table == "calls":
                    with_totals(t)
                return t
    return None


def format_rows(rows):
    if not rows:
        return ""
    head, *rest = rows
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rest]
    return "\n".join(lines) + "\n"


# The note in a claim that the paper makes for the other kind of device (cuda/studies/paper.h).
ASKED_OF = re.compile(r" \((asked of a (?:processor|GPU))\)")


def without_numbers(claim):
    return re.sub(r"\b\d+\b", "#", claim)


def paired(claims):
    """Joins claims that two machines made for different sizes: `N = 4000` and `N = 32000` are one row."""
    for key in list(claims):
        found = claims[key]
        others = [k for k in claims if k != key and k[0] == key[0] and k[2] == key[2]
                  and without_numbers(k[1]) == without_numbers(key[1])]
        # The machine that measured more sizes names the row.
        if found[0] is None or found[-1] is not None or len(others) != 1 or claims[others[0]][0] is not None:
            continue
        claims[others[0]][0] = dict(found[0], of=key[1])
        del claims[key]
    return claims


def size_text(claim, of):
    """What differs in the numbers of `of` and `claim`: "N = 4000" for "N = 4000" and "N = 32000", "600 fibers"."""
    number = re.compile(r"((?:[A-Za-z]+ )?= |(?:level|size|side|degree) )?\b(\d+)\b( (?:cells|discs|fibers|steps|threads)\b)?")
    ours, theirs = list(number.finditer(of)), list(number.finditer(claim))
    return ", ".join(f"{a[1]}{a[2]}" if a[1] else f"{a[2]}{a[3] or ''}" for a, b in zip(ours, theirs) if a[2] != b[2])


# Verdicts of stored results by their former name.
RENAMED_VERDICTS = {"cannot be told from the noise": "inconclusive"}


def verdict_of(row):
    """A stored verdict by today's rule: a ratio whose interval contains 1 is inconclusive, except where runs form pairs."""
    verdict = RENAMED_VERDICTS.get(row["verdict"], row["verdict"])
    ends = (row["least_ratio"], row["most_ratio"])
    near_one = all(isinstance(end, float) for end in ends) and ends[0] <= 1 <= ends[1] and ends[0] < ends[1]
    is_pair = row["place"] in PAIRED_PLACES
    return "inconclusive" if verdict in ("holds here", "reversed here") and near_one and not is_pair else verdict


# Claims about runs from one start, which the next run repeats (paired_finding in the studies).
PAIRED_PLACES = {"figure 5.5", "figure 5.6", "section 5.6", "figure 6.1"}


def renamed(claim):
    """Stored claims have an older wording of the same words."""
    return claim.replace("the source's", "the paper's").replace("the source ", "the paper ")


def rows_of_findings(root, simulation, results):
    """The findings of a machine in their order: (study, row), with `void` where they are to be measured again."""
    for study in results["studies"] if results else []:
        changes = changes_since(root, simulation, results, study["study"])
        for table in study["tables"]:
            for row in table["rows"] if table["id"] == "findings" else []:
                claim = renamed(row["claim"])
                asked = ASKED_OF.search(claim)
                row = dict(row, claim=ASKED_OF.sub("", claim), asked=asked[1] if asked else "", void="")
                if any(kind == "withdrawn" and re.search(what, claim) for kind, what, _ in changes):
                    continue
                for kind, what, reason in changes:
                    if kind == "claim" and re.search(what, claim):
                        row["void"] = reason
                    elif kind == "ratio" and re.search(what, claim):
                        row["source_ratio"] = "-"
                yield study["study"], row


def finding_text(row):
    """The measured number, if the ratio is one to a bound, and the verdict."""
    if row["void"]:
        return f"{AGAIN}: {row['void']}"
    measured = row.get("measured", "-")
    return f"{format_number(row['ratio']) if measured == '-' else measured}: **{verdict_of(row)}**"


def ratio_of_paper(found):
    """The paper's ratio, from any machine's row: without a CUDA device, rows that need one have none."""
    return next((row["source_ratio"] for row in found if row and isinstance(row["source_ratio"], (int, float))), None)


def findings(root, simulation, machines):
    """Claims in their original order, each with the findings of every machine."""
    claims = {}
    for k, results in enumerate(machines):
        for study, row in rows_of_findings(root, simulation, results):
            claims.setdefault((study, row["claim"], row["place"]), [None] * len(machines))[k] = row
    rows = [["of the paper", "where", "its ratio"] + [word for _, word in MACHINES]]
    for (_, claim, place), found in paired(claims).items():
        own = [row for row in found if row and "of" not in row]
        cells = []
        for results, row in zip(machines, found):
            if row is None or row["repeats"] == 0:
                cells.append("not measured here: needs a CUDA device" if results and results["backend"] == "cpu"
                             else "–")
            else:
                words = [f"with {size_text(claim, row['of'])}"] if "of" in row else []
                words += [row["asked"]] if row["asked"] else []
                cells.append(finding_text(row) + (f" ({'; '.join(words)})" if words else ""))
        # The paper's own ratio is computed from its numbers; a label distinguishes it from a number that was typed in.
        rows.append([claim.replace("|", "\\|"), place, format_number(ratio_of_paper(own))] + cells)
    return format_rows(rows) if len(rows) > 1 else ""


def cell_of_source(simulation, source, where, keys):
    """A number of the paper as a link to its file, or one computed from its numbers; None if there is none."""
    if isinstance(where, Computed):
        value = where.of(lambda *at: float(source[at][0]) if at in source else None, keys)
        return None if value is None else format_number(value, where.unit)
    at = where(keys) if callable(where) else tuple(part.format(**keys) for part in where)
    if at not in source:
        return None
    shown = with_unit(*source[at])
    return f'[{shown}](../assets/sources/{simulation}.csv "{at[0]}, {at[1]}, {at[2]}")'


def without_citation(note, cited):
    """Removes the citation: the page names the paper above its tables."""
    return note.replace(f": {cited}", "").replace(f" ({cited})", "")


def study_of(results, study):
    return next((s for s in results["studies"] if s["study"] == study), {}) if results else {}


def own_device(results, study):
    """What to say of a study of a file that was measured on another device, or was stopped."""
    found = study_of(results, study)
    words = f"measured on an {found['device']}" if "device" in found else ""
    stopped = "stopped before its end, so that rows are missing" if not found.get("whole", True) else ""
    return ", ".join(filter(None, [words, stopped]))


def notes_of(machines, tables, unknown, shows_notes, study):
    """The missing measurements of each machine, and the study's notes, once if both are the same."""
    words = [f"{word}: {own}." for (_, word), results in zip(MACHINES, machines) if (own := own_device(results, study))]
    for (_, word), results, table in zip(MACHINES, machines, tables):
        if not table or not table["rows"]:
            without_gpu = results is not None and results["backend"] == "cpu"
            words.append(f"On {word}: needs a CUDA device." if without_gpu else f"On {word}: not measured yet.")
    if unknown:
        words.append(f"Not measured yet: {', '.join(unknown)}.")
    notes = [(word, without_citation(table["note"], results["source"]))
             for (_, word), results, table in zip(MACHINES, machines, tables)
             if shows_notes and table and table["rows"] and table["note"]]
    if len({note for _, note in notes}) == 1:
        notes = [("", notes[0][1])]
    words += [f"{word[0].upper()}{word[1:]}: {note}" if word else note for word, note in notes]
    return f"\n{' '.join(words)}\n" if words else ""


def table_by_keys(results, study, name, keys):
    """None if the file is older than these keys of its rows."""
    table = table_of(results, study, name)
    return table if table and set(keys) <= {c["id"] for c in table["columns"]} else None


def in_code(root, simulation, name):
    return any(f'id = "{name}"' in path.read_text(encoding="utf-8")
               for path in (root / "cuda/studies" / simulation).glob("*.cpp"))


def comparison(root, simulation, source, machines, shown, shows_notes, violations):
    study, name, repeats, keys, columns, theirs, every = shown
    title = f"{repeats[0].upper()}{repeats[1:]} (`--{study}`)"
    tables = [table_by_keys(results, study, name, keys) for results in machines]
    void = [void_columns(name, changes_since(root, simulation, results, study)) if results else {}
            for results in machines]
    filled = [t for t in tables if t and t["rows"]]
    if not filled and in_code(root, simulation, name):
        return f"<details><summary>{title}</summary>\n\nNot measured yet.\n\n</details>\n\n"
    if not filled:
        violations.append(f"scripts/source_results.py: no file of docs/benchmarks fills {simulation}'s {repeats}: "
                        f"there are no rows of the table {name} of --{study}")
        return ""
    labels = {c["id"]: c for t in filled for c in t["columns"]}
    unknown = [c for c in columns if isinstance(c, str) and c not in labels]
    columns = [(c[0], *c) if isinstance(c, tuple)
               else (c, labels[c]["label"], lambda row, c=c: row.get(c), labels[c]["unit"])
               for c in columns if c not in unknown]
    head = [labels[k]["label"] for k in keys]
    head += [f"source, {'computed: ' if isinstance(where, Computed) else ''}{word}" for word, where in theirs.items()]
    merged = {}
    for k, table in enumerate(tables):
        for row in table["rows"] if table else []:
            merged.setdefault(tuple(str(row.get(key)) for key in keys), [None] * len(tables))[k] = row
    for (_, word), table in zip(MACHINES, tables):
        head += [f"{word}: {label}" for _, label, _, _ in columns] if table and table["rows"] else []
    rows, linked = [head], set()
    for at, found in enumerate(merged.values()):
        if at % every != every - 1:
            continue
        first = next(row for row in found if row)
        words = {k: format_number(first[k]) for k in keys}
        cells = [format_number(first[k], labels[k]["unit"]) for k in keys]
        for word, where in theirs.items():
            cell = cell_of_source(simulation, source, where, words)
            cells.append(cell or "–")
            linked |= {word} if cell else set()
        for table, row, again in zip(tables, found, void):
            if table and table["rows"]:
                cells += [AGAIN if row and (None in again or name in again)
                          else format_number(value(row) if row else None, unit) for name, _, value, unit in columns]
        rows.append(cells)
    for word in theirs:
        if word not in linked:
            violations.append(f"scripts/source_results.py: assets/sources/{simulation}.csv has nothing for the column "
                            f"\"{word}\" of {repeats}")
    reasons = [f"{word}, {AGAIN}: {reason}." for (_, word), again in zip(MACHINES, void)
               for reason in dict.fromkeys(again.values())]
    why = f"\n{' '.join(reasons)}\n" if reasons else ""
    return (f"<details><summary>{title}</summary>\n\n{format_rows(rows)}{why}"
            f"{notes_of(machines, tables, unknown, shows_notes, study)}\n</details>\n\n")


def block_of(root, simulation, violations):
    machines = read_machines(root, simulation)
    source = read_source(root, simulation)
    words = []
    for (name, word), results in zip(MACHINES, machines):
        file = f"{simulation}-sources-{name}.json"
        words.append(f"{word}: {results['device']} ([{file}](benchmarks/{file}))" if results
                     else f"{word}: not measured yet")
    text = "\n**What was found here.** " + "; ".join(words[:1] + words[1:]) + ".\n\n"
    text += findings(root, simulation, machines) or "No verdicts yet.\n"
    text += "\n"
    seen = set()
    for shown in TABLES[simulation]:
        text += comparison(root, simulation, source, machines, shown, shown[:2] not in seen, violations)
        seen.add(shown[:2])
    return text


# ---- a row for every number of the papers, and for every statement that the studies test

ITEMS_BEGIN = "<!-- items: by scripts/source_results.py --write -->\n"
ITEMS_END = "<!-- end of items -->\n"
NAMES = {"wave": "Wave tank", "lbm": "Flow", "particles": "Discs", "fibers": "Fibers", "membrane": "Membrane"}


def read_rules(root):
    """How each number of the papers is compared (assets/source_items.csv): the first rule that matches decides."""
    with open(root / "assets/source_items.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_untested(root):
    """Statements and numbers of the papers that no study tests, each with the reason."""
    with open(root / "assets/source_untested.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def context_of(place, row):
    """Names that a rule may use: {row}, and what the place determines."""
    table = {"table 4.7": ("1", "integration_level_10"), "table 4.8": ("2", "integration_level_10")}
    number = place[-1] if place.startswith("table 4.") else ""
    degree, integration = table.get(place, (str(int(number) - 1) if number.isdigit() else "", "integration_level_p"))
    return {"row": row, "fibers": {"table 2.1": "300", "table 2.2": "600"}.get(place, ""), "degree": degree,
            "integration": integration}


# Studies that leave out rows unless the time of all is asked for.
LONG = {("fibers", "interaction"), ("membrane", "tables"), ("membrane", "cells")}


def studies(root):
    """assets/source_studies.csv by simulation and study."""
    with open(root / "assets/source_studies.csv", encoding="utf-8") as file:
        return {(r["simulation"], r["study"]): dict(r, version=int(r["version"])) for r in csv.DictReader(file)}


def command_of(root, simulation, study):
    preset = studies(root)[simulation, study]["preset"]
    words = [f"perturb bench {simulation}{'/' + preset if preset else ''} --{study}"]
    return f"`{' '.join(words + ['--long'] * ((simulation, study) in LONG))}`"


NOT_YET = "not measured yet: "
OLDER = f"{NOT_YET}the stored file is older"
STOPPED = f"{NOT_YET}the study was stopped before it"
LEFT_OUT = "left out: too much time or memory"
NEEDS_CUDA = "not measured here: needs a CUDA device"


def missing(root, simulation, results, study):
    """Why a machine's results lack something that the study has."""
    found = study_of(results, study)
    if not found.get("whole", True):
        return STOPPED
    return OLDER if not found or found.get("version", 1) < studies(root)[simulation, study]["version"] else LEFT_OUT


def on_its_device(results, study, cell):
    """A cell of a study that was measured on another machine than the rest of the file names that machine's device."""
    device = study_of(results, study).get("device")
    return f"{cell} (measured with an {device})" if device else cell


def value_here(root, simulation, results, rule, context):
    """A machine's number for a rule, as (value, unit); what it says instead of one, "not in 1000"; or (None, why)."""
    table_id = rule["table"].format(**context)
    table = table_of(results, rule["study"], table_id)
    on = {"cpu value": "cpu", "gpu value": "cuda"}.get(rule["how"], results["backend"])
    if results["backend"] != on:
        return None, NEEDS_CUDA if on == "cuda" else "–"
    void = void_columns(table_id, changes_since(root, simulation, results, rule["study"]))
    if None in void or rule["here"] in void:
        return None, f"{AGAIN}: {void.get(None) or void[rule['here']]}"
    wanted = dict(key.split("=", 1) for key in rule["keys"].format(**context).split(";"))
    for row in table["rows"] if table else []:
        # A full stop in the data stands for any character: a comma would end the field.
        if all(re.fullmatch(re.escape(v).replace(r"\.", "."), format_number(row.get(k))) for k, v in wanted.items()):
            value = row.get(rule["here"])
            unit = next((c["unit"] for c in table["columns"] if c["id"] == rule["here"]), "")
            if isinstance(value, (int, float)) or value:
                return value, unit
            break
    has_column = table and any(c["id"] == rule["here"] for c in table["columns"])
    if has_column and study_of(results, rule["study"]).get("whole", True):
        return None, LEFT_OUT
    return None, missing(root, simulation, results, rule["study"])


def half_of_last_digit(digits):
    mantissa, _, exponent = digits.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.5 * 10.0 ** (int(exponent or 0) - decimals)


SCALES = {"ms": 1e-3, "min": 60, "h": 3600}


def item_of_value(root, simulation, machines, rule, context, digits, unit):
    cells, verdict, why = [], "", ""
    for results in reversed(machines):  # the H200 first
        value, unit_here = value_here(root, simulation, results, rule, context)
        cells.append(unit_here if value is None
                     else on_its_device(results, rule["study"], format_number(value, unit_here)))
        why = cells[-1] if why in ("", "–") else why
        if value is not None and not verdict:
            scale = SCALES.get(unit, 1)
            near = (isinstance(value, (int, float))
                    and abs(value - float(digits) * scale) <= 1.001 * half_of_last_digit(digits) * scale)
            verdict = YES if near else f"different: {rule['reason']}"
    return cells, verdict or f"not repeated: {why.removeprefix(NOT_YET)}"


YES, INCONCLUSIVE, SETTING = "yes", "inconclusive", "a setting"
KINDS = {YES: "as in the paper", "different": "different", INCONCLUSIVE: "inconclusive", SETTING: "settings",
         "not repeated": "not repeated"}
AS_IN_THE_PAPER = {"holds here", "agrees", "alike here"}


def verdict_of_finding(row, reason):
    if row["void"]:
        return f"not repeated: {AGAIN}: {row['void']}"
    verdict = verdict_of(row)
    if verdict in AS_IN_THE_PAPER:
        return YES
    return verdict if verdict == INCONCLUSIVE else f"different: {verdict}" + (f", {reason}" if reason else "")


def of_another_size(rows, study, claim, place):
    """A machine's finding that differs from a claim in its numbers alone: a slower machine measures smaller sizes."""
    return next((r for s, r in rows if s == study and r["place"] == place and r["repeats"]
                 and without_numbers(r["claim"]) == without_numbers(claim)), None)


def item_of_finding(root, simulation, machines, found, study, matches, reason="", claim="", place=""):
    """`found`: by machine, the findings as (study, row). The verdict is the H200's, otherwise that of the two cores.
    `claim`, `place`: of a finding that another size may have instead."""
    cells, verdict, why = [], "", ""
    for results, rows in zip(reversed(machines), reversed(found)):
        row = next((r for s, r in rows if s == study and matches(r["claim"]) and r["repeats"]), None)
        words = []
        if row is None and claim:
            row = of_another_size(rows, study, claim, place)
            words = [f"with {size_text(claim, row['claim'])}"] if row else []
        if row:
            words += [row["asked"]] if row["asked"] else []
            cells.append(on_its_device(results, study, finding_text(row).replace("**", "")
                                       + (f" ({'; '.join(words)})" if words else "")))
        else:
            cells.append(NEEDS_CUDA if rows is found[0] else missing(root, simulation, results, study))
        why = why or cells[-1]
        if row and not row["asked"] and not verdict:
            verdict = verdict_of_finding(row, reason)
    return cells, verdict or f"not repeated: {why.removeprefix(NOT_YET)}"


def items_of(root, simulation, violations):
    machines = read_machines(root, simulation)
    found = [list(rows_of_findings(root, simulation, results)) for results in machines]
    rules = [rule for rule in read_rules(root) if rule["simulation"] == simulation]
    rows = [["item", "the paper", "H200", "two cores", "command", "as in the paper?"]]
    used = []
    for (place, row, column), (digits, unit) in read_source(root, simulation).items():
        rule = next((r for r in rules if r["how"] != "claim" and re.fullmatch(r["place"], place) and re.fullmatch(r["row"], row)
                     and re.fullmatch(r["column"], column)), None)
        if rule is None:
            violations.append(f"assets/source_items.csv: no rule for {simulation}, {place}, {row}, {column}")
            continue
        paper = f'[{with_unit(digits, unit)}](../assets/sources/{simulation}.csv "{place}, {row}, {column}")'
        context, command = context_of(place, row), "–"
        if rule["how"] == "none":
            cells, verdict = ["–", "–"], f"not repeated: {rule['reason']}"
        elif rule["how"] == "setting":
            cells, verdict = ["–", "–"], SETTING + (f", {rule['reason']}" if rule["reason"] else "")
        elif rule["how"] == "finding":
            pattern = rule["here"].replace("{row}", re.escape(row))
            cells, verdict = item_of_finding(root, simulation, machines, found, rule["study"],
                                             lambda claim: re.search(pattern, claim), rule["reason"])
            used.append((rule["study"], pattern))
            command = command_of(root, simulation, rule["study"])
        else:
            cells, verdict = item_of_value(root, simulation, machines, rule, context, digits, unit)
            command = command_of(root, simulation, rule["study"])
        rows.append([f"{place}, {row}: {column}", paper, *cells, command, verdict])
    claims = {(s, r["claim"], r["place"]): None for rows_here in reversed(found) for s, r in rows_here if not r["asked"]}
    for study, claim, place in claims:
        if any(study == s and re.search(pattern, claim) for s, pattern in used):
            continue
        # The machine that measured more sizes names the row.
        of_first = of_another_size(found[-1], study, claim, place)
        if of_first and of_first["claim"] != claim and not of_first["asked"]:
            if not any(s == study and r["claim"] == claim for s, r in found[-1]):
                continue
        reason = next((r["reason"] for r in rules if r["how"] == "claim" and r["study"] == study
                       and re.fullmatch(r["place"], place) and re.search(r["here"], claim)), "")
        cells, verdict = item_of_finding(root, simulation, machines, found, study,
                                         lambda found_claim: found_claim == claim, reason, claim, place)
        ratio = ratio_of_paper([r for rows_here in found for s, r in rows_here if s == study and r["claim"] == claim])
        stated = "states it" if ratio is None else f"ratio {format_number(ratio)}"
        rows.append([f"{place}: {claim}", stated, *cells, command_of(root, simulation, study), verdict])
    for row in read_untested(root):
        if row["simulation"] == simulation:
            rows.append([f"{row['place']}: {row['statement']}", "states it", "–", "–", "–",
                         f"not repeated: {row['reason']}"])
    return rows


def items(root, violations):
    text = ""
    for simulation in SIMULATIONS:
        rows = items_of(root, simulation, violations)
        count = {kind: sum(row[-1].startswith(kind) for row in rows[1:]) for kind in KINDS}
        text += (f"<details><summary>{NAMES[simulation]}: {len(rows) - 1} items, "
                 + ", ".join(f"{n} {KINDS[kind]}" for kind, n in count.items() if n)
                 + f"</summary>\n\n{format_rows(rows)}\n</details>\n\n")
    return "\n" + text


def stored_findings(root):
    """The H200's findings for the program, which lists those that a machine without a CUDA device cannot measure."""
    lines = []
    for simulation in SIMULATIONS:
        results = read_machines(root, simulation)[[name for name, _ in MACHINES].index("nvidia-h200")]
        if not lines:
            lines.append(f"# {results['device']}")
        for study, row in rows_of_findings(root, simulation, results):
            text = finding_text(row).replace("**", "")
            lines.append("\t".join([simulation, study, row["claim"], row["place"], text]))
    return "\n".join(lines) + "\n"


def wrapped(page):
    """The page with its text wrapped at 120 columns; tables, headings and HTML stay as they are."""
    return "\n".join(line if re.match(r"[|#<>`]", line) else textwrap.fill(
        line, 120, break_long_words=False, break_on_hyphens=False) for line in page.split("\n"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    page = arguments.root / PAGE
    text = page.read_text(encoding="utf-8")
    violations = []
    for simulation in SIMULATIONS:
        block = wrapped(block_of(arguments.root, simulation, violations))
        if not arguments.write and not arguments.check:
            print(f"## {simulation}\n{block}")
            continue
        begin, end = marks(simulation)
        if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
            violations.append(f"{PAGE}: the marks of {simulation}'s results are not there once each: {begin.strip()}")
            continue
        first, last = text.index(begin) + len(begin), text.index(end)
        if arguments.check and text[first:last] != block:
            violations.append(f"{PAGE}: the results of {simulation} are not those of docs/benchmarks: "
                            "run scripts/source_results.py --write")
        text = text[:first] + block + text[last:]
    block = items(arguments.root, violations)
    if arguments.write or arguments.check:
        first, last = text.index(ITEMS_BEGIN) + len(ITEMS_BEGIN), text.index(ITEMS_END)
        if arguments.check and text[first:last] != block:
            violations.append(f"{PAGE}: the items are not those of docs/benchmarks and assets/sources: "
                              "run scripts/source_results.py --write")
        text = text[:first] + block + text[last:]
    else:
        print(f"## items\n{block}")
    stored = arguments.root / STORED
    if arguments.check and stored.read_text(encoding="utf-8") != stored_findings(arguments.root):
        violations.append(f"{STORED}: the findings are not those of docs/benchmarks: run scripts/source_results.py "
                          "--write")
    if arguments.write and not violations:
        page.write_text(text, encoding="utf-8")
        stored.write_text(stored_findings(arguments.root), encoding="utf-8")
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
