#!/usr/bin/env python3
"""Every item of the five papers, for `perturb paper`: assets/paper_items.tsv.

  scripts/paper_items.py --write  writes it
  scripts/paper_items.py --check  prints what is wrong, exits 1 if anything

An item is a claim of a page in docs/papers (its verdict is written there, by hand), a finding of a study, a number or a
setting of the paper, or a statement that nothing tests. Numbers of ours come from docs/benchmarks, the papers' from
assets/sources; assets/source_items.csv says how they belong together, assets/source_untested.csv has what is not
tested, and assets/source_changes.csv which stored results are no longer those of their study (assets/README.md).
"""
import argparse
import csv
import re
import statistics
import sys

import paper_pages
from paper_pages import H200, ROOT, SIMULATIONS, TWO_CORES, Problem, read, stored

ITEMS = "assets/paper_items.tsv"
FIELDS = ["paper", "kind", "place", "item", "printed", "h200", "two_cores", "holds", "why", "study"]
MACHINES = (H200, TWO_CORES)
# A smaller effect is no difference (cuda/studies/paper.h).
SMALLEST_EFFECT = 0.02

NEEDS_CUDA, LEFT_OUT, AGAIN = "needs a CUDA device", "left out: time or memory", "to be measured again"
# Claims about runs from one start, which the next run repeats (paired_finding in the studies).
PAIRED_PLACES = {"figure 5.5", "figure 5.6", "section 5.6", "figure 6.1"}
SCALES = {"ms": 1e-3, "min": 60, "h": 3600}


def table_of_rows(path):
    return list(csv.DictReader(read(path).splitlines()))


def format_number(value, unit=""):
    """Formats like the studies' tables: three digits, with a prefix if the unit has one."""
    if value is None or value in ("", "-"):
        return ""
    if isinstance(value, str):
        return value
    if unit.startswith("s") and value != 0:
        for factor, word in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
            if abs(value) >= 0.9995 * factor or word == "ns":
                return f"{float(f'{value / factor:.3g}'):g} {word}"
    text = str(int(value)) if value == int(value) and abs(value) < 1e7 else f"{value:.3g}"
    return text + (" %" if unit == "%" else "")


# ---- stored results

def study_of(simulation, machine, study):
    return next((s for s in stored(simulation, machine)["studies"] if s["study"] == study), {})


def is_known(claim, changes):
    return not any(kind == "withdrawn" and re.search(what, claim) for kind, what, _ in changes)


class Results:
    """The stored results of a paper's studies, of both machines."""

    def __init__(self, simulation):
        self.simulation = simulation
        self.changes = [dict(row, version=int(row["version"])) for row in table_of_rows("assets/source_changes.csv")
                        if row["simulation"] == simulation]
        self.studies = [row for row in table_of_rows("assets/source_studies.csv") if row["simulation"] == simulation]

    def changes_since(self, machine, study):
        """What a machine's results do not have yet: (kind, what, reason)."""
        version = study_of(self.simulation, machine, study).get("version", 1)
        return [(*row["what"].split(" ", 1), row["reason"]) for row in self.changes
                if row["study"] == study and row["version"] > version]

    def rows(self, machine, study, table):
        return [row for t in study_of(self.simulation, machine, study).get("tables", []) if t["id"] == table
                for row in t["rows"]]

    def unit(self, machine, study, table, column):
        return next((c["unit"] for t in study_of(self.simulation, machine, study).get("tables", [])
                     if t["id"] == table for c in t["columns"] if c["id"] == column), "")

    def findings(self, machine, study):
        """Measured findings: their claims without the note of their device, which `asked` has."""
        changes = self.changes_since(machine, study)
        for row in self.rows(machine, study, "findings"):
            # Stored claims have an older wording of the same words.
            claim = row["claim"].replace("the source's", "the paper's").replace("the source ", "the paper ")
            claim, asked = re.subn(r" \(asked of a (?:processor|GPU)\)", "", claim)
            claim, bound = re.subn(r" by more than 1 % \(our bound\)", "", claim)
            if bound:  # one side was stored times 1.01
                ends = {key: 1.01 * row[key] for key in ("ratio", "least_ratio", "most_ratio") if row["repeats"]}
                row = dict(row, **ends, measured="-", verdict="inconclusive")
            if not row["repeats"] or not is_known(claim, changes):
                continue
            void = next((reason for kind, what, reason in changes if kind == "claim" and re.search(what, claim)), "")
            yield dict(row, claim=claim, asked=asked, void=void)
        yield from powers(self, machine, study)


