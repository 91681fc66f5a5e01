// Arrays that VMEM keeps for several kernels, and calls, which leave them alone.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Planning/ScalarArithmetic.h"
#include "compiler/Tensor/CountedLoops.h"
#include "compiler/Tensor/TensorTypes.h"
#include "compiler/Tiling/ProgramBuilder.h"
#include "dialects/Kernel/InPlace.h"
#include "dialects/Kernel/Resident.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole {

void ProgramBuilder::findResident() {
  source.walk([&](Operation *op) {
    if (auto resident = dyn_cast<kernel::ResidentOp>(op)) {
      const kernel::Residency residency = resident.getResidency();
      const int32_t number = addPlacement(resident.getPlacement());
      residents[resident.getResult()] = number;
      if (residency == kernel::Residency::kernels || resident.getPlacement().isLoadedInLoop())
        residents[resident.getSource()] = number;
      reservedRows = std::max(reservedRows, resident.getPlace());
    } else if (auto fusion = dyn_cast<kernel::FusionOp>(op); fusion && fusion.getPrefetched()) {
      for (auto prefetch : fusion.getPrefetched()->getAsRange<kernel::PrefetchAttr>()) {
        prefetches[{op, prefetch.getInput()}] = addPlacement(prefetch.getPlacement());
        // Copies may run between the two kernels.
        reservedRows = std::max(reservedRows, prefetch.getPlacement().getPlace());
      }
    }
  });
}

int32_t ProgramBuilder::addPlacement(kernel::PlacementAttr placement) {
  placements.push_back(placement);
  return int32_t(placements.size()) - 1;
}

int32_t ProgramBuilder::placementOfPrefetched(kernel::FusionOp fusion, int64_t number) {
  auto it = prefetches.find({fusion, number});
  return it == prefetches.end() ? -1 : it->second;
}

void ProgramBuilder::emitResident(kernel::ResidentOp op) {
  switch (op.getResidency()) {
  case kernel::Residency::iteration:
    return startLoad(op, /*isForNext=*/false);
  case kernel::Residency::loop:
  case kernel::Residency::carried:
    break;
  default:
    return; // it is there, or will be
  }
  ++time;
  Location loc = op.getLoc();
  kernel::FuncOp load = kernels.buildLoad(op, op.getPlace());
  auto type = cast<kernel::BufferType>(cast<TypeAttr>(load.getOperandTypes()[0]).getValue());
  CallOperands operands;
  operands.add(hbm(read(op.getSource()), type, loc), residents.at(op.getResult()));
  call(load, operands, loc, reservedRows);
}

void ProgramBuilder::placeResident(stablehlo::WhileOp loop) {
  for (kernel::ResidentOp resident : kernel::residentFor(loop))
    if (resident.getPlacement().isLoadedInLoop())
      addLoad(loop, resident);
  Block &body = loop.getBody().front();
  for (auto [number, init] : llvm::enumerate(loop.getOperand()))
    if (init.getDefiningOp<kernel::ResidentOp>()) {
      const int32_t placement = residents.at(init);
      for (Value value :
           {Value(loop.getCond().getArgument(number)), Value(body.getArgument(number)),
            body.getTerminator()->getOperand(number)})
        residents[value] = placement;
    }
}

void ProgramBuilder::addLoad(stablehlo::WhileOp loop, kernel::ResidentOp resident) {
  ++loading;
  copyFlags.take(resident.getPlacement().getFlag());
  auto [first, last] = kernel::readersOf(resident);
  firstReaders[first].push_back(resident);
  if (resident.getResidency() == kernel::Residency::iteration)
    return;
  lastReaders[last].push_back(resident);
  // For the first iteration.
  auto part = resident.getSource().getDefiningOp<kernel::PartOp>();
  CountedLoop counted = *CountedLoop::of(loop);
  startLoad(resident,
            rowOf(part.getSource(), part.getSizes(), resident.getLoc(), [&](size_t dim) -> Value {
              const int64_t start = counted.indexOf(part.getStarts()[dim])->first;
              return arith::ConstantIntOp::create(b, resident.getLoc(), start, 32);
            }));
}

void ProgramBuilder::startLoads(Operation *op) {
  for (kernel::ResidentOp resident : lastReaders.lookup(op))
    startLoad(resident, /*isForNext=*/true);
}

void ProgramBuilder::startLoad(kernel::ResidentOp resident, bool isForNext) {
  auto part = resident.getSource().getDefiningOp<kernel::PartOp>();
  Location loc = resident.getLoc();
  std::optional<CountedLoop> counted;
  if (isForNext)
    counted = CountedLoop::of(cast<stablehlo::WhileOp>(resident.getLoop()));
  startLoad(resident, rowOf(part.getSource(), part.getSizes(), loc, [&](size_t dim) {
              Value start = part.getStarts()[dim], word = toWord(b, loc, scalar(start, loc));
              if (!counted)
                return word;
              Value step = arith::ConstantIntOp::create(b, loc, counted->indexOf(start)->step, 32);
              return arith::AddIOp::create(b, loc, word, step).getResult();
            }));
}

