"""A vision transformer that classifies images by their patches: training.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import flax.linen as nn
import jax.numpy as jnp
import numpy as np
import optax

from training import cross_entropy, initialised, running_state, train_step

SIZES = {
    "small": {"batch": 2, "edge": 12, "patch": 4, "layers": 2, "features": 24, "heads": 3, "classes": 7},
    # ViT-B/16.
    "full": {"batch": 32, "edge": 224, "patch": 16, "layers": 12, "features": 768, "heads": 12, "classes": 1000},
}


class Block(nn.Module):
    heads: int

    @nn.compact
    def __call__(self, x):
        y = nn.LayerNorm(epsilon=1e-6)(x)
        x = x + nn.MultiHeadDotProductAttention(self.heads)(y, y)
        y = nn.Dense(4 * x.shape[-1])(nn.LayerNorm(epsilon=1e-6)(x))
        return x + nn.Dense(x.shape[-1])(nn.gelu(y, approximate=False))


class Vit(nn.Module):
    """Logits [batch, classes] of images f32[batch, edge, edge, 3]."""

    size: dict

    @nn.compact
    def __call__(self, images):
        size = self.size
        features, patch = size["features"], (size["patch"], size["patch"])
        x = nn.Conv(features, patch, patch, padding="VALID")(images)
        x = x.reshape(x.shape[0], -1, features)
        first = self.param("class", nn.initializers.zeros, (1, 1, features))
        x = jnp.concatenate([jnp.tile(first, (x.shape[0], 1, 1)), x], axis=1)
        x = x + self.param("positions", nn.initializers.normal(0.02), (1, *x.shape[1:]))
        for _ in range(size["layers"]):
            x = Block(size["heads"])(x)
        return nn.Dense(size["classes"])(nn.LayerNorm(epsilon=1e-6)(x)[:, 0])


def train(size):
    """A step of AdamW: (function, arguments)."""
    size = SIZES[size]
    model = Vit(size)
    rng = np.random.default_rng(0)
    images = rng.standard_normal((size["batch"], size["edge"], size["edge"], 3), np.float32)
    labels = rng.integers(0, size["classes"], size["batch"], np.int32)

    def loss(params, images, labels):
        logits = model.apply({"params": params}, images)
        return cross_entropy(logits, labels), {"logits": logits}

    optimizer = optax.adamw(1e-3, weight_decay=0.05)
    params = initialised(model, rng, images)["params"]
    return train_step(loss, optimizer), (params, running_state(optimizer, params, rng), images, labels)
