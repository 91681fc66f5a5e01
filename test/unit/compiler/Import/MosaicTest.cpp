// Pallas kernels: their configuration, and damage to their bytes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Mosaic/Config.h"
#include "compiler/Import/Mosaic/Kernel.h"
#include "compiler/Import/Mosaic/ReadMosaic.h"
#include "test/unit/compiler/Import/DamagedBytes.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using testing::ElementsAre;
using testing::HasSubstr;

namespace systole {
namespace {

constexpr const char *kKernel = R"(
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %n: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<8x128xbf16, #tpu.memory_space<vmem>>, %y: memref<8x128xbf16, strided<[256, 1], offset: ?>, #tpu.memory_space<vmem>>):
    %mask = "stable_mosaic.arith.constant"() {value = dense<[1, 0, 7]> : vector<3xi8>} : () -> vector<3xi8> loc("kernel.py":3:5)
    %zero = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %0 = "stable_mosaic.vector.load"(%x, %zero, %zero) : (memref<8x128xbf16, #tpu.memory_space<vmem>>, index, index) -> vector<8x128xbf16>
    %1 = "stable_mosaic.arith.cmpi"(%i, %i) {predicate = 4 : i64} : (i32, i32) -> i1
    "stable_mosaic.scf.if"(%1) ({
      "stable_mosaic.tpu.vector_store"(%0, %y, %zero, %zero) {operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x128xbf16>, memref<8x128xbf16, strided<[256, 1], offset: ?>, #tpu.memory_space<vmem>>, index, index) -> ()
      "stable_mosaic.scf.yield"() : () -> ()
    }, {
    }) : (i1) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<parallel>], function_type = (i32, memref<4xi32, #tpu.memory_space<smem>>, memref<8x128xbf16, #tpu.memory_space<vmem>>, memref<8x128xbf16, strided<[256, 1], offset: ?>, #tpu.memory_space<vmem>>) -> (), iteration_bounds = array<i64: 4>, scalar_prefetch = 1 : i64, scratch_operands = 1 : i64, sym_name = "kernel", tpu.core_type = #tpu.core_type<tc>, window_params = [{}]} : () -> ()
}
)";

/// The text in bytecode as JAX writes it.
std::string encode(llvm::StringRef text) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  DialectRegistry registry;
  registerMosaicDialects(registry);
  context.appendDialectRegistry(registry);
  context.allowUnregisteredDialects();
  auto module = parseSourceString<ModuleOp>(text, &context);
  BytecodeWriterConfig config;
  config.setDesiredBytecodeVersion(0);
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  EXPECT_TRUE(module && succeeded(writeBytecodeToFile(*module, stream, config)));
  return bytes;
}

class Mosaic : public testing::Test {
protected:
  /// Whether the bytes are a kernel; if not, there is one diagnostic.
  bool accepts(const std::string &bytes) {
    // A context never frees attributes.
    if (!context || ++uses % 100 == 0) {
      module = nullptr;
      context.emplace(MLIRContext::Threading::DISABLED);
      context->printOpOnDiagnostic(false);
    }
    unsigned errors = 0;
    ScopedDiagnosticHandler handler(&*context, [&](Diagnostic &) { ++errors; });
    FailureOr<OwningOpRef<ModuleOp>> read = readMosaic(bytes, UnknownLoc::get(&*context));
    EXPECT_EQ(errors, succeeded(read) ? 0u : 1u) << "use " << uses;
    if (failed(read))
      return false;
    module = std::move(*read);
    return true;
  }

  std::string text() {
    std::string result;
    llvm::raw_string_ostream stream(result);
    module->print(stream);
    return result;
  }

