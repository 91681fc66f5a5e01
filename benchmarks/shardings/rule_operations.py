"""Functions of one operation on random shapes, as text: of every StableHLO operation.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math

GENERATORS = {}
SIZES = [1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 12, 16, 24, 30, 64]


def operation(*names):
    def register(make):
        for name in names:
            GENERATORS[name] = (lambda rng, name=name: make(rng, name)) if len(names) > 1 else make
        return make

    return register


def shape(rng, low=0, high=4, sizes=SIZES):
    return [rng.choice(sizes) for _ in range(rng.randint(low, high))]


def tensor(sizes, dtype="f32"):
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{dtype}>"


def ints(values):
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def function(arguments, results, lines, returned=None):
    """Results of the last operation are %r, or %r#0 on."""
    named = ", ".join(f"%{chr(97 + i)}: {kind}" for i, kind in enumerate(arguments))
    if returned is None:
        returned = ["%r"] if len(results) == 1 else [f"%r#{i}" for i in range(len(results))]
    body = "\n".join(f"  {line}" for line in lines)
    kinds = ", ".join(results)
    return f"({named}) -> ({kinds}) {{\n{body}\n  return {', '.join(returned)} : {kinds}\n}}"


def call(name, arguments, results, attributes="", region="", prefix=()):
    """A function of one operation in MLIR's generic form."""
    operands = ", ".join(f"%{chr(97 + i)}" for i in range(len(arguments)))
    left = "%r" if len(results) == 1 else f"%r:{len(results)}"
    text = f'{left} = "stablehlo.{name}"({operands})'
    text += f" <{{{attributes}}}>" if attributes else ""
    text += f" ({region})" if region else ""
    kinds = ", ".join(results)
    return function(arguments, results, [*prefix, f"{text} : ({', '.join(arguments)}) -> ({kinds})"])


def reducer(combine="add", inputs=1, dtype="f32", swapped=False):
    names = [f"x{i}" for i in range(2 * inputs)]
    arguments = ", ".join(f"%{name}: tensor<{dtype}>" for name in names)
    pairs = [(names[i], names[i + inputs]) for i in range(inputs)]
    lines = []
    for i, (x, y) in enumerate(pairs):
        x, y = (y, x) if swapped else (x, y)
        lines.append(f"%s{i} = stablehlo.{combine} %{x}, %{y} : tensor<{dtype}>")
    returned = ", ".join(f"%s{i}" for i in range(inputs)) + " : " + ", ".join([f"tensor<{dtype}>"] * inputs)
    return f"{{\n  ^bb0({arguments}):\n    " + "\n    ".join(lines) + f"\n    stablehlo.return {returned}\n  }}"


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


@operation("dot_general")
def dot_general(rng):
    batch, contracted, left, right = (shape(rng, 0, 2) for _ in range(4))

    def operand(free):
        sizes = batch + contracted + free
        order = rng.sample(range(len(sizes)), len(sizes))
        place = {d: i for i, d in enumerate(order)}
        rest = [d for d in order if d >= len(batch) + len(contracted)]
        return ([sizes[d] for d in order], [place[d] for d in range(len(batch))],
                [place[len(batch) + d] for d in range(len(contracted))], [sizes[d] for d in rest])

    lhs, lhs_batch, lhs_contracted, lhs_free = operand(left)
    rhs, rhs_batch, rhs_contracted, rhs_free = operand(right)
    return call("dot_general", [tensor(lhs), tensor(rhs)], [tensor(batch + lhs_free + rhs_free)],
                f"dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {lhs_batch}, "
                f"rhs_batching_dimensions = {rhs_batch}, lhs_contracting_dimensions = {lhs_contracted}, "
                f"rhs_contracting_dimensions = {rhs_contracted}>")


@operation("dot")
def dot(rng):
    size = rng.choice(SIZES)
    lhs, rhs = shape(rng, 0, 1), shape(rng, 0, 1)
    return call("dot", [tensor([*lhs, size]), tensor([size, *rhs])], [tensor(lhs + rhs)])


