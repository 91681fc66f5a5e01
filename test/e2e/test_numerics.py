"""`systole numerics`: its errors against NumPy's in f64, and what it finds in programs.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import math

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import scipy.special
from jax import lax
from random_programs import Program
from systole_cli import TARGETS, rotated_target, save_args, systole

TYPES = {
    "f32": np.float32,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}


def write(folder, function, *args):
    """The program and its arguments as files."""
    lowered = jax.jit(function, keep_unused=True).trace(*args).lower(lowering_platforms=("tpu",))
    program, arguments = folder / "program.mlir", folder / "args.npz"
    program.write_text(lowered.as_text(debug_info=True))
    save_args(arguments, jax.tree.leaves(args))
    return program, "--args", arguments


def numerics(folder, function, *args, words=()):
    """The report as JSON."""
    found = folder / "found.json"
    done = systole("numerics", *write(folder, function, *args), "--json", found, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(found.read_text())


def values(folder, program, *words):
    """The values of operations by name."""
    done = systole("numerics", *program, "--dump", folder / "values.npz", *words)
    assert done.returncode == 0, done.stderr
    with np.load(folder / "values.npz") as archive:
        return dict(archive.items())


def real(size, seed=0, low=-2.0, high=2.0):
    return np.random.default_rng(seed).uniform(low, high, size)


# Name of the operation, a function that has it, and it in f64.
UNARY = {
    "exponential": (jnp.exp, np.exp),
    "exponential_minus_one": (jnp.expm1, np.expm1),
    "log": (lambda x: jnp.log(abs(x)), lambda x: np.log(x)),
    "log_plus_one": (lambda x: jnp.log1p(abs(x)), lambda x: np.log1p(x)),
    "tanh": (jnp.tanh, np.tanh),
    "asin": (lambda x: jnp.arcsin(x / 2), lambda x: np.arcsin(x)),
    "atan": (jnp.arctan, np.arctan),
    "sinh": (jnp.sinh, np.sinh),
    "cosh": (jnp.cosh, np.cosh),
    "erf": (lax.erf, scipy.special.erf),
    "sine": (jnp.sin, np.sin),
    "cosine": (jnp.cos, np.cos),
    "tan": (jnp.tan, np.tan),
    "sqrt": (lambda x: jnp.sqrt(abs(x)), lambda x: np.sqrt(x)),
    "rsqrt": (lambda x: lax.rsqrt(abs(x)), lambda x: 1 / np.sqrt(x)),
    "cbrt": (jnp.cbrt, np.cbrt),
}
BINARY = {
    "add": (lambda x, y: x + y, np.add),
    "subtract": (lambda x, y: x - y, np.subtract),
    "multiply": (lambda x, y: x * y, np.multiply),
    "divide": (lambda x, y: x / y, np.divide),
    "power": (lambda x, y: jnp.power(abs(x), y), np.power),
    "atan2": (jnp.arctan2, np.arctan2),
    "remainder": (lax.rem, np.fmod),
}


def expected(value, exact, dtype):
    """The figures of the report, computed by NumPy from a value and the exact one."""
    facts = ml_dtypes.finfo(dtype)
    tiny, error = float(facts.smallest_normal), np.abs(value.astype(np.float64) - exact)
    relative = error / np.maximum(np.abs(exact), tiny)
    ulps = error / 2.0 ** (np.floor(np.log2(np.maximum(np.abs(exact), tiny))) - facts.nmant)
    return {
        "max_absolute": error.max(),
        "max_relative": relative.max(),
        "mean_relative": relative.mean(),
        "max_ulps": ulps.max(),
        "mean_ulps": ulps.mean(),
        "norm": math.sqrt((error**2).sum() / (exact**2).sum()),
    }


def check_own(folder, name, function, exact, dtype, *args):
    """Compares the errors of the operation with those by NumPy from the values of its operands."""
    report = numerics(folder, function, *args, words=("--wide", "f64"))
    [found] = [each for each in report["operations"] if each["name"].partition(".")[0] == name]
    program = (folder / "program.mlir", "--args", folder / "args.npz")
    known = values(folder, program, "--values", "all")
    known |= {f"arg{number}": np.asarray(arg) for number, arg in enumerate(args)}
    # NumPy has no names for these types.
    value, *operands = (
        array.view(dtype) if array.dtype.kind == "V" else array
        for array in (known[key] for key in (found["name"], *found["operands"]))
    )
    reference = exact(*(array.astype(np.float64) for array in operands))
    for key, figure in expected(value, reference, value.dtype).items():
        assert found["own"][key] == pytest.approx(figure, rel=2e-6, abs=1e-30), key
    assert found["own"]["elements"] == value.size


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("name", UNARY)
def test_errors_of_functions(tmp_path, name, dtype):
    function, exact = UNARY[name]
    check_own(tmp_path, name, function, exact, TYPES[dtype], real((7, 129)).astype(TYPES[dtype]))


@pytest.mark.parametrize("dtype", ["f32", "f16"])
@pytest.mark.parametrize("name", BINARY)
def test_errors_of_two_operands(tmp_path, name, dtype):
    function, exact = BINARY[name]
    x, y = (real((3, 130), seed, 0.5 if name == "remainder" else -2).astype(TYPES[dtype]) for seed in (1, 2))
    check_own(tmp_path, name, function, exact, TYPES[dtype], x, y)


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_errors_of_a_product(tmp_path, dtype):
    x, w = real((5, 200), 1).astype(TYPES[dtype]), real((200, 33), 2).astype(TYPES[dtype])
    check_own(tmp_path, "dot_general", jnp.matmul, np.matmul, TYPES[dtype], x, w)


@pytest.mark.parametrize("function", [jnp.sum, jnp.cumsum, jnp.prod], ids=["sum", "cumsum", "prod"])
def test_errors_of_sums(tmp_path, function):
    x = real(1000, 3, 0.9, 1.1).astype(np.float32)
    name = {jnp.sum: "reduce", jnp.prod: "reduce", jnp.cumsum: "reduce_window"}[function]

    def exact(x, init):
        return {jnp.sum: np.sum, jnp.prod: np.prod, jnp.cumsum: np.cumsum}[function](x, dtype=np.float64)

    check_own(tmp_path, name, function, exact, np.float32, x)


@pytest.mark.parametrize("to", ["bf16", "f16", "f8E4M3FN", "f8E5M2"])
def test_errors_of_conversions(tmp_path, to):
    x = real((4, 100)).astype(np.float32)
    check_own(tmp_path, "convert", lambda x: x.astype(TYPES[to]), lambda x: x, TYPES[to], x)


def test_inherited_errors(tmp_path):
    """The total error of a value is that against the values of a program in f64."""

    def function(x):
        return jnp.exp(x * x)

    x = real((6, 50)).astype(ml_dtypes.bfloat16)
    report = numerics(tmp_path, function, x, words=("--wide", "f64"))
    product, exponential = report["operations"]
    wide = x.astype(np.float64) ** 2
    narrow = (x.astype(np.float32) ** 2).astype(ml_dtypes.bfloat16)
    assert product["own"]["norm"] == product["total"]["norm"]
    result = values(tmp_path, (tmp_path / "program.mlir", "--args", tmp_path / "args.npz"))[exponential["name"]]
    result = result.view(ml_dtypes.bfloat16)
    for part, exact in (("own", np.exp(narrow.astype(np.float64))), ("total", np.exp(wide))):
        figures = expected(result, exact, ml_dtypes.bfloat16)
        for key, figure in figures.items():
            assert exponential[part][key] == pytest.approx(figure, rel=2e-6), (part, key)


def test_counts(tmp_path):
    """Saturated, flushed and not finite numbers, exponents, and cancelled digits."""

    def function(x, y):
        return (x * 1e4).astype(jnp.float16), x - y

    x = np.array([1e-12, 1.0, 100.0, -3.0], np.float32)
    y = np.array([0.0, 1.0 - 2.0**-20, 99.0, 3.0], np.float32)
    report = numerics(tmp_path, function, x, y)
    by_kind = {each["operation"].removeprefix("stablehlo."): each for each in report["operations"]}
    convert = by_kind["convert"]
    assert (convert["own"]["saturated"], convert["own"]["flushed"], convert["infinities"]) == (1, 1, 1)
    assert convert["exponents"]["counts"] == {"-27": 1, "13": 1, "14": 1, "19": 1}
    report = numerics(tmp_path, function, x, y, words=("--wide", "f64"))
    [subtract] = [each for each in report["operations"] if each["operation"] == "stablehlo.subtract"]
    assert subtract["cancelled_bits"]["max"] == 20


def test_lossy_layer_is_first(tmp_path):
    """A model in bf16 of which one layer passes its values through eight bits."""

    def layer(x, w, is_lossy):
        x = jax.nn.gelu(x @ w)
        return x.astype(jnp.float8_e4m3fn).astype(x.dtype) if is_lossy else x

    def model(x, weights):
        for number, w in enumerate(weights):
            with jax.named_scope(f"layer{number}"):
                x = layer(x, w, number == 3)
        return jnp.mean(x)

    weights = [real((32, 32), seed).astype(ml_dtypes.bfloat16) * ml_dtypes.bfloat16(0.2) for seed in range(6)]
    report = numerics(tmp_path, jax.grad(model, argnums=1), real((16, 32), 9).astype(ml_dtypes.bfloat16), weights)
    lossy = [each for each in report["operations"] if each["own"]]
    first = max(lossy, key=lambda each: each["own"]["norm"])
    assert "layer3" in first["name_stack"] and "f8E4M3FN" in first["type"]
    assert first["advice"] == "a wider type than f8E4M3FN"


def test_remedies(tmp_path):
    """A sum of products in f32 that the MXU makes of bf16: exact with `highest`."""

    def function(x, w):
        return jnp.tanh(x @ w)

    args = real((8, 64), 1).astype(np.float32), real((64, 16), 2).astype(np.float32)
    report = numerics(tmp_path, function, *args, words=("--check", "1"))
    [tried] = report["tried"]
    assert tried["name"].startswith("dot_general") and tried["advice"] == "precision=HIGHEST of the product"
    assert tried["error"] < report["error"] / 100 and tried["cycles"] > report["cycles"]


@pytest.mark.parametrize("seed", range(40))
def test_taps_change_no_bit(tmp_path, seed):
    program = Program(9000 + seed)
    path, arguments, found = tmp_path / "p.mlir", tmp_path / "args.npz", tmp_path / "found.json"
    path.write_text(program.lowered().as_text())
    save_args(arguments, program.args)
    words = ("--args", arguments, "--json", found, "--target", rotated_target())
    done = systole("numerics", path, *words)
    assert done.returncode == 0, done.stderr
    assert json.loads(found.read_text())["results_equal"]


def recurrent(weights, x, y):
    """A step of training of a recurrent network, whose weight gradients are summed behind the loop."""

    def loss(weights):
        def step(h, xt):
            h = jnp.tanh(xt @ weights[0] + h @ weights[1])
            return h, h

        _, states = lax.scan(step, jnp.zeros((4, 16)), x)
        return jnp.mean((states @ weights[2] - y) ** 2)

    value, gradients = jax.value_and_grad(loss)(weights)
    return value, [w - 0.1 * g for w, g in zip(weights, gradients)]


@pytest.mark.parametrize("target", TARGETS[:5])
def test_training_in_loops(tmp_path, target):
    """Values of nested loops, by execution, of a program whose sums are moved behind them."""

    def train(weights, x, y):
        def step(weights, _):
            value, weights = recurrent(weights, x, y)
            return weights, value

        return lax.scan(step, weights, None, length=3)

    shapes = ((8, 16), (16, 16), (16, 4))
    weights = [real(shape, seed, -0.5, 0.5).astype(np.float32) for seed, shape in enumerate(shapes)]
    args = weights, real((5, 4, 8), 8).astype(np.float32), real((5, 4, 4), 9).astype(np.float32)
    report = numerics(tmp_path, train, *args, words=("--target", target))
    assert report["results_equal"] and not report["divergence"]
    executions = {each["executions"] for each in report["operations"]}
    assert executions >= {3, 15}  # of the outer loop, and of the inner ones
    assert all(len(each["steps"]) == each["executions"] for each in report["operations"] if each["executions"] > 1)


def test_other_branches(tmp_path):
    """Where the wide run takes another number of iterations, values are compared up to there."""

    def function(x):
        return lax.while_loop(lambda x: jnp.sum(x) < 100, lambda x: x * jnp.asarray(1.01, x.dtype), x)

    report = numerics(tmp_path, function, jnp.ones(8, jnp.bfloat16))
    assert "other" in report["divergence"] or "different" in report["divergence"]
    assert any(each["total"]["compared"] > 0 for each in report["operations"])


def test_first_difference(tmp_path):
    """Two precisions of products, two machines, and two versions of a program."""
    weights = [
        real(shape, seed, -0.5, 0.5).astype(np.float32) for seed, shape in enumerate(((8, 16), (16, 16), (16, 4)))
    ]
    args = weights, real((5, 4, 8), 8).astype(np.float32), real((5, 4, 4), 9).astype(np.float32)
    report = numerics(tmp_path, recurrent, *args, words=("--against-target", "v5e"))
    assert report["first"] is None and report["compared"] > 50
    report = numerics(tmp_path, recurrent, *args, words=("--against-precision", "highest"))
    first = report["first"]
    assert first["operation"] == "stablehlo.dot_general" and first["execution"] == 0
    product = args[1][0].astype(np.float64) @ weights[0].astype(np.float64)
    assert first["other"] == pytest.approx(product[tuple(first["element"])], rel=1e-6)

    def other(weights, x, y):
        return recurrent([weights[0], weights[1] * 1.001, weights[2]], x, y)

    (tmp_path / "other").mkdir()
    path = write(tmp_path / "other", other, *args)[0]
    report = numerics(tmp_path, recurrent, *args, words=("--against", path))
    assert report["structure"].startswith("multiply")


OVERFLOWS = {
    "f16": lambda x: (x * x).astype(jnp.float32),
    "f8E4M3FN": lambda x: x.astype(jnp.float8_e4m3fn).astype(jnp.float32),
    "f8E5M2": lambda x: (x * 62).astype(jnp.float8_e5m2).astype(jnp.float32),
}


@pytest.mark.parametrize("dtype", OVERFLOWS)
def test_overflows_are_the_largest_errors(tmp_path, dtype):
    """Numbers that become infinities, or NaN in a type that has no infinities."""
    x = np.full(4, 1024, np.float16)
    report = numerics(tmp_path, lambda x: OVERFLOWS[dtype](x).sum(), x)
    lossy = [each for each in report["operations"] if each["own"] and each["own"]["norm"] is None]
    assert [each["dtype"] for each in lossy] == [dtype]
    assert lossy[0]["advice"].startswith("values exceed the range") or dtype == "f8E4M3FN"
    assert report["error"] == 1 and report["results"][0]["norm"] is None


def test_roundings_of_the_program(tmp_path):
    report = numerics(tmp_path, lambda x: lax.reduce_precision(x, 8, 7) * 1.0, real((4, 100)).astype(np.float32))
    rounding = report["operations"][0]
    assert rounding["operation"] == "stablehlo.reduce_precision" and 1e-4 < rounding["own"]["norm"] < 1e-2


def counted(limit):
    """In bf16 numbers stop growing at 256; in f32 they reach the limit."""
    return lambda x: lax.while_loop(
        lambda c: (c[1] != c[0]) & (c[0] < limit), lambda c: (c[0] + 1, c[0]), (x, jnp.zeros_like(x))
    )


@pytest.mark.parametrize("limit", [270, 1000, 3000])
def test_more_iterations_in_wide_types(tmp_path, limit):
    one = jnp.ones((), jnp.bfloat16)
    reports = [numerics(tmp_path, counted(limit), one) for _ in range(2)]
    assert "number" in reports[0]["divergence"]
    # Values up to there, and the results, which do not depend on which run is faster.
    assert reports[0] == reports[1]
    assert reports[0]["results"][0]["max_absolute"] == pytest.approx(limit - 256, rel=0.01)


def test_no_end_in_wide_types(tmp_path):
    """The loop's integer grows for ever where the sum is exact."""

    def function(x):
        y = x + 1
        return lax.while_loop(lambda c: c[0] != 256, lambda c: (c[0], c[1] + 1), (y, jnp.int32(0)))

    report = numerics(tmp_path, function, jnp.asarray(256, jnp.bfloat16))
    assert report["divergence"] == "the run in wide types does not end" and report["results"] == []


