// Arrays that VMEM keeps for the kernels of a loop, and calls, which leave them alone.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Tiling/ProgramBuilder.h"

using namespace mlir;

namespace systole {

void ProgramBuilder::emitKeep(kernel::KeepOp op) {
  if (isKept(op.getResult()))
    return; // written there
  ++time;
  Location loc = op.getLoc();
  reservedRows += op.getRows();
  keptRows[op.getResult()] = reservedRows;
  kernel::FuncOp load = kernels.buildLoad(op, reservedRows);
  auto type = cast<kernel::BufferType>(cast<TypeAttr>(load.getOperandTypes()[0]).getValue());
  call(load, hbm(read(op.getSource()), type, loc), {}, loc);
}

void ProgramBuilder::placeKept(stablehlo::WhileOp loop) {
  for (kernel::KeepOp keep : kernel::keptFor(loop))
    if (!isKept(keep.getResult())) {
      reservedRows += keep.getRows();
      keptRows[keep.getSource()] = keptRows[keep.getResult()] = reservedRows;
    }
  Block &body = loop.getBody().front();
  for (auto [number, init] : llvm::enumerate(loop.getOperand()))
    if (init.getDefiningOp<kernel::KeepOp>()) {
      int64_t row = keptAt(init);
      for (Value value :
           {Value(loop.getCond().getArgument(number)), Value(body.getArgument(number)),
            body.getTerminator()->getOperand(number)})
        keptRows[value] = row;
    }
}

void ProgramBuilder::storeKept(OpResult result) {
  if (result.use_empty())
    return;
  ++time;
  Location loc = result.getLoc();
  auto it = stored.find(result);
  Buffer to = it == stored.end() ? newBuffer(result, "value") : it->second;
  buffers[result] = to;
  touch(to);
  auto loop = cast<stablehlo::WhileOp>(result.getOwner());
  const int64_t row = keptAt(loop.getOperand()[result.getResultNumber()]);
  kernel::FuncOp store = kernels.buildStore(plan.buffers()[to].rows, loc, row);
  auto types = llvm::to_vector(store.getOperandTypes().getAsValueRange<TypeAttr>());
  Value from = kernel::VmemOp::create(b, loc, cast<kernel::BufferType>(types[0]), row);
  setDefined(result, b.getInsertionBlock(),
             call(store, {from, hbm(to, cast<kernel::BufferType>(types[1]), loc)}, {}, loc));
}

void ProgramBuilder::dropKept(Operation *loop) {
  for (kernel::KeepOp keep : kernel::keptFor(loop))
    reservedRows -= keep.getRows();
}

Value ProgramBuilder::vmem(Value value, kernel::BufferType type, Location loc) {
  return kernel::VmemOp::create(b, loc, type, keptAt(value));
}

kernel::CallOp ProgramBuilder::call(kernel::FuncOp func, ValueRange operands, ValueRange words,
                                    Location loc) {
  func.setReserved(std::max<int64_t>(func.getReserved(), reservedRows));
  std::string line = sourceLine(loc);
  return kernel::CallOp::create(b, loc, func.getSymName(), operands, words,
                                line.empty() ? StringAttr() : b.getStringAttr(line),
                                b.getI64IntegerAttr(time));
}

} // namespace systole
