// Programs for several cores, in text form, for tests.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_RUNTIME_CLIENT_SLICEPROGRAMS_H
#define SYSTOLE_TEST_UNIT_RUNTIME_CLIENT_SLICEPROGRAMS_H

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/Assembler.h"
#include "dialects/Machine/Target/Target.h"

namespace systole::test {

// A program for `cores`; arrays are f32[8, 128].
inline Program sliceProgram(int cores, const std::string &text) {
  auto program = assemble(absl::StrCat(".program \"slice\"\n.cores ", cores, "\n", text), "slice");
  EXPECT_TRUE(program.ok()) << program.status();
  if (!program.ok())
    return {};
  program->header.set_module("slice");
  program->header.set_target_hash(Target::load("v3")->hash());
  return *std::move(program);
}

// Each core sends `x` to the next one, the last one to the first, as `y`.
inline Program rotation(int cores) {
  return sliceProgram(cores, absl::StrCat(R"(
.region x hbm 8
.region y hbm 8
.descriptor send hbm to hbm chunk 1024 arrival_flag 70
.argument "x" f32[8, 128] in x
.result "y" f32[8, 128] in y
routine main {
  s1 = s.core
  s2 = s.add s1, 1
  s3 = s.eq s2, )",
                                          cores, R"(
  s4 = s.sel s3, 0, s2
  dma.send dst=0, src=0, dstRegion=y, srcRegion=x, core=s4, descriptor=send, flag=0
  wait 1, flag=0
  wait 1, flag=70
  halt
}
)"));
}

// Each core doubles `x`, a donated argument, where it is, in so many times.
inline Program doubling(int cores, int times = 1) {
  return sliceProgram(cores, absl::StrCat(R"(
.region x hbm 8
.region a vmem 8
.descriptor in hbm to vmem chunk 1024
.descriptor out vmem to hbm chunk 1024
.argument "x" f32[8, 128] in x donated
.result "y" f32[8, 128] in x alias 0
routine main {
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0
  wait 1, flag=0
  v0 = vld.b32 0, region=a delay 3
  loop )",
                                          times, R"( {
    v0 = v.fadd v0, v0 delay 1
  }
  vst.b32 v0, 0, region=a delay 1
  dma.start dst=0, src=0, dstRegion=x, srcRegion=a, descriptor=out, flag=1
  wait 1, flag=1
  halt
}
)"));
}

// Core `trapping` traps at once; the others wait for a message that never comes.
inline Program trapOf(int cores, int trapping) {
  return sliceProgram(cores, absl::StrCat(R"(
.trap "the index is out of range"
routine main {
  s1 = s.core
  s2 = s.eq s1, )",
                                          trapping, R"(
  trap s2, "the index is out of range"
  wait 1, flag=70
  halt
}
)"));
}

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_RUNTIME_CLIENT_SLICEPROGRAMS_H
