"""Prints a program with an alias of many levels, each of which uses the one before: KIND LEVELS WIDTH [USES].

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

KIND is tuple (a type), vhlo (a type of artifacts), array (an attribute) or name (a location). USES is the number of
operations that use the last alias, 1 by default.
"""

import sys

kind, levels, width = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
first, next_level = {
    "tuple": ("!a0 = tensor<f32>", "!a{0} = tuple<{1}>"),
    "vhlo": ("!a0 = !vhlo.tuple_v1<[]>", "!a{0} = !vhlo.tuple_v1<[{1}]>"),
    "array": ("#a0 = 1 : i32", "#a{0} = [{1}]"),
    "name": ('#a0 = loc("model.py":1:1)', '#a{0} = loc("n"({1}))'),
}[kind]
sigil = first[0]
print(first)
for level in range(1, levels + 1):
    print(next_level.format(level, ", ".join([f"{sigil}a{level - 1}"] * width)))
last = f"{sigil}a{levels}"
# Braces are doubled for the numbers of the operations.
call = '"stablehlo.custom_call"() <{{call_target_name = "f"}}>'
uses = int(sys.argv[4]) if len(sys.argv) > 4 else 1
operation = {
    # The type that it is used with is not its type, so that a diagnostic would write both out.
    "tuple": f'%{{0}} = {call} : () -> {last}\n%n = "stablehlo.negate"(%{{0}}) : (tensor<f32>) -> tensor<f32>',
    "vhlo": f'"vhlo.return_v1"() : () -> ({last})',
    "array": f"%{{0}} = {call} {{{{x = {last}}}}} : () -> tensor<f32>",
    "name": f"%{{0}} = {call} : () -> tensor<f32> loc({last})",
}[kind]
for number in range(uses):
    print(operation.format(number))
