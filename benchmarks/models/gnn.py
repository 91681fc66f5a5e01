"""A graph network: messages along edges, summed by jax.ops.segment_sum; training.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

from training import cross_entropy, initialised, running_state, train_step

# The full size has the nodes, edges, features and classes of Cora.
SIZES = {
    "small": {"nodes": 30, "edges": 90, "features": 20, "hidden": 16, "classes": 5},
    "full": {"nodes": 2708, "edges": 10556, "features": 1433, "hidden": 128, "classes": 7},
}


class Layer(nn.Module):
    """The mean of the messages that arrive, and what a node keeps of itself."""

    hidden: int

    @nn.compact
    def __call__(self, x, senders, receivers):
        nodes = x.shape[0]
        messages = nn.relu(nn.Dense(self.hidden)(x))[senders]
        total = jax.ops.segment_sum(messages, receivers, nodes)
        count = jax.ops.segment_sum(jnp.ones_like(messages[:, :1]), receivers, nodes)
        mean = total / jnp.maximum(count, 1)
        return nn.relu(nn.Dense(self.hidden)(x) + nn.Dense(self.hidden)(mean))


class Graph(nn.Module):
    hidden: int
    classes: int

    @nn.compact
    def __call__(self, x, senders, receivers):
        for _ in range(2):
            x = Layer(self.hidden)(x, senders, receivers)
        return nn.Dense(self.classes)(x)


def train(size):
    """A step of Adam on the classes of the nodes: (function, arguments)."""
    size = SIZES[size]
    model = Graph(size["hidden"], size["classes"])
    rng = np.random.default_rng(0)
    features = rng.standard_normal((size["nodes"], size["features"]), np.float32)
    senders, receivers = (rng.integers(0, size["nodes"], size["edges"], np.int32) for _ in range(2))
    labels = rng.integers(0, size["classes"], size["nodes"], np.int32)

    def loss(params, features, senders, receivers, labels):
        logits = model.apply({"params": params}, features, senders, receivers)
        return cross_entropy(logits, labels), {"logits": logits}

    optimizer = optax.adam(1e-2)
    params = initialised(model, rng, features, senders, receivers)["params"]
    return train_step(loss, optimizer), (
        params,
        running_state(optimizer, params, rng),
        features,
        senders,
        receivers,
        labels,
    )
