"""How public functions are called. A function that is not listed here is called with one, two or
three arrays, as many as it has parameters without a default.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import jax.scipy.special
import numpy as np
from jax import lax

from sweep.arguments import DTYPES, KEY, Of, call, flags, index, plain, positive, unit
from sweep.linear_algebra import FFT, LAX_LINALG, LINALG, SCIPY_LINALG

FLOATS = ("f32", "bf16", "f16", "f64")
REAL = tuple(name for name in DTYPES if name not in ("c64", "c128"))
VECTOR, MATRIX = (7,), (3, 5)


def partial(function, *args, **kwargs):
    """`function` with arguments after the arrays."""
    return lambda *arrays: function(*arrays, *args, **kwargs)


def fill(function, *args, **kwargs):
    """`function` without arrays, of the sweep's type."""
    return call(lambda dtype: function(*args, dtype=dtype, **kwargs), [], takes_dtype=True)


def draw(function, *args, **kwargs):
    """`function` of a key and parameters, of the sweep's type."""

    def drawn(dtype, key, *arrays):
        return function(jax.random.wrap_key_data(key), *arrays, *args, dtype=dtype, **kwargs)

    return call(drawn, [KEY], takes_dtype=True)


def multivariate_normal(*args, dtype):
    """In the requested type: JAX adds the mean in f32, to draws that XLA does not round on the
    CPU."""
    return jax.random.multivariate_normal(*args, dtype=dtype).astype(dtype)


def draw_of(function, *specs, **kwargs):
    """`function` of a key and arrays of the sweep's type."""

    def drawn(key, *arrays):
        return function(jax.random.wrap_key_data(key), *arrays, **kwargs)

    return call(drawn, [KEY, *specs])


def of_key(function):
    return call(lambda key: function(jax.random.wrap_key_data(key)), [KEY], dtypes=("u32",))


# Functions that run on the host (types, shapes, files, text), and those that need several devices.
NOT_OF_ARRAYS = {
    "jnp": """array_repr array_str asarray broadcast_shapes can_cast einsum_path from_dlpack
        frombuffer fromfile fromfunction fromiter frompyfunc fromstring get_printoptions isdtype
        isscalar issubdtype iterable load ndim printoptions promote_types result_type save savez
        set_printoptions shape size iscomplexobj isrealobj vectorize""",
    "lax": """ConvGeneralDilatedDimensionNumbers DotDimensionNumbers PrecisionLike after_all
        all_gather all_to_all axis_index axis_size broadcast_shapes conv_dimension_numbers
        conv_general_permutations conv_general_shape_tuple conv_shape_tuple
        conv_transpose_shape_tuple create_token dce_sink dtype padtype_to_pads pbroadcast pcast pmax
        pmean pmin ppermute precv psend pshuffle psum psum_scatter pswapaxes ragged_all_to_all
        reduce_window_shape_tuple shape_as_value with_sharding_constraint custom_root empty
        scaled_dot custom_linear_solve composite platform_dependent""",
    "nn": "get_scaled_dot_general_config scaled_dot_general scaled_matmul",
    "random": "clone key_dtype key_impl PRNGKey key wrap_key_data key_data",
    "special": "",
    "jnp.fft": "",
    "jnp.linalg": "",
    "lax.linalg": "",
    "scipy.linalg": "",
}

