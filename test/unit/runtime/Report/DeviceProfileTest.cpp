// Runs as planes of profiles. Times are computed by hand: 940 cycles at 940 MHz are a microsecond.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/DeviceProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/Report/TraceEvents.h"

namespace systole {
namespace {

using Kind = TraceEvent::Kind;
using testing::ElementsAre;

constexpr int64_t kMicrosecond = 1'000'000; // in picoseconds

std::shared_ptr<Program> programOf(const char *module) {
  auto program = std::make_shared<Program>();
  program::ProgramHeader &header = program->header;
  header.set_module(module);
  program::Location &location = *header.add_locations();
  location.set_source("lib/nn.py:7:2");
  location.set_user("train.py:3:1");
  location.set_name_stack("jit(step)/dense/dot_general");
  program::Kernel &call = *header.add_kernels();
  call.set_name("dot_0");
  call.set_kind("dot");
  call.set_location(1);
  call.set_flops(1000);
  call.set_bytes(512);
  program::Kernel &routine = *header.add_kernels();
  routine = call;
  routine.set_part_of(1);
  header.add_kernels()->set_name("loop_1");
  return program;
}

// dot_0 in its two ranges, then loop_1; a copy within each, of which that of loop_1 began before.
RunStats statsOf() {
  RunStats stats;
  stats.cycles = 4700;
  stats.kernels.resize(3);
  stats.kernels[0].cycles = 940;
  stats.kernels[1].cycles = 940;
  stats.kernels[1].use.mxuCycles = 940;
  stats.trace = {{Kind::Kernel, 0, 0, 0, 940, 0},     {Kind::Copy, 0, 1, 470, 940, 512, 512},
                 {Kind::Wait, 0, 1, 1000, 1410, 0},   {Kind::Copy, 0, 1, 940, 2820, 2048, 2048},
                 {Kind::Copy, 0, 1, 950, 960, 64, 0}, {Kind::Kernel, 0, 1, 940, 1880, 0},
                 {Kind::Kernel, 0, 2, 1880, 3760, 0}};
  return stats;
}

const xplane::XLine &lineOf(const xplane::XPlane &plane, const std::string &name) {
  for (const xplane::XLine &line : plane.lines())
    if (line.name() == name)
      return line;
  ADD_FAILURE() << "there is no line " << name;
  return plane.lines(0);
}

// "name begin+duration" of each event, in picoseconds.
std::vector<std::string> eventsOf(const xplane::XPlane &plane, const std::string &name) {
  std::vector<std::string> texts;
  for (const xplane::XEvent &event : lineOf(plane, name).events())
    texts.push_back(plane.event_metadata().at(event.metadata_id()).name() + " " +
                    std::to_string(event.offset_ps()) + "+" + std::to_string(event.duration_ps()));
  return texts;
}

template <typename Message>
const xplane::XStat &statOf(const xplane::XPlane &plane, const Message &of,
                            const std::string &name) {
  for (const xplane::XStat &stat : of.stats())
    if (plane.stat_metadata().at(stat.metadata_id()).name() == name)
      return stat;
  ADD_FAILURE() << "there is no stat " << name;
  static const xplane::XStat none;
  return none;
}

TEST(TraceEvents, RangesOfAKernelThatFollowEachOtherAreOneEvent) {
  auto program = programOf("m");
  RunStats stats;
  stats.trace = {{Kind::Kernel, 0, 1, 10, 20, 0}, {Kind::Kernel, 0, 0, 0, 10, 0},
                 {Kind::Kernel, 0, 2, 20, 30, 0}, {Kind::Kernel, 0, 0, 30, 40, 0},
                 {Kind::Kernel, 0, 0, 50, 60, 0}, {Kind::Kernel, 1, 0, 40, 50, 0}};
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (const TraceEvent &event : shownEvents(program->header, stats))
    spans.push_back({event.begin, event.end});
  EXPECT_THAT(spans, ElementsAre(std::pair(0, 20), std::pair(20, 30), std::pair(30, 40),
                                 std::pair(40, 50), std::pair(50, 60)));
}

TEST(DeviceProfile, HasTheLinesOfATpu) {
  DeviceProfile profile(3, *Target::load("v3-8"), 1'700'000'000'000'000'000);
  profile.add(programOf("jit_step"), statsOf(), 4096);
  const xplane::XPlane &plane = profile.plane();
  EXPECT_EQ(plane.name(), "/device:TPU:3");
  EXPECT_EQ(statOf(plane, plane, "device_type_string").str_value(), "TPU v3");
  // Half of a chip's 900 GB/s.
  EXPECT_NEAR(statOf(plane, plane, "peak_hbm_bw_gigabytes_per_second").double_value(), 450, 1e-9);
  for (const xplane::XLine &line : plane.lines())
    EXPECT_EQ(line.timestamp_ns(), 1'700'000'000'000'000'000) << line.name();
  EXPECT_THAT(eventsOf(plane, "Steps"), ElementsAre("0 0+5000000"));
  EXPECT_THAT(eventsOf(plane, "XLA Modules"), ElementsAre("jit_step(1) 0+5000000"));
  EXPECT_THAT(eventsOf(plane, "XLA Ops"), ElementsAre("dot_0 0+2000000", "loop_1 2000000+2000000"));
  EXPECT_THAT(eventsOf(plane, "Waits"), ElementsAre("wait in dot_0 1063830+436170"));
  EXPECT_THAT(eventsOf(plane, "Copies 0"),
              ElementsAre("copy for dot_0 500000+500000", "copy for dot_0 1000000+2000000"));
  EXPECT_THAT(eventsOf(plane, "Copies 1"), ElementsAre("copy for dot_0 1010638+10639"));
}

TEST(DeviceProfile, KernelsHaveTheirProperties) {
  DeviceProfile profile(0, *Target::load("v3"), 0);
  profile.add(programOf("jit_step"), statsOf(), 0);
  const xplane::XPlane &plane = profile.plane();
  const xplane::XEvent &op = lineOf(plane, "XLA Ops").events(0);
  const xplane::XEventMetadata &dot = plane.event_metadata().at(op.metadata_id());
  EXPECT_EQ(dot.display_name(), "dot_0");
  EXPECT_EQ(statOf(plane, dot, "hlo_category").str_value(), "dot");
  EXPECT_EQ(statOf(plane, dot, "flops").uint64_value(), 1000u);
  EXPECT_EQ(statOf(plane, dot, "bytes_accessed").uint64_value(), 512u);
  EXPECT_EQ(statOf(plane, dot, "tf_op").str_value(), "jit(step)/dense/dot_general");
  EXPECT_EQ(statOf(plane, dot, "source").str_value(), "train.py:3");
  EXPECT_EQ(statOf(plane, dot, "source_stack").str_value(), "train.py:3:1\nlib/nn.py:7:2");
  EXPECT_EQ(statOf(plane, lineOf(plane, "Copies 0").events(1), "bytes_accessed").uint64_value(),
            2048u);
}

TEST(DeviceProfile, CountersAreOfEachKernel) {
  DeviceProfile profile(0, *Target::load("v3"), 0);
  profile.add(programOf("jit_step"), statsOf(), 4096);
  const xplane::XPlane &plane = profile.plane();
  std::map<std::string, std::vector<std::pair<int64_t, double>>> series;
  for (const xplane::XEvent &event : lineOf(plane, "_counters_").events())
    series[plane.event_metadata().at(event.metadata_id()).name()].push_back(
        {event.offset_ps(), event.stats(0).double_value()});
  // dot_0 has 512 bytes and half of 2048 in its 2 us, loop_1 the other half; nothing at the end.
  EXPECT_THAT(series["HBM bandwidth"],
              ElementsAre(testing::Pair(0, testing::DoubleNear(0.768, 1e-9)),
                          testing::Pair(2 * kMicrosecond, testing::DoubleNear(0.512, 1e-9)),
                          std::pair(5 * kMicrosecond, 0)));
  // 940 of 1880 cycles on one of two MXUs.
  EXPECT_THAT(series["MXU utilization"],
              ElementsAre(testing::Pair(0, testing::DoubleNear(25, 1e-9)),
                          std::pair(2 * kMicrosecond, 0), std::pair(5 * kMicrosecond, 0)));
  EXPECT_THAT(series["HBM in use"], ElementsAre(std::pair(0, 4096)));
}

// Cores 0 and 1 of a program are devices 2 and 3, of which the latter has run another one before.
TEST(DeviceProfile, EachDeviceHasTheEventsOfItsCore) {
  auto program = programOf("jit_step");
  RunStats stats;
  stats.cycles = 1880;
  stats.coreCycles = {1880, 940};
  stats.kernels.resize(3);
  stats.trace = {{Kind::Kernel, 0, 0, 0, 1880, 0},
                 {Kind::Kernel, 1, 2, 0, 940, 0},
                 {Kind::Copy, 1, 2, 470, 940, 512, 512}};
  RunStats bare;
  bare.cycles = 940;
  DeviceProfile first(2, *Target::load("v3-8"), 0), second(3, *Target::load("v3-8"), 0);
  second.add(program, bare, 0);
  first.waitUntil(second.freeAt());
  first.add(program, stats, 0, 0);
  second.add(program, stats, 0, 1);
  EXPECT_THAT(eventsOf(first.plane(), "XLA Modules"), ElementsAre("jit_step(1) 1000001+2000000"));
  EXPECT_THAT(eventsOf(first.plane(), "XLA Ops"), ElementsAre("dot_0 1000001+2000000"));
  EXPECT_THAT(eventsOf(second.plane(), "XLA Modules"),
              ElementsAre("jit_step(1) 0+1000000", "jit_step(1) 1000001+1000000"));
  EXPECT_THAT(eventsOf(second.plane(), "XLA Ops"), ElementsAre("loop_1 1000001+1000000"));
  EXPECT_THAT(eventsOf(second.plane(), "Copies 0"), ElementsAre("copy for loop_1 1500001+500000"));
  // The program has both until its last core is done.
  EXPECT_EQ(first.freeAt(), second.freeAt());
  EXPECT_EQ(first.freeAt(), 3 * kMicrosecond + 2);
}

TEST(DeviceProfile, RunsFollowEachOther) {
  DeviceProfile profile(0, *Target::load("v3"), 0);
  auto step = programOf("jit_step"), other = programOf("");
  RunStats bare;
  bare.cycles = 940;
  profile.add(step, statsOf(), 0);
  profile.add(other, bare, 0);
  profile.add(step, statsOf(), 0);
  const xplane::XPlane &plane = profile.plane();
  EXPECT_THAT(eventsOf(plane, "XLA Modules"),
              ElementsAre("jit_step(1) 0+5000000", "main(2) 5000001+1000000",
                          "jit_step(1) 6000002+5000000"));
  EXPECT_THAT(eventsOf(plane, "XLA Ops"),
              ElementsAre("dot_0 0+2000000", "loop_1 2000000+2000000", "dot_0 6000002+2000000",
                          "loop_1 8000002+2000000"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(statOf(plane, lineOf(plane, "Steps").events(i), "group_id").int64_value(), i);
    EXPECT_EQ(statOf(plane, lineOf(plane, "XLA Modules").events(i), "group_id").int64_value(), i);
  }
}

TEST(DeviceProfile, NamesThatAreNotUtf8AreShown) {
  auto program = programOf("jit_\xff");
  program->header.mutable_kernels(0)->set_name("dot\xff");
  DeviceProfile profile(0, *Target::load("v3"), 0);
  profile.add(program, statsOf(), 0);
  std::string bytes;
  EXPECT_TRUE(profile.plane().SerializeToString(&bytes));
  xplane::XPlane read;
  EXPECT_TRUE(read.ParseFromString(bytes));
  EXPECT_THAT(eventsOf(read, "XLA Ops"), testing::SizeIs(2));
}

} // namespace
} // namespace systole
