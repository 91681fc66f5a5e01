"""Functions of JAX whose HLO the tests read: name -> (function, arguments, options of jit).

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

random = np.random.RandomState(0)
FUNCTIONS = {}


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def ints(below, *shape):
    return random.randint(0, below, shape).astype(np.int32)


def case(*args, **options):
    """Adds the function that follows."""

    def add(function):
        FUNCTIONS[function.__name__] = (function, args, options)
        return function

    return add


IMAGES = ("NHWC", "HWIO", "NHWC")
FACTORS = {"dimension_numbers": IMAGES}


@case(floats(7, 129), floats(129, 64), floats(64), floats(64, 10))
def mlp(x, w, b, v):
    return jax.nn.softmax(jnp.tanh(x @ w + b) @ v)


@case(floats(33, 17), floats(40, 33), floats(40, 17))
def mlp_gradient(w, x, y):
    return jax.value_and_grad(lambda w: jnp.mean((jax.nn.gelu(x @ w) - y) ** 2))(w)


@case(floats(2, 9, 9, 3), floats(3, 3, 3, 8))
def convolution(x, k):
    return lax.conv_general_dilated(x, k, (2, 2), "SAME", **FACTORS)


@case(floats(2, 9, 9, 3), floats(3, 3, 3, 8))
def convolution_gradient(x, k):
    return jax.grad(lambda k: (convolution(x, k) ** 2).sum())(k)


@case(floats(1, 8, 8, 4), floats(3, 3, 1, 8))
def grouped_convolution(x, k):
    return lax.conv_general_dilated(x, k, (1, 1), "VALID", feature_group_count=4, rhs_dilation=(2, 2), **FACTORS)


@case(floats(1, 5, 5, 3), floats(3, 3, 3, 4))
def transposed_convolution(x, k):
    return lax.conv_transpose(x, k, (2, 2), "SAME")


@case(floats(2, 8, 8, 5))
def pooling(x):
    largest = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return largest, lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME")


@case(floats(2, 8, 8, 5))
def pooling_gradient(x):
    return jax.grad(lambda x: (pooling(x)[0] ** 2).sum())(x)


@case(floats(7, 9), floats(7, 9))
def sorts(x, y):
    return lax.sort((x, y), num_keys=1), jnp.argsort(x, axis=0), lax.top_k(x, 3)


@case(floats(4, 33))
def unique(x):
    return jnp.unique(x.ravel(), size=20), jnp.searchsorted(jnp.sort(x[0]), x[1, :3])


@case(floats(10, 10), ints(10, 7))
def gathers(x, i):
    return x[i], x[:, i[:3]], jnp.take_along_axis(x, jnp.argsort(x, 1), 1)


@case(floats(10, 5), np.array([3, 1, 7], np.int32), floats(3, 5))
def scatters(x, i, u):
    return x.at[i].add(u), x.at[i].set(u), x.at[i].max(u), jax.ops.segment_sum(u, i, 9)


@case(floats(9, 4), np.int32(2))
def dynamic(x, i):
    ones = jnp.ones((2, 2))
    return lax.dynamic_slice(x, (i, 0), (3, 4)), lax.dynamic_update_slice(x, ones, (i, i))


@case(floats(5, 3))
def counted_loop(x):
    return lax.fori_loop(0, 5, lambda k, c: (c[0] * 1.1 + k, c[1] + c[0].sum()), (x, 0.0))


@case(np.abs(floats(5)))
def while_loop(x):
    step = lambda c: (c[0] + 1, c[1] + c[0].sum())
    return lax.while_loop(lambda c: c[1] < 20.0, step, (x, 0.0))


@case(floats(12, 4))
def scan(x):
    return lax.scan(lambda c, e: (c * 0.9 + e, c.sum()), jnp.zeros(4), x)


@case(np.float32(1), np.int32(2), floats(5, 7))
def branches(p, k, x):
    chosen = lax.switch(k, [lambda x: x + 1, lambda x: x * 2, jnp.sin], x)
    return chosen, lax.cond(p > 0, lambda x: x * 2, lambda x: -x, x)


@case(floats(4))
def nested(x):
    inner = lambda k, a: lax.fori_loop(0, k, lambda j, b: b + j, a)
    step = lambda k, a: lax.cond(k % 2 == 0, lambda a: inner(k, a), lambda a: a * 2, a)
    return lax.fori_loop(0, 3, step, x)


@case()
def random_numbers():
    key = jax.random.key(3)
    return jax.random.normal(key, (5,)), jax.random.randint(key, (5,), 0, 10)


@case(floats(8, 9))
def reductions(x):
    chosen = jnp.argmax(x, 1), jnp.any(x > 1, 0), jnp.cumsum(x, 1)
    return x.sum(0), x.prod(1), x.max(), x.min(1), jnp.var(x, 0), *chosen


@case(floats(6, 6))
def functions(x):
    y = jnp.abs(x) + 0.5
    these = (jnp.exp, jnp.log, jnp.sqrt, lax.rsqrt, jnp.tanh, jax.nn.sigmoid, jnp.sin, jnp.cos)
    those = (jnp.log1p, jnp.expm1, jnp.floor, jnp.ceil, jnp.round, jnp.sign, jnp.cbrt, jnp.tan)
    return [function(y) for function in (*these, *those, lax.erf, jnp.arctan)]


@case(floats(6, 5), floats(6, 5))
def two_floats(x, y):
    chosen = jnp.where(x > y, x, y), x > y, x == y
    return x / y, jnp.maximum(x, y), jnp.abs(x) ** y, jnp.arctan2(x, y), jnp.fmod(x, y), *chosen


@case(ints(100, 6), ints(7, 6))
def two_ints(x, y):
    bits = x & y, x | y, x ^ y, ~x, x << 2, x >> 1, lax.population_count(x), lax.clz(x)
    return x * y, x // (y + 1), x % (y + 1), lax.shift_right_logical(x, y), *bits


@case(floats(6, 5))
def conversions(x):
    types = jnp.bfloat16, jnp.float16, jnp.int8, jnp.int16, bool
    bits = lax.bitcast_convert_type(x, jnp.int32), lax.reduce_precision(x, 5, 10)
    return *(x.astype(each) for each in types), *bits


@case(floats(8, 6))
def movement(x):
    padded = lax.pad(x, 0.0, ((1, -1, 2), (0, 0, 1))), jnp.pad(x, ((1, 2), (0, 3)))
    return x.T, x[::-1], x[1:5:2, ::3], jnp.concatenate([x, x], 1), x.reshape(4, -1), *padded


@case(floats(3, 5, 7), floats(3, 7, 4))
def products(a, b):
    equations = "bij,bjk->bik", "bij,bjk->ik", "bij,cjk->bcik"
    return [jnp.einsum(equation, a, b) for equation in equations]


@case(floats(5, 70).astype(jnp.bfloat16), floats(70, 4).astype(jnp.bfloat16))
def bf16_product(a, b):
    return lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32)


@case(floats(2, 2, 9, 16), floats(2, 2, 9, 16), floats(2, 2, 9, 16))
def attention(q, k, v):
    scores = jnp.where(jnp.tril(jnp.ones((9, 9), bool)), jnp.einsum("bhqd,bhkd->bhqk", q, k), -1e30)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores / 8), v)


@case(floats(5, 40), floats(40), floats(40))
def layer_norm(x, g, b):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


@case(floats(6, 3, 5), floats(5, 32), floats(8, 32))
def lstm(x, w, u):
    def step(state, e):
        h, c = state
        i, f, g, o = jnp.split(e @ w + h @ u, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (jnp.zeros((3, 8)), jnp.zeros((3, 8))), x)


@case(floats(20, 20), floats(20, 20), floats(20, 20), np.abs(floats(20, 20)), donate_argnums=(0, 2))
def adam(p, g, m, v):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return p - 0.001 * m / (jnp.sqrt(v) + 1e-8), m, v


@case(floats(16, 10), ints(10, 16))
def cross_entropy(x, labels):
    loss = lambda x: -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1))
    return jax.value_and_grad(loss)(x)


@case(floats(30, 8), ints(30, 12))
def embedding_gradient(table, words):
    return jax.grad(lambda table: (table[words] ** 2).sum())(table)


@case(np.array([1, np.nan, np.inf, -np.inf, -0.0], np.float32))
def not_finite(x):
    return jnp.isfinite(x), jnp.isnan(x), jnp.nan_to_num(x), jnp.sort(x)


@case(floats(5))
def empty(x):
    return x[:0].sum(), jnp.concatenate([x, x[:0]]), x[:0]


@case(np.float32(3))
def scalar(x):
    return lax.optimization_barrier((x * 2 + 1, x))


@case(floats(4, 6))
def constants(x):
    return x + np.arange(24, dtype=np.float32).reshape(4, 6), jnp.asarray([True, False])
