#!/usr/bin/env python3
"""Numbers and plots of docs/papers, from docs/benchmarks and assets/sources.

  scripts/paper_pages.py --write  draws docs/pictures/papers and puts the numbers into the pages
  scripts/paper_pages.py --check  prints what differs from the stored results, exits 1 if anything

A page marks a number as a link by reference: [-30.8][split-128]. The definition at its end names the file. A number of
a paper: assets/sources/SIMULATION.csv with the title "place, row, column". A number of ours: a file of docs/benchmarks;
NUMBERS has its formula. Sentences and verdicts are written by hand. A page has at most 500 words.
"""
import argparse
import csv
import functools
import json
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs/papers"
PICTURES = ROOT / "docs/pictures/papers"
SIMULATIONS = {"wave": "wave", "flow": "lbm", "discs": "particles", "fibers": "fibers", "membrane": "membrane"}
H200, TWO_CORES = "nvidia-h200", "h200-host-2-cores"
VERDICTS = ("yes", "no", "unclear", "not comparable")
MOST_WORDS, MOST_COLUMNS = 500, 120


class Problem(Exception):
    """What is wrong, and what to do about it."""


class Unreadable(Problem):
    """A file without which a page cannot be checked at all."""


def read(path, otherwise=""):
    try:
        return (ROOT / path).read_text()
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}. Restore it (git checkout -- {path}){otherwise}") from error


@functools.lru_cache(None)
def stored(simulation, machine):
    path = f"docs/benchmarks/{simulation}-sources-{machine}.json"
    text = read(path, ", or measure it again (docs/benchmarks/README.md)")
    try:
        return json.loads(text)
    except ValueError as error:
        raise Unreadable(f"{path} is no JSON ({error}). Restore it: git checkout -- {path}") from error


def only(found, simulation, machine, what):
    if len(found) != 1:
        raise Problem(f"docs/benchmarks/{simulation}-sources-{machine}.json: {len(found)} rows, not one, for {what}. "
                      "Correct the formula in NUMBERS or the plot (scripts/paper_pages.py)")
    return found[0]


def alike(stored_value, key):
    """Files have some numbers as text."""
    try:
        return float(stored_value) == float(key)
    except ValueError:
        return stored_value == key


def rows(simulation, study, table, machine=H200, **keys):
    """Rows of a stored table whose columns have these values."""
    tables = [t for s in stored(simulation, machine)["studies"] if s["study"] == study
              for t in s["tables"] if t["id"] == table]
    if not tables:
        raise Problem(f"docs/benchmarks/{simulation}-sources-{machine}.json has no table {table} of --{study}. Measure "
                      "it again (docs/benchmarks/README.md), or correct scripts/paper_pages.py")
    return [row for t in tables for row in t["rows"] if all(alike(row[name], key) for name, key in keys.items())]


def row(simulation, study, table, machine=H200, **keys):
    return only(rows(simulation, study, table, machine, **keys), simulation, machine, f"--{study}, {table}, {keys}")


def finding(simulation, study, start, machine=H200, end=""):
    found = [r for r in rows(simulation, study, "findings", machine)
             if r["claim"].startswith(start) and r["claim"].endswith(end)]
    return only(found, simulation, machine, f'--{study}, findings, "{start}...{end}"')


def column(name, *place, **keys):
    return [r[name] for r in rows(*place, **keys)]


@functools.lru_cache(None)
def paper_table(simulation):
    lines = read(f"assets/sources/{simulation}.csv").splitlines()
    return {(r["place"], r["row"], r["column"]): float(r["value"]) for r in csv.DictReader(lines[1:])}


def paper(simulation, place, row_name, column_name):
    try:
        return paper_table(simulation)[place, row_name, column_name]
    except KeyError as error:
        raise Problem(f'assets/sources/{simulation}.csv has no "{place}, {row_name}, {column_name}". Correct the title '
                      "in the page, or the plot in scripts/paper_pages.py") from error


def duration(simulation, machine=H200, study=None):
    return sum(s["seconds"] for s in stored(simulation, machine)["studies"] if study in (None, s["study"]))


def power(xs, ys):
    """Exponent of y = a x^b by least squares of logarithms, and half the width of its 95 % interval."""
    x, y = [math.log(v) for v in xs], [math.log(v) for v in ys]
    slope, intercept = statistics.linear_regression(x, y)
    rest = sum((b - slope * a - intercept) ** 2 for a, b in zip(x, y))
    spread = sum((a - statistics.fmean(x)) ** 2 for a in x)
    student = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}[len(x) - 2]
    return slope, student * math.sqrt(rest / (len(x) - 2) / spread)


# Waves: the programs of the article in its stages, and its convolutions.

STAGES = ("first droplet", "settled", "bursts of droplets", "long run")


def step(program, on, stage):
    return row("wave", "programs", "programs", program=program, on=on, stage=stage)["seconds_per_step"]


def stage_gain(stage):
    return step("matrices", "cpu, 1 thread", stage) / step("device", "cuda", stage)


