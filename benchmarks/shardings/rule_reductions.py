"""Functions of one operation on random shapes, as text: products, reductions, sorts, linear algebra, control flow.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from operation_text import SIZES, call, function, ints, operation, reducer, shape, tensor


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
