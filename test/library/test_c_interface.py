"""The C interface from Python: results, errors with their places, structures of other sizes, threads.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_char_p, c_size_t, c_void_p

import numpy as np
import pytest

from c_interface import (
    CALLBACK,
    CANCELLED,
    F32,
    FAILED_PRECONDITION,
    INVALID_ARGUMENT,
    NOT_FOUND,
    OUT_OF_RANGE,
    UNIMPLEMENTED,
    ArgumentInfo,
    CError,
    CompileOptions,
    DeviceMemory,
    DeviceOptions,
    ExecutableInfo,
    HostArray,
    KernelInfo,
    Library,
    ReportInfo,
    RunOptions,
    TensorType,
    host_array,
)
from conftest import run

DENSE = """module @dense {
  func.func @main(%x: tensor<5x7xf32>, %w: tensor<7x3xf32> {jax.buffer_donor = true}) -> tensor<5x3xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
    %1 = stablehlo.tanh %0 : tensor<5x3xf32>
    return %1 : tensor<5x3xf32>
  }
}
"""
COUNT = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next : tensor<i32>
    }
  return %0 : tensor<i32>
}
"""
TWICE = """func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %x:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  %y = stablehlo.add %x#0, %x#0 : tensor<2x3xf32>
  %o = "stablehlo.outfeed"(%y, %x#1) : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
"""


@pytest.fixture(scope="module")
def library(prefix):
    return Library(prefix / "lib/libsystole.so.0")


@pytest.fixture(scope="module")
def device(library):
    handle = library.make("device_create", None)
    yield handle
    library.destroy("device", handle)


@pytest.fixture(scope="module")
def dense(library, device):
    handle = library.compile(device, DENSE, precision=b"highest")
    yield handle
    library.destroy("executable", handle)


def arrays(seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal((5, 7), np.float32), random.standard_normal((7, 3), np.float32)


def run_dense(library, device, dense, x, weights, **settings):
    buffers = library.put(device, x), library.put(device, weights)
    execution = library.run(dense, *buffers, **settings)
    result = library.make("execution_get_result", execution, c_size_t(0))
    values = library.get(result, np.empty((5, 3), np.float32))
    library.destroy("execution", execution)
    library.destroy("buffer", result, *buffers)
    return values


def test_versions(library):
    assert library.loaded.systole_api_version() == 0x0000_0001
    assert library.loaded.systole_version() == b"0.1.0"


def test_compiles_and_runs(library, device, dense):
    x, weights = arrays()
    expected = np.tanh(x.astype(np.float64) @ weights)
    np.testing.assert_allclose(run_dense(library, device, dense, x, weights), expected, rtol=1e-5, atol=1e-6)


def test_arrays_in_other_orders(library, device, dense):
    x, weights = arrays(1)
    expected = np.tanh(x[::-1].astype(np.float64) @ weights)
    values = run_dense(library, device, dense, x[::-1], np.asfortranarray(weights))
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)

    # A dense array in column-major order, by its order of dimensions.
    array = host_array(np.ascontiguousarray(x.T))
    array.dims, array.byte_strides = (ctypes.c_int64 * 2)(5, 7), None
    array.minor_to_major = (ctypes.c_int64 * 2)(0, 1)
    buffer = library.make("buffer_from_host", device, byref(array))
    np.testing.assert_array_equal(library.get(buffer, x), x)
    library.destroy("buffer", buffer)


def test_signature(library, dense):
    info = ExecutableInfo()
    library.call("executable_get_info", dense, byref(info))
    assert (info.name, info.precision, info.num_arguments, info.num_results) == (b"dense", b"highest", 2, 1)
    # Rows of 128 lanes are padded.
    assert info.argument_bytes >= 4 * (35 + 21) and info.code_bytes > 0
    argument = ArgumentInfo(type=TensorType())
    library.call("executable_get_argument", dense, c_size_t(1), byref(argument))
    kind = argument.type
    assert (kind.element_type, kind.dims[: kind.rank], argument.donated) == (F32, [7, 3], 1)
    assert sorted(kind.minor_to_major[: kind.rank]) == [0, 1]
    with pytest.raises(CError, match="`index` is 2 of 2") as raised:
        library.call("executable_get_argument", dense, c_size_t(2), byref(argument))
    assert raised.value.code == OUT_OF_RANGE


