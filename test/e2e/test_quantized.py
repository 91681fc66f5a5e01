"""Quantized types: against NumPy with the formulas of the specification.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses

import numpy as np
import pytest
from jaxlib.mlir.dialects import stablehlo

from test_small_types import run_text, tensor


@dataclasses.dataclass
class Quantized:
    """A quantized type; several scales are those of a dimension."""

    scales: list
    zeros: list
    storage: str = "i8"
    axis: int | None = None
    bounds: tuple | None = None

    def text(self, shape):
        values = [f"{s!r}:{z}" for s, z in zip(self.scales, self.zeros, strict=True)]
        parameters = f"f32, {values[0]}" if self.axis is None else f"f32:{self.axis}, {{{', '.join(values)}}}"
        bounds = f"<{self.bounds[0]}:{self.bounds[1]}>" if self.bounds else ""
        size = "".join(f"{n}x" for n in shape)
        return f"tensor<{size}!quant.uniform<{self.storage}{bounds}:{parameters}>>"

    @property
    def dtype(self):
        return np.dtype(self.storage.replace("u", "uint") if self.storage[0] == "u" else f"int{self.storage[1:]}")

    def along(self, values, ndim, dtype=np.float32):
        values = np.asarray(values, dtype)
        if self.axis is None:
            return values[0]
        return values.reshape([-1 if d == self.axis else 1 for d in range(ndim)])

    def quantize(self, x):
        low, high = self.bounds or (np.iinfo(self.dtype).min, np.iinfo(self.dtype).max)
        scaled = np.rint(x.astype(np.float32) / self.along(self.scales, x.ndim)) + self.along(self.zeros, x.ndim)
        return np.clip(scaled.astype(np.float64), low, high).astype(self.dtype)

    def dequantize(self, q):
        return (q.astype(np.float32) - self.along(self.zeros, q.ndim)) * self.along(self.scales, q.ndim)


BYTE = Quantized([0.05], [-3])
OTHER = Quantized([0.11], [7], bounds=(-127, 127))
COARSE = Quantized([0.2], [11])
UNSIGNED = Quantized([0.02], [128], storage="u8")
WIDE = Quantized([0.001], [0], storage="i32")
TENSORS = [BYTE, OTHER, UNSIGNED, WIDE, Quantized([0.5], [0], storage="i16")]


def run_quantized(signature, body, results, args, wanted, directory):
    return run_text(f"{signature}\n{body}\nreturn {results}\n}}\n", args, directory, wanted)


def reals(shape, seed=0, scale=3.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def near(result, wanted, steps=1, share=0.01):
    """Stored integers: a sum in another order may be rounded to the next one, rarely."""
    distance = np.abs(result.astype(np.int64) - wanted.astype(np.int64))
    assert distance.max() <= steps
    assert (distance > 0).mean() <= share


@pytest.mark.parametrize("q", TENSORS, ids=lambda q: q.storage)
def test_quantize_and_dequantize(q, tmp_path):
    x = reals((33, 130), scale=4)
    x[0, :4] = 1e9, -1e9, 0, -0.0
    stored = q.quantize(x)
    wanted = [stored, q.dequantize(stored)]
    t = q.text(x.shape)
    signature = f"func.func @main(%0: {tensor(x)}) -> ({t}, {tensor(x)}) {{"
    body = (
        f"%r0 = stablehlo.uniform_quantize %0 : ({tensor(x)}) -> {t}\n"
        f"%r1 = stablehlo.uniform_dequantize %r0 : ({t}) -> {tensor(x)}"
    )
    results = run_quantized(signature, body, f"%r0, %r1 : {t}, {tensor(x)}", [x], wanted, tmp_path)
    for result, like in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(result, like)


def test_scales_of_a_dimension(tmp_path):
    q = Quantized([0.1, 0.2, 0.05, 1.0], [0, 3, -3, 1], axis=1)
    x = reals((5, 4, 9))
    stored = q.quantize(x)
    t = q.text(x.shape)
    moved = dataclasses.replace(q, axis=0).text((4, 9, 5))
    wanted = [stored, q.dequantize(stored).transpose(1, 2, 0)]
    body = (
        f"%r0 = stablehlo.uniform_quantize %0 : ({tensor(x)}) -> {t}\n"
        f"%t = stablehlo.transpose %r0, dims = [1, 2, 0] : ({t}) -> {moved}\n"
        f"%r1 = stablehlo.uniform_dequantize %t : ({moved}) -> {tensor(wanted[1])}"
    )
    signature = f"func.func @main(%0: {tensor(x)}) -> ({t}, {tensor(wanted[1])}) {{"
    results = run_quantized(signature, body, f"%r0, %r1 : {t}, {tensor(wanted[1])}", [x], wanted, tmp_path)
    for result, like in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(result, like)


def test_artifact(tmp_path):
    """As jaxlib writes it."""
    a = np.arange(-4, 4).astype(np.int8).reshape(2, 4)
    q = Quantized([0.1, 0.2, 0.3, 0.5], [0, 5, 0, -1], axis=1, bounds=(-127, 127))
    wanted = [q.dequantize(a)]
    t, f = q.text(a.shape), tensor(wanted[0])
    text = (
        f"func.func @main(%0: {t}) -> {f} {{\n"
        f"%1 = stablehlo.uniform_dequantize %0 : ({t}) -> {f}\nreturn %1 : {f}\n}}\n"
    )
    artifact = stablehlo.serialize_portable_artifact_str(text, "1.9.0")
    np.testing.assert_array_equal(run_text(artifact, [a], tmp_path, wanted)[0], wanted[0])


def test_order(tmp_path):
    """Maxima, minima and clamps of one format are those of the integers; constants are quantized before."""
    a, b = (OTHER.quantize(reals((9, 70), seed)) for seed in (0, 1))
    t, f = OTHER.text(a.shape), tensor(reals(a.shape))
    wanted = [np.maximum(a, OTHER.quantize(np.zeros(a.shape))), np.clip(a, np.minimum(a, b), b)]
    body = (
        f"%z = stablehlo.constant dense<0.0> : {f}\n%q = stablehlo.uniform_quantize %z : ({f}) -> {t}\n"
        f"%r0 = stablehlo.maximum %0, %q : {t}\n"
        f"%m = stablehlo.minimum %0, %1 : {t}\n%r1 = stablehlo.clamp %m, %0, %1 : {t}"
    )
    signature = f"func.func @main(%0: {t}, %1: {t}) -> ({t}, {t}) {{"
    results = run_quantized(signature, body, f"%r0, %r1 : {t}, {t}", [a, b], wanted, tmp_path)
    for result, like in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(result, like)


def test_elementwise(tmp_path):
    """Sums, maxima and requantization, of operands with parameters of their own."""
    a, b = BYTE.quantize(reals((17, 200))), OTHER.quantize(reals((17, 200), 1))
    x, y = BYTE.dequantize(a), OTHER.dequantize(b)
    size = dataclasses.replace(OTHER, scales=[0.05], zeros=[-100])
    s, t, u, v = (q.text(a.shape) for q in (BYTE, OTHER, COARSE, size))
    wanted = [COARSE.quantize(x + y), BYTE.quantize(np.tanh(x)), OTHER.quantize(x), size.quantize(np.abs(y))]
    body = (
        f'%r0 = "stablehlo.add"(%0, %1) : ({s}, {t}) -> {u}\n'
        f"%r1 = stablehlo.tanh %0 : {s}\n"
        f"%r2 = stablehlo.uniform_quantize %0 : ({s}) -> {t}\n"
        f'%r3 = "stablehlo.abs"(%1) : ({t}) -> {v}'
    )
    signature = f"func.func @main(%0: {s}, %1: {t}) -> ({u}, {s}, {t}, {v}) {{"
    results = run_quantized(signature, body, f"%r0, %r1, %r2, %r3 : {u}, {s}, {t}, {v}", [a, b], wanted, tmp_path)
    for result, like in zip(results, wanted, strict=True):
        near(result, like)


@pytest.mark.parametrize("lhs", [BYTE, UNSIGNED, dataclasses.replace(BYTE, zeros=[0])], ids=["i8", "u8", "symmetric"])
@pytest.mark.parametrize("axis", [None, 1])
def test_products(lhs, axis, tmp_path):
    rng = np.random.default_rng(3)
    w = Quantized([0.02], [0]) if axis is None else Quantized([0.01 * (1 + n % 7) for n in range(65)], [0] * 65, axis=1)
    w.storage = lhs.storage
    a = rng.integers(-128, 128, (40, 300)).astype(np.int8).view(lhs.dtype)
    b = rng.integers(-127, 128, (300, 65)).astype(np.int8).view(lhs.dtype)
    sums = (a.astype(np.int64) - lhs.zeros[0]) @ b.astype(np.int64)
    exact = sums * lhs.scales[0] * w.along(w.scales, 2, np.float64)
    out = Quantized([1.5], [10])
    scales = [lhs.scales[0] * s for s in w.scales]
    acc = dataclasses.replace(w, scales=scales, storage="i32")
    wanted = [out.quantize(exact), exact.astype(np.float32), sums.astype(np.int32)]
    s, t, u, v = lhs.text(a.shape), w.text(b.shape), out.text((40, 65)), acc.text((40, 65))
    product = "stablehlo.dot_general %0, %1, contracting_dims = [1] x [0]"
    f = tensor(wanted[1])
    body = (
        f"%r0 = {product} : ({s}, {t}) -> {u}\n%r2 = {product} : ({s}, {t}) -> {v}\n"
        f"%r1 = stablehlo.uniform_dequantize %r2 : ({v}) -> {f}"
    )
    signature = f"func.func @main(%0: {s}, %1: {t}) -> ({u}, {f}, {v}) {{"
    results = run_quantized(signature, body, f"%r0, %r1, %r2 : {u}, {f}, {v}", [a, b], wanted, tmp_path)
    near(results[0], wanted[0])
    np.testing.assert_allclose(results[1], wanted[1], rtol=1e-6)
    near(results[2], wanted[2])


@pytest.mark.parametrize("dilation", [1, 2])
def test_convolution(dilation, tmp_path):
    """Padding is the number zero, whatever the zero point is, and so is what dilation inserts."""
    rng = np.random.default_rng(4)
    a = rng.integers(-128, 128, (2, 9, 9, 16)).astype(np.int8)
    b = rng.integers(-127, 128, (3, 3, 16, 24)).astype(np.int8)
    w = Quantized([0.003 * (1 + n % 5) for n in range(24)], [0] * 24, axis=3)
    dilated = np.zeros((2, 9 * dilation - dilation + 1, 9 * dilation - dilation + 1, 16))
    dilated[:, ::dilation, ::dilation] = BYTE.dequantize(a)
    padded = np.pad(dilated, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    exact = np.einsum("nhwcij,ijco->nhwo", windows, w.dequantize(b).astype(np.float64))
    out = Quantized([0.5], [-20])
    wanted = [out.quantize(exact)]
    s, t, u = BYTE.text(a.shape), w.text(b.shape), out.text(exact.shape)
    body = (
        "%r0 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        f"window = {{pad = [[1, 1], [1, 1]], lhs_dilate = [{dilation}, {dilation}]}} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} "
        f": ({s}, {t}) -> {u}"
    )
    signature = f"func.func @main(%0: {s}, %1: {t}) -> {u} {{"
    near(run_quantized(signature, body, f"%r0 : {u}", [a, b], wanted, tmp_path)[0], wanted[0])


def test_bits_and_movement(tmp_path):
    """Integers are read as quantized numbers, and moved as they are."""
    a = np.arange(-128, 128).astype(np.int8)
    s, grid = BYTE.text((256,)), BYTE.text((16, 16))
    wanted = [BYTE.dequantize(a), a.reshape(16, 16)[::-1]]
    f = tensor(wanted[0])
    body = (
        f"%q = stablehlo.bitcast_convert %0 : ({tensor(a)}) -> {s}\n"
        f"%r0 = stablehlo.uniform_dequantize %q : ({s}) -> {f}\n"
        f"%m = stablehlo.reshape %q : ({s}) -> {grid}\n"
        f"%r1 = stablehlo.reverse %m, dims = [0] : {grid}"
    )
    signature = f"func.func @main(%0: {tensor(a)}) -> ({f}, {grid}) {{"
    results = run_quantized(signature, body, f"%r0, %r1 : {f}, {grid}", [a], wanted, tmp_path)
    for result, like in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(result, like)


def test_sums_of_decompositions(tmp_path):
    """Sums begin at the quantized zero, which is no zero in storage."""
    q = Quantized([0.5], [1])
    a = np.array([[-3, -2, -1], [0, 1, 2]], np.int8)
    b = np.array([[-3, -2], [-1, 0], [1, 2]], np.int8)
    s, t, r = q.text(a.shape), q.text(b.shape), q.text((2,))
    x, y = q.dequantize(a), q.dequantize(b)
    wanted = [q.quantize(x.sum(1)), q.quantize((x.T @ np.ones(2, np.float32)) @ y), q.quantize(x[:, :2].diagonal())]
    body = (
        f'%r0 = "stablehlo.unary_einsum"(%0) {{einsum_config = "ij->i"}} : ({s}) -> {r}\n'
        f'%r1 = "stablehlo.einsum"(%0, %1) {{einsum_config = "ij,jk->k"}} : ({s}, {t}) -> {r}\n'
        f"%m = stablehlo.slice %0 [0:2, 0:2] : ({s}) -> {q.text((2, 2))}\n"
        f'%r2 = "stablehlo.unary_einsum"(%m) {{einsum_config = "ii->i"}} : ({q.text((2, 2))}) -> {r}'
    )
    signature = f"func.func @main(%0: {s}, %1: {t}) -> ({r}, {r}, {r}) {{"
    results = run_quantized(signature, body, f"%r0, %r1, %r2 : {r}, {r}, {r}", [a, b], wanted, tmp_path)
    for result, like in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(result, like)


def test_comparisons(tmp_path):
    """Of the numbers, whatever the comparison's type is; operands may have parameters of their own."""
    coarse = dataclasses.replace(BYTE, scales=[0.5], zeros=[2])
    a, b = BYTE.quantize(reals((9, 70))), coarse.quantize(reals((9, 70), 1))
    s, t, p = BYTE.text(a.shape), coarse.text(b.shape), tensor(np.zeros(a.shape, bool))
    less = BYTE.dequantize(a) < coarse.dequantize(b)
    kinds = ["", ", FLOAT", ", SIGNED", ", TOTALORDER"]
    body = "\n".join(f"%r{n} = stablehlo.compare LT, %0, %1{kind} : ({s}, {t}) -> {p}" for n, kind in enumerate(kinds))
    types = ", ".join([p] * len(kinds))
    signature = f"func.func @main(%0: {s}, %1: {t}) -> ({types}) {{"
    for result in run_quantized(
        signature, body, f"%r0, %r1, %r2, %r3 : {types}", [a, b], [less] * len(kinds), tmp_path
    ):
        np.testing.assert_array_equal(result, less)


