#!/usr/bin/env python3
"""Runs random scenes with four intervals between the rows of a table: the numbers must not depend on them.

  tests/harden/paces.py --program PATH [--seconds S] [--seed N] [--only K] [--backend auto|cpu|cuda]

A run has a random preset and seed. Where rows of two tables have the same step, all numbers must have the same digits,
except times of the machine. The tables must have the same columns. Prints one closing line, "paces: N tried, M failed",
and exits with 1 where M is not 0.
"""
import argparse
import csv
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

INTERVALS = (7, 100, 700, 1400)
MACHINE = re.compile(r"lane_\d+_step")
# Steps of these take as long as hundreds of another scene: they take a tenth.
SLOW = ("fibers", "membrane")


def intervals_of(scene):
    return [max(one // 10, INTERVALS[0]) for one in INTERVALS] if scene.startswith(SLOW) else INTERVALS


def scenes(program):
    listed = json.loads(subprocess.run([program, "list", "--json"], check=True, capture_output=True).stdout)
    return [preset["scene"] for simulation in listed["simulations"] for preset in simulation["presets"]]


def table(program, scene, seed, interval, steps, backend, folder):
    path = pathlib.Path(folder) / f"{interval}.csv"
    run = subprocess.run([program, scene, "--seed", str(seed), "--headless", "--backend", backend, "--steps", str(steps),
                          "--csv", str(path), "--csv-every", str(interval)], capture_output=True, text=True, cwd=folder)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip() or f"exit code {run.returncode}")
    with open(path, encoding="utf-8-sig", newline="") as file:
        return {row["step"]: row for row in csv.DictReader(file)}


def difference(tables):
    """The first number that differs between two tables; None if all are the same."""
    finest = tables[min(tables)]
    for interval, rows in tables.items():
        if list(next(iter(rows.values()))) != list(next(iter(finest.values()))):
            return f"other columns with --csv-every {interval}"
        for step in rows.keys() & finest.keys():
            for name, value in rows[step].items():
                if not MACHINE.match(name) and value != finest[step][name]:
                    return f"step {step}, {name}: {value} with --csv-every {interval}, {finest[step][name]} with a finer one"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--backend", default="auto")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    names = scenes(program)
    end = time.monotonic() + options.seconds
    tried = failed = number = 0
    while time.monotonic() < end and (options.only is None or number <= options.only):
        rng = random.Random(f"{options.seed} {number}")
        scene, seed = rng.choice(names), rng.randrange(1 << 16)
        intervals = intervals_of(scene)
        number += 1
        if options.only is not None and number - 1 != options.only:
            continue
        with tempfile.TemporaryDirectory(prefix="perturb-paces-") as folder:
            try:
                wrong = difference({one: table(program, scene, seed, one, intervals[-1], options.backend, folder)
                                    for one in intervals})
            except RuntimeError as error:
                wrong = str(error)
        tried += 1
        if wrong:
            failed += 1
            print(f"{scene}, seed {seed}: {wrong}\n  repeat: --seed {options.seed} --only {number - 1}", flush=True)
    print(f"paces: {tried} tried, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
