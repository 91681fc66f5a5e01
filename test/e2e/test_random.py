"""Random functions, 300 or --programs of them: the machine against the reference, and JAX on the CPU as well.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np

from bounds import XLA_CPU
from check import check_all
from random_programs import Program
from systole_cli import systole_run


# Programs in which XLA on the CPU does not follow the specification: it merges a dynamic slice into
# the gather that reads it without clamping where the slice starts.
XLA_IS_WRONG = {616}


def pytest_generate_tests(metafunc):
    metafunc.parametrize("seed", range(metafunc.config.getoption("--programs")))


def test_function(seed, tmp_path):
    program = Program(seed)
    lowered = program.lowered()
    if seed not in XLA_IS_WRONG:
        golden = [np.asarray(result) for result in lowered.compile()(*program.args)]
        check_all(golden, program.expected(XLA_CPU))
    check_all(systole_run(lowered.as_text(), program.args, tmp_path), program.expected())
