"""Prints a program with brackets, branches, calls or reshapes in each other: nest.py KIND LEVELS

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys

T = "tensor<4xf32>"


def brackets(levels):
    note = "[" * (levels - 2) + "]" * (levels - 2)
    return (
        f"func.func @main(%x: {T}) -> {T} {{\n"
        f"  %r = stablehlo.add %x, %x {{note = {note}}} : {T}\n"
        f"  return %r : {T}\n}}\n"
    )


def branches(levels):
    """One line opens each branch, from line 2 on."""
    opened = "".join(f'%r{i} = "stablehlo.if"(%p) ({{\n' for i in range(levels))
    closed = "".join(
        f"  stablehlo.return %{inner} : {T}\n}}, {{\n  stablehlo.return %x : {T}\n}}) : (tensor<i1>) -> {T}\n"
        for inner in ["x"] + [f"r{i}" for i in reversed(range(1, levels))]
    )
    return f"func.func @main(%x: {T}, %p: tensor<i1>) -> {T} {{\n{opened}{closed}return %r0 : {T}\n}}\n"


def calls(levels):
    """One line a function; @main is the first level."""
    call = " {{ %r = call @f{0}(%x) : ({1}) -> {1} return %r : {1} }}\n"
    name = lambda i: "main" if i == 1 else f"f{i}"
    lines = [
        f"func.func {'' if i == 1 else 'private '}@{name(i)}(%x: {T}) -> {T}"
        + (call.format(i + 1, T) if i < levels else f" {{ return %x : {T} }}\n")
        for i in range(1, levels + 1)
    ]
    return "".join(lines)


def doubles(levels):
    """Reshapes of an argument of f64, a constant and an argument that was f32."""
    types = ["tensor<4xf64>", "tensor<2x2xf64>"]
    chains = "".join(
        f"  %{name}{i + 1} = stablehlo.reshape %{name}{i} : ({types[i % 2]}) -> {types[1 - i % 2]}\n"
        for name in "acx"
        for i in range(levels)
    )
    last = types[levels % 2]
    narrow = last.replace("f64", "f32")
    ends = "".join(f"  %{name} = stablehlo.convert %{name}{levels} : ({last}) -> {narrow}\n" for name in "acx")
    return (
        f"func.func @main(%a0: {types[0]}, %w: {T}) -> {narrow} {{\n"
        f"  %c0 = stablehlo.constant dense<[0.1, 0.2, 0.3, 0.4]> : {types[0]}\n"
        f"  %x0 = stablehlo.convert %w : ({T}) -> {types[0]}\n{chains}{ends}"
        f"  %s = stablehlo.add %a, %c : {narrow}\n  %r = stablehlo.add %s, %x : {narrow}\n"
        f"  return %r : {narrow}\n}}\n"
    )


KINDS = {"brackets": brackets, "branches": branches, "calls": calls, "doubles": doubles}

if __name__ == "__main__":
    print(KINDS[sys.argv[1]](int(sys.argv[2])), end="")
