"""Callbacks with 64-bit integers under jax_enable_x64, as JAX has them on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback
from recorder import assert_same, noted, recorded

SHAPES = [(), (1,), (0,), (7,), (129,), (0, 3), (127, 3), (1000, 3), (2, 5, 130)]


@pytest.fixture(autouse=True)
def x64():
    # For all threads: callbacks run on one of their own.
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def numbers(shape, dtype, seed=0):
    bits = np.random.default_rng(seed).integers(0, 2**64, shape, dtype=np.uint64)
    return np.asarray(bits).view(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64], ids=lambda t: t.__name__)
@pytest.mark.parametrize(
    "call", [jax.pure_callback, io_callback, lambda *a: io_callback(*a, ordered=True)], ids=["pure", "io", "ordered"]
)
def test_arrays_go_both_ways(call, dtype):
    seen = []

    def host(*arrays):
        seen.append([np.array(a) for a in arrays])
        return tuple(~a[::-1] if a.ndim else ~a for a in seen[-1])

    inputs = [numbers(shape, dtype, seed) for seed, shape in enumerate(SHAPES)]
    shapes = tuple(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in inputs)
    # The sent values are computed, and so are the returned ones.
    outputs = jax.jit(lambda *a: [b + 1 for b in call(host, shapes, *(b * 3 for b in a))])(*inputs)
    outputs = jax.device_get(outputs)
    assert len(seen) == 1
    for given, found, out in zip(inputs, seen[0], outputs, strict=True):
        assert found.dtype == dtype and out.dtype == dtype
        np.testing.assert_array_equal(found, given * dtype(3))
        # ~x + 1 is -x.
        np.testing.assert_array_equal(out, -(found[::-1] if found.ndim else found))


def test_numbers_that_are_known_to_be_small(on_cpu):
    """One word holds them on the device."""

    def build(note):
        def f(x):
            noted(
                note,
                jnp.arange(5),
                jnp.int64(-3),
                x.astype(jnp.int64),
                jnp.sign(x),
                jnp.argsort(x),
                jnp.full((2, 3), -7),
                (x & 255).astype(jnp.uint64),
            )
            return x

        return f

    x = np.array([5, -(2**31), 2**31 - 1, -1, 0], np.int32)
    assert_same(recorded(build, x, on_cpu=on_cpu))


def test_order_in_loops_and_branches(on_cpu):
    def build(note):
        def f(x, n):
            def body(i, x):
                noted(note, i, x)

                def odd(x):
                    noted(note, -i * 2**40)
                    return x * 3

                return jax.lax.cond(i % 2 == 1, odd, lambda x: x + 2**33, x)

            x = jax.lax.fori_loop(0, n, body, x)

            def step(c, y):
                noted(note, c, y)
                got = io_callback(lambda v: v * np.int64(5), jax.ShapeDtypeStruct((), jnp.int64), c + y, ordered=True)
                return got, got ^ y

            return jax.lax.scan(step, x.sum(), x)

        return f

    assert_same(recorded(build, numbers((3,), np.int64), 5, on_cpu=on_cpu))


@pytest.mark.parametrize("n", [0, 1, 6])
def test_a_loop_whose_end_the_host_decides(on_cpu, n):
    def run(call):
        left = iter(range(n, -1, -1))

        def f(x):
            def body(c):
                left, x = c
                left = io_callback(
                    lambda _: np.int64(next(host) << 40), jax.ShapeDtypeStruct((), jnp.int64), x, ordered=True
                )
                return left, x * 3 + left

            return jax.lax.while_loop(lambda c: c[0] > 0, body, (jnp.int64(1), x))

        host = left
        return jax.device_get(call(jax.jit(f), np.int64(7)))

    assert run(lambda f, *a: f(*a)) == run(on_cpu)


def test_unordered_effects_are_neither_dropped_nor_repeated(on_cpu):
    def build(note):
        def f(x):
            for _ in range(3):
                jax.debug.callback(lambda v: note(v), x)
            jax.debug.callback(lambda v: note(v), x + 1)
            return x * 2

        return f

    assert_same(recorded(build, np.int64(2**62), on_cpu=on_cpu), ordered=False)


def test_debug_print_prints_as_on_the_cpu(capfd, on_cpu):
    def f(x):
        jax.debug.print("{x} of {n:>4}", x=x, n=x.shape[0], ordered=True)
        jax.debug.print("{} {}", x.sum(), x.astype(jnp.uint64), ordered=True)
        return x

    texts = []
    for call in (lambda f, *a: f(*a), on_cpu):
        capfd.readouterr()
        call(jax.jit(f), numbers((3,), np.int64))
        jax.effects_barrier()
        texts.append(capfd.readouterr().out)
    assert texts[0] == texts[1] and len(texts[1].splitlines()) == 2
