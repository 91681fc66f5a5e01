"""The operations of StableHLO with the element types that the specification gives them.

A row has a name, element types, the units in the last place by which results may differ, and a function that adds the
operation to a program, for an element type and a shape.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from elements import (
    ALL,
    CARRIERS,
    COMPLEX,
    FLOATS,
    INTEGERS,
    PREDICATE,
    SIGNED,
    WIDE_FLOATS,
    Element,
)
from programs import type_of

EXACT, ROUNDED, FUNCTION = 0, 2, 18
INDEX = next(element for element in SIGNED if element.name == "i32")
VECTORS = [(0,), (7,), (129,), (3, 130), (2, 3, 5), (33, 300)]
SHAPES = [(), *VECTORS]
MATRICES = [(0, 3), (1, 1), (3, 5), (9, 130), (33, 40)]


@dataclasses.dataclass(frozen=True)
class Operation:
    name: str
    elements: list
    units: int
    add: Callable
    shapes: list
    of_largest: bool  # units of the largest element, not of each
    exact: Callable | None = None  # what it computes of f64, complex128 or integers of any size
    least: float = 0  # elements below differ by units of this


OPERATIONS: list[Operation] = []


def to_three_bits(x):
    """x with the bits of its significand that reduce_precision below keeps; its exponent is in range."""
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.rint(fraction * 8) / 8, exponent)


def normalize(x, scale, offset, mean, variance):
    return (x - mean) / np.sqrt(variance + 0.01) * scale + offset


# What operations on real numbers compute, in f64, for formats on which references disagree.
NUMPY = {
    "reduce_precision": to_three_bits,
    "batch_norm_inference": normalize,
    "ceil": np.ceil,
    "floor": np.floor,
    "round_nearest_even": np.rint,
    "round_nearest_afz": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "cosine": np.cos,
    "tan": np.tan,
    "log": np.log,
    "subtract": np.subtract,
}


def operation(name, elements, units=EXACT, shapes=SHAPES, of_largest=False, **others):
    """Registers the decorated function, of a program, an element type and a shape."""

    def register(function):
        OPERATIONS.append(Operation(name, list(elements), units, function, list(shapes), of_largest, **others))
        return function

    return register


def same_type(name, operands, low=None, high=None):
    """A function that adds an operation whose operands and result have one type."""

    def add(program, element, shape):
        values = [program.argument(element, shape, low, high) for _ in range(operands)]
        kind = type_of(element, shape)
        names = ", ".join(value for value, _ in values)
        program.result(program.line(f"stablehlo.{name} {names} : {kind}", kind), element, shape)

    return add


def elementwise(names, elements, operands, units=EXACT, low=None, high=None):
    for name in names.split():
        operation(name, elements, units)(same_type(name, operands, low, high))


NUMBERS = [*INTEGERS, *FLOATS, *COMPLEX]
REAL = [PREDICATE, *INTEGERS, *FLOATS]
elementwise("add multiply", ALL, 2, units=1)
elementwise("subtract", NUMBERS, 2, units=1)
elementwise("divide", NUMBERS, 2, units=ROUNDED)
elementwise("maximum minimum", REAL, 2)
elementwise("remainder", [*INTEGERS, *FLOATS], 2, units=ROUNDED)
elementwise("power", [*FLOATS, *COMPLEX], 2, units=FUNCTION, low=0.5, high=3)
elementwise("atan2", FLOATS, 2, units=FUNCTION)
elementwise("and or xor", [PREDICATE, *INTEGERS], 2)
elementwise("shift_left shift_right_arithmetic shift_right_logical", INTEGERS, 2)
elementwise("negate", NUMBERS, 1)
elementwise("sign", [*SIGNED, *FLOATS, *COMPLEX], 1, units=1)
elementwise("not", [PREDICATE, *INTEGERS], 1)
elementwise("popcnt count_leading_zeros", INTEGERS, 1)
elementwise("ceil floor round_nearest_afz round_nearest_even", FLOATS, 1)
elementwise("cbrt cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tan tanh",
            [*FLOATS, *COMPLEX], 1, units=FUNCTION)  # fmt: skip
elementwise("optimization_barrier", ALL, 1)


@operation("abs", [*SIGNED, *FLOATS, *COMPLEX], ROUNDED)
def absolute(program, element, shape):
    name, kind = program.argument(element, shape)
    part = part_of(element)
    out = type_of(part, shape)
    program.result(program.line(f"stablehlo.abs {name} : ({kind}) -> {out}", out), part, shape)


def part_of(element):
    if element.kind != "c":
        return element
    return next(each for each in WIDE_FLOATS if each.name == element.carrier)


@operation("is_finite", FLOATS)
def is_finite(program, element, shape):
    name, kind = program.argument(element, shape)
    out = type_of(PREDICATE, shape)
    program.result(program.line(f"stablehlo.is_finite {name} : ({kind}) -> {out}", out), PREDICATE, shape)


@operation("real, imag", COMPLEX)
def parts(program, element, shape):
    program.result(program.argument(element, shape), element, shape)


def compare(direction):
    def add(program, element, shape):
        (x, kind), (y, _) = program.argument(element, shape), program.argument(element, shape)
        out = type_of(PREDICATE, shape)
        line = f"stablehlo.compare {direction}, {x}, {y} : ({kind}, {kind}) -> {out}"
        program.result(program.line(line, out), PREDICATE, shape)

    return add


for each in ("EQ", "NE"):
    operation(f"compare {each}", ALL)(compare(each))
for each in ("LT", "LE", "GT", "GE"):
    operation(f"compare {each}", REAL)(compare(each))


@operation("compare LT by the total order", REAL)
def compare_totally(program, element, shape):
    """Integers have one order, which references name otherwise."""
    (x, kind), (y, _) = program.argument(element, shape), program.argument(element, shape)
    out = type_of(PREDICATE, shape)
    order = "" if program.is_reference and element.kind != "f" else ", TOTALORDER"
    line = f"stablehlo.compare LT, {x}, {y}{order} : ({kind}, {kind}) -> {out}"
    program.result(program.line(line, out), PREDICATE, shape)


@operation("select", ALL)
def select(program, element, shape):
    mask, kind = program.argument(PREDICATE, shape)
    (x, out), (y, _) = program.argument(element, shape), program.argument(element, shape)
    program.result(program.line(f"stablehlo.select {mask}, {x}, {y} : {kind}, {out}", out), element, shape)


@operation("clamp", REAL)
def clamp(program, element, shape):
    low, x, high = (program.argument(element, shape) for _ in range(3))
    line = f"stablehlo.clamp {low[0]}, {x[0]}, {high[0]} : {x[1]}"
    program.result(program.line(line, x[1]), element, shape)


def convert_to(target):
    def add(program, element, shape):
        is_any = (target.kind in "fc" and not target.is_finite) or element.kind in "psu"
        bounds = {} if is_any else {"low": 0.5, "high": 1.75}
        if target.is_finite and element.kind in "psu":
            bounds = {"low": 1, "high": 2}
        if element.kind in "su" and target.kind in "su":
            bounds = {"low": 0, "high": 1}
        name, kind = program.argument(element, shape, **bounds)
        out = type_of(target, shape)
        program.result(program.line(f"stablehlo.convert {name} : ({kind}) -> {out}", out), target, shape)

    return add


for each in ALL:
    operation(f"convert to {each.name}", ALL)(convert_to(each))


@operation("reduce_precision", FLOATS)
def reduce_precision(program, element, shape):
    name, kind = program.argument(element, shape)
    line = f"stablehlo.reduce_precision {name}, format = e4m2 : {kind}"
    program.result(program.line(line, kind), element, shape)


@operation("iota", NUMBERS, shapes=[(1,), (3,), (2, 2)])
def iota(program, element, shape):
    kind = type_of(element, shape)
    program.result(program.line(f"stablehlo.iota dim = {len(shape) - 1} : {kind}", kind), element, shape)


def moved(name, elements=ALL, shapes=VECTORS):
    """Registers an operation that moves elements, given its text after the operand and its result's shape."""

    def register(function):
        @operation(name, elements, shapes=shapes)
        def add(program, element, shape):
            x, kind = program.argument(element, shape)
            text, after = function(shape)
            out = type_of(element, after)
            line = f"stablehlo.{name} {x}{text} : ({kind}) -> {out}"
            program.result(program.line(line, out), element, after)

        return function

    return register


