#!/usr/bin/env python3
"""Tries edited kernels and puzzles with compilers that fail, and with folders in which they cannot write.

  tests/harden/compilers.py --program PATH [--seconds S] [--seed N]

The text is always right. Of every run:

  - if the compiler works in some folder, the exit code is 0; otherwise it is 3, with one message that names the cause;
  - a puzzle is never called "not solved";
  - after it, also after a kill, no process of the compiler and no folder of it is left.

The last line says "compilers: N tried, M failed"; the exit code is 1 where M is not 0.
"""

import argparse
import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# A script in place of the compiler, a part of the message that it must lead to (empty: it works), and whether it works
# outside of TMPDIR.
COMPILERS = [
    ('exec "$REAL" "$@"', ""),
    ("kill -9 $$", "Killed"),
    ("kill -11 $$", "Segmentation"),
    ("echo 'c++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1", "memory may have run out"),
    ("echo \"c++: fatal error: cannot execute 'cc1plus'\" >&2; exit 1", "cc1plus"),
    ("echo 'ld: final link failed: No space left on device' >&2; exit 1", "No space left"),
    ("exit 0", "without a library"),
    ("exit 1", "without a library"),
    ('case "$TMPDIR" in "$FULL"/*) echo "No space left on device" >&2; exit 1;; esac; exec "$REAL" "$@"', ""),
    ("sleep 600 & sleep 600", None),  # is killed with the program
]
FOLDERS = ["tmp", "/proc", "/nonexistent"]
# Where the program goes if it cannot write in TMPDIR.
OTHER_FOLDERS = ["/tmp", "/var/tmp", "/dev/shm"]


class Failure(Exception):
    pass


def left_processes(bin_folder):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if bin_folder.encode() in file.read():
                        found.append(name)
            except OSError:
                pass
    return found


def kernel_folders(folder):
    return {name for place in [folder, *OTHER_FOLDERS] for name in glob.glob(os.path.join(place, "perturb-kernel-*"))}


def wait_until(is_done, what):
    end = time.monotonic() + 30
    while not is_done():
        if time.monotonic() > end:
            raise Failure(what)
        time.sleep(0.05)


def attempt(program, rng, scratch, environment):
    script, cause = rng.choice(COMPILERS)
    folder, bin_folder = os.path.join(scratch, "tmp"), os.path.join(scratch, "bin")
    os.makedirs(folder), os.makedirs(bin_folder)
    compiler = os.path.join(bin_folder, "c++")
    with open(compiler, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nREAL='{shutil.which('c++')}' FULL='{folder}'\n{script}\n")
    os.chmod(compiler, 0o755)
    chosen = rng.choice(FOLDERS)
    own = dict(environment, PATH=bin_folder + ":" + environment["PATH"], TMPDIR=folder if chosen == "tmp" else chosen)
    before = kernel_folders(folder)
    arguments = ["puzzle", "guard", "right.cu"]
    process = subprocess.Popen([program, *arguments], cwd=scratch, env=own, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    kills = cause is None or rng.random() < 0.2
    if kills:
        time.sleep(rng.random() * (3 if cause is None else 0.5))
        process.send_signal(rng.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM]))
    out, err = (part.decode("utf-8", "replace") for part in process.communicate(timeout=120))
    report = f"{script!r} with TMPDIR={own['TMPDIR']}: exit code {process.returncode}\n{out}{err}"
    if not kills and process.returncode != (0 if cause == "" else 3):
        raise Failure(report)
    if not kills and cause and (cause not in err or err.count("perturb: ") != 1):
        raise Failure(report)
    wait_until(lambda: not left_processes(bin_folder), f"a process is left of {report}")
    made = kernel_folders(folder) - before  # also by others on this machine, who remove them
    wait_until(lambda: not any(map(os.path.exists, made)), f"one of {sorted(made)} is left of {report}")
    wait_until(lambda: not os.listdir(folder), f"{os.listdir(folder)} is left of {report}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program, rng = os.path.abspath(options.program), random.Random(options.seed)
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    solution = subprocess.run([program, "puzzle", "guard", "--solution"], check=True, stdout=subprocess.PIPE).stdout
    tried = failed = 0
    end = time.monotonic() + options.seconds
    while tried == 0 or time.monotonic() < end:
        scratch = tempfile.mkdtemp(prefix="perturb-compilers-")
        with open(os.path.join(scratch, "right.cu"), "wb") as file:
            file.write(solution)
        tried += 1
        try:
            attempt(program, rng, scratch, environment)
        except (Failure, subprocess.TimeoutExpired) as failure:
            failed += 1
            print(f"compilers: run {tried} of seed {options.seed} failed: {failure}", file=sys.stderr, flush=True)
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"compilers: {tried} tried, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
