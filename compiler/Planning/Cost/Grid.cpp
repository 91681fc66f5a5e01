// The cost of a kernel's grid: a few of its steps are followed, as codegen orders copies, waits and
// stages in them (compiler/Codegen/KernelGrid.cpp), and stand for all others.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/Grid.h"

#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/SyncFlags.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;

namespace systole {

namespace {

// Instructions that codegen emits for the copies of a grid.
constexpr double kCallBundles = 4;     ///< arguments, call, and the first constants
constexpr double kStepScalars = 8;     ///< index, its parity, what it is compared with
constexpr double kAxisScalars = 6;     ///< of each further index: quotient and remainder
constexpr double kStartBundles = 3;    ///< conditions around a copy
constexpr double kClippedScalars = 4;  ///< how many runs the array still has
constexpr double kRepeatedBundles = 5; ///< a loop's iteration around a copy
constexpr double kWaitBundles = 2;     ///< one for each half
constexpr double kDiffersScalars = 10; ///< whether the next step has another block

/// Steps of an axis that are followed: the first ones and the last. Two stand for those in the
/// middle, since steps may alternate: two blocks of an operand are under way at once. Behind them
/// is one more, so that neither prefetches the last block.
SmallVector<std::pair<int64_t, double>> followed(int64_t extent, int64_t most) {
  SmallVector<std::pair<int64_t, double>> steps;
  for (int64_t i = 0; i < std::min(extent, most - 1); ++i)
    steps.emplace_back(i, 1);
  if (extent >= most) {
    for (size_t number : {steps.size() - 3, steps.size() - 2})
      steps[number].second += double(extent - most) / 2;
    steps.emplace_back(extent - 1, 1);
  }
  return steps;
}

class Timeline {
public:
  Timeline(ArrayRef<int64_t> grid, ArrayRef<GridOperand> operands, ArrayRef<double> stages,
           bool copiesInStages, const MachineModel &model)
      : grid(grid), operands(operands), stages(stages), model(model) {
    inDone.assign(operands.size(), {0, 0});
    outDone.assign(operands.size(), {0, 0});
    half.assign(operands.size(), 0);
    arrives.assign(operands.size(), true);
    shareQueue(copiesInStages);
  }

  GridCost once() {
    now = kCallBundles + model.control();
    SmallVector<size_t> pending;
    for (auto [number, operand] : llvm::enumerate(operands))
      if (operand.reads)
        pending.push_back(number);
    llvm::stable_sort(
        pending, [&](size_t a, size_t b) { return operands[a].firstUse < operands[b].firstUse; });
    for (size_t number : pending)
      inDone[number][0] = start(number, 1, 0);
    for (auto [stage, cycles] : llvm::enumerate(stages)) {
      for (size_t number : pending)
        if (operands[number].firstUse <= stage)
          wait(inDone[number][0]);
      now += cycles;
      result.steps += cycles;
      for (auto [number, operand] : llvm::enumerate(operands))
        if (operand.writes && operand.lastUse == stage) {
          for (size_t other : pending)
            wait(inDone[other][0]);
          outDone[number][0] = start(number, 1, 0);
        }
    }
    for (size_t number : pending)
      wait(inDone[number][0]);
    for (const auto &done : outDone)
      wait(done[0]);
    result.cycles = now + 1 + model.control();
    return result;
  }

