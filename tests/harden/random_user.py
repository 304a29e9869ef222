#!/usr/bin/env python3
"""Acts on every preset at random: strokes with every tool, live parameters at any position, a wall from side to side.

  tests/harden/random_user.py --program PATH [--seconds S] [--seed N] [--actions N] [--steps N] [--only TEXT] [--build]
                              [--jobs N] [--devices N]

Every run must end with finite numbers. A preset gets 200 actions and 20,000 steps, or as many as its share of the time
allows. --jobs runs that many presets at once, --devices takes N CUDA devices in turn instead of one core of the CPU
each. Uses the program perturb_random_user of the same build, and with --build builds it first. Prints a line a preset,
then one closing line, "random_user: N tried, M failed", and exits with 1 where M is not 0.
"""
import argparse
import concurrent.futures
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
    parser.add_argument("--jobs", type=int, default=1, help="presets at the same time")
    parser.add_argument("--devices", type=int, default=0, help="CUDA devices to use; 0: the CPU")
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

    def run(k):
        """Runs preset k for its share of the time that is left, and returns what it printed and whether it failed."""
        rounds = -(-(len(scenes) - k) // options.jobs)  # of presets that still share the time, this one among them
        share = max(1.0, (end - time.monotonic()) / rounds)
        arguments = [scenes[k], str(options.seed), str(options.actions), str(options.steps), f"{share:.1f}"]
        if options.devices:
            arguments.append(str(k % options.devices))
        try:
            one = subprocess.run([user, *arguments], capture_output=True, text=True, timeout=2 * share + 60)
        except subprocess.TimeoutExpired:
            return f"{scenes[k]}: had not ended {share + 60:.0f} s after its time", True
        return (one.stdout + one.stderr).strip() or f"{scenes[k]}: exit code {one.returncode}", one.returncode != 0

    tried = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for one in concurrent.futures.as_completed([pool.submit(run, k) for k in range(len(scenes))]):
            line, bad = one.result()
            tried += 1
            failed += bad
            print(line, flush=True)
    print(f"random_user: {tried} tried, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
