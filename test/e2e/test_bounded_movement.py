"""Operations that move elements of arrays whose sizes depend on data.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax.numpy as jnp
import numpy as np
from jax import lax

from padded import COLUMNS, SIZES, V, X, XT, Compiled, check, poisoned, run_rows


def test_movement(tmp_path):
    long, wide = "tensor<?x5xf32, #stablehlo.bounds<29, ?>>", "tensor<?x7xf32, #stablehlo.bounds<19, ?>>"
    half = "tensor<?x5xf32, #stablehlo.bounds<4, ?>>"
    body = f"""
      %t = stablehlo.transpose %x, dims = [1, 0] : ({X}) -> {XT}
      %back = stablehlo.reverse %x, dims = [0, 1] : {X}
      %static = stablehlo.constant dense<2.0> : tensor<11x5xf32>
      %joined = stablehlo.concatenate %x, %static, %back, dim = 0 : ({X}, tensor<11x5xf32>, {X}) -> {long}
      %padded = stablehlo.pad %x, %one, low = [2, 1], high = [0, 1], interior = [1, 0] : ({X}, tensor<f32>) -> {wide}
      %slice = stablehlo.slice %x [1:9:2, 0:5] : ({X}) -> {half}
      %flat = stablehlo.reshape %x : ({X}) -> tensor<?xf32, #stablehlo.bounds<45>>"""
    results = [("%t", XT), ("%back", X), ("%joined", long), ("%padded", wide), ("%slice", half)]
    results += [("%flat", "tensor<?xf32, #stablehlo.bounds<45>>")]

    def reference(x, v, n):
        padded = lax.pad(jnp.asarray(x), np.float32(1), ((2, 0, 1), (1, 1, 0)))
        joined = np.concatenate([x, np.full((11, 5), 2, np.float32), x[::-1, ::-1]])
        return x.T, x[::-1, ::-1], joined, padded, x[1::2], x.reshape(-1)

    run_rows(tmp_path, body, results, reference)


def test_reshapes(tmp_path):
    """Elements that lie in gaps of the padded array come together, and the other way round."""
    body = f"""
      %t = stablehlo.transpose %x, dims = [1, 0] : ({X}) -> {XT}
      %flat = stablehlo.reshape %t : ({XT}) -> tensor<?xf32, #stablehlo.bounds<45>>
      %again = stablehlo.reshape %flat : (tensor<?xf32, #stablehlo.bounds<45>>) -> {XT}
      %turned = stablehlo.reshape %t : ({XT}) -> {X}
      %two = stablehlo.concatenate %x, %x, dim = 1 : ({X}, {X}) -> tensor<?x10xf32, #stablehlo.bounds<9, ?>>
      %split = stablehlo.reshape %two : (tensor<?x10xf32, #stablehlo.bounds<9, ?>>) -> tensor<?x5x2xf32, #stablehlo.bounds<9, ?, ?>>
      %merged = stablehlo.reshape %split : (tensor<?x5x2xf32, #stablehlo.bounds<9, ?, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<45, ?>>"""
    results = [("%flat", "tensor<?xf32, #stablehlo.bounds<45>>"), ("%again", XT), ("%turned", X)]
    results += [("%split", "tensor<?x5x2xf32, #stablehlo.bounds<9, ?, ?>>")]
    results += [("%merged", "tensor<?x2xf32, #stablehlo.bounds<45, ?>>")]

    def reference(x, v, n):
        two = np.concatenate([x, x], 1)
        turned = np.ascontiguousarray(x.T).reshape(n, 5)
        return x.T.reshape(-1), x.T, turned, two.reshape(n, 5, 2), two.reshape(5 * n, 2)

    run_rows(tmp_path, body, results, reference)


