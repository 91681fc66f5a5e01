// Replaces plans of fusions by random legal ones.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Legality.h"
#include "compiler/Planning/Passes.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Planning/StepBytes.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Resident.h"

#include "llvm/Support/MathExtras.h"

#include <random>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_RANDOMIZEPLANS
#include "compiler/Planning/Passes.h.inc"

namespace {

/// Attempts at one plan, most of which are not legal where a kernel has many constraints.
constexpr int kAttempts = 100;
constexpr uint64_t kMostAxes = 3, kMostPieces = 8;

/// Draws plans of one fusion.
class PlanSampler {
public:
  PlanSampler(kernel::FusionOp fusion, const PlanningContext &machine, int64_t mostSteps,
              std::mt19937_64 &random)
      : fusion(fusion), ops(operationsOf(fusion)), axes(ops),
        bytes(ops, axes.groupTensors(), machine.precision),
        vmemBytes(machine.vmemBytes - kernel::residentRowsAt(fusion) * kRowBytes),
        mostSteps(mostSteps), random(random) {}

  /// A legal one, or nothing if none turns up.
  std::optional<Blocking> run() {
    SmallVector<Blocking, 0> chunkings = axes.chunkings();
    if (chunkings.empty())
      return std::nullopt;
    SmallVector<Cut> candidates = axes.parallelCuts();
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Blocking blocking = draw(chunkings[below(chunkings.size())], candidates);
      if (blocking.steps() <= mostSteps && bytes.footprint(blocking) <= vmemBytes &&
          !violationOf(blocking, axes))
        return blocking;
    }
    return std::nullopt;
  }

private:
  /// A number below `end`.
  uint64_t below(uint64_t end) { return random() % end; }

  /// A tile of `cut`, smaller than all of it: a multiple of the finest by a power of two, or any.
  int64_t drawTile(const Cut &cut) {
    int64_t quantum = *axes.quantumOf(cut, /*vectors=*/false);
    int64_t multiples = llvm::divideCeil(cut.size, quantum) - 1;
    if (below(2))
      return quantum * static_cast<int64_t>(1 + below(multiples));
    return quantum << below(llvm::Log2_64(multiples) + 1);
  }

  Blocking draw(const Blocking &chunks, ArrayRef<Cut> candidates) {
    auto order = llvm::to_vector(llvm::seq<unsigned>(0, candidates.size()));
    for (size_t end = order.size(); end > 1; --end)
      std::swap(order[end - 1], order[below(end)]);
    Blocking blocking;
    blocking.residents = residentOperands(fusion);
    uint64_t count = below(std::min<uint64_t>(kMostAxes, order.size()) + 1);
    for (unsigned number : ArrayRef(order).take_front(count)) {
      blocking.cuts.push_back(candidates[number]);
      blocking.cuts.back().blockSize = drawTile(candidates[number]);
    }
    llvm::append_range(blocking.cuts, chunks.cuts);
    for (const OperandBlocks &operand : blockedOperands(fusion, blocking))
      if (blocking.buffersOf(operand) > 1 && below(3) == 0)
        blocking.singleBuffered.push_back(operand);
      else if (int64_t pieces = 1 + static_cast<int64_t>(below(kMostPieces));
               pieces > 1 && canArriveInPieces(operand, pieces, blocking))
        blocking.divided.push_back({operand, pieces});
    return blocking;
  }

  kernel::FusionOp fusion;
  SmallVector<Operation *> ops;
  Axes axes;
  StepBytes bytes;
  int64_t vmemBytes, mostSteps;
  std::mt19937_64 &random;
};

struct RandomizePlans : PlanningPass<impl::RandomizePlansBase<RandomizePlans>> {
  using PlanningPass::PlanningPass;

  void runOnOperation() override {
    std::mt19937_64 random(seed);
    getOperation()->walk([&](kernel::FusionOp fusion) {
      PlanSampler sampler(fusion, planner().machine(), mostSteps, random);
      if (std::optional<Blocking> blocking = sampler.run())
        fusion.setPlanAttr(toAttribute(*blocking, fusion));
    });
  }
};

} // namespace
} // namespace systole
