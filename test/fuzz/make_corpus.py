"""Makes the seeds of the fuzzers: small programs of many kinds, as text, artifacts, HLO and .sysx,
and Pallas kernels.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: make_corpus.py BIN   (the folder of `systole` and `systole-opt`)

Inputs that were findings are kept in the corpus beside the generated ones.
"""

import os
import pathlib
import subprocess
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

FOLDER = pathlib.Path(__file__).resolve().parent
CORPUS = FOLDER / "corpus"
# Places of sources as they are in the repository, wherever that is.
jax.config.update("jax_hlo_source_file_canonicalization_regex", f"{FOLDER}/")
VERSIONS = ("1.0.0", "1.9.0", "1.17.0")


def programs():
    """name -> (function, arguments)."""
    x, y = jnp.ones((4, 8)), jnp.ones((8, 2), jnp.bfloat16)
    i = jnp.arange(6, dtype=jnp.int32)
    yield "elementwise", lambda x: jnp.where(x > 0, jnp.exp(x), -x) + 2, (x,)
    yield "dot", lambda x, y: x @ y.astype(x.dtype), (x, y)
    yield "reduce", lambda x: (x.max(1), jnp.argmin(x, 0), x.astype(jnp.int8).sum()), (x,)
    yield "movement", lambda x: jnp.pad(x.T[::2], ((1, 2), (0, 3)))[1:, ::-1].reshape(-1), (x,)
    yield "loop", lambda x: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * s[1]), (0, x)), (x,)
    yield "branch", lambda n, x: lax.switch(n, [jnp.sin, jnp.cos, lambda x: x[::-1]], x), (i[0], x)
    yield (
        "index",
        lambda x, i: (x[i[:3] % 4], x.at[i % 4, i].add(1.0), lax.dynamic_slice(x, (i[1], i[2]), (2, 3))),
        (x, i),
    )
    yield "sort", lambda x: lax.sort((x, -x), num_keys=1), (x,)
    yield (
        "convolution",
        lambda x, w: lax.conv_general_dilated(
            x, w, (2, 1), "SAME", rhs_dilation=(1, 2), dimension_numbers=("NHWC", "HWIO", "NHWC")
        ),
        (jnp.ones((1, 6, 5, 3)), jnp.ones((3, 2, 3, 4))),
    )
    yield "pool", jax.grad(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 3), (2, 2), "VALID").sum()), (x,)
    yield "random", lambda k: jax.random.normal(k, (5,)), (jax.random.PRNGKey(0),)
    z = jnp.ones((4, 8), jnp.complex64)
    yield "complex", lambda z: (jnp.exp(z) / (z + 1j), jnp.cumprod(z, 1), jnp.sort(z), z @ jnp.conj(z.T)), (z,)
    yield "fourier", lambda z: (jnp.fft.fft2(z), jnp.fft.irfft(z, 15), jnp.fft.rfft(z.real)), (z,)
    small, four = jnp.ones((4, 8), jnp.float8_e4m3fn), jnp.ones((4, 8), jnp.int4)
    yield "small", lambda x, i: (x + x, x @ x.T, x.astype(jnp.float8_e5m2), i * i, i.astype(jnp.uint4)), (small, four)
    yield "special", lambda x: (lax.erf(x), lax.lgamma(x), lax.top_k(x, 2)), (x,)


def double(x):
    """With 64-bit floats, which JAX has with `jax_enable_x64`."""
    return x @ x.T, jnp.exp(x) / x, jnp.cumsum(x, 1), x.astype(jnp.int64), lax.erf(x)


