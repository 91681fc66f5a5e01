"""Decoding with caches of keys and values that are updated in place.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
from jax import lax

from .attention import LOW, projections, rotated
from .blocks import Block, Weight, matrix, norm_of_rows, stacked, wide
from .feed_forward import gated_unit, perceptron
from .models import Input
from .tasks import KEY, STEP, Task, as_computed, context_of, donated


def layer(draw, length, features):
    """A layer that takes rows [batch, new, features] and its cache [batch, length, heads, width] twice, writes keys
    and values at a place and attends to what is before it: (Block, shape of the cache but for the batch)."""
    params, split, heads, groups, width = projections(draw, features)
    norm_params, norm = norm_of_rows(draw, features)
    after = draw.pick((perceptron, gated_unit))(draw, features)
    rotary = draw.chance(0.5)
    per_row = draw.chance(0.3)  # vmap of an update for each row of the batch, at a place of its own

    def write(cache, new, place):
        if per_row:
            places = jnp.full(cache.shape[:1], place)
            zero = jnp.zeros_like(place)
            return jax.vmap(lambda c, n, p: lax.dynamic_update_slice(c, n, (p, zero, zero)))(cache, new, places)
        zero = jnp.zeros_like(place)
        return lax.dynamic_update_slice(cache, new, (zero, place, zero, zero))

    def attend(p, x, cache, place):
        q, k, v = split(p, x)
        if rotary:
            places = place + jnp.arange(x.shape[1])
            q, k = rotated(q, places), rotated(k, places)
        keys, values = write(cache[0], k, place), write(cache[1], v, place)
        q = q.reshape(*q.shape[:2], groups, heads // groups, width)
        scores = wide(jnp.einsum("bqghd,bkgd->bghqk", q, keys)) * width**-0.5
        seen = jnp.arange(length) <= (place + jnp.arange(x.shape[1]))[:, None]
        weights = jax.nn.softmax(jnp.where(seen, scores, LOW)).astype(x.dtype)
        out = jnp.einsum("bghqk,bkgd->bqghd", weights, values)
        return out.reshape(*x.shape[:2], -1) @ p["out"], (keys, values)

    def apply(p, x, context, cache, place):
        y, cache = attend(p["attention"], norm(p["norm"], x), cache, place)
        return after.apply(p["after"], x + y, context), cache

    params = {"attention": params, "norm": norm_params, "after": after.params}
    return Block("cache", params, apply, after.all_forms()), (length, groups, width)


def layers(draw, length, features):
    """Layers in a scan, whose caches are carried and updated at the number of the layer, or are scanned; or one after
    the other: (parameters, shape of a stacked cache but for the batch, function, forms)."""
    block, (length, groups, width) = layer(draw, length, features)
    count = draw.size("depth")
    way = draw.pick(("scanned", "carried", "unrolled"))

    def scanned(params, x, context, caches, place):
        def step(x, trip):
            p, cache = trip
            return block.apply(p, x, context, cache, place)

        return lax.scan(step, x, (params, caches))

    def carried(params, x, context, caches, place):
        def step(carry, trip):
            x, caches = carry
            i, p = trip
            cache = [lax.dynamic_index_in_dim(c, i, keepdims=False) for c in caches]
            x, cache = block.apply(p, x, context, cache, place)
            return (x, tuple(lax.dynamic_update_index_in_dim(c, n, i, 0) for c, n in zip(caches, cache))), None

        (x, caches), _ = lax.scan(step, (x, tuple(caches)), (jnp.arange(count), params))
        return x, caches

    def unrolled(params, x, context, caches, place):
        caches = list(caches)
        for i in range(count):
            p = jax.tree.map(lambda w: w[i], params)
            x, new = block.apply(p, x, context, [c[i] for c in caches], place)
            caches = [c.at[i].set(n) for c, n in zip(caches, new)]
        return x, tuple(caches)

    apply = {"scanned": scanned, "carried": carried, "unrolled": unrolled}[way]
    forms = block.all_forms() | {"update in place"} | ({"scan"} if way != "unrolled" else set())
    return stacked(block.params, count), (count, length, groups, width), apply, forms


def decode(draw, compute, steps):
    """`steps` words after one another, each the most likely one; or logits of the words given, if None."""
    batch, features, words = draw.size("batch"), draw.size("features"), draw.size("words")
    length, prefill = max(draw.size("length"), 2), draw.chance(0.3) and steps is None
    params, (count, length, groups, width), apply, forms = layers(draw, length, features)
    params = {"layers": params, "words": Weight((words, features), 0.5), "head": matrix(features, words)}
    new = draw.divisor(length) if prefill else 1

    def one(params, context, caches, texts, place):
        x, caches = apply(params["layers"], params["words"][texts], context, caches, place)
        return x @ params["head"], caches

    def step(params, step, key, caches, texts):
        params, caches = as_computed((params, caches), compute)
        return one(params, context_of(step, key), caches, texts, step % (length - new + 1))

    def loop(params, step, key, caches, texts):
        params, caches = as_computed((params, caches), compute)
        context = context_of(step, key)

        def body(carry, _):
            caches, texts, place = carry
            logits, caches = one(params, context, caches, texts, place)
            texts = jnp.argmax(logits, axis=-1).astype(texts.dtype)
            return (tuple(caches), texts, place + 1), texts[:, 0]

        start = (tuple(caches), texts, step % max(1, length - steps))
        (caches, _, _), texts = lax.scan(body, start, None, length=steps)
        return texts, caches

    cache = Weight((count, batch, length, groups, width), 1.0)
    arguments = (params, STEP, KEY, (cache, cache), Input((batch, new), words))
    name = "decode loop" if steps else "prefill" if prefill else "decode step"
    return Task(name, loop if steps else step, arguments, donated(draw, (3,)), forms)


def decode_step(draw, compute):
    return decode(draw, compute, None)


def decode_loop(draw, compute):
    return decode(draw, compute, max(2, draw.size("trips")))
