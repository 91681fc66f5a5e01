"""Shared parts of the models' training steps: losses, the step itself, initial states.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax


def cross_entropy(logits, labels):
    """Mean softmax cross entropy of logits [..., classes] against integer labels [...]."""
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def train_step(loss, optimizer):
    """A step of training. `loss(params, *data)` returns (loss, further results); the step takes
    (params, state of the optimizer, *data) and returns a dictionary of both and the gradients."""

    def step(params, state, *data):
        (value, others), gradients = jax.value_and_grad(loss, has_aux=True)(params, *data)
        updates, state = optimizer.update(gradients, state, params)
        return {
            "loss": value,
            "gradients": gradients,
            "params": optax.apply_updates(params, updates),
            "optimizer": state,
            "others": others,
        }

    return step


def running_state(optimizer, params, rng):
    """The state of an optimizer in the middle of a run: Adam's first step is the sign of each
    gradient, which does not depend on its magnitude."""

    def moment(leaf):
        if leaf.ndim == 0:
            return np.asarray(100, leaf.dtype)
        return np.asarray(rng.uniform(0.5e-3, 1e-3, leaf.shape), leaf.dtype)

    return jax.tree.map(moment, optimizer.init(params))


def initialised(model, rng, *args):
    """Variables of a model, drawn with NumPy, since XLA takes a minute to compile a network's
    initialization. Factors, offsets and statistics are not 1 and 0, which would hide errors."""
    key = jax.random.PRNGKey(0)
    shapes = jax.eval_shape(model.init, {"params": key, "dropout": key}, *args)

    def draw(path, leaf):
        name = path[-1].key
        if name in ("scale", "var"):
            return rng.uniform(0.5, 1.5, leaf.shape).astype(np.float32)
        if name in ("bias", "mean"):
            return rng.uniform(-0.1, 0.1, leaf.shape).astype(np.float32)
        inputs = 1 if name == "embedding" else np.prod(leaf.shape[:-1])
        return (rng.standard_normal(leaf.shape) * np.sqrt(2 / inputs)).astype(np.float32)

    return jax.tree_util.tree_map_with_path(draw, shapes)


def train_classifier(model, optimizer, batch, edge, classes):
    """A step of training of a model without statistics that classifies images f32[batch, edge, edge, 3]:
    (function, arguments)."""
    rng = np.random.default_rng(0)
    images = rng.standard_normal((batch, edge, edge, 3), np.float32)
    labels = rng.integers(0, classes, batch, np.int32)

    def loss(params, images, labels):
        logits = model.apply({"params": params}, images)
        return cross_entropy(logits, labels), {"logits": logits}

    params = initialised(model, rng, images)["params"]
    return train_step(loss, optimizer), (params, running_state(optimizer, params, rng), images, labels)


def dropout(x, rate, key):
    """Dropout whose choice does not depend on the type of `x`, so that a reference in float64
    drops the same elements."""
    if rate == 0:
        return x
    kept = jax.random.uniform(key, x.shape, jnp.float32) < 1 - rate
    return jnp.where(kept, x / (1 - rate), 0)
