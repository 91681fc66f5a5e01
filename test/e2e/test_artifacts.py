"""Portable artifacts: jaxlib and Systole read each other's, for every version.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The directory of the tools is in the environment variable SYSTOLE_BIN.
"""

import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export
from jax.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, stablehlo

from systole_cli import BIN, ROOT, load_results, save_args, systole
from test_stablehlo_syntax import LIT, from_jax, operations

sys.path.append(str(ROOT / "benchmarks/models"))

from agreement import FACTOR, distance, expect  # noqa: E402
from models import MODELS  # noqa: E402

NEWEST = int(stablehlo.get_current_version().split(".")[1])
VERSIONS = [f"1.{minor}.0" for minor in range(NEWEST + 1)]
TO_STABLEHLO = "--systole-vhlo-to-stablehlo"

BEFORE_RANGES = VERSIONS[:9]


def programs():
    """Every operation of the dialect: the lowerings of from_jax's functions, and the lit tests."""
    texts = {f"jax-{name}": None for name in from_jax.PROGRAMS}
    for path in sorted(LIT.glob("*.mlir")):
        if path.stem != "from_jax" and not path.stem.endswith("-errors"):
            for number, text in enumerate(operations(path.read_text())):
                texts[f"{path.stem}-{number}"] = text
    return texts


PROGRAMS = programs()


def text_of(name):
    """The program as jaxlib prints it, places included."""
    text = PROGRAMS[name]
    if text is None:
        return from_jax.lower(name.removeprefix("jax-")).operation.get_asm(enable_debug_info=True)
    # jaxlib prints `%x, , sizes = []` for a slice of a scalar and cannot read that back.
    text = re.sub(r"^.*stablehlo\.dynamic_slice %s, sizes = \[\].*$", "", text, flags=re.MULTILINE)
    with jax_mlir.make_ir_context():
        return ir.Module.parse(text).operation.get_asm(enable_debug_info=True)


def jaxlib_writes(text, version):
    """An artifact, or None if the version cannot express the text."""
    try:
        with jax_mlir.make_ir_context():
            module = ir.Module.parse(text)
            return stablehlo.serialize_portable_artifact(module, version)
    except ValueError:
        return None


def jaxlib_reads(artifact, places=True):
    with jax_mlir.make_ir_context() as context:
        module = stablehlo.deserialize_portable_artifact(context, artifact)
        return lines(module.operation.get_asm(enable_debug_info=places))


def systole_opt(input, *flags):
    return subprocess.run([str(BIN / "systole-opt"), "-", *flags], input=input, capture_output=True, timeout=60)


