// Clients: devices, programs for them, runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Client.h"

#include "dialects/Machine/Program/Assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace systole {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char *kDouble = R"(
module @twice {
  func.func @main(%x: tensor<3xf32> {jax.buffer_donor = true}) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";

std::unique_ptr<Client> client(ClientOptions options = {}) {
  auto result = Client::create(options);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

std::shared_ptr<DeviceArray> put(Client &client, std::vector<float> values) {
  const int64_t dims[] = {int64_t(values.size())};
  auto array = *client.devices()[0]->hbm().allocate(*ArrayType::create("f32", dims));
  array->fill(reinterpret_cast<const uint8_t *>(values.data()));
  return array;
}

std::vector<float> get(const DeviceArray &array) {
  std::vector<float> values(size_t(array.type()->hostBytes()) / 4);
  array.fetch(reinterpret_cast<uint8_t *>(values.data()));
  return values;
}

absl::StatusOr<LoadedProgram::Run> run(Client &client, LoadedProgram &program,
                                       std::vector<std::shared_ptr<DeviceArray>> arguments,
                                       std::vector<int64_t> donated = {}) {
  return program.run(std::move(arguments), donated, {&client.devices()[0]->memories},
                     client.cancelFlag());
}

TEST(Client, PlacesCoresOnTheSquarestRectangle) {
  auto places = [](const char *name) {
    std::vector<std::string> texts;
    for (const DevicePlace &place : devicePlaces(*Target::load(name)))
      texts.push_back(std::to_string(place.coords[0]) + std::to_string(place.coords[1]) +
                      std::to_string(place.coords[2]) + "/" + std::to_string(place.coreOnChip));
    return texts;
  };
  EXPECT_THAT(places("v3"), ElementsAre("000/0"));
  EXPECT_THAT(places("v3-4"), ElementsAre("000/0", "000/1", "010/0", "010/1"));
  EXPECT_THAT(places("v2-8"),
              ElementsAre("000/0", "000/1", "100/0", "100/1", "010/0", "010/1", "110/0", "110/1"));
}

TEST(Client, CompilesAndRuns) {
  auto c = client();
  auto program = *c->compile(kDouble, "");
  EXPECT_EQ(program->program().header.module(), "twice");
  EXPECT_TRUE(program->program().header.arguments(0).donated());
  auto result = run(*c, *program, {put(*c, {1, -2, 0.5})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(get(*result->results[0]), ElementsAre(2, -4, 1));
  EXPECT_EQ(result->stats.cycles, program->predict()->cycles);
}

TEST(Client, ADonatedArrayBecomesTheResultUnlessItHasOtherOwners) {
  auto c = client();
  auto program = *c->compile(kDouble, "");
  auto x = put(*c, {1, 2, 3});
  DeviceArray *place = x.get();
  auto held = run(*c, *program, {x}, {0});
  EXPECT_NE(held->results[0].get(), place);
  EXPECT_THAT(get(*x), ElementsAre(1, 2, 3));
  std::vector<std::shared_ptr<DeviceArray>> arguments;
  arguments.push_back(std::move(x));
  auto given = run(*c, *program, std::move(arguments), {0});
  EXPECT_EQ(given->results[0].get(), place);
  EXPECT_THAT(get(*given->results[0]), ElementsAre(2, 4, 6));
}

// Temporary arrays are in the argument's rows once it has been read.
TEST(Client, AnArrayThatIsNotDonatedKeepsItsElements) {
  auto c = client();
  auto program = *c->compile(R"(
func.func @main(%x: tensor<300x1000xf32> {jax.buffer_donor = true}) -> tensor<1000x300xf32> {
  %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<300x1000xf32>) -> tensor<1000x300xf32>
  %b = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0]
      : (tensor<1000x300xf32>, tensor<300x1000xf32>) -> tensor<1000x1000xf32>
  %c = stablehlo.dot_general %b, %a, contracting_dims = [1] x [0]
      : (tensor<1000x1000xf32>, tensor<1000x300xf32>) -> tensor<1000x300xf32>
  %d = stablehlo.dot_general %b, %c, contracting_dims = [1] x [0]
      : (tensor<1000x1000xf32>, tensor<1000x300xf32>) -> tensor<1000x300xf32>
  return %d : tensor<1000x300xf32>
})",
                             "");
  const int64_t dims[] = {300, 1000};
  auto x = *c->devices()[0]->hbm().allocate(*ArrayType::create("f32", dims));
  std::vector<float> values(300'000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i % 7) - 3;
  x->fill(reinterpret_cast<const uint8_t *>(values.data()));
  auto held = run(*c, *program, {x});
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_EQ(get(*x), values);
  std::vector<std::shared_ptr<DeviceArray>> arguments;
  arguments.push_back(std::move(x));
  auto given = run(*c, *program, std::move(arguments), {0});
  EXPECT_EQ(get(*held->results[0]), get(*given->results[0]));
}

TEST(Client, ResultsThatAreTheSameValueAreArraysOfTheirOwn) {
  auto c = client();
  auto program = *c->compile(R"(
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y = stablehlo.add %x, %x : tensor<3xf32>
  return %x, %y, %y : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
})",
                             "");
  auto x = put(*c, {1, 2, 3});
  auto results = run(*c, *program, {x})->results;
  EXPECT_THAT(get(*results[0]), ElementsAre(1, 2, 3));
  std::ranges::fill(x->mutableBytes(), 0);
  std::ranges::fill(results[1]->mutableBytes(), 0);
  EXPECT_THAT(get(*results[0]), ElementsAre(1, 2, 3));
  EXPECT_THAT(get(*results[2]), ElementsAre(2, 4, 6));
}