JNP = {
    "append": call(jnp.append, [VECTOR, (3,)], [MATRIX, (0,)]),
    "apply_along_axis": call(lambda x: jnp.apply_along_axis(jnp.sum, 0, x), MATRIX),
    "apply_over_axes": call(lambda x: jnp.apply_over_axes(jnp.sum, x, [0, 1]), MATRIX),
    "arange": fill(jnp.arange, 1, 9, 2),
    "argpartition": call(partial(jnp.argpartition, 2), plain(7), plain(3, 5)),
    "array_split": call(partial(jnp.array_split, 3), VECTOR, (129,)),
    "astype": call(lambda x: [jnp.astype(x, t) for t in (
        jnp.float32, jnp.bfloat16, jnp.float16, jnp.int32, jnp.int8, jnp.uint8, jnp.bool_)],
        positive(), positive(129)),
    "bartlett": call(lambda: jnp.bartlett(7), [], dtypes=("f32",)),
    "bincount": call(partial(jnp.bincount, length=9), positive(129), dtypes=("i32", "u8")),
    "blackman": call(lambda: jnp.blackman(7), [], dtypes=("f32",)),
    "block": call(lambda x, y: jnp.block([[x, y], [y, x]]), [MATRIX, MATRIX]),
    "broadcast_arrays": call(jnp.broadcast_arrays, [(3, 1), (5,)]),
    "broadcast_to": call(partial(jnp.broadcast_to, (3, 7)), (), VECTOR, (1,)),
    "choose": call(lambda i, x, y: jnp.choose(i, [x, y], mode="clip"),
                   [index(0, 2, 7), VECTOR, VECTOR]),
    "clip": call(jnp.clip, [VECTOR, (), ()], [(129,), plain(), plain(129)]),
    "column_stack": call(lambda x, y: jnp.column_stack([x, y]), [VECTOR, VECTOR]),
    "compress": call(lambda c, x: jnp.compress(c, x, size=4), [flags(7), VECTOR]),
    "concat": call(lambda *x: jnp.concat(x), [VECTOR, (1,)], [(0, 5), MATRIX]),
    "concatenate": call(lambda *x: jnp.concatenate(x, 1), [MATRIX, (3, 129)]),
    "convolve": call(jnp.convolve, [plain(7), plain(3)], [plain(129), plain(7)]),
    "correlate": call(jnp.correlate, [plain(7), plain(3)]),
    "cross": call(jnp.cross, [plain(5, 3), plain(5, 3)], [plain(3), plain(3)]),
    "cov": call(jnp.cov, plain(3, 5)), "corrcoef": call(jnp.corrcoef, plain(3, 5)),
    "delete": call(partial(jnp.delete, 2), VECTOR),
    **{name: call(getattr(jnp, name), plain(7), plain(3, 5), plain())
       for name in ("cumprod", "cumulative_prod", "nancumprod", "nanprod", "prod")},
    "diag": call(jnp.diag, VECTOR, MATRIX), "diagflat": call(jnp.diagflat, MATRIX),
    "diag_indices": call(lambda: jnp.diag_indices(4), [], dtypes=("i32",)),
    "diag_indices_from": call(jnp.diag_indices_from, (4, 4)),
    "diagonal": call(jnp.diagonal, MATRIX, (2, 3, 5)),
    "digitize": call(jnp.digitize, [VECTOR, Of("sorted", (5,))]),
    "dot": call(jnp.dot, [plain(), plain(3)], [plain(7), plain(7)], [plain(3, 129), plain(129, 5)]),
    "dsplit": call(partial(jnp.dsplit, 2), (2, 3, 4)),
    "einsum": call(lambda x, y: jnp.einsum("aij,ajk->ik", x, y), [plain(2, 3, 5), plain(2, 5, 7)]),
    "empty": fill(jnp.empty, (3, 5)), "eye": fill(jnp.eye, 5, 7, 1),
    "expand_dims": call(partial(jnp.expand_dims, (0, -1)), (), VECTOR),
    "extract": call(partial(jnp.extract, size=5), [flags(7), VECTOR]),
    "fill_diagonal": call(lambda x: jnp.fill_diagonal(x, 3, inplace=False), (4, 5)),
    "flatnonzero": call(partial(jnp.flatnonzero, size=5), VECTOR, MATRIX),
    "full": call(lambda dtype: jnp.full((3, 5), 3, dtype), [], takes_dtype=True),
    "full_like": call(partial(jnp.full_like, 3), MATRIX, ()),
    "geomspace": fill(jnp.geomspace, 1.0, 100.0, 7),
    "hamming": call(lambda: jnp.hamming(7), [], dtypes=("f32",)),
    "hanning": call(lambda: jnp.hanning(7), [], dtypes=("f32",)),
    "histogram": call(partial(jnp.histogram, 5), plain(129)),
    "histogram2d": call(partial(jnp.histogram2d, 3), [plain(129), plain(129)]),
    "histogram_bin_edges": call(partial(jnp.histogram_bin_edges, 5), plain(129)),
    "histogramdd": call(partial(jnp.histogramdd, 3), plain(129, 2)),
    "hsplit": call(partial(jnp.hsplit, 2), (3, 4)), "vsplit": call(partial(jnp.vsplit, 2), (4, 3)),
    "identity": fill(jnp.identity, 4), "indices": fill(jnp.indices, (2, 3)),
    "inner": call(jnp.inner, [plain(7), plain(7)], [plain(3, 5), plain(2, 5)]),
    "insert": call(lambda x, y: jnp.insert(x, 2, y), [VECTOR, ()]),
    "interp": call(jnp.interp, [plain(7), Of("sorted", (5,)), plain(5)]),
    "intersect1d": call(partial(jnp.intersect1d, size=5), [plain(7), plain(7)]),
    "ix_": call(jnp.ix_, [positive(3), positive(5)]),
    "kaiser": call(lambda: jnp.kaiser(7, 14.0), [], dtypes=("f32",)),
    "kron": call(jnp.kron, [plain(2, 3), plain(3, 2)]),
    "ldexp": call(jnp.ldexp, [plain(7), index(-5, 5, 7)]),
    "lexsort": call(lambda x, y: jnp.lexsort((x, y)), [plain(7), plain(7)]),
    "linspace": fill(jnp.linspace, 1, 9, 7), "logspace": fill(jnp.logspace, 0, 2, 5),
    "mask_indices": call(lambda: jnp.mask_indices(4, jnp.triu, size=10), [], dtypes=("i32",)),
    "matmul": call(jnp.matmul, [plain(3, 5), plain(5, 7)], [plain(1, 1), plain(1, 1)],
                   [plain(2, 3, 129), plain(129, 5)], [plain(7), plain(7)], [plain(0, 5), plain(5, 3)]),
    "matvec": call(jnp.matvec, [plain(3, 5), plain(5)]),
    "vecmat": call(jnp.vecmat, [plain(3), plain(3, 5)]),
    "vecdot": call(jnp.vecdot, [plain(3, 5), plain(3, 5)]),
    "vdot": call(jnp.vdot, [plain(7), plain(7)]), "outer": call(jnp.outer, [plain(3), plain(129)]),
    "tensordot": call(partial(jnp.tensordot, 1), [plain(2, 3, 5), plain(5, 7)]),
    "meshgrid": call(jnp.meshgrid, [(3,), (5,)]),
    "moveaxis": call(partial(jnp.moveaxis, 0, 2), (2, 3, 5)),
    "rollaxis": call(partial(jnp.rollaxis, 2), (2, 3, 5)),
    "swapaxes": call(partial(jnp.swapaxes, 0, 2), (2, 3, 5)),
    "matrix_transpose": call(jnp.matrix_transpose, (2, 3, 5)),
    "nonzero": call(partial(jnp.nonzero, size=5), VECTOR, MATRIX),
    "argwhere": call(partial(jnp.argwhere, size=5), VECTOR, MATRIX),
    "ones": fill(jnp.ones, (3, 5)), "zeros": fill(jnp.zeros, (0, 5)),
    "packbits": call(jnp.packbits, (129,), MATRIX, dtypes=("u8", "bool")),
    "unpackbits": call(jnp.unpackbits, VECTOR, MATRIX, dtypes=("u8",)),
    "pad": call(partial(jnp.pad, 2), VECTOR, MATRIX),
    "partition": call(partial(jnp.partition, 2), plain(7), plain(3, 5)),
    "piecewise": call(lambda x: jnp.piecewise(x, [x < 0, x > 2], [-1, 1, 0]), VECTOR),
    "permute_dims": call(partial(jnp.permute_dims, (2, 0, 1)), (2, 3, 129)),
    "place": call(lambda x, m, v: jnp.place(x, m, v, inplace=False), [VECTOR, flags(7), (7,)]),
    "poly": call(jnp.poly, plain(3)), "roots": call(partial(jnp.roots, strip_zeros=False), plain(4)),
    "polyadd": call(jnp.polyadd, [plain(3), plain(5)]),
    "polyder": call(jnp.polyder, plain(5)), "polyint": call(jnp.polyint, plain(5)),
    "polydiv": call(jnp.polydiv, [plain(5), positive(3)]),
    "polyfit": call(partial(jnp.polyfit, 2), [plain(7), plain(7)]),
    "polymul": call(jnp.polymul, [plain(3), plain(5)]),
    "polyval": call(jnp.polyval, [plain(3), plain(7)]),
    "power": call(jnp.power, [positive(7), plain(7)], [VECTOR, positive(7)]),
    "pow": call(jnp.pow, [positive(129), plain()]),
    "float_power": call(jnp.float_power, [positive(7), plain(7)]),
    "put": call(lambda x, v: jnp.put(x, jnp.array([1, 5]), v, inplace=False), [VECTOR, (2,)]),
    "put_along_axis": call(lambda x, i, v: jnp.put_along_axis(x, i, v, 1, inplace=False),
                           [MATRIX, index(0, 5, 3, 1), (3, 1)]),
    "percentile": call(lambda x: jnp.percentile(x, 30.0), plain(7), plain(3, 5)),
    "quantile": call(lambda x: jnp.quantile(x, 0.3), plain(7), plain(3, 5)),
    "nanpercentile": call(lambda x: jnp.nanpercentile(x, 30.0), plain(7)),
    "nanquantile": call(lambda x: jnp.nanquantile(x, 0.3), plain(7)),
    "ravel_multi_index": call(lambda i, j: jnp.ravel_multi_index((i, j), (3, 5), mode="clip"),
                              [index(0, 3, 7), index(0, 5, 7)], dtypes=("i32",)),
    "unravel_index": call(partial(jnp.unravel_index, (3, 5)), index(0, 15, 7), dtypes=("i32",)),
    "repeat": call(partial(jnp.repeat, 3), VECTOR), "tile": call(partial(jnp.tile, (2, 3)), VECTOR),
    "reshape": call(partial(jnp.reshape, (3, -1)), (21,), (3, 129)),
    "resize": call(partial(jnp.resize, (3, 4)), VECTOR),
    "roll": call(partial(jnp.roll, 2), VECTOR, (129,)),
    "round": call(partial(jnp.round, 1), plain(129)),
    "searchsorted": call(jnp.searchsorted, [Of("sorted", (129,)), plain(7)]),
    "select": call(lambda c, x, y: jnp.select([c, ~c], [x, y]), [flags(7), VECTOR, VECTOR]),
    "setdiff1d": call(partial(jnp.setdiff1d, size=5), [plain(7), plain(7)]),
    "setxor1d": call(partial(jnp.setxor1d, size=5), [plain(7), plain(7)]),
    "union1d": call(partial(jnp.union1d, size=9), [plain(7), plain(7)]),
    "unique": call(partial(jnp.unique, size=5), plain(7)),
    "unique_all": call(partial(jnp.unique_all, size=5), plain(7)),
    "unique_counts": call(partial(jnp.unique_counts, size=5), plain(7)),
    "unique_inverse": call(partial(jnp.unique_inverse, size=5), plain(7)),
    "unique_values": call(partial(jnp.unique_values, size=5), plain(7)),
    "trim_zeros": call(jnp.trim_zeros, plain(7)),
    "split": call(partial(jnp.split, 3), (21,)), "squeeze": call(jnp.squeeze, (1, 7, 1)),
    "stack": call(lambda *x: jnp.stack(x, 1), [VECTOR, VECTOR]),
    "dstack": call(lambda *x: jnp.dstack(x), [MATRIX, MATRIX]),
    "hstack": call(lambda *x: jnp.hstack(x), [VECTOR, (3,)]),
    "vstack": call(lambda *x: jnp.vstack(x), [VECTOR, VECTOR]),
    "take": call(jnp.take, [VECTOR, index(0, 7, 3)], [(129,), index(-3, 140, 5)]),
    "take_along_axis": call(partial(jnp.take_along_axis, 1), [MATRIX, index(0, 5, 3, 2)]),
    "trace": call(jnp.trace, plain(4, 5)), "transpose": call(jnp.transpose, (), VECTOR, (3, 129)),
    "tri": fill(jnp.tri, 4, 5, 1), "tril": call(jnp.tril, MATRIX), "triu": call(jnp.triu, MATRIX),
    "tril_indices": call(lambda: jnp.tril_indices(4), [], dtypes=("i32",)),
    "triu_indices": call(lambda: jnp.triu_indices(4), [], dtypes=("i32",)),
    "tril_indices_from": call(jnp.tril_indices_from, (4, 4)),
    "triu_indices_from": call(jnp.triu_indices_from, (4, 4)),
    "vander": call(jnp.vander, plain(5)),
    "where": call(jnp.where, [flags(7), VECTOR, ()], [flags(), (129,), (129,)]),
    **{name: call(getattr(jnp, name), VECTOR, (), MATRIX)
       for name in ("atleast_1d", "atleast_2d", "atleast_3d")},
    # JAX's own loop does not end for the smallest integer.
    **{name: call(getattr(jnp, name), [plain(7), plain(7)], [plain(129), plain()])
       for name in ("gcd", "lcm")},
    "unwrap": call(jnp.unwrap, plain(129), plain(3, 5)),
    "copy": call(jnp.copy, VECTOR), "array": call(jnp.array, VECTOR, ()),
}  # fmt: skip

