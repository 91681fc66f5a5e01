"""Functions whose lowering by JAX uses every operation of the dialect that JAX writes.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: from_jax.py   (prints the text of ../from_jax.mlir)
"""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
from jax import lax

F32 = jnp.float32


def struct(*shape, dtype=F32):
    return jax.ShapeDtypeStruct(shape, dtype)


def train_step(params, first, second, step, images, labels):
    """A step of Adam on a classifier with one hidden layer."""

    def loss(params):
        (w0, b0), (w1, b1) = params
        hidden = jnp.maximum(images @ w0 + b0, 0.0)
        logits = jax.nn.log_softmax(hidden @ w1 + b1)
        return -jnp.mean(jnp.sum(jnp.where(labels, logits, 0.0), axis=1))

    value, grads = jax.value_and_grad(loss)(params)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, grads)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, grads)
    rate = 1e-3 / (1.0 - 0.9 ** (step + 1.0))
    params = jax.tree.map(lambda p, m, v: p - rate * m * lax.rsqrt(v + 1e-8), params, first, second)
    return params, first, second, value


LAYERS = ((struct(64, 32), struct(32)), (struct(32, 10), struct(10)))


def attention(q, k, v):
    """Causal attention over heads, in bf16 with f32 scores."""
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=F32)
    rows = lax.broadcasted_iota(jnp.int32, scores.shape, 2)
    columns = lax.broadcasted_iota(jnp.int32, scores.shape, 3)
    scores = jnp.where(rows >= columns, scores, -jnp.inf)
    weights = jax.nn.softmax(scores, axis=-1).astype(q.dtype)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v, precision="highest")


def embed(table, tokens, position):
    """Rows of a table by token, a layer norm over them, one slice at a position."""
    rows = jnp.take(table, tokens, axis=0, mode="clip")
    mean = rows.mean(axis=-1, keepdims=True)
    variance = ((rows - mean) ** 2).mean(axis=-1, keepdims=True)
    normal = (rows - mean) * lax.rsqrt(variance + 1e-5)
    return lax.dynamic_slice(normal, (position, 0), (1, normal.shape[1]))


def fill_cache(cache, updates, length):
    """A loop that writes rows in place as long as there are any, and a scan."""

    def body(carry):
        i, cache = carry
        row = lax.dynamic_index_in_dim(updates, i, 0)
        return i + 1, lax.dynamic_update_slice(cache, row, (i, 0))

    _, cache = lax.while_loop(lambda carry: carry[0] < length, body, (0, cache))
    total, sums = lax.scan(lambda t, row: (t + row, (t * row).sum()), cache[0], cache)
    return cache, total, sums


def choose(which, flag, x):
    """A branch of three, a branch of two."""
    y = lax.switch(which, [lambda x: x, lambda x: -x, jnp.tanh], x)
    return lax.cond(flag, lambda y: jnp.flip(y, 0), lambda y: lax.optimization_barrier(y), y)


def functions(x, y):
    """Element-wise functions of floating-point numbers."""
    unary = [
        lax.abs, lax.neg, lax.sign, lax.ceil, lax.floor, lax.exp, lax.expm1, lax.log, lax.log1p,
        lax.tanh, lax.rsqrt, lax.sqrt, lax.cbrt, lax.logistic, lax.sin, lax.cos, lax.is_finite,
        lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
        lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
        lambda x: lax.exp(x, accuracy=lax.AccuracyMode.HIGHEST),
        lambda x: lax.tan(x, accuracy=lax.Tolerance(atol=1e-3, rtol=0.25, ulps=4)),
    ]  # fmt: skip
    binary = [
        lax.add, lax.sub, lax.mul, lax.div, lax.rem, lax.max, lax.min, lax.pow, lax.atan2,
        lax.eq, lax.ne, lax.ge, lax.gt, lax.le, lax.lt,
    ]  # fmt: skip
    return [f(x) for f in unary] + [f(x, y) for f in binary] + [lax.clamp(0.0, x, y), lax.clamp(-y, x, y)]