def convolution(way, block, side="512"):
    return row("wave", "convolution", "convolution", side=side, way=way, block=block)["seconds"]


FIRST_WAY, CONSTANT_WAY = "global memory, taps too", "global memory, taps in constant memory"
ONE_BLOCK, LAST_WAY = FIRST_WAY + ", one block for the whole field", "shared memory, taps in constant memory"


def convolution_share(machine):
    return row("wave", "profile", "profile", machine, program="matrices", part="convolution")["percent"]


def gain(before, after):
    """How much faster the second time is, in percent."""
    return 100 * (before / after - 1)


# Discs: exponents over N = 8000 to 32 000, and the starts of figure 7.

def growth(study, table, time):
    found = [r for r in rows("particles", study, table) if float(r["discs"]) >= 8000]
    return power([float(r["discs"]) for r in found], [r[time] for r in found])


def step_growth():
    return growth("sweeps", "numbers", "all_pairs_fp64_contraction")


def pairs_growth():
    return growth("figures", "parts", "pairs_seconds")


def divergence():
    return finding("particles", "divergence", "with contraction all discs differ from the CPU's from")


# Fibers: the ratio of table 6.1 in its own definition, function over function.

def fiber_ratios(gpu):
    return [r["cpu_seconds"] / r[gpu] for r in rows("fibers", "interaction", "interaction")]


def fiber_row(count):
    return row("fibers", "interaction", "interaction", fibers=str(count))


# Membrane: the ratio GPU/CPU of a row in the paper's way.

def cells_row(degree, level, integration=None, on="GPU"):
    wanted = (degree, integration or degree, level)
    found = [r for r in rows("membrane", "cells", "cells", on=on)
             if tuple(int(float(r[k])) for k in ("degree", "integration_level", "level")) == wanted]
    return only(found, "membrane", H200, f"--cells, degree, integration level and level {wanted}, {on}")


def evaluation_growth(on):
    """How many times as long the evaluation of p = 5 takes as that of p = 3."""
    return cells_row(5, 7, on=on)["evaluate_seconds"] / cells_row(3, 7, on=on)["evaluate_seconds"]


POINTS_HELP = "against one core the GPU gains with the integration level, 10 against "

