"""Windows of what their kernel computes: each step computes its block with a halo, whatever the plan, and beyond the
ends of an array stands the padding, not a function of it.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from plans import bits_of, fused, plans_of, with_random_plans
from systole_cli import systole_run

PLANS = 6  # for each function
ORDER = ("NHWC", "HWIO", "NHWC")


def convolution(image, kernel, stride=1, padding="SAME", **options):
    return lax.conv_general_dilated(
        image, kernel, (stride, stride), padding, dimension_numbers=ORDER, precision="highest", **options
    )


def activation(x, scale, bias):
    """Not zero where x is."""
    return jnp.maximum(x * scale + bias, 0)


def same(x, scale, bias, kernel):
    return convolution(activation(x, scale, bias), kernel)


def with_result(x, scale, bias, kernel):
    a = activation(x, scale, bias)
    return a, convolution(a, kernel)


def with_maxima(x, scale, bias, kernel):
    a = activation(x, scale, bias)
    return convolution(a, kernel), jnp.max(a, 3), a + x


def residual(x, scale, bias, kernel):
    return (
        convolution(activation(x, scale, bias), kernel) + jnp.pad(x, ((0, 0),) * 3 + ((0, 1),))[..., : kernel.shape[3]]
    )


def strided(x, scale, bias, kernel):
    return convolution(activation(x, scale, bias), kernel, 2)


def valid(x, scale, bias, kernel):
    return convolution(activation(x, scale, bias), kernel, 1, "VALID")


def dilated(x, scale, bias, kernel):
    return convolution(activation(x, scale, bias), kernel, rhs_dilation=(3, 2))


def image_gradient(x, scale, bias, kernel):
    """Of a convolution with stride 2: the gradient is dilated."""
    masked = jnp.where(x > 0, activation(x, scale, bias), 0)
    return convolution(masked, kernel, 1, [(1, 2), (2, 1)], lhs_dilation=(2, 2))


def filter_gradient(x, scale, bias, kernel):
    a = activation(x, scale, bias)
    return jax.vjp(lambda kernel: convolution(a, kernel), kernel)[1](
        jnp.exp(x[..., :1]) * jnp.ones_like(kernel[0, 0, 0])
    )


def depthwise(x, scale, bias, kernel):
    features = x.shape[3]
    own = jnp.tile(kernel[..., :1, :1], (1, 1, 1, features))
    return convolution(activation(x, scale, bias), own, feature_group_count=features)


def depthwise_filter_gradient(x, scale, bias, kernel):
    features = x.shape[3]
    a = activation(x, scale, bias)
    own = jnp.tile(kernel[..., :1, :1], (1, 1, 1, features))
    return jax.vjp(lambda own: convolution(a, own, feature_group_count=features), own)[1](x)


def counted(x, scale, bias, kernel):
    rows = lax.broadcasted_iota(jnp.int32, x.shape, 1).astype(x.dtype)
    return convolution(activation(x + rows, scale, bias), kernel)


def pooled(x, scale, bias, kernel):
    a = activation(x, scale, bias) - 3
    return lax.reduce_window(a, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def pooling_gradient(x, scale, bias, kernel):
    def pool(a):
        return lax.reduce_window(a, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))

    value, pull = jax.vjp(pool, activation(x, scale, bias))
    return pull(value * 2)[0] * x


def average(x, scale, bias, kernel):
    return lax.reduce_window(activation(x, scale, bias), 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME")


def differences(x, scale, bias, kernel):
    a = activation(x, scale, bias)
    return a[:, 2:] - a[:, :-2], a[:, 1::2] * 2


def rolled(x, scale, bias, kernel):
    a = activation(x, scale, bias)
    return jnp.concatenate([a[:, 2:], a[:, :2] + 1], 1) + a


def padded_twice(x, scale, bias, kernel):
    a = jnp.pad(activation(x, scale, bias), ((0, 0), (1, 3), (0, 2), (0, 0)), constant_values=7)
    return convolution(a * scale, kernel)


def turned(x, scale, bias, kernel):
    return convolution(jnp.transpose(activation(x, scale, bias), (0, 2, 1, 3)), kernel)


def regrouped(x, scale, bias, kernel):
    n, h, w, c = x.shape
    pairs = activation(x.reshape(n, h, w * c), jnp.tile(scale, w), jnp.tile(bias, w))
    return convolution(pairs.reshape(n, h, w, c), kernel)


def sliced_reshape(x, scale, bias, kernel):
    """Blocks of narrow elements in HBM begin at whole rows of 512 bytes, not where the slice does."""
    n, h, w, c = x.shape
    pairs = x.reshape(n, h // 2, 2, w, c)
    return pairs[:, :, :, 1:-1] * 2


FUNCTIONS = [
    same, with_result, with_maxima, residual, strided, valid, dilated, image_gradient, depthwise, counted,
    pooled, pooling_gradient, average, differences, rolled, padded_twice, turned, regrouped,
    sliced_reshape,
]  # fmt: skip


def arguments(dtype, shape, outputs, seed):
    rng = np.random.default_rng(seed)

    def draw(*sizes):
        return (rng.integers(-8, 9, sizes) / 4).astype(dtype)

    return [draw(*shape), draw(shape[3]), draw(shape[3]) + np.asarray(3, dtype), draw(3, 3, shape[3], outputs)]


def halos(fusions):
    """Axes of plans along rows or columns of images."""
    return sum(len(re.findall(r"dim [12] by", plan)) for plan in plans_of(fusions))


def check(function, args, tmp_path, seeds, target="v3"):
    text = jax.jit(function, keep_unused=True).lower(*args).as_text()
    # Kernels that hand arrays to each other in VMEM have fewer plans.
    fusions = fused(text, target, "cross-kernel=false")
    # In f64, since sums of f32 on the CPU depend on its vectors: filter gradients differ by 4e-5 without AVX-512.
    with jax.enable_x64(args[0].dtype == np.float32):
        exact = [arg.astype(np.float64) if arg.dtype == np.float32 else arg for arg in args]
        expected = jax.tree.leaves(jax.jit(function)(*exact))
    results = systole_run(fusions, args, tmp_path, target=target, options=("--from", "fusion"))
    for result, value in zip(results, expected, strict=True):
        wide = np.asarray(value, np.float64)
        tolerance = 2**-7 if result.dtype == jnp.bfloat16 else 1e-5
        np.testing.assert_allclose(
            np.asarray(result, np.float64), wide, tolerance, tolerance * (1 + np.abs(wide).max(initial=0))
        )
    axes = 0
    for seed in seeds:
        forced = with_random_plans(fusions, seed, target)
        axes += halos(forced)
        again = systole_run(forced, args, tmp_path, target=target, options=("--from", "fusion"))
        assert bits_of(again) == bits_of(results), f"plans of seed {seed}: {plans_of(forced)}"
    return axes


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("dtype", [np.float32, jnp.bfloat16], ids=["f32", "bf16"])
def test_windows_of_computed_arrays(function, dtype, tmp_path):
    args = arguments(dtype, (2, 24, 8, 24), 25, seed=1)
    assert check(function, args, tmp_path, range(PLANS)) > 0


@pytest.mark.parametrize("dtype", [np.float32, jnp.bfloat16], ids=["f32", "bf16"])
def test_filter_gradient(dtype, tmp_path):
    """In chunks of its positions."""
    args = arguments(dtype, (2, 128, 48, 24), 25, seed=3)
    assert check(filter_gradient, args, tmp_path, range(3)) > 0


def test_depthwise_filter_gradient(tmp_path):
    """In chunks of 171 rows, of which eight are a vector."""
    args = arguments(np.float32, (1, 513, 9, 128), 128, seed=4)
    assert check(depthwise_filter_gradient, args, tmp_path, range(3)) > 0


@pytest.mark.parametrize(
    "shape", [(1, 1, 1, 1), (1, 7, 127, 3), (3, 129, 7, 129), (0, 8, 8, 8), (1, 1000, 3, 64)], ids=str
)
def test_odd_extents(shape, tmp_path):
    check(with_maxima, arguments(np.float32, shape, shape[3], seed=2), tmp_path, range(2), "v2")
