"""DCGAN: images from noise, and their judge; the step of each of both.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools

import flax.linen as nn
import jax.numpy as jnp
import numpy as np
import optax

from training import initialised, running_state, train_step

SIZES = {
    "small": {"batch": 4, "noise": 10, "width": 4, "levels": 2},
    "full": {"batch": 128, "noise": 100, "width": 64, "levels": 4},
}
norm = functools.partial(nn.BatchNorm, use_running_average=False, momentum=0.9)


class Generator(nn.Module):
    """Images [batch, 4 * 2^levels, the same, 3] of noise [batch, features]."""

    width: int
    levels: int

    @nn.compact
    def __call__(self, noise):
        x = noise[:, None, None, :]
        x = nn.ConvTranspose(self.width * 2 ** (self.levels - 1), (4, 4), (1, 1), "VALID", use_bias=False)(x)
        x = nn.relu(norm()(x))
        for level in reversed(range(self.levels - 1)):
            x = nn.ConvTranspose(self.width * 2**level, (4, 4), (2, 2), use_bias=False)(x)
            x = nn.relu(norm()(x))
        return jnp.tanh(nn.ConvTranspose(3, (4, 4), (2, 2), use_bias=False)(x))


class Judge(nn.Module):
    """How real images look: positive if they do."""

    width: int
    levels: int

    @nn.compact
    def __call__(self, x):
        for level in range(self.levels):
            x = nn.Conv(self.width * 2**level, (4, 4), 2, use_bias=False)(x)
            x = nn.leaky_relu(norm()(x) if level else x, 0.2)
        return nn.Conv(1, (4, 4), padding="VALID", use_bias=False)(x)[:, 0, 0, 0]


def build(size):
    size = SIZES[size]
    rng = np.random.default_rng(0)
    generator, judge = (module(size["width"], size["levels"]) for module in (Generator, Judge))
    noise = rng.standard_normal((size["batch"], size["noise"]), np.float32)
    side = 4 * 2 ** (size["levels"] - 1) * 2
    images = np.tanh(rng.standard_normal((size["batch"], side, side, 3), np.float32))
    return generator, judge, noise, images, rng


def applied(module, params, statistics, x):
    """(results, statistics after the step)."""
    y, updated = module.apply({"params": params, "batch_stats": statistics}, x, mutable="batch_stats")
    return y, updated["batch_stats"]


def train_generator(size):
    """A step of Adam towards images that look real: (function, arguments)."""
    generator, judge, noise, images, rng = build(size)
    made, judging = initialised(generator, rng, noise), initialised(judge, rng, images)

    def loss(params, statistics, judging, noise):
        images, statistics = applied(generator, params, statistics, noise)
        scores, _ = applied(judge, judging["params"], judging["batch_stats"], images)
        return nn.softplus(-scores).mean(), {"images": images, "statistics": statistics}

    optimizer = optax.adam(2e-4, b1=0.5)
    state = running_state(optimizer, made["params"], rng)
    return train_step(loss, optimizer), (made["params"], state, made["batch_stats"], judging, noise)


def train_judge(size):
    """A step of Adam towards telling images from those of the generator: (function, arguments)."""
    generator, judge, noise, images, rng = build(size)
    made, judging = initialised(generator, rng, noise), initialised(judge, rng, images)

    def loss(params, statistics, made, images, noise):
        others, _ = applied(generator, made["params"], made["batch_stats"], noise)
        real, statistics = applied(judge, params, statistics, images)
        false, statistics = applied(judge, params, statistics, others)
        return (nn.softplus(-real) + nn.softplus(false)).mean(), {"scores": (real, false), "statistics": statistics}

    optimizer = optax.adam(2e-4, b1=0.5)
    state = running_state(optimizer, judging["params"], rng)
    return train_step(loss, optimizer), (judging["params"], state, judging["batch_stats"], made, images, noise)
