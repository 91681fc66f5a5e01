"""Convolutions and their gradients: sizes, strides, padding, dilations, groups, channels, batches,
orders of dimensions, element types.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32
from systole_cli import systole_run
from test_dot import eighths, normal
from test_elementwise import I8, I32, generator
from verify import lower, verify, verify_with_jax


@dataclasses.dataclass(frozen=True)
class Case:
    """An image of `batch` and `size` with `channels`; `window` of `outputs` features."""

    batch: int
    size: tuple
    channels: int
    window: tuple
    outputs: int
    stride: tuple = None
    padding: object = "SAME"
    lhs: tuple = None
    rhs: tuple = None
    groups: int = 1

    def __str__(self):
        parts = [f"b{self.batch}", "x".join(map(str, self.size)), f"c{self.channels}"]
        parts += ["x".join(map(str, self.window)), f"o{self.outputs}"]
        for name in ("stride", "padding", "lhs", "rhs"):
            if getattr(self, name) not in (None, "SAME"):
                parts.append(f"{name}{getattr(self, name)}".replace(" ", ""))
        return "-".join(parts + ([f"g{self.groups}"] if self.groups > 1 else []))

    def letters(self):
        space = "HWDT"[: len(self.size)]
        return f"N{space}C", f"{space}IO", f"N{space}C"

    def apply(self, x, w, letters=None, result=None):
        rank = len(self.size)
        return lax.conv_general_dilated(
            x,
            w,
            self.stride or (1,) * rank,
            self.padding,
            lhs_dilation=self.lhs,
            rhs_dilation=self.rhs,
            dimension_numbers=letters or self.letters(),
            feature_group_count=self.groups,
            preferred_element_type=result,
        )

    def operands(self, make, dtype):
        rng = generator("convolution", str(self), dtype.name)
        x = make(rng, (self.batch, *self.size, self.channels), dtype)
        w = make(rng, (*self.window, self.channels // self.groups, self.outputs), dtype)
        return x, w


CASES = [
    # Sizes.
    Case(1, (1, 1), 1, (1, 1), 1),
    Case(2, (5, 5), 3, (3, 3), 4),
    Case(1, (7, 9), 8, (3, 3), 8),
    Case(2, (8, 8), 64, (3, 3), 64),
    Case(2, (14, 14), 130, (3, 3), 64),
    Case(1, (6, 6), 64, (3, 3), 130),
    Case(130, (3, 3), 8, (2, 2), 3),
    Case(2, (28, 28), 1, (5, 5), 6),
    Case(1, (17, 33), 3, (7, 7), 16),
    Case(3, (4, 130), 5, (1, 3), 7),
    Case(1, (130, 4), 5, (3, 1), 7),
    Case(2, (9, 9), 16, (1, 1), 200),
    Case(8, (7, 7), 130, (3, 3), 130),
    Case(2, (16,), 3, (5,), 7),
    Case(1, (1000,), 2, (9,), 3),
    Case(2, (4, 5, 6), 3, (2, 3, 2), 4),
    # Padding.
    Case(2, (9, 9), 3, (3, 3), 4, padding="VALID"),
    Case(2, (9, 9), 3, (3, 3), 4, padding=((2, 0), (0, 3))),
    Case(2, (9, 9), 3, (3, 3), 4, padding=((-1, 2), (3, -2))),
    Case(1, (3, 3), 4, (5, 5), 2, padding=((4, 4), (4, 4))),
    Case(1, (2, 2), 4, (3, 3), 2, padding="VALID"),
    # Strides.
    Case(2, (9, 9), 3, (3, 3), 4, stride=(2, 2)),
    Case(2, (8, 8), 64, (3, 3), 8, stride=(2, 2)),
    Case(2, (10, 11), 3, (2, 3), 4, stride=(3, 2), padding="VALID"),
    Case(1, (32, 32), 3, (7, 7), 16, stride=(2, 2), padding=((3, 3), (3, 3))),
    Case(2, (8, 8), 16, (1, 1), 32, stride=(2, 2)),
    Case(2, (9, 9), 3, (2, 2), 4, stride=(3, 4)),
    # Dilations.
    Case(2, (9, 9), 3, (3, 3), 4, rhs=(2, 2)),
    Case(1, (12, 13), 3, (2, 3), 4, rhs=(3, 2), padding="VALID"),
    Case(2, (5, 6), 3, (3, 3), 4, lhs=(2, 2), padding=((1, 1), (1, 1))),
    Case(1, (5, 6), 3, (3, 2), 4, lhs=(3, 1), padding=((2, -1), (0, 1))),
    Case(1, (7, 7), 3, (3, 3), 4, stride=(2, 1), lhs=(2, 3), rhs=(2, 1), padding=((1, 2), (2, 1))),
    # Groups.
    Case(2, (6, 6), 8, (3, 3), 8, groups=2),
    Case(2, (6, 6), 12, (3, 3), 6, groups=3),
    Case(1, (6, 6), 8, (3, 3), 8, groups=8),
    Case(2, (7, 7), 5, (3, 3), 15, groups=5),
    Case(2, (6, 7), 8, (2, 3), 16, groups=4, stride=(2, 1), rhs=(1, 2)),
    Case(1, (5, 5), 130, (3, 3), 130, groups=130),
    # Depthwise: several rows of lanes, windows of several stages, phases of strides.
    Case(8, (7, 6), 260, (3, 3), 260, stride=(2, 2), groups=260),
    Case(2, (9, 16), 16, (5, 5), 16, groups=16),
    Case(2, (10, 9), 8, (3, 2), 8, stride=(3, 2), rhs=(2, 1), groups=8),
    Case(2, (9,), 12, (4,), 12, stride=(2,), padding="VALID", groups=12),
    Case(2, (4, 5, 6), 8, (2, 3, 2), 8, stride=(1, 2, 1), groups=8),
    # Several outputs of a group with one feature, and several features of one with one output.
    Case(2, (6, 7), 40, (3, 3), 120, groups=40),
    Case(2, (6, 7), 120, (3, 3), 40, stride=(2, 1), groups=40),
    # Groups of several features, merged into one or more products.
    Case(2, (7, 7), 128, (3, 3), 128, groups=32),
    Case(2, (8, 7), 256, (3, 3), 512, stride=(2, 2), groups=32),
    Case(1, (6, 6), 150, (3, 3), 100, groups=50),
    # Images that lie with their features across: windows become features.
    Case(2, (40, 42), 3, (7, 7), 16, stride=(2, 2)),
    Case(16, (9, 10), 1, (3, 3), 8, stride=(1, 2), rhs=(2, 1)),
    Case(130, (6, 6), 2, (5, 3), 8, padding="VALID"),
    Case(3, (70, 4), 4, (4, 2), 5, stride=(4, 2), padding=((1, 2), (0, 1))),
    Case(2, (200,), 2, (5,), 7, stride=(2,)),
    # Whole rows of windows side by side along the lanes, in blocks and with rows that are left.
    Case(3, (12, 11), 9, (5, 5), 30),
    Case(2, (13, 14), 20, (3, 3), 70, stride=(2, 2)),
    Case(2, (9, 12), 12, (3, 5), 40, rhs=(2, 1)),
    Case(1, (6, 7, 8), 6, (3, 2, 3), 10, stride=(2, 1, 1)),
    # A window of one element with many features.
    Case(1, (3, 2), 4200, (1, 1), 5, stride=(2, 1)),
]


def gradients(case):
    """A function of the image, the filter and the output gradient, with all three results."""

    def function(x, w, g):
        result, gradients = jax.vjp(case.apply, x, w)
        return result, *gradients(g)

    return function


@pytest.mark.parametrize("case", CASES, ids=str)
def test_gradients(case, tmp_path):
    """The convolution and both of its gradients, in one program."""
    x, w = case.operands(normal, F32)
    shape = jax.eval_shape(case.apply, x, w).shape
    g = normal(generator("convolution", str(case), "gradient"), shape, F32)
    verify_with_jax(gradients(case), (x, w, g), tmp_path)


SOME = [CASES[i] for i in (1, 3, 4, 8, 13, 18, 24, 28, 31, 33, 36)]


@pytest.mark.parametrize("precision", ["default", "high"])
@pytest.mark.parametrize("case", SOME, ids=str)
def test_precisions(case, precision, tmp_path):
    verify(case.apply, case.operands(normal, F32), tmp_path, precision=precision)


@pytest.mark.parametrize("case", SOME, ids=str)
def test_bf16(case, tmp_path):
    """Sums are kept in f32, and rounded once."""
    x, w = case.operands(eighths, BF16)

    def function(x, w):
        return case.apply(x, w), case.apply(x, w, result=np.float32)

    verify(function, (x, w), tmp_path)


def test_bf16_groups_as_rows(tmp_path):
    """The batch last and groups that begin in the middle of a word: sums of each part are
    rounded where they belong."""
    rng = generator("convolution", "rows")
    x, w = eighths(rng, (8, 5), BF16), eighths(rng, (2, 516), BF16)

    def function(x, w):
        return lax.conv_general_dilated(x, w, (), "VALID", dimension_numbers=("CN", "IO", "CN"), feature_group_count=4)

    verify(function, (x, w), tmp_path)


@pytest.mark.parametrize("case", SOME, ids=str)
def test_integers(case, tmp_path):
    def numbers(rng, shape, dtype):
        return rng.integers(-128, 128, shape).astype(dtype)

    wide = case.operands(numbers, I32)
    narrow = case.operands(numbers, I8)

    def function(x, w, y, v):
        return case.apply(x, w), case.apply(y, v, result=np.int32)

    verify(function, (*wide, *narrow), tmp_path)


@pytest.mark.parametrize("case", SOME, ids=str)
def test_predicates(case, tmp_path):
    """Whether some element of the window is true in both: whether the sum of integers is not
    zero."""
    x, w = case.operands(lambda rng, shape, dtype: rng.random(shape) < 0.2, np.dtype(bool))
    (result,) = systole_run(lower(case.apply, (x, w)).as_text(), (x, w), tmp_path)
    count = jax.jit(case.apply)(x.astype(np.int32), w.astype(np.int32))
    np.testing.assert_array_equal(result, np.asarray(count) != 0)


# Image, kernel, result.
ORDERS = [
    ("NCHW", "OIHW", "NCHW"),
    ("HWNC", "HWOI", "HWNC"),
    ("CHWN", "IHWO", "HWNC"),
    ("CWNH", "OWIH", "NHCW"),
    ("NHWC", "OHWI", "CNWH"),
]


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_orders(order, tmp_path):
    cases = [CASES[i] for i in (3, 8, 21, 31, 34)]
    operands = []
    for case in cases:
        for array, letters, wanted in zip(case.operands(normal, F32), case.letters(), order):
            operands.append(np.ascontiguousarray(array.transpose(*map(letters.index, wanted))))

    def function(*operands):
        return [case.apply(x, w, letters=order) for case, x, w in zip(cases, operands[::2], operands[1::2])]

    verify(function, operands, tmp_path)


def test_more_results_than_a_filter_has(tmp_path):
    """The image's batch and features may be exchanged, if the resulting filter is small."""
    case = Case(32, (20, 10), 16, (4, 2), 32, padding=((0, 3), (1, -1)), lhs=(2, 1))
    x, w = case.operands(eighths, F32)
    order = ("NCHW", "HWIO", "NHWC")
    verify(lambda x, w: case.apply(x, w, letters=order), (x.transpose(0, 3, 1, 2), w), tmp_path)


