"""ResNet-50 for images: bottleneck blocks 3, 4, 6 and 3, the stride in their 3 x 3 convolution.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

from training import cross_entropy, initialised, running_state, train_step

SIZES = {
    "small": {"batch": 4, "image": 64, "width": 8, "classes": 10, "seed": 7},
    "full": {"batch": 8, "image": 224, "width": 64, "classes": 1000, "seed": 0},
    "large": {"batch": 128, "image": 224, "width": 64, "classes": 1000, "seed": 0},
}


class Bottleneck(nn.Module):
    features: int
    stride: int
    train: bool

    @nn.compact
    def __call__(self, x):
        conv = functools.partial(nn.Conv, use_bias=False)
        norm = functools.partial(nn.BatchNorm, use_running_average=not self.train, momentum=0.9)
        y = nn.relu(norm()(conv(self.features, (1, 1))(x)))
        y = nn.relu(norm()(conv(self.features, (3, 3), self.stride)(y)))
        y = norm()(conv(4 * self.features, (1, 1))(y))
        if x.shape != y.shape:
            x = norm()(conv(4 * self.features, (1, 1), self.stride)(x))
        return nn.relu(x + y)


class ResNet50(nn.Module):
    width: int
    classes: int
    train: bool
    block: type[nn.Module] = Bottleneck

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(self.width, (7, 7), 2, padding=3, use_bias=False)(x)
        x = nn.relu(nn.BatchNorm(use_running_average=not self.train, momentum=0.9)(x))
        x = nn.max_pool(x, (3, 3), (2, 2), padding=((1, 1), (1, 1)))
        for stage, blocks in enumerate((3, 4, 6, 3)):
            for block in range(blocks):
                stride = 2 if stage > 0 and block == 0 else 1
                x = self.block(self.width * 2**stage, stride, self.train)(x)
        return nn.Dense(self.classes)(x.mean((1, 2)))


def build(size, train, block=Bottleneck):
    model = ResNet50(size["width"], size["classes"], train, block)
    # Images for which no argument of a relu is within rounding of zero, where its gradient
    # is discontinuous.
    rng = np.random.default_rng(size["seed"])
    shape = (size["batch"], size["image"], size["image"], 3)
    images = rng.standard_normal(shape, np.float32)
    return model, initialised(model, np.random.default_rng(0), images), images, rng


def train(size, block=Bottleneck, compute=None):
    """A step of SGD with momentum: (function, arguments). Parameters and images are f32; with a type `compute` they
    are cast to it, and logits back."""
    size = SIZES[size]
    model, variables, images, rng = build(size, True, block)
    labels = rng.integers(0, size["classes"], size["batch"], np.int32)

    def loss(params, statistics, images, labels):
        if compute is not None:
            params, images = jax.tree.map(lambda leaf: leaf.astype(compute), (params, images))
        variables = {"params": params, "batch_stats": statistics}
        logits, updated = model.apply(variables, images, mutable="batch_stats")
        if compute is not None:
            logits = logits.astype(np.float32)
        return cross_entropy(logits, labels), {"logits": logits, **updated}

    optimizer = optax.sgd(0.1, momentum=0.9)
    params = variables["params"]
    state = running_state(optimizer, params, rng)
    step = train_step(loss, optimizer)
    return step, (params, state, variables["batch_stats"], images, labels)


def train_rematerialized(size):
    """The same step; only the input of each block is kept for the gradients."""
    return train(size, nn.remat(Bottleneck))


def train_bf16(size):
    """The same step; all of the network is computed in bf16, but for statistics and the loss."""
    return train(size, compute=jnp.bfloat16)


def infer(size):
    """Logits of a batch, with statistics of training: (function, arguments)."""
    model, variables, images, rng = build(SIZES[size], False)
    return model.apply, (variables, images)
