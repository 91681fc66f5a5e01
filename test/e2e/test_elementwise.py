"""Each elementwise operation on odd shapes, on all its types, and on special values.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
import itertools
import zlib

import numpy as np
import pytest

from bounds import BF16, F32, is_float
from systole_cli import MLIR_NAMES
from verify import Application, verify_applications, verify_text

I32, I8, BOOL = np.dtype(np.int32), np.dtype(np.int8), np.dtype(np.bool_)
UI32, UI8 = np.dtype(np.uint32), np.dtype(np.uint8)
FLOATS = (F32, BF16)
INTEGERS = (I32, I8, UI32, UI8)

SHAPES = [
    (),
    (0,),
    (1,),
    (7,),
    (8,),
    (127,),
    (128,),
    (129,),
    (200,),
    (1000,),
    (7, 0),
    (1, 1),
    (8, 128),
    (9, 129),
    (200, 7),
    (3, 5, 127),
    (2, 3, 4, 5),
    (2, 1, 3, 2, 129),
]

SPECIAL_FLOATS = [
    *(0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf),
    *(2.0**-126, -(2.0**-126), 2.0**-127, -(2.0**-130), 2.0**-149),  # the last three: denormal
    *(3.3895e38, -3.3895e38, 2.0**127, 2.0**-120, 2.0**64, -(2.0**-64)),
    *(0.5, 1.5, -2.5, 2.0**23 + 1, 2.0**31, -(2.0**24), 88.7, -87.3, -104.0, 16.0, -9.0),
    *(np.pi, -np.pi / 2, 1e-20, 1e20, 1 + 2.0**-7, 1 - 2.0**-8, 0.3333333),
]


@dataclasses.dataclass(frozen=True)
class Operation:
    name: str  # after `stablehlo.`
    rule: str
    arity: int
    dtypes: tuple
    domain: str = "any"  # of the ordinary values: any, positive, unit, angle, nonzero, shift
    params: tuple = ()
    specials: bool = True


OPERATIONS = [
    Operation("add", "add", 2, (*FLOATS, *INTEGERS, BOOL)),
    Operation("subtract", "sub", 2, (*FLOATS, *INTEGERS)),
    Operation("multiply", "mul", 2, (*FLOATS, *INTEGERS, BOOL)),
    Operation("divide", "div", 2, (*FLOATS, *INTEGERS), "nonzero"),
    Operation("remainder", "rem", 2, (*FLOATS, *INTEGERS), "nonzero", specials=False),
    Operation("maximum", "max", 2, (*FLOATS, *INTEGERS, BOOL)),
    Operation("minimum", "min", 2, (*FLOATS, *INTEGERS, BOOL)),
    Operation("power", "pow", 2, FLOATS, "positive", specials=False),
    Operation("atan2", "atan2", 2, FLOATS, specials=False),
    Operation("and", "and", 2, (*INTEGERS, BOOL)),
    Operation("or", "or", 2, (*INTEGERS, BOOL)),
    Operation("xor", "xor", 2, (*INTEGERS, BOOL)),
    Operation("shift_left", "shift_left", 2, INTEGERS, "shift"),
    Operation("shift_right_arithmetic", "shift_right_arithmetic", 2, (I32, I8), "shift"),
    Operation("shift_right_logical", "shift_right_logical", 2, INTEGERS, "shift"),
    Operation("not", "not", 1, (*INTEGERS, BOOL)),
    Operation("popcnt", "population_count", 1, INTEGERS),
    Operation("count_leading_zeros", "clz", 1, INTEGERS),
    Operation("negate", "neg", 1, (*FLOATS, *INTEGERS)),
    Operation("abs", "abs", 1, (*FLOATS, I32, I8)),
    Operation("sign", "sign", 1, (*FLOATS, I32, I8)),
    Operation("floor", "floor", 1, FLOATS),
    Operation("ceil", "ceil", 1, FLOATS),
    Operation("round_nearest_even", "round", 1, FLOATS, params=(("rounding_method", 1),)),
    Operation("round_nearest_afz", "round", 1, FLOATS, params=(("rounding_method", 0),)),
    Operation("exponential", "exp", 1, FLOATS),
    Operation("exponential_minus_one", "expm1", 1, FLOATS),
    Operation("log", "log", 1, FLOATS, "positive"),
    Operation("log_plus_one", "log1p", 1, FLOATS, "positive"),
    Operation("logistic", "stablehlo.logistic", 1, FLOATS),
    Operation("tanh", "tanh", 1, FLOATS),
    Operation("sine", "sin", 1, FLOATS, "angle"),
    Operation("cosine", "cos", 1, FLOATS, "angle"),
    Operation("tan", "tan", 1, FLOATS, "angle"),
    Operation("sqrt", "sqrt", 1, FLOATS, "positive"),
    Operation("rsqrt", "rsqrt", 1, FLOATS, "positive"),
    Operation("cbrt", "cbrt", 1, FLOATS),
]


def generator(*parts):
    """Random numbers that depend on a test's parameters alone."""
    return np.random.default_rng(zlib.crc32(repr(parts).encode()))


