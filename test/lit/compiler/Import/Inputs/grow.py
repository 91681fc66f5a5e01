"""Prints a program in which each of LEVELS functions calls the next one twice: grow.py LEVELS

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys

T = "tensor<4xf32>"
levels = int(sys.argv[1])
for i in range(levels):
    call = f"func.call @f{i + 1}(%x) : ({T}) -> {T}"
    name = "@main" if i == 0 else f"private @f{i}"
    print(f"func.func {name}(%x: {T}) -> {T} {{")
    print(f"  %0 = {call}\n  %1 = {call}\n  %2 = stablehlo.add %0, %1 : {T}\n  return %2 : {T}\n}}")
print(f"func.func private @f{levels}(%x: {T}) -> {T} {{ return %x : {T} }}")
