"""The sweep over JAX's functions (benchmarks/jax_sweep.py) finds wrong and refused ones.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import sys

import jax
import numpy as np
import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))

import jax_sweep  # noqa: E402
from sweep import compare, rounding  # noqa: E402
from sweep.arguments import call  # noqa: E402

CALLS = jax_sweep.calls()


@pytest.mark.parametrize(("name", "dtype"), [
    *((name, "f32") for name in (
        "jnp.sort", "lax.cumsum", "random.normal", "nn.softmax", "jnp.trim_zeros", "jnp.linalg.svd")),
    *((name, "c64") for name in ("jnp.max", "jnp.fft.fft2", "lax.linalg.lu", "scipy.linalg.toeplitz")),
    ("jnp.log1p", "f64"), ("jnp.multiply", "u64"), ("jnp.add", "c128"),
])  # fmt: skip
def test_agreement_passes(name, dtype):
    assert jax_sweep.sweep_of(CALLS[name], name, dtype) == ("pass", "")


def test_missing_operations_are_refused():
    def missing(x):
        on_tpu = jax.ffi.ffi_call("nothing", jax.ShapeDtypeStruct(x.shape, x.dtype))
        return jax.lax.platform_dependent(x, tpu=on_tpu, default=lambda x: x)

    status, reason = jax_sweep.sweep_of(call(missing, (7,)), "missing", "f32")
    assert status == "refused" and "'nothing'" in reason


def test_calls_that_jax_rejects_are_left_out():
    assert jax_sweep.sweep_of(CALLS["jnp.bitwise_and"], "jnp.bitwise_and", "f32") is None


def test_differences_are_wrong():
    def other(x):
        return x + (jax.config.jax_default_device.platform == "tpu")

    status, reason = jax_sweep.sweep_of(call(other, (7,)), "other", "i32")
    assert status == "WRONG" and "(7 differ)" in reason


@pytest.mark.parametrize(("got", "wanted", "agree"), [
    (np.int32([1, 2]), np.int32([1, 2]), True),
    (np.int32([1, 3]), np.int32([1, 2]), False),
    (np.int32([1]), np.int16([1]), False),
    (np.float32([np.nan, np.inf]), np.float32([np.nan, np.inf]), True),
    (np.float32([np.nan]), np.float32([1]), False),
    (np.float32([-np.inf]), np.float32([np.inf]), False),
    (np.float32([1 + 17 * 2.0**-23]), np.float32([1]), True),
    (np.float32([1 + 20 * 2.0**-23]), np.float32([1]), False),
    (np.float32([1e-40]), np.float32([0]), True),
    (np.complex64([1 + 1e-7j, np.nan]), np.complex64([1, np.nan]), True),
    (np.complex64([1 + 1e-4j]), np.complex64([1]), False),
])  # fmt: skip
def test_comparison(got, wanted, agree):
    noise = [np.zeros(wanted.shape)]
    assert (compare.disagreement([got], [wanted], lambda: noise, lambda *_: None) == "") == agree


def test_a_few_elements_may_equal_eager_operations():
    got, wanted, one_by_one = np.float16([np.nan, 2, 3]), np.float16([1, 2, 3]), np.float16([np.nan, 9, 9])
    for element, agree in ((one_by_one[0], True), (np.float16(1), False)):
        found = compare.disagreement([got], [wanted], lambda: [np.zeros(3)], lambda *_, e=element: np.asarray(e))
        assert (found == "") == agree


def test_rounding_moves_what_cancels():
    def cancelled(x):
        return (1 + x) - 1

    rng = np.random.default_rng(0)
    x = np.full(100, 1e-3, np.float32)
    errors = np.asarray(rounding.with_errors(cancelled, [x], rng)[0]) - cancelled(x)
    assert 2.0**-25 < np.abs(errors).max() < 2.0**-21
