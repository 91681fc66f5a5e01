// Emits exchanges of blocks between cores.
//
// Each core says to those that send to it that its result may be written, by the flag that has its
// own number among kFirstReadyFlag and following ones, and waits until those that it sends to have
// said so. Pairs of cores pass exchanges in one order, so that no flag counts what is meant for a
// later one. Then come the copies of each phase, whose arrivals are awaited behind them by a flag
// of the phase.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Exchange.h"

#include "dialects/Kernel/SyncFlags.h"

#include "llvm/Support/MathExtras.h"

#include <deque>

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

namespace {

using Numbers = SmallVector<int64_t>; ///< one for each core

class ExchangeEmitter {
public:
  ExchangeEmitter(Emitter &emitter, kernel::CopyToCoresOp op, ExchangeRegions regions,
                  int64_t blockRows)
      : e(emitter), regions(regions), blockRows(blockRows),
        steps(op.getSteps().getAsRange<kernel::StepAttr>()),
        cores(steps.front().getTargets().size()) {}

  void emit();

private:
  /// The scalar that is `values[c]` on core c.
  Value perCore(ArrayRef<int64_t> values);
  void sayReady();
  void waitForTargets();
  void send(size_t number);
  void waitForOldestSend();

  Emitter &e;
  ExchangeRegions regions;
  int64_t blockRows;
  SmallVector<kernel::StepAttr> steps;
  size_t cores;
  Value core;
  struct Send {
    int flag;
    Value isSent; ///< null on all cores
  };
  std::deque<Send> sends; ///< that may be in flight
};

} // namespace

Value ExchangeEmitter::perCore(ArrayRef<int64_t> values) {
  if (llvm::all_equal(values))
    return e.constant(values.front());
  const int64_t step = values[1] - values[0], bits = values[0];
  bool isLine = true, isExclusiveOr = true;
  for (auto [number, value] : llvm::enumerate(values)) {
    isLine &= value == values[0] + step * int64_t(number);
    isExclusiveOr &= value == (int64_t(number) ^ bits);
  }
  if (isLine)
    return e.add(e.mul(core, step), values[0]);
  if (isExclusiveOr)
    return e.bitXor(core, e.constant(bits));
  // Fields of words, of which a core takes its own.
  const int64_t most = *llvm::max_element(values);
  const unsigned width = std::max(1u, llvm::Log2_64(uint64_t(most)) + 1), fields = 32 / width;
  Value result;
  for (size_t first = (values.size() - 1) / fields * fields;; first -= fields) {
    uint32_t word = 0;
    for (size_t i = first; i < std::min<size_t>(first + fields, values.size()); ++i)
      word |= uint32_t(values[i]) << (width * (i - first));
    Value place = e.mul(e.add(core, -int64_t(first)), int64_t(width));
    Value field = e.bitAnd(
        core::SShrOp::create(e.b, e.loc, e.b.getI32Type(), e.constant(int32_t(word)), place),
        e.constant((int64_t(1) << width) - 1));
    result =
        result ? e.select(e.less(core, e.constant(int64_t(first + fields))), field, result) : field;
    if (first == 0)
      return result;
  }
}

void ExchangeEmitter::sayReady() {
  SmallVector<SmallVector<int64_t>> senders(cores);
  for (kernel::StepAttr step : steps)
    for (auto [sender, target] : llvm::enumerate(step.getTargets()))
      if (target >= 0 && target != int64_t(sender) &&
          !llvm::is_contained(senders[size_t(target)], int64_t(sender)))
        senders[size_t(target)].push_back(int64_t(sender));
  size_t most = 0;
  for (const auto &of : senders)
    most = std::max(most, of.size());
  Value flag = e.add(core, kernel::kFirstReadyFlag);
  for (size_t i = 0; i < most; ++i) {
    // A core with fewer senders adds nothing to its own flag.
    Numbers to, amount;
    for (size_t c = 0; c < cores; ++c) {
      const bool has = i < senders[c].size();
      to.push_back(has ? senders[c][i] : int64_t(c));
      amount.push_back(has);
    }
    core::FlagSignalOp::create(e.b, e.loc, perCore(amount), perCore(to), flag);
  }
}

