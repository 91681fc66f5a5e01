"""Complex numbers, as planes of their parts: movement, products, regions and forms of programs, against NumPy in a
wider format, and JAX on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from complex_numbers import C64, C128, run_text
from systole_cli import systole

SHAPES = [(), (0,), (1,), (7,), (127,), (129,), (1000,), (0, 3), (3, 130), (2, 5, 7)]


@pytest.fixture(params=[C64, C128], ids=["c64", "c128"])
def kind(request):
    return request.param


# Movement
# --------


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_arguments_and_results(kind, shape, tmp_path):
    x, y = kind.numbers(shape), kind.numbers(shape, 1)
    results = kind.run(lambda x, y: (y, x, x + y, -x, jnp.conj(x), x.real, y.imag), (x, y), tmp_path)
    for result, wanted in zip(results, (y, x, x + y, -x, np.conj(x), x.real, y.imag), strict=True):
        np.testing.assert_array_equal(result, wanted)
        assert result.dtype == wanted.dtype


def test_movement(kind, tmp_path):
    def function(x, y, i, mask):
        return (
            x.T, x.reshape(39, -1)[::2, 1:], x[:, ::-1], jnp.pad(x, ((1, 2), (0, 3)), constant_values=1j),
            jnp.concatenate([x, y]), lax.dynamic_slice(x, (i[0], i[1]), (2, 100)), x.at[i[0]].set(y[1]),
            lax.dynamic_update_slice(x, y[:1], (i[0], i[2])), x[i], jnp.where(mask, x, y), jnp.take_along_axis(x, i[None, :], 1),
            jnp.broadcast_to(x[:, :1], (3, 40)), lax.pad(x, kind.dtype(2j), ((0, 0, 1), (-1, 0, 0))),
            lax.optimization_barrier((x, y))[1], jnp.roll(x, 5, 1),
        )  # fmt: skip

    x, y = kind.numbers((3, 130)), kind.numbers((3, 130), 1)
    args = (x, y, np.int32([1, 2, 0]), np.random.default_rng(2).random((3, 130)) < 0.5)
    for result, wanted in zip(kind.run(function, args, tmp_path), kind.jitted(function)(*args), strict=True):
        kind.same(result, np.asarray(wanted))


def test_constants_of_all_kinds(kind, tmp_path):
    table = kind.numbers((5, 3), 4)
    special = kind.dtype([complex(np.inf, -0.0), complex(np.nan, 1), 0, complex(-0.0, 2)])

    def function(x):
        return (
            x * 1,
            table,
            special,
            jnp.full((4,), 3 - 2j, kind.dtype),
            jnp.arange(5).astype(kind.dtype),
            lax.iota(kind.dtype, 6),
        )

    args = (kind.numbers((5, 3)),)
    for result, wanted in zip(kind.run(function, args, tmp_path), kind.jitted(function)(*args), strict=True):
        kind.same(result, np.asarray(wanted))


def test_scatters(kind, tmp_path):
    def function(x, i, u):
        return x.at[i].add(u), x.at[i].multiply(u), x.at[i].set(u, unique_indices=True)

    args = kind.numbers((50,)), np.int32([3, 40, 9, 17]), kind.numbers((4,), 1)
    for result, wanted in zip(kind.run(function, args, tmp_path), kind.jitted(function)(*args), strict=True):
        kind.close(result, np.asarray(wanted), 4)


# Products and regions
# --------------------


@pytest.mark.parametrize("sizes", [(1, 1, 1), (7, 9, 5), (129, 127, 130), (0, 3, 2), (3, 0, 2), (200, 1, 1)], ids=str)
def test_products(kind, sizes, tmp_path):
    m, k, n = sizes
    x, y = kind.numbers((m, k)), kind.numbers((k, n), 1)
    (result,) = kind.run(jnp.matmul, (x, y), tmp_path)
    a, b = x.astype(kind.wide), y.astype(kind.wide)
    assert result.shape == (m, n)
    bound = np.abs(a) @ np.abs(b)
    assert (np.abs(result - a @ b) <= 16 * kind.epsilon * np.maximum(bound, 1e-30)).all()


def test_batched_products_and_convolutions(kind, tmp_path):
    def function(x, y, image, kernel):
        window = ("NHWC", "HWIO", "NHWC")
        return (
            jnp.einsum("bij,bkj->bik", x, jnp.conj(y)), jnp.vdot(x, y), jnp.outer(x[0, 0], y[0, 0]),
            lax.conv_general_dilated(image, kernel, (2, 1), "SAME", dimension_numbers=window),
            jnp.convolve(x[0, 0], y[0, 0]),
        )  # fmt: skip

    args = (
        kind.numbers((2, 5, 9)),
        kind.numbers((2, 5, 9), 1),
        kind.numbers((1, 9, 8, 3), 2),
        kind.numbers((3, 3, 3, 4), 3),
    )
    for result, wanted in zip(kind.run(function, args, tmp_path), kind.jitted(function)(*args), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-5 * kind.scale, atol=1e-5 * kind.scale)


@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (129,), (1000,), (5, 130)], ids=str)
def test_reductions(kind, shape, tmp_path):
    x = kind.numbers(shape)
    unit = np.asarray(x / np.maximum(np.abs(x), 1e-6), kind.dtype)
    total, product, mean = kind.run(lambda x, u: (x.sum(-1), u.prod(-1), x.mean(0)), (x, unit), tmp_path)
    a = x.astype(kind.wide)
    np.testing.assert_allclose(total, a.sum(-1), rtol=1e-5 * kind.scale, atol=1e-4 * kind.scale)
    np.testing.assert_allclose(product, unit.astype(kind.wide).prod(-1), rtol=2e-4 * kind.scale, atol=2e-5 * kind.scale)
    if shape[0]:
        np.testing.assert_allclose(mean, a.mean(0), rtol=1e-5 * kind.scale, atol=1e-6 * kind.scale)
    else:
        assert np.isnan(mean)


def test_sorts_and_scans(kind, tmp_path):
    def function(x, k):
        return (
            jnp.sort(x), jnp.sort_complex(x), jnp.argsort(x), jnp.cumsum(x), jnp.cumprod(x / abs(x)), jnp.max(x), jnp.min(x),
            lax.sort((k, x), num_keys=1)[1], jnp.unique(x, size=20), jnp.any(x), jnp.all(x), jnp.count_nonzero(x),
        )  # fmt: skip

    x = np.concatenate([kind.numbers((90,)), kind.dtype([1 + 1j, 1, 1 - 1j, 0, 0])])
    args = x, np.random.default_rng(3).permutation(95).astype(np.int32)
    for result, wanted in zip(kind.run(lambda x, k: function(x + 1e-3, k), args, tmp_path),
                              kind.jitted(lambda x, k: function(x + 1e-3, k))(*args), strict=True):  # fmt: skip
        np.testing.assert_allclose(result, wanted, rtol=2e-4 * kind.scale, atol=2e-4 * kind.scale)


def test_windows(kind, tmp_path):
    def function(x):
        add = lax.reduce_window(x, kind.dtype(1j), lax.add, (3, 4), (2, 1), ((1, 1), (0, 3)))
        multiply = lax.reduce_window(x / abs(x), kind.dtype(1), lax.mul, (2, 3), (1, 2), "VALID")
        return add, multiply

    args = (kind.numbers((9, 40)),)
    for result, wanted in zip(kind.run(function, args, tmp_path), kind.jitted(function)(*args), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-5 * kind.scale, atol=1e-5 * kind.scale)


def test_control_flow(kind, tmp_path):
    def function(z, n):
        loop = lax.fori_loop(0, n, lambda i, z: z * z + 0.3j, z)
        chosen = lax.cond(n > 3, lambda z: (z * 2, n), lambda z: (jnp.conj(z), -n), z)
        case = lax.switch(n % 3, [lambda z: z, lambda z: z * 1j, lambda z: -z], z)
        carried, stacked = lax.scan(lambda c, x: (c * 0.5 + x, c), z[0], z)
        until = lax.while_loop(lambda c: jnp.abs(c[0]) < 10, lambda c: (c[0] * (1.5 + 0.5j), c[1] + 1), (z[0], 0))
        return loop, chosen, case, carried, stacked, until

    args = kind.numbers((40,), scale=0.4), np.int32(5)
    wanted = jax.tree.leaves(kind.jitted(function)(*args))
    for result, each in zip(kind.run(function, args, tmp_path), wanted, strict=True):
        np.testing.assert_allclose(result, each, rtol=1e-5 * kind.scale, atol=1e-6 * kind.scale)


def test_gradients(kind, tmp_path):
    def function(z, w):
        loss = lambda z: jnp.sum(jnp.abs(jnp.tanh(z @ w) + jnp.exp(1j * z[:, :3]).sum(1, keepdims=True)) ** 2)
        return jax.value_and_grad(loss)(z), jax.grad(lambda z: jnp.exp(jnp.sin(z)), holomorphic=True)(z[0, 0])

    args = kind.numbers((5, 4), scale=0.5), kind.numbers((4, 6), 1, scale=0.5)
    wanted = jax.tree.leaves(kind.jitted(function)(*args))
    for result, each in zip(kind.run(function, args, tmp_path), wanted, strict=True):
        np.testing.assert_allclose(result, each, rtol=3e-5 * kind.scale, atol=1e-4 * kind.scale)


@pytest.mark.parametrize(
    ("kind", "size"), [(C64, 0), (C64, 1), (C64, 5), (C64, 40)], ids=lambda v: getattr(v, "name", v)
)
def test_linear_algebra(kind, size, tmp_path):
    def function(a, b):
        solve = partial(lax.linalg.triangular_solve, lower=True)
        return (
            jnp.linalg.cholesky(a), jnp.linalg.cholesky(a, upper=True), solve(a, b, left_side=True),
            solve(a, b, left_side=True, transpose_a=True, conjugate_a=True), solve(a, jnp.swapaxes(b, 1, 2)),
            solve(a, b, left_side=True, unit_diagonal=True, transpose_a=True),
        )  # fmt: skip

    root = kind.numbers((2, size, size)) / size**0.5
    a = (root @ np.conj(root).swapaxes(1, 2) + 2 * np.eye(size)).astype(kind.dtype)
    args = a, kind.numbers((2, size, 3), 1)
    results = kind.run(function, args, tmp_path, lowering_platforms=("tpu",))
    for result, wanted in zip(results, kind.jitted(function)(*args), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=3e-5 * kind.scale, atol=3e-5 * kind.scale)


# Input forms and errors
# ----------------------


def test_input_forms(kind, tmp_path):
    """Text, a portable artifact, HLO as text and as a message."""
    x = kind.numbers((3, 5))
    function = jax.jit(lambda x: jnp.exp(x) * (1 - 2j) + jnp.fft.fft(x))
    with jax.enable_x64(kind is C128):
        exported = jax.export.export(function, platforms=["tpu"])(jax.ShapeDtypeStruct(x.shape, x.dtype))
        lowered = function.lower(x)
    hlo = lowered.compiler_ir("hlo")
    forms = [("p.mlir", lowered.as_text()), ("p.mlirbc", exported.mlir_module_serialized)]
    forms += [("p.txt", hlo.as_hlo_text(print_large_constants=True)), ("p.pb", hlo.as_serialized_hlo_module_proto())]
    for name, text in forms:
        (result,) = run_text(text, [x], tmp_path, name=name)
        np.testing.assert_allclose(
            result, np.exp(x) * (1 - 2j) + np.fft.fft(x), rtol=1e-5 * kind.scale, atol=1e-5 * kind.scale
        )


def test_results_are_printed(kind, tmp_path):
    program = tmp_path / "p.mlir"
    infinity = np.asarray(np.inf, kind.part).tobytes()[::-1].hex().upper()
    program.write_text(f"""func.func @main() -> tensor<2x{kind.name}> {{
      %0 = stablehlo.constant dense<[(1.5, -2.0), (0x{infinity}, 3.1)]> : tensor<2x{kind.name}>
      return %0 : tensor<2x{kind.name}>
    }}""")
    done = systole("run", program)
    assert "1.5-2.j" in done.stdout and "inf+3.1j" in done.stdout


def test_a_chain_of_operations_is_one_kernel(tmp_path):
    def chain(x, y):
        for _ in range(3):
            x = x * y + jnp.conj(x) - 1j
        return jnp.exp(x / y)

    program = tmp_path / "p.mlir"
    program.write_text(C64.text(chain, *2 * [jax.ShapeDtypeStruct((256, 128), C64.dtype)]))
    done = systole("run", program, "--timing-only", "--report", "json")
    assert done.returncode == 0, done.stderr
    assert sum(kernel["calls"] for kernel in json.loads(done.stdout)["kernels"]) == 1
