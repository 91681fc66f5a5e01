// Programs for several devices through the C interface: assignments, runs on all devices at once,
// and what clients read of them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "runtime/Pjrt/Shardings.h"
#include "runtime/Pjrt/compile_options.pb.h"
#include "test/unit/runtime/Client/SlicePrograms.h"
#include "test/unit/runtime/Pjrt/Plugin.h"

namespace {

using namespace systole::pjrt::testing;
using systole::Program;
using systole::test::doubling;
using systole::test::rotation;
using systole::test::trapOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// How clients name the devices of partitions.
std::string optionsFor(const std::vector<int> &devices, int replicas = 1, bool portable = false) {
  systole::pjrt::CompileOptions options;
  auto &build = *options.mutable_executable_build_options();
  build.set_num_replicas(replicas);
  build.set_num_partitions(int64_t(devices.size()));
  build.set_use_spmd_partitioning(true);
  auto &assignment = *build.mutable_device_assignment();
  assignment.set_replica_count(replicas);
  assignment.set_computation_count(int(devices.size()));
  for (int device : devices)
    assignment.add_computation_devices()->add_replica_device_ids(device);
  options.set_compile_portable_executable(portable);
  return options.SerializeAsString();
}

// A division of a tensor: by core the position of its part along each dimension.
void divide(systole::program::Tensor &tensor, const std::vector<int64_t> &whole,
            const std::vector<int64_t> &positions) {
  tensor.mutable_whole_dims()->Assign(whole.begin(), whole.end());
  tensor.mutable_core_positions()->Assign(positions.begin(), positions.end());
}

class Slice : public testing::Test {
protected:
  void SetUp() override {
    auto option = argsOf<PJRT_NamedValue>();
    option.name = "target";
    option.name_size = 6;
    option.type = PJRT_NamedValue_kString;
    option.string_value = "v3-8";
    option.value_size = 4;
    auto args = argsOf<PJRT_Client_Create_Args>();
    args.create_options = &option;
    args.num_options = 1;
    ASSERT_EQ(take(api().PJRT_Client_Create(&args)), "");
    client = args.client;
    auto list = argsOf<PJRT_Client_Devices_Args>();
    list.client = client;
    ASSERT_EQ(take(api().PJRT_Client_Devices(&list)), "");
    devices.assign(list.devices, list.devices + list.num_devices);
  }

  void TearDown() override {
    for (PJRT_Buffer *buffer : buffers) {
      auto args = argsOf<PJRT_Buffer_Destroy_Args>();
      args.buffer = buffer;
      EXPECT_EQ(take(api().PJRT_Buffer_Destroy(&args)), "");
    }
    for (PJRT_LoadedExecutable *executable : executables) {
      auto args = argsOf<PJRT_LoadedExecutable_Destroy_Args>();
      args.executable = executable;
      EXPECT_EQ(take(api().PJRT_LoadedExecutable_Destroy(&args)), "");
    }
    destroy(client);
  }

  std::string tryCompile(const std::string &options) {
    std::string code = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                       "  return %x : tensor<3xf32>\n}\n";
    const std::string format = "mlir";
    auto program = argsOf<PJRT_Program>();
    program.code = code.data();
    program.code_size = code.size();
    program.format = format.data();
    program.format_size = format.size();
    auto args = argsOf<PJRT_Client_Compile_Args>();
    args.client = client;
    args.program = &program;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    std::string message = take(api().PJRT_Client_Compile(&args));
    if (message.empty())
      executables.push_back(args.executable);
    return message;
  }

  // A serialized executable, as another process has written it.
  std::string tryLoad(const std::string &bytes, const std::string &options = "") {
    auto args = argsOf<PJRT_Executable_DeserializeAndLoad_Args>();
    args.client = client;
    args.serialized_executable = bytes.data();
    args.serialized_executable_size = bytes.size();
    args.overridden_serialized_compile_options = options.data();
    args.overridden_serialized_compile_options_size = options.size();
    std::string message = take(api().PJRT_Executable_DeserializeAndLoad(&args));
    if (message.empty())
      executables.push_back(args.loaded_executable);
    return message;
  }

  static std::string serialized(const Program &program, const std::string &options) {
    systole::pjrt::SerializedExecutable message;
    message.set_version(1);
    message.set_program(*serializeProgram(program));
    message.set_options(options);
    return message.SerializeAsString();
  }

  PJRT_LoadedExecutable *load(const Program &program, const std::vector<int> &on) {
    EXPECT_EQ(tryLoad(serialized(program, optionsFor(on))), "");
    return executables.back();
  }

