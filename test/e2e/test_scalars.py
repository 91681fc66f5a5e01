"""Integer scalars on the sequencer: arithmetic, loops, branches and positions without kernels.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import exact_value
from check import check_all
from systole_cli import MLIR_NAMES, save_args, systole, systole_run
from verify import lower, verify

INTEGERS = [np.dtype(t) for t in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32)]
BINARY = {
    "add": lax.add,
    "sub": lax.sub,
    "mul": lax.mul,
    "div": lax.div,
    "rem": lax.rem,
    "max": lax.max,
    "min": lax.min,
    "and": lax.bitwise_and,
    "or": lax.bitwise_or,
    "xor": lax.bitwise_xor,
    "shift left": lax.shift_left,
    "shift right": lax.shift_right_arithmetic,
    "shift right, logical": lax.shift_right_logical,
    "less": lambda x, y: lax.lt(x, y).astype(x.dtype),
    "less or equal": lambda x, y: lax.le(x, y).astype(x.dtype),
    "greater": lambda x, y: lax.gt(x, y).astype(x.dtype),
    "greater or equal": lambda x, y: lax.ge(x, y).astype(x.dtype),
    "equal": lambda x, y: lax.eq(x, y).astype(x.dtype),
    "different": lambda x, y: lax.ne(x, y).astype(x.dtype),
    "select": lambda x, y: lax.select(lax.lt(x, y), y - x, x),
    "clamp": lambda x, y: lax.clamp(y, x, x + y),
}


def verify_integers(function, args, directory):
    """Runs a function on the machine and with JAX on the CPU, which must agree exactly, also
    where integer operations have no mathematical result; and no kernel may run."""
    report = directory / "report.json"
    options = ("--report", "json", "--report-file", report)
    leaves = jax.tree.leaves(args)
    results = systole_run(lower(function, args).as_text(), leaves, directory, options=options)
    expected = jax.tree.leaves(jax.jit(function)(*args))
    check_all(results, [exact_value(np.asarray(x)) for x in expected])
    kernels = json.loads(report.read_text())["kernels"]
    assert [kernel["name"] for kernel in kernels] == ["sequencer: control flow and waits"]


def trip(body):
    """A loop whose trip count is unknown to the compiler keeps its carried values on the
    sequencer."""

    def function(trips, start, *others):
        def step(state):
            return state[0] + 1, body(state[1], *others)

        return lax.while_loop(lambda state: state[0] < trips, step, (jnp.int32(0), start))[1]

    return function


def ends_of(dtype):
    info = np.iinfo(dtype)
    values = [0, 1, 7, 31, info.max, info.max // 2 + 1, info.min, info.max - 1]
    return [np.asarray(value, dtype) for value in values]


@pytest.mark.parametrize("name", BINARY)
def test_arithmetic(name, tmp_path):
    """Pairs of values at the ends of each type's range."""
    values = [ends_of(dtype) for dtype in INTEGERS]
    start = [[[x for _ in xs] for x in (xs[2], xs[4], xs[6])] for xs in values]
    operation = BINARY[name]

    def body(rows, others):
        return [[[operation(r, x) for r, x in zip(row, xs)] for row in table] for table, xs in zip(rows, others)]

    verify_integers(trip(body), [np.asarray(1, np.int32), start, values], tmp_path)


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: MLIR_NAMES[d])
def test_one_operand_and_conversions(dtype, tmp_path):
    def apply(a, b, c, d, e, f):
        return (
            lax.neg(a),
            lax.bitwise_not(b),
            c + 1 if dtype.kind == "u" else lax.abs(c),
            d.astype(jnp.int8).astype(jnp.uint32).astype(dtype),
            e.astype(jnp.uint16).astype(jnp.int32).astype(dtype),
            (f != 0).astype(dtype),
        )

    def body(rows):
        return [apply(*row) for row in rows]

    start = [(x,) * 6 for x in ends_of(dtype)]
    verify_integers(trip(body), [np.asarray(1, np.int32), start], tmp_path)


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: MLIR_NAMES[d])
def test_a_counter_wraps(dtype, tmp_path):
    """Counts over the end of the type's range until it meets a limit on the other side."""
    info = np.iinfo(dtype)

    def function(start, stop):
        def body(state):
            count, trips = state
            return count + 1, trips + 1

        return lax.while_loop(lambda s: s[0] != stop, body, (start, jnp.int32(0)))

    args = [np.asarray(info.max - 3, dtype), np.asarray(info.min + 4, dtype)]
    verify_integers(function, args, tmp_path)


def test_nested_counters_are_results_too(tmp_path):
    def function(n, x):
        def inner(state):
            i, j, total, x = state
            return i, j + 1, total + i * j, x + 1

        def outer(state):
            i, total, x = state
            _, j, total, x = lax.while_loop(lambda s: s[1] < s[0], inner, (i, 0, total, x))
            return i + 1, total + j, x

        return lax.while_loop(lambda s: s[0] < n, outer, (0, 0, x))

    verify(function, [np.asarray(6, np.int32), np.ones((7, 9), np.float32)], tmp_path)


