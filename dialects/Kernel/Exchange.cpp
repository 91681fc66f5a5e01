// Exchanges of arrays between cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/SyncFlags.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace systole::kernel {

LogicalResult StepAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t phase, bool,
                               ArrayRef<int64_t> sources, ArrayRef<int64_t> targets,
                               ArrayRef<int64_t> places) {
  const size_t cores = targets.size();
  if (phase < 0 || phase >= kArrivalFlags)
    return emitError() << "expects a phase of 0 to " << kArrivalFlags - 1 << ", found " << phase;
  if (cores == 0 || cores > size_t(kReadyFlags) || sources.size() != cores ||
      places.size() != cores)
    return emitError() << "expects a source, target and place for each of 1 to " << kReadyFlags
                       << " cores, found " << sources.size() << ", " << cores << " and "
                       << places.size();
  for (int64_t target : targets)
    if (target < -1 || target >= int64_t(cores))
      return emitError() << "names core " << target << " of " << cores;
  return success();
}

/// Executes the steps for all cores, with `sources` blocks of operands and `targets` of results.
static LogicalResult verifySteps(Operation *op, ArrayAttr steps, int64_t sources, int64_t targets) {
  if (steps.empty())
    return success();
  const size_t cores = cast<StepAttr>(steps[0]).getTargets().size();
  // By core and block of the result the phase in which it arrives, or -1.
  std::vector<std::vector<int64_t>> arrival(cores, std::vector<int64_t>(size_t(targets), -1));
  for (auto [number, step] : llvm::enumerate(steps.getAsRange<StepAttr>())) {
    auto emitError = [&, number = number] {
      return op->emitOpError() << "step " << number << ": ";
    };
    if (step.getTargets().size() != cores)
      return emitError() << "has " << step.getTargets().size() << " cores, and step 0 has "
                         << cores;
    for (size_t core = 0; core < cores; ++core) {
      const int64_t target = step.getTargets()[core], source = step.getSources()[core],
                    place = step.getPlaces()[core];
      if (target < 0)
        continue;
      if (source < 0 || source >= (step.getForwards() ? targets : sources))
        return emitError() << "core " << core << " copies block " << source << ", which it has not";
      if (step.getForwards()) {
        const int64_t there = arrival[core][size_t(source)];
        if (there < 0 || there >= step.getPhase())
          return emitError() << "core " << core << " forwards block " << source
                             << ", which does not arrive in an earlier phase";
      }
      if (place < 0 || place >= targets)
        return emitError() << "core " << core << " writes block " << place << " of " << targets;
      int64_t &there = arrival[size_t(target)][size_t(place)];
      if (there >= 0)
        return emitError() << "writes block " << place << " of core " << target
                           << ", which another step writes";
      there = step.getPhase();
    }
  }
  // Steps are in the order of their phases, so that what is forwarded has been seen.
  if (!llvm::is_sorted(steps.getAsRange<StepAttr>(),
                       [](StepAttr a, StepAttr b) { return a.getPhase() < b.getPhase(); }))
    return op->emitOpError() << "expects steps in the order of their phases";
  return success();
}

/// Checks that the shapes are so many blocks of one shape.
static LogicalResult verifyBlocks(Operation *op, ArrayRef<int64_t> from, int64_t sources,
                                  ArrayRef<int64_t> to, int64_t targets) {
  if (sources < 1 || targets < 1 || from.empty() || to.empty() || from[0] % sources != 0 ||
      to[0] % targets != 0 || from[0] / sources != to[0] / targets ||
      from.drop_front() != to.drop_front())
    return op->emitOpError() << "expects " << sources << " and " << targets
                             << " blocks of one shape, found shapes [" << from << "] and [" << to
                             << "]";
  return success();
}

LogicalResult ExchangeOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType()),
       to = cast<RankedTensorType>(getResult().getType());
  if (!from.hasStaticShape() || !to.hasStaticShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError() << "expects tensors of one element type and static shapes, found " << from
                         << " and " << to;
  const int64_t sources = getSourceBlocks(), targets = getTargetBlocks();
  if (failed(verifyBlocks(*this, from.getShape(), sources, to.getShape(), targets)))
    return failure();
  return verifySteps(*this, getSteps(), sources, targets);
}

LogicalResult CopyToCoresOp::verify() {
  BufferType from = getSource().getType(), to = getTarget().getType();
  if (from.getSpace() != Space::hbm || to.getSpace() != Space::hbm ||
      from.getElementType() != to.getElementType())
    return emitOpError() << "expects buffers in hbm of one element type, found " << from << " and "
                         << to;
  const int64_t sources = getSourceBlocks(), targets = getTargetBlocks();
  if (failed(verifyBlocks(*this, from.getShape(), sources, to.getShape(), targets)))
    return failure();
  return verifySteps(*this, getSteps(), sources, targets);
}

} // namespace systole::kernel
