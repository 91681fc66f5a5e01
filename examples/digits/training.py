"""A training run of a digit classifier as one JAX function: both loops are on the device.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A model is a module with `IMAGE`, the shape of an image; `EPSILON` of its Adam;
`forward(params, images)`, the logits; and `initial_params(rng)`, pairs of weights and biases.
"""

import jax
import jax.numpy as jnp
import numpy as np

CLASSES = 10
EPOCHS = 20
BATCH = 64
TRAIN_IMAGES = 1437
SEED = 0

LEARNING_RATE = 1e-3
BETA1 = 0.9
BETA2 = 0.999


def cross_entropy(logits, targets):
    """Mean softmax cross-entropy of logits f32[n, 10] against one-hot targets f32[n, 10]."""
    shifted = logits - jax.lax.stop_gradient(logits.max(axis=1, keepdims=True))
    log_normaliser = jnp.log(jnp.exp(shifted).sum(axis=1))
    return (log_normaliser - (targets * shifted).sum(axis=1)).mean()


def accuracy(logits, labels):
    """The share of rows of logits f32[n, 10] whose first largest is at the label i32[n]."""
    position = jax.lax.broadcasted_iota(jnp.int32, logits.shape, 1)
    is_largest = logits == logits.max(axis=1, keepdims=True)
    guess = jax.lax.select(is_largest, position, jnp.full_like(position, CLASSES)).min(axis=1)
    return (guess == labels).astype(jnp.float32).mean()


def adam(params, grads, moments, powers, epsilon):
    """One step of Adam; `powers` are beta1^t and beta2^t of this step."""
    step_size = LEARNING_RATE * jnp.sqrt(1 - powers[1]) / (1 - powers[0])

    def update(p, g, moment):
        mean = BETA1 * moment[0] + (1 - BETA1) * g
        square = BETA2 * moment[1] + (1 - BETA2) * (g * g)
        return p - step_size * mean / (jnp.sqrt(square) + epsilon), (mean, square)

    leaves, tree = jax.tree.flatten(params)
    updated = [update(p, g, m) for p, g, m in zip(leaves, jax.tree.leaves(grads), moments)]
    return jax.tree.unflatten(tree, [p for p, _ in updated]), [m for _, m in updated]


def take_rows(table, rows):
    """Whole rows of a table; every index is known to be in bounds."""
    return table.at[rows].get(mode="promise_in_bounds", wrap_negative_indices=False)


def training_run(model):
    """The function `train` of a model."""

    def train(images, labels, test_images, test_labels, order, params):
        """The training run: (losses f32[epochs, steps], train accuracy f32[epochs],
        test accuracy f32[], trained parameters)."""
        position = jax.lax.broadcasted_iota(jnp.int32, (labels.shape[0], CLASSES), 1)
        targets = (labels[:, None] == position).astype(jnp.float32)

        def batch_loss(params, rows):
            logits = model.forward(params, take_rows(images, rows))
            return cross_entropy(logits, take_rows(targets, rows))

        def step(state, rows):
            params, moments, powers = state
            powers = (powers[0] * BETA1, powers[1] * BETA2)
            loss, grads = jax.value_and_grad(batch_loss)(params, rows)
            params, moments = adam(params, grads, moments, powers, model.EPSILON)
            return (params, moments, powers), loss

        def epoch(state, epoch_order):
            state, losses = jax.lax.scan(step, state, epoch_order)
            return state, (losses, accuracy(model.forward(state[0], images), labels))

        moments = [(jnp.zeros_like(p), jnp.zeros_like(p)) for p in jax.tree.leaves(params)]
        state = (params, moments, (jnp.float32(1), jnp.float32(1)))
        (params, _, _), (losses, train_accuracy) = jax.lax.scan(epoch, state, order)
        test_accuracy = accuracy(model.forward(params, test_images), test_labels)
        return losses, train_accuracy, test_accuracy, params

    return train


def make_inputs(model):
    """The arguments of `train`: images split 80/20 and scaled to 0..1, batches and initial
    parameters, all drawn from one seed."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = (digits.data / 16).astype(np.float32).reshape(-1, *model.IMAGE)
    labels = digits.target.astype(np.int32)

    rng = np.random.default_rng(SEED)
    split = rng.permutation(len(labels))
    training, test = split[:TRAIN_IMAGES], split[TRAIN_IMAGES:]
    steps = TRAIN_IMAGES // BATCH
    order = np.stack([rng.permutation(TRAIN_IMAGES)[: steps * BATCH] for _ in range(EPOCHS)])
    order = order.reshape(EPOCHS, steps, BATCH).astype(np.int32)
    params = model.initial_params(rng)
    return images[training], labels[training], images[test], labels[test], order, params
