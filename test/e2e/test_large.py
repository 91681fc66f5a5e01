"""Arrays larger than VMEM, cut along every dimension there is: nothing depends on how.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32
from systole_cli import MLIR_NAMES, systole_run
from test_elementwise import I8, I32, generator, ordinary
from verify import lower, verify


def arrays(name, *kinds):
    rng = generator("large", name)
    return [ordinary(rng, shape, dtype, "any", 0) for shape, dtype in kinds]


REDUCTIONS = {
    "rows": ((2050, 1200), (1,)),
    "columns": ((9001, 500), (0,)),
    "all": ((3001, 1003), (0, 1)),
    "vector": ((3_000_001,), (0,)),
    "few_long_rows": ((3, 1_000_400), (1,)),
    "middle": ((5, 6002, 130), (1,)),
    "outer_and_inner": ((300, 100, 130), (0, 2)),
    "image": ((6, 60, 60, 130), (0, 1, 2)),
    "per_image": ((6, 60, 60, 130), (1, 2)),
}


def in_turn(names, first, others):
    """Every name with the type `first`, and with one of `others` after the other."""
    pairs = [(name, first) for name in names]
    pairs += [(name, others[number % len(others)]) for number, name in enumerate(names)]
    return [pytest.param(name, dtype, id=f"{name}-{MLIR_NAMES[dtype]}") for name, dtype in pairs]


@pytest.mark.parametrize("name, dtype", in_turn(REDUCTIONS, F32, [BF16, I32, I8]))
def test_reductions(name, dtype, tmp_path):
    shape, axes = REDUCTIONS[name]
    (x,) = arrays(name, (shape, dtype))
    verify(lambda x: [lax.reduce_max(x, axes)], [x], tmp_path)
    if dtype in (F32, I32):
        verify(lambda x: [lax.reduce_sum(x, axes)], [x], tmp_path)


@pytest.mark.parametrize(
    "shape, axis", [((5000, 128), 0), ((5, 6000, 130), 1), ((20000, 130), 0), ((64, 30522), 1), ((30011, 50), 0)]
)
@pytest.mark.parametrize("dtype", [F32, BF16, I32], ids=MLIR_NAMES.get)
def test_places_of_extremes(shape, axis, dtype, tmp_path):
    """Of a reduction's two results nobody reads the first, but every chunk continues it."""
    (x,) = arrays(f"extremes{shape}", (shape, dtype))
    text = lower(lambda x: [jnp.argmax(x, axis), jnp.argmin(x, axis)], [x]).as_text()
    results = systole_run(text, [x], tmp_path)
    wide = x.astype(np.float64)
    assert (results[0] == wide.argmax(axis)).all() and (results[1] == wide.argmin(axis)).all()


def test_sum_with_an_initial_value(tmp_path):
    """It takes part once, whatever the number of chunks."""
    (x,) = arrays("initial", ((2_000_003,), I32))
    text = lower(lambda x: [lax.reduce(x, np.int32(5), lax.add, (0,))], [x]).as_text()
    (result,) = systole_run(text, [x], tmp_path)
    assert result == x.sum(dtype=np.int32) + np.int32(5)


def test_max_of_nan_and_negative_infinity(tmp_path):
    x = np.full((2_000_003,), -np.inf, np.float32)
    verify(lambda x: [lax.reduce_max(x, (0,))], [x], tmp_path)
    x[1_999_999] = np.nan
    verify(lambda x: [lax.reduce_max(x, (0,))], [x], tmp_path)