  // An array of one value, f32[8, 128].
  PJRT_Buffer *put(int device, float value) {
    const int64_t dims[] = {8, 128};
    const std::vector<float> values(1024, value);
    auto args = argsOf<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = client;
    args.data = values.data();
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims;
    args.num_dims = 2;
    args.device = devices[size_t(device)];
    EXPECT_EQ(take(api().PJRT_Client_BufferFromHostBuffer(&args)), "");
    await(args.done_with_host_buffer);
    buffers.push_back(args.buffer);
    return args.buffer;
  }

  float get(PJRT_Buffer *buffer) {
    std::vector<float> values(1024);
    auto args = argsOf<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = buffer;
    args.dst = values.data();
    args.dst_size = values.size() * sizeof(float);
    EXPECT_EQ(take(api().PJRT_Buffer_ToHostBuffer(&args)), "");
    EXPECT_EQ(await(args.event), "");
    EXPECT_THAT(values, Each(values[0]));
    return values[0];
  }

  static std::string await(PJRT_Event *event) {
    auto args = argsOf<PJRT_Event_Await_Args>();
    args.event = event;
    std::string message = take(api().PJRT_Event_Await(&args));
    auto done = argsOf<PJRT_Event_Destroy_Args>();
    done.event = event;
    EXPECT_EQ(take(api().PJRT_Event_Destroy(&done)), "");
    return message;
  }

  bool isDeleted(PJRT_Buffer *buffer) {
    auto args = argsOf<PJRT_Buffer_IsDeleted_Args>();
    args.buffer = buffer;
    EXPECT_EQ(take(api().PJRT_Buffer_IsDeleted(&args)), "");
    return args.is_deleted;
  }

  int deviceOf(PJRT_Buffer *buffer) {
    auto args = argsOf<PJRT_Buffer_Device_Args>();
    args.buffer = buffer;
    EXPECT_EQ(take(api().PJRT_Buffer_Device(&args)), "");
    return int(std::ranges::find(devices, args.device) - devices.begin());
  }

  // Runs a program of at most one argument and one result; `arguments` and `results` are by device.
  std::string run(PJRT_LoadedExecutable *executable, const std::vector<PJRT_Buffer *> &arguments,
                  size_t count, std::vector<PJRT_Buffer *> &results, std::vector<int64_t> kept = {},
                  PJRT_Device *device = nullptr) {
    std::vector<PJRT_Buffer *const *> lists;
    for (const auto &argument : arguments)
      lists.push_back(&argument);
    lists.resize(count);
    results.assign(count, nullptr);
    std::vector<PJRT_Buffer **> outputs;
    for (PJRT_Buffer *&result : results)
      outputs.push_back(&result);
    std::vector<PJRT_Event *> events(count);
    auto options = argsOf<PJRT_ExecuteOptions>();
    options.non_donatable_input_indices = kept.data();
    options.num_non_donatable_input_indices = kept.size();
    auto args = argsOf<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = executable;
    args.options = &options;
    args.argument_lists = lists.data();
    args.num_devices = count;
    args.num_args = arguments.empty() ? 0 : 1;
    args.output_lists = outputs.data();
    args.device_complete_events = events.data();
    args.execute_device = device;
    std::string message = take(api().PJRT_LoadedExecutable_Execute(&args));
    if (!message.empty())
      return message;
    for (PJRT_Buffer *result : results)
      if (result)
        buffers.push_back(result);
    std::vector<std::string> statuses;
    for (PJRT_Event *event : events)
      statuses.push_back(await(event));
    EXPECT_THAT(statuses, Each(statuses[0]));
    return statuses[0];
  }

  PJRT_Executable *unloaded(PJRT_LoadedExecutable *executable) {
    auto args = argsOf<PJRT_LoadedExecutable_GetExecutable_Args>();
    args.loaded_executable = executable;
    EXPECT_EQ(take(api().PJRT_LoadedExecutable_GetExecutable(&args)), "");
    return args.executable;
  }

  static void destroyExecutable(PJRT_Executable *executable) {
    auto args = argsOf<PJRT_Executable_Destroy_Args>();
    args.executable = executable;
    EXPECT_EQ(take(api().PJRT_Executable_Destroy(&args)), "");
  }

  std::vector<int> assigned(PJRT_LoadedExecutable *executable) {
    auto args = argsOf<PJRT_LoadedExecutable_GetDeviceAssignment_Args>();
    args.executable = executable;
    EXPECT_EQ(take(api().PJRT_LoadedExecutable_GetDeviceAssignment(&args)), "");
    systole::pjrt::DeviceAssignment assignment;
    EXPECT_TRUE(assignment.ParseFromArray(args.serialized_bytes, int(args.serialized_bytes_size)));
    args.serialized_device_assignment_deleter(args.serialized_device_assignment);
    EXPECT_EQ(assignment.replica_count(), 1);
    EXPECT_EQ(assignment.computation_count(), assignment.computation_devices_size());
    std::vector<int> ids;
    for (const auto &each : assignment.computation_devices())
      ids.push_back(int(each.replica_device_ids(0)));
    return ids;
  }