NUMBERS = {
    "wave": {
        "first": lambda: stage_gain("first droplet"),
        "burst": lambda: stage_gain("bursts of droplets"),
        "copies": lambda: step("matrices", "cpu, 1 thread", "settled") / step("copies", "cuda", "settled"),
        "fixed": lambda: step("device", "cuda", "bursts of droplets") / step("device", "cuda", "settled"),
        "late": lambda: 100 * (finding("wave", "programs", "on the CPU steps are shorter")["ratio"] - 1),
        "late2": lambda: 100 * (finding("wave", "programs", "on the CPU steps are shorter", TWO_CORES)["ratio"] - 1),
        "conv": lambda: gain(convolution(FIRST_WAY, "9"), convolution(LAST_WAY, "9")),
        "conv-big": lambda: gain(convolution(FIRST_WAY, "9", "2048"), convolution(LAST_WAY, "9", "2048")),
        "conv-one": lambda: convolution(ONE_BLOCK, "81") / convolution(LAST_WAY, "9"),
        "taps": lambda: gain(convolution(FIRST_WAY, "9"), convolution(CONSTANT_WAY, "9")),
        "conv-block": lambda: convolution(CONSTANT_WAY, "9") / convolution(CONSTANT_WAY, "256"),
        "copy-share": lambda: 100 * row("wave", "profile", "profile", program="copies", part="copies")
              ["seconds_per_step"] / row("wave", "profile", "profile", program="matrices", part="convolution")
              ["seconds_per_step"],
        "share": lambda: convolution_share(H200),
        "share2": lambda: convolution_share(TWO_CORES),
        "pinned": lambda: finding("wave", "transfers", "pinned memory makes copies to",
                                  end="512 cells per side")["ratio"],
        "back": lambda: finding("wave", "transfers", "pinned memory makes copies from",
                                       end="512 cells per side")["ratio"],
        "colours": lambda: gain(finding("wave", "programs", "on the CPU the table of colours")["ratio"], 1),
        "colours2": lambda: gain(finding("wave", "programs", "on the CPU the table of colours", TWO_CORES)["ratio"], 1),
        "small": lambda: row("wave", "larger", "larger", side="512")["speed_up"],
        "large": lambda: row("wave", "larger", "larger", side="2048")["speed_up"],
        "time": lambda: duration("wave"),
        "time2": lambda: duration("wave", TWO_CORES),
    },
    "flow": {
        **{f"{name}{size}": lambda size=size, single=single: 100 * (row(
            "lbm", "split", "split", kernel="split", size=f"{size} x {size}{single}")["speed_up"] - 1)
           for size in (128, 256) for name, single in (("split", ""), ("single", ", single cells"))},
        "unsplit": lambda: row("lbm", "split", "shapes", part="velocities and densities")["occupancy"],
        "if": lambda: row("lbm", "split", "shapes", part="if-kernel (solid)")["occupancy"],
        "else": lambda: row("lbm", "split", "shapes", part="else-kernel (fluid)")["occupancy"],
        "worst": lambda: finding("lbm", "splitting", "the kernel that branches is slower")["ratio"],
        "both": lambda: finding("lbm", "splitting", "in the worst case the kernel that branches takes")["ratio"],
        "split-w": lambda: 100 * (finding("lbm", "splitting", "in the worst case the split kernels")["ratio"] - 1),
        "loops": lambda: 100 * (finding("lbm", "splitting", "two loops are faster")["ratio"] - 1),
        **{loops: lambda loops=loops: row("lbm", "splitting", "figure_1", loops=loops + ", 16 sums each")["occupancy"]
           for loops in ("one", "two")},
        **{f"again{size}": lambda size=size: rows("lbm", "split", "ratios", size=f"{size} x {size}")[0]["gain"]
           for size in (128, 256)},
        "eq1": lambda: finding("lbm", "splitting", "in the worst case the speed-up")["ratio"],
        "regs": lambda: row("lbm", "split", "shapes", part="else-kernel (fluid)")["registers_per_thread"],
        "time": lambda: duration("lbm"),
    },
    "discs": {
        "power": lambda: step_growth()[0],
        "p-err": lambda: step_growth()[1],
        "pairs-p": lambda: pairs_growth()[0],
        "p-err-2": lambda: pairs_growth()[1],
        "gain-few": lambda: rows("particles", "figures", "speed_up")[0]["speed_up"],
        "gain-many": lambda: rows("particles", "figures", "speed_up")[-1]["speed_up"],
        "on": lambda: divergence()["ratio"],
        "on-least": lambda: divergence()["least_ratio"],
        "on-most": lambda: divergence()["most_ratio"],
        "off": lambda: float(row("particles", "divergence", "divergence", step=1000, cpu=0)["step"]),  # none differs
        "fma": lambda: 100 * (finding("particles", "sweeps", "contraction makes a step")["ratio"] - 1),
        "fma-pairs": lambda: 100 * (finding("particles", "figures", "contraction makes the check")["ratio"] - 1),
        "fp32": lambda: finding("particles", "sweeps", "FP32", end="with contraction, N = 32000")["ratio"],
        "settle": lambda: rows("particles", "figures", "parts")[0]["settle_share"],
        "pairs": lambda: rows("particles", "figures", "parts")[0]["pairs_share"],
        "sort": lambda: 100 / finding("particles", "figures", "qsort and filter on the host")["ratio"],
        "c1": lambda: max(column("seconds", "particles", "figures", "disc_blocks")) /
              min(column("seconds", "particles", "figures", "disc_blocks")),
        "c2": lambda: finding("particles", "sweeps", "blocks of 256")["ratio"],
        "time": lambda: duration("particles"),
        "time2": lambda: duration("particles", TWO_CORES),
    },
    "fibers": {
        "ratio": lambda: statistics.fmean(fiber_ratios("gpu_in_turn_seconds")),
        "r-min": lambda: min(fiber_ratios("gpu_in_turn_seconds")),
        "r-max": lambda: max(fiber_ratios("gpu_in_turn_seconds")),
        "pinned-least": lambda: min(fiber_ratios("gpu_pinned_seconds")),
        "pinned-most": lambda: max(fiber_ratios("gpu_pinned_seconds")),
        "with-copying": lambda: statistics.fmean(column("ratio", "fibers", "interaction", "interaction")),
        "cpu": lambda: fiber_row(1000)["source_cpu_seconds"] / fiber_row(1000)["cpu_seconds"],
        "gpu": lambda: fiber_row(1000)["source_gpu_in_turn_seconds"] / fiber_row(1000)["gpu_in_turn_seconds"],
        "a": lambda: min(column("gain", "fibers", "interaction", "gain")),
        "b": lambda: max(column("gain", "fibers", "interaction", "gain")),
        "s1": lambda: row("fibers", "interaction", "gain", fibers="100")["share"],
        "s2": lambda: row("fibers", "interaction", "gain", fibers="1000")["share"],
        "c1": lambda: row("fibers", "interaction", "gain", TWO_CORES, fibers="100")["share"],
        "c2": lambda: row("fibers", "interaction", "gain", TWO_CORES, fibers="500")["share"],
        "hid": lambda: 100 * (1 - fiber_row(1000)["gpu_at_once_seconds"] / fiber_row(1000)["gpu_in_turn_seconds"]),
        "r-least": lambda: rows("fibers", "ring", "ring")[-1]["least_section"],
        "r-most": lambda: rows("fibers", "ring", "ring")[-1]["most_section"],
        "r0": lambda: rows("fibers", "ring", "ring")[0]["section"],
        "r1": lambda: rows("fibers", "ring", "ring")[-1]["section"],
        "d0": lambda: rows("fibers", "ring", "ring", TWO_CORES)[0]["section"],
        "d1": lambda: rows("fibers", "ring", "ring", TWO_CORES)[-1]["section"],
        "drift": lambda: finding("fibers", "accuracy", "the error of single precision grows")["ratio"],
        "drift2": lambda: finding("fibers", "accuracy", "the error of single precision grows", TWO_CORES)["ratio"],
        "alike": lambda: float(finding("fibers", "accuracy", "with perturbed input")["measured"].split()[0]),
        "padded": lambda: 100 * (finding("fibers", "patterns", "blocks that begin")["ratio"] - 1),
        "halves": lambda: 100 * (finding("fibers", "patterns", "doubles in one buffer")["ratio"] - 1),
        "time": lambda: duration("fibers") / 60,
        "time2": lambda: duration("fibers", TWO_CORES) / 60,
    },
    "membrane": {
        **{f"p{p}": lambda p=p, level=level: cells_row(p, level)["ratio_core"]
           for p, level in ((1, 9), (2, 8), (3, 7), (4, 7), (5, 7))},
        "kernel-growth": lambda: evaluation_growth("GPU"),
        "core-growth": lambda: evaluation_growth("one core"),
        "smallest": lambda: cells_row(2, 5)["ratio_core"],
        "i1": lambda: 1 / cells_row(1, 8, 10)["ratio_core"],
        "i2": lambda: 1 / cells_row(2, 7, 10)["ratio_core"],
        "m-1": lambda: finding("membrane", "cells", POINTS_HELP + "1")["ratio"],
        "m-2": lambda: finding("membrane", "cells", POINTS_HELP + "2")["ratio"],
        "d-4": lambda: finding("membrane", "cells", "with the GPU p = 4")["ratio"],
        "d-5": lambda: finding("membrane", "cells", "with the GPU p = 5")["ratio"],
        "occupancy-least": lambda: min(column("occupancy", "membrane", "cells", "shapes")),
        "occupancy-most": lambda: max(column("occupancy", "membrane", "cells", "shapes")),
        "core": lambda: cells_row(1, 9, on="one core")["source_core_seconds_per_dof"] /
                cells_row(1, 9, on="one core")["seconds_per_dof"],
        "gpu": lambda: cells_row(1, 9)["source_gpu_seconds_per_dof"] / cells_row(1, 9)["seconds_per_dof"],
        "time": lambda: duration("membrane", study="cells") / 60,
    },
}