def test_special_values(tmp_path):
    """Non-finite values propagate to the results whose windows contain them, and to no others."""
    cases = [CASES[i] for i in (2, 21, 27, 34, 40)]
    operands = []
    for case in cases:
        x, w = case.operands(eighths, F32)
        x[0, 2, 1, 0], x[0, 4, 4, 2], x[-1, 3, 0, 1] = np.nan, np.inf, -np.inf
        operands += [x, w]

    def function(*operands):
        return [case.apply(x, w) for case, x, w in zip(cases, operands[::2], operands[1::2])]

    verify(function, operands, tmp_path)


# Images or results that lie with their features across, or have few: elements of the window become features.
ACROSS = [
    Case(8, (30, 33), 3, (7, 7), 16, stride=(2, 2), padding=((3, 3), (3, 3))),
    Case(1, (64, 65), 1, (3, 3), 8),
    Case(130, (7, 6), 2, (3, 2), 5, padding=((1, 0), (2, 1))),
    Case(4, (32, 48), 3, (4, 4), 40, stride=(4, 4), padding="VALID"),
    Case(2, (40, 50), 5, (4, 3), 9, stride=(2, 1), rhs=(1, 3)),
    Case(2, (41, 37), 3, (3, 5), 130, stride=(1, 3), rhs=(2, 1)),
    Case(5, (33, 70), 4, (5, 3), 6, stride=(3, 2), padding=((-1, 2), (4, -3))),
    Case(130, (9,), 3, (3,), 4, stride=(2,)),
    Case(200, (9, 8), 1, (5, 3), 20, stride=(2, 1), rhs=(1, 2)),
    Case(130, (7, 6), 4, (3, 3), 70, stride=(2, 2), padding=((2, -1), (0, 3))),
    Case(128, (3, 6, 5), 1, (2, 3, 2), 9),
    Case(64, (24, 26), 8, (3, 3), 16),
    Case(2, (3, 20, 18), 2, (2, 3, 3), 7, stride=(1, 2, 1)),
    Case(4, (32, 48), 3, (8, 8), 40, stride=(8, 8), padding="VALID"),
    Case(3, (36, 40), 3, (2, 2), 20, stride=(3, 3)),
    Case(2, (33, 50), 70, (3, 5), 2),
    Case(130, (6, 7), 66, (3, 2), 3, padding=((-1, 2), (0, 3)), rhs=(2, 1)),
    Case(2, (17, 18), 136, (3, 3), 24),
    Case(2, (17, 20), 24, (3, 3), 136, stride=(2, 2)),
    Case(1, (12, 13), 16, (5, 3), 140, stride=(3, 1), rhs=(1, 2)),
    Case(3, (30, 31), 4, (3, 3), 6, groups=2),
]


