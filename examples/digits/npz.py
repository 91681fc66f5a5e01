"""Reads .npz files with Python's standard library alone.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ast
import math
import struct
import zipfile

# NumPy's type strings of the demo programs' arguments and results.
FORMATS = {"<f4": "f", "<i4": "i", "|i1": "b", "|u1": "B", "|b1": "?"}


def read_npy(data):
    """(shape, flat list of values) of the bytes of one .npy file; ValueError if they are
    malformed."""
    if data[:6] != b"\x93NUMPY" or len(data) < 12:
        raise ValueError("not a .npy file")
    if data[6] == 1:
        begin, (length,) = 10, struct.unpack_from("<H", data, 8)
    else:
        begin, (length,) = 12, struct.unpack_from("<I", data, 8)
    header = ast.literal_eval(data[begin : begin + length].decode("latin1"))
    if header["fortran_order"] and len(header["shape"]) > 1:
        raise ValueError("the array is stored column by column")
    if header["descr"] not in FORMATS:
        raise ValueError(f"unknown element type {header['descr']}")
    values = f"<{math.prod(header['shape'])}{FORMATS[header['descr']]}"
    return header["shape"], list(struct.unpack_from(values, data, begin + length))


def read_npz(path):
    """A dictionary from each array's name to its (shape, flat list of values)."""
    with zipfile.ZipFile(path) as archive:
        return {name.removesuffix(".npy"): read_npy(archive.read(name)) for name in archive.namelist()}