MOVEMENTS = {
    "transpose": (lambda x: x.T, (2050, 1200)),
    "transpose_lanes_stay": (lambda x: jnp.transpose(x, (1, 0, 2)), (70, 300, 130)),
    "transpose_lanes_to_rows": (lambda x: jnp.transpose(x, (2, 0, 1)), (60, 129, 400)),
    "concatenate_rows": (lambda x: jnp.concatenate([x, x[:1], x], 0), (1001, 1300)),
    "concatenate_lanes": (lambda x: jnp.concatenate([x, x], 1), (1001, 1300)),
    "broadcast_column": (lambda x: jnp.broadcast_to(x[:, :1], (2050, 2000)), (2050, 3)),
    "broadcast_row": (lambda x: jnp.broadcast_to(x[:1], (2050, 2000)), (3, 2000)),
    "slice_both": (lambda x: x[3:, 5:], (2050, 2001)),
    "slice_vector": (lambda x: x[5:-9], (4_000_000,)),
    "neighbours": (lambda x: x[1:] - x[:-1], (3_000_001,)),
    "neighbour_rows": (lambda x: x[1:] - x[:-1], (3001, 1300)),
    "strided_rows": (lambda x: x[1::3], (6001, 1000)),
    "strided_lanes": (lambda x: x[:, 1::3], (1001, 4000)),
    "pad_both": (lambda x: jnp.pad(x, ((1, 2), (3, 5)), constant_values=7), (2001, 2003)),
    "pad_vector": (lambda x: jnp.pad(x, (200, 1000), constant_values=7), (3_000_001,)),
    "crop_and_pad_vector": (lambda x: lax.pad(x, x[0], [(-130, 77, 0)]), (3_000_001,)),
    "pad_between": (lambda x: lax.pad(x, x[0], [(3, -700, 2)]), (1_500_001,)),
    "pad_between_both": (lambda x: lax.pad(x, x[0, 0], [(3, -5, 2), (-2, 5, 1)]), (501, 1300)),
    "reverse_vector": (lambda x: x[::-1], (3_000_001,)),
    "reverse_all": (lambda x: x[::-1, ::-1, ::-1] - x, (5, 301, 1301)),
    "concatenate_vectors": (lambda x: jnp.concatenate([x[:1_000_003], x, x[:5]]), (3_000_001,)),
    "reshape_split": (lambda x: x.reshape(4000, 1500), (6000, 1000)),
    "reshape_flatten": (lambda x: x.reshape(-1), (2000, 3000)),
    "reshape_unflatten": (lambda x: x.reshape(2000, 1500), (3_000_000,)),
    "reshape_uneven": (lambda x: x.reshape(2001, 3000), (3000, 2001)),
    "reshape_rows_of_rows": (lambda x: x.reshape(7, 501, 1001), (501, 1001, 7)),
    "reshape_long_rows": (lambda x: x.reshape(-1)[3:].reshape(3, -1), (3, 1_000_001)),
    "reshape_many_long_rows": (lambda x: x.reshape(-1)[18:].reshape(18, -1), (20, 150_003)),
    "reshape_inside": (lambda x: x.reshape(3, -1), (3, 2000, 640)),
    "one_element": (lambda x: x + x[0, 0], (2100, 2100)),
    "long_rows": (lambda x: x + x, (3, 1_000_001)),
    "vector": (lambda x: x + x, (3_000_001,)),
    "many_dimensions": (lambda x: x + x, (5, 3, 2, 3, 40_001)),
}


@pytest.mark.parametrize("name, dtype", in_turn(MOVEMENTS, F32, [BF16, I8]))
def test_movements(name, dtype, tmp_path):
    function, shape = MOVEMENTS[name]
    (x,) = arrays(name, (shape, dtype))
    verify(lambda x: [function(x)], [x], tmp_path)


# Windows of one plane each, of which some lie outside of the operand altogether.
PLANES = {
    "concatenate_planes": (lambda x: jnp.concatenate([x[:7], x, x], 0), (23, 16, 64, 128), F32),
    "concatenate_odd_planes": (lambda x: jnp.concatenate([x, x]), (2, 1001, 128), BF16),
    "concatenate_narrow_planes": (lambda x: jnp.concatenate([x[:5], x]), (17, 129, 129), I8),
    "pad_planes": (lambda x: jnp.pad(x, ((1, 1), (1, 1), (0, 0))), (24, 700, 128), F32),
    "pad_outer_planes": (lambda x: jnp.pad(x, ((2, 0), (2, 0), (2, 0), (0, 0))), (2, 7, 200, 33), F32),
    "crop_planes": (lambda x: lax.pad(x, x[0, 0, 0], [(0, 2, 0), (1, 0, 0), (0, 0, 0)]), (33, 501, 257), F32),
}


