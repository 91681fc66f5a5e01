"""Random functions over the supported operations, with inputs: one seed, one function.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A function is a graph of random operations of random_ops.py on values of odd shapes. It is
evaluated by the reference as it grows, and an operation is taken back when its result would
be useless as a test: NaN or infinite, too large, undetermined, or with a bound so wide that
a wrong result could pass. So every output of every function is worth comparing.

To look at one function, or to repeat a failure by hand:

  python random_programs.py SEED DIRECTORY   writes program.mlir, args.npz and expected.npz
"""

import dataclasses
import pathlib
import sys

import jax
import numpy as np

import random_indexing  # noqa: F401  (registers its makers)
import random_ops
import random_structures  # noqa: F401  (registers its makers)
import random_windows  # noqa: F401  (registers its makers)
from bounds import BF16, F32, MACHINE, is_float
from reference import evaluate, evaluate_jaxpr, exact_value
from systole_cli import save_args

SIZES = (1, 7, 8, 127, 128, 129, 200)
SMALL_SIZES = (1, 2, 3, 7, 8)
MOST_ELEMENTS = 60_000
LARGEST = 1e6
# The widest bound worth testing, relative to the largest element of the array.
WIDEST = {F32: 2.0**-14, BF16: 2.0**-5}


@dataclasses.dataclass
class Node:
    """A value of the function: an argument, or an operation on earlier values."""

    value: object  # the reference's Value
    function: object = None  # of the operands; None for an argument
    operands: tuple = ()
    used: bool = False
    operation: str = "argument"  # the maker of random_ops.py


def random_shape(rng):
    """A shape of rank 0 to 5 with odd sizes and a bounded number of elements."""
    rank = rng.choice([0, 1, 2, 3, 4, 5], p=[0.06, 0.2, 0.38, 0.2, 0.1, 0.06])
    while True:
        large = rng.random(rank) < (1.0 if rank <= 2 else 0.4)
        shape = tuple(int(rng.choice(SIZES if pick else SMALL_SIZES)) for pick in large)
        if np.prod(shape, dtype=np.int64) <= MOST_ELEMENTS:
            return shape


def random_array(rng, shape, dtype):
    """Data of one type: half of the float arrays are small multiples of 1/8, on which sums and
    contractions are exact in any order, half are normally distributed."""
    if dtype == np.bool_:
        return np.asarray(rng.random(shape) < 0.5)
    if not is_float(dtype):
        limits = np.iinfo(dtype)
        if dtype.itemsize == 4 and rng.random() < 0.7:
            return np.asarray(rng.integers(-100, 100, shape), dtype)
        return np.asarray(rng.integers(limits.min, limits.max, shape, endpoint=True), dtype)
    if rng.random() < 0.5:
        return np.asarray(rng.integers(-32, 32, shape, endpoint=True) / 8).astype(dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def worth_testing(value):
    """Whether a value is determined closely enough that comparing it means something."""
    data = value.data.astype(np.float64)
    if data.size == 0 or not np.isfinite(data).all():
        return False
    largest = np.abs(data).max()
    if is_float(value.dtype):
        return largest <= LARGEST and np.max(value.err) <= WIDEST[value.dtype] * largest
    return value.exact


class Program:
    """A function under construction: its arguments, its nodes, and its outputs."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes = []
        self.args = []
        self.outputs = []
        self.build()

    def build(self):
        rng = self.rng
        shape = random_shape(rng)
        for _ in range(rng.integers(1, 4)):
            self.new_argument(shape if rng.random() < 0.6 else random_shape(rng))
        wanted, tries = rng.integers(4, 15), 0
        done = 0
        while done < wanted and tries < 200:
            tries += 1
            done += self.grow()
        self.outputs = [n for n, node in enumerate(self.nodes) if node.function and not node.used]
        self.outputs = self.outputs[-4:] or [len(self.nodes) - 1]

    def new_argument(self, shape, dtype=None):
        """Adds an argument and returns its number among the nodes."""
        if dtype is None:
            dtype = self.rng.choice(random_ops.DTYPES, p=random_ops.DTYPE_SHARES)
        array = random_array(self.rng, shape, np.dtype(dtype))
        self.args.append(array)
        self.nodes.append(Node(exact_value(array)))
        return len(self.nodes) - 1

    def partner(self, shape, dtype):
        """A value of the given shape and type: one at hand, or a new argument."""
        fits = [n for n, node in enumerate(self.nodes) if node.value.shape == shape and node.value.dtype == dtype]
        if fits and (self.rng.random() < 0.8 or len(self.args) >= 6):
            return int(self.rng.choice(fits))
        return self.new_argument(shape, dtype)

    def grow(self):
        """Tries to add one operation; whether it did."""
        before = len(self.nodes), len(self.args)
        operation = random_ops.choose(self.rng)
        made = operation(self)
        if made is not None:
            function, operands = made
            values = [self.nodes[n].value for n in operands]
            shapes = [jax.ShapeDtypeStruct(value.shape, value.dtype) for value in values]
            closed = jax.make_jaxpr(function)(*shapes)
            size = np.prod(closed.out_avals[0].shape, dtype=np.int64)
            if 0 < size <= MOST_ELEMENTS:
                (value,) = evaluate_jaxpr(closed, values, MACHINE)
                if worth_testing(value):
                    for n in operands:
                        self.nodes[n].used = True
                    self.nodes.append(Node(value, function, tuple(operands), operation=operation.__name__))
                    return True
        # Take back the arguments that were made for it.
        del self.nodes[before[0] :], self.args[before[1] :]
        return False

    def pick(self, accept=lambda value: True):
        """The number of a random value that a predicate accepts, or None; later ones are
        likelier, so that functions grow deep and not only wide."""
        fits = [n for n, node in enumerate(self.nodes) if accept(node.value)]
        if not fits:
            return None
        weights = np.arange(1, len(fits) + 1, dtype=float)
        return int(self.rng.choice(fits, p=weights / weights.sum()))

    def __call__(self, *args):
        """The function itself, for JAX to trace."""
        values, following = [], iter(args)
        for node in self.nodes:
            if node.function is None:
                values.append(next(following))
            else:
                values.append(node.function(*(values[n] for n in node.operands)))
        return tuple(values[n] for n in self.outputs)

    def lowered(self):
        return jax.jit(self, keep_unused=True).lower(*self.args)

    def expected(self, model=MACHINE):
        """The reference's results, with bounds."""
        return evaluate(self, self.args, model)


def main():
    seed, directory = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    program = Program(seed)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "program.mlir").write_text(program.lowered().as_text())
    save_args(directory / "args.npz", program.args)
    expected = program.expected()
    arrays = {}
    for number, value in enumerate(expected):
        arrays[f"out{number}"] = value.data
        arrays[f"bound{number}"] = value.errors()
    np.savez(directory / "expected.npz", **arrays)
    print(program.lowered().as_text())


if __name__ == "__main__":
    main()
