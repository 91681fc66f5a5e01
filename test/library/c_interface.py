"""The C interface as Python's ctypes declare it, from systole.h.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p

import numpy as np

# Values of systole_error_code and systole_element_type.
CANCELLED, INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED = 1, 3, 5, 9, 11, 12
I32, F32 = 6, 28
CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)


class Structure(ctypes.Structure):
    """A structure that knows its size."""

    def __init__(self, **fields):
        super().__init__(**fields)
        self.struct_size = ctypes.sizeof(self)


class DeviceOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("target", c_char_p), ("cache_directory", c_char_p)]


class DeviceMemory(Structure):
    _fields_ = [("struct_size", c_size_t), ("in_use", c_int64), ("peak", c_int64), ("limit", c_int64)]


class TensorType(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("element_type", c_int),
        ("rank", c_size_t),
        ("dims", POINTER(c_int64)),
        ("minor_to_major", POINTER(c_int64)),
    ]


class HostArray(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("data", c_void_p),
        ("size_in_bytes", c_size_t),
        ("element_type", c_int),
        ("rank", c_size_t),
        ("dims", POINTER(c_int64)),
        ("byte_strides", POINTER(c_int64)),
        ("minor_to_major", POINTER(c_int64)),
    ]


class CompileOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("precision", c_char_p),
        ("excess_precision", c_int32),
        ("file_name", c_char_p),
        ("cancellation", c_void_p),
    ]


class ExecutableInfo(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("precision", c_char_p),
        ("num_arguments", c_size_t),
        ("num_results", c_size_t),
        *((f"{part}_bytes", c_int64) for part in ("code", "argument", "result", "aliased", "temporary", "peak")),
    ]


class ArgumentInfo(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("type", TensorType), ("donated", c_int32)]


class RunOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("devices", POINTER(c_void_p)),
        ("num_devices", c_size_t),
        ("cancellation", c_void_p),
        ("keep_donated", c_int32),
    ]


class ReportInfo(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("program", c_char_p),
        ("target", c_char_p),
        ("target_hash", c_char_p),
        ("precision", c_char_p),
        ("timing_only", c_int32),
        ("cores", c_int32),
        ("chips", c_int32),
        ("cycles", c_int64),
        ("device_seconds", c_double),
        ("flops", c_int64),
        ("peak_flops_per_second", c_double),
        ("hbm_bytes_per_second", c_double),
        *((f"mxu_{name}", c_int64) for name in ("busy_cycles", "pushes", "latch_cycles", "latches")),
        ("mxu_utilization", c_double),
        *((f"hbm_{name}_bytes", c_int64) for name in ("read", "write")),
        *((f"host_{name}", c_int64) for name in ("sent_bytes", "received_bytes", "cycles")),
        *((name, c_int64) for name in ("hbm_peak_bytes", "hbm_padding_bytes", "vmem_peak_bytes")),
        ("bundles", c_int64),
        ("program_bundles", c_int64),
        ("bound_by", c_char_p),
        *((name, c_double) for name in ("compile_seconds", "emulate_seconds", "usd", "usd_preemptible")),
        ("num_kernels", c_size_t),
        ("json", c_char_p),
        ("text", c_char_p),
    ]


class KernelInfo(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        *((name, c_char_p) for name in ("name", "kind", "source", "user_source", "name_stack")),
        *((name, c_int64) for name in ("calls", "cycles", "stall_cycles", "delay_cycles", "flops", "bytes")),
        ("bound_by", c_char_p),
        ("latency", c_char_p),
    ]


class CError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Library:
    """Functions that return an error raise it; attributes are the functions without `systole_`."""

    def __init__(self, path):
        self.loaded = ctypes.CDLL(str(path))
        self.loaded.systole_api_version.restype = c_uint32
        for name in ("version", "error_message", "element_type_name", "device_target"):
            self.function(name).restype = c_char_p
        self.function("element_type_name").argtypes = [c_int]
        self.function("element_type_bytes").restype = c_size_t
        for name in ("error_message", "error_get_code", "error_destroy", "device_target", "event_is_ready"):
            self.function(name).argtypes = [c_void_p]

    def function(self, name):
        return getattr(self.loaded, f"systole_{name}")

    def call(self, name, *arguments):
        """Calls a function that may fail."""
        function = self.function(name)
        function.restype = c_void_p
        error = function(*arguments)
        if error:
            raised = CError(self.loaded.systole_error_get_code(error), self.error_text(error))
            self.loaded.systole_error_destroy(error)
            raise raised

    def make(self, name, *arguments):
        """The handle that a function puts into its last argument."""
        handle = c_void_p()
        self.call(name, *arguments, byref(handle))
        return handle

    def error_text(self, error):
        return self.loaded.systole_error_message(error).decode()

    def destroy(self, kind, *handles):
        for handle in handles:
            self.function(f"{kind}_destroy")(handle)

    def compile(self, device, source, **options):
        text = source.encode() if isinstance(source, str) else source
        return self.make("compile", device, text, c_size_t(len(text)), byref(CompileOptions(**options)))

    def put(self, device, array):
        return self.make("buffer_from_host", device, byref(host_array(array)))

    def get(self, buffer, like):
        """A buffer's array, of the shape and type of another."""
        array = np.empty_like(like)
        self.call("buffer_to_host", buffer, byref(host_array(array)))
        return array

    def run(self, executable, *buffers, options=None, name="run"):
        handles = (c_void_p * len(buffers))(*buffers)
        return self.make(name, executable, handles, c_size_t(len(buffers)), options and byref(options))


def host_array(array):
    """Describes an array of NumPy with its strides; the description keeps the arrays that it points to."""
    element_type = {"float32": F32, "int32": I32}[array.dtype.name]
    numbers = c_int64 * array.ndim
    return HostArray(
        data=array.ctypes.data,
        size_in_bytes=array.nbytes,
        element_type=element_type,
        rank=array.ndim,
        dims=numbers(*array.shape),
        byte_strides=numbers(*array.strides),
    )
