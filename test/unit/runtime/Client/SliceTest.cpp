// Programs for several cores: their arrays, runs, errors and launches.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/Client/Launch.h"
#include "runtime/Client/Profiler.h"
#include "runtime/Report/xplane.pb.h"
#include "test/unit/runtime/Client/NoThreads.h"
#include "test/unit/runtime/Client/SlicePrograms.h"

namespace systole {
namespace {

using test::doubling;
using test::rotation;
using test::sliceProgram;
using test::trapOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class Slice : public testing::Test {
protected:
  Slice() : client(*Client::create({.target = "v3-8"})) {}

  std::shared_ptr<LoadedProgram> load(const Program &program) {
    auto loaded = client->load(*serializeProgram(program));
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return *std::move(loaded);
  }

  // An array of one value.
  std::shared_ptr<DeviceArray> put(int device, float value) {
    const int64_t dims[] = {8, 128};
    auto array =
        *client->devices()[size_t(device)]->hbm().allocate(*ArrayType::create("f32", dims));
    const std::vector<float> values(1024, value);
    array->fill(reinterpret_cast<const uint8_t *>(values.data()));
    return array;
  }

  static float get(const DeviceArray &array) {
    std::vector<float> values(1024);
    array.fetch(reinterpret_cast<uint8_t *>(values.data()));
    EXPECT_THAT(values, Each(values[0]));
    return values[0];
  }

  static std::vector<float> getAll(const std::vector<std::shared_ptr<DeviceArray>> &arrays) {
    std::vector<float> values;
    for (const auto &array : arrays)
      values.push_back(get(*array));
    return values;
  }

  absl::StatusOr<LoadedProgram::Run> run(LoadedProgram &program,
                                         std::vector<std::shared_ptr<DeviceArray>> arguments,
                                         const std::vector<int> &devices,
                                         std::vector<int64_t> donated = {}) {
    std::vector<const DeviceMemories *> memories;
    for (int device : devices)
      memories.push_back(&client->devices()[size_t(device)]->memories);
    return program.run(std::move(arguments), donated, memories, client->cancelFlag());
  }

  LaunchOptions launch(const std::shared_ptr<LoadedProgram> &program,
                       const std::vector<int> &devices) {
    LaunchOptions options;
    options.program = program;
    options.name = "slice";
    options.client = client.get();
    for (int device : devices)
      options.devices.push_back(client->devices()[size_t(device)].get());
    return options;
  }

  static std::shared_ptr<PendingArray> ready(std::shared_ptr<DeviceArray> array) {
    return std::make_shared<PendingArray>(PendingArray{Event::completed(), std::move(array)});
  }

  std::unique_ptr<Client> client;
};

TEST_F(Slice, EachCoreHasArraysOfItsOwnOnItsDevice) {
  auto program = load(rotation(4));
  EXPECT_EQ(program->program().header.cores(), 4);
  EXPECT_EQ(program->memory().device.arguments, 4096);
  const std::vector<int> devices{6, 1, 7, 0};
  std::vector<std::shared_ptr<DeviceArray>> arguments;
  for (int device : devices)
    arguments.push_back(put(device, float(device)));
  auto result = run(*program, arguments, devices);
  ASSERT_TRUE(result.ok()) << result.status();
  // What the core before it had.
  EXPECT_THAT(getAll(result->results), ElementsAre(0, 6, 1, 7));
  EXPECT_THAT(getAll(arguments), ElementsAre(6, 1, 7, 0));
  EXPECT_EQ(result->stats.coreCycles.size(), 4u);
  // On other devices, and the links between these.
  std::vector<std::shared_ptr<DeviceArray>> others;
  for (int device : {2, 3, 4, 5})
    others.push_back(put(device, float(device)));
  EXPECT_THAT(getAll(run(*program, others, {2, 3, 4, 5})->results), ElementsAre(5, 2, 3, 4));
}

TEST_F(Slice, ProgramsForTheWholeSliceAndForOneCoreShareDevices) {
  auto all = load(rotation(8)), one = load(doubling(1));
  std::vector<int> devices(8);
  std::iota(devices.begin(), devices.end(), 0);
  std::vector<std::shared_ptr<DeviceArray>> arrays;
  for (int device : devices)
    arrays.push_back(put(device, float(device)));
  for (int time = 1; time <= 3; ++time) {
    arrays = run(*all, arrays, devices)->results;
    arrays[3] = run(*one, {arrays[3]}, {3})->results[0];
  }
  // 2, 1 and 0 have been on device 3.
  EXPECT_THAT(getAll(arrays), ElementsAre(5, 6, 7, 0, 2, 4, 3, 4));
}

TEST_F(Slice, ShardsAreDonatedOneByOne) {
  auto program = load(doubling(2));
  std::vector<std::shared_ptr<DeviceArray>> arguments{put(4, 3), put(5, 4)};
  const std::vector<DeviceArray *> places{arguments[0].get(), arguments[1].get()};
  const std::shared_ptr<DeviceArray> kept = arguments[0];
  auto result = run(*program, std::move(arguments), {4, 5}, {0, 1});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_NE(result->results[0].get(), places[0]);
  EXPECT_EQ(result->results[1].get(), places[1]);
  EXPECT_THAT(getAll(result->results), ElementsAre(6, 8));
  EXPECT_EQ(get(*kept), 3);
  arguments = {put(4, 3), put(5, 4)};
  const DeviceArray *second = arguments[1].get();
  result = run(*program, std::move(arguments), {4, 5}, {0});
  EXPECT_NE(result->results[1].get(), second);
}

TEST_F(Slice, ATrapEndsAllAndNamesTheDevice) {
  auto program = load(trapOf(4, 2));
  const absl::Status status = run(*program, {}, {0, 2, 6, 4}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("on device 6: trap instruction: the index is out of range"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("core 2"));
}

TEST_F(Slice, ProgramsOfMoreCoresAreRefused) {
  EXPECT_EQ(client->load(*serializeProgram(rotation(16))).status(),
            absl::FailedPreconditionError("the program is for 16 cores, and there are 8"));
  Program two = rotation(2);
  two.header.set_slice_cores(16);
  for (const int place : {0, 9})
    two.header.add_core_places(place);
  EXPECT_EQ(client->load(*serializeProgram(two)).status(),
            absl::FailedPreconditionError("the program is for 2 cores of 16, and there are 8"));
}

TEST_F(Slice, APredictionIsThatOfARun) {
  auto program = load(rotation(2));
  const auto result = run(*program, {put(0, 1), put(2, 1)}, {0, 2});
  ASSERT_TRUE(result.ok()) << result.status();
  // On cores 0 and 1, without a link between them.
  const absl::StatusOr<RunStats> predicted = program->predict();
  ASSERT_TRUE(predicted.ok()) << predicted.status();
  EXPECT_LT(predicted->cycles, result->stats.cycles);
  EXPECT_EQ(predicted->cycles, run(*program, {put(6, 1), put(7, 1)}, {6, 7})->stats.cycles);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

TEST_F(Slice, ResultsOfAllDevicesAreReadyTogether) {
  auto program = load(rotation(2));
  // The second argument comes later, from another program of that device.
  Event later;
  auto late = std::make_shared<PendingArray>(PendingArray{later, nullptr});
  LaunchOptions options = launch(program, {0, 3});
  options.arguments = {ready(put(0, 5)), late};
  Launch run(std::move(options));
  ASSERT_EQ(run.results().size(), 2u);
  const std::vector<std::shared_ptr<PendingArray>> results(run.results().begin(),
                                                           run.results().end());
  ASSERT_TRUE(run.start().ok());
  for (const auto &result : results)
    EXPECT_FALSE(result->ready.isReady());
  // Others go on.
  LaunchOptions other = launch(program, {1, 2});
  other.arguments = {ready(put(1, 1)), ready(put(2, 2))};
  Launch second(std::move(other));
  ASSERT_TRUE(second.start().ok());
  EXPECT_TRUE(second.done().await().ok());
  EXPECT_FALSE(run.done().isReady());
  late->array = put(3, 7);
  later.complete(absl::OkStatus());
  EXPECT_TRUE(run.done().await().ok());
  EXPECT_TRUE(results[0]->ready.isReady() && results[1]->ready.isReady());
  EXPECT_EQ(get(*results[0]->array), 7);
  EXPECT_EQ(get(*results[1]->array), 5);
}

TEST_F(Slice, AFailureIsThatOfAllResults) {
  const Program trapping = trapOf(2, 1);
  Launch run(launch(load(trapping), {3, 5}));
  ASSERT_TRUE(run.start().ok());
  EXPECT_THAT(std::string(run.done().await().message()), HasSubstr("slice: on device 5: trap"));
  auto program = load(rotation(2));
  LaunchOptions options = launch(program, {3, 5});
  options.arguments = {ready(put(3, 1)),
                       std::make_shared<PendingArray>(PendingArray{run.done(), nullptr})};
  Launch next(std::move(options));
  ASSERT_TRUE(next.start().ok());
  EXPECT_EQ(next.done().await(), run.done().await());
}

TEST_F(Slice, NothingRunsIfTheHostHasNoThread) {
  auto program = load(rotation(2));
  LaunchOptions options = launch(program, {0, 1});
  options.arguments = {ready(put(0, 1)), ready(put(1, 2))};
  const LaunchOptions again = options;
  {
    const NoThreads host;
    EXPECT_EQ(Launch(std::move(options)).start().code(), absl::StatusCode::kResourceExhausted);
  }
  Launch run(again);
  ASSERT_TRUE(run.start().ok());
  EXPECT_TRUE(run.done().await().ok());
}

// A callback on device 1 would wait for a program on devices that may wait for device 1.
TEST_F(Slice, ACallbackOfAMemberStartsNoGang) {
  auto asking = *client->compile(R"(
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %s = "stablehlo.send"(%x, %t) <{
    channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true
  }> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<3xf32>
})",
                                 "");
  auto program = load(rotation(2));
  const int64_t dims[] = {3};
  absl::Status inside;
  LaunchOptions options = launch(asking, {1});
  options.arguments = {
      ready(*client->devices()[1]->hbm().allocate(*ArrayType::create("f32", dims)))};
  Event elsewhere;
  options.channels.resize(1);
  options.channels[0].sends[2] = [&](std::span<const uint8_t>) {
    LaunchOptions nested = launch(program, {0, 1});
    nested.arguments = {ready(put(0, 1)), ready(put(1, 1))};
    inside = Launch(std::move(nested)).start();
    LaunchOptions others = launch(program, {2, 3});
    others.arguments = {ready(put(2, 1)), ready(put(3, 1))};
    Launch run(std::move(others));
    elsewhere = run.done();
    return run.start();
  };
  Launch run(std::move(options));
  ASSERT_TRUE(run.start().ok());
  EXPECT_TRUE(run.done().await().ok());
  EXPECT_EQ(inside.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(inside.message()), HasSubstr("slice runs on 2 devices"));
  EXPECT_TRUE(elsewhere.await().ok());
}

// Chains of programs on overlapping sets of devices, in two orders, from several threads.
TEST_F(Slice, OverlappingGangsOfThreadsAllEnd) {
  auto pair = load(rotation(2)), four = load(rotation(4)), one = load(doubling(1));
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 3; ++seed)
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      std::vector<Event> done;
      for (int i = 0; i < 40; ++i) {
        std::vector<int> devices{0, 1, 2, 3};
        std::ranges::shuffle(devices, random);
        devices.resize(size_t(1) << random() % 3);
        LaunchOptions options = launch(devices.size() == 1   ? one
                                       : devices.size() == 2 ? pair
                                                             : four,
                                       devices);
        for (int device : devices)
          options.arguments.push_back(ready(put(device, float(device))));
        Launch run(std::move(options));
        done.push_back(run.done());
        ASSERT_TRUE(run.start().ok());
      }
      for (const Event &event : done)
        EXPECT_TRUE(event.await().ok());
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(Slice, AClientEndsWithRunsThatAreQueued) {
  auto program = load(doubling(2, 1'000'000'000));
  std::vector<Event> done;
  for (const std::vector<int> &devices : {std::vector{0, 1}, {1, 2}, {2, 0}}) {
    LaunchOptions options = launch(program, devices);
    options.arguments = {ready(put(devices[0], 1)), ready(put(devices[1], 1))};
    Launch run(std::move(options));
    done.push_back(run.done());
    ASSERT_TRUE(run.start().ok());
  }
  client.reset();
  for (const Event &event : done)
    EXPECT_EQ(event.await().code(), absl::StatusCode::kCancelled);
}

TEST_F(Slice, AProfileHasTheEventsOfEachDevice) {
  ASSERT_TRUE(startProfile().ok());
  auto program = load(rotation(2));
  LaunchOptions options = launch(program, {2, 5});
  options.arguments = {ready(put(2, 1)), ready(put(5, 2))};
  Launch run(std::move(options));
  ASSERT_TRUE(run.start().ok());
  EXPECT_TRUE(run.done().await().ok());
  xplane::XSpace space;
  ASSERT_TRUE(space.ParseFromString(stopProfile()));
  ASSERT_EQ(space.planes_size(), 2);
  EXPECT_EQ(space.planes(0).name(), "/device:TPU:2");
  EXPECT_EQ(space.planes(1).name(), "/device:TPU:5");
}

} // namespace
} // namespace systole
