"""f64, as pairs of words: against NumPy, bit for bit.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json

import doubles
import jax
import jax.numpy as jnp
import ml_dtypes
import mpmath
import numpy as np
import pytest
from jax import lax
from scipy import special

from systole_cli import load_results, save_args, systole

COUNT = 20_000
SHAPES = [(), (0,), (1,), (7,), (129,), (0, 3), (3, 130)]


def run(function, args, directory, *options):
    with jax.enable_x64(True):
        text = jax.jit(function, keep_unused=True).lower(*args).as_text()
    return run_text(text, jax.tree.leaves(args), directory, *options)


def run_text(text, args, directory, *options):
    program, inputs, outputs = (directory / n for n in ("program.mlir", "args.npz", "out.npz"))
    program.write_text(text)
    save_args(inputs, args)
    done = systole("run", program, "--args", inputs, "--out", outputs, *options)
    assert done.returncode == 0, done.stderr[-4000:]
    return load_results(outputs)


def assert_same(results, wanted, *args):
    for name, (result, want) in zip(wanted, zip(results, wanted.values(), strict=True), strict=True):
        wrong = np.flatnonzero(~doubles.same(result, want))
        i = wrong[:1]
        assert wrong.size == 0, (name, wrong.size, *(a.ravel()[i] for a in args), result.ravel()[i], want.ravel()[i])


@pytest.mark.parametrize("table", [doubles.UNARY, doubles.BINARY], ids=["unary", "binary"])
def test_operations_are_exact(table, tmp_path):
    args = doubles.pairs(COUNT, 1)[: 1 if table is doubles.UNARY else 2]
    results = run(lambda *args: [function(*args) for function, _ in table.values()], args, tmp_path)
    assert_same(results, {name: doubles.wanted(f, *args) for name, (_, f) in table.items()}, *args)


def test_from_other_types(tmp_path):
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**64, COUNT, dtype=np.uint64)
    low = bits.astype(np.uint32)
    args = [bits, bits.view(np.int64), bits.view(np.int64) >> rng.integers(0, 64, COUNT), low, low.view(np.int32)]
    args += [low.astype(np.uint16), low.astype(np.uint16).view(np.int16), low.astype(np.uint8), low % 2 == 1]
    args += [
        low.view(np.float32),
        low.astype(np.uint16).view(ml_dtypes.bfloat16),
        low.astype(np.uint16).view(np.float16),
    ]
    results = run(lambda *args: [x.astype(jnp.float64) for x in args], args, tmp_path)
    wanted = {str(x.dtype) + str(i): doubles.wanted(lambda x: x.astype(np.float64), x) for i, x in enumerate(args)}
    assert_same(results, wanted)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_arguments_and_results(shape, tmp_path):
    x, y = (doubles.operands(int(np.prod(shape)), seed).reshape(shape) for seed in (1, 2))
    results = run(lambda x, y: (y, x, x + y), (x, y), tmp_path)
    assert_same(results, {"y": y, "x": x, "sum": doubles.wanted(np.add, x, y)})


def test_movement(tmp_path):
    def function(x, y, i, mask):
        return (
            x.T, x.reshape(39, -1)[::2, 1:], x[:, ::-1], jnp.pad(x, ((1, 2), (0, 3)), constant_values=2.5),
            jnp.concatenate([x, y]), lax.dynamic_slice(x, (i[0], i[1]), (2, 100)), x.at[i[0]].set(y[1]),
            lax.dynamic_update_slice(x, y[:1], (i[0], 0)), x[i], jnp.where(mask, x, y), lax.optimization_barrier((x, y))[1],
            lax.bitcast_convert_type(x, jnp.uint32), lax.bitcast_convert_type(x, jnp.uint16),
            lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.uint8), jnp.float64), x * 0 + np.float64(0.1),
            lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + y, s[2] + i), (0, x, i))[1],
            lax.cond(i[0] > 1, lambda: x, lambda: y),
        )  # fmt: skip

    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((2, 3, 130))
    args = (x, y, np.array([1, 2, 0]), rng.random((3, 130)) < 0.5)
    with jax.enable_x64(True):
        wanted = [np.asarray(w) for w in jax.jit(function)(*args)]
    assert_same(run(function, args, tmp_path), dict(enumerate(wanted)))


def test_sorts_and_extremes(tmp_path):
    x = doubles.operands(60, 3)
    results = run(lambda x: (*lax.sort((x, jnp.arange(60)), num_keys=1), x.reshape(10, 6).max(0)), (x,), tmp_path)
    order = np.argsort(x, kind="stable")
    table = {"sort": x[order], "argsort": order, "max": x.reshape(10, 6).max(0)}
    assert_same(results, {name: np.asarray(w) for name, w in table.items()})


@pytest.mark.parametrize("relation", ["LT", "GE", "EQ", "NE", "GT", "LE"])
def test_total_order(relation, tmp_path):
    edges = np.concatenate([doubles.EDGES, -doubles.EDGES])
    x, y = (np.ascontiguousarray(a.ravel()) for a in np.meshgrid(edges, edges))
    keys = [np.where(v < 0, v ^ np.int64(2**63 - 1), v) for v in (x.view(np.int64), y.view(np.int64))]
    wanted = {
        "LT": np.less,
        "GE": np.greater_equal,
        "EQ": np.equal,
        "NE": np.not_equal,
        "GT": np.greater,
        "LE": np.less_equal,
    }
    text = f"""func.func @main(%x: tensor<{x.size}xf64>, %y: tensor<{x.size}xf64>) -> tensor<{x.size}xi1> {{
      %0 = stablehlo.compare {relation}, %x, %y, TOTALORDER : (tensor<{x.size}xf64>, tensor<{x.size}xf64>) -> tensor<{x.size}xi1>
      return %0 : tensor<{x.size}xi1>
    }}"""
    assert_same(run_text(text, [x, y], tmp_path), {relation: wanted[relation](*keys)}, x, y)


@pytest.mark.parametrize(("exponent", "mantissa"), [(8, 23), (5, 10), (11, 30), (11, 52), (4, 3)])
def test_reduced_precision(exponent, mantissa, tmp_path):
    x = doubles.operands(COUNT, 5)
    (result,) = run(lambda x: [lax.reduce_precision(x, exponent, mantissa)], (x,), tmp_path)
    with np.errstate(all="ignore"):
        fraction, e = np.frexp(x)
        rounded = np.ldexp(np.rint(np.ldexp(fraction, mantissa + 1)), e - mantissa - 1)
        # Halfway cases of subnormal numbers are exact here, and so are all others.
        most = 2 ** (exponent - 1) - 1
        normal = np.abs(x) >= 2.0**-1022
        large = np.abs(rounded) >= 2.0 ** (most + 1) if exponent < 11 else np.isinf(rounded)
        small = np.abs(rounded) < 2.0 ** (1 - most) if exponent < 11 else np.zeros(COUNT, bool)
    wanted = np.where(large, np.copysign(np.inf, x), np.where(small, np.copysign(0.0, x), rounded))
    wanted = np.where(np.isfinite(x), wanted, x)
    keep = normal | (exponent < 11)
    assert doubles.same(result[keep], wanted[keep]).all()


def test_a_chain_is_one_kernel(tmp_path):
    def function(x, y):
        for _ in range(5):
            x = (x + y) * x
        return x

    x, y = doubles.pairs(1000, 6)
    program, report = tmp_path / "program.mlir", tmp_path / "report.json"
    with jax.enable_x64(True):
        program.write_text(jax.jit(function).lower(x, y).as_text())
    done = systole("run", program, "--timing-only", "--report", "json", "--report-file", report)
    assert done.returncode == 0, done.stderr
    kernels = [kernel for kernel in json.loads(report.read_text())["kernels"] if "fusion" in kernel["name"]]
    assert [kernel["calls"] for kernel in kernels] == [1]


def test_remainders_are_exact(tmp_path):
    x, y = doubles.pairs(COUNT, 7)
    assert_same(run(lambda x, y: [lax.rem(x, y)], (x, y), tmp_path), {"rem": doubles.wanted(np.fmod, x, y)}, x, y)


# Functions
# ---------


@pytest.mark.parametrize("name", doubles.FUNCTIONS)
def test_functions_are_within_two_units(name, tmp_path):
    function, reference, draw = doubles.FUNCTIONS[name]
    edges = np.concatenate([doubles.EDGES, -doubles.EDGES])
    x = np.concatenate([draw(3000, np.random.default_rng(1)), edges])
    (result,) = run(lambda x: [function(x)], (x,), tmp_path)
    error = doubles.errors(result, reference, x)
    assert error.max() < 2, (error.max(), x[error.argmax()], result[error.argmax()])


def binary(operation, size):
    return f"""func.func @main(%x: tensor<{size}xf64>, %y: tensor<{size}xf64>) -> tensor<{size}xf64> {{
      %0 = {operation} %x, %y : tensor<{size}xf64>, tensor<{size}xf64> -> tensor<{size}xf64>
      return %0 : tensor<{size}xf64>
    }}"""


@pytest.mark.parametrize("name", ["power", "atan2"])
def test_functions_of_two_numbers(name, tmp_path):
    rng = np.random.default_rng(2)
    edges = np.concatenate([doubles.EDGES, -doubles.EDGES])
    x, y = (a.ravel() for a in np.meshgrid(edges, edges))
    base = np.exp(rng.uniform(-1, 1, 4000)) ** rng.choice([1, 1e-3, 50], 4000)
    exponent = rng.uniform(-740, 709, 4000) / np.log(base)
    if name == "atan2":
        exponent, base = doubles.magnitudes(4000, -600, 600, rng), doubles.magnitudes(4000, -600, 600, rng)
    x, y = np.concatenate([x, base]), np.concatenate([y, exponent])
    text = f"""func.func @main(%x: tensor<{x.size}xf64>, %y: tensor<{x.size}xf64>) -> tensor<{x.size}xf64> {{
      %0 = stablehlo.{name} %x, %y : tensor<{x.size}xf64>
      return %0 : tensor<{x.size}xf64>
    }}"""
    (result,) = run_text(text, [x, y], tmp_path)

    def power(x, y):
        # Infinite bases in f64: that in 64 bits has wrong ones.
        return np.where(np.isfinite(x), np.power(x, y), np.power(x.astype(np.float64), y.astype(np.float64)))

    reference = {"power": power, "atan2": np.arctan2}[name]
    error = doubles.errors(result, reference, x, y)
    assert error.max() < 2, (error.max(), x[error.argmax()], y[error.argmax()], result[error.argmax()])


def test_logistic(tmp_path):
    x = np.concatenate([np.random.default_rng(3).uniform(-750, 750, 3000), doubles.EDGES, -doubles.EDGES])
    text = f"""func.func @main(%x: tensor<{x.size}xf64>) -> tensor<{x.size}xf64> {{
      %0 = stablehlo.logistic %x : tensor<{x.size}xf64>
      return %0 : tensor<{x.size}xf64>
    }}"""
    (result,) = run_text(text, [x], tmp_path)
    error = doubles.errors(result, lambda x: 1 / (1 + np.exp(-x)), x)
    assert error.max() < 2, (error.max(), x[error.argmax()])


def test_loops_on_scalars(tmp_path):
    """Of more operations than the program's entry has instructions: kernels compute them."""
    args = [np.float64(10), np.float64(12)]
    (result,) = run(lax.igammac, args, tmp_path)
    np.testing.assert_allclose(result, special.gammaincc(*args), rtol=16 * EPSILON)