void ProgramBuilder::startLoad(kernel::ResidentOp resident, Value row) {
  ++time;
  Location loc = resident.getLoc();
  auto bufferOf = [&](Value value, kernel::Space space) {
    RankedTensorType type = typeOf(value);
    return kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                                   space);
  };
  Value array = resident.getSource().getDefiningOp<kernel::PartOp>().getSource();
  Value from = hbm(read(array), bufferOf(array, kernel::Space::hbm), loc);
  Value to = vmem(resident.getResult(), bufferOf(resident.getResult(), kernel::Space::vmem), loc);
  kernel::StartLoadOp::create(b, loc, from, row, to, resident.getPlacement().getFlag());
}

void ProgramBuilder::waitForLoads(Operation *op) {
  auto flags = llvm::map_to_vector(firstReaders.lookup(op), [](kernel::ResidentOp resident) {
    return resident.getPlacement().getFlag();
  });
  if (!flags.empty())
    kernel::WaitOp::create(b, op->getLoc(), flags);
}

void ProgramBuilder::storeResident(OpResult result) {
  if (result.use_empty())
    return;
  ++time;
  Location loc = result.getLoc();
  auto it = stored.find(result);
  Buffer to = it == stored.end() ? newBuffer(result, "value") : it->second;
  buffers[result] = to;
  touch(to);
  auto loop = cast<stablehlo::WhileOp>(result.getOwner());
  auto resident = loop.getOperand()[result.getResultNumber()].getDefiningOp<kernel::ResidentOp>();
  const int32_t placement = residents.at(resident);
  // Buffers in HBM consist of whole groups of eight rows, which VMEM need not keep.
  const int64_t rows = std::min(plan.buffers()[to].rows, int64_t(resident.getRows()));
  kernel::FuncOp store = kernels.buildStore(rows, loc, residentAt(resident));
  auto types = llvm::to_vector(store.getOperandTypes().getAsValueRange<TypeAttr>());
  CallOperands operands;
  operands.add(kernel::VmemOp::create(b, loc, cast<kernel::BufferType>(types[0]), placement),
               placement);
  operands.add(hbm(to, cast<kernel::BufferType>(types[1]), loc));
  setDefined(result, b.getInsertionBlock(), call(store, operands, loc, reservedRows));
}

void ProgramBuilder::leaveResident(stablehlo::WhileOp loop) {
  // Those that the last iteration has started for the next one.
  SmallVector<int32_t> flags;
  for (kernel::ResidentOp resident : kernel::residentFor(loop)) {
    if (!resident.getPlacement().isLoadedInLoop())
      continue;
    const int32_t flag = resident.getPlacement().getFlag();
    if (resident.getResidency() == kernel::Residency::prefetch)
      flags.push_back(flag);
    copyFlags.release(flag);
    --loading;
    auto [first, last] = kernel::readersOf(resident);
    firstReaders.erase(first);
    lastReaders.erase(last);
  }
  if (!flags.empty())
    kernel::WaitOp::create(b, loop.getLoc(), flags);
  for (OpResult result : loop->getResults())
    if (loop.getOperand()[result.getResultNumber()].getDefiningOp<kernel::ResidentOp>())
      storeResident(result);
}

Value ProgramBuilder::vmem(Value value, kernel::BufferType type, Location loc) {
  return kernel::VmemOp::create(b, loc, type, residents.at(value));
}

/// Says which operands of `func` are written over which others.
static void markInPlace(kernel::FuncOp func, ArrayRef<Value> buffers) {
  auto regionOf = [&](size_t number) -> int64_t {
    auto hbm = buffers[number].getDefiningOp<kernel::HbmOp>();
    return hbm ? int64_t(hbm.getRegion()) : -1;
  };
  auto operands = llvm::to_vector(func.getOperands().getAsRange<kernel::OperandAttr>());
  for (size_t out = 0; out < operands.size(); ++out)
    for (size_t in = 0; in < operands.size(); ++in)
      if (operands[out].getRole() == kernel::Role::out &&
          operands[in].getRole() == kernel::Role::in && regionOf(out) >= 0 &&
          regionOf(out) == regionOf(in))
        kernel::addInPlace(func, int32_t(out), int32_t(in));
}

kernel::CallOp ProgramBuilder::call(kernel::FuncOp func, const CallOperands &operands, Location loc,
                                    int64_t reserved) {
  func.setReserved(std::max<int64_t>(func.getReserved(), reserved));
  const int64_t copies = loading + int64_t(offloads.size() + fetches.size() + staged.size());
  func.setLoading(std::max<int64_t>(func.getLoading(), copies));
  markInPlace(func, operands.buffers);
  std::string line = sourceLine(loc);
  const bool hasPlaces =
      llvm::any_of(operands.placements, [](int32_t number) { return number >= 0; });
  return kernel::CallOp::create(
      b, loc, func.getSymName(), operands.buffers, operands.words,
      line.empty() ? StringAttr() : b.getStringAttr(line), b.getI64IntegerAttr(time),
      hasPlaces ? b.getDenseI32ArrayAttr(operands.placements) : DenseI32ArrayAttr());
}

} // namespace systole
