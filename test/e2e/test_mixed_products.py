"""Products of operands with different element types, and results of yet another.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import ml_dtypes
import numpy as np
import pytest
from jax.extend.backend import get_backend
from jax.interpreters import mlir
from jaxlib.mlir import ir

from systole_cli import systole_run
from test_elementwise import generator

TYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "ui8": np.uint8,
    "i16": np.int16,
    "ui16": np.uint16,
    "i32": np.int32,
    "ui32": np.uint32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
}

PRODUCTS = {
    "dot_general": "stablehlo.dot_general %{a}, %{b}, contracting_dims = [1] x [0]",
    "convolution": "stablehlo.convolution(%{a}, %{b}) dim_numbers = [b, f]x[i, o]->[b, f], "
    "window = {{}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}",
}


def program(cases, product="dot_general"):
    """The text of a function of all operands of `cases`, each a pair of arrays with the names of
    their types and of the result's."""
    arguments, lines, results = [], [], []
    for number, (lhs, rhs, (left, right, result)) in enumerate(cases):
        types = [
            f"tensor<{m}x{n}x{name}>"
            for (m, n), name in zip((lhs.shape, rhs.shape, (lhs.shape[0], rhs.shape[1])), (left, right, result))
        ]
        names = dict(a=f"a{number}", b=f"b{number}")
        arguments += [f"%a{number}: {types[0]}", f"%b{number}: {types[1]}"]
        call = PRODUCTS[product].format(**names)
        lines.append(f"%r{number} = {call} : ({types[0]}, {types[1]}) -> {types[2]}")
        results.append(types[2])
    values = ", ".join(f"%r{number}" for number in range(len(cases)))
    return (
        f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{\n"
        + "\n".join(lines)
        + f"\nreturn {values} : {', '.join(results)}\n}}\n"
    )


def run(cases, directory, product="dot_general"):
    operands = [operand for case in cases for operand in case[:2]]
    return systole_run(program(cases, product), operands, directory)


def xla_on_cpu(text, operands):
    """The results of XLA for StableHLO text, without JAX's own conversions."""
    client = get_backend("cpu")
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        options = jax._src.compiler.get_compile_options(num_replicas=1, num_partitions=1)
        devices = jax._src.lib.xla_client.DeviceList(tuple(client.local_devices()[:1]))
        executable = client.compile_and_load(module, devices, options)
    arguments = [jax.device_put(operand) for operand in operands]
    results = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
    return [np.asarray(result[0]) for result in results]


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("left", TYPES)
def test_numbers_that_all_types_hold(left, product, tmp_path):
    """Sums below 129 are the same in all types; truth values are whether they are not zero."""
    rng = generator("mixed", left, product)
    lhs, rhs = rng.integers(0, 3, (9, 30)), rng.integers(0, 3, (30, 7))
    cases, expected = [], []
    for right in TYPES:
        operands = lhs.astype(TYPES[left]), rhs.astype(TYPES[right])
        sums = operands[0].astype(np.int64) @ operands[1].astype(np.int64)
        for result in TYPES:
            cases.append((*operands, (left, right, result)))
            expected.append(sums.astype(TYPES[result]))
    for case, got, want in zip(cases, run(cases, tmp_path, product), expected, strict=True):
        np.testing.assert_array_equal(got, want, err_msg=str(case[2]))


NARROW_FLOATS = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("narrow", NARROW_FLOATS)
def test_integers_have_all_bits_of_sums(narrow, product, tmp_path):
    """Elements are exact in all types, sums in none of the narrow floats."""
    rng = generator("integer sums", narrow, product)
    lhs, rhs = (rng.choice([1, 2, 3, 7, 96, 112], shape) for shape in ((5, 3), (3, 7)))
    sums = lhs.astype(np.int64) @ rhs
    cases, expected = [], []
    for other, kind in {**TYPES, **NARROW_FLOATS, "i64": np.int64}.items():
        if other == "i1":
            continue
        for left, right in ((narrow, other), (other, narrow)):
            types = {other: kind, narrow: NARROW_FLOATS[narrow]}
            for result in ("ui16", "i32", "ui32", "i64"):
                cases.append((lhs.astype(types[left]), rhs.astype(types[right]), (left, right, result)))
                expected.append(sums.astype({**TYPES, "i64": np.int64}[result]))
    assert (sums > 256).any()
    for case, got, want in zip(cases, run(cases, tmp_path, product), expected, strict=True):
        np.testing.assert_array_equal(got, want, err_msg=str(case[2]))


# Rows and columns of two elements, where it matters in which type they are multiplied.
DECISIVE = {
    "operands_round_to_the_result": ("i16", "i16", "bf16", [257, -256], [1, 1]),
    "operands_round_to_the_other": ("i16", "bf16", "bf16", [257, -256], [1, 1]),
    "operands_do_not_round": ("i16", "bf16", "f32", [257, -256], [1, 1]),
    "wider_operand_decides": ("i16", "f32", "bf16", [257, -256], [1, 1]),
    "range_decides_between_floats": ("f16", "bf16", "f16", [4097, -4096], [1, 1]),
    "wide_range_rounds_the_result": ("f16", "bf16", "f16", [1024.5, 0], [1, 1]),
    "integers_become_floats_first": ("i32", "i32", "f32", [2**24 + 1, -(2**24)], [1, 1]),
    "floats_do_not_wrap": ("i32", "i32", "f32", [2**20, 0], [2**20, 0]),
    "integers_wrap": ("i8", "ui8", "i8", [-1, 1], [200, 100]),
    "signs_stay": ("i8", "i8", "ui16", [100, 0], [-50, 0]),
    "unsigned_becomes_float": ("i8", "ui32", "f32", [-1, 1], [4_000_000_000, 100]),
    "floats_saturate": ("f32", "f32", "i8", [300, 0.5], [1, 1]),
    "sums_are_cut": ("f32", "i32", "i32", [0.6, 0.6], [1, 1]),
    "sums_are_zero": ("f32", "f32", "i1", [0.5, -0.5], [1, 1]),
    "truth_beside_floats": ("i1", "f32", "f32", [1, 1], [0.5, 0.25]),
}


def test_as_xla_does(tmp_path):
    cases = [
        (np.array([row], TYPES[left]), np.array([column], TYPES[right]).T, (left, right, result))
        for left, right, result, row, column in DECISIVE.values()
    ]
    expected = xla_on_cpu(program(cases), [operand for case in cases for operand in case[:2]])
    for name, got, want in zip(DECISIVE, run(cases, tmp_path), expected, strict=True):
        np.testing.assert_array_equal(got, want, err_msg=name)


@pytest.mark.parametrize("types", [("i8", "bf16", "bf16"), ("i32", "f32", "f32"), ("bf16", "f32", "f32")])
def test_large(types, tmp_path):
    """Products with a loop of blocks, of numbers whose sums are exact in any order."""
    rng = generator("large mixed", *types)
    lhs, rhs = rng.integers(-1, 2, (300, 1100)), rng.integers(-1, 2, (1100, 520))
    case = lhs.astype(TYPES[types[0]]), rhs.astype(TYPES[types[1]]), types
    (got,) = run([case], tmp_path)
    np.testing.assert_array_equal(got, (lhs @ rhs).astype(TYPES[types[2]]))