def test_iota(tmp_path):
    q = dataclasses.replace(BYTE, scales=[0.25])
    wanted = [q.quantize(np.arange(40, dtype=np.float32))]
    t = q.text((40,))
    signature = f"func.func @main() -> {t} {{"
    result = run_quantized(signature, f"%r0 = stablehlo.iota dim = 0 : {t}", f"%r0 : {t}", [], wanted, tmp_path)[0]
    np.testing.assert_array_equal(result, wanted[0])


def test_widened_reduction(tmp_path):
    """A reduction may store sums in more bits than what it sums."""
    a = BYTE.quantize(reals((33, 130)))
    wide = Quantized([0.05], [0], storage="i32")
    s, scalar, out, element = BYTE.text(a.shape), BYTE.text(()), wide.text((130,)), wide.text(())
    wanted = [wide.quantize(BYTE.dequantize(a).sum(0))]
    body = f"""%z = stablehlo.constant dense<0.0> : tensor<f32>
      %q = stablehlo.uniform_quantize %z : (tensor<f32>) -> {scalar}
      %r0 = "stablehlo.reduce"(%0, %q) <{{dimensions = array<i64: 0>}}> ({{
      ^bb0(%a: {element}, %b: {element}):
        %s = stablehlo.add %a, %b : {element}
        stablehlo.return %s : {element}
      }}) : ({s}, {scalar}) -> {out}"""
    signature = f"func.func @main(%0: {s}) -> {out} {{"
    near(run_quantized(signature, body, f"%r0 : {out}", [a], wanted, tmp_path)[0], wanted[0])


