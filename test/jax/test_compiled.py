"""Properties of compiled programs, and where they are cached.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import serialize_executable, topologies
from jax.sharding import Mesh, SingleDeviceSharding
from jax.sharding import PartitionSpec as P
from process import run


@pytest.fixture
def compiled():
    function = jax.jit(lambda x, y: jnp.tanh(x @ y))
    return function.lower(jnp.ones((256, 128)), jnp.ones((128, 128))).compile()


def test_cost_analysis(compiled):
    costs = compiled.cost_analysis()
    assert costs["flops"] == 2 * 256 * 128 * 128 + 256 * 128
    # Two arguments and the result, full rows all.
    assert costs["bytes accessed"] == 4 * (256 * 128 + 128 * 128 + 256 * 128)
    assert costs["optimal_seconds"] == pytest.approx(costs["cycles"] / 940e6)
    assert 0 < costs["mxu_utilization"] < 1


def test_memory_analysis(compiled):
    memory = compiled.memory_analysis()
    assert memory.argument_size_in_bytes == 4 * (256 * 128 + 128 * 128)
    assert memory.output_size_in_bytes == 4 * 256 * 128
    assert memory.temp_size_in_bytes == 0
    assert memory.generated_code_size_in_bytes > 0
    # Unknown figures are absent, instead of uninitialized memory.
    assert memory.host_argument_size_in_bytes == memory.host_temp_size_in_bytes == 0
    assert memory.alias_size_in_bytes == memory.host_output_size_in_bytes == 0


def test_the_program_can_be_read(compiled):
    text = compiled.as_text()
    assert "f32[256,128]" in text and "dot" in text and "tanh" in text


def test_a_program_with_shardings_can_be_read_and_serialized(device):
    """JAX gives a program compiled for a topology one."""
    topology = topologies.get_topology_desc("v3", "tpu")
    sharding = SingleDeviceSharding(topology.devices[0])
    shape = jax.ShapeDtypeStruct((3, 4), jnp.float32, sharding=sharding)
    function = jax.jit(lambda x: jax.lax.with_sharding_constraint(x + 1, sharding) * 2, out_shardings=sharding)
    compiled = function.lower(shape).compile()
    assert "f32[3,4]" in compiled.as_text()
    serialized = serialize_executable.serialize(compiled)
    loaded = serialize_executable.deserialize_and_load(*serialized, execution_devices=[device])
    np.testing.assert_array_equal(loaded(np.ones((3, 4), np.float32)), np.full((3, 4), 4))


def test_a_program_on_a_mesh_of_one_device_can_be_read(device):
    mesh = Mesh(np.array([device]), ("i",))
    function = jax.shard_map(lambda x: x * 2, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    compiled = jax.jit(function).lower(np.arange(4.0)).compile()
    assert "f32[4]" in compiled.as_text()
    np.testing.assert_array_equal(compiled(np.arange(4.0)), [0, 2, 4, 6])


def test_a_serialized_executable_runs(compiled, device):
    serialized = serialize_executable.serialize(compiled)
    loaded = serialize_executable.deserialize_and_load(*serialized, execution_devices=[device])
    x, y = np.ones((256, 128), np.float32), np.eye(128, dtype=np.float32) / 2
    np.testing.assert_allclose(loaded(x, y), np.tanh(x / 2), rtol=3e-7)


def test_a_serialized_executable_knows_its_device():
    device = jax.devices()[3]
    function = jax.jit(lambda x: x + 1, device=device)
    serialized = serialize_executable.serialize(function.lower(np.ones(3, np.float32)).compile())
    result = serialize_executable.deserialize_and_load(*serialized, execution_devices=[device])(
        jax.device_put(np.ones(3, np.float32), device)
    )
    assert result.devices() == {device}
    np.testing.assert_array_equal(result, [2, 2, 2])


def test_precision_may_be_chosen_for_a_program():
    x = np.full((128, 128), 1 + 2.0**-12, np.float32)
    function = jax.jit(lambda x: x @ x)
    exact = 128 * (1 + 2.0**-12) ** 2
    np.testing.assert_allclose(function(x), exact, rtol=1e-6)
    lowered = function.lower(x)
    fast = lowered.compile(compiler_options={"systole_precision": "default"})
    np.testing.assert_array_equal(fast(x), 128)  # bf16 has not the last bits
    with pytest.raises(jax.errors.JaxRuntimeError, match="systole_precision is 'best'"):
        lowered.compile(compiler_options={"systole_precision": "best"})


def test_compiler_options_of_xla():
    lowered = jax.jit(lambda x: x + 1).lower(1.0)
    compiled = lowered.compile(compiler_options={"xla_embed_ir_in_executable": True, "optimization_level": 1})
    assert compiled(1.0) == 2
    with pytest.raises(jax.errors.JaxRuntimeError, match="No such compile option: 'invalid_key'"):
        lowered.compile(compiler_options={"invalid_key": 1})
    with pytest.raises(
        jax.errors.JaxRuntimeError, match="setting option xla_dump_hlo_as_text, 'all' is not a valid bool"
    ):
        lowered.compile(compiler_options={"xla_dump_hlo_as_text": "all"})
    assert lowered.compile(compiler_options={"xla_dump_hlo_as_text": "false", "xla_dump_to": "all"})(1.0) == 2


PROGRAM = "import jax, jax.numpy as jnp; print(jax.jit(lambda x: jnp.sin(x) * 2)(jnp.ones(3)))"


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_report_has_a_line_for_each_program_and_run(tmp_path):
    report = tmp_path / "report.jsonl"
    run(PROGRAM, SYSTOLE_REPORT=str(report), SYSTOLE_TARGET="v2")
    lines = lines_of(report)
    compiles = [line for line in lines if line["event"] == "compile"]
    runs = [line for line in lines if line["event"] == "run"]
    assert {line["from"] for line in compiles} == {"compiler"}
    (sine,) = [line for line in runs if line["program"] == "jit__lambda"]
    assert sine["target"] == "v2" and sine["cycles"] > 0 and sine["kernels"]


def test_programs_are_found_on_disk_by_the_next_process(tmp_path):
    cache, report = tmp_path / "cache", tmp_path / "report.jsonl"
    first = run(PROGRAM, SYSTOLE_CACHE=str(cache))
    second = run(PROGRAM, SYSTOLE_CACHE=str(cache), SYSTOLE_REPORT=str(report))
    assert first == second
    assert {line["from"] for line in lines_of(report) if line["event"] == "compile"} == {"disk"}
    # A damaged entry counts as missing.
    for file in cache.iterdir():
        file.write_bytes(file.read_bytes()[:-7])
    assert run(PROGRAM, SYSTOLE_CACHE=str(cache)) == first


def test_jax_keeps_programs_too(tmp_path):
    environment = {
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    report = tmp_path / "report.jsonl"
    first = run(PROGRAM, **environment)
    assert any((tmp_path / "jax").iterdir())
    assert run(PROGRAM, SYSTOLE_REPORT=str(report), **environment) == first
    assert not [line for line in lines_of(report) if line["event"] == "compile"]
    # But not for another precision.
    run(PROGRAM, SYSTOLE_REPORT=str(report), SYSTOLE_PRECISION="default", **environment)
    compiles = [line for line in lines_of(report) if line["event"] == "compile"]
    assert {line["precision"] for line in compiles} == {"default"}


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("SYSTOLE_TARGET", "v99", "v99"),
        ("SYSTOLE_PRECISION", "best", "the precision is 'best'; it can be default, high or highest"),
        ("SYSTOLE_REPORT", "/nowhere/report", "/nowhere/report: cannot be appended to"),
    ],
)
def test_wrong_settings_are_python_errors(name, value, message):
    code = "import jax\ntry:\n  jax.devices()\nexcept RuntimeError as error:\n  print(error)"
    assert message in run(code, **{name: value})


def test_the_plugin_is_where_the_tests_say():
    assert pathlib.Path(os.environ["SYSTOLE_PLUGIN"]).name == "libsystole_pjrt.so"
