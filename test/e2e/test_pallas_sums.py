"""Products that Pallas kernels add to the memory of a ref: the MXU adds them there, where nothing else reads the memory
or uses the product.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from pallas_kernels import BF16, call, close, numbers, run, text_of
from systole_cli import load_results, rotated_target, save_args, systole


def product(x, y):
    sums = jnp.int32 if jnp.issubdtype(x.dtype, jnp.integer) else jnp.float32
    return jnp.dot(x, y, preferred_element_type=sums)


# What a step makes of its operands and the refs `out` and `other`, which begin as zeros.
def plus_product(x, y, out, other):
    out[...] += product(x, y)


def product_plus(x, y, out, other):
    out[...] = product(x, y) + out[...]


def sum_is_read(x, y, out, other):
    total = out[...] + product(x, y)
    out[...] = total
    other[...] = total * 2


def product_is_used(x, y, out, other):
    each = product(x, y)
    out[...] += each
    other[...] = each


def two_products(x, y, out, other):
    out[...] += product(x, y)
    out[...] += product(x, y)
    other[...] += out[...]


def memory_is_read(x, y, out, other):
    before = out[...]
    out[...] = before + product(x, y)
    other[...] = before


def both(x, y, out, other):
    total = out[...] + product(x, y)
    out[...] = total
    other[...] = total


def rows(x, y, out, other):
    """The sums of one half of the rows of `out`, which reads the other half."""
    half = out.shape[0] // 16 * 8
    if half == 0:
        out[...] += product(x, y)
        return
    other[:half] = out[half : 2 * half]
    out[:half] += product(x[:half], y)
    out[half : 2 * half] += out[:half]


FORMS = [plus_product, product_plus, sum_is_read, product_is_used, two_products, memory_is_read, both, rows]


def kernel(x, y, out, other, *, form, steps):
    @pl.when(pl.program_id(0) == 0)
    def _():
        out[...] = jnp.zeros_like(out)
        other[...] = jnp.zeros_like(other)

    form(x[...], y[...], out, other)


class Array:
    """A ref of NumPy."""

    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    def __getitem__(self, index):
        return jnp.asarray(self.array)[index]

    def __setitem__(self, index, value):
        self.array[index] = np.asarray(value)


def expected(form, x, y, depth, dtype):
    out, other = (Array(np.zeros((x.shape[0], y.shape[1]), dtype)) for _ in range(2))
    for first in range(0, x.shape[1], depth):
        columns = slice(first, first + depth)
        form(jnp.asarray(x[:, columns]).astype(dtype), jnp.asarray(y[columns]).astype(dtype), out, other)
    return out.array, other.array


def summing(form, x, y, depth, dtype):
    shape = jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), dtype)
    whole = pl.BlockSpec(shape.shape, lambda i: (0, 0))
    return pl.pallas_call(
        functools.partial(kernel, form=form, steps=x.shape[1] // depth),
        out_shape=(shape, shape),
        grid=x.shape[1] // depth,
        in_specs=[
            pl.BlockSpec((x.shape[0], depth), lambda i: (0, i)),
            pl.BlockSpec((depth, y.shape[1]), lambda i: (i, 0)),
        ],
        out_specs=(whole, whole),
    )


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("dtype", [np.float32, BF16, np.int8], ids=["f32", "bf16", "i8"])
@pytest.mark.parametrize(
    ("shape", "depth"), [((8, 256, 128), 128), ((64, 512, 256), 256), ((7, 384, 129), 128), ((129, 256, 1000), 256)]
)
def test_sums(form, dtype, shape, depth, tmp_path):
    """Integers of few bits, whose sums are exact in every order: all elements are those of NumPy."""
    small = numbers(*shape[:2], dtype=np.int8) % 8, numbers(*shape[1:], dtype=np.int8, seed=1) % 8
    x, y = (array.astype(dtype) for array in small)
    sums = np.int32 if dtype == np.int8 else np.float32
    actual = run(summing(form, x, y, depth, sums), [x, y], tmp_path, target=rotated_target())
    for found, reference in zip(actual, expected(form, *small, depth, sums), strict=True):
        np.testing.assert_array_equal(found, reference)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_sums_of_random_floats(form, tmp_path):
    x, y = numbers(40, 512, dtype=BF16), numbers(512, 256, dtype=BF16, seed=1)
    actual = run(summing(form, x, y, 256, np.float32), [x, y], tmp_path, target=rotated_target())
    close(actual, expected(form, x.astype(np.float32), y.astype(np.float32), 256, np.float32), 1e-4)


def test_order_of_sums(tmp_path):
    """Blocks of 128 of K are added one after the other, those of a step to what is there: the order of the same sums in
    XLA's program, in which JAX's tests compare bits."""
    x, y = numbers(64, 1024, dtype=BF16), numbers(1024, 128, dtype=BF16, seed=1)
    parts = [
        run(product, [x[:, first : first + 128], y[first : first + 128]], tmp_path, target="v5e")[0]
        for first in range(0, 1024, 128)
    ]
    in_order = functools.reduce(np.add, parts)
    in_pairs = functools.reduce(np.add, [a + b for a, b in zip(parts[::2], parts[1::2], strict=True)])
    assert (in_order != in_pairs).any()
    actual = run(summing(plus_product, x, y, 256, np.float32), [x, y], tmp_path, target="v5e")[0]
    np.testing.assert_array_equal(actual, in_order)


def test_a_narrow_sum_is_rounded_after_the_addition(tmp_path):
    def narrow(x, y, out):
        out[...] = jnp.ones_like(out)
        out[...] += product(x[...], y[...]).astype(out.dtype)

    x, y = numbers(16, 128, dtype=BF16), numbers(128, 128, dtype=BF16, seed=1)
    actual = run(call(narrow, ((16, 128), BF16)), [x, y], tmp_path, target="v6e")[0]
    reference = (x.astype(np.float32) @ y.astype(np.float32)).astype(BF16) + np.ones((16, 128), BF16)
    close([actual], [reference], 2e-2)


def test_sums_in_scratch_take_one_stage(tmp_path):
    """The loop of a matrix product: its sums do not pass VMEM a second time."""

    def matmul(x, y, out, sums):
        @pl.when(pl.program_id(0) == 0)
        def _():
            sums[...] = jnp.zeros_like(sums)

        sums[...] += product(x[...], y[...])

        @pl.when(pl.program_id(0) == 3)
        def _():
            out[...] = sums[...].astype(out.dtype)

    x, y = numbers(128, 512, dtype=BF16), numbers(512, 256, dtype=BF16, seed=1)
    function = call(
        matmul,
        ((128, 256), BF16),
        grid=4,
        in_specs=[pl.BlockSpec((128, 128), lambda i: (0, i)), pl.BlockSpec((128, 256), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((128, 256), lambda i: (0, 0)),
        scratch_shapes=[pltpu.VMEM((128, 256), np.float32)],
    )
    (tmp_path / "p.mlir").write_text(text_of(function, [x, y]))
    words = ["compile", tmp_path / "p.mlir", "--target", "v5e", "--dump-ir", tmp_path / "ir", "-o", tmp_path / "p.sysx"]
    done = systole(*words)
    assert done.returncode == 0, done.stderr
    text = next((tmp_path / "ir").glob("*kernel*.mlir")).read_text()
    assert text.count("kernel.dot") == 1 and " accumulate" in text and "stablehlo.add" not in text
    reference = (x.astype(np.float32) @ y.astype(np.float32)).astype(BF16)
    close(run(function, [x, y], tmp_path, target="v5e"), [reference], 2e-2)


@pytest.mark.parametrize(
    ("left", "right", "numbers_of"),
    [((8, 8), (8,), "ij,j->i"), ((40, 300), (300,), "ij,j->i"), ((7, 129), (1, 129), "ij,kj->ik")],
)
def test_products_of_f32_matrices_and_vectors_are_exact(left, right, numbers_of, tmp_path):
    """A TPU computes them on the vector unit, not in bf16 on the MXU: JAX's tests expect 1e-5 of them."""

    def kernel(x, y, out):
        out[...] = lax.dot_general(x[...], y[...], (((1,), (len(right) - 1,)), ((), ())))

    x, y = numbers(*left), numbers(*right, seed=1)
    reference = np.einsum(numbers_of, x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    (tmp_path / "p.mlir").write_text(text_of(call(kernel, (reference.shape, np.float32)), [x, y]))
    save_args(tmp_path / "args.npz", [x, y])
    words = [tmp_path / "p.mlir", "--args", tmp_path / "args.npz", "--out", tmp_path / "out.npz", "--target", "v5e"]
    done = systole("run", *words, "--precision", "default")
    assert done.returncode == 0, done.stderr
    close(load_results(tmp_path / "out.npz"), [reference], 1e-5)