  PJRT_Client *client;
  std::vector<PJRT_Device *> devices;
  std::vector<PJRT_Buffer *> buffers;
  std::vector<PJRT_LoadedExecutable *> executables;
};

TEST_F(Slice, RunsOnTheAssignedDevicesInTheirOrder) {
  PJRT_LoadedExecutable *program = load(rotation(4), {2, 3, 7, 6});
  EXPECT_THAT(assigned(program), ElementsAre(2, 3, 7, 6));
  auto addressable = argsOf<PJRT_LoadedExecutable_AddressableDevices_Args>();
  addressable.executable = program;
  ASSERT_EQ(take(api().PJRT_LoadedExecutable_AddressableDevices(&addressable)), "");
  ASSERT_EQ(addressable.num_addressable_devices, 4u);
  EXPECT_EQ(addressable.addressable_devices[2], devices[7]);

  std::vector<PJRT_Buffer *> results;
  for (int time = 0; time < 3; ++time) {
    ASSERT_EQ(run(program, {put(2, 20), put(3, 30), put(7, 70), put(6, 60)}, 4, results), "");
    std::vector<float> values;
    std::vector<int> on;
    for (PJRT_Buffer *result : results) {
      values.push_back(get(result));
      on.push_back(deviceOf(result));
    }
    EXPECT_THAT(values, ElementsAre(60, 20, 30, 70));
    EXPECT_THAT(on, ElementsAre(2, 3, 7, 6));
  }
}

TEST_F(Slice, ArgumentsAreOnTheDevicesOfTheirPartitions) {
  PJRT_LoadedExecutable *program = load(rotation(2), {4, 1});
  PJRT_Buffer *const one = put(1, 1), *const four = put(4, 4);
  std::vector<PJRT_Buffer *> results;
  EXPECT_THAT(run(program, {one, four}, 2, results),
              HasSubstr("argument 0 of slice is on TPU v3(id=1"));
  EXPECT_EQ(run(program, {four}, 1, results),
            "slice runs on 2 devices, and arguments are given for 1");
  EXPECT_EQ(run(program, {four}, 1, results, {}, devices[4]),
            "slice runs on 2 devices, not on one alone");
  EXPECT_EQ(run(program, {four, one}, 2, results), "");
}

TEST_F(Slice, DonatedShardsAreDeleted) {
  PJRT_LoadedExecutable *program = load(doubling(2), {0, 5});
  PJRT_Buffer *const zero = put(0, 1), *const five = put(5, 2);
  std::vector<PJRT_Buffer *> results;
  ASSERT_EQ(run(program, {zero, five}, 2, results, {0}), "");
  EXPECT_FALSE(isDeleted(zero) || isDeleted(five));
  EXPECT_EQ(get(zero), 1);
  EXPECT_EQ(get(results[1]), 4);
  ASSERT_EQ(run(program, {zero, five}, 2, results), "");
  EXPECT_TRUE(isDeleted(zero) && isDeleted(five));
  EXPECT_EQ(get(results[0]), 2);
  EXPECT_EQ(get(results[1]), 4);
}

TEST_F(Slice, ATrapIsTheStatusOfAllDevices) {
  PJRT_LoadedExecutable *program = load(trapOf(4, 3), {0, 2, 4, 6});
  std::vector<PJRT_Buffer *> results;
  EXPECT_THAT(run(program, {}, 4, results),
              HasSubstr("slice: on device 6: trap instruction: the index is out of range"));
}

TEST_F(Slice, SerializedProgramsKeepTheirDevices) {
  PJRT_Executable *executable = unloaded(load(rotation(4), {0, 2, 4, 6}));
  auto args = argsOf<PJRT_Executable_Serialize_Args>();
  args.executable = executable;
  ASSERT_EQ(take(api().PJRT_Executable_Serialize(&args)), "");
  const std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_executable_deleter(args.serialized_executable);
  destroyExecutable(executable);
  ASSERT_EQ(tryLoad(bytes), "");
  EXPECT_THAT(assigned(executables.back()), ElementsAre(0, 2, 4, 6));
  ASSERT_EQ(tryLoad(bytes, optionsFor({7, 6, 5, 4})), "");
  EXPECT_THAT(assigned(executables.back()), ElementsAre(7, 6, 5, 4));
  EXPECT_EQ(tryLoad(bytes, optionsFor({1, 2})),
            "the program is for 4 devices, and the options for 2");
}

TEST_F(Slice, AssignmentsAreChecked) {
  EXPECT_EQ(tryCompile(optionsFor({0, 8})), "there is no device 8");
  EXPECT_EQ(tryCompile(optionsFor({0, -1})), "there is no device -1");
  EXPECT_EQ(tryCompile(optionsFor({3, 3})), "device 3 is assigned to two partitions");
  EXPECT_EQ(tryCompile(optionsFor({0, 1}, /*replicas=*/2)),
            "programs of several replicas are not supported yet; this one has 2 replicas of 2 "
            "partitions");
  EXPECT_EQ(tryCompile(optionsFor({0, 1}, 1, /*portable=*/true)),
            "a portable executable is for one device, and not of 2 partitions");
  // executable_build_options { num_partitions: 2  device_assignment { } }
  EXPECT_EQ(tryCompile(std::string("\x1a\x04\x28\x02\x4a\x00", 6)),
            "the device assignment is not one of a device for each of 2 partitions");
  // executable_build_options { num_partitions: 9 }
  EXPECT_EQ(tryCompile(std::string("\x1a\x02\x28\x09", 4)), "there is no device 8");
}

TEST_F(Slice, FiguresAreThoseOfOneDevice) {
  PJRT_Executable *executable = unloaded(load(doubling(8), {0, 1, 2, 3, 4, 5, 6, 7}));
  auto partitions = argsOf<PJRT_Executable_NumPartitions_Args>();
  partitions.executable = executable;
  EXPECT_EQ(take(api().PJRT_Executable_NumPartitions(&partitions)), "");
  EXPECT_EQ(partitions.num_partitions, 8u);
  auto memory = argsOf<PJRT_Executable_GetCompiledMemoryStats_Args>();
  memory.executable = executable;
  EXPECT_EQ(take(api().PJRT_Executable_GetCompiledMemoryStats(&memory)), "");
  EXPECT_EQ(memory.argument_size_in_bytes, 4096);
  EXPECT_EQ(memory.alias_size_in_bytes, 4096);
  auto costs = argsOf<PJRT_Executable_GetCostAnalysis_Args>();
  costs.executable = executable;
  EXPECT_EQ(take(api().PJRT_Executable_GetCostAnalysis(&costs)), "");
  std::map<std::string, float> values;
  for (size_t i = 0; i < costs.num_properties; ++i)
    values[std::string(costs.properties[i].name, costs.properties[i].name_size)] =
        costs.properties[i].float_value;
  EXPECT_EQ(values["bytes accessed"], 2 * 4096);
  destroyExecutable(executable);
}

TEST_F(Slice, TheOptimizedProgramSaysHowArraysAreDivided) {
  Program program = rotation(4);
  divide(*program.header.mutable_arguments(0), {16, 256}, {0, 0, 0, 1, 1, 0, 1, 1});
  divide(*program.header.mutable_results(0), {8, 256}, {0, 0, 0, 1, 0, 0, 0, 1});
  PJRT_Executable *executable = unloaded(load(program, {0, 1, 2, 3}));
  auto code = argsOf<PJRT_Program>();
  auto args = argsOf<PJRT_Executable_OptimizedProgram_Args>();
  args.executable = executable;
  args.program = &code;
  ASSERT_EQ(take(api().PJRT_Executable_OptimizedProgram(&args)), "");
  std::string text(code.code_size, ' ');
  code.code = text.data();
  ASSERT_EQ(take(api().PJRT_Executable_OptimizedProgram(&args)), "");
  EXPECT_EQ(std::string(code.format, code.format_size), "mlir");
  EXPECT_THAT(text, HasSubstr("mhlo.spmd_parameters_shardings = [\"{devices=[2,2]0,1,2,3}\"]"));
  EXPECT_THAT(text, HasSubstr("mhlo.spmd_output_sharding = "
                              "\"{devices=[1,2,2]0,2,1,3 last_tile_dim_replicate}\""));
  destroyExecutable(executable);
}

TEST(Shardings, AreWrittenAsXlaDoes) {
  systole::program::Tensor tensor;
  tensor.add_dims(2);
  tensor.add_dims(3);
  EXPECT_EQ(systole::pjrt::shardingOf(tensor, 4), "{replicated}");
  divide(tensor, {2, 3}, {0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(systole::pjrt::shardingOf(tensor, 4), "{replicated}");
  divide(tensor, {2, 12}, {0, 3, 0, 2, 0, 1, 0, 0});
  EXPECT_EQ(systole::pjrt::shardingOf(tensor, 4), "{devices=[1,4]3,2,1,0}");
  divide(tensor, {4, 3}, {1, 0, 0, 0, 1, 0, 0, 0});
  EXPECT_EQ(systole::pjrt::shardingOf(tensor, 4),
            "{devices=[2,1,2]1,3,0,2 last_tile_dim_replicate}");
}

} // namespace
