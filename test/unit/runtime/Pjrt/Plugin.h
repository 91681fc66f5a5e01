// The plugin as clients load it, and helpers for calls of its interface.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_RUNTIME_PJRT_PLUGIN_H
#define SYSTOLE_TEST_UNIT_RUNTIME_PJRT_PLUGIN_H

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "pjrt_c_api.h"

namespace systole::pjrt::testing {

inline const PJRT_Api &api() {
  static const PJRT_Api *table = [] {
    ::setenv("SYSTOLE_CACHE", "", 1);
    void *library = ::dlopen(SYSTOLE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << ::dlerror();
    auto get = reinterpret_cast<const PJRT_Api *(*)()>(::dlsym(library, "GetPjrtApi"));
    return get();
  }();
  return *table;
}

template <typename Args> Args argsOf() {
  Args args{};
  args.struct_size = sizeof(Args);
  return args;
}

// The message of an error, which is then destroyed; "" for success.
inline std::string take(PJRT_Error *error) {
  if (!error)
    return "";
  auto message = argsOf<PJRT_Error_Message_Args>();
  message.error = error;
  api().PJRT_Error_Message(&message);
  std::string text(message.message, message.message_size);
  auto destroy = argsOf<PJRT_Error_Destroy_Args>();
  destroy.error = error;
  api().PJRT_Error_Destroy(&destroy);
  return text;
}

inline PJRT_Client *newClient() {
  auto args = argsOf<PJRT_Client_Create_Args>();
  EXPECT_EQ(take(api().PJRT_Client_Create(&args)), "");
  return args.client;
}

inline void destroy(PJRT_Client *client) {
  auto args = argsOf<PJRT_Client_Destroy_Args>();
  args.client = client;
  EXPECT_EQ(take(api().PJRT_Client_Destroy(&args)), "");
}

} // namespace systole::pjrt::testing

#endif // SYSTOLE_TEST_UNIT_RUNTIME_PJRT_PLUGIN_H
