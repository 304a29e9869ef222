#!/usr/bin/env python3
"""Runs the program without a window with random options, actions and parameters, and checks what must always hold.

  tests/harden/options.py --program PATH [--seconds S] [--seed N] [--only K] [--keep FOLDER]

Values come from the ranges that "perturb list --json" prints, from their ends, and from outside them. Of every run:

  - it ends by itself, or within 15 seconds of Ctrl+C, and by no signal;
  - its exit code is 0, 1 or 2; if it is not 0, there is one plain message that begins with "perturb: ";
  - no message holds "nan", a control character or the words of a library;
  - a state that it saved is loaded again, and saved again it is the same file, bit for bit;
  - a run that continues this state ends as the run that never stopped, also if its last event came at the step of saving.

The runs follow from the seed: --only K repeats run K alone. Prints one closing line, "options: N tried, M failed", and
exits with 1 where M is not 0.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 20  # seconds until a run is interrupted; it then has 15 more to exit

NOT_A_NUMBER = re.compile(r"(?<![A-Za-z0-9_\"])-?nan(?![A-Za-z0-9_])", re.IGNORECASE)
LIBRARY_WORDS = re.compile(r"json\.exception|std::|basic_string|_M_|terminate called|bad_|H5[A-Z]|toml::")

# The cost of a run grows with these: larger values are only tried if they are rejected before anything is computed.
MOST = {"count": 400, "fibers": 30, "level": 4, "degree": 3, "most_level": 4, "most_degree": 3, "tracers": 500}


class Failure(Exception):
    pass


def outside(field, rng):
    """A value that this field must refuse, as text."""
    if field["kind"] == "choice":
        return rng.choice(["", "no-such", field["choices"][0]["id"].upper() + "x"])
    if field["kind"] == "boolean":
        return rng.choice(["2", "yes", "-1"])
    if field["kind"] == "formula":
        return rng.choice(["", "x +", "t * x", "1 / x", "sin x", "(" * 200, "x" * 5000, "1e400"])
    low, high = field["minimum"], field["maximum"]
    over = high + max(1.0, abs(high)) * rng.choice([1e-9, 1, 1e6])
    under = low - max(1.0, abs(low)) * rng.choice([1e-9, 1, 1e6])
    values = [repr(over), repr(under), "1e400", "inf", "", "1,5", "x", "0x10"]
    if field["kind"] == "integer":
        values.append(repr(low + 0.5))
    return rng.choice(values)


def inside(field, rng):
    """A value within the field's range: a number, a boolean or a choice's id."""
    if field["kind"] == "choice":
        return rng.choice(field["choices"])["id"]
    if field["kind"] == "boolean":
        return rng.random() < 0.5
    if field["kind"] == "formula":
        return rng.choice(["1", "x - y", "y * sin(3 * pi * x)", "exp(-x^2) / (y + 0.1)"])
    low, high = field["minimum"], min(field["maximum"], MOST.get(field["id"], float("inf")))
    whole = field["kind"] == "integer"
    where = rng.random()
    if where < 0.12:
        value = low
    elif where < 0.24:
        value = high
    elif where < 0.5 and field.get("default") is not None:
        value = field["default"]
    elif where < 0.75 and low >= 0 and high > 0:  # over all orders of magnitude
        least = max(low, high * 1e-9, 1 if whole else 0)
        value = least * (high / least) ** rng.random()
    else:
        value = low + (high - low) * rng.random()
    value = min(max(value, low), high)
    return int(min(max(round(value), low), high)) if whole else float(value)


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value)


def word(value):
    return toml(value).strip('"')


class Case:
    """One run: its arguments and its script."""

    def __init__(self, number, seed, tables, colormaps):
        self.rng = rng = random.Random(seed * 1000003 + number)
        self.number, self.script, self.last_event = number, "", 0
        self.chooses_kernel = False
        self.legal = True  # whether every single value is in its range
        sim = rng.choice(tables)
        self.sim = sim
        scene = sim["id"]
        if rng.random() < 0.6 and sim["presets"]:
            scene = rng.choice(sim["presets"])["scene"]
        self.arguments = [scene, "--headless", "--backend", "cpu", "--threads", str(rng.randint(1, 2))]
        grid = sim["id"] in ("wave", "lbm")
        if grid or rng.random() < 0.3:
            side = (3, 24, 33, 64) if grid else (1, 2, 5, 9)
            self.arguments += ["--size", f"{rng.choice(side)}x{rng.choice(side)}"]
        self.steps = rng.choice([0, 1, 2, 7, 20])
        self.arguments += ["--steps", str(self.steps)]
        if rng.random() < 0.3:
            self.arguments += ["--seed", str(rng.choice([0, 1, 7, 2**32 - 1]))]
        for parameter in rng.sample(sim["parameters"], rng.choice([0, 0, 1, 1, 2, 3, 6])):
            self.set(parameter)
        if rng.random() < 0.3:
            self.arguments += ["--kernel", rng.choice([k["id"] for k in sim["kernels"]] + ["auto"])]
            self.chooses_kernel = True
        self.view(colormaps)
        if rng.random() < 0.7:
            self.events()
        self.outputs()
        if rng.random() < 0.03:
            self.nonsense()

    def odd(self, chance):
        """Whether a value from outside its range is to be tried."""
        if self.rng.random() >= chance:
            return False
        self.legal = False
        return True

    def set(self, parameter):
        text = outside(parameter, self.rng) if self.odd(0.06) else word(inside(parameter, self.rng))
        self.arguments += ["--set", f"{parameter['id']}={text}"]

    def view(self, colormaps):
        rng = self.rng
        if rng.random() < 0.3:
            self.arguments += ["--quantity", rng.choice(self.sim["quantities"])["id"]]
        if rng.random() < 0.1:
            self.arguments += ["--colormap", rng.choice(colormaps)]
        if rng.random() < 0.1:
            self.arguments += ["--range", rng.choice(["auto", "-1,1", "0,1e-30", "-3e38,3e38", "1,0", "x"])]
        if rng.random() < 0.1:
            self.arguments += ["--zoom", rng.choice(["1", "0.1", "1000", "0", "-1"])]

    def events(self):
        rng, sim = self.rng, self.sim
        text = ""
        for _ in range(rng.choice([1, 1, 2, 3, 8])):
            step = rng.choice([0, 0, 1, 2, 5, 30, self.steps, self.steps, self.steps])
            self.last_event = max(self.last_event, step)
            text += f"[[event]]\nstep = {step}\n"
            kind = rng.random()
            if kind < 0.75 and sim["actions"]:
                action = rng.choice(sim["actions"])
                text += f'action = "{action["id"]}"\n'
                for field in action["fields"]:
                    if field.get("default") is not None and rng.random() < 0.3:
                        continue
                    if self.odd(0.01):
                        text += f"{field['id']} = {toml(outside(field, rng))}\n"
                    else:
                        text += f"{field['id']} = {toml(inside(field, rng))}\n"
                if action["takes_image"]:
                    text += 'image = "image.bmp"\n'
            elif kind < 0.95:
                parameter = rng.choice(sim["parameters"])
                text += f'set = "{parameter["id"]}"\nvalue = {toml(inside(parameter, rng))}\n'
            else:
                text += f'kernel = "{rng.choice(sim["kernels"])["id"]}"\n'
                self.chooses_kernel = True
        self.script = text
        self.arguments += ["--script", "script.toml"]

    def outputs(self):
        rng = self.rng
        self.save = "a.perturb"
        self.arguments += ["--save", self.save]
        if rng.random() < 0.2:
            self.arguments += ["--csv", "a.csv", "--csv-every", str(rng.choice([1, 3, 1000]))]
        if rng.random() < 0.5:
            self.arguments.append("--describe")
        if rng.random() < 0.05 and self.sim["id"] in ("particles", "fibers"):
            self.arguments.append(rng.choice(["--print", "--perf"]))

    def nonsense(self):
        rng = self.rng
        self.legal = False
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(self.arguments) + 1)
            what = rng.random()
            if what < 0.4 and at < len(self.arguments):
                del self.arguments[at]
            elif what < 0.7:
                self.arguments.insert(at, rng.choice(["--", "--no-such", "-x", "", "\x1b[31m", "\u202eabc", "--steps"]))
            elif at < len(self.arguments):
                self.arguments[at] = self.arguments[at][: rng.randrange(len(self.arguments[at]) + 1)]
        # Saving an image would need OpenGL, and a command without --headless a window.
        if "--headless" not in self.arguments:
            self.arguments.append("--headless")


# An image of 4 x 3 pixels for the actions that take one: 24 bits each, rows padded to 4 bytes.
def bitmap():
    width, height = 4, 3
    pixels = bytes(20 * k % 256 for k in range(width * height * 3))
    head = b"BM" + (54 + len(pixels)).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little")
    info = (40).to_bytes(4, "little") + width.to_bytes(4, "little") + height.to_bytes(4, "little")
    info += (1).to_bytes(2, "little") + (24).to_bytes(2, "little") + bytes(24)
    return head + info + pixels


def run(program, arguments, folder, environment):
    process = subprocess.Popen(
        [program, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE
    )
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=15)
        except subprocess.TimeoutExpired as late:
            process.kill()
            process.communicate()
            raise Failure("it hangs, and does not end by Ctrl+C") from late
    return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def check_messages(code, out, err):
    if code < 0:
        raise Failure(f"it was ended by {signal.Signals(-code).name}\n{err[-2000:]}")
    if code not in (0, 1, 2):
        raise Failure(f"its exit code is {code}\n{err[-2000:]}")
    lines = err.splitlines()
    messages = [line for line in lines if line.startswith("perturb: ")]
    interrupted = any(line.startswith("Interrupted at step") for line in lines)
    if code != 0 and len(messages) != 1 and not (interrupted and not messages):
        raise Failure(f"exit code {code} with {len(messages)} messages where 1 is needed\n{err[-2000:]}")
    if code == 0 and messages:
        raise Failure(f"a message with exit code 0\n{err[-2000:]}")
    for line in lines:
        if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in line):
            raise Failure(f"a control character in {line!r}")
        if LIBRARY_WORDS.search(line):
            raise Failure(f"the words of a library: {line}")
    # The text of a simulation (--print) has its own format; messages are the lines of text.
    for line in lines + [line for line in out.splitlines() if ":" in line]:
        if NOT_A_NUMBER.search(line):
            raise Failure(f'"nan" in {line}')


def check_round_trip(program, case, folder, environment):
    again = "b" + os.path.splitext(case.save)[1]
    arguments = ["--load", case.save, "--headless", "--backend", "cpu", "--steps", "0", "--save", again]
    code, out, err = run(program, arguments, folder, environment)
    check_messages(code, out, err)
    if code != 0:
        raise Failure(f"the state that it saved is refused (exit code {code}):\n{err}")
    with open(os.path.join(folder, case.save), "rb") as one, open(os.path.join(folder, again), "rb") as other:
        if one.read() != other.read():
            raise Failure("the state is another one after it was loaded and saved again")


def check_continuation(program, case, folder, environment):
    # A state has no later events. It does not name a built-in kernel, and those of these two differ in rounding.
    if not case.legal or case.last_event > case.steps or (case.chooses_kernel and case.sim["id"] in ("fibers", "membrane")):
        return
    ending, more = os.path.splitext(case.save)[1], 50
    whole = list(case.arguments)
    whole[whole.index("--steps") + 1] = str(case.steps + more)
    whole[whole.index("--save") + 1] = "whole" + ending
    rest = ["--load", case.save, "--headless", "--backend", "cpu", "--steps", str(more), "--save", "rest" + ending]
    ends = []
    for arguments, name in ((whole, "whole"), (rest, "rest")):
        code, out, err = run(program, arguments, folder, environment)
        check_messages(code, out, err)
        path = os.path.join(folder, name + ending)
        ends.append((code, open(path, "rb").read() if os.path.exists(path) else b""))
    if ends[0] != ends[1]:
        raise Failure("a run that continues its state ends otherwise than one that never stopped")


def attempt(program, case, folder, environment):
    if case.script:
        with open(os.path.join(folder, "script.toml"), "w", encoding="utf-8") as file:
            file.write(case.script)
    with open(os.path.join(folder, "image.bmp"), "wb") as file:
        file.write(bitmap())
    code, out, err = run(program, case.arguments, folder, environment)
    check_messages(code, out, err)
    if code == 0 and os.path.exists(os.path.join(folder, case.save)):
        check_round_trip(program, case, folder, environment)
        check_continuation(program, case, folder, environment)
    left = [name for name in os.listdir(folder) if name.endswith(".part")]
    if left:
        raise Failure(f"temporary files are left: {left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this run alone, with what it printed")
    parser.add_argument("--keep", help="folder for what failing runs leave behind")
    options = parser.parse_args()
    program = os.path.abspath(options.program)

    scratch = tempfile.mkdtemp(prefix="perturb-options-")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("DISPLAY", "WAYLAND", "XDG_", "LC_", "LANG"))}
    environment.update(HOME=os.path.join(scratch, "home"), LC_ALL="C.UTF-8")
    os.mkdir(environment["HOME"])
    tried = failed = 0
    try:
        listed = json.loads(subprocess.run([program, "list", "--json"], env=environment, check=True, stdout=subprocess.PIPE).stdout)
        end = time.monotonic() + options.seconds
        number = options.only if options.only is not None else 0
        while tried == 0 or (options.only is None and time.monotonic() < end):
            case = Case(number, options.seed, listed["simulations"], listed["colormaps"])
            folder = os.path.join(scratch, str(number))
            os.mkdir(folder)
            tried += 1
            try:
                attempt(program, case, folder, environment)
            except Failure as failure:
                failed += 1
                print(f"options: run {number} failed: {failure}", file=sys.stderr)
                print("  perturb " + " ".join(map(repr, case.arguments)), file=sys.stderr)
                if case.script:
                    print("  script.toml:\n    " + case.script.replace("\n", "\n    ").rstrip(), file=sys.stderr)
                print(
                    f"  again: tests/harden/options.py --program {options.program} --seed {options.seed} --only {number}",
                    file=sys.stderr, flush=True
                )
                if options.keep:
                    shutil.copytree(folder, os.path.join(options.keep, f"options-{options.seed}-{number}"), dirs_exist_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
            number += 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"options: {tried} tried, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