void ExchangeEmitter::waitForTargets() {
  for (size_t target = 0; target < cores; ++target) {
    Numbers amount(cores, 0);
    for (kernel::StepAttr step : steps)
      for (size_t c = 0; c < cores; ++c)
        if (c != target && step.getTargets()[c] == int64_t(target))
          amount[c] = 1;
    if (llvm::any_of(amount, [](int64_t number) { return number > 0; }))
      e.wait(perCore(amount), kernel::kFirstReadyFlag + int(target));
  }
}

void ExchangeEmitter::waitForOldestSend() {
  const Send oldest = sends.front();
  sends.pop_front();
  auto wait = [&] { e.wait(e.constant(1), oldest.flag); };
  oldest.isSent ? e.ifNonZero(oldest.isSent, wait) : wait();
}

void ExchangeEmitter::send(size_t number) {
  kernel::StepAttr step = steps[number];
  // Flags are free again when half of the queue's sends have left.
  const size_t most = size_t(std::clamp(e.machine.dmaQueueDepth / 2, 1, kernel::kOperandFlags));
  while (sends.size() >= most)
    waitForOldestSend();
  Numbers isSent, targets, sources, places;
  for (size_t c = 0; c < cores; ++c) {
    isSent.push_back(step.getTargets()[c] >= 0);
    targets.push_back(isSent.back() ? step.getTargets()[c] : int64_t(c));
    sources.push_back(isSent.back() ? step.getSources()[c] * blockRows : 0);
    places.push_back(isSent.back() ? step.getPlaces()[c] * blockRows : 0);
  }
  const int flag = int(number % size_t(kernel::kOperandFlags));
  auto descriptor = core::DmaAttr::get(e.b.getContext(), core::MemorySpace::hbm,
                                       core::MemorySpace::hbm, blockRows * kLanes, {}, {}, {},
                                       kernel::kFirstArrivalFlag + step.getPhase());
  Value to = perCore(targets), from = perCore(sources), place = perCore(places);
  auto start = [&] {
    core::DmaSendOp::create(e.b, e.loc, place, from, e.constant(regions.target),
                            e.constant(step.getForwards() ? regions.target : regions.source), to,
                            descriptor, e.b.getI32IntegerAttr(flag));
  };
  Value condition;
  if (llvm::is_contained(isSent, 0))
    condition = perCore(isSent);
  condition ? e.ifNonZero(condition, start) : start();
  sends.push_back({flag, condition});
}

void ExchangeEmitter::emit() {
  core = core::SCoreOp::create(e.b, e.loc, e.b.getI32Type());
  sayReady();
  waitForTargets();
  for (size_t first = 0; first < steps.size();) {
    const int64_t phase = steps[first].getPhase();
    Numbers arrivals(cores, 0);
    for (; first < steps.size() && steps[first].getPhase() == phase; ++first) {
      send(first);
      for (int64_t target : steps[first].getTargets())
        if (target >= 0)
          ++arrivals[size_t(target)];
    }
    e.wait(perCore(arrivals), kernel::kFirstArrivalFlag + int(phase));
  }
  while (!sends.empty())
    waitForOldestSend();
}

/// Rows of 512 bytes of a block; 0 if blocks do not lie in whole rows.
static int64_t rowsOfBlock(kernel::CopyToCoresOp op) {
  kernel::BufferType type = op.getSource().getType();
  const int64_t packing = 32 / type.getStorageBits();
  if (op.getSourceBlocks() == 1 && op.getTargetBlocks() == 1)
    return llvm::divideCeil(type.getLogicalRows(), packing);
  const int64_t size = type.getShape()[0] / op.getSourceBlocks();
  if (type.getRank() == 1)
    return size % (packing * kLanes) == 0 ? size / (packing * kLanes) : 0;
  const int64_t rows = type.getPitch(0) * size;
  return rows % packing == 0 ? rows / packing : 0;
}

FailureOr<func::FuncOp> codegen::emitExchange(kernel::CopyToCoresOp op, ExchangeRegions regions,
                                              StringRef name, const Machine &machine) {
  const int64_t rows = rowsOfBlock(op);
  if (rows == 0)
    return op.emitOpError() << "expects blocks of whole rows of 512 bytes, found "
                            << op.getSource().getType();
  OpBuilder builder(op->getParentOfType<func::FuncOp>());
  auto routine = func::FuncOp::create(builder, op.getLoc(), name, builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(routine.addEntryBlock());
  Emitter emitter(builder, op.getLoc(), machine);
  if (!op.getSteps().empty())
    ExchangeEmitter(emitter, op, regions, rows).emit();
  func::ReturnOp::create(builder, op.getLoc());
  return routine;
}