# Of files of an older version: what grows as N squared, with its place, table and column.
SQUARES = {
    "sweeps": [("the time of a step, FP64", "figure 8", "numbers", "all_pairs_fp64"),
               ("the time of a step, FP64, contraction", "figure 8", "numbers", "all_pairs_fp64_contraction")],
    "figures": [("the time of the check of pairs", "figure 12", "parts", "pairs_seconds"),
                ("the number of candidates", "section 7.2", "candidates", None),
                ("the time of qsort and filter", "figure 14", "parts", "qsort_seconds")],
}


def powers(results, machine, study):
    changes = results.changes_since(machine, study) if results.simulation == "particles" else []
    for what, place, table, column in SQUARES.get(study, []) if changes else []:
        rows = [r for r in results.rows(machine, study, table) if 8000 <= float(r["discs"])]
        if not rows or float(rows[-1]["discs"]) < 32000:
            continue
        counts = [float(r["discs"]) for r in rows]
        power, half = paper_pages.power(counts, [r[column] if column else r["pairs"] + r["walls"] for r in rows])
        verdict = "inconclusive" if half >= 1 else "agrees" if abs(power - 2) <= max(half, 2 * SMALLEST_EFFECT) \
            else "differs"
        yield {"claim": what + " grows as N squared: the power of N, from 8000 to 32000", "place": place,
               "source_ratio": 2.0, "measured": f"{power:.3g} ± {half:.2g} (power of N)", "ratio": power,
               "least_ratio": power, "most_ratio": power, "repeats": 1, "verdict": verdict, "asked": 0, "void": ""}


# ---- findings

def without_numbers(claim):
    return re.sub(r"\d+( x \d+)?", "#", claim)


def size_text(claim, of):
    """What differs in the numbers of `of` and `claim`: "N = 4000" for "N = 4000" and "N = 32000", "600 fibers"."""
    number = re.compile(r"((?:[A-Za-z]+ )?= |(?:level|size|side|degree) )?\b(\d+(?: x \d+)?)\b"
                        r"( (?:cells|discs|fibers|steps|threads)\b)?")
    ours, theirs = list(number.finditer(of)), list(number.finditer(claim))
    return ", ".join(f"{a[1]}{a[2]}" if a[1] else f"{a[2]}{a[3] or ''}" for a, b in zip(ours, theirs) if a[2] != b[2])


def shown(row):
    """What was measured: the ratio, or the number itself if the ratio is one to a bound."""
    if row["void"]:
        return f"{AGAIN}: {row['void']}"
    measured = row.get("measured", "-")
    return format_number(row["ratio"]) if measured in ("-", "") else measured


def word(row):
    """yes, no or unclear, and a reason, by the rules of verdict_text (cuda/studies/paper.cpp) for a stored finding."""
    verdict = {"cannot be told from the noise": "inconclusive"}.get(row["verdict"], row["verdict"])
    least, most = row["least_ratio"], row["most_ratio"]
    has_range = isinstance(least, float) and isinstance(most, float)
    noisy = row["repeats"] >= 5 and has_range and row.get("measured", "-") in ("-", "")
    if verdict in ("holds here", "reversed here", "inconclusive") and noisy:
        paired = row["place"] in PAIRED_PLACES
        if not paired and least <= 1 <= most:
            verdict = "inconclusive"
        ends = (least, most) if verdict == "inconclusive" else (row["ratio"], row["ratio"])
        if ends[0] * (1 + SMALLEST_EFFECT) > 1 and ends[1] < 1 + SMALLEST_EFFECT:
            verdict = "no difference"
    return {"holds here": ("yes", ""), "agrees": ("yes", ""), "alike here": ("no", "no difference"),
            "no difference": ("no", "no difference"), "inconclusive": ("unclear", "repeats overlap"),
            }.get(verdict, ("no", ""))


