"""Flash attention: causal attention by blocks of keys and queries with a running softmax, and its gradient.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np

SIZES = {
    "small": {"batch": 2, "length": 64, "heads": 3, "width": 16, "block": 16},
    "full": {"batch": 2, "length": 2048, "heads": 12, "width": 64, "block": 256},
}


def attend(query, key, value, block):
    """Of [batch, heads, length, width]."""
    batch, heads, length, width = query.shape
    blocks = lambda x: jnp.moveaxis(x.reshape(batch, heads, length // block, block, width), 2, 0)
    numbers = jnp.arange(length // block)
    keys, values = blocks(key), blocks(value)

    def of_queries(number, query):
        def step(carry, part):
            top, total, mixed = carry
            other, key, value = part
            scores = jnp.einsum("bhqd,bhkd->bhqk", query, key) * width**-0.5
            seen = (number * block + jnp.arange(block))[:, None] >= other * block + jnp.arange(block)
            scores = jnp.where(seen, scores, -1e9)
            new = jnp.maximum(top, scores.max(-1))
            weights, scale = jnp.exp(scores - new[..., None]), jnp.exp(top - new)
            mixed = mixed * scale[..., None] + jnp.einsum("bhqk,bhkd->bhqd", weights, value)
            return (new, total * scale + weights.sum(-1), mixed), None

        start = (jnp.full_like(query[..., 0], -1e9), jnp.zeros_like(query[..., 0]), jnp.zeros_like(query))
        (_, total, mixed), _ = jax.lax.scan(step, start, (numbers, keys, values))
        return mixed / total[..., None]

    mixed = jax.lax.map(lambda part: of_queries(*part), (numbers, blocks(query)))
    return jnp.moveaxis(mixed, 0, 2).reshape(query.shape)


def arguments(size):
    rng = np.random.default_rng(0)
    shape = (size["batch"], size["heads"], size["length"], size["width"])
    return tuple(rng.standard_normal(shape, np.float32) for _ in range(3))


def forward(size):
    size = SIZES[size]
    return lambda *args: attend(*args, size["block"]), arguments(size)


def gradient(size):
    """Of a sum with weights, for queries, keys and values."""
    size = SIZES[size]
    weights = np.random.default_rng(1).standard_normal(arguments(size)[0].shape, np.float32)

    def loss(query, key, value, weights):
        return (attend(query, key, value, size["block"]) * weights).sum()

    return jax.grad(loss, (0, 1, 2)), (*arguments(size), weights)