  std::optional<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  unsigned uses = 0;
};

TEST_F(Mosaic, ArgumentsOfTheKernel) {
  ASSERT_TRUE(accepts(encode(kKernel)));
  MosaicKernel kernel = kernelOf(*module);
  EXPECT_EQ(kernel.function.getName(), "kernel");
  EXPECT_THAT(kernel.bounds, ElementsAre(4));
  EXPECT_EQ(kernel.firstPrefetched(), 1u);
  EXPECT_EQ(kernel.firstWindow(), 2u);
  EXPECT_EQ(kernel.windows, 1u);
  EXPECT_EQ(kernel.firstScratch(), 3u);
  EXPECT_EQ(kernel.scratch, 1u);
  EXPECT_THAT(
      text(),
      HasSubstr("memref<8x128xbf16, strided<[256, 1], offset: ?>, #tpu.memory_space<vmem>>"));
}

// MLIR packs constants of i1 where JAX writes a byte for each: i8 becomes i1.
TEST_F(Mosaic, PredicatesOfOneByteEach) {
  std::string bytes = encode(kKernel);
  const std::string i8 = "\x01\x41", i1 = "\x01\x09";
  ASSERT_NE(bytes.find(i8), std::string::npos);
  bytes.replace(bytes.find(i8), i8.size(), i1);
  ASSERT_TRUE(accepts(bytes));
  EXPECT_THAT(text(), HasSubstr("dense<[true, false, true]> : vector<3xi1>"));
}

TEST_F(Mosaic, EveryBeginningIsRefused) {
  std::string bytes = encode(kKernel);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(accepts(bytes.substr(0, size))) << size;
}

TEST_F(Mosaic, FlippedBits) {
  std::string bytes = encode(kKernel);
  std::mt19937 random(1);
  unsigned refused = 0;
  for (unsigned i = 0; i < 2000; ++i)
    refused += !accepts(test::withFlippedBits(bytes, random));
  // The others change names, line numbers and constants.
  EXPECT_GT(refused, 1000u);
}

TEST_F(Mosaic, BytesThatAreMissingOrTwice) {
  std::string bytes = encode(kKernel);
  std::mt19937 random(2);
  for (unsigned i = 0; i < 500; ++i)
    accepts(test::withBytesMissingOrTwice(bytes, i % 2 != 0, random));
}

//===----------------------------------------------------------------------===//
// The configuration
//===----------------------------------------------------------------------===//

/// The error of a configuration.
std::string refusalOf(llvm::StringRef json) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    EXPECT_TRUE(error.empty());
    error = diagnostic.str();
  });
  EXPECT_TRUE(failed(readMosaicConfig(json, UnknownLoc::get(&context)))) << json.str();
  return error;
}

TEST(MosaicConfig, Everything) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  FailureOr<MosaicConfig> config = readMosaicConfig(R"({"custom_call_config": {"body": "TUzvUg==",
      "has_communication": true, "collective_id": 3,
      "cost_estimate": {"flops": 4194304, "transcendentals": 2, "bytes_accessed": 196608,
                        "remote_bytes_transferred": 1},
      "needs_hlo_passes": true, "serialization_format": 1, "needs_layout_passes": true,
      "shape_invariant_numerics": false, "allow_input_fusion": [true,false],
      "internal_scratch_in_bytes": 4096,
      "output_memory_space_colors": [{"color":1,"shape_index":[1]}],
      "input_memory_space_colors": [{"operand_index":2,"color":4}],
      "disable_bounds_checks": true, "disable_semaphore_checks": true, "skip_device_barrier": true,
      "unknown": {"x": 1}}, "device_type": "DEVICE_TYPE_TENSORCORE",
      "scoped_memory_configs": [{"memory_space":1, "offset": 0, "size": 1048576}],
      "flag_configs": [{"flag_type": "a", "value": {"boolean_value": true}},
                       {"flag_type": "b", "value": {"integer_value": -7}},
                       {"flag_type": "c", "value": {"double_value": 0.5}}]})",
                                                    UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(config));
  EXPECT_EQ(config->body, "ML\xefR");
  EXPECT_TRUE(config->hasCommunication);
  EXPECT_EQ(config->collectiveId, 3);
  ASSERT_TRUE(config->cost);
  EXPECT_EQ(config->cost->flops, 4194304);
  EXPECT_EQ(config->cost->transcendentals, 2);
  EXPECT_EQ(config->cost->bytesAccessed, 196608);
  EXPECT_EQ(config->cost->remoteBytesTransferred, 1);
  EXPECT_EQ(config->serializationFormat, 1);
  EXPECT_TRUE(config->needsHloPasses && config->needsLayoutPasses);
  EXPECT_FALSE(config->shapeInvariantNumerics);
  EXPECT_THAT(config->allowInputFusion, ElementsAre(true, false));
  EXPECT_EQ(config->internalScratchBytes, 4096);
  ASSERT_EQ(config->resultMemories.size(), 1u);
  EXPECT_EQ(config->resultMemories[0].index, 1);
  EXPECT_EQ(config->resultMemories[0].memory, MosaicMemory::Vmem);
  ASSERT_EQ(config->operandMemories.size(), 1u);
  EXPECT_EQ(config->operandMemories[0].index, 2);
  EXPECT_EQ(config->operandMemories[0].memory, MosaicMemory::Smem);
  EXPECT_TRUE(config->disableBoundsChecks && config->disableSemaphoreChecks &&
              config->skipDeviceBarrier);
  EXPECT_EQ(config->vmemLimitBytes, 1048576);
  ASSERT_EQ(config->flags.size(), 3u);
  EXPECT_EQ(config->flags[0].name, "a");
  EXPECT_EQ(std::get<bool>(config->flags[0].value), true);
  EXPECT_EQ(std::get<int64_t>(config->flags[1].value), -7);
  EXPECT_EQ(std::get<double>(config->flags[2].value), 0.5);
}

