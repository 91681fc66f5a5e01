"""The oracle itself: it must refuse wrong results, and its bounds must not be loose.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32, Value, exact_value
from check import check
from random_programs import Program
from reference import evaluate


def refuses(result, expected):
    with pytest.raises(AssertionError):
        check(result, expected)


def next_up(x, steps=1):
    for _ in range(steps):
        x = np.nextafter(x, np.asarray(np.inf, x.dtype))
    return x


def test_exact_results_must_be_equal():
    x = np.array([1.25, -3.5], F32)
    (value,) = evaluate(lambda x: x * x + x, [x])
    right = x * x + x
    check(right, value)
    refuses(next_up(right), value)
    refuses(right.astype(np.float64), value)
    refuses(right.reshape(1, 2), value)


def test_transcendentals_have_two_ulps():
    x = np.linspace(0.5, 1, 100).astype(F32)
    (value,) = evaluate(jnp.exp, [x])
    right = np.exp(x.astype(np.float64)).astype(F32)
    check(next_up(right, 2), value)
    refuses(next_up(right, 3), value)


def test_nan_and_infinities_are_in_their_places():
    value = exact_value(np.array([np.nan, np.inf, -np.inf, 1], F32))
    check(np.array([np.nan, np.inf, -np.inf, 1], F32), value)
    for wrong in ([1, np.inf, -np.inf, 1], [np.nan, -np.inf, -np.inf, 1], [np.nan] * 4):
        refuses(np.array(wrong, F32), value)
    refuses(np.array([np.nan, 3.4e38, -np.inf, 1], F32), value)


def test_denormals_count_as_zero():
    value = exact_value(np.array([2.0**-130, -(2.0**-149)], F32))
    check(np.zeros(2, F32), value)
    refuses(np.full(2, 2.0**-126, F32), value)


def test_a_wide_interval_does_not_decide_a_comparison():
    (value,) = evaluate(lambda x, y: lax.exp(x) < y, [np.float32([0, 1]), np.float32([1, 5])])
    check(np.array([False, True]), value)
    check(np.array([True, True]), value)  # exp(0) within 2 ulp of 1 may be below 1
    refuses(np.array([False, False]), value)


def test_sums_of_integers_leave_no_room():
    x = np.arange(1000, dtype=F32)
    (value,) = evaluate(lambda x: x.sum(), [x])
    assert value.exact and value.data == 499500


def test_sums_of_fractions_leave_little_room():
    x = np.random.default_rng(0).standard_normal(1000).astype(F32)
    (value,) = evaluate(lambda x: x.sum(), [x])
    assert 0 < value.errors() < 1e-7 * 1000 * np.abs(x).sum()
    check(np.asarray(x[::-1].sum(), F32), value)


def test_rounding_to_bf16_absorbs_small_bounds():
    x = np.linspace(0.1, 0.9, 50).astype(BF16)
    (value,) = evaluate(jnp.tanh, [x])
    assert np.mean(value.errors() == 0) > 0.9
    refuses(next_up(value.data.astype(F32)).astype(F32), value)


def test_a_value_that_is_open_stays_open():
    """A value that depends on an unknown choice has a bound that covers both outcomes."""
    (value,) = evaluate(lambda x: lax.select(lax.exp(x) < 1, x, x + 5), [np.zeros(1, F32)])
    check(np.array([0], F32), value)
    check(np.array([5], F32), value)
    refuses(np.array([12], F32), value)


def test_contraction_bound_accepts_any_order_and_refuses_bf16():
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal((64, 64)).astype(F32) for _ in range(2))
    (value,) = evaluate(lambda a, b: a @ b, [a, b])
    check(a @ b, value)
    narrow = a.astype(BF16).astype(F32) @ b.astype(BF16).astype(F32)
    refuses(narrow, value)


def test_jax_on_the_cpu_multiplies_f32_at_any_precision():
    """So programs of the default precision, too, are compared with JAX."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, 9, 9, 64), F32), rng.standard_normal((3, 3, 64, 32), F32)
    functions = {
        "dot": lambda x, w: x.reshape(-1, 64) @ w.reshape(64, -1),
        "convolution": lambda x, w: lax.conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        ),
    }
    results = {name: jax.jit(function)(x, w) for name, function in functions.items()}
    for name, function in functions.items():
        with jax.default_matmul_precision("highest"):
            assert np.array_equal(jax.jit(function)(x, w), results[name])
    exact = np.float64(x).reshape(-1, 64) @ np.float64(w).reshape(64, -1)
    assert np.abs(np.asarray(results["dot"]) - exact).max() < 64 * 2.0**-24 * np.abs(exact).max()


def test_random_functions_depend_on_their_seed_alone():
    one, two, other = Program(3), Program(3), Program(4)
    assert one.lowered().as_text() == two.lowered().as_text()
    assert one.lowered().as_text() != other.lowered().as_text()
    assert all((a == b).all() for a, b in zip(one.args, two.args))


def test_values_keep_the_shape_of_their_bound():
    value = Value(np.zeros((2, 3), F32), 0.5)
    assert value.errors().shape == (2, 3) and not value.exact
