"""Sums are added in the order that the compiler states before it chooses layouts (`kernel.order`,
docs/planning.md): the same bits for every transposition in front of a sum, and those that NumPy finds by
the description of `#kernel.order` in dialects/Kernel/Order.td.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import re
import subprocess

import numpy as np
import pytest

from bounds import BF16, F32
from systole_cli import BIN, MLIR_NAMES, rotated_target, systole_run, tensor_type
from test_elementwise import generator

CASES = [
    ((7,), (0,)),
    ((1000,), (0,)),
    ((1024,), (0,)),
    ((2500,), (0,)),
    ((300000,), (0,)),
    ((9, 129), (0,)),
    ((9, 129), (1,)),
    ((9, 129), (0, 1)),
    ((129, 9), (0,)),
    ((700, 40), (0,)),
    ((700, 40), (0, 1)),
    ((1030, 257), (0,)),
    ((1030, 257), (1,)),
    ((1030, 257), (0, 1)),
    ((1500, 3), (0, 1)),
    ((20, 5, 130), (0, 1)),
    ((20, 5, 130), (0, 2)),
    ((20, 5, 130), (1, 2)),
    ((20, 5, 130), (0, 1, 2)),
    ((300, 7, 40), (0, 1)),
    ((300, 7, 40), (0, 2)),
    ((17, 1, 33), (0, 2)),
    ((6, 7, 5, 64), (0, 1, 2)),
    ((6, 7, 5, 64), (1, 2)),
    ((128, 7, 7, 64), (0, 1, 2)),
    ((40, 13, 11, 3), (0, 1, 2)),
    ((40, 13, 11, 3), (0, 3)),
    ((3, 56, 56, 9), (0, 1, 2)),
    ((5, 40, 48, 20), (0, 1, 2)),
    ((2, 1030, 6, 130), (0, 1, 2)),
    ((3, 17, 96, 8, 5), (0, 1, 2, 3)),
    # Rows of 128 lanes hold two or four positions.
    ((6, 8, 10, 64), (0, 1, 2)),
    ((6, 8, 10, 64), (1, 2)),
    ((700, 64), (0,)),
    ((9, 16, 12, 32), (0, 1, 2)),
    # Rows too long for straight-line code: several of them are summed in one loop.
    ((3, 2600), (1,)),
    ((37, 2305), (1,)),
    ((70, 6000), (1,)),
    # Chunks of wide rows.
    ((3000, 1500), (0,)),
    ((3, 103, 103, 24), (0, 1, 2)),
    ((2, 2100, 900), (0, 1)),
    ((16, 56, 56, 64), (0, 1, 2)),
    # Chunks of rows of many arrays.
    ((128, 17, 2432), (1, 2)),
    ((17, 128, 2560), (0, 2)),
    ((64, 3, 17, 4864), (1, 2, 3)),
    ((6, 8, 10, 64), (0, 1)),
    ((6, 8, 10, 64), (3,)),
]
ORDER = re.compile(r"stablehlo\.reduce.*#kernel\.order<([^>]*)>")


def stated_orders(program):
    """The attributes `kernel.order` of a program's reductions, before layouts, as dictionaries."""
    command = [BIN / "systole-opt", program, "--systole-pipeline=to=graph target=v3"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    orders = []
    for found in ORDER.findall(text):
        order = {"tree": -1, "partials": 128, "chunked": [], "chunk": []}
        for name, values in re.findall(r"(\w+) = \[(.*?)\]", found):
            order[name] = [int(value) for value in re.findall(r"\d+", values)]
        order |= {name: int(value) for name, value in re.findall(r"(\w+) = (-?\d+)", found)}
        orders.append(order)
    return orders


def folded(values, partials):
    """The sum along the first dimension: equal indices modulo `partials`, then by halved distances."""
    if len(values) == 0:
        return None
    sums = list(values[:partials])
    for i in range(partials, len(values)):
        sums[i % partials] = sums[i % partials] + values[i]
    distance = partials // 2
    while distance:
        for i in range(min(distance, len(sums) - distance)):
            sums[i] = sums[i] + sums[i + distance]
        distance //= 2
    return sums[0]


def ordered_sum(x, order):
    """The sum of `x` in a stated order, for an initial value of 0."""
    pieces = [x]
    for axis, size in zip(order["chunked"], order["chunk"], strict=True):
        pieces = [part for piece in pieces for part in np.split(piece, range(size, x.shape[axis], size), axis)]
    total = x.dtype.type(0)
    for piece in pieces:
        total = total + partial_sum(piece, order)
    return total


def partial_sum(x, order):
    rows, tree = order["rows"], order["tree"]
    units = tuple(d for d in range(x.ndim) if d in order["dims"] and d not in rows and d != tree)
    trees = [tree] if tree >= 0 else []
    kept = [d for d in range(x.ndim) if d not in order["dims"]]
    x = np.transpose(x, [*rows, *trees, *units, *kept])
    row_count = int(np.prod([x.shape[i] for i in range(len(rows))]))
    tree_size = x.shape[len(rows)] if trees else 1
    x = x.reshape(row_count, tree_size, *x.shape[x.ndim - len(kept) :])
    return folded(folded(x, 8), order["partials"])


def positions_in_row(shape, dims):
    """How many positions of the second-last dimension a row of 128 lanes holds, where a sum over it counts these
    last; else 1."""
    last = len(shape) - 1
    if last < 1 or last in dims or last - 1 not in dims or shape[last] not in (32, 64):
        return 1
    positions = 128 // shape[last]
    rows = int(np.prod(shape[:-1]))
    return positions if shape[last - 1] % positions == 0 and rows - rows // positions >= 128 else 1


def permutations(rank):
    """All of at most three dimensions, else the identity and five others."""
    every = list(itertools.permutations(range(rank)))
    return every if rank <= 3 else [every[i] for i in (0, 5, 7, 9, 14, 23)]


@pytest.mark.parametrize("dtype", [F32, BF16], ids=lambda d: MLIR_NAMES[d])
@pytest.mark.parametrize("shape, dims", CASES, ids=str)
def test_sums_keep_their_order(shape, dims, dtype, tmp_path):
    rng = generator("order", shape, dims, dtype.name)
    x = (rng.normal(0, 1, shape) * np.exp2(rng.integers(-6, 7, shape))).astype(dtype)
    element = MLIR_NAMES[np.dtype(dtype)]
    result = tensor_type([size for d, size in enumerate(shape) if d not in dims], dtype)
    args, lines, names = [], [f"%z = stablehlo.constant dense<0.0> : tensor<{element}>"], []
    for i, order in enumerate(permutations(len(shape))):
        args.append(np.ascontiguousarray(np.transpose(x, order)))
        given, wanted = tensor_type(args[-1].shape, dtype), tensor_type(shape, dtype)
        back = [int(d) for d in np.argsort(order)]
        lines.append(f"%t{i} = stablehlo.transpose %x{i}, dims = {back} : ({given}) -> {wanted}")
        lines.append(
            f"%r{i} = stablehlo.reduce(%t{i} init: %z) applies stablehlo.add across dimensions = "
            f"{list(dims)} : ({wanted}, tensor<{element}>) -> {result}"
        )
        names.append(f"%r{i}")
    parameters = ", ".join(f"%x{i}: {tensor_type(arg.shape, dtype)}" for i, arg in enumerate(args))
    types = ", ".join([result] * len(names))
    lines.append(f"return {', '.join(names)} : {types}")
    text = f"func.func @main({parameters}) -> ({types}) {{\n  " + "\n  ".join(lines) + "\n}\n"
    program = tmp_path / "sums.mlir"
    program.write_text(text)

    orders = stated_orders(program)
    positions, last = positions_in_row(shape, dims), len(shape) - 1
    steps = 1 if positions == 1 else 2
    assert len(orders) == steps * len(names)
    assert all(order == orders[i % steps] for i, order in enumerate(orders))
    # bf16 is accumulated in f32 and rounded once.
    wide = x.astype(np.float32)
    if positions == 1:
        expected = ordered_sum(wide, {**orders[0], "dims": dims})
    else:
        pieces = wide.reshape(*shape[: last - 1], -1, positions, shape[last])
        sums = ordered_sum(pieces, {**orders[0], "dims": dims})
        expected = ordered_sum(sums, {**orders[1], "dims": (sums.ndim - 2,)})
    for found in systole_run(text, args, tmp_path, target=rotated_target()):
        np.testing.assert_array_equal(found, expected.astype(dtype))


PRODUCTS = [(7, 4100, 129), (9, 2304, 65), (129, 5000, 40), (33, 4097, 200)]


@pytest.mark.parametrize("precision", ["default", "highest"])
@pytest.mark.parametrize("dtype", [F32, BF16, np.dtype(np.float16)], ids=lambda d: MLIR_NAMES.get(d, "f16"))
@pytest.mark.parametrize("m, k, n", PRODUCTS, ids=str)
def test_products_keep_their_order(m, k, n, dtype, precision, tmp_path):
    """Deep products whose narrow operands cannot be divided in some layouts give the same bits in all."""
    rng = generator("products", m, k, n, dtype.name)
    x, w = rng.normal(0, 1, (m, k)).astype(dtype), rng.normal(0, 1, (k, n)).astype(dtype)
    element = MLIR_NAMES.get(dtype, "f16")
    forms = [(x, w, 1, 0), (x, w.T.copy(), 1, 1), (x.T.copy(), w, 0, 0), (x.T.copy(), w.T.copy(), 0, 1)]
    results = []
    for a, b, left, right in forms:
        types = [f"tensor<{'x'.join(map(str, shape))}x{element}>" for shape in (a.shape, b.shape, (m, n))]
        text = (
            f"func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n"
            f"  %r = stablehlo.dot_general %a, %b, contracting_dims = [{left}] x [{right}] : "
            f"({types[0]}, {types[1]}) -> {types[2]}\n  return %r : {types[2]}\n}}\n"
        )
        (result,) = systole_run(text, [a, b], tmp_path, precision=precision)
        results.append(result)
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
