"""T5, an encoder and a decoder of texts with biases of attention by distance: training.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math

import flax.linen as nn
import jax.numpy as jnp
import numpy as np
import optax

from training import cross_entropy, initialised, running_state, train_step

SIZES = {
    "small": {"batch": 2, "length": 12, "target": 7, "words": 70, "layers": 2, "features": 24, "heads": 3, "inner": 40},
    "full": {
        "batch": 8,
        "length": 512,
        "target": 128,
        "words": 32128,
        "layers": 6,
        "features": 512,
        "heads": 8,
        "inner": 1024,
    },
}
SIZES["large"] = SIZES["full"] | {"batch": 16}
BUCKETS, FURTHEST = 32, 128


def buckets(queries, keys, both_sides):
    """The number of the bucket of each distance: one for each small one, then by logarithm."""
    distance = np.arange(keys) - np.arange(queries)[:, None]
    count, first = (BUCKETS // 2, np.where(distance > 0, BUCKETS // 2, 0)) if both_sides else (BUCKETS, 0)
    distance = np.abs(distance) if both_sides else np.maximum(-distance, 0)
    exact = count // 2
    far = np.log(np.maximum(distance, 1) / exact) / math.log(FURTHEST / exact) * (count - exact)
    return first + np.where(distance < exact, distance, np.minimum(exact + far.astype(np.int32), count - 1))


class Norm(nn.Module):
    @nn.compact
    def __call__(self, x):
        scale = self.param("scale", nn.initializers.ones, x.shape[-1:])
        return x / jnp.sqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-6) * scale


class Attention(nn.Module):
    """Of queries to keys, whose scores are not divided by the root of the width."""

    heads: int

    @nn.compact
    def __call__(self, x, memory, bias):
        width = x.shape[-1] // self.heads
        project = lambda y: nn.DenseGeneral((self.heads, width), use_bias=False)(y)
        query, key, value = project(x), project(memory), project(memory)
        scores = jnp.einsum("bqhd,bkhd->bhqk", query * width**-0.5, key) + bias
        mixed = jnp.einsum("bhqk,bkhd->bqhd", nn.softmax(scores), value)
        return nn.DenseGeneral(x.shape[-1], axis=(-2, -1), use_bias=False)(mixed)


class Layer(nn.Module):
    heads: int
    inner: int

    @nn.compact
    def __call__(self, x, bias, memory=None):
        y = Norm()(x)
        x = x + Attention(self.heads)(y, y, bias)
        if memory is not None:
            x = x + Attention(self.heads)(Norm()(x), memory, 0.0)
        y = Norm()(x)
        gate, up = (nn.Dense(self.inner, use_bias=False)(y) for _ in range(2))
        return x + nn.Dense(x.shape[-1], use_bias=False)(nn.gelu(gate, approximate=True) * up)


class T5(nn.Module):
    size: dict

    @nn.compact
    def __call__(self, texts, targets):
        size = self.size
        words = nn.Embed(size["words"], size["features"])
        length, target = texts.shape[1], targets.shape[1]
        bias = nn.Embed(BUCKETS, size["heads"])(buckets(length, length, True)).transpose(2, 0, 1)
        x = words(texts)
        for _ in range(size["layers"]):
            x = Layer(size["heads"], size["inner"])(x, bias)
        memory = Norm()(x)
        bias = nn.Embed(BUCKETS, size["heads"])(buckets(target, target, False)).transpose(2, 0, 1)
        bias = jnp.where(np.tril(np.ones((target, target), bool)), bias, -1e9)
        x = words(targets)
        for _ in range(size["layers"]):
            x = Layer(size["heads"], size["inner"])(x, bias, memory)
        return nn.Dense(size["words"], use_bias=False)(Norm()(x))


def train(size):
    """A step of AdamW: (function, arguments)."""
    size = SIZES[size]
    model = T5(size)
    rng = np.random.default_rng(0)
    texts = rng.integers(0, size["words"], (size["batch"], size["length"]), np.int32)
    targets = rng.integers(0, size["words"], (size["batch"], size["target"] + 1), np.int32)

    def loss(params, texts, targets):
        logits = model.apply({"params": params}, texts, targets[:, :-1])
        return cross_entropy(logits, targets[:, 1:]), {"logits": logits}

    optimizer = optax.adamw(1e-4, weight_decay=0.01)
    params = initialised(model, rng, texts, targets[:, :-1])["params"]
    return train_step(loss, optimizer), (params, running_state(optimizer, params, rng), texts, targets)
