"""while, if, case and calls: carried buffers, trip counts that data decide, nesting.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32, exact_value
from check import check, check_all
from systole_cli import MLIR_NAMES, systole_run
from test_elementwise import I32, generator
from verify import verify, verify_with_jax


def numbers(name, shape, dtype=F32):
    return np.asarray(generator(name).integers(-32, 33, shape) / 8).astype(dtype)


@pytest.mark.parametrize("dtype", [F32, BF16, I32], ids=lambda d: MLIR_NAMES[d])
@pytest.mark.parametrize("trips", [0, 1, 2, 7])
def test_trip_count_is_an_argument(trips, dtype, tmp_path):
    def function(limit, x, y):
        def body(state):
            count, x, y = state
            return count + 1, lax.add(x, y), lax.neg(y)

        return lax.while_loop(lambda state: state[0] < limit, body, (jnp.int32(0), x, y))

    x = numbers("trips", (9, 129), F32).astype(dtype)
    verify(function, [np.asarray(trips, np.int32), x, x + x], tmp_path)


def test_data_decides_when_to_stop(tmp_path):
    """Doubles until the sum is large: the condition reads what the body wrote."""

    def function(x):
        def body(state):
            x, steps = state
            return x * 2, steps + 1

        return lax.while_loop(lambda state: lax.reduce_sum(state[0], (0, 1)) < 1e4, body, (x, 0))

    verify(function, [np.abs(numbers("until", (7, 200))) + 1], tmp_path)


def test_carried_values_change_places(tmp_path):
    """Each trip rotates three buffers, so none can be updated in its place unseen."""

    def function(x, y, z):
        return lax.fori_loop(0, 5, lambda i, s: (s[1], s[2], s[0] + s[1]), (x, y, z))

    args = [numbers(name, (9, 130)) for name in "xyz"]
    verify(function, args, tmp_path)


def test_a_carried_value_may_be_an_argument_used_later(tmp_path):
    """The loop must not overwrite an argument that is read after it."""

    def function(x, y):
        end = lax.fori_loop(0, 3, lambda i, s: s + y, x)
        return end, x - y, x

    verify(function, [numbers(name, (200,)) for name in "ab"], tmp_path)


def test_one_value_carried_twice(tmp_path):
    def function(x):
        return lax.fori_loop(0, 4, lambda i, s: (s[0] + 1, s[1] * 2), (x, x))

    verify(function, [numbers("twice", (8, 128))], tmp_path)


def test_untouched_and_constant_carries(tmp_path):
    def function(x, y):
        def body(i, state):
            x, y, z = state
            return x + 1, y, jnp.full_like(z, 7)

        return lax.fori_loop(0, 3, body, (x, y, x))

    verify(function, [numbers(name, (7, 127)) for name in "uv"], tmp_path)


def test_updates_of_a_carried_array_row_by_row(tmp_path):
    def function(table, rows):
        def body(i, table):
            row = lax.dynamic_slice_in_dim(rows, i, 1, 0)
            above = lax.dynamic_slice_in_dim(table, i, 1, 0)
            return lax.dynamic_update_slice_in_dim(table, row + above, i + 1, 0)

        return lax.fori_loop(0, rows.shape[0], body, table)

    verify(function, [numbers("table", (20, 129)), numbers("rows", (19, 129))], tmp_path)


def test_nested_loops(tmp_path):
    def function(x):
        def inner(j, state):
            i, x = state
            return i, x + (i * 3 + j).astype(jnp.float32)

        def outer(i, x):
            return lax.fori_loop(0, i + 1, inner, (i, x))[1]

        return lax.fori_loop(0, 5, outer, x)

    verify(function, [numbers("nested", (3, 5, 7))], tmp_path)


def test_scan_stacks_its_results(tmp_path):
    def function(carry, rows):
        def step(carry, row):
            carry = carry + row
            return carry, (carry * 2, lax.reduce_max(row, (0,)))

        return lax.scan(step, carry, rows)

    verify(function, [numbers("carry", (129,)), numbers("scanned", (17, 129))], tmp_path)


# Of an array of its own the rows end with its last element; as a part of a stack they are padded.
@pytest.mark.parametrize("shape", [(11, 11, 3, 1, 3, 3), (3, 7, 9, 3), (2, 5, 3, 3, 300)], ids=str)
@pytest.mark.parametrize("dtype", [np.dtype(np.bool_), np.dtype(np.int8), BF16], ids=lambda d: MLIR_NAMES[d])
def test_nested_scans_stack_narrow_arrays(dtype, shape, tmp_path):
    def narrow(x):
        return x > 0 if dtype == np.bool_ else x.astype(dtype)

    def inner(step, x):
        return step + 1, (narrow(x * step), x * step)

    def function(x):
        return lax.scan(lambda step, rows: (step + 1, lax.scan(inner, step, rows)[1]), jnp.float32(1), x)[1]

    x = generator("narrow stacks", str(shape)).integers(-8, 8, shape).astype(F32)
    verify_with_jax(function, [x], tmp_path)


def test_reverse_scan(tmp_path):
    def function(carry, rows):
        return lax.scan(lambda c, row: (c + row, c - row), carry, rows, reverse=True)

    verify(function, [numbers("carry", (7,)), numbers("reversed", (9, 7))], tmp_path)


def test_scan_of_contractions(tmp_path):
    def function(state, weights):
        return lax.scan(lambda s, w: (s @ w, None), state, weights)[0]

    eighths = generator("weights").integers(-1, 2, (4, 130, 130)) / 2
    verify(function, [numbers("state", (7, 130)), eighths.astype(np.float32)], tmp_path)


def test_stacked_results_are_read_by_later_kernels(tmp_path):
    """The third product reads a row of the stack, which is another one in each trip."""

    def function(state, rows, weights):
        first, second, third = weights

        def step(carry, row):
            kept = carry @ first + row
            return carry @ second @ third + kept, kept

        return lax.scan(step, state, rows)

    permutations = [np.eye(128)[generator(f"permutation {i}").permutation(128)] / 2 for i in range(3)]
    args = numbers("state", (8, 128)), numbers("rows", (4, 8, 128)), np.asarray(permutations, np.float32)
    verify(function, args, tmp_path)


def test_scanned_rows_get_another_shape(tmp_path):
    """In memory the four parts of a row lie one behind the other already."""

    def function(carry, rows):
        def step(carry, row):
            parts = row.reshape(8, 4, 128)
            carry = carry + parts[:, 0] * parts[:, 3]
            return carry, parts[:, 1] - carry

        return lax.scan(step, carry, rows)

    verify(function, [numbers("carry", (8, 128)), numbers("parts", (5, 8, 512))], tmp_path)


def sum_of_rows(v):
    """Parts at computed positions, in a loop of their own."""
    return lax.fori_loop(0, len(v), lambda i, sum: sum + lax.dynamic_index_in_dim(v, i, 0, False), v[0] * 0)


READERS = {
    "parts": lambda v, rows: sum_of_rows(v),
    "initial value": lambda v, rows: lax.fori_loop(0, 3, lambda i, a: a[::-1] + 1, v)[0],
    "gather": lambda v, rows: v[rows][1],
    "update": lambda v, rows: v.at[rows].add(1.0)[2],
    "slice": lambda v, rows: v[1],
    "scalar": lambda v, rows: v[0] + v[rows[0], rows[1], 5],
    "condition": lambda v, rows: lax.cond(v[0, 0, 0] > 0, lambda v: v[0], lambda v: -v[1], v),
}


@pytest.mark.parametrize("dtype", [F32, BF16], ids=lambda d: MLIR_NAMES[d])
@pytest.mark.parametrize("reader", READERS)
def test_a_stacked_value_is_read_in_its_iteration(reader, dtype, tmp_path):
    """It is in a part of the stack already, at a computed row, when others read it."""

    def function(x, steps, rows):
        def step(carry, addend):
            v = jnp.transpose((carry + addend).reshape(8, 4, 128), (1, 0, 2))
            out = READERS[reader](v, rows)
            return jnp.concatenate([out] * 4) * 0.5, v

        return lax.scan(step, x, steps)

    x, steps = numbers("stacked", (32, 128)), numbers("steps", (3, 32, 128))
    rows = np.asarray([2, 1, 3, 0], np.int32)
    verify(function, [x.astype(dtype), steps.astype(dtype), rows], tmp_path)


def test_a_stacked_value_is_updated_before(tmp_path):
    """The kernel that makes it begins with a copy of what it updates."""

    def function(x, steps, rows):
        def step(carry, addend):
            v = (carry + addend).reshape(1, 32, 128)
            v = lax.dynamic_update_slice(v, -v[:, :1], (0, rows[0], 0))
            return v[0] * 0.5, v

        return lax.scan(step, x, steps)

    rows = np.asarray([2, 1, 3, 0], np.int32)
    verify(function, [numbers("stacked", (32, 128)), numbers("steps", (3, 32, 128)), rows], tmp_path)


@pytest.mark.parametrize("taken", [0, 1])
def test_many_parts_in_a_branch(taken, tmp_path):
    """More than a kernel takes rows of: copies of parts that the branch makes are its own."""

    def function(x, rows, taken):
        parts = [lax.dynamic_index_in_dim(x, row, 0, False) for row in rows]
        branch = lax.cond(taken > 0, lambda parts: sum(parts[1:], parts[0]), lambda parts: parts[0] * 0, parts)
        return branch * 0.5 + parts[4] - parts[5]

    x, rows = numbers("parts", (9, 8, 128)), np.asarray([3, 7, 0, 8, 5, 1, 6], np.int32)
    verify(lambda x, rows, taken: function(x, list(rows), taken), [x, rows, np.int32(taken)], tmp_path)


def update(array, row, i):
    return lax.dynamic_update_slice(array, row[None], (i, 0, 0))


def at(array, i):
    return lax.dynamic_index_in_dim(array, i, 0, False)


# (array, row), i -> (array, row): the array is read, and a row of it replaced.
UPDATES = {
    "clear what is read": lambda s, i: (update(s[0], s[1] * 0, i), s[1] + at(s[0], i)),
    "read what is replaced": lambda s, i: (update(s[0], at(s[0], i) * 0.5 + s[1], i), s[1] * 0.5),
    "read another row": lambda s, i: (update(s[0], -s[1], i), s[1] + at(s[0], 3 - i)),
    "read two rows": lambda s, i: (update(s[0], at(s[0], i) + at(s[0], 3 - i), i), s[1] + at(s[0], (i + 1) % 4)),
    "read in a loop": lambda s, i: (
        update(s[0], s[1], i),
        lax.fori_loop(0, 3, lambda j, row: row * 0.5 + at(s[0], j), s[1]),
    ),
}


@pytest.mark.parametrize("shape", [(4, 32, 128), (4, 13, 128), (4, 16, 100)], ids=str)
@pytest.mark.parametrize("name", UPDATES)
def test_an_array_is_read_and_updated(name, shape, tmp_path):
    def function(x, row):
        return lax.fori_loop(0, 4, lambda i, s: UPDATES[name](s, i), (x, row))

    verify(function, [numbers("updated", shape), numbers("row", shape[1:])], tmp_path)


@pytest.mark.parametrize("index", [-5, 0, 1, 2, 3, 100])
def test_switch(index, tmp_path):
    """An index outside of the branches takes the last one, in stablehlo.case as JAX lowers it."""

    def function(index, x, y):
        cases = [lambda x, y: (x + y, y), lambda x, y: (x * y, x), lambda x, y: (x, x - y)]
        return lax.switch(index, cases, x, y)

    args = [numbers(name, (9, 129)) for name in "pq"]
    verify(function, [np.asarray(index, np.int32), *args], tmp_path)


@pytest.mark.parametrize("index", [-1, 0, 1, 2, 77])
def test_case_without_clamping(index, tmp_path):
    text = """
