"""Operations that combine elements of arrays whose sizes depend on data.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from padded import COLUMNS, SCALAR, SIZES, V, X, Compiled, check, poisoned, run_rows


def test_elements(tmp_path):
    body = f"""
      %w = stablehlo.broadcast_in_dim %v, dims = [0] : ({V}) -> {X}
      %s = stablehlo.add %x, %w : {X}
      %r = chlo.broadcast_multiply %s, %whole0 : ({X}, tensor<5xf32>) -> {X}
      %p = stablehlo.compare GT, %r, %w : ({X}, {X}) -> tensor<?x5xi1, #stablehlo.bounds<9, ?>>
      %q = stablehlo.select %p, %r, %w : tensor<?x5xi1, #stablehlo.bounds<9, ?>>, {X}
      %c = stablehlo.clamp %zero, %q, %one : (tensor<f32>, {X}, tensor<f32>) -> {X}
      %size = stablehlo.get_dimension_size %c, dim = 0 : ({X}) -> tensor<i32>"""
    body = """%whole0 = stablehlo.constant dense<[1.0, 2.0, -3.0, 4.0, 0.5]> : tensor<5xf32>""" + body

    def reference(x, v, n):
        s = (x + v[:, None]) * np.float32([1, 2, -3, 4, 0.5])
        q = np.where(s > v[:, None], s, np.broadcast_to(v[:, None], s.shape))
        return s, np.clip(q, 0, 1), np.int32(n)

    run_rows(tmp_path, body, [("%r", X), ("%c", X), ("%size", "tensor<i32>")], reference)


def test_sums(tmp_path):
    body = f"""
      %columns = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : ({X}, tensor<f32>) -> {COLUMNS}
      %all = stablehlo.reduce(%x init: %one) applies stablehlo.add across dimensions = [0, 1] : ({X}, tensor<f32>) -> tensor<f32>
      %each = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : ({X}, tensor<f32>) -> {V}
      %most = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : ({X}, tensor<f32>) -> {COLUMNS}
      %least = stablehlo.reduce(%x init: %one) applies stablehlo.minimum across dimensions = [0] : ({X}, tensor<f32>) -> {COLUMNS}
      %product = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : ({X}, tensor<f32>) -> {COLUMNS}"""
    results = [("%columns", COLUMNS), ("%all", SCALAR), ("%each", V)]
    results += [("%most", COLUMNS), ("%least", COLUMNS), ("%product", COLUMNS)]

    def reference(x, v, n):
        most = x.max(0, initial=-np.inf)
        return x.sum(0), x.sum() + 1, x.sum(1), most, np.minimum(x.min(0, initial=np.inf), 1), x.prod(0)

    run_rows(tmp_path, body, results, reference)


def test_the_largest_and_its_place(tmp_path):
    body = f"""
      %i = stablehlo.iota dim = 0 : tensor<9x5xi32>
      %places = stablehlo.set_dimension_size %i, %n, dim = 0 : (tensor<9x5xi32>, tensor<i32>) -> tensor<?x5xi32, #stablehlo.bounds<9, ?>>
      %none = stablehlo.constant dense<0> : tensor<i32>
      %m:2 = stablehlo.reduce(%x init: %low), (%places init: %none) across dimensions = [0]
          : ({X}, tensor<?x5xi32, #stablehlo.bounds<9, ?>>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
       reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {{
        %first = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %value = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>
        %place = stablehlo.select %first, %j, %k : tensor<i1>, tensor<i32>
        stablehlo.return %value, %place : tensor<f32>, tensor<i32>
      }}"""
    results = [("%m#0", COLUMNS), ("%m#1", "tensor<5xi32>")]
    reference = lambda x, v, n: (x.max(0), x.argmax(0).astype(np.int32))
    run_rows(tmp_path, body, results, reference, SIZES[1:])


def test_products(tmp_path):
    square = "tensor<?x?xf32, #stablehlo.bounds<9, 9>>"
    body = f"""
      %gram = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : ({X}, {X}) -> tensor<5x5xf32>
      %outer = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : ({X}, {X}) -> {square}
      %line0 = stablehlo.dot %v, %x : ({V}, {X}) -> tensor<5xf32>
      %batched = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : ({X}, {X}) -> {V}
      %sum = stablehlo.einsum %x, %v, config = "ab,a->b" : ({X}, {V}) -> tensor<5xf32>"""
    results = [
        ("%gram", "tensor<5x5xf32>"),
        ("%outer", square),
        ("%line0", COLUMNS),
        ("%batched", V),
        ("%sum", COLUMNS),
    ]
    reference = lambda x, v, n: (x.T @ x, x @ x.T, v @ x, (x * x).sum(1), v @ x)
    run_rows(tmp_path, body, results, reference)


def test_windows(tmp_path):
    smaller = "tensor<?x5xf32, #stablehlo.bounds<4, ?>>"
    body = f"""
      %pooled = "stablehlo.reduce_window"(%x, %low) <{{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %m = stablehlo.maximum %a, %b : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }}) : ({X}, tensor<f32>) -> {smaller}
      %sums = "stablehlo.reduce_window"(%x, %zero) <{{window_dimensions = array<i64: 9, 1>, padding = dense<[[8, 0], [0, 0]]> : tensor<2x2xi64>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %m = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }}) : ({X}, tensor<f32>) -> {X}
      %scattered = "stablehlo.select_and_scatter"(%x, %pooled, %zero) <{{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %g = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %g : tensor<i1>
      }}, {{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %g = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %g : tensor<f32>
      }}) : ({X}, {smaller}, tensor<f32>) -> {X}"""

    def reference(x, v, n):
        pooled = np.array([x[i : i + 3].max(0) for i in range(0, n - 2, 2)], np.float32).reshape(-1, 5)
        scattered = np.zeros_like(x)
        for i in range(len(pooled)):
            np.add.at(scattered, (2 * i + x[2 * i : 2 * i + 3].argmax(0), np.arange(5)), pooled[i])
        return pooled, x.cumsum(0), scattered

    run_rows(tmp_path, body, [("%pooled", smaller), ("%sums", X), ("%scattered", X)], reference, (0, 1, 2, 3, 7, 8, 9))


@pytest.mark.parametrize("groups", [1, 3])
def test_convolutions(groups, tmp_path):
    """Of images of which a spatial dimension depends on data, and so does the batch."""
    image, result = (
        "tensor<?x?x6x6xf32, #stablehlo.bounds<3, 9, ?, ?>>",
        "tensor<?x?x3x6xf32, #stablehlo.bounds<3, 9, ?, ?>>",
    )
    text = f"""func.func @main(%whole: tensor<3x9x6x6xf32>, %k: tensor<3x3x{6 // groups}x6xf32>, %b: tensor<i32>, %n: tensor<i32>) -> {result} {{
      %a = stablehlo.set_dimension_size %whole, %b, dim = 0 : (tensor<3x9x6x6xf32>, tensor<i32>) -> tensor<?x9x6x6xf32, #stablehlo.bounds<3, ?, ?, ?>>
      %x = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<?x9x6x6xf32, #stablehlo.bounds<3, ?, ?, ?>>, tensor<i32>) -> {image}
      %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {{stride = [1, 2], pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}}
          : ({image}, tensor<3x3x{6 // groups}x6xf32>) -> {result}
      return %y : {result}
    }}"""
    program = Compiled(text, tmp_path)
    kernel = np.random.default_rng(5).normal(size=(3, 3, 6 // groups, 6)).astype(np.float32)
    for batch, n in ((1, 1), (2, 7), (3, 9)):
        whole, x = poisoned((3, 9, 6, 6), (batch, n, 6, 6))
        how = dict(dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups, precision="highest")
        expected = lax.conv_general_dilated(x, kernel, (1, 2), ((1, 1), (1, 1)), **how)
        check(program(whole, kernel, np.int32(batch), np.int32(n)), [expected])


def test_filters(tmp_path):
    """The features that a product sums over depend on data."""
    text = """func.func @main(%whole: tensor<2x8x9xf32>, %k: tensor<3x9x4xf32>, %n: tensor<i32>) -> tensor<2x6x4xf32> {
      %x = stablehlo.set_dimension_size %whole, %n, dim = 2 : (tensor<2x8x9xf32>, tensor<i32>) -> tensor<2x8x?xf32, #stablehlo.bounds<?, ?, 9>>
      %f = stablehlo.set_dimension_size %k, %n, dim = 1 : (tensor<3x9x4xf32>, tensor<i32>) -> tensor<3x?x4xf32, #stablehlo.bounds<?, 9, ?>>
      %y = stablehlo.convolution(%x, %f) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
          {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<2x8x?xf32, #stablehlo.bounds<?, ?, 9>>, tensor<3x?x4xf32, #stablehlo.bounds<?, 9, ?>>) -> tensor<2x6x4xf32>
      return %y : tensor<2x6x4xf32>
    }"""
    program = Compiled(text, tmp_path)
    for n in SIZES:
        whole, x = poisoned((2, 8, 9), (2, 8, n))
        filters, k = poisoned((3, 9, 4), (3, n, 4), seed=1)
        expected = sum(x[:, i : i + 6] @ k[i] for i in range(3))
        check(program(whole, filters, np.int32(n)), [expected])


def test_matrices(tmp_path):
    """Factors and solutions of the part of a matrix that has elements."""
    square = "tensor<?x?xf32, #stablehlo.bounds<9, 9>>"
    text = f"""func.func @main(%whole: tensor<9x9xf32>, %b: tensor<9x4xf32>, %n: tensor<i32>) -> ({square}, tensor<?x4xf32, #stablehlo.bounds<9, ?>>) {{
      %a = stablehlo.set_dimension_size %whole, %n, dim = 0 : (tensor<9x9xf32>, tensor<i32>) -> tensor<?x9xf32, #stablehlo.bounds<9, ?>>
      %x = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<?x9xf32, #stablehlo.bounds<9, ?>>, tensor<i32>) -> {square}
      %y = stablehlo.set_dimension_size %b, %n, dim = 0 : (tensor<9x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<9, ?>>
      %l = stablehlo.cholesky %x, lower = true : {square}
      %s = "stablehlo.triangular_solve"(%l, %y) <{{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}}> : ({square}, tensor<?x4xf32, #stablehlo.bounds<9, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<9, ?>>
      return %l, %s : {square}, tensor<?x4xf32, #stablehlo.bounds<9, ?>>
    }}"""
    program = Compiled(text, tmp_path)
    for n in SIZES[1:]:
        whole, a = poisoned((9, 9), (n, n))
        a = a @ a.T + 9 * np.eye(n, dtype=np.float32)
        whole[:n, :n] = a
        right, b = poisoned((9, 4), (n, 4), seed=1)
        factor = np.linalg.cholesky(a)
        got = program(whole, right, np.int32(n))
        np.testing.assert_allclose(np.tril(got[0]), factor, rtol=2e-5, atol=2e-5)
        np.testing.assert_allclose(got[1], np.linalg.solve(factor, b), rtol=2e-5, atol=2e-5)


def test_operands_of_size_one(tmp_path):
    """Sizes that meet at run time, of which either may be 1."""
    both = "tensor<?x?xf32, #stablehlo.bounds<9, 9>>"
    text = f"""func.func @main(%p: tensor<9x5xf32>, %q: tensor<9x5xf32>, %l: tensor<9xf32>, %n: tensor<i32>, %m: tensor<i32>)
        -> ({X}, {both}, tensor<7x5xf32>) {{
      %x = stablehlo.set_dimension_size %p, %n, dim = 0 : (tensor<9x5xf32>, tensor<i32>) -> {X}
      %y = stablehlo.set_dimension_size %q, %m, dim = 0 : (tensor<9x5xf32>, tensor<i32>) -> {X}
      %v = stablehlo.set_dimension_size %l, %m, dim = 0 : (tensor<9xf32>, tensor<i32>) -> {V}
      %r = chlo.broadcast_subtract %x, %y : ({X}, {X}) -> {X}
      %n1 = stablehlo.maximum %n, %m : tensor<i32>
      %n2 = stablehlo.reshape %n1 : (tensor<i32>) -> tensor<1xi32>
      %shape = stablehlo.concatenate %n2, %n2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %s = stablehlo.dynamic_broadcast_in_dim %v, %shape, dims = [1] : ({V}, tensor<2xi32>) -> {both}
      %seven = stablehlo.constant dense<3.0> : tensor<7x5xf32>
      %t = chlo.broadcast_add %x, %seven : ({X}, tensor<7x5xf32>) -> tensor<7x5xf32>
      return %r, %s, %t : {X}, {both}, tensor<7x5xf32>
    }}"""
    program = Compiled(text, tmp_path)
    for n, m in ((1, 7), (7, 1), (9, 9), (1, 1)):
        p, x = poisoned((9, 5), (n, 5))
        q, y = poisoned((9, 5), (m, 5), seed=1)
        line, v = poisoned((9,), (m,), seed=2)
        got = program(p, q, line, np.int32(n), np.int32(m))
        check(got[:1], [x - y])
        if n in (1, 7):
            check(got[2:], [np.broadcast_to(x + 3, (7, 5))])
        if m in (1, max(n, m)):
            check(got[1:2], [np.broadcast_to(v, (max(n, m), max(n, m)))])


def test_normalization(tmp_path):
    """By statistics that are given, by its own, and the gradient."""
    vector = "tensor<5xf32>"
    body = f"""
      %s = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : {vector}
      %y = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{{epsilon = 0.5 : f32, feature_index = 1 : i64}}> : ({X}, {vector}, {vector}, {vector}, {vector}) -> {X}
      %t:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{{epsilon = 0.5 : f32, feature_index = 1 : i64}}> : ({X}, {vector}, {vector}) -> ({X}, {vector}, {vector})
      %g:3 = "stablehlo.batch_norm_grad"(%x, %s, %t#1, %t#2, %y) <{{epsilon = 0.5 : f32, feature_index = 1 : i64}}> : ({X}, {vector}, {vector}, {vector}, {X}) -> ({X}, {vector}, {vector})"""
    results = [("%y", X), ("%t#0", X), ("%t#1", COLUMNS), ("%t#2", COLUMNS)]
    results += [("%g#0", X), ("%g#1", COLUMNS), ("%g#2", COLUMNS)]
    s = np.arange(1, 6, dtype=np.float32)

    def trained(x, scale, offset):
        return (x - x.mean(0)) * lax.rsqrt(x.var(0) + 0.5) * scale + offset

    def reference(x, v, n):
        y = (x - s) / np.sqrt(s + 0.5) * s + s
        _, gradient = jax.vjp(trained, jnp.asarray(x), s, s)
        return y, trained(x, s, s), x.mean(0), x.var(0), *gradient(jnp.asarray(y))

    run_rows(tmp_path, body, results, reference, SIZES[1:])


def test_transforms(tmp_path):
    """Of each row, and of the bits of its elements."""
    spectrum = "tensor<?x3xcomplex<f32>, #stablehlo.bounds<9, ?>>"
    halves = "tensor<?x5x2xui16, #stablehlo.bounds<9, ?, ?>>"
    body = f"""
      %f = stablehlo.fft %x, type = RFFT, length = [5] : ({X}) -> {spectrum}
      %re = stablehlo.real %f : ({spectrum}) -> tensor<?x3xf32, #stablehlo.bounds<9, ?>>
      %b = stablehlo.optimization_barrier %x : {X}
      %h = stablehlo.bitcast_convert %b : ({X}) -> {halves}"""
    results = [("%re", "tensor<?x3xf32, #stablehlo.bounds<9, ?>>"), ("%h", halves)]
    reference = lambda x, v, n: (np.fft.rfft(x).real.reshape(n, 3), x.view(np.uint16).reshape(n, 5, 2))
    run_rows(tmp_path, body, results, reference, SIZES[1:])


def test_padded_convolutions(tmp_path):
    """The padding of a convolution depends on data, and so does the size of its operand."""
    image = "tensor<2x?x3xf32, #stablehlo.bounds<?, 9, ?>>"
    result = "tensor<2x?x4xf32, #stablehlo.bounds<?, 11, ?>>"
    text = f"""func.func @main(%whole: tensor<2x9x3xf32>, %k: tensor<3x3x4xf32>, %n: tensor<i32>, %p: tensor<1x2xi32>) -> {result} {{
      %x = stablehlo.set_dimension_size %whole, %n, dim = 1 : (tensor<2x9x3xf32>, tensor<i32>) -> {image}
      %y = "stablehlo.dynamic_conv"(%x, %k, %p) <{{window_strides = array<i64: 2>, lhs_dilation = array<i64: 2>,
          dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}}>
          : ({image}, tensor<3x3x4xf32>, tensor<1x2xi32>) -> {result}
      return %y : {result}
    }}"""
    program = Compiled(text, tmp_path)
    kernel = np.random.default_rng(5).normal(size=(3, 3, 4)).astype(np.float32)
    for n, padding in ((1, (1, 1)), (7, (0, 3)), (9, (4, 2)), (4, (-1, 2))):
        whole, x = poisoned((2, 9, 3), (2, n, 3))
        how = dict(lhs_dilation=(2,), dimension_numbers=("NWC", "WIO", "NWC"), precision="highest")
        expected = lax.conv_general_dilated(x, kernel, (2,), (padding,), **how)
        check(program(whole, kernel, np.int32(n), np.int32([padding])), [expected])


def test_attention(tmp_path):
    """A sequence whose length depends on data, in rows and in columns."""
    q, s, m = "2x?x4", "2x?x?", "2x?"
    q, s, m = (
        f"tensor<{shape}xf32, #stablehlo.bounds<{bounds}>>"
        for shape, bounds in ((q, "?, 9, ?"), (s, "?, 9, 9"), (m, "?, 9"))
    )
    text = f"""func.func @main(%whole: tensor<2x9x4xf32>, %n: tensor<i32>) -> {q} {{
      %q = stablehlo.set_dimension_size %whole, %n, dim = 1 : (tensor<2x9x4xf32>, tensor<i32>) -> {q}
      %s = stablehlo.dot_general %q, %q, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ({q}, {q}) -> {s}
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : ({s}, tensor<f32>) -> {m}
      %two = stablehlo.constant dense<2> : tensor<1xi32>
      %length = stablehlo.get_dimension_size %q, dim = 1 : ({q}) -> tensor<i32>
      %n1 = stablehlo.reshape %length : (tensor<i32>) -> tensor<1xi32>
      %shape = stablehlo.concatenate %two, %n1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
      %mb = stablehlo.dynamic_broadcast_in_dim %m, %shape, dims = [0, 1] : ({m}, tensor<3xi32>) -> {s}
      %d = stablehlo.subtract %s, %mb : {s}
      %e = stablehlo.exponential %d : {s}
      %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : ({s}, tensor<f32>) -> {m}
      %tb = stablehlo.dynamic_broadcast_in_dim %t, %shape, dims = [0, 1] : ({m}, tensor<3xi32>) -> {s}
      %p = stablehlo.divide %e, %tb : {s}
      %o = stablehlo.dot_general %p, %q, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({s}, {q}) -> {q}
      return %o : {q}
    }}"""
    program = Compiled(text, tmp_path)
    for n in SIZES:
        whole, x = poisoned((2, 9, 4), (2, n, 4))
        weights = jax.nn.softmax(jnp.einsum("bik,bjk->bij", x, x, precision="highest"), axis=-1)
        expected = jnp.einsum("bij,bjk->bik", weights, x, precision="highest")
        np.testing.assert_allclose(program(whole, np.int32(n))[0], expected, rtol=2e-5, atol=2e-6)
