"""Arrays of many dimensions: transposed, or refused at once.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import pytest
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from systole_cli import systole, systole_run, tensor_type
from test_elementwise import F32


def negated(rank):
    kind = tensor_type((1,) * (rank - 1) + (2,), F32)
    return f"func.func @main(%x: {kind}) -> {kind} {{\n  %0 = stablehlo.negate %x : {kind}\n  return %0 : {kind}\n}}\n"


def artifact(text):
    with ir.Context() as context:
        stablehlo.register_dialect(context)
        return stablehlo.serialize_portable_artifact_str(text, "1.9.0")


@pytest.mark.parametrize("form", [str.encode, artifact], ids=["text", "artifact"])
@pytest.mark.parametrize("rank", [256, 257, 5000])
def test_ranks(rank, form, tmp_path):
    program = tmp_path / "program"
    program.write_bytes(form(negated(rank)))
    done = systole("compile", program, "-o", tmp_path / "program.sysx")
    if rank <= 256:
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode == 1
        assert done.stderr.count("error: ") == 2 and "dimensions" in done.stderr
        assert len(done.stderr) < 300


def test_text_of_100000_dimensions_is_refused_at_once(tmp_path):
    """MLIR's parser would take minutes."""
    program = tmp_path / "program"
    program.write_text(negated(100_000))
    done = systole("compile", program, "-o", tmp_path / "program.sysx")
    assert done.returncode == 1 and "a tensor of more than 256 dimensions" in done.stderr


@pytest.mark.parametrize("order", ["reversed", "shuffled"])
@pytest.mark.parametrize("rank", [13, 14, 16])
def test_transpositions_of_many_dimensions(rank, order, tmp_path):
    x = np.arange(2**rank, dtype=np.float32).reshape((2,) * rank)
    dims = list(range(rank))[::-1]
    if order == "shuffled":
        dims = np.random.default_rng(rank).permutation(rank).tolist()
    kind = tensor_type(x.shape, F32)
    text = (
        f"func.func @main(%x: {kind}) -> {kind} {{\n"
        f"  %0 = stablehlo.transpose %x, dims = {dims} : ({kind}) -> {kind}\n"
        f"  return %0 : {kind}\n}}\n"
    )
    (result,) = systole_run(text, [x], tmp_path)
    np.testing.assert_array_equal(result, x.transpose(dims))
