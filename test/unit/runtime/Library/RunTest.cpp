// Runs: results, order, errors, donation, cancellation, reports.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "systole/compiler.h"
#include "test/unit/runtime/Client/NoThreads.h"

namespace systole {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kDims[] = {3};
constexpr char kAdd[] = R"(module @add {
  func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %y : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";
constexpr char kDonates[] = R"(module @increment {
  func.func @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<3xf32>
    %0 = stablehlo.add %x, %one : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";
// Counts to the argument: 2 billion take minutes.
constexpr char kCount[] = R"(module @count {
  func.func @main(%n: tensor<i32>) -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.while(%i = %zero) : tensor<i32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next : tensor<i32>
      }
    return %0 : tensor<i32>
  }
})";

class RunTest : public testing::Test {
protected:
  Buffer buffer(std::vector<float> values) {
    return *Buffer::fromHost(device, values.data(), ElementType::F32, kDims);
  }
  Buffer scalar(int32_t value) { return *Buffer::fromHost(device, &value, ElementType::I32, {}); }
  static std::vector<float> values(const Buffer &buffer) {
    std::vector<float> back(3);
    EXPECT_TRUE(buffer.toHost(back.data(), 12).ok());
    return back;
  }

  const Device device = *Device::create();
};

TEST_F(RunTest, WaitsForResults) {
  const Executable add = *compile(device, kAdd);
  absl::StatusOr<Execution> run = add.run(std::vector{buffer({1, 2, 3}), buffer({10, 20, 30})});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_TRUE(run->done().isReady());
  EXPECT_THAT(values(run->results()[0]), ElementsAre(11, 22, 33));
}

TEST_F(RunTest, ResultsMayBeArgumentsBeforeTheyAreReady) {
  const Executable add = *compile(device, kAdd);
  Buffer sum = buffer({1, 2, 3});
  for (int i = 0; i < 5; ++i)
    sum = add.runAsync(std::vector{sum, sum})->results()[0];
  float back[3];
  const Event copied = *sum.toHostAsync(back, sizeof(back));
  EXPECT_TRUE(copied.await().ok());
  EXPECT_THAT(back, ElementsAre(32, 64, 96));
}

TEST_F(RunTest, CallbacksComeOnce) {
  const Executable add = *compile(device, kAdd);
  const Execution run = *add.runAsync(std::vector{buffer({1, 2, 3}), buffer({1, 2, 3})});
  std::atomic<int> calls = 0;
  run.done().onReady([&](const absl::Status &status) { calls += status.ok() ? 1 : 100; });
  EXPECT_TRUE(run.done().await().ok());
  // The device calls back after it has told who waits.
  while (calls == 0)
    std::this_thread::yield();
  run.done().onReady([&](const absl::Status &status) { calls += status.ok() ? 1 : 100; });
  EXPECT_EQ(calls, 2);
}

TEST_F(RunTest, ArgumentsAreChecked) {
  const Executable add = *compile(device, kAdd);
  auto message = [&](std::vector<Buffer> arguments) {
    return std::string(add.run(arguments).status().message());
  };
  const Buffer x = buffer({1, 2, 3}), released = buffer({1, 2, 3});
  released.release();
  EXPECT_EQ(message({x}), "add has 2 arguments, but 1 was given");
  EXPECT_EQ(message({x, scalar(1)}),
            "argument 1 of add is tensor<3xf32>, but given as tensor<i32>");
  EXPECT_EQ(message({released, x}), "argument 0 of add: the buffer has been released or donated");
  EXPECT_EQ(message({x, Buffer()}), "argument 1 of add is an empty buffer");
  const float other[3] = {};
  EXPECT_EQ(message({x, *Buffer::fromHost(*Device::create(), other, ElementType::F32, kDims)}),
            "argument 1 of add is on another device");
}

