"""Gathers by the cross-lane unit, and scatters of elements as reductions, against JAX on the CPU, exactly.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32
from systole_cli import MLIR_NAMES, systole_run
from test_elementwise import BOOL, I8, I32, UI32, generator, ordinary
from verify import verify_with_jax


@pytest.mark.parametrize("dtype", [F32, BF16, I32, I8, UI32, BOOL], ids=lambda d: MLIR_NAMES[d])
def test_elements(dtype, tmp_path):
    """Of tables of one row and of several, indices beyond the ends among them."""
    rng = generator("elements", dtype.name)
    tables = [ordinary(rng, (size,), dtype, "any", 0) for size in (5, 128, 129, 3000)]
    indices = rng.integers(-3100, 3100, 2100).astype(np.int32)
    verify_with_jax(lambda i, *tables: [table[i] for table in tables], [indices, *tables], tmp_path)


@pytest.mark.parametrize(("shape", "count", "axis"), [((9, 700), 300, 1), ((700, 9), 300, 0), ((40, 3, 257), 130, 2)])
def test_along_an_axis(shape, count, axis, tmp_path):
    """Batches whose tables a vector takes together, and of more than eight indices each."""
    rng = generator("along", str(shape))
    x = rng.standard_normal(shape).astype(F32)
    places = list(shape)
    places[axis] = count
    i = rng.integers(0, shape[axis], places).astype(np.int32)
    verify_with_jax(lambda x, i: jnp.take_along_axis(x, i, axis), [x, i], tmp_path)


def test_few_positions_of_many_rows(tmp_path):
    """Looked up where selections take long, and selected otherwise."""
    rng = generator("few positions")
    args = []
    for rows, width, count in ((300, 64, 2), (32, 1000, 5), (32, 10, 2), (7, 33, 5)):
        args += [rng.standard_normal((rows, width)).astype(F32), rng.integers(0, width, (rows, count)).astype(np.int32)]
    verify_with_jax(lambda *args: [jnp.take_along_axis(x, i, 1) for x, i in zip(args[::2], args[1::2])], args, tmp_path)


@pytest.mark.parametrize("dtype", [F32, BF16, I32, I8, UI32, BOOL], ids=lambda d: MLIR_NAMES[d])
def test_interleaved_lanes(dtype, tmp_path):
    """Pairs side by side, arrays behind each other, short rows that share lanes, and odd sizes."""
    rng = generator("interleaved", dtype.name)
    shapes = [(4000, 2, 128), (3000, 4, 64), (8000, 2, 3), (1000, 7, 33), (3, 2000, 129), (7, 2, 5)]
    args = [ordinary(rng, shape, dtype, "any", 0) for shape in shapes]

    def function(pairs, fours, short, odd, behind, few):
        return [
            *(jnp.swapaxes(x, 1, 2).reshape(x.shape[0], -1) for x in (pairs, fours, odd, few)),
            jnp.swapaxes(short, 1, 2).reshape(2000, 24),
            jnp.transpose(behind, (1, 2, 0)).reshape(2000, -1),
            jnp.concatenate([pairs[:, 0, :, None], pairs[:, 1, :, None]], -1).reshape(2000, 512),
        ]

    verify_with_jax(function, args, tmp_path)


@pytest.mark.parametrize("dtype", [BF16, F32], ids=lambda d: MLIR_NAMES[d])
def test_bits_of_interleaved_lanes(dtype, tmp_path):
    """Denormals and the payloads of NaNs stay."""
    bits = generator("bits", dtype.name).bytes(1000 * 2 * 64 * dtype.itemsize)
    x = np.frombuffer(bits, dtype).reshape(1000, 2, 64)
    function = lambda x: jnp.swapaxes(x, 1, 2).reshape(1000, 128)  # noqa: E731
    text = jax.jit(function).lower(x).as_text()
    (result,) = systole_run(text, [x], tmp_path)
    assert result.tobytes() == np.swapaxes(x, 1, 2).tobytes()


def test_update_without_elements(tmp_path):
    x = np.arange(20, dtype=F32).reshape(5, 4)
    verify_with_jax(lambda x: lax.dynamic_update_slice(x, x[:, 4:4], (0, 3)), [x], tmp_path)


def test_tables_beyond_vmem(tmp_path):
    """Batches of a gather that takes its arrays whole, where the lookup is cut."""
    x = np.arange(200 * 20_000, dtype=F32).reshape(200, 20_000)
    i = generator("beyond vmem").integers(0, 20_000, (200, 130)).astype(np.int32)
    verify_with_jax(lambda x, i: jnp.take_along_axis(x, i, 1), [x, i], tmp_path)


def test_narrow_rows_and_pairs(tmp_path):
    rng = generator("narrow rows")
    x = rng.standard_normal((2000, 4)).astype(F32)
    i, j = rng.integers(0, 2000, 3000).astype(np.int32), rng.integers(0, 4, 3000).astype(np.int32)
    verify_with_jax(lambda x, i, j: [x[i], x[i, j], x[i][:, None, 1:], jnp.tanh(x[i] - x[j])], [x, i, j], tmp_path)


def update(kind):
    return lambda x, i, u: getattr(x.at[i], kind)(u)


@pytest.mark.parametrize("kind", ["add", "max", "min", "multiply"])
def test_scatters_of_elements(kind, tmp_path):
    """Into few elements, each of which looks for its updates, and into many; with repeated indices, and such outside."""
    rng = generator("scattered elements", kind)
    args = []
    for size in (1, 7, 129, 900):
        x = rng.integers(-3, 4, size).astype(F32)
        args += [x, rng.integers(-size - 3, size + 3, 1000).astype(np.int32), rng.choice([-1, 1, 2], 1000).astype(F32)]
    if kind == "multiply":
        args = [np.sign(arg) if arg.dtype == F32 else arg for arg in args]
    function = update(kind)
    verify_with_jax(lambda *args: [function(*args[n : n + 3]) for n in range(0, len(args), 3)], args, tmp_path)


def test_scatters_of_rows_into_few(tmp_path):
    """Rows of a table along its first and along its last dimension, as those of gradients of small tables."""
    rng = generator("few rows")
    x, u = rng.integers(-5, 6, (9, 12)).astype(F32), rng.integers(-5, 6, (40, 30, 12)).astype(F32)
    i = rng.integers(-10, 11, (40, 30)).astype(np.int32)
    verify_with_jax(
        lambda x, i, u: [x.at[i].add(u), x.at[i].min(u), x.T.at[:, i].add(u.transpose(2, 0, 1))], [x, i, u], tmp_path
    )


def test_an_element_without_updates_keeps_its_sign(tmp_path):
    """The sum of no updates is -0, the identity."""
    x = np.array([-0.0, 0.0, np.nan, np.inf], F32)
    i = np.array([3, 3, 9, -9], np.int32)
    u = np.array([1, np.inf, np.nan, np.nan], F32)
    verify_with_jax(lambda x, i, u: jnp.signbit(x.at[i].add(u, mode="drop")), [x, i, u], tmp_path)


def test_rows_of_several_dimensions(tmp_path):
    """Rows of [4, 32] lie side by side in the lanes while they are added."""
    rng = generator("rows of several dimensions")
    x = rng.integers(-5, 6, (60, 4, 32)).astype(F32)
    i, u = rng.integers(-2, 62, 700).astype(np.int32), rng.integers(-5, 6, (700, 4, 32)).astype(F32)
    verify_with_jax(lambda x, i, u: x.at[i].add(u, mode="drop"), [x, i, u], tmp_path)