# JAX has no quantized types.
QUANTIZED = """
!x = tensor<3x8x!quant.uniform<i8:f32, 0.5:3>>
!w = tensor<8x2x!quant.uniform<i8<-127:127>:f32:1, {0.1,0.2}>>
!y = tensor<3x2x!quant.uniform<u8:f32, 2.0:128>>
!z = tensor<3x8x!quant.uniform<i16:f32, 0.001>>
func.func @main(%x: !x, %w: !w) -> (!y, tensor<3x8xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (!x, !w) -> !y
  %1 = stablehlo.tanh %x : !x
  %2 = stablehlo.uniform_quantize %1 : (!x) -> !z
  %3 = stablehlo.uniform_dequantize %2 : (!z) -> tensor<3x8xf32>
  return %0, %3 : !y, tensor<3x8xf32>
}
"""
QUANTIZED_CONSTANTS = """
!x = tensor<3x8x!quant.uniform<i8:f32, 0.5:3>>
!w = tensor<2x3x!quant.uniform<u8:f32:1, {0.1,0.2:7,0.5}>>
!n = tensor<2x!quant.uniform<i4:f32, 2.0>>
func.func @main(%x: !x) -> (!x, !w, !n) {
  %0 = stablehlo.constant() <{value = dense<-5> : tensor<3x8xi8>}> : () -> !x
  %1 = stablehlo.add %x, %0 : !x
  %2 = stablehlo.constant() <{value = dense<[[1, 2, 3], [253, 254, 255]]> : tensor<2x3xui8>}> : () -> !w
  %3 = stablehlo.constant() <{value = dense<[-8, 7]> : tensor<2xi4>}> : () -> !n
  return %1, %2, %3 : !x, !w, !n
}
"""


# Queues of the device, in a loop and a branch.
QUEUES = """
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<i64>) {
  %t = stablehlo.create_token : !stablehlo.token
  %0:3 = "stablehlo.infeed"(%t) <{infeed_config = "c", layout = [[0], []]}>
      : (!stablehlo.token) -> (tensor<3xf32>, tensor<i64>, !stablehlo.token)
  %true = stablehlo.constant dense<true> : tensor<i1>
  %1:3 = stablehlo.while(%more = %true, %sum = %x, %token = %0#2) : tensor<i1>, tensor<3xf32>, !stablehlo.token
  cond {
    stablehlo.return %more : tensor<i1>
  } do {
    %2:3 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<3xf32>, tensor<i1>, !stablehlo.token)
    %3 = stablehlo.add %sum, %2#0 : tensor<3xf32>
    %4 = "stablehlo.if"(%2#1) ({
      %5 = "stablehlo.outfeed"(%3, %2#1, %2#2) <{outfeed_config = "d"}>
          : (tensor<3xf32>, tensor<i1>, !stablehlo.token) -> !stablehlo.token
      stablehlo.return %5 : !stablehlo.token
    }, {
      stablehlo.return %2#2 : !stablehlo.token
    }) : (tensor<i1>) -> !stablehlo.token
    stablehlo.return %2#1, %3, %4 : tensor<i1>, tensor<3xf32>, !stablehlo.token
  }
  return %1#1, %0#1 : tensor<3xf32>, tensor<i64>
}
"""


# Sizes that depend on data.
BOUNDED = """
!x = tensor<?x4xf32, #stablehlo.bounds<8, ?>>
func.func @main(%x: !x, %n: tensor<i32>) -> (!x, tensor<4xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.set_dimension_size"(%x, %n) <{dimension = 0 : i64}> : (!x, tensor<i32>) -> !x
  %1 = stablehlo.multiply %0, %0 : !x
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
      : (!x, tensor<f32>) -> tensor<4xf32>
  %3 = "stablehlo.get_dimension_size"(%1) <{dimension = 0 : i64}> : (!x) -> tensor<i32>
  return %1, %2, %3 : !x, tensor<4xf32>, tensor<i32>
}
"""


# Factors of dimensions.
SHARDING_RULES = """
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<2x2x6xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
      {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=4, j=8, k=6} reduction={j}>}
      : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.reshape %0
      {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([i, j, k]) {i=2, j=2, k=6} blocked_propagation={k}>}
      : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<2x2x6xf32>
}
"""


# Arrays in the memory of the host.
HOST_MEMORY = """
func.func @main(%x: tensor<4x8xf32> {mhlo.memory_kind = "pinned_host"}, %y: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32> {mhlo.memory_kind = "unpinned_host"}) {
  %0 = stablehlo.custom_call @annotate_device_placement(%x) {has_side_effect = true,
      mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.add %0, %y : tensor<4x8xf32>
  %2 = stablehlo.custom_call @annotate_device_placement(%1) {has_side_effect = true,
      mhlo.frontend_attributes = {_xla_buffer_placement = "unpinned_host"}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}
"""


