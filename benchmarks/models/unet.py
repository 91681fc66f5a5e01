"""U-Net for images with a class for each pixel: training.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import flax.linen as nn
import jax.numpy as jnp
import numpy as np
import optax

from training import cross_entropy, initialised, running_state, train_step

SIZES = {
    "small": {"batch": 2, "image": 32, "width": 6, "levels": 2, "classes": 3},
    "full": {"batch": 4, "image": 256, "width": 64, "levels": 4, "classes": 21},
}


class Convolutions(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x):
        for _ in range(2):
            x = nn.Conv(self.features, (3, 3), use_bias=False)(x)
            x = nn.relu(nn.GroupNorm(num_groups=2)(x))
        return x


class UNet(nn.Module):
    """Logits [batch, height, width, classes] of images [batch, height, width, 3]."""

    width: int
    levels: int
    classes: int

    @nn.compact
    def __call__(self, x):
        skipped = []
        for level in range(self.levels):
            x = Convolutions(self.width * 2**level)(x)
            skipped.append(x)
            x = nn.max_pool(x, (2, 2), (2, 2))
        x = Convolutions(self.width * 2**self.levels)(x)
        for level in reversed(range(self.levels)):
            x = nn.ConvTranspose(self.width * 2**level, (2, 2), (2, 2))(x)
            x = Convolutions(self.width * 2**level)(jnp.concatenate([skipped[level], x], axis=-1))
        return nn.Conv(self.classes, (1, 1))(x)


def train(size):
    """A step of Adam: (function, arguments)."""
    size = SIZES[size]
    model = UNet(size["width"], size["levels"], size["classes"])
    rng = np.random.default_rng(5)
    shape = (size["batch"], size["image"], size["image"])
    images = rng.standard_normal((*shape, 3), np.float32)
    labels = rng.integers(0, size["classes"], shape, np.int32)

    def loss(params, images, labels):
        logits = model.apply({"params": params}, images)
        return cross_entropy(logits, labels), {"logits": logits}

    optimizer = optax.adam(1e-3)
    params = initialised(model, rng, images)["params"]
    state = running_state(optimizer, params, rng)
    return train_step(loss, optimizer), (params, state, images, labels)
