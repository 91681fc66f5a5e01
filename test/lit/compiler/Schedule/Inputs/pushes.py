"""Prints 30 pushes to each of four MXUs, whose results are added to sums in memory.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

MXUS, GROUPS, IN_FLIGHT = 4, 30, 19

print('region "x" vmem 0 4096 ""\nentry @main\nroutine @main() {\n  block {')
for step in range(GROUPS + IN_FLIGHT):
    if step < GROUPS:
        print(f"    %v{step} = vld.b32 0, 1, m0, {2048 + 8 * step}, 0")
        for mxu in range(MXUS):
            print(f"    mxu.push %v{step}, 8, {mxu}")
    for mxu in range(MXUS if step >= IN_FLIGHT else 0):
        number = MXUS * (step - IN_FLIGHT) + mxu
        before, result, after = (GROUPS + 3 * number + i for i in range(3))
        print(f"    %v{before} = vld.b32 0, 1, m0, {8 * number}, 0")
        print(f"    %v{result} = mxu.pop {mxu}")
        print(f"    %v{after} = v.fadd %v{before}, %v{result}")
        print(f"    vst.b32 %v{after}, 0, 1, m0, {8 * number}, 0")
print("  }\n}")
