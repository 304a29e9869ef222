#!/usr/bin/env python3
"""Fault injection below the libraries.

Runs the program's commands with one allocation, open, write, fsync, rename or start of a thread made to fail by a
preloaded library (fault_injection.c, compiled here). Whatever fails, the program must end by itself within a bound, with
exit code 0, 1 or 2, a message where the code is not 0, and each file that it writes either as it was or complete.

    tests/harden/faults.py --program build/cpu-release/app/perturb --seconds 60 --seed 1

The faults are chosen at random by the seed. The last line says "faults: N tried, M failed"; the exit code is 1 where M is
not 0. Each failure is printed with the command that reproduces it. A process that ends by a signal or by exit(), or hangs,
inside one of the libraries in FOREIGN is counted separately, not as a failure: they end the program themselves where they
get no memory or no thread, and the program cannot catch that. Programs with CUDA are rejected: CUDA's runtime is such a
library, but it is linked into the program and cannot be distinguished from the program's own code.

Mesa's drawing in software starts a thread for each processor; LP_NUM_THREADS=16 tries what happens on a larger machine.
"""
import argparse
import collections
import concurrent.futures
import itertools
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

HERE = pathlib.Path(__file__).resolve().parent

# Libraries that end the process or crash without memory or a thread, by the prefix of their file name.
FOREIGN = {
    "libLLVM": "LLVM, with which Mesa draws in software: report_fatal_error, or a null pointer it does not check",
    "swrast_dri": "Mesa's software driver",
    "kms_swrast_dri": "Mesa's software driver",
    "libgallium": "Mesa's drivers",
    "libEGL": "Mesa's EGL",
    "libGL": "Mesa's OpenGL",
    "libglapi": "Mesa's table of functions",
    "libgbm": "Mesa's buffers",
    "libnvidia": "NVIDIA's graphics driver",
    "libdrm": "the kernel's graphics interface",
    "libfontconfig": "fontconfig: its caches are used unchecked",
    "libexpat": "the XML of fontconfig",
    "libfreetype": "letters",
    "libtbb": "oneTBB ends the program where a thread does not start that started a moment ago, when it was tried",
    "libhdf5": "HDF5: its error stack allocates, and it calls exit(-1)",
    "ld-linux": "the loader: no program yet",
    "libX11": "Xlib",
    "libxcb": "Xlib",
    "libglfw": "GLFW",
}
# Libraries on the stack between the failing library and the signal.
NEUTRAL = ("libc.so", "libc-", "libpthread", "libstdc++", "libgcc_s", "libm.so", "fault_injection", "linux-vdso", "libdl")

KINDS = ("alloc", "own-alloc", "open", "write", "fsync", "rename", "thread")
BOUND = 30  # seconds: the longest command takes one, and a driver that hangs in the trial image gets 20


class Case:
    """A command, the files it writes, and what it reads."""

    def __init__(self, name, arguments, outputs=(), folders=()):
        self.name, self.arguments, self.outputs, self.folders = name, arguments.split(), outputs, folders


WAVE = "wave --headless --backend cpu --threads 2 --size 48 --steps 12"
CASES = [
    Case("version", "--version"),
    Case("list", "list"),
    Case("list-json", "list --json"),
    Case("list-wave", "list wave"),
    Case("describe", WAVE + " --describe"),
    Case("save", WAVE + " --save out.perturb", ["out.perturb"]),
    Case("export", WAVE + " --export out.h5", ["out.h5"]),
    Case("csv", WAVE + " --csv out.csv --csv-every 1", ["out.csv"]),
    Case("save-csv-curves", "particles --headless --backend cpu --threads 2 --set aspect=1 --set count=40 --steps 40 "
                            "--csv out.csv --curves curves.csv --save out.perturb",
         ["out.csv", "curves.csv", "out.perturb"]),
    Case("load", "--load start.perturb --headless --backend cpu --steps 3 --save out.perturb", ["out.perturb"]),
    Case("script", WAVE + " --script run.toml --save out.perturb", ["out.perturb"]),
    Case("print", "particles --headless --backend cpu --threads 1 --set aspect=1 --set count=10 --steps 20 --print"),
    Case("flow", "lbm/cylinder --headless --backend cpu --threads 2 --size 64x32 --steps 8 --save out.perturb",
         ["out.perturb"]),
    Case("fibers", "fibers/pair --headless --backend cpu --threads 2 --steps 4 --save out.perturb", ["out.perturb"]),
    Case("membrane", "membrane/modes --headless --backend cpu --threads 2 --set level=1 --steps 4 --save out.perturb",
         ["out.perturb"]),
    Case("screenshot", WAVE + " --screenshot out.png --save out.perturb --window-size 96x64",
         ["out.png", "out.perturb"]),
    Case("with-ui", WAVE + " --screenshot out.png --with-ui --window-size 640x400", ["out.png"]),
    Case("curves-picture", WAVE + " --curves out.png", ["out.png"]),
    Case("record", "wave --headless --backend cpu --threads 2 --size 48 --frames 3 --steps-per-frame 4 --record out.mp4 "
                   "--window-size 64x64", ["out.mp4"]),
    Case("record-folder", WAVE + " --steps-per-frame 4 --record frames/ --window-size 64x64", [], ["frames"]),
    Case("lesson", "lesson wave/moving-source --headless --backend cpu --threads 2 --step 1"),
    Case("bench", "bench wave --backend cpu --threads 2 --size 64 --steps 8 --json"),
    Case("doctor", "doctor"),
    Case("bad-file", "--load damaged.perturb --headless --backend cpu --steps 1"),
    Case("bad-preset", "damaged.toml --headless --backend cpu --steps 1"),
]


