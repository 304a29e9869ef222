#!/usr/bin/env python3
"""Runs random tanks and flows next to their mirror images and their copies, shifted round sides that repeat.

  tests/harden/symmetry.py --program PATH [--seconds S] [--seed N] [--only K]

Numbers of both runs that do not depend on the position are the same: to nine digits after a shift, which changes no bit of
the fields (sums of them are added in another order), and to 1e-4 of their size in a mirror image. The runs follow from
the seed: --only K repeats run K alone. Prints one closing line, "symmetry: N tried, M failed", and exits with 1 where M
is not 0.
"""
import argparse
import csv
import pathlib
import random
import subprocess
import sys
import tempfile
import time

BOUNDS = {"shift": 1e-9, "mirror": 1e-4}
NUMBERS = {"wave": ("max_height", "rms_height", "energy"),
           "lbm": ("max_speed", "reynolds", "energy", "mass", "momentum_x", "momentum_y", "drag", "lift")}
# The numbers of an action besides its positions, as functions of a random generator.
ACTIONS = {
    "wave": {
        "droplet": {"radius": lambda r: r.uniform(1, 9), "amplitude": lambda r: r.uniform(-1, 1)},
        "wall-line": {"thickness": lambda r: r.uniform(1, 6)},
        "wall-rectangle": {},
        "wall-ellipse": {"radius_x": lambda r: r.uniform(0.02, 0.2), "radius_y": lambda r: r.uniform(0.02, 0.2)},
        "speed-disc": {"radius": lambda r: r.uniform(2, 20), "factor": lambda r: r.uniform(0.3, 1)},
        "speed-line": {"thickness": lambda r: r.uniform(2, 20), "factor": lambda r: r.uniform(0.3, 1)},
        "lens": {"radius_x": lambda r: r.uniform(0.02, 0.2), "radius_y": lambda r: r.uniform(0.02, 0.2)},
        "region": {},
        "oscillator": {"radius": lambda r: r.uniform(1, 8), "vx": lambda r: r.uniform(-1, 1),
                       "vy": lambda r: r.uniform(-1, 1)},
        "line-source": {},
    },
    "lbm": {
        "push": {"vx": lambda r: r.uniform(-0.05, 0.05), "vy": lambda r: r.uniform(-0.05, 0.05)},
        "wall-line": {"thickness": lambda r: r.uniform(1, 6)},
        "wall-rectangle": {},
        "wall-disc": {"radius": lambda r: r.uniform(0.05, 0.2), "surface_speed": lambda r: r.uniform(-0.1, 0.1)},
        "wall-ellipse": {"half_width": lambda r: r.uniform(0.04, 0.2), "half_height": lambda r: r.uniform(0.04, 0.2),
                         "angle": lambda r: r.uniform(-90, 90)},
    },
}
SEGMENTS = {"wall-line", "wall-rectangle", "speed-line", "region", "line-source", "push"}


def random_scene(rng):
    """Simulation, size, parameters and actions; all sides along y repeat, those along x sometimes."""
    simulation = rng.choice(sorted(ACTIONS))
    size = (rng.randrange(40, 120), rng.randrange(40, 120))
    round_x = rng.random() < 0.5
    if simulation == "wave":
        parameters = {"boundary_bottom": "periodic", "boundary_left": "periodic" if round_x else "absorbing",
                      "boundary_right": "periodic" if round_x else "absorbing",
                      "precision": rng.choice(["fp32", "fp64"]), "stencil": rng.choice(["five", "nine"])}
        actions = [("droplet", {"x": rng.random(), "y": rng.random(), "amplitude": 0.5})]
    else:
        parameters = {"outlines": rng.choice(["cells", "curved"]), "collision": rng.choice(["bgk", "trt", "les"]),
                      "viscosity": rng.uniform(0.01, 0.1), "disturbance": False}
        if not round_x:
            parameters |= {"boundary_left": "inlet", "boundary_right": "outlet", "inlet_speed": 0.05}
        actions = [("stream", {"vx": 0.05})]
    for _ in range(rng.randrange(1, 6)):
        kind = rng.choice(sorted(ACTIONS[simulation]))
        x, y = rng.random(), rng.random()
        numbers = {"x": x, "y": y}
        if kind in SEGMENTS:
            numbers = {"x0": x, "y0": y, "x1": x + rng.uniform(0.05, 0.3), "y1": y + rng.uniform(0.05, 0.3)}
        actions.append((kind, numbers | {name: value(rng) for name, value in ACTIONS[simulation][kind].items()}))
    return simulation, size, parameters, actions, round_x


