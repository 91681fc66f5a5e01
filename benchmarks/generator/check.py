"""Runs a whole program on targets and compares what it computes with JAX on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Results may be as far from those in float64 as those of JAX on the CPU are, times a factor: agreement.py of
benchmarks/models. Those of several targets have the same bits. Moved arguments do not change all roundings: where a
special function is saturated, a gradient that cancels may be zero at all of them. So the noise of a result that looks
wrong is measured once more, with quotients, special functions and sums that are off by a unit in the last place; and
with operations that are executed one by one, since XLA on the CPU does not round a product to bf16 that is converted to
f32 at once, whatever its flag for excess precision says.
"""

import pathlib
import tempfile

import jax
import numpy as np
from agreement import FACTOR, distance, expect, noise_of
from agreement import ROUNDINGS as ROUNDED

from . import machine
from .products import rounded

PLACES = 2  # at which the noise is measured
MORE_PLACES = 24  # before a result counts as wrong
SEEDS = 6  # of operations that are off
# Of the operands of products of f32.
ROUNDINGS = {"default": 2.0**-9, "high": 2.0**-17, "highest": 0.0}


class Oracle:
    """What a program computes, by JAX on the CPU."""

    def __init__(self, program):
        self.program, self.args = program, program.arguments()
        function = rounded(program.task.function, program.precision)
        self.compiled = jax.jit(function, keep_unused=True).lower(*self.args).compile()

    def expected(self, places):
        rounding = ROUNDINGS[self.program.precision]
        return expect(self.program.task.function, self.args, places, self.compiled, rounding)

    def complaint(self, results):
        """What is wrong with results, or nothing."""
        for places in (PLACES, MORE_PLACES):
            expected = self.expected(places)
            if not self.furthest(results, expected):
                return ""
        for leaves in self.other_roundings():
            for one, leaf in zip(expected, leaves, strict=True):
                # Integers of exact sums would move, too.
                if one.cpu.dtype in ROUNDED:
                    one.noise = max(one.noise, noise_of(np.asarray(leaf), one.f64, one.cpu))
        return self.furthest(results, expected)

    def other_roundings(self):
        function = self.program.task.function
        for seed in range(SEEDS):
            yield jax.tree.leaves(jax.jit(rounded(function, self.program.precision, seed))(*self.args))
        with jax.disable_jit():
            yield jax.tree.leaves(function(*self.args))

    @staticmethod
    def furthest(results, expected):
        worst, text = FACTOR, ""
        for result, one in zip(results, expected, strict=True):
            # What overflows says little of a program.
            if np.isfinite(one.noise) and np.isfinite(one.f64.astype(np.float64)).all():
                off = distance(result, one)
                if not off <= worst:
                    worst, text = off, f"{one.name} {result.dtype}{list(result.shape)} is {off:.3g} times the noise off"
        return text


def same_bits(some, others):
    return all(a.tobytes() == b.tobytes() for a, b in zip(some, others, strict=True))


def outcomes(program, systole, targets, notes_passes=False, folder=None):
    """The Outcome of a program on each target: timed at real size, else computed and compared."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(folder or name)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.mlir").write_text(program.text())
        oracle, first, found = None, None, []
        if not program.real:
            oracle = Oracle(program)
            np.savez(folder / "args.npz", **{f"arg{i}": leaf for i, leaf in enumerate(jax.tree.leaves(oracle.args))})
        for target in targets:
            done = machine.run(systole, folder, target, program.precision, not program.real, notes_passes)
            outcome, results = done
            found.append(outcome)
            if results is None:
                continue
            if first is None:
                first, message = results, oracle.complaint(results)
            else:
                message = "" if same_bits(results, first) else f"other bits than on {found[0].target}"
            if message:
                outcome.kind, outcome.message = "wrong", message
        return found
