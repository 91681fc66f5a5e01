"""Random programs on the devices of a slice: functions have the results of XLA on the CPU, arrays keep their elements.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

In processes of their own, as the CPU has eight devices there.
"""

import pathlib
import subprocess
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/shardings"


def agreeing(script, *words):
    """How many of a script's programs agree, and how many there are."""
    command = [sys.executable, SCRIPTS / script, *words]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    agree, total = result.stdout.splitlines()[-1].split()[0:3:2]
    return int(agree), int(total)


def test_functions_agree_with_xla():
    agree, total = agreeing("execution.py", "--programs", "40", "--seed", "20000")
    assert agree == total >= 35


def test_arrays_move_between_shardings():
    assert agreeing("reshards.py", "--programs", "80", "--seed", "20000") == (80, 80)


def test_arrays_move_between_uneven_shardings():
    assert agreeing("reshards.py", "--programs", "60", "--seed", "30000", "--uneven") == (60, 60)


def test_models_move_no_more_than_xla():
    command = [
        sys.executable,
        SCRIPTS / "run_models.py",
        "megatron",
        "fsdp",
        "pipeline",
        "sequence_parallel",
        "experts",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("a step takes") == 5
