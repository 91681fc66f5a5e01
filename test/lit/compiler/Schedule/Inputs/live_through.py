"""Prints a loop of 11 scalar instructions that use ten registers, and 26 scalars that live through it.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

COUNT = 26

print('region "x" vmem 0 4096 ""\nregion "n" smem 0 64 ""\nentry @main\nroutine @main() {\n  block {')
for i in range(COUNT):
    print(f"    %s{i} = s.ld {i}, 1")
print("""  }
  loop 40 independent carried(%s30 = 0 -> %s31) {
    block {
      %s40 = s.mul %s30, 3
      %s41 = s.mul %s30, 5
      %s42 = s.mul %s30, 7
      %s43 = s.mul %s30, 9
      %s44 = s.add %s40, %s41
      %s45 = s.add %s42, %s43
      %s46 = s.add %s40, %s43
      %s47 = s.add %s41, %s42
      %s48 = s.add %s44, %s45
      %s49 = s.add %s46, %s47
      %v1 = vld.b32 %s48, 1, m0, 0, 0
      %v2 = v.fmul %v1, %s49
      vst.b32 %v2, %s30, 1, m0, 2048, 0
      %s31 = s.add %s30, 8
    }
  }
  block {""")
for i in range(COUNT):
    print(f"    s.st %s{i}, {COUNT + i}, 1")
print("  }\n}")