def test_portable_artifacts(library, device, prefix, tmp_path):
    (tmp_path / "dense.mlir").write_text(DENSE)
    artifact = tmp_path / "dense.mlirbc"
    run(prefix / "bin/systole-opt", "--emit-portable-artifact=1.9.0", tmp_path / "dense.mlir", "-o", artifact)
    executable = library.compile(device, artifact.read_bytes(), precision=b"highest")
    x, weights = arrays(3)
    expected = np.tanh(x.astype(np.float64) @ weights)
    values = run_dense(library, device, executable, x, weights)
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)
    library.destroy("executable", executable)


def test_serialized_programs(library, device, dense):
    size = c_size_t()
    library.call("executable_serialize", dense, None, byref(size))
    data = ctypes.create_string_buffer(size.value)
    library.call("executable_serialize", dense, data, byref(size))
    loaded = library.make("executable_load", device, data, size)
    x, weights = arrays(2)
    np.testing.assert_array_equal(
        run_dense(library, device, loaded, x, weights), run_dense(library, device, dense, x, weights)
    )
    library.destroy("executable", loaded)
    with pytest.raises(CError) as raised:
        library.call("executable_serialize", dense, data, byref(c_size_t(3)))
    assert raised.value.code == INVALID_ARGUMENT


def test_compilation_errors_name_the_line(library, device):
    with pytest.raises(CError, match=r"^wrong\.mlir:3:\d+: error: ") as raised:
        library.compile(device, "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                        "  %0 = stablehlo.add %x, %x : tensor<2xf32>\n  return %1 : tensor<2xf32>\n}\n",
                        file_name=b"wrong.mlir")  # fmt: skip
    assert raised.value.code == INVALID_ARGUMENT
    located = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.custom_call"(%x) {call_target_name = "fly"} : (tensor<2xf32>) -> tensor<2xf32> loc("m.py":7:9)
      return %0 : tensor<2xf32>
    }"""
    with pytest.raises(CError, match=r"^m\.py:7:9: error: .*fly") as raised:
        library.compile(device, located)
    assert raised.value.code == UNIMPLEMENTED


def test_errors_of_callers(library, device, dense):
    """Null handles, wrong counts and values are errors."""
    x, weights = arrays()
    buffers = [library.put(device, x), library.put(device, weights)]
    on_other = library.make("device_create", byref(DeviceOptions(target=b"v2")))
    both = (c_void_p * 2)(device, on_other)
    handle, size = byref(c_void_p()), c_size_t(1)
    wrong_data = host_array(x)
    wrong_data.byte_strides, wrong_data.size_in_bytes = None, 4
    no_dims = host_array(x)
    no_dims.dims = None
    no_type = host_array(x)
    no_type.element_type = 99
    unsupported_type = host_array(x)
    unsupported_type.element_type = 27
    attempts = [
        ("`device` is null", INVALID_ARGUMENT, "compile", None, b"x", size, None, handle),
        ("`source` is null", INVALID_ARGUMENT, "compile", device, None, size, None, handle),
        ("`executable` is null", INVALID_ARGUMENT, "compile", device, b"x", size, None, None),
        ("precision", INVALID_ARGUMENT, "compile", device, b"x", size, byref(CompileOptions(precision=b"most")),
         handle),
        ("no_such", NOT_FOUND, "device_create", byref(DeviceOptions(target=b"no_such")), handle),
        ("slice of 8 cores", UNIMPLEMENTED, "device_create", byref(DeviceOptions(target=b"v3-8")), handle),
        ("`bytes` is null", INVALID_ARGUMENT, "executable_load", device, None, size, handle),
        ("not a Systole program", INVALID_ARGUMENT, "executable_load", device, b"garbage", c_size_t(7), handle),
        ("`array` is null", INVALID_ARGUMENT, "buffer_from_host", device, None, handle),
        ("size_in_bytes` is 4", INVALID_ARGUMENT, "buffer_from_host", device, byref(wrong_data), handle),
        ("dims` is null", INVALID_ARGUMENT, "buffer_from_host", device, byref(no_dims), handle),
        ("no element type 99", INVALID_ARGUMENT, "buffer_from_host", device, byref(no_type), handle),
        ("tf32", UNIMPLEMENTED, "buffer_from_host", device, byref(unsupported_type), handle),
        ("are not the buffer's", INVALID_ARGUMENT, "buffer_to_host", buffers[0], byref(host_array(weights))),
        ("`buffer` is null", INVALID_ARGUMENT, "buffer_to_host", None, byref(host_array(x))),
        ("`arguments` is null", INVALID_ARGUMENT, "run", dense, None, c_size_t(2), None, handle),
        ("`arguments[1]` is null", INVALID_ARGUMENT, "run", dense, (c_void_p * 2)(buffers[0]), c_size_t(2), None,
         handle),
        ("has 2 arguments, but 1", INVALID_ARGUMENT, "run", dense, (c_void_p * 1)(buffers[0]), size, None, handle),
        ("argument 1 of dense is tensor<7x3xf32>, but given as tensor<5x7xf32>", INVALID_ARGUMENT,
         "run", dense, (c_void_p * 2)(buffers[0], buffers[0]), c_size_t(2), None, handle),
        ("2 devices", UNIMPLEMENTED, "run", dense, (c_void_p * 2)(*buffers), c_size_t(2),
         byref(RunOptions(devices=both, num_devices=2)), handle),
        ("on another device", INVALID_ARGUMENT, "run", dense, (c_void_p * 2)(*buffers), c_size_t(2),
         byref(RunOptions(devices=(c_void_p * 1)(on_other), num_devices=1)), handle),
        ("`event` is null", INVALID_ARGUMENT, "event_await", None),
        ("`report` is null", INVALID_ARGUMENT, "report_get_info", None, None),
        ("`memory` is null", INVALID_ARGUMENT, "device_get_memory", device, None),
        ("struct_size of `memory` is 3", INVALID_ARGUMENT, "device_get_memory", device, byref(c_size_t(3))),
    ]  # fmt: skip
    for message, code, name, *arguments in attempts:
        with pytest.raises(CError, match=re.escape(message)) as raised:
            library.call(name, *arguments)
        assert raised.value.code == code, (name, str(raised.value))
    for kind in ("error", "event", "cancellation", "device", "buffer", "executable", "execution", "report"):
        library.destroy(kind, None)
    library.destroy("buffer", *buffers)
    library.destroy("device", on_other)


def test_structures_of_other_versions(library, device):
    """Smaller ones are as far as they go, larger ones whose rest is zero are accepted."""
    memory = DeviceMemory(in_use=-7, peak=-7, limit=-7)
    memory.struct_size = DeviceMemory.limit.offset
    library.call("device_get_memory", device, byref(memory))
    assert memory.in_use >= 0 and memory.limit == -7

    options = CompileOptions(precision=b"highest", file_name=b"unread.mlir")
    options.struct_size = CompileOptions.file_name.offset
    with pytest.raises(CError, match=r"^module:1:1: error"):
        library.make("compile", device, b"nonsense", c_size_t(8), byref(options))

    class Later(ctypes.Structure):
        _fields_ = [("known", DeviceOptions), ("added", ctypes.c_int64)]

    later = Later(known=DeviceOptions(target=b"v2"))
    later.known.struct_size = ctypes.sizeof(Later)
    handle = library.make("device_create", byref(later))
    assert library.loaded.systole_device_target(handle) == b"v2"
    library.destroy("device", handle)
    later.added = 1
    with pytest.raises(CError, match="fields of a later version") as raised:
        library.make("device_create", byref(later))
    assert raised.value.code == INVALID_ARGUMENT


def test_sizes_of_no_version(library, device):
    """Sizes that end within a field, or are of no structure, are errors."""
    for size in (12, 2**20, 2**64 - 1):
        options = DeviceOptions(target=b"v2")
        options.struct_size = size
        with pytest.raises(CError, match=f"struct_size of `options` is {size}") as raised:
            library.make("device_create", byref(options))
        assert raised.value.code == INVALID_ARGUMENT


def test_fields_that_a_smaller_structure_lacks_are_not_read(library, device):
    x, _ = arrays()
    array = host_array(x)
    array.size_in_bytes = 4
    # Bytes after the structure in the caller's memory look like strides.
    array.struct_size = HostArray.byte_strides.offset
    with pytest.raises(CError, match="size_in_bytes` is 4, but the array takes 140"):
        library.make("buffer_from_host", device, byref(array))


def test_empty_arrays_of_any_outer_size(library, device):
    array = host_array(np.empty((2, 0), np.float32))
    array.dims, array.byte_strides = (ctypes.c_int64 * 2)(2**40, 0), (ctypes.c_int64 * 2)(4, 4)
    buffer = library.make("buffer_from_host", device, byref(array))
    library.call("buffer_to_host", buffer, byref(array))
    library.destroy("buffer", buffer)


def test_messages_are_utf8(library, device):
    """Names in a program may be any bytes."""
    source = rb"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.caf\E9"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
    with pytest.raises(CError, match="stablehlo.caf\ufffd"):
        library.compile(device, source)


def test_cancelled_before_the_call(library, device, dense):
    """Also where the program is compiled already."""
    cancellation = library.make("cancellation_create")
    library.loaded.systole_cancellation_cancel(cancellation)
    with pytest.raises(CError) as raised:
        library.compile(device, DENSE, precision=b"highest", cancellation=cancellation)
    assert raised.value.code == CANCELLED
    library.destroy("cancellation", cancellation)


def test_infeed_and_outfeed(library, device):
    twice = library.compile(device, TWICE)
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros((2, 3), np.float32)
    execution = library.run(twice, name="run_async")
    library.call("device_put_infeed", device, byref(host_array(x)))
    library.call("device_take_outfeed", device, byref(host_array(y)), None)
    np.testing.assert_array_equal(y, x + x)
    library.destroy("execution", execution)

    library.call("device_end_infeed", device)
    cancellation = library.make("cancellation_create")
    library.loaded.systole_cancellation_cancel(cancellation)
    short = host_array(x)
    short.byte_strides, short.size_in_bytes = None, 4
    attempts = [
        ("the infeed has ended", OUT_OF_RANGE, "run", twice, None, c_size_t(0), None, byref(c_void_p())),
        ("waiting for the outfeed", CANCELLED, "device_take_outfeed", device, byref(host_array(y)), cancellation),
        ("not dense", INVALID_ARGUMENT, "device_put_infeed", device, byref(host_array(np.asfortranarray(x)))),
        ("size_in_bytes` is 4", INVALID_ARGUMENT, "device_put_infeed", device, byref(short)),
        ("`array` is null", INVALID_ARGUMENT, "device_put_infeed", device, None),
        ("`device` is null", INVALID_ARGUMENT, "device_end_infeed", None),
    ]
    for message, code, name, *arguments in attempts:
        with pytest.raises(CError, match=message) as raised:
            library.call(name, *arguments)
        assert raised.value.code == code
    library.destroy("cancellation", cancellation)
    library.destroy("executable", twice)


def test_asynchronous_runs_return_after_short_ones(library, device):
    """The length of a run may depend on its data: one that began on the caller's thread would not return."""
    count = library.compile(device, COUNT)
    few, many = (library.put(device, np.array(number, np.int32)) for number in (1, 2_000_000_000))
    for _ in range(2):
        library.destroy("execution", library.run(count, few))
    cancellation = library.make("cancellation_create")
    execution = library.run(count, many, name="run_async", options=RunOptions(cancellation=cancellation))
    library.loaded.systole_cancellation_cancel(cancellation)
    done = library.make("execution_get_done", execution)
    with pytest.raises(CError) as raised:
        library.call("event_await", done)
    assert raised.value.code == CANCELLED
    library.destroy("event", done)
    library.destroy("execution", execution)
    library.destroy("cancellation", cancellation)
    library.destroy("buffer", few, many)
    library.destroy("executable", count)