# Pairs of positions whose features fill the lanes together: windows see more positions than they have elements.
PAIRS = [
    Case(2, (14, 16), 64, (3, 3), 64),
    Case(3, (10, 24), 64, (2, 5), 64, padding=((0, 0), (2, 2))),
    Case(2, (13, 18), 64, (7, 7), 64, stride=(2, 1), padding=((3, 3), (3, 3))),
    Case(2, (11, 16), 64, (3, 4), 64, padding=((0, 1), (2, 1)), rhs=(2, 1)),
    Case(64, (34,), 64, (3,), 64),
    Case(1, (400,), 64, (41,), 64),
    Case(2, (5, 6, 16), 64, (3, 1, 3), 64),
]


@pytest.mark.parametrize("case", ACROSS + PAIRS, ids=str)
@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
def test_across(case, dtype, tmp_path):
    x, w = case.operands(eighths, dtype)
    shape = jax.eval_shape(case.apply, x, w).shape
    g = eighths(generator("convolution", str(case), "gradient"), shape, dtype)
    verify(gradients(case), (x, w, g), tmp_path)


@pytest.mark.parametrize("case", ACROSS[:-1] + PAIRS, ids=str)
@pytest.mark.parametrize("place", ["image", "filter", "gradient"])
def test_special_values_across(case, place, tmp_path):
    """Each result is NaN, infinite or finite where it is so for JAX: weights of zero, or images of
    adjacent positions, would propagate non-finite values."""
    x, w = case.operands(eighths, F32)
    shape = jax.eval_shape(case.apply, x, w).shape
    g = eighths(generator("convolution", str(case), "gradient"), shape, F32)
    array = {"image": x, "filter": w, "gradient": g}[place]
    for number, value in enumerate((np.nan, np.inf, -np.inf)):
        array[tuple((number * 7 + 3 * d) % size for d, size in enumerate(array.shape))] = value
    function = gradients(case)
    golden = jax.jit(function)(x, w, g)
    results = systole_run(lower(function, (x, w, g)).as_text(), (x, w, g), tmp_path)
    for number, (result, expected) in enumerate(zip(results, golden, strict=True)):
        # XLA multiplies the zeros within a dilated image by the filter or not, as it goes.
        if place == "filter" and number == 1 and case.stride:
            continue
        for kind in (np.isnan, np.isposinf, np.isneginf):
            np.testing.assert_array_equal(kind(result), kind(np.asarray(expected)))


