"""Parts of functions of one operation on random shapes, as text, and all that make one.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

GENERATORS = {}
SIZES = [1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 12, 16, 24, 30, 64]


def operation(*names):
    def register(make):
        for name in names:
            GENERATORS[name] = (lambda rng, name=name: make(rng, name)) if len(names) > 1 else make
        return make

    return register


def shape(rng, low=0, high=4, sizes=SIZES):
    return [rng.choice(sizes) for _ in range(rng.randint(low, high))]


def tensor(sizes, dtype="f32"):
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{dtype}>"


def ints(values):
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def function(arguments, results, lines, returned=None):
    """Results of the last operation are %r, or %r#0 on."""
    named = ", ".join(f"%{chr(97 + i)}: {kind}" for i, kind in enumerate(arguments))
    if returned is None:
        returned = ["%r"] if len(results) == 1 else [f"%r#{i}" for i in range(len(results))]
    body = "\n".join(f"  {line}" for line in lines)
    kinds = ", ".join(results)
    return f"({named}) -> ({kinds}) {{\n{body}\n  return {', '.join(returned)} : {kinds}\n}}"


def call(name, arguments, results, attributes="", region="", prefix=()):
    """A function of one operation in MLIR's generic form."""
    operands = ", ".join(f"%{chr(97 + i)}" for i in range(len(arguments)))
    left = "%r" if len(results) == 1 else f"%r:{len(results)}"
    text = f'{left} = "stablehlo.{name}"({operands})'
    text += f" <{{{attributes}}}>" if attributes else ""
    text += f" ({region})" if region else ""
    kinds = ", ".join(results)
    return function(arguments, results, [*prefix, f"{text} : ({', '.join(arguments)}) -> ({kinds})"])


def reducer(combine="add", inputs=1, dtype="f32", swapped=False):
    names = [f"x{i}" for i in range(2 * inputs)]
    arguments = ", ".join(f"%{name}: tensor<{dtype}>" for name in names)
    pairs = [(names[i], names[i + inputs]) for i in range(inputs)]
    lines = []
    for i, (x, y) in enumerate(pairs):
        x, y = (y, x) if swapped else (x, y)
        lines.append(f"%s{i} = stablehlo.{combine} %{x}, %{y} : tensor<{dtype}>")
    returned = ", ".join(f"%s{i}" for i in range(inputs)) + " : " + ", ".join([f"tensor<{dtype}>"] * inputs)
    return f"{{\n  ^bb0({arguments}):\n    " + "\n    ".join(lines) + f"\n    stablehlo.return {returned}\n  }}"