def complete(path):
    """Whether a file that the program writes looks whole, by its kind."""
    data = path.read_bytes()
    if path.suffix == ".png":
        return data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")
    if path.suffix == ".csv":
        lines = data.decode().split("\n")
        return lines[-1] == "" and len(lines) > 2 and len({line.count(",") for line in lines[:-1]}) <= 2
    if path.suffix == ".mp4":
        return b"moov" in data and b"mdat" in data
    return len(data) > 1000  # the caller loads a state again


class Harness:
    def __init__(self, program, folder, library):
        self.program, self.folder, self.library = str(pathlib.Path(program).resolve()), folder, library
        self.counter = itertools.count()
        self.start = folder / "start"
        self.start.mkdir()
        self.reject_cuda()
        subprocess.run([self.program, *WAVE.split(), "--save", "start.perturb"], cwd=self.start, check=True,
                       capture_output=True, env=self.environment(self.start), timeout=BOUND)
        (self.start / "run.toml").write_text(
            '[[event]]\nstep = 4\naction = "droplet"\nx = 0.5\ny = 0.5\n')
        data = bytearray((self.start / "start.perturb").read_bytes())
        data[len(data) // 2] ^= 0x55
        (self.start / "damaged.perturb").write_bytes(data[:-7])
        (self.start / "damaged.toml").write_text('simulation = "wave"\ntitle = [\n')

    def reject_cuda(self):
        doctor = subprocess.run([self.program, "doctor"], cwd=self.start, capture_output=True, text=True,
                                env=self.environment(self.start), timeout=BOUND)
        if re.search(r"^CUDA build +yes", doctor.stdout, re.MULTILINE):
            sys.exit(f"faults: {self.program} is a build with CUDA, whose runtime ends the program where it gets no "
                     "memory. Nothing was tried: name a build without CUDA (PERTURB=build/cpu-release/app/perturb).")

    def environment(self, home, **more):
        keep = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH", "LP_NUM_THREADS") if name in os.environ}
        return {**keep, "HOME": str(home), "TMPDIR": str(home), "LIBGL_ALWAYS_SOFTWARE": "1", **more}

    def run(self, case, fault=None):
        """Runs the command in a folder of its own. Returns (exit code or None where it hung, output, errors, counts,
        trace, folder)."""
        folder = self.folder / f"run{next(self.counter)}"
        shutil.copytree(self.start, folder)
        for name in case.outputs:
            (folder / name).write_text("old")
        environment = self.environment(
            folder, LD_PRELOAD=str(self.library), PERTURB_FAULT_PROGRAM=self.program,
            PERTURB_FAULT_TRACE=str(folder / ".trace"), PERTURB_FAULT_COUNTS=str(folder / ".counts"),
            **({"PERTURB_FAULT": fault} if fault else {}))
        process = subprocess.Popen([self.program, *case.arguments], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        hung = False
        try:
            out, err = process.communicate(timeout=BOUND)
        except subprocess.TimeoutExpired:
            hung = True
            process.send_signal(signal.SIGABRT)  # the library then writes where the process hangs
            try:
                process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                pass
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # the process and its children have ended
            out, err = process.communicate()
        trace = (folder / ".trace").read_text() if (folder / ".trace").exists() else ""
        counts = {}
        if (folder / ".counts").exists():
            for line in (folder / ".counts").read_text().splitlines():
                kind, count = line.rsplit(" ", 1)
                counts[kind] = max(counts.get(kind, 0), int(count))
        return None if hung else process.returncode, out, err.decode(errors="replace"), counts, trace, folder

    def foreign_library(self, trace):
        """The library of FOREIGN in which the process ended, or "". The trace lists libraries from the innermost."""
        for line in trace.splitlines():
            for name in line.split()[2:]:
                if name.startswith(NEUTRAL):
                    continue
                for foreign in FOREIGN:
                    if name.startswith(foreign):
                        return foreign
                break
        return ""

    def problems(self, case, code, err, trace, folder):
        """What the run did wrong."""
        if code is None:
            return [f"does not end within {BOUND} s ({trace.strip() or 'no stack'})"]
        found = []
        if code < 0:
            found.append(f"ends by signal {-code} ({signal.Signals(-code).name}): {trace.strip() or err[-300:]}")
        elif code not in (0, 1, 2):
            found.append(f"exit code {code}")
        elif code != 0 and not err.strip():
            found.append(f"exit code {code} without a message")
        for name in case.outputs:
            path = folder / name
            if not path.exists():
                found.append(f"{name} is gone")
            elif path.read_bytes() == b"old":
                if code == 0:
                    found.append(f"exit code 0, and {name} is not written")
            elif not complete(path):
                found.append(f"{name} is not whole ({path.stat().st_size} bytes)")
            elif path.suffix == ".perturb":
                again = subprocess.run([self.program, "--load", name, "--headless", "--backend", "cpu", "--threads", "1",
                                        "--steps", "0"], cwd=folder, capture_output=True,
                                       env=self.environment(folder), timeout=BOUND)
                if again.returncode != 0:
                    found.append(f"{name} cannot be loaded: {again.stderr.decode(errors='replace').strip()}")
        for name in case.folders:
            for path in (folder / name).glob("*.png") if (folder / name).exists() else ():
                if not complete(path):
                    found.append(f"{name}/{path.name} is not whole")
        if code >= 0:
            left = [str(path.relative_to(folder)) for path in folder.rglob("*") if ".part" in path.name]
            if left:
                found.append("left over: " + ", ".join(left))
        return found

    def try_fault(self, case, fault):
        """(problems, foreign library or "") of one run."""
        code, _, err, _, trace, folder = self.run(case, fault)
        found = self.problems(case, code, err, trace, folder)
        shutil.rmtree(folder, ignore_errors=True)
        dies = code is None or code not in (0, 1, 2)
        return found, self.foreign_library(trace) if found and dies else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=60, help="how long new faults are tried (default 60)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time")
    parser.add_argument("--case", help="this command alone: " + ", ".join(case.name for case in CASES))
    parser.add_argument("--fault", help="this fault alone, with --case: KIND:N or KIND:N+")
    options = parser.parse_args()
    cases = [case for case in CASES if options.case in (None, case.name)]
    if not shutil.which("ffmpeg"):  # without it, video frames go to a folder, as with "record-folder"
        cases = [case for case in cases if case.name != "record"]
    if not cases or (options.fault and len(cases) != 1):
        parser.error("--fault needs --case, and there is no such case" if not cases else "--fault needs --case")

    with tempfile.TemporaryDirectory(prefix="perturb_faults_") as name:
        folder = pathlib.Path(name)
        library = folder / "fault_injection.so"
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", library,
                        HERE / "fault_injection.c", "-ldl"], check=True)
        harness = Harness(options.program, folder, library)
        tried, failed, foreign = 0, 0, collections.Counter()

        def judge(case, fault, outcome):
            nonlocal tried, failed
            found, library_name = outcome
            tried += 1
            if library_name:
                foreign[library_name] += 1
            elif found:
                failed += 1
                print(f"FAILED  {case.name} {fault}: {'; '.join(found)}\n  reproduce: {sys.argv[0]} --program "
                      f"{options.program} --case {case.name} --fault {fault}", flush=True)

        if options.fault:
            judge(cases[0], options.fault, harness.try_fault(cases[0], options.fault))
        else:
            end = time.monotonic() + options.seconds
            # First runs each command without a fault: it must succeed, and it counts the calls that can fail.
            plain = {}
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                for case, result in zip(cases, pool.map(harness.run, cases)):
                    code, _, err, counts, trace, run_folder = result
                    expected = 2 if case.name.startswith("bad-") else 0
                    if code != expected:
                        print(f"skipped: {case.name} ends with {code} without a fault: {err.strip()[-300:]}")
                    else:
                        plain[case.name] = counts
                    shutil.rmtree(run_folder, ignore_errors=True)
                cases = [case for case in cases if case.name in plain]
                generator = random.Random(options.seed)

                def faults():
                    while True:
                        case = generator.choice(cases)
                        kind = generator.choice([k for k in KINDS if plain[case.name].get(k, 0) > 0])
                        count = plain[case.name][kind]
                        persistent = "+" if generator.random() < (0.1 if "alloc" in kind else 0.4) else ""
                        yield case, f"{kind}:{generator.randint(1, count)}{persistent}"

                chosen, running = faults(), {}
                while True:
                    while time.monotonic() < end and len(running) < options.jobs:
                        case, fault = next(chosen)
                        running[pool.submit(harness.try_fault, case, fault)] = (case, fault)
                    if not running:
                        break
                    done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                    for future in done:
                        judge(*running.pop(future), future.result())
        for library_name, count in foreign.most_common():
            print(f"no failure of the program: {count} ended inside {library_name} ({FOREIGN[library_name]})")
        print(f"faults: {tried} tried, {failed} failed")
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
