"""Operations that others express: superseded ones, random numbers, tuples, futures, scans and ragged products, against
NumPy and JAX.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from scipy import stats

from systole_cli import systole_run, tensor_type


def numbers(rng, *shape):
    """Small integers as f32: sums of products are exact."""
    return rng.integers(-4, 5, shape).astype(np.float32)


def run_op(op, args, result, directory, attributes=""):
    """The result of one operation in generic form."""
    types = ", ".join(tensor_type(arg.shape, arg.dtype) for arg in args)
    names = [f"%arg{number}" for number in range(len(args))]
    signature = ", ".join(f"{name}: {tensor_type(arg.shape, arg.dtype)}" for name, arg in zip(names, args))
    text = f"""func.func @main({signature}) -> {result} {{
      %r = "{op}"({", ".join(names)}) <{{{attributes}}}> : ({types}) -> {result}
      return %r : {result}
    }}"""
    (got,) = systole_run(text, args, directory)
    return got


@pytest.mark.parametrize(
    "equation, left, right",
    [
        ("ab,bc->ac", (5, 7), (7, 3)),
        ("iab,bicd->cia", (2, 4, 8), (8, 2, 5, 3)),
        ("aab,b->a", (6, 6, 4), (4,)),
        ("a,b->ba", (5,), (3,)),
        ("...ab,bc->...ac", (2, 3, 4, 5), (5, 6)),
        ("...a,...a->...", (2, 3, 4), (3, 4)),
        ("ab,cd->", (2, 3), (4, 5)),
        ("abc,abc->abc", (2, 3, 130), (2, 3, 130)),
        ("ab,ab->", (9, 200), (9, 200)),
    ],
)
def test_einsum(equation, left, right, tmp_path):
    rng = np.random.default_rng(1)
    x, y = numbers(rng, *left), numbers(rng, *right)
    expected = np.einsum(equation, x, y)
    result = tensor_type(expected.shape, np.float32)
    got = run_op("stablehlo.einsum", [x, y], result, tmp_path, f'einsum_config = "{equation}"')
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    "equation, shape", [("ab->b", (5, 7)), ("abab->ba", (3, 4, 3, 4)), ("a...->...a", (5, 2, 3)), ("aaa->", (4, 4, 4))]
)
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
def test_unary_einsum(equation, shape, dtype, tmp_path):
    x = np.random.default_rng(2).integers(-9, 9, shape).astype(dtype)
    expected = np.einsum(equation, x)
    result = tensor_type(expected.shape, dtype)
    got = run_op("stablehlo.unary_einsum", [x], result, tmp_path, f'einsum_config = "{equation}"')
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("left, right", [((5, 7), (7, 3)), ((7,), (7, 3)), ((5, 7), (7,)), ((7,), (7,))])
def test_dot(left, right, tmp_path):
    rng = np.random.default_rng(3)
    x, y = numbers(rng, *left), numbers(rng, *right)
    expected = np.asarray(x @ y)
    got = run_op("stablehlo.dot", [x, y], tensor_type(expected.shape, np.float32), tmp_path)
    np.testing.assert_array_equal(got, expected)


def test_broadcast(tmp_path):
    x = np.arange(12, dtype=np.int16).reshape(4, 3)
    got = run_op("stablehlo.broadcast", [x], "tensor<2x5x4x3xi16>", tmp_path, "broadcast_sizes = array<i64: 2, 5>")
    np.testing.assert_array_equal(got, np.broadcast_to(x, (2, 5, 4, 3)))


@pytest.mark.parametrize("dim, batch, index", [(0, 0, (5,)), (1, 0, (2, 3)), (-1, 1, (2, 4)), (2, 2, (2, 3, 4, 2))])
def test_torch_index_select(dim, batch, index, tmp_path):
    rng = np.random.default_rng(4)
    x = numbers(rng, 2, 3, 7)
    i = rng.integers(-3, 9, index).astype(np.int32)  # moved to the nearest that exists
    axis = dim % 3
    at = np.clip(i, 0, x.shape[axis] - 1)
    expected = np.stack([np.take(x[b], at[b], axis=axis - batch) for b in np.ndindex(x.shape[:batch])]).reshape(
        x.shape[:batch] + x.shape[batch:axis] + index[batch:] + x.shape[axis + 1 :]
    )
    attributes = f"dim = {dim} : i64, batch_dims = {batch} : i64"
    result = tensor_type(expected.shape, np.float32)
    got = run_op("stablehlo.torch_index_select", [x, i], result, tmp_path, attributes)
    np.testing.assert_array_equal(got, expected)


def rng_text(element, distribution, shape):
    scalar, array = f"tensor<{element}>", f"tensor<{'x'.join(map(str, shape))}x{element}>"
    return f"""func.func @main(%a: {scalar}, %b: {scalar}) -> ({array}, {array}) {{
      %shape = stablehlo.constant dense<{list(shape)}> : tensor<{len(shape)}xi64>
      %r = stablehlo.rng %a, %b, %shape, distribution = {distribution}
          : ({scalar}, {scalar}, tensor<{len(shape)}xi64>) -> {array}
      %s = stablehlo.rng %a, %b, %shape, distribution = {distribution}
          : ({scalar}, {scalar}, tensor<{len(shape)}xi64>) -> {array}
      return %r, %s : {array}, {array}
    }}"""


# A program draws the same numbers in each run, so these tests of distributions do not fail by chance.


def test_rng_uniform(tmp_path):
    low, high = np.float32(-2), np.float32(3)
    first, second = systole_run(rng_text("f32", "UNIFORM", (40, 500)), [low, high], tmp_path)
    for drawn in (first, second):
        assert drawn.min() >= low and drawn.max() < high
        assert stats.kstest(drawn.ravel().astype(np.float64), "uniform", (low, high - low)).pvalue > 0.01
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.03
    again = systole_run(rng_text("f32", "UNIFORM", (40, 500)), [low, high], tmp_path)
    np.testing.assert_array_equal(again[0], first)


def test_rng_normal(tmp_path):
    first, second = systole_run(rng_text("f32", "NORMAL", (40, 500)), [np.float32(1), np.float32(0.5)], tmp_path)
    for drawn in (first, second):
        assert stats.kstest(drawn.ravel().astype(np.float64), "norm", (1, 0.5)).pvalue > 0.01


@pytest.mark.parametrize("element, dtype", [("i32", np.int32), ("ui8", np.uint8), ("i16", np.int16), ("i64", np.int64)])
def test_rng_integers(element, dtype, tmp_path):
    low, high = (3, 10) if element.startswith("u") else (-3, 4)
    first, _ = systole_run(rng_text(element, "UNIFORM", (2000,)), [dtype(low), dtype(high)], tmp_path)
    assert first.dtype == dtype
    values, counts = np.unique(first, return_counts=True)
    np.testing.assert_array_equal(values, np.arange(low, high))
    assert stats.chisquare(counts).pvalue > 0.01


def test_rng_in_loops(tmp_path):
    """Other numbers in each trip, of the outer and the inner loop."""
    text = """func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<3x4x8xf32> {
      %shape = stablehlo.constant dense<8> : tensor<1xi64>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %three = stablehlo.constant dense<3> : tensor<i32>
      %four = stablehlo.constant dense<4> : tensor<i32>
      %none = stablehlo.constant dense<0.0> : tensor<3x4x8xf32>
      %r:2 = stablehlo.while(%i = %zero, %x = %none) : tensor<i32>, tensor<3x4x8xf32>
      cond {
        %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %s:2 = stablehlo.while(%j = %zero, %y = %x) : tensor<i32>, tensor<3x4x8xf32>
        cond {
          %p = stablehlo.compare LT, %j, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %u = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
              : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
          %v = stablehlo.reshape %u : (tensor<8xf32>) -> tensor<1x1x8xf32>
          %z = stablehlo.dynamic_update_slice %y, %v, %i, %j, %zero
              : (tensor<3x4x8xf32>, tensor<1x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x8xf32>
          %next = stablehlo.add %j, %one : tensor<i32>
          stablehlo.return %next, %z : tensor<i32>, tensor<3x4x8xf32>
        }
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %s#1 : tensor<i32>, tensor<3x4x8xf32>
      }
      return %r#1 : tensor<3x4x8xf32>
    }"""
    (drawn,) = systole_run(text, [np.float32(0), np.float32(1)], tmp_path)
    assert len(np.unique(drawn)) == drawn.size
    assert drawn.min() >= 0 and drawn.max() < 1


def test_tuples(tmp_path):
    text = """func.func @main(%x: tensor<4xf32>, %t: tuple<tensor<4xf32>, tuple<tensor<2xi32>>>)
        -> tuple<tensor<2xi32>, tensor<4xf32>> {
      %y = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>, tuple<tensor<2xi32>>>) -> tensor<4xf32>
      %u = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>, tuple<tensor<2xi32>>>) -> tuple<tensor<2xi32>>
      %i = stablehlo.get_tuple_element %u[0] : (tuple<tensor<2xi32>>) -> tensor<2xi32>
      %p = stablehlo.tuple %x, %y : tuple<tensor<4xf32>, tensor<4xf32>>
      %s = func.call @sum(%p) : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<tensor<4xf32>>
      %z = stablehlo.get_tuple_element %s[0] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
      %r = stablehlo.tuple %i, %z : tuple<tensor<2xi32>, tensor<4xf32>>
      return %r : tuple<tensor<2xi32>, tensor<4xf32>>
    }
    func.func private @sum(%p: tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<tensor<4xf32>> {
      %x = stablehlo.get_tuple_element %p[0] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
      %y = stablehlo.get_tuple_element %p[1] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
      %z = stablehlo.add %x, %y : tensor<4xf32>
      %r = stablehlo.tuple %z : tuple<tensor<4xf32>>
      return %r : tuple<tensor<4xf32>>
    }"""
    x, y, i = np.arange(4, dtype=np.float32), np.ones(4, np.float32), np.array([7, 9], np.int32)
    first, second = systole_run(text, [x, y, i], tmp_path)
    np.testing.assert_array_equal(first, i)
    np.testing.assert_array_equal(second, x + y)


def test_futures_and_roots(tmp_path):
    text = """func.func @main(%x: tensor<4xf32>, %root: tensor<1xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
      %f = "stablehlo.async_start"(%x) ({
      ^bb0(%a: tensor<4xf32>):
        %b = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}>
            : (tensor<4xf32>) -> tensor<4xf32>
        stablehlo.return %b : tensor<4xf32>
      }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
      %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
      %s = "stablehlo.collective_reduce"(%x, %root) <{replica_groups = dense<0> : tensor<1x1xi64>, has_dynamic_root}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
      }) : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>
      %t = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}>
          : (tensor<4xf32>) -> tensor<4xf32>
      return %r, %s, %t : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }"""
    x = np.arange(4, dtype=np.float32)
    r, s, t = systole_run(text, [x, np.zeros(1, np.int32)], tmp_path)
    np.testing.assert_array_equal(r, x)
    np.testing.assert_array_equal(s, x)
    np.testing.assert_array_equal(t, x)


def test_groups_along_axes_of_a_mesh(tmp_path):
    """Of one device, and what bounds by their former name have."""
    axes = 'axes = [#stablehlo.axis_ref<name = "x">]'
    text = f"""
    "sdy.mesh"() <{{mesh = #sdy.mesh<[#sdy.mesh_axis<"x", 1>], []>, sym_name = "mesh"}}> : () -> ()
    func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<f32>) {{
      %a = "stablehlo.all_gather"(%x) <{{all_gather_dim = 0 : i64, replica_groups =
          #stablehlo.replica_group_mesh_axes<mesh = @mesh, {axes}>}}> : (tensor<4xf32>) -> tensor<4xf32>
      %b = "stablehlo.all_reduce"(%a) <{{replica_groups = #stablehlo.replica_group_mesh_axes<
          mesh = #stablehlo.mesh<axes = [<name = "x", size = 1>]>, {axes}>}}> ({{
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %c = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %c : tensor<f32>
      }}) : (tensor<4xf32>) -> tensor<4xf32>
      %part = stablehlo.set_dimension_size %x, %n, dim = 0
          : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.type_extensions<bounds = [4]>>
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%part init: %z) applies stablehlo.add across dimensions = [0]
          : (tensor<?xf32, #stablehlo.type_extensions<bounds = [4]>>, tensor<f32>) -> tensor<f32>
      return %b, %s : tensor<4xf32>, tensor<f32>
    }}"""
    x = np.arange(1, 5, dtype=np.float32)
    result, total = systole_run(text, [x, np.int32(3)], tmp_path)
    np.testing.assert_array_equal(result, x)
    assert total == 6


@pytest.mark.parametrize(
    ("narrow", "wide"), [("i8", "i32"), ("ui8", "i32"), ("ui8", "i8"), ("f32", "f64"), ("bf16", "f32")]
)
def test_promoted_reductions(narrow, wide, tmp_path):
    """Bodies compute with elements to which those of the operands are converted."""
    zero = "0" if "i" in narrow else "0.0"
    body = f"""({{
        ^bb0(%a: tensor<{wide}>, %b: tensor<{wide}>):
          %c = stablehlo.add %a, %b : tensor<{wide}>
          stablehlo.return %c : tensor<{wide}>
        }})"""
    numbers = (
        "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
    )
    text = f"""func.func @main(%0: tensor<33x130xi8>, %i: tensor<2x1xi32>) -> (tensor<130xf64>, tensor<33x129xf64>, tensor<33x130xf64>) {{
      %x = stablehlo.convert %0 : (tensor<33x130xi8>) -> tensor<33x130x{narrow}>
      %z = stablehlo.constant dense<{zero}> : tensor<{narrow}>
      %r = "stablehlo.reduce"(%x, %z) <{{dimensions = array<i64: 0>}}> {body}
          : (tensor<33x130x{narrow}>, tensor<{narrow}>) -> tensor<130x{wide}>
      %s = "stablehlo.reduce_window"(%x, %z) <{{window_dimensions = array<i64: 1, 2>}}> {body}
          : (tensor<33x130x{narrow}>, tensor<{narrow}>) -> tensor<33x129x{wide}>
      %u = stablehlo.slice %x [0:2, 0:130] : (tensor<33x130x{narrow}>) -> tensor<2x130x{narrow}>
      %t = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>}}> {body}
          : (tensor<33x130x{narrow}>, tensor<2x1xi32>, tensor<2x130x{narrow}>) -> tensor<33x130x{wide}>
      %a = stablehlo.convert %r : (tensor<130x{wide}>) -> tensor<130xf64>
      %b = stablehlo.convert %s : (tensor<33x129x{wide}>) -> tensor<33x129xf64>
      %c = stablehlo.convert %t : (tensor<33x130x{wide}>) -> tensor<33x130xf64>
      return %a, %b, %c : tensor<130xf64>, tensor<33x129xf64>, tensor<33x130xf64>
    }}"""
    x = np.random.default_rng(0).integers(0, 4, (33, 130)).astype(np.int8)
    i = np.array([[5], [7]], np.int32)
    scattered = x.copy()
    scattered[[5, 7]] += x[:2]
    wanted = x.sum(0), x[:, 1:] + x[:, :-1], scattered
    for result, like in zip(systole_run(text, [x, i], tmp_path), wanted, strict=True):
        np.testing.assert_array_equal(result, like)


RAGGED = {
    # left, right, sizes, batching, contracting, ragged, group
    "rows": ((12, 6), (3, 6, 5), (3,), ([], []), ([1], [1]), 0, [0]),
    "rows of batches": ((2, 12, 6), (2, 3, 6, 5), (2, 3), ([0], [0]), ([2], [2]), 1, [1]),
    "rows behind rows": ((4, 12, 6), (3, 6, 5), (4, 3), ([], []), ([2], [1]), 1, [0]),
    "shared sizes": ((2, 12, 6), (2, 3, 6, 5), (3,), ([0], [0]), ([2], [2]), 1, [1]),
    "depth": ((6, 12), (12, 5), (3,), ([], []), ([1], [0]), 1, []),
    "depth of batches": ((2, 6, 12), (2, 12, 5), (2, 3), ([0], [0]), ([2], [1]), 2, []),
    "batch": ((12, 4, 6), (12, 6, 5), (3,), ([0], [0]), ([2], [1]), 0, []),
}


@pytest.mark.parametrize("name", RAGGED)
def test_ragged_dot(name, tmp_path):
    left, right, sizes, batching, contracting, ragged, group = RAGGED[name]
    rng = np.random.default_rng(5)
    x, y = numbers(rng, *left), numbers(rng, *right)
    n = rng.integers(0, 6, sizes).astype(np.int32)  # rows of no group are left, or rows that there are not
    dims = lax.RaggedDotDimensionNumbers((tuple(contracting), tuple(batching)), [ragged], group)
    function = lambda x, y, n: lax.ragged_dot_general(x, y, n, dims)
    text = jax.jit(function).trace(x, y, n).lower(lowering_platforms=("tpu",)).as_text()
    assert "chlo.ragged_dot" in text
    (got,) = systole_run(text, [x, y, n], tmp_path)
    np.testing.assert_array_equal(got, jax.jit(function)(x, y, n))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype, element", [(np.float32, "f32"), (np.int64, "i64")])
def test_scan(reverse, dtype, element, tmp_path):
    text = f"""func.func @main(%x: tensor<3x6x4x{element}>, %s: tensor<3x4x{element}>, %n: tensor<3x4x{element}>)
        -> (tensor<3x6x4x{element}>, tensor<3x4x{element}>, tensor<3x4x{element}>) {{
      %y, %a, %b = chlo.scan(%x) inits (%s, %n) dimension=1 attributes {{is_reverse = {str(reverse).lower()}}} {{
      ^bb0(%v: tensor<3x4x{element}>, %c: tensor<3x4x{element}>, %m: tensor<3x4x{element}>):
        %r = stablehlo.add %v, %c : tensor<3x4x{element}>
        %l = stablehlo.maximum %m, %r : tensor<3x4x{element}>
        %d = stablehlo.multiply %r, %n : tensor<3x4x{element}>
        stablehlo.return %d, %r, %l : tensor<3x4x{element}>, tensor<3x4x{element}>, tensor<3x4x{element}>
      }} : (tensor<3x6x4x{element}>, tensor<3x4x{element}>, tensor<3x4x{element}>)
          -> (tensor<3x6x4x{element}>, tensor<3x4x{element}>, tensor<3x4x{element}>)
      return %y, %a, %b : tensor<3x6x4x{element}>, tensor<3x4x{element}>, tensor<3x4x{element}>
    }}"""
    rng = np.random.default_rng(6)
    x, s, n = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((3, 6, 4), (3, 4), (3, 4)))
    carried, largest, outputs = s, n, np.zeros_like(x)
    for i in reversed(range(6)) if reverse else range(6):
        carried = x[:, i] + carried
        largest = np.maximum(largest, carried)
        outputs[:, i] = carried * n
    got = systole_run(text, [x, s, n], tmp_path)
    for result, expected in zip(got, (outputs, carried, largest)):
        np.testing.assert_array_equal(result, expected)


def test_asin_acos_kernel(tmp_path):
    """The inverse functions follow from it."""
    text = """func.func @main(%re: tensor<64xf32>, %im: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
      %z = stablehlo.complex %re, %im : tensor<64xcomplex<f32>>
      %w = chlo._asin_acos_kernel %z : tensor<64xcomplex<f32>> -> tensor<64xcomplex<f32>>
      %a = stablehlo.real %w : (tensor<64xcomplex<f32>>) -> tensor<64xf32>
      %b = stablehlo.imag %w : (tensor<64xcomplex<f32>>) -> tensor<64xf32>
      return %a, %b : tensor<64xf32>, tensor<64xf32>
    }"""
    rng = np.random.default_rng(7)
    z = (rng.normal(size=64) * 3 + 1j * rng.normal(size=64) * 3).astype(np.complex64)
    a, b = systole_run(text, [z.real.copy(), z.imag.copy()], tmp_path)
    wide = z.astype(np.complex128)
    asin, acos = np.arcsin(wide), np.arccos(wide)
    np.testing.assert_allclose(np.arctan2(wide.real, a), asin.real, rtol=2e-6)
    np.testing.assert_allclose(np.sign(wide.imag) * b, asin.imag, rtol=2e-6)
    np.testing.assert_allclose(np.arctan2(a, wide.real), acos.real, rtol=2e-6)
    np.testing.assert_allclose(-np.sign(wide.imag) * b, acos.imag, rtol=2e-6)


def test_chlo_constant(tmp_path):
    text = """func.func @main() -> tensor<3xf32> {
      %r = chlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
      return %r : tensor<3xf32>
    }"""
    (got,) = systole_run(text, [], tmp_path)
    np.testing.assert_array_equal(got, np.asarray(jnp.array([1.0, 2.0, 3.0])))


def algorithm_text(precision, accumulation, operations, element="f32"):
    return f"""func.func @main(%x: tensor<40x60x{element}>, %y: tensor<60x50x{element}>) -> tensor<40x50xf32> {{
      %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <
          lhs_precision_type = {precision}, rhs_precision_type = {precision}, accumulation_type = {accumulation},
          lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = {operations},
          allow_imprecise_accumulation = false>
          : (tensor<40x60x{element}>, tensor<60x50x{element}>) -> tensor<40x50xf32>
      return %r : tensor<40x50xf32>
    }}"""


@pytest.mark.parametrize("session", ["default", "highest"])
@pytest.mark.parametrize(
    "precision, accumulation, operations, least, most",
    [
        ("bf16", "f32", 1, 1e-4, 5e-3),
        ("bf16", "f32", 3, 1e-8, 1e-5),
        ("bf16", "f32", 6, 0, 3e-7),
        ("bf16", "f32", 9, 0, 3e-7),
        ("bf16", "bf16", 1, 1e-3, 1e-2),
        ("tf32", "f32", 1, 0, 6e-4),
        ("tf32", "f32", 3, 0, 3e-7),
        ("f16", "f32", 1, 1e-5, 6e-4),
        ("f16", "f16", 1, 1e-5, 1e-3),
        ("f32", "f32", 1, 0, 3e-7),
    ],
)
def test_algorithms(precision, accumulation, operations, least, most, session, tmp_path):
    """The precision of a session does not change what an algorithm asks for."""
    rng = np.random.default_rng(10)
    x, y = (rng.normal(size=shape).astype(np.float32) for shape in ((40, 60), (60, 50)))
    (got,) = systole_run(algorithm_text(precision, accumulation, operations), [x, y], tmp_path, precision=session)
    exact = x.astype(np.float64) @ y.astype(np.float64)
    error = np.linalg.norm(got - exact) / np.linalg.norm(exact)
    assert least <= error <= most
    narrow = {"f16": jnp.float16, "bf16": jnp.bfloat16}.get(accumulation)
    if narrow:
        np.testing.assert_array_equal(got, np.asarray(jnp.asarray(got, narrow), np.float32))


def test_algorithm_of_f16_is_exact(tmp_path):
    """Operands of 11 bits, whose sums of products fit f32."""
    rng = np.random.default_rng(11)
    x, y = (rng.integers(-1023, 1024, shape).astype(np.float32) for shape in ((40, 60), (60, 50)))
    x[:, 8:] = 0
    (got,) = systole_run(algorithm_text("f16", "f32", 1), [x, y], tmp_path, precision="default")
    np.testing.assert_array_equal(got, x @ y)


BRANCHES = """
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c = "stablehlo.if"(%less) ({
      %outside = stablehlo.add %b, %bias : tensor<f32>
      %even = stablehlo.convert %less : (tensor<i1>) -> tensor<i32>
      %d = "stablehlo.case"(%even) ({
        stablehlo.return %a : tensor<f32>
      }, {
        stablehlo.return %outside : tensor<f32>
      }, {
        stablehlo.return %b : tensor<f32>
      }) : (tensor<i32>) -> tensor<f32>
      stablehlo.return %d : tensor<f32>
    }, {
      %e = func.call @same(%a) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %e : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %c : tensor<f32>"""
SAME = """
  func.func private @same(%a: tensor<f32>) -> tensor<f32> {
    return %a : tensor<f32>
  }"""


def test_branches_in_windows(tmp_path):
    """The maximum, as branches, calls and a number from outside that is zero."""
    text = f"""func.func @main(%x: tensor<8x130xf32>, %bias: tensor<f32>) -> tensor<4x130xf32> {{
      %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %r = "stablehlo.reduce_window"(%x, %least) <{{
        window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):{BRANCHES}
      }}) : (tensor<8x130xf32>, tensor<f32>) -> tensor<4x130xf32>
      return %r : tensor<4x130xf32>
    }}{SAME}"""
    x = np.random.default_rng(12).normal(size=(8, 130)).astype(np.float32)
    (got,) = systole_run(text, [x, np.float32(0)], tmp_path)
    np.testing.assert_array_equal(got, x.reshape(4, 2, 130).max(1))


def test_branches_in_reductions(tmp_path):
    text = f"""func.func @main(%x: tensor<8x130xf32>, %bias: tensor<f32>) -> tensor<130xf32> {{
      %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %r = stablehlo.reduce(%x init: %least) across dimensions = [0] : (tensor<8x130xf32>, tensor<f32>) -> tensor<130xf32>
       reducer(%a: tensor<f32>, %b: tensor<f32>) {{{BRANCHES}
      }}
      return %r : tensor<130xf32>
    }}{SAME}"""
    x = np.random.default_rng(13).normal(size=(8, 130)).astype(np.float32)
    (got,) = systole_run(text, [x, np.float32(0)], tmp_path)
    np.testing.assert_array_equal(got, x.max(0))


def test_branches_in_scatters(tmp_path):
    text = f"""func.func @main(%x: tensor<8x20xf32>, %i: tensor<5x1xi32>, %u: tensor<5x20xf32>, %bias: tensor<f32>)
        -> tensor<8x20xf32> {{
      %r = "stablehlo.scatter"(%x, %i, %u) <{{
        scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):{BRANCHES}
      }}) : (tensor<8x20xf32>, tensor<5x1xi32>, tensor<5x20xf32>) -> tensor<8x20xf32>
      return %r : tensor<8x20xf32>
    }}{SAME}"""
    rng = np.random.default_rng(14)
    x, u = (rng.normal(size=shape).astype(np.float32) for shape in ((8, 20), (5, 20)))
    i = np.array([[3], [1], [3], [7], [0]], np.int32)
    (got,) = systole_run(text, [x, i, u, np.float32(0)], tmp_path)
    expected = x.copy()
    for row, update in zip(i[:, 0], u):
        expected[row] = np.maximum(expected[row], update)
    np.testing.assert_array_equal(got, expected)


def test_branches_in_sorts(tmp_path):
    """By magnitude where the sign is shared, else by sign."""
    text = """func.func @main(%x: tensor<5x33xf32>) -> tensor<5x33xf32> {
      %r = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.sign %a : tensor<f32>
        %t = stablehlo.sign %b : tensor<f32>
        %same = stablehlo.compare EQ, %s, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %c = "stablehlo.if"(%same) ({
          %m = stablehlo.abs %a : tensor<f32>
          %n = stablehlo.abs %b : tensor<f32>
          %less = stablehlo.compare LT, %m, %n : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %less : tensor<i1>
        }, {
          %less = stablehlo.compare LT, %s, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %less : tensor<i1>
        }) : (tensor<i1>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }) : (tensor<5x33xf32>) -> tensor<5x33xf32>
      return %r : tensor<5x33xf32>
    }"""
    x = np.random.default_rng(15).normal(size=(5, 33)).astype(np.float32)
    (got,) = systole_run(text, [x], tmp_path)
    order = np.lexsort((np.abs(x), np.sign(x)), axis=1)
    np.testing.assert_array_equal(got, np.take_along_axis(x, order, 1))


# The larger number, as small tensors, and from a table outside that has ones.
PAIR = """
    %u = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>
    %v = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %k = stablehlo.concatenate %u, %v, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %j = stablehlo.convert %a : (tensor<f32>) -> tensor<i32>
    %t = stablehlo.dynamic_slice %table, %j, sizes = [2] : (tensor<5xf32>, tensor<i32>) -> tensor<2xf32>
    %w = stablehlo.multiply %k, %t : tensor<2xf32>
    %n = stablehlo.iota dim = 0 : tensor<2xf32>
    %z = stablehlo.reverse %w, dims = [0] : tensor<2xf32>
    %i = stablehlo.subtract %n, %n : tensor<2xf32>
    %o = stablehlo.add %z, %i : tensor<2xf32>
    %h = stablehlo.optimization_barrier %o : tensor<2xf32>
    %m = stablehlo.reduce(%h init: %least) applies stablehlo.maximum across dimensions = [0]
        : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %e = stablehlo.constant dense<[[0.5, 0.5]]> : tensor<1x2xf32>
    %p = stablehlo.pad %m, %least, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %q = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %d = stablehlo.dot_general %e, %q, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1xf32>
    %g = stablehlo.reshape %d : (tensor<1xf32>) -> tensor<f32>"""


@pytest.mark.parametrize("operation", ["reduce", "reduce_window", "scatter", "sort"])
def test_small_tensors_in_bodies(operation, tmp_path):
    block = f"^bb0(%a: tensor<f32>, %b: tensor<f32>):{PAIR}\n    stablehlo.return %g : tensor<f32>"
    text = {
        "reduce": f"""%r = "stablehlo.reduce"(%x, %least) <{{dimensions = array<i64: 0>}}> ({{
          {block}
        }}) : (tensor<8x130xf32>, tensor<f32>) -> tensor<130xf32>
        %s = stablehlo.reshape %r : (tensor<130xf32>) -> tensor<1x130xf32>""",
        "reduce_window": f"""%s = "stablehlo.reduce_window"(%x, %least) <{{window_dimensions = array<i64: 8, 1>}}> ({{
          {block}
        }}) : (tensor<8x130xf32>, tensor<f32>) -> tensor<1x130xf32>""",
        "scatter": f"""%to = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<f32>) -> tensor<1x130xf32>
        %at = stablehlo.constant dense<0> : tensor<8x1xi32>
        %s = "stablehlo.scatter"(%to, %at, %x) <{{
          scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
            scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
          {block}
        }}) : (tensor<1x130xf32>, tensor<8x1xi32>, tensor<8x130xf32>) -> tensor<1x130xf32>""",
        "sort": f"""%all = "stablehlo.sort"(%x) <{{dimension = 0 : i64}}> ({{
          {block.replace("stablehlo.return %g : tensor<f32>", "")}
          %f = stablehlo.compare NE, %g, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %f : tensor<i1>
        }}) : (tensor<8x130xf32>) -> tensor<8x130xf32>
        %s = stablehlo.slice %all [0:1, 0:130] : (tensor<8x130xf32>) -> tensor<1x130xf32>""",
    }[operation]
    program = f"""func.func @main(%x: tensor<8x130xf32>, %table: tensor<5xf32>) -> tensor<1x130xf32> {{
        %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
        {text}
        return %s : tensor<1x130xf32>
    }}"""
    x = np.random.default_rng(16).normal(size=(8, 130)).astype(np.float32)
    (got,) = systole_run(program, [x, np.ones(5, np.float32)], tmp_path)
    np.testing.assert_array_equal(got[0], x.max(0))
