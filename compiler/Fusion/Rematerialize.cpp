// Computes values anew behind the peak of memory, for programs that do not fit otherwise.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Cancellation.h"
#include "compiler/Fusion/BlockMemory.h"
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Fusion/FusionPairs.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <climits>
#include <map>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_REMATERIALIZE
#include "compiler/Fusion/Passes.h.inc"

namespace {

using stablehlo::OptimizationBarrierOp;

/// An array that is live at the peak, not needed there, and computed anew behind it.
struct Candidate {
  OpResult value;
  SmallVector<kernel::FusionOp> readers; ///< behind the peak, in order
  int64_t bytes = 0;                     ///< fewer at the peak
  double cycles = 0;                     ///< of the kernel that computes it
};

class Rematerializer {
public:
  Rematerializer(Block &block, Planner &planner, int64_t capacity)
      : block(block), planner(planner), capacity(capacity) {}

  /// Until the block fits, or no round lowers its peak.
  void run() {
    int64_t last = INT64_MAX;
    while (!isCancelled(block.getParentOp()->getContext())) {
      BlockMemory memory(block);
      const KernelOrder order = memory.programOrder();
      std::vector<LiveBuffer> buffers = memory.liveBuffers(order);
      const int64_t live = mostLive(buffers), taken = assignOffsets(buffers, capacity);
      if (taken <= capacity || live >= last)
        return;
      last = live;
      // What lies between buffers is too much as well.
      if (!lower(memory, buffers, taken - capacity))
        return;
    }
  }

private:
  static int64_t peakTime(ArrayRef<LiveBuffer> buffers) {
    std::map<int64_t, int64_t> changes;
    for (const LiveBuffer &buffer : buffers) {
      changes[buffer.begin] += buffer.size;
      changes[buffer.end + 1] -= buffer.size;
    }
    int64_t live = 0, most = 0, when = 0;
    for (auto [time, change] : changes)
      if (live += change; live > most) {
        most = live;
        when = time;
      }
    return when;
  }

