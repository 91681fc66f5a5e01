// Calls a client's send and receive callbacks, and the streams that receive their data.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/HostCallbacks.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/Client/HostChannels.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/Objects.h"

// The stream that a client fills, which may outlive the run.
struct PJRT_CopyToDeviceStream {
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<uint8_t> bytes; // of the whole array
    size_t filled = 0;
    bool closed = false; // destroyed by the client
  };
  std::shared_ptr<State> state;
};

namespace systole::pjrt {
namespace {

thread_local int64_t channelBeingSent = -1;

PJRT_Error *makeError(PJRT_Error_Code code, const char *message, size_t size) {
  return toError(absl::Status(static_cast<absl::StatusCode>(code),
                              absl::string_view(message, message ? size : 0)));
}

// Takes ownership of an error that a callback has created.
absl::Status takeError(PJRT_Error *error) {
  if (!error)
    return absl::OkStatus();
  absl::Status status = error->status;
  PJRT_Error_Destroy_Args args{};
  args.error = error;
  Error_Destroy(args);
  return status.ok() ? absl::UnknownError("a callback failed without saying why") : status;
}

absl::Status callSend(PJRT_SendCallback callback, void *argument, std::span<const uint8_t> array) {
  PJRT_Chunk chunk{};
  chunk.size = array.size();
  // Some clients do not accept a null pointer as an empty array.
  chunk.data = std::malloc(std::max<size_t>(array.size(), 1));
  if (!chunk.data)
    return absl::ResourceExhaustedError("this host is out of memory");
  if (!array.empty())
    std::memcpy(chunk.data, array.data(), array.size());
  chunk.deleter = [](void *data, void *) { std::free(data); };
  PJRT_CallbackError onError = makeError;
  return takeError(callback(&chunk, &onError, array.size(), /*done=*/true, argument));
}

absl::Status callReceive(PJRT_RecvCallback callback, void *argument, std::span<uint8_t> array,
                         const std::atomic<bool> *cancel) {
  auto state = std::make_shared<PJRT_CopyToDeviceStream::State>();
  state->bytes.resize(array.size());
  callback(new PJRT_CopyToDeviceStream{state}, argument);
  std::unique_lock lock(state->mutex);
  while (state->filled < array.size() && !state->closed) {
    if (cancel && cancel->load(std::memory_order_relaxed))
      return absl::CancelledError("cancelled while waiting for data from the host");
    state->changed.wait_for(lock, kCancelPeriod);
  }
  if (state->filled < array.size())
    return absl::InternalError(absl::StrCat("a callback gave ", state->filled, " of ", array.size(),
                                            " bytes that the device waits for"));
  std::memcpy(array.data(), state->bytes.data(), array.size());
  return absl::OkStatus();
}

absl::Status twice(const char *what, int64_t channel) {
  return absl::InvalidArgumentError(
      absl::StrCat("there are two ", what, " callbacks for channel ", channel));
}

} // namespace

int64_t sendingChannel() { return channelBeingSent; }

absl::StatusOr<HostChannels> channelsOf(const PJRT_ExecuteOptions &options, size_t device) {
  HostChannels channels;
  if (options.num_send_ops > 0) {
    SYSTOLE_PJRT_REQUIRE(options.send_callbacks);
    SYSTOLE_PJRT_REQUIRE(options.send_callbacks[device]);
  }
  for (size_t i = 0; i < options.num_send_ops; ++i) {
    const PJRT_SendCallbackInfo info = options.send_callbacks[device][i];
    SYSTOLE_PJRT_REQUIRE(info.send_callback);
    auto call = [info](std::span<const uint8_t> array) {
      const int64_t outer = std::exchange(channelBeingSent, info.channel_id);
      absl::Status status = callSend(info.send_callback, info.user_arg, array);
      channelBeingSent = outer;
      return status;
    };
    if (!channels.sends.emplace(info.channel_id, call).second)
      return twice("send", info.channel_id);
  }
  if (options.num_recv_ops > 0) {
    SYSTOLE_PJRT_REQUIRE(options.recv_callbacks);
    SYSTOLE_PJRT_REQUIRE(options.recv_callbacks[device]);
  }
  for (size_t i = 0; i < options.num_recv_ops; ++i) {
    const PJRT_RecvCallbackInfo info = options.recv_callbacks[device][i];
    SYSTOLE_PJRT_REQUIRE(info.recv_callback);
    auto call = [info](std::span<uint8_t> array, const std::atomic<bool> *cancel) {
      return callReceive(info.recv_callback, info.user_arg, array, cancel);
    };
    if (!channels.receives.emplace(info.channel_id, call).second)
      return twice("receive", info.channel_id);
  }
  return channels;
}

absl::Status CopyToDeviceStream_Destroy(PJRT_CopyToDeviceStream_Destroy_Args &args) {
  if (!args.stream)
    return absl::OkStatus();
  {
    std::lock_guard lock(args.stream->state->mutex);
    args.stream->state->closed = true;
  }
  args.stream->state->changed.notify_all();
  delete args.stream;
  return absl::OkStatus();
}

absl::Status CopyToDeviceStream_AddChunk(PJRT_CopyToDeviceStream_AddChunk_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.stream);
  SYSTOLE_PJRT_REQUIRE(args.chunk);
  const PJRT_Chunk chunk = *args.chunk;
  auto event = std::make_unique<PJRT_Event>();
  absl::Status status;
  {
    PJRT_CopyToDeviceStream::State &state = *args.stream->state;
    std::lock_guard lock(state.mutex);
    const size_t room = state.bytes.size() - state.filled;
    if (chunk.size > room || (chunk.size > 0 && !chunk.data)) {
      status = absl::InvalidArgumentError(absl::StrCat("a chunk of ", chunk.size,
                                                       " bytes; the device waits for ", room,
                                                       " of ", state.bytes.size()));
    } else if (chunk.size > 0) {
      std::memcpy(state.bytes.data() + state.filled, chunk.data, chunk.size);
      state.filled += chunk.size;
    }
  }
  args.stream->state->changed.notify_all();
  if (chunk.deleter)
    chunk.deleter(chunk.data, chunk.deleter_arg);
  event->event.complete(std::move(status));
  args.transfer_complete = event.release();
  return absl::OkStatus();
}

absl::Status CopyToDeviceStream_TotalBytes(PJRT_CopyToDeviceStream_TotalBytes_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.stream);
  args.total_bytes = int64_t(args.stream->state->bytes.size());
  return absl::OkStatus();
}

absl::Status CopyToDeviceStream_GranuleSize(PJRT_CopyToDeviceStream_GranuleSize_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.stream);
  args.granule_size_in_bytes = 1;
  return absl::OkStatus();
}

absl::Status CopyToDeviceStream_CurrentBytes(PJRT_CopyToDeviceStream_CurrentBytes_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.stream);
  std::lock_guard lock(args.stream->state->mutex);
  args.current_bytes = int64_t(args.stream->state->filled);
  return absl::OkStatus();
}

} // namespace systole::pjrt
