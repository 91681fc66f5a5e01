"""A training step of a dense layer with softmax, which docs/architecture.md follows through the compiler.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp


def train_step(weights, images, labels):
    """The loss, and the weights after one step of gradient descent."""

    def loss(weights):
        scores = jax.nn.log_softmax(images @ weights)
        return -jnp.mean(jnp.sum(labels * scores, axis=1))

    value, gradient = jax.value_and_grad(loss)(weights)
    return value, weights - 0.1 * gradient
