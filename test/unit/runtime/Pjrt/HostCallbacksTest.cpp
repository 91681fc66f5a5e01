// Send and receive callbacks of clients that are not JAX.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "test/unit/runtime/Pjrt/Plugin.h"

namespace {

using namespace systole::pjrt::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Sends its argument over channel 2 and returns the array received over channel 3.
const char *const ask = R"(
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %s = "stablehlo.send"(%x, %t) <{
    channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true
  }> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  %r:2 = "stablehlo.recv"(%s) <{
    channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true
  }> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  return %r#0 : tensor<3xf32>
})";

// The same with two arrays each way, of which one has 64-bit integers.
const char *const askSeveral = R"(
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %n = stablehlo.constant dense<[5, -2]> : tensor<2xi64>
  %s = "stablehlo.send"(%x, %n, %t) <{
    channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true
  }> : (tensor<3xf32>, tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
  %r:3 = "stablehlo.recv"(%s) <{
    channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true
  }> : (!stablehlo.token) -> (tensor<i64>, tensor<3xf32>, !stablehlo.token)
  %m = stablehlo.convert %r#0 : (tensor<i64>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %y = stablehlo.add %r#1, %b : tensor<3xf32>
  return %y : tensor<3xf32>
})";

using Send = std::function<PJRT_Error *(std::vector<float>, PJRT_CallbackError)>;
using Receive = std::function<void(PJRT_CopyToDeviceStream *)>;

int chunksFreed = 0;

PJRT_Error *onSend(PJRT_Chunk *chunk, PJRT_CallbackError *error, size_t total, bool done,
                   void *argument) {
  EXPECT_TRUE(done);
  EXPECT_EQ(chunk->size, total);
  std::vector<float> values(chunk->size / sizeof(float));
  std::memcpy(values.data(), chunk->data, chunk->size);
  chunk->deleter(chunk->data, chunk->deleter_arg);
  return (*static_cast<Send *>(argument))(values, *error);
}

void onReceive(PJRT_CopyToDeviceStream *stream, void *argument) {
  (*static_cast<Receive *>(argument))(stream);
}

// Returns the status of adding a chunk of floats, as text.
std::string addChunk(PJRT_CopyToDeviceStream *stream, const std::vector<float> &values) {
  auto *data = new std::vector<float>(values);
  PJRT_Chunk chunk{data->data(), data->size() * sizeof(float),
                   [](void *, void *argument) {
                     delete static_cast<std::vector<float> *>(argument);
                     ++chunksFreed;
                   },
                   data};
  auto add = argsOf<PJRT_CopyToDeviceStream_AddChunk_Args>();
  add.stream = stream;
  add.chunk = &chunk;
  EXPECT_EQ(take(api().PJRT_CopyToDeviceStream_AddChunk(&add)), "");
  auto await = argsOf<PJRT_Event_Await_Args>();
  await.event = add.transfer_complete;
  std::string message = take(api().PJRT_Event_Await(&await));
  auto destroy = argsOf<PJRT_Event_Destroy_Args>();
  destroy.event = add.transfer_complete;
  EXPECT_EQ(take(api().PJRT_Event_Destroy(&destroy)), "");
  return message;
}

void close(PJRT_CopyToDeviceStream *stream) {
  auto args = argsOf<PJRT_CopyToDeviceStream_Destroy_Args>();
  args.stream = stream;
  EXPECT_EQ(take(api().PJRT_CopyToDeviceStream_Destroy(&args)), "");
}

class HostCallbacks : public ::testing::Test {
protected:
  void SetUp() override {
    client = newClient();
    compile(ask);
  }
  void TearDown() override {
    release();
    destroy(client);
  }

  // Compiles the program for `run`.
  void compile(std::string code) {
    auto program = argsOf<PJRT_Program>();
    std::string format = "mlir";
    program.code = code.data();
    program.code_size = code.size();
    program.format = format.data();
    program.format_size = format.size();
    auto args = argsOf<PJRT_Client_Compile_Args>();
    args.client = client;
    args.program = &program;
    ASSERT_EQ(take(api().PJRT_Client_Compile(&args)), "");
    executable = args.executable;
  }
  void release() {
    auto args = argsOf<PJRT_LoadedExecutable_Destroy_Args>();
    args.executable = executable;
    EXPECT_EQ(take(api().PJRT_LoadedExecutable_Destroy(&args)), "");
  }

