"""EfficientNet for images: depthwise convolutions, squeeze and excite; inference with the size of B0.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools

import flax.linen as nn
import numpy as np

from training import initialised

SIZES = {
    "small": {"batch": 2, "image": 48, "first": 8, "last": 32, "classes": 10},
    "full": {"batch": 8, "image": 224, "first": 32, "last": 1280, "classes": 1000},
}
# Stages: factor of the inner channels, channels, blocks, stride of the first one, window.
STAGES = {
    "small": ((1, 4, 1, 1, 3), (6, 6, 2, 2, 3), (6, 10, 2, 2, 5)),
    "full": (
        (1, 16, 1, 1, 3),
        (6, 24, 2, 2, 3),
        (6, 40, 2, 2, 5),
        (6, 80, 3, 2, 3),
        (6, 112, 3, 1, 5),
        (6, 192, 4, 2, 5),
        (6, 320, 1, 1, 3),
    ),
}
conv = functools.partial(nn.Conv, use_bias=False)
norm = functools.partial(nn.BatchNorm, use_running_average=True, epsilon=1e-3)


class SqueezeExcite(nn.Module):
    """A factor for each channel, from the means of all."""

    channels: int

    @nn.compact
    def __call__(self, x):
        y = nn.silu(nn.Dense(self.channels)(x.mean((1, 2))))
        return x * nn.sigmoid(nn.Dense(x.shape[-1])(y))[:, None, None, :]


class Block(nn.Module):
    factor: int
    channels: int
    stride: int
    window: int

    @nn.compact
    def __call__(self, x):
        inner, y = self.factor * x.shape[-1], x
        if self.factor > 1:
            y = nn.silu(norm()(conv(inner, (1, 1))(y)))
        window = (self.window, self.window)
        y = nn.silu(norm()(conv(inner, window, self.stride, feature_group_count=inner)(y)))
        y = SqueezeExcite(max(1, x.shape[-1] // 4))(y)
        y = norm()(conv(self.channels, (1, 1))(y))
        return x + y if x.shape == y.shape else y


class EfficientNet(nn.Module):
    first: int
    last: int
    classes: int
    stages: tuple

    @nn.compact
    def __call__(self, x):
        x = nn.silu(norm()(conv(self.first, (3, 3), 2)(x)))
        for factor, channels, blocks, stride, window in self.stages:
            for block in range(blocks):
                x = Block(factor, channels, stride if block == 0 else 1, window)(x)
        x = nn.silu(norm()(conv(self.last, (1, 1))(x)))
        return nn.softmax(nn.Dense(self.classes)(x.mean((1, 2))))


def infer(name):
    """Probabilities of a batch: (function, arguments)."""
    size = SIZES[name]
    model = EfficientNet(size["first"], size["last"], size["classes"], STAGES[name])
    rng = np.random.default_rng(0)
    images = rng.standard_normal((size["batch"], size["image"], size["image"], 3), np.float32)
    return model.apply, (initialised(model, rng, images), images)