def ordinary(rng, shape, dtype, domain, operand):
    """Values of a type that no rule of special values applies to."""
    if dtype == BOOL:
        return np.asarray(rng.integers(0, 2, shape, dtype=BOOL))
    if is_float(dtype):
        if domain == "positive" and operand == 0:
            values = np.exp(rng.uniform(-6, 6, shape))
        elif domain == "angle":
            values = rng.uniform(-1, 1, shape) * rng.choice(10.0 ** np.arange(-3, 5), shape)
        else:
            # From tiny to large: relative errors show at all magnitudes.
            magnitudes = np.float32([0.01, 0.1, 1, 10])
            values = rng.standard_normal(shape, np.float32)
            values = values * magnitudes[rng.integers(0, magnitudes.size, shape, np.int8)]
        return np.asarray(values).astype(dtype)
    limits = np.iinfo(dtype)
    if domain == "shift" and operand == 1:
        return np.asarray(rng.integers(0, 8 * dtype.itemsize, shape), dtype)
    values = np.asarray(rng.integers(limits.min, limits.max, shape, dtype, endpoint=True))
    if domain == "nonzero" and operand == 1:
        small = np.asarray(rng.integers(1, 12, shape), dtype)
        values = np.where(rng.random(shape) < 0.5, small, values)
        # Dividing the least integer by -1 overflows, which is undefined; so is dividing by 0.
        reserved = (values == 0) | (values == np.asarray(-1).astype(dtype))
        values = np.where(reserved, np.asarray(3, dtype), values)
    return values


CASES = [pytest.param(op, dtype, id=f"{op.name}-{MLIR_NAMES[dtype]}") for op in OPERATIONS for dtype in op.dtypes]
SPECIAL_CASES = [
    pytest.param(op, dtype, id=f"{op.name}-{MLIR_NAMES[dtype]}")
    for op in OPERATIONS
    for dtype in op.dtypes
    if is_float(dtype) and op.specials
]


def line(op):
    operands = ", ".join(f"{{{i}}}" for i in range(op.arity))
    return f"stablehlo.{op.name} {operands} : {{t0}}"


@pytest.mark.parametrize("op, dtype", CASES)
def test_shapes(op, dtype, tmp_path):
    rng = generator(op.name, dtype.name)
    sets = [[ordinary(rng, shape, dtype, op.domain, operand) for operand in range(op.arity)] for shape in SHAPES]
    verify_text(line(op), op.rule, dict(op.params), sets, tmp_path)


@pytest.mark.parametrize("op, dtype", SPECIAL_CASES)
def test_special_values(op, dtype, tmp_path):
    with np.errstate(over="ignore"):
        values = np.array(SPECIAL_FLOATS).astype(dtype)
    grid = np.array(list(itertools.product(values, repeat=op.arity)), dtype)
    verify_text(line(op), op.rule, dict(op.params), [list(grid.T)], tmp_path)


