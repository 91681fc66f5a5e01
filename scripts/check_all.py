#!/usr/bin/env python3
"""Runs the slow checks of the sources, and prints a table with figures of each.

    scripts/check_all.py                       all checks; `make check-all` runs this
    scripts/check_all.py gcc mypy              some of them
    scripts/check_all.py --fuzz-minutes 60     minutes of each fuzzer

Each build has a folder of its own, build-NAME, and what it prints a log beside it. Fails if a check has
found something.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build-logs"
PYTHON = ROOT / ".venv/bin/python"
FUZZERS = ("text", "artifact", "hlo", "mosaic", "program")
# End-to-end tests that the sanitizers take minutes for, not hours.
SANITIZED_SAMPLE = "test_dot.py test_control_flow.py test_scalars.py test_hlo.py test_artifacts.py".split()


class Check:
    """One row of the table: commands that run one after the other, and what their output says."""

    def __init__(self, name):
        self.name = name
        self.figures = []
        self.passed = True
        self.log = LOGS / f"{name}.log"
        self.log.write_text("")

    def run(self, *command, **environment):
        """The output of a command, which also goes to the log."""
        ended = subprocess.run(
            [str(part) for part in command],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        with self.log.open("a") as log:
            log.write(ended.stdout)
        self.passed &= ended.returncode == 0
        return ended.stdout

    def build(self, preset, *targets):
        """The folder of a preset, built. Warnings are counted where something was compiled."""
        folder = f"build-{preset}"
        jobs = subprocess.run(["scripts/jobs.sh"], cwd=ROOT, capture_output=True, text=True, check=True)
        output = self.run("cmake", "--preset", preset, f"-DSYSTOLE_PYTHON={PYTHON}")
        output += self.run("ninja", "-k", "0", "-C", folder, "-j", jobs.stdout.strip(), *targets)
        self.count("warnings", len(set(re.findall(r"^\S+:\d+:\d+: warning: .*$", output, re.M))))
        return folder

    def test(self, folder, *options):
        """Runs tests of a build and counts them."""
        output = self.run("scripts/test.sh", folder, *options)
        counts = re.search(r"total (\d+), failed (\d+)", output)
        self.figures.append(f"tests {counts[1]}, failed {counts[2]}" if counts else "no tests were counted")
        self.passed &= counts is not None

    def count(self, what, number):
        self.figures.append(f"{what} {number}")
        self.passed &= number == 0


def gcc(check, _):
    check.test(check.build("gcc"), "-R", "^unit")


def sanitize(check, _):
    # LLVM's libraries are not instrumented: they take memory from allocators of its headers, which poison
    # it where these are compiled here.
    os.environ["ASAN_OPTIONS"] = "allow_user_poisoning=0"
    folder = check.build("sanitize")
    check.test(folder, "-R", "^(unit|lit)")
    files = [f"test/e2e/{name}" for name in SANITIZED_SAMPLE]
    output = check.run(PYTHON, "-m", "pytest", "-q", "-o", "addopts=", *files, SYSTOLE_BIN=f"{folder}/bin")
    check.figures += re.findall(r"^(?:\d+ \w+(?:, )?)+", output, re.M)[-1:]


def threads(check, _):
    # What several threads use; LLVM's libraries are not instrumented.
    folder = check.build("threads", "EmulatorTest", "ClientTest", "LibraryTest", "PjrtTest")
    check.test(folder, "-R", r"^unit\.(Emulator|Client|Library|Pjrt)Test$")


def assertions(check, _):
    check.test(check.build("assertions"))


def fuzz(check, minutes):
    folder = check.build("sanitize", "fuzzers")

    def run(name):
        """The figure of one fuzzer."""
        if not (ROOT / folder / f"bin/fuzz-{name}").exists():
            check.passed = False
            return f"{name} not built"
        new = LOGS / f"fuzz-{name}"
        new.mkdir(exist_ok=True)
        output = check.run(
            *(f"{folder}/bin/fuzz-{name}", f"-max_total_time={round(60 * minutes)}", "-print_final_stats=1"),
            *(f"-artifact_prefix={LOGS}/fuzz-{name}-", new, f"test/fuzz/corpus/{name}"),
        )
        units = re.search(r"number_of_executed_units: (\d+)", output)
        return f"{name} {units[1] if units else 'failed'}"

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        check.figures += pool.map(run, FUZZERS)


def tidy(check, _):
    check.run("scripts/configure.sh", "build")
    # Headers that generators write.
    check.run("ninja", "-C", "build")
    # Not what protoc and the table generators wrote.
    output = check.run("run-clang-tidy-22", "-quiet", "-p", "build", r"^(?!.*/build/)")
    check.count("warnings", len(set(re.findall(r"^\S+:\d+:\d+: warning: .*$", output, re.M))))


def mypy(check, _):
    output = check.run(PYTHON, "-m", "mypy")
    check.count("errors", len(re.findall(r": error: ", output)))


def ruff(check, _):
    output = check.run(PYTHON, "-m", "ruff", "check", "--output-format", "concise")
    check.count("findings", len(re.findall(r"^\S+:\d+:\d+: ", output, re.M)))
    output = check.run(PYTHON, "-m", "ruff", "format", "--check")
    check.count("unformatted files", len(re.findall(r"^Would reformat|^ +--> ", output, re.M)))


CHECKS = {"assertions": assertions, "gcc": gcc, "sanitize": sanitize, "threads": threads, "fuzz": fuzz, "tidy": tidy}
CHECKS |= {"mypy": mypy, "ruff": ruff}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(CHECKS))
    parser.add_argument("--fuzz-minutes", type=float, default=10, help="minutes of each fuzzer (10)")
    args = parser.parse_args()
    if unknown := set(args.checks) - set(CHECKS):
        parser.error(f"no check {', '.join(sorted(unknown))}")

    LOGS.mkdir(exist_ok=True)
    rows = []
    for name in args.checks or CHECKS:
        check, start = Check(name), time.monotonic()
        print(f"==> {name}, see {check.log.relative_to(ROOT)}", flush=True)
        CHECKS[name](check, args.fuzz_minutes)
        rows.append((check, (time.monotonic() - start) / 60))
    width = max(len(", ".join(check.figures)) for check, _ in rows)
    print(f"\n{'check':<11} {'figures':<{width}}  minutes  result")
    for check, minutes in rows:
        result = "ok" if check.passed else "FAILED"
        print(f"{check.name:<11} {', '.join(check.figures):<{width}}  {minutes:7.1f}  {result}")
    return not all(check.passed for check, _ in rows)


if __name__ == "__main__":
    sys.exit(main())
