"""Each script of benchmarks/ loads what it needs: they share code with the tests, which moves.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import subprocess
import sys

import pytest
from systole_cli import BIN

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
SCRIPTS = sorted(path.relative_to(FOLDER) for path in FOLDER.rglob("*.py") if "__main__" in path.read_text())


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_help(script):
    result = subprocess.run([sys.executable, FOLDER / script, "--help"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "usage: " in result.stdout


# A few of the programs that they compare; by hand they take hundreds.
CHECKS = {
    "reverse_steps.py": [
        "--positions",
        "24",
        "--only",
        "llama-decode",
        "bilstm",
        "flash-attention-gradient",
        "--jobs",
        "1",
    ],
    "numerics.py": ["--whole", "3", "--models", "--only", "gnn", "llama-decode", "bilstm", "--jobs", "1"],
}


@pytest.mark.parametrize("script", CHECKS)
def test_check(script):
    command = [sys.executable, FOLDER / script, *CHECKS[script], "--systole", BIN / "systole"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