def test_nothing_to_blame(tmp_path):
    """NaN of constants, of unused branches, and of what nobody reads."""

    def function(x):
        unused = jnp.log(x - 5)
        return jnp.log(x.var(0) - 1), unused.shape[0] * x

    x = np.array([[1, 2], [3, 2]], ml_dtypes.bfloat16)
    report = numerics(tmp_path, function, x, words=("--first-nan",))
    assert (
        report["first"]["operation"] == "stablehlo.log" and report["first"]["operands"][0]["type"] == "tensor<2xbf16>"
    )
    done = systole("numerics", *write(tmp_path, lambda x: jnp.full(4, jnp.nan), x), "--first-nan")
    assert "result out0 has 4" in done.stdout


def test_nan_that_is_computed_from_constants(tmp_path):
    negative = np.array([-1, 1], np.float32)
    report = numerics(tmp_path, lambda x: jnp.log(negative) + x, np.ones(2, np.float32), words=("--first-nan",))
    assert report["first"]["operation"] == "stablehlo.log"
    assert report["first"]["reason"] == "the logarithm of a negative number"


# Library functions compute NaN that they drop, and the other operand is the origin.
DROPPED = {
    "logaddexp": lambda x: jnp.logaddexp(x, x),
    "xlogy": lambda x: jax.scipy.special.xlogy(0 * jnp.isinf(x), 0 * jnp.isinf(x)),
    "where": lambda x: jnp.where(x < 0, 0.0, jnp.sqrt(x)),
    "predicate": lambda x: jnp.where(jnp.isnan(jnp.sqrt(x)), 0.0, x),
    "slice": lambda x: jnp.sqrt(jnp.concatenate([x, 0 * jnp.isinf(x)]))[4:],
}


