"""pl.debug_print: messages of kernels while they run.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import subprocess

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from pallas_kernels import BF16, call, numbers, text_of
from systole_cli import BIN, TARGETS, load_results, save_args, systole

ROWS = pl.BlockSpec((8, 128), lambda i: (i, 0))


def program(directory, function, args):
    (directory / "p.mlir").write_text(text_of(function, args))
    save_args(directory / "args.npz", args)
    return [directory / "p.mlir", "--args", directory / "args.npz"]


def said(directory, function, args, *options):
    """The lines on standard error of a run on the machine of the test."""
    done = systole("run", *program(directory, function, args), "--out", directory / "out.npz", *options)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def steps(x, out):
    """A message before, in and behind a loop whose count is data, and in a branch."""
    i = pl.program_id(0)
    pl.debug_print("step {}", i)

    @pl.when(i == 1)
    def _():
        pl.debug_print("largest ", jnp.max(x[...]))

    def body(j, carry):
        pl.debug_print("{} of {}: {}", j, i, carry)
        return carry * 2 + j

    last = jax.lax.fori_loop(0, i + 1, body, 1)
    pl.debug_print("last ", last, last > 4, last.astype(jnp.bfloat16))
    out[...] = x[...] + 1


def expected_of_steps(x, grid):
    for i in range(grid):
        yield f"step {i}"
        if i == 1:
            yield f"largest f32[] {x[8:16].max():g}"
        carry = 1
        for j in range(i + 1):
            yield f"{j} of {i}: {carry}"
            carry = carry * 2 + j
        yield f"last s32[] {carry} pred[] {int(carry > 4)} bf16[] {carry}"


@pytest.mark.parametrize("target", TARGETS[:5])
def test_order_in_loops_and_branches(target, tmp_path):
    x = np.arange(32 * 128, dtype=np.float32).reshape(32, 128) % 1000
    function = call(steps, (x.shape, x.dtype), grid=4, in_specs=[ROWS], out_specs=ROWS)
    expected = list(expected_of_steps(x, 4))
    assert said(tmp_path, function, [x], "--target", target) == expected
    assert said(tmp_path, function, [x], "--target", target, "--no-cross-kernel") == expected


@pytest.mark.parametrize("dtype", [np.float32, BF16, np.int32, np.uint32, np.int8, np.bool_])
@pytest.mark.parametrize("shape", [(3,), (3, 5), (2, 9, 129), (1, 1), (2, 3, 1, 4)])
def test_arrays(shape, dtype, tmp_path):
    """Each element, in a line for each row of the last dimension."""

    def kernel(x, out):
        pl.debug_print("x {}", x[...] > 0 if dtype == np.bool_ else x[...])
        out[...] = x[...]

    x = numbers(*shape, dtype=np.float32 if dtype == np.bool_ else dtype)
    text = "\n".join(said(tmp_path, call(kernel, (shape, x.dtype)), [x], "--target", "v5e"))
    name = {"float32": "f32", "bfloat16": "bf16", "int32": "s32", "uint32": "s32", "int8": "s8", "bool": "pred"}
    assert text.startswith(f"x {name[np.dtype(dtype).name]}[{','.join(map(str, shape))}] {{")
    elements = text.split("]", 1)[1]
    expected = (x > 0 if dtype == np.bool_ else x).astype(np.float32).ravel()
    np.testing.assert_array_equal(np.array(re.findall(r"[-\w.+]+", elements), np.float64).astype(np.float32), expected)
    assert len(re.findall(r"\{[-\w]", elements)) == np.prod(shape[:-1])


def test_arrays_of_smem_and_empty_messages(tmp_path):
    def kernel(n, out):
        pl.debug_print("")
        pl.debug_print("100 % $ of {} {{}}", n[1])
        out[...] = jnp.zeros_like(out)

    function = call(kernel, ((8, 128), np.float32), in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM)])
    assert said(tmp_path, function, [np.array([4, -5], np.int32)], "--target", "v6e") == ["", "100 % $ of -5 {}"]


FLOATS8 = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3b11fnuz]


@pytest.mark.parametrize("dtype", FLOATS8)
@pytest.mark.parametrize("memory", [pltpu.VMEM, pltpu.SMEM])
def test_scalars_of_small_floats(memory, dtype, tmp_path):
    """In memory they are bits, in a message numbers."""

    def kernel(x, out):
        pl.debug_print("x ", x[0, 0], x[0, 1], x[0, 2])
        out[...] = jnp.ones_like(out)
        pl.debug_print("out ", out[0, 0])

    x = np.array([[1.5, -2, 0.5]], np.float32).astype(dtype)
    function = call(kernel, ((8, 128), np.float32), in_specs=[pl.BlockSpec(memory_space=memory)])
    name = {"float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2", "float8_e4m3b11fnuz": "f8e4m3b11fnuz"}[dtype.__name__]
    line = f"x {name}[] 1.5 {name}[] -2 {name}[] 0.5"
    assert said(tmp_path, function, [x], "--target", "v5e") == [line, "out f32[] 1"]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, ml_dtypes.int4, ml_dtypes.uint4])
def test_scalars_of_narrow_integers(dtype, tmp_path):
    """They are signed, as the types of Mosaic are, in scalars and in arrays."""

    def kernel(x, out):
        pl.debug_print("x ", x[0, 0], x[0, 1])
        pl.debug_print("all {}", x[...])
        out[...] = jnp.zeros_like(out)

    limits = ml_dtypes.iinfo(dtype)
    x = np.array([[limits.min, limits.max]], dtype)
    bits = limits.bits
    first, second = ((int(value) + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) for value in x[0])
    expected = [f"x s{bits}[] {first} s{bits}[] {second}", f"all s{bits}[1,2] {{", f"  {{{first}, {second}}}", "}"]
    assert said(tmp_path, call(kernel, ((8, 128), np.float32)), [x], "--target", "v5e") == expected


def test_an_index_map_may_print(tmp_path):
    def rows(i):
        pl.debug_print("at {}", i)
        return i, 0

    def kernel(x, out):
        out[...] = x[...]

    x = numbers(16, 128)
    function = call(kernel, (x.shape, x.dtype), grid=2, in_specs=[pl.BlockSpec((8, 128), rows)], out_specs=ROWS)
    lines = said(tmp_path, function, [x], "--target", "v5e")
    assert set(lines) == {"at 0", "at 1"}


def test_messages_before_a_trap(tmp_path):
    """A copy that nothing waits for ends the program; what was said before is there."""

    def kernel(x, out, block, semaphore):
        pl.debug_print("before")
        pltpu.make_async_copy(x, block, semaphore).start()
        out[...] = jnp.zeros_like(out)

    function = call(
        kernel,
        ((8, 128), np.float32),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        scratch_shapes=[pltpu.VMEM((8, 128), np.float32), pltpu.SemaphoreType.DMA],
    )
    words = program(tmp_path, function, [numbers(8, 128)])
    done = systole("run", *words, "--out", tmp_path / "out.npz", "--target", "v5e")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "before"


def test_the_time_of_a_kernel_and_runs_for_timing_only(tmp_path):
    """A message of scalars takes a few cycles; nothing is said without data."""

    def kernel(x, out, *, prints):
        if prints:
            pl.debug_print("step {}", pl.program_id(0))
        out[...] = x[...] * 2

    x = numbers(64, 128)
    cycles = []
    for prints in [False, True]:
        function = call(
            lambda x, out, prints=prints: kernel(x, out, prints=prints),
            (x.shape, x.dtype),
            grid=8,
            in_specs=[ROWS],
            out_specs=ROWS,
        )
        words = program(tmp_path, function, [x])
        done = systole("run", *words, "--timing-only", "--report", "json", "--target", "v5e")
        assert done.returncode == 0 and "step" not in done.stderr, done.stderr
        cycles.append(int(re.search(r'"cycles": (\d+)', done.stdout)[1]))
    assert cycles[0] <= cycles[1] <= cycles[0] + 8 * 20


def twice(x, out):
    pl.debug_print("step {}", pl.program_id(0))
    out[...] = x[...] * 2


def program_of_two_steps(directory, x):
    return program(directory, call(twice, (x.shape, x.dtype), grid=2, in_specs=[ROWS], out_specs=ROWS), [x])


def test_the_debugger_says_a_message_once(tmp_path):
    words = program_of_two_steps(tmp_path, numbers(16, 128))
    # `timeline` runs ahead and comes back.
    commands = ["step", "timeline 3000", "continue", "reverse-continue", "continue"]
    done = systole("debug", *words, "--target", "v5e", "--batch", *[w for c in commands for w in ("-e", c)])
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("step")] == ["step 0", "step 1"]


def test_a_program_at_the_level_of_graphs_keeps_its_kernels(tmp_path):
    x = numbers(16, 128)
    words = program_of_two_steps(tmp_path, x)
    for level in ["graph", "layout", "fusion"]:
        text = tmp_path / f"{level}.mlir"
        pipeline = f"--systole-pipeline=to={level} target=v5e"
        subprocess.run([BIN / "systole-opt", pipeline, words[0], "-o", text], check=True)
        done = systole("run", "--from", level, text, *words[1:], "--target", "v5e", "--out", tmp_path / "out.npz")
        assert done.returncode == 0, done.stderr
        assert done.stderr.splitlines() == ["step 0", "step 1"]
        np.testing.assert_array_equal(load_results(tmp_path / "out.npz")[0], x * 2)