def test_sizes_of_both_dimensions(tmp_path):
    """Two sizes that depend on data, and reshapes whose sizes are listed."""
    square, line = "tensor<?x?xf32, #stablehlo.bounds<9, 5>>", "tensor<?xf32, #stablehlo.bounds<45>>"
    text = f"""func.func @main(%whole: tensor<9x5xf32>, %n: tensor<i32>, %m: tensor<i32>)
        -> ({line}, tensor<?x?xf32, #stablehlo.bounds<5, 9>>, tensor<f32>) {{
      %a = stablehlo.set_dimension_size %whole, %n, dim = 0 : (tensor<9x5xf32>, tensor<i32>) -> tensor<?x5xf32, #stablehlo.bounds<9, ?>>
      %x = stablehlo.set_dimension_size %a, %m, dim = 1 : (tensor<?x5xf32, #stablehlo.bounds<9, ?>>, tensor<i32>) -> {square}
      %flat = stablehlo.reshape %x : ({square}) -> {line}
      %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
      %shape = stablehlo.concatenate %m1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %turned = stablehlo.dynamic_reshape %flat, %shape : ({line}, tensor<2xi32>) -> tensor<?x?xf32, #stablehlo.bounds<5, 9>>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %sum = stablehlo.reduce(%turned init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x?xf32, #stablehlo.bounds<5, 9>>, tensor<f32>) -> tensor<f32>
      return %flat, %turned, %sum : {line}, tensor<?x?xf32, #stablehlo.bounds<5, 9>>, tensor<f32>
    }}"""
    program = Compiled(text, tmp_path)
    for n, m in ((0, 3), (1, 5), (7, 2), (9, 5), (4, 0)):
        whole, x = poisoned((9, 5), (n, m))
        check(program(whole, np.int32(n), np.int32(m)), [x.reshape(-1), x.reshape(m, n), x.sum()])


def test_indexing(tmp_path):
    """Positions beyond the size are out of bounds, also inside of the padding."""
    indices = "tensor<?x1xi32, #stablehlo.bounds<9, ?>>"
    add = """({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      })"""
    numbers = "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
    body = f"""
      %few = stablehlo.constant dense<[[0], [8], [3], [-2]]> : tensor<4x1xi32>
      %i = stablehlo.iota dim = 0 : tensor<9x1xi32>
      %all = stablehlo.set_dimension_size %i, %n, dim = 0 : (tensor<9x1xi32>, tensor<i32>) -> {indices}
      %back = stablehlo.reverse %all, dims = [0] : {indices}
      %taken = "stablehlo.gather"(%x, %few) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}}> : ({X}, tensor<4x1xi32>) -> tensor<4x5xf32>
      %every = "stablehlo.gather"(%x, %back) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}}> : ({X}, {indices}) -> {X}
      %table = stablehlo.constant dense<0.0> : tensor<9x5xf32>
      %ones = stablehlo.constant dense<1.0> : tensor<4x5xf32>
      %into = "stablehlo.scatter"(%x, %few, %ones) <{{scatter_dimension_numbers = {numbers}}}> {add} : ({X}, tensor<4x1xi32>, tensor<4x5xf32>) -> {X}
      %from = "stablehlo.scatter"(%table, %back, %x) <{{scatter_dimension_numbers = {numbers}}}> {add} : (tensor<9x5xf32>, {indices}, {X}) -> tensor<9x5xf32>
      %eight = stablehlo.constant dense<8> : tensor<i32>
      %none = stablehlo.constant dense<0> : tensor<i32>
      %last = stablehlo.dynamic_slice %x, %eight, %none, sizes = [1, 5] : ({X}, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
      %row = stablehlo.constant dense<5.0> : tensor<1x5xf32>
      %set = stablehlo.dynamic_update_slice %x, %row, %eight, %none : ({X}, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> {X}
      %three = stablehlo.constant dense<3> : tensor<i32>
      %big = stablehlo.constant dense<7.0> : tensor<20x5xf32>
      %part = stablehlo.dynamic_update_slice %big, %x, %three, %none : (tensor<20x5xf32>, {X}, tensor<i32>, tensor<i32>) -> tensor<20x5xf32>"""
    results = [("%taken", "tensor<4x5xf32>"), ("%every", X), ("%into", X), ("%from", "tensor<9x5xf32>")]
    results += [("%last", "tensor<1x5xf32>"), ("%set", X), ("%part", "tensor<20x5xf32>")]

    def reference(x, v, n):
        into, start, part = x.copy(), x.copy(), np.full((20, 5), 7, np.float32)
        for i in (0, 8, 3):
            if i < n:
                into[i] += 1
        start[-1] = 5
        part[3 : 3 + n] = x
        whole = np.zeros((9, 5), np.float32)
        whole[:n] = x[::-1]
        taken = x[np.clip([0, 8, 3, -2], 0, n - 1)]
        return taken, x[::-1], into, whole, x[-1:], start, part

    run_rows(tmp_path, body, results, reference, SIZES[1:])


