#!/usr/bin/env python3
"""Kills runs at random moments and checks what they leave behind.

    kill.py --program build/cpu-release/app/perturb --seconds 60 --seed 1

A case is a run without a window that saves, films and writes tables over older files, or a window (where there is an
X display or Xvfb), and a signal at a random moment. Checked afterwards:

- a file that was there before is there unchanged, or whole and new: never missing, never half of it;
- the next run in the folder sweeps up the temporary files;
- a run that was asked to end (SIGINT, SIGTERM, SIGHUP) ends soon, and has saved its state if it says so;
- what a window has kept of its run is whole, and another start that is killed too does not lose it.

The same seed gives the same cases; --case N does one of them again.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SCENES = ["wave/rain", "wave/double-slit", "lbm/cylinder", "particles/gas", "fibers/pair", "membrane/modes"]
SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
OLD = b"what was here before\n"
FIRST_AUTOSAVE = 7  # seconds after which a window has saved its run, with a margin
LONGEST_END = 30  # seconds that a run may take to exit on request


class Failed(Exception):
    pass


def use_default_signals():
    """Under nohup, or in the background, this script ignores some signals, and the program would inherit that."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def is_whole_mp4(data):
    at, has_table = 0, False
    while at + 8 <= len(data):
        length = struct.unpack(">I", data[at:at + 4])[0]
        if length == 1 and at + 16 <= len(data):
            length = struct.unpack(">Q", data[at + 8:at + 16])[0]
        if length < 8:
            return False
        has_table = has_table or data[at + 4:at + 8] == b"moov"
        at += length
    return has_table and at == len(data)


def is_whole_png(data):
    return data.startswith(b"\x89PNG") and data[-8:-4] == b"IEND"


def is_whole_hdf5(data):
    # The end of the file, in its superblock.
    return data.startswith(b"\x89HDF") and struct.unpack("<Q", data[28:36])[0] == len(data)


def is_whole_csv(data):
    lines = data.decode(errors="replace").split("\n")
    return data.endswith(b"\n") and len({line.count(",") for line in lines[:-1]}) == 1


