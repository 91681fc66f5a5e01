// Sessions of profiling.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/Client/Client.h"
#include "runtime/Report/xplane.pb.h"

namespace systole {
namespace {

class ProfilerTest : public testing::Test {
protected:
  void SetUp() override {
    client = *Client::create(ClientOptions{});
    program = *client->compile("module @twice { func.func @main(%x: tensor<3xf32>) -> "
                               "tensor<3xf32> {\n"
                               "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n"
                               "  return %0 : tensor<3xf32>\n} }\n",
                               "");
  }

  LoadedProgram::Run run() {
    const int64_t dims[] = {3};
    Hbm &hbm = client->devices()[0]->hbm();
    auto argument = *hbm.allocate(*ArrayType::create("f32", dims));
    argument->fill(std::vector<uint8_t>(size_t(argument->type()->hostBytes())).data());
    auto result =
        program->run({argument}, {}, {&client->devices()[0]->memories}, client->cancelFlag());
    EXPECT_TRUE(result.ok()) << result.status();
    return *std::move(result);
  }

  void report(const LoadedProgram::Run &run, int device = 0) {
    profileRun(run.profileSession, *program, run.stats, /*core=*/0, device,
               client->devices()[0]->hbm());
  }

  xplane::XSpace stop() {
    xplane::XSpace space;
    EXPECT_TRUE(space.ParseFromString(stopProfile()));
    return space;
  }

  std::unique_ptr<Client> client;
  std::shared_ptr<LoadedProgram> program;
};

TEST_F(ProfilerTest, HasAPlaneForEachDeviceThatRan) {
  ASSERT_TRUE(startProfile().ok());
  const LoadedProgram::Run first = run();
  report(first, 0);
  report(run(), 5);
  report(run(), 0);
  const xplane::XSpace space = stop();
  ASSERT_EQ(space.planes_size(), 2);
  EXPECT_EQ(space.planes(0).name(), "/device:TPU:0");
  EXPECT_EQ(space.planes(1).name(), "/device:TPU:5");
  const xplane::XLine &modules = space.planes(0).lines(1);
  ASSERT_EQ(modules.events_size(), 2);
  // v3 has 940 MHz.
  EXPECT_NEAR(double(modules.events(0).duration_ps()), double(first.stats.cycles) * 1e6 / 940, 1);
  EXPECT_GE(space.planes(0).lines(2).events_size(), 2);
  EXPECT_EQ(space.warnings_size(), 0);
}

TEST_F(ProfilerTest, RunsOutsideOfASessionHaveNoEvents) {
  const LoadedProgram::Run before = run();
  EXPECT_TRUE(before.stats.trace.empty());
  ASSERT_TRUE(startProfile().ok());
  const LoadedProgram::Run during = run();
  EXPECT_FALSE(during.stats.trace.empty());
  EXPECT_EQ(during.stats.cycles, before.stats.cycles);
  report(before);
  EXPECT_EQ(stop().planes_size(), 0);
  // One that ends after its session, in another one.
  ASSERT_TRUE(startProfile().ok());
  report(during);
  EXPECT_EQ(stop().planes_size(), 0);
  EXPECT_TRUE(run().stats.trace.empty());
}

TEST_F(ProfilerTest, OneSessionAtATime) {
  ASSERT_TRUE(startProfile().ok());
  EXPECT_EQ(startProfile().code(), absl::StatusCode::kFailedPrecondition);
  stop();
  EXPECT_TRUE(startProfile().ok());
  stop();
}

} // namespace
} // namespace systole
