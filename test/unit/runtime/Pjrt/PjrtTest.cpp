// The C interface beyond JAX's use: clients of other versions, and wrong calls.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "test/unit/runtime/Pjrt/Plugin.h"

namespace {

using ::testing::HasSubstr;
using namespace systole::pjrt::testing;

TEST(Pjrt, EverySlotIsFilled) {
  // With the functions that newer headers have: 138 in all in version 0.114.
  const size_t first = offsetof(PJRT_Api, PJRT_Error_Destroy);
  EXPECT_EQ(api().struct_size, first + 138 * sizeof(void *));
  EXPECT_EQ(api().pjrt_api_version.major_version, 0);
  EXPECT_GE(api().pjrt_api_version.minor_version, 29);
  for (size_t at = first; at < api().struct_size; at += sizeof(void *)) {
    void *slot;
    std::memcpy(&slot, reinterpret_cast<const char *>(&api()) + at, sizeof slot);
    EXPECT_NE(slot, nullptr) << "slot " << (at - first) / sizeof(void *);
  }
}

TEST(Pjrt, MissingFunctionsReturnUnimplemented) {
  auto args = argsOf<PJRT_Client_DmaMap_Args>();
  PJRT_Error *error = api().PJRT_Client_DmaMap(&args);
  auto code = argsOf<PJRT_Error_GetCode_Args>();
  code.error = error;
  EXPECT_EQ(take(api().PJRT_Error_GetCode(&code)), "");
  EXPECT_EQ(code.code, PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_EQ(take(error), "PJRT_Client_DmaMap is not supported");
}

// A function of newer headers, by its place among all functions.
PJRT_Error *callSlot(size_t slot, void *args) {
  PJRT_Error *(*function)(void *);
  std::memcpy(&function,
              reinterpret_cast<const char *>(&api()) + offsetof(PJRT_Api, PJRT_Error_Destroy) +
                  slot * sizeof(void *),
              sizeof function);
  return function(args);
}

TEST(Pjrt, FunctionsOfNewerHeadersSaySo) {
  size_t args[16] = {sizeof args};
  PJRT_Error *error = callSlot(131, args);
  auto code = argsOf<PJRT_Error_GetCode_Args>();
  code.error = error;
  EXPECT_EQ(take(api().PJRT_Error_GetCode(&code)), "");
  EXPECT_EQ(code.code, PJRT_Error_Code_UNIMPLEMENTED);
  // JAX asks each error for its payloads.
  EXPECT_EQ(callSlot(132, args), nullptr);
  EXPECT_EQ(take(error), "PJRT_Buffer_Bitcast is not supported");
}

// Clients look for plugins by loading and closing them. In a process that has not loaded it yet.
TEST(PjrtDeathTest, IsLoadedAgainAfterItWasClosed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        for (int i = 0; i < 2; ++i) {
          void *library = ::dlopen(SYSTOLE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
          if (!library || ::dlclose(library) != 0)
            std::exit(1);
        }
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(Pjrt, AnOlderClientsStructureIsNotWrittenBeyondItsEnd) {
  PJRT_Client *client = newClient();
  auto args = argsOf<PJRT_Client_Devices_Args>();
  args.client = client;
  args.num_devices = 77;
  args.struct_size = offsetof(PJRT_Client_Devices_Args, num_devices);
  EXPECT_EQ(take(api().PJRT_Client_Devices(&args)), "");
  EXPECT_NE(args.devices, nullptr);
  EXPECT_EQ(args.num_devices, 77u);
  EXPECT_EQ(args.struct_size, offsetof(PJRT_Client_Devices_Args, num_devices));
  destroy(client);
}

TEST(Pjrt, ANewerClientsStructureIsLongerThanOurs) {
  PJRT_Client *client = newClient();
  struct {
    PJRT_Client_Devices_Args known;
    uint64_t more[4];
  } args{};
  args.known.struct_size = sizeof(args);
  args.known.client = client;
  std::memset(args.more, 0x5A, sizeof(args.more));
  EXPECT_EQ(take(api().PJRT_Client_Devices(&args.known)), "");
  EXPECT_EQ(args.known.num_devices, 1u);
  EXPECT_EQ(args.more[0], 0x5A5A5A5A5A5A5A5Au);
  destroy(client);
}

// Clients do not initialize the fields for results.
TEST(Pjrt, UnknownMemoryFiguresAreZero) {
  PJRT_Client *client = newClient();
  auto devices = argsOf<PJRT_Client_Devices_Args>();
  devices.client = client;
  EXPECT_EQ(take(api().PJRT_Client_Devices(&devices)), "");
  PJRT_Device_MemoryStats_Args stats;
  std::memset(static_cast<void *>(&stats), 0x5A, sizeof stats);
  stats.struct_size = sizeof stats;
  stats.device = devices.devices[0];
  EXPECT_EQ(take(api().PJRT_Device_MemoryStats(&stats)), "");
  EXPECT_EQ(stats.bytes_in_use, 0);
  EXPECT_TRUE(stats.bytes_limit_is_set);
  EXPECT_EQ(stats.bytes_limit, int64_t(16) << 30);
  EXPECT_TRUE(stats.bytes_reserved_is_set);
  EXPECT_EQ(stats.bytes_reserved, 0);
  EXPECT_TRUE(stats.largest_free_block_bytes_is_set);
  EXPECT_EQ(stats.largest_free_block_bytes, stats.bytes_limit);
  EXPECT_FALSE(stats.pool_bytes_is_set);
  EXPECT_EQ(stats.pool_bytes, 0);
  destroy(client);
}

TEST(Pjrt, NullsAreErrors) {
  EXPECT_EQ(take(api().PJRT_Client_Devices(nullptr)), "the arguments are null");
  auto devices = argsOf<PJRT_Client_Devices_Args>();
  EXPECT_EQ(take(api().PJRT_Client_Devices(&devices)), "`args.client` is null");
  auto execute = argsOf<PJRT_LoadedExecutable_Execute_Args>();
  EXPECT_EQ(take(api().PJRT_LoadedExecutable_Execute(&execute)), "`args.executable` is null");
  auto compile = argsOf<PJRT_Client_Compile_Args>();
  EXPECT_EQ(take(api().PJRT_Client_Compile(&compile)), "`args.client` is null");
}

// A list of options whose elements are larger than ours.
TEST(Pjrt, OptionsOfNewerClientsAreFound) {
  struct Option {
    PJRT_NamedValue known;
    uint64_t more;
  };
  auto option = [](const char *name, const char *value) {
    Option result{};
    result.known.struct_size = sizeof(Option);
    result.known.name = name;
    result.known.name_size = std::strlen(name);
    result.known.type = PJRT_NamedValue_kString;
    result.known.string_value = value;
    result.known.value_size = std::strlen(value);
    return result;
  };
  const Option options[] = {option("other", "x"), option("target", "v2-4")};
  auto args = argsOf<PJRT_Client_Create_Args>();
  args.create_options = &options[0].known;
  args.num_options = 2;
  ASSERT_EQ(take(api().PJRT_Client_Create(&args)), "");
  auto devices = argsOf<PJRT_Client_Devices_Args>();
  devices.client = args.client;
  EXPECT_EQ(take(api().PJRT_Client_Devices(&devices)), "");
  EXPECT_EQ(devices.num_devices, 4u);
  destroy(args.client);
}

class Compile : public testing::Test {
protected:
  void SetUp() override { client = newClient(); }
  void TearDown() override { destroy(client); }

  std::string compile(std::string code, std::string format, std::string options = "") {
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
    if (message.empty()) {
      auto destroy = argsOf<PJRT_LoadedExecutable_Destroy_Args>();
      destroy.executable = args.executable;
      EXPECT_EQ(take(api().PJRT_LoadedExecutable_Destroy(&destroy)), "");
    }
    return message;
  }

  PJRT_Client *client;
  const std::string identity = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                               "  return %x : tensor<3xf32>\n}\n";
};

TEST_F(Compile, TakesText) { EXPECT_EQ(compile(identity, "mlir"), ""); }

TEST_F(Compile, TakesHlo) {
  // HloModuleProto { name: "m"  computations { id: 1  root_id: 1
  //   instructions { name: "x"  opcode: "parameter"  shape { element_type: F32 }  id: 1 } }
  //   entry_computation_id: 1 }
  const std::string hlo(
      "\x0a\x01m\x1a\x1b\x12\x15\x0a\x01x\x12\x09parameter\x1a\x02\x10\x0b\x98\x02\x01"
      "\x28\x01\x30\x01\x30\x01",
      34);
  EXPECT_EQ(compile(hlo, "hlo"), "");
  // HloModuleProtoWithConfig, whose configuration may have num_partitions
  const std::string wrapped = std::string("\x0a\x22", 2) + hlo;
  EXPECT_EQ(compile(wrapped, "hlo_with_config"), "");
  EXPECT_THAT(compile(wrapped + std::string("\x12\x02\x28\x02", 4), "hlo_with_config"),
              HasSubstr("divided among 2 cores"));
  EXPECT_EQ(compile(hlo.substr(0, 20), "hlo"), "the program is no HLO module, or it is damaged");
  EXPECT_EQ(compile(identity, "hlo"), "the program is no HLO module, or it is damaged");
}

TEST_F(Compile, RefusesOtherFormats) {
  EXPECT_EQ(compile("x", "onnx"), "programs in format 'onnx' are not supported; 'mlir', 'hlo' and "
                                  "'hlo_with_config' are");
}

TEST_F(Compile, RefusesDamage) {
  EXPECT_THAT(compile("", "mlir"), HasSubstr("error"));
  EXPECT_THAT(compile(std::string("ML\xefR\x06", 5), "mlir"), HasSubstr("error"));
  EXPECT_THAT(compile(identity, "mlir", "\xff\xff\xff"), HasSubstr("compile options are damaged"));
}

TEST_F(Compile, RefusesDevicesThatAreNot) {
  // executable_build_options { num_partitions: 2 }
  EXPECT_EQ(compile(identity, "mlir", std::string("\x1a\x02\x28\x02", 4)), "there is no device 1");
  // executable_build_options { device_ordinal: 3 }
  EXPECT_EQ(compile(identity, "mlir", std::string("\x1a\x02\x08\x03", 4)), "there is no device 3");
}

TEST_F(Compile, SerializedNonsenseIsRefused) {
  auto args = argsOf<PJRT_Executable_DeserializeAndLoad_Args>();
  args.client = client;
  args.serialized_executable = "nonsense";
  args.serialized_executable_size = 8;
  EXPECT_THAT(take(api().PJRT_Executable_DeserializeAndLoad(&args)),
              HasSubstr("no serialized executable"));
}

} // namespace
