"""Whole programs: one seed, one JAX function with its arguments.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np

from . import caches, cost, tasks
from .blocks import Weight
from .draw import Draw
from .models import Input

TASKS = (
    (tasks.forward, 3),
    (tasks.gradient, 4),
    (tasks.train_step, 4),
    (tasks.train_loop, 1.5),
    (tasks.per_example, 0.5),
    (caches.decode_step, 1.2),
    (caches.decode_loop, 1),
)
PRECISIONS = ("default", "high", "highest")
# The types of parameters, and that in which the network is computed.
TYPES = {"f32": ("float32", None), "bf16": ("bfloat16", None), "f32 and bf16": ("float32", "bfloat16")}
# Bounds of programs that are computed here, and of those that are only timed: multiplications, elements of all
# results, equations, bytes of the arguments.
SMALL_BOUNDS = (3e8, 3e7, 700, 8e6)
REAL_BOUNDS = (3e12, 6e9, 3000, 2e9)


class WholeProgram:
    """The first program of a seed that stays within the bounds. Its task, types and sizes are drawn anew until then."""

    def __init__(self, seed, real=False):
        self.seed, self.real = seed, real
        for attempt in range(100):
            draw = Draw(f"{seed} {attempt} {real}", real, attempt)
            # Of the seed alone, so that each is drawn as often as the others, however many attempts are made.
            first = Draw(f"{seed} {real}", real)
            self.precision = first.pick(PRECISIONS)
            self.types = first.pick(list(TYPES), (5, 2, 3))
            make = first.pick([f for f, _ in TASKS], [w for _, w in TASKS])
            self.task = make(draw, self.compute)
            if cost.bytes_of(self.types_of_arguments()) > self.bounds()[3]:
                continue
            self.traced = self.jitted().trace(*self.types_of_arguments())
            if self.is_bounded():
                return
        raise ValueError(f"seed {seed}: no program within the bounds")

    @property
    def compute(self):
        return TYPES[self.types][1]

    @property
    def forms(self):
        return {self.task.name, *self.task.forms, *({"donated"} if self.task.donated else ())}

    def bounds(self):
        return REAL_BOUNDS if self.real else SMALL_BOUNDS

    def is_bounded(self):
        found = cost.of_traced(self.traced)
        sizes = (found.multiplications, found.elements, found.equations)
        return all(size <= bound for size, bound in zip(sizes, self.bounds()))

    def jitted(self):
        return jax.jit(self.task.function, donate_argnums=self.task.donated, keep_unused=True)

    def types_of_arguments(self):
        dtype = jnp.dtype(TYPES[self.types][0])

        def type_of(leaf):
            if isinstance(leaf, Weight) or leaf.below is None:
                return jax.ShapeDtypeStruct(leaf.shape, dtype)
            return jax.ShapeDtypeStruct(leaf.shape, np.uint32 if leaf is tasks.KEY else np.int32)

        return jax.tree.map(type_of, self.task.arguments, is_leaf=is_argument)

    def arguments(self):
        """NumPy arrays."""
        rng = Draw(f"{self.seed} data", self.real).rng

        def draw(leaf, kind):
            if isinstance(leaf, Input) and leaf.below is not None:
                return rng.integers(0, leaf.below, leaf.shape).astype(kind.dtype)
            values = rng.standard_normal(leaf.shape)
            if isinstance(leaf, Weight):
                values = np.abs(leaf.mean + leaf.deviation * values) if leaf.mean else leaf.deviation * values
            return values.astype(kind.dtype)

        return jax.tree.map(draw, self.task.arguments, self.types_of_arguments(), is_leaf=is_argument)

    def text(self):
        """StableHLO, as JAX lowers it for TPUs."""
        return self.traced.lower(lowering_platforms=("tpu",)).as_text()

    def __str__(self):
        return f"{', '.join(sorted(self.forms))}; {self.types}; {self.precision}"


def is_argument(leaf):
    return isinstance(leaf, (Weight, Input))