IMAGE, FILTER = plain(2, 3, 9, 9), plain(4, 3, 3, 3)


def add_last(x, update):
    numbers = lax.ScatterDimensionNumbers((), (0,), (0,))
    return x, jnp.array([[1], [5], [1]]), update, numbers


def scatters(function):
    return call(lambda x, update: function(*add_last(x, update)), [plain(7), plain(3)])


def gathered(x, i):
    numbers = lax.GatherDimensionNumbers((1,), (0,), (0,))
    return lax.gather(x, i, numbers, (1, 5))


LAX = {
    "approx_max_k": call(partial(lax.approx_max_k, 3), plain(129), dtypes=FLOATS),
    "approx_min_k": call(partial(lax.approx_min_k, 3), plain(129), dtypes=FLOATS),
    "argmax": call(lambda x: lax.argmax(x, 0, jnp.int32), VECTOR, MATRIX),
    "argmin": call(lambda x: lax.argmin(x, 0, jnp.int32), VECTOR, MATRIX),
    "associative_scan": call(lambda x: lax.associative_scan(operator.add, x), plain(7)),
    "batch_matmul": call(lax.batch_matmul, [plain(2, 3, 5), plain(2, 5, 7)]),
    "bitcast_convert_type": call(lambda x: lax.bitcast_convert_type(
        x, {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[x.dtype.itemsize]), VECTOR, ()),
    "betainc": call(lax.betainc, [positive(7), positive(7), unit(7)]),
    "broadcast": call(partial(lax.broadcast, (2, 3)), (), VECTOR),
    "broadcast_in_dim": call(partial(lax.broadcast_in_dim, (3, 7), (1,)), VECTOR, (1,)),
    "broadcast_to_rank": call(partial(lax.broadcast_to_rank, 3), VECTOR),
    "broadcasted_iota": call(lambda dtype: lax.broadcasted_iota(dtype, (3, 7), 1), [],
                             takes_dtype=True),
    "clamp": call(lax.clamp, [(), VECTOR, ()], [VECTOR, VECTOR, VECTOR]),
    "collapse": call(partial(lax.collapse, 0, 2), (2, 3, 5)),
    "concatenate": call(lambda *x: lax.concatenate(x, 0), [VECTOR, (129,)]),
    "cond": call(lambda c, x: lax.cond(c, lambda x: x + x, lambda x: x * x, x), [flags(), plain(7)]),
    "conv": call(partial(lax.conv, (1, 1), "SAME"), [IMAGE, FILTER]),
    "conv_general_dilated": call(partial(lax.conv_general_dilated, (2, 1), ((1, 1), (0, 2)), (1, 2), (2, 1)),
                                 [IMAGE, FILTER]),
    "conv_general_dilated_local": call(
        lambda x, w: lax.conv_general_dilated_local(x, w, (1, 1), "VALID", (3, 3)),
        [IMAGE, plain(4, 27, 7, 7)]),
    "conv_general_dilated_patches": call(
        partial(lax.conv_general_dilated_patches, (3, 3), (1, 1), "SAME"), IMAGE),
    "conv_transpose": call(partial(lax.conv_transpose, (2, 2), "SAME"),
                           [plain(2, 5, 5, 3), plain(3, 3, 3, 4)]),
    "conv_with_general_padding": call(
        partial(lax.conv_with_general_padding, (1, 1), ((1, 1), (0, 2)), None, None),
        [IMAGE, FILTER]),
    "convert_element_type": call(lambda x: [lax.convert_element_type(x, t) for t in (
        jnp.float32, jnp.float16, jnp.int16, jnp.uint32)], positive(7), positive()),
    **{name: call(partial(getattr(lax, name), 0), plain(7), plain(3, 5))
       for name in ("cummax", "cummin", "cumprod", "cumsum")},
    # JAX's form for TPUs doubles the initial value -inf, which is NaN in complex numbers.
    "cumlogsumexp": call(partial(lax.cumlogsumexp, 0), plain(7), plain(3, 5), dtypes=REAL),
    "dot": call(lax.dot, [plain(7), plain(7)], [plain(3, 5), plain(5, 7)]),
    "dot_general": call(partial(lax.dot_general, (((2,), (1,)), ((0,), (0,)))),
                        [plain(2, 3, 5), plain(2, 5, 7)]),
    "dynamic_index_in_dim": call(lax.dynamic_index_in_dim, [MATRIX, index(-4, 9)]),
    "dynamic_slice": call(lambda x, i: lax.dynamic_slice(x, (i, 2), (2, 2)), [MATRIX, index(-2, 9)]),
    "dynamic_slice_in_dim": call(partial(lax.dynamic_slice_in_dim, 3), [VECTOR, index(0, 9)]),
    "dynamic_update_index_in_dim": call(
        partial(lax.dynamic_update_index_in_dim, 0), [MATRIX, (5,), index(0, 3)]),
    "dynamic_update_slice": call(lambda x, y, i: lax.dynamic_update_slice(x, y, (i, i)),
                                 [MATRIX, (2, 2), index(0, 5)]),
    "dynamic_update_slice_in_dim": call(
        lambda x, y, i: lax.dynamic_update_slice_in_dim(x, y, i, 0), [VECTOR, (3,), index(0, 9)]),
    "expand_dims": call(partial(lax.expand_dims, (0, 2)), VECTOR, (5, 3)),
    "fft": call(partial(lax.fft, "RFFT", (7,)), plain(7), dtypes=("f32", "f64")),
    "fori_loop": call(lambda n, x: lax.fori_loop(0, n, lambda i, x: x + x, x),
                      [index(2, 5), plain(7)]),
    "full": call(lambda dtype: lax.full((3,), 2, dtype), [], takes_dtype=True),
    "full_like": call(partial(lax.full_like, 2), VECTOR),
    "gather": call(gathered, [MATRIX, index(0, 3, 4, 1)]),
    "imag": call(lambda x, y: lax.imag(lax.complex(x, y)), [plain(7), plain(7)]),
    "real": call(lambda x, y: lax.real(lax.complex(x, y)), [plain(7), plain(7)]),
    "index_in_dim": call(partial(lax.index_in_dim, 1), MATRIX),
    "index_take": call(lambda x, i: lax.index_take(x, (i,), (0,)), [MATRIX, index(0, 3, 4)]),
    "igamma": call(lax.igamma, [positive(7), positive(7)]),
    "igammac": call(lax.igammac, [positive(7), positive(7)]),
    "igamma_grad_a": call(lax.igamma_grad_a, [positive(7), positive(7)]),
    "integer_pow": call(lambda x: [lax.integer_pow(x, n) for n in (-1, 0, 3)], plain(7)),
    "iota": call(lambda dtype: lax.iota(dtype, 129), [], takes_dtype=True),
    "map": call(lambda x: lax.map(lambda row: row + row, x), plain(3, 5)),
    "pad": call(lambda x, v: lax.pad(x, v, [(1, 2, 1)]), [VECTOR, ()]),
    "polygamma": call(lax.polygamma, [positive(7), positive(7)]),
    "zeta": call(lambda x, q: lax.zeta(x + 1, q), [positive(7), positive(7)]),
    "pow": call(lax.pow, [positive(7), plain(7)], [plain(7), index(0, 4, 7)]),
    "random_gamma_grad": call(lax.random_gamma_grad, [positive(7), positive(7)]),
    # jaxlib crashes where they are complex.
    "ragged_dot": call(lambda x, y: lax.ragged_dot(x, y, jnp.array([1, 2], jnp.int32)),
                       [plain(3, 5), plain(2, 5, 7)], dtypes=REAL),
    "ragged_dot_general": call(
        lambda x, y: lax.ragged_dot_general(
            x, y, jnp.array([1, 2], jnp.int32),
            lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))),
        [plain(3, 5), plain(2, 5, 7)], dtypes=REAL),
    "reduce": call(lambda x: lax.reduce(x, jnp.zeros((), x.dtype), lax.max, (0,)), MATRIX),
    **{name: call(partial(getattr(lax, name), (0,)), plain(7), plain(3, 5), plain(0, 5)) for name in (
        "reduce_and", "reduce_max", "reduce_min", "reduce_or", "reduce_prod", "reduce_sum",
        "reduce_xor")},
    "reduce_precision": call(partial(lax.reduce_precision, 5, 3), VECTOR, (129,)),
    "reduce_window": call(
        lambda x: lax.reduce_window(x, jnp.zeros((), x.dtype), lax.add, (3,), (2,), "SAME"), plain(9)),
    "reshape": call(partial(lax.reshape, (7, 3)), (21,), (3, 7)),
    "rev": call(partial(lax.rev, (0,)), VECTOR, MATRIX),
    "rng_bit_generator": call(
        lambda dtype, key: lax.rng_bit_generator(jnp.concatenate([key, key]), (7,), dtype), [KEY],
        takes_dtype=True, dtypes=("u64", "u32", "u16", "u8")),
    "rng_uniform": call(lambda dtype: lax.rng_uniform(
        jnp.zeros((), dtype), jnp.ones((), dtype), (7,)) * 0, [], takes_dtype=True,
        dtypes=("f32", "i32")),
    "scan": call(lambda x: lax.scan(lambda s, row: (s + row, s * row), x[0], x), plain(3, 5)),
    "scatter": call(lambda x, y: lax.scatter(
        x, jnp.array([[1], [5]]), y, lax.ScatterDimensionNumbers((), (0,), (0,))), [VECTOR, (2,)]),
    **{name: scatters(getattr(lax, name)) for name in (
        "scatter_add", "scatter_max", "scatter_min", "scatter_mul", "scatter_sub")},
    "scatter_apply": call(lambda x: lax.scatter_apply(
        x, jnp.array([[1], [5]]), lambda v: v + v, lax.ScatterDimensionNumbers((), (0,), (0,)),
        update_shape=(2,)), plain(7)),
    "select": call(lax.select, [flags(7), VECTOR, VECTOR]),
    "select_n": call(lax.select_n, [flags(7), VECTOR, VECTOR],
                     [index(0, 3, 7), VECTOR, VECTOR, VECTOR]),
    "slice": call(partial(lax.slice, (0, 1), (3, 5), (2, 2)), MATRIX),
    "slice_in_dim": call(partial(lax.slice_in_dim, 1, 6, 2), VECTOR),
    "sort_key_val": call(lax.sort_key_val, [plain(7), VECTOR]),
    "split": call(partial(lax.split, (3, 4)), VECTOR),
    "square": call(lax.square, plain(129)), "squeeze": call(partial(lax.squeeze, (0,)), (1, 7)),
    "stack": call(lambda *x: lax.stack(x), [VECTOR, VECTOR]),
    "stage": call(lax.stage, VECTOR),
    "switch": call(lambda i, x: lax.switch(
        i, [lambda x: x, lambda x: x + x, lambda x: x * x], x), [index(0, 3), plain(7)]),
    "tile": call(partial(lax.tile, (2,)), VECTOR),
    "top_k": call(partial(lax.top_k, 3), VECTOR, (3, 129)),
    "transpose": call(partial(lax.transpose, (1, 0)), MATRIX, (129, 3)),
    "while_loop": call(lambda x: lax.while_loop(
        lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + s[1]), (jnp.int32(0), x)), plain(7)),
}  # fmt: skip