COMPARISONS = {"EQ": "eq", "NE": "ne", "LT": "lt", "LE": "le", "GT": "gt", "GE": "ge"}


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, BOOL], ids=lambda d: MLIR_NAMES[d])
def test_compare(dtype, tmp_path):
    rng = generator("compare", dtype.name)
    sets = []
    for shape in SHAPES:
        a, b = (ordinary(rng, shape, dtype, "any", operand) for operand in range(2))
        sets.append([a, np.where(rng.random(shape) < 0.3, a, b)])
    if is_float(dtype):
        with np.errstate(over="ignore"):
            grid = np.array(list(itertools.product(SPECIAL_FLOATS, repeat=2))).astype(dtype)
        sets += [list(grid.T)] * len(COMPARISONS)
    kind = "FLOAT" if is_float(dtype) else "SIGNED" if dtype in (I32, I8) else "UNSIGNED"
    applications = []
    for (direction, rule), operands in zip(itertools.cycle(COMPARISONS.items()), sets):
        text = f"stablehlo.compare {direction}, {{0}}, {{1}}, {kind} : ({{t0}}, {{t1}}) -> {{r}}"
        applications.append(Application(text, rule, {}, operands))
    verify_applications(applications, tmp_path)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: MLIR_NAMES[d])
def test_is_finite(dtype, tmp_path):
    with np.errstate(over="ignore"):
        values = np.array(SPECIAL_FLOATS).astype(dtype)
    verify_text("stablehlo.is_finite {0} : ({t0}) -> {r}", "is_finite", {}, [[values]], tmp_path)


TYPES = (F32, BF16, I32, I8, UI32, UI8, BOOL)


def convertible(rng, shape, source, target):
    """Values of the source type that fit the target type; the result for others is undefined."""
    if is_float(source) and not is_float(target) and target != BOOL:
        least = 0 if target.kind == "u" else -120
        return np.asarray(rng.uniform(least, 127, shape)).astype(source)
    return ordinary(rng, shape, source, "any", 0)


@pytest.mark.parametrize("source", TYPES, ids=lambda d: MLIR_NAMES[d])
def test_convert(source, tmp_path):
    rng = generator("convert", source.name)
    pairs = [
        (convertible(rng, shape, source, target), target)
        for target in TYPES
        for shape in [(), (7,), (129,), (9, 129), (3, 5, 127)]
    ]
    if is_float(source):
        with np.errstate(over="ignore"):
            special = np.array(SPECIAL_FLOATS).astype(source)
        # Halfway cases of rounding to bf16: to the even neighbour.
        halves = np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-8 + 2.0**-20, -1 - 2.0**-8])
        pairs += [(special, F32), (special, BF16), (halves.astype(source), BF16)]
    text = "stablehlo.convert {0} : ({t0}) -> {r}"
    verify_applications(
        [Application(text, "convert_element_type", {"new_dtype": target}, [values]) for values, target in pairs],
        tmp_path,
    )


@pytest.mark.parametrize("dtype", TYPES, ids=lambda d: MLIR_NAMES[d])
def test_select(dtype, tmp_path):
    rng = generator("select", dtype.name)
    sets = []
    for shape in SHAPES:
        condition = np.asarray(rng.random(shape) < 0.5)
        on_true, on_false = (ordinary(rng, shape, dtype, "any", operand) for operand in range(2))
        sets.append([condition, on_true, on_false])
    verify_text("stablehlo.select {0}, {1}, {2} : {t0}, {t1}", "select", {}, sets, tmp_path)


@pytest.mark.parametrize("bounds", ["arrays", "scalars"])
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=lambda d: MLIR_NAMES[d])
def test_clamp(dtype, bounds, tmp_path):
    rng = generator("clamp", dtype.name, bounds)
    sets = []
    for shape in SHAPES:
        limits = shape if bounds == "arrays" else ()
        ends = [ordinary(rng, limits, dtype, "any", operand) for operand in range(2)]
        low, high = np.minimum(*ends), np.maximum(*ends)
        sets.append([low, ordinary(rng, shape, dtype, "any", 0), high])
    text = "stablehlo.clamp {0}, {1}, {2} : ({t0}, {t1}, {t2}) -> {r}"
    verify_text(text, "clamp", {}, sets, tmp_path)
