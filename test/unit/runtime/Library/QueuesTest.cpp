// The infeed and the outfeed of a device.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "systole/compiler.h"

namespace systole {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kDims[] = {3};
constexpr char kTwice[] = R"(module @twice {
  func.func @main() {
    %t = stablehlo.create_token : !stablehlo.token
    %x:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
    %y = stablehlo.add %x#0, %x#0 : tensor<3xf32>
    %o = "stablehlo.outfeed"(%y, %x#1) : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
    return
  }
})";

class QueuesTest : public testing::Test {
protected:
  absl::Status put(std::vector<float> values) const {
    return device.putInfeed(values.data(), ElementType::F32, kDims);
  }
  std::vector<float> take() const {
    std::vector<float> values(3);
    EXPECT_EQ(device.takeOutfeed(values.data(), 12, ElementType::F32, kDims), absl::OkStatus());
    return values;
  }

  const Device device = *Device::create();
  const Executable twice = *compile(device, kTwice);
};

TEST_F(QueuesTest, RunsTakeAndPutInOrder) {
  ASSERT_TRUE(put({1, 2, 3}).ok());
  ASSERT_TRUE(put({4, 5, 6}).ok());
  ASSERT_TRUE(twice.run({}).ok());
  ASSERT_TRUE(twice.run({}).ok());
  EXPECT_THAT(take(), ElementsAre(2, 4, 6));
  EXPECT_THAT(take(), ElementsAre(8, 10, 12));
}

TEST_F(QueuesTest, RunsWaitForTheHostAndTheHostForRuns) {
  const Execution run = *twice.runAsync({});
  std::thread other([&] { EXPECT_TRUE(put({1, 2, 3}).ok()); });
  EXPECT_THAT(take(), ElementsAre(2, 4, 6));
  other.join();
  EXPECT_TRUE(run.done().await().ok());
}

TEST_F(QueuesTest, OtherTypesAreErrors) {
  const int32_t number = 1;
  ASSERT_TRUE(device.putInfeed(&number, ElementType::I32, {}).ok());
  const absl::Status status = twice.run({}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the next array of the infeed is tensor<i32>, where tensor<3xf32> is "
                        "expected"));
  EXPECT_EQ(device.putInfeed(nullptr, ElementType::I32, {}).message(), "the host's array is null");
  float values[3];
  EXPECT_EQ(device.takeOutfeed(values, 8, ElementType::F32, kDims).message(),
            "the host's array has 8 bytes, but tensor<3xf32> takes 12");
}

TEST_F(QueuesTest, ProgramsDoNotWaitForAnInfeedThatHasEnded) {
  device.endInfeed();
  EXPECT_EQ(twice.run({}).status().code(), absl::StatusCode::kOutOfRange);
  ASSERT_TRUE(put({1, 2, 3}).ok());
  EXPECT_TRUE(twice.run({}).ok());
}

TEST_F(QueuesTest, WaitingIsCancelled) {
  const Cancellation cancellation;
  const Execution run = *twice.runAsync({}, {.cancellation = cancellation});
  cancellation.cancel();
  EXPECT_EQ(run.done().await().code(), absl::StatusCode::kCancelled);
  float values[3];
  EXPECT_EQ(device.takeOutfeed(values, 12, ElementType::F32, kDims, cancellation).code(),
            absl::StatusCode::kCancelled);
}

TEST_F(QueuesTest, TheLastHandleEndsRunsThatWait) {
  Event done;
  {
    const Device own = *Device::create();
    done = compile(own, kTwice)->runAsync({})->done();
  }
  EXPECT_EQ(done.await().code(), absl::StatusCode::kCancelled);
}

} // namespace
} // namespace systole