TEST_F(RunTest, BoundedArraysHaveSizesOfTheirOwn) {
  const Executable twice = *compile(device, R"(module @twice {
  func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
    %0 = stablehlo.add %x, %x : tensor<?xf32, #stablehlo.bounds<8>>
    return %0 : tensor<?xf32, #stablehlo.bounds<8>>
  }
})");
  absl::StatusOr<Execution> run = twice.run(std::vector{buffer({1, 2, 3})});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_THAT(*run->results()[0].sizes(), ElementsAre(3));
  EXPECT_THAT(run->results()[0].type().dims, ElementsAre(8));
  run = twice.run(run->results());
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_THAT(*run->results()[0].sizes(), ElementsAre(3));
  std::vector<float> back(8, -1.0f);
  ASSERT_TRUE(run->results()[0].toHost(back.data(), 32).ok());
  EXPECT_THAT(back, ElementsAre(4, 8, 12, -1, -1, -1, -1, -1));

  // The same buffer is no array of 8 elements.
  const Executable whole = *compile(device, R"(module @whole {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
})");
  EXPECT_EQ(whole.run(run->results()).status().message(),
            "whole: argument 0 is tensor<8xf32>, but given with sizes [3]");
}

TEST_F(RunTest, DonatedArgumentsGo) {
  const Executable increment = *compile(device, kDonates);
  const Buffer x = buffer({1, 2, 3}), kept = buffer({1, 2, 3});
  EXPECT_THAT(values(increment.run(std::vector{x})->results()[0]), ElementsAre(2, 3, 4));
  EXPECT_TRUE(x.isReleased());
  EXPECT_THAT(values(increment.run(std::vector{kept}, {.keepDonated = true})->results()[0]),
              ElementsAre(2, 3, 4));
  EXPECT_THAT(values(kept), ElementsAre(1, 2, 3));
}

