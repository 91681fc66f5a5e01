"""Arrays of an .npz with the standard library only, and tests of them.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import array
import ast
import struct
import zipfile

CODES = {"<f4": "f", "<i4": "i"}


def load(path, name):
    """The flat values and the shape of an entry."""
    data = zipfile.ZipFile(path).read(name + ".npy")
    (length,) = struct.unpack_from("<H", data, 8)
    header = ast.literal_eval(data[10 : 10 + length].decode())
    values = array.array(CODES[header["descr"]])
    values.frombytes(data[10 + length :])
    return values, header["shape"]


def save(path, **arrays):
    """Writes flat f4 or i4 values: name=(code, shape, values)."""
    with zipfile.ZipFile(path, "w") as out:
        for name, (code, shape, values) in arrays.items():
            header = repr({"descr": code, "fortran_order": False, "shape": tuple(shape)})
            header += " " * (-(len(header) + 11) % 64) + "\n"
            prefix = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
            cells = array.array(CODES[code], values)
            out.writestr(name + ".npy", prefix + header.encode() + cells.tobytes())


def expect(condition, text):
    if not condition:
        raise SystemExit("wrong: " + text)
