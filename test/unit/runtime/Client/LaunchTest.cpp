// Launches: what a run holds until its waiters are notified.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Launch.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

constexpr const char *kDouble = R"(
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
})";

TEST(Launch, ReleasesItsArraysBeforeItsWaitersAreNotified) {
  const std::unique_ptr<Client> client = *Client::create({});
  ClientDevice &device = *client->devices()[0];
  const int64_t dims[] = {3};
  auto argument = std::make_shared<PendingArray>(
      PendingArray{Event::completed(), *device.hbm().allocate(*ArrayType::create("f32", dims))});
  LaunchOptions options;
  options.program = *client->compile(kDouble, "");
  options.client = client.get();
  options.devices = {&device};
  options.arguments = {argument};
  long argumentOwners = 0, resultOwners = 0;
  std::shared_ptr<PendingArray> result;
  Event notified;
  {
    Launch launch(std::move(options));
    result = launch.results()[0];
    launch.done().onReady([&](const absl::Status &status) {
      argumentOwners = argument.use_count();
      resultOwners = result.use_count();
      notified.complete(status);
    });
    ASSERT_TRUE(launch.start().ok());
    ASSERT_TRUE(notified.await().ok());
  }
  EXPECT_EQ(argumentOwners, 1);
  EXPECT_EQ(resultOwners, 2); // this test and its launch
}

} // namespace
} // namespace systole
