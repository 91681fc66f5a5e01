"""Random programs like those that people write (benchmarks/generator): small ones against JAX on the CPU, larger ones
for the hazards that the machine checks.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from systole_cli import BIN, ROOT, TARGETS

sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "benchmarks/models")]

from generator import check, tables  # noqa: E402
from generator.draw import some_targets  # noqa: E402
from generator.machine import Outcome  # noqa: E402
from generator.products import rounded  # noqa: E402
from generator.program import WholeProgram  # noqa: E402

BUILT_IN = TARGETS[:-1]
# Those whose programs take the least time; benchmarks/whole_programs.py takes any.
SMALL_SEEDS = (0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15)
REAL_SEEDS = (1, 2, 3, 4, 6, 8, 10)


def failures(program, count, folder):
    targets = some_targets(program.seed, BUILT_IN, count)
    found = check.outcomes(program, BIN / "systole", targets, folder=folder)
    return [f"{outcome.target} {outcome.kind}: {outcome.message}" for outcome in found if outcome.kind]


@pytest.mark.parametrize("seed", SMALL_SEEDS)
def test_small_program_computes_what_jax_does(seed, tmp_path):
    program = WholeProgram(seed)
    print(program)
    assert failures(program, 1, tmp_path) == []


@pytest.mark.parametrize("seed", REAL_SEEDS)
def test_program_of_real_size_runs_without_hazard(seed, tmp_path):
    program = WholeProgram(seed, real=True)
    print(program)
    assert failures(program, 1, tmp_path) == []


def test_a_seed_is_one_program():
    one, same, other = (WholeProgram(seed) for seed in ("a", "a", "b"))
    assert one.text() == same.text() != other.text()
    for a, b in zip(jax.tree.leaves(one.arguments()), jax.tree.leaves(same.arguments()), strict=True):
        assert np.array_equal(a, b)


def test_a_wrong_element_is_noticed():
    program = WholeProgram(3)
    oracle = check.Oracle(program)
    results = [np.array(leaf) for leaf in jax.tree.leaves(oracle.compiled(*oracle.args))]
    assert oracle.complaint(results) == ""
    floats = [result for result in results if result.dtype != np.int32]
    largest = max(floats, key=lambda result: np.linalg.norm(np.float64(result)))
    largest[np.unravel_index(np.argmax(abs(largest)), largest.shape)] *= -1
    assert "times the noise off" in oracle.complaint(results)


def test_logits_may_round_to_bf16():
    """Products that are converted at once, which XLA on the CPU leaves in f32."""
    rng = np.random.default_rng(3)
    x, w = (jnp.asarray(rng.normal(size=shape), jnp.bfloat16) for shape in ((129, 8), (8, 129)))

    def loss(x, w):
        return -jax.nn.log_softmax((x @ w).astype(jnp.float32))[:, 7].mean()

    program = WholeProgram(3)
    program.task = dataclasses.replace(program.task, function=loss)
    program.precision, program.arguments = "default", lambda: (x, w)
    exact = np.asarray(x, np.float64) @ np.asarray(w, np.float64)
    results = []
    for logits in (exact.astype(x.dtype).astype(np.float64), exact * (1 + 2.0**-6)):
        off = logits - logits.max(1, keepdims=True)
        results.append([np.float32(-(off - np.log(np.exp(off).sum(1, keepdims=True)))[:, 7].mean())])
    oracle = check.Oracle(program)
    assert oracle.complaint(results[0]) == ""
    assert "times the noise off" in oracle.complaint(results[1])


def products(x):
    """In a loop, in a branch, beside a product of integers, and in a gradient: 257 has nine bits."""
    in_loop = lax.fori_loop(0, 1, lambda _, y: y @ jnp.eye(1), x)
    in_branch = lax.cond(x[0, 0] > 0, lambda y: y @ jnp.eye(1), lambda y: y, x)
    integers = x.astype(jnp.int32) @ jnp.ones((1, 1), jnp.int32)
    gradient = jax.grad(lambda w: jax.checkpoint(lambda w: (x @ w).sum())(w))(jnp.ones((1, 1)))
    return in_loop, in_branch, integers, gradient


@pytest.mark.parametrize("precision, wanted", [("default", 256), ("high", 257), ("highest", 257)])
def test_operands_are_rounded_wherever_a_product_is(precision, wanted):
    results = jax.jit(rounded(products, precision))(np.float32([[257]]))
    assert [float(r[0, 0]) for r in results] == [wanted, wanted, 257, wanted]


def test_approximations_are_off_where_moved_arguments_change_nothing():
    """The difference of a quotient of saturated functions and itself, multiplied out: zero but for roundings."""

    def function(x):
        e = jnp.exp(jnp.tanh(x))
        return 3 / e - 3 * (1 / (e * e)) * e

    x = np.float32([30.0])
    exact = jax.jit(rounded(function, "highest"))(x)
    off = [jax.jit(rounded(function, "highest", seed))(x) for seed in range(8)]
    assert max(abs(result - exact) for result in off) >= 2.0**-24
    assert max(abs(result - exact) for result in off) < 1e-5
    assert len({float(result[0]) for result in off}) > 1


def test_tables_count_what_failed():
    found = tables.Tables()
    outcomes = [Outcome("v2", "trap", "deadlock", passes={"fuse": True, "sort": False}), Outcome("v3")]
    found.add(["scan"], "f32", "high", outcomes)
    lines = {line.split("  ")[0]: line.split()[1:] for line in found.lines() if line.strip()}
    assert lines["scan"] == lines["f32"] == lines["high"] == ["2", "-", "-", "1", "-", "-", "-"]
    assert lines["v2"] == ["1", "-", "-", "1", "-", "-", "-"]
    assert lines["v3"] == ["1", "-", "-", "-", "-", "-", "-"]
    assert lines["fuse"] == ["1"] and lines["sort"] == ["0"]
