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


# Functions whose arrays end in a dimension of size 1, which takes 128 lanes: padded, what one
# kernel needs is larger than VMEM, and no cut of it starts at whole rows. The compiler says so;
# layouts that put another dimension along the lanes will make these pass.
NEEDS_LAYOUTS = {31, 51, 258}
SEEDS = [
    pytest.param(
        seed, marks=pytest.mark.xfail(strict=True, reason="unit dimension along the lanes: VMEM")
    )
    if seed in NEEDS_LAYOUTS
    else seed
    for seed in range(300)
]


@pytest.mark.parametrize("seed", SEEDS)
def test_function(seed, tmp_path):
    program = Program(seed)
    lowered = program.lowered()
    golden = [np.asarray(result) for result in lowered.compile()(*program.args)]
    check_all(golden, program.expected(XLA_CPU))
    check_all(systole_run(lowered.as_text(), program.args, tmp_path), program.expected())
