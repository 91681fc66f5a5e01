"""Each script of benchmarks/ loads what it needs: they share code with the tests, which moves.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
SCRIPTS = sorted(path.relative_to(FOLDER) for path in FOLDER.rglob("*.py") if "__main__" in path.read_text())


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_help(script):
    result = subprocess.run([sys.executable, FOLDER / script, "--help"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "usage: " in result.stdout
