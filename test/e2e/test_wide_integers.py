"""Integers of 64 bits, as pairs of words: bit for bit as JAX on the CPU under jax_enable_x64.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

from systole_cli import load_results, save_args, systole

SIGNED, UNSIGNED = np.dtype(np.int64), np.dtype(np.uint64)
BOTH = [SIGNED, UNSIGNED]
EDGES = [0, 1, -1, 2, 10, -10, 2**31, 2**31 - 1, -(2**31), 2**32, 2**32 + 1, 2**32 - 1, 2**53 + 1]
EDGES += [-(2**53) - 1, 2**63 - 1, -(2**63), -(2**63) + 1, 3037000500, 6700417 * 641, 2**63 - 1024]


@pytest.fixture(autouse=True)
def x64():
    with jax.enable_x64(True):
        yield


def numbers(shape, dtype, seed=0):
    """Of all magnitudes, edges among them."""
    rng = np.random.default_rng(seed)
    count = int(np.prod(shape))
    bits = rng.integers(0, 2**64, count, dtype=np.uint64) >> rng.integers(0, 64, count).astype(np.uint64)
    bits = np.where(rng.random(count) < 0.5, bits, np.uint64(0) - bits)
    edges = np.array([edge % 2**64 for edge in EDGES], np.uint64)
    places = rng.random(count) < 0.3
    bits[places] = rng.choice(edges, int(places.sum()))
    return bits.view(dtype).reshape(shape)


def run(function, args, directory, *options):
    text = jax.jit(function, keep_unused=True).lower(*args).as_text()
    return run_text(text, args, directory, *options)


def run_text(text, args, directory, *options):
    program, inputs, outputs = (directory / n for n in ("program.mlir", "args.npz", "out.npz"))
    program.write_text(text)
    save_args(inputs, jax.tree.leaves(args))
    done = systole("run", program, "--args", inputs, "--out", outputs, *options)
    assert done.returncode == 0, done.stderr[-4000:]
    return load_results(outputs)


def verify(function, args, directory, *options):
    results = run(function, args, directory, *options)
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*args))]
    assert len(results) == len(expected)
    for number, (result, wanted) in enumerate(zip(results, expected)):
        assert result.dtype == wanted.dtype and result.shape == wanted.shape
        np.testing.assert_array_equal(
            result.view(np.uint8) if result.dtype.kind == "V" else result,
            wanted.view(np.uint8) if result.dtype.kind == "V" else wanted,
            err_msg=f"out{number}",
        )


def pairs(dtype):
    """Every edge with every other one, and more: [1000] twice."""
    edges = np.array([edge % 2**64 for edge in EDGES], np.uint64).view(dtype)
    x, y = (grid.ravel() for grid in np.meshgrid(edges, edges))
    rest = 1000 - x.size
    return (
        np.concatenate([x, numbers((rest,), dtype, 1)]),
        np.concatenate([y, numbers((rest,), dtype, 2)]),
    )


@pytest.mark.parametrize("dtype", BOTH, ids=str)
def test_arithmetic(dtype, tmp_path):
    def function(x, y):
        one = [lax.abs(x), lax.neg(x)] if dtype == SIGNED else []
        return one + [
            x + y,
            x - y,
            x * y,
            lax.sign(x),
            lax.min(x, y),
            lax.max(x, y),
            lax.clamp(y, x, x + y),
            lax.clamp(dtype.type(3), x, dtype.type(2**40)),
            ((x * y + x) * y - x) * (x + dtype.type(2**33 + 5)),
        ]

    verify(function, pairs(dtype), tmp_path)


@pytest.mark.parametrize("dtype", BOTH, ids=str)
def test_comparisons(dtype, tmp_path):
    def function(x, y):
        relations = [lax.eq, lax.ne, lax.lt, lax.le, lax.gt, lax.ge]
        return [relation(x, y) for relation in relations] + [lax.select(x < y, x, y)]

    verify(function, pairs(dtype), tmp_path)


@pytest.mark.parametrize("dtype", BOTH, ids=str)
def test_division(dtype, tmp_path):
    x, y = pairs(dtype)
    near = y * numbers((1000,), dtype, 3)  # multiples of the divisor, and their neighbours

    def function(x, y, near):
        values = [lax.div(a, y) for a in (x, near, near + 1, near - 1)]
        values += [lax.rem(a, y) for a in (x, near, near + 1, near - 1)]
        return values + [lax.div(x, dtype.type(10)), lax.rem(x, dtype.type(2**32 + 1))]

    verify(function, (x, y, near), tmp_path)


@pytest.mark.parametrize("dtype", BOTH, ids=str)
def test_bits(dtype, tmp_path):
    x, y = pairs(dtype)
    amounts = np.concatenate([np.arange(70), [-1, 2**32, 2**32 + 3, -(2**63)]])
    by = np.resize(amounts, 1000).astype(np.int64).view(dtype)

    def function(x, y, by):
        shifts = [lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic]
        values = [shift(x, by) for shift in shifts]
        for amount in (0, 1, 31, 32, 33, 63, 64, 2**40):
            values += [shift(x, jnp.full_like(x, amount)) for shift in shifts]
        return values + [x & y, x | y, x ^ y, ~x, lax.population_count(x), lax.clz(x)]

    verify(function, (x, y, by), tmp_path)


@pytest.mark.parametrize("dtype", BOTH, ids=str)
def test_power(dtype, tmp_path):
    base = numbers((127,), dtype)
    exponent = np.resize(np.array([0, 1, 2, 3, 5, 63, 64, 2**40 + 1, 2**63 - 1]), 127).astype(dtype)
    if dtype == SIGNED:
        exponent[::7] = -3
        base[::5] = -1
        base[1::5] = 1

    def power(x, n):
        if n < 0:
            return {1: 1, -1: -1 if n % 2 else 1}.get(x, 0)
        return pow(x, n, 2**64)

    kind = "i64" if dtype == SIGNED else "ui64"
    text = f"""func.func @main(%x: tensor<127x{kind}>, %n: tensor<127x{kind}>) -> tensor<127x{kind}> {{
      %r = stablehlo.power %x, %n : tensor<127x{kind}>
      return %r : tensor<127x{kind}>
    }}"""
    (result,) = run_text(text, (base, exponent), tmp_path)
    wanted = [power(int(x), int(n)) % 2**64 for x, n in zip(base, exponent)]
    np.testing.assert_array_equal(result, np.array(wanted, np.uint64).view(dtype))


def test_conversions_from(tmp_path):
    narrow = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.bool_]
    halves = 2 ** np.arange(25, 63, dtype=np.int64)
    ties = np.concatenate([halves + (halves >> 24), halves + (halves >> 24) + 1, halves * 3 - 1])
    x = np.concatenate([pairs(SIGNED)[0], ties, -ties])

    def function(x):
        unsigned = lax.convert_element_type(x, np.uint64)
        values = [lax.convert_element_type(v, t) for v in (x, unsigned) for t in narrow]
        values += [lax.convert_element_type(v, np.float32) for v in (x, unsigned)]
        return [unsigned] + values

    verify(function, (x,), tmp_path)


@pytest.mark.parametrize("dtype", BOTH, ids=str)
def test_halves_are_rounded_once(dtype, tmp_path):
    """To the nearest bf16 and f16, of exact numbers: XLA on the CPU rounds to f32 first."""
    x = pairs(dtype)[0]
    tie = (1 << 40) + (1 << 32)  # between two bf16; a little more is above
    x = np.concatenate([x, np.array([tie, tie + 1, tie - 1, 65519, 65520, 65535], dtype)])
    kinds = [ml_dtypes.bfloat16, np.float16]
    results = run(lambda x: [lax.convert_element_type(x, kind) for kind in kinds], (x,), tmp_path)
    for kind, result in zip(kinds, results):
        real = np.array([nearest(int(v), kind) for v in x], np.float64)
        np.testing.assert_array_equal(result.astype(np.float64), real)


def nearest(value, kind):
    """The nearest number of a type to an integer; halfway, the one with an even significand."""
    digits, largest = (8, np.inf) if kind is ml_dtypes.bfloat16 else (11, 65520)
    size = abs(value)
    drop = max(size.bit_length() - digits, 0)
    kept, rest = size >> drop, size & ((1 << drop) - 1)
    half = (1 << drop) >> 1
    kept += drop > 0 and (rest > half or (rest == half and kept % 2 == 1))
    result = float(kept << drop)
    result = np.inf if size >= largest else result
    return -result if value < 0 else result


def test_conversions_to(tmp_path):
    rng = np.random.default_rng(5)
    reals = rng.standard_normal(500).astype(np.float32) * 2.0 ** rng.integers(-3, 70, 500)
    special = [0, -0.0, 0.5, -0.5, -1, np.inf, -np.inf, np.nan, 2.0**63, -(2.0**63), 2.0**64, 2.0**31]
    reals = np.concatenate([reals, special]).astype(np.float32)
    kinds = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.bool_]
    narrow = [numbers((129,), SIGNED, 3).astype(kind) for kind in kinds]

    def function(x, *narrow):
        values = [v for v in (x, x.astype(jnp.bfloat16), x.astype(jnp.float16))] + list(narrow)
        return [lax.convert_element_type(v, kind) for v in values for kind in BOTH]

    verify(function, (reals, *narrow), tmp_path)


def test_bitcasts(tmp_path):
    x = numbers((7, 5), UNSIGNED)

    def function(x):
        parts = [np.int32, np.uint32, np.float32, np.uint16, np.int8]
        narrow = [lax.bitcast_convert_type(x, kind) for kind in parts]
        back = [lax.bitcast_convert_type(v, np.int64) for v in narrow]
        return [lax.bitcast_convert_type(x, np.int64), *narrow[:2], *narrow[3:], *back]

    x = x & 0x7F7FFFFF7F7FFFFF  # no NaN among the f32
    verify(function, (x,), tmp_path)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (127,), (129,), (1000,), (3, 130), (0, 3), (300, 2)])
def test_shapes(shape, tmp_path):
    """Buffers of all shapes pass: their planes lie as the shape of the words decides."""
    x, y = numbers(shape, SIGNED, 1), numbers(shape, UNSIGNED, 2)
    verify(lambda x, y: [x + 1, y * 3, y, x.T, x.astype(y.dtype) + y], (x, y), tmp_path)


def test_movement(tmp_path):
    x, y = numbers((6, 130), SIGNED, 1), numbers((4, 130), SIGNED, 2)

    def function(x, y, start):
        return [
            jnp.concatenate([x, y]),
            jnp.concatenate([x[:4], y], axis=1),
            lax.pad(x, np.int64(-(2**40)), [(1, 2, 1), (-3, 4, 0)]),
            x.reshape(10, 78),
            x.T,
            x[::2, 3:100:7],
            x[::-1, ::-1],
            jnp.broadcast_to(x[0], (3, 130)),
            lax.dynamic_slice(x, (start, start * 5), (2, 17)),
            lax.dynamic_update_slice(x, y[:, :9], (start, np.int64(2**40))),
            jnp.arange(130),
            jnp.arange(5, dtype=jnp.uint64) * np.uint64(2**40),
            jnp.array([1, -(2**40), 3]),
        ]

    verify(function, (x, y, np.int64(3)), tmp_path)


@pytest.mark.parametrize("dtype", BOTH, ids=str)
def test_reductions(dtype, tmp_path):
    x = numbers((5, 1000), dtype)

    def function(x):
        values = [f(x, axis=axis) for f in (jnp.sum, jnp.prod, jnp.min, jnp.max) for axis in (0, 1)]
        values += [jnp.sum(x), jnp.max(x), jnp.argmax(x, axis=1), jnp.argmin(x, axis=0)]
        values += [lax.reduce(x, dtype.type(2**64 - 1 if dtype == UNSIGNED else -1), lax.bitwise_and, (1,))]
        values += [lax.reduce(x, dtype.type(0), op, (0,)) for op in (lax.bitwise_or, lax.bitwise_xor)]
        return values + [jnp.argmax(x[:, :7].astype(jnp.float32), axis=1), jnp.sum(x[:, :0], axis=1)]

    verify(function, (x,), tmp_path)


def test_long_reduction(tmp_path):
    x = numbers((3, 70000), SIGNED)
    verify(lambda x: [jnp.sum(x, axis=1), jnp.max(x), jnp.argmin(x, axis=1)], (x,), tmp_path)


def test_initial_values_count_once(tmp_path):
    """Also for sums in chunks; XLA on the CPU combines them several times."""
    x = numbers((3, 70000), SIGNED)
    start = np.int64(2**40 + 5)

    def function(x, start):
        fixed = lax.reduce(x, np.int64(-(2**50)), lax.add, (0, 1))
        return [lax.reduce(x, start, lax.add, (1,)), fixed, lax.reduce(x, start, lax.min, (0, 1))]

    rows, fixed, least = run(function, (x, start), tmp_path)
    np.testing.assert_array_equal(rows, x.sum(axis=1) + start)
    np.testing.assert_array_equal(fixed, x.sum() - 2**50)
    np.testing.assert_array_equal(least, min(x.min(), start))


def test_windows(tmp_path):
    x = numbers((3, 129), SIGNED)

    def function(x):
        sums = lax.reduce_window(x, np.int64(0), lax.add, (1, 4), (1, 2), "VALID")
        most = lax.reduce_window(x, np.int64(-(2**63)), lax.max, (2, 3), (1, 1), "SAME")
        scatter = lax.reduce_window(x, np.int64(2**63 - 1), lax.min, (1, 20), (1, 1), "SAME")
        return [jnp.cumsum(x, axis=1), jnp.cumprod(x, axis=0), lax.cummax(x, axis=1), sums, most, scatter]

    verify(function, (x,), tmp_path)


@pytest.mark.parametrize("dtype", BOTH, ids=str)
def test_sort(dtype, tmp_path):
    x = numbers((1000,), dtype)
    rows = numbers((7, 129), dtype)

    def function(x, rows):
        keys = (x % 10).astype(jnp.int32)
        return [
            jnp.sort(x),
            jnp.sort(rows, axis=0),
            jnp.sort(rows, axis=1, descending=True),
            jnp.argsort(x),
            *lax.sort((keys, x), num_keys=2),
            *lax.top_k(rows, 5),
        ]

    verify(function, (x, rows), tmp_path)


def test_gather(tmp_path):
    x = numbers((50, 130), SIGNED, 1)
    where = np.array([3, 0, 49, -1, 2**32, -(2**40), 2**63 - 1, 7], np.int64)

    def function(x, where):
        row = x[:, 0]
        return [
            jnp.take(x, where, axis=0, mode="clip"),
            jnp.take(row, where, mode="fill", fill_value=-7),
            jnp.take(row, where.astype(jnp.uint64), mode="clip"),
            jnp.take_along_axis(x[:8], where[:, None], axis=1, mode="clip"),
            row[jnp.argsort(row)],
            x[where % 50, where % 130],
        ]

    verify(function, (x, where), tmp_path)


def test_scatter(tmp_path):
    x = numbers((300,), SIGNED, 1)
    rows = numbers((40, 130), SIGNED, 2)
    where = np.array([3, 0, 49, 3, 2**32 + 3, -(2**40), 3, 299, 39, 39], np.int64)
    updates = numbers((10,), SIGNED, 3)

    def function(x, rows, where, updates):
        wide = jnp.broadcast_to(updates[:, None], (10, 130))
        return [
            x.at[where].add(updates, mode="drop"),
            x.at[where].min(updates, mode="drop"),
            x.at[where].max(updates, mode="drop"),
            x.at[where[:3]].set(updates[:3]),
            x.at[where].multiply(updates, mode="drop"),
            rows.at[where].add(wide, mode="drop"),
            rows.at[5].set(updates[0]),
            rows.at[jnp.arange(40), jnp.arange(40) * 3].add(7),
            jnp.bincount(where[:4], length=50),
        ]

    verify(function, (x, rows, where, updates), tmp_path)


def test_control(tmp_path):
    x = numbers((129,), SIGNED)

    def function(x, n, limit):
        def collatz(state):
            value, steps = state
            return jnp.where(value % 2 == 0, value // 2, 3 * value + 1), steps + 1

        total = lax.fori_loop(0, 10, lambda i, v: v * 3 + i, x)
        dynamic = lax.fori_loop(n, n + 5, lambda i, v: v + i * i, x)
        steps = lax.while_loop(lambda s: s[0] != 1, collatz, (n % 1000 + 27, jnp.int64(0)))
        doubled = lax.while_loop(lambda v: v < limit, lambda v: v * 2, jnp.int64(3))
        scanned = lax.scan(lambda c, v: (c + v, c ^ v), n, x)
        branch = lax.cond(n > limit, lambda v: v + limit, lambda v: v - limit, x)
        choice = lax.switch(n % 3, [lambda v: v, lambda v: -v, lambda v: v * limit], x)
        return total, dynamic, steps, doubled, scanned, branch, choice

    verify(function, (x, np.int64(2**33 + 12), np.int64(2**45 + 1)), tmp_path)


def test_products(tmp_path):
    def function(x, y, v):
        return [x @ y, x @ v, v @ v, lax.dot_general(x, y.T, (((1,), (1,)), ((), ())))]

    args = numbers((17, 129), SIGNED, 1), numbers((129, 9), SIGNED, 2), numbers((129,), SIGNED, 3)
    verify(function, args, tmp_path)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_convolutions(dtype, tmp_path):
    x, k = numbers((2, 6, 7, 4), dtype), numbers((3, 2, 2, 6), dtype, 1)

    def function(x, k):
        numbers = ("NHWC", "HWIO", "NHWC")
        grouped = lax.conv_general_dilated(
            x, k, (2, 1), ((1, 0), (0, 1)), rhs_dilation=(1, 2), dimension_numbers=numbers, feature_group_count=2
        )
        dilated = lax.conv_general_dilated(
            x[..., :2], k, (1, 1), ((0, 0), (0, 0)), lhs_dilation=(2, 1), dimension_numbers=numbers
        )
        return grouped, dilated

    verify(function, (x, k), tmp_path)


def test_deep_and_batched_products(tmp_path):
    """Sums of more products than 32 bits hold of bytes; batches; several contracting dimensions."""

    def function(x, y, u, v):
        batched = lax.dot_general(u, v, (((2,), (1,)), ((0,), (0,))))
        both = lax.dot_general(u, u, (((1, 2), (1, 2)), ((), ())))
        return [x @ y, batched, both, jnp.outer(y[:5, 0], y[:7, 1]), (u % 100) @ v]

    deep = numbers((3, 20000), SIGNED, 1), numbers((20000, 2), SIGNED, 2)
    batches = numbers((4, 5, 70), SIGNED, 3), numbers((4, 70, 6), SIGNED, 4)
    verify(function, (*deep, *batches), tmp_path)


def test_products_of_more_than_64_parts(tmp_path):
    """In one dimension, of two, and beside a batch."""

    def function(v, x, y, u, w):
        both = lax.dot_general(x, y, (((1, 2), (0, 2)), ((), ())))
        return [v @ v, both, lax.dot_general(u, w, (((1,), (2,)), ((0,), (1,))))]

    args = (
        numbers((600_001,), SIGNED, 1),
        numbers((2, 9000, 90), SIGNED, 2),
        numbers((9000, 2, 90), SIGNED, 3),
        numbers((2, 530_000, 1), SIGNED, 4),
        numbers((1, 2, 530_000), SIGNED, 5),
    )
    verify(function, args, tmp_path)


@pytest.mark.parametrize("algorithm", ["three_fry", "philox"])
def test_random_bits(algorithm, tmp_path):
    kind = lax.RandomAlgorithm[f"RNG_{algorithm.upper()}"]
    states = [np.array(s, np.uint64) for s in ([0, 0], [2**64 - 1, 2**64 - 3], [5 << 40, 2**32 - 2])]
    shapes = [(), (5,), (3, 130), (0, 3), (4, 1)]

    def function(*states):
        wide = [lax.rng_bit_generator(s, shape, np.uint64, algorithm=kind) for s in states for shape in shapes]
        return wide + [lax.rng_bit_generator(s, (7,), np.uint32, algorithm=kind) for s in states]

    verify(function, states, tmp_path)


def test_random_draws(tmp_path):
    def function(seed):
        key = jax.random.key(seed)
        return [
            jax.random.bits(key, (3, 5), np.uint64),
            jax.random.randint(key, (129,), -(2**40), 2**41),
            jax.random.permutation(key, 100),
            jax.random.choice(key, 50, (9,)),
        ]

    verify(function, (np.int64(42),), tmp_path)


def test_f64_scalars_that_are_narrowed(tmp_path):
    text = """func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
      %c = stablehlo.constant dense<1.0000000596046448> : tensor<f64>
      %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %n = stablehlo.convert %b : (tensor<3xf64>) -> tensor<3xf32>
      %y = stablehlo.multiply %x, %n : tensor<3xf32>
      %d = stablehlo.constant dense<[1.0e300, -2.5, 0x7FF8000000000000]> : tensor<3xf64>
      %i = stablehlo.convert %d : (tensor<3xf64>) -> tensor<3xi64>
      return %y, %i : tensor<3xf32>, tensor<3xi64>
    }"""
    real, integer = run_text(text, [np.array([1, 2, 3], np.float32)], tmp_path)
    np.testing.assert_array_equal(real, np.array([1, 2, 3], np.float32))
    np.testing.assert_array_equal(integer, [2**63 - 1, -2, 0])


def cycles(function, args, directory):
    report = directory / "report.json"
    run(function, args, directory, "--report", "json", "--report-file", report)
    return json.loads(report.read_text())


def test_counted_loops_cost_as_much_as_with_32_bits(tmp_path):
    """The counter fits 32 bits, so it stays one scalar of the sequencer."""

    def function(x, kind):
        return lax.fori_loop(kind(0), kind(100), lambda i, v: v + lax.dynamic_slice(x, (i,), (8,)), x[:8])

    x = np.arange(200, dtype=np.float32)
    wide = cycles(lambda x: function(x, np.int64), (x,), tmp_path)
    narrow = cycles(lambda x: function(x, np.int32), (x,), tmp_path)
    assert wide["cycles"] == narrow["cycles"]


def test_a_chain_is_one_kernel(tmp_path):
    def function(x, y):
        for _ in range(5):
            x = (x + y) * (x ^ y)
        return x

    args = numbers((1000,), SIGNED, 1), numbers((1000,), SIGNED, 2)
    report = cycles(function, args, tmp_path)
    assert len([k for k in report["kernels"] if k["calls"]]) == 1
