"""Whole programs written in JAX: against the reference and JAX on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bounds import BF16, F32
from test_elementwise import I32, generator
from verify import verify_with_jax


def normal(name, *shape, scale=1.0, dtype=F32):
    return np.asarray(generator(name).standard_normal(shape) * scale).astype(dtype)


def layer_norm(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) * (x - mean)).mean(axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * gain + bias


def softmax(x):
    exponential = jnp.exp(x - jax.lax.stop_gradient(x.max(axis=-1, keepdims=True)))
    return exponential / exponential.sum(axis=-1, keepdims=True)


def attention(x, wq, wk, wv, wo, heads):
    batch, length, width = x.shape
    split = (batch, length, heads, width // heads)
    q, k, v = ((x @ w).reshape(split) for w in (wq, wk, wv))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(width // heads).astype(x.dtype)
    position = jnp.arange(length)
    scores = jnp.where(position[:, None] >= position[None, :], scores, jnp.asarray(-1e9, x.dtype))
    mixed = jnp.einsum("bhqk,bkhd->bqhd", softmax(scores), v)
    return mixed.reshape(batch, length, width) @ wo


def mlp(params, x):
    for weights, bias in params[:-1]:
        x = jnp.tanh(x @ weights + bias)
    weights, bias = params[-1]
    return x @ weights + bias


def mlp_params(*widths):
    return [
        (normal(("weights", i), a, b, scale=a**-0.5), normal(("bias", i), b, scale=0.1))
        for i, (a, b) in enumerate(zip(widths, widths[1:]))
    ]


def test_mlp_forward_and_gradients(tmp_path):
    def loss(params, x, y):
        logits = mlp(params, x)
        shifted = logits - jax.lax.stop_gradient(logits.max(axis=1, keepdims=True))
        normaliser = jnp.log(jnp.exp(shifted).sum(axis=1))
        return (normaliser - (y * shifted).sum(axis=1)).mean()

    x, labels = normal("x", 33, 20), np.arange(33) % 7
    y = (labels[:, None] == np.arange(7)).astype(F32)
    verify_with_jax(jax.value_and_grad(loss), (mlp_params(20, 129, 40, 7), x, y), tmp_path)


def test_relu_network_in_bf16(tmp_path):
    """Matrices in bf16, sums in f32, as mixed-precision programs do."""

    def function(x, w1, w2):
        def dense(x, w):
            return jnp.dot(x, w, preferred_element_type=jnp.float32)

        hidden = jax.nn.relu(dense(x, w1)).astype(jnp.bfloat16)
        return dense(hidden, w2)

    args = (
        normal("bf16 x", 9, 200, dtype=BF16),
        normal("bf16 w1", 200, 129, scale=0.07, dtype=BF16),
        normal("bf16 w2", 129, 10, scale=0.1, dtype=BF16),
    )
    verify_with_jax(function, args, tmp_path)


def test_layer_norm(tmp_path):
    args = (normal("ln x", 3, 17, 200), normal("ln gain", 200), normal("ln bias", 200))
    verify_with_jax(layer_norm, args, tmp_path)


def test_layer_norm_gradients(tmp_path):
    def loss(x, gain, bias):
        return (layer_norm(x, gain, bias) * jnp.sin(x)).sum()

    args = (normal("dln x", 17, 129), normal("dln gain", 129), normal("dln bias", 129))
    verify_with_jax(jax.grad(loss, argnums=(0, 1, 2)), args, tmp_path)


def test_softmax(tmp_path):
    verify_with_jax(softmax, (normal("softmax", 200, 129, scale=5),), tmp_path)


def test_attention_block(tmp_path):
    def function(x, weights, gain, bias):
        return x + attention(layer_norm(x, gain, bias), *weights, heads=4)

    weights = tuple(normal(f"attention {i}", 64, 64, scale=0.125) for i in range(4))
    args = (normal("tokens", 2, 33, 64), weights, normal("gain", 64), normal("bias", 64))
    verify_with_jax(function, args, tmp_path)


def test_attention_gradients(tmp_path):
    def loss(x, weights):
        return (attention(x, *weights, heads=2) ** 2).mean()

    weights = tuple(normal(f"grad attention {i}", 32, 32, scale=0.18) for i in range(4))
    args = (normal("grad tokens", 1, 17, 32), weights)
    verify_with_jax(jax.grad(loss, argnums=(0, 1)), args, tmp_path)


def test_recurrent_network(tmp_path):
    """A scan whose carry goes through a contraction and tanh each step."""

    def function(state, inputs, w, u, b):
        def step(h, x):
            h = jnp.tanh(x @ w + h @ u + b)
            return h, h.mean(axis=1)

        return jax.lax.scan(step, state, inputs)

    args = (
        normal("h", 7, 65),
        normal("inputs", 12, 7, 30),
        normal("w", 30, 65, scale=0.1),
        normal("u", 65, 65, scale=0.05),
        normal("b", 65, scale=0.1),
    )
    verify_with_jax(function, args, tmp_path)


def test_gradient_of_a_recurrent_network(tmp_path):
    """Differentiating a scan gives a second loop, which runs backwards over stored values."""

    def loss(w, u, inputs):
        def step(h, x):
            return jnp.tanh(x @ w + h @ u), None

        h, _ = jax.lax.scan(step, jnp.zeros((5, 33)), inputs)
        return (h * h).sum()

    args = (
        normal("gw", 9, 33, scale=0.2),
        normal("gu", 33, 33, scale=0.1),
        normal("g inputs", 6, 5, 9),
    )
    verify_with_jax(jax.grad(loss, argnums=(0, 1)), args, tmp_path)


def test_embedding_and_projection(tmp_path):
    def function(table, tokens, w):
        rows = table.at[tokens].get(mode="clip", wrap_negative_indices=False)
        return rows.mean(axis=1) @ w

    tokens = generator("tokens").integers(0, 1000, (9, 17)).astype(I32)
    args = (normal("embedding", 1000, 130), tokens, normal("projection", 130, 20, scale=0.1))
    verify_with_jax(function, args, tmp_path)


def test_gradient_descent_in_a_loop(tmp_path):
    """A quadratic minimised on the device; the step shrinks with the trip count."""

    def function(a, b, x):
        def body(i, x):
            step = 0.1 / (1 + i.astype(jnp.float32))
            return x - step * (a @ x - b)

        return jax.lax.fori_loop(0, 10, body, x)

    root = normal("root", 40, 40, scale=0.1)
    args = (root @ root.T + np.eye(40, dtype=F32), normal("target", 40), normal("start", 40))
    verify_with_jax(function, args, tmp_path)


def test_adam_step_with_a_condition(tmp_path):
    """Skips the update where the gradient is too large, as training loops with clipping do."""

    def function(p, g, m, v, limit):
        def update(_):
            mean, square = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            return p - 1e-3 * mean / (jnp.sqrt(square) + 1e-8), mean, square

        return jax.lax.cond((g * g).sum() < limit, update, lambda _: (p, m, v), None)

    shape = (129, 65)
    p, g, m = (normal(f"adam {i}", *shape) for i in range(3))
    v = np.abs(normal("adam v", *shape)) + np.float32(0.01)
    for limit in (1.0, 1e6):
        verify_with_jax(function, (p, g, m, v, np.float32(limit)), tmp_path)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_standardise_and_bin(rank, tmp_path):
    """Statistics, rounding to integers and counting: integers computed exactly from floats."""

    def function(x):
        low, high = x.min(), x.max()
        bins = jnp.clip(jnp.floor((x - low) * (8 / (high - low))), 0, 7).astype(jnp.int32)
        counts = (bins[..., None] == jnp.arange(8)).astype(jnp.int32)
        return counts.sum(axis=tuple(range(rank)))

    # Values between the bins' edges, ends apart, so that no rounding moves one across.
    shape = (5, 9, 129)[-rank:]
    x = generator("bins", rank).integers(0, 8, shape) / 8 + 1 / 16
    x.flat[0], x.flat[1] = 0, 1
    verify_with_jax(function, (x.astype(F32),), tmp_path)
