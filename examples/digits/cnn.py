"""The classic convolutional classifier, with the shapes and initial weights of Keras:
Conv2D(64, 3, relu), MaxPooling2D(2), Flatten, Dense(10).

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

IMAGE = (8, 8, 1)
FEATURES = 64
CLASSES = 10
EPSILON = 1e-7


def convolve(images, filters):
    """Convolves images [n, h, w, c] with filters [y, x, c, f]."""
    order = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(images, filters, (1, 1), "VALID", dimension_numbers=order)


def max_pool(maps):
    """The largest of each 2 x 2 positions of maps [n, h, w, f]."""
    window = (1, 2, 2, 1)
    return lax.reduce_window(maps, -jnp.inf, lax.max, window, window, "VALID")


def forward(params, images):
    """Logits f32[n, 10] of images f32[n, 8, 8, 1]."""
    (filters, filter_bias), (dense, dense_bias) = params
    maps = convolve(images, filters)
    maps = max_pool(jax.nn.relu(maps + filter_bias))
    flat = maps.reshape(maps.shape[0], -1)
    return flat @ dense + dense_bias


def initial_params(rng):
    """Glorot-uniform weights, biases of 0."""

    def glorot(shape, fan_in, fan_out):
        limit = np.sqrt(6 / (fan_in + fan_out))
        return rng.uniform(-limit, limit, shape).astype(np.float32)

    pooled = 3 * 3 * FEATURES
    return [
        (glorot((3, 3, 1, FEATURES), 9, 9 * FEATURES), np.zeros(FEATURES, np.float32)),
        (glorot((pooled, CLASSES), pooled, CLASSES), np.zeros(CLASSES, np.float32)),
    ]