def test_sorts(tmp_path):
    body = f"""
      %i = stablehlo.iota dim = 0 : tensor<9xi32>
      %places = stablehlo.set_dimension_size %i, %n, dim = 0 : (tensor<9xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<9>>
      %s:2 = "stablehlo.sort"(%v, %places) <{{dimension = 0 : i64, is_stable = true}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %j: tensor<i32>, %k: tensor<i32>):
        %g = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %g : tensor<i1>
      }}) : ({V}, tensor<?xi32, #stablehlo.bounds<9>>) -> ({V}, tensor<?xi32, #stablehlo.bounds<9>>)
      %rows = "stablehlo.sort"(%x) <{{dimension = 1 : i64}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %g = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %g : tensor<i1>
      }}) : ({X}) -> {X}
      %best, %where = chlo.top_k(%v, k = 1) : {V} -> (tensor<1xf32>, tensor<1xi32>)"""
    results = [("%s#0", V), ("%s#1", "tensor<?xi32, #stablehlo.bounds<9>>"), ("%rows", X)]
    results += [("%best", "tensor<1xf32>"), ("%where", "tensor<1xi32>")]

    def reference(x, v, n):
        order = np.argsort(-v, kind="stable").astype(np.int32)
        return v[order], order, np.sort(x, 1), v[order[:1]], order[:1]

    run_rows(tmp_path, body, results, reference, SIZES[1:])


def test_loops_and_branches(tmp_path):
    """A loop whose array grows, and branches with arrays of other sizes."""
    int32 = "tensor<i32>"
    body = f"""
      %none = stablehlo.constant dense<0> : {int32}
      %step = stablehlo.constant dense<1> : {int32}
      %two = stablehlo.constant dense<2> : {int32}
      %more = stablehlo.constant dense<3.0> : tensor<2x5xf32>
      %r:2 = stablehlo.while(%k = %n, %a = %x) : {int32}, {X}
      cond {{
        %go = stablehlo.compare GT, %k, %two : ({int32}, {int32}) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      }} do {{
        %k1 = stablehlo.subtract %k, %two : {int32}
        %b = stablehlo.add %a, %a : {X}
        %c = stablehlo.set_dimension_size %b, %k1, dim = 0 : ({X}, {int32}) -> {X}
        stablehlo.return %k1, %c : {int32}, {X}
      }}
      %odd = stablehlo.and %n, %step : {int32}
      %is = stablehlo.compare EQ, %odd, %step : ({int32}, {int32}) -> tensor<i1>
      %either = "stablehlo.if"(%is) ({{
        %t = stablehlo.negate %x : {X}
        stablehlo.return %t : {X}
      }}, {{
        %t = stablehlo.concatenate %x, %more, dim = 0 : ({X}, tensor<2x5xf32>) -> tensor<?x5xf32, #stablehlo.bounds<11, ?>>
        %u = stablehlo.slice %t [0:4, 0:5] : (tensor<?x5xf32, #stablehlo.bounds<11, ?>>) -> {X}
        stablehlo.return %u : {X}
      }}) : (tensor<i1>) -> {X}
      %total = stablehlo.reduce(%r#1 init: %zero) applies stablehlo.add across dimensions = [0] : ({X}, tensor<f32>) -> {COLUMNS}"""

    def reference(x, v, n):
        k, a = n, x
        while k > 2:
            k -= 2
            a = (a + a)[:k]
        either = -x if n % 2 else np.concatenate([x, np.full((2, 5), 3, np.float32)])[:4]
        return a, a.sum(0), either

    run_rows(tmp_path, body, [("%r#1", X), ("%total", COLUMNS), ("%either", X)], reference, (0, 1, 4, 7, 8, 9))


