"""Writes a function of 100 vectors, of which the first is needed to the end.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

print('region "x" vmem 0 4096 ""\nentry @main\nroutine @main() {\n  block {')
print("    %v0 = vld.b32 0, 1, m0, 0, 0")
for number in range(1, 100):
    print(f"    %v{number} = vld.b32 0, 1, m0, {8 * number}, 0")
    print(f"    vst.b32 %v{number}, 0, 1, m0, {800 + 8 * number}, 0")
print("    vst.b32 %v0, 0, 1, m0, 800, 0\n  }\n}")