def lines(text):
    return [line.split() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_version(name, request):
    """The first, the last and every third version, another third for the next program; or, with
    --every-version, all of them."""
    text = text_of(name)
    third = VERSIONS[list(PROGRAMS).index(name) % 3 :: 3]
    every = request.config.getoption("--every-version")
    versions = [v for v in VERSIONS if every or v in (VERSIONS[0], VERSIONS[-1], *third)]
    written = {version: jaxlib_writes(text, version) for version in versions}
    if written[VERSIONS[-1]] is None:
        refused = systole_opt(text.encode(), f"--emit-portable-artifact={VERSIONS[-1]}")
        assert refused.returncode == 1 and b"cannot represent" in refused.stderr
        return
    for version, theirs in written.items():
        ours = systole_opt(text.encode(), f"--emit-portable-artifact={version}")
        if theirs is None:
            assert ours.returncode == 1, f"{version}: jaxlib refuses this"
            assert f"StableHLO {version.removesuffix('.0')} cannot represent" in ours.stderr.decode()
            assert not ours.stdout
            continue
        expected = jaxlib_reads(theirs)
        read = systole_opt(theirs, TO_STABLEHLO, "--mlir-print-debuginfo")
        assert read.returncode == 0, read.stderr
        assert lines(read.stdout.decode()) == expected, version
        assert ours.returncode == 0, ours.stderr
        # Readers of versions before 1.9 know no places with an end; jaxlib writes these all the same.
        places = version not in BEFORE_RANGES
        assert jaxlib_reads(ours.stdout, places) == jaxlib_reads(theirs, places), version


def test_every_operation_is_in_a_program():
    reference = (BIN / "../dialects/StableHLO/StableHLO.md").read_text()
    names = set(re.findall(r"^### `stablehlo\.(\w+)`", reference, flags=re.MULTILINE))
    assert len(names) >= 65
    text = "".join(text_of(name) for name in PROGRAMS)
    # jaxlib does not read these operations, or prints them in another form.
    unread = {"collective_reduce", "get_tuple_element", "tuple", "uniform_dequantize", "uniform_quantize"}
    assert {name for name in names if not re.search(rf"\bstablehlo\.{name}\b", text)} == unread
    apart = "".join(path.read_text() for path in LIT.glob("*/*.mlir"))
    assert {name for name in unread if not re.search(rf"\bstablehlo\.{name}\b", apart)} == set()


def test_version_down():
    """An artifact is read and written for another version."""
    artifact = jaxlib_writes(text_of("jax-windows"), "1.17.0")
    ours = systole_opt(artifact, "--emit-portable-artifact=1.9.0")
    assert ours.returncode == 0, ours.stderr
    assert b"StableHLO_v1.9.0" in ours.stdout
    assert jaxlib_reads(ours.stdout) == jaxlib_reads(jaxlib_writes(text_of("jax-windows"), "1.9.0"))


EXPORTED = {
    "gelu": (lambda x: jax.nn.gelu(x, approximate=False), [np.linspace(-3, 3, 64, dtype="f")]),
    "top_k": (lambda x: jax.lax.top_k(x, 3), [np.sin(np.arange(40, dtype="f"))]),
    "scan": (
        lambda x: jax.lax.scan(lambda c, row: (c + row, c * row), x[0], x),
        [np.cos(np.arange(24, dtype="f")).reshape(4, 6)],
    ),
    "dot": (lambda x, w: jnp.tanh(x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)),
            [np.eye(8, dtype="f"), np.arange(32, dtype="f").reshape(8, 4) / 16]),
    "predicates": (lambda x: jnp.where(jnp.array([True, False] * 5), x, -x),
                   [np.arange(10, dtype="i")]),
    "random": (lambda key: jax.random.bits(jax.random.wrap_key_data(key), (5,)),
               [np.array([1, 2], dtype="u4")]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTED)
def test_exported_runs(name, tmp_path):
    function, args = EXPORTED[name]
    exported = export.export(jax.jit(function), platforms=["tpu"])(*args)
    (tmp_path / "program.mlirbc").write_bytes(exported.mlir_module_serialized)
    save_args(tmp_path / "args.npz", args)
    run = systole("run", tmp_path / "program.mlirbc", "--args", tmp_path / "args.npz",
                  "--out", tmp_path / "out.npz", "--precision", "highest")  # fmt: skip
    assert run.returncode == 0, run.stderr
    expected = jax.tree.leaves(jax.jit(function)(*args))
    for result, leaf in zip(load_results(tmp_path / "out.npz"), expected, strict=True):
        if name == "dot":
            result = result.view(leaf.dtype).reshape(leaf.shape)
        np.testing.assert_allclose(np.asarray(result, "f8"), np.asarray(leaf, "f8"), rtol=2e-6, atol=1e-7)


def compiled(folder, source):
    """A program's bytes. Read from stdin: jaxlib and systole call it the same."""
    folder.mkdir()
    run = subprocess.run([str(BIN / "systole"), "compile", "-", "-o", "out.sysx"],
                         cwd=folder, input=source, capture_output=True)  # fmt: skip
    assert run.returncode == 0, run.stderr
    return (folder / "out.sysx").read_bytes()


@pytest.mark.parametrize("version", ["0.9.0", "0.11.0", "0.13.0", "0.14.0", "0.15.0", "0.20.0"])
def test_old_versions_are_read(version):
    """Each with another encoding or set of operations; not written any more."""
    count = 0
    for name in PROGRAMS:
        theirs = jaxlib_writes(text_of(name), version)
        if theirs is None:
            continue
        read = systole_opt(theirs, TO_STABLEHLO, "--mlir-print-debuginfo")
        assert read.returncode == 0, read.stderr
        assert lines(read.stdout.decode()) == jaxlib_reads(theirs), name
        count += 1
    assert count > 12
    refused = systole_opt(b"module {}", f"--emit-portable-artifact={version}")
    assert b"is not a version of StableHLO from 1.0" in refused.stderr


@pytest.mark.parametrize("version", ["1.0.0", "1.8.0", "1.9.0", VERSIONS[-1]])
@pytest.mark.parametrize("program", ["mlp/train", "cnn/train"])
def test_examples_compile_to_the_same_program(program, version, tmp_path):
    """An artifact of an export of the examples is the program that its text is."""
    path = ROOT / f"examples/digits/{program}.mlir"
    artifact = jaxlib_writes(path.read_text(), version)
    with jax_mlir.make_ir_context() as context:
        module = stablehlo.deserialize_portable_artifact(context, artifact)
        text = module.operation.get_asm(enable_debug_info=True)
    assert compiled(tmp_path / "a", artifact) == compiled(tmp_path / "t", text.encode())


def sharded(devices, axis="x"):
    mesh = jax.sharding.AbstractMesh((devices,), (axis,), (jax.sharding.AxisType.Auto,))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(axis))

    def function(x):
        return jax.lax.with_sharding_constraint(x + 1, sharding) * 2

    argument = jax.ShapeDtypeStruct((8,), jnp.float32, sharding=sharding)
    exported = export.export(jax.jit(function), platforms=["tpu"])(argument)
    assert b"sharding_constraint" in exported.mlir_module_serialized
    return exported.mlir_module_serialized


