// The plugin, a copy of it and the library in one process: each has messages of its own.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "systole/systole.h"
#include "test/unit/runtime/Pjrt/Plugin.h"

namespace {

using namespace systole::pjrt::testing;

TEST(OneProcess, TwoFilesOfThePlugin) {
  PJRT_Client *client = newClient();
  const std::string copy = testing::TempDir() + "/libsystole_pjrt_copy.so";
  std::filesystem::copy_file(SYSTOLE_PLUGIN, copy,
                             std::filesystem::copy_options::overwrite_existing);
  void *library = ::dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  std::filesystem::remove(copy);
  auto get = reinterpret_cast<const PJRT_Api *(*)()>(::dlsym(library, "GetPjrtApi"));
  ASSERT_NE(get, nullptr);
  EXPECT_NE(get(), &api());
  // Reads the description of its target.
  auto args = argsOf<PJRT_Client_Create_Args>();
  ASSERT_EQ(get()->PJRT_Client_Create(&args), nullptr);
  auto destroyed = argsOf<PJRT_Client_Destroy_Args>();
  destroyed.client = args.client;
  EXPECT_EQ(get()->PJRT_Client_Destroy(&destroyed), nullptr);
  destroy(client);
}

TEST(OneProcess, TheLibraryBesideThePlugin) {
  PJRT_Client *client = newClient();
  void *library = ::dlopen(SYSTOLE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  auto function = [&]<typename Type>(Type *, const char *name) {
    return reinterpret_cast<Type *>(::dlsym(library, name));
  };
#define SYSTOLE_CALL(name) function(static_cast<decltype(&(name))>(nullptr), #name)
  systole_device *device = nullptr;
  ASSERT_EQ(SYSTOLE_CALL(systole_device_create)(nullptr, &device), nullptr);
  const char *source = "HloModule twice\n\nENTRY main {\n  x = f32[4]{0} parameter(0)\n"
                       "  ROOT sum = f32[4]{0} add(x, x)\n}\n";
  systole_executable *executable = nullptr;
  ASSERT_EQ(
      SYSTOLE_CALL(systole_compile)(device, source, std::strlen(source), nullptr, &executable),
      nullptr);
  systole_report *report = nullptr;
  EXPECT_EQ(SYSTOLE_CALL(systole_executable_predict)(executable, &report), nullptr);
  SYSTOLE_CALL(systole_report_destroy)(report);
  SYSTOLE_CALL(systole_executable_destroy)(executable);
  SYSTOLE_CALL(systole_device_destroy)(device);
#undef SYSTOLE_CALL
  destroy(client);
}

} // namespace