NN = {
    "dot_product_attention": call(jax.nn.dot_product_attention, [plain(2, 7, 3, 5)] * 3),
    "glu": call(jax.nn.glu, plain(6), plain(3, 8)),
    "one_hot": call(lambda dtype, i: jax.nn.one_hot(i, 5, dtype=dtype), [index(-1, 6, 7)], takes_dtype=True),
    "standardize": call(jax.nn.standardize, plain(7), plain(3, 5)),
    "log1mexp": call(jax.nn.log1mexp, positive(7)),
}

SHAPE = (3, 5)
RANDOM = {
    "ball": draw(jax.random.ball, 3, shape=(5,)),
    "bernoulli": draw_of(jax.random.bernoulli, unit(7)),
    "beta": draw(jax.random.beta, 1.5, 2.0, SHAPE),
    "binomial": draw(jax.random.binomial, 7, 0.4, SHAPE),
    "bits": draw(jax.random.bits, SHAPE),
    "categorical": draw_of(jax.random.categorical, plain(3, 5)),
    "cauchy": draw(jax.random.cauchy, SHAPE), "chisquare": draw(jax.random.chisquare, 3.0, SHAPE),
    "choice": draw_of(jax.random.choice, plain(7), shape=(3,)),
    "dirichlet": draw(jax.random.dirichlet, jnp.array([1.0, 2.0, 3.0]), (5,)),
    "double_sided_maxwell": draw(jax.random.double_sided_maxwell, 0.5, 2.0, SHAPE),
    "exponential": draw(jax.random.exponential, SHAPE), "f": draw(jax.random.f, 3.0, 4.0, SHAPE),
    "fold_in": of_key(lambda key: jax.random.key_data(jax.random.fold_in(key, 7))),
    "split": of_key(lambda key: jax.random.key_data(jax.random.split(key, 3))),
    "gamma": draw(jax.random.gamma, 1.5, SHAPE),
    "generalized_normal": draw(jax.random.generalized_normal, 1.5, SHAPE),
    "geometric": draw(jax.random.geometric, 0.4, SHAPE),
    "gumbel": draw(jax.random.gumbel, SHAPE), "laplace": draw(jax.random.laplace, SHAPE),
    "loggamma": draw(jax.random.loggamma, 1.5, SHAPE),
    "logistic": draw(jax.random.logistic, SHAPE),
    "lognormal": draw(jax.random.lognormal, 1.0, SHAPE),
    "maxwell": draw(jax.random.maxwell, SHAPE),
    "multinomial": draw(jax.random.multinomial, 7, jnp.array([0.2, 0.3, 0.5])),
    "multivariate_normal": draw(multivariate_normal, jnp.zeros(3), jnp.eye(3), (5,)),
    "normal": draw(jax.random.normal, SHAPE), "orthogonal": draw(jax.random.orthogonal, 3),
    "pareto": draw(jax.random.pareto, 2.0, SHAPE),
    "permutation": draw_of(jax.random.permutation, (7,)),
    "poisson": draw(jax.random.poisson, 3.0, SHAPE),
    "rademacher": draw(jax.random.rademacher, SHAPE),
    "randint": draw(jax.random.randint, SHAPE, 0, 99),
    "rayleigh": draw(jax.random.rayleigh, 2.0, SHAPE), "t": draw(jax.random.t, 3.0, SHAPE),
    "triangular": draw(jax.random.triangular, 0.0, 0.3, 1.0, SHAPE),
    # Bounds are arguments, so that the noise includes their perturbation: near zero all digits
    # cancel.
    "truncated_normal": draw_of(
        lambda key, low, high: jax.random.truncated_normal(key, -low, high, SHAPE, low.dtype),
        positive(), positive()),
    "uniform": draw(jax.random.uniform, SHAPE),
    "wald": draw(jax.random.wald, 1.5, SHAPE),
    "weibull_min": draw(jax.random.weibull_min, 1.5, 2.0, SHAPE),
}  # fmt: skip

