"""Operands of the matrix product, and its result's closed form.

A(i, k) = (3 i + 5 k) mod 7 - 3 and B(k, j) = (2 k + j) mod 5 - 2: small integers,
so every product and sum is exact. Along k both repeat after 35.

Usage: matmul.py make N FILE | matmul.py check N FILE

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys

import npz


def a(i, k):
    return (3 * i + 5 * k) % 7 - 3


def b(k, j):
    return (2 * k + j) % 5 - 2


def main(what, n, path):
    n = int(n)
    if what == "make":
        left = [a(i, k) for i in range(n) for k in range(n)]
        right = [b(k, j) for k in range(n) for j in range(n)]
        npz.save(path, arg0=("<f4", (n, n), left), arg1=("<f4", (n, n), right))
        return
    # The product depends on i mod 7 and j mod 5 only.
    sums = [[sum(a(i, k) * b(k, j) for k in range(n)) for j in range(5)] for i in range(7)]
    values, shape = npz.load(path, "out0")
    npz.expect(shape == (n, n), "shape")
    for i in range(n):
        for j in range(n):
            npz.expect(values[i * n + j] == sums[i % 7][j % 5], f"element {i}, {j}")
    print("product is right")


main(*sys.argv[1:])