func.func @main(%i: tensor<i32>, %x: tensor<200xf32>) -> tensor<200xf32> {
  %r = "stablehlo.case"(%i) ({
    %a = stablehlo.add %x, %x : tensor<200xf32>
    stablehlo.return %a : tensor<200xf32>
  }, {
    %b = stablehlo.negate %x : tensor<200xf32>
    stablehlo.return %b : tensor<200xf32>
  }) : (tensor<i32>) -> tensor<200xf32>
  return %r : tensor<200xf32>
}
"""
    x = numbers("case", (200,))
    (result,) = systole_run(text, [np.asarray(index, np.int32), x], tmp_path)
    check(result, exact_value(x + x if index == 0 else -x))


@pytest.mark.parametrize("condition", [False, True])
def test_if(condition, tmp_path):
    text = """
func.func @main(%p: tensor<i1>, %x: tensor<9x129xf32>) -> (tensor<9x129xf32>, tensor<i32>) {
  %r:2 = "stablehlo.if"(%p) ({
    %one = stablehlo.constant dense<1> : tensor<i32>
    %a = stablehlo.multiply %x, %x : tensor<9x129xf32>
    stablehlo.return %a, %one : tensor<9x129xf32>, tensor<i32>
  }, {
    %two = stablehlo.constant dense<2> : tensor<i32>
    stablehlo.return %x, %two : tensor<9x129xf32>, tensor<i32>
  }) : (tensor<i1>) -> (tensor<9x129xf32>, tensor<i32>)
  return %r#0, %r#1 : tensor<9x129xf32>, tensor<i32>
}
"""
    x = numbers("if", (9, 129))
    expected = [x * x, np.asarray(1, np.int32)] if condition else [x, np.asarray(2, np.int32)]
    results = systole_run(text, [np.asarray(condition), x], tmp_path)
    check_all(results, [exact_value(value) for value in expected])


def test_a_condition_in_a_loop_in_a_condition(tmp_path):
    def function(p, x):
        def body(i, x):
            return lax.cond(i % 2 == 0, lambda x: x + 1, lambda x: x * 2, x)

        return lax.cond(p, lambda x: lax.fori_loop(0, 5, body, x), lambda x: -x, x)

    for p in (False, True):
        verify(function, [np.asarray(p), numbers("nested if", (7, 9))], tmp_path)


def test_a_function_called_several_times(tmp_path):
    @jax.jit
    def helper(x, y):
        return x * 2 + y, x - y

    def function(x, y):
        x, y = helper(x, y)
        x, y = helper(y, x)
        return helper(x, y)

    verify(function, [numbers(name, (7, 129)) for name in "fg"], tmp_path)


def test_generic_syntax_and_one_public_function(tmp_path):
    """The generic form of every operation, and an entry that is not called @main."""
    text = """
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<7xf32>) -> tensor<7xf32>, sym_name = "entry"}> ({
  ^bb0(%x: tensor<7xf32>):
    %c = "stablehlo.constant"() <{value = dense<2.0> : tensor<7xf32>}> : () -> tensor<7xf32>
    %r = "stablehlo.multiply"(%x, %c) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    "func.return"(%r) : (tensor<7xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"""
    x = numbers("generic", (7,))
    (result,) = systole_run(text, [x], tmp_path)
    check(result, exact_value(x * 2))


def test_results_that_are_arguments_or_constants_or_the_same(tmp_path):
    def function(x, y):
        z = x + y
        return y, z, z, x, jnp.arange(5), jnp.float32(3)

    verify(function, [numbers(name, (3, 129)) for name in "rs"], tmp_path)
