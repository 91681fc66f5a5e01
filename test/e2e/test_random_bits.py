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
from systole_cli import systole_run, tensor_type
from verify import function_text, lower, verify_with_jax
from xla_cpu import xla_run

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


TYPES = [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64]
MOST = 2**64 - 1
WIDE_STATES = {
    2: [[0, 0], [2**63 + 5, 2**32 - 2], [MOST, MOST - 1], [3, MOST]],
    # Counters that overflow their lower half, and both halves.
    3: [[0, 0, 0], [2**63 + 5, 2**32 - 2, 7], [11, MOST - 1, 2**32 - 1], [MOST, MOST - 1, MOST], [2**40, MOST, MOST]],
}


def generators(applications):
    """A program that makes bits of each (algorithm, state, shape, dtype): bits and next states."""
    arguments, lines, results = [], [], []
    for number, (algorithm, state, shape, dtype) in enumerate(applications):
        kind, bits = tensor_type(state.shape, state.dtype), tensor_type(shape, dtype)
        arguments.append((f"a{number}", kind))
        lines.append(
            f"%s{number}, %b{number} = stablehlo.rng_bit_generator %a{number}, "
            f"algorithm = {algorithm} : ({kind}) -> ({kind}, {bits})"
        )
        results += [(f"s{number}", kind), (f"b{number}", bits)]
    return function_text(arguments, lines, results)


def verify_states(applications, directory):
    text, args = generators(applications), [state for _, state, _, _ in applications]
    results = systole_run(text, args, directory)
    # XLA's bits are of unsigned types, whatever the program says.
    expected = [e.view(r.dtype) for r, e in zip(results, xla_run(text, args), strict=True)]
    check_all(results, [exact_value(e) for e in expected])


@pytest.mark.parametrize("dtype", TYPES, ids=lambda d: d.__name__)
@pytest.mark.parametrize("algorithm, words", [("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3)])
def test_wide_states(algorithm, words, dtype, tmp_path):
    states = [np.array(state, np.uint64) for state in WIDE_STATES[words]]
    verify_states(
        [(algorithm, state, shape, dtype) for number, shape in enumerate(SHAPES) for state in states[number % 3 :: 3]],
        tmp_path,
    )


def test_wide_states_continue(tmp_path):
    """From one generator to the next and through a loop, over the end of the counter's low half."""
    bits = "(tensor<3xui64>) -> (tensor<3xui64>, tensor<33xui32>)"
    text = f"""func.func @main(%s: tensor<3xui64>) -> (tensor<3xui64>, tensor<33xui32>) {{
      %n = stablehlo.constant dense<4> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %t, %b = stablehlo.rng_bit_generator %s, algorithm = PHILOX : {bits}
      %r:3 = stablehlo.while(%i = %zero, %state = %t, %sum = %b)
          : tensor<i32>, tensor<3xui64>, tensor<33xui32>
      cond {{
        %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }} do {{
        %next, %more = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : {bits}
        %both = stablehlo.xor %sum, %more : tensor<33xui32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %next, %both : tensor<i32>, tensor<3xui64>, tensor<33xui32>
      }}
      return %r#1, %r#2 : tensor<3xui64>, tensor<33xui32>
    }}"""
    state = [np.array([7, MOST - 20, MOST], np.uint64)]
    expected = xla_run(text, state)
    assert expected[0][1] == 9 * 5 - 21 and expected[0][2] == 0  # nine blocks each time
    check_all(systole_run(text, state, tmp_path), [exact_value(e) for e in expected])


@pytest.mark.parametrize("kind", ["threefry2x32", "rbg", "unsafe_rbg"])
def test_random_numbers(kind, tmp_path):
    """JAX's own generators: bit for bit, too."""

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
