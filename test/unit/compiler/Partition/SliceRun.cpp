// Compiles programs that are divided among cores, and runs them with arrays of each core.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/compiler/Partition/SliceRun.h"

#include "absl/strings/str_cat.h"
#include "compiler/Pipeline/Compiler.h"
#include "dialects/Machine/Program/PackTensor.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "dialects/Machine/Program/Verify.h"
#include "gtest/gtest.h"

namespace systole::test {

std::string manualProgram(int cores, const std::string &argument, const std::string &result,
                          const std::string &body) {
  auto whole = [&](const std::string &type) {
    const size_t end = type.find('x');
    return absl::StrCat("tensor<", cores * std::stoi(type.substr(0, end)), type.substr(end), ">");
  };
  auto empty = [](const std::string &type) {
    std::string dims;
    // Each dimension is digits and an x.
    for (size_t i = type.find('x') + 1; std::isdigit(type[i]); i = type.find('x', i) + 1)
      dims += ", {}";
    return dims;
  };
  const std::string in = absl::StrCat("<@mesh, [{\"i\"}", empty(argument), "]>"),
                    out = absl::StrCat("<@mesh, [{\"i\"}", empty(result), "]>");
  return absl::StrCat(
      "module @collective attributes {mhlo.num_partitions = ", cores,
      " : i32, mhlo.num_replicas = 1 : i32} {\n  sdy.mesh @mesh = <[\"i\"=", cores,
      "]>\n  func.func public @main(%whole: ", whole(argument), " {sdy.sharding = #sdy.sharding",
      in, "}) -> (", whole(result), " {sdy.sharding = #sdy.sharding", out,
      "}) {\n    %0 = sdy.manual_computation(%whole) in_shardings=[", in, "] out_shardings=[", out,
      "] manual_axes={\"i\"} (%x: tensor<", argument, ">) {\n", body,
      "\n      sdy.return %r : tensor<", result, ">\n    } : (", whole(argument), ") -> ",
      whole(result), "\n    return %0 : ", whole(result), "\n  }\n}\n");
}

static void write(Emulator &emulator, const program::Tensor &tensor, const Bytes &bytes, int core) {
  const Planes planes = planesOf(tensor);
  std::vector<uint8_t> packed(size_t(planes.count) * size_t(planes.rows) * isa::kRowBytes);
  ASSERT_EQ(int64_t(bytes.size()), hostBytes(tensor));
  toDevice(tensor, bytes.data(), packed.data());
  const size_t each = size_t(planes.rows) * isa::kRowBytes;
  for (int plane = 0; plane < planes.count; ++plane)
    ASSERT_TRUE(emulator
                    .copyIn(planes.regions[size_t(plane)],
                            {packed.data() + size_t(plane) * each, each}, core)
                    .ok());
}

static Bytes read(const Emulator &emulator, const program::Tensor &tensor, int core) {
  const Planes planes = planesOf(tensor);
  std::vector<uint8_t> packed(size_t(planes.count) * size_t(planes.rows) * isa::kRowBytes);
  const size_t each = size_t(planes.rows) * isa::kRowBytes;
  for (int plane = 0; plane < planes.count; ++plane)
    EXPECT_TRUE(emulator
                    .copyOut(planes.regions[size_t(plane)],
                             {packed.data() + size_t(plane) * each, each}, core)
                    .ok());
  Bytes bytes(size_t(hostBytes(tensor)));
  fromDevice(tensor, packed.data(), bytes.data());
  return bytes;
}

SliceResult runOnSlice(const std::string &text, const std::vector<std::vector<Bytes>> &arguments,
                       int threads) {
  SliceResult result;
  const Target slice = *Target::load("v3-8");
  absl::StatusOr<Program> program = compile(text, "test.mlir", slice, {.precision = "highest"});
  if (!program.ok()) {
    ADD_FAILURE() << program.status() << "\n" << text;
    return result;
  }
  EXPECT_EQ(program->header.verifier_refusal(), "");
  EXPECT_TRUE(verifyProgram(*program, slice.limits()).ok());
  result.program = std::make_shared<const Program>(*std::move(program));
  const program::ProgramHeader &header = result.program->header;
  auto emulator = Emulator::create(result.program, slice, {.threads = threads});
  if (!emulator.ok()) {
    ADD_FAILURE() << emulator.status();
    return result;
  }
  EXPECT_EQ(size_t(header.cores()), arguments.size());
  for (int core = 0; core < header.cores(); ++core)
    for (int i = 0; i < header.arguments_size(); ++i)
      write(**emulator, header.arguments(i), arguments[size_t(core)][size_t(i)], core);
  absl::StatusOr<RunStats> stats = (*emulator)->run();
  if (!stats.ok()) {
    ADD_FAILURE() << stats.status() << "\n" << text;
    return result;
  }
  result.stats = *std::move(stats);
  for (int core = 0; core < header.cores(); ++core) {
    auto &results = result.results.emplace_back();
    for (const program::Tensor &tensor : header.results())
      results.push_back(read(**emulator, tensor, core));
  }
  return result;
}

} // namespace systole::test