# Drawing. Ours is solid, the paper's number dashed in the same colour.

COLOURS = ("#1f6fb4", "#d1620e", "#2f8f46", "#8a4fb0", "#b8336a", "#6b6b6b")
NAMESPACE = "http:" + "//www.w3.org/2000/svg"  # a name; nothing is loaded from there
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 680, 380, 70, 190, 40, 52


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def shown(value):
    if value != 0 and (abs(value) >= 1e4 or abs(value) < 1e-3):
        exponent = math.floor(math.log10(abs(value)))
        mantissa = round(value / 10**exponent)
        raised = "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(c)] if c != "-" else "⁻" for c in str(exponent))
        return f"10{raised}" if mantissa == 1 else f"{mantissa}·10{raised}"
    return f"{value:g}".replace("-", "−")


class Axis:
    def __init__(self, values, start, end, log, zero):
        low, high = min(values), max(values)
        self.start, self.end, self.log = start, end, log
        if log:
            self.low, self.high = math.log10(low), math.log10(high)
            pad = 0.05 * (self.high - self.low)
            self.low, self.high = self.low - pad, self.high + pad
            decades = range(math.floor(self.low), math.ceil(self.high) + 1)
            factors = (1, 2, 5) if self.high - self.low < 2.2 else (1,)
            ticks = [f * 10.0**d for d in decades for f in factors]
        else:
            low, high = (min(low, 0), max(high, 0)) if zero else (low, high)
            pad = 0.05 * (high - low)
            self.low, self.high = low - pad * (low < 0 or not zero), high + pad
            size = 10 ** math.floor(math.log10((self.high - self.low) / 5))
            size *= next(f for f in (1, 2, 5, 10) if (self.high - self.low) / (f * size) <= 6)
            ticks = [i * size for i in range(math.ceil(self.low / size), math.floor(self.high / size) + 1)]
        self.ticks = [t for t in ticks if min(start, end) <= self.at(t) <= max(start, end)]

    def at(self, value):
        value = math.log10(value) if self.log else value
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)


