"""200 broken programs: each is compiled, or refused with one diagnostic; nothing else happens.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
import os
import re
import resource
import subprocess

import numpy as np
import pytest

from random_programs import Program
from systole_cli import BIN, ROOT

COUNT = 200
SECONDS = 30
MEMORY = 3 << 30  # bytes a compilation of these small programs may touch

HAND_WRITTEN = """
module @hand attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<7x129xf32> {jax.arg_info = "x"}, %arg1: tensor<i32>)
      -> (tensor<7xf32> {jax.result_info = "y"}, tensor<9x130xbf16>, tensor<3x129xf32>) {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %low = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
    %sum = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [1]
         : (tensor<7x129xf32>, tensor<f32>) -> tensor<7xf32>
    %end:2 = stablehlo.while(%i = %arg1, %s = %sum) : tensor<i32>, tensor<7xf32>
    cond {
      %limit = stablehlo.constant dense<10> : tensor<i32>
      %more = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %t = func.call @helper(%s) : (tensor<7xf32>) -> tensor<7xf32>
      stablehlo.return %next, %t : tensor<i32>, tensor<7xf32>
    }
    %pad = stablehlo.pad %arg0, %zero, low = [1, 0], high = [1, 1], interior = [0, 0]
         : (tensor<7x129xf32>, tensor<f32>) -> tensor<9x130xf32>
    %narrow = stablehlo.convert %pad : (tensor<9x130xf32>) -> tensor<9x130xbf16>
    %column = stablehlo.reshape %low : (tensor<3xi32>) -> tensor<3x1xi32>
    %rows = "stablehlo.gather"(%arg0, %column) <{
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 129>}>
      : (tensor<7x129xf32>, tensor<3x1xi32>) -> tensor<3x129xf32>
    return %end#1, %narrow, %rows : tensor<7xf32>, tensor<9x130xbf16>, tensor<3x129xf32>
  }
  func.func private @helper(%x: tensor<7xf32>) -> tensor<7xf32> {
    %r = stablehlo.multiply %x, %x : tensor<7xf32> loc("file.py":3:4)
    return %r : tensor<7xf32>
  }
}
"""


@functools.cache
def originals():
    """Texts to mutate: by hand, random functions, and the demo without its locations."""
    demo = (ROOT / "examples/digits/mlp/train.mlir").read_text()
    return [HAND_WRITTEN] * 3 + [Program(seed).lowered().as_text() for seed in range(4)] + [demo]


def flip_bytes(rng, text):
    data = bytearray(text.encode())
    for _ in range(rng.integers(1, 4)):
        data[rng.integers(len(data))] = rng.integers(256)
    return bytes(data)


def truncate(rng, text):
    return text.encode()[: rng.integers(len(text))]


TOKEN = re.compile(r"[%@#!]?[\w.$]+|->|[^\s\w]")


def on_tokens(change):
    """A mutation that draws a few tokens and puts others in their place."""

    def mutate(rng, text):
        tokens = list(TOKEN.finditer(text))
        chosen = [tokens[i] for i in sorted(rng.choice(len(tokens), 2, replace=False))]
        first, second = change(rng, [token[0] for token in chosen])
        (a, b), (c, d) = (token.span() for token in chosen)
        return (text[:a] + first + text[b:c] + second + text[d:]).encode()

    return mutate


NUMBERS = ["-1", "0", "1", "7", "129", str(2**31), str(2**63 - 1), str(10**30)]


def change_numbers(rng, text):
    """Sizes, indices and attributes: what the verifiers are for."""
    places = [match.span() for match in re.finditer(r"\d+", text)]
    begin, end = places[rng.integers(len(places))]
    return (text[:begin] + str(rng.choice(NUMBERS)) + text[end:]).encode()


WORDS = ["f32", "bf16", "i32", "i8", "i1", "ui32", "f64", "i64", "stablehlo.add", "func.func"]
WORDS += ["stablehlo.transpose", "tensor<f32>", "tensor<?xf32>", "%arg0", "dims", "loc", "{", ")"]

MUTATIONS = [
    flip_bytes,
    truncate,
    on_tokens(lambda rng, tokens: ("", tokens[1])),  # delete
    on_tokens(lambda rng, tokens: (tokens[1], tokens[0])),  # swap
    on_tokens(lambda rng, tokens: (tokens[0] + " " + tokens[0], tokens[1])),  # repeat
    on_tokens(lambda rng, tokens: (str(rng.choice(WORDS)), tokens[1])),  # replace
    change_numbers,
    change_numbers,
]


@pytest.mark.parametrize("seed", range(COUNT))
def test_mutated_program(seed, tmp_path):
    rng = np.random.default_rng(seed)
    texts = originals()
    mutate = MUTATIONS[seed % len(MUTATIONS)]
    program, out = tmp_path / "program.mlir", tmp_path / "out.sysx"
    program.write_bytes(mutate(rng, texts[rng.integers(len(texts))]))

    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    done = subprocess.run(
        [BIN / "systole", "compile", program, "-o", out],
        capture_output=True,
        timeout=SECONDS,
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    diagnostics = done.stderr.decode(errors="replace")
    assert done.returncode in (0, 1), f"exit code {done.returncode}:\n{diagnostics}"
    assert used == before or used * 1024 < MEMORY, f"{used} KiB"
    left = sorted(os.listdir(tmp_path))
    if done.returncode == 0:
        assert left == ["out.sysx", "program.mlir"]
    else:
        assert left == ["program.mlir"], "something was left behind by a failed compilation"
        errors = re.findall(r"^.*\berror: .*$", diagnostics, re.MULTILINE)
        assert len(errors) == 1, f"{len(errors)} diagnostics:\n{diagnostics}"
