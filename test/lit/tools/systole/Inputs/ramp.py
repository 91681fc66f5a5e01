"""Writes f32[8, 128] counting from 0 as an .npy and an .npz file: ramp.py NPY NPZ

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import struct
import sys
import zipfile

header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (8, 128), }".ljust(117) + b"\n"
data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
data += struct.pack("<1024f", *range(1024))
with open(sys.argv[1], "wb") as npy:
    npy.write(data)
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as npz:
    npz.writestr("arg0.npy", data)
