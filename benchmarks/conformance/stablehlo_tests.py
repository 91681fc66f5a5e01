"""Reads the tests of StableHLO's own verifiers, and says which programs are judged otherwise here.

    git clone --depth 1 https://github.com/openxla/stablehlo /tmp/stablehlo
    python benchmarks/conformance/stablehlo_tests.py /tmp/stablehlo [--build build] [--jobs 2]

Those are the files of stablehlo/tests that are read without a pass, but for operations of the tests' own interpreter. A
program of them that expects an error is invalid, and any other valid. Prints both counts, then each invalid program
that is accepted, with the error that is expected, and each valid one that is refused, with the error that it has here.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import dataclasses
import pathlib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Options of the tests' tool that add no pass.
READING = {"split-input-file", "verify-diagnostics", "allow-unregistered-dialect"}
EXPECTED = re.compile(r"expected-error(?:-re)?\s*(?:@\s*[\w+-]+)?\s*(?:\d+\s*)?\{\{(.*?)\}\}")
# Operations that run programs side by side, of a dialect that no program has.
INTERPRETER = "ops_interpreter.mlir"
COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Case:
    """A program of a file of tests."""

    file: str
    line: int
    text: str

    @property
    def name(self):
        found = re.search(r"func(?:\.func)?\s+(?:private\s+)?@(\w+)", self.text)
        return f"{self.file}:{self.line} {found[1] if found else ''}".strip()

    @property
    def expected(self):
        """The errors that it expects."""
        return EXPECTED.findall(self.text)


def is_read_without_passes(text):
    """Whether a file's first command has the tool read it, and nothing else."""
    command = re.search(r"RUN:\s*stablehlo-opt (.*?)(\||$)", text, re.MULTILINE)
    words = command[1].split() if command else ["--none"]
    return all(word == "%s" or word.lstrip("-") in READING for word in words)


def cases_of(path):
    """The programs of a file."""
    text, line, found = path.read_text(), 1, []
    if not is_read_without_passes(text):
        return []
    for part in re.split(r"^// -----.*\n", text, flags=re.MULTILINE):
        if COMMENT.sub("", part).strip():
            found.append(Case(path.name, line, part))
        line += part.count("\n") + 1
    return found


def refusal(case, tool):
    """The error of the tool for a program; empty if it is accepted."""
    command = [tool, "--allow-unregistered-dialect", "-"]
    done = subprocess.run(command, input=COMMENT.sub("", case.text), capture_output=True, text=True, check=False)
    errors = [line.split("error: ", 1)[1] for line in done.stderr.splitlines() if "error: " in line]
    return "; ".join(errors) or ("an error without a text" if done.returncode else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stablehlo", type=pathlib.Path, help="a checkout of openxla/stablehlo")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    paths = sorted((options.stablehlo / "stablehlo/tests").glob("*.mlir"))
    paths = [path for path in paths if path.name != INTERPRETER]
    cases = [case for path in paths for case in cases_of(path)]
    with ThreadPoolExecutor(options.jobs) as pool:
        errors = list(pool.map(lambda case: refusal(case, options.build / "bin/systole-opt"), cases))
    invalid = [(case, error) for case, error in zip(cases, errors, strict=True) if case.expected]
    valid = [(case, error) for case, error in zip(cases, errors, strict=True) if not case.expected]
    accepted, refused = [case for case, error in invalid if not error], [each for each in valid if each[1]]
    print(f"invalid programs: {len(invalid)}, accepted: {len(accepted)}")
    print(f"valid programs: {len(valid)}, refused: {len(refused)}")
    for case in accepted:
        print(f"accepted: {case.name}: {case.expected[0]}")
    for case, error in refused:
        print(f"refused: {case.name}: {error}")


if __name__ == "__main__":
    main()
