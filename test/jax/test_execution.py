"""Runs: results, donation, order, threads.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import concurrent.futures

import jax
import jax.numpy as jnp
import numpy as np
import pytest


def test_eager_operations_agree_with_the_cpu(on_cpu):
    def function(x):
        y = jnp.where(x > 0, jnp.sqrt(jnp.abs(x)), x * 2)[::-1]
        return jnp.concatenate([y, jnp.cumsum(y)]), jnp.argsort(y), y.astype(jnp.int32) % 3

    x = np.array([3.5, -1, 0, 7, -2.25, 100], np.float32)
    for ours, theirs in zip(function(jnp.asarray(x)), on_cpu(function, x), strict=True):
        assert ours.devices() == {jax.devices()[0]}
        np.testing.assert_allclose(ours, theirs, rtol=3e-7)


def test_gradients_and_random_numbers_agree_with_the_cpu(on_cpu):
    def loss(weights, key):
        x = jax.random.normal(key, (33, 20))
        return jnp.mean(jnp.tanh(x @ weights) ** 2)

    weights = np.linspace(-1, 1, 20 * 7, dtype=np.float32).reshape(20, 7)
    step = jax.jit(jax.value_and_grad(loss))
    ours = step(weights, jax.random.key(3))
    theirs = on_cpu(lambda w: step(w, jax.random.key(3)), weights)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-7)


def test_products_of_two_types_agree_with_the_cpu(on_cpu):
    """JAX lowers them for a TPU as they are, and with conversions for the CPU."""
    tokens = np.random.default_rng(0).integers(-8, 9, (2, 16, 4, 8))

    def function(codes, scales):
        sums = jax.lax.dot_general(codes, scales, (((1, 2), (1, 2)), ((0,), (0,))))
        return sums, jax.nn.dot_product_attention(codes, codes, codes)

    args = tokens.astype(np.int8), (tokens / 4).astype(jnp.bfloat16)
    for ours, theirs in zip(jax.jit(function)(*args), on_cpu(function, *args), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_collectives_over_one_device_are_the_identity():
    from jax.sharding import Mesh, PartitionSpec as P

    mesh = Mesh(np.array(jax.devices()[:1]), ("i",))

    def function(x):
        total = jax.lax.psum(x, "i") + jax.lax.pmax(x, "i") + jax.lax.pmean(x, "i")
        rows = jax.lax.all_gather(x, "i", tiled=True)
        part = jax.lax.psum_scatter(x, "i", tiled=True)
        moved = jax.lax.ppermute(x, "i", [(0, 0)])
        swapped = jax.lax.all_to_all(x, "i", 0, 1, tiled=True)
        return total, rows, part, moved, swapped, x + jax.lax.axis_index("i")

    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    spec = P("i")
    results = jax.jit(jax.shard_map(function, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))(x)
    np.testing.assert_array_equal(results[0], 3 * x)
    for result in results[1:]:
        np.testing.assert_array_equal(result, x)


def test_donated_arrays_are_gone_and_their_memory_is_a_results(device):
    step = jax.jit(lambda x, y: (x + y, x[0, 0]), donate_argnums=0)
    x = jnp.ones((256, 256))
    y = jnp.full((256, 256), 2.0)
    step(jnp.ones((256, 256)), y)[0].block_until_ready()
    place = x.unsafe_buffer_pointer()
    a, b = step(x, y)
    assert x.is_deleted() and not y.is_deleted()
    np.testing.assert_array_equal(a, np.full((256, 256), 3))
    assert b == 1
    assert a.unsafe_buffer_pointer() == place
    with pytest.raises(RuntimeError, match="deleted"):
        x + 1


def test_donated_memory_that_somebody_holds_stays():
    step = jax.jit(lambda x: x * 2, donate_argnums=0)
    x = jnp.arange(1000.0)
    fetched = np.asarray(x)  # JAX keeps this copy
    other = jax.device_put(x, jax.devices()[1])
    np.testing.assert_array_equal(step(x), fetched * 2)
    np.testing.assert_array_equal(other, fetched)


def test_an_array_that_is_given_twice_cannot_be_donated():
    x = jnp.arange(5.0)
    for donated in (0, 1, (0, 1)):
        function = jax.jit(lambda a, b: (a + b, a * b), donate_argnums=donated)
        with pytest.raises(jax.errors.JaxRuntimeError, match="is donated, but the same array is another argument"):
            function(x, x)
    np.testing.assert_array_equal(x, np.arange(5))


def test_an_array_may_be_several_arguments():
    function = jax.jit(lambda a, b, c: a + b * c)
    x = jnp.arange(5.0)
    np.testing.assert_array_equal(function(x, x, x), [0, 2, 6, 12, 20])


def test_calls_return_before_their_programs_end():
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 200, lambda i, v: jnp.tanh(v @ v), x))
    # A second of emulation; results of queued runs can be arguments already.
    y = slow(jnp.ones((256, 256)))
    z = y + 1
    assert not z.is_ready()
    np.testing.assert_array_equal(z, np.asarray(y) + 1)


def test_devices_work_at_the_same_time_and_in_their_own_order():
    step = jax.jit(lambda x, i: x * 2 + i)
    states = [jax.device_put(np.float32(d.id), d) for d in jax.devices()]
    for i in range(10):
        states = [step(x, i) for x in states]
    # x -> 2 x + i, ten times: x * 1024 + sum(i * 2^(9 - i)).
    rest = sum(i * 2 ** (9 - i) for i in range(10))
    assert [int(x) for x in states] == [d.id * 1024 + rest for d in jax.devices()]


def test_threads_compile_and_run_side_by_side():
    def work(n):
        x = jnp.arange(n, dtype=jnp.float32)
        return float(jax.jit(lambda x: (x * n).sum())(x))

    sizes = list(range(2, 34))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, sizes)) == [n * n * (n - 1) / 2 for n in sizes]


def test_a_jax_loop_is_one_program():
    result = jax.lax.while_loop(lambda s: s[0] < 10, lambda s: (s[0] + 1, s[1] * 2), (0, 1))
    assert [int(x) for x in result] == [10, 1024]


def test_arguments_that_a_program_does_not_read_are_left_out():
    assert int(jax.jit(lambda x, y: y + 1)(jnp.ones(3), 4)) == 5


def test_empty_results_and_none():
    function = jax.jit(lambda x: (x[:0], {}, x))
    empty, none, same = function(jnp.ones((3, 4)))
    assert empty.shape == (0, 4) and none == {}
    np.testing.assert_array_equal(same, np.ones((3, 4)))
