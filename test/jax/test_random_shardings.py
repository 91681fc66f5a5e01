"""Random functions that are divided among the devices of a slice have the results of XLA on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

In a process of its own, as the CPU has eight devices there.
"""

import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/shardings/execution.py"


def test_as_xla():
    command = [sys.executable, SCRIPT, "--programs", "40", "--seed", "20000"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    agree, total = result.stdout.splitlines()[-1].split()[0:3:2]
    assert agree == total and int(total) >= 35
