"""Random functions on large arrays of integers, 30 or a tenth of --programs: bit for bit as JAX
on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np

from check import check_all
from random_large import LargeProgram
from reference import exact_value
from systole_cli import systole_run

SHARE = 10  # one of these for so many of test_random.py


def pytest_generate_tests(metafunc):
    metafunc.parametrize("seed", range(metafunc.config.getoption("--programs") // SHARE))


def test_function(seed, tmp_path):
    program = LargeProgram(seed)
    lowered = program.lowered()
    golden = [np.asarray(result) for result in lowered.compile()(*program.args)]
    results = systole_run(lowered.as_text(), program.args, tmp_path)
    check_all(results, [exact_value(array) for array in golden])
