"""Programs that are divided among the devices of a slice.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import serialize_executable, topologies
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from process import run
from slices import mesh_of, numbers, on_all, sharded

TARGETS = pathlib.Path(__file__).parents[2] / "dialects/Machine/Target/targets"


def shards(x):
    """By device the part of an array that it has."""
    return {shard.device.id: np.asarray(shard.data) for shard in x.addressable_shards}


# Arrays


def test_arrays_are_on_several_devices():
    mesh = mesh_of((8,), "x")
    x = sharded(np.arange(16.0, dtype=np.float32), mesh, "x")
    np.testing.assert_array_equal(x, np.arange(16))
    np.testing.assert_array_equal(shards(x)[3], [6, 7])


# Shardings of jit


@pytest.mark.parametrize("spec", [("x",), (None, "y"), ("x", "y"), ("y", "x"), (("x", "y"),), ()])
def test_elementwise_programs_keep_the_sharding(spec):
    mesh = mesh_of((4, 2), ("x", "y"))
    values = numbers(16, 24)
    x = sharded(values, mesh, *spec)
    y = jax.jit(lambda x: x * 2 + 1)(x)
    assert y.sharding.is_equivalent_to(x.sharding, 2)
    np.testing.assert_array_equal(y, values * 2 + 1)
    for device, part in shards(x).items():
        np.testing.assert_array_equal(shards(y)[device], part * 2 + 1)


@pytest.mark.parametrize("spec", [("x",), (None, "y"), ("x", "y"), ()])
@pytest.mark.parametrize("out", [("x",), (None, "x"), ("y", "x"), ()])
def test_results_have_the_sharding_that_is_asked_for(spec, out):
    mesh = mesh_of((2, 4), ("x", "y"))
    values = numbers(8, 16)
    wanted = NamedSharding(mesh, P(*out))
    y = jax.jit(lambda x: x - 3, out_shardings=wanted)(sharded(values, mesh, *spec))
    assert y.sharding == wanted
    np.testing.assert_array_equal(y, values - 3)
    for shard in y.addressable_shards:
        np.testing.assert_array_equal(shard.data, (values - 3)[shard.index])


def test_arguments_have_the_sharding_that_is_asked_for():
    mesh = mesh_of((8,), "x")
    rows, columns = NamedSharding(mesh, P("x")), NamedSharding(mesh, P(None, "x"))
    values = numbers(8, 16)
    y = jax.jit(lambda x: x.T, in_shardings=columns, out_shardings=rows)(values)
    assert y.sharding == rows
    np.testing.assert_array_equal(y, values.T)


def test_sums_and_products_of_divided_arrays():
    mesh = mesh_of((4, 2), ("x", "y"))
    a, b = numbers(16, 32), numbers(32, 24, seed=1)

    @jax.jit
    def function(a, b):
        c = a @ b
        return c, c.sum(0), a.max(), jnp.cumsum(a, 1)

    c, sums, most, running = function(sharded(a, mesh, "x", "y"), sharded(b, mesh, "y"))
    np.testing.assert_array_equal(c, a @ b)
    np.testing.assert_array_equal(sums, (a @ b).sum(0))
    assert most == a.max()
    np.testing.assert_array_equal(running, a.cumsum(1))


def test_a_training_step_agrees_with_the_cpu(on_cpu):
    mesh = mesh_of((8,), "batch")

    def step(weights, x, y):
        def loss(weights):
            return jnp.mean((jnp.tanh(x @ weights[0]) @ weights[1] - y) ** 2)

        value, gradients = jax.value_and_grad(loss)(weights)
        return value, [w - 0.1 * g for w, g in zip(weights, gradients, strict=True)]

    weights = [numbers(20, 16) / 30, numbers(16, 3, seed=1) / 30]
    x, y = numbers(32, 20, seed=2) / 9, numbers(32, 3, seed=3) / 9
    ours = jax.jit(step)([sharded(w, mesh) for w in weights], sharded(x, mesh, "batch"), sharded(y, mesh, "batch"))
    theirs = on_cpu(step, weights, x, y)
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


def test_a_constraint_divides_an_intermediate_array():
    mesh = mesh_of((8,), "x")
    values = numbers(16, 8)

    @jax.jit
    def function(x):
        y = lax.with_sharding_constraint(x + 1, NamedSharding(mesh, P(None, "x")))
        return (y * 2).sum(0)

    np.testing.assert_array_equal(function(sharded(values, mesh, "x")), (2 * (values + 1)).sum(0))


# Collective operations


@pytest.mark.parametrize("dtype", [np.float32, np.int32, jnp.bfloat16])
@pytest.mark.parametrize("axes", ["x", "y", ("x", "y")])
def test_reductions_over_axes(dtype, axes):
    mesh = mesh_of((4, 2), ("x", "y"))
    x = numbers(4, 2, 5, 7).astype(dtype)

    def function(x):
        return lax.psum(x, axes), lax.pmax(x, axes), lax.pmin(x, axes)

    spec = P("x", "y")
    ours = on_all(function, mesh, spec, out=P(*[None if a in axes else a for a in ("x", "y")]))(x)
    along = tuple("xy".index(axis) for axis in axes)
    wide = x.astype(np.float32)
    for result, theirs in zip(ours, (wide.sum(along), wide.max(along), wide.min(along)), strict=True):
        assert result.dtype == dtype
        np.testing.assert_array_equal(np.asarray(result, np.float32).reshape(theirs.shape), theirs)


@pytest.mark.parametrize("size", [1, 128, 1000, 70_000])
def test_sums_of_all_sizes(size):
    mesh = mesh_of((8,), "x")
    x = numbers(8, size)
    result = on_all(lambda x: lax.psum(x, "x"), mesh, P("x"), out=P())(x)
    np.testing.assert_array_equal(result, x.sum(0, keepdims=True))
    for part in shards(result).values():
        np.testing.assert_array_equal(part, x.sum(0, keepdims=True))


def test_gathers():
    mesh = mesh_of((4, 2), ("x", "y"))
    x = numbers(8, 6)

    def function(x):
        return lax.all_gather(x, "x", tiled=True), lax.all_gather(x, ("x", "y"), axis=1)

    gather = jax.jit(
        jax.shard_map(
            function, mesh=mesh, in_specs=P(("x", "y")), out_specs=(P(("x", "y")), P(("x", "y"))), check_vma=False
        )
    )
    along, both = gather(x)
    # Device (i, j) has row 2 i + j; along x it gets those of its j.
    np.testing.assert_array_equal(along, np.concatenate([x[core % 2 :: 2] for core in range(8)]))
    np.testing.assert_array_equal(both, np.stack([x] * 8))


@pytest.mark.parametrize("shift", [1, 3, -1])
def test_permutations(shift):
    mesh = mesh_of((8,), "x")
    x = numbers(8, 200)
    pairs = [(i, (i + shift) % 8) for i in range(8)]
    result = on_all(lambda x: lax.ppermute(x, "x", pairs), mesh, P("x"), out=P("x"))(x)
    np.testing.assert_array_equal(result, np.roll(x, shift, 0))


def test_devices_without_a_source_get_zeros():
    mesh = mesh_of((8,), "x")
    x = numbers(8, 9) + 20
    result = on_all(lambda x: lax.ppermute(x, "x", [(0, 5), (5, 2), (7, 7)]), mesh, P("x"), out=P("x"))(x)
    expected = np.zeros_like(x)
    expected[[5, 2, 7]] = x[[0, 5, 7]]
    np.testing.assert_array_equal(result, expected)


def test_scattered_sums():
    mesh = mesh_of((4, 2), ("x", "y"))
    x = numbers(8, 8, 3)

    def function(x):
        return lax.psum_scatter(x[0], "x", tiled=True), lax.psum_scatter(x[0], ("x", "y"), tiled=True)

    along, both = on_all(function, mesh, P(("x", "y")), out=(P(("y", "x")), P(("x", "y"))))(x)
    for j in range(2):
        np.testing.assert_array_equal(along[8 * j : 8 * j + 8], x[j::2].sum(0))
    np.testing.assert_array_equal(both, x.sum(0))


def test_parts_of_all_go_to_all():
    mesh = mesh_of((8,), "x")
    x = numbers(8, 16, 5)

    def function(x):
        return lax.all_to_all(x, "x", split_axis=1, concat_axis=0, tiled=True)

    result = on_all(function, mesh, P("x"), out=P(None, "x"))(x)
    np.testing.assert_array_equal(result, x)
    for core, part in shards(result).items():
        np.testing.assert_array_equal(part, x[:, 2 * core : 2 * core + 2])


def test_devices_know_their_places():
    mesh = mesh_of((4, 2), ("x", "y"))

    def function():
        place = jnp.stack([lax.axis_index("x"), lax.axis_index("y"), lax.axis_index(("x", "y"))])
        return place[None]

    result = on_all(function, mesh, out=P(("x", "y")))()
    np.testing.assert_array_equal(result, [[core // 2, core % 2, core] for core in range(8)])


def test_a_loop_of_permutations():
    """A product whose second operand goes around the ring of devices."""
    mesh = mesh_of((8,), "x")
    a, b = numbers(16, 64), numbers(64, 24, seed=1)

    def function(a, b):
        me = lax.axis_index("x")

        def body(i, state):
            total, b = state
            part = lax.dynamic_slice_in_dim(a, (me - i) % 8 * 8, 8, 1)
            return total + part @ b, lax.ppermute(b, "x", [(j, (j + 1) % 8) for j in range(8)])

        total = lax.pcast(jnp.zeros((2, 24), a.dtype), "x", to="varying")
        return lax.fori_loop(0, 8, body, (total, b))[0]

    result = on_all(function, mesh, P("x"), P("x"), out=P("x"))(a, b)
    np.testing.assert_array_equal(result, a @ b)


def test_gradients_through_collectives(on_cpu):
    mesh = mesh_of((4,), "x")
    x, w = numbers(8, 6) / 8, numbers(6, 5, seed=1) / 8

    def local(x, w):
        return lax.pmean(jnp.mean(jnp.sin(x @ w)), "x")

    loss = jax.shard_map(local, mesh=mesh, in_specs=(P("x"), P()), out_specs=P())
    ours = jax.jit(jax.grad(loss, argnums=(0, 1)))(x, w)
    theirs = on_cpu(jax.grad(lambda x, w: jnp.mean(jnp.sin(x @ w)), argnums=(0, 1)), x, w)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-7)


# pmap


def test_pmap():
    x = numbers(8, 3, 4)
    total, core = jax.pmap(lambda x: (lax.psum(x, "i"), lax.axis_index("i")), axis_name="i")(x)
    np.testing.assert_array_equal(total, np.stack([x.sum(0)] * 8))
    np.testing.assert_array_equal(core, np.arange(8))
    again = jax.pmap(lambda x, y: x * y, in_axes=(0, None))(total, 2.0)
    np.testing.assert_array_equal(again, np.stack([2 * x.sum(0)] * 8))


def test_pmap_on_some_devices():
    chosen = [jax.devices()[i] for i in (5, 2)]
    result = jax.pmap(lambda x: x - lax.pmean(x, "i"), axis_name="i", devices=chosen)(np.array([[1.0, 2], [5, 0]]))
    np.testing.assert_array_equal(result, [[-2, 1], [2, -1]])
    assert [shard.device for shard in result.addressable_shards] == chosen


# Meshes


@pytest.mark.parametrize("devices", [(0, 1), (5, 1), (6, 7), (0, 2, 4, 6), (7, 2, 4, 0), (3, 2, 1, 0)])
def test_meshes_of_some_devices(devices):
    mesh = mesh_of((len(devices),), "x", devices)
    x = numbers(len(devices), 33)

    def function(x):
        return lax.psum(x, "x"), x + lax.axis_index("x").astype(x.dtype)

    total, places = on_all(function, mesh, P("x"), out=(P(), P("x")))(x)
    np.testing.assert_array_equal(total, x.sum(0, keepdims=True))
    np.testing.assert_array_equal(places, x + np.arange(len(devices))[:, None])
    for position, device in enumerate(devices):
        np.testing.assert_array_equal(shards(places)[device], x[position : position + 1] + position)


def test_two_meshes_at_once():
    function = jax.jit(lambda x: x.sum() + x)
    results = []
    for _ in range(3):
        for devices in ((0, 1, 2, 3), (4, 5, 6, 7), (2, 3, 4, 5), (1, 6)):
            mesh = mesh_of((len(devices),), "x", devices)
            results.append((function(sharded(np.arange(8.0, dtype=np.float32), mesh, "x")), devices))
    for result, devices in results:
        np.testing.assert_array_equal(result, 28 + np.arange(8))
        assert {device.id for device in result.devices()} == set(devices)


def test_meshes_in_the_order_of_the_mesh_utilities():
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    order = [device.id for device in mesh.devices.flat]
    # Around the ring of chips.
    assert order == [0, 1, 2, 3, 6, 7, 4, 5]
    x = numbers(8, 40)
    result = on_all(lambda x: lax.ppermute(x, "x", [(i, (i + 1) % 8) for i in range(8)]), mesh, P("x"), out=P("x"))(x)
    np.testing.assert_array_equal(result, np.roll(x, 1, 0))
    for position, device in enumerate(order):
        np.testing.assert_array_equal(shards(result)[device], x[position - 1][None])


def test_explicit_axes():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(mesh):
        a = jax.device_put(numbers(8, 6), NamedSharding(mesh, P("x", None)))
        b = jax.device_put(numbers(6, 4, seed=1), NamedSharding(mesh, P(None, "y")))
        c = jax.jit(lambda a, b: a @ b)(a, b)
        assert c.sharding.spec == P("x", "y")
    np.testing.assert_array_equal(c, numbers(8, 6) @ numbers(6, 4, seed=1))


# Runs


def test_donated_arrays_are_gone():
    mesh = mesh_of((8,), "x")
    values = numbers(16, 128)
    x = sharded(values, mesh, "x")
    before = [device.memory_stats()["bytes_in_use"] for device in jax.devices()]
    step = jax.jit(lambda x: x * 2, donate_argnums=0)
    for _ in range(3):
        y, x = x, step(x)
        assert y.is_deleted()
    np.testing.assert_array_equal(x, values * 8)
    assert [device.memory_stats()["bytes_in_use"] for device in jax.devices()] == before


def test_programs_of_one_device_and_of_all_run_in_order():
    mesh = mesh_of((8,), "x")
    x = sharded(numbers(8, 16), mesh, "x")
    expected = numbers(8, 16)
    total = jax.jit(lambda x: x - x.sum(0) // 8)
    for _ in range(4):
        x = total(x)
        expected = expected - expected.sum(0) // 8
        parts = [shard.data + shard.device.id for shard in x.addressable_shards]
        x = jax.make_array_from_single_device_arrays(x.shape, x.sharding, parts)
        expected = expected + np.arange(8)[:, None]
    np.testing.assert_array_equal(x, expected)


def test_an_error_of_one_device_is_that_of_the_array(tmp_path):
    """One device has no room for its part of the result."""
    small = tmp_path / "small.textproto"
    description = (TARGETS / "v3.textproto").read_text()
    small.write_text(description.replace("value: 34359738368", f"value: {64 << 20}"))  # 32 MB a core
    output = run(
        """
        import jax, numpy as np
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

        def refused(make):
            try:
                jax.block_until_ready(make())
            except jax.errors.JaxRuntimeError as error:
                print(error)

        devices = jax.devices()
        print(len(devices))
        mesh = Mesh(np.array(devices), "x")
        x = jax.device_put(np.ones((2, 10 << 20), np.int8), NamedSharding(mesh, P("x")))
        filled = jax.device_put(np.ones(16 << 20, np.int8), devices[1])
        result = jax.jit(lambda x: x + x)(x)
        refused(lambda: result)
        refused(lambda: result.addressable_shards[0].data)
        del filled
        print(np.asarray(jax.jit(lambda x: x + x)(x))[:, -1])
        """,
        SYSTOLE_TARGET=f"{small}-2",
    ).splitlines()
    assert output[0] == "2"
    assert output[1].startswith("RESOURCE_EXHAUSTED: jit__lambda: out of HBM")
    assert output[2] == output[1]
    assert output[3] == "[2 2]"


@pytest.mark.parametrize("dtype", [jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e8m0fnu, jnp.int4], ids=str)
def test_small_types_in_manual_computations(dtype):
    mesh = mesh_of((2,), "x")
    x = np.array([0.5, 1, 2, 4], np.float32).astype(dtype)
    y = on_all(lambda x: lax.ppermute(x, "x", [(0, 1), (1, 0)]), mesh, P("x"), out=P("x"))(x)
    np.testing.assert_array_equal(np.asarray(y).astype(np.float32), x[[2, 3, 0, 1]].astype(np.float32))


# Executables


@pytest.fixture(scope="module")
def compiled():
    mesh = mesh_of((4, 2), ("x", "y"))
    a = jax.ShapeDtypeStruct((16, 32), jnp.float32, sharding=NamedSharding(mesh, P("x", None)))
    b = jax.ShapeDtypeStruct((32, 8), jnp.float32, sharding=NamedSharding(mesh, P(None, "y")))
    return jax.jit(lambda a, b: (a @ b, a)).lower(a, b).compile()


def test_a_program_says_how_its_arrays_are_divided(compiled):
    (a, b), _ = compiled.input_shardings
    assert (a.spec, b.spec) == (P("x", None), P(None, "y"))
    c, same = compiled.output_shardings
    assert c.shard_shape((16, 8)) == (4, 4) or c.is_fully_replicated
    assert same.shard_shape((16, 32)) == (4, 32)
    assert "f32[4,32]" in compiled.as_text()


def test_the_text_of_a_program_is_the_partitioned_one():
    mesh = mesh_of((8,), ("x",))
    a = jax.ShapeDtypeStruct((16, 32), jnp.float32, sharding=NamedSharding(mesh, P(None, "x")))
    b = jax.ShapeDtypeStruct((32, 8), jnp.float32, sharding=NamedSharding(mesh, P("x")))
    text = jax.jit(lambda a, b: a @ b).lower(a, b).compile().as_text()
    assert "f32[16,4]" in text and "all-reduce" in text and "num_partitions=8" in text


def test_figures_are_those_of_one_device(compiled):
    memory = compiled.memory_analysis()
    # Four rows of 32 elements in whole groups of eight rows, 32 of four.
    assert memory.argument_size_in_bytes <= 8 * 512 + 32 * 512
    assert 0 < compiled.cost_analysis()["flops"] <= 2 * 16 * 32 * 8


def test_a_serialized_executable_runs_on_its_devices(compiled):
    mesh = mesh_of((4, 2), ("x", "y"))
    serialized = serialize_executable.serialize(compiled)
    loaded = serialize_executable.deserialize_and_load(*serialized, execution_devices=jax.devices())
    a, b = numbers(16, 32), numbers(32, 8, seed=1)
    c, same = loaded(sharded(a, mesh, "x", None), sharded(b, mesh, None, "y"))
    np.testing.assert_array_equal(c, a @ b)
    np.testing.assert_array_equal(same, a)


def test_a_program_is_compiled_for_a_topology():
    topology = topologies.get_topology_desc("v3-8", "tpu")
    mesh = Mesh(np.array(topology.devices).reshape(8), "x")
    x = jax.ShapeDtypeStruct((8, 128), jnp.float32, sharding=NamedSharding(mesh, P("x")))
    compiled = jax.jit(lambda x: x * 2).lower(x).compile()
    assert compiled.memory_analysis().argument_size_in_bytes == 8 * 512  # a row, in a group of eight
