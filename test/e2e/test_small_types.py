"""Floats of at most 8 bits and integers of 2 and 4 bits: against ml_dtypes, NumPy and JAX on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

from systole_cli import save_args, systole

FLOATS = {
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}
INTS = {"i2": ml_dtypes.int2, "ui2": ml_dtypes.uint2, "i4": ml_dtypes.int4, "ui4": ml_dtypes.uint4}
BITS = {name: 2 if "2" in name else 4 for name in INTS} | {name: int(name[1]) for name in FLOATS}
SMALL = FLOATS | INTS
NAMES = {np.dtype(t): name for name, t in SMALL.items()} | {
    np.dtype(np.float32): "f32",
    np.dtype(np.float64): "f64",
    np.dtype(np.complex64): "complex<f32>",
    np.dtype(ml_dtypes.bfloat16): "bf16",
    np.dtype(np.float16): "f16",
    np.dtype(np.int32): "i32",
    np.dtype(np.int8): "i8",
    np.dtype(np.uint8): "ui8",
    np.dtype(np.uint16): "ui16",
    np.dtype(bool): "i1",
}


def values(name):
    """Every value of a type, in the order of their bits."""
    return np.arange(1 << BITS[name], dtype=np.uint8).view(SMALL[name])


def tensor(array):
    return f"tensor<{''.join(f'{size}x' for size in array.shape)}{NAMES[array.dtype]}>"


def run_text(text, args, directory, wanted, *options):
    """The results, of the types of the arrays `wanted`."""
    program, inputs, outputs = (directory / n for n in ("program.mlir", "args.npz", "out.npz"))
    program.write_bytes(text) if isinstance(text, bytes) else program.write_text(text)
    save_args(inputs, args)
    done = systole("run", program, "--args", inputs, "--out", outputs, "--precision", "highest", *options)
    assert done.returncode == 0, done.stderr[-4000:]
    with np.load(outputs) as archive:
        raw = [archive[f"out{number}"] for number in range(len(archive.files))]
    results = [array.view(like.dtype) for array, like in zip(raw, wanted, strict=True)]
    for array, like in zip(results, wanted, strict=True):
        assert array.shape == like.shape
    return results


def run(body, args, wanted, directory):
    """The results of MLIR operations on %0, %1, ...; `body` returns %r0, %r1, ..."""
    arguments = ", ".join(f"%{i}: {tensor(arg)}" for i, arg in enumerate(args))
    types = ", ".join(map(tensor, wanted))
    names = ", ".join(f"%r{i}" for i in range(len(wanted)))
    text = f"func.func @main({arguments}) -> ({types}) {{\n{body}\nreturn {names} : {types}\n}}\n"
    return run_text(text, args, directory, wanted)


def same(result, wanted):
    """Equal numbers, any NaN for NaN, and the same sign of zero."""
    assert result.dtype == wanted.dtype
    if np.issubdtype(result.dtype, np.integer) or result.dtype == bool or NAMES[result.dtype] in INTS:
        np.testing.assert_array_equal(result, wanted)
        return
    with np.errstate(all="ignore"):
        a, b = (np.asarray(x, np.float64) for x in (result, wanted))
    np.testing.assert_array_equal(a, b)
    zeros = b == 0
    np.testing.assert_array_equal(np.signbit(a[zeros]), np.signbit(b[zeros]))


def check(function, args, directory, *options):
    """Runs a JAX function on the machine, and compares with JAX on the CPU."""
    wanted = [np.asarray(x) for x in jax.tree.leaves(jax.jit(function)(*args))]
    text = jax.jit(function, keep_unused=True).lower(*args).as_text()
    for result, like in zip(run_text(text, args, directory, wanted, *options), wanted, strict=True):
        same(result, like)


def neighbours(name):
    """f32 on, beside and between all values of a format, with those that overflow."""
    exact = np.sort(values(name).astype(np.float32))
    exact = exact[np.isfinite(exact)].astype(np.float64)
    top = exact[-1] * 2.0 ** np.arange(0, 3, 0.125)
    low = exact[exact > 0][0] * 2.0 ** np.arange(-3, 0, 0.25)
    exact = np.concatenate([exact, (exact[1:] + exact[:-1]) / 2, top, -top, low, -low])
    exact = exact[np.abs(exact) < 3.4e38].astype(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-30, -1e-30], np.float32)
    return np.concatenate(
        [exact, np.nextafter(exact, np.float32(np.inf)), np.nextafter(exact, np.float32(-np.inf)), special]
    )


@pytest.mark.parametrize("name", FLOATS)
def test_all_values_are_widened(name, tmp_path):
    x = values(name)
    with np.errstate(all="ignore"):
        wanted = [x.astype(t) for t in (np.float32, ml_dtypes.bfloat16, np.float16)]
    if name == "f8E8M0FNU":
        # The machine has no denormals of bf16.
        wanted[1][0] = 0
    body = "\n".join(f"%r{i} = stablehlo.convert %0 : ({tensor(x)}) -> {tensor(y)}" for i, y in enumerate(wanted))
    for result, like in zip(run(body, [x], wanted, tmp_path), wanted, strict=True):
        same(result, like)


@pytest.mark.parametrize("name", FLOATS)
def test_conversions_round_to_even_and_saturate(name, tmp_path):
    x = neighbours(name)
    if name != "f8E8M0FNU":
        x = x[(x == 0) | ~(np.abs(x) < 2.0**-126)]
    with np.errstate(all="ignore"):
        wanted = x.astype(FLOATS[name])
        half = x.astype(np.float16)
        from_half = half.astype(np.float32).astype(FLOATS[name])
    body = (
        f"%r0 = stablehlo.convert %0 : ({tensor(x)}) -> {tensor(wanted)}\n"
        f"%r1 = stablehlo.convert %1 : ({tensor(half)}) -> {tensor(wanted)}"
    )
    if name in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN"):
        # Formats without NaN: XLA gives -0.
        zero = np.uint8(1 << (BITS[name] - 1))
        wanted.view(np.uint8)[np.isnan(x)] = zero
        from_half.view(np.uint8)[np.isnan(half)] = zero
    results = run(body, [x, half], [wanted, from_half], tmp_path)
    same(results[0], wanted)
    same(results[1], from_half)


@pytest.mark.parametrize("name", ["f8E4M3FN", "f8E5M2", "f8E4M3B11FNUZ", "f6E3M2FN", "f4E2M1FN"])
def test_doubles_are_rounded_once(name, tmp_path):
    """Beside midpoints by less than f32 can tell: rounded to f32 first, these would be ties."""
    exact = np.sort(values(name).astype(np.float64))
    exact = exact[np.isfinite(exact) & (np.abs(exact) > 2.0**-20)]
    below, above = exact[:-1], exact[1:]
    middle = (below + above) / 2
    below, above, middle = (x[middle != 0] for x in (below, above, middle))
    x = np.concatenate([middle + abs(middle) * 2.0**-40, middle - abs(middle) * 2.0**-40, exact])
    wanted = np.concatenate([above, below, exact]).astype(FLOATS[name])
    body = f"%r0 = stablehlo.convert %0 : ({tensor(x)}) -> {tensor(wanted)}"
    same(run(body, [x], [wanted], tmp_path)[0], wanted)


@pytest.mark.parametrize("name", FLOATS)
def test_every_format_to_every_other(name, tmp_path):
    x = values(name)
    targets = [t for other, t in FLOATS.items() if other != name and int(other[1]) == 8]
    with np.errstate(all="ignore"):
        wanted = [x.astype(np.float32).astype(t) for t in targets]
    body = "\n".join(f"%r{i} = stablehlo.convert %0 : ({tensor(x)}) -> {tensor(y)}" for i, y in enumerate(wanted))
    for result, like in zip(run(body, [x], wanted, tmp_path), wanted, strict=True):
        same(result, like)


@pytest.mark.parametrize("name", FLOATS)
def test_all_pairs(name, tmp_path):
    """Sums, differences, products and quotients are rounded once."""
    x, y = np.meshgrid(values(name), values(name), indexing="ij")
    operations = {
        "add": operator.add,
        "subtract": operator.sub,
        "multiply": operator.mul,
        "divide": operator.truediv,
        "maximum": lambda x, y: np.where(x == y, np.where(np.signbit(x), y, x), np.maximum(x, y)),
    }
    nans = BITS[name] < 8
    with np.errstate(all="ignore"):
        exact = [f(x.astype(np.float64), y.astype(np.float64)).astype(np.float32) for f in operations.values()]
    # f32 denormals are zero on the machine.
    exact = [np.where(np.abs(z) < 2.0**-126, np.copysign(np.float32(0), z), z) for z in exact]
    if name == "f8E8M0FNU":
        keep = np.minimum(x.astype(np.float32), y.astype(np.float32)) >= 2.0**-126
        exact = [np.where(keep, z, np.float32(1)) for z in exact]
    with np.errstate(all="ignore"):
        wanted = [z.astype(FLOATS[name]) for z in exact]
    body = "\n".join(f"%r{i} = stablehlo.{op} %0, %1 : {tensor(x)}" for i, op in enumerate(operations))
    for result, like, z in zip(run(body, [x, y], wanted, tmp_path), wanted, exact, strict=True):
        result = result.copy()
        if name == "f8E8M0FNU":
            result[~keep] = like[~keep]
        if nans:
            like.view(np.uint8)[np.isnan(z)] = 1 << (BITS[name] - 1)
        same(result, like)


@pytest.mark.parametrize("name", SMALL)
def test_arguments_are_results(name, tmp_path):
    """Whatever their shape, and each value as constant."""
    x = values(name)
    arrays = [np.resize(x, shape) for shape in [(), (1,), (0, 3), (3, 130), (1000, 3), (64, 4, 32)]]
    body = "\n".join(
        f"%r{i} = stablehlo.reverse %{i}, dims = [{'0' if a.ndim else ''}] : {tensor(a)}" for i, a in enumerate(arrays)
    )
    listed = "".join(f"{byte:02X}" for byte in x.view(np.uint8))
    body += f'\n%r{len(arrays)} = stablehlo.constant dense<"0x{listed}"> : {tensor(x)}'
    wanted = [a[::-1] if a.ndim else a for a in arrays] + [x]
    for result, like in zip(run(body, arrays, wanted, tmp_path), wanted, strict=True):
        np.testing.assert_array_equal(result.view(np.uint8), np.ascontiguousarray(like).view(np.uint8))


# XLA on the CPU rounds small negative numbers to NaN in formats without negative zero.
@pytest.mark.parametrize("name", ["f8E4M3FN", "f8E5M2", "f8E3M4", "f4E2M1FN"])
def test_functions(name, tmp_path):
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((16, 40)).astype(FLOATS[name]) for _ in range(2))

    def movement(x, y):
        z = jnp.concatenate([x.T, jnp.flip(y.T, 0)], 1)
        return (
            z[3:20:2],
            jnp.pad(x, 1, constant_values=2),
            jnp.where(x > y, x, -y),
            z[jnp.array([3, 1])],
            x.at[2].set(y[1]),
            lax.dynamic_slice(z, (1, 2), (5, 6)),
            x == y,
            jnp.sort(x, 1),
        )

    def numbers(x, y):
        return (
            jnp.abs(x) + y * x,
            jnp.minimum(x, y),
            -x,
            jnp.sign(x),
            lax.clamp(y[0, 0], x, y[0, 1]),
            x.max(1),
            x.astype(jnp.int32),
            (x * 100).astype(jnp.int4),
            (x > 0).astype(x.dtype),
            jnp.arange(16).astype(x.dtype),
            jnp.isnan(x),
            jnp.floor(y),
            jnp.argmax(x, 1),
        )

    def loops(x, y):
        _, z = lax.fori_loop(0, 5, lambda i, c: (c[1], c[0] + c[1]), (x, y))
        return lax.cond(x[0, 0] > 0, lambda: z * y, lambda: z), lax.map(lambda row: row + row[0], x)

    for function in (movement, numbers, loops):
        check(function, (x, y), tmp_path)


@pytest.mark.parametrize("lhs, rhs", [("f8E4M3FN", "f8E4M3FN"), ("f8E4M3FN", "f8E5M2"), ("f4E2M1FN", "f4E2M1FN")])
def test_products(lhs, rhs, tmp_path):
    """Products are exact, and these sums, too."""
    rng = np.random.default_rng(1)
    x = rng.integers(-4, 5, (70, 200)).astype(FLOATS[lhs])
    y = rng.integers(-4, 5, (200, 130)).astype(FLOATS[rhs])
    wanted = x.astype(np.float32) @ y.astype(np.float32)

    def dot(x, y):
        return jnp.dot(x, y, preferred_element_type=jnp.float32)

    text = jax.jit(dot).lower(x, y).as_text()
    for precision in ("default", "highest"):
        same(run_text(text, [x, y], tmp_path, [wanted], "--precision", precision)[0], wanted)
    narrow = wanted.astype(FLOATS[lhs])
    body = (
        f"%r0 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : ({tensor(x)}, {tensor(y)}) "
        f"-> {tensor(narrow)}"
    )
    same(run(body, [x, y], [narrow], tmp_path)[0], narrow)


def test_convolution(tmp_path):
    rng = np.random.default_rng(2)
    x = rng.integers(-3, 4, (2, 9, 9, 16)).astype(ml_dtypes.float8_e4m3fn)
    w = rng.integers(-3, 4, (3, 3, 16, 24)).astype(ml_dtypes.float8_e4m3fn)

    def convolve(x, w):
        return lax.conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), preferred_element_type=jnp.float32
        )

    check(convolve, (x, w), tmp_path)


@pytest.mark.parametrize("name", INTS)
def test_all_pairs_of_integers(name, tmp_path):
    """XLA on the CPU shifts and counts bits that these types do not have."""
    x, y = np.meshgrid(values(name), values(name), indexing="ij")
    n, t = BITS[name], INTS[name]
    a, b = x.astype(np.int32), y.astype(np.int32)
    bits, by = a & (1 << n) - 1, b & (1 << n) - 1
    signed = bits - ((bits >> (n - 1)) << n)
    quotient = np.trunc(a / np.where(b == 0, 1, b)).astype(np.int32)
    ones = sum(bits >> i & 1 for i in range(n))
    results = {
        lambda x, y: x + y: a + b,
        lambda x, y: x - y: a - b,
        lambda x, y: x * y: a * b,
        lambda x, y: lax.div(x, jnp.where(y == 0, jnp.ones_like(y), y)): quotient,
        lambda x, y: lax.rem(x, jnp.where(y == 0, jnp.ones_like(y), y)): a - quotient * np.where(b == 0, 1, b),
        lambda x, y: lax.max(x, y): np.maximum(a, b),
        lambda x, y: lax.min(x, y): np.minimum(a, b),
        lambda x, y: x & y: a & b,
        lambda x, y: x | y: a | b,
        lambda x, y: x ^ y: a ^ b,
        lambda x, y: ~x: ~a,
        lambda x, y: lax.neg(x): -a,
        lambda x, y: lax.shift_left(x, y): np.where(by < n, bits << by, 0),
        lambda x, y: lax.shift_right_logical(x, y): bits >> by,
        lambda x, y: lax.shift_right_arithmetic(x, y): signed >> by,
        lambda x, y: lax.population_count(x): ones,
        lambda x, y: lax.clz(x): n - np.ceil(np.log2(bits + 1)).astype(np.int32),
    }
    wanted = [z.astype(np.int8).astype(t) for z in results.values()] + [a < b, a == b, a, a.astype(np.float32)]

    def pairs(x, y):
        return [f(x, y) for f in results] + [x < y, x == y, x.astype(jnp.int32), x.astype(jnp.float32)]

    text = jax.jit(pairs).lower(x, y).as_text()
    for result, like in zip(run_text(text, (x, y), tmp_path, wanted), wanted, strict=True):
        same(result, like)


# XLA on the CPU crashes with 2 bits.
@pytest.mark.parametrize("name", ["i4", "ui4"])
def test_functions_of_integers(name, tmp_path):
    rng = np.random.default_rng(3)
    wide = rng.integers(-300, 300, (33, 70)).astype(np.int32)
    real = rng.uniform(-20, 20, (33, 70)).astype(np.float32)
    real[0, :3] = np.nan, np.inf, -np.inf
    x = wide.astype(INTS[name])
    y = np.ascontiguousarray(x.T)

    def functions(x, y, wide, real):
        t = x.dtype
        return (
            wide.astype(t),
            real.astype(t),
            lax.reduce(x, np.array(0, t), lax.add, (0,)),
            x.max(1),
            jnp.sort(x, 0),
            y.T + x,
            jnp.where(x > 1, x, y.T),
            x.at[3].add(x[2]),
            lax.cumsum(x, 1),
            lax.fori_loop(0, 3, lambda i, z: z * x + x, x),
        )

    check(functions, (x, y, wide, real), tmp_path)


@pytest.mark.parametrize("name", INTS)
def test_real_parts_saturate(name, tmp_path):
    x = np.array([9 + 1j, -20, 300, np.nan, 1.5 - 2j], np.complex64)
    limits = ml_dtypes.iinfo(INTS[name])
    wanted = np.clip(np.trunc(np.nan_to_num(x.real, nan=0)), limits.min, limits.max).astype(INTS[name])
    body = f"%r0 = stablehlo.convert %0 : ({tensor(x)}) -> {tensor(wanted)}"
    same(run(body, [x], [wanted], tmp_path)[0], wanted)


@pytest.mark.parametrize(("name", "place"), [("i4", 5), ("i4", -3), ("ui2", 3), ("ui4", 15)])
def test_positions_in_bodies(name, place, tmp_path):
    """Positions of a type that cannot hold the last one of the table of a reducer."""
    table = np.arange(12, dtype=np.int32) * 10
    body = f"""%z = stablehlo.constant dense<0> : tensor<i32>
    %r0 = "stablehlo.reduce"(%0, %z) ({{ ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %table = stablehlo.constant dense<{table.tolist()}> : tensor<12xi32>
      %i = stablehlo.convert %y : (tensor<i32>) -> tensor<{name}>
      %s = stablehlo.dynamic_slice %table, %i, sizes = [1] : (tensor<12xi32>, tensor<{name}>) -> tensor<1xi32>
      %f = stablehlo.reshape %s : (tensor<1xi32>) -> tensor<i32>
      %o = stablehlo.add %f, %x : tensor<i32>
      stablehlo.return %o : tensor<i32>
    }}) {{dimensions = array<i64: 0>}} : (tensor<1xi32>, tensor<i32>) -> tensor<i32>"""
    wanted = table[np.clip(place, 0, 11)][()]
    (result,) = run(body, [np.array([place], np.int32)], [np.asarray(wanted)], tmp_path)
    np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("name", INTS)
def test_products_of_integers(name, tmp_path):
    rng = np.random.default_rng(4)
    x, y = (rng.integers(-8, 8, shape).astype(INTS[name]) for shape in ((70, 200), (200, 130)))
    wanted = x.astype(np.int32) @ y.astype(np.int32)
    body = (
        f"%r0 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : ({tensor(x)}, {tensor(y)}) "
        f"-> {tensor(wanted)}"
    )
    same(run(body, [x, y], [wanted], tmp_path)[0], wanted)


def test_bits(tmp_path):
    byte = np.arange(256, dtype=np.uint8)
    two = np.arange(512, dtype=np.uint16) * 77

    def bits(byte, two):
        pairs = lax.bitcast_convert_type(byte, jnp.uint4)
        return (
            lax.bitcast_convert_type(byte, jnp.float8_e5m2) + jnp.float8_e5m2(1),
            pairs,
            lax.bitcast_convert_type(pairs, jnp.uint8),
            lax.bitcast_convert_type(pairs, jnp.float4_e2m1fn),
            lax.bitcast_convert_type(two, jnp.int4),
            lax.bitcast_convert_type(two, jnp.float8_e4m3fn),
        )

    # XLA on the CPU lacks some of these.
    low, high = byte & 15, byte >> 4
    pairs = np.stack([low, high], 1)
    with np.errstate(all="ignore"):
        more = (byte.view(ml_dtypes.float8_e5m2).astype(np.float32) + 1).astype(ml_dtypes.float8_e5m2)
    nibbles = np.stack([two >> (4 * i) & 15 for i in range(4)], 1).astype(np.uint8)
    wanted = [
        more,
        pairs.view(ml_dtypes.uint4),
        byte,
        pairs.view(ml_dtypes.float4_e2m1fn),
        nibbles.view(ml_dtypes.int4),
        two.view(ml_dtypes.float8_e4m3fn).reshape(512, 2),
    ]
    text = jax.jit(bits).lower(byte, two).as_text()
    for result, like in zip(run_text(text, [byte, two], tmp_path, wanted), wanted, strict=True):
        same(result, like)


def test_artifacts_and_hlo(tmp_path):
    """The same program through a portable artifact and HLO, as text and proto, with constants."""
    x = np.arange(-4, 4).astype(np.float32).reshape(2, 4)

    def program(x):
        c = np.arange(8).reshape(2, 4)
        y = x.astype(jnp.float8_e4m3fn) + c.astype(ml_dtypes.float8_e4m3fn)
        return (
            y,
            x.astype(jnp.int4) + c.astype(ml_dtypes.int4),
            y.astype(jnp.float4_e2m1fn),
            x.astype(jnp.uint2) | c.astype(ml_dtypes.uint2),
        )

    wanted = [np.asarray(z) for z in jax.jit(program)(x)]
    lowered = jax.jit(program).lower(x)
    hlo = lowered.compiler_ir("hlo")
    artifact = jax.export.export(jax.jit(program))(x).mlir_module_serialized
    for text in (artifact, hlo.as_hlo_text(), hlo.as_serialized_hlo_module_proto()):
        for result, like in zip(run_text(text, [x], tmp_path, wanted), wanted, strict=True):
            same(result, like)
