"""Operations of StableHLO that call, group, or concern several devices, and those with a second definition elsewhere.

The reference interpreter has no collectives for one program, and no tuples; over one device these are the identity,
which references have instead.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np

from elements import ALL, PREDICATE, QUANTIZED, UNSIGNED, WIDE_FLOATS
from forms import OPERATIONS
from operations import INDEX, NUMBERS, SHAPES, SUMMED, VECTORS, operation
from programs import type_of

__all__ = ["OPERATIONS"]
BITS = [element for element in UNSIGNED if element.bits in (32, 64)]
ONE_DEVICE = "replica_groups = dense<0> : tensor<1x1xi64>"


def body_of(name, scalar):
    return (
        f"({{\n  ^bb0(%p: {scalar}, %q: {scalar}):\n    %m = stablehlo.{name} %p, %q : {scalar}\n    "
        f"stablehlo.return %m : {scalar}\n  }})"
    )


@operation("map", NUMBERS, units=1, shapes=SHAPES)
def map_elements(program, element, shape):
    (x, kind), (y, _) = program.argument(element, shape), program.argument(element, shape)
    dims = f"array<i64: {', '.join(map(str, range(len(shape))))}>" if shape else "array<i64>"
    line = f'"stablehlo.map"({x}, {y}) <{{dimensions = {dims}}}> {body_of("subtract", type_of(element, ()))}'
    program.result(program.line(f"{line} : ({kind}, {kind}) -> {kind}", kind), element, shape)


@operation("if", [*ALL, *QUANTIZED], shapes=SHAPES)
def branch(program, element, shape):
    """Both ways."""
    (x, kind), (y, _) = program.argument(element, shape), program.argument(element, shape)
    for value in (0, 1):
        mask, scalar = program.argument(PREDICATE, (), value, value)
        which, _ = program.line(f"stablehlo.constant dense<{str(bool(value)).lower()}> : {scalar}", scalar)
        both, _ = program.line(f"stablehlo.and {mask}, {which} : {scalar}", scalar)
        line = (
            f'"stablehlo.if"({both}) ({{\n    stablehlo.return {x} : {kind}\n  }}, {{\n    stablehlo.return {y} : '
            f"{kind}\n  }}) : ({scalar}) -> {kind}"
        )
        program.result(program.line(line, kind), element, shape)


def difference_function(program, element, shape):
    """The name of a function of the program that subtracts."""
    name, kind = f"difference{len(program.functions)}", type_of(element, shape)
    program.functions.append(
        f"func.func private @{name}(%p: {kind}, %q: {kind}) -> {kind} {{\n  %m = stablehlo.subtract %p, %q : {kind}\n"
        f"  return %m : {kind}\n}}\n"
    )
    return name


@operation("call", NUMBERS, units=1, shapes=SHAPES)
def call(program, element, shape):
    (x, kind), (y, _) = program.argument(element, shape), program.argument(element, shape)
    name = difference_function(program, element, shape)
    program.result(program.line(f"func.call @{name}({x}, {y}) : ({kind}, {kind}) -> {kind}", kind), element, shape)


@operation("composite", NUMBERS, units=1, shapes=SHAPES)
def composite(program, element, shape):
    (x, kind), (y, _) = program.argument(element, shape), program.argument(element, shape)
    name = difference_function(program, element, shape)
    line = f'stablehlo.composite "test.difference" {x}, {y} {{decomposition = @{name}}} : ({kind}, {kind}) -> {kind}'
    program.result(program.line(line, kind), element, shape)


@operation("tuple, get_tuple_element", [*ALL, *QUANTIZED], shapes=SHAPES)
def pair(program, element, shape):
    (x, kind), (y, _) = program.argument(element, shape), program.argument(element, shape)
    if program.is_reference:
        program.result((y, kind), element, shape)
        return
    pair, both = program.line(f"stablehlo.tuple {x}, {y} : tuple<{kind}, {kind}>", f"tuple<{kind}, {kind}>")
    line = f"stablehlo.get_tuple_element {pair}[1] : ({both}) -> {kind}"
    program.result(program.line(line, kind), element, shape)


@operation("create_token, after_all", [*ALL, *QUANTIZED], shapes=SHAPES)
def tokens(program, element, shape):
    """In a barrier with what is returned."""
    x, kind = program.argument(element, shape)
    if program.is_reference:
        program.result((x, kind), element, shape)
        return
    token, of_token = program.line("stablehlo.create_token : !stablehlo.token", "!stablehlo.token")
    after, _ = program.line(f"stablehlo.after_all {token}, {token} : {of_token}", of_token)
    name = program.name()
    program.lines.append(f"{name}:2 = stablehlo.optimization_barrier {x}, {after} : {kind}, {of_token}")
    program.result((f"{name}#0", kind), element, shape)


def over_one_device(name, elements, line_of, shapes=VECTORS):
    """Registers a collective; `line_of` is its text after the operand, of the element type's scalar."""

    def add(program, element, shape):
        x, kind = program.argument(element, shape)
        if not program.is_reference:
            text = f'"stablehlo.{name}"({x}) {line_of(type_of(element, ()))} : ({kind}) -> {kind}'
            x, _ = program.line(text, kind)
        program.result((x, kind), element, shape)

    operation(name, elements, shapes=shapes)(add)


