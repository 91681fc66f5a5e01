"""Sliding windows: sizes, strides, paddings, dilations, cumulative operations, and the gradients
of the largest elements.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32, exact_value
from check import check, check_all
from systole_cli import MLIR_NAMES, systole_run
from test_elementwise import I8, I32, UI8, UI32, generator, ordinary
from verify import lower, verify, verify_with_jax


@dataclasses.dataclass(frozen=True)
class Case:
    shape: tuple
    window: tuple
    strides: tuple = None
    padding: object = "VALID"
    base: tuple = None
    apart: tuple = None

    def apply(self, x, init, function):
        one = (1,) * len(self.shape)
        return lax.reduce_window(
            x,
            init,
            function,
            self.window,
            self.strides or one,
            self.padding,
            base_dilation=self.base or one,
            window_dilation=self.apart or one,
        )

    def __str__(self):
        values = dataclasses.asdict(self).values()
        return "-".join(str(value).replace(" ", "") for value in values if value is not None)


CASES = [
    Case((2, 8, 8, 3), (1, 2, 2, 1), (1, 2, 2, 1)),
    Case((2, 9, 9, 5), (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
    Case((2, 7, 9, 130), (1, 3, 3, 1), None, "SAME"),
    Case((1, 35, 17, 3), (1, 35, 17, 1)),
    Case((3, 7, 7, 8), (1, 7, 7, 1)),
    Case((100,), (7,), (3,), "SAME"),
    Case((3, 300), (1, 20), (1, 9)),
    Case((3, 5, 6, 4, 2), (1, 2, 3, 2, 1), (1, 2, 2, 1, 1), "SAME"),
    Case((9, 10), (3, 2), (2, 1), ((2, 1), (0, 3)), (2, 1), (1, 3)),
    Case((9, 10), (17, 5), (1, 1), ((16, 3), (9, 9)), (1, 3), (2, 2)),
    Case((4, 5), (1, 1), (2, 3)),
    Case((4, 5), (5, 1)),
    Case((0, 5), (1, 2)),
    Case((), ()),
]
KINDS = [(name, dtype) for dtype in (F32, BF16, I32, I8, UI8, UI32) for name in ("add", "max", "min")]
START = {
    "add": lambda dtype: 0,
    "max": lambda dtype: -np.inf if dtype in (F32, BF16) else np.iinfo(dtype).min,
    "min": lambda dtype: np.inf if dtype in (F32, BF16) else np.iinfo(dtype).max,
}


@pytest.mark.parametrize("name, dtype", KINDS, ids=lambda v: MLIR_NAMES.get(v, v))
def test_windows(name, dtype, tmp_path):
    rng = generator("windows", name, dtype.name)
    args = [ordinary(rng, case.shape, dtype, "any", 0) for case in CASES]
    function, start = getattr(lax, name), np.asarray(START[name](dtype), dtype)
    verify_with_jax(lambda *xs: [case.apply(x, start, function) for case, x in zip(CASES, xs)], args, tmp_path)


@pytest.mark.parametrize("name", ["add", "max", "min"])
def test_special_values(name, tmp_path):
    rng = generator("special windows", name)
    x = rng.standard_normal((2, 9, 9, 5)).astype(F32)
    places = rng.choice(x.size, 60, replace=False)
    x.flat[places] = np.resize([np.nan, np.inf, -np.inf, -0.0], 60)
    case, start = CASES[1], np.asarray(START[name](F32), F32)
    verify_with_jax(lambda x: case.apply(x, start, getattr(lax, name)), [x], tmp_path)


def test_cumulative_operations(tmp_path):
    rng = generator("cumulative")
    functions = [lax.cumsum, lax.cummax, lax.cummin]
    args = [ordinary(rng, (3, 9, 129), dtype, "any", 0) for dtype in (F32, BF16, I32)]
    args += [ordinary(rng, (1000,), F32, "any", 0), ordinary(rng, (1,), F32, "any", 0)]

    def function(*xs):
        return [
            f(x, axis=axis, reverse=reverse)
            for x in xs
            for axis in range(x.ndim)
            for f, reverse in zip(functions, (axis % 2 == 0, True, False))
        ]

    verify_with_jax(function, args, tmp_path)


def test_sums_of_small_integers_are_exact(tmp_path):
    """Every element counts once in each window, and no padding."""
    rng = generator("exact windows")
    args = [rng.integers(-16, 17, case.shape).astype(F32) for case in CASES]
    verify(
        lambda *xs: [case.apply(x, F32.type(0), lax.add) for case, x in zip(CASES, xs)],
        args,
        tmp_path,
    )


@pytest.mark.parametrize("case", CASES[:6], ids=str)
def test_initial_value_counts_once(case, tmp_path):
    x = generator("start", str(case)).integers(-16, 17, case.shape).astype(F32)
    sums = lower(lambda x: case.apply(x, F32.type(5), lax.add), [x]).as_text()
    none = np.asarray(jax.jit(lambda x: case.apply(x, F32.type(0), lax.add))(x))
    (result,) = systole_run(sums, [x], tmp_path)
    check(result, exact_value(none + F32.type(5)))


def test_any_body(tmp_path):
    """The largest element and its number; and a body that is not known to commute."""
    x = generator("variadic").integers(-9, 9, (2, 9, 10, 3)).astype(F32)
    numbers = np.arange(x.size, dtype=np.int32).reshape(x.shape)

    def later(a, b):
        keep = a[0] > b[0]
        return jnp.where(keep, a[0], b[0]), jnp.where(keep, a[1], b[1])

    def function(x, numbers):
        starts = F32.type(-np.inf), np.int32(-1)
        small = lax.reduce_window(
            (x, numbers), starts, later, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (2, 0), (0, 0))
        )
        line = lax.reduce_window((x, numbers), starts, later, (1, 1, 19, 1), (1,) * 4, "SAME")
        alone = lax.reduce_window((x, numbers), starts, later, (1, 9, 10, 1), (1,) * 4, "VALID")
        return small, line, alone[0]

    (text, args) = lower(function, [x, numbers]).as_text(), [x, numbers]
    expected = [np.asarray(v) for v in jax.tree.leaves(jax.jit(function)(*args))]
    check_all(systole_run(text, args, tmp_path), [exact_value(v) for v in expected])


POOLS = [
    Case((2, 8, 8, 3), (1, 2, 2, 1), (1, 2, 2, 1)),
    Case((2, 9, 9, 5), (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
    Case((2, 6, 7, 4), (1, 3, 3, 1), (1, 1, 1, 1), "SAME"),
    Case((1, 9, 8, 3), (1, 2, 2, 1), (1, 3, 4, 1)),
    Case((1, 9, 8, 2), (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (2, 2), (2, 1), (0, 0))),
    Case((50,), (4,), (3,), "SAME"),
    Case((2, 5, 6, 4, 3), (1, 2, 3, 2, 1), (1, 2, 2, 2, 1), "SAME"),
    Case((3, 4), (1, 1)),
    Case((3, 0), (1, 1)),
]


def gradient(case):
    def function(x, weights):
        pooled, pull = jax.vjp(lambda x: case.apply(x, np.asarray(-np.inf, x.dtype), lax.max), x)
        return pull(lax.slice(weights, (0,), (pooled.size,)).reshape(pooled.shape))[0]

    return function


@pytest.mark.parametrize("dtype", [F32, BF16], ids=lambda d: MLIR_NAMES[d])
def test_gradients_of_maxima(dtype, tmp_path):
    """Of small integers, so that many are equal: the first one of a window is selected."""
    rng = generator("pooling", dtype.name)
    weights = (rng.integers(-9, 10, 3000) / 4).astype(dtype)
    args = [rng.integers(-3, 4, case.shape).astype(dtype) for case in POOLS]
    verify_with_jax(
        lambda weights, *xs: [gradient(c)(x, weights) for c, x in zip(POOLS, xs)],
        [weights, *args],
        tmp_path,
    )


def test_gradients_at_special_values(tmp_path):
    rng = generator("special pooling")
    x = rng.integers(-3, 4, (2, 9, 9, 5)).astype(F32)
    places = rng.choice(x.size, 90, replace=False)
    x.flat[places] = np.resize([np.nan, np.inf, -np.inf], 90)
    weights = rng.integers(-9, 10, 3000).astype(F32)
    verify_with_jax(gradient(POOLS[1]), [x, weights], tmp_path)


SELECT_AND_SCATTER = """
func.func @main(%x: tensor<5xi32>, %s: tensor<3xi32>, %start: tensor<i32>) -> tensor<5xi32> {
  %r = "stablehlo.select_and_scatter"(%x, %s, %start) <{
    padding = dense<[[1, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>,
    window_strides = array<i64: 2>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare LE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %two = stablehlo.constant dense<2> : tensor<i32>
    %c = stablehlo.multiply %b, %two : tensor<i32>
    %r = stablehlo.add %a, %c : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<5xi32>, tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
"""


def test_scatter_by_any_body(tmp_path):
    """Windows -1..1, 1..3 and 3..5 select 1, 2 and 3; each element that arrives counts twice, and
    no other does."""
    x = np.array([4, 3, 1, 1, 9], np.int32)
    args = [x, np.array([10, 20, 30], np.int32), np.asarray(7, np.int32)]
    (result,) = systole_run(SELECT_AND_SCATTER, args, tmp_path)
    check(result, exact_value(np.array([7, 27, 47, 67, 7], np.int32)))
