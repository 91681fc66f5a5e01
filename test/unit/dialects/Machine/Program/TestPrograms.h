// Programs and a machine that the tests of this folder share.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_DIALECTS_MACHINE_PROGRAM_TESTPROGRAMS_H
#define SYSTOLE_TEST_UNIT_DIALECTS_MACHINE_PROGRAM_TESTPROGRAMS_H

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

#include "dialects/Machine/InstructionSet/Limits.h"
#include "dialects/Machine/Program/Assembler.h"
#include "dialects/Machine/Program/Disassembler.h"

namespace systole {

// A small machine with latencies that are easy to count.
inline Limits testLimits() {
  using isa::LatencyClass;
  Limits limits;
  limits.latencies.fill({2, 1});
  limits.latencies[size_t(LatencyClass::vload)] = {4, 1};
  limits.latencies[size_t(LatencyClass::eup)] = {6, 1};
  limits.latencies[size_t(LatencyClass::xlu_reduce)] = {10, 4};
  limits.latencies[size_t(LatencyClass::mxu_push)] = {20, 8};
  limits.latencies[size_t(LatencyClass::mxu_latch)] = {8, 8};
  limits.hbmRows = 4096;
  limits.vmemRows = 1024;
  limits.smemWords = 256;
  limits.instructionMemoryBundles = 64;
  limits.loopDepth = 3;
  limits.callDepth = 2;
  limits.mxus = 2;
  limits.mxuFifoDepth = 4;
  limits.xluFifoDepth = 4;
  limits.eupFifoDepth = 2;
  limits.v2sFifoDepth = 2;
  limits.dmaQueueDepth = 4;
  limits.dmaDimensions = 2;
  return limits;
}

inline constexpr const char *kPrelude = R"(.program test
.region hx hbm 64
.region hy hbm 8
.region vx vmem 64
.region vy vmem 8
.region sx smem 16
.descriptor load hbm to vmem chunk 1024 counts [8] src [1024] dst [1024]
.descriptor index hbm to smem chunk 16
.trap "first"
)";

// A program whose entry routine has `body` before its halt.
inline std::string withBody(const std::string &body) {
  return absl::StrCat(kPrelude, "routine main {\n", body, "\nhalt\n}\n");
}

inline Program mustAssemble(const std::string &text) {
  auto program = assemble(text);
  EXPECT_TRUE(program.ok()) << program.status() << "\n" << text;
  return program.ok() ? *std::move(program) : Program();
}

inline isa::Bundle bundleAt(const Program &program, size_t index) {
  auto bundle = isa::decode(program.code.at(index));
  EXPECT_TRUE(bundle.ok()) << bundle.status();
  return bundle.ok() ? *bundle : isa::Bundle();
}

// The text of a program gives the program again, and the same text.
inline void expectRoundTrip(const Program &program) {
  const std::string text = disassemble(program);
  auto again = assemble(text);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
  EXPECT_EQ(again->code, program.code) << text;
  EXPECT_EQ(again->header.SerializeAsString(), program.header.SerializeAsString());
  EXPECT_EQ(again->constants, program.constants);
  EXPECT_EQ(disassemble(*again), text);
}

} // namespace systole

#endif // SYSTOLE_TEST_UNIT_DIALECTS_MACHINE_PROGRAM_TESTPROGRAMS_H