CONSTANTS = [
    BYTE,
    UNSIGNED,
    WIDE,
    Quantized([0.1, 0.2, 0.05], [0, 3, -3], axis=1),
    Quantized([0.5], [3], storage="i4", bounds=(-8, 7)),
]


@pytest.mark.parametrize("form", ["text", "artifact"])
@pytest.mark.parametrize("q", CONSTANTS, ids=lambda q: f"{q.storage}-{q.axis}")
def test_constants(q, form, tmp_path):
    bits = int(q.storage.lstrip("iu"))
    stored = np.random.default_rng(2).integers(0, 1 << bits, (4, 3))
    values = stored if q.storage[0] == "u" else stored - (stored >> (bits - 1) << bits)
    values[0] = values[1, 0]
    # The specification has integers of the storage's sign, jaxlib those without one.
    sign = "u" if q.storage[0] == "u" and form == "text" else ""
    storage, t = f"tensor<4x3x{sign}i{bits}>", q.text(values.shape)
    text = f"""func.func @main() -> (tensor<4x3xf32>, tensor<4x3xf32>) {{
      %0 = stablehlo.constant() <{{value = dense<{values.tolist()}> : {storage}}}> : () -> {t}
      %1 = stablehlo.uniform_dequantize %0 : ({t}) -> tensor<4x3xf32>
      %2 = "stablehlo.constant"() {{value = dense<1> : {storage}}} : () -> {t}
      %3 = stablehlo.uniform_dequantize %2 : ({t}) -> tensor<4x3xf32>
      return %1, %3 : tensor<4x3xf32>, tensor<4x3xf32>
    }}"""
    if form == "artifact":
        text = stablehlo.serialize_portable_artifact_str(text, "1.9.0")
    wanted = [q.dequantize(values), q.dequantize(np.ones_like(values))]
    for result, like in zip(run_text(text, [], tmp_path, wanted), wanted, strict=True):
        np.testing.assert_array_equal(result, like)


