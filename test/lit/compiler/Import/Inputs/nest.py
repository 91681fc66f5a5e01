"""Prints a program with brackets, branches or calls in each other: nest.py KIND LEVELS

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys

T = "tensor<4xf32>"


def brackets(levels):
    note = "[" * (levels - 2) + "]" * (levels - 2)
    return (f"func.func @main(%x: {T}) -> {T} {{\n"
            f"  %r = stablehlo.add %x, %x {{note = {note}}} : {T}\n"
            f"  return %r : {T}\n}}\n")


def branches(levels):
    """One line opens each branch, from line 2 on."""
    opened = "".join(f'%r{i} = "stablehlo.if"(%p) ({{\n' for i in range(levels))
    closed = "".join(
        f"  stablehlo.return %{inner} : {T}\n}}, {{\n  stablehlo.return %x : {T}\n"
        f"}}) : (tensor<i1>) -> {T}\n"
        for inner in ["x"] + [f"r{i}" for i in reversed(range(1, levels))])
    return f"func.func @main(%x: {T}, %p: tensor<i1>) -> {T} {{\n{opened}{closed}return %r0 : {T}\n}}\n"


def calls(levels):
    """One line a function; @main is the first level."""
    call = " {{ %r = call @f{0}(%x) : ({1}) -> {1} return %r : {1} }}\n"
    name = lambda i: "main" if i == 1 else f"f{i}"
    lines = [f"func.func {'' if i == 1 else 'private '}@{name(i)}(%x: {T}) -> {T}" +
             (call.format(i + 1, T) if i < levels else f" {{ return %x : {T} }}\n")
             for i in range(1, levels + 1)]
    return "".join(lines)


KINDS = {"brackets": brackets, "branches": branches, "calls": calls}

if __name__ == "__main__":
    print(KINDS[sys.argv[1]](int(sys.argv[2])), end="")
