"""Blocks on rows: products alone, perceptrons, gated units and mixtures of experts.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp

from .blocks import Block, Weight, matrix, offset, residual, wide


def products(draw, features):
    """One to three products, with or without an activation between."""
    count = draw.pick((1, 2, 2, 3))
    sizes = [features, *(draw.size("inner") for _ in range(count - 1)), features]
    params = [matrix(a, b) for a, b in zip(sizes, sizes[1:])]
    act = draw.pick((lambda x: x, lambda x: x, jnp.tanh, jax.nn.relu))

    def apply(p, x, _):
        for w in p:
            x = act(x @ w)
        return x

    return Block("products", params, apply)


def perceptron(draw, features):
    inner = draw.size("inner")
    params = {"in": matrix(features, inner), "b": offset(inner), "out": matrix(inner, features), "c": offset(features)}
    gelu = lambda x: jax.nn.gelu(x, approximate=True)
    exact = lambda x: jax.nn.gelu(x, approximate=False)
    act = draw.pick((gelu, exact, jax.nn.relu, jax.nn.silu))
    apply = lambda p, x, _: act(x @ p["in"] + p["b"]) @ p["out"] + p["c"]
    return residual(draw, Block("perceptron", params, apply), features)


def gated_unit(draw, features):
    """SwiGLU, as in Llama."""
    inner = draw.size("inner")
    params = {"gate": matrix(features, inner), "up": matrix(features, inner), "down": matrix(inner, features)}
    apply = lambda p, x, _: (jax.nn.silu(x @ p["gate"]) * (x @ p["up"])) @ p["down"]
    return residual(draw, Block("gated unit", params, apply), features)


def experts(draw, features):
    """A mixture of experts of which each row takes the best few: all computed, or rows sent to places of limited
    number, as in GShard."""
    count, inner = draw.size("experts"), draw.size("inner")
    best = min(count, draw.pick((1, 2)))
    dispatched = draw.chance(0.5)
    params = {
        "router": matrix(features, count),
        "in": Weight((count, features, inner), features**-0.5),
        "out": Weight((count, inner, features), inner**-0.5),
    }

    def gates(p, rows):
        """[rows, best, experts], one expert in each."""
        values, places = jax.lax.top_k(wide(rows @ p["router"]), best)
        return jax.nn.softmax(values)[..., None] * jax.nn.one_hot(places, count, dtype=values.dtype)

    def all_computed(p, rows):
        hidden = jax.nn.relu(jnp.einsum("rf,efi->eri", rows, p["in"]))
        out = jnp.einsum("eri,eif->erf", hidden, p["out"])
        return jnp.einsum("re,erf->rf", gates(p, rows).sum(1).astype(rows.dtype), out)

    def sent(p, rows):
        room = max(1, 2 * rows.shape[0] * best // count)
        weights = gates(p, rows).sum(1)
        taken = (weights > 0).astype(jnp.int32)
        place = jnp.cumsum(taken, axis=0) * taken - 1  # -1: not sent; beyond the room: dropped
        where = jax.nn.one_hot(place, room, dtype=rows.dtype)  # [rows, experts, room]
        hidden = jax.nn.relu(jnp.einsum("rep,rf,efi->epi", where, rows, p["in"]))
        out = jnp.einsum("epi,eif->epf", hidden, p["out"])
        return jnp.einsum("rep,re,epf->rf", where, weights.astype(rows.dtype), out)

    def apply(p, x, _):
        rows = x.reshape(-1, features)
        return (sent if dispatched else all_computed)(p, rows).reshape(x.shape)

    return residual(draw, Block("experts", params, apply), features)
