// Begins copies from the host so early that kernels run while they are on their way.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/BlockMemory.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/HostCopyCost.h"
#include "compiler/Residency/Residency.h"
#include "compiler/Residency/StagedCopies.h"
#include "compiler/Tensor/CountedLoops.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole {
namespace {

std::optional<double> cyclesOf(Block &block);

/// The cycles of an operation that are known; nothing if it may take any time.
std::optional<double> cyclesOf(Operation *op) {
  if (auto fusion = dyn_cast<kernel::FusionOp>(op))
    return fusion.getPlan() ? double(fusion.getPlan()->getEstimate()) : 0;
  auto loop = dyn_cast<stablehlo::WhileOp>(op);
  if (!loop)
    return kindOf(op) == OpKind::Control ? std::nullopt : std::optional(0.0);
  std::optional<CountedLoop> counted = CountedLoop::of(loop);
  if (!counted)
    return std::nullopt;
  std::optional<double> trip = cyclesOf(counted->body());
  return trip ? std::optional(*trip * double(counted->trips())) : std::nullopt;
}

std::optional<double> cyclesOf(Block &block) {
  double cycles = 0;
  for (Operation &op : block.without_terminator()) {
    std::optional<double> each = cyclesOf(&op);
    if (!each)
      return std::nullopt;
    cycles += *each;
  }
  return cycles;
}

class BlockFetches {
public:
  BlockFetches(Block &block, const MachineModel &model) : block(block), model(model) {}

  void run() {
    sink();
    Operation *lastReader = nullptr;
    SmallVector<kernel::FetchOp> fetches(block.getOps<kernel::FetchOp>());
    for (size_t i = 0; i < fetches.size();) {
      // Those that stand together, with other names of what they bring, are on their way together.
      SmallVector<kernel::FetchOp> group{fetches[i++]};
      Operation *reader = behindNames(group.back());
      for (; i < fetches.size() && reader == fetches[i]; reader = behindNames(group.back()))
        group.push_back(fetches[i++]);
      if (!group.front()->hasAttr(kernel::kStagedAttr))
        start(group, lastReader);
      lastReader = reader;
    }
  }

private:
  /// Moves copies, and other names of what they bring, to where it is read first.
  void sink() {
    SmallVector<Operation *> moved;
    for (Operation &op : block)
      if (isa<kernel::FetchOp>(op) ||
          (isa<kernel::ReinterpretOp>(op) && isFetched(op.getOperand(0))))
        moved.push_back(&op);
    for (Operation *op : llvm::reverse(moved)) {
      Operation *next = op->getNextNode();
      while (next != block.getTerminator() && !uses(next, op) && !replaces(next, op))
        next = next->getNextNode();
      op->moveBefore(next);
    }
  }

  /// The next operation that is no other name of what a copy brings.
  static Operation *behindNames(Operation *op) {
    do
      op = op->getNextNode();
    while (isa<kernel::ReinterpretOp>(op) && isFetched(op->getOperand(0)));
    return op;
  }

  static bool isFetched(Value value) {
    Operation *producer = value.getDefiningOp();
    return isa_and_nonnull<kernel::FetchOp>(producer) ||
           (isa_and_nonnull<kernel::ReinterpretOp>(producer) && isFetched(producer->getOperand(0)));
  }

  static bool uses(Operation *user, Operation *producer) {
    return llvm::any_of(producer->getUsers(), [&](Operation *op) { return user->isAncestor(op); });
  }

  /// Whether `op` writes the array of the host that `fetch` reads.
  static bool replaces(Operation *op, Operation *fetch) {
    auto from = dyn_cast<kernel::FetchOp>(fetch);
    return from && op->walk([&](kernel::OffloadOp offload) {
                       return offload.getArray() == from.getArray() ? WalkResult::interrupt()
                                                                    : WalkResult::advance();
                     }).wasInterrupted();
  }

