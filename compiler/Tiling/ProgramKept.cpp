// Arrays that VMEM keeps for several kernels, and calls, which leave them alone.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Graph/CountedLoops.h"
#include "compiler/Graph/TensorTypes.h"
#include "compiler/Planning/ScalarArithmetic.h"
#include "compiler/Tiling/ProgramBuilder.h"
#include "dialects/Kernel/Keep.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole {

void ProgramBuilder::findKept() {
  source.walk([&](kernel::KeepOp keep) {
    keptRows[keep.getResult()] = keep.getPlace();
    if (keep.getMade() || kernel::isLoadedAhead(keep))
      keptRows[keep.getSource()] = keep.getPlace();
    reservedRows = std::max(reservedRows, int64_t(keep.getPlace()));
  });
}

void ProgramBuilder::emitKeep(kernel::KeepOp op) {
  if (kernel::isLoadedInTrip(op))
    startLoad(op, /*isForNext=*/false);
  if (op.getMade() || kernel::isLoadedAhead(op))
    return; // it is there, or will be
  ++time;
  Location loc = op.getLoc();
  kernel::FuncOp load = kernels.buildLoad(op, op.getPlace());
  auto type = cast<kernel::BufferType>(cast<TypeAttr>(load.getOperandTypes()[0]).getValue());
  call(load, hbm(read(op.getSource()), type, loc), {}, loc, reservedRows);
}

void ProgramBuilder::placeKept(stablehlo::WhileOp loop) {
  for (kernel::KeepOp keep : kernel::keptFor(loop))
    if (kernel::isLoadedAhead(keep))
      addLoad(loop, keep);
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

void ProgramBuilder::addLoad(stablehlo::WhileOp loop, kernel::KeepOp keep) {
  ++loading;
  auto [first, last] = kernel::readersOf(keep);
  firstReaders.insert(first);
  if (kernel::isLoadedInTrip(keep))
    return;
  lastReaders[last].push_back(keep);
  // For the first trip.
  auto part = keep.getSource().getDefiningOp<kernel::PartOp>();
  CountedLoop counted = *CountedLoop::of(loop);
  startLoad(keep, rowOf(part.getSource(), part.getSizes(), keep.getLoc(), [&](size_t dim) -> Value {
              const int64_t start = counted.indexOf(part.getStarts()[dim])->first;
              return arith::ConstantIntOp::create(b, keep.getLoc(), start, 32);
            }));
}

void ProgramBuilder::startLoads(Operation *op) {
  for (kernel::KeepOp keep : lastReaders.lookup(op))
    startLoad(keep, /*isForNext=*/true);
}

void ProgramBuilder::startLoad(kernel::KeepOp keep, bool isForNext) {
  auto part = keep.getSource().getDefiningOp<kernel::PartOp>();
  Location loc = keep.getLoc();
  std::optional<CountedLoop> counted;
  if (isForNext)
    counted = CountedLoop::of(cast<stablehlo::WhileOp>(keep.getLoop()));
  startLoad(keep, rowOf(part.getSource(), part.getSizes(), loc, [&](size_t dim) {
              Value start = part.getStarts()[dim], word = toWord(b, loc, scalar(start, loc));
              if (!counted)
                return word;
              Value step = arith::ConstantIntOp::create(b, loc, counted->indexOf(start)->step, 32);
              return arith::AddIOp::create(b, loc, word, step).getResult();
            }));
}

void ProgramBuilder::startLoad(kernel::KeepOp keep, Value row) {
  ++time;
  ++onTheirWay;
  Location loc = keep.getLoc();
  auto bufferOf = [&](Value value, kernel::Space space) {
    RankedTensorType type = typeOf(value);
    return kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                                   space);
  };
  Value array = keep.getSource().getDefiningOp<kernel::PartOp>().getSource();
  Value from = hbm(read(array), bufferOf(array, kernel::Space::hbm), loc);
  Value to = vmem(keep.getResult(), bufferOf(keep.getResult(), kernel::Space::vmem), loc);
  kernel::StartLoadOp::create(b, loc, from, row, to);
}

void ProgramBuilder::waitForLoads(Operation *op) {
  if (onTheirWay && firstReaders.contains(op))
    kernel::WaitLoadsOp::create(b, op->getLoc(), std::exchange(onTheirWay, 0));
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
  auto keep = loop.getOperand()[result.getResultNumber()].getDefiningOp<kernel::KeepOp>();
  const int64_t row = keptAt(keep);
  // Buffers in HBM consist of whole groups of eight rows, which VMEM need not keep.
  const int64_t rows = std::min(plan.buffers()[to].rows, int64_t(keep.getRows()));
  kernel::FuncOp store = kernels.buildStore(rows, loc, row);
  auto types = llvm::to_vector(store.getOperandTypes().getAsValueRange<TypeAttr>());
  Value from = kernel::VmemOp::create(b, loc, cast<kernel::BufferType>(types[0]), row);
  setDefined(result, b.getInsertionBlock(),
             call(store, {from, hbm(to, cast<kernel::BufferType>(types[1]), loc)}, {}, loc,
                  reservedRows));
}

void ProgramBuilder::leaveKept(stablehlo::WhileOp loop) {
  SmallVector<kernel::KeepOp> kept = kernel::keptFor(loop);
  if (llvm::any_of(kept, kernel::isLoadedAhead)) {
    // Those that the last trip has started.
    if (onTheirWay)
      kernel::WaitLoadsOp::create(b, loop.getLoc(), std::exchange(onTheirWay, 0));
    firstReaders.clear();
    lastReaders.clear();
    loading = 0;
  }
  for (OpResult result : loop->getResults())
    if (loop.getOperand()[result.getResultNumber()].getDefiningOp<kernel::KeepOp>())
      storeKept(result);
}

Value ProgramBuilder::vmem(Value value, kernel::BufferType type, Location loc) {
  return kernel::VmemOp::create(b, loc, type, keptAt(value));
}

kernel::CallOp ProgramBuilder::call(kernel::FuncOp func, ValueRange operands, ValueRange words,
                                    Location loc, int64_t reserved) {
  func.setReserved(std::max<int64_t>(func.getReserved(), reserved));
  const int64_t copies = loading + int64_t(offloads.size() + fetches.size() + staged.size());
  func.setLoading(std::max<int64_t>(func.getLoading(), copies));
  std::string line = sourceLine(loc);
  return kernel::CallOp::create(b, loc, func.getSymName(), operands, words,
                                line.empty() ? StringAttr() : b.getStringAttr(line),
                                b.getI64IntegerAttr(time));
}

} // namespace systole
