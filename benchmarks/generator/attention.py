"""Attention: whole, by blocks with a running softmax (flash attention), and for one position beside a cache.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
from jax import lax

from .blocks import Block, Weight, matrix, residual, wide

LOW = -1e9  # of what is not seen


def rotated(x, places):
    """Rotary embedding of [batch, length, heads, width] at positions [length]."""
    half = x.shape[-1] // 2
    angles = wide(places.astype(x.dtype))[:, None] * 100.0 ** -(jnp.arange(half, dtype=wide(x).dtype) / max(half, 1))
    sin, cos = (f(angles)[:, None, :].astype(x.dtype) for f in (jnp.sin, jnp.cos))
    a, b, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin, rest], axis=-1)


def whole(q, k, v, causal, bias=None):
    """Of [batch, length, heads, width], with the softmax in f32. Keys have as many heads, or a divisor of them."""
    batch, length, heads, width = q.shape
    groups = k.shape[2]
    q = q.reshape(batch, length, groups, heads // groups, width)
    scores = wide(jnp.einsum("bqghd,bkgd->bghqk", q, k)) * width**-0.5
    if bias is not None:
        scores = scores + bias.reshape(groups, heads // groups, length, -1)
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones((length, k.shape[1]), bool)), scores, LOW)
    weights = jax.nn.softmax(scores, axis=-1).astype(v.dtype)
    return jnp.einsum("bghqk,bkgd->bqghd", weights, v).reshape(batch, length, heads, width)


def flash(q, k, v, block, causal, remat, by_rows):
    """The same by blocks of keys, and of queries if `by_rows`: the softmax is rescaled as larger scores appear."""
    batch, length, heads, width = q.shape
    k, v = (jnp.repeat(x, heads // x.shape[2], axis=2) for x in (k, v))
    q, k, v = (jnp.moveaxis(x, 2, 1) for x in (q, k, v))
    count = length // block
    blocks = lambda x: jnp.moveaxis(x.reshape(batch, heads, count, block, width), 2, 0)
    keys, values = blocks(k), blocks(v)

    def attend(first, q):
        def step(carry, x):
            top, total, out = carry
            k, v, j = x
            scores = wide(jnp.einsum("bhqd,bhkd->bhqk", q, k)) * width**-0.5
            if causal:
                seen = (first + jnp.arange(q.shape[2]))[:, None] >= j * block + jnp.arange(block)
                scores = jnp.where(seen, scores, LOW)
            new = jnp.maximum(top, scores.max(-1))
            weights, scale = jnp.exp(scores - new[..., None]), jnp.exp(top - new)
            mixed = jnp.einsum("bhqk,bhkd->bhqd", weights.astype(v.dtype), v)
            return (new, total * scale + weights.sum(-1), out * scale[..., None] + mixed), None

        like = wide(q)
        start = (jnp.full(q.shape[:3], LOW, like.dtype), jnp.zeros(q.shape[:3], like.dtype), jnp.zeros_like(like))
        body = jax.checkpoint(step) if remat else step
        (_, total, out), _ = lax.scan(body, start, (keys, values, jnp.arange(count)))
        return (out / total[..., None]).astype(q.dtype)

    if by_rows:
        out = lax.map(lambda a: attend(*a), (jnp.arange(count) * block, blocks(q)))
        out = jnp.moveaxis(out, 0, 2).reshape(q.shape)
    else:
        out = attend(0, q)
    return jnp.moveaxis(out, 1, 2)


def projections(draw, features):
    """Weights of queries, keys, values and the result: (parameters, function to the three, heads, width)."""
    heads, width = draw.size("heads"), draw.size("head")
    groups = heads if draw.chance(0.6) else draw.divisor(heads)
    if groups == heads and draw.chance(0.4):
        params = {"qkv": matrix(features, 3 * heads * width)}
        split = lambda p, x: jnp.split((x @ p["qkv"]).reshape(*x.shape[:-1], 3 * heads, width), 3, axis=-2)
    else:
        params = {
            "q": Weight((features, heads, width), features**-0.5),
            "k": Weight((features, groups, width), features**-0.5),
            "v": Weight((features, groups, width), features**-0.5),
        }
        split = lambda p, x: [jnp.einsum("...f,fhd->...hd", x, p[n]) for n in "qkv"]
    params["out"] = matrix(heads * width, features)
    return params, split, heads, groups, width


def attention(draw, length, features, memory=None):
    """Self-attention on [batch, length, features]."""
    params, split, heads, _, _ = projections(draw, features)
    causal, rotary = draw.chance(0.7), draw.chance(0.4)
    biased = draw.chance(0.2)
    block = draw.divisor(length)
    by_blocks = draw.chance(0.35) and length // block <= 16 and not biased
    remat, by_rows = draw.chance(0.3), draw.chance(0.6)
    if biased:
        params["bias"] = Weight((heads, 2 * length - 1), 0.3)

    def apply(p, x, _):
        q, k, v = split(p, x)
        if rotary:
            q, k = (rotated(y, jnp.arange(length)) for y in (q, k))
        if by_blocks:
            out = flash(q, k, v, block, causal, remat, by_rows)
        else:
            # By distance, as in T5.
            distance = jnp.arange(length)[:, None] - jnp.arange(length) + length - 1
            out = whole(q, k, v, causal, p["bias"][:, distance] if biased else None)
        return out.reshape(*x.shape[:-1], -1) @ p["out"]

    name = "flash attention" if by_blocks else "attention"
    return residual(draw, Block(name, params, apply), features)