@pytest.mark.parametrize("name", PLANES)
def test_planes(name, tmp_path):
    function, shape, dtype = PLANES[name]
    (x,) = arrays(name, (shape, dtype))
    verify(lambda x: [function(x)], [x], tmp_path)


# Rematerialized values, moved to where no block of their source is.
ROWS = (20_001, 100)
OF_REPEATED = {
    "reversed_numbers": lambda x: lax.iota(I32, 3_000_001)[::-1],
    "reshaped_numbers": lambda x: lax.broadcasted_iota(F32, (2001, 3000), 1).reshape(3000, 2001),
    "rows_behind": lambda x: jnp.concatenate([x, jnp.broadcast_to(x[0], ROWS)]),
    "columns_padded": lambda x: jnp.pad(jnp.broadcast_to(x[:, :1], ROWS), ((7, 5), (0, 0))),
    "pixels_apart": lambda x: lax.pad(
        jnp.broadcast_to(x[:2000, None], (2000, 9, 100)), x[0, 0], [(0, 0, 1), (1, 0, 1), (0, 0, 0)]
    ),
    "numbers_along_both": lambda x: jnp.roll(lax.broadcasted_iota(F32, ROWS, 0), (17, 5), (0, 1)),
    "in_a_loop": lambda x: lax.fori_loop(
        0, 3, lambda i, y: y / 2 + jnp.concatenate([jnp.broadcast_to(y[0], (10_001, 100)), x[:10_000]]), x
    ),
}


@pytest.mark.parametrize("name", OF_REPEATED)
def test_movements_of_rematerialized_values(name, tmp_path):
    (x,) = arrays(name, (ROWS, F32))
    verify(lambda x: [OF_REPEATED[name](x)], [x], tmp_path)


# Narrow arrays in which planes begin in the middle of rows of 512 bytes: 1,667 x 9 rows each,
# or 1,001 x 22. Cut wherever they must be, by whatever shares a kernel with them.
def shifted_elements(x, y):
    """With a wider operand and a mask."""
    mask = x > 0
    return mask, jnp.where(mask, (y * 2 + x).astype(x.dtype), x)


def shifted_places(x, y):
    turned = x[:, ::-1] + x[1, :, 5][None, :, None]
    return turned.transpose(2, 0, 1), jnp.broadcast_to(x[:, :1], x.shape)


def shifted_reductions(x, y):
    return x.max((0, 2)), (x + y).max(1), x.min(), x[0, :, 0]


@pytest.mark.parametrize("function", [shifted_elements, shifted_places, shifted_reductions])
@pytest.mark.parametrize("dtype", [BF16, I8], ids=MLIR_NAMES.get)
def test_planes_that_begin_in_the_middle_of_a_row(function, dtype, tmp_path):
    shape = {BF16: (3, 1667, 1100), I8: (5, 1001, 2700)}[dtype]
    (x, y) = (x.astype(kind) for x, kind in zip(small_integers(2, shape), (dtype, I32)))
    exactly(function, [x, y], tmp_path)


def small_integers(count, shape):
    """Whose sums and products of a few are exact in every type."""
    return generator("shifted").integers(-4, 5, (count, *shape), dtype=np.int8)


def exactly(function, args, directory):
    results = systole_run(lower(function, args).as_text(), args, directory)
    for result, expected in zip(results, jax.jit(function)(*args), strict=True):
        assert np.array_equal(result, np.asarray(expected))


def test_narrow_arrays_of_few_columns(tmp_path):
    """Three rows of 15,625 lane groups."""
    (x,) = small_integers(1, (2_000_000, 3)).astype(BF16)
    exactly(lambda x: [x + 1, x * x[7], x.max(0)], [x], tmp_path)


def test_masks_in_shifted_planes(tmp_path):
    (mask,) = small_integers(1, (5, 1001, 2700)) > 0
    exactly(lambda m: [m.any(0), ~m[:, ::-1]], [mask], tmp_path)