def test_element_types_are_those_of_the_header(library, prefix):
    header = (prefix / "include/systole/systole.h").read_text()
    enumeration = header[header.index("SYSTOLE_INVALID = 0") : header.index("} systole_element_type")]
    types = {name: int(value) for name, value in re.findall(r"SYSTOLE_(\w+) = (\d+)", enumeration)}
    assert sorted(types.values()) == list(range(33))
    for name, value in types.items():
        text = library.loaded.systole_element_type_name(value).decode()
        # SYSTOLE_COMPLEX_F32 is complex<f32>.
        assert re.sub(r"[<_]|>$", "", text).upper() == name.replace("_", "").replace("INVALID", "")
        found = library.loaded.systole_element_type_from_name(text.encode())
        assert found == value
    assert library.loaded.systole_element_type_name(33) == b""
    assert library.loaded.systole_element_type_from_name(None) == 0


def test_reports(library, device, dense):
    x, weights = arrays()
    buffers = library.put(device, x), library.put(device, weights)
    execution = library.run(dense, *buffers)
    report = library.make("execution_get_report", execution)
    info = ReportInfo()
    library.call("report_get_info", report, byref(info))
    # The JSON has the same figures, under the same names.
    figures = json.loads(info.json)
    for name, kind in ReportInfo._fields_:
        if name in figures and kind is not c_char_p:
            assert getattr(info, name) == pytest.approx(float(figures[name])), name
    assert info.num_kernels == len(figures["kernels"]) > 0
    for i, expected in enumerate(figures["kernels"]):
        kernel = KernelInfo()
        library.call("report_get_kernel", report, c_size_t(i), byref(kernel))
        for name, kind in KernelInfo._fields_[1:]:
            value = getattr(kernel, name)
            assert (value.decode() if kind is c_char_p else value) == expected[name], name
    # The result and the arguments, without padding.
    buffers_of_plan = figures["memory"]["buffers"]
    used = sorted(buffer["bytes"] - buffer["padding_bytes"] for buffer in buffers_of_plan)
    assert used == [4 * 5 * 3, 4 * 7 * 3, 4 * 5 * 7]
    # Multiply-adds and hyperbolic tangents.
    assert (info.target, info.timing_only, info.flops) == (b"v3", 0, 2 * 5 * 7 * 3 + 5 * 3)
    predicted = library.make("executable_predict", dense)
    other = ReportInfo()
    library.call("report_get_info", predicted, byref(other))
    assert (other.timing_only, other.cycles) == (1, info.cycles)
    library.destroy("report", report, predicted)
    library.destroy("execution", execution)
    library.destroy("buffer", *buffers)