def test_special_values_of_merged_groups(tmp_path):
    """There they reach all features of the positions that see them, and no other positions."""
    case = CASES[33]
    x, w = case.operands(eighths, F32)
    x[0, 2, 1, 0], x[0, 4, 4, 2], x[-1, 3, 0, 1] = np.nan, np.inf, -np.inf

    def function(x, w):
        special = 1 - jnp.isfinite(x).all(3, keepdims=True).astype(F32)
        seen = dataclasses.replace(case, groups=1).apply(special, jnp.ones((3, 3, 1, 1), F32))
        return jnp.where(seen > 0.5, 0, case.apply(x, w))

    verify(function, (x, w), tmp_path)


# Larger than VMEM: cut along the batch, features, or positions, of which windows overlap.
LARGE = [
    Case(24, (30, 31), 7, (3, 3), 5),
    Case(1, (150, 150), 4, (3, 3), 5),
    Case(1, (151, 150), 4, (5, 2), 5, stride=(2, 1), rhs=(2, 1)),
    Case(1, (150, 130), 4, (3, 3), 5, stride=(3, 2), padding=((4, 0), (1, 1))),
    Case(1, (9, 9), 300, (3, 3), 1000),
    Case(2, (99, 99), 8, (5, 5), 8, stride=(3, 3)),
    # Cut along two dimensions: a block along one alone sees too much of the others.
    Case(1, (24, 23, 22), 3, (3, 3, 3), 5, rhs=(8, 8, 7)),
    Case(1, (30, 31, 29), 4, (3, 2, 3), 3, stride=(2, 3, 1), rhs=(7, 13, 6)),
    Case(2, (20, 12, 22), 4, (3, 3, 2), 5, lhs=(1, 2, 1), rhs=(8, 7, 9), padding=((9, 8),) * 3),
    Case(1, (25, 24, 26), 3, (3, 3, 3), 3, rhs=(5, 5, 5), groups=3),
    Case(1, (9, 9, 9, 9), 3, (3, 2, 3, 3), 4, rhs=(3, 3, 3, 3)),
]


