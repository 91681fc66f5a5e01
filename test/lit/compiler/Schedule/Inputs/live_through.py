"""Prints a loop of 11 scalar instructions that use ten registers, and scalars that live through it: as many as asked for.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys

COUNT = int(sys.argv[1])

print('region "x" vmem 0 4096 ""\nregion "n" smem 0 128 ""\nentry @main\nroutine @main() {\n  block {')
for i in range(COUNT):
    print(f"    %s{i} = s.ld {i}, 1")
print("""  }
  loop 40 independent carried(%s130 = 0 -> %s131) {
    block {
      %s140 = s.mul %s130, 3
      %s141 = s.mul %s130, 5
      %s142 = s.mul %s130, 7
      %s143 = s.mul %s130, 9
      %s144 = s.add %s140, %s141
      %s145 = s.add %s142, %s143
      %s146 = s.add %s140, %s143
      %s147 = s.add %s141, %s142
      %s148 = s.add %s144, %s145
      %s149 = s.add %s146, %s147
      %v1 = vld.b32 %s148, 1, m0, 0, 0
      %v2 = v.fmul %v1, %s149
      vst.b32 %v2, %s130, 1, m0, 2048, 0
      %s131 = s.add %s130, 8
    }
  }
  block {""")
for i in range(COUNT):
    print(f"    s.st %s{i}, {COUNT + i}, 1")
print("  }\n}")
