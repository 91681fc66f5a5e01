// Sessions of jax.profiler.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/Profile.h"

#include <cstring>
#include <string>

#include "runtime/Client/Profiler.h"
#include "runtime/Pjrt/Entry.h"

namespace systole::pjrt {

struct ProfileError {
  absl::Status status;
};

struct Profiler {
  bool running = false;
  std::string data; // a serialized XSpace, once it has stopped
};

namespace {

ProfileError *toProfileError(const absl::Status &status) {
  return status.ok() ? nullptr : new (std::nothrow) ProfileError{status};
}

void destroyError(ProfileErrorArgs *args) { delete args->error; }

void message(ProfileMessageArgs *args) {
  const absl::string_view text = args->error->status.message();
  args->message = text.data();
  args->messageSize = text.size();
}

ProfileError *code(ProfileCodeArgs *args) {
  args->code = int(args->error->status.code());
  return nullptr;
}

// Its options are for recording on the host, which this plugin does not do.
ProfileError *create(ProfilerCreateArgs *args) {
  return toProfileError(guarded([&] {
    args->profiler = new Profiler;
    return absl::OkStatus();
  }));
}

ProfileError *stop(ProfilerArgs *args) {
  return toProfileError(guarded([&] {
    SYSTOLE_PJRT_REQUIRE(args->profiler);
    if (!args->profiler->running)
      return absl::FailedPreconditionError("the profiler has not been started");
    args->profiler->running = false;
    args->profiler->data = stopProfile();
    return absl::OkStatus();
  }));
}

ProfileError *destroy(ProfilerArgs *args) {
  if (args->profiler && args->profiler->running)
    delete stop(args);
  delete args->profiler;
  return nullptr;
}

ProfileError *start(ProfilerArgs *args) {
  return toProfileError(guarded([&] {
    SYSTOLE_PJRT_REQUIRE(args->profiler);
    absl::Status status = startProfile();
    args->profiler->running = args->profiler->running || status.ok();
    return status;
  }));
}

ProfileError *collect(ProfilerDataArgs *args) {
  return toProfileError(guarded([&] {
    SYSTOLE_PJRT_REQUIRE(args->profiler);
    std::string &data = args->profiler->data;
    if (args->buffer)
      std::memcpy(args->buffer, data.data(), data.size());
    else
      args->buffer = reinterpret_cast<uint8_t *>(data.data());
    args->bufferSize = data.size();
    return absl::OkStatus();
  }));
}

const ProfilerFunctions functions = {.size = sizeof(ProfilerFunctions),
                                     .unused = nullptr,
                                     .destroyError = destroyError,
                                     .message = message,
                                     .code = code,
                                     .create = create,
                                     .destroy = destroy,
                                     .start = start,
                                     .stop = stop,
                                     .collect = collect};

} // namespace

ProfilerExtension profilerExtension = {.base = {.struct_size = sizeof(ProfilerExtension),
                                                .type = PJRT_Extension_Type_Profiler,
                                                .next = nullptr},
                                       .functions = &functions,
                                       .context = 0};

} // namespace systole::pjrt
