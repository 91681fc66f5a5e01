"""Llama: rotary embeddings, grouped queries, SwiGLU and RMSNorm; training, prefill and decoding with a cache.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The layers' parameters are stacked. They are scanned, or unrolled.
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from training import cross_entropy, running_state, train_step

SIZES = {
    "small": {
        "batch": 2,
        "length": 16,
        "words": 70,
        "layers": 3,
        "features": 32,
        "heads": 4,
        "groups": 2,
        "inner": 56,
    },
    "full": {
        "batch": 4,
        "length": 512,
        "words": 32000,
        "layers": 8,
        "features": 1024,
        "heads": 16,
        "groups": 4,
        "inner": 2816,
    },
}


def parameters(size, rng):
    layers, features, inner = size["layers"], size["features"], size["inner"]
    width = features // size["heads"]
    keys = size["groups"] * width

    def draw(*shape):
        return (rng.standard_normal(shape) * shape[-2] ** -0.5).astype(np.float32)

    def scale(*shape):
        return rng.uniform(0.5, 1.5, shape).astype(np.float32)

    return {
        "words": rng.standard_normal((size["words"], features)).astype(np.float32),
        "layers": {
            "attention_norm": scale(layers, features),
            "query": draw(layers, features, features),
            "key": draw(layers, features, keys),
            "value": draw(layers, features, keys),
            "mix": draw(layers, features, features),
            "inner_norm": scale(layers, features),
            "gate": draw(layers, features, inner),
            "up": draw(layers, features, inner),
            "down": draw(layers, inner, features),
        },
        "norm": scale(features),
        "head": draw(features, size["words"]),
    }


def rms_norm(x, scale):
    return x * jax.lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-5) * scale


def rotated(x, places):
    """Pairs of features of [batch, length, heads, width] rotated by angles that grow with positions [length]."""
    half = x.shape[-1] // 2
    # As constants: the reference in float64 has the same angles.
    speeds = jnp.asarray(10000.0 ** -(np.arange(half) / half), jnp.float32)
    angles = (places[:, None].astype(jnp.float32) * speeds)[:, None, :]
    sin, cos = jnp.sin(angles), jnp.cos(angles)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def layer(size, p, x, place=0, cache=None):
    """A layer on [batch, length, features] at positions from `place`, which attends to what is in the cache before
    them; the caches with its keys and values in place."""
    batch, length, features = x.shape
    heads, groups = size["heads"], size["groups"]
    width = features // heads
    places = place + jnp.arange(length)
    y = rms_norm(x, p["attention_norm"])
    query = rotated((y @ p["query"]).reshape(batch, length, heads, width), places)
    keys = rotated((y @ p["key"]).reshape(batch, length, groups, width), places)
    values = (y @ p["value"]).reshape(batch, length, groups, width)
    if cache is not None:
        write = lambda old, new: jax.lax.dynamic_update_slice_in_dim(old, new, place, axis=1)
        keys, values = write(cache[0], keys), write(cache[1], values)
    query = query.reshape(batch, length, groups, heads // groups, width)
    scores = jnp.einsum("bqghd,bkgd->bghqk", query, keys) * width**-0.5
    seen = jnp.arange(keys.shape[1]) <= places[:, None]
    weights = jax.nn.softmax(jnp.where(seen, scores, -1e9))
    mixed = jnp.einsum("bghqk,bkgd->bqghd", weights, values)
    x = x + mixed.reshape(batch, length, features) @ p["mix"]
    y = rms_norm(x, p["inner_norm"])
    x = x + (jax.nn.silu(y @ p["gate"]) * (y @ p["up"])) @ p["down"]
    return x, (keys, values)


def logits(params, x):
    return rms_norm(x, params["norm"]) @ params["head"]


def trained(size, is_scanned):
    """A step of AdamW on the next words, with layers rematerialized; gradients of limited norm."""
    size = SIZES[size]
    rng = np.random.default_rng(0)
    texts = rng.integers(0, size["words"], (size["batch"], size["length"] + 1), np.int32)
    one = jax.checkpoint(lambda x, p: (layer(size, p, x)[0], None))

    def loss(params, texts):
        x = params["words"][texts[:, :-1]]
        if is_scanned:
            x, _ = jax.lax.scan(one, x, params["layers"])
        else:
            for i in range(size["layers"]):
                x, _ = one(x, jax.tree.map(lambda w: w[i], params["layers"]))
        out = logits(params, x)
        return cross_entropy(out, texts[:, 1:]), {"logits": out}

    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-4, weight_decay=0.1))
    params = parameters(size, rng)
    return train_step(loss, optimizer), (params, running_state(optimizer, params, rng), texts)


def train(size):
    return trained(size, True)


def train_unrolled(size):
    return trained(size, False)


def continued(size, is_scanned, length):
    """Logits of the last of `length` words, and caches that hold them behind what is there."""
    size = SIZES[size]
    rng = np.random.default_rng(0)
    batch, width = size["batch"], size["features"] // size["heads"]
    length = length or size["length"] // 2
    shape = (size["layers"], batch, size["length"], size["groups"], width)
    caches = tuple(rng.standard_normal(shape, np.float32) for _ in range(2))
    texts = rng.integers(0, size["words"], (batch, length), np.int32)
    place = np.int32(size["length"] // 3)

    def function(params, caches, texts, place):
        x = params["words"][texts]
        if is_scanned:
            step = lambda x, part: layer(size, part[0], x, place, part[1])
            x, caches = jax.lax.scan(step, x, (params["layers"], caches))
        else:
            for i in range(size["layers"]):
                p, cache = jax.tree.map(lambda w: w[i], (params["layers"], caches))
                x, new = layer(size, p, x, place, cache)
                caches = jax.tree.map(lambda old, new: old.at[i].set(new), caches, new)
        return {"logits": logits(params, x[:, -1]), "caches": caches}

    return function, (parameters(size, rng), caches, texts, place)


def prefill(size):
    return continued(size, True, None)


def prefill_unrolled(size):
    return continued(size, False, None)


def decode(size):
    return continued(size, True, 1)


def decode_unrolled(size):
    return continued(size, False, 1)
