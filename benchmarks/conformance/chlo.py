"""The operations of CHLO. The reference interpreter has none of them: references have others of StableHLO in place of
broadcasts and orders. Functions are compared with XLA on the CPU, and with SciPy in f64.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import scipy.special as special

from elements import ALL, COMPLEX, FLOATS, INTEGERS, PREDICATE, WIDE_FLOATS
from operations import EXACT, FUNCTION, INDEX, NUMBERS, REAL, ROUNDED, SHAPES, SUMMED, operation
from programs import type_of
from structures import OPERATIONS

__all__ = ["OPERATIONS"]


def elementwise(name, elements, exact, operands=1, units=FUNCTION, least=0, between=(), domain=()):
    """Registers a function of operands of one type, all of which the text has. Operands are drawn from `between`, and
    from `domain` where the element type has no NaN for the results outside of it.
    """

    def add(program, element, shape):
        bounds = domain if element.is_finite and domain else between
        values = [program.argument(element, shape, *bounds) for _ in range(operands)]
        kind = type_of(element, shape)
        names, kinds = ", ".join(value for value, _ in values), ", ".join([kind] * operands)
        program.result(program.line(f"chlo.{name} {names} : {kinds} -> {kind}", kind), element, shape)

    # StableHLO has a tangent of its own.
    operation("chlo.tan" if name == "tan" else name, elements, units, exact=exact, least=least)(add)


BOTH = [*FLOATS, *COMPLEX]
elementwise("acos", BOTH, np.arccos)
elementwise("asin", BOTH, np.arcsin)
elementwise("atan", BOTH, np.arctan)
elementwise("acosh", BOTH, np.arccosh, domain=(1, 4))
elementwise("asinh", BOTH, np.arcsinh)
elementwise("atanh", BOTH, np.arctanh, domain=(0, 0.75))
elementwise("cosh", BOTH, np.cosh)
elementwise("sinh", BOTH, np.sinh)
elementwise("tan", BOTH, np.tan)
elementwise("conj", BOTH, np.conj, units=EXACT)
elementwise("square", BOTH, np.square, units=ROUNDED)
elementwise("erf", FLOATS, special.erf)
elementwise("erfc", FLOATS, special.erfc)
elementwise("erf_inv", FLOATS, special.erfinv, between=(-1, 1), domain=(0, 0.75))
# Relative to one near the zeros.
elementwise("lgamma", FLOATS, lambda x: np.where(np.isneginf(x), np.inf, special.gammaln(x)), least=1)
elementwise("digamma", FLOATS, special.psi, least=1)
elementwise("bessel_i1e", FLOATS, special.i1e)


def zeta(x, q):
    return special.zeta(x, q)


def polygamma(n, x):
    return np.where(n == 0, special.psi(x), (-1.0) ** (n + 1) * special.gamma(n + 1) * special.zeta(n + 1, x))


elementwise("zeta", FLOATS, zeta, operands=2, between=(1.5, 3))


@operation("polygamma", FLOATS, FUNCTION, exact=polygamma, least=1)
def derivative(program, element, shape):
    """Of orders one and two."""
    order, kind = program.given(element, shape, [np.resize([1, 2], shape).astype(draw_type(element))])
    x, _ = program.argument(element, shape, 0.5, 3)
    program.result(program.line(f"chlo.polygamma {order}, {x} : {kind}, {kind} -> {kind}", kind), element, shape)


def draw_type(element):
    return np.float64 if element.carrier == "f64" else np.float32


def high_half(bits):
    return lambda x, y: np.asarray(x * y, object) >> bits


for each in INTEGERS:
    name = f"mulhi of {each.name}"

    def mulhi(program, element, shape):
        (x, kind), (y, _) = program.argument(element, shape), program.argument(element, shape)
        program.result(program.line(f"chlo.mulhi {x}, {y} : {kind}, {kind} -> {kind}", kind), element, shape)

    operation(name, [each], exact=high_half(each.bits))(mulhi)


def next_after(element):
    return lambda x, y: np.nextafter(x.astype(element.dtype), y.astype(element.dtype)).astype(np.float64)


# Of narrower floats it is refused (docs/limits.md).
for each in WIDE_FLOATS:
    name = f"next_after of {each.name}"

    def towards(program, element, shape):
        (x, kind), (y, _) = program.argument(element, shape), program.argument(element, shape)
        program.result(program.line(f"chlo.next_after {x}, {y} : {kind}, {kind} -> {kind}", kind), element, shape)

    operation(name, [each], exact=next_after(each))(towards)


def is_infinite(name, exact):
    def add(program, element, shape):
        x, kind = program.argument(element, shape)
        out = type_of(PREDICATE, shape)
        program.result(program.line(f"chlo.{name} {x} : {kind} -> {out}", out), PREDICATE, shape)

    operation(name, FLOATS, exact=exact)(add)


is_infinite("is_inf", np.isinf)
is_infinite("is_pos_inf", np.isposinf)
is_infinite("is_neg_inf", np.isneginf)


@operation("_asin_acos_kernel", COMPLEX, FUNCTION)
def kernel(program, element, shape):
    x, kind = program.argument(element, shape)
    program.result(program.line(f"chlo._asin_acos_kernel {x} : {kind} -> {kind}", kind), element, shape)


# Broadcasts: of each stem the type that the first and the second operand are of, and the result.
STEMS = {
    "add multiply": (ALL, 1),
    "subtract": (NUMBERS, 1),
    "divide": (NUMBERS, ROUNDED),
    "maximum minimum": (REAL, EXACT),
    "remainder": ([*INTEGERS, *FLOATS], ROUNDED),
    "power atan2": (FLOATS, FUNCTION),
    "and or xor": ([PREDICATE, *INTEGERS], EXACT),
    "shift_left shift_right_arithmetic shift_right_logical": (INTEGERS, EXACT),
    "next_after": (WIDE_FLOATS, EXACT),
    "zeta polygamma": (WIDE_FLOATS, FUNCTION),
}


def spread(program, value, kind, element, shape):
    """A vector along the last dimension of a shape, for references."""
    out = type_of(element, shape)
    dims = [len(shape) - 1] if shape else []
    return program.line(f"stablehlo.broadcast_in_dim {value}, dims = {dims} : ({kind}) -> {out}", out)


def broadcast(stem, elements, units, bounds):
    def add(program, element, shape):
        """The second operand has the last dimension alone."""
        x, kind = program.argument(element, shape, *bounds)
        y, row = program.argument(element, shape[-1:], *bounds)
        if not program.is_reference:
            program.result(
                program.line(f"chlo.broadcast_{stem} {x}, {y} : ({kind}, {row}) -> {kind}", kind), element, shape
            )
            return
        y, _ = spread(program, y, row, element, shape)
        line = f"stablehlo.{stem} {x}, {y} : {kind}"
        if stem in ("next_after", "zeta", "polygamma"):
            line = f"chlo.{stem} {x}, {y} : {kind}, {kind} -> {kind}"
        program.result(program.line(line, kind), element, shape)

    operation(f"broadcast_{stem}", elements, units)(add)


for stems, (elements, units) in STEMS.items():
    for stem in stems.split():
        broadcast(stem, elements, units, {"power": (0.5, 3), "zeta": (1.5, 3), "polygamma": (1, 1)}.get(stem, ()))


@operation("broadcast_compare", REAL)
def broadcast_compare(program, element, shape):
    x, kind = program.argument(element, shape)
    y, row = program.argument(element, shape[-1:])
    out = type_of(PREDICATE, shape)
    line = (
        f"chlo.broadcast_compare {x}, {y} {{comparison_direction = #chlo<comparison_direction LT>}} "
        f": ({kind}, {row}) -> {out}"
    )
    if program.is_reference:
        y, _ = spread(program, y, row, element, shape)
        line = f"stablehlo.compare LT, {x}, {y} : ({kind}, {kind}) -> {out}"
    program.result(program.line(line, out), PREDICATE, shape)


@operation("broadcast_complex", COMPLEX)
def broadcast_complex(program, element, shape):
    part = next(each for each in WIDE_FLOATS if each.name == element.carrier)
    x, kind = program.argument(part, shape)
    y, row = program.argument(part, shape[-1:])
    out = type_of(element, shape)
    line = f"chlo.broadcast_complex {x}, {y} : ({kind}, {row}) -> {out}"
    if program.is_reference:
        y, _ = spread(program, y, row, part, shape)
        line = f"stablehlo.complex {x}, {y} : {out}"
    program.result(program.line(line, out), element, shape)


@operation("broadcast_select", ALL)
def broadcast_select(program, element, shape):
    mask, kinds = program.argument(PREDICATE, shape[-1:])
    x, kind = program.argument(element, shape)
    y, scalar = program.argument(element, ())
    line = f"chlo.broadcast_select {mask}, {x}, {y} : ({kinds}, {kind}, {scalar}) -> {kind}"
    if program.is_reference:
        mask, kinds = spread(program, mask, kinds, PREDICATE, shape)
        y, _ = program.line(f"stablehlo.broadcast_in_dim {y}, dims = [] : ({scalar}) -> {kind}", kind)
        line = f"stablehlo.select {mask}, {x}, {y} : {kinds}, {kind}"
    program.result(program.line(line, kind), element, shape)


def number(element):
    return {"c": "(1.0, 0.0)", "f": "1.0", "p": "true"}.get(element.kind, "1")


@operation("constant", ALL, shapes=SHAPES)
def constant(program, element, shape):
    kind = type_of(element, shape)
    text = f"dense<{number(element)}>" if 0 not in shape else "dense<>"
    dialect = "stablehlo" if program.is_reference else "chlo"
    program.result(program.line(f"{dialect}.constant {text} : {kind}", kind), element, shape)


@operation("constant_like", [PREDICATE, *INTEGERS, *FLOATS], shapes=SHAPES)
def constant_like(program, element, shape):
    x, kind = program.argument(element, shape)
    value = "true" if element.kind == "p" else f"{number(element)} : {element.name}"
    line = f'"chlo.constant_like"({x}) <{{value = {value}}}> : ({kind}) -> {kind}'
    if program.is_reference:
        line = f"stablehlo.constant dense<{number(element) if 0 not in shape else ''}> : {kind}"
    program.result(program.line(line, kind), element, shape)


@operation("top_k", [element for element in REAL if element.kind != "p"], shapes=[(7,), (129,), (3, 130)])
def top_k(program, element, shape):
    """References sort all elements and their places."""
    x, kind = program.argument(element, shape, 0, 3)
    after = (*shape[:-1], 3)
    out, places = type_of(element, after), type_of(INDEX, after)
    name = program.name()
    if not program.is_reference:
        program.lines.append(f"{name}:2 = chlo.top_k({x}, k = 3) : {kind} -> ({out}, {places})")
        program.result((f"{name}#0", out), element, after)
        program.result((f"{name}#1", places), INDEX, after)
        return
    of_places, scalar = type_of(INDEX, shape), type_of(element, ())
    at, _ = program.line(f"stablehlo.iota dim = {len(shape) - 1} : {of_places}", of_places)
    name = program.name()
    program.lines.append(
        f'{name}:2 = "stablehlo.sort"({x}, {at}) <{{dimension = {len(shape) - 1} : i64, is_stable = true}}> ({{\n'
        f"  ^bb0(%p: {scalar}, %q: {scalar}, %r: tensor<i32>, %s: tensor<i32>):\n    %m = stablehlo.compare GT, %p, %q "
        f": ({scalar}, {scalar}) -> tensor<i1>\n    stablehlo.return %m : tensor<i1>\n  }}) : ({kind}, {of_places}) -> "
        f"({kind}, {of_places})"
    )
    ranges = ", ".join([*(f"0:{size}" for size in shape[:-1]), "0:3"])
    for number, (of, each, result) in enumerate(((kind, element, out), (of_places, INDEX, places))):
        line = f"stablehlo.slice {name}#{number} [{ranges}] : ({of}) -> {result}"
        program.result(program.line(line, result), each, after)


@operation("ragged_dot", SUMMED, 64, shapes=[(7, 5), (33, 130)])
def ragged_dot(program, element, shape):
    """Three groups of rows; references multiply each by itself."""
    rows, depth = shape
    x, left = program.ones(element, shape)
    y, right = program.ones(element, (3, depth, 4))
    sizes = [2, rows - 3, 1]
    vector = type_of(INDEX, (3,))
    out = type_of(element, (rows, 4))
    if not program.is_reference:
        counts, _ = program.line(f"stablehlo.constant dense<{sizes}> : {vector}", vector)
        line = (
            f'"chlo.ragged_dot"({x}, {y}, {counts}) <{{ragged_dot_dimension_numbers = #chlo.ragged_dot<'
            f"lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], "
            f"rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, "
            f"precision_config = [#chlo<precision HIGHEST>, #chlo<precision HIGHEST>]}}> "
            f": ({left}, {right}, {vector}) -> {out}"
        )
        program.result(program.line(line, out), element, (rows, 4))
        return
    begin, parts, kinds = 0, [], []
    for group, size in enumerate(sizes):
        part, weights = type_of(element, (size, depth)), type_of(element, (1, depth, 4))
        matrix, product = type_of(element, (depth, 4)), type_of(element, (size, 4))
        a, _ = program.line(f"stablehlo.slice {x} [{begin}:{begin + size}, 0:{depth}] : ({left}) -> {part}", part)
        line = f"stablehlo.slice {y} [{group}:{group + 1}, 0:{depth}, 0:4] : ({right}) -> {weights}"
        b, _ = program.line(line, weights)
        b, _ = program.line(f"stablehlo.reshape {b} : ({weights}) -> {matrix}", matrix)
        line = (
            f"stablehlo.dot_general {a}, {b}, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] "
            f": ({part}, {matrix}) -> {product}"
        )
        parts.append(program.line(line, product)[0])
        kinds.append(product)
        begin += size
    line = f"stablehlo.concatenate {', '.join(parts)}, dim = 0 : ({', '.join(kinds)}) -> {out}"
    program.result(program.line(line, out), element, (rows, 4))


@operation("scan", REAL, shapes=[(3, 7), (5, 130)])
def scan(program, element, shape):
    """Running maxima; references have the steps one after the other."""
    x, kind = program.argument(element, shape)
    carry, row = program.argument(element, shape[1:])
    name = program.name()
    if not program.is_reference:
        program.lines.append(
            f"{name}:2 = chlo.scan({x}) inits ({carry}) dimension=0 {{\n  ^bb0(%p: {row}, %q: {row}):\n    %m = "
            f"stablehlo.maximum %p, %q : {row}\n    stablehlo.return %m, %m : {row}, {row}\n  }} : ({kind}, {row}) -> "
            f"({kind}, {row})"
        )
        program.result((f"{name}#0", kind), element, shape)
        program.result((f"{name}#1", row), element, shape[1:])
        return
    part, steps = type_of(element, (1, *shape[1:])), []
    for step in range(shape[0]):
        line = f"stablehlo.slice {x} [{step}:{step + 1}, 0:{shape[1]}] : ({kind}) -> {part}"
        here, _ = program.line(line, part)
        here, _ = program.line(f"stablehlo.reshape {here} : ({part}) -> {row}", row)
        carry, _ = program.line(f"stablehlo.maximum {here}, {carry} : {row}", row)
        steps.append(program.line(f"stablehlo.reshape {carry} : ({row}) -> {part}", part)[0])
    line = f"stablehlo.concatenate {', '.join(steps)}, dim = 0 : ({', '.join([part] * len(steps))}) -> {kind}"
    program.result(program.line(line, kind), element, shape)
    program.result((carry, row), element, shape[1:])
