// Traces: spans of kernels, waits and overlapping copies.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/RunStats.h"
#include "llvm/Support/JSON.h"

namespace systole {
namespace {

using Kind = TraceEvent::Kind;

llvm::json::Array eventsOf(const RunStats &stats, const std::string &kernelName) {
  Program program;
  program.header.add_kernels()->set_name(kernelName);
  program::Location *location = program.header.add_locations();
  location->set_source("a.py:3:1");
  location->set_name_stack("jit(f)/dense/add");
  program.header.mutable_kernels(0)->set_location(1);
  std::string text = toTrace(program, stats, *Target::load("v3"));
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  EXPECT_TRUE(bool(json)) << text;
  if (!json) {
    llvm::consumeError(json.takeError());
    return {};
  }
  return std::move(*json->getAsObject()->getArray("traceEvents"));
}

TEST(Trace, HasSpansInMicrosecondsOfTheDevice) {
  RunStats stats;
  stats.trace = {{Kind::Kernel, 0, 0, 940, 2820, 0}};
  llvm::json::Array events = eventsOf(stats, "dot");
  ASSERT_GE(events.size(), 1u);
  const llvm::json::Object &span = *events[0].getAsObject();
  EXPECT_EQ(span.getString("ph"), llvm::StringRef("X"));
  EXPECT_EQ(span.getString("name"), llvm::StringRef("dot"));
  // 940 cycles at 940 MHz are a microsecond.
  EXPECT_NEAR(*span.getNumber("ts"), 1.0, 1e-9);
  EXPECT_NEAR(*span.getNumber("dur"), 2.0, 1e-9);
  EXPECT_EQ(span.getObject("args")->getInteger("cycles"), 1880);
  EXPECT_EQ(span.getObject("args")->getString("source"), llvm::StringRef("a.py:3:1"));
  EXPECT_EQ(span.getObject("args")->getString("name_stack"), llvm::StringRef("jit(f)/dense/add"));
}

TEST(Trace, OverlappingCopiesHaveThreadsOfTheirOwn) {
  RunStats stats;
  stats.trace = {{Kind::Copy, 0, 0, 0, 100, 512},
                 {Kind::Copy, 0, 0, 50, 150, 512},
                 {Kind::Copy, 0, 0, 100, 200, 512},
                 {Kind::Wait, 0, 0, 10, 90, 0}};
  std::map<int64_t, int64_t> threadOf;
  for (const llvm::json::Value &event : eventsOf(stats, "dot"))
    if (event.getAsObject()->getString("ph") == llvm::StringRef("X"))
      threadOf[*event.getAsObject()->getObject("args")->getInteger("cycle")] =
          *event.getAsObject()->getInteger("tid");
  ASSERT_EQ(threadOf.size(), 4u);
  EXPECT_NE(threadOf[0], threadOf[50]) << "they overlap";
  EXPECT_EQ(threadOf[0], threadOf[100]) << "one ends where the other begins";
  EXPECT_NE(threadOf[10], threadOf[0]);
}

TEST(Trace, NamesCoresAndThreads) {
  RunStats stats;
  stats.trace = {{Kind::Kernel, 3, -1, 0, 1, 0}};
  bool named = false;
  for (const llvm::json::Value &event : eventsOf(stats, "dot"))
    if (event.getAsObject()->getString("name") == llvm::StringRef("process_name"))
      named =
          event.getAsObject()->getObject("args")->getString("name") == llvm::StringRef("core 3");
  EXPECT_TRUE(named);
}

// Core 0 to core 3 over two links of a v3-8, in a process of its own.
TEST(Trace, HasAThreadForEachLink) {
  RunStats stats;
  stats.sliceCores = 8;
  stats.places = {0, 2, 4, 6};
  stats.linkSpans = {{1, 0, 3, 0, 940, 1880, 4096}, {9, 0, 3, 0, 2820, 3760, 4096}};
  Program program;
  program.header.set_cores(4);
  program.header.add_kernels()->set_name("all_reduce.1");
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse(toTrace(program, stats, *Target::load("v3-8")));
  ASSERT_TRUE(bool(json));
  std::vector<std::string> spans, names;
  for (const llvm::json::Value &value : *json->getAsObject()->getArray("traceEvents")) {
    const llvm::json::Object &event = *value.getAsObject();
    const llvm::json::Object &args = *event.getObject("args");
    EXPECT_EQ(event.getInteger("pid"), 4) << "behind the cores";
    const std::string thread = std::to_string(*event.getInteger("tid")) + " ";
    if (event.getString("ph") == llvm::StringRef("M")) {
      names.push_back(thread + args.getString("name")->str());
      continue;
    }
    spans.push_back(thread + event.getString("name")->str());
    EXPECT_EQ(args.getInteger("bytes"), 4096);
    EXPECT_EQ(args.getString("kernel"), llvm::StringRef("all_reduce.1"));
    EXPECT_NEAR(*event.getNumber("ts"), spans.size() == 1 ? 1 : 3, 1e-9);
    EXPECT_NEAR(*event.getNumber("dur"), 1, 1e-9);
  }
  EXPECT_THAT(spans, testing::ElementsAre("2 core 0 to 3", "10 core 0 to 3"));
  EXPECT_THAT(names, testing::ElementsAre("0 links between chips", "2 chip 0 +x", "10 chip 1 +y"));
}

TEST(Trace, SurvivesNamesThatAreNotText) {
  RunStats stats;
  stats.trace = {{Kind::Kernel, 0, 0, 0, 1, 0}};
  EXPECT_FALSE(eventsOf(stats, "a\xff\"b").empty());
}

} // namespace
} // namespace systole
