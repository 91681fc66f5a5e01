// Runs a kernel, given as text, on the emulated machine.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "compiler/Codegen/Passes.h"
#include "compiler/Emit/Emit.h"
#include "compiler/Pipeline/Register.h"
#include "dialects/Machine/Program/PackTensor.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "runtime/Emulator/Emulator.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <sstream>

using namespace mlir;

namespace systole::test {

int64_t count(const Dims &dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    product *= dim;
  return product;
}

codegen::Machine v3() { return codegen::machineOf(*Target::load("v3")); }

std::string buffer(const Dims &dims, const std::string &dtype, const std::string &space) {
  std::string text = "!kernel.buffer<";
  for (int64_t dim : dims)
    text += std::to_string(dim) + "x";
  return text + dtype + ", " + space + ">";
}

static std::string list(const Dims &dims) {
  std::string text;
  for (int64_t dim : dims)
    text += (text.empty() ? "" : ", ") + std::to_string(dim);
  return text;
}

static program::Tensor tensorOf(const Array &array) {
  program::Tensor tensor;
  tensor.set_dtype(array.dtype);
  for (int64_t dim : array.dims)
    tensor.add_dims(dim);
  for (size_t d = array.dims.size(); d-- > 0;)
    tensor.mutable_layout()->add_minor_to_major(d);
  return tensor;
}

std::string kernelModule(const Dims &grid, const std::vector<Operand> &operands,
                         const std::string &body) {
  std::ostringstream plan, indices, arguments, hbm, names, types;
  std::string dimNames;
  for (size_t d = 0; d < grid.size(); ++d) {
    const char *comma = d ? ", " : "";
    indices << comma << "%g" << d << " = " << grid[d];
    dimNames += comma + ("d" + std::to_string(d));
  }
  int64_t base = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand &operand = operands[i];
    const char *comma = i ? ", " : "";
    int64_t rows = std::max<int64_t>(deviceRows(tensorOf(operand.array)), 1);
    plan << comma << "#kernel.hbm_region<\"a" << i << "\", rows = " << rows << ", base = " << base
         << ">";
    base += rows;
    std::string type = buffer(operand.array.dims, operand.array.dtype, "hbm");
    std::string map = operand.map;
    if (map.empty())
      map = "(" + dimNames + ") -> (" + list(Dims(operand.array.dims.size(), 0)) + ")";
    Dims block = operand.block.empty() ? operand.array.dims : operand.block;
    arguments << comma << "%a" << i << " : " << type << " #kernel.operand<" << operand.role
              << ", block = [" << list(block) << "], map = " << map;
    if (!operand.stride.empty())
      arguments << ", stride = [" << list(operand.stride) << "], offset = [" << list(operand.offset)
                << "]";
    arguments << ">";
    hbm << "  %h" << i << " = kernel.hbm " << i << " : " << type << "\n";
    names << comma << "%h" << i;
    types << comma << type;
  }
  return "module attributes {kernel.hbm_plan = [" + plan.str() + "]} {\nkernel.func @k grid (" +
         indices.str() + ") (" + arguments.str() + ") {\n" + body +
         "  kernel.return\n}\nfunc.func @main() {\n" + hbm.str() + "  kernel.call @k(" +
         names.str() + ")" + (operands.empty() ? "" : " : " + types.str()) + "\n  return\n}\n}\n";
}

static std::shared_ptr<const Program>
compileModule(const std::string &text, const codegen::Machine &machine, const Target &target) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  PassManager passes(&context);
  passes.addPass(createCodegen(machine, /*excessPrecision=*/false));
  machine::Statistics statistics;
  if (module && succeeded(passes.run(*module))) {
    FailureOr<Program> program = emitProgram(*module, target, EmitOptions(), statistics);
    if (succeeded(program))
      return std::make_shared<Program>(std::move(*program));
  }
  ADD_FAILURE() << errors << text;
  return nullptr;
}

std::vector<Array> runKernel(const Dims &grid, const std::vector<Operand> &operands,
                             const std::string &body, const codegen::Machine &machine) {
  std::vector<Array> results;
  for (const Operand &operand : operands)
    results.push_back(operand.array);
  std::string text = kernelModule(grid, operands, body);
  Target target = *Target::load("v3");
  std::shared_ptr<const Program> program = compileModule(text, machine, target);
  if (!program)
    return results;
  auto emulator = Emulator::create(program, target);
  if (!emulator.ok()) {
    ADD_FAILURE() << emulator.status() << text;
    return results;
  }
  const auto &regions = program->header.regions();
  size_t firstHbm =
      std::ranges::find_if(
          regions, [](const program::Region &region) { return region.space() == program::HBM; }) -
      regions.begin();
  for (size_t i = 0; i < operands.size(); ++i) {
    auto region = (*emulator)->writeHbm(firstHbm + i);
    EXPECT_TRUE(region.ok()) << region.status();
    if (region.ok() && !operands[i].array.bytes.empty())
      toDevice(tensorOf(operands[i].array), operands[i].array.bytes.data(), region->data());
  }
  auto stats = (*emulator)->run();
  if (!stats.ok()) {
    ADD_FAILURE() << stats.status() << text;
    return results;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    auto region = (*emulator)->readHbm(firstHbm + i);
    EXPECT_TRUE(region.ok()) << region.status();
    if (region.ok() && !results[i].bytes.empty())
      fromDevice(tensorOf(results[i]), region->data(), results[i].bytes.data());
  }
  return results;
}

std::vector<Array> runKernel(const Dims &grid, const std::vector<Operand> &operands,
                             const std::string &body) {
  return runKernel(grid, operands, body, v3());
}

std::string mapStage(const Dims &dims, const std::vector<std::string> &inputs,
                     const std::vector<std::string> &inputTypes, const std::string &output,
                     const std::string &outputType, const std::string &body) {
  std::string names, types, maps, arguments, identity;
  for (size_t d = 0; d < dims.size(); ++d)
    identity += (d ? ", d" : "d") + std::to_string(d);
  identity = "affine_map<(" + identity + ") -> (" + identity + ")>";
  for (size_t i = 0; i < inputs.size(); ++i) {
    const char *comma = i ? ", " : "";
    names += comma + inputs[i];
    types += comma + buffer(dims, inputTypes[i]);
    maps += comma + identity;
    arguments += comma + ("%x" + std::to_string(i) + ": tensor<" + inputTypes[i] + ">");
  }
  std::string ins = inputs.empty() ? "" : names + " : " + types;
  return "  kernel.map ins(" + ins + ") outs(" + output + " : " + buffer(dims, outputType) +
         ") maps = [" + maps + "] {\n" + (inputs.empty() ? "" : "  ^bb0(" + arguments + "):\n") +
         body + "  }\n";
}

} // namespace systole::test