@pytest.mark.parametrize("name", DROPPED)
def test_nan_that_is_dropped(tmp_path, name):
    infinite = np.full(4, -np.inf, np.float32)
    report = numerics(tmp_path, DROPPED[name], infinite, words=("--first-nan",))
    assert (report["first"] is None or report["dropped"]) and not report["results"]
    report = numerics(
        tmp_path,
        lambda x, y: DROPPED[name](x) + jnp.sqrt(y),
        infinite,
        np.full(4, -2, np.float32),
        words=("--first-nan",),
    )
    assert report["first"]["operation"] == "stablehlo.sqrt" and not report["dropped"]
    assert report["first"]["operands"][0]["text"].count("-2") == 4


def test_nan_within_loops_and_branches(tmp_path):
    """The origin is in a loop whose result moves through branches and transpositions."""

    def function(x):
        def body(carry, i):
            masked = jnp.where(carry > 0, jnp.log(carry), 0.0)  # drops NaN of the first steps
            carry = lax.cond(i == 3, lambda c: (c - c).T.T / (c - c), lambda c: c - masked, carry)
            return carry, masked

        last, _ = lax.scan(body, x, jnp.arange(6))
        return last.T.reshape(-1)

    x = np.array([[-1, 2], [3, 1]], np.float32)
    report = numerics(tmp_path, function, x, words=("--first-nan",))
    assert report["first"]["operation"] == "stablehlo.divide" and report["first"]["execution"] == 0
    assert len(report["first"]["elements"]) == 4


