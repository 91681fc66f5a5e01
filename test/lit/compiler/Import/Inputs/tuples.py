"""Prints a program with a type of many levels, each of which is an alias: DIALECT LEVELS WIDTH.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys

dialect, levels, width = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if dialect == "vhlo":
    print("!t0 = !vhlo.tuple_v1<[]>")
    whole = "!vhlo.tuple_v1<[{}]>"
else:
    print("!t0 = tensor<f32>")
    whole = "tuple<{}>"
for level in range(1, levels + 1):
    print(f"!t{level} =", whole.format(", ".join([f"!t{level - 1}"] * width)))
last = f"!t{levels}"
if dialect == "vhlo":
    print(f"""
"vhlo.func_v1"() <{{arg_attrs = #vhlo.array_v1<[]>, function_type = #vhlo.type_v1<!vhlo.func_v1<[{last}], []>>,
  res_attrs = #vhlo.array_v1<[]>, sym_name = #vhlo.string_v1<"main">, sym_visibility = #vhlo.string_v1<"public">}}> ({{
^bb0(%x: {last}):
  "vhlo.return_v1"() : () -> ()
}}) : () -> ()""")
else:
    print(f'%0 = "stablehlo.custom_call"() <{{call_target_name = "f"}}> : () -> {last}')
