"""Pallas kernels for TPUs: what Mosaic's operations, windows, control flow and copies compute, against NumPy or JAX on
the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu import flash_attention as flash
from jax.experimental.pallas.ops.tpu.matmul import matmul
from jax.experimental.pallas.ops.tpu.megablox import gmm

from pallas_kernels import BF16, call, close, numbers, run, text_of
from systole_cli import systole

SHAPES = [(8, 128), (1, 1), (7, 129), (16, 1000), (127, 3), (2, 5, 130), (256, 256)]


@pytest.mark.parametrize("dtype", [np.float32, BF16, np.int32, np.int8], ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_kernel_without_a_grid_sees_whole_arrays(shape, dtype, tmp_path):
    def kernel(x, y, out):
        out[...] = x[...] * 2 + y[...]

    x, y = numbers(*shape, dtype=dtype), numbers(*shape, dtype=dtype, seed=1)
    found = run(lambda x, y: call(kernel, (shape, dtype))(x, y), [x, y], tmp_path)
    with jax.default_device(jax.devices("cpu")[0]):
        close(found, [jnp.asarray(x) * 2 + jnp.asarray(y)], 1e-2 if dtype == BF16 else 0)


@pytest.mark.parametrize("dtype", [np.float32, BF16, np.int8], ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("block", [(64, 256), (32, 128), (96, 128), (128, 512)], ids=str)
def test_blocks_of_a_grid(block, dtype, tmp_path):
    """Columns that are divided, also of narrow elements, and last blocks beyond the end of the array."""

    def kernel(x, out):
        out[...] = x[...] + x[...]

    x = numbers(160, 512, dtype=dtype)
    grid = tuple(pl.cdiv(size, part) for size, part in zip(x.shape, block))
    spec = pl.BlockSpec(block, lambda i, j: (i, j))
    found = run(lambda x: call(kernel, (x.shape, dtype), grid=grid, in_specs=[spec], out_specs=spec)(x), [x], tmp_path)
    close(found, [x + x], 0)


def test_rows_are_normalized(tmp_path):
    def kernel(x, out):
        values = x[...]
        shifted = jnp.exp(values - jnp.max(values, axis=1, keepdims=True))
        out[...] = shifted / jnp.sum(shifted, axis=1, keepdims=True)

    x = numbers(96, 384)
    spec = pl.BlockSpec((32, 384), lambda i: (i, 0))
    found = run(lambda x: call(kernel, (x.shape, x.dtype), grid=3, in_specs=[spec], out_specs=spec)(x), [x], tmp_path)
    shifted = np.exp(x - x.max(1, keepdims=True))
    close(found, [shifted / shifted.sum(1, keepdims=True)], 1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (1, 2)], ids=str)
@pytest.mark.parametrize("reduce", ["sum", "max", "min"])
def test_reductions(reduce, axis, tmp_path):
    x = numbers(6, 24, 200)
    expected = getattr(np, reduce)(x, axis=axis, keepdims=True)

    def kernel(x, out):
        out[...] = getattr(jnp, reduce)(x[...], axis=axis, keepdims=True)

    found = run(lambda x: call(kernel, (expected.shape, x.dtype))(x), [x], tmp_path)
    close(found, [expected], 1e-5)


def test_carried_values_of_loops_are_exchanged(tmp_path):
    def kernel(x, out):
        def body(step, carried):
            first, second = carried
            return second + x[pl.ds(step * 8, 8), :], first * 2

        first, second = jax.lax.fori_loop(0, 6, body, (jnp.zeros((8, 256)), jnp.ones((8, 256))))
        out[...] = first - second

    x = numbers(48, 256)
    first, second = np.zeros((8, 256), np.float32), np.ones((8, 256), np.float32)
    for step in range(6):
        first, second = second + x[8 * step : 8 * step + 8], first * 2
    close(run(lambda x: call(kernel, ((8, 256), x.dtype))(x), [x], tmp_path), [first - second], 1e-6)


def test_a_while_loop_ends_by_what_it_computes(tmp_path):
    def kernel(x, out):
        def body(state):
            count, value = state
            return count + 1, value * 1.5

        count, value = jax.lax.while_loop(lambda state: jnp.max(state[1]) < 50.0, body, (0, x[...]))
        out[...] = value + count.astype(jnp.float32)

    x = np.abs(numbers(8, 128)) + 0.5
    count, value = 0, x
    while value.max() < 50:
        count, value = count + 1, value * np.float32(1.5)
    close(run(lambda x: call(kernel, (x.shape, x.dtype))(x), [x], tmp_path), [value + count], 1e-5)


def test_branches_by_the_step_and_by_data(tmp_path):
    def kernel(limit, x, out):
        @pl.when(pl.program_id(0) % 2 == 0)
        def _():
            out[...] = x[...]

        @pl.when(pl.program_id(0) % 2 == 1)
        def _():
            out[...] = jax.lax.cond(limit[0] > 3, lambda v: v * 2, lambda v: -v, x[...])

    x = numbers(64, 128)
    for limit in (1, 7):
        block = pl.BlockSpec((16, 128), lambda i: (i, 0))
        specs = [pl.BlockSpec(memory_space=pltpu.SMEM), block]
        function = call(kernel, (x.shape, x.dtype), grid=4, in_specs=specs, out_specs=block)
        found = run(function, [np.array([limit], np.int32), x], tmp_path)
        expected = x.copy()
        for step in (1, 3):
            expected[16 * step : 16 * step + 16] *= 2 if limit > 3 else -1
        close(found, [expected], 0)


def test_scratch_memory_lives_over_the_grid(tmp_path):
    def kernel(x, out, total, count):
        @pl.when(pl.program_id(0) == 0)
        def _():
            total[...] = jnp.zeros_like(total)
            count[0] = 0

        total[...] += x[...]
        count[0] = count[0] + 1
        out[...] = total[...] * count[0].astype(jnp.float32)

    x = numbers(40, 256)
    spec = pl.BlockSpec((8, 256), lambda i: (i, 0))
    scratch = [pltpu.VMEM((8, 256), jnp.float32), pltpu.SMEM((1,), jnp.int32)]
    function = call(kernel, (x.shape, x.dtype), grid=5, in_specs=[spec], out_specs=spec, scratch_shapes=scratch)
    sums = np.cumsum(x.reshape(5, 8, 256), axis=0, dtype=np.float32) * np.arange(1, 6, dtype=np.float32)[:, None, None]
    close(run(function, [x], tmp_path), [sums.reshape(40, 256)], 1e-5)


def test_prefetched_scalars_choose_blocks(tmp_path):
    def kernel(order, x, out):
        out[...] = x[...] + order[pl.program_id(0)].astype(jnp.float32)

    x, order = numbers(64, 128), np.array([3, 0, 0, 2, 1], np.int32)
    grid = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(5,),
        in_specs=[pl.BlockSpec((16, 128), lambda i, order: (order[i], 0))],
        out_specs=pl.BlockSpec((16, 128), lambda i, order: (i, 0)),
    )
    found = run(lambda o, x: call(kernel, ((80, 128), x.dtype), grid_spec=grid)(o, x), [order, x], tmp_path)
    close(found, [np.concatenate([x[16 * i : 16 * i + 16] + np.float32(i) for i in order])], 0)


def test_the_grid_is_an_operand(tmp_path):
    def kernel(x, out):
        out[...] = x[...] * 3

    x = numbers(64, 128)
    spec = pl.BlockSpec((16, 128), lambda i: (i, 0))
    function = lambda n, x: call(kernel, (x.shape, x.dtype), grid=(n,), in_specs=[spec], out_specs=spec)(x)  # noqa: E731
    found = run(function, [np.int32(3), x], tmp_path)
    close([found[0][:48]], [x[:48] * 3], 0)


def test_copies_in_flight_and_semaphores(tmp_path):
    """Two buffers: the copy of the next rows runs while these are added."""

    def kernel(x, out, buffer, arrived, left):
        def copy(step):
            return pltpu.make_async_copy(x.at[pl.ds(step * 16, 16)], buffer.at[step % 2], arrived.at[step % 2])

        copy(0).start()
        total = jnp.zeros((16, 256), jnp.float32)
        for step in range(4):
            if step < 3:
                copy(step + 1).start()
            copy(step).wait()
            total += buffer[step % 2]
        buffer[0] = total
        result = pltpu.make_async_copy(buffer.at[0], out, left)
        result.start()
        result.wait()

    x = numbers(64, 256)
    anywhere = pl.BlockSpec(memory_space=pl.ANY)
    dma = pltpu.SemaphoreType.DMA
    scratch = [pltpu.VMEM((2, 16, 256), jnp.float32), dma((2,)), dma]
    function = call(kernel, ((16, 256), x.dtype), in_specs=[anywhere], out_specs=anywhere, scratch_shapes=scratch)
    close(run(function, [x], tmp_path), [x.reshape(4, 16, 256).sum(0, dtype=np.float32)], 1e-5)


def test_semaphores_are_chosen_at_run_time(tmp_path):
    def kernel(x, out, buffer, arrived):
        def copy(step):
            slot = jax.lax.rem(step, 2)
            return pltpu.make_async_copy(x.at[pl.ds(step * 16, 16)], buffer.at[slot], arrived.at[slot])

        copy(0).start()

        def body(step, total):
            @pl.when(step < 3)
            def _():
                copy(step + 1).start()

            copy(step).wait()
            return total + buffer[jax.lax.rem(step, 2)]

        out[...] = jax.lax.fori_loop(0, 4, body, jnp.zeros((16, 256), jnp.float32))

    x = numbers(64, 256)
    scratch = [pltpu.VMEM((2, 16, 256), jnp.float32), pltpu.SemaphoreType.DMA((2,))]
    specs = dict(in_specs=[pl.BlockSpec(memory_space=pl.ANY)], out_specs=pl.BlockSpec(memory_space=pltpu.VMEM))
    function = call(kernel, ((16, 256), x.dtype), scratch_shapes=scratch, **specs)
    close(run(function, [x], tmp_path), [x.reshape(4, 16, 256).sum(0, dtype=np.float32)], 1e-5)


def test_results_in_smem(tmp_path):
    def kernel(n, x, total, out):
        total[0] = n[0] * 2
        total[1] = n[1] - 1
        out[...] = x[...]

    x = numbers(8, 128)
    smem, vmem = pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec(memory_space=pltpu.VMEM)
    shapes = [jax.ShapeDtypeStruct((2,), jnp.int32), jax.ShapeDtypeStruct(x.shape, x.dtype)]
    function = pl.pallas_call(kernel, out_shape=shapes, in_specs=[smem, vmem], out_specs=[smem, vmem])
    close(run(function, [np.array([5, 9], np.int32), x], tmp_path), [np.array([10, 8], np.int32), x], 0)


def test_a_result_takes_an_operands_memory(tmp_path):
    def kernel(x, out):
        out[...] = x[...] + 1

    x = numbers(64, 128)
    spec = pl.BlockSpec((16, 128), lambda i: (2 * i, 0))
    function = call(kernel, (x.shape, x.dtype), grid=2, in_specs=[spec], out_specs=spec, input_output_aliases={0: 0})
    expected = x.copy()
    for first in (0, 32):
        expected[first : first + 16] += 1
    close(run(function, [x], tmp_path), [expected], 0)


@pytest.mark.parametrize("block", [(128, 128, 128), (256, 256, 128), (128, 384, 256)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, BF16], ids=lambda t: np.dtype(t).name)
def test_matmul_of_jax(dtype, block, tmp_path):
    x, y = numbers(256, 256, dtype=dtype), numbers(256, 768, dtype=dtype, seed=1)
    function = functools.partial(matmul, block_shape=block[:2], block_k=block[2])
    found = run(function, [x, y], tmp_path, precision="default")
    close(found, [x.astype(np.float32) @ y.astype(np.float32)], 0.15)


def attention(q, k, v, causal=False):
    scores = np.einsum("bhqd,bhkd->bhqk", q, k)
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("bhqk,bhkd->bhqd", weights / weights.sum(-1, keepdims=True), v)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("block", [128, 256])
def test_flash_attention_of_jax(block, causal, tmp_path):
    q, k, v = (numbers(1, 2, 256, 128, seed=seed) / 3 for seed in range(3))
    sizes = flash.BlockSizes(block_q=block, block_k_major=block, block_k=block, block_b=1)
    function = lambda q, k, v: flash.flash_attention(q, k, v, causal=causal, block_sizes=sizes)  # noqa: E731
    found = run(function, [q, k, v], tmp_path, precision="highest")
    close(found, [attention(q, k, v, causal)], 2e-2)


def test_grouped_matmul_of_jax(tmp_path):
    x, y = numbers(256, 128), numbers(3, 128, 256, seed=1)
    sizes = np.array([40, 0, 216], np.int32)
    found = run(lambda x, y, sizes: gmm(x, y, sizes, interpret=False), [x, y, sizes], tmp_path, precision="default")
    expected = np.concatenate([x[:40] @ y[0], x[40:] @ y[2]])
    close(found, [expected], 0.15)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32], ids=lambda t: np.dtype(t).name)
def test_parts_of_unsigned_arrays(dtype, tmp_path):
    def kernel(first, x, out):
        out[...] = x[pl.ds(first[0], 32), :] + x[0:32, :]

    x, first = numbers(96, 128, dtype=dtype), np.array([32], np.int32)
    specs = [pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec(memory_space=pltpu.VMEM)]
    found = run(lambda n, x: call(kernel, ((32, 128), dtype), in_specs=specs)(n, x), [first, x], tmp_path)
    close(found, [x[32:64] + x[:32]], 0)


MAPS = [
    (lambda i: jax.lax.div(i - 4, 2) + 2, [0, 1, 1, 2, 2, 2, 3, 3]),
    (lambda i: jax.lax.rem(i - 4, 4) + 3, [3, 0, 1, 2, 3, 4, 5, 6]),
    (lambda i: jax.lax.shift_right_arithmetic(i - 4, 1) + 2, [0, 0, 1, 1, 2, 2, 3, 3]),
    (lambda i: jax.lax.rem(i, 3), [0, 1, 2, 0, 1, 2, 0, 1]),
]


@pytest.mark.parametrize("number", range(len(MAPS)))
def test_divisions_in_index_maps_round_as_they_are_written(number, tmp_path):
    def kernel(x, out):
        out[...] = x[...]

    index, blocks = MAPS[number]
    x = numbers(64, 128)
    options = dict(
        in_specs=[pl.BlockSpec((8, 128), lambda i: (index(i), 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
    )
    found = run(lambda x: call(kernel, (x.shape, x.dtype), grid=8, **options)(x), [x], tmp_path)
    close(found, [np.concatenate([x[8 * block : 8 * block + 8] for block in blocks])], 0)


def test_constants_are_stored_in_smem(tmp_path):
    def kernel(x, out, words):
        words[0] = jnp.bfloat16(1.5)
        out[0] = 0.25
        out[1] = out[0] + x[0] + words[0].astype(jnp.float32)

    smem = pl.BlockSpec(memory_space=pltpu.SMEM)
    options = dict(in_specs=[smem], out_specs=smem, scratch_shapes=[pltpu.SMEM((2,), jnp.bfloat16)])
    found = run(lambda x: call(kernel, ((2,), np.float32), **options)(x), [np.array([4.0], np.float32)], tmp_path)
    close(found, [np.array([0.25, 5.75], np.float32)], 0)


def test_a_cache_is_updated_in_place(tmp_path):
    """The kernel copies rows of an operand and of the result over it."""

    def kernel(step, cache, out, rows, arrived):
        where = pl.ds(pl.multiple_of(step[0] * 8, 8), 8)
        load = pltpu.make_async_copy(cache.at[where], rows, arrived)
        load.start()
        load.wait()
        rows[...] = rows[...] + 1
        store = pltpu.make_async_copy(rows, out.at[where], arrived)
        store.start()
        store.wait()

    x = numbers(64, 128)
    anywhere = pl.BlockSpec(memory_space=pl.ANY)
    options = dict(
        in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), anywhere],
        out_specs=anywhere,
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA],
        input_output_aliases={1: 0},
    )
    found = run(lambda n, x: call(kernel, (x.shape, x.dtype), **options)(n, x), [np.array([3], np.int32), x], tmp_path)
    expected = x.copy()
    expected[24:32] += 1
    close(found, [expected], 0)


def test_an_operand_in_vmem_is_the_memory_of_a_result_that_aliases_it(tmp_path):
    def kernel(x, out):
        x[0:8] = x[0:8] * 2
        out[8:16] = x[0:8] + 1

    x = numbers(24, 128)
    options = dict(input_output_aliases={0: 0})
    found = run(lambda x: call(kernel, (x.shape, x.dtype), **options)(x), [x], tmp_path)
    close(found, [np.concatenate([x[:8] * 2, x[:8] * 2 + 1, x[16:]])], 0)


@pytest.mark.parametrize("target", ["v2", "v5e", "v6e"])
def test_more_copies_than_the_queue_holds(target, tmp_path):
    """Pages in the order of a table, all of which are under way before the first is waited for."""

    def kernel(order, pages, out, buffer, semaphore):
        def copy(number):
            return pltpu.make_async_copy(pages.at[order[number]], buffer.at[number], semaphore)

        jax.lax.fori_loop(0, 50, lambda number, none: copy(number).start(), None)
        jax.lax.fori_loop(0, 50, lambda number, none: copy(number).wait(), None)
        out[...] = buffer[...] + 1

    order = np.random.default_rng(0).permutation(50).astype(np.int32)
    pages = numbers(50, 8, 128)
    grid = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(1,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pltpu.VMEM),
        scratch_shapes=[pltpu.VMEM((50, 8, 128), np.float32), pltpu.SemaphoreType.DMA],
    )
    found = run(
        lambda order, pages: call(kernel, (pages.shape, pages.dtype), grid_spec=grid)(order, pages),
        [order, pages],
        tmp_path,
        target=target,
    )
    close(found, [pages[order] + 1], 0)


def test_kernels_in_a_program_with_gradients(tmp_path):
    """Two calls of one kernel between other operations, and the gradient of a third."""

    def square_kernel(x, out):
        out[...] = x[...] * x[...]

    @jax.custom_vjp
    def square(x):
        return call(square_kernel, (x.shape, x.dtype))(x)

    square.defvjp(lambda x: (square(x), x), lambda x, g: (2 * x * g,))

    def step(x):
        loss = lambda x: jnp.sum(square(jnp.tanh(x)) + square(x))  # noqa: E731
        return jax.value_and_grad(loss)(x)

    x = numbers(16, 128)
    t = np.tanh(x)
    loss, gradient = run(step, [x], tmp_path)
    np.testing.assert_allclose(loss, np.sum(t * t + x * x), rtol=1e-5)
    np.testing.assert_allclose(gradient, 2 * t * (1 - t * t) + 2 * x, rtol=1e-4, atol=1e-5)


def test_an_integer_of_the_vector_unit_that_a_branch_yields(tmp_path):
    """It is used behind the branch, too; and by a loop."""

    def kernel(n, x, out):
        largest = jnp.max(x[...]).astype(jnp.int32)
        chosen = jax.lax.cond(n[0] > 2, lambda: largest, lambda: jnp.int32(7))
        out[0] = largest + chosen
        one, two = jax.lax.fori_loop(0, n[0], lambda i, c: (largest, c[0]), (jnp.int32(1), jnp.int32(2)))
        out[1] = largest + 10 * one + 100 * two

    smem, vmem = pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec(memory_space=pltpu.VMEM)
    function = call(kernel, ((2,), np.int32), in_specs=[smem, vmem], out_specs=smem)
    x = np.full((8, 128), 5, np.float32)
    for steps, expected in ((3, [10, 555]), (1, [12, 155]), (0, [12, 215])):
        close(run(function, [np.array([steps], np.int32), x], tmp_path), [np.array(expected, np.int32)], 0)


@pytest.mark.parametrize("dtype", [np.float32, BF16], ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("window", ["rows", "columns", "table"])
def test_results_over_operands_with_other_windows(window, dtype, tmp_path):
    """The array lies as both windows need it: as panels, or with the padding of the larger blocks."""

    def kernel(table, x, out):
        out[...] = x[...] + table[pl.program_id(0)].astype(x.dtype) if window == "columns" else jnp.ones_like(out)

    x = np.round(numbers(40, 512, dtype=np.float32) * 4).astype(dtype)
    blocks = {
        "rows": (pl.BlockSpec((8, 512), lambda i, t: (0, 0)), pl.BlockSpec((40, 128), lambda i, t: (0, 2 * i))),
        "columns": (pl.BlockSpec((40, 128), lambda i, t: (0, i)), pl.BlockSpec((40, 128), lambda i, t: (0, i))),
        "table": (pl.BlockSpec((8, 512), lambda i, t: (0, 0)), pl.BlockSpec((16, 512), lambda i, t: (t[i], 0))),
    }[window]
    grid = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(2,), in_specs=[blocks[0]], out_specs=blocks[1])
    function = call(kernel, (x.shape, x.dtype), grid_spec=grid, input_output_aliases={1: 0})
    expected = x.astype(np.float32)
    if window == "rows":
        expected[:, :128] = expected[:, 256:384] = 1
    elif window == "columns":
        expected[:, :128] += 2
    else:
        expected[32:] = expected[:16] = 1
    close(run(function, [np.array([2, 0], np.int32), x], tmp_path), [expected.astype(dtype)], 0)


def test_blocks_in_smem_that_a_result_takes_are_refused(tmp_path):
    def kernel(x, out):
        out[0, 0] = x[0, 0] + 1

    block = pl.BlockSpec((8, 4), lambda i: (2 * i, 0), memory_space=pltpu.SMEM)
    options = dict(grid=2, in_specs=[block], out_specs=block, input_output_aliases={0: 0})
    program = tmp_path / "p.mlir"
    program.write_text(text_of(call(kernel, ((32, 4), np.int32), **options), [np.zeros((32, 4), np.int32)]))
    done = systole("compile", program, "-o", tmp_path / "p.sysx", "--target", "v5e")
    assert done.returncode == 1 and "has blocks in SMEM that a result aliases, which is not supported" in done.stderr


def test_results_whose_blocks_steps_come_back_to_are_refused(tmp_path):
    def kernel(x, out):
        out[...] += x[...]

    again = pl.BlockSpec((8, 128), lambda i, j: (0, j), pipeline_mode=pl.Buffered(1, revisit=pl.RevisitMode.ANY))
    blocks = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    function = call(kernel, ((8, 384), np.float32), grid=(3, 3), in_specs=[blocks], out_specs=again)
    (tmp_path / "p.mlir").write_text(text_of(function, [numbers(24, 384)]))
    done = systole("run", tmp_path / "p.mlir", "--timing-only", "--target", "v5e")
    assert done.returncode == 1 and "RevisitMode.ANY), which is not supported" in done.stderr
