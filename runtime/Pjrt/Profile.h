// The extension of PJRT by which jax.profiler profiles devices: the binary interface of XLA's
// profiler plugins, version 1.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_PROFILE_H
#define SYSTOLE_RUNTIME_PJRT_PROFILE_H

#include <cstddef>
#include <cstdint>

#include "pjrt_c_api.h"

namespace systole::pjrt {

struct ProfileError;
struct Profiler;

struct ProfileErrorArgs {
  size_t size;
  void *unused;
  ProfileError *error; // may be null when destroyed
};
struct ProfileMessageArgs {
  size_t size;
  void *unused;
  const ProfileError *error;
  const char *message; // out; lives as long as the error
  size_t messageSize;  // out
};
struct ProfileCodeArgs {
  size_t size;
  void *unused;
  const ProfileError *error;
  int code; // out
};
struct ProfilerCreateArgs {
  size_t size;
  const char *options;
  size_t optionsSize;
  Profiler *profiler; // out
};
struct ProfilerArgs {
  size_t size;
  Profiler *profiler;
};
// If `buffer` is null it is set to one of the plugin's, which lives as long as the profiler (XLA
// parses that one); otherwise it is filled.
struct ProfilerDataArgs {
  size_t size;
  Profiler *profiler;
  uint8_t *buffer;   // in, out
  size_t bufferSize; // out
};

struct ProfilerFunctions {
  size_t size;
  void *unused;
  void (*destroyError)(ProfileErrorArgs *);
  void (*message)(ProfileMessageArgs *);
  ProfileError *(*code)(ProfileCodeArgs *);
  ProfileError *(*create)(ProfilerCreateArgs *);
  ProfileError *(*destroy)(ProfilerArgs *);
  ProfileError *(*start)(ProfilerArgs *);
  ProfileError *(*stop)(ProfilerArgs *);
  ProfileError *(*collect)(ProfilerDataArgs *);
};

struct ProfilerExtension {
  PJRT_Extension_Base base;
  const ProfilerFunctions *functions;
  int64_t context; // of calls, not of the plugin
};

// Not const: the interface's pointers to extensions are not.
extern ProfilerExtension profilerExtension;

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_PROFILE_H
