"""Faulty Pallas kernels: each fault is found, with the line of the kernel that has it.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import inspect
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from systole_cli import save_args, systole

X = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)
ANYWHERE, SMEM, VMEM = (pl.BlockSpec(memory_space=space) for space in (pl.ANY, pltpu.SMEM, pltpu.VMEM))
DMA, REGULAR = pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR
BUFFER = pltpu.VMEM((64, 128), jnp.float32)
HALVES = pltpu.VMEM((2, 16, 128), jnp.float32)


def call(kernel, *args, out=(64, 128), **options):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(out, jnp.float32), **options), args


def copying(kernel, *scratch, out_specs=VMEM, out=(64, 128)):
    return call(kernel, X, out=out, in_specs=[ANYWHERE], out_specs=out_specs, scratch_shapes=scratch)


def missing_wait():
    def kernel(x, out, buffer, arrived):
        pltpu.make_async_copy(x, buffer, arrived).start()
        out[...] = buffer[...]  # fault

    return copying(kernel, BUFFER, DMA), "which a copy in flight writes"


def wait_for_another_semaphore():
    def kernel(x, out, buffer, arrived):
        pltpu.make_async_copy(x, buffer, arrived.at[0]).start()
        pltpu.make_async_copy(x, buffer, arrived.at[1]).wait()  # fault
        out[...] = buffer[...]

    return copying(kernel, BUFFER, DMA((2,))), "deadlock"


def copy_never_waited_for():
    def kernel(x, out, buffer, arrived):
        pltpu.make_async_copy(x, buffer, arrived).start()
        out[...] = jnp.zeros_like(out)

    return copying(kernel, BUFFER, DMA), "a semaphore is not zero at the end of the kernel"


def signal_never_waited_for():
    def kernel(x, out, semaphore):
        pltpu.semaphore_signal(semaphore, 2)
        pltpu.semaphore_wait(semaphore, 1)
        out[...] = x[...]

    return call(kernel, X, scratch_shapes=[REGULAR]), "a semaphore is not zero at the end of the kernel"


def wait_without_a_signal():
    def kernel(x, out, semaphore):
        pltpu.semaphore_wait(semaphore, 1)  # fault
        out[...] = x[...]

    return call(kernel, X, scratch_shapes=[REGULAR]), "deadlock"


def wait_twice_for_one_copy():
    def kernel(x, out, buffer, arrived):
        copy = pltpu.make_async_copy(x, buffer, arrived)
        copy.start()
        copy.wait()  # fault
        copy.wait()  # fault
        out[...] = buffer[...]

    return copying(kernel, BUFFER, DMA), "deadlock"


def write_to_a_destination_in_flight():
    def kernel(x, out, buffer, arrived):
        copy = pltpu.make_async_copy(x, buffer, arrived)
        copy.start()
        buffer[...] = jnp.zeros_like(buffer)  # fault
        copy.wait()
        out[...] = buffer[...]

    return copying(kernel, BUFFER, DMA), "which a copy in flight writes"


def write_to_a_source_in_flight():
    def kernel(x, out, buffer, left):
        buffer[...] = jnp.ones_like(buffer)
        copy = pltpu.make_async_copy(buffer, out, left)
        copy.start()
        buffer[...] = buffer[...] * 2  # fault
        copy.wait()

    return copying(kernel, BUFFER, DMA, out_specs=ANYWHERE), "a copy in flight"


def two_copies_to_one_buffer():
    def kernel(x, out, buffer, arrived):
        copies = [pltpu.make_async_copy(x.at[pl.ds(16 * i, 16)], buffer.at[0], arrived.at[i]) for i in range(2)]
        copies[0].start()
        copies[1].start()  # fault
        copies[0].wait()
        copies[1].wait()
        out[...] = buffer[0]

    return copying(kernel, HALVES, DMA((2,)), out=(16, 128)), "a copy in flight"


def other_half_of_a_double_buffer():
    def kernel(x, out, buffer, arrived):
        def copy(step):
            return pltpu.make_async_copy(x.at[pl.ds(16 * step, 16)], buffer.at[step % 2], arrived.at[step % 2])

        copy(0).start()
        copy(0).wait()
        copy(1).start()
        out[...] = buffer[1]  # fault
        copy(1).wait()

    return copying(kernel, HALVES, DMA((2,)), out=(16, 128)), "which a copy in flight writes"


def read_of_a_result_that_is_being_written():
    def kernel(x, out, buffer, left):
        buffer[0] = jnp.ones((16, 128), jnp.float32)
        first = pltpu.make_async_copy(buffer.at[0], out.at[pl.ds(0, 16)], left.at[0])
        first.start()
        again = pltpu.make_async_copy(out.at[pl.ds(8, 16)], buffer.at[1], left.at[1])
        again.start()  # fault
        first.wait()
        again.wait()

    return copying(kernel, HALVES, DMA((2,)), out_specs=ANYWHERE), "a copy in flight"


def race_between_steps_of_the_grid():
    def kernel(x, out, buffer, left):
        buffer[pl.program_id(0)] = x[...]
        pltpu.make_async_copy(buffer.at[pl.program_id(0)], out, left).start()  # fault

        @pl.when(pl.program_id(0) == 1)
        def _():
            for _ in range(2):
                pltpu.make_async_copy(buffer.at[0], out, left).wait()

    rows = pl.BlockSpec((16, 128), lambda i: (i, 0))
    options = dict(grid=2, in_specs=[rows], out_specs=ANYWHERE, scratch_shapes=[HALVES, DMA])
    return call(kernel, X, out=(16, 128), **options), "a copy in flight"


def load_beyond_the_end():
    def kernel(first, x, out):
        out[...] = x[pl.ds(first[0], 16), :]  # fault

    first = np.array([56], np.int32)
    return call(kernel, first, X, out=(16, 128), in_specs=[SMEM, VMEM]), "out of bounds"


def store_beyond_the_end():
    def kernel(first, x, out):
        out[...] = x[...]
        out[pl.ds(first[0], 8), :] = jnp.zeros((8, 128), jnp.float32)  # fault

    return call(kernel, np.array([60], np.int32), X, in_specs=[SMEM, VMEM]), "out of bounds"


def element_of_smem_beyond_the_end():
    def kernel(places, x, out):
        out[...] = x[...] * places[places[0]].astype(jnp.float32)  # fault

    return call(kernel, np.array([5000, 1], np.int32), X, in_specs=[SMEM, VMEM]), "out of bounds"


def store_to_smem_beyond_the_end():
    def kernel(places, x, out, words):
        words[places[0]] = 1  # fault
        out[...] = x[...]

    options = dict(in_specs=[SMEM, VMEM], scratch_shapes=[pltpu.SMEM((8,), jnp.int32)])
    return call(kernel, np.array([9, 1], np.int32), X, **options), "out of bounds"


def copy_beyond_the_end_of_an_array():
    def kernel(first, x, out, arrived):
        copy = pltpu.make_async_copy(x.at[pl.ds(first[0], 16)], out, arrived)
        copy.start()  # fault
        copy.wait()

    options = dict(in_specs=[SMEM, ANYWHERE], out_specs=VMEM, scratch_shapes=[DMA])
    return call(kernel, np.array([4096], np.int32), X, out=(16, 128), **options), "bounds"


def index_map_beyond_the_array():
    def kernel(x, out):
        out[...] = x[...]

    rows, next_rows = (pl.BlockSpec((16, 128), lambda i, plus=plus: (i + plus, 0)) for plus in (0, 1))
    options = dict(grid=4, in_specs=[next_rows], out_specs=rows)
    return call(kernel, X, **options), "reaches block 4 of operand 0 in dimension 0, which has 4 blocks of 16"


def prefetched_block_beyond_the_array():
    def kernel(order, x, out):
        out[...] = x[...]

    grid = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(2,),
        in_specs=[pl.BlockSpec((16, 128), lambda i, order: (order[i], 0))],
        out_specs=pl.BlockSpec((16, 128), lambda i, order: (i, 0)),
    )
    return call(kernel, np.array([0, 400], np.int32), X, out=(32, 128), grid_spec=grid), "bounds"


def scratch_beyond_vmem():
    def kernel(x, out, buffer):
        buffer[...] = jnp.zeros_like(buffer)
        out[...] = x[...] + buffer[0:64, 0:128]

    big = pltpu.VMEM((65536, 1024), jnp.float32)
    return call(kernel, X, scratch_shapes=[big]), "takes 268435456 bytes"


FAULTS = [
    missing_wait,
    wait_for_another_semaphore,
    copy_never_waited_for,
    signal_never_waited_for,
    wait_without_a_signal,
    wait_twice_for_one_copy,
    write_to_a_destination_in_flight,
    write_to_a_source_in_flight,
    two_copies_to_one_buffer,
    other_half_of_a_double_buffer,
    read_of_a_result_that_is_being_written,
    race_between_steps_of_the_grid,
    load_beyond_the_end,
    store_beyond_the_end,
    element_of_smem_beyond_the_end,
    store_to_smem_beyond_the_end,
    copy_beyond_the_end_of_an_array,
    index_map_beyond_the_array,
    prefetched_block_beyond_the_array,
    scratch_beyond_vmem,
]


def lines_of(function):
    """The lines of a function, and the one with the fault, if a single line has it."""
    code = function.__code__
    text = pathlib.Path(__file__).read_text().splitlines()
    first = code.co_firstlineno
    end = next((n for n in range(first, len(text)) if text[n].startswith(("def ", "FAULTS"))), len(text))
    lines = range(first, end + 1)
    return [n for n in lines if "# fault" in text[n - 1]] or list(lines)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda function: function.__name__)
def test_a_fault_is_found_at_its_line(fault, tmp_path):
    (function, args), message = fault()
    program, inputs = tmp_path / "program.mlir", tmp_path / "args.npz"
    traced = jax.jit(function).trace(*args)
    lowered = traced.lower(lowering_platforms=("tpu",))  # call
    program.write_text(lowered.as_text(debug_info=True))
    save_args(inputs, args)
    done = systole("run", program, "--args", inputs, "--target", "v5e")
    assert done.returncode == 1
    assert message in done.stderr
    if fault is not scratch_beyond_vmem:
        lines = [f"{pathlib.Path(__file__).name}:{line}:" for line in lines_of(fault)]
        # A copy of a block, and the end of the kernel, have the line of its call.
        if "# fault" not in inspect.getsource(fault):
            text = pathlib.Path(__file__).read_text().splitlines()
            call_line = next(n for n, line in enumerate(text, 1) if line.endswith("# call"))
            lines.append(f"{pathlib.Path(__file__).name}:{call_line}:")
        assert any(line in done.stderr for line in lines), done.stderr