class Plot:
    """Lines over two axes, or bars over categories; legend at the right."""

    def __init__(self, title, x, y, log_x=False, log_y=False, zero=False, source="paper"):
        self.title, self.x, self.y, self.source = title, x, y, source
        self.log_x, self.log_y, self.zero = log_x, log_y, zero
        self.lines, self.marks, self.bars, self.levels, self.groups = [], [], [], [], []

    def line(self, label, colour, xs, ys, dashed=False, marker="circle"):
        self.lines.append((label, colour, list(map(float, xs)), list(map(float, ys)), dashed, marker))

    def vertical(self, label, colour, x):
        self.marks.append((label, colour, x))

    def bar(self, label, colour, group, value, level=None):
        if group not in self.groups:
            self.groups.append(group)
        self.bars.append((label, colour, self.groups.index(group), value))
        if level is not None:
            self.levels.append((label, colour, self.groups.index(group), level))

    def svg(self):
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        ys = [v for _, _, _, values, _, _ in self.lines for v in values] + [b[3] for b in self.bars + self.levels]
        y = Axis(ys, bottom, TOP, self.log_y, self.zero or bool(self.bars) and not self.log_y)
        out = [f'<svg xmlns="{NAMESPACE}" width="{WIDTH}" height="{HEIGHT}" '
               f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#222">',
               f'<title>{escaped(self.title)}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
               f'<text x="{LEFT}" y="22" font-size="14">{escaped(self.title)}</text>']
        for tick in y.ticks:
            at = y.at(tick)
            out.append(f'<path d="M{LEFT} {at:.1f}H{right}" stroke="#ddd"/>'
                       f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{shown(tick)}</text>')
        legend = []
        if self.bars:
            self.draw_bars(out, y, right, bottom, legend)
        else:
            self.draw_lines(out, y, right, bottom, legend)
        out.append(f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#444"/>')
        middle = (TOP + bottom) / 2
        out.append(f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{escaped(self.x)}</text>')
        out.append(f'<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">'
                   f'{escaped(self.y)}</text>')
        for i, (label, colour, dashed, marker) in enumerate(legend):
            at = TOP + 12 + 20 * i
            dash = ' stroke-dasharray="5 4"' if dashed else ""
            out.append(f'<path d="M{right + 14} {at}h24" stroke="{colour}" stroke-width="2"{dash}/>')
            if marker:
                out.append(symbol(marker, right + 26, at, colour))
            out.append(f'<text x="{right + 44}" y="{at + 4}">{escaped(label)}</text>')
        return "\n".join(out + ["</svg>"]) + "\n"

    def draw_lines(self, out, y, right, bottom, legend):
        xs = [v for line in self.lines for v in line[2]] + [m[2] for m in self.marks]
        x = Axis(xs, LEFT, right, self.log_x, self.zero)
        for tick in x.ticks:
            out.append(f'<path d="M{x.at(tick):.1f} {bottom}v5" stroke="#444"/>'
                       f'<text x="{x.at(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{shown(tick)}</text>')
        for label, colour, at in self.marks:
            out.append(f'<path d="M{x.at(at):.1f} {TOP}V{bottom}" stroke="{colour}" stroke-width="2" '
                       'stroke-dasharray="5 4"/>')
        for label, colour, xs, ys, dashed, marker in self.lines:
            points = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in zip(xs, ys))
            dash = ' stroke-dasharray="5 4"' if dashed else ""
            out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
            if not dashed and marker:
                out += [symbol(marker, x.at(a), y.at(b), colour) for a, b in zip(xs, ys)]
            legend.append((label, colour, dashed, "" if dashed else marker))
        legend += [(label, colour, True, "") for label, colour, _ in self.marks]

    def draw_bars(self, out, y, right, bottom, legend):
        labels = list(dict.fromkeys(bar[0] for bar in self.bars))
        span = (right - LEFT) / len(self.groups)
        width = 0.8 * span / len(labels)
        base = bottom if self.log_y else y.at(0)
        for i, group in enumerate(self.groups):
            for line, part in enumerate(group.split("\n")):
                out.append(f'<text x="{LEFT + span * (i + 0.5):.1f}" y="{bottom + 15 + 13 * line}" '
                           f'text-anchor="middle">{escaped(part)}</text>')

        def place(label, group):
            shown_here = [bar[0] for bar in self.bars if bar[2] == group]
            return LEFT + span * (group + 0.5) + width * (shown_here.index(label) - len(shown_here) / 2)

        for label, colour, group, value in self.bars:
            top, low = sorted((y.at(value), base))
            out.append(f'<rect x="{place(label, group):.1f}" y="{top:.1f}" width="{0.92 * width:.1f}" '
                       f'height="{low - top:.1f}" fill="{colour}"/>')
            out.append(f'<text x="{place(label, group) + 0.46 * width:.1f}" y="{top - 4:.1f}" '
                       f'font-size="10" text-anchor="middle">{shown(float(f"{value:.3g}"))}</text>')
        for label, colour, group, value in self.levels:
            out.append(f'<path d="M{place(label, group) - 3:.1f} {y.at(value):.1f}h{width + 3:.1f}" stroke="{colour}" '
                       'stroke-width="3" stroke-dasharray="5 4"/>')
            out.append(f'<text x="{place(label, group) + 0.46 * width:.1f}" y="{y.at(value) - 5:.1f}" font-size="10" '
                       f'text-anchor="middle">{shown(value)}</text>')
        if base < bottom:
            out.append(f'<path d="M{LEFT} {base:.1f}H{right}" stroke="#444"/>')
        colours = {label: colour for label, colour, _, _ in self.bars}
        legend += [(label, colours[label], False, "square") for label in labels]
        legend += [(f"{label}, paper" if len(labels) > 1 else self.source, colours[label], True, "")
                   for label in dict.fromkeys(level[0] for level in self.levels)]


def symbol(kind, x, y, colour):
    if kind == "square":
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{colour}"/>'
    if kind == "ring":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#fff" stroke="{colour}" stroke-width="2"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'


def wave_plots():
    plot = Plot("Milliseconds per step in the four stages (the article prints no times)", "", "ms", log_y=True)
    programs = (("CPU, one thread", "matrices", "cpu, 1 thread"), ("copies, H200", "copies", "cuda"),
                ("all on the H200", "device", "cuda"))
    for i, (label, program, on) in enumerate(programs):
        for stage in STAGES:
            plot.bar(label, COLOURS[i], stage.replace(" of ", "\nof "), 1e3 * step(program, on, stage))
    yield "wave-stages", plot
    plot = Plot("Time of the convolution by memory and block, 512 x 512, H200", "block of threads", "µs")
    ways = (("all global", FIRST_WAY, ("9",)), ("global, constant", CONSTANT_WAY, ("9", "64", "256")),
            ("shared, constant", LAST_WAY, ("9",)),
            ("texture, constant", "texture, taps in constant memory", ("256",)))
    names = {"9": "3 x 3", "64": "8 x 8", "256": "16 x 16"}
    for block in names:
        for i, (label, way, blocks) in enumerate(ways):
            if block in blocks:
                plot.bar(label, COLOURS[i], names[block], 1e6 * convolution(way, block))
    yield "wave-convolution", plot


def flow_plots():
    plot = Plot("Figure 8: gain of the split kernels", "grid", "gain, %", source="G80, paper")
    for size in ("128 x 128", "256 x 256"):
        gain = 100 * (row("lbm", "split", "split", kernel="split", size=size)["speed_up"] - 1)
        plot.bar("H200", COLOURS[0], size, gain, paper("lbm", "figure 8", size, "gain of the split version"))
    yield "flow-figure-8", plot
    plot = Plot("Gain of the split kernels against the share of solid cells", "solid cells, %", "gain, %", zero=True)
    ends = [0, 52]
    for i, size in enumerate(("128 x 128", "256 x 256")):
        for marker, name, more in (("circle", "solid rows", ""), ("ring", "single cells", ", single cells")):
            points = rows("lbm", "split", "ratios", size=size + more)
            plot.line(f"{size.split()[0]}², H200, {name}", COLOURS[i], [r["solid"] for r in points],
                      [r["gain"] for r in points], marker=marker)
        plot.line(f"{size.split()[0]}², G80, paper", COLOURS[i], ends,
                  2 * [paper("lbm", "figure 8", size, "gain of the split version")], dashed=True)
    yield "flow-ratios", plot


def discs_plots():
    plot = Plot("Figure 7: discs that differ, of 1000", "step", "discs", zero=True)
    points = [r for r in rows("particles", "divergence", "divergence") if int(float(r["step"])) <= 200]
    steps = [r["step"] for r in points]
    plot.line("FMA on, one start", COLOURS[0], steps, [r["contraction_fp64"] for r in points])
    plot.line("FMA off", COLOURS[1], steps, [r["cpu"] for r in points], marker="square")
    for i, name in enumerate(("fmad on", "fmad off")):
        plot.vertical(f"all, FMA {name[5:]}, paper", COLOURS[i],
                      paper("particles", "figure 7", name, "step of full divergence"))
    yield "discs-figure-7", plot
    plot = Plot("Figure 10: CPU over GPU (12 threads and the H200)", "discs", "times", log_x=True, log_y=True)
    points = rows("particles", "figures", "speed_up")
    discs = [r["discs"] for r in points]
    plot.line("FMA on", COLOURS[0], discs, [r["speed_up"] for r in points])
    plot.line("FMA off", COLOURS[1], discs, [r["speed_up_plain"] for r in points], marker="square")
    yield "discs-figure-10", plot
    plot = Plot("Figure 15: shares of the kernels, H200", "discs", "%", log_x=True)
    points = rows("particles", "figures", "parts")
    for i, (label, name) in enumerate((("check of pairs", "pairs"), ("settling", "settle"), ("check of walls", "walls"),
                                       ("update", "update"))):
        plot.line(label, COLOURS[i], [r["discs"] for r in points], [r[name + "_share"] for r in points])
    plot.vertical("equal shares, paper", COLOURS[1],
                  paper("particles", "figure 15", "settleCollision and checkCollision", "N of equal shares"))
    yield "discs-figure-15", plot


def fibers_plots():
    points = rows("fibers", "interaction", "interaction")
    count = [r["fibers"] for r in points]
    plot = Plot("Table 6.1: time of the CPU over that of the GPU", "fibers", "times", zero=True)
    plot.line("H200", COLOURS[0], count, fiber_ratios("gpu_in_turn_seconds"))
    plot.line("H200, pinned memory", COLOURS[1], count, fiber_ratios("gpu_pinned_seconds"), marker="square")
    plot.line("GTX 260, paper", COLOURS[0], count, [r["source_ratio"] for r in points], dashed=True)
    yield "fibers-table-6.1", plot
    points = rows("fibers", "interaction", "gain")
    plot = Plot("Table 6.2: gain of a whole run", "fibers", "%", zero=True)
    plot.line("H200", COLOURS[0], count, [r["gain"] for r in points])
    plot.line("GTX 260, paper", COLOURS[0], count, [r["source_gain"] for r in points], dashed=True)
    yield "fibers-table-6.2", plot
    plot = Plot("Table 6.3: share of the interaction in a run on the CPU", "fibers", "%", zero=True)
    two = rows("fibers", "interaction", "gain", TWO_CORES)
    plot.line("12 threads", COLOURS[0], count, [r["share"] for r in points])
    plot.line("two cores", COLOURS[1], [r["fibers"] for r in two], [r["share"] for r in two], marker="square")
    plot.line("Core i7-920, paper", COLOURS[0], count, [r["source_share"] for r in points], dashed=True)
    yield "fibers-table-6.3", plot


def membrane_plots():
    for figure, degrees, integration in (("4.1", (1, 2), None), ("4.2", (3, 4, 5), None), ("4.3", (1, 2), 10)):
        level = ", integration level 10" if integration else ""
        plot = Plot(f"Figure {figure}: seconds per degree of freedom{level}", "degrees of freedom", "s", log_x=True,
                    log_y=True)
        for on, name, offset, marker, source in (("GPU", "H200", 0, "circle", "source_gpu_seconds_per_dof"),
                                                 ("one core", "one core", 3, "ring", "source_core_seconds_per_dof")):
            for i, p in enumerate(degrees):
                colour = COLOURS[i] if on == "GPU" else ("#6fb3e8", "#f2a968", "#7fcf93")[i]
                points = sorted((r for r in rows("membrane", "cells", "cells", on=on) if int(float(r["degree"])) == p
                                 and int(float(r["integration_level"])) == (integration or p)),
                                key=lambda r: float(r["unknowns"]))
                xs = [r["unknowns"] for r in points]
                plot.line(f"p = {p}, {name}", colour, xs, [r["seconds_per_dof"] for r in points], marker=marker)
                device = "GPU" if on == "GPU" else "CPU"
                plot.line(f"p = {p}, {device}, paper", colour, xs, [r[source] for r in points], dashed=True)
        if figure == "4.1":
            plot.vertical("p = 2 equal, paper", COLOURS[1], paper("membrane", "section 4.2.1", "degree 2",
                                                                    "DOF from which the GPU is faster"))
        yield f"membrane-figure-{figure}", plot


PLOTS = {"wave": wave_plots, "flow": flow_plots, "discs": discs_plots, "fibers": fibers_plots,
         "membrane": membrane_plots}

# Pages.

MARKED = re.compile(r"\[([-+]?\d[\d,]*(?:\.\d+)?)([^\]\[]*)\]\[([\w.-]+)\]")
DEFINED = re.compile(r'^\[([\w.-]+)\]: (\S+)(?: "([^"]*)")?$', re.M)


def value_of(page, key, location, title):
    """The number that a mark of a page stands for; the overview writes PAGE.KEY."""
    source = re.search(r"assets/sources/(\w+)\.csv$", location)
    if source:
        parts = title.split(", ", 2)
        if len(parts) != 3:
            raise Problem(f'the title "{title}" is not "place, row, column"')
        return paper(source[1], *parts)
    page, _, key = key.partition(".") if page is None else (page, "", key)
    if key not in NUMBERS.get(page, {}):
        raise Problem("NUMBERS in scripts/paper_pages.py has no formula for it")
    file = f"benchmarks/{SIMULATIONS[page]}-sources-{TWO_CORES if key in two_core_keys(page) else H200}.json"
    if not location.endswith(file):
        raise Problem(f"its formula reads {file}, its definition names {location}")
    return float(NUMBERS[page][key]())


def two_core_keys(page):
    return {key for key, formula in NUMBERS[page].items() if "TWO_CORES" in formula.__code__.co_names}


def written(value, digits):
    decimals = len(digits.partition(".")[2])
    form = ("+" if digits.startswith("+") else "") + ("," if "," in digits else "")
    return f"{round(value, decimals) + 0.0:{form}.{decimals}f}"


def with_numbers(page, text):
    """The page with the stored numbers, and what is wrong about its marks."""
    wrong = []
    defined = {key: (location, title) for key, location, title in DEFINED.findall(text)}

    def put(mark):
        digits, unit, key = mark.groups()
        if key not in defined:
            wrong.append(f"[{key}] is not defined at the end of the page")
            return mark[0]
        try:
            value = value_of(page, key, *defined[key])
        except Unreadable:
            raise
        except Problem as error:
            wrong.append(f"[{key}]: {error}")
            return mark[0]
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            wrong.append(f"[{key}]: its formula in NUMBERS fails with the stored file: {error!r}")
            return mark[0]
        return f"[{written(value, digits)}{unit}][{key}]"

    new = MARKED.sub(put, text)
    used = {key for _, _, key in MARKED.findall(text)}
    wrong += [f"[{key}] is defined, but not used" for key in defined if key not in used]
    return new, wrong


def verdicts(text):
    """The words in the column "holds?" of a page's table of claims."""
    column = [cells[-2].strip() for line in text.splitlines() if line.startswith("|")
              for cells in [re.split(r"(?<!\\)\|", line.strip()[1:-1])] if len(cells) >= 5]
    return [word for word in column if word != "holds?" and not re.fullmatch(r":?-+:?", word)]


def words(text):
    text = DEFINED.sub("", text)
    text = re.sub(r"\]\([^)]*\)|\]\[[^\]]*\]|<!--.*?-->", " ", text, flags=re.S)
    return sum(1 for word in text.split() if re.search(r"\w", word))


def checked(page, path):
    text = read(path.relative_to(ROOT))
    new, wrong = with_numbers(page, text)
    wrong = [f"{path.name}: {sentence}" for sentence in wrong]
    for before, after in zip(text.splitlines(), new.splitlines()):
        if before != after:
            wrong.append(f"{path.name}: the page has\n  {before}\nthe stored results have (put there by "
                         f"scripts/paper_pages.py --write; the words are yours)\n  {after}")
    if words(text) > MOST_WORDS:
        wrong.append(f"{path.name}: {words(text)} words, at most {MOST_WORDS}")
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MOST_COLUMNS and not DEFINED.match(line) and not line.startswith("`perturb "):
            wrong.append(f"{path.name}:{number}: {len(line)} columns")
    return new, wrong


def check_verdicts(page, text, overview):
    found = verdicts(text)
    wrong = [f'{page}.md: the column "holds?" has "{word}"; its words are: {", ".join(VERDICTS)}'
             for word in found if word not in VERDICTS]
    if overview is None:  # said already
        return wrong
    counts = " | ".join(str(found.count(word)) for word in VERDICTS)
    line = next((line for line in overview.splitlines() if f"]({page}.md)" in line and line.startswith("|")), "")
    if f"| {counts} |" not in line:
        wrong.append(f"README.md: the row of {page}.md has to say | {counts} |, how often its words stand there")
    return wrong


def check_plots(page, text, write):
    wrong = []
    for name, plot in PLOTS[page]():
        picture, svg = PICTURES / f"{name}.svg", plot.svg()
        if write:
            PICTURES.mkdir(exist_ok=True)
            picture.write_text(svg)
        elif not picture.exists() or picture.read_text() != svg:
            wrong.append(f"{picture.relative_to(ROOT)} is not the plot of the stored results: run "
                         "scripts/paper_pages.py --write")
        if f"pictures/papers/{name}.svg" not in text:
            wrong.append(f"{page}.md does not show {name}.svg")
    for link in re.findall(r"\]\((\.\./pictures/[^)]*)\)", text):
        if link.endswith(".png") and not (PAGES / link).exists():
            wrong.append(f"{page}.md shows {link}, which does not exist: make it with the command below it")
    return wrong


def check_unused():
    drawn = {f"{name}.svg" for plots in PLOTS.values() for name, _ in plots()}
    return [f"{picture.relative_to(ROOT)} is drawn by no plot: remove it" for picture in sorted(PICTURES.glob("*.svg"))
            if picture.name not in drawn]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true")
    what.add_argument("--check", action="store_true")
    write = parser.parse_args().write
    wrong = []

    def attempt(action, page):
        try:
            return action()
        except Problem as error:
            wrong.append(str(error))
        except Exception as error:  # a trace goes past scripts/check_rules
            wrong.append(f"{page}.md: its page or plots and its stored results do not fit: {error!r}. Correct "
                         "scripts/paper_pages.py, or restore the results")

    def update(page, path):
        text, found = checked(page, path)
        if write:
            path.write_text(text)
            text, found = checked(page, path)
        wrong.extend(found)
        return text

    overview = attempt(lambda: update(None, PAGES / "README.md"), "README")
    for page in SIMULATIONS:
        text = attempt(lambda: update(page, PAGES / f"{page}.md"), page)
        if text is not None:
            wrong += attempt(lambda: check_plots(page, text, write), page) or []
            wrong += check_verdicts(page, text, overview)
    if not wrong:
        wrong += check_unused()
    wrong = list(dict.fromkeys(wrong))
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