def test_bits_pass_through_shifted_planes(tmp_path):
    """Operations that only move elements keep their bits, denormal numbers among them."""
    x = generator("bits").integers(0, 0x7F80, (3, 1667, 1100)).astype(np.int16).view(BF16)
    text = lower(lambda x: x[::-1, ::-1], [x]).as_text()
    (result,) = systole_run(text, [x], tmp_path)
    assert np.array_equal(result.view(np.int16), x[::-1, ::-1].view(np.int16))


def test_shifted_planes_in_a_loop(tmp_path):
    """The loop carries the array, reads it in another form and replaces it."""
    (x,) = small_integers(1, (5, 1001, 2700))
    exactly(lambda x, n: [lax.fori_loop(0, n, lambda i, x: x[:, ::-1] + x, x)], [x, np.int32(2)], tmp_path)


def test_folded_count(tmp_path):
    (x,) = arrays("count", ((1, 1), I32))
    verify(lambda x: [jnp.arange(3000 * 1300, dtype=I32).reshape(3000, 1300) + x], [x], tmp_path)


def test_softmax_over_rows_and_columns(tmp_path):
    (x,) = arrays("softmax", ((2050, 1200), F32))
    for axis in (0, 1):

        def softmax(x, axis=axis):
            e = jnp.exp(x - lax.broadcast_in_dim(*expand(x.max(axis), x.shape, axis)))
            return [e / lax.broadcast_in_dim(*expand(e.sum(axis), x.shape, axis))]

        verify(softmax, [x / 64], tmp_path)


def expand(reduced, shape, axis):
    """The operands of a broadcast_in_dim that puts a reduced dimension back."""
    return reduced, shape, [d for d in range(len(shape)) if d != axis]


DOTS = {
    "deep": ((40, 5000), (5000, 70)),
    "deep_and_even": ((130, 4096), (4096, 260)),
    "deep_and_wide": ((300, 3001), (3001, 700)),
    "wide": ((700, 1500), (1500, 1300)),
    "deep_and_odd": ((8, 2176), (2176, 8)),
    "tall_and_odd": ((2049, 2049), (2049, 64)),
    "very_deep_and_odd": ((9, 30522), (30522, 70)),
}


@pytest.mark.parametrize("name", DOTS)
@pytest.mark.parametrize("dtype", [F32, BF16], ids=MLIR_NAMES.get)
def test_dots(name, dtype, tmp_path):
    x, y = arrays(name, *((shape, dtype) for shape in DOTS[name]))
    highest = jax.lax.Precision.HIGHEST
    verify(lambda x, y: [jnp.matmul(x, y, precision=highest)], [x, y], tmp_path)
    transposed = [x, np.ascontiguousarray(y.T)]
    verify(lambda x, y: [jnp.matmul(x, y.T, precision=highest)], transposed, tmp_path)


PRODUCTS_OF = {
    "rows": lambda p: p.max(1),
    "columns": lambda p: p.min(0),
    "all": lambda p: p.sum(),
    "both": lambda p: (p, p.max(1), p.sum(0)),
    "places": lambda p: jnp.argmax(p, 1),
}


@pytest.mark.parametrize("name", PRODUCTS_OF)
@pytest.mark.parametrize("shape", [(1016, 40, 5000), (6001, 40, 700)], ids=str)
def test_reductions_of_products(name, shape, tmp_path):
    """The blocks of a product are the chunks of the reduction that reads it."""
    rows, depth, columns = shape
    (x,) = small_integers(1, (rows, depth)).astype(F32)
    (y,) = small_integers(1, (depth, columns)).astype(F32)
    reduce = PRODUCTS_OF[name]
    exactly(lambda x, y: jax.tree.leaves(reduce(x @ y)), [x, y], tmp_path)


OF_RESHAPED = {
    # Heads of attention, put together and taken apart.
    "heads": ("bshd,hde->bse", (4, 512, 12, 64), (12, 64, 768), F32),
    "into_heads": ("bsm,mhd->bshd", (4, 512, 1024), (1024, 8, 128), BF16),
    "many_heads": ("bshd,hde->bse", (2, 512, 16, 64), (16, 64, 1024), BF16),
}


