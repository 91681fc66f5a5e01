"""Writes what the host answers ask.mlir: f32[3], once, over channel 3: answers.py ARGUMENT ANSWERS

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import struct
import sys
import zipfile


def npy(shape, *values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}f", *values)


with open(sys.argv[1], "wb") as argument:
    argument.write(npy((3,), 1, 2, 3))
with zipfile.ZipFile(sys.argv[2], "w") as answers:
    answers.writestr("channel3.npy", npy((1, 3), 5, 6, 7))