# An empty array is refused as what is gathered or scattered.
SIZED = [shape for shape in VECTORS if 0 not in shape]
over_one_device("all_gather", ALL, lambda _: f"<{{all_gather_dim = 0 : i64, {ONE_DEVICE}}}>", shapes=SIZED)
EXCHANGE = "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64"
over_one_device("all_to_all", ALL, lambda _: f"<{{{EXCHANGE}, {ONE_DEVICE}}}>")
over_one_device("collective_broadcast", ALL, lambda _: f"<{{{ONE_DEVICE}}}>")
over_one_device("collective_permute", ALL, lambda _: "<{source_target_pairs = dense<0> : tensor<1x2xi64>}>")
over_one_device("cross-replica-sum", SUMMED, lambda _: f"<{{{ONE_DEVICE}}}>")
over_one_device("all_reduce", SUMMED, lambda scalar: f"<{{{ONE_DEVICE}}}> {body_of('add', scalar)}")
over_one_device("collective_reduce", SUMMED, lambda scalar: f"<{{{ONE_DEVICE}}}> {body_of('add', scalar)}")
over_one_device(
    "reduce_scatter",
    SUMMED,
    lambda scalar: f"<{{scatter_dimension = 0 : i64, {ONE_DEVICE}}}> {body_of('add', scalar)}",
    shapes=SIZED,
)


@operation("async_start, async_done", ALL, shapes=SIZED)
def asynchronous(program, element, shape):
    x, kind = program.argument(element, shape)
    if program.is_reference:
        program.result((x, kind), element, shape)
        return
    future = f"!stablehlo.future<{kind}>"
    start, _ = program.line(
        f'"stablehlo.async_start"({x}) ({{\n  ^bb0(%p: {kind}):\n    %m = "stablehlo.all_gather"(%p) <{{all_gather_dim '
        f"= 0 : i64, {ONE_DEVICE}}}> : ({kind}) -> {kind}\n    stablehlo.return %m : {kind}\n  }}) : ({kind}) -> "
        f"{future}",
        future,
    )
    line = f'"stablehlo.async_done"({start}) : ({future}) -> {kind}'
    program.result(program.line(line, kind), element, shape)


@operation("partition_id, replica_id", [BITS[0]], shapes=[()])
def device(program, element, shape):
    """Of one device both are 0."""
    kind = type_of(element, shape)
    for name in ("partition_id", "replica_id"):
        text = "constant dense<0>" if program.is_reference else name
        program.result(program.line(f"stablehlo.{text} : {kind}", kind), element, shape)


def random_bits(algorithm, words):
    def add(program, element, shape):
        state, states = program.argument(BITS[1], (words,))
        out, name = type_of(element, shape), program.name()
        program.lines.append(
            f"{name}:2 = stablehlo.rng_bit_generator {state}, algorithm = {algorithm} : ({states}) -> ({states}, {out})"
        )
        program.result((f"{name}#1", out), element, shape)
        program.result((f"{name}#0", states), BITS[1], (words,))

    return add