@pytest.mark.parametrize("case", LARGE, ids=str)
@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
def test_large(case, dtype, tmp_path):
    verify(case.apply, case.operands(eighths, dtype), tmp_path)


@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
def test_large_gradient(dtype, tmp_path):
    """The weight gradient is summed over chunks of the batch."""
    case = Case(24, (30, 31), 7, (3, 3), 5)
    x, w = case.operands(eighths, dtype)
    g = eighths(generator("convolution", "large gradient"), (24, 30, 31, 5), dtype)

    def function(x, w, g):
        return jax.vjp(case.apply, x, w)[1](g)

    verify(function, (x, w, g), tmp_path)


GRADIENTS = [
    Case(1, (150, 151), 4, (3, 3), 5),
    Case(3, (150, 140), 4, (5, 3), 5, stride=(2, 2), padding=((1, 2), (0, 3))),
    Case(2, (140, 150), 4, (3, 3), 5, rhs=(2, 1)),
    Case(1, (24, 23, 22), 3, (3, 3, 3), 5, rhs=(8, 8, 7)),
    Case(1, (30, 31, 29), 4, (3, 2, 3), 3, stride=(2, 3, 1), rhs=(7, 13, 6)),
    Case(1, (25, 24, 26), 3, (3, 3, 3), 3, rhs=(5, 5, 5), groups=3),
    Case(1, (9, 9, 9, 9), 3, (3, 2, 3, 3), 4, rhs=(3, 3, 3, 3)),
    Case(2, (150, 140), 4, (3, 3), 4, groups=4),
    Case(2, (8000,), 4, (7,), 5, stride=(2,)),
    Case(2, (63, 63), 4, (5, 5), 5),
    # Features by themselves, in chunks of positions that are no multiple of eight.
    Case(1, (4100,), 128, (3,), 128, groups=128),
    Case(1, (513, 9), 128, (3, 3), 128, groups=128),
    # Rows that nothing divides.
    Case(1, (83, 90), 32, (3, 3), 9),
    Case(2, (165, 70), 24, (5, 3), 8, stride=(2, 1)),
    Case(1, (97, 90), 32, (3, 2), 8, rhs=(3, 1), padding=((7, 1), (0, 1))),
    # A filter whose rows do not fill their rows of bf16.
    Case(16, (32, 32), 15, (1, 1), 32),
]


@pytest.mark.parametrize("case", GRADIENTS, ids=str)
@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
def test_gradients_of_large_images(case, dtype, tmp_path):
    """And chunks of the positions of an image."""
    x, w = case.operands(eighths, dtype)
    shape = jax.eval_shape(case.apply, x, w).shape
    g = eighths(generator("convolution", str(case), "gradient"), shape, dtype)
    verify(lambda x, w, g: jax.vjp(case.apply, x, w)[1](g), (x, w, g), tmp_path)