def test_sharded_on_one_device(tmp_path):
    (tmp_path / "program.mlirbc").write_bytes(sharded(1))
    save_args(tmp_path / "args.npz", [np.arange(8, dtype="f")])
    run = systole("run", tmp_path / "program.mlirbc", "--args", tmp_path / "args.npz",
                  "--out", tmp_path / "out.npz")  # fmt: skip
    assert run.returncode == 0, run.stderr
    (result,) = load_results(tmp_path / "out.npz")
    np.testing.assert_array_equal(result, (np.arange(8) + 1) * 2)


def test_sharded_on_several_devices(tmp_path):
    (tmp_path / "program.mlirbc").write_bytes(sharded(4))
    run = systole("compile", tmp_path / "program.mlirbc", "-o", tmp_path / "out.sysx")
    assert run.returncode == 1
    assert "the program is divided among 4 cores, and target v3 has 1" in run.stderr


def test_the_list_of_unsupported_operations_is_complete():
    """What jaxlib's dialects have is either registered or listed: an operation that is neither would
    be a name that the list has not heard of."""
    page = (ROOT / "docs/operations.md").read_text()
    listed = set(re.findall(r"^\| `([\w.-]+)` \|$", page, re.MULTILINE))
    public = {
        value.OPERATION_NAME
        for dialect in (chlo, stablehlo)
        for value in vars(dialect).values()
        if hasattr(value, "OPERATION_NAME")
    }
    supported = sum(map(int, re.findall(r"(\d+) of \w+'s \d+ operations are supported", page)))
    newer = {"stablehlo.collective_reduce"}  # of StableHLO 1.19, newer than jaxlib 0.10.2
    assert listed - newer < public
    assert supported == len((public | newer) - listed)


CUSTOM_CALL = export.DisabledSafetyCheck.custom_call("no_such_target")


def test_missing_operation_is_named_with_its_place(tmp_path):
    call = lambda x: jax.ffi.ffi_call("no_such_target", x)(x)
    exported = export.export(jax.jit(call), platforms=["tpu"], disabled_checks=[CUSTOM_CALL])(jnp.zeros(8))
    (tmp_path / "program.mlirbc").write_bytes(exported.mlir_module_serialized)
    run = systole("compile", tmp_path / "program.mlirbc", "-o", tmp_path / "out.sysx")
    assert run.returncode == 1
    assert re.search(
        r"test_artifacts\.py:\d+:\d+: error: operation 'stablehlo\.custom_call' of 'no_such_target' is not supported: "
        r"'\(tensor<8xf32>\) -> tensor<8xf32>'",
        run.stderr,
    )
    assert run.stderr.count("error:") == 2  # the tool's own word, and the one diagnostic


# Of each kind of network one: every operation has artifacts of its own above.
@pytest.mark.parametrize("name", ["resnet50-inference", "bilstm", "bert"])
def test_small_models_compile_to_the_same_program(name, tmp_path):
    """What JAX exports of the models, as the artifact and as the text that jaxlib reads from it."""
    function, args = MODELS[name]("small")
    artifact = export.export(jax.jit(function), platforms=["tpu"])(*args).mlir_module_serialized
    with jax_mlir.make_ir_context() as context:
        module = stablehlo.deserialize_portable_artifact(context, artifact)
        text = module.operation.get_asm(enable_debug_info=True)
    assert compiled(tmp_path / "a", artifact) == compiled(tmp_path / "t", text.encode())


def test_small_model_runs_from_its_artifact(tmp_path):
    function, args = MODELS["bilstm"]("small")
    artifact = export.export(jax.jit(function, keep_unused=True), platforms=["tpu"])(*args)
    (tmp_path / "program").write_bytes(artifact.mlir_module_serialized)
    save_args(tmp_path / "args.npz", jax.tree.leaves(args))
    run = systole("run", tmp_path / "program", "--args", tmp_path / "args.npz",
                  "--out", tmp_path / "out.npz", "--precision", "highest")  # fmt: skip
    assert run.returncode == 0, run.stderr
    results = load_results(tmp_path / "out.npz")
    off = {
        expected.name: distance(result, expected)
        for result, expected in zip(results, expect(function, args), strict=True)
    }
    assert {name: value for name, value in off.items() if not value <= FACTOR} == {}