// Doubles eight rows by way of VMEM; `to` is the region that it writes, by a copy to core 0 if it
// `sends`, `shape` that of its argument and result.
Program assembled(const std::string &shape, const std::string &rows, const std::string &to,
                  bool sends) {
  auto program = assemble(".program \"f\"\n.region a vmem " + rows + "\n.region x hbm " + rows +
                              "\n.region y hbm " + rows +
                              "\n.descriptor in hbm to vmem chunk 1024\n"
                              ".descriptor out vmem to hbm chunk 1024" +
                              (sends ? " arrival_flag 70" : "") + "\n.argument \"x\" f32[" + shape +
                              "] in x\n.result \"y\" f32[" + shape + "] in y\n" + R"(
routine main {
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0
  wait 1, flag=0
  v0 = vld.b32 0, region=a delay 3
  v0 = v.fadd v0, v0 delay 1
  vst.b32 v0, 0, region=a delay 1
  )" + (sends ? "dma.send core=0, " : "dma.start ") +
                              "dst=0, src=0, dstRegion=" + to +
                              ", srcRegion=a, descriptor=out, flag=1\n  wait 1, flag=1\n" +
                              (sends ? "  wait 1, flag=70\n" : "") + R"(  halt
}
)",
                          "f.sysasm");
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

TEST(Client, AProgramOfArraysInAnotherLayoutIsRefused) {
  const Target target = *Target::load("v3");
  EXPECT_TRUE(LoadedProgram::create(assembled("8, 128", "8", "y", false), target).ok());
  // Arrays of this shape have four positions in a row, and 64 rows.
  const absl::Status status =
      LoadedProgram::create(assembled("4, 64, 32", "256", "y", false), target).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "`x` is not laid out as arrays of tensor<4x64x32xf32>");
}

// Which is core 0 of its program on every device.
TEST(Client, ACoreHasTheNumberThatItHasInTheProgram) {
  auto c = client({.target = "v3-4"});
  const int64_t dims[] = {8, 128};
  for (const std::string to : {"y", "x"}) {
    auto program = *LoadedProgram::create(assembled("8, 128", "8", to, true), c->target());
    std::vector<int64_t> cycles;
    for (const auto &device : c->devices()) {
      auto x = *device->hbm().allocate(*ArrayType::create("f32", dims));
      const std::vector<float> values(1024, 3);
      x->fill(reinterpret_cast<const uint8_t *>(values.data()));
      auto result = program->run({x}, {}, {&device->memories}, c->cancelFlag());
      EXPECT_EQ(get(*x), values);
      EXPECT_EQ(result.ok(), to == "y") << result.status();
      if (result.ok()) {
        EXPECT_EQ(get(*result->results[0]), std::vector<float>(1024, 6));
        cycles.push_back(result->stats.cycles);
      }
    }
    EXPECT_TRUE(std::ranges::all_of(cycles, [&](int64_t each) { return each == cycles[0]; }));
  }
}

TEST(Client, LargeSlicesTakeNoMemoryThatTheyDoNotUse) {
  EXPECT_EQ(client({.target = "v3-2048"})->devices().size(), 2048u);
}

