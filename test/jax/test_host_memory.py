"""Arrays in the memory of the host: kinds of memory, placements inside of programs, what they take.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.ad_checkpoint import checkpoint_name
from jax.sharding import SingleDeviceSharding

Space = jax.memory.Space
HOST_KINDS = ["pinned_host", "unpinned_host"]


def numbers(*shape, dtype=np.float32):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 23 - 11
    return (values * (1.5 - 0.25j) if np.dtype(dtype).kind == "c" else values).astype(dtype)


def on_host(device, kind="pinned_host"):
    return SingleDeviceSharding(device, memory_kind=kind)


def test_devices_address_their_own_memory_and_the_hosts():
    ids = set()
    for device in jax.devices("tpu"):
        memories = device.addressable_memories()
        assert [memory.kind for memory in memories] == ["device", *HOST_KINDS]
        assert device.default_memory() == memories[0]
        assert all(memory.addressable_by_devices() == [device] for memory in memories)
        ids |= {str(memory) for memory in memories}
    assert len(ids) == 3 * len(jax.devices("tpu"))
    assert "HBM of TPU v3(id=0" in str(jax.devices("tpu")[0].default_memory())


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_arrays_move_between_memories(device, kind):
    before = device.memory_stats()["bytes_in_use"]
    x = numbers(300, 200)
    away = jax.device_put(x, on_host(device, kind))
    assert away.sharding.memory_kind == kind
    assert device.memory_stats()["bytes_in_use"] == before
    here = jax.device_put(away, SingleDeviceSharding(device))
    assert here.sharding.memory_kind == "device"
    again = jax.device_put(here, on_host(device, kind))
    for array in (away, here, again):
        np.testing.assert_array_equal(array, x)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool", "int8", "int4", "float8_e4m3fn", "complex64"])
@pytest.mark.parametrize("shape", [(3, 5, 7), (600, 64), (1000, 3), (129,), (0, 4), ()])
def test_a_round_trip_inside_of_a_program(device, shape, dtype):
    x = jnp.asarray(numbers(*shape), dtype)

    @jax.jit
    def trip(x):
        away = jax.device_put(x, Space.Host)
        return away, jax.device_put(away, Space.Device)

    away, here = trip(jax.device_put(x, device))
    assert (away.sharding.memory_kind, here.sharding.memory_kind) == ("pinned_host", "device")
    np.testing.assert_array_equal(away, x)
    np.testing.assert_array_equal(here, x)
    # From a result to an argument, in the memory of the host.
    twice = jax.jit(lambda a: (a, jax.device_put(a, Space.Device)))(away)
    assert twice[0].sharding.memory_kind == "pinned_host"
    for array in twice:
        np.testing.assert_array_equal(array, x)


@pytest.mark.parametrize("dtype", ["int64", "float64", "complex128"])
def test_a_round_trip_of_wide_elements(device, dtype):
    with jax.enable_x64(True):
        x = numbers(40, 130, dtype=dtype)
        away = jax.jit(lambda a: jax.device_put(a, Space.Host))(jax.device_put(x, device))
        np.testing.assert_array_equal(away, x)
        here = jax.jit(lambda a: jax.device_put(a, Space.Device))(away)
        np.testing.assert_array_equal(here, x)


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_memories_of_arguments_and_results(device, kind):
    host, hbm = on_host(device, kind), SingleDeviceSharding(device)
    x = numbers(8, 200)

    @functools.partial(jax.jit, out_shardings=(host, hbm, None))
    def function(a, b):
        a = jax.device_put(a, hbm)
        return a + b, a * b, a - b

    away = jax.device_put(x, host)
    compiled = function.lower(away, x).compile()
    results = function(away, x)
    assert [r.sharding.memory_kind for r in results] == [kind, "device", "device"]
    assert compiled.runtime_executable().get_output_memory_kinds() == [[kind, "device", "device"]]
    for result, expected in zip(results, (x + x, x * x, x - x)):
        np.testing.assert_array_equal(result, expected)
    memory = compiled.memory_analysis()
    row = 8 * 256 * 4  # 200 columns take two groups of 128 lanes
    assert (memory.host_argument_size_in_bytes, memory.argument_size_in_bytes) == (row, row)
    assert (memory.host_output_size_in_bytes, memory.output_size_in_bytes) == (row, 2 * row)


def test_a_program_takes_arguments_where_it_has_them(device):
    function = jax.jit(lambda a: a + 1).lower(jnp.ones(3)).compile()
    with pytest.raises(ValueError, match="memory"):
        function(jax.device_put(jnp.ones(3), on_host(device)))


def test_donated_arrays_stay_where_they_are(device):
    host = on_host(device)
    function = jax.jit(lambda a: a, out_shardings=host, donate_argnums=0)
    x = jax.device_put(numbers(5, 7), host)
    assert function.lower(x).compile().memory_analysis().host_alias_size_in_bytes > 0
    np.testing.assert_array_equal(function(x), numbers(5, 7))
    assert x.is_deleted()


def test_computing_on_the_host_is_refused_by_name(device):
    x = jax.device_put(numbers(4, 4), on_host(device))
    with pytest.raises(
        Exception, match=r"test_host_memory.py:\d+.*'stablehlo.multiply' computes on an array in the memory of the host"
    ):
        jax.jit(lambda a: a * 2)(x)


def stack_on_host(xs):
    def body(carry, x):
        return carry + 1, jax.device_put(x * 2 + carry, Space.Host)

    return jax.lax.scan(body, jnp.float32(1), xs)


@pytest.mark.parametrize("shape", [(16, 16, 16), (5, 40, 200), (6, 130), (200,), (4, 256, 64), (7, 3, 5)])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_loops_write_and_read_their_parts(device, on_cpu, shape, dtype):
    xs = jnp.asarray(numbers(*shape), dtype)

    def plain(xs):
        carry, stack = jax.lax.scan(lambda c, x: (c + 1, x * 2 + c), jnp.float32(1), xs)
        return carry, stack

    def read(xs):
        return jax.lax.scan(lambda c, x: (c + 1, jax.device_put(x, Space.Device) * 3), jnp.float32(0), xs)

    carry, stack = jax.jit(stack_on_host)(jax.device_put(xs, device))
    assert stack.sharding.memory_kind == "pinned_host"
    expected = on_cpu(plain, xs)
    np.testing.assert_array_equal(carry, expected[0])
    np.testing.assert_array_equal(stack, expected[1])
    _, back = jax.jit(read)(stack)
    np.testing.assert_array_equal(back, np.asarray(expected[1]) * 3)


def layers(policy, count=12):
    def loss(x, w):
        def layer(y, _):
            y = checkpoint_name(jnp.sin(y @ w), "z")
            return jnp.sin(y) * 1.5, None

        return jnp.sum(jax.lax.scan(layer, x, None, length=count)[0])

    return jax.grad(jax.checkpoint(loss, policy=policy) if policy else loss, argnums=(0, 1))


OFFLOAD = jax.checkpoint_policies.save_and_offload_only_these_names(
    names_which_can_be_saved=[], names_which_can_be_offloaded=["z"], offload_src="device", offload_dst="pinned_host"
)
SAVE = jax.checkpoint_policies.save_only_these_names("z")


def test_offloaded_activations_give_the_same_bits_and_free_hbm(device):
    x, w = numbers(512, 256) / 16, numbers(256, 256) / 64
    saved, offloaded = (jax.jit(layers(policy)).lower(x, w).compile() for policy in (SAVE, OFFLOAD))
    for one, other in zip(saved(x, w), offloaded(x, w)):
        np.testing.assert_array_equal(one, other)
    stack = 12 * 512 * 256 * 4
    assert offloaded.memory_analysis().host_temp_size_in_bytes == stack
    freed = saved.memory_analysis().peak_memory_in_bytes - offloaded.memory_analysis().peak_memory_in_bytes
    assert freed >= stack / 2


def test_offloaded_activations_without_a_loop(device):
    def loss(x, w):
        for _ in range(5):
            x = jnp.sin(checkpoint_name(jnp.sin(x @ w), "z")) * 1.5
        return jnp.sum(x)

    x, w = numbers(2048, 256) / 16, numbers(256, 256) / 64
    saved, offloaded = (
        jax.jit(jax.grad(jax.checkpoint(loss, policy=policy), argnums=(0, 1))).lower(x, w).compile()
        for policy in (SAVE, OFFLOAD)
    )
    for one, other in zip(saved(x, w), offloaded(x, w)):
        np.testing.assert_array_equal(one, other)
    assert offloaded.memory_analysis().host_temp_size_in_bytes == 5 * 2048 * 256 * 4
    assert offloaded.memory_analysis().peak_memory_in_bytes < saved.memory_analysis().peak_memory_in_bytes


def test_a_copy_that_is_updated_later_keeps_its_contents(device):
    x = numbers(4, 8, 128)

    @jax.jit
    def function(x):
        old = jax.device_put(x, Space.Host)
        new = jax.lax.dynamic_update_slice(old, jax.device_put(x[:1] * 3, Space.Host), (2, 0, 0))
        return jax.device_put(old, Space.Device), jax.device_put(new, Space.Device)

    old, new = function(jax.device_put(x, device))
    np.testing.assert_array_equal(old, x)
    expected = x.copy()
    expected[2] = x[0] * 3
    np.testing.assert_array_equal(new, expected)


def test_values_that_loops_and_branches_carry(device):
    x = numbers(8, 128)

    @jax.jit
    def function(x, n):
        def body(_, state):
            a, b = state
            return b, jax.device_put(jax.device_put(a, Space.Device) + 1, Space.Host)

        away = jax.device_put(x, Space.Host)
        a, b = jax.lax.fori_loop(0, n, body, (away, jax.device_put(x * 2, Space.Host)))
        return jax.lax.cond(n > 2, lambda: (a, b), lambda: (b, a))

    for n in (0, 1, 3):
        a, b = x, x * 2
        for _ in range(n):
            a, b = b, a + 1
        results = function(jax.device_put(x, device), n)
        for result, expected in zip(results, (a, b) if n > 2 else (b, a)):
            assert result.sharding.memory_kind == "pinned_host"
            np.testing.assert_array_equal(result, expected)


def test_the_device_computes_what_the_host_is_asked_to(device):
    from jax.experimental.compute_on import compute_on2

    @compute_on2(compute_type="device_host", out_memory_spaces=(Space.Host, Space.Device))
    def function(x, y):
        y = jax.device_put(y, Space.Host)
        return x * y, jnp.cumsum(x, 0).at[1].set(y[0])

    x, y = numbers(6, 40), numbers(6, 40) + 2
    away = jax.device_put(x, on_host(device))
    product, sums = jax.jit(function)(away, jax.device_put(y, device))
    assert (product.sharding.memory_kind, sums.sharding.memory_kind) == ("pinned_host", "device")
    np.testing.assert_array_equal(product, x * y)
    expected = np.cumsum(x, 0)
    expected[1] = y[0]
    np.testing.assert_array_equal(sums, expected)


def test_loops_that_write_and_read_one_array(device, on_cpu):
    """A trip reads what the one before has written, with a kernel between the copies."""

    def round_trips(x):
        return jax.lax.fori_loop(0, 3, lambda _, c: c + jax.device_put(jax.device_put(c, Space.Host), Space.Device), x)

    def steps(x, m):
        def step(i, h):
            p = jax.device_put(jax.lax.dynamic_slice_in_dim(h, i, 1), Space.Device)
            return jax.lax.dynamic_update_slice_in_dim(h, jax.device_put((p + p) @ m, Space.Host), i + 1, 0)

        h = jax.lax.fori_loop(0, 4, step, jax.device_put(x, Space.Host))
        return jax.device_put(h, Space.Device)

    x = numbers(5, 8, 128)
    np.testing.assert_array_equal(jax.jit(round_trips)(x[0]), x[0] * 8)
    expected = x[0] * 2.0 ** np.arange(5).reshape(5, 1, 1)
    np.testing.assert_array_equal(jax.jit(steps)(x, np.eye(128, dtype=np.float32)), expected)


@pytest.mark.parametrize("shape", [(5, 9), (64, 128)])
def test_checkpointed_layers_of_a_scan_are_offloaded(device, shape):
    """JAX puts a barrier on what the backward pass fetches: it stays on the device."""
    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["x"], offload_src="device", offload_dst="pinned_host"
    )

    def loss(policy, w, x):
        def layer(x, w):
            return jnp.sin(checkpoint_name(x, "x") * w), None

        return jax.lax.scan(jax.checkpoint(layer, policy=policy) if policy else layer, x, w)[0].sum()

    w, x = numbers(4, *shape) / 16, numbers(*shape) / 8
    offloaded = jax.jit(jax.grad(functools.partial(loss, policy), argnums=(0, 1)))(w, x)
    saved = jax.jit(jax.grad(functools.partial(loss, None), argnums=(0, 1)))(w, x)
    for a, b in zip(offloaded, saved, strict=True):
        np.testing.assert_array_equal(a, b)