  /// Takes `excess` bytes from the peak, or as many as there are to be had.
  bool lower(const BlockMemory &memory, ArrayRef<LiveBuffer> buffers, int64_t excess) {
    const int64_t peak = peakTime(buffers);
    const bool isControl = peak >= 0 && peak < int64_t(memory.operations().size()) &&
                           kindOf(memory.operations()[peak]) == OpKind::Control;
    if (isControl)
      for (Region &region : memory.operations()[peak]->getRegions()) {
        const int64_t homes = BlockMemory(region.front()).homeBytes();
        Rematerializer(region.front(), planner, homes + memory.innerBytes(peak) - excess).run();
      }
    std::vector<Candidate> candidates;
    llvm::DenseMap<Value, std::pair<int, int>> lives; // first and last use
    for (const BlockMemory::Array &array : memory.arrays())
      lives[array.value] = {array.producer,
                            array.stays || array.users.empty() ? INT_MAX : int(array.users.back())};
    for (const BlockMemory::Array &array : memory.arrays())
      if (std::optional<Candidate> candidate = candidateFor(memory, array, peak, lives))
        candidates.push_back(*std::move(candidate));
    llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
      return a.cycles * double(b.bytes) < b.cycles * double(a.bytes);
    });
    // One of this round is no operand of another.
    llvm::DenseSet<Value> chosen, needed;
    int64_t saved = 0;
    for (const Candidate &candidate : candidates) {
      if (saved >= excess)
        break;
      auto fusion = cast<kernel::FusionOp>(candidate.value.getOwner());
      if (needed.contains(candidate.value) ||
          llvm::any_of(fusion.getInputs(), [&](Value input) { return chosen.contains(input); }))
        continue;
      chosen.insert(candidate.value);
      needed.insert_range(fusion.getInputs());
      saved += candidate.bytes;
    }
    merged.clear();
    for (const Candidate &candidate : candidates)
      if (chosen.contains(candidate.value))
        replace(candidate);
    return isControl || !chosen.empty();
  }

  std::optional<Candidate> candidateFor(const BlockMemory &memory, const BlockMemory::Array &array,
                                        int64_t peak,
                                        const llvm::DenseMap<Value, std::pair<int, int>> &lives) {
    auto result = dyn_cast<OpResult>(array.value);
    auto fusion = result ? dyn_cast<kernel::FusionOp>(result.getOwner()) : nullptr;
    if (!fusion || array.stays || array.producer >= peak || array.users.back() <= peak ||
        llvm::is_contained(array.users, unsigned(peak)))
      return std::nullopt;
    Candidate candidate{result, {}, array.bytes};
    for (unsigned user : array.users)
      if (user > peak) {
        auto reader = dyn_cast<kernel::FusionOp>(memory.operations()[user]);
        if (!reader)
          return std::nullopt;
        candidate.readers.push_back(reader);
      }
    // Other names and updates of an array have it as it is; a barrier is not crossed.
    const unsigned place = numberOf(memory, candidate.readers.front());
    for (OpOperand &use : result.getUses())
      if (!isa<kernel::FusionOp>(use.getOwner()) || isUpdated(use))
        return std::nullopt;
    for (unsigned number = unsigned(array.producer) + 1; number < place; ++number)
      if (isa<OptimizationBarrierOp>(memory.operations()[number]))
        return std::nullopt;
    kernel::FusionOp copy = copyFor(candidate);
    std::optional<Plan> plan = copy ? planOf(copy, planner) : std::nullopt;
    bool isPossible = plan.has_value();
    for (Value input : copy ? ValueRange(copy.getInputs()) : ValueRange()) {
      Value root = input;
      while (Value source = aliasedBy(root))
        root = source;
      auto it = lives.find(root);
      auto argument = dyn_cast<BlockArgument>(root);
      // What loops carry is replaced, and so are donated arguments.
      isPossible &= (it != lives.end() || root.getParentBlock() != &block) &&
                    !(argument && argument.getOwner() == &block && it->second.second != INT_MAX) &&
                    llvm::none_of(root.getUses(), [](OpOperand &use) { return isUpdated(use); });
      if (it != lives.end() && it->second.second < int(place))
        candidate.bytes -= paddedBytes(cast<RankedTensorType>(root.getType()));
    }
    if (copy)
      copy.erase();
    if (!isPossible || candidate.bytes <= 0)
      return std::nullopt;
    candidate.cycles = plan->cycles;
    return candidate;
  }

  static unsigned numberOf(const BlockMemory &memory, Operation *op) {
    return unsigned(llvm::find(memory.operations(), op) - memory.operations().begin());
  }

  /// A fusion of the candidate alone, before its first reader. Null if it is an operand.
  kernel::FusionOp copyFor(const Candidate &candidate) {
    auto fusion = cast<kernel::FusionOp>(candidate.value.getOwner());
    Value inner =
        fusion.getBody().front().getTerminator()->getOperand(candidate.value.getResultNumber());
    if (!inner.getDefiningOp())
      return nullptr;
    FusionDraft draft(current(candidate.readers.front()));
    IRMapping names;
    draft.append(fusion, names);
    return draft.finish(fusion.getLoc(), fusion.getKind(), {names.lookup(inner)});
  }

  void replace(const Candidate &candidate) {
    kernel::FusionOp copy = copyFor(candidate);
    for (kernel::FusionOp reader : candidate.readers)
      for (OpOperand &operand : current(reader)->getOpOperands())
        if (operand.get() == candidate.value)
          operand.set(copy.getResult(0));
    planner.planFusion(copy);
    if (candidate.readers.size() == 1)
      merge(copy, candidate.readers.front());
  }

  /// Computes `copy` within the kernel of its reader if that takes less time.
  void merge(kernel::FusionOp copy, kernel::FusionOp old) {
    FusionPairs pairs(block, planner);
    kernel::FusionOp reader = current(old);
    if (pairs.obstacleOf(copy, reader) != Obstacle::None)
      return;
    FusionPair pair = pairs.merge(copy, reader);
    if (!pair.pays())
      return pairs.discard(pair);
    for (auto [was, is] : llvm::zip_equal(pair.replaced, pair.merged.getResults()))
      was.replaceAllUsesWith(is);
    for (kernel::FusionOp fusion : {reader, copy})
      fusion.erase();
    planner.planFusion(pair.merged);
    merged[old] = pair.merged;
  }

  kernel::FusionOp current(kernel::FusionOp reader) const {
    auto it = merged.find(reader);
    return it == merged.end() ? reader : it->second;
  }

  Block &block;
  Planner &planner;
  int64_t capacity;
  /// The kernels that readers of this round have become.
  llvm::DenseMap<Operation *, kernel::FusionOp> merged;
};

struct Rematerialize : PlanningPass<impl::RematerializeBase<Rematerialize>> {
  using PlanningPass::PlanningPass;
  Rematerialize(std::shared_ptr<Planner> planner, int64_t rows) : PlanningPass(std::move(planner)) {
    hbmRows = rows;
  }

  void rewrite() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    forEachFunction(getOperation(), [&](func::FuncOp function) {
      Rematerializer(function.getBody().front(), planner(), roomInHbm(function, hbmRows)).run();
    });
  }
};

} // namespace

std::unique_ptr<Pass> createRematerialize(std::shared_ptr<Planner> planner, int64_t hbmRows) {
  return std::make_unique<Rematerialize>(std::move(planner), hbmRows);
}

} // namespace systole