TEST(Client, DevicesRunOneProgramAtTheSameTime) {
  auto c = client({.target = "v3-4"});
  auto program = *c->compile(kDouble, "");
  std::vector<std::thread> threads;
  for (const auto &device : c->devices())
    threads.emplace_back([&, device = device.get()] {
      const int64_t dims[] = {3};
      for (int time = 0; time < 20; ++time) {
        auto x = *device->hbm().allocate(*ArrayType::create("f32", dims));
        const std::vector<float> values = {float(device->id), float(time), -1};
        x->fill(reinterpret_cast<const uint8_t *>(values.data()));
        auto result = program->run({x}, {}, {&device->memories}, c->cancelFlag());
        ASSERT_TRUE(result.ok()) << result.status();
        EXPECT_THAT(get(*result->results[0]), ElementsAre(2 * device->id, 2 * time, -2));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Client, TheSameProgramIsLoadedOnce) {
  auto c = client();
  auto first = *c->compile(kDouble, "");
  EXPECT_EQ(*c->compile(kDouble, ""), first);
  EXPECT_EQ(*c->compile(kDouble, "default"), first);
  EXPECT_NE(*c->compile(kDouble, "highest"), first);
}

TEST(Client, ProgramsStayOnDisk) {
  const std::string folder = testing::TempDir() + "/client-cache";
  std::filesystem::remove_all(folder);
  for (int i = 0; i < 2; ++i) {
    auto c = client({.cacheDir = folder});
    auto program = c->compile(kDouble, "");
    ASSERT_TRUE(program.ok()) << program.status();
    EXPECT_THAT(get(*run(*c, **program, {put(*c, {4, 5, 6})})->results[0]), ElementsAre(8, 10, 12));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST(Client, AFolderThatCannotBeIsNone) {
  auto c = client({.cacheDir = "/dev/null/cache"});
  EXPECT_TRUE(c->compile(kDouble, "").ok());
}

TEST(Client, RejectsInvalidPrograms) {
  auto c = client();
  EXPECT_THAT(std::string(c->compile("nonsense", "").status().message()), HasSubstr("error: "));
  EXPECT_EQ(c->load("nonsense").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Client::create({.target = "v99"}).status().code(), absl::StatusCode::kNotFound);
}

TEST(Client, CompilesNothingOnceItIsShutDown) {
  auto owner = client();
  {
    Client::Call finished(*owner);
  }
  owner->shutDown();
  EXPECT_EQ(owner->compile(kDouble, "").status().code(), absl::StatusCode::kCancelled);
}

TEST(Client, AProgramForAnotherMachineIsRefused) {
  auto v2 = client({.target = "v2"}), v3 = client();
  const std::string bytes = *serializeProgram((*v2->compile(kDouble, ""))->program());
  EXPECT_TRUE(v2->load(bytes).ok());
  EXPECT_EQ(v3->load(bytes).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Client, AProgramThatBreaksTheMachinesRulesIsRefused) {
  const std::string folder = testing::TempDir() + "/client-rules";
  std::filesystem::remove_all(folder);
  Program program = (*client({.cacheDir = folder})->compile(kDouble, ""))->program();
  // Control that goes on behind the last bundle, in a file that is whole otherwise.
  program.code.pop_back();
  for (program::Routine &routine : *program.header.mutable_routines())
    routine.mutable_bundles()->set_end(
        std::min<int64_t>(routine.bundles().end(), int64_t(program.code.size())));
  program.header.clear_kernels();
  program.header.clear_sources();
  program.header.clear_overlays();
  auto bytes = serializeProgram(program);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  auto c = client({.cacheDir = folder});
  EXPECT_THAT(std::string(c->load(*bytes).status().message()), HasSubstr("bundle"));
  // An entry on disk is treated as missing.
  for (const auto &file : std::filesystem::directory_iterator(folder))
    ProgramCache(folder).write(file.path().stem(), program);
  EXPECT_TRUE(c->compile(kDouble, "").ok());
}

TEST(Client, RunsAreRecorded) {
  auto c = client();
  recordRuns(true);
  auto program = *c->compile(kDouble, "");
  auto result = *run(*c, *program, {put(*c, {1, 2, 3})});
  c->log().ran(*program, result.stats, result.seconds, std::vector{0});
  const std::string lines = takeRecordedRuns();
  recordRuns(false);
  EXPECT_THAT(lines, HasSubstr("\"event\":\"compile\""));
  EXPECT_THAT(lines, HasSubstr("\"cycles\":" + std::to_string(result.stats.cycles)));
  EXPECT_THAT(lines, HasSubstr("\"event\":\"memory\""));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3);
  c->log().ran(*program, result.stats, result.seconds, std::vector{0});
  EXPECT_EQ(takeRecordedRuns(), "");
}

} // namespace
} // namespace systole
