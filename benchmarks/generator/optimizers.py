"""Optimizers: SGD with momentum, Adam and AdamW, with or without a limit on the norm of the gradients.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

An optimizer is a function (parameters, state, gradients) -> (parameters, state); the state is a count of steps and
moments, one or two for each parameter.
"""

import jax
import jax.numpy as jnp
from jax import lax

from .blocks import wide


def sgd(params, state, gradients):
    count, (moments,) = state
    moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, gradients)
    params = jax.tree.map(lambda p, m: (p - 0.1 * m).astype(p.dtype), params, moments)
    return params, (count + 1, (moments,))


def adam(params, state, gradients, decay=0.0):
    count, (first, second) = state
    count = count + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * jnp.square(g), second, gradients)

    def update(p, m, v):
        n = wide(count.astype(p.dtype))
        step = m / (1 - 0.9**n) * lax.rsqrt(v / (1 - 0.99**n) + 1e-4)
        return (p - 0.01 * (step + decay * p)).astype(p.dtype)

    return jax.tree.map(update, params, first, second), (count, (first, second))


def adamw(params, state, gradients):
    return adam(params, state, gradients, decay=0.1)


def clipped(optimizer):
    """Gradients are divided by their common norm where it is above 1."""

    def step(params, state, gradients):
        squares = sum(jnp.square(wide(g)).sum() for g in jax.tree.leaves(gradients))
        scale = lax.rsqrt(jnp.maximum(squares, 1.0))
        return optimizer(params, state, jax.tree.map(lambda g: (g * scale).astype(g.dtype), gradients))

    return step


def optimizer(draw):
    """(name, function, number of moments)."""
    name, step, moments = draw.pick((("sgd", sgd, 1), ("adam", adam, 2), ("adamw", adamw, 2)))
    if draw.chance(0.4):
        return f"{name}, clipped", clipped(step), moments
    return name, step, moments