# Modules that JAX does not write on a CPU.
HLO = {
    "queues": """HloModule queues, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY main {
  x = f32[4] parameter(0)
  start = token[] after-all()
  got = ((pred[2], s64[]), token[]) infeed(start), infeed_config="a"
  both = (pred[2], s64[]) get-tuple-element(got), index=0
  second = s64[] get-tuple-element(both), index=1
  before = token[] get-tuple-element(got), index=1
  pair = (s64[], f32[4]) tuple(second, x)
  sent = token[] outfeed(pair, before), outfeed_shape=(s64[], f32[4]{0}), outfeed_config="b"
  last = (f32[4], token[]) infeed(sent)
  ROOT y = f32[4] get-tuple-element(last), index=0
}
""",
    "memories": """HloModule memories, entry_computation_layout={(f32[8]{0:S(5)})->(f32[8]{0}, f32[8]{0:T(1024)S(5)})}

ENTRY main {
  a = f32[8]{0:S(5)} parameter(0)
  d = f32[8]{0} copy(a)
  s = f32[8]{0} add(d, d), frontend_attributes={name="x",json={"k": 1}}
  started = (f32[8]{0:S(5)}, f32[8]{0}, u32[]) copy-start(s)
  h = f32[8]{0:S(5)} copy-done(started)
  n = f32[8]{0:S(5)} negate(s)
  q = f32[8]{0} custom-call(n), custom_call_target="annotate_device_placement",
    frontend_attributes={_xla_buffer_placement="device"}
  ROOT r = (f32[8]{0}, f32[8]{0:S(5)}) tuple(q, h)
}
""",
    "bounded": """HloModule bounded

ENTRY main {
  x = f32[<=8,4] parameter(0)
  n = s32[] parameter(1)
  y = f32[<=8,4] set-dimension-size(x, n), dimensions={0}
  z = f32[<=8,4] multiply(y, y)
  m = s32[] get-dimension-size(z), dimensions={0}
  ROOT r = (f32[<=8,4], s32[]) tuple(z, m)
}
""",
}


# Its arrays are four planes. JAX has such in 64-bit mode only.
WIDE_COMPLEX = """
!z = tensor<3x3xcomplex<f64>>
func.func @main(%z: !z) -> (!z, tensor<3xcomplex<f64>>, tensor<3x3xcomplex<f32>>) {
  %zero = stablehlo.constant dense<(0.0, -0.0)> : tensor<complex<f64>>
  %0 = stablehlo.dot_general %z, %z, contracting_dims = [1] x [0] : (!z, !z) -> !z
  %1 = stablehlo.sqrt %0 : !z
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
      : (!z, tensor<complex<f64>>) -> tensor<3xcomplex<f64>>
  %3 = stablehlo.convert %z : (!z) -> tensor<3x3xcomplex<f32>>
  return %1, %2, %3 : !z, tensor<3xcomplex<f64>>, tensor<3x3xcomplex<f32>>
}
"""


def custom_calls():
    """name -> text, of operations that JAX leaves to a TPU's compiler. Not all are supported."""
    functions = {
        "factor": jnp.linalg.qr,
        "solve": lambda x: (jnp.linalg.solve(x[:3], x.T), jnp.linalg.cholesky(x.T @ x)),
        "top": lambda x: lax.approx_max_k(x, 2),
        "eigen": lambda x: jnp.linalg.eigh(x @ x.T),
    }
    targets = ("Eigh", "Qr", "ProductOfElementaryHouseholderReflectors", "LuDecomposition", "ApproxTopK")
    checks = [jax.export.DisabledSafetyCheck.custom_call(target) for target in targets]
    for name, function in functions.items():
        export = jax.export.export(jax.jit(function), platforms=["tpu"], disabled_checks=checks)
        yield name, export(jnp.ones((4, 3))).mlir_module()


def sharded():
    """A function with `sdy` in it, and its argument."""
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    sharding = NamedSharding(mesh, PartitionSpec("x"))
    function = lambda x: lax.with_sharding_constraint(x * 2, sharding)
    return jax.jit(function, in_shardings=sharding), jnp.ones((4, 8))