  // Runs the program on {1, 2, 3}; the error of the call or of the run.
  std::string run(size_t sends = 1, size_t receives = 1) {
    const std::array<float, 3> x = {1, 2, 3};
    const int64_t dims[] = {3};
    auto put = argsOf<PJRT_Client_BufferFromHostBuffer_Args>();
    put.client = client;
    put.data = x.data();
    put.type = PJRT_Buffer_Type_F32;
    put.dims = dims;
    put.num_dims = 1;
    EXPECT_EQ(take(api().PJRT_Client_BufferFromHostBuffer(&put)), "");
    auto event = argsOf<PJRT_Event_Destroy_Args>();
    event.event = put.done_with_host_buffer;
    EXPECT_EQ(take(api().PJRT_Event_Destroy(&event)), "");

    PJRT_SendCallbackInfo sendInfos[] = {{2, &send, onSend}, {2, &send, onSend}};
    PJRT_RecvCallbackInfo receiveInfos[] = {{3, &receive, onReceive}, {3, &receive, nullptr}};
    PJRT_SendCallbackInfo *sendList = sendInfos;
    PJRT_RecvCallbackInfo *receiveList = receiveInfos;
    auto options = argsOf<PJRT_ExecuteOptions>();
    options.send_callbacks = &sendList;
    options.num_send_ops = sends;
    options.recv_callbacks = &receiveList;
    options.num_recv_ops = receives;
    PJRT_Buffer *arguments[] = {put.buffer}, *results[] = {nullptr};
    PJRT_Buffer *const *argumentList = arguments;
    PJRT_Buffer **resultList = results;
    auto execute = argsOf<PJRT_LoadedExecutable_Execute_Args>();
    execute.executable = executable;
    execute.options = &options;
    execute.argument_lists = &argumentList;
    execute.num_devices = 1;
    execute.num_args = 1;
    execute.output_lists = &resultList;
    std::string message = take(api().PJRT_LoadedExecutable_Execute(&execute));
    if (message.empty()) {
      auto get = argsOf<PJRT_Buffer_ToHostBuffer_Args>();
      get.src = results[0];
      get.dst = result.data();
      get.dst_size = sizeof result;
      EXPECT_EQ(take(api().PJRT_Buffer_ToHostBuffer(&get)), "");
      auto await = argsOf<PJRT_Event_Await_Args>();
      await.event = get.event;
      message = take(api().PJRT_Event_Await(&await));
      event.event = get.event;
      EXPECT_EQ(take(api().PJRT_Event_Destroy(&event)), "");
    }
    for (PJRT_Buffer *buffer : {put.buffer, results[0]}) {
      if (!buffer)
        continue;
      auto args = argsOf<PJRT_Buffer_Destroy_Args>();
      args.buffer = buffer;
      EXPECT_EQ(take(api().PJRT_Buffer_Destroy(&args)), "");
    }
    return message;
  }

  PJRT_Client *client;
  PJRT_LoadedExecutable *executable;
  std::array<float, 3> result;
  std::vector<float> sent;
  Send send = [this](std::vector<float> values, PJRT_CallbackError) {
    sent = std::move(values);
    return nullptr;
  };
  Receive receive = [](PJRT_CopyToDeviceStream *stream) {
    EXPECT_EQ(addChunk(stream, {4, 5, 6}), "");
    close(stream);
  };
};

TEST_F(HostCallbacks, ArraysGoBothWays) {
  EXPECT_EQ(run(), "");
  EXPECT_THAT(sent, ElementsAre(1, 2, 3));
  EXPECT_THAT(result, ElementsAre(4, 5, 6));
}