@operation("convolution")
def convolution(rng):
    spatial = rng.randint(0, 3)
    feature_groups, batch_groups = rng.choice([(1, 1), (1, 1), (2, 1), (4, 1), (1, 2)])
    inputs, outputs = rng.choice([1, 3, 4, 8]), rng.choice([1, 2, 4, 6]) * feature_groups * batch_groups
    batch = rng.choice([1, 2, 4, 6]) * batch_groups
    image = [rng.choice([4, 8, 9, 16, 30]) for _ in range(spatial)]
    kernel = [rng.choice([1, 2, 3, 4]) if rng.random() < 0.8 else size for size in image]
    low, high = ([rng.choice([0, 1]) for _ in image] for _ in range(2))
    strides = [rng.choice([1, 1, 2]) for _ in image]
    result = [(size + a + b - taps) // stride + 1 for size, taps, a, b, stride in
              zip(image, kernel, low, high, strides)]

    def ordered(names, sizes):
        order = rng.sample(range(len(names)), len(names))
        return [names[d] for d in order], [sizes[d] for d in order]

    lhs_names, lhs = ordered(["b", "f", *map(str, range(spatial))], [batch, inputs * feature_groups, *image])
    rhs_names, rhs = ordered(["i", "o", *map(str, range(spatial))], [inputs, outputs, *kernel])
    out_names, out = ordered(["b", "f", *map(str, range(spatial))], [batch // batch_groups, outputs, *result])
    numbers = f"[{', '.join(lhs_names)}]x[{', '.join(rhs_names)}]->[{', '.join(out_names)}]"
    padding = f"dense<{[list(pair) for pair in zip(low, high)]}>" if spatial else "dense<>"
    return call("convolution", [tensor(lhs), tensor(rhs)], [tensor(out)],
                f"dimension_numbers = #stablehlo.conv<{numbers}>, window_strides = {ints(strides)}, "
                f"padding = {padding} : tensor<{spatial}x2xi64>, feature_group_count = {feature_groups} : i64, "
                f"batch_group_count = {batch_groups} : i64")


@operation("reduce")
def reduce(rng):
    sizes, inputs = shape(rng), rng.choice([1, 1, 2])
    dims = sorted(rng.sample(range(len(sizes)), rng.randint(0, len(sizes))))
    result = [size for d, size in enumerate(sizes) if d not in dims]
    return call("reduce", [tensor(sizes)] * inputs + [tensor([])] * inputs, [tensor(result)] * inputs,
                f"dimensions = {ints(dims)}", reducer("add", inputs))


def sliding(rng):
    sizes = shape(rng, 1)
    window = [rng.choice([1, min(2, size), size]) for size in sizes]
    strides = [rng.choice([1, 1, 2]) for _ in sizes]
    padding = [[rng.choice([0, 0, 1]) for _ in range(2)] for _ in sizes]
    result = [(size + low + high - taps) // stride + 1 for size, taps, stride, (low, high) in
              zip(sizes, window, strides, padding)]
    attributes = f"window_dimensions = {ints(window)}"
    if any(stride > 1 for stride in strides) or rng.random() < 0.5:
        attributes += f", window_strides = {ints(strides)}"
    if any(map(any, padding)) or rng.random() < 0.5:
        attributes += f", padding = dense<{padding}> : tensor<{len(sizes)}x2xi64>"
    return sizes, result, attributes


@operation("reduce_window")
def reduce_window(rng):
    sizes, result, attributes = sliding(rng)
    inputs = rng.choice([1, 1, 2])
    return call("reduce_window", [tensor(sizes)] * inputs + [tensor([])] * inputs, [tensor(result)] * inputs,
                attributes, reducer("maximum", inputs))


@operation("select_and_scatter")
def select_and_scatter(rng):
    sizes, result, attributes = sliding(rng)
    chosen = ("{\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, "
              "tensor<f32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }")
    return call("select_and_scatter", [tensor(sizes), tensor(result), tensor([])], [tensor(sizes)], attributes,
                f"{chosen}, {reducer()}")


@operation("sort")
def sort(rng):
    sizes, inputs = shape(rng, 1), rng.choice([1, 2])
    arguments = ", ".join(f"%x{i}: tensor<f32>" for i in range(2 * inputs))
    body = (f"{{\n  ^bb0({arguments}):\n    %p = stablehlo.compare LT, %x0, %x1 : (tensor<f32>, tensor<f32>) -> "
            "tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }")
    return call("sort", [tensor(sizes)] * inputs, [tensor(sizes)] * inputs,
                f"dimension = {rng.randrange(len(sizes))} : i64, is_stable = true", body)


@operation("rng_bit_generator")
def rng_bit_generator(rng):
    state = tensor([2], "ui64")
    return call("rng_bit_generator", [state], [state, tensor(shape(rng), "ui32")],
                "rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>")


@operation("rng")
def rng_(rng):
    sizes = shape(rng, 1)
    lines = [f"%n = stablehlo.constant dense<{sizes}> : tensor<{len(sizes)}xi64>",
             f'%r = "stablehlo.rng"(%a, %b, %n) <{{rng_distribution = #stablehlo<rng_distribution UNIFORM>}}> : '
             f"(tensor<f32>, tensor<f32>, tensor<{len(sizes)}xi64>) -> {tensor(sizes)}"]
    return function([tensor([])] * 2, [tensor(sizes)], lines)


@operation("cholesky")
def cholesky(rng):
    kind = tensor([*shape(rng, 0, 2), *[rng.choice(SIZES)] * 2])
    return call("cholesky", [kind], [kind], "lower = true")


@operation("triangular_solve")
def triangular_solve(rng):
    batch, size, other = shape(rng, 0, 2), rng.choice(SIZES), rng.choice(SIZES)
    left = rng.random() < 0.5
    b = tensor([*batch, size, other] if left else [*batch, other, size])
    return call("triangular_solve", [tensor([*batch, size, size]), b], [b],
                f"left_side = {str(left).lower()}, lower = true, unit_diagonal = false, transpose_a = "
                f"#stablehlo<transpose {rng.choice(['NO_TRANSPOSE', 'TRANSPOSE', 'ADJOINT'])}>")


@operation("fft")
def fft(rng):
    sizes = shape(rng, 1, 4, [2, 4, 6, 8, 16])
    lengths = sizes[-rng.randint(1, min(3, len(sizes))) :]
    if rng.random() < 0.5:
        result = tensor([*sizes[:-1], sizes[-1] // 2 + 1], "complex<f32>")
        return call("fft", [tensor(sizes)], [result], f"fft_type = #stablehlo<fft_type RFFT>, "
                    f"fft_length = {ints(lengths)}")
    kind = tensor(sizes, "complex<f32>")
    return call("fft", [kind], [kind], f"fft_type = #stablehlo<fft_type FFT>, fft_length = {ints(lengths)}")


@operation("batch_norm_inference", "batch_norm_training", "batch_norm_grad")
def batch_norm(rng, name):
    sizes = shape(rng, 1)
    feature = rng.randrange(len(sizes))
    vector, array = tensor([sizes[feature]]), tensor(sizes)
    attributes = f"epsilon = 1.0e-3 : f32, feature_index = {feature} : i64"
    if name == "batch_norm_training":
        return call(name, [array, vector, vector], [array, vector, vector], attributes)
    if name == "batch_norm_grad":
        return call(name, [array, vector, vector, vector, array], [array, vector, vector], attributes)
    return call(name, [array] + [vector] * 4, [array], attributes)


GROUPS = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"


@operation("all_gather")
def all_gather(rng):
    sizes = shape(rng, 1)
    dim = rng.randrange(len(sizes))
    result = [*sizes[:dim], 2 * sizes[dim], *sizes[dim + 1 :]]
    return call("all_gather", [tensor(sizes)], [tensor(result)], f"all_gather_dim = {dim} : i64, {GROUPS}")


@operation("reduce_scatter")
def reduce_scatter(rng):
    sizes = shape(rng, 1)
    dim = rng.randrange(len(sizes))
    operand = [*sizes[:dim], 2 * sizes[dim], *sizes[dim + 1 :]]
    return call("reduce_scatter", [tensor(operand)], [tensor(sizes)], f"scatter_dimension = {dim} : i64, {GROUPS}",
                reducer())


@operation("all_reduce")
def all_reduce(rng):
    kind = tensor(shape(rng))
    return call("all_reduce", [kind], [kind], GROUPS, reducer())


@operation("all_to_all")
def all_to_all(rng):
    sizes = shape(rng, 1)
    split, concat = rng.randrange(len(sizes)), rng.randrange(len(sizes))
    operand, result = list(sizes), list(sizes)
    operand[split] *= 2
    result = list(operand)
    result[split] //= 2
    result[concat] *= 2
    return call("all_to_all", [tensor(operand)], [tensor(result)], f"split_dimension = {split} : i64, "
                f"concat_dimension = {concat} : i64, split_count = 2 : i64, {GROUPS}")


@operation("collective_permute")
def collective_permute(rng):
    kind = tensor(shape(rng))
    return call("collective_permute", [kind], [kind], "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>")


@operation("collective_broadcast")
def collective_broadcast(rng):
    kind = tensor(shape(rng))
    return call("collective_broadcast", [kind], [kind], GROUPS)


@operation("optimization_barrier")
def optimization_barrier(rng):
    kind = tensor(shape(rng))
    return call("optimization_barrier", [kind], [kind])


@operation("while")
def while_(rng):
    kind = tensor(shape(rng))
    regions = (f"{{\n  ^bb0(%x: {kind}, %i: tensor<i1>):\n    stablehlo.return %i : tensor<i1>\n  }}, "
               f"{{\n  ^bb0(%x: {kind}, %i: tensor<i1>):\n    %y = stablehlo.tanh %x : {kind}\n"
               f"    stablehlo.return %y, %i : {kind}, tensor<i1>\n  }}")
    return call("while", [kind, "tensor<i1>"], [kind, "tensor<i1>"], "", regions)


@operation("case", "if")
def branches(rng, name):
    kind = tensor(shape(rng))
    branch = f"{{\n    %y = stablehlo.tanh %b : {kind}\n    stablehlo.return %y : {kind}\n  }}"
    predicate = "tensor<i32>" if name == "case" else "tensor<i1>"
    lines = [f'%r = "stablehlo.{name}"(%a) ({branch}, {branch}) : ({predicate}) -> {kind}']
    return function([predicate, kind], [kind], lines)


@operation("map")
def map_(rng):
    sizes = shape(rng)
    kind = tensor(sizes)
    return call("map", [kind, kind], [kind], f"dimensions = {ints(range(len(sizes)))}", reducer())


@operation("partition_id", "replica_id")
def device_number(rng, name):
    return call(name, [], ["tensor<ui32>"])


def custom(target, arguments, results):
    return call("custom_call", arguments, results, f'call_target_name = "{target}"')


ALIKE = ["annotate_device_placement", "InspectSharding", "LayoutConstraint", "MoveToDevice", "MoveToHost", "mhlo.erf",
         "X64SplitHigh", "xla.megascale.provide_metadata", "_SPMDInternalOp_RotateRight", "tpu_custom_call",
         "X64Combine"]


@operation("custom_call")
def custom_call(rng):
    batch, rows, columns = shape(rng, 0, 2), rng.choice(SIZES), rng.choice(SIZES)
    matrix = tensor([*batch, rows, columns])
    kept = tensor([*batch, min(rows, columns)])
    square = tensor([*batch, rows, rows])
    best = tensor([*batch, rows, max(1, columns // 2)])
    index = tensor([*batch, rows, max(1, columns // 2)], "i32")
    choice = rng.randrange(8)
    if choice == 0:
        return custom("Eigh", [square], [square, tensor([*batch, rows])])
    if choice == 1:
        return custom(rng.choice(["Qr", "QrDecompositionBlock"]), [matrix], [matrix, kept])
    if choice == 2:
        return custom("ProductOfElementaryHouseholderReflectors", [matrix, kept], [matrix])
    if choice == 3:
        return custom("mhlo.topk", [matrix], [best, index])
    if choice == 4:
        return custom(rng.choice(["ApproxTopK", "PartialReduce"]),
                      [matrix, tensor([*batch, rows, columns], "i32"), tensor([]), tensor([], "i32")], [best, index])
    if choice == 5:
        half, whole, result = tensor([2], "ui32"), tensor([2], "ui64"), tensor([8], "ui32")
        lines = [f'%s = "stablehlo.custom_call"(%a, %b) <{{call_target_name = "X64Combine"}}> : ({half}, {half}) -> '
                 f"{whole}", '%t:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm '
                 f"THREE_FRY>}}> : ({whole}) -> ({whole}, {result})"]
        return function([half, half], [result], lines, ["%t#1"])
    kind = tensor(shape(rng))
    return custom(rng.choice(ALIKE), [kind], [kind])
