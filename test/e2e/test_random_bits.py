"""Random bits: each algorithm, with counters that overflow, in all shapes, bit for bit.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import numpy as np
import pytest
from jax import lax

from bounds import exact_value
from check import check_all
from systole_cli import systole_run
from verify import lower, verify_with_jax

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


@pytest.mark.parametrize("kind", ["threefry2x32", "rbg", "unsafe_rbg"])
def test_random_numbers(kind, tmp_path):
    """What JAX makes of its own generators: bit for bit, too."""

    def function(words):
        key = jax.random.wrap_key_data(words, impl=kind)
        first, second = jax.random.split(key)
        return (
            jax.random.bits(key, (7, 30)),
            jax.random.key_data(jax.random.fold_in(first, 5)),
            jax.random.uniform(first, (130,)),
            jax.random.bernoulli(second, 0.25, (3, 5)),
            jax.random.randint(second, (40,), -7, 100),
            jax.random.permutation(first, 20),
        )

    words = np.array(STATES[1][: 2 if kind == "threefry2x32" else 4], np.uint32)
    expected = [np.asarray(v) for v in jax.tree.leaves(jax.jit(function)(words))]
    results = systole_run(lower(function, [words]).as_text(), [words], tmp_path)
    check_all(results, [exact_value(v) for v in expected])