def moved(kind, numbers, motion, by):
    to = dict(numbers)
    for name, value in numbers.items():
        axis = name[0] if name in ("x", "y", "x0", "y0", "x1", "y1") else ""
        if axis and motion == "shift":
            first = numbers[axis + name[1:].replace("1", "0")]  # both ends move round together
            to[name] = value + by[axis] - int(first + by[axis])
        elif axis == "y":
            to[name] = 1 - value
        elif motion == "mirror" and name in ("vy", "angle", "surface_speed"):
            to[name] = -value
    if kind == "oscillator":
        to["y"] = min(to["y"], 1 - 1e-12)
    return to


def text_of(simulation, size, parameters, actions):
    def value(one):
        return f'"{one}"' if isinstance(one, str) else str(one).lower() if isinstance(one, bool) else repr(one)

    lines = [f'simulation = "{simulation}"', 'title = "Symmetry"', f"size = [{size[0]}, {size[1]}]", "[parameters]"]
    lines += [f"{name} = {value(one)}" for name, one in parameters.items()]
    for kind, numbers in actions:
        lines += ["[[action]]", f'kind = "{kind}"'] + [f"{name} = {value(one)}" for name, one in numbers.items()]
    return "\n".join(lines) + "\n"


def numbers_of(program, folder, scene, steps, names):
    (folder / "scene.toml").write_text(text_of(*scene))
    run = subprocess.run([program, "scene.toml", "--headless", "--backend", "cpu", "--steps", str(steps), "--csv",
                          "a.csv", "--csv-every", str(steps)], capture_output=True, text=True, cwd=folder)
    if run.returncode != 0:
        return run.stderr.strip().splitlines()[-1:]
    # A column is called by its number and unit.
    rows = [row for row in csv.DictReader(open(folder / "a.csv", encoding="utf-8-sig")) if row["step"] == str(steps)]
    return {key.split(" [")[0]: abs(float(one)) for key, one in rows[-1].items()
            if key and key.split(" [")[0] in names and one}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    end = time.monotonic() + options.seconds
    tried = failed = 0
    with tempfile.TemporaryDirectory(prefix="perturb-symmetry-") as name:
        folder = pathlib.Path(name)
        k = options.only or 0
        while time.monotonic() < end:
            rng = random.Random(f"{options.seed} {k}")
            simulation, size, parameters, actions, round_x = random_scene(rng)
            motion = rng.choice(["shift", "mirror"])
            by = {"x": rng.randrange(size[0]) / size[0] if round_x else 0.0, "y": rng.randrange(size[1]) / size[1]}
            steps = rng.randrange(20, 200)
            names = NUMBERS[simulation]
            here = numbers_of(program, folder, (simulation, size, parameters, actions), steps, names)
            others = [(kind, moved(kind, numbers, motion, by)) for kind, numbers in actions]
            there = numbers_of(program, folder, (simulation, size, parameters, others), steps, names)
            tried += 1
            both = isinstance(here, dict) and isinstance(there, dict)
            scale = max(here.values(), default=0) if both else 0
            apart = [name for name in here if abs(here[name] - there.get(name, 1e300)) >
                     BOUNDS[motion] * max(here[name], 1e-3 * scale)] if both else []
            if apart or (here != there and not both):
                failed += 1
                differences = [(name, here[name], there.get(name)) for name in apart]
                print(f"run {k}, {simulation}, {motion}: {differences or (here, there)}")
                print(text_of(simulation, size, parameters, actions), flush=True)
            if options.only is not None:
                break
            k += 1
    print(f"symmetry: {tried} tried, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