def test_zeta(tmp_path):
    rng = np.random.default_rng(13)
    s, q = 1 + np.exp(rng.uniform(-4, 4, 2000)), np.exp(rng.uniform(-5, 6, 2000))
    (result,) = run_text(binary("chlo.zeta", s.size), [s, q], tmp_path)
    # SciPy's own errors are of that size.
    np.testing.assert_allclose(result, special.zeta(s, q), rtol=12 * EPSILON, atol=1e-300)


def test_zeta_at_poles_and_beyond(tmp_path):
    s = np.array([1, 0.5, -2, 2, 3, 2.5, 2, 3, 2.5, np.nan, 2, 0])
    q = np.array([3, 3, 3, -1, -1, -1.5, 0, -0.0, -2, 1, np.nan, 0])
    (result,) = run_text(binary("chlo.zeta", s.size), [s, q], tmp_path)
    with jax.enable_x64(True):
        wanted = np.asarray(lax.zeta(s, q))
    np.testing.assert_array_equal(result, wanted)


def test_polygamma(tmp_path):
    rng = np.random.default_rng(14)
    n, x = rng.integers(0, 100, 600).astype(float), np.exp(rng.uniform(-2, 5, 600))
    n[:3], x[:3] = [-1, 0.5, np.nan], 1
    (result,) = run_text(binary("chlo.polygamma", n.size), [n, x], tmp_path)
    assert np.isnan(result[:3]).all()
    n, x, result = n[3:], x[3:], result[3:]
    wanted = np.array([float(mpmath.psi(int(order), float(at))) for order, at in zip(n, x, strict=True)])
    # The product of the factors of n! is rounded for each.
    np.testing.assert_allclose(result, wanted, rtol=24 * EPSILON)


