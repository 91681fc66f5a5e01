// HBM over time, from a plan in a program's header.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include "dialects/Machine/Program/Program.h"
#include "runtime/Report/Memory.h"

namespace systole {
namespace {

using testing::HasSubstr;

program::ProgramHeader example() {
  program::ProgramHeader header;
  header.add_locations()->set_source("net.py:3:1");
  header.mutable_locations(0)->set_name_stack("jit(f)/dense/add");
  auto buffer = [&](const char *name, int64_t rows, int64_t payload, int64_t begin, int64_t end) {
    program::Allocation *allocation = header.add_allocations();
    allocation->set_name(name);
    allocation->set_size(rows);
    allocation->set_payload_bytes(payload);
    allocation->set_begin(begin);
    allocation->set_end(end);
    allocation->set_location(1);
  };
  buffer("w", 8, 1024, 0, 0);
  buffer("value", 16, 8192, 1, 2);
  buffer("value", 24, 12288, 2, 4);
  buffer("late", 32, 16384, 4, 4);
  header.add_allocations()->set_space(program::VMEM); // not of HBM
  for (auto [name, step] : {std::pair("first", 1), std::pair("second", 2), std::pair("last", 4)}) {
    program::Kernel *kernel = header.add_kernels();
    kernel->set_name(name);
    kernel->set_step(step);
  }
  header.add_kernels()->set_name("a part without a step");
  return header;
}

TEST(Memory, CountsLiveBuffersOfEachStep) {
  const MemoryReport memory = memoryReport(example());
  ASSERT_EQ(memory.buffers.size(), 4u);
  EXPECT_EQ(memory.buffers[0].name, "late");
  EXPECT_EQ(memory.buffers[3].paddingBytes, 8 * 512 - 1024);
  EXPECT_EQ(memory.buffers[3].nameStack, "jit(f)/dense/add");
  std::vector<std::pair<std::string, int64_t>> live;
  for (const MemoryStep &step : memory.steps)
    live.emplace_back(step.kernel, step.liveBytes / 512);
  EXPECT_THAT(live,
              testing::ElementsAre(std::pair("first", 8 + 16), std::pair("second", 8 + 16 + 24),
                                   std::pair("last", 8 + 24 + 32)));
  EXPECT_EQ(memory.peak, 2u);
  EXPECT_TRUE(memory.isLiveAtPeak(memory.buffers[0]));
  EXPECT_FALSE(memory.isLiveAtPeak(memory.buffers[2])) << "lives in the first two steps";
  const llvm::json::Object json = toJson(memory);
  EXPECT_EQ(json.getArray("buffers")->size(), 4u);
  EXPECT_EQ(json.getInteger("peak"), 2);
}

TEST(Memory, TextNamesTheBuffersLiveAtThePeak) {
  const std::string text = toText(memoryReport(example()));
  EXPECT_THAT(text, HasSubstr("HBM at its fullest: 32.77 kB live, 9.4% of it padding, in step 4, "
                              "last\n"));
  EXPECT_THAT(text, HasSubstr("always  net.py:3:1"));
  EXPECT_THAT(text, HasSubstr("4 to 4  net.py:3:1"));
  EXPECT_THAT(text, testing::Not(HasSubstr("1 to 2")));
  EXPECT_EQ(toText(memoryReport(program::ProgramHeader())), "");
}

} // namespace
} // namespace systole
