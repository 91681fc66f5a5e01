"""Checks of pypjrt on the plugin: its own conformance checks, and arrays of rank 0 to 4.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Run by scripts/check_clients.py, with the path of the plugin.
"""

import sys

import numpy as np
import pypjrt
from pypjrt import conform, typing

TYPES = {"S8": "i8", "U8": "ui8", "S16": "i16", "S32": "i32", "S64": "i64", "F16": "f16", "F32": "f32", "F64": "f64"}
NUMPY = {"S": "i", "U": "u", "F": "f"}


def check_array(client, device, name, shape):
    dtype = np.dtype(f"{NUMPY[name[0]]}{int(name[1:]) // 8}")
    value = (np.arange(np.prod(shape, dtype=int)) % 60).astype(dtype).reshape(shape)
    buffer = client.buffer_from_host(value, getattr(typing, name).code, shape, device)
    assert buffer.dimensions == shape
    np.testing.assert_array_equal(np.frombuffer(buffer.to_host(), dtype).reshape(shape), value)
    order = list(range(len(shape)))[::-1]
    from_type, to_type = ("tensor<" + "x".join([*map(str, dims), TYPES[name]]) + ">" for dims in (shape, shape[::-1]))
    program = client.compile(
        f"func.func @main(%x: {from_type}) -> {to_type} {{\n"
        f"  %0 = stablehlo.add %x, %x : {from_type}\n"
        f"  %1 = stablehlo.transpose %0, dims = {order} : ({from_type}) -> {to_type}\n"
        f"  return %1 : {to_type}\n}}\n"
    )
    (result,) = program(buffer)
    assert result.dimensions == shape[::-1]
    got = np.frombuffer(result.to_host(), dtype).reshape(shape[::-1])
    np.testing.assert_array_equal(got, (value + value).transpose())


def check_arrays(client):
    passed = count = 0
    with client.device() as device:
        for name in TYPES:
            for shape in [(), (5,), (3, 4), (2, 3, 4), (2, 3, 4, 5)]:
                count += 1
                try:
                    check_array(client, device, name, shape)
                    passed += 1
                except Exception as error:
                    print(f"FAILED {name} of rank {len(shape)}: {type(error).__name__}: {str(error)[:600]}")
    print(f"arrays: {passed} of {count} passed")
    return passed == count


def main():
    plugin = pypjrt.Plugin(sys.argv[1])
    report = conform.run(plugin, None)
    counts = report.counts()
    for check in report.checks:
        if check.result == conform.Result.FAIL:
            print(f"FAILED {check.id}: {check.detail}")
    print(
        f"conformance: {counts['pass']} of {counts['pass'] + counts['fail']} passed, "
        f"{counts['unsupported']} functions that are optional are not supported"
    )
    arrays = check_arrays(pypjrt.Client(plugin))
    sys.exit(counts["fail"] > 0 or not arrays)


if __name__ == "__main__":
    main()