@pytest.mark.parametrize("limit", [0, 3, 2**31 - 1])
def test_conditions_with_and_or_not(limit, tmp_path):
    def function(limit, small):
        def go_on(state):
            i, k, found = state
            return ((i < limit) & ~found) | (k < small)

        def body(state):
            i, k, _ = state
            return i + 1, k + 3, (k > 20) & (i % 4 == 2)

        return lax.while_loop(go_on, body, (jnp.int32(0), jnp.uint8(0), False))

    args = [np.asarray(limit, np.int32), np.asarray(9, np.uint8)]
    verify_integers(function, args, tmp_path)


def test_data_and_a_counter_decide(tmp_path):
    """The sum comes from a kernel, the counter from the sequencer; both end the loop, and the
    number of large elements is counted from data."""

    def function(x):
        def body(state):
            i, x, count = state
            x = x * 2
            return i + 1, x, count + jnp.sum(x > 8, dtype=jnp.int32)

        def go_on(state):
            return (state[0] < 20) & (jnp.sum(state[1]) < 1000)

        return lax.while_loop(go_on, body, (jnp.int32(0), x, jnp.int32(5)))

    verify(function, [np.linspace(0.25, 2, 7 * 9, dtype=np.float32).reshape(7, 9)], tmp_path)


@pytest.mark.parametrize("index", [-(2**31), -1, 0, 1, 5, 2**31 - 1])
def test_a_branch_chooses_scalars(index, tmp_path):
    """Results of case that are scalars, one that is an array, and an index beyond the branches."""
    text = """
func.func @main(%i: tensor<i32>, %x: tensor<9xf32>)
    -> (tensor<i32>, tensor<ui8>, tensor<9xf32>, tensor<i1>) {
  %r:4 = "stablehlo.case"(%i) ({
    %n = stablehlo.constant dense<7> : tensor<i32>
    %s = stablehlo.add %i, %n : tensor<i32>
    %c = stablehlo.constant dense<200> : tensor<ui8>
    %d = stablehlo.add %c, %c : tensor<ui8>
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %s, %d, %x, %t : tensor<i32>, tensor<ui8>, tensor<9xf32>, tensor<i1>
  }, {
    %s = stablehlo.multiply %i, %i : tensor<i32>
    %d = stablehlo.convert %s : (tensor<i32>) -> tensor<ui8>
    %y = stablehlo.negate %x : tensor<9xf32>
    %t = stablehlo.compare GT, %s, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %s, %d, %y, %t : tensor<i32>, tensor<ui8>, tensor<9xf32>, tensor<i1>
  }) : (tensor<i32>) -> (tensor<i32>, tensor<ui8>, tensor<9xf32>, tensor<i1>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<i32>, tensor<ui8>, tensor<9xf32>, tensor<i1>
}
"""
    i, x = np.asarray(index, np.int32), np.arange(9, dtype=np.float32)
    with np.errstate(over="ignore"):
        square = (i * i).astype(np.int32)
    expected = [i + np.int32(7), np.uint8(144), x, np.bool_(True)]
    if index != 0:
        expected = [square, square.astype(np.uint8), -x, square > i]
    results = systole_run(text, [i, x], tmp_path)
    check_all(results, [exact_value(np.asarray(value)) for value in expected])


@pytest.mark.parametrize("index", [-(2**31), -1, 0, 3, 4, 5, 2**31 - 1])
def test_positions_are_clamped(index, tmp_path):
    def function(i, x, row):
        window = lax.dynamic_slice(x, (i, i - 1), (5, 100))
        return window, lax.dynamic_update_slice(x, row, (i + i, 3))

    x = np.arange(9 * 130, dtype=np.float32).reshape(9, 130)
    verify(function, [np.asarray(index, np.int32), x, -x[:1, :7]], tmp_path)


def test_scalars_of_every_type_reach_kernels(tmp_path):
    def function(n, x):
        def body(state):
            i, small, flag, large, x = state
            x = jnp.where(flag, x + i, x - small.astype(jnp.float32)) + large.astype(jnp.float32)
            return i + 1, small * 3, ~flag, large + np.uint32(2**31), x

        start = (jnp.int32(-2), jnp.int8(5), True, jnp.uint32(7), x)
        return lax.while_loop(lambda s: s[0] < n, body, start)

    x = np.arange(3 * 200, dtype=np.float32).reshape(3, 200)
    verify(function, [np.asarray(6, np.int32), x], tmp_path)


def test_timing_without_data_counts_the_same_cycles(tmp_path):
    def function(x, rows):
        def body(i, x):
            return x + lax.dynamic_index_in_dim(rows, i * 2 + 1, 0, keepdims=False)

        def outer(i, x):
            return lax.fori_loop(i, 7, body, x) * 2

        return lax.fori_loop(0, 3, outer, x)

    args = [np.ones((130,), np.float32), np.ones((40, 130), np.float32)]
    program, arrays = tmp_path / "f.mlir", tmp_path / "args.npz"
    program.write_text(lower(function, args).as_text())
    save_args(arrays, args)
    cycles = []
    for words in (["--args", arrays], ["--timing-only"]):
        report = tmp_path / "report.json"
        done = systole("run", program, *words, "--report", "json", "--report-file", report)
        assert done.returncode == 0, done.stderr
        cycles.append(json.loads(report.read_text())["cycles"])
    assert cycles[0] == cycles[1]
