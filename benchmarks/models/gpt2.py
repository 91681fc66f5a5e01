"""GPT-2, a decoder that predicts the next word: training.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

from training import cross_entropy, dropout, initialised, running_state, train_step

SIZES = {
    "small": {
        "batch": 2,
        "length": 12,
        "words": 70,
        "positions": 16,
        "layers": 2,
        "features": 24,
        "heads": 3,
        "rate": 0.1,
    },
    "full": {
        "batch": 4,
        "length": 256,
        "words": 50257,
        "positions": 1024,
        "layers": 12,
        "features": 768,
        "heads": 12,
        "rate": 0.1,
    },
}
# Long texts, from which a model of this size learns without dropout.
SIZES["large"] = SIZES["full"] | {"length": 1024, "rate": 0.0}


class Attention(nn.Module):
    """Each word sees the words before it. Query, key and value are one product."""

    heads: int
    rate: float

    @nn.compact
    def __call__(self, x):
        batch, length, features = x.shape
        parts = nn.Dense(3 * features)(x).reshape(batch, length, 3, self.heads, features // self.heads)
        query, key, value = (parts[:, :, i] for i in range(3))
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / (features // self.heads) ** 0.5
        seen = jnp.tril(jnp.ones((length, length), bool))
        weights = dropout(nn.softmax(jnp.where(seen, scores, -1e9)), self.rate, self.make_rng("dropout"))
        mixed = jnp.einsum("bhqk,bkhd->bqhd", weights, value)
        return nn.Dense(features)(mixed.reshape(batch, length, features))


class Block(nn.Module):
    heads: int
    rate: float

    @nn.compact
    def __call__(self, x):
        y = Attention(self.heads, self.rate)(nn.LayerNorm(epsilon=1e-5)(x))
        x = x + dropout(y, self.rate, self.make_rng("dropout"))
        y = nn.gelu(nn.Dense(4 * x.shape[-1])(nn.LayerNorm(epsilon=1e-5)(x)), approximate=True)
        return x + dropout(nn.Dense(x.shape[-1])(y), self.rate, self.make_rng("dropout"))


class Gpt2(nn.Module):
    """Logits [batch, length, words] of the words that follow those of texts i32[batch, length]."""

    size: dict

    @nn.compact
    def __call__(self, texts):
        size = self.size
        words = nn.Embed(size["words"], size["features"])
        places = nn.Embed(size["positions"], size["features"])
        x = words(texts) + places(jnp.arange(texts.shape[1]))
        x = dropout(x, size["rate"], self.make_rng("dropout"))
        for _ in range(size["layers"]):
            x = Block(size["heads"], size["rate"])(x)
        return words.attend(nn.LayerNorm(epsilon=1e-5)(x))


def train(size):
    """A step of AdamW with a limit on the norm of the gradients: (function, arguments)."""
    size = SIZES[size]
    model = Gpt2(size)
    rng = np.random.default_rng(0)
    texts = rng.integers(0, size["words"], (size["batch"], size["length"] + 1), np.int32)
    key = np.asarray(jax.random.PRNGKey(1))

    def loss(params, texts, key):
        logits = model.apply({"params": params}, texts[:, :-1], rngs={"dropout": key})
        return cross_entropy(logits, texts[:, 1:]), {"logits": logits}

    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-4, weight_decay=0.1))
    params = initialised(model, rng, texts[:, :-1])["params"]
    state = running_state(optimizer, params, rng)
    return train_step(loss, optimizer), (params, state, texts, key)