class Case:
    def __init__(self, number, program, seed, display):
        self.number, self.program, self.display = number, program, display
        self.random = random.Random(f"{seed} {number}")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="perturb-kill-"))
        self.story = []  # log of the steps, printed after a failure
        self.left = []  # processes that may still run
        self.environment = {**os.environ, "HOME": str(self.folder / "home"), "LANG": "C.UTF-8"}
        for name in ("STATE", "DATA", "CONFIG", "CACHE"):
            self.environment[f"XDG_{name}_HOME"] = str(self.folder / "home" / name.lower())
        (self.folder / "home").mkdir()

    def close(self):
        for process in self.left:
            if process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, arguments, display=""):
        self.story.append("perturb " + " ".join(arguments))
        process = subprocess.Popen([self.program, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=open(self.folder / "home" / "out", "ab"),
                                   stderr=open(self.folder / "home" / "err", "ab"),
                                   env={**self.environment, "DISPLAY": display, "WAYLAND_DISPLAY": ""},
                                   preexec_fn=use_default_signals)
        self.left.append(process)
        return process

    def kill(self, process, seconds, number):
        """Returns whether it was still at work then."""
        try:
            process.wait(seconds)
            self.story.append("which ended by itself")
            return False
        except subprocess.TimeoutExpired:
            pass
        process.send_signal(number)
        self.story.append(f"{signal.Signals(number).name} after {seconds:.2f} s")
        try:
            process.wait(LONGEST_END)
        except subprocess.TimeoutExpired:
            raise Failed(f"it had not ended {LONGEST_END} s after the signal")
        return True

    def outputs(self):
        return (self.folder / "home" / "err").read_text(errors="replace").strip()

    def require_loadable(self, path):
        result = subprocess.run([self.program, "--load", str(path), "--headless", "--backend", "cpu", "--steps", "0",
                                 "--describe"], cwd=self.folder, capture_output=True, env=self.environment,
                                stdin=subprocess.DEVNULL)
        if result.returncode != 0:
            raise Failed(f"{path.name} is not whole: {result.stderr.decode(errors='replace').strip()}")

    # ---- without a window

    def headless(self):
        pick = self.random
        arguments = [pick.choice(SCENES), "--headless", "--backend", "cpu", "--threads", "1",
                     "--steps", str(pick.choice([1, 30, 1000, 10_000_000]))]
        targets = {}
        if pick.random() < 0.8:
            targets["--save"] = "s.perturb"
        if pick.random() < 0.3:
            targets["--export"] = "e.h5"
        if pick.random() < 0.5:
            targets["--csv"] = "t.csv"
        if pick.random() < 0.4 and shutil.which("ffmpeg"):
            targets["--record"] = "f.mp4"
        elif pick.random() < 0.3:
            targets["--record"] = "frames/"
        if pick.random() < 0.3:
            targets["--screenshot"] = "p.png"
        for option, name in targets.items():
            arguments += [option, name]
            if pick.random() < 0.7 and not name.endswith("/"):
                (self.folder / name).write_bytes(OLD)
        if {"--record", "--screenshot"} & set(targets):
            arguments += ["--window-size", "96x64", "--steps-per-frame", str(pick.choice([1, 8, 64]))]
        had = {name for name in targets.values() if (self.folder / name).exists()}
        process = self.start(arguments)
        number = pick.choice(SIGNALS)
        was_killed = self.kill(process, pick.choice([0.02, 0.1, 0.3, 1.0]) * pick.uniform(0.2, 2), number)
        if was_killed and number != signal.SIGKILL and process.returncode not in (0, 1, -number):
            raise Failed(f"it ended with {process.returncode}: {self.outputs()}")
        self.wait_for_ffmpeg()
        for option, name in targets.items():
            self.require_old_or_whole(option, self.folder / name, name in had)
        said = (self.folder / "home" / "out").read_text(errors="replace")
        for name in targets.values():
            if f"Wrote {name}" in said and name in had and (self.folder / name).read_bytes() == OLD:
                raise Failed(f"it says that it wrote {name}, and the old file is there")
        self.require_sweep()

    def require_old_or_whole(self, option, path, was_there):
        if option == "--record" and path.is_dir():
            for picture in path.glob("[0-9]*.png"):
                if not is_whole_png(picture.read_bytes()):
                    raise Failed(f"{picture.name} is not whole")
            return
        if not path.exists():
            if was_there:
                raise Failed(f"{path.name} is gone")
            return
        data = path.read_bytes()
        if was_there and data == OLD:
            return
        if option == "--save":
            self.require_loadable(path)
        elif not {"--csv": is_whole_csv, "--export": is_whole_hdf5, "--record": is_whole_mp4, "--screenshot": is_whole_png}[option](data):
            raise Failed(f"{path.name} is neither the old file nor whole: {len(data)} bytes")

    def wait_for_ffmpeg(self):
        """One whose program was killed ends when it has read all; until then it may write."""
        for _ in range(200):
            commands = []
            for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    commands.append(entry.read_bytes())
                except OSError:
                    pass
            if not any(b"ffmpeg" in c.split(b"\0")[0] and b".perturb-" in c and self.works_here(c) for c in commands):
                return
            time.sleep(0.05)

    def works_here(self, command):
        return any((self.folder / os.path.basename(word[5:].decode(errors="replace"))).exists()
                   for word in command.split(b"\0") if word.startswith(b"file:"))

    def require_sweep(self):
        places = [self.folder] + [p for p in self.folder.iterdir() if p.is_dir() and p.name == "frames"]
        for place in places:
            result = subprocess.run([self.program, "wave", "--size", "16", "--headless", "--backend", "cpu", "--steps",
                                     "1", "--save", str(place / "next.perturb")], cwd=self.folder, capture_output=True,
                                    env=self.environment, stdin=subprocess.DEVNULL)
            if result.returncode != 0:
                raise Failed(f"the next run fails: {result.stderr.decode(errors='replace').strip()}")
            left = [p.name for p in place.iterdir() if ".part" in p.name]
            if left:
                raise Failed(f"the next run leaves {', '.join(left)}")

    # ---- windows

    def sessions(self):
        folder = self.folder / "home" / "state" / "perturb" / "sessions"
        return {p.name: p / "state.perturb" for p in folder.iterdir()
                if (p / "state.perturb").exists()} if folder.is_dir() else {}

    def window(self):
        pick = self.random
        arguments = [pick.choice(SCENES), "--backend", "cpu", "--window-size", "300x200", "--output-folder", "."]
        after = pick.uniform(0.2, 4) if pick.random() < 0.5 else pick.uniform(FIRST_AUTOSAVE, FIRST_AUTOSAVE + 3)
        number = pick.choice(SIGNALS)
        process = self.start(arguments, self.display)
        was_killed = self.kill(process, after, number)
        if not was_killed:
            raise Failed(f"the window ended by itself with {process.returncode}: {self.outputs()}")
        if number != signal.SIGKILL:
            if process.returncode not in (0, -number):
                raise Failed(f"the window ended with {process.returncode}: {self.outputs()}")
            if process.returncode == 0 and self.sessions():
                raise Failed("an untouched run is kept after an orderly exit")
            return
        before = self.sessions()
        for state in before.values():
            self.require_loadable(state)
        # The next start offers the interrupted session, and another crash meanwhile does not remove it.
        self.kill(self.start([arguments[0], *arguments[1:]], self.display), pick.uniform(0.5, 3), signal.SIGKILL)
        lost = [name for name in before if name not in self.sessions()]
        if lost:
            raise Failed(f"the kept run in {', '.join(lost)} was lost at the next start")


class Display:
    """An X display: Xvfb's where there is one, else that of the environment; "" without either."""

    def __init__(self):
        self.name, self.process = os.environ.get("DISPLAY", ""), None
        if not shutil.which("Xvfb"):
            return
        read, write = os.pipe()
        self.process = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24", "-nolisten",
                                         "tcp", "-noreset"], pass_fds=[write], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as lines:
            number = lines.readline().strip()
        self.name = f":{number}" if number else ""

    def close(self):
        if self.process:
            self.process.terminate()
            self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="do this case alone")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    end = time.monotonic() + options.seconds
    tried = failed = 0
    display = Display()
    try:
        number = options.case if options.case is not None else 0
        while options.case is not None and tried == 0 or options.case is None and time.monotonic() < end:
            # Windows take ten times as long: every sixth case uses one.
            is_window = display.name and number % 6 == 5
            if is_window and options.case is None and end - time.monotonic() < 2 * FIRST_AUTOSAVE:
                number += 1
                continue
            case = Case(number, program, options.seed, display.name)
            tried += 1
            try:
                (case.window if is_window else case.headless)()
            except Failed as failure:
                failed += 1
                print(f"case {number}: {failure}\n  " + "\n  ".join(case.story) +
                      f"\n  again: {sys.argv[0]} --program {options.program} --seed {options.seed} --case {number}",
                      flush=True)
            finally:
                case.close()
            number += 1
    finally:
        display.close()
    print(f"kill: {tried} tried, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
