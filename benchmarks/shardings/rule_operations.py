"""Functions of one operation on random shapes, as text: elementwise ones, and those that move elements.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math

from operation_text import SIZES, call, function, ints, operation, reducer, shape, tensor

UNARY = ["abs", "cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log", "log_plus_one",
         "logistic", "negate", "round_nearest_afz", "round_nearest_even", "rsqrt", "sign", "sine", "sqrt", "tan",
         "tanh"]
BINARY = ["add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder", "subtract"]
INTEGER_BINARY = ["and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical"]


@operation(*UNARY)
def unary(rng, name):
    kind = tensor(shape(rng))
    return call(name, [kind], [kind])


@operation(*BINARY)
def binary(rng, name):
    kind = tensor(shape(rng))
    return call(name, [kind, kind], [kind])


@operation(*INTEGER_BINARY)
def integer_binary(rng, name):
    kind = tensor(shape(rng), "i32")
    return call(name, [kind, kind], [kind])


@operation("count_leading_zeros", "not", "popcnt")
def integer_unary(rng, name):
    kind = tensor(shape(rng), "i32")
    return call(name, [kind], [kind])


@operation("compare")
def compare(rng):
    sizes = shape(rng)
    return call("compare", [tensor(sizes)] * 2, [tensor(sizes, "i1")],
                "comparison_direction = #stablehlo<comparison_direction LT>")


@operation("complex")
def complex_(rng):
    sizes = shape(rng)
    return call("complex", [tensor(sizes)] * 2, [tensor(sizes, "complex<f32>")])


@operation("real", "imag")
def part(rng, name):
    sizes = shape(rng)
    return call(name, [tensor(sizes, "complex<f32>")], [tensor(sizes)])


@operation("convert")
def convert(rng):
    sizes = shape(rng)
    return call("convert", [tensor(sizes)], [tensor(sizes, rng.choice(["i32", "bf16", "i1"]))])


@operation("is_finite")
def is_finite(rng):
    sizes = shape(rng)
    return call("is_finite", [tensor(sizes)], [tensor(sizes, "i1")])


@operation("reduce_precision")
def reduce_precision(rng):
    kind = tensor(shape(rng))
    return call("reduce_precision", [kind], [kind], "exponent_bits = 5 : i32, mantissa_bits = 10 : i32")


@operation("bitcast_convert")
def bitcast_convert(rng):
    sizes = shape(rng)
    wide, narrow = tensor(sizes, "i32"), tensor([*sizes, 2], "i16")
    pair = rng.choice([(wide, tensor(sizes)), (wide, narrow), (narrow, wide)])
    return call("bitcast_convert", [pair[0]], [pair[1]])


@operation("select")
def select(rng):
    sizes = shape(rng)
    predicate = tensor(rng.choice([sizes, []]), "i1")
    return call("select", [predicate, tensor(sizes), tensor(sizes)], [tensor(sizes)])


@operation("clamp")
def clamp(rng):
    sizes = shape(rng)
    return call("clamp", [tensor(rng.choice([sizes, []])), tensor(sizes), tensor(rng.choice([sizes, []]))],
                [tensor(sizes)])


@operation("constant")
def constant(rng):
    kind = tensor(shape(rng))
    return call("constant", [], [kind], f"value = dense<1.0> : {kind}")


@operation("iota")
def iota(rng):
    sizes = shape(rng, 1)
    return call("iota", [], [tensor(sizes)], f"iota_dimension = {rng.randrange(len(sizes))} : i64")


@operation("broadcast_in_dim")
def broadcast_in_dim(rng):
    result = shape(rng)
    dims = sorted(rng.sample(range(len(result)), rng.randint(0, len(result))))
    rng.random() < 0.2 and rng.shuffle(dims)
    sizes = [result[d] if rng.random() < 0.7 else 1 for d in dims]
    return call("broadcast_in_dim", [tensor(sizes)], [tensor(result)], f"broadcast_dimensions = {ints(dims)}")


@operation("reshape")
def reshape(rng):
    factors = [rng.choice([1, 2, 2, 3, 4, 5, 6]) for _ in range(rng.randint(0, 6))]

    def grouped(factors):
        sizes, place = [], 0
        while place < len(factors):
            count = rng.randint(1, 3)
            sizes.append(math.prod(factors[place : place + count]))
            place += count
        return sizes

    other = list(factors)
    rng.random() < 0.5 and rng.shuffle(other)
    return call("reshape", [tensor(grouped(factors))], [tensor(grouped(other))])


@operation("transpose")
def transpose(rng):
    sizes = shape(rng)
    order = rng.sample(range(len(sizes)), len(sizes))
    return call("transpose", [tensor(sizes)], [tensor([sizes[d] for d in order])], f"permutation = {ints(order)}")


@operation("reverse")
def reverse(rng):
    sizes = shape(rng)
    dims = sorted(rng.sample(range(len(sizes)), rng.randint(0, len(sizes))))
    return call("reverse", [tensor(sizes)], [tensor(sizes)], f"dimensions = {ints(dims)}")


@operation("slice")
def slice_(rng):
    sizes = shape(rng)
    starts = [rng.choice([0, rng.randrange(size)]) for size in sizes]
    limits = [rng.choice([size, rng.randint(start, size)]) for start, size in zip(starts, sizes)]
    strides = [rng.choice([1, 1, 2]) for _ in sizes]
    result = [-(-(limit - start) // stride) for start, limit, stride in zip(starts, limits, strides)]
    return call("slice", [tensor(sizes)], [tensor(result)], f"start_indices = {ints(starts)}, "
                f"limit_indices = {ints(limits)}, strides = {ints(strides)}")


@operation("pad")
def pad(rng):
    sizes = shape(rng)
    low, high = ([rng.choice([0, 0, 1, 3]) for _ in sizes] for _ in range(2))
    interior = [rng.choice([0, 0, 1]) for _ in sizes]
    result = [a + b + size + c * (size - 1) for a, b, c, size in zip(low, high, interior, sizes)]
    return call("pad", [tensor(sizes), tensor([])], [tensor(result)], f"edge_padding_low = {ints(low)}, "
                f"edge_padding_high = {ints(high)}, interior_padding = {ints(interior)}")


@operation("concatenate")
def concatenate(rng):
    sizes = shape(rng, 1)
    dim = rng.randrange(len(sizes))
    if rng.random() < 0.5:
        # Of slices, as jax.numpy.roll makes them.
        kind, half = tensor(sizes), list(sizes)
        half[dim] = max(1, sizes[dim] // 2)
        result = list(sizes)
        result[dim] = 2 * half[dim]
        ranges = ", ".join(f"0:{size}" for size in half)
        lines = [f"%b{i} = stablehlo.slice %a [{ranges}] : ({kind}) -> {tensor(half)}" for i in range(2)]
        operands = ["%b0", rng.choice(["%b1", "%b0"])]
        kinds = [tensor(half)] * 2
        if rng.random() < 0.5:
            operands.append("%a")
            kinds.append(kind)
            result[dim] += sizes[dim]
        lines.append(f'%r = "stablehlo.concatenate"({", ".join(operands)}) <{{dimension = {dim} : i64}}> : '
                     f"({', '.join(kinds)}) -> {tensor(result)}")
        return function([kind], [tensor(result)], lines)
    parts = [[*sizes[:dim], rng.choice(SIZES), *sizes[dim + 1 :]] for _ in range(rng.randint(1, 3))]
    sizes[dim] = sum(part[dim] for part in parts)
    return call("concatenate", [tensor(part) for part in parts], [tensor(sizes)], f"dimension = {dim} : i64")


@operation("dynamic_slice")
def dynamic_slice(rng):
    sizes = shape(rng)
    result = [rng.choice([size, rng.randint(1, size)]) for size in sizes]
    return call("dynamic_slice", [tensor(sizes)] + [tensor([], "i32")] * len(sizes), [tensor(result)],
                f"slice_sizes = {ints(result)}")


@operation("dynamic_update_slice")
def dynamic_update_slice(rng):
    sizes = shape(rng)
    update = [rng.choice([size, rng.randint(1, size)]) for size in sizes]
    if rng.random() < 0.3:
        lines = ["%i = stablehlo.constant dense<0> : tensor<i32>"]
        kinds = ", ".join([tensor(sizes), tensor(update)] + ["tensor<i32>"] * len(sizes))
        lines.append(f'%r = "stablehlo.dynamic_update_slice"({", ".join(["%a", "%b"] + ["%i"] * len(sizes))}) : '
                     f"({kinds}) -> {tensor(sizes)}")
        return function([tensor(sizes), tensor(update)], [tensor(sizes)], lines)
    return call("dynamic_update_slice", [tensor(sizes), tensor(update)] + [tensor([], "i32")] * len(sizes),
                [tensor(sizes)])


def windows(rng):
    """Of an array and windows at listed positions of it the sizes and which dimensions are which."""
    sizes = shape(rng, 1)
    dims = list(range(len(sizes)))
    rng.shuffle(dims)
    collapsed = sorted(dims.pop() for _ in range(rng.randint(0, len(dims))))
    batching = [dims.pop() for _ in range(rng.randint(0, min(1, len(dims))))]
    kept = [d for d in range(len(sizes)) if d not in collapsed and d not in batching]
    window = [rng.choice([sizes[d], rng.randint(1, sizes[d])]) if d in kept else 1 for d in range(len(sizes))]
    mapped = rng.sample([d for d in range(len(sizes)) if d not in batching],
                        rng.randint(len(collapsed), len(sizes) - len(batching)))
    batch = [sizes[d] for d in batching] + shape(rng, 0, 2)
    vector = rng.randint(0, len(batch))
    indices = [*batch[:vector], len(mapped), *batch[vector:]]
    if len(mapped) == 1 and rng.random() < 0.5:
        vector, indices = len(batch), batch
    index_batching = [0 if vector > 0 else 1] if batching else []
    rank = len(batch) + len(kept)
    offsets = sorted(rng.sample(range(rank), len(kept)))
    of_kept, of_batch = iter([window[d] for d in kept]), iter(batch)
    result = [next(of_kept if d in offsets else of_batch) for d in range(rank)]
    return sizes, indices, result, window, offsets, collapsed, batching, index_batching, mapped, vector


@operation("gather")
def gather(rng):
    sizes, indices, result, window, offsets, collapsed, batching, index_batching, mapped, vector = windows(rng)
    numbers = (f"offset_dims = {offsets}, collapsed_slice_dims = {collapsed}, operand_batching_dims = {batching}, "
               f"start_indices_batching_dims = {index_batching}, start_index_map = {mapped}, "
               f"index_vector_dim = {vector}")
    return call("gather", [tensor(sizes), tensor(indices, "i32")], [tensor(result)],
                f"dimension_numbers = #stablehlo.gather<{numbers}>, slice_sizes = {ints(window)}, "
                "indices_are_sorted = false")


@operation("scatter")
def scatter(rng):
    sizes, indices, updates, _, offsets, collapsed, batching, index_batching, mapped, vector = windows(rng)
    numbers = (f"update_window_dims = {offsets}, inserted_window_dims = {collapsed}, "
               f"input_batching_dims = {batching}, scatter_indices_batching_dims = {index_batching}, "
               f"scatter_dims_to_operand_dims = {mapped}, index_vector_dim = {vector}")
    inputs = rng.choice([1, 1, 2])
    dtype = rng.choice(["f32", "i32"])
    combine = rng.choice(["add", "maximum", "subtract", "multiply"] if dtype == "f32" else ["and", "or", "minimum"])
    kinds = [tensor(sizes, dtype)] * inputs + [tensor(indices, "i32")] + [tensor(updates, dtype)] * inputs
    return call("scatter", kinds, [tensor(sizes, dtype)] * inputs,
                f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, indices_are_sorted = false, "
                "unique_indices = false", reducer(combine, inputs, dtype, rng.random() < 0.3))