TEST(MosaicConfig, WhatIsLeftOut) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  FailureOr<MosaicConfig> config =
      readMosaicConfig(R"({"custom_call_config": {"body": ""}})", UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(config));
  EXPECT_FALSE(config->hasCommunication || config->needsHloPasses || config->needsLayoutPasses ||
               config->disableBoundsChecks || config->disableSemaphoreChecks ||
               config->skipDeviceBarrier);
  EXPECT_TRUE(config->shapeInvariantNumerics);
  EXPECT_FALSE(config->collectiveId || config->cost || config->serializationFormat ||
               config->internalScratchBytes || config->vmemLimitBytes);
  EXPECT_TRUE(config->allowInputFusion.empty() && config->flags.empty() &&
              config->operandMemories.empty() && config->resultMemories.empty());
}

TEST(MosaicConfig, Malformed) {
  EXPECT_THAT(refusalOf(""), HasSubstr("the configuration of a Pallas kernel is malformed: "));
  EXPECT_THAT(refusalOf("{"), HasSubstr("malformed"));
  EXPECT_THAT(refusalOf("[]"), HasSubstr("there is no 'custom_call_config'"));
  EXPECT_THAT(refusalOf(R"({"custom_call_config": 1})"), HasSubstr("there is no 'custom_call_"));
  EXPECT_THAT(refusalOf(R"({"custom_call_config": {}})"), HasSubstr("there is no 'body'"));
  EXPECT_THAT(refusalOf(R"({"custom_call_config": {"body": "A"}})"),
              HasSubstr("'body' is not base64"));
  EXPECT_THAT(refusalOf(std::string(100000, '[')), HasSubstr("brackets nest deeper than 64"));
  auto ofField = [](const std::string &field) {
    return refusalOf(R"({"custom_call_config": {"body": "", )" + field + "}}");
  };
  EXPECT_THAT(ofField(R"("has_communication": 1)"), HasSubstr("'has_communication' is not true"));
  EXPECT_THAT(ofField(R"("collective_id": "1")"), HasSubstr("'collective_id' is not an integer"));
  EXPECT_THAT(ofField(R"("cost_estimate": 1)"), HasSubstr("'cost_estimate' is not an object"));
  EXPECT_THAT(ofField(R"("cost_estimate": {"flops": 0.5})"),
              HasSubstr("'flops' is not an integer"));
  EXPECT_THAT(ofField(R"("allow_input_fusion": true)"), HasSubstr("is not an array"));
  EXPECT_THAT(ofField(R"("allow_input_fusion": [1])"), HasSubstr("is not true or false"));
  EXPECT_THAT(ofField(R"("internal_scratch_in_bytes": -1)"), HasSubstr("is negative"));
  EXPECT_THAT(ofField(R"("input_memory_space_colors": [1])"), HasSubstr("that is no object"));
  EXPECT_THAT(ofField(R"("input_memory_space_colors": [{"color": 1}])"),
              HasSubstr("without the number of an array"));
  EXPECT_THAT(ofField(R"("output_memory_space_colors": [{"color": 9}])"),
              HasSubstr("the memory 9, which is not known"));
  EXPECT_THAT(ofField(R"("output_memory_space_colors": [{"color": 1, "shape_index": [0, 1]}])"),
              HasSubstr("without the number of an array"));
  auto beside = [](const std::string &field) {
    return refusalOf(R"({"custom_call_config": {"body": ""}, )" + field + "}");
  };
  EXPECT_THAT(beside(R"("device_type": "DEVICE_TYPE_SPARSECORE")"),
              HasSubstr("a Pallas kernel for a SparseCore is not supported"));
  EXPECT_THAT(beside(R"("scoped_memory_configs": [{"memory_space": 0, "size": 4}])"),
              HasSubstr("only VMEM from 0 on can be limited"));
  EXPECT_THAT(beside(R"("flag_configs": [{"flag_type": "a"}])"),
              HasSubstr("without 'flag_type' or 'value'"));
  EXPECT_THAT(beside(R"("flag_configs": [{"flag_type": "a", "value": {}}])"),
              HasSubstr("flag 'a' has no value"));
}

} // namespace
} // namespace systole