def test_nan_of_a_product_shows_ranges(tmp_path):
    """The operands' elements at the result's index say nothing of a product."""
    x, y = np.full((2, 2), 1e38, np.float32), np.array([[1, -1], [2, 0]], np.float32)
    write(tmp_path, lambda x, y: (x * 10) @ y, x, y)
    done = systole("numerics", *write(tmp_path, lambda x, y: (x * 10) @ y, x, y), "--first-nan")
    assert "operand y: tensor<2x2xf32> from -1 to 2, 0 NaN" in done.stdout, done.stdout


def test_nan_of_a_second_result(tmp_path):
    def function(x, y):
        return lax.reduce((x, y), (np.float32(0), np.float32(0)), lambda a, b: (a[0] + b[0], a[1] * b[1]), (0,))

    args = np.ones(4, np.float32), np.array([1, np.inf, 0, 1], np.float32)
    report = numerics(tmp_path, function, *args, words=("--first-nan",))
    assert report["first"]["operation"] == "stablehlo.reduce"


QUANTIZED = """
func.func @main(%a: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %q = stablehlo.uniform_quantize %a : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.1>>
  %s = stablehlo.sine %a : tensor<4xf32>
  %r = "stablehlo.if"(%p) ({
    %t = stablehlo.uniform_quantize %s : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.1>>
    stablehlo.return %t : tensor<4x!quant.uniform<i8:f32, 0.1>>
  }, {
    stablehlo.return %q : tensor<4x!quant.uniform<i8:f32, 0.1>>
  }) : (tensor<i1>) -> tensor<4x!quant.uniform<i8:f32, 0.1>>
  %f = stablehlo.uniform_dequantize %r : (tensor<4x!quant.uniform<i8:f32, 0.1>>) -> tensor<4xf32>
  return %f : tensor<4xf32>
}
"""