def write_hlo():
    """HLO before and after XLA's optimizations, of which the latter has fusions, as protos and text."""
    for name, function, args in programs():
        lowered = jax.jit(function, donate_argnums=0).lower(*args)
        before = lowered.compiler_ir("hlo")
        optimized = lowered.compile()
        (module,) = optimized.runtime_executable().hlo_modules()
        pathlib.Path(f"hlo/{name}.pb").write_bytes(before.as_serialized_hlo_module_proto())
        pathlib.Path(f"hlo/{name}.hlo").write_text(before.as_hlo_text())
        pathlib.Path(f"hlo/{name}-optimized.pb").write_bytes(module.as_serialized_hlo_module_proto())
        pathlib.Path(f"hlo/{name}-optimized.hlo").write_text(optimized.as_text())


# A configuration with every kind of field.
KERNEL_CONFIG = """{"custom_call_config": {"body": "TUzvUg==", "has_communication": true, "collective_id": 3,
  "cost_estimate": {"flops": 4194304, "transcendentals": 2, "bytes_accessed": 196608},
  "serialization_format": 1, "needs_layout_passes": true, "allow_input_fusion": [true,false],
  "output_memory_space_colors": [{"color":1,"shape_index":[1]}],
  "input_memory_space_colors": [{"operand_index":2,"color":4}]}, "device_type": "DEVICE_TYPE_TENSORCORE",
  "scoped_memory_configs": [{"memory_space":1, "offset": 0, "size": 1048576}],
  "flag_configs": [{"flag_type": "a", "value": {"boolean_value": true}},
                   {"flag_type": "b", "value": {"double_value": 0.5}}]}
"""


def write_kernels(tools):
    """Modules of Pallas kernels, those of the tests of their reader, and a configuration."""
    for name in ("kernel", "versions"):
        source = FOLDER.parent / f"lit/compiler/Import/Mosaic/{name}.mlir"
        for number, text in enumerate(source.read_text().split("// -----\n")):
            command = [tools / "systole-opt", "-", "--allow-unregistered-dialect", "--emit-bytecode"]
            command += ["--emit-bytecode-version=0", "-o", f"mosaic/{name}-{number}.mlirbc"]
            subprocess.run(command, input=text.encode(), check=True)
    pathlib.Path("mosaic/config.json").write_text(KERNEL_CONFIG)


def main():
    tools = pathlib.Path(sys.argv[1]).resolve()
    os.chdir(CORPUS)  # the tools write the paths that they are given
    write_hlo()
    write_kernels(tools)
    for name, text in HLO.items():
        pathlib.Path(f"hlo/{name}.hlo").write_text(text)
    texts = {n: jax.jit(f, donate_argnums=0).lower(*a).as_text(debug_info=n == "dot") for n, f, a in programs()}
    texts |= dict(custom_calls()) | {"quantized": QUANTIZED, "wide-complex": WIDE_COMPLEX}
    texts |= {"quantized-constants": QUANTIZED_CONSTANTS, "queues": QUEUES, "bounded": BOUNDED}
    texts |= {"host-memory": HOST_MEMORY, "sharding-rules": SHARDING_RULES}
    with jax.enable_x64(True):
        texts["double"] = jax.jit(double).lower(jnp.ones((4, 8), jnp.float64)).as_text()
    function, argument = sharded()
    texts["sharded"] = function.lower(argument).as_text()
    pathlib.Path("artifact/sharded.mlirbc").write_bytes(jax.export.export(function)(argument).mlir_module_serialized)
    for name, text in texts.items():
        source = pathlib.Path(f"text/{name}.mlir")
        source.write_text(text)
        for version in VERSIONS:
            artifact = pathlib.Path(f"artifact/{name}-{version}.mlirbc")
            command = [tools / "systole-opt", source, f"--emit-portable-artifact={version}", "-o", artifact]
            # An old version cannot say everything.
            if subprocess.run(command, capture_output=True, check=False).returncode != 0:
                artifact.unlink(missing_ok=True)
        command = [tools / "systole", "compile", source, "-o", f"program/{name}.sysx"]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
