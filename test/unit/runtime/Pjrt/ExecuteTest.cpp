// Compiling and running through the C interface, as clients other than JAX do.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "test/unit/runtime/Client/NoThreads.h"
#include "test/unit/runtime/Pjrt/Plugin.h"

namespace {

using namespace systole::pjrt::testing;
using ::testing::ElementsAre;

class Execute : public testing::Test {
protected:
  void SetUp() override { client = newClient(); }
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

  PJRT_LoadedExecutable *compile(std::string code) {
    const std::string format = "mlir";
    auto program = argsOf<PJRT_Program>();
    program.code = code.data();
    program.code_size = code.size();
    program.format = format.data();
    program.format_size = format.size();
    auto args = argsOf<PJRT_Client_Compile_Args>();
    args.client = client;
    args.program = &program;
    args.compile_options = "";
    EXPECT_EQ(take(api().PJRT_Client_Compile(&args)), "");
    executables.push_back(args.executable);
    return args.executable;
  }

  PJRT_Buffer *put(const std::vector<float> &values) {
    const int64_t dims[] = {int64_t(values.size())};
    auto args = argsOf<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = client;
    args.data = values.data();
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims;
    args.num_dims = 1;
    EXPECT_EQ(take(api().PJRT_Client_BufferFromHostBuffer(&args)), "");
    auto done = argsOf<PJRT_Event_Destroy_Args>();
    done.event = args.done_with_host_buffer;
    EXPECT_EQ(take(api().PJRT_Event_Destroy(&done)), "");
    buffers.push_back(args.buffer);
    return args.buffer;
  }

  size_t deviceSize(PJRT_Buffer *buffer) {
    auto args = argsOf<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
    args.buffer = buffer;
    EXPECT_EQ(take(api().PJRT_Buffer_OnDeviceSizeInBytes(&args)), "");
    return args.on_device_size_in_bytes;
  }

  // As pypjrt and go-xla do: into as many bytes as the device reports.
  std::vector<float> get(PJRT_Buffer *buffer) {
    std::vector<float> values(deviceSize(buffer) / sizeof(float));
    auto args = argsOf<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = buffer;
    args.dst = values.data();
    args.dst_size = values.size() * sizeof(float);
    EXPECT_EQ(take(api().PJRT_Buffer_ToHostBuffer(&args)), "");
    auto await = argsOf<PJRT_Event_Await_Args>();
    await.event = args.event;
    EXPECT_EQ(take(api().PJRT_Event_Await(&await)), "");
    auto done = argsOf<PJRT_Event_Destroy_Args>();
    done.event = args.event;
    EXPECT_EQ(take(api().PJRT_Event_Destroy(&done)), "");
    return values;
  }

  // The message; the result, of one if it is "", into `result`.
  std::string run(PJRT_LoadedExecutable *executable, PJRT_Buffer *const *const *lists, size_t count,
                  PJRT_Buffer *&result) {
    auto options = argsOf<PJRT_ExecuteOptions>();
    PJRT_Buffer **outputs[] = {&result};
    auto args = argsOf<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = executable;
    args.options = &options;
    args.argument_lists = lists;
    args.num_devices = 1;
    args.num_args = count;
    args.output_lists = outputs;
    std::string message = take(api().PJRT_LoadedExecutable_Execute(&args));
    if (message.empty())
      buffers.push_back(result);
    return message;
  }

  PJRT_Client *client;
  std::vector<PJRT_Buffer *> buffers;
  std::vector<PJRT_LoadedExecutable *> executables;
};

TEST_F(Execute, ListsOfNoArgumentsMayBeNull) {
  PJRT_LoadedExecutable *program =
      compile("func.func @main() -> tensor<2xf32> {\n"
              "  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
              "  return %0 : tensor<2xf32>\n}\n");
  PJRT_Buffer *result = nullptr;
  ASSERT_EQ(run(program, nullptr, 0, result), "");
  EXPECT_THAT(get(result), ElementsAre(1, 2));
  PJRT_Buffer *const *const lists[] = {nullptr};
  ASSERT_EQ(run(program, lists, 0, result), "");
  EXPECT_THAT(get(result), ElementsAre(1, 2));
}

TEST_F(Execute, WrongNumbersOfArgumentsAreNamedAsXlaDoes) {
  PJRT_LoadedExecutable *program =
      compile("module @sum { func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> "
              "tensor<2xf32> {\n"
              "  %0 = stablehlo.add %x, %y : tensor<2xf32>\n"
              "  return %0 : tensor<2xf32>\n} }\n");
  PJRT_Buffer *result = nullptr;
  EXPECT_EQ(run(program, nullptr, 0, result),
            "Execution supplied 0 buffers but compiled program expected 2 buffers (sum)");
  PJRT_Buffer *const arguments[] = {put({1, 2}), put({3, 5})};
  PJRT_Buffer *const *const lists[] = {arguments};
  EXPECT_EQ(run(program, lists, 1, result),
            "Execution supplied 1 buffers but compiled program expected 2 buffers (sum)");
  EXPECT_EQ(run(program, nullptr, 2, result), "`args.argument_lists` is null");
  ASSERT_EQ(run(program, lists, 2, result), "");
  EXPECT_THAT(get(result), ElementsAre(4, 7));
}

TEST_F(Execute, DonatedArgumentsStayIfNothingRuns) {
  PJRT_LoadedExecutable *program =
      compile("func.func @main(%x: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> "
              "tensor<2xf32> {\n"
              "  %0 = stablehlo.negate %x : tensor<2xf32>\n"
              "  return %0 : tensor<2xf32>\n}\n");
  PJRT_Buffer *const arguments[] = {put({1, 2})};
  PJRT_Buffer *const *const lists[] = {arguments};
  PJRT_Buffer *result = nullptr;
  {
    const systole::NoThreads host;
    EXPECT_EQ(run(program, lists, 1, result), "this host starts no more threads");
  }
  EXPECT_THAT(get(arguments[0]), ElementsAre(1, 2));
  ASSERT_EQ(run(program, lists, 1, result), "");
  EXPECT_THAT(get(result), ElementsAre(-1, -2));
}

TEST_F(Execute, SizesAreWithoutPadding) {
  EXPECT_EQ(deviceSize(put({1, 2, 3})), 12u);
  EXPECT_EQ(deviceSize(put({})), 0u);
  EXPECT_THAT(get(put({1, 2, 3})), ElementsAre(1, 2, 3));
}

} // namespace
