#!/usr/bin/python3
"""Runs tests/web/lint, and the tests of the page in headless browsers (Debian's chromium, chromium-driver, firefox-esr,
python3-selenium).

  tests/web/run.py [SITE] [--long] [--pictures FOLDER] [--only WORD]    SITE: build/web, as scripts/web --build makes it
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent
browsers = 3  # at the same time


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("site", nargs="?", type=pathlib.Path, default=here.parents[1] / "build/web")
    options.add_argument("--long", action="store_true",
        help="ten minutes of random input; clicks and touches in every scene")
    options.add_argument("--pictures", default="", help="save screenshots of the page in this folder")
    options.add_argument("--only", default="", help="the files whose names have this word")
    asked = options.parse_args()
    if not (asked.site / "index.html").is_file():
        sys.exit(f"{asked.site} holds no page: make it with scripts/web --build.")
    environment = {**os.environ, "PERTURB_WEB_SITE": str(asked.site.resolve()),
        "PERTURB_WEB_LONG": "1" if asked.long else "0",
                   "PERTURB_WEB_PICTURES": asked.pictures, "PYTHONDONTWRITEBYTECODE": "1"}
    # The longest first.
    longest = ("one_screen_test.py", "scenes_test.py", "links_test.py", "failures_test.py", "controls_test.py")
    tests = [path for path in here.glob("*_test.py") if path.name != "page_test.py" and asked.only in path.name]
    tests.sort(key=lambda path: (longest.index(path.name) if path.name in longest else len(longest), path.name))
    failed = []
    if not asked.only:
        print("== lint, types and parts of the page", flush=True)
        if subprocess.run([here / "lint"], check=False).returncode:
            failed.append(("lint", "The messages are at the beginning."))
    # Most of the duration of a test is waiting for its browser.
    waiting, running = list(tests), []
    while waiting or running:
        while waiting and len(running) < browsers:
            path = waiting.pop(0)
            process = subprocess.Popen([sys.executable, "-W", "ignore", path.name], cwd=here, env=environment, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            running.append((path, time.monotonic(), process))
        for one in list(running):
            path, begun, process = one
            try:
                output, _ = process.communicate(timeout=0.1)
            except subprocess.TimeoutExpired:
                continue
            running.remove(one)
            print(f"== {path.name}: {time.monotonic() - begun:.0f} s\n{output.strip()}", flush=True)
            if process.returncode:
                failed.append((path.name, output))
    # Once more at the end, where a long log is read first. unittest writes a rule of "=" above each failure.
    for name, output in failed:
        print(f"\n== failed: {name}\n{output[max(output.find(chr(10) + '=' * 70), 0):].strip()}", flush=True)
    if failed:
        sys.exit(f"failed: {', '.join(name for name, _ in failed)}")


main()
