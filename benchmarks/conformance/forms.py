"""Operations that are others' forms, and those on quantized types.

Where the interpreter lacks a form, references have the operation that defines it. Quantized types are real numbers for
references, rounded by arithmetic where they enter and leave.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses

from elements import ALL, COMPLEX, INTEGERS, QUANTIZED, SYMMETRIC, WIDE_FLOATS, quantized_element
from operations import INDEX, MATRICES, NUMBERS, OPERATIONS, ROUNDED, SHAPES, SUMMED, VECTORS, operation
from programs import type_of

# Of each format of numbers, those whose elements are not what the specification has quantized forms of are left out.
OF_REALS = """abs add atan2 cbrt ceil clamp cosine divide exponential exponential_minus_one floor is_finite log
    log_plus_one logistic maximum minimum multiply negate optimization_barrier power reduce_precision remainder
    round_nearest_afz round_nearest_even rsqrt select sign sine sqrt subtract tan tanh iota reshape transpose
    broadcast_in_dim slice reverse concatenate pad reduce_window sort gather scatter while batch_norm_inference"""
NAMED = {"case, if", "dynamic_slice, dynamic_update_slice", "reduce add", "reduce maximum", "reduce minimum"}
PRODUCTS = {"dot_general", "convolution"}


def add_quantized():
    names = {*OF_REALS.split(), *NAMED}
    for number, each in enumerate(OPERATIONS):
        if each.name in names or (each.name.startswith("compare ") and "order" not in each.name):
            OPERATIONS[number] = dataclasses.replace(each, elements=[*each.elements, *QUANTIZED])
        elif each.name in PRODUCTS:
            OPERATIONS[number] = dataclasses.replace(each, elements=[*each.elements, *SYMMETRIC])


add_quantized()


def per_axis(storage, axis, zeros):
    """A type with a scale and a zero point for each position of a dimension."""
    scales = [(1 + position % 7) / 16 for position in range(len(zeros))]
    return quantized_element(storage, scales, zeros, axis)


def shown(program, element):
    return element.real if program.is_reference else element


@operation("uniform_quantize, uniform_dequantize per axis", QUANTIZED[:3], ROUNDED, shapes=[(7,), (3, 130), (2, 3, 5)])
def quantize_per_axis(program, element, shape):
    """To scales of the first dimension, and from these to one."""
    many = shown(program, per_axis(element.storage, 0, [position % 3 + 1 for position in range(shape[0])]))
    x, kind = program.argument(many, shape)
    program.result((x, kind), many, shape)
    out = type_of(element, shape)
    if program.is_reference:
        program.result((x, kind), element, shape)
    else:
        program.result(program.line(f"stablehlo.uniform_quantize {x} : ({kind}) -> {out}", out), element, shape)


@operation("dot_general of scales per feature", SYMMETRIC[:1], 64, shapes=MATRICES[1:])
def dot_per_axis(program, element, shape):
    zeros = [0] * shape[0]
    weights, results = (shown(program, per_axis(*each, zeros)) for each in (("i8", 0), ("i32", 1)))
    x, left = program.argument(element, shape, 0, 1)
    y, right = program.argument(weights, shape, 0, 1)
    after = (shape[0], shape[0])
    out = type_of(results, after)
    line = f"stablehlo.dot_general {x}, {y}, contracting_dims = [1] x [1] : ({left}, {right}) -> {out}"
    program.result(program.line(line, out), results, after)


@operation("dynamic_broadcast_in_dim", [*ALL, *QUANTIZED])
def dynamic_broadcast(program, element, shape):
    x, kind = program.argument(element, shape)
    after = (3, *shape)
    sizes, vector = constant(program, after)
    out = type_of(element, after)
    dims = list(range(1, len(after)))
    line = f"stablehlo.dynamic_broadcast_in_dim {x}, {sizes}, dims = {dims} : ({kind}, {vector}) -> {out}"
    program.result(program.line(line, out), element, after)


def constant(program, numbers, element="i64"):
    kind = type_of(element, (len(numbers),))
    return program.line(f"stablehlo.constant dense<{list(numbers)}> : {kind}", kind)


@operation("dynamic_iota", [*NUMBERS, *QUANTIZED], shapes=[(1,), (3,), (2, 2)])
def dynamic_iota(program, element, shape):
    kind = type_of(element, shape)
    sizes, vector = constant(program, shape)
    line = f"stablehlo.dynamic_iota {sizes}, dim = {len(shape) - 1} : ({vector}) -> {kind}"
    program.result(program.line(line, kind), element, shape)


@operation("dynamic_reshape", [*ALL, *QUANTIZED], shapes=VECTORS)
def dynamic_reshape(program, element, shape):
    x, kind = program.argument(element, shape)
    after = (*shape[::-1], 1)
    sizes, vector = constant(program, after)
    out = type_of(element, after)
    line = f"stablehlo.dynamic_reshape {x}, {sizes} : ({kind}, {vector}) -> {out}"
    program.result(program.line(line, out), element, after)


@operation("dynamic_pad", [*ALL, *QUANTIZED], shapes=VECTORS)
def dynamic_pad(program, element, shape):
    (x, kind), (by, scalar) = program.argument(element, shape), program.argument(element, ())
    after = tuple(size + 1 + max(size - 1, 0) for size in shape)
    low, interior = (constant(program, [1] * len(shape)) for _ in range(2))
    high, vector = constant(program, [0] * len(shape))
    out = type_of(element, after)
    types = f"({kind}, {scalar}, {vector}, {vector}, {vector}) -> {out}"
    line = f"stablehlo.dynamic_pad {x}, {by}, {low[0]}, {high}, {interior[0]} : {types}"
    program.result(program.line(line, out), element, after)


@operation("real_dynamic_slice", [*ALL, *QUANTIZED], shapes=VECTORS)
def real_dynamic_slice(program, element, shape):
    x, kind = program.argument(element, shape)
    starts = [min(1, size) for size in shape]
    after = tuple(-(-(size - start) // 2) for size, start in zip(shape, starts, strict=True))
    bounds = [constant(program, numbers)[0] for numbers in (starts, shape, [2] * len(shape))]
    vector, out = type_of("i64", (len(shape),)), type_of(element, after)
    line = f"stablehlo.real_dynamic_slice {x}, {', '.join(bounds)} : ({kind}, {vector}, {vector}, {vector}) -> {out}"
    if program.is_reference:
        ranges = ", ".join(f"{start}:{size}:2" for start, size in zip(starts, shape, strict=True))
        line = f"stablehlo.slice {x} [{ranges}] : ({kind}) -> {out}"
    program.result(program.line(line, out), element, after)


@operation("dynamic_gather", [*ALL, *QUANTIZED], shapes=[(5, 3), (200, 7), (9, 130)])
def dynamic_gather(program, element, shape):
    x, kind = program.argument(element, shape)
    at, indices = program.argument(INDEX, (6, 1), -1, shape[0])
    sizes, vector = constant(program, (1, shape[1]), "i32")
    after = (6, shape[1])
    out = type_of(element, after)
    line = (
        f'"stablehlo.dynamic_gather"({x}, {at}, {sizes}) {{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
        f"collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}} "
        f": ({kind}, {indices}, {vector}) -> {out}"
    )
    program.result(program.line(line, out), element, after)


@operation("dynamic_conv", [element for element in SUMMED if element.kind != "p"], 64, shapes=[(1, 4, 5, 2)])
def dynamic_conv(program, element, shape):
    x, left = program.ones(element, shape)
    kernel, right = program.ones(element, (3, 3, shape[3], 4))
    pads, padding = program.line("stablehlo.constant dense<1> : tensor<2x2xi64>", "tensor<2x2xi64>")
    after = (*shape[:3], 4)
    out = type_of(element, after)
    line = (
        f'"stablehlo.dynamic_conv"({x}, {kernel}, {pads}) {{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, '
        f"o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = "
        f"[#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}} : ({left}, {right}, {padding}) -> {out}"
    )
    program.result(program.line(line, out), element, after)


@operation("get_dimension_size", [*ALL, *QUANTIZED], shapes=VECTORS)
def get_dimension_size(program, element, shape):
    x, kind = program.argument(element, shape)
    out = type_of(INDEX, ())
    line = f"stablehlo.get_dimension_size {x}, dim = {len(shape) - 1} : ({kind}) -> {out}"
    program.result(program.line(line, out), INDEX, ())


@operation("dot", SUMMED, 64, shapes=MATRICES)
def dot(program, element, shape):
    x, left = program.ones(element, shape)
    y, right = program.ones(element, shape[::-1])
    after = (shape[0], shape[0])
    out = type_of(element, after)
    line = f"stablehlo.dot {x}, {y}, precision = [HIGHEST, HIGHEST] : ({left}, {right}) -> {out}"
    if program.is_reference:
        line = f"stablehlo.dot_general {x}, {y}, contracting_dims = [1] x [0] : ({left}, {right}) -> {out}"
    program.result(program.line(line, out), element, after)


@operation("einsum", SUMMED, 64, shapes=[(2, *shape) for shape in MATRICES])
def einsum(program, element, shape):
    """A batch, a sum, and results in another order."""
    (x, left), (y, right) = program.ones(element, shape), program.ones(element, shape)
    after = (shape[1], shape[1], shape[0])
    out = type_of(element, after)
    if program.is_reference:
        product = type_of(element, after[::-1])
        line = f"stablehlo.dot_general {x}, {y}, batching_dims = [0] x [0], contracting_dims = [2] x [2]"
        name, _ = program.line(f"{line} : ({left}, {right}) -> {product}", product)
        line = f"stablehlo.transpose {name}, dims = [2, 1, 0] : ({product}) -> {out}"
    else:
        line = f'stablehlo.einsum {x}, {y}, config = "abc,adc->dba" : ({left}, {right}) -> {out}'
    program.result(program.line(line, out), element, after)


@operation("unary_einsum", [*INTEGERS, *COMPLEX, *WIDE_FLOATS], 64, shapes=MATRICES)
def unary_einsum(program, element, shape):
    x, kind = program.ones(element, shape)
    out = type_of(element, shape[:1])
    line = f'"stablehlo.unary_einsum"({x}) <{{einsum_config = "ab->a"}}> : ({kind}) -> {out}'
    if program.is_reference:
        number = {"c": "(0.0, 0.0)", "f": "0.0"}.get(element.kind, "0")
        scalar = type_of(element, ())
        zero, _ = program.line(f"stablehlo.constant dense<{number}> : {scalar}", scalar)
        line = (
            f"stablehlo.reduce({x} init: {zero}) applies stablehlo.add across dimensions = [1] "
            f": ({kind}, {scalar}) -> {out}"
        )
    program.result(program.line(line, out), element, shape[:1])


@operation("broadcast", [*ALL, *QUANTIZED], shapes=SHAPES)
def broadcast_sizes(program, element, shape):
    x, kind = program.argument(element, shape)
    after = (2, 3, *shape)
    out = type_of(element, after)
    line = f"stablehlo.broadcast {x}, sizes = [2, 3] : ({kind}) -> {out}"
    if program.is_reference:
        dims = list(range(2, len(after)))
        line = f"stablehlo.broadcast_in_dim {x}, dims = {dims} : ({kind}) -> {out}"
    program.result(program.line(line, out), element, after)


@operation("torch_index_select", ALL, shapes=[(5, 3), (200, 7), (9, 130)])
def torch_index_select(program, element, shape):
    x, kind = program.argument(element, shape)
    at, indices = program.argument(INDEX, (6,), 0, shape[0] - 1)
    after = (6, shape[1])
    out = type_of(element, after)
    line = f'"stablehlo.torch_index_select"({x}, {at}) <{{dim = 0 : i64, batch_dims = 0 : i64}}>'
    if program.is_reference:
        line = (
            f'"stablehlo.gather"({x}, {at}) {{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
            f"collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
            f"array<i64: 1, {shape[1]}>, indices_are_sorted = false}}"
        )
    program.result(program.line(f"{line} : ({kind}, {indices}) -> {out}", out), element, after)