def test_functions_in_bodies(tmp_path):
    """Of loops, and of reductions in a tree."""
    x = np.random.default_rng(15).standard_normal((33, 5))

    def function(x):
        return (
            lax.fori_loop(0, 3, lambda i, y: lax.erf(y) - lax.bessel_i1e(y), x),
            lax.reduce(x[:, :3], 0.0, lambda a, b: a + b + 0 * lax.erfc(a), (1,)),
            lax.reduce(jnp.floor(64 * jnp.abs(x)) / 64, 0.0, lambda a, b: lax.rem(a + b, 2.0), (0,)),
        )

    close(run(function, (x,), tmp_path), function, (x,), 60)


def test_long_symmetric_reducers_of_many_elements(tmp_path):
    """Each step of a reduction is the whole reducer: in one kernel, these would not fit into instruction memory."""

    def maximum(a, b):
        larger = lax.max(a, b)
        return lax.select(lax.digamma(larger) == lax.lgamma(larger), jnp.nan, larger)

    def function(x):
        return lax.reduce(x, 0.5, maximum, (0,)), lax.reduce(x[:250].reshape(2, 125), 0.5, maximum, (1,))

    x = np.random.default_rng(23).uniform(0.5, 3, 1000)
    close(run(function, (x,), tmp_path), function, (x,), 0)


