"""MobileNet v2 for images: inverted residuals with depthwise convolutions; training.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools

import flax.linen as nn
import jax.numpy as jnp
import numpy as np
import optax

from training import cross_entropy, initialised, running_state, train_step

# Stages: factor of the inner channels, channels, blocks and stride of the first one.
SIZES = {
    "small": {"batch": 4, "image": 32, "first": 8, "last": 32, "classes": 10, "seed": 2},
    "full": {"batch": 32, "image": 224, "first": 32, "last": 1280, "classes": 1000, "seed": 0},
}
STAGES = {
    "small": ((1, 4, 1, 1), (6, 6, 2, 2), (6, 8, 2, 2)),
    "full": ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
}


def relu6(x):
    return jnp.clip(x, 0, 6)


class Inverted(nn.Module):
    """From few channels to many, a depthwise convolution, and back to few."""

    factor: int
    channels: int
    stride: int

    @nn.compact
    def __call__(self, x):
        conv = functools.partial(nn.Conv, use_bias=False)
        norm = functools.partial(nn.BatchNorm, use_running_average=False, momentum=0.9)
        inner, y = self.factor * x.shape[-1], x
        if self.factor > 1:
            y = relu6(norm()(conv(inner, (1, 1))(y)))
        y = relu6(norm()(conv(inner, (3, 3), self.stride, feature_group_count=inner)(y)))
        y = norm()(conv(self.channels, (1, 1))(y))
        return x + y if x.shape == y.shape else y


class MobileNet(nn.Module):
    first: int
    last: int
    classes: int
    stages: tuple

    @nn.compact
    def __call__(self, x):
        norm = functools.partial(nn.BatchNorm, use_running_average=False, momentum=0.9)
        x = relu6(norm()(nn.Conv(self.first, (3, 3), 2, use_bias=False)(x)))
        for factor, channels, blocks, stride in self.stages:
            for block in range(blocks):
                x = Inverted(factor, channels, stride if block == 0 else 1)(x)
        x = relu6(norm()(nn.Conv(self.last, (1, 1), use_bias=False)(x)))
        return nn.Dense(self.classes)(x.mean((1, 2)))


def train(name):
    """A step of SGD with momentum: (function, arguments)."""
    size = SIZES[name]
    model = MobileNet(size["first"], size["last"], size["classes"], STAGES[name])
    rng = np.random.default_rng(size["seed"])
    images = rng.standard_normal((size["batch"], size["image"], size["image"], 3), np.float32)
    labels = rng.integers(0, size["classes"], size["batch"], np.int32)
    variables = initialised(model, rng, images)

    def loss(params, statistics, images, labels):
        variables = {"params": params, "batch_stats": statistics}
        logits, updated = model.apply(variables, images, mutable="batch_stats")
        return cross_entropy(logits, labels), {"logits": logits, **updated}

    optimizer = optax.sgd(0.1, momentum=0.9)
    params = variables["params"]
    state = running_state(optimizer, params, rng)
    return train_step(loss, optimizer), (params, state, variables["batch_stats"], images, labels)