def one_word(rows):
    """The verdict on a claim that was asked for several sizes."""
    words = {word(row) for row in rows if not row["void"]}
    if not words:
        return "", ""
    if len({holds for holds, _ in words}) > 1:
        return "unclear", "differs by size"
    holds = next(iter(words))[0]
    reasons = {reason for _, reason in words}
    return holds, reasons.pop() if len(reasons) == 1 else ""


def cell_of(rows):
    """The results of a claim's sizes: the first, and the others by what differs."""
    first, *others = rows
    more = ", ".join(f"{size_text(first['claim'], row['claim'])}: {shown(row)}" for row in others)
    return shown(first) + (f" ({more})" if more else "")


def grouped(results, machine, study):
    groups = {}
    for row in results.findings(machine, study):
        groups.setdefault((without_numbers(row["claim"]), row["place"]), []).append(row)
    return groups


# ---- numbers

def context_of(place, row):
    """Names that a rule may use: {row}, and what the place determines."""
    table = {"table 4.7": ("1", "integration_level_10"), "table 4.8": ("2", "integration_level_10")}
    number = place[-1] if place.startswith("table 4.") else ""
    degree, integration = table.get(place, (str(int(number) - 1) if number.isdigit() else "", "integration_level_p"))
    return {"row": row, "fibers": {"table 2.1": "300", "table 2.2": "600"}.get(place, ""), "degree": degree,
            "integration": integration}


def with_totals(rows):
    """Files of an older version have one column: the total time of `assemble`, the self time of the others. Each
    function's total is its self time and the total of the one that it calls."""
    if not rows or "seconds" not in rows[0]:
        return
    seconds = {(row["fibers"], row["source_function"]): row["seconds"] for row in rows}
    for row in rows:
        called = {"assemble": [], "velocity": ["assemble"],
                  "advect": ["velocity", "assemble"]}.get(row["source_function"])
        if called is not None:
            row["total_seconds"] = row["seconds"] + sum(seconds[row["fibers"], name] for name in called)
            if called:
                row["self_seconds"] = row["seconds"]


OF_ALL = {"mean ": statistics.fmean, "min ": min, "max ": max}
OF_RATIO = {"% ": lambda ratio: 100 * (ratio - 1), "less ": lambda ratio: 100 * (1 - ratio)}


def value_in(rows, expression):
    """A column of the first row, or "a/b" of two; "% a" for 100 (a - 1), "less a" for 100 (1 - a); "mean ...", "min ..."
    and "max ..." over all rows. None if it has none."""
    for word, of in OF_ALL.items():
        if expression.startswith(word):
            values = [value_in([row], expression[len(word):]) for row in rows]
            return None if None in values or not values else of(values)
    for word, of in OF_RATIO.items():
        if expression.startswith(word):
            value = value_in(rows, expression[len(word):])
            return None if value is None else of(value)
    values = [rows[0].get(name) for name in expression.split("/")] if rows else [None]
    if not all(isinstance(value, (int, float)) for value in values):
        return values[0] if len(values) == 1 and values[0] not in ("", "-") else None
    return values[0] / values[1] if len(values) == 2 else values[0]


def number_here(results, machine, rule, context):
    """A machine's cell for a rule: each part "label: expression" between bars; the first one has no label."""
    backend = stored(results.simulation, machine)["backend"]
    if {"cpu value": "cpu", "gpu value": "cuda"}.get(rule["how"], backend) != backend:
        return NEEDS_CUDA if backend == "cpu" else ""
    table = rule["table"].format(**context)
    changes = results.changes_since(machine, rule["study"])
    again = next((reason for kind, what, reason in changes if (kind, what) in
                  (("table", table), ("column", f"{table} {rule['here']}"))), None)
    if again:
        return f"{AGAIN}: {again}"
    rows = results.rows(machine, rule["study"], table)
    if table == "calls":
        with_totals(rows)
    wanted = dict(key.split("=", 1) for key in rule["keys"].format(**context).split(";") if key)
    # A full stop in the data stands for any character: a comma would end the field.
    rows = [row for row in rows if all(re.fullmatch(re.escape(v).replace(r"\.", "."), format_number(row.get(k)))
                                       for k, v in wanted.items())]
    cells = []
    for part in rule["here"].split("|"):
        label, _, expression = part.rpartition(": ")
        value = value_in(rows, expression)
        if value is None:
            continue
        unit = "%" if expression.startswith(tuple(OF_RATIO)) \
            else results.unit(machine, rule["study"], table, expression.split(" ")[-1])
        cells.append((f"{label} " if label else "") + format_number(value, unit))
    return cells[0] + (f" ({', '.join(cells[1:])})" if len(cells) > 1 else "") if cells else LEFT_OUT


