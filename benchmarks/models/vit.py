"""A vision transformer that classifies images by their patches: training.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import flax.linen as nn
import jax.numpy as jnp
import optax

from training import train_classifier

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
    optimizer = optax.adamw(1e-3, weight_decay=0.05)
    return train_classifier(model, optimizer, size["batch"], size["edge"], size["classes"])