  double bytesOf(ArrayRef<kernel::FetchOp> fetches) const {
    double bytes = 0;
    for (kernel::FetchOp fetch : fetches)
      bytes += double(paddedBytes(typeOf(fetch.getResult())));
    return bytes;
  }

  /// How early `fetches` should begin: as long before they are read as they take, but not before
  /// what they read has had the time to arrive at the host.
  double wantedCycles(ArrayRef<kernel::FetchOp> fetches) const {
    const double wanted = model.hostCopy(bytesOf(fetches));
    double cycles = 0;
    for (Operation *op = fetches.front()->getPrevNode(); op && cycles < 2 * wanted;
         op = op->getPrevNode()) {
      if (isa<kernel::OffloadOp>(op) &&
          llvm::any_of(fetches, [&](kernel::FetchOp fetch) { return replaces(op, fetch); }))
        return std::clamp(cycles - wanted, 0.0, wanted);
      std::optional<double> each = cyclesOf(op);
      if (!each)
        break;
      cycles += *each;
    }
    return wanted;
  }

  /// Moves `fetches` up until what runs meanwhile takes as long, but not above `lastReader`, which
  /// reads what was fetched before, or what they need.
  void start(ArrayRef<kernel::FetchOp> fetches, Operation *lastReader) {
    const double wanted = wantedCycles(fetches);
    auto isNeeded = [&](Operation *op) {
      return isa<kernel::FetchOp>(op) || llvm::any_of(fetches, [&](kernel::FetchOp fetch) {
               return (fetch.getPosition() && fetch.getPosition().getDefiningOp() == op) ||
                      replaces(op, fetch);
             });
    };
    Operation *place = fetches.front();
    double cycles = 0;
    for (Operation *op = place->getPrevNode(); op && cycles < wanted && !isNeeded(op);
         op = op->getPrevNode()) {
      std::optional<double> each = cyclesOf(op);
      if (!each)
        break;
      cycles += *each;
      place = op;
      if (op == lastReader)
        break;
    }
    for (kernel::FetchOp fetch : fetches)
      if (fetch != place)
        fetch->moveBefore(place);
  }

  Block &block;
  const MachineModel &model;
};

std::vector<Operation *> operationsOf(Block &block) {
  std::vector<Operation *> operations;
  for (Operation &op : block.without_terminator())
    operations.push_back(&op);
  return operations;
}

int64_t peakOf(Block &block) {
  BlockMemory memory(block);
  return memory.peakBytes(memory.programOrder());
}

void visit(Block &block, const MachineModel &model) {
  for (Operation &op : block)
    if (kindOf(&op) == OpKind::Control)
      for (Region &region : op.getRegions())
        visit(region.front(), model);
  BlockFetches(block, model).run();
}

} // namespace

void startFetches(ModuleOp module, int64_t hbmRows, const MachineModel &model) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function || !kernel::hostArraysOf(module))
    return;
  Block &body = function.getBody().front();
  const std::vector<Operation *> before = operationsOf(body);
  const int64_t room = roomInHbm(function, hbmRows);
  const bool fits = peakOf(body) <= room;
  SmallVector<Operation *> staged;
  function.walk([&](stablehlo::WhileOp loop) {
    if (std::optional<double> cycles = cyclesOf(loop.getBody().front()))
      llvm::append_range(staged, stageableCopies(loop, *cycles, model));
  });
  int64_t bytes = 0;
  for (Operation *copy : staged)
    bytes += paddedBytes(
        typeOf(copy->getNumResults() ? Value(copy->getResult(0)) : copy->getOperand(0)));
  if (peakOf(body) + bytes <= room)
    for (Operation *copy : staged)
      copy->setAttr(kernel::kStagedAttr, UnitAttr::get(module.getContext()));
  visit(body, model);
  // Copies in flight take memory, too.
  if (fits && peakOf(body) + bytes > room)
    for (Operation *op : before)
      op->moveBefore(body.getTerminator());
}

} // namespace systole