TEST_F(RunTest, DonatedArgumentsStayIfNothingRuns) {
  const Executable increment = *compile(device, kDonates);
  const Buffer x = buffer({1, 2, 3});
  {
    const NoThreads host;
    const absl::Status status = increment.runAsync(std::vector{x}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(status.message(), "this host starts no more threads");
  }
  EXPECT_THAT(values(x), ElementsAre(1, 2, 3));
  EXPECT_THAT(values(increment.run(std::vector{x})->results()[0]), ElementsAre(2, 3, 4));
  EXPECT_TRUE(x.isReleased());
}

TEST_F(RunTest, CanBeCancelledAndTheErrorReachesWhatDependsOnIt) {
  const Executable count = *compile(device, kCount);
  const Cancellation cancellation;
  const Execution run =
      *count.runAsync(std::vector{scalar(2'000'000'000)}, {.cancellation = cancellation});
  const Execution next = *count.runAsync(std::vector{run.results()[0]});
  EXPECT_FALSE(run.done().isReady());
  cancellation.cancel();
  EXPECT_EQ(run.done().await().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(next.done().await().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(run.report().status().code(), absl::StatusCode::kCancelled);
  int32_t back;
  EXPECT_EQ(next.results()[0].toHost(&back, 4).code(), absl::StatusCode::kCancelled);
  // Others are not.
  const Execution after = *count.run(std::vector{scalar(5)});
  ASSERT_TRUE(after.results()[0].toHost(&back, 4).ok());
  EXPECT_EQ(back, 5);
}

TEST_F(RunTest, TheLastHandleCancelsRuns) {
  Event done;
  {
    const Device own = *Device::create();
    const int32_t many = 2'000'000'000;
    done = compile(own, kCount)
               ->runAsync(std::vector{*Buffer::fromHost(own, &many, ElementType::I32, {})})
               ->done();
  }
  EXPECT_EQ(done.await().code(), absl::StatusCode::kCancelled);
}

TEST_F(RunTest, TheLastHandleMayGoInACallback) {
  std::atomic<bool> called = false;
  Event done;
  {
    auto held = std::make_shared<Execution>();
    const Device own = *Device::create();
    const int32_t some = 1'000'000;
    *held = *compile(own, kCount)
                 ->runAsync(std::vector{*Buffer::fromHost(own, &some, ElementType::I32, {})});
    done = held->done();
    done.onReady([&called, held](const absl::Status &) mutable {
      held.reset();
      called = true;
    });
  }
  EXPECT_TRUE(done.await().ok());
  while (!called)
    std::this_thread::yield();
}

TEST_F(RunTest, TokensAreArraysWithoutElements) {
  const Executable program = *compile(device, R"(
    func.func @main(%t: !stablehlo.token, %x: tensor<3xf32>)
        -> (!stablehlo.token, tensor<3xf32>) {
      %0 = stablehlo.negate %x : tensor<3xf32>
      return %t, %0 : !stablehlo.token, tensor<3xf32>
    })");
  const TensorType &type = program.signature().arguments[0].type;
  EXPECT_EQ(type.elementType, ElementType::I1);
  EXPECT_THAT(type.dims, ElementsAre(0));
  const Buffer token = *Buffer::fromHost(device, nullptr, type.elementType, type.dims);
  const Execution run = *program.run(std::vector{token, buffer({1, 2, 3})});
  EXPECT_TRUE(run.results()[0].toHost(nullptr, 0).ok());
  EXPECT_THAT(values(run.results()[1]), ElementsAre(-1, -2, -3));
}

TEST_F(RunTest, ManyThreads) {
  const Executable add = *compile(device, kAdd);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      const float x = float(t);
      Buffer sum = buffer({x, x, x});
      for (int i = 0; i < 10; ++i)
        sum = add.runAsync(std::vector{sum, buffer({1, 2, 3})})->results()[0];
      right += values(sum) == std::vector{x + 10, x + 20, x + 30};
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 8);
}

TEST_F(RunTest, ReportsAndPredictions) {
  const Executable add = *compile(device, kAdd);
  const Execution run = *add.run(std::vector{buffer({1, 2, 3}), buffer({1, 2, 3})});
  const Report report = *run.report();
  EXPECT_EQ(report.target, "v3");
  EXPECT_FALSE(report.timingOnly);
  EXPECT_EQ(report.flops, 3);
  EXPECT_DOUBLE_EQ(report.mxuUtilization, 0);
  ASSERT_FALSE(report.kernels.empty());
  EXPECT_EQ(report.kernels[0].calls, 1);
  int64_t cycles = 0;
  for (const KernelReport &kernel : report.kernels)
    cycles += kernel.cycles;
  EXPECT_EQ(cycles, report.cycles);
  EXPECT_THAT(report.json, HasSubstr("\"cycles\":" + std::to_string(report.cycles)));
  EXPECT_THAT(report.text, AllOf(HasSubstr("HBM traffic"), HasSubstr("HBM at its fullest")));

  // Nothing depends on data here.
  const Report predicted = *add.predict();
  EXPECT_TRUE(predicted.timingOnly);
  EXPECT_EQ(predicted.cycles, report.cycles);
  EXPECT_EQ(predicted.emulateSeconds, 0);
}

TEST_F(RunTest, ExcessPrecisionKeepsIntermediates) {
  // (1 + 2^-9) - 1: in bf16 the sum is 1.
  constexpr char kProgram[] =
      R"(func.func @main(%x: tensor<bf16>, %y: tensor<bf16>) -> tensor<bf16> {
    %0 = stablehlo.add %x, %y : tensor<bf16>
    %1 = stablehlo.subtract %0, %x : tensor<bf16>
    return %1 : tensor<bf16>
  })";
  const uint16_t one = 0x3f80, small = 0x3b00;
  const std::vector arguments = {*Buffer::fromHost(device, &one, ElementType::BF16, {}),
                                 *Buffer::fromHost(device, &small, ElementType::BF16, {})};
  auto result = [&](bool excess) {
    const Executable program = *compile(device, kProgram, {.excessPrecision = excess});
    uint16_t bits = 1;
    EXPECT_TRUE(program.run(arguments)->results()[0].toHost(&bits, 2).ok());
    return bits;
  };
  EXPECT_EQ(result(false), 0);
  EXPECT_EQ(result(true), small);
}

TEST_F(RunTest, CallbacksOfProgramsAreNotSupported) {
  absl::StatusOr<Executable> program = compile(device, R"(module @sends {
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %t = stablehlo.create_token : !stablehlo.token
      %0 = "stablehlo.send"(%x, %t) {
        channel_handle = #stablehlo.channel_handle<handle = 4, type = 2>,
        is_host_transfer = true} : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
      return %x : tensor<3xf32>
    }
  })");
  ASSERT_TRUE(program.ok()) << program.status();
  const absl::Status status = program->run(std::vector{buffer({1, 2, 3})}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("channel 4"));
}

} // namespace
} // namespace systole
