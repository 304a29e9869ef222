#!/usr/bin/env python3
"""Hands damaged and random files to every parser, with clang's libFuzzer under AddressSanitizer.

  tests/harden/fuzz.py [--seconds S] [--seed N] [--only TARGET] [--jobs N] [--no-build]

Builds the targets of tests/harden/fuzz (cmake --preset asan) where they are not built, and runs each for its share of S
seconds, beginning with tests/harden/corpus. What ends a target is kept in build/asan/artifacts, with the command that does
it again. Prints one closing line, "fuzz: N tried, M failed", where N are inputs and M targets, and exits with 1 where M is
not 0. Without clang it says so and exits with 0.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build" / "asan"
# An input may take many seconds, because the machine may be busy.
LIMITS = ["-timeout=100", "-rss_limit_mb=3000", "-max_len=32768", "-print_final_stats=1", "-verbosity=1"]
ENVIRONMENT = {
    **os.environ,
    "ASAN_OPTIONS": "allocator_may_return_null=0:detect_stack_use_after_return=0",
    "LSAN_OPTIONS": f"suppressions={ROOT}/scripts/lsan.supp:print_suppressions=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "HOME": "/nonexistent",
    "XDG_DATA_HOME": "/nonexistent",
    "XDG_CACHE_HOME": "/nonexistent",
}


def build(jobs):
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "asan"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(BUILD), "--target", "fuzz", "-j", str(jobs)], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)


def run(program, seconds, seed, scratch):
    name = program.name.removesuffix("_fuzz")
    artifacts = BUILD / "artifacts"
    artifacts.mkdir(exist_ok=True)
    found = scratch / name
    found.mkdir()
    corpus = ROOT / "tests" / "harden" / "corpus" / name
    command = [str(program), f"-seed={seed}", f"-max_total_time={max(1, round(seconds))}", *LIMITS,
               f"-artifact_prefix={artifacts}/{name}-", str(found)]
    if corpus.is_dir():
        command.append(str(corpus))
    try:
        ended = subprocess.run(command, cwd=scratch, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, timeout=seconds + 240)
        output, code = ended.stdout.decode("utf-8", "replace"), ended.returncode
    except subprocess.TimeoutExpired as late:
        output, code = (late.stdout or b"").decode("utf-8", "replace"), -1
    tried = re.search(r"stat::number_of_executed_units:\s*(\d+)", output) or re.search(r"#(\d+)(?!.*#\d)", output, re.DOTALL)
    tried = int(tried.group(1)) if tried else 0
    if code == 0:
        return tried, True
    print(f"fuzz: {program.name} ended with {code}:", file=sys.stderr)
    print("  " + "\n  ".join(output.splitlines()[-60:]), file=sys.stderr)
    kept = re.search(r"Test unit written to (\S+)", output)
    if kept:
        print(f"  again: {program} {kept.group(1)}", file=sys.stderr, flush=True)
    return tried, False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one target, such as preset")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at a time")
    parser.add_argument("--no-build", action="store_true", help="take the targets as they are")
    options = parser.parse_args()
    if not shutil.which("clang++"):
        print("fuzz: left out, for there is no clang++")
        return 0
    if not options.no_build:
        build(options.jobs)
    programs = sorted(BUILD.glob("tests/harden/fuzz/*_fuzz"))
    if options.only:
        programs = [p for p in programs if p.name == options.only + "_fuzz"]
    if not programs:
        sys.exit("fuzz: there are no such targets; build them first (cmake --preset asan).")
    tried = failed = 0
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="perturb-fuzz-"))
    try:
        for program in programs:
            inputs, well = run(program, options.seconds / len(programs), options.seed, scratch)
            tried += inputs
            failed += 0 if well else 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"fuzz: {tried} tried, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