_special = jax.scipy.special
SPECIAL = {
    "bernoulli": call(lambda: _special.bernoulli(7), [], dtypes=("f32",)),
    "bessel_jn": call(lambda x: _special.bessel_jn(x, v=3), positive(7)),
    "betainc": call(_special.betainc, [positive(7), positive(7), unit(7)]),
    "expn": call(_special.expn, [index(1, 5, 7), positive(7)]),
    "log_softmax": call(_special.log_softmax, plain(7)),
    "multigammaln": call(lambda x: _special.multigammaln(x + 2, 3), positive(7)),
    "sph_harm_y": call(lambda n, m, t, p: _special.sph_harm_y(n, m, t, p, n_max=4),
                       [index(2, 4, 5), index(0, 2, 5), unit(5), unit(5)]),
    **{name: call(getattr(_special, name), [positive(7), positive(7)])
       for name in ("beta", "betaln", "comb", "gammainc", "gammaincc", "poch")},
    "polygamma": call(_special.polygamma, [index(0, 4, 7), positive(7)], dtypes=FLOATS),
    "zeta": call(lambda x, q: _special.zeta(x + 1, q), [positive(7), positive(7)]),
    "hyp1f1": call(_special.hyp1f1, [positive(7), positive(7), unit(7)]),
    "hyp2f1": call(_special.hyp2f1, [positive(7), positive(7), positive(7), unit(7)]),
    **{name: call(getattr(_special, name), positive(129), unit(7))
       for name in ("gamma", "gammaln", "loggamma", "digamma")},
    "factorial": call(_special.factorial, positive(7)), "owens_t": call(_special.owens_t, [plain(7)] * 2),
}  # fmt: skip

MODULES = {
    "jnp": (jnp, JNP), "lax": (lax, LAX), "nn": (jax.nn, NN), "random": (jax.random, RANDOM),
    "special": (jax.scipy.special, SPECIAL), "jnp.fft": (jnp.fft, FFT),
    "jnp.linalg": (jnp.linalg, LINALG), "lax.linalg": (lax.linalg, LAX_LINALG),
    "scipy.linalg": (jax.scipy.linalg, SCIPY_LINALG),
}  # fmt: skip

ONE = ((), (1,), VECTOR, (129,), (0,), (3, 129))
TWO = ([(), ()], [VECTOR, VECTOR], [(129,), ()], [(3, 1), (1, 5)], [MATRIX, MATRIX], [(0,), (0,)])
THREE = ([VECTOR] * 3, [(), (), ()])
GENERIC = {1: ONE, 2: TWO, 3: THREE}