def bits(x, u, p):
    """Element-wise functions of integers and predicates."""
    shifts = [lax.shift_left, lax.shift_right_arithmetic, lax.shift_right_logical]
    return (
        [f(x, x) for f in [lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor, *shifts]]
        + [f(u) for f in [lax.bitwise_not, lax.population_count, lax.clz]]
        + [p & ~p, p | p, p ^ p, x < 3, u >= u, p == p]
        + [lax.bitcast_convert_type(x, F32), lax.bitcast_convert_type(u, jnp.uint8)]
        + [x.astype(jnp.bfloat16), u.astype(jnp.bool_), p.astype(jnp.int8)]
    )


def movement(x, y):
    """Rearrangement, and reductions by one operation and by several at once."""
    padded = lax.pad(x, 0.0, [(1, 2, 0), (-1, 0, 1)])
    joined = jnp.concatenate([x, y, x], axis=1)
    return (
        padded, joined, x.reshape(2, 2, 8), x.T, jnp.flip(x, (0, 1)), x[1:3, ::3],
        jnp.broadcast_to(x[:, :1], (3, 4, 8)), x.max(0), x.prod(), (x > 0).any(1), (x > 0).all(1),
        jnp.argmin(x, 1), jnp.take_along_axis(x, jnp.argmax(x, 1)[:, None], 1),
    )  # fmt: skip


def contractions(x, w):
    """One product with each way to say how it is to be computed."""
    preset = lax.DotAlgorithmPreset
    return [
        jnp.dot(x, w, precision=p)
        for p in (None, "high", ("default", "highest"), preset.BF16_BF16_F32_X3, preset.F32_F32_F32)
    ]


def windows(x, state):
    """Pooling with its gradient, cumulative sums, sorts, random bits."""
    pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3), (1, 2, 2), "SAME")
    pooled, pull = jax.vjp(pool, x)
    state, bits = lax.rng_bit_generator(state, (3, 5))
    philox = lax.RandomAlgorithm.RNG_PHILOX
    return (
        pull(pooled), jnp.cumsum(x, 1), jnp.argsort(x, 2), lax.sort((x, x), dimension=0, num_keys=2),
        state, bits, lax.rng_bit_generator(state, (2,), algorithm=philox),
    )  # fmt: skip


PROGRAMS = {
    "train_step": (
        train_step,
        (LAYERS, LAYERS, LAYERS, struct(), struct(16, 64), struct(16, 10, dtype=jnp.bool_)),
    ),
    "attention": (attention, [struct(2, 7, 3, 8, dtype=jnp.bfloat16)] * 3),
    "embed": (embed, (struct(50, 16), struct(9, dtype=jnp.int32), struct(dtype=jnp.int32))),
    "fill_cache": (fill_cache, (struct(8, 4), struct(8, 4), struct(dtype=jnp.int32))),
    "choose": (choose, (struct(dtype=jnp.int32), struct(dtype=jnp.bool_), struct(5, 3))),
    "functions": (functions, (struct(3, 5), struct(3, 5))),
    "bits": (bits, [struct(6, dtype=t) for t in (jnp.int32, jnp.uint16, jnp.bool_)]),
    "movement": (movement, (struct(4, 8), struct(4, 1))),
    "contractions": (contractions, (struct(4, 8), struct(8, 2))),
    "windows": (windows, (struct(2, 9, 8), struct(4, dtype=jnp.uint32))),
}


def lower(name):
    """The module that JAX makes of a program, as an object of jaxlib's MLIR."""
    function, arguments = PROGRAMS[name]
    return jax.jit(function).lower(*arguments).compiler_ir()


HEADER = """\
// What JAX {version} makes of the functions in Inputs/from_jax.py, as it prints it, comes
// back letter for letter. Written by: python3 Inputs/from_jax.py > from_jax.mlir
//
// RUN: grep -v -e '^//' -e '^$' %s > %t.expected
// RUN: %systole-opt --split-input-file %s | grep -v -e '^//' -e '^$' > %t.printed
// RUN: diff %t.expected %t.printed
"""

if __name__ == "__main__":
    print(HEADER.format(version=jax.__version__))
    print("\n// -----\n\n".join(str(lower(name)).strip() + "\n" for name in PROGRAMS), end="")
