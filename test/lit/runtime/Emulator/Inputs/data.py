"""Arguments of the hand-written programs and the closed forms of their results.

Usage: data.py PROGRAM make FILE | data.py PROGRAM check FILE

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import sys

import npz


def grid(rows, columns, f):
    return [f(r, c) for r in range(rows) for c in range(columns)]


class Softmax:
    """Row r is (r - c) ln 2: its softmax is 2^-c / 2, whatever r."""

    def make(self, path):
        cells = grid(64, 128, lambda r, c: (r - c) * math.log(2))
        npz.save(path, arg0=("<f4", (64, 128), cells))

    def check(self, path):
        values, _ = npz.load(path, "out0")
        for r in range(64):
            for c in range(128):
                # (r - c) ln 2 is rounded to f32: up to 2^-19 off where it is 80.
                exact = 2.0 ** (-c - 1)
                error = abs(values[r * 128 + c] - exact)
                npz.expect(error <= 1e-5 * exact or exact < 1e-36, f"element {r}, {c}")


class Reduce:
    """x(r, c) = r + 100 c, in f32 exact: sums over either dimension."""

    def make(self, path):
        npz.save(path, arg0=("<f4", (64, 128), grid(64, 128, lambda r, c: r + 100 * c)))

    def check(self, path):
        rows, shape = npz.load(path, "out0")
        npz.expect(shape == (64,), "shape of the row sums")
        for r in range(64):
            npz.expect(rows[r] == 128 * r + 100 * 127 * 128 // 2, f"row {r}")
        columns, shape = npz.load(path, "out1")
        npz.expect(shape == (128,), "shape of the column sums")
        for c in range(128):
            npz.expect(columns[c] == 63 * 64 // 2 + 64 * 100 * c, f"column {c}")


class Transpose:
    def make(self, path):
        npz.save(path, arg0=("<i4", (128, 128), grid(128, 128, lambda r, c: 1000 * r + c)))

    def check(self, path):
        values, _ = npz.load(path, "out0")
        npz.expect(list(values) == grid(128, 128, lambda r, c: 1000 * c + r), "transpose")


class Gather:
    """Row i of the table holds 1000 i + c; index j is 37 j mod 200."""

    def make(self, path):
        table = grid(200, 128, lambda r, c: 1000 * r + c)
        npz.save(
            path,
            arg0=("<i4", (200, 128), table),
            arg1=("<i4", (64,), [37 * j % 200 for j in range(64)]),
        )

    def check(self, path):
        values, _ = npz.load(path, "out0")
        expected = grid(64, 128, lambda r, c: 1000 * (37 * r % 200) + c)
        npz.expect(list(values) == expected, "rows")


class Halve:
    """Halved until no element is above 1: from 1000 that is ten times."""

    def make(self, path):
        cells = grid(8, 128, lambda r, c: 1000.0 if (r, c) == (5, 77) else c)
        npz.save(path, arg0=("<f4", (8, 128), cells))

    def check(self, path):
        values, _ = npz.load(path, "out0")
        expected = grid(8, 128, lambda r, c: (1000.0 if (r, c) == (5, 77) else c) / 1024)
        npz.expect(list(values) == expected, "halves")
        turns, _ = npz.load(path, "out1")
        npz.expect(list(turns) == [10], "turns")


class Power:
    """x^8 by three squarings, x small enough to be exact."""

    def make(self, path):
        npz.save(path, arg0=("<f4", (8, 128), grid(8, 128, lambda r, c: (r + c) % 8 - 4)))

    def check(self, path):
        values, _ = npz.load(path, "out0")
        npz.expect(list(values) == grid(8, 128, lambda r, c: ((r + c) % 8 - 4) ** 8), "power")


PROGRAMS = {
    "softmax": Softmax,
    "reduce": Reduce,
    "transpose": Transpose,
    "gather": Gather,
    "halve": Halve,
    "power": Power,
}

program, what, path = sys.argv[1:]
getattr(PROGRAMS[program](), what)(path)
if what == "check":
    print(f"{program} is right")
