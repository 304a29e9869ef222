#!/usr/bin/env python3
"""Draws a wall across the stream of every flow preset, and lets it run on: every run must end with finite numbers.

  tests/harden/walls.py --program PATH [--seconds S] [--seed N] [--steps N] [--backend auto|cpu|cuda]

The wall covers 38, 44, 72 or 100 % of the height, half way along the channel, from step 4000 on; 50,000 steps follow. The
seed chooses the order. Prints a line a run, then one closing line, "walls: N tried, M failed", and exits with 1 where M is
not 0.
"""
import argparse
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

SHARES = (0.38, 0.44, 0.72, 1.0)
DRAWN_AT = 4000


def presets(program):
    listed = json.loads(subprocess.run([program, "list", "--json"], check=True, capture_output=True).stdout)
    flow = next(one for one in listed["simulations"] if one["id"] == "lbm")
    return [preset["scene"] for preset in flow["presets"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=50000)
    parser.add_argument("--backend", default="auto")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    cases = list(itertools.product(presets(program), SHARES))
    random.Random(options.seed).shuffle(cases)
    end = time.monotonic() + options.seconds
    tried = failed = 0
    with tempfile.TemporaryDirectory(prefix="perturb-walls-") as folder:
        script = pathlib.Path(folder) / "wall.toml"
        for preset, share in cases:
            if time.monotonic() > end:
                break
            script.write_text(f'start = ["{preset}"]\n[[event]]\nstep = {DRAWN_AT}\naction = "wall-line"\nx0 = 0.53\n'
                              f"y0 = {0.5 - share / 2}\nx1 = 0.53\ny1 = {0.5 + share / 2}\nthickness = 6.0\n")
            run = subprocess.run([program, "--script", str(script), "--headless", "--backend", options.backend, "--steps",
                                  str(DRAWN_AT + options.steps), "--describe"], capture_output=True, text=True, cwd=folder)
            tried += 1
            well = run.returncode == 0
            failed += not well
            limited = re.search(r"[Ll]imited cells[: is]+([\d.e+]+)", run.stdout + run.stderr)
            print(f"{preset}, {share:.0%} of the height: "
                  + (f"finite, limited cells at the end: {limited.group(1).rstrip('.') if limited else 'not said'}"
                     if well else f"exit code {run.returncode}: {run.stderr.strip().splitlines()[-1:]}"), flush=True)
    print(f"walls: {tried} tried, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