RANDOM = {
    "normal": lambda key: jax.random.normal(key, (300,)),
    "truncated_normal": lambda key: jax.random.truncated_normal(key, -1.5, 2.5, (300,)),
    "gamma": lambda key: jax.random.gamma(key, 2.5, (40,)),
    "exponential": lambda key: jax.random.exponential(key, (300,)),
    "laplace": lambda key: jax.random.laplace(key, (300,)),
    "student": lambda key: jax.random.t(key, 3.5, (40,)),
}


@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers(name, tmp_path):
    draw = RANDOM[name]
    close(
        run(lambda seed: [draw(jax.random.key(seed))], (np.int64(7),), tmp_path),
        lambda s: [draw(jax.random.key(s))],
        (np.int64(7),),
        400,
    )


def test_normal_numbers(tmp_path):
    text = """func.func @main(%m: tensor<f64>, %s: tensor<f64>) -> tensor<20000xf64> {
      %n = stablehlo.constant dense<20000> : tensor<1xi64>
      %0 = stablehlo.rng %m, %s, %n, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<20000xf64>
      return %0 : tensor<20000xf64>
    }"""
    (result,) = run_text(text, [np.float64(3), np.float64(0.5)], tmp_path)
    assert result.dtype == np.float64 and np.unique(result).size > 19990
    assert special.kolmogorov(np.sqrt(result.size) * ks_distance((result - 3) / 0.5)) > 1e-3