@pytest.mark.parametrize("q", [BYTE, UNSIGNED])
def test_permutations_that_leave_the_device_out_are_zeros(q, tmp_path):
    t = q.text((4, 3))
    text = f"""func.func @main(%0: {t}) -> tensor<4x3xf32> {{
      %1 = "stablehlo.collective_permute"(%0) <{{source_target_pairs = dense<> : tensor<0x2xi64>}}> : ({t}) -> {t}
      %2 = stablehlo.uniform_dequantize %1 : ({t}) -> tensor<4x3xf32>
      return %2 : tensor<4x3xf32>
    }}"""
    wanted = [np.zeros((4, 3), np.float32)]
    result = run_text(text, [np.ones((4, 3), q.dtype)], tmp_path, wanted)
    np.testing.assert_array_equal(result[0], wanted[0])


def test_broadcasts_of_two_scales(tmp_path):
    """Results are rounded to the scale of the first operand."""
    a, b = "!quant.uniform<i8:f32, 0.5:1>", "!quant.uniform<i8:f32, 0.25:-2>"
    text = f"""func.func @main(%x: tensor<2x4xf32>, %y: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {{
      %p = stablehlo.uniform_quantize %x : (tensor<2x4xf32>) -> tensor<2x4x{a}>
      %q = stablehlo.uniform_quantize %y : (tensor<4xf32>) -> tensor<4x{b}>
      %0 = chlo.broadcast_add %p, %q : (tensor<2x4x{a}>, tensor<4x{b}>) -> tensor<2x4x{a}>
      %1 = chlo.broadcast_maximum %p, %q : (tensor<2x4x{a}>, tensor<4x{b}>) -> tensor<2x4x{a}>
      %2 = stablehlo.uniform_dequantize %0 : (tensor<2x4x{a}>) -> tensor<2x4xf32>
      %3 = stablehlo.uniform_dequantize %1 : (tensor<2x4x{a}>) -> tensor<2x4xf32>
      return %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>
    }}"""
    x = np.array([[1, 2, -3.5, 4], [0, 5, 7.5, -8]], np.float32)
    y = np.array([1.25, -2.5, 3, 0.75], np.float32)
    wanted = [np.rint(exact / np.float32(0.5)) * np.float32(0.5) for exact in (x + y, np.maximum(x, y))]
    for result, like in zip(run_text(text, [x, y], tmp_path, wanted), wanted, strict=True):
        np.testing.assert_array_equal(result, like)
