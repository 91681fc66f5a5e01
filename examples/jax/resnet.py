"""A ResNet with batch norm that learns handwritten digits: Flax and Optax.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from functools import partial

import flax.linen as nn
import jax
import numpy as np
import optax
from flax.training import train_state
from sklearn.datasets import load_digits

BATCH, STEPS = 64, 12


class Block(nn.Module):
    features: int
    stride: int = 1

    @nn.compact
    def __call__(self, x, train):
        conv = partial(nn.Conv, use_bias=False)
        norm = partial(nn.BatchNorm, use_running_average=not train, momentum=0.9)
        y = nn.relu(norm()(conv(self.features, (3, 3), self.stride)(x)))
        y = norm()(conv(self.features, (3, 3))(y))
        if x.shape != y.shape:
            x = norm()(conv(self.features, (1, 1), self.stride)(x))
        return nn.relu(x + y)


class ResNet(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.Conv(16, (3, 3), use_bias=False)(x)
        x = nn.relu(nn.BatchNorm(use_running_average=not train, momentum=0.9)(x))
        for features, stride in ((16, 1), (32, 2), (64, 2)):
            x = Block(features, stride)(x, train)
        return nn.Dense(10)(x.mean((1, 2)))


class TrainState(train_state.TrainState):
    batch_stats: dict


@jax.jit
def train_step(state, images, labels):
    def loss_of(params):
        variables = {"params": params, "batch_stats": state.batch_stats}
        logits, updated = state.apply_fn(variables, images, train=True, mutable=["batch_stats"])
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
        return loss, updated["batch_stats"]

    (loss, stats), gradients = jax.value_and_grad(loss_of, has_aux=True)(state.params)
    return state.apply_gradients(grads=gradients, batch_stats=stats), loss


@jax.jit
def accuracy(state, images, labels):
    variables = {"params": state.params, "batch_stats": state.batch_stats}
    return (state.apply_fn(variables, images, train=False).argmax(-1) == labels).mean()


def main():
    images, labels = load_digits(return_X_y=True)
    images = (images / 16).reshape(-1, 8, 8, 1).repeat(2, 1).repeat(2, 2).astype(np.float32)
    labels = labels.astype(np.int32)
    model = ResNet()
    variables = model.init(jax.random.key(0), images[:1], train=True)
    schedule = optax.cosine_decay_schedule(0.02, STEPS)
    state = TrainState.create(
        apply_fn=model.apply, params=variables["params"], batch_stats=variables["batch_stats"],
        tx=optax.sgd(schedule, momentum=0.9, nesterov=True))  # fmt: skip
    order = np.random.default_rng(0).permutation(1536)
    for step in range(STEPS):
        batch = order[step * BATCH % len(order) :][:BATCH]
        state, loss = train_step(state, images[batch], labels[batch])
        print(f"step {step} loss {loss:.7f}", flush=True)
    print(f"test accuracy {accuracy(state, images[1536:], labels[1536:]):.7f}")


if __name__ == "__main__":
    main()
