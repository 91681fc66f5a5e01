"""Copies that Pallas kernels start themselves, and those of blocks that a loop copies: sizes that are computed, parts of
SMEM, refs under other shapes, blocks that tables choose.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from pallas_kernels import BF16, call, close, numbers, run

HBM, SMEM, VMEM = (pl.BlockSpec(memory_space=space) for space in (pltpu.HBM, pltpu.SMEM, pltpu.VMEM))
DMA = pltpu.SemaphoreType.DMA


@pytest.mark.parametrize(
    ("shape", "dtype", "count"),
    [
        ((8, 8, 128), np.float32, 5),
        ((8, 8, 128), np.float32, 0),
        ((8, 8, 128), np.float32, 8),
        ((32, 256), np.float32, 5),
        ((32, 256), BF16, 16),
        ((16, 2, 2, 128), BF16, 7),
        ((8, 8, 2, 512), BF16, 3),
        ((16, 32, 128), np.int8, 9),
    ],
    ids=str,
)
@pytest.mark.parametrize("waits_in_vmem", [False, True])
def test_sizes_that_are_computed(shape, dtype, count, waits_in_vmem, tmp_path):
    def kernel(n_ref, x, out, scratch, semaphore):
        n = n_ref[0]
        scratch[...] = jnp.zeros_like(scratch)
        source, target = x.at[pl.ds(0, n)], scratch.at[pl.ds(0, n)]
        pltpu.make_async_copy(source, target, semaphore).start()
        pltpu.make_async_copy(target if waits_in_vmem else source, target, semaphore).wait()
        pltpu.sync_copy(scratch, out)

    x = numbers(*shape, dtype=dtype)
    function = call(
        kernel, (shape, dtype), in_specs=[SMEM, HBM], out_specs=HBM, scratch_shapes=[pltpu.VMEM(shape, dtype), DMA]
    )
    expected = np.concatenate([x[:count], np.zeros_like(x[count:])])
    close(run(function, [np.array([count], np.int32), x], tmp_path), [expected], 0)


def test_a_computed_size_within_vmem(tmp_path):
    def kernel(n_ref, x, out, semaphore):
        out[...] = jnp.zeros_like(out)
        copy = pltpu.make_async_copy(x.at[pl.ds(0, n_ref[0])], out.at[pl.ds(0, n_ref[0])], semaphore)
        copy.start()
        copy.wait()

    x = numbers(6, 8, 128)
    function = call(kernel, (x.shape, x.dtype), in_specs=[SMEM, VMEM], out_specs=VMEM, scratch_shapes=[DMA])
    expected = np.concatenate([x[:4], np.zeros_like(x[4:])])
    close(run(function, [np.array([4], np.int32), x], tmp_path), [expected], 0)


@pytest.mark.parametrize("target", ["v2", "v5e", "v6e"])
def test_one_wait_for_several_copies(target, tmp_path):
    """As paged attention: pages where a table says, of which the last one is not full, and one wait for all."""

    def kernel(table, lengths, pages, out, scratch, semaphore):
        def start(page, at):
            size = jnp.minimum(16, lengths[0] - at)
            source = pages.at[table[page], pl.ds(0, size)]
            pltpu.make_async_copy(source, scratch.at[pl.ds(at, size)], semaphore).start()
            return at + 16

        scratch[...] = jnp.zeros_like(scratch)
        jax.lax.fori_loop(0, (lengths[0] + 15) // 16, start, jnp.int32(0))
        there = scratch.at[pl.ds(0, lengths[0])]
        pltpu.make_async_copy(there, there, semaphore).wait()
        pltpu.sync_copy(scratch, out)

    pages, table = numbers(7, 16, 8, 128), np.array([4, 1, 6, 0], np.int32)
    scratch = [pltpu.VMEM((64, 8, 128), jnp.float32), DMA]
    function = call(
        kernel, ((64, 8, 128), pages.dtype), in_specs=[SMEM, SMEM, HBM], out_specs=HBM, scratch_shapes=scratch
    )
    for length in (64, 37, 1, 16):
        expected = pages[table].reshape(64, 8, 128).copy()
        expected[length:] = 0
        found = run(function, [table, np.array([length], np.int32), pages], tmp_path, target=target)
        close(found, [expected], 0)


def test_parts_of_smem(tmp_path):
    """From HBM and back, rows and columns of a table, and within SMEM."""

    def kernel(x, out, table, other):
        pltpu.sync_copy(x.at[pl.ds(2, 3), pl.ds(1, 4)], table.at[pl.ds(1, 3), pl.ds(0, 4)])
        pltpu.sync_copy(table.at[1], other.at[0])
        for row in range(3):
            for column in range(4):
                other[row + 1, column] = table[row + 1, column] * 2
        pltpu.sync_copy(other.at[pl.ds(0, 4), pl.ds(0, 4)], out.at[pl.ds(0, 4), pl.ds(0, 4)])

    x = numbers(8, 6, dtype=np.int32)
    scratch = [pltpu.SMEM((5, 5), jnp.int32), pltpu.SMEM((4, 5), jnp.int32)]
    found = run(call(kernel, ((4, 4), x.dtype), in_specs=[HBM], out_specs=HBM, scratch_shapes=scratch), [x], tmp_path)
    close(found, [np.concatenate([x[2:3, 1:5], x[2:5, 1:5] * 2])], 0)


def test_pipelines_with_blocks_in_smem(tmp_path):
    def kernel(scales, x, out):
        def body(scale, x, out):
            out[...] = x[...] * scale[0, 0] + scale[1, 1]

        rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
        table = pl.BlockSpec((2, 2), lambda i: (i, 0), memory_space=pltpu.SMEM)
        pltpu.emit_pipeline(body, grid=(3,), in_specs=[table, rows], out_specs=rows)(scales, x, out)

    x, scales = numbers(24, 128), numbers(6, 2, seed=1)
    found = run(call(kernel, (x.shape, x.dtype), in_specs=[HBM, HBM], out_specs=HBM), [scales, x], tmp_path)
    expected = x.reshape(3, 8, 128) * scales[::2, :1, None] + scales[1::2, 1:, None]
    close(found, [expected.reshape(24, 128)], 1e-6)


def test_pipelines_with_blocks_of_computed_sizes(tmp_path):
    def kernel(n_ref, x, out):
        n = n_ref[0]

        def body(x, out):
            size = jnp.minimum(4, n - pl.program_id(0) * 4)
            for row in range(4):

                @pl.when(row < size)
                def _():
                    out[row] = x[row] * 2

        spec = pl.BlockSpec((pl.BoundedSlice(4), 8, 128), lambda i: (pl.ds(i * 4, jnp.minimum(4, n - i * 4)), 0, 0))
        pltpu.emit_pipeline(body, grid=(pl.cdiv(n, 4),), in_specs=[spec], out_specs=spec)(x, out)

    x = numbers(16, 8, 128)
    function = call(kernel, (x.shape, x.dtype), in_specs=[SMEM, HBM], out_specs=HBM)
    for count in (10, 16, 3):
        found = run(function, [np.array([count], np.int32), x], tmp_path)
        close([found[0][:count]], [x[:count] * 2], 0)


@pytest.mark.parametrize("reshapes_first", [False, True])
def test_words_of_a_ref_under_another_shape(reshapes_first, tmp_path):
    """As in paged attention: keys and values alternate, two heads to a word."""

    def kernel(i_ref, x, out, buffer):
        pltpu.sync_copy(x, buffer.at[i_ref[0]])
        ref = buffer.at[i_ref[0]]
        words = (
            ref.reshape(256, 128).bitcast(jnp.uint32) if reshapes_first else ref.bitcast(jnp.uint32).reshape(128, 128)
        )
        out[...] = words[1::2, :]

    x = numbers(64, 2, 2, 128, dtype=BF16)
    scratch = [pltpu.VMEM((2, *x.shape), BF16)]
    function = call(kernel, ((64, 128), np.uint32), in_specs=[SMEM, HBM], out_specs=VMEM, scratch_shapes=scratch)
    halves = x.reshape(-1, 2, 128).view(np.uint16).astype(np.uint32)
    expected = (halves[:, 0] | halves[:, 1] << 16)[1::2]
    close(run(function, [np.array([1], np.int32), x], tmp_path), [expected], 0)


def test_an_array_in_hbm_under_another_shape(tmp_path):
    def kernel(x, out, scratch):
        pltpu.sync_copy(x.reshape(32, 8, 256).at[pl.ds(3, 2), :, 128:256], scratch)
        pltpu.sync_copy(scratch, out)

    x = numbers(256, 256)
    scratch = [pltpu.VMEM((2, 8, 128), jnp.float32)]
    function = call(kernel, ((2, 8, 128), x.dtype), in_specs=[HBM], out_specs=HBM, scratch_shapes=scratch)
    close(run(function, [x], tmp_path), [x.reshape(32, 8, 256)[3:5, :, 128:]], 0)


def test_operands_live_until_the_call(tmp_path):
    """The arrays in whose memory the kernel updates rows are copied first, one after the other; the second copy takes no
    memory of other operands, which the kernel reads behind both."""

    def kernel(x, one, two, first, second, scratch):
        pltpu.sync_copy(x, scratch)
        pltpu.sync_copy(scratch, first.at[pl.ds(8, 16)])
        pltpu.sync_copy(scratch, second.at[pl.ds(0, 16)])

    def function(x, one, two, w):
        shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in (one, two)]
        kernel_call = pl.pallas_call(
            kernel,
            out_shape=shapes,
            in_specs=[HBM, HBM, HBM],
            out_specs=[HBM, HBM],
            scratch_shapes=[pltpu.VMEM(x.shape, x.dtype)],
            input_output_aliases={1: 0, 2: 1},
        )
        first, second = kernel_call(jnp.sin(x), one, two)
        return (second @ w) @ w + first[4:20]

    x, one, two, w = (
        numbers(16, 128),
        numbers(40, 128, seed=1),
        numbers(16, 128, seed=2),
        numbers(128, 128, seed=3) / 16,
    )
    first = one.copy()
    first[8:24] = np.sin(x)
    close(run(function, [x, one, two, w], tmp_path), [np.sin(x) @ w @ w + first[4:20]], 2e-6)


class Tables:
    """A kernel whose blocks tables choose: two operands, of which one changes seldom, and a result that is summed over
    the steps that have it, in order."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.steps = int(rng.integers(1, 12))
        self.rows = int(rng.choice([8, 16, 7, 40]))
        self.dtype = rng.choice([np.float32, BF16, np.int32])
        self.tables = [
            rng.integers(0, 5, self.steps),
            np.sort(rng.integers(0, 3, self.steps)),
            np.sort(rng.integers(0, 4, self.steps)),
        ]
        make = numbers if np.dtype(self.dtype).kind == "i" else lambda *s, **k: np.round(numbers(*s, **k) * 2)
        self.x = make(5, self.rows, 128, seed=seed).astype(self.dtype)
        self.y = make(3, self.rows, 128, seed=seed + 1).astype(self.dtype)

    def kernel(self, first, second, third, x, y, out):
        step = pl.program_id(0)
        before = third[jnp.maximum(step - 1, 0)]
        isNew = (step == 0) | (before != third[step])

        @pl.when(isNew)
        def _():
            out[...] = x[...] + y[...]

        @pl.when(~isNew)
        def _():
            out[...] = out[...] + x[...] - y[...]

    def function(self, count, *args):
        block = lambda number: pl.BlockSpec((1, self.rows, 128), lambda i, *tables: (tables[number][i], 0, 0))  # noqa: E731
        grid = pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=3, grid=(count,), in_specs=[block(0), block(1)], out_specs=block(2)
        )
        return call(self.kernel, ((4, self.rows, 128), self.dtype), grid_spec=grid)(*args)

    def expected(self, count):
        blocks = {}
        for i in range(count):
            a, b, c = (int(table[i]) for table in self.tables)
            x, y = self.x[a].astype(np.float64), self.y[b].astype(np.float64)
            blocks[c] = x + y if i == 0 or self.tables[2][i - 1] != c else blocks[c] + x - y
        return blocks