def test_branches_of_quantized_types(tmp_path):
    (tmp_path / "p.mlir").write_text(QUANTIZED)
    save_args(tmp_path / "args.npz", [np.ones(4, np.float32), np.bool_(True)])
    done = systole("numerics", tmp_path / "p.mlir", "--args", tmp_path / "args.npz", "--wide", "f64")
    assert done.returncode == 0, done.stderr


def test_ragged_products(tmp_path):
    x, w = real((16, 8)).astype(ml_dtypes.bfloat16), real((3, 8, 4), 1).astype(ml_dtypes.bfloat16)
    report = numerics(tmp_path, lambda x, w: lax.ragged_dot(x, w, jnp.array([5, 5, 6])), x, w)
    [product] = [each for each in report["operations"] if each["own"]]
    assert product["operation"] == "chlo.ragged_dot" and 1e-4 < product["own"]["norm"] < 1e-2


def test_versions_of_other_lengths(tmp_path):
    x = np.ones(3, np.float32)
    (tmp_path / "longer").mkdir()
    longer = write(tmp_path / "longer", lambda x: jnp.exp(x) * x, x)[0]
    report = numerics(tmp_path, jnp.exp, x, words=("--against", longer))
    assert report["first"]["operation"] == "stablehlo.multiply" and report["of_other"]
    report = numerics(tmp_path / "longer", lambda x: jnp.exp(x) * x, x, words=("--against", tmp_path / "program.mlir"))
    assert report["structure"] == "its end" and not report["of_other"]