def test_donated_buffers(library, device, dense):
    x, weights = arrays()
    buffers = library.put(device, x), library.put(device, weights)
    library.destroy("execution", library.run(dense, *buffers, options=RunOptions(keep_donated=1)))
    released = library.function("buffer_is_released")
    assert [released(buffer) for buffer in buffers] == [0, 0]
    library.destroy("execution", library.run(dense, *buffers))
    assert [released(buffer) for buffer in buffers] == [0, 1]
    with pytest.raises(CError, match="released or donated") as raised:
        library.run(dense, *buffers)
    assert raised.value.code == FAILED_PRECONDITION
    library.destroy("buffer", *buffers)


def test_asynchronous_runs_callbacks_and_cancellation(library, device):
    count = library.compile(device, COUNT)
    many = library.put(device, np.array(2_000_000_000, np.int32))
    cancellation = library.make("cancellation_create")
    execution = library.run(count, many, name="run_async", options=RunOptions(cancellation=cancellation))
    done = library.make("execution_get_done", execution)
    assert library.loaded.systole_event_is_ready(done) == 0
    codes, called = [], threading.Event()

    @CALLBACK
    def callback(error, user_data):
        codes.append((library.loaded.systole_error_get_code(error), user_data))
        called.set()

    library.call("event_on_ready", done, callback, c_void_p(42))
    library.loaded.systole_cancellation_cancel(cancellation)
    with pytest.raises(CError) as raised:
        library.call("event_await", done)
    assert raised.value.code == CANCELLED
    assert called.wait(60) and codes == [(CANCELLED, 42)]
    library.destroy("event", done)
    library.destroy("execution", execution)
    library.destroy("cancellation", cancellation)
    library.destroy("buffer", many)
    library.destroy("executable", count)


def test_threads(library, device, dense):
    def one(seed):
        x, weights = arrays(seed)
        expected = np.tanh(x.astype(np.float64) @ weights)
        for _ in range(5):
            values = run_dense(library, device, dense, x, weights, name="run_async")
            np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)
        # Programs of their own, compiled side by side.
        own = library.compile(device, DENSE.replace("@dense", f"@dense{seed}"), precision=b"highest")
        np.testing.assert_array_equal(run_dense(library, device, own, x, weights), values)
        library.destroy("executable", own)
        return True

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(one, range(6)))


def test_memory_comes_back(library):
    """Of buffers, and of a device whose handle goes first."""
    own = library.make("device_create", None)
    buffer = library.put(own, np.ones((128, 128), np.float32))
    memory = DeviceMemory()
    library.call("device_get_memory", own, byref(memory))
    assert memory.in_use == 4 * 128 * 128
    library.function("buffer_release")(buffer)
    library.call("device_get_memory", own, byref(memory))
    assert (memory.in_use, memory.peak) == (0, 4 * 128 * 128)
    library.destroy("device", own)
    library.destroy("buffer", buffer)
