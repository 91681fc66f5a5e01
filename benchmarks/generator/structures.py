"""Structures of equal and different blocks: loops over stacked parameters, conditionals, rematerialization.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Each takes a Draw and a function that makes a block, whose result has the type of its argument, and gives such a block.
"""

import jax
import jax.numpy as jnp
from jax import lax

from .blocks import Block, sequence, stacked


def stack(draw, make):
    return sequence([make() for _ in range(min(draw.size("depth"), 4))])


def rematerialized(draw, make):
    """jax.checkpoint, which keeps only the argument for the gradient, or the results of products too."""
    block = make()
    policy = draw.pick((None, None, jax.checkpoint_policies.dots_saveable))

    def apply(params, x, context):
        return jax.checkpoint(lambda p, x: block.apply(p, x, context.inner()), policy=policy)(params, x)

    return Block("remat", block.params, apply, block.all_forms())


def scanned(draw, make):
    """A scan over stacked parameters, perhaps with rematerialized bodies, backwards, partly unrolled, or with results
    of each trip."""
    block, count = make(), draw.size("depth")
    remat, backwards, results = draw.chance(0.3), draw.chance(0.15), draw.chance(0.3)
    unroll = draw.pick((1, 1, 1, 1, 2))

    def apply(params, x, context):
        def step(x, p):
            y = block.apply(p, x, context.inner())
            return y, y.mean(-1) if results else None

        body = jax.checkpoint(step) if remat else step
        x, rows = lax.scan(body, x, params, reverse=backwards, unroll=unroll)
        if results and context.taps is not None:
            context.taps.append(rows)
        elif results:
            x = x + rows.mean(0)[..., None]
        return x

    names = {"remat"} if remat else set()
    names |= {"stacked results"} if results else set()
    return Block("scan", stacked(block.params, count), apply, block.all_forms() | names)


def scanned_twice(draw, make):
    """A scan whose body is a scan; gradients of the outer one keep only its carried values."""
    block, outer, inner = make(), draw.pick((1, 2, 3)), draw.pick((2, 3))
    remat = draw.chance(0.6)

    def apply(params, x, context):
        def body(x, p):
            return lax.scan(lambda x, p: (block.apply(p, x, context.inner()), None), x, p)[0], None

        return lax.scan(jax.checkpoint(body) if remat else body, x, params)[0]

    names = {"remat"} if remat else set()
    return Block("nested scan", stacked(stacked(block.params, inner), outer), apply, block.all_forms() | names)


def counted(draw, make):
    """A fori_loop that takes the parameters of each trip by its number, and may keep its values in a buffer."""
    block, count = make(), draw.size("depth")
    keeps = draw.chance(0.4)

    def apply(params, x, context):
        def body(i, carry):
            x, kept = carry
            p = jax.tree.map(lambda w: lax.dynamic_index_in_dim(w, i, keepdims=False), params)
            y = block.apply(p, x, context.inner())
            if keeps:
                kept = lax.dynamic_update_index_in_dim(kept, y, i, 0)
            return y, kept

        x, kept = lax.fori_loop(0, count, body, (x, jnp.zeros((count if keeps else 0, *x.shape), x.dtype)))
        if keeps and context.taps is not None:
            context.taps.append(kept)
        return x + kept.mean(0) if keeps else x

    names = {"update in place"} if keeps else set()
    return Block("fori", stacked(block.params, count), apply, block.all_forms() | names)


def until(draw, make):
    """A while loop over stacked parameters, whose number of trips an argument states."""
    block, count = make(), draw.size("depth")

    def apply(params, x, context):
        last = jnp.clip(context.step % 8, 1, count)

        def body(carry):
            i, x = carry
            p = jax.tree.map(lambda w: w[i], params)
            return i + 1, block.apply(p, x, context.inner())

        return lax.while_loop(lambda carry: carry[0] < last, body, (jnp.zeros_like(last), x))[1]

    return Block("while", stacked(block.params, count), apply, block.all_forms())


def conditional(draw, make):
    """One of two blocks, or one or none, as an argument says."""
    one, other = make(), make() if draw.chance(0.5) else None
    divisor = draw.pick((2, 3))

    def apply(params, x, context):
        inner = context.inner()
        right = lambda x: other.apply(params[1], x, inner) if other else x
        return lax.cond(context.step % divisor == 0, lambda x: one.apply(params[0], x, inner), right, x)

    blocks = [one, other] if other else [one]
    forms = frozenset().union(*(block.all_forms() for block in blocks))
    return Block("cond", [block.params for block in blocks], apply, forms)


def switched(draw, make):
    """A scan in which the number of the trip chooses between blocks, as in networks of alternating layers."""
    blocks, count = [make() for _ in range(draw.pick((2, 3)))], draw.size("depth")

    def apply(params, x, context):
        inner = context.inner()

        def step(x, trip):
            i, p = trip
            branches = [lambda x, block=block, p=p: block.apply(p, x, inner) for block, p in zip(blocks, p)]
            return lax.switch(i % len(blocks), branches, x), None

        return lax.scan(step, x, (jnp.arange(count), params))[0]

    forms = frozenset().union(*(block.all_forms() for block in blocks))
    return Block("switch in scan", [stacked(block.params, count) for block in blocks], apply, forms)


def repeated(draw, make):
    """The same block several times with the same parameters, whose gradients are summed."""
    block, count = make(), draw.size("trips")
    in_loop = draw.chance(0.6)

    def apply(params, x, context):
        if in_loop:
            return lax.fori_loop(0, count, lambda _, x: block.apply(params, x, context.inner()), x)
        for _ in range(min(count, 3)):
            x = block.apply(params, x, context.inner())
        return x

    return Block("shared weights", block.params, apply, block.all_forms())


def dropped(draw, make):
    """Dropout behind a block. The choice does not depend on the type of its values."""
    block, rate, number = make(), draw.pick((0.1, 0.5)), int(draw.rng.integers(100))

    def apply(params, x, context):
        y = block.apply(params, x, context)
        key = jax.random.fold_in(context.key, number)
        kept = jax.random.uniform(key, x.shape, jnp.float32) >= rate
        return jnp.where(kept, y / (1 - rate), 0)

    return Block("dropout", block.params, apply, block.all_forms())


STRUCTURES = (
    (stack, 2),
    (scanned, 5),
    (scanned_twice, 1.5),
    (counted, 1.5),
    (until, 1),
    (conditional, 1.2),
    (switched, 1),
    (rematerialized, 1.2),
    (repeated, 1),
    (dropped, 0.8),
)


def structure(draw, make, depth=2):
    """A structure of structures, up to `depth`, of blocks."""
    if depth == 0:
        return make()
    table = [(f, w) for f, w in STRUCTURES if not (f is until and draw.differentiated)]
    chosen = draw.pick([f for f, _ in table], [w for _, w in table])
    return chosen(draw, lambda: structure(draw, make, depth - 1) if draw.chance(0.45) else make())