  GridCost run() {
    now = kCallBundles + model.control();
    for (bool inPieces : {false, true})
      for (auto [number, operand] : llvm::enumerate(operands))
        if (operand.reads && (operand.hasHalves || !operand.axes) &&
            (operand.pieces.count > 1) == inPieces)
          inDone[number][0] = start(number, 1, 0);
    for (auto [number, operand] : llvm::enumerate(operands))
      if (operand.reads && !operand.axes)
        wait(arrivalOf(number, 0));
    double before = now;
    result.cycles = now;
    constexpr int64_t mostInner = 8, mostOuter = 5;
    SmallVector<SmallVector<std::pair<int64_t, double>>> axes;
    for (auto [axis, extent] : llvm::enumerate(grid))
      axes.push_back(followed(extent, axis + 1 == grid.size() ? mostInner : mostOuter));
    SmallVector<size_t> place(grid.size(), 0);
    for (;;) {
      // The next step, and the axes whose indices differ in it.
      SmallVector<size_t> next = place;
      uint32_t changed = 0;
      bool hasNext = false;
      for (size_t axis = grid.size(); axis-- > 0 && !hasNext;) {
        if (axes[axis].size() > 1)
          changed |= 1u << axis;
        hasNext = ++next[axis] < axes[axis].size();
        if (!hasNext)
          next[axis] = 0;
      }
      double weight = 1;
      uint32_t last = 0, nextLast = 0;
      for (auto [axis, number] : llvm::enumerate(place)) {
        weight *= axes[axis][number].second;
        last |= uint32_t(number + 1 == axes[axis].size()) << axis;
        nextLast |= uint32_t(next[axis] + 1 == axes[axis].size()) << axis;
      }
      step(hasNext ? changed : 0, !hasNext, weight, last, nextLast);
      result.cycles += weight * (now - before);
      before = now;
      if (!hasNext)
        break;
      place = next;
    }
    for (auto [number, operand] : llvm::enumerate(operands)) {
      if (operand.writes && !operand.axes)
        outDone[number][0] = start(number, 1, 0);
      wait(outDone[number][0]);
      wait(outDone[number][1]);
    }
    result.cycles += now - before + 1 + model.control();
    return result;
  }

private:
  /// How many copies of each operand's block may be in flight; of some that is none: these are
  /// waited for one by one (`assignFlags` in compiler/Codegen/KernelOperands.cpp).
  void shareQueue(bool copiesInStages) {
    int64_t reserved = copiesInStages ? std::max<int64_t>(1, model.dmaQueueDepth() / 4) : 1;
    int64_t slots = model.dmaQueueDepth() - reserved, blocks = 0, flags = 0;
    auto blocksOf = [](const GridOperand &operand) {
      return (operand.reads + operand.writes) * (operand.hasHalves ? 2 : 1);
    };
    SmallVector<size_t> order;
    for (auto [number, operand] : llvm::enumerate(operands)) {
      order.push_back(number);
      blocks += blocksOf(operand);
    }
    llvm::stable_sort(order, [&](size_t a, size_t b) {
      return operands[a].transfer.dmas < operands[b].transfer.dmas;
    });
    inFlight.assign(operands.size(), 0);
    for (size_t number : order) {
      int64_t own = blocksOf(operands[number]);
      int64_t share = std::max<int64_t>(blocks ? slots / blocks : 0, 1);
      int64_t most = std::min(operands[number].transfer.dmas, share);
      blocks -= own;
      if (own * most > slots || flags + own > kernel::kOperandFlags)
        continue;
      slots -= own * most;
      flags += own;
      inFlight[number] = most;
    }
  }

  void wait(double until) { now = std::max(now, until); }

  /// When a piece of an operand is there.
  double arrivalOf(size_t number, int64_t piece) const {
    const GridOperand &operand = operands[number];
    double whole = model.channel(double(operand.transfer.chunkBytes),
                                 double(operand.transfer.chunks * operand.transfer.dmas));
    double share = double(operand.pieces.count - 1 - piece) / double(operand.pieces.count);
    return inDone[number][0] - whole * share;
  }

  /// Starts the copies of a block and gives the cycle in which they are done.
  double start(size_t number, double weight, uint32_t lastAxes) {
    const BlockTransfer &transfer = operands[number].transfer;
    double chunks = double(transfer.chunks);
    for (auto [axis, share] : llvm::enumerate(operands[number].lastShare))
      if (lastAxes & operands[number].axes & (1u << axis))
        chunks *= share;
    double each = model.channel(double(transfer.chunkBytes), chunks);
    result.channel += weight * each * double(transfer.dmas);
    now += startCycles(model) * double(operands[number].pieces.count);
    if (transfer.isClipped)
      now += model.scalarProduct() + model.scalar(0, kClippedScalars);
    if (!grid.empty())
      now += model.control();
    if (inFlight[number] == 0) {
      for (int64_t i = 0; i < transfer.dmas; ++i)
        wait(use(now, each));
      return now;
    }
    // Copies in a loop, each of which waits until one before it is done.
    SmallVector<double, 32> done;
    int64_t followed = std::min<int64_t>(transfer.dmas, 2 * inFlight[number] + 2);
    double begin = now;
    for (int64_t i = 0; i < followed; ++i) {
      if (i > 0)
        now += kRepeatedBundles + model.dmaIssue();
      if (i >= inFlight[number])
        wait(done[i - inFlight[number]]);
      begin = i == inFlight[number] ? now : begin;
      done.push_back(use(now, each));
    }
    if (transfer.dmas > followed) {
      double apart = (now - begin) / double(followed - 1 - inFlight[number]);
      double more = std::max(apart, each) * double(transfer.dmas - followed);
      now += more;
      free += more;
      return done.back() + more;
    }
    return done.back();
  }

  double use(double from, double cycles) {
    free = std::max(from + model.dmaLatency(), free) + cycles;
    return free;
  }

