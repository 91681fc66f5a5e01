"""Random functions on arrays larger than VMEM, with inputs: one seed, one function.
See docs/decisions/testing.md.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A function is a chain of operations of random_large_ops.py: products or reads and writes at given
indices alternate with reductions and others. All elements are integers, and the result of each
operation is reduced to [-8, 8): every sum is exact in any order, whatever type holds it, so that
JAX on the CPU must agree bit for bit.

To look at one function, or to repeat a failure by hand:

  python random_large.py SEED DIRECTORY   prints it, and writes program.mlir and args.npz
"""

import dataclasses
import pathlib
import sys

import jax
import numpy as np

from bounds import BF16, F32
from random_large_ops import OTHERS, PLACES, PRODUCTS, REDUCTIONS
from random_ops import I8, I32
from systole_cli import save_args

TYPES, TYPE_SHARES = (F32, BF16, I32, I8), (0.5, 0.2, 0.15, 0.15)
SIZES = (1, 2, 3, 7, 8, 16, 64, 100, 128, 129, 200, 256, 300, 513, 1000, 1024, 1500, 2048, 2049)
SIZES += (3000, 4096, 4100, 5000, 8192, 10_000, 20_000, 65_536)
RANKS, RANK_SHARES = (1, 2, 3, 4), (0.1, 0.5, 0.25, 0.15)
SMALLEST, LARGEST = 20_000, 30_000_000  # bytes with the padding, of arguments and results


def padded_bytes(value):
    """Bytes of a value with 32 bits for each element, whole vectors of 8 x 128 of them."""
    sizes = (1, 1, *value.shape)
    rows, lanes = -(-sizes[-2] // 8) * 8, -(-sizes[-1] // 128) * 128
    return int(np.prod(sizes[:-2], dtype=np.int64)) * rows * lanes * 4


@dataclasses.dataclass
class Argument:
    """Integers in [low, high) of a type; drawn only when they are needed."""

    value: jax.ShapeDtypeStruct
    low: int
    high: int


class LargeProgram:
    """A chain of operations under construction: its arguments, its steps, and its outputs."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.arguments = []
        self.steps = []  # (function, numbers of its arguments, whether its result is an output)
        self.names = []
        self.build()
        self.args = [self.drawn(argument) for argument in self.arguments]

    def build(self):
        rng = self.rng
        self.argument(self.random_shape(), rng.choice(TYPES, p=TYPE_SHARES))
        value = self.arguments[0].value
        count = rng.integers(2, 6)
        for number in range(count):
            tables = (PRODUCTS, PLACES) if number % 2 == 0 else (REDUCTIONS, OTHERS)
            # Only the last operation may leave little.
            least = 0 if number + 1 == count else max(SMALLEST, padded_bytes(value) // 8)
            value = self.grow(value, tables[rng.integers(2)], least)

    def random_shape(self):
        """Of rank 1 to 4; sizes in bytes are as often small as large, on a logarithmic scale."""
        most = np.exp(self.rng.uniform(np.log(10 * SMALLEST), np.log(LARGEST)))
        while True:
            rank = self.rng.choice(RANKS, p=RANK_SHARES)
            shape = tuple(int(size) for size in self.rng.choice(SIZES, rank))
            if most / 4 <= padded_bytes(jax.ShapeDtypeStruct(shape, F32)) <= most:
                return shape

    def argument(self, shape, dtype, low=-4, high=5):
        """Adds an argument of integers in [low, high) and returns its number."""
        self.arguments.append(Argument(jax.ShapeDtypeStruct(shape, dtype), low, high))
        return len(self.arguments) - 1

    def drawn(self, argument):
        integers = self.rng.integers(argument.low, argument.high, argument.value.shape)
        return np.asarray(integers).astype(argument.value.dtype)

    def grow(self, value, table, least):
        """Adds one of some operations, if one in 20 tries gives a result of at least so many
        bytes; the value that it leaves."""
        before = len(self.arguments)
        for _ in range(20):
            del self.arguments[before:]
            operation = table[self.rng.integers(len(table))]
            made = operation(self, value)
            if made is None:
                continue
            function, numbers = made
            result = jax.eval_shape(function, value, *(self.arguments[n].value for n in numbers))
            arrays = [result, *(argument.value for argument in self.arguments[before:])]
            most = max(padded_bytes(array) for array in arrays)
            if padded_bytes(result) >= least and most <= LARGEST:
                self.steps.append((function, numbers, bool(self.rng.random() < 0.25)))
                self.names.append(f"{operation.__name__} {result.dtype}{list(result.shape)}")
                return result
        del self.arguments[before:]
        return value

    def __call__(self, *args):
        """The function itself, for JAX to trace."""
        value, outputs = args[0], []
        for function, numbers, kept in self.steps:
            value = function(value, *(args[n] for n in numbers))
            if kept:
                outputs.append(value)
        return (*outputs, value)

    def lowered(self):
        return jax.jit(self, keep_unused=True).lower(*self.args)


def main():
    seed, directory = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    program = LargeProgram(seed)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "program.mlir").write_text(program.lowered().as_text())
    save_args(directory / "args.npz", program.args)
    print(f"{program.args[0].dtype}{list(program.args[0].shape)}", *program.names, sep="\n")


if __name__ == "__main__":
    main()
