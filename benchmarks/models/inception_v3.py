"""Inception v3 for images, without the auxiliary head: inference.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import flax.linen as nn
import jax.numpy as jnp
import numpy as np

from training import initialised

SIZES = {
    "small": {"batch": 2, "image": 75, "scale": 16, "classes": 10},
    "full": {"batch": 8, "image": 299, "scale": 1, "classes": 1000},
}


class Conv(nn.Module):
    """A convolution, its batch norm without a factor, and relu."""

    features: int
    window: tuple
    stride: int = 1
    padding: str = "SAME"

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(self.features, self.window, self.stride, self.padding, use_bias=False)(x)
        norm = nn.BatchNorm(use_running_average=True, epsilon=1e-3, use_scale=False)
        return nn.relu(norm(x))


def average(x):
    return nn.avg_pool(x, (3, 3), (1, 1), "SAME", count_include_pad=False)


def halve(x):
    return nn.max_pool(x, (3, 3), (2, 2), "VALID")


class Inception(nn.Module):
    """All widths of the network are divided by `scale`."""

    scale: int
    classes: int

    @nn.compact
    def __call__(self, x):
        def conv(x, features, *window, **options):
            return Conv(features // self.scale, window, **options)(x)

        def chain(x, features, *windows):
            for width, window in zip(features, windows, strict=True):
                x = conv(x, width, *window)
            return x

        def join(*branches):
            return jnp.concatenate(branches, axis=-1)

        def grid35(x, pooled):
            return join(
                conv(x, 64, 1, 1),
                chain(x, (48, 64), (1, 1), (5, 5)),
                chain(x, (64, 96, 96), (1, 1), (3, 3), (3, 3)),
                conv(average(x), pooled, 1, 1),
            )

        def grid17(x, inner):
            return join(
                conv(x, 192, 1, 1),
                chain(x, (inner, inner, 192), (1, 1), (1, 7), (7, 1)),
                chain(x, (*[inner] * 4, 192), (1, 1), (7, 1), (1, 7), (7, 1), (1, 7)),
                conv(average(x), 192, 1, 1),
            )

        def grid8(x):
            middle = conv(x, 384, 1, 1)
            deep = chain(x, (448, 384), (1, 1), (3, 3))
            return join(
                conv(x, 320, 1, 1),
                join(conv(middle, 384, 1, 3), conv(middle, 384, 3, 1)),
                join(conv(deep, 384, 1, 3), conv(deep, 384, 3, 1)),
                conv(average(x), 192, 1, 1),
            )

        def strided(x, features):
            return conv(x, features, 3, 3, stride=2, padding="VALID")

        x = strided(x, 32)
        x = conv(x, 32, 3, 3, padding="VALID")
        x = halve(conv(x, 64, 3, 3))
        x = conv(x, 80, 1, 1)
        x = halve(conv(x, 192, 3, 3, padding="VALID"))
        for pooled in (32, 64, 64):
            x = grid35(x, pooled)
        deep = chain(x, (64, 96), (1, 1), (3, 3))
        x = join(strided(x, 384), strided(deep, 96), halve(x))
        for inner in (128, 160, 160, 192):
            x = grid17(x, inner)
        deep = chain(x, (192, 192, 192), (1, 1), (1, 7), (7, 1))
        x = join(strided(conv(x, 192, 1, 1), 320), strided(deep, 192), halve(x))
        x = grid8(grid8(x))
        return nn.softmax(nn.Dense(self.classes)(x.mean((1, 2))))


def infer(size):
    """Probabilities of a batch: (function, arguments)."""
    size = SIZES[size]
    model = Inception(size["scale"], size["classes"])
    rng = np.random.default_rng(0)
    images = rng.standard_normal((size["batch"], size["image"], size["image"], 3), np.float32)
    return model.apply, (initialised(model, rng, images), images)
