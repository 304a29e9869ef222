#!/usr/bin/env python3
"""Runs the tests that ctest knows of one preset, several in a process, and writes their results as JUnit.

  scripts/run_tests.py PRESET JUNIT_FILE [--parallel N] [--tests-regex R] [--exclude-regex R]

ctest starts a process for each test, which for most of them takes longer than the test itself, under AddressSanitizer ten
times as long. Here a process runs a batch of tests of one program. Which tests there are, and each one's environment,
time and lock, is ctest's answer, and its output is like ctest's: failures with what they printed, and what was skipped.

A test that takes its process with it has failed, and what its batch had not run yet runs in a process of its own. A batch
whose tests all passed and that ended badly all the same (a leak is seen at the end) is run again test by test.
"""

import argparse
import json
import os
import re
import selectors
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as xml

BATCH = 20
STARTS = re.compile(rb"\[ RUN      \] (\S+)\s*$")
ENDS = re.compile(rb"\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+).*\((\d+) ms\)\s*$")


class Test:
    def __init__(self, listed):
        properties = {p["name"]: p["value"] for p in listed["properties"]}
        self.title = listed["name"]
        self.program, *arguments = listed["command"]
        self.name = next(a.split("=", 1)[1] for a in arguments if a.startswith("--gtest_filter="))
        self.timeout = float(properties.get("TIMEOUT", 300))
        self.folder = properties.get("WORKING_DIRECTORY")
        self.lock = tuple(properties.get("RESOURCE_LOCK", []))
        self.environment = tuple(properties.get("ENVIRONMENT", []))
        self.changes = tuple(properties.get("ENVIRONMENT_MODIFICATION", []))
        self.outcome, self.seconds, self.cpu, self.output = None, 0.0, 0.0, b""

    # Tests with the same key share processes.
    def key(self):
        return self.program, self.folder, self.lock, self.environment, self.changes


def environment_of(test, preset):
    result = {**os.environ, **preset}
    for line in test.environment:
        name, value = line.split("=", 1)
        result[name] = value
    for line in test.changes:
        name, rest = line.split("=", 1)
        operation, value = rest.split(":", 1)
        # A ":" at the beginning of the value, the separator of ASAN_OPTIONS, is harmless if there was no value before.
        if operation != "string_append":
            sys.exit(f"scripts/run_tests.py does not know ENVIRONMENT_MODIFICATION's {operation}")
        result[name] = result.get(name, "") + value
    return result


def preset_environment(preset):
    """The variables of a test preset and of those that it inherits from."""
    with open("CMakePresets.json", encoding="utf-8") as file:
        presets = {p["name"]: p for p in json.load(file)["testPresets"]}
    result = {}
    while preset:
        for name, value in presets[preset].get("environment", {}).items():
            result.setdefault(name, value.replace("${sourceDir}", os.getcwd()))
        preset = presets[preset].get("inherits")
    return result


