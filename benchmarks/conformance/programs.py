"""Builds programs of one operation on several shapes.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import zlib

import numpy as np

from elements import draw, draw_ones


def type_of(element, shape):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element if isinstance(element, str) else element.name}>"


class Program:
    """A function of random arrays. Values are pairs of a name and a type.

    `is_reference` if it is for references: operations that they lack, and quantized types, are written in others.
    """

    def __init__(self, seed, is_reference=False):
        self.is_reference = is_reference
        self.rng = np.random.default_rng(zlib.crc32(seed.encode()))
        self.arguments, self.arrays, self.lines, self.results = [], [], [], []
        self.functions = []  # texts of others than @main

    def name(self):
        return f"%v{len(self.lines)}"

    def line(self, text, result):
        """Adds an operation with a result of a type; `text` follows the equals sign. Returns its name."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name, result

    def argument(self, element, shape, low=None, high=None):
        """Random elements of a type, converted from their carriers."""
        return self.given(element, shape, draw(element, shape, self.rng, low, high))

    def ones(self, element, shape):
        """Few ones among zeros, for types whose sums are rounded to a few bits."""
        if element.kind == "f" and element.bits <= 16:
            return self.given(element, shape, draw_ones(element, shape, self.rng))
        return self.argument(element, shape, 0, 1)

    def given(self, element, shape, parts):
        carrier, values = type_of(element.carrier, shape), []
        for part in parts:
            values.append(f"%a{len(self.arrays)}")
            self.arguments.append(f"{values[-1]}: {carrier}")
            self.arrays.append(part)
        kind = type_of(element, shape)
        if element.kind == "q" and not self.is_reference:
            return self.line(f"stablehlo.uniform_quantize {values[0]} : ({carrier}) -> {kind}", kind)
        if element.kind == "c":
            return self.line(f"stablehlo.complex {', '.join(values)} : {kind}", kind)
        if element.name == element.carrier:
            return values[0], kind
        how = "bitcast_convert" if element.name == "ui64" else "convert"
        return self.line(f"stablehlo.{how} {values[0]} : ({carrier}) -> {kind}", kind)

    def rounded(self, value, element, shape):
        """Real numbers, rounded to those of a quantized type as the specification does it."""
        name, kind = value

        def along(values):
            dims, numbers = ([], values[0]) if element.axis is None else ([element.axis], list(values))
            vector = type_of("f32", shape[dims[0] : dims[0] + 1] if dims else ())
            constant, _ = self.line(f"stablehlo.constant dense<{numbers}> : {vector}", vector)
            return self.line(f"stablehlo.broadcast_in_dim {constant}, dims = {dims} : ({vector}) -> {kind}", kind)[0]

        scale, zero = along([float(scale) for scale in element.scales]), along([float(zero) for zero in element.zeros])
        low, high = (along([float(limit)] * len(element.scales)) for limit in element.range)
        for text in (
            f"divide {name}, {scale}",
            "round_nearest_even {0}",
            f"add {{0}}, {zero}",
            f"clamp {low}, {{0}}, {high}",
            f"subtract {{0}}, {zero}",
            f"multiply {{0}}, {scale}",
        ):
            name, _ = self.line(f"stablehlo.{text.format(name)} : {kind}", kind)
        return name, kind

    def result(self, value, element, shape):
        """Returns a value, converted to its carriers."""
        name, kind = value
        carrier = type_of(element.carrier, shape)
        if element.kind == "q" and self.is_reference:
            parts = [self.rounded(value, element, shape)]
        elif element.kind == "q":
            parts = [self.line(f"stablehlo.uniform_dequantize {name} : ({kind}) -> {carrier}", carrier)]
        elif element.kind == "c":
            parts = [
                self.line(f"stablehlo.{part} {name} : ({kind}) -> {carrier}", carrier) for part in ("real", "imag")
            ]
        elif element.name == element.carrier:
            parts = [value]
        else:
            how = "bitcast_convert" if element.name == "ui64" else "convert"
            parts = [self.line(f"stablehlo.{how} {name} : ({kind}) -> {carrier}", carrier)]
        self.results.append((element, parts))

    def text(self):
        parts = [part for _, parts in self.results for part in parts]
        names, kinds = (", ".join(column) for column in zip(*parts, strict=True))
        body = "\n".join(f"  {line}" for line in self.lines)
        main = f"func.func @main({', '.join(self.arguments)}) -> ({kinds}) {{\n{body}\n  return {names} : {kinds}\n}}\n"
        return main + "".join(self.functions)

    def grouped(self, arrays):
        """Results of a run by values of the program: an element type and its parts."""
        arrays = list(arrays)
        return [(element, [arrays.pop(0) for _ in parts]) for element, parts in self.results]