for algorithm, words in (("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3)):
    name = f"rng_bit_generator {algorithm} {words}"
    operation(name, BITS, shapes=[(7,), (129,), (3, 130)])(random_bits(algorithm, words))


@operation("select_and_scatter", [element for element in SUMMED if element.kind in "suf"], 4, shapes=[(8,), (6, 130)])
def select_and_scatter(program, element, shape):
    """Windows that do not overlap, of elements that differ."""
    x, kind = program.argument(element, shape, 0, 3)
    after = tuple(size // 2 for size in shape)
    y, source = program.argument(element, after, 1, 2)
    start, scalar = program.argument(element, (), 0, 0)
    rank = len(shape)
    twos = f"array<i64: {', '.join(['2'] * rank)}>"
    line = (
        f'"stablehlo.select_and_scatter"({x}, {y}, {start}) <{{window_dimensions = {twos}, window_strides = {twos}}}> '
        f"({{\n  ^bb0(%p: {scalar}, %q: {scalar}):\n    %m = stablehlo.compare GE, %p, %q : ({scalar}, {scalar}) -> "
        f"tensor<i1>\n    stablehlo.return %m : tensor<i1>\n  }}, {body_of('add', scalar)[1:-1]}) "
        f": ({kind}, {source}, {scalar}) -> {kind}"
    )
    program.result(program.line(line, kind), element, shape)


@operation("set_dimension_size", [element for element in ALL if element.kind in "suf"], shapes=[(7,), (9, 130)])
def set_dimension_size(program, element, shape):
    """The largest elements of a part; references have a slice of it."""
    x, kind = program.argument(element, shape, 0, 3)
    start, scalar = program.argument(element, (), 0, 0)
    size, of_size = program.argument(INDEX, (), shape[0] - 3, shape[0] - 3)
    rest = "".join(f"x{size}" for size in shape[1:])
    if program.is_reference:
        part = type_of(element, (shape[0] - 3, *shape[1:]))
        ranges = ", ".join(f"0:{size}" for size in (shape[0] - 3, *shape[1:]))
        x, part = program.line(f"stablehlo.slice {x} [{ranges}] : ({kind}) -> {part}", part)
    else:
        bounds = ", ".join([str(shape[0]), *("?" for _ in shape[1:])])
        part = f"tensor<?{rest}x{element.name}, #stablehlo.bounds<{bounds}>>"
        line = f"stablehlo.set_dimension_size {x}, {size}, dim = 0 : ({kind}, {of_size}) -> {part}"
        x, part = program.line(line, part)
    out = type_of(element, shape[1:])
    line = f"stablehlo.reduce({x} init: {start}) applies stablehlo.maximum across dimensions = [0]"
    program.result(program.line(f"{line} : ({part}, {scalar}) -> {out}", out), element, shape[1:])


EPSILON = float(np.float32(0.01))


def normalize(x, scale, offset):
    """Of the last dimension's features, with their means and variances."""
    others = tuple(range(x.ndim - 1))
    mean, variance = x.mean(others), x.var(others)
    return (x - mean) / np.sqrt(variance + EPSILON) * scale + offset, mean, variance


def normalize_gradients(x, scale, mean, variance, gradient):
    """Of the operand, the scale and the offset, by the specification's formula."""
    others, deviation = tuple(range(x.ndim - 1)), np.sqrt(variance + EPSILON)
    normalized = (x - mean) / deviation
    of_scale, of_offset = (gradient * normalized).sum(others), gradient.sum(others)
    count = x.size // x.shape[-1]
    return scale / deviation / count * (count * gradient - of_offset - normalized * of_scale), of_scale, of_offset


def batch_norm(name, operands, results, exact):
    """Registers a batch normalization of several results, of which the first has the operand's shape."""

    def add(program, element, shape):
        x, kind = program.argument(element, shape, 0, 2)
        vector = type_of(element, shape[-1:])
        values, kinds = [x], [kind]
        for number in range(operands):
            # Offsets are too large for results near zero, which would be differences of large numbers.
            low, high = (5, 7) if operands == 2 and number == 1 else (0.5, 2)
            values.append(program.argument(element, shape[-1:], low, high)[0])
            kinds.append(vector)
        if operands == 3:
            values.append(program.argument(element, shape, 0.5, 2)[0])
            kinds.append(kind)
        outs = [kind, *[vector] * (results - 1)]
        result = program.name()
        program.lines.append(
            f'{result}:{results} = "stablehlo.{name}"({", ".join(values)}) {{epsilon = 0.01 : f32, feature_index = '
            f"{len(shape) - 1} : i64}} : ({', '.join(kinds)}) -> ({', '.join(outs)})"
        )
        for number, out in enumerate(outs):
            program.result((f"{result}#{number}", out), element, shape if number == 0 else shape[-1:])

    operation(name, WIDE_FLOATS, 256, shapes=[(4, 3), (2, 5, 7)], exact=exact)(add)


batch_norm("batch_norm_training", 2, 3, normalize)
batch_norm("batch_norm_grad", 3, 3, normalize_gradients)
