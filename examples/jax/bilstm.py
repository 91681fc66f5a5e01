"""A classifier of two bidirectional LSTM layers for texts of different lengths: Flax and Optax.

The texts are of random words; the label is whether one of a few of them occurs.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

WORDS, LENGTH, BATCH, STEPS = 200, 20, 32, 40


class Classifier(nn.Module):
    @nn.compact
    def __call__(self, texts, lengths):
        x = nn.Embed(WORDS, 32)(texts)
        for _ in range(2):
            forward, backward = (nn.RNN(nn.OptimizedLSTMCell(32)) for _ in range(2))
            x = nn.Bidirectional(forward, backward)(x, seq_lengths=lengths)
        counts = jnp.arange(LENGTH) < lengths[:, None]
        return nn.Dense(2)(jnp.where(counts[..., None], x, -jnp.inf).max(axis=1))


def texts_of(rng, number):
    texts = rng.integers(0, WORDS, (number, LENGTH), np.int32)
    lengths = rng.integers(LENGTH // 2, LENGTH + 1, number, np.int32)
    labels = ((texts < 8) & (np.arange(LENGTH) < lengths[:, None])).any(axis=1).astype(np.int32)
    return texts, lengths, labels


def main():
    model, optimizer, rng = Classifier(), optax.adam(1e-2), np.random.default_rng(0)

    @jax.jit
    def step(params, state, texts, lengths, labels):
        def loss_of(params):
            logits = model.apply(params, texts, lengths)
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

        loss, gradients = jax.value_and_grad(loss_of)(params)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state, loss

    @jax.jit
    def accuracy(params, texts, lengths, labels):
        return (model.apply(params, texts, lengths).argmax(-1) == labels).mean()

    texts, lengths, _ = texts_of(rng, 1)
    params = model.init(jax.random.key(0), texts, lengths)
    state = optimizer.init(params)
    for number in range(STEPS):
        params, state, loss = step(params, state, *texts_of(rng, BATCH))
        print(f"step {number} loss {loss:.7f}", flush=True)
    print(f"test accuracy {accuracy(params, *texts_of(rng, 256)):.7f}")


if __name__ == "__main__":
    main()
