"""Random bits: each algorithm, with counters that overflow, in all shapes, bit for bit.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import pytest
from jax import lax

from verify import verify_with_jax

ALGORITHMS = {
    "default": lax.RandomAlgorithm.RNG_DEFAULT,
    "three_fry": lax.RandomAlgorithm.RNG_THREE_FRY,
    "philox": lax.RandomAlgorithm.RNG_PHILOX,
}
SHAPES = [(), (1,), (5,), (1000,), (4, 3), (3, 5), (7, 130), (2, 3, 4), (0, 3)]
STATES = [
    [0, 0, 0, 0],
    [11, 22, 33, 44],
    [11, 22, 2**32 - 2, 44],
    [2**32 - 1, 22, 2**32 - 2, 2**32 - 1],
    [2**32 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1],
]


@pytest.mark.parametrize("dtype", [np.uint32, np.uint16, np.uint8], ids=lambda d: d.__name__)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_bits(algorithm, dtype, tmp_path):
    states = [np.array(state, np.uint32) for state in STATES]

    def function(*states):
        return [
            lax.rng_bit_generator(state, shape, dtype, algorithm=ALGORITHMS[algorithm])
            for number, state in enumerate(states)
            for shape in SHAPES[number % 3 :: 3]
        ]

    verify_with_jax(function, states, tmp_path)


def test_states_continue(tmp_path):
    """Through several generators, and through a loop."""

    def function(state):
        def body(_, carry):
            state, total = carry
            state, bits = lax.rng_bit_generator(state, (33,), algorithm=ALGORITHMS["philox"])
            return state, total ^ bits

        state, first = lax.rng_bit_generator(state, (33,), algorithm=ALGORITHMS["three_fry"])
        return lax.fori_loop(0, 5, body, (state, first))

    verify_with_jax(function, [np.array(STATES[2], np.uint32)], tmp_path)
