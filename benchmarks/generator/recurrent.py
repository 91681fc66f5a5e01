"""Recurrent blocks on [batch, length, features]: LSTM, GRU and linear recurrences.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
from jax import lax

from .blocks import Block, matrix, offset, residual


def lstm_cell(p, state, gates):
    h, c = state
    i, f, g, o = jnp.split(gates + h @ p["hidden"], 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def gru_cell(p, state, gates):
    (h,) = state
    a, b, c = jnp.split(gates, 3, axis=-1)
    d, e, f = jnp.split(h @ p["hidden"], 3, axis=-1)
    reset, update = jax.nn.sigmoid(a + d), jax.nn.sigmoid(b + e)
    return ((1 - update) * jnp.tanh(c + reset * f) + update * h,)


def recurrent(draw, features):
    """A scan over positions; the inputs' product is one for all of them, or one in each trip."""
    name, cell, gates, states = draw.pick((("lstm", lstm_cell, 4, 2), ("gru", gru_cell, 3, 1)))
    hidden = draw.size("hidden")
    ahead, backwards, unroll = draw.chance(0.5), draw.chance(0.3), draw.pick((1, 1, 1, 2))
    params = {
        "inputs": matrix(features, gates * hidden),
        "hidden": matrix(hidden, gates * hidden),
        "bias": offset(gates * hidden),
        "out": matrix(hidden, features),
    }

    def apply(p, x, _):
        project = lambda y: y @ p["inputs"] + p["bias"]

        def step(state, y):
            state = cell(p, state, y if ahead else project(y))
            return state, state[0]

        start = (jnp.zeros((x.shape[0], hidden), x.dtype),) * states
        rows = jnp.moveaxis(project(x) if ahead else x, 1, 0)
        _, out = lax.scan(step, start, rows, reverse=backwards, unroll=unroll)
        return jnp.moveaxis(out, 0, 1) @ p["out"]

    return residual(draw, Block(name, params, apply), features)


def linear_recurrence(draw, features):
    """h = a h + b x, with a of each position between 0 and 1: by lax.associative_scan, or a scan over positions."""
    in_parallel = draw.chance(0.5)
    params = {"a": matrix(features, features), "b": matrix(features, features)}

    def apply(p, x, _):
        decay, inputs = jax.nn.sigmoid(x @ p["a"]), x @ p["b"]
        if in_parallel:
            combine = lambda one, two: (one[0] * two[0], one[1] * two[0] + two[1])
            return lax.associative_scan(combine, (decay, inputs), axis=1)[1]

        def step(h, row):
            h = row[0] * h + row[1]
            return h, h

        rows = tuple(jnp.moveaxis(y, 1, 0) for y in (decay, inputs))
        return jnp.moveaxis(lax.scan(step, jnp.zeros_like(x[:, 0]), rows)[1], 0, 1)

    return residual(draw, Block("linear recurrence", params, apply), features)