# Gradients with few features, whose taps share weights: with strides, dilations, and a batch that nothing divides.
SHARED = [
    Case(4, (24, 20), 40, (3, 3), 8),
    Case(3, (25, 22), 24, (5, 3), 16, stride=(2, 1)),
    Case(2, (20, 30), 9, (3, 3), 8, rhs=(2, 3), padding="VALID"),
    Case(2, (18, 16), 32, (3, 5), 16, groups=2),
    Case(37, (20, 21), 64, (3, 3), 8),
    # Whole rows of the window side by side along the lanes: blocks of rows and a row that is left, strides, dilations.
    Case(3, (12, 11), 9, (5, 5), 30),
    Case(2, (13, 14), 20, (3, 3), 140, stride=(2, 2)),
    Case(2, (12, 13), 40, (3, 5), 24, stride=(1, 2), rhs=(2, 1)),
]


@pytest.mark.parametrize("case", SHARED, ids=str)
@pytest.mark.parametrize("precision", ["default", "high"])
def test_gradients_of_few_features(case, precision, tmp_path):
    x, w = case.operands(normal, F32)
    g = normal(generator("convolution", str(case), "few"), jax.eval_shape(case.apply, x, w).shape, F32)

    def function(x, w, g):
        return jax.vjp(lambda w: case.apply(x, w), w)[1](g)

    verify(function, (x, w, g), tmp_path, precision=precision)


# Weights larger than their share of VMEM: features, groups and elements of the window in parts.
HEAVY = [
    Case(1, (4, 5), 260, (9, 9), 5),
    Case(1, (4, 6), 650, (4, 5), 20, stride=(2, 1), rhs=(1, 2)),
    Case(1, (4, 3), 260, (9, 9), 6, lhs=(2, 1), padding=((5, 4), (3, 4))),
    Case(1, (9, 8), 100, (13, 12), 3, stride=(2, 3), padding=((5, 7), (6, 4))),
    Case(1, (10, 6), 60, (21, 9), 4, lhs=(3, 1), padding=((1, 12), (5, 6))),
    # As ResNeXt has them, on smaller images.
    Case(2, (4, 4), 896, (3, 3), 896, stride=(2, 2), groups=7),
    Case(1, (3, 3), 1024, (3, 3), 1024, groups=32),
    Case(2, (4, 4), 1088, (2, 2), 1088, groups=17),
]


@pytest.mark.parametrize("case", HEAVY, ids=str)
@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
def test_heavy(case, dtype, tmp_path):
    """With the input gradient, whose windows are reversed and whose kernels are transposed."""
    x, w = case.operands(eighths, dtype)
    shape = jax.eval_shape(case.apply, x, w).shape
    g = eighths(generator("convolution", str(case), "gradient"), shape, dtype)

    def function(x, w, g):
        result, transposed = jax.vjp(lambda x: case.apply(x, w), x)
        return result, *transposed(g)

    verify(function, (x, w, g), tmp_path)


def test_heavy_groups(tmp_path):
    case = Case(1, (4, 5), 256, (5, 5), 512, groups=256)
    verify(case.apply, case.operands(eighths, F32), tmp_path)


# Weight gradients whose sums do not fit one step, and groups whose operands do not,
# either.
HEAVY_GRADIENTS = [
    Case(1, (13, 30, 11), 8, (7, 4, 4), 200, padding=((4, 0), (0, 0), (0, 0)), rhs=(1, 2, 2)),
    Case(2, (40, 40), 8, (9, 9), 140, padding=((3, 5), (4, 7)), stride=(2, 1)),
    Case(1, (40, 40), 256, (3, 3), 256, groups=2),
    Case(1, (60, 61), 64, (7, 7), 192, stride=(2, 2)),
]


@pytest.mark.parametrize(
    "case, dtype", [*((case, F32) for case in HEAVY_GRADIENTS), (HEAVY_GRADIENTS[2], BF16)], ids=str
)
def test_heavy_gradients(case, dtype, tmp_path):
    x, w = case.operands(eighths, dtype)
    shape = jax.eval_shape(case.apply, x, w).shape
    g = eighths(generator("convolution", str(case), "gradient"), shape, dtype)
    verify(lambda x, w, g: jax.vjp(lambda w: case.apply(x, w), w)[1](g), (x, w, g), tmp_path)
