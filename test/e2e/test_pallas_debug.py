"""The debugger and numerics on programs with Pallas kernels.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import inspect
import pathlib

import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl

from pallas_kernels import call, numbers, text_of
from systole_cli import save_args, systole


def kernel(x, y, out):
    a = jnp.exp(x[...])
    b = a - y[...]
    c = jnp.log(b)
    out[...] = c * 2


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """A program that the kernel gives NaN, and its arguments."""
    folder = tmp_path_factory.mktemp("kernel")
    x, y = numbers(64, 128), numbers(64, 128, seed=1)
    rows = pl.BlockSpec((16, 128), lambda i: (i, 0))
    function = call(kernel, (x.shape, x.dtype), grid=4, in_specs=[rows, rows], out_specs=rows)
    (folder / "p.mlir").write_text(text_of(lambda x, y: jnp.tanh(function(x, y)), [x, y]))
    save_args(folder / "args.npz", [x, y])
    return [folder / "p.mlir", "--args", folder / "args.npz", "--target", "v5e"]


@pytest.mark.parametrize("text", ["exp", "a - y", "log", "c * 2"])
def test_breakpoints_on_lines_of_a_kernel(text, words):
    """The lines are one stage; each has instructions of its own."""
    lines, first = inspect.getsourcelines(kernel)
    number = first + next(i for i, line in enumerate(lines) if text in line)
    place = f"{pathlib.Path(__file__).name}:{number}"
    done = systole("debug", *words, "--batch", "-e", f"break {place}", "-e", "continue")
    assert done.returncode == 0, done.stderr
    assert f"breakpoint 1, {place}" in done.stdout and "kernel `kernel`" in done.stdout


def test_the_first_nan_is_that_of_the_kernel(words):
    done = systole("numerics", *words, "--first-nan")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("the first NaN is in mosaic_call.0")
