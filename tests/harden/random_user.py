#!/usr/bin/env python3
"""Acts on every preset at random: strokes with every tool, live parameters at any position, a wall from side to side.

  tests/harden/random_user.py --program PATH [--seconds S] [--seed N] [--actions N] [--steps N] [--only TEXT] [--build]

Every run must end with finite numbers. A preset gets 200 actions and 20,000 steps, or as many as its share of the time
allows. Uses the program perturb_random_user of the same build, and with --build builds it first. Prints a line a preset,
then one closing line, "random_user: N tried, M failed", and exits with 1 where M is not 0.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time


def presets(program):
    listed = json.loads(subprocess.run([program, "list", "--json"], check=True, capture_output=True).stdout)
    return [preset["scene"] for one in listed["simulations"] for preset in one["presets"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--actions", type=int, default=200)
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--only", default="", help="presets whose name contains this")
    parser.add_argument("--build", action="store_true")
    options = parser.parse_args()
    program = pathlib.Path(options.program).resolve()
    build = program.parent.parent
    if options.build:
        subprocess.run(["ninja", "-C", build, "perturb_random_user"], check=True, stdout=subprocess.DEVNULL)
    user = build / "tests" / "perturb_random_user"
    if not user.exists():
        sys.exit(f"There is no {user}. Build it: ninja -C {build} perturb_random_user")
    scenes = [scene for scene in presets(program) if options.only in scene]
    end = time.monotonic() + options.seconds
    tried = failed = 0
    for k, scene in enumerate(scenes):
        share = max(1.0, (end - time.monotonic()) / (len(scenes) - k))
        run = subprocess.run([user, scene, str(options.seed), str(options.actions), str(options.steps), f"{share:.1f}"],
                             capture_output=True, text=True)
        tried += 1
        failed += run.returncode != 0
        print((run.stdout + run.stderr).strip() or f"{scene}: exit code {run.returncode}", flush=True)
    print(f"random_user: {tried} tried, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