def printed_number(value, unit):
    return f"{value} {'s' if unit == 's/DOF' else unit}".rstrip()


# ---- claims of a page

def plain(text):
    """Without links and Markdown."""
    return re.sub(r"\]\[[^\]]*\]|[\[*]", "", text).replace("\\|", "|").strip().replace("–", "")


def claims_of(page):
    head, machines = None, []
    for line in read(f"docs/papers/{page}.md").splitlines():
        if not line.startswith("|"):
            continue
        cells = [plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]
        if "holds?" in cells:
            head, machines = cells, {name: cells.index(name) for name in ("H200", "two cores") if name in cells}
        elif head and len(cells) == len(head) and not set(cells[0]) <= set(":- "):
            claim, place = re.fullmatch(r"(.*?)(?: \(([^()]*)\))?", cells[0]).groups()
            if place and not re.match("table|figure|section|chapter|equation", place):
                place = f"section {place}"
            yield {"kind": "claim", "place": place or "", "item": claim, "printed": cells[1],
                   "h200": cells[machines["H200"]],
                   "two_cores": cells[machines["two cores"]] if "two cores" in machines else "",
                   "holds": cells[-2], "why": cells[-1]}


# ---- all items

def stored_on(simulation, machine):
    """The device of a file with its date and commit, which newer files state themselves, and older ones in the list of
    docs/benchmarks/README.md."""
    results, name = stored(simulation, machine), f"{simulation}-sources-{machine}"
    if "date" in results:
        return "{device}, {date}, commit {commit}, driver {driver}, host {host}".format(**results)
    entry = re.search(rf"^- (\S+), (\w+):(?:(?!^- ).)*?\[{name}\]", read("docs/benchmarks/README.md"), re.M | re.S)
    if not entry:
        raise Problem(f"docs/benchmarks/README.md does not list {name}.json under Files: add it with date and commit")
    return f"{results['device']}, stored {entry[1]}, commit {entry[2]}"


def items_of(page, wrong):
    simulation = SIMULATIONS[page]
    results = Results(simulation)
    rules = [rule for rule in table_of_rows("assets/source_items.csv") if rule["simulation"] == simulation]
    for name, machine in zip(("H200", "two cores"), MACHINES):
        yield {"kind": "machine", "item": name, "printed": stored_on(simulation, machine)}
    claims = list(claims_of(page))
    yield from claims
    lines = csv.DictReader(read(f"assets/sources/{simulation}.csv").splitlines()[1:])
    numbers, belongs = [], {}  # numbers of the paper; those that belong to a finding, by rule
    for number in lines:
        rule = next((r for r in rules if r["how"] not in ("claim", "note", "part", "unchanged")
                     and all(re.fullmatch(r[key], number[key]) for key in ("place", "row", "column"))), None)
        if rule is None:
            wrong.append(f"assets/source_items.csv: no rule for {simulation}, {number['place']}, {number['row']}, "
                         f"{number['column']}")
        elif rule["how"] == "finding":
            pattern = rule["here"].replace("{row}", re.escape(number["row"]))
            belongs.setdefault((rule["study"], pattern), []).append(number)
        else:
            numbers.append((number, rule))
    yield from findings_of(page, results, rules, belongs, claims, wrong)
    for number, rule in numbers:
        cells = ["", ""]
        if rule["how"].endswith("value"):
            cells = [number_here(results, machine, rule, context_of(number["place"], number["row"]))
                     for machine in MACHINES]
        yield {"kind": "setting" if rule["how"] == "setting" else "number", "place": number["place"],
               "item": f"{number['row']}: {number['column']}",
               "printed": printed_number(number["value"], number["unit"]), "h200": cells[0], "two_cores": cells[1],
               "why": rule["reason"], "study": rule["study"]}
    for row in table_of_rows("assets/source_untested.csv"):
        if row["simulation"] == simulation:
            yield {"kind": "untested", "place": row["place"], "item": row["statement"], "why": row["reason"]}


