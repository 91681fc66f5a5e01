// Whole programs on the emulator: results and cycles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Emulator.h"

#include <cmath>

#include "test/unit/Emulator/Machine.h"

using namespace systole;
using namespace systole::test;

namespace {

// y = 2 x + 1, eight rows at a time. On v2 a row of 512 bytes takes the HBM
// channel 512 / 511.43 cycles.
const char *kAxpb = R"(
.program axpb
.region x hbm 64
.region y hbm 64
.region buffer vmem 64
.descriptor in  hbm to vmem chunk 1024 counts [8] src [1024] dst [1024]
.descriptor out vmem to hbm chunk 1024 counts [8] src [1024] dst [1024]
routine main {
  { s1 = s.mov 0
    dma.start dst=0, src=0, dstRegion=buffer, srcRegion=x, descriptor=in, flag=0 }
  wait 1, flag=0
  kernel "scale" source "axpb.py:3" kind "loop" flops 16384 {
    loop 8 {
      v0 = vld.b32 s1, region=buffer delay 15
      v1 = v.fma v0, 2.0, 1.0 delay 15
      vst.b32 v1, s1, region=buffer
      s1 = s.add s1, 8 delay 15
    }
  }
  dma.start dst=0, src=0, dstRegion=y, srcRegion=buffer, descriptor=out, flag=1
  wait 1, flag=1
  halt
}
)";

TEST(Emulator, ScalesRows) {
  Machine machine(kAxpb);
  std::vector<float> x(64 * 128);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i) * 0.25f - 100;
  machine.write("x", x);
  int64_t cycles = machine.cycles();
  std::vector<float> y = machine.read<float>("y");
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[i], 2 * x[i] + 1) << i;
  // Copy in: issued at 0, starts at 350, takes ceil(32768 / 511.43) = 65: done at
  // 415. The wait issues at 1 and the loop's bundle at 416; the body takes 8 x 49.
  // Copy out is issued at 417 + 392 = 809, done at 809 + 415 = 1224; halt issues
  // at 1225.
  EXPECT_EQ(cycles, 1226);
  const KernelStats &kernel = machine.stats.kernels[0];
  EXPECT_EQ(kernel.calls, 1);
  EXPECT_EQ(kernel.cycles, 393);
  EXPECT_EQ(kernel.use.bundles, 1 + 8 * 4);
  EXPECT_EQ(kernel.use.valuOps, 8);
  EXPECT_EQ(machine.stats.total.hbmReadBytes, 32768);
  EXPECT_EQ(machine.stats.total.hbmWriteBytes, 32768);
  EXPECT_EQ(machine.stats.total.hbmCycles, 130);
  EXPECT_EQ(machine.stats.total.waitCycles, 414 + 414);
  EXPECT_EQ(machine.stats.total.cycles, cycles);
}

} // namespace