// Arrays of one transfer are dense and one behind the other.
TEST_F(HostCallbacks, SeveralArraysGoAtOnce) {
  release();
  compile(askSeveral);
  receive = [](PJRT_CopyToDeviceStream *stream) {
    const int64_t addend = -3;
    std::vector<float> arrays = {0, 0, 4, 5, 6};
    std::memcpy(arrays.data(), &addend, sizeof addend);
    EXPECT_EQ(addChunk(stream, arrays), "");
    close(stream);
  };
  EXPECT_EQ(run(), "");
  ASSERT_EQ(sent.size() * sizeof(float), 3 * sizeof(float) + 2 * sizeof(int64_t));
  EXPECT_THAT(std::vector(sent.begin(), sent.begin() + 3), ElementsAre(1, 2, 3));
  std::array<int64_t, 2> integers;
  std::memcpy(integers.data(), &sent[3], sizeof integers);
  EXPECT_THAT(integers, ElementsAre(5, -2));
  EXPECT_THAT(result, ElementsAre(1, 2, 3));
}

TEST_F(HostCallbacks, AStreamTakesChunksOfAnySize) {
  receive = [](PJRT_CopyToDeviceStream *stream) {
    auto total = argsOf<PJRT_CopyToDeviceStream_TotalBytes_Args>();
    total.stream = stream;
    EXPECT_EQ(take(api().PJRT_CopyToDeviceStream_TotalBytes(&total)), "");
    EXPECT_EQ(total.total_bytes, 12);
    auto granule = argsOf<PJRT_CopyToDeviceStream_GranuleSize_Args>();
    granule.stream = stream;
    EXPECT_EQ(take(api().PJRT_CopyToDeviceStream_GranuleSize(&granule)), "");
    EXPECT_EQ(granule.granule_size_in_bytes, 1);
    EXPECT_EQ(addChunk(stream, {7, 8}), "");
    auto current = argsOf<PJRT_CopyToDeviceStream_CurrentBytes_Args>();
    current.stream = stream;
    EXPECT_EQ(take(api().PJRT_CopyToDeviceStream_CurrentBytes(&current)), "");
    EXPECT_EQ(current.current_bytes, 8);
    const int freed = chunksFreed;
    EXPECT_THAT(addChunk(stream, {9, 10}), HasSubstr("a chunk of 8 bytes; the device waits for 4"));
    EXPECT_EQ(chunksFreed, freed + 1);
    EXPECT_EQ(addChunk(stream, {9}), "");
    close(stream);
  };
  EXPECT_EQ(run(), "");
  EXPECT_THAT(result, ElementsAre(7, 8, 9));
}

TEST_F(HostCallbacks, AnAnswerMayComeLaterFromAnotherThread) {
  std::thread later;
  receive = [&](PJRT_CopyToDeviceStream *stream) {
    later = std::thread([stream] {
      EXPECT_EQ(addChunk(stream, {1, 1}), "");
      EXPECT_EQ(addChunk(stream, {2}), "");
      close(stream);
    });
  };
  EXPECT_EQ(run(), "");
  later.join();
  EXPECT_THAT(result, ElementsAre(1, 1, 2));
}

TEST_F(HostCallbacks, AnErrorIsThatOfTheRun) {
  send = [](std::vector<float>, PJRT_CallbackError error) {
    return error(PJRT_Error_Code_DATA_LOSS, "lost it all", 7);
  };
  EXPECT_EQ(run(), "lost it");
  send = [](std::vector<float>, PJRT_CallbackError) { return nullptr; };
  EXPECT_EQ(run(), "");
}

TEST_F(HostCallbacks, AStreamThatIsGivenUpEndsTheRun) {
  receive = [](PJRT_CopyToDeviceStream *stream) {
    EXPECT_EQ(addChunk(stream, {1}), "");
    close(stream);
  };
  EXPECT_EQ(run(), "a callback gave 4 of 12 bytes that the device waits for");
}

TEST_F(HostCallbacks, WrongListsAreErrors) {
  EXPECT_THAT(run(0, 1), HasSubstr("the program sends to channel 2"));
  EXPECT_THAT(run(1, 0), HasSubstr("the program receives from channel 3"));
  EXPECT_EQ(run(2, 1), "there are two send callbacks for channel 2");
  EXPECT_EQ(run(1, 2), "`info.recv_callback` is null");
  close(nullptr);
}

} // namespace
