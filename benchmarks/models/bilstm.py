"""A text classifier of bidirectional LSTM layers, for texts of different lengths: training.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import flax.linen as nn
import jax.numpy as jnp
import numpy as np
import optax

from training import cross_entropy, initialised, running_state, train_step

SIZES = {
    "small": {"batch": 4, "length": 9, "words": 50, "features": 12, "hidden": 10, "layers": 2},
    "full": {"batch": 32, "length": 200, "words": 20000, "features": 128, "hidden": 64, "layers": 2},
    # All texts have the full length.
    "large": {"batch": 128, "length": 128, "words": 20000, "features": 128, "hidden": 1024, "layers": 1},
}


class Bidirectional(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, x, lengths):
        # The carried state has the type of `x`, also in a reference in float64.
        start = (jnp.zeros((x.shape[0], self.hidden), x.dtype),) * 2
        options = {"seq_lengths": lengths, "initial_carry": start}
        forward = nn.RNN(nn.OptimizedLSTMCell(self.hidden))(x, **options)
        backward = nn.RNN(nn.OptimizedLSTMCell(self.hidden), reverse=True, keep_order=True)
        return jnp.concatenate([forward, backward(x, **options)], axis=-1)


class Classifier(nn.Module):
    """Logits [batch, 2] of texts i32[batch, length], of which `lengths` words count, or all."""

    words: int
    features: int
    hidden: int
    layers: int

    @nn.compact
    def __call__(self, texts, lengths):
        x = nn.Embed(self.words, self.features)(texts)
        for _ in range(self.layers):
            x = Bidirectional(self.hidden)(x, lengths)
        if lengths is not None:
            counts = jnp.arange(texts.shape[1]) < lengths[:, None]
            x = jnp.where(counts[..., None], x, -jnp.inf)
        return nn.Dense(2)(x.max(axis=1))


def train(size):
    """A step of Adam: (function, arguments)."""
    is_large, size = size == "large", SIZES[size]
    batch, length = size["batch"], size["length"]
    model = Classifier(size["words"], size["features"], size["hidden"], size["layers"])
    rng = np.random.default_rng(0)
    texts = rng.integers(0, size["words"], (batch, length), np.int32)
    lengths = None if is_large else rng.integers(length // 2, length + 1, batch, np.int32)
    labels = rng.integers(0, 2, batch, np.int32)

    def loss(params, texts, lengths, labels):
        logits = model.apply({"params": params}, texts, lengths)
        return cross_entropy(logits, labels), {"logits": logits}

    optimizer = optax.adam(1e-3)
    params = initialised(model, rng, texts, lengths)["params"]
    state = running_state(optimizer, params, rng)
    return train_step(loss, optimizer), (params, state, texts, lengths, labels)
