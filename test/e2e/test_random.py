"""300 random functions: the machine against the reference, and JAX on the CPU as well.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import pytest

from bounds import XLA_CPU
from check import check_all
from random_programs import Program
from systole_cli import systole_run



@pytest.mark.parametrize("seed", range(300))
def test_function(seed, tmp_path):
    program = Program(seed)
    lowered = program.lowered()
    golden = [np.asarray(result) for result in lowered.compile()(*program.args)]
    check_all(golden, program.expected(XLA_CPU))
    check_all(systole_run(lowered.as_text(), program.args, tmp_path), program.expected())
