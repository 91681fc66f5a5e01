"""The devices of a slice in JAX.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import topologies
from process import run

TARGETS = pathlib.Path(__file__).parents[2] / "dialects/Machine/Target/targets"


def test_a_slice_has_its_cores_on_a_rectangle_of_chips():
    devices = jax.devices()
    assert [d.id for d in devices] == list(range(8))
    assert {d.platform for d in devices} == {"tpu"}
    assert {d.device_kind for d in devices} == {"TPU v3"}
    # Four chips of two cores each.
    assert [(tuple(d.coords), d.core_on_chip) for d in devices] == [
        ((x, y, 0), core) for y in (0, 1) for x in (0, 1) for core in (0, 1)
    ]
    assert {(d.num_cores, d.slice_index, d.process_index) for d in devices} == {(1, 0, 0)}
    assert devices[5].local_hardware_id == 5
    assert devices[0].memory(kind="device").addressable_by_devices() == [devices[0]]


def test_the_mesh_utilities_know_the_devices():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    assert sorted(d.id for d in mesh.devices.flat) == list(range(8))


# The kinds that jax._src.mesh_utils, Pallas and libraries such as MaxText compare with.
@pytest.mark.parametrize(
    "target, kind, version, chips",
    [
        ("v2-8", "TPU v2", "v2", 4),
        ("v3-8", "TPU v3", "v3", 4),
        ("v4", "TPU v4", "v4", 1),
        ("v5e-8", "TPU v5 lite", "v5e", 8),
        ("v6e-8", "TPU v6 lite", "v6e", 8),
    ],
)
def test_libraries_know_the_devices_of_each_target(target, kind, version, chips):
    output = run(
        """
        import jax
        from jax.experimental import mesh_utils
        from jax.experimental.pallas import tpu as pltpu

        devices = jax.devices()
        print(devices[0].device_kind)
        print(len({tuple(d.coords) for d in devices}))
        print({d.slice_index for d in devices}, {d.num_cores for d in devices})
        info = pltpu.get_tpu_info()
        print(info.chip_version.value, info.num_cores)
        print(mesh_utils.create_device_mesh((len(devices), 1)).shape == (len(devices), 1))
        print(jax.make_mesh((len(devices),), ("x",)).abstract_mesh.abstract_device.num_cores)
        """,
        SYSTOLE_TARGET=target,
    ).splitlines()
    assert output == [kind, str(chips), "{0} {1}", f"{version} 1", "True", "1"]


def test_computations_follow_their_arguments():
    function = jax.jit(lambda x: x * 2 + 1)
    for device in jax.devices():
        x = jax.device_put(np.arange(5, dtype=np.float32), device)
        y = function(x)
        assert y.devices() == {device}
        np.testing.assert_array_equal(y, [1, 3, 5, 7, 9])


def test_arrays_of_two_devices_do_not_meet():
    a, b = (jax.device_put(np.ones(3, np.float32), d) for d in jax.devices()[:2])
    with pytest.raises(ValueError, match="incompatible devices"):
        a + b
    np.testing.assert_array_equal(a + jax.device_put(b, jax.devices()[0]), [2, 2, 2])


def test_memory_is_counted_with_padding(device):
    before = device.memory_stats()
    assert min(before.values()) >= 0  # -1 is unknown
    assert before["bytes_limit"] == 16 << 30  # half of a chip's 32 GiB
    assert before["bytes_reserved"] == 0
    x = jax.device_put(np.ones((9, 130), np.float32), device).block_until_ready()
    after = device.memory_stats()
    # Nine rows of two times 128 lanes, in whole groups of eight rows: 24 of 512 bytes.
    assert after["bytes_in_use"] - before["bytes_in_use"] == 24 * 512
    assert after["largest_free_block_bytes"] == after["bytes_limit"] - after["bytes_in_use"]
    assert after["num_allocs"] == before["num_allocs"] + 1
    x.delete()
    assert device.memory_stats()["bytes_in_use"] == before["bytes_in_use"]


def test_arrays_that_do_not_fit_are_refused(tmp_path):
    description = (TARGETS / "v3.textproto").read_text()
    small = tmp_path / "small.textproto"
    assert "value: 34359738368" in description
    small.write_text(description.replace("value: 34359738368", f"value: {64 << 20}"))  # 32 a core
    output = run(
        """
        import jax, jax.numpy as jnp, numpy as np

        def refused(make):
            try:
                make().block_until_ready()
            except jax.errors.JaxRuntimeError as error:
                print(error)

        print(jax.devices()[0].memory_stats()["bytes_limit"])
        refused(lambda: jax.device_put(np.ones((33 << 20,), np.int8)))
        kept = [jax.device_put(np.ones((10 << 20,), np.int8)) for _ in range(3)]
        double = jax.jit(lambda x: x + x)
        result = double(kept[0])
        # Found when the program runs, so it reaches who waits for the result, and what depends on it.
        refused(lambda: result)
        refused(lambda: result[:3] + 1)
        del kept[1:]
        print(double(kept[0])[-3:])
        # More than there would be without anything else.
        refused(lambda: jax.jit(lambda x: x[:, None] + x)(jnp.ones(4096)))
        """,
        SYSTOLE_TARGET=str(small),
    ).splitlines()
    assert output[0] == str(32 << 20)
    assert output[1].startswith("RESOURCE_EXHAUSTED: out of HBM: tensor<34603008xi8> takes 34603008")
    assert output[2].startswith("RESOURCE_EXHAUSTED: jit__lambda: out of HBM")
    assert output[3] == output[2]
    assert output[4] == "[2 2 2]"
    assert output[5].startswith("RESOURCE_EXHAUSTED: ") and "bytes of HBM, and a core has" in output[5]


@pytest.mark.parametrize("name, count", [("v3-8", 8), ("v2:2x2", 8), ("v3:1x1x1", 2)])
def test_programs_are_compiled_for_a_topology(name, count):
    topology = topologies.get_topology_desc(name, "tpu")
    assert len(topology.devices) == count
    sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])
    shape = jax.ShapeDtypeStruct((128, 128), jnp.float32, sharding=sharding)
    compiled = jax.jit(lambda x: x @ x).lower(shape).compile()
    assert compiled.cost_analysis()["flops"] == 2 * 128**3


def test_an_unknown_topology_is_refused():
    with pytest.raises(jax.errors.JaxRuntimeError, match="v99"):
        topologies.get_topology_desc("v99", "tpu")