@moved("reshape")
def reshape(shape):
    count = 1
    for size in shape:
        count *= size
    return "", (count,)


@moved("transpose")
def transpose(shape):
    return f", dims = {list(range(len(shape)))[::-1]}", shape[::-1]


@moved("broadcast_in_dim", shapes=SHAPES)
def broadcast(shape):
    return f", dims = {list(range(1, len(shape) + 1))}", (3, *shape)


@moved("slice")
def slice_text(shape):
    ranges = ", ".join(f"{min(1, size)}:{size}:2" for size in shape)
    return f" [{ranges}]", tuple(-(-(size - min(1, size)) // 2) for size in shape)


@operation("reverse", ALL, shapes=VECTORS)
def reverse(program, element, shape):
    x, kind = program.argument(element, shape)
    line = f"stablehlo.reverse {x}, dims = {list(range(len(shape)))} : {kind}"
    program.result(program.line(line, kind), element, shape)


@operation("concatenate", ALL, shapes=VECTORS)
def concatenate(program, element, shape):
    (x, kind), (y, _) = program.argument(element, shape), program.argument(element, shape)
    after = (2 * shape[0], *shape[1:])
    out = type_of(element, after)
    line = f"stablehlo.concatenate {x}, {y}, dim = 0 : ({kind}, {kind}) -> {out}"
    program.result(program.line(line, out), element, after)


@operation("pad", ALL, shapes=VECTORS)
def pad(program, element, shape):
    (x, kind), (by, scalar) = program.argument(element, shape), program.argument(element, ())
    rank = len(shape)
    after = tuple(size + 1 + max(size - 1, 0) for size in shape)
    out = type_of(element, after)
    how = f"low = {[1] * rank}, high = {[0] * rank}, interior = {[1] * rank}"
    line = f"stablehlo.pad {x}, {by}, {how} : ({kind}, {scalar}) -> {out}"
    program.result(program.line(line, out), element, after)


@operation("dynamic_slice, dynamic_update_slice", ALL, shapes=VECTORS)
def dynamic(program, element, shape):
    x, kind = program.argument(element, shape)
    starts = [program.argument(INDEX, (), 0, 5) for _ in shape]
    names, scalars = (", ".join(column) for column in zip(*starts, strict=True))
    sizes = tuple(min(2, size) for size in shape)
    part = type_of(element, sizes)
    line = f"stablehlo.dynamic_slice {x}, {names}, sizes = {list(sizes)} : ({kind}, {scalars}) -> {part}"
    taken = program.line(line, part)
    program.result(taken, element, sizes)
    zeros = ", ".join(program.argument(INDEX, (), 0, 0)[0] for _ in shape)
    line = f"stablehlo.dynamic_update_slice {x}, {taken[0]}, {zeros} : ({kind}, {part}, {scalars}) -> {kind}"
    program.result(program.line(line, kind), element, shape)


def reduce_by(name):
    def add(program, element, shape):
        x, kind = program.ones(element, shape) if name == "add" else program.argument(element, shape, *REDUCED[name])
        start, scalar = program.argument(element, (), *REDUCED[name])
        after = shape[:-1]
        out = type_of(element, after)
        line = (
            f"stablehlo.reduce({x} init: {start}) applies stablehlo.{name} across dimensions = "
            f"[{len(shape) - 1}] : ({kind}, {scalar}) -> {out}"
        )
        program.result(program.line(line, out), element, after)

    return add


REDUCED: dict[str, tuple] = {
    "maximum": (),
    "minimum": (),
    "and": (),
    "or": (),
    "xor": (),
    "add": (0, 1),
    "multiply": (1, 1),
}
for each in ("maximum", "minimum"):
    operation(f"reduce {each}", REAL, shapes=VECTORS)(reduce_by(each))
for each in ("and", "or", "xor"):
    operation(f"reduce {each}", [PREDICATE, *INTEGERS], shapes=VECTORS)(reduce_by(each))
for each in ("add", "multiply"):
    operation(f"reduce {each}", [PREDICATE, *INTEGERS, *COMPLEX, *WIDE_FLOATS], 64, shapes=VECTORS)(reduce_by(each))


@operation("reduce_window", REAL, shapes=[(7,), (129,), (9, 130)])
def reduce_window(program, element, shape):
    x, kind = program.argument(element, shape)
    start, scalar = program.argument(element, ())
    rank = len(shape)
    after = tuple((size - 3 + 1) // 2 + 1 for size in shape)
    out = type_of(element, after)
    pads = ", ".join(["[0, 1]"] * rank)
    line = (
        f'"stablehlo.reduce_window"({x}, {start}) ({{\n  ^bb0(%p: {scalar}, %q: {scalar}):\n'
        f"    %m = stablehlo.maximum %p, %q : {scalar}\n    stablehlo.return %m : {scalar}\n  }}) "
        f"{{window_dimensions = array<i64: {', '.join(['3'] * rank)}>, window_strides = array<i64: "
        f"{', '.join(['2'] * rank)}>, padding = dense<[{pads}]> : tensor<{rank}x2xi64>}} : ({kind}, {scalar}) -> {out}"
    )
    program.result(program.line(line, out), element, after)


@operation("sort", REAL, shapes=[(1,), (7,), (129,), (5, 40)])
def sort(program, element, shape):
    x, kind = program.argument(element, shape, 0, 3)
    scalar = type_of(element, ())
    line = (
        f'"stablehlo.sort"({x}) <{{dimension = {len(shape) - 1} : i64, is_stable = true}}> ({{\n'
        f"  ^bb0(%p: {scalar}, %q: {scalar}):\n    %m = stablehlo.compare LT, %p, %q : ({scalar}, {scalar}) -> "
        f"tensor<i1>\n    stablehlo.return %m : tensor<i1>\n  }}) : ({kind}) -> {kind}"
    )
    program.result(program.line(line, kind), element, shape)


@operation("gather", ALL, shapes=[(5, 3), (200, 7), (9, 130)])
def gather(program, element, shape):
    x, kind = program.argument(element, shape)
    at, indices = program.argument(INDEX, (6, 1), -1, shape[0])
    after = (6, shape[1])
    out = type_of(element, after)
    line = (
        f'"stablehlo.gather"({x}, {at}) {{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
        f"collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
        f"array<i64: 1, {shape[1]}>, indices_are_sorted = false}} : ({kind}, {indices}) -> {out}"
    )
    program.result(program.line(line, out), element, after)


@operation("scatter", ALL, shapes=[(5, 3), (200, 7), (9, 130)])
def scatter(program, element, shape):
    x, kind = program.argument(element, shape)
    at, indices = program.argument(INDEX, (1, 1), 0, shape[0] - 1)
    update, updates = program.argument(element, (1, shape[1]))
    scalar = type_of(element, ())
    line = (
        f'"stablehlo.scatter"({x}, {at}, {update}) ({{\n  ^bb0(%p: {scalar}, %q: {scalar}):\n'
        f"    stablehlo.return %q : {scalar}\n  }}) {{scatter_dimension_numbers = #stablehlo.scatter<"
        f"update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
        f"index_vector_dim = 1>, unique_indices = true}} : ({kind}, {indices}, {updates}) -> {kind}"
    )
    program.result(program.line(line, kind), element, shape)


# One of the formats has no zero, so that it has no sums.
SUMMED = [element for element in ALL if element.name != "f8E8M0FNU"]


@operation("dot_general", SUMMED, 64, shapes=MATRICES)
def dot_general(program, element, shape):
    (x, left), (y, right) = program.ones(element, shape), program.ones(element, shape)
    after = (shape[0], shape[0])
    out = type_of(element, after)
    line = (
        f"stablehlo.dot_general {x}, {y}, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] "
        f": ({left}, {right}) -> {out}"
    )
    program.result(program.line(line, out), element, after)


@operation(
    "convolution", [element for element in SUMMED if element.kind != "p"], 64, shapes=[(1, 4, 5, 2), (2, 9, 9, 3)]
)
def convolution(program, element, shape):
    x, left = program.ones(element, shape)
    kernel, right = program.ones(element, (3, 3, shape[3], 4))
    after = (shape[0], shape[1], shape[2], 4)
    out = type_of(element, after)
    line = (
        f"stablehlo.convolution({x}, {kernel}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        f"window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
        f"precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}} "
        f": ({left}, {right}) -> {out}"
    )
    program.result(program.line(line, out), element, after)


@operation("while", [*INTEGERS, *WIDE_FLOATS, *COMPLEX], shapes=SHAPES)
def repeat(program, element, shape):
    x, kind = program.argument(element, shape)
    count, scalar = program.argument(INDEX, (), 3, 3)
    line = (
        f"stablehlo.while(%i = {count}, %x = {x}) : {scalar}, {kind}\n  cond {{\n    %z = stablehlo.constant dense<0> "
        f": {scalar}\n    %g = stablehlo.compare GT, %i, %z : ({scalar}, {scalar}) -> tensor<i1>\n    "
        f"stablehlo.return %g : tensor<i1>\n  }} do {{\n    %o = stablehlo.constant dense<1> : {scalar}\n    "
        f"%n = stablehlo.subtract %i, %o : {scalar}\n    %y = stablehlo.negate %x : {kind}\n    "
        f"stablehlo.return %n, %y : {scalar}, {kind}\n  }}"
    )
    name = program.name()
    program.lines.append(f"{name}:2 = {line}")
    program.result((f"{name}#1", kind), element, shape)


@operation("case, if", ALL, shapes=SHAPES)
def case(program, element, shape):
    (x, kind), (y, _) = program.argument(element, shape), program.argument(element, shape)
    index, scalar = program.argument(INDEX, (), 0, 2)
    line = (
        f'"stablehlo.case"({index}) ({{\n    stablehlo.return {x} : {kind}\n  }}, {{\n    stablehlo.return {y} : '
        f"{kind}\n  }}) : ({scalar}) -> {kind}"
    )
    program.result(program.line(line, kind), element, shape)


def bits_of(element: Element):
    """The integer type of the same width, for whole bytes."""
    return next((each for each in INTEGERS if each.kind == "u" and each.bits == element.bits), None)


@operation("bitcast_convert", [each for each in [*INTEGERS, *FLOATS] if bits_of(each)], shapes=SHAPES)
def bitcast(program, element, shape):
    x, kind = program.argument(element, shape, 0, 1)
    bits = bits_of(element)
    out = type_of(bits, shape)
    program.result(program.line(f"stablehlo.bitcast_convert {x} : ({kind}) -> {out}", out), bits, shape)


@operation("batch_norm_inference", WIDE_FLOATS, 64, shapes=[(4, 3), (2, 5, 7)])
def batch_norm(program, element, shape):
    x, kind = program.argument(element, shape, 0, 2)
    features = (shape[-1],)
    others = [program.argument(element, features, 0.5, 2) for _ in range(4)]
    names = ", ".join(name for name, _ in others)
    vector = type_of(element, features)
    line = (
        f'"stablehlo.batch_norm_inference"({x}, {names}) {{epsilon = 0.01 : f32, feature_index = '
        f"{len(shape) - 1} : i64}} : ({kind}, {', '.join([vector] * 4)}) -> {kind}"
    )
    program.result(program.line(line, kind), element, shape)


def definite(element, n):
    """The parts of a matrix of which most is on the diagonal."""
    matrix = (np.eye(n) * 4 + np.ones((n, n))).astype(CARRIERS[element.carrier])
    return [matrix, np.zeros_like(matrix)] if element.kind == "c" else [matrix]


@operation("cholesky", [*WIDE_FLOATS[2:], *COMPLEX], 256, shapes=[(1, 1), (2, 2), (7, 7), (33, 33)])
def cholesky(program, element, shape):
    matrix, kind = program.given(element, shape, definite(element, shape[0]))
    line = f"stablehlo.cholesky {matrix}, lower = true : ({kind}) -> {kind}"
    factor, _ = program.line(line, kind)
    # Its other triangle is free: the product with the adjoint is the matrix.
    mask = type_of(PREDICATE, shape)
    row, column = (program.line(f"stablehlo.iota dim = {d} : {type_of(INDEX, shape)}", "")[0] for d in (0, 1))
    indices = type_of(INDEX, shape)
    lower, _ = program.line(f"stablehlo.compare GE, {row}, {column} : ({indices}, {indices}) -> {mask}", mask)
    zero, _ = program.line(f"stablehlo.subtract {factor}, {factor} : {kind}", kind)
    line = f"stablehlo.select {lower}, {factor}, {zero} : {mask}, {kind}"
    program.result(program.line(line, kind), element, shape)


@operation("triangular_solve", [*WIDE_FLOATS[2:], *COMPLEX], 512, shapes=[(1, 1), (2, 2), (7, 7), (33, 33)])
def triangular_solve(program, element, shape):
    matrix, kind = program.given(element, shape, definite(element, shape[0]))
    right, columns = program.argument(element, (shape[0], 3), 1, 2)
    line = (
        f'"stablehlo.triangular_solve"({matrix}, {right}) {{left_side = true, lower = true, unit_diagonal = false, '
        f"transpose_a = #stablehlo<transpose NO_TRANSPOSE>}} : ({kind}, {columns}) -> {columns}"
    )
    program.result(program.line(line, columns), element, (shape[0], 3))


@operation("fft", COMPLEX, 4, shapes=[(1,), (7,), (8,), (129,), (3, 130)], of_largest=True)
def fft(program, element, shape):
    x, kind = program.argument(element, shape, 1, 2)
    line = f"stablehlo.fft {x}, type = FFT, length = [{shape[-1]}] : ({kind}) -> {kind}"
    program.result(program.line(line, kind), element, shape)
