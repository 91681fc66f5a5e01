// Copies to and from the host in loops, which are on their way while a trip runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Residency/StagedCopies.h"

#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/HostCopyCost.h"
#include "compiler/Tensor/CountedLoops.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

/// The start of a part before it is moved into the array.
static Value unclamped(Value position) {
  while (Operation *op = position.getDefiningOp()) {
    if (!isa<MaxOp, MinOp>(op))
      break;
    if (isa_and_nonnull<ConstantOp>(op->getOperand(1).getDefiningOp()))
      position = op->getOperand(0);
    else if (isa_and_nonnull<ConstantOp>(op->getOperand(0).getDefiningOp()))
      position = op->getOperand(1);
    else
      break;
  }
  return position;
}

/// Whether the position of `fetch` is known a trip ahead, and inside of the array in each trip.
static bool isKnownAhead(kernel::FetchOp fetch, const CountedLoop &loop) {
  Value position = fetch.getPosition();
  std::optional<TripIndex> index = position ? loop.indexOf(unclamped(position)) : std::nullopt;
  if (!index)
    return false;
  const int64_t last = index->first + index->step * (loop.trips() - 1);
  const int64_t most = int64_t(fetch.getPositions()) - shapeOf(fetch.getResult()).front();
  return std::min(index->first, last) >= 0 && std::max(index->first, last) <= most;
}

SmallVector<Operation *> stageableCopies(WhileOp loop, double cycles, const MachineModel &model) {
  std::optional<CountedLoop> counted = CountedLoop::of(loop);
  if (!counted || counted->trips() < 2)
    return {};
  SmallVector<Operation *> offloads, fetches;
  llvm::SmallDenseSet<int64_t> arrays;
  bool canOffload = true, canFetch = true, canStage = true;
  double bytes = 0;
  loop->walk([&](Operation *op) {
    if (kindOf(op) != OpKind::Transfer)
      return;
    auto offload = dyn_cast<kernel::OffloadOp>(op);
    auto fetch = dyn_cast<kernel::FetchOp>(op);
    // Copies of other loops, and of channels, have their own order.
    if ((!offload && !fetch) || op->getBlock() != &counted->body()) {
      canStage = false;
      return;
    }
    Value array = fetch ? Value(fetch.getResult()) : offload.getOperand();
    bytes += double(paddedBytes(typeOf(array)));
    // Two copies of one array keep their order.
    canStage &= arrays.insert(fetch ? fetch.getArray() : offload.getArray()).second;
    if (fetch) {
      fetches.push_back(fetch);
      canFetch &= typeOf(array).getRank() > 0 && isKnownAhead(fetch, *counted);
    } else {
      offloads.push_back(offload);
      canOffload &= typeOf(array).getRank() > 0;
    }
  });
  // Each array is copied once more, within HBM.
  if (!canStage || model.channel(2 * bytes, 1) >= cycles)
    return {};
  const auto most = size_t(mostHostCopies(model));
  SmallVector<Operation *> staged;
  if (canOffload && offloads.size() <= most)
    llvm::append_range(staged, offloads);
  if (canFetch && fetches.size() <= most)
    llvm::append_range(staged, fetches);
  return staged;
}

} // namespace systole
