"""Programs whose code exceeds a memory of the machine are compiled again with a tighter budget for code, and have the
same bits (compiler/Model/CodeBudget.h).

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32
from plans import bits_of
from systole_cli import ROOT, systole, systole_run
from test_convolutions import Case, eighths
from test_elementwise import generator
from verify import lower, verify


def machine_with(directory, name, **sizes):
    """A machine with other sizes, each by its field."""
    text = (ROOT / f"dialects/Machine/Target/targets/{name}.textproto").read_text()
    for field, size in sizes.items():
        text, count = re.subn(rf"^{field} \{{ value: \d+", f"{field} {{ value: {size}", text, flags=re.M)
        assert count == 1
    path = directory / "small.textproto"
    path.write_text(text)
    return path


def same_bits(function, args, directory, target, other):
    text = lower(function, args).as_text()
    one, two = (bits_of(systole_run(text, args, directory, target=machine)) for machine in (target, other))
    assert one == two


def test_spilled_registers_beside_full_vmem(tmp_path):
    """The kernel takes 22,112 rows of VMEM, and its spilled registers 608, of which kernels leave 512 at first."""
    random = generator("spills")
    x = random.standard_normal((7, 16, 127, 256)).astype(BF16)
    w = random.standard_normal((384, 16, 127)).astype(BF16)
    r = random.standard_normal((7, 256, 384)).astype(BF16)

    def function(x, w, r):
        return lax.dot_general(x, w, (((1, 2), (1, 2)), ((), ()))) + r

    target = machine_with(tmp_path, "v3", vmem_bytes_per_core=22672 * 512)
    same_bits(function, [x, w, r], tmp_path, target, "v3")


def test_copies_longer_than_the_instruction_memory(tmp_path):
    """Three columns of each of sixteen taps, transposed: of few rows each, at many positions of lanes."""
    case = Case(2, (28, 28), 33, (4, 4), 3)
    verify(lambda x, w: case.apply(x, w).astype(F32), case.operands(eighths, BF16), tmp_path, target="v5e")


def test_steps_of_products_longer_than_the_instruction_memory(tmp_path):
    """Four phases of a transposed convolution, of 1,024 positions each."""
    case = Case(64, (4, 4), 129, (4, 4), 129, lhs=(2, 2), padding=((2, 2), (2, 2)))
    args = case.operands(eighths, F32)
    target = machine_with(tmp_path, "v5e", instruction_memory_bundles=4000)
    same_bits(case.apply, args, tmp_path, target, "v5e")


@pytest.mark.parametrize(
    ("name", "shape", "transposed", "type", "bundles"),
    [
        ("v5e", (300, 200, 100), True, F32, 200),
        ("v5e", (64, 384, 384), False, F32, 700),
        ("v5e", (512, 128, 128), False, BF16, 170),
        ("v6e", (64, 384, 384), False, F32, 2000),
    ],
)
def test_weights_that_a_loop_latches(name, shape, transposed, type, bundles, tmp_path):
    """Whole tiles of weights and partial ones, in several passes."""
    m, k, n = shape
    random = generator("latches")
    x = random.standard_normal((m, k)).astype(type)
    w = random.standard_normal((n, k) if transposed else (k, n)).astype(type)
    dims = (((1,), (1 if transposed else 0,)), ((), ()))

    def function(x, w):
        return jnp.tanh(lax.dot_general(x, w, dims, precision="highest"))

    target = machine_with(tmp_path, name, instruction_memory_bundles=bundles)
    same_bits(function, [x, w], tmp_path, target, name)


def test_a_machine_that_is_too_small_is_named(tmp_path):
    """The first error, not that of the last attempt."""
    target = machine_with(tmp_path, "v3", instruction_memory_bundles=300)
    program = tmp_path / "program.mlir"
    program.write_text(lower(lambda x: jnp.tanh(jnp.sort(x)), [np.zeros(1000, F32)]).as_text())
    done = systole("compile", program, "--target", target, "-o", tmp_path / "program.sysx")
    assert done.returncode == 1
    assert re.search(r"takes \d+ bundles .*; the instruction memory holds 300", done.stderr)
    assert not (tmp_path / "program.sysx").exists()
