#!/usr/bin/env python3
"""Exports a whole training run of a digit classifier as one StableHLO program.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

An MLP (64 -> 128 -> 64 -> 10) is trained with Adam on scikit-learn's handwritten
digits. Data, shuffled order and initial parameters go in; losses, accuracies and
trained parameters come out; both loops run on the device. Writes beside itself:

  train_mlp.mlir  the program
  inputs.npz      arg0, arg1, ... in flattened signature order
  golden.npz      out0, out1, ... as JAX computes them on the CPU in full f32

The three are committed, so that only a change of this file needs JAX.
"""

import argparse
import io
import pathlib
import re
import zipfile

import jax
import jax.numpy as jnp
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
CLASSES = 10
WIDTHS = (64, 128, 64, CLASSES)
EPOCHS = 20
BATCH = 64
TRAIN_IMAGES = 1437
SEED = 0

LEARNING_RATE = 1e-3
BETA1 = 0.9
BETA2 = 0.999
EPSILON = 1e-8


def forward(params, images):
    """Logits f32[n, 10] of images f32[n, 64]."""
    (w1, b1), (w2, b2), (w3, b3) = params
    hidden = jax.nn.relu(images @ w1 + b1)
    hidden = jax.nn.relu(hidden @ w2 + b2)
    return hidden @ w3 + b3


def cross_entropy(params, images, targets):
    """Mean softmax cross-entropy of a batch against one-hot targets f32[n, 10]."""
    logits = forward(params, images)
    shifted = logits - jax.lax.stop_gradient(logits.max(axis=1, keepdims=True))
    log_normaliser = jnp.log(jnp.exp(shifted).sum(axis=1))
    return (log_normaliser - (targets * shifted).sum(axis=1)).mean()


def accuracy(params, images, labels):
    """The share of images whose first largest logit is at their label."""
    logits = forward(params, images)
    position = jax.lax.broadcasted_iota(jnp.int32, logits.shape, 1)
    is_largest = logits == logits.max(axis=1, keepdims=True)
    guess = jax.lax.select(is_largest, position, jnp.full_like(position, CLASSES)).min(axis=1)
    return (guess == labels).astype(jnp.float32).mean()


def adam(params, grads, moments, powers):
    """One step of Adam; `powers` are beta1^t and beta2^t of this step."""
    step_size = LEARNING_RATE * jnp.sqrt(1 - powers[1]) / (1 - powers[0])

    def update(p, g, moment):
        mean = BETA1 * moment[0] + (1 - BETA1) * g
        square = BETA2 * moment[1] + (1 - BETA2) * (g * g)
        return p - step_size * mean / (jnp.sqrt(square) + EPSILON), (mean, square)

    leaves, tree = jax.tree.flatten(params)
    updated = [update(p, g, m) for p, g, m in zip(leaves, jax.tree.leaves(grads), moments)]
    return jax.tree.unflatten(tree, [p for p, _ in updated]), [m for _, m in updated]


def take_rows(table, rows):
    """Whole rows of a table; every index is known to be in bounds."""
    return table.at[rows].get(mode="promise_in_bounds", wrap_negative_indices=False)


def train(images, labels, test_images, test_labels, order, params):
    """The training run: (losses f32[epochs, steps], train accuracy f32[epochs],
    test accuracy f32[], trained parameters)."""
    position = jax.lax.broadcasted_iota(jnp.int32, (labels.shape[0], CLASSES), 1)
    targets = (labels[:, None] == position).astype(jnp.float32)

    def step(state, rows):
        params, moments, powers = state
        powers = (powers[0] * BETA1, powers[1] * BETA2)
        loss, grads = jax.value_and_grad(cross_entropy)(
            params, take_rows(images, rows), take_rows(targets, rows)
        )
        params, moments = adam(params, grads, moments, powers)
        return (params, moments, powers), loss

    def epoch(state, epoch_order):
        state, losses = jax.lax.scan(step, state, epoch_order)
        return state, (losses, accuracy(state[0], images, labels))

    moments = [(jnp.zeros_like(p), jnp.zeros_like(p)) for p in jax.tree.leaves(params)]
    state = (params, moments, (jnp.float32(1), jnp.float32(1)))
    (params, _, _), (losses, train_accuracy) = jax.lax.scan(epoch, state, order)
    return losses, train_accuracy, accuracy(params, test_images, test_labels), params


def make_inputs():
    """The arguments of `train`: images split 80/20 and scaled to 0..1, batches, He-initialised
    weights; all drawn from one seed."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = (digits.data / 16).astype(np.float32)
    labels = digits.target.astype(np.int32)

    rng = np.random.default_rng(SEED)
    split = rng.permutation(len(labels))
    training, test = split[:TRAIN_IMAGES], split[TRAIN_IMAGES:]
    steps = TRAIN_IMAGES // BATCH
    order = np.stack([rng.permutation(TRAIN_IMAGES)[: steps * BATCH] for _ in range(EPOCHS)])
    order = order.reshape(EPOCHS, steps, BATCH).astype(np.int32)
    params = [
        (
            (rng.standard_normal((fan_in, fan_out)) * np.sqrt(2 / fan_in)).astype(np.float32),
            np.zeros(fan_out, np.float32),
        )
        for fan_in, fan_out in zip(WIDTHS, WIDTHS[1:])
    ]
    return images[training], labels[training], images[test], labels[test], order, params


def program_text(function, args):
    """StableHLO text of a function, with locations whose paths start at the repository."""
    root = re.escape(str(HERE.parents[1]) + "/")
    jax.config.update("jax_hlo_source_file_canonicalization_regex", root)
    return jax.jit(function).lower(*args).as_text(debug_info=True)


def save_npz(path, arrays):
    """A compressed .npz whose bytes depend on the arrays alone, not on the time of day."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, member.getvalue())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=HERE, help="directory to write to")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_platforms", "cpu")

    args = make_inputs()
    (out / "train_mlp.mlir").write_text(program_text(train, args))
    save_npz(out / "inputs.npz", {f"arg{i}": a for i, a in enumerate(jax.tree.leaves(args))})
    with jax.default_matmul_precision("highest"):
        results = jax.jit(train)(*args)
    golden = {f"out{i}": np.asarray(a) for i, a in enumerate(jax.tree.leaves(results))}
    save_npz(out / "golden.npz", golden)
    losses, train_accuracy, test_accuracy, _ = results
    for epoch in range(EPOCHS):
        loss = losses[epoch].mean()
        print(f"epoch {epoch + 1:2}  loss {loss:.4f}  accuracy {train_accuracy[epoch]:.4f}")
    print(f"test accuracy {test_accuracy:.4f}")


if __name__ == "__main__":
    main()