@pytest.mark.parametrize("target", ["v2", "v5e", "v6e"])
@pytest.mark.parametrize("seed", range(8))
def test_tables_choose_blocks(seed, target, tmp_path):
    """Small whole numbers, so that all sums are exact; the number of steps is an operand, or a constant."""
    case = Tables(seed)
    tables = [table.astype(np.int32) for table in case.tables]
    for given in (True, False):
        counts = {case.steps, (case.steps + 1) // 2} if given else {case.steps}
        for count in counts:
            args = [*tables, case.x, case.y]
            function = case.function if given else lambda *a: case.function(case.steps, *a)
            if given:
                args = [np.int32(count), *args]
            results = [
                run(function, args, tmp_path, target=target, options=options)
                for options in ((), ("--no-cross-kernel",))
            ]
            np.testing.assert_array_equal(*(result[0].view(np.uint8) for result in results))
            for number, block in case.expected(count).items():
                np.testing.assert_array_equal(results[0][0][number].astype(np.float64), block)


class Accesses:
    """A kernel that reads and writes parts of its memory in a random order: rows that are constants or that scalars
    choose, whole or in part, of one buffer or of another."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.dtype = rng.choice([np.float32, BF16, np.int32])
        self.shape = [(32, 128), (4, 16, 128), (3, 8, 256), (2, 3, 16, 128)][rng.integers(4)]
        self.steps = [self.step(rng) for _ in range(int(rng.integers(3, 12)))]
        self.args = [np.arange(4, dtype=np.int32), np.round(numbers(*self.shape, seed=seed) * 2).astype(self.dtype)]

    def step(self, rng):
        lead = tuple(int(rng.integers(0, extent)) for extent in self.shape[:-2])
        size = int(rng.choice([8, 16, 4])) if self.shape[-2] >= 16 else 8
        place = lambda: int(rng.integers(0, self.shape[-2] // size)) * size  # noqa: E731
        kinds = [str(rng.choice(["constant", "scalar"])) for _ in range(2)]
        other = tuple(int(rng.integers(0, extent)) for extent in self.shape[:-2])
        return (
            str(rng.choice(["add", "move", "swap", "loop"])),
            (lead, place(), kinds[0]),
            (other, place(), kinds[1]),
            size,
        )

    def kernel(self, n_ref, x, out, scratch):
        scratch[...] = x[...]
        out[...] = jnp.zeros_like(out)

        def at(part, size):
            lead, first, kind = part
            if kind == "scalar":
                # n_ref[k] is k.
                lead = tuple(n_ref[k] for k in lead)
                first = pl.multiple_of(n_ref[1] * first, size)
            return (*lead, pl.ds(first, size))

        for what, one, two, size in self.steps:
            a, b = at(one, size), at(two, size)
            if what == "add":
                scratch[a] = scratch[b] + scratch[a]
            elif what == "move":
                out[a] = scratch[b] - out[a]
            elif what == "swap":
                first, second = scratch[a], scratch[b]
                scratch[a] = second
                scratch[b] = first
            else:

                def body(i, carry, a=a, b=b):
                    out[a] = out[a] + scratch[b] + carry
                    return carry

                jax.lax.fori_loop(0, n_ref[2], body, scratch[b])
        out[...] = out[...] + scratch[...]

    def expected(self):
        scratch, out = self.args[1].astype(np.float64), np.zeros(self.shape)
        for what, (lead, first, _), (other, second, _), size in self.steps:
            a, b = (*lead, slice(first, first + size)), (*other, slice(second, second + size))
            if what == "add":
                scratch[a] = scratch[b] + scratch[a]
            elif what == "move":
                out[a] = scratch[b] - out[a]
            elif what == "swap":
                one, two = scratch[a].copy(), scratch[b].copy()
                scratch[a] = two
                scratch[b] = one
            else:
                carry = scratch[b].copy()
                for _ in range(2):
                    out[a] = out[a] + scratch[b] + carry
        return out + scratch


@pytest.mark.parametrize("seed", range(40))
def test_parts_are_accessed_in_order(seed, tmp_path):
    case = Accesses(seed)
    function = call(
        case.kernel,
        (case.shape, case.dtype),
        in_specs=[SMEM, VMEM],
        out_specs=VMEM,
        scratch_shapes=[pltpu.VMEM(case.shape, case.dtype)],
    )
    found = run(function, case.args, tmp_path, target=["v5e", "v6e", "v3"][seed % 3])
    np.testing.assert_array_equal(found[0].astype(np.float64), case.expected())


def test_words_of_an_operand_in_smem_that_a_result_takes(tmp_path):
    def kernel(table, out):
        for place in range(4):
            table[place] = table[place] * 2
        out[4] = out[3] + 1

    table = np.arange(1, 8, dtype=np.int32)
    function = call(kernel, (table.shape, table.dtype), in_specs=[SMEM], out_specs=SMEM, input_output_aliases={0: 0})
    close(run(function, [table], tmp_path), [np.array([2, 4, 6, 8, 9, 6, 7], np.int32)], 0)


@pytest.mark.parametrize("dtype", [BF16, np.int8], ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("target", ["v5e", "v6e"])
def test_column_tiles_of_narrow_arrays(dtype, target, tmp_path):
    """Blocks of 128 columns, by a pipeline within the kernel and by copies."""

    def kernel(x, y, out, first, scratch):
        def body(x, y, out):
            step = pl.program_id(2)

            @pl.when(step == 0)
            def _():
                out[...] = jnp.zeros_like(out)

            out[...] += jnp.dot(x[...], y[...], preferred_element_type=out.dtype)

        pltpu.emit_pipeline(
            body,
            grid=(2, 3, 2),
            in_specs=[
                pl.BlockSpec((64, 128), lambda i, j, k: (i, k)),
                pl.BlockSpec((128, 128), lambda i, j, k: (k, j)),
            ],
            out_specs=pl.BlockSpec((64, 128), lambda i, j, k: (i, j)),
        )(x, y, out)

        def copy(tile, carry):
            pltpu.sync_copy(y.at[pl.ds(64, 64), pl.ds(tile * 128, 128)], scratch.at[tile])
            return carry

        jax.lax.fori_loop(0, 3, copy, 0)
        pltpu.sync_copy(scratch.at[1], first)

    x, y = numbers(128, 256, dtype=dtype), numbers(256, 384, dtype=dtype, seed=1)
    wide = np.int32 if dtype == np.int8 else np.float32
    shapes = [jax.ShapeDtypeStruct((128, 384), wide), jax.ShapeDtypeStruct((64, 128), dtype)]
    scratch = [pltpu.VMEM((3, 64, 128), dtype)]
    function = pl.pallas_call(
        kernel, out_shape=shapes, in_specs=[HBM, HBM], out_specs=[HBM, HBM], scratch_shapes=scratch
    )
    found = run(function, [x, y], tmp_path, target=target)
    close(found, [x.astype(wide) @ y.astype(wide), y[64:128, 128:256]], 1e-3)
