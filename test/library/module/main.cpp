// Builds a module in memory, compiles it and prints its result.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "systole/mlir.h"

static mlir::OwningOpRef<mlir::ModuleOp> build(mlir::MLIRContext &context) {
  mlir::OpBuilder builder(&context);
  const mlir::Location location = mlir::FileLineColLoc::get(&context, "main.cpp", 1, 1);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location, "square");
  builder.setInsertionPointToStart(module->getBody());
  const auto type = mlir::RankedTensorType::get({3}, builder.getF32Type());
  auto function = mlir::func::FuncOp::create(builder, location, "main",
                                             builder.getFunctionType({type}, {type}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  const mlir::Value x = function.getArgument(0);
  mlir::OperationState square(location, "stablehlo.multiply");
  square.addOperands({x, x});
  square.addTypes(type);
  mlir::func::ReturnOp::create(builder, location, builder.create(square)->getResults());
  return module;
}

int main() {
  mlir::MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect>();
  context.allowUnregisteredDialects();
  const auto module = build(context);

  const auto device = systole::Device::create();
  if (!device.ok())
    return 1;
  const auto executable = systole::compile(*device, *module);
  if (!executable.ok()) {
    std::fprintf(stderr, "%s\n", executable.status().ToString().c_str());
    return 1;
  }
  float values[] = {1.5f, -2, 3};
  const int64_t dims[] = {3};
  const auto x = systole::Buffer::fromHost(*device, values, systole::ElementType::F32, dims);
  const auto run = executable->run(std::vector{*x});
  if (!run.ok() || !run->results()[0].toHost(values, sizeof(values)).ok())
    return 1;
  std::printf("%s %g %g %g\n", executable->name().c_str(), values[0], values[1], values[2]);
  return 0;
}
