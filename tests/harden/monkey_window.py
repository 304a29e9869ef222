#!/usr/bin/env python3
"""A monkey in the real window: random keys, clicks, drags, turns of the wheel, sizes and changes of focus, by xdotool on
an X server of its own (Xvfb).

  tests/harden/monkey_window.py --program build/cpu-release/app/perturb --seconds 60 --seed 7

Each round opens a window on some scene and ends it with Ctrl+Q. A round fails where the program ends before, does not
end within the bound, ends with another code than 0, or prints something like an assertion. The last line is
"monkey_window: N tried, M failed" (N events, M rounds); the exit code is 1 where a round failed, and 2 where Xvfb or
xdotool is missing. A failed round prints what repeats it, and the last events.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SCREEN = (1280, 800)
ROUND_SECONDS = 15      # seconds of events in one window
STARTS_WITHIN = 60      # seconds, also on a busy machine
QUITS_WITHIN = 60
COMPLAINT = re.compile(rb"assert|terminate called|runtime error|Sanitizer|Segmentation|GLFW error|PushID|internal:", re.I)

SCENES = ["wave/droplet", "wave/rain", "wave/double-slit", "wave/doppler", "lbm/cylinder", "lbm/cavity",
          "particles/report", "particles/piston", "fibers/ring", "fibers/pair", "membrane/modes", "membrane/struck"]
KEYS = (["space", "period", "n", "r", "ctrl+r", "ctrl+z", "ctrl+shift+z", "ctrl+y", "plus", "minus", "u", "ctrl+g",
         "bracketleft", "bracketright", "m", "p", "c", "v", "h", "Home", "0", "i", "d", "ctrl+s", "ctrl+shift+s",
         "ctrl+c", "ctrl+shift+c", "ctrl+shift+p", "ctrl+e", "ctrl+o", "ctrl+p", "ctrl+f", "ctrl+plus", "ctrl+minus",
         "Tab", "shift+Tab", "Return", "ctrl+Return", "Escape", "Delete", "Next", "Prior", "Up", "Down", "Left", "Right",
         "shift+Right", "shift+Up", "ctrl+Left", "question", "eacute", "Cyrillic_ka", "dead_acute"] +
        [f"F{k}" for k in (1, 2, 3, 4, 5, 6, 7, 9, 11, 12)] + list("123456789"))
# No slash and no tilde: paths typed into a dialog stay in the monkey's own folder.
TEXTS = ["0.5", "0,5", "-1", "1e9", "nan", "rain", "zzz", "x.perturb", "Tropfen", "\u0432\u043e\u043b\u043d\u0430", "\u6c34",
         "a" * 60, "%s%n", "2 * pi"]


class Screen:
    """An Xvfb on a display that was free."""

    def __init__(self, folder):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            # Without -noreset the server resets after each window, and rejects the next one meanwhile.
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SCREEN[0]}x{SCREEN[1]}x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write], stdout=subprocess.DEVNULL, stderr=open(folder / "xvfb.txt", "wb"))
        os.close(write)
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        if not number:
            raise SystemExit("monkey_window: Xvfb does not start: " + (folder / "xvfb.txt").read_text())
        self.display = ":" + number

    def end(self):
        self.server.terminate()
        self.server.wait()


class Failure(Exception):
    pass


class Round:
    def __init__(self, program, display, folder, seed, number):
        self.random = random.Random(f"{seed}/{number}")
        self.folder = folder / f"round-{number}"
        self.events = collections.deque(maxlen=40)
        self.count = 0
        self.held = []  # pressed buttons and keys
        for name in ("home", "out", "bin"):
            (self.folder / name).mkdir(parents=True)
        # There is no desktop that could show a folder; ffmpeg is available, for videos.
        if shutil.which("ffmpeg"):
            (self.folder / "bin/ffmpeg").symlink_to(shutil.which("ffmpeg"))
        self.environment = {"DISPLAY": display, "HOME": str(self.folder / "home"), "PATH": str(self.folder / "bin"),
                            "LIBGL_ALWAYS_SOFTWARE": "1", "TMPDIR": str(self.folder / "out"), "XDG_SESSION_TYPE": "x11"}
        for name in ("LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        pick = self.random.choice
        width, height = pick([(1280, 720), (1100, 700), (800, 600), (640, 400), (400, 700)])
        self.size = (width, height)
        words = [pick(SCENES), "--window-size", f"{width}x{height}", "--backend", "cpu", "--output-folder",
                 str(self.folder / "out"), "--frame-rate", "30", "--ui-scale", pick(["1", "1", "1.5", "2"]), "--language",
                 pick(["en", "de"])] + pick([[], [], ["--theme", "light"], ["--fullscreen"], ["--size", "48x32"]])
        self.log = self.folder / "output.txt"
        self.events.append(" ".join(words))
        self.program = subprocess.Popen([program] + words, env=self.environment, cwd=self.folder / "out",
                                        stdout=subprocess.DEVNULL, stderr=open(self.log, "wb"), start_new_session=True)
        self.window = None

    def xdotool(self, *words):
        return subprocess.run(["xdotool", *words], env={**os.environ, "DISPLAY": self.environment["DISPLAY"]},
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)

    def require_alive(self):
        code = self.program.poll()
        if code is not None:
            name = signal.Signals(-code).name if code < 0 else f"code {code}"
            raise Failure(f"the program ended by itself ({name})")

    def wait_for_window(self):
        end = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < end:
            self.require_alive()
            found = self.xdotool("search", "--onlyvisible", "--class", "perturb")
            if found.returncode == 0 and found.stdout.split():
                self.window = found.stdout.split()[0].decode()
                return
            time.sleep(0.1)
        raise Failure(f"no window within {STARTS_WITHIN} s")

    def place(self):
        """More often in the column of panels and at the foot, where the controls are."""
        width, height = self.size
        kind = self.random.random()
        if kind < 0.35:
            return self.random.randrange(max(0, width - 330), width), self.random.randrange(height)
        if kind < 0.5:
            return self.random.randrange(width), self.random.randrange(max(0, height - 90), height)
        return self.random.randrange(width), self.random.randrange(height)

    def event(self):
        pick, chance = self.random.choice, self.random.random()
        if chance < 0.40:
            return ["key", pick(KEYS)]
        if chance < 0.60:
            x, y = self.place()
            return ["mousemove", str(x), str(y), "click", "--repeat", str(pick([1, 1, 1, 2, 3])), pick("11123")]
        if chance < 0.74:
            (x0, y0), (x1, y1), button = self.place(), self.place(), pick("1123")
            words = ["mousemove", str(x0), str(y0), "mousedown", button]
            for k in range(1, 5):
                words += ["mousemove", str(x0 + (x1 - x0) * k // 4), str(y0 + (y1 - y0) * k // 4)]
            return words + ["mouseup", button]
        if chance < 0.82:
            x, y = self.place()
            return ["mousemove", str(x), str(y), "click", "--repeat", str(self.random.randrange(1, 6)), pick("45")]
        if chance < 0.92:
            return ["type", "--delay", "2", pick(TEXTS)] + pick([[], ["key", "Return"], ["key", "Tab"]])
        if chance < 0.95:
            self.size = (self.random.randrange(40, SCREEN[0]), self.random.randrange(40, SCREEN[1]))
            return ["windowsize", self.window, str(self.size[0]), str(self.size[1])]
        if chance < 0.97:
            return ["keydown", pick(["shift", "ctrl", "space", "Right"]), "mousemove", *map(str, self.place()), "click",
                    pick("1345")]
        if chance < 0.985:
            return ["windowunmap", self.window, "windowmap", self.window]
        return ["windowfocus", self.window, "sleep", "0.05", "mousemove", "0", "0"]

    def do(self, words):
        # xdotool types all of its remaining arguments: later commands need another call.
        calls = [words]
        if words[0] == "type" and len(words) > 4:
            calls = [words[:4], words[4:]]
        if words[0] == "keydown":
            calls.append(["keyup", words[1]])
        for call in calls:
            self.events.append("xdotool " + " ".join(call))
            self.count += 1
            self.xdotool(*call)

    def play(self, seconds):
        self.wait_for_window()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.do(self.event())
            self.require_alive()

    def quit(self):
        """Ctrl+Q, and Enter to what may be asked then."""
        self.xdotool("windowmap", self.window)
        end, turn = time.monotonic() + QUITS_WITHIN, 0
        while time.monotonic() < end:
            # Keys go to the window under the pointer.
            self.xdotool("mousemove", "20", "20")
            self.xdotool("key", "Return" if turn % 3 == 2 else "ctrl+q")
            turn += 1
            try:
                code = self.program.wait(timeout=3)
            except subprocess.TimeoutExpired:
                continue
            if code != 0:
                raise Failure("Ctrl+Q ended it with " + (signal.Signals(-code).name if code < 0 else f"code {code}"))
            return
        raise Failure(f"Ctrl+Q did not end it within {QUITS_WITHIN} s")

    def require_no_complaint(self):
        complaint = COMPLAINT.search(self.log.read_bytes())
        if complaint:
            raise Failure("it printed: " + self.log.read_bytes()[max(0, complaint.start() - 80):complaint.end() + 160]
                          .decode(errors="replace"))

    def end(self):
        try:
            os.killpg(self.program.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.program.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--round", type=int, default=0, help="the first one; a failed round says which it was")
    options = parser.parse_args()
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            print(f"monkey_window: {tool} is not installed")
            return 2
    seed = options.seed if options.seed is not None else random.randrange(1_000_000)
    program = str(pathlib.Path(options.program).resolve())
    print(f"monkey_window: seed {seed}", flush=True)
    end = time.monotonic() + options.seconds
    tried = failed = 0
    with tempfile.TemporaryDirectory(prefix="perturb-monkey-") as name:
        folder = pathlib.Path(name)
        screen = Screen(folder)
        try:
            number = options.round
            while number == options.round or time.monotonic() < end:
                one = Round(program, screen.display, folder, seed, number)
                try:
                    one.play(max(1.0, min(ROUND_SECONDS, end - time.monotonic())))
                    one.quit()
                    one.require_no_complaint()
                except (Failure, subprocess.TimeoutExpired) as failure:
                    failed += 1
                    print(f"monkey_window: round {number}: {failure}\n"
                          f"  again: {sys.argv[0]} --program {options.program} --seed {seed} --round {number} "
                          f"--seconds {ROUND_SECONDS}\n  the last events:")
                    print("\n".join("    " + event for event in one.events))
                    print("  printed: " + one.log.read_bytes()[-2000:].decode(errors="replace"), flush=True)
                finally:
                    one.end()
                    tried += one.count
                shutil.rmtree(one.folder, ignore_errors=True)
                number += 1
        finally:
            screen.end()
    print(f"monkey_window: {tried} tried, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
