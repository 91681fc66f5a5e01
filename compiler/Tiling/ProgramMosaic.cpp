// Calls of kernels that the program brings along.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/TensorTypes.h"
#include "compiler/Tiling/ProgramBuilder.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace systole {

LogicalResult ProgramBuilder::emitMosaicCall(kernel::MosaicCallOp op) {
  ++time;
  Location loc = op.getLoc();
  auto func = module.lookupSymbol<kernel::FuncOp>(op.getCalleeAttr().getAttr());
  if (!func)
    return op.emitError() << "calls " << op.getCalleeAttr() << ", which has not been lowered";
  SmallVector<Buffer> inputs;
  for (Value input : op.getInputs()) {
    if (scalars.holds(input)) {
      inputs.push_back(newBuffer(input, "scalar"));
      write(input, inputs.back(), loc);
    } else {
      inputs.push_back(read(input));
    }
  }
  SmallVector<Buffer> results;
  auto attrs = func.getOperands().getAsRange<kernel::OperandAttr>();
  SmallVector<kernel::OperandAttr> blocks(attrs.begin(), attrs.end());
  for (auto [result, alias] : llvm::zip_equal(op.getOutputs(), op.getAliases())) {
    auto it = destinations.find(result);
    Buffer buffer = it != destinations.end() ? it->second : newBuffer(result, "value");
    buffers[result] = buffer;
    touch(buffer);
    // The kernel reads what it does not replace there.
    if (alias >= 0) {
      copy(inputs[alias], buffer, loc);
      inputs[alias] = buffer;
    } else if (blocks[inputs.size() + results.size()].getRole() == kernel::Role::raw) {
      // The kernel may read what it has written.
      markUninitialized(result, buffer);
    }
    results.push_back(buffer);
  }
  // The call comes behind the copies.
  for (Buffer buffer : llvm::concat<Buffer>(inputs, results))
    touch(buffer);
  CallOperands operands;
  auto types = func.getOperandTypes().getAsValueRange<TypeAttr>();
  for (auto [buffer, type] : llvm::zip_equal(llvm::concat<Buffer>(inputs, results), types))
    operands.add(hbm(buffer, cast<kernel::BufferType>(type), loc));
  kernel::CallOp call = this->call(func, operands, loc, /*reserved=*/0);
  for (Value result : op.getOutputs())
    setDefined(result, call->getBlock(), call);
  return success();
}

} // namespace systole