def findings_of(page, results, rules, belongs, claims, wrong):
    used = set()
    for study in results.studies:
        name = study["study"]
        groups = [grouped(results, machine, name) for machine in MACHINES]
        for key in dict.fromkeys([*groups[0], *groups[1]]):
            on = [g.get(key, []) for g in groups]
            first = (on[0] or on[1])[0]
            if not on[0] and all(row["asked"] for row in on[1]) and first["place"] != "figure 8":
                continue  # a GPU's claim, asked of a processor alone
            item = {"kind": "finding", "place": first["place"], "item": first["claim"], "study": name}
            numbers = []
            for (of_study, pattern), found in belongs.items():
                if of_study == name and any(re.search(pattern, row["claim"]) for rows in on for row in rows):
                    numbers += found
                    used.add((of_study, pattern))
            ratio = next((row["source_ratio"] for row in on[0] + on[1]
                          if isinstance(row["source_ratio"], (int, float))), None)
            item["printed"] = "; ".join(printed_number(n["value"], n["unit"]) for n in numbers) or format_number(ratio)
            places = [n["place"] for n in numbers if n["place"] not in first["place"]]
            item["place"] = ", ".join(dict.fromkeys([first["place"], *places]))
            item["h200"] = cell_of(on[0]) if on[0] else ""
            item["two_cores"] = \
                (cell_of(on[1]) if on[1] else "" if on[0] and not study_of(results.simulation, TWO_CORES, name)
                 else NEEDS_CUDA if on[0] else "")
            if on[1] and all(row["asked"] for row in on[1]):
                item["two_cores"] += ", of a processor"
            judged = on[0] or [row for row in on[1] if not row["asked"]]
            item["holds"], item["why"] = one_word(judged)
            for rule in rules:
                if rule["how"] not in ("claim", "note", "part", "unchanged") or rule["study"] != name \
                        or not re.search(rule["here"], first["claim"]) or not re.fullmatch(rule["place"], first["place"]):
                    continue
                if rule["how"] == "part":
                    item["holds"], item["why"] = "", f'of the claim "{rule["reason"]}"'
                    if not any(claim["item"].startswith(rule["reason"]) for claim in claims):
                        wrong.append(f'assets/source_items.csv: docs/papers/{page}.md has no claim "{rule["reason"]}"')
                elif rule["how"] == "unchanged":
                    item["holds"] = {"no": "yes", "yes": "no", "unclear": "yes"}.get(item["holds"], "")
                    item["why"] = rule["reason"] or item["why"]
                elif item["holds"] != "yes" or rule["how"] == "note":
                    item["why"] = rule["reason"]
                break
            yield item
    for study, pattern in belongs:
        if (study, pattern) not in used:
            wrong.append(f"assets/source_items.csv: no finding of --{study} matches {pattern}")


def text_of(wrong):
    lines = ["\t".join(FIELDS)]
    for page in SIMULATIONS:
        for item in items_of(page, wrong):
            fields = [page] + [item.get(name, "") for name in FIELDS[1:]]
            lines.append("\t".join(re.sub(r"\s+", " ", field) for field in fields))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true")
    what.add_argument("--check", action="store_true")
    write = parser.parse_args().write
    wrong = []
    try:
        text = text_of(wrong)
        if write:
            (ROOT / ITEMS).write_text(text)
        elif read(ITEMS) != text:
            wrong.append(f"{ITEMS} does not have the stored results: run scripts/paper_items.py --write")
    except Problem as error:
        wrong.append(str(error))
    wrong = list(dict.fromkeys(wrong))
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