DYNAMIC = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = stablehlo.tanh %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


def test_open_shapes(tmp_path):
    (tmp_path / "p.mlir").write_text(DYNAMIC)
    save_args(tmp_path / "args.npz", [np.ones(7, np.float32)])
    words = tmp_path / "p.mlir", "--args", tmp_path / "args.npz"
    for how in ([], ["--against-target", "v5e"], ["--first-nan"]):
        done = systole("numerics", *words, *how)
        assert done.returncode == 0, done.stderr
    done = systole("debug", *words, "--batch", "-e", "goto 1000000", "-e", "print out0[:2]", "-e", "print tanh.0[6]")
    assert done.returncode == 0 and done.stdout.count("0.76159") == 3, done.stderr + done.stdout


ERRORS = {
    "--wide f16": "--wide is 'f16'; it can be f32 or f64",
    "--report xml": "--report is 'xml'; it can be text or json",
    "--dump out.npz --values add.999": "the program has no operation 'add.999'",
    "--json missing/found.json": "missing/found.json",
    "--bound nan --against-target v5e": "--bound is no finite number",
    "--values all": "--values says what --dump writes, which is not given",
    "--target v9": "v9",
}


@pytest.mark.parametrize("words", ERRORS)
def test_errors(tmp_path, words):
    done = systole("numerics", *write(tmp_path, jnp.exp, np.ones(3, np.float32)), *words.split(), cwd=tmp_path)
    assert done.returncode == 1 and ERRORS[words] in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1


def test_programs_have_no_values(tmp_path):
    program, *words = write(tmp_path, jnp.exp, np.ones(3, np.float32))
    assert systole("compile", program, "-o", tmp_path / "p.sysx").returncode == 0
    done = systole("numerics", tmp_path / "p.sysx", *words)
    assert done.returncode == 1 and "this takes its source" in done.stderr