def cpu_of(pid):
    """Processor seconds of a process and of those that it has waited for; 0 if unknown."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return 0.0


def run_batch(batch, environment):
    """Fills in the outcomes of the tests that were run; returns whether the process itself succeeded, and its output
    outside the tests, where a sanitizer reports leaks."""
    by_name = {test.name.encode(): test for test in batch}
    process = subprocess.Popen(
        [batch[0].program, "--gtest_filter=" + ":".join(test.name for test in batch), "--gtest_also_run_disabled_tests",
         "--gtest_color=no"],
        cwd=batch[0].folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    running, since, rest, beside, slow, cpu = None, time.monotonic(), b"", b"", False, 0.0
    while True:
        left = since + batch[0].timeout - time.monotonic()
        if left <= 0 and not slow:
            process.kill()
            slow = True
        if not selector.select(max(left, 0.1)):
            # Killed, but a child process still holds the pipe open.
            if slow and process.poll() is not None:
                break
            continue
        part = os.read(process.stdout.fileno(), 1 << 16)
        if not part:
            break
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            start, end = STARTS.search(line), ENDS.search(line)
            if start and start[1] in by_name:
                running, since = by_name[start[1]], time.monotonic()
                running.output = b""
            elif end and running and end[2] == running.name.encode():
                running.outcome = {b"OK": "passed", b"FAILED": "failed", b"SKIPPED": "skipped"}[end[1]]
                running.seconds = int(end[3]) / 1000
                # Includes the time before it: the first test of a process pays for its start.
                cpu, before = max(cpu, cpu_of(process.pid)), cpu
                running.cpu = cpu - before
                running = None
            elif running:
                running.output += line + b"\n"
            else:
                beside += line + b"\n"
    process.stdout.close()
    code = process.wait()
    if running:
        running.outcome, running.seconds = "failed", time.monotonic() - since
        why = f"took longer than {running.timeout:g} s" if slow else f"ended its process with code {code}"
        running.output += rest + f"\n{running.name} {why}.\n".encode()
    return code == 0 or any(test.outcome == "failed" for test in batch), beside + rest


class Runner:
    def __init__(self, tests, preset):
        self.preset, self.count, self.done = preset, len(tests), 0
        self.work = []
        groups = {}
        for test in tests:
            groups.setdefault(test.key(), []).append(test)
        for group in groups.values():
            size = 1 if group[0].lock else min(BATCH, max(1, len(group) // 4))
            self.work += [group[i:i + size] for i in range(0, len(group), size)]
        # Tests that run one after the other start first, so that the others run in parallel to the end.
        self.work.sort(key=lambda batch: not batch[0].lock)
        self.locked, self.under_way, self.change = set(), 0, threading.Condition()

    def next_batch(self):
        with self.change:
            while True:
                for i, batch in enumerate(self.work):
                    if not self.locked.intersection(batch[0].lock):
                        self.locked.update(batch[0].lock)
                        self.under_way += 1
                        return self.work.pop(i)
                if not self.work and not self.under_way:
                    return None
                self.change.wait()

    def report(self, test):
        self.done += 1
        if test.outcome != "passed":
            print(f"{self.done:5}/{self.count} {test.title} ***{test.outcome.capitalize()} {test.seconds:.2f} s", flush=True)
        if test.outcome == "failed":
            print(test.output.decode(errors="replace"), flush=True)

    def work_on(self):
        while batch := self.next_batch():
            environment = environment_of(batch[0], self.preset)
            ended_well, beside = run_batch(batch, environment)
            ran = [test for test in batch if test.outcome]
            again = [test for test in batch if not test.outcome]
            if not ended_well and len(batch) > 1:
                ran, again = [], batch
            elif not ended_well or not ran:
                for test in again or batch:
                    test.outcome = "failed"
                    test.output += beside + b"The process did not end well, or did not run the test.\n"
                ran, again = batch, []
            with self.change:
                for test in ran:
                    self.report(test)
                for test in again:
                    test.outcome = None
                # What a failed test left over continues together; after a bad exit the tests run one by one.
                self.work += [again] if again and ended_well else [[test] for test in again]
                self.locked.difference_update(batch[0].lock)
                self.under_way -= 1
                self.change.notify_all()

    def run(self, processes):
        threads = [threading.Thread(target=self.work_on) for _ in range(processes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def say_where_time_went(tests):
    """Prints the processor seconds of each program and of the slowest tests, to find what takes too long."""
    programs = {}
    for test in tests:
        programs.setdefault(os.path.basename(test.program), []).append(test.cpu)
    print(f"Processor seconds: {sum(test.cpu for test in tests):.0f}")
    for name, parts in sorted(programs.items(), key=lambda item: -sum(item[1])):
        print(f"{sum(parts):8.1f} s  {len(parts):5} tests of {name}")
    for test in sorted(tests, key=lambda test: -test.cpu)[:10]:
        print(f"{test.cpu:8.1f} s  {test.title.split('  # ')[0]}")


def write_junit(tests, seconds, path):
    suite = xml.Element("testsuite", tests=str(len(tests)), time=f"{seconds:.3f}")
    for test in tests:
        status = {"passed": "run", "failed": "fail", "skipped": "notrun"}[test.outcome]
        case = xml.SubElement(suite, "testcase", name=test.title, time=f"{test.seconds:.3f}", cpu=f"{test.cpu:.2f}",
                              status=status)
        if test.outcome == "skipped":
            xml.SubElement(case, "skipped", message="SKIP_")
        if test.outcome != "passed":
            text = test.output.decode(errors="replace")
            xml.SubElement(case, "system-out").text = "".join(c for c in text if c in "\n\t" or c >= " ")
    xml.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("preset")
    parser.add_argument("junit")
    parser.add_argument("--parallel", type=int, default=os.cpu_count() or 2)
    # Not ctest's own filter: it ignores an expression with more than nine brackets.
    parser.add_argument("--tests-regex", type=re.compile, default=re.compile(""))
    parser.add_argument("--exclude-regex", type=re.compile, default=re.compile("(?!)"))
    arguments = parser.parse_args()
    listed = subprocess.run(["ctest", "--preset", arguments.preset, "--show-only=json-v1"], stdout=subprocess.PIPE,
                            check=False)
    tests = [test for test in json.loads(listed.stdout)["tests"]
             if arguments.tests_regex.search(test["name"]) and not arguments.exclude_regex.search(test["name"])
             ] if listed.returncode == 0 else []
    missing = [test["name"] for test in tests if "command" not in test]
    if missing:
        sys.exit(f"Not built: {', '.join(missing)}")
    tests = [Test(test) for test in tests]
    if not tests:
        sys.exit("No tests were found.")
    start = time.monotonic()
    Runner(tests, preset_environment(arguments.preset)).run(arguments.parallel)
    seconds = time.monotonic() - start
    write_junit(tests, seconds, arguments.junit)
    say_where_time_went(tests)
    failed = [test for test in tests if test.outcome == "failed"]
    print(f"{100 * (len(tests) - len(failed)) // len(tests)}% tests passed, {len(failed)} tests failed out of {len(tests)}"
          f" in {seconds:.0f} s")
    for test in failed:
        print(f"FAILED: {test.title}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