def test_listed_sizes(tmp_path):
    """Operations that take sizes and positions as operands."""
    row = "tensor<?x3xf32, #stablehlo.bounds<9, ?>>"
    body = f"""
      %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %c5 = stablehlo.constant dense<5> : tensor<1xi32>
      %c3 = stablehlo.constant dense<3> : tensor<1xi32>
      %c1 = stablehlo.constant dense<1> : tensor<1xi32>
      %c0 = stablehlo.constant dense<0> : tensor<1xi32>
      %wide = stablehlo.concatenate %n1, %c3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %spread = stablehlo.dynamic_broadcast_in_dim %v, %wide, dims = [0] : ({V}, tensor<2xi32>) -> {row}
      %filled = stablehlo.dynamic_broadcast_in_dim %one, %wide, dims = [] : (tensor<f32>, tensor<2xi32>) -> {row}
      %numbers = stablehlo.dynamic_iota %wide, dim = 0 : (tensor<2xi32>) -> tensor<?x3xi32, #stablehlo.bounds<9, ?>>
      %edges = stablehlo.concatenate %n1, %c0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %low2 = stablehlo.constant dense<[-1, 0]> : tensor<2xi32>
      %none2 = stablehlo.constant dense<0> : tensor<2xi32>
      %padded = stablehlo.dynamic_pad %x, %one, %edges, %low2, %none2 : ({X}, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x5xf32, #stablehlo.bounds<17, ?>>
      %half = stablehlo.divide %n1, %c3 : tensor<1xi32>
      %from = stablehlo.concatenate %half, %c0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %to = stablehlo.concatenate %n1, %c5, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %by = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
      %cut = stablehlo.real_dynamic_slice %x, %from, %to, %by : ({X}, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> {X}
      %steps = stablehlo.add %half, %c1 : tensor<1xi32>
      %often = stablehlo.concatenate %steps, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %strided = stablehlo.real_dynamic_slice %whole, %from, %to, %often : (tensor<9x5xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> {X}"""
    results = [("%spread", row), ("%filled", row), ("%numbers", "tensor<?x3xi32, #stablehlo.bounds<9, ?>>")]
    results += [("%padded", "tensor<?x5xf32, #stablehlo.bounds<17, ?>>"), ("%cut", X), ("%strided", X)]

    def reference(x, v, n):
        spread = np.broadcast_to(v[:, None], (n, 3))
        numbers = np.broadcast_to(np.arange(n, dtype=np.int32)[:, None], (n, 3))
        padded = np.concatenate([np.ones((n, 5), np.float32), x])[:-1]
        return spread, np.ones((n, 3), np.float32), numbers, padded, x[n // 3 :: 2], x[n // 3 :: n // 3 + 1]

    run_rows(tmp_path, body, results, reference, SIZES[1:])


def test_scatters_of_rows(tmp_path):
    """Rows that replace others, of windows that have the array's own size."""
    numbers = "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
    body = f"""
      %i = stablehlo.constant dense<[[4], [1]]> : tensor<2x1xi32>
      %t = stablehlo.transpose %x, dims = [1, 0] : ({X}) -> {XT}
      %u = stablehlo.slice %t [0:2, 0:9] : ({XT}) -> tensor<2x?xf32, #stablehlo.bounds<?, 9>>
      %r = "stablehlo.scatter"(%t, %i, %u) <{{scatter_dimension_numbers = {numbers}}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        stablehlo.return %b : tensor<f32>
      }}) : ({XT}, tensor<2x1xi32>, tensor<2x?xf32, #stablehlo.bounds<?, 9>>) -> {XT}
      %whole0 = stablehlo.constant dense<1.0> : tensor<5x12xf32>
      %s = "stablehlo.scatter"(%whole0, %i, %u) <{{scatter_dimension_numbers = {numbers}}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
      }}) : (tensor<5x12xf32>, tensor<2x1xi32>, tensor<2x?xf32, #stablehlo.bounds<?, 9>>) -> tensor<5x12xf32>"""

    def reference(x, v, n):
        replaced, added = x.T.copy(), np.ones((5, 12), np.float32)
        replaced[[4, 1]] = x.T[:2]
        added[[4, 1], :n] += x.T[:2]
        return replaced, added

    run_rows(tmp_path, body, [("%r", XT), ("%s", "tensor<5x12xf32>")], reference)


def test_windows_at_positions(tmp_path):
    """A window that reaches into the padding is outside; the start of a slice is moved back."""
    body = f"""
      %i = stablehlo.constant dense<[[0], [5], [7]]> : tensor<3x1xi32>
      %ones = stablehlo.constant dense<1.0> : tensor<3x2x5xf32>
      %r = "stablehlo.scatter"(%x, %i, %ones) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
      }}) : ({X}, tensor<3x1xi32>, tensor<3x2x5xf32>) -> {X}
      %g = "stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 5>}}> : ({X}, tensor<3x1xi32>) -> tensor<3x2x5xf32>"""

    def reference(x, v, n):
        added = x.copy()
        for i in (0, 5, 7):
            if i + 2 <= n:
                added[i : i + 2] += 1
        starts = [min(i, n - 2) for i in (0, 5, 7)]
        return added, np.stack([x[i : i + 2] for i in starts])

    run_rows(tmp_path, body, [("%r", X), ("%g", "tensor<3x2x5xf32>")], reference, (2, 6, 7, 8, 9))


def test_updates_of_part_of_an_array(tmp_path):
    """An update whose size depends on data, into an array whose size does, too."""
    text = f"""func.func @main(%whole: tensor<9x5xf32>, %part: tensor<6x5xf32>, %n: tensor<i32>, %m: tensor<i32>, %at: tensor<i64>) -> {X} {{
      %x = stablehlo.set_dimension_size %whole, %n, dim = 0 : (tensor<9x5xf32>, tensor<i32>) -> {X}
      %u = stablehlo.set_dimension_size %part, %m, dim = 0 : (tensor<6x5xf32>, tensor<i32>) -> tensor<?x5xf32, #stablehlo.bounds<6, ?>>
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %r = stablehlo.dynamic_update_slice %x, %u, %at, %zero : ({X}, tensor<?x5xf32, #stablehlo.bounds<6, ?>>, tensor<i64>, tensor<i64>) -> {X}
      return %r : {X}
    }}"""
    program = Compiled(text, tmp_path)
    for n, m, at in ((7, 3, 2), (7, 3, 2**40), (9, 6, 1), (5, 0, 9), (2, 2, -(2**40))):
        whole, x = poisoned((9, 5), (n, 5))
        part, u = poisoned((6, 5), (m, 5), seed=1)
        start = int(np.clip(at, 0, n - m))
        x[start : start + m] = u
        check(program(whole, part, np.int32(n), np.int32(m), np.int64(at)), [x])


def test_known_sizes_at_unknown_positions(tmp_path):
    """Amounts, positions and steps depend on data, but the results' sizes do not."""
    text = """func.func @main(%x: tensor<9x5xf32>, %k: tensor<1xi32>) -> (tensor<9x5xf32>, tensor<3x5xf32>, tensor<2x5xf32>) {
      %none = stablehlo.constant dense<0> : tensor<1xi32>
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %five = stablehlo.constant dense<5> : tensor<1xi32>
      %six = stablehlo.constant dense<6> : tensor<1xi32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %less = stablehlo.negate %k : tensor<1xi32>
      %low = stablehlo.concatenate %k, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %high = stablehlo.concatenate %less, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %inner = stablehlo.constant dense<0> : tensor<2xi32>
      %moved = stablehlo.dynamic_pad %x, %zero, %low, %high, %inner : (tensor<9x5xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<9x5xf32>
      %end = stablehlo.add %k, %six : tensor<1xi32>
      %to = stablehlo.concatenate %end, %five, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %by = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
      %every = stablehlo.real_dynamic_slice %x, %low, %to, %by : (tensor<9x5xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3x5xf32>
      %step = stablehlo.add %k, %one : tensor<1xi32>
      %twice = stablehlo.add %step, %step : tensor<1xi32>
      %until = stablehlo.concatenate %twice, %five, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %steps = stablehlo.concatenate %step, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %two = stablehlo.real_dynamic_slice %x, %inner, %until, %steps : (tensor<9x5xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x5xf32>
      return %moved, %every, %two : tensor<9x5xf32>, tensor<3x5xf32>, tensor<2x5xf32>
    }"""
    program = Compiled(text, tmp_path)
    x, _ = poisoned((9, 5), (9, 5))
    for k in (0, 1, 3):
        moved = np.concatenate([np.zeros((k, 5), np.float32), x])[:9]
        check(program(x, np.int32([k])), [moved, x[k : k + 6 : 2], x[: 2 * (k + 1) : k + 1]])


def test_memory_of_the_host(tmp_path):
    """An array with its padding goes there and comes back."""
    place = (
        "stablehlo.custom_call @annotate_device_placement({}) {{has_side_effect = true, "
        'mhlo.frontend_attributes = {{_xla_buffer_placement = "{}"}}}} : ({t}) -> {t}'
    )
    body = f"""
      %double = stablehlo.add %x, %x : {X}
      %kept = {place.format("%double", "pinned_host", t=X)}
      %square = stablehlo.multiply %x, %x : {X}
      %back = {place.format("%kept", "device", t=X)}
      %r = stablehlo.subtract %square, %back : {X}
      %sum = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [0] : ({X}, tensor<f32>)
        -> {COLUMNS}"""
    results = [("%r", X), ("%sum", COLUMNS)]
    run_rows(tmp_path, body, results, lambda x, v, n: (x * x - 2 * x, (x * x - 2 * x).sum(0)))
