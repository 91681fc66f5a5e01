"""Callbacks of programs that are divided among the devices of a slice.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import io_callback
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from process import run
from slices import mesh_of, numbers, on_all, sharded


def twice(x):
    return (2 * x).astype(x.dtype)


def call(function, x):
    return jax.pure_callback(function, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.bool_, np.complex64, jnp.bfloat16])
def test_a_callback_gets_the_whole_array_once(dtype):
    mesh = mesh_of((4, 2), ("x", "y"))
    shapes = []

    def function(x):
        shapes.append(x.shape)
        return twice(np.asarray(x))

    x = numbers(8, 6).astype(dtype)
    sharding = NamedSharding(mesh, P("x", "y"))
    y = jax.jit(lambda x: call(function, x), out_shardings=sharding)(sharded(x, mesh, "x", "y"))
    np.testing.assert_array_equal(np.asarray(y), twice(x))
    assert shapes == [(8, 6)]


def test_a_callback_of_each_device_gets_its_part():
    mesh = mesh_of((2, 3), ("x", "y"))
    seen = []

    def function(x, place):
        seen.append((int(place), x.shape))
        return np.asarray(x) + np.float32(place)

    def body(x):
        place = lax.axis_index(("x", "y"))
        return jax.pure_callback(function, jax.ShapeDtypeStruct(x.shape, x.dtype), x, place)

    x = numbers(4, 9)
    y = on_all(body, mesh, P("x", "y"), out=P("x", "y"))(x)
    np.testing.assert_array_equal(np.asarray(y), x + np.kron(np.arange(6).reshape(2, 3), np.ones((2, 3), np.float32)))
    assert sorted(seen) == [(place, (2, 3)) for place in range(6)]


def test_callbacks_in_loops_and_branches(capfd):
    mesh = mesh_of((8,), "x")

    @jax.jit
    def function(x):
        def step(carry, i):
            jax.debug.print("{} {}", i, carry.sum())
            carry = lax.cond(i % 2 == 0, lambda c: call(lambda x: twice(np.asarray(x)), c), lambda c: c + 1, carry)
            return lax.with_sharding_constraint(carry, NamedSharding(mesh, P("x"))), None

        return lax.scan(step, x, jnp.arange(3))[0]

    y = np.asarray(function(sharded(np.ones(16, np.float32), mesh, "x")))
    jax.effects_barrier()
    np.testing.assert_array_equal(y, np.full(16, 6, np.float32))
    assert capfd.readouterr().out.split("\n")[:3] == ["0 16.0", "1 32.0", "2 48.0"]


def test_a_callback_computes_on_devices_of_the_program():
    mesh = mesh_of((4,), "x")

    def function(x):
        return np.asarray(jax.device_put(x, jax.devices()[2]) + 1)

    x = numbers(8)
    y = jax.jit(lambda x: call(function, x))(sharded(x, mesh, "x"))
    np.testing.assert_array_equal(np.asarray(y), x + 1)


def test_an_error_of_a_callback_is_that_of_the_arrays():
    run(
        """
        import os

        import jax
        import numpy as np
        from jax.sharding import Mesh, NamedSharding
        from jax.sharding import PartitionSpec as P

        def fails(x):
            raise ValueError("not today")

        mesh = Mesh(np.array(jax.devices()), "x")
        x = jax.device_put(np.ones(8, np.float32), NamedSharding(mesh, P("x")))
        call = lambda f: jax.jit(lambda x: jax.pure_callback(f, jax.ShapeDtypeStruct(x.shape, x.dtype), x))
        try:
            call(fails)(x).block_until_ready()
        except jax.errors.JaxRuntimeError as error:
            assert "not today" in str(error), error
        else:
            raise AssertionError("no error")
        assert (np.asarray(call(lambda x: 3 * np.asarray(x))(x)) == 3).all()
        os._exit(0)  # JAX would tell of the first error again
        """,
        SYSTOLE_TARGET="v3-8",
    )


def test_no_callback_follows_one_that_fails():
    run(
        """
        import os

        import jax
        import numpy as np
        from jax.experimental import io_callback
        from jax.sharding import Mesh
        from jax.sharding import PartitionSpec as P

        called = []

        def fails(place):
            called.append(int(place))
            raise ValueError("not today")

        def body(x):
            io_callback(fails, None, jax.lax.axis_index("x"))
            return x

        mesh = Mesh(np.array(jax.devices()), "x")
        try:
            jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x")))(np.ones(8)).block_until_ready()
        except jax.errors.JaxRuntimeError as error:
            assert "not today" in str(error), error
        assert len(called) == 1, called
        os._exit(0)  # JAX would tell of the first error again
        """,
        SYSTOLE_TARGET="v3-8",
    )


def test_ordered_callbacks_of_each_device():
    mesh = mesh_of((2,), "x")
    seen = []

    def body(x):
        place = lax.axis_index("x")
        for number in range(3):
            io_callback(lambda p, n: seen.append((int(p), int(n))), None, place, number, ordered=True)
        return x

    on_all(body, mesh, P("x"), out=P("x"))(numbers(2)).block_until_ready()
    jax.effects_barrier()
    for place in range(2):
        assert [n for p, n in seen if p == place] == [0, 1, 2]


def test_the_text_has_the_transfers():
    mesh = mesh_of((2,), "x")
    x = jax.ShapeDtypeStruct((4,), jnp.float32, sharding=NamedSharding(mesh, P("x")))
    text = jax.jit(lambda x: call(lambda x: x, x)).lower(x).compile().as_text()
    for name in ("all-gather", "send", "recv", "collective-broadcast"):
        assert f" {name}(" in text