def ks_distance(x):
    """The largest distance of a sample's distribution from the normal one."""
    below = special.ndtr(np.sort(x))
    steps = np.arange(x.size + 1) / x.size
    return max((below - steps[:-1]).max(), (steps[1:] - below).max())


# Sums and products
# -----------------

EPSILON = 2.0**-53


def close(results, function, args, scale):
    """Whether results are those of a function of the host up to the rounding of sums of that magnitude."""
    with jax.enable_x64(True):
        wanted = [np.asarray(w) for w in jax.jit(function)(*args)]
    for result, want in zip(results, wanted, strict=True):
        assert result.dtype == want.dtype and result.shape == want.shape
        assert np.abs(result - want).max(initial=0) <= scale * EPSILON


SUMS = {
    "all": lambda x, v: (x.sum(), x[:0].sum(0)),
    "columns": lambda x, v: (x.sum(0), x.mean(0)),
    "rows": lambda x, v: x.sum(1),
    "vector": lambda x, v: v.sum(),
    "cumulative": lambda x, v: jnp.cumsum(x, 0),
    "windows": lambda x, v: lax.reduce_window(x, 0.0, lax.add, (3, 4), (2, 1), "SAME"),
    "scattered": lambda x, v: x.at[jnp.array([1, 2, 1])].add(x[:3]),
    "product": lambda x, v: jnp.prod(1 + x * 1e-3, 1),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums(name, tmp_path):
    rng = np.random.default_rng(4)
    args = rng.standard_normal((13, 37)), rng.standard_normal(2100)
    function = SUMS[name]
    close(run(function, args, tmp_path), lambda *args: jax.tree.leaves(function(*args)), args, 2000)


def test_rows_are_normalized(tmp_path):
    # The rows lie transposed for their sums, what they are divided by does not.
    def function(x):
        return ((x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5),)

    args = (np.random.default_rng(6).standard_normal((1024, 1024)),)
    close(run(function, args, tmp_path), function, args, scale=64)


def test_the_order_of_sums_depends_on_shapes_alone(tmp_path):
    rng = np.random.default_rng(5)
    args = rng.standard_normal((70, 33)), rng.standard_normal(2100)
    first, other = (
        run(lambda x, v: (x.sum(0), x.sum(1), v.sum()), args, tmp_path, "--target", target) for target in ("v2", "v3")
    )
    for a, b in zip(first, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_products(tmp_path):
    def function(x, y, a, b):
        return (
            x @ y,
            x[0] @ y,
            x[0] @ x[1],
            a @ b,
            jnp.outer(x[0], y[0]),
            x.astype(jnp.float32) @ y,
            jnp.einsum("ijk,ijl->kl", a, a),
        )

    rng = np.random.default_rng(6)
    args = [rng.standard_normal(s) for s in ((37, 130), (130, 21), (3, 5, 7), (3, 7, 2))]
    close(run(function, args, tmp_path), function, args, 4000)


def test_pooling(tmp_path):
    def pool(x):
        return lax.reduce_window(x, -np.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def function(x):
        return pool(x), jax.grad(lambda x: (pool(x) ** 2).sum())(x)

    args = [np.random.default_rng(9).standard_normal((4, 8, 8, 3))]
    close(run(function, args, tmp_path), function, args, 4)


def test_convolutions(tmp_path):
    def convolve(x, w, strides=(1, 1), padding="SAME", **options):
        return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=("NHWC", "HWIO", "NHWC"), **options)

    def function(x, w, grouped, batches):
        return (
            convolve(x, w),
            convolve(
                x, grouped, (2, 1), [(1, 2), (0, -1)], lhs_dilation=(1, 2), rhs_dilation=(2, 1), feature_group_count=2
            ),
            convolve(x, batches, padding="VALID", batch_group_count=2),
            jax.grad(lambda w: (convolve(x, w) ** 2).sum())(w) / 100,
        )

    rng = np.random.default_rng(7)
    args = [rng.standard_normal(s) for s in ((2, 9, 8, 6), (3, 2, 6, 4), (3, 3, 3, 8), (3, 3, 6, 8))]
    close(run(function, args, tmp_path), function, args, 4000)


@pytest.mark.parametrize("kind", ["normal", "scaled", "wide", "special", "zeros"])
def test_large_products(kind, tmp_path):
    """On the matrix unit, unless slices would lose more than rounding does."""
    rng = np.random.default_rng(8)
    x, y = rng.standard_normal((64, 70)), rng.standard_normal((70, 65))
    if kind == "scaled":
        x, y = x * 2.0 ** rng.integers(-500, 500, (64, 1)), y * 2.0 ** rng.integers(-500, 500, (1, 65))
    elif kind == "wide":
        x = x * 2.0 ** rng.integers(-200, 200, x.shape)
    elif kind == "special":
        x[3, 4], x[5, 6], y[2, 1] = np.inf, -np.inf, np.nan
    elif kind == "zeros":
        x[5], y[:, 7] = 0, 0
    (result,) = run(lambda x, y: [x @ y], (x, y), tmp_path)
    with np.errstate(all="ignore"):
        exact = x.astype(np.longdouble) @ y.astype(np.longdouble)
        bound = 70 * EPSILON * (np.abs(x).astype(np.longdouble) @ np.abs(y).astype(np.longdouble))
        finite = np.isfinite(exact)
        assert (np.abs(result - exact)[finite] <= bound[finite]).all()
    np.testing.assert_array_equal(result[~finite], exact[~finite].astype(float))


def test_scatters_of_rows_whose_indices_are_no_vectors(tmp_path):
    """The index vector is implicit, as JAX never writes it."""
    text = """
    func.func @main(%x: tensor<3x3xf64>, %i: tensor<2xi32>, %u: tensor<2x3xf64>) -> tensor<3x3xf64> {
      %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
          update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
          index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %m = stablehlo.add %a, %b : tensor<f64>
        stablehlo.return %m : tensor<f64>
      }) : (tensor<3x3xf64>, tensor<2xi32>, tensor<2x3xf64>) -> tensor<3x3xf64>
      return %r : tensor<3x3xf64>
    }"""
    rng = np.random.default_rng(0)
    x, u, i = rng.standard_normal((3, 3)), rng.standard_normal((2, 3)), np.array([2, 0], np.int32)
    wanted = x.copy()
    wanted[i] += u
    np.testing.assert_array_equal(run_text(text, [x, i, u], tmp_path)[0], wanted)


def test_products_of_constants_without_elements(tmp_path):
    text = """
    func.func @main() -> (tensor<3x3xf64>, tensor<4x3xf64>) {
      %a = stablehlo.constant dense<> : tensor<0x3xf64>
      %b = stablehlo.constant dense<> : tensor<0x4xf64>
      %0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<0x3xf64>, tensor<0x3xf64>) -> tensor<3x3xf64>
      %1 = stablehlo.dot_general %b, %a, contracting_dims = [0] x [0] : (tensor<0x4xf64>, tensor<0x3xf64>) -> tensor<4x3xf64>
      return %0, %1 : tensor<3x3xf64>, tensor<4x3xf64>
    }"""
    for result in run_text(text, [], tmp_path):
        np.testing.assert_array_equal(result, np.zeros(result.shape))
