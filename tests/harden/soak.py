#!/usr/bin/env python3
"""Runs every preset as a window does, for an hour of window time, and checks its numbers and gauges in every frame.

  tests/harden/soak.py --program PATH [--seconds S] [--each S] [--machine NAME] [more for `perturb verify --presets`]

--seconds is the time for all presets, --each that for one of them. With --machine the observations are written to
docs/benchmarks/presets-NAME.json (--sliders: sliders-NAME.json); the runs of one simulation only replace its own there.
More options: lbm, lbm/step, --minutes 5, --backend cuda, --at-once 4; --sliders, with --each. Presets have seeds of their
own, so --seed changes nothing. Prints one closing line, "soak: N tried, M failed", and exits with 1 where M is not 0.
"""
import argparse
import json
import pathlib
import subprocess
import sys

BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "docs/benchmarks"


def number_of_presets(program, chosen):
    listed = json.loads(subprocess.run([program, "list", "--json"], check=True, capture_output=True).stdout)
    scenes = [preset["scene"] for one in listed["simulations"] for preset in one["presets"]]
    return max(1, sum(not chosen or any(f"{scene}/".startswith(f"{one}/") for one in chosen) for scene in scenes))


def key(run):
    return run["scene"], run.get("slider"), run.get("value")


def is_too_short(run, observed):
    """Of a preset that drives a gauge past its limit: the run has ended before that."""
    return (run.get("meant") == 0 and run["not_finite"] == 0 and run["red"] == 0 and not run["trouble"]
            and run["window_seconds"] < 60 * observed["minutes"])


def store(path, now):
    """The runs replace those of the same preset and slider in the file, in its order."""
    if path.exists():
        before = json.loads(path.read_text())["runs"]
        done = {key(run) for run in now["runs"]}
        order = {key(run): k for k, run in enumerate(before)}
        now["runs"] += [run for run in before if key(run) not in done]
        now["runs"].sort(key=lambda run: order.get(key(run), len(order)))
    path.write_text(json.dumps(now, indent=2))
    print(f"Wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--each", type=float)
    parser.add_argument("--machine")
    options, more = parser.parse_known_args()
    program = str(pathlib.Path(options.program).resolve())
    chosen = more[:1] if more and not more[0].startswith("-") else []
    each = options.each or options.seconds / number_of_presets(program, chosen)
    verify = subprocess.run([program, "verify", *more, "--presets", "--json", "--seconds", str(each)],
                            stdout=subprocess.PIPE, text=True)
    if not verify.stdout:
        sys.exit(verify.returncode or 1)
    observed = json.loads(verify.stdout)
    runs = list(observed["runs"])
    failed = [run for run in runs if not run["pass"] and not is_too_short(run, observed)]
    for run in failed:
        print(f"{run['scene']} {run.get('slider', '')}: {run['trouble'] or 'not finite, or a gauge past its limit'}")
    if options.machine:
        kind = "sliders" if any(one.startswith("--slider") for one in more) else "presets"
        store(BENCHMARKS / f"{kind}-{options.machine}.json", observed)
    print(f"soak: {len(runs)} tried, {len(failed)} failed")
    return 1 if failed or any(run.get("ended") is False for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