@pytest.mark.parametrize("name", OF_RESHAPED)
def test_products_of_reshaped_arrays(name, tmp_path):
    """Blocks of the product are whole rows of the reshape's result."""
    sums, left, right, dtype = OF_RESHAPED[name]
    (x,), (y,) = (small_integers(1, shape).astype(dtype) for shape in (left, right))
    exactly(lambda x, y: [jnp.einsum(sums, x, y, preferred_element_type=F32)], [x, y], tmp_path)


def test_a_transposed_product_of_narrow_rows(tmp_path):
    """The gradient of a language model's head: both operands are deep in an odd number of rows."""
    (x,), (w,) = (small_integers(1, shape).astype(BF16) for shape in ((16, 30522), (100, 30522)))
    function = lambda x, w: [jnp.matmul(x, w.T, preferred_element_type=F32)]
    exactly(function, [x, w], tmp_path)


ODD_ROWS = {
    # Weights in groups of two or four rows; those that fit into VMEM, and those that do not.
    "head": (BF16, BF16, (9, 256), (256, 30522)),
    "vector": (BF16, F32, (1, 130), (130, 40100)),
    "fits": (I8, I32, (70, 1024), (1024, 8000)),
    "fits_as_narrow": (I8, I8, (70, 512), (512, 8000)),
    "pairs_of_bytes": (I8, I32, (33, 514), (514, 30600)),
    "left_over": (I8, I32, (70, 1022), (1022, 8000)),
    "deep": (BF16, F32, (5, 3000), (3000, 4300)),
    "deep_bytes": (I8, I32, (5, 4096), (4096, 5500)),
    "batched": (BF16, BF16, (2, 7, 512), (2, 512, 9000)),
}


@pytest.mark.parametrize("name", ODD_ROWS)
def test_products_of_odd_rows(name, tmp_path):
    """Rows of the weights begin in the middle of rows of 512 bytes."""
    dtype, result, left, right = ODD_ROWS[name]
    (x,), (w,) = (small_integers(1, shape).astype(dtype) for shape in (left, right))
    exactly(lambda x, w: [jnp.matmul(x, w, preferred_element_type=result)], [x, w], tmp_path)


def test_products_of_rows_in_other_places(tmp_path):
    """Rows of the product's operand begin within rows of the tensor that it is a reshape of."""
    (x,), (w,) = (small_integers(1, shape).astype(I8) for shape in ((14, 131072), (100, 1792)))
    function = lambda x, w: [jnp.matmul(w, x.reshape(1024, 1792).T, preferred_element_type=I32)]
    exactly(function, [x, w], tmp_path)


@pytest.mark.parametrize("sizes", [(40, 200, 300, 200), (2, 1500, 900, 1100)], ids=str)
def test_batched_dots(sizes, tmp_path):
    batch, m, k, n = sizes
    x, y = arrays("batched", ((batch, m, k), BF16), ((batch, k, n), BF16))
    verify(lambda x, y: [x @ y], [x, y], tmp_path)


@pytest.mark.parametrize("shape, rows", [((512, 256), (256, 512)), ((1024, 512), (512, 1024))], ids=str)
def test_an_array_beside_its_reshape(shape, rows, tmp_path):
    """One reader has it cut along columns, the other along the rows of another shape."""
    (x,) = small_integers(1, shape).astype(F32)
    exactly(lambda x: [x - x.reshape(rows).max(1)[None, : shape[1]]], [x], tmp_path)
    exactly(lambda x: [x * x.reshape(rows).sum(1)[None, : shape[1]]], [x], tmp_path)


def test_an_array_in_two_ways(tmp_path):
    """As rows and columns of a product with itself, and along both dimensions of a difference."""
    (x,) = small_integers(1, (2001, 50)).astype(F32)
    exactly(lambda x: [x @ x.T, x[:, 0][:, None] - x[:, 0][None, :]], [x], tmp_path)
    (x,) = small_integers(1, (1500, 1500)).astype(BF16)
    exactly(lambda x: [(x @ x).astype(F32)], [x], tmp_path)
