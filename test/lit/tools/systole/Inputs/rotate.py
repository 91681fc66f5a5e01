"""Arguments of rotate.sysasm, whole and by core, and the check of its results.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import array
import pathlib
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "runtime/Emulator/Inputs"))

import npz

CORES, ROWS, LANES = 4, 1024, 128
PART = ROWS // CORES * LANES

x = array.array("f", range(ROWS * LANES))
y = x[-PART:] + x[:-PART]


def parts(values):
    return [values[core * PART : (core + 1) * PART] for core in range(CORES)]


command, *paths = sys.argv[1:]
if command == "write":
    whole, shards, unequal = paths
    npz.save(whole, arg0=("<f4", (ROWS, LANES), x))
    arrays = {f"arg0@{core}": ("<f4", (ROWS // CORES, LANES), part) for core, part in enumerate(parts(x))}
    npz.save(shards, **arrays)
    npz.save(unequal, **{**arrays, "arg0@1": ("<f4", (1, LANES), x[:LANES])})
else:
    expected = {"out0": y} if command == "whole" else {f"out0@{core}": part for core, part in enumerate(parts(y))}
    names = [name.removesuffix(".npy") for name in zipfile.ZipFile(paths[0]).namelist()]
    print(names, all(npz.load(paths[0], name)[0] == values for name, values in expected.items()))
