"""ConvNeXt for images, with the size of the smallest published one: training.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools

import flax.linen as nn
import optax

from training import train_classifier

SIZES = {
    "small": {"batch": 2, "image": 32, "channels": (8, 16), "blocks": (1, 2), "classes": 10},
    "full": {"batch": 16, "image": 224, "channels": (96, 192, 384, 768), "blocks": (3, 3, 9, 3), "classes": 1000},
}
norm = functools.partial(nn.LayerNorm, epsilon=1e-6)
gelu = functools.partial(nn.gelu, approximate=False)


class Block(nn.Module):
    """A depthwise convolution of 7 x 7, then a perceptron at each position, scaled by channel."""

    @nn.compact
    def __call__(self, x):
        channels = x.shape[-1]
        y = norm()(nn.Conv(channels, (7, 7), feature_group_count=channels)(x))
        y = nn.Dense(channels)(gelu(nn.Dense(4 * channels)(y)))
        return x + y * self.param("scale", nn.initializers.ones, (channels,))


class ConvNeXt(nn.Module):
    channels: tuple
    blocks: tuple
    classes: int

    @nn.compact
    def __call__(self, x):
        for stage, (channels, blocks) in enumerate(zip(self.channels, self.blocks, strict=True)):
            if stage == 0:
                x = norm()(nn.Conv(channels, (4, 4), 4, "VALID")(x))
            else:
                x = nn.Conv(channels, (2, 2), 2, "VALID")(norm()(x))
            for _ in range(blocks):
                x = Block()(x)
        return nn.Dense(self.classes)(norm()(x.mean((1, 2))))


def train(size):
    """A step of AdamW: (function, arguments)."""
    size = SIZES[size]
    model = ConvNeXt(size["channels"], size["blocks"], size["classes"])
    optimizer = optax.adamw(1e-3, weight_decay=0.05)
    return train_classifier(model, optimizer, size["batch"], size["image"], size["classes"])
