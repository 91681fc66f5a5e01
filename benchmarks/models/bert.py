"""A BERT encoder that learns to fill in masked words: training.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

from training import cross_entropy, dropout, initialised, running_state, train_step

SIZES = {
    "small": {
        "batch": 2,
        "length": 16,
        "masked": 3,
        "words": 60,
        "layers": 2,
        "features": 24,
        "heads": 3,
        "inner": 48,
    },
    "full": {
        "batch": 8,
        "length": 128,
        "masked": 20,
        "words": 30522,
        "layers": 12,
        "features": 768,
        "heads": 12,
        "inner": 3072,
    },
}
RATE = 0.1
gelu = functools.partial(nn.gelu, approximate=False)


class Attention(nn.Module):
    heads: int

    @nn.compact
    def __call__(self, x, padding):
        width = x.shape[-1] // self.heads
        query, key, value = (nn.DenseGeneral((self.heads, width))(x) for _ in range(3))
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / width**0.5
        weights = nn.softmax(jnp.where(padding[:, None, None, :], -1e9, scores))
        weights = dropout(weights, RATE, self.make_rng("dropout"))
        mixed = jnp.einsum("bhqk,bkhd->bqhd", weights, value)
        return nn.DenseGeneral(x.shape[-1], axis=(-2, -1))(mixed)


class Layer(nn.Module):
    heads: int
    inner: int

    @nn.compact
    def __call__(self, x, padding):
        norm = functools.partial(nn.LayerNorm, epsilon=1e-12)
        y = Attention(self.heads)(x, padding)
        x = norm()(x + dropout(y, RATE, self.make_rng("dropout")))
        y = nn.Dense(x.shape[-1])(gelu(nn.Dense(self.inner)(x)))
        return norm()(x + dropout(y, RATE, self.make_rng("dropout")))


class Bert(nn.Module):
    """Logits [batch, masked, words] of the words at i32[batch, masked] positions of texts
    i32[batch, length], whose sentences are numbered 0 and 1."""

    size: dict

    @nn.compact
    def __call__(self, texts, sentences, padding, places):
        size = self.size
        start = nn.initializers.normal(0.02)
        embed = functools.partial(nn.Embed, features=size["features"], embedding_init=start)
        words = embed(size["words"])
        x = words(texts) + embed(2)(sentences) + embed(size["length"])(jnp.arange(size["length"]))
        x = dropout(nn.LayerNorm(epsilon=1e-12)(x), RATE, self.make_rng("dropout"))
        for _ in range(size["layers"]):
            x = Layer(size["heads"], size["inner"])(x, padding)
        x = jnp.take_along_axis(x, places[..., None], axis=1)
        x = nn.LayerNorm(epsilon=1e-12)(gelu(nn.Dense(size["features"])(x)))
        bias = self.param("bias", nn.initializers.zeros, (size["words"],))
        return words.attend(x) + bias


def train(size):
    """A step of AdamW: (function, arguments)."""
    size = SIZES[size]
    batch, length, masked, words = (size[n] for n in ("batch", "length", "masked", "words"))
    model = Bert(size)
    rng = np.random.default_rng(0)
    texts = rng.integers(0, words, (batch, length), np.int32)
    lengths = rng.integers(length // 2, length + 1, (batch, 1), np.int32)
    sentences = (np.arange(length) >= lengths // 2).astype(np.int32)
    padding = np.arange(length) >= lengths
    places = np.stack([rng.permutation(length // 2)[:masked] for _ in range(batch)])
    data = (texts, sentences, padding, np.sort(places.astype(np.int32), axis=1))
    labels = rng.integers(0, words, (batch, masked), np.int32)
    key = np.asarray(jax.random.PRNGKey(1))

    def loss(params, texts, sentences, padding, places, labels, key):
        inputs = (texts, sentences, padding, places)
        logits = model.apply({"params": params}, *inputs, rngs={"dropout": key})
        return cross_entropy(logits, labels), {"logits": logits}

    optimizer = optax.adamw(1e-4, weight_decay=0.01)
    params = initialised(model, rng, *data)["params"]
    state = running_state(optimizer, params, rng)
    return train_step(loss, optimizer), (params, state, *data, labels, key)