  void step(uint32_t changed, bool isLast, double weight, uint32_t last, uint32_t nextLast) {
    uint32_t innermost = 0;
    for (size_t axis = grid.size(); axis-- > 0 && !innermost;)
      if (grid[axis] > 1)
        innermost = 1u << axis;
    now += model.scalar(kStepScalars + kAxisScalars * double(grid.size() - 1), kStepScalars / 2);
    auto changes = [&](const GridOperand &operand) { return (operand.axes & changed) != 0; };
    for (auto [number, operand] : llvm::enumerate(operands)) {
      if (!operand.axes)
        continue;
      if (!(operand.axes & innermost))
        now += model.scalar(kDiffersScalars, 0);
      if (operand.reads && operand.hasHalves) {
        now += 1;
        if (changes(operand))
          inDone[number][half[number] ^ 1] = start(number, weight, nextLast);
      }
    }
    for (auto [number, operand] : llvm::enumerate(operands)) {
      if (!operand.axes)
        continue;
      if (operand.reads && operand.hasHalves) {
        now += kWaitBundles;
        wait(inDone[number][half[number]]);
      } else if (operand.reads && arrives[number]) {
        wait(start(number, weight, last));
      }
      if (operand.writes) {
        now += kWaitBundles;
        wait(outDone[number][half[number]]);
      }
    }
    for (auto [stage, cycles] : llvm::enumerate(stages)) {
      result.steps += weight * cycles;
      const GridOperand *divided = llvm::find_if(operands, [&](const GridOperand &operand) {
        return isFirst && operand.pieces.count > 1 && operand.firstUse == stage;
      });
      if (divided == operands.end())
        now += cycles;
      else
        for (int64_t piece = 0; piece < divided->pieces.count; ++piece) {
          wait(arrivalOf(divided - operands.begin(), piece));
          now += divided->pieces.cycles;
        }
    }
    isFirst = false;
    for (auto [number, operand] : llvm::enumerate(operands)) {
      if (!operand.axes)
        continue;
      bool leaves = changes(operand) || isLast;
      if (operand.writes) {
        now += 1;
        if (leaves)
          outDone[number][half[number]] = start(number, weight, last);
        if (!operand.hasHalves)
          wait(outDone[number][half[number]]);
      }
      arrives[number] = changes(operand);
      if (arrives[number] && operand.hasHalves)
        half[number] ^= 1;
    }
    now += 1;
  }

  ArrayRef<int64_t> grid;
  ArrayRef<GridOperand> operands;
  ArrayRef<double> stages;
  const MachineModel &model;
  double now = 0, free = 0;
  bool isFirst = true; ///< the next step
  SmallVector<std::array<double, 2>> inDone, outDone;
  SmallVector<int> half;
  SmallVector<bool> arrives; ///< by operand: the step has another block than the one before
  SmallVector<int64_t> inFlight;
  GridCost result;
};

} // namespace

double startCycles(const MachineModel &model) {
  return kStartBundles + model.scalarProduct() + model.dmaIssue();
}

GridOperand gridOperandOf(const OperandBlocks &operand, const Blocking &blocking) {
  RankedTensorType type = typeOf(operand.value);
  OpOperand *use = operand.ownUse;
  SmallVector<int64_t> block = blocking.copiedShape(operand);
  // What blocks at an offset have along a cut.
  auto spanOf = [&](const Cut &cut) -> const Span * {
    if (use)
      return cut.offsetBlockOf(*use);
    auto it = cut.map->inputHalos.find(operand.value);
    return it == cut.map->inputHalos.end() ? nullptr : &it->second;
  };
  SmallVector<BlockDim, 4> dims;
  for (auto [extent, size] : llvm::zip_equal(type.getShape(), block))
    dims.push_back({extent, size, false});
  // Blocks that start at an offset may start anywhere along every dimension that is cut.
  bool isWindow =
      llvm::any_of(blocking.cuts, [&](const Cut &cut) { return cut.steps() > 1 && spanOf(cut); });
  if (isWindow)
    for (BlockDim &dim : dims)
      dim.isWindow = dim.block != dim.extent;
  GridOperand result;
  for (auto [axis, cut] : llvm::enumerate(blocking.cuts)) {
    if (cut.steps() <= 1)
      continue;
    const Span *offset = spanOf(cut);
    if (offset)
      dims[offset->dim].isWindow = true;
    std::optional<int64_t> dim = use ? cut.dimOf(*use) : cut.dimOf(operand.value);
    if (offset || dim)
      result.axes |= 1u << axis;
    if (dim && !offset && axis < result.lastShare.size())
      if (int64_t rest = cut.size % cut.blockSize)
        result.lastShare[axis] = double(rest) / double(cut.blockSize);
  }
  result.hasHalves = result.axes && blocking.buffersOf(operand) > 1;
  result.transfer = blockTransferOf(dims, type.getElementType());
  return result;
}

GridCost costOf(ArrayRef<int64_t> grid, ArrayRef<GridOperand> operands, ArrayRef<double> stages,
                bool copiesInStages, const MachineModel &model) {
  bool isOnce = llvm::all_of(grid, [](int64_t extent) { return extent <= 1; });
  Timeline timeline(isOnce ? ArrayRef<int64_t>() : grid, operands, stages, copiesInStages, model);
  return isOnce ? timeline.once() : timeline.run();
}

} // namespace systole
