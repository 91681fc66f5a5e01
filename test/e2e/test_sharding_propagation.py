"""Sharding rules and propagated shardings are those of Shardy, whose passes jaxlib has.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

In a process of its own, as programs are lowered for eight devices.
"""

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/shardings"


# Of 40 seeds in a row two or fewer make no program. None of these has a call at which Shardy's passes,
# which keep calls, and XLA, which inlines them first, differ.
@pytest.mark.parametrize(
    "arguments",
    [["rules.py", "--shapes", "4", "--seed", "11"], ["propagation.py", "--programs", "40", "--seed", "400"]],
    ids=lambda a: a[0],
)
def test_as_shardy(arguments):
    result = subprocess.run([sys.executable, FOLDER / arguments[0], *arguments[1:]], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    count, total = next(line.split()[0:3:2] for line in reversed(result.stdout.splitlines()) if " of " in line)
    assert count == total and int(total) >= 38
