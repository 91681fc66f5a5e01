"""A multi-layer perceptron, 64 -> 128 -> 64 -> 10, on digits as rows of 64 values.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import numpy as np

IMAGE = (64,)
WIDTHS = (64, 128, 64, 10)
EPSILON = 1e-8


def forward(params, images):
    """Logits f32[n, 10] of images f32[n, 64]."""
    (w1, b1), (w2, b2), (w3, b3) = params
    hidden = jax.nn.relu(images @ w1 + b1)
    hidden = jax.nn.relu(hidden @ w2 + b2)
    return hidden @ w3 + b3


def initial_params(rng):
    """He-initialised weights and biases of 0 for each layer."""
    return [
        (
            (rng.standard_normal((fan_in, fan_out)) * np.sqrt(2 / fan_in)).astype(np.float32),
            np.zeros(fan_out, np.float32),
        )
        for fan_in, fan_out in zip(WIDTHS, WIDTHS[1:])
    ]
