// Computes cheap values again where they are read, instead of moving them through HBM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorLevel.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Planning/Windows.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_RECOMPUTE
#include "compiler/Fusion/Passes.h.inc"

namespace {

int64_t bytesOf(Value value) { return paddedBytes(cast<RankedTensorType>(value.getType())); }

/// How a result of a fusion follows from others: operations of its body, in order, and what
/// they read.
struct Recipe {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> inputs;

  /// `value` is computed from arguments, other results, and what is no elementwise work on
  /// arrays of its shape.
  Recipe(Value value, ValueRange results) : results(results) {
    shape = cast<RankedTensorType>(value.getType()).getShape();
    add(value.getDefiningOp());
  }

private:
  void add(Operation *op) {
    if (ops.contains(op))
      return;
    for (Value operand : op->getOperands())
      visit(operand);
    ops.insert(op);
  }

  void visit(Value value) {
    Operation *op = value.getDefiningOp();
    bool isWork = op && kindOf(op) == OpKind::Elementwise &&
                  cast<RankedTensorType>(value.getType()).getShape() == shape &&
                  !llvm::is_contained(results, value);
    if (isRematerializable(op) || isWork)
      return add(op);
    inputs.insert(value);
  }

  ValueRange results;
  ArrayRef<int64_t> shape;
};

/// The readers of one value in a block.
using Readers = llvm::SetVector<kernel::FusionOp>;

class Recomputer {
public:
  Recomputer(Block &block, Planner &planner) : block(block), planner(planner) {}

  void run() {
    SmallVector<kernel::FusionOp> fusions(block.getOps<kernel::FusionOp>());
    // Those which are replaced come later, under other names.
    for (size_t i = 0; i < fusions.size(); ++i) {
      kernel::FusionOp fusion = current(fusions[i]);
      for (unsigned number = fusion ? fusion.getNumResults() : 0; fusion && number-- > 0;)
        if (number < fusion.getNumResults() && visit(fusion->getResult(number)))
          fusion = current(fusions[i]);
    }
  }

private:
  kernel::FusionOp current(kernel::FusionOp fusion) const {
    while (fusion && replaced.contains(fusion))
      fusion = replaced.lookup(fusion);
    return fusion;
  }

  std::optional<Plan> plan(kernel::FusionOp fusion) {
    auto [it, isNew] = plans.try_emplace(fusion);
    if (isNew)
      it->second = planOf(fusion, planner);
    return it->second;
  }

  /// Whether the operations that read `operand` in its fusion may compute it themselves: it goes to
  /// elementwise work, reductions and windows of convolutions alone.
  static bool canCompute(OpOperand &operand) {
    auto reader = cast<kernel::FusionOp>(operand.getOwner());
    Value argument = reader.getBody().getArgument(operand.getOperandNumber());
    for (unsigned number = 0; number < reader.getNumResults(); ++number)
      if (updatedInput(reader, number))
        return false;
    return llvm::all_of(argument.getUses(), [](OpOperand &use) {
      OpKind kind = kindOf(use.getOwner());
      return (kind == OpKind::Elementwise || kind == OpKind::Reduce ||
              kind == OpKind::Convolution) &&
             !isWindowed(use);
    });
  }

  /// Whether `value` may be read by `reader` too: what loops carry and updates replace is
  /// overwritten by the first kernel after its last reader.
  bool mayRead(kernel::FusionOp reader, Value value) const {
    if (llvm::is_contained(reader.getInputs(), value))
      return true;
    while (Value source = aliasedBy(value))
      value = source;
    bool isCarried = isa<BlockArgument>(value) && value.getParentBlock() == &block &&
                     !isa<func::FuncOp>(block.getParentOp());
    bool isReadLater = false;
    for (OpOperand &use : value.getUses()) {
      if ((isAlias(use.getOwner()) && isCarried) || isUpdated(use))
        return false;
      Operation *inBlock = block.findAncestorOpInBlock(*use.getOwner());
      isReadLater |= inBlock && reader->isBeforeInBlock(inBlock) &&
                     !inBlock->hasTrait<OpTrait::IsTerminator>();
    }
    return !isCarried || isReadLater;
  }

  /// Tries to do without `result`; whether its fusion has been replaced.
  bool visit(OpResult result) {
    auto fusion = cast<kernel::FusionOp>(result.getOwner());
    Operation *terminator = fusion.getBody().front().getTerminator();
    Value inner = terminator->getOperand(result.getResultNumber());
    Operation *op = inner.getDefiningOp();
    if (!op || kindOf(op) != OpKind::Elementwise || isUpdatedInHbm(inner))
      return false;
    Recipe recipe(inner, terminator->getOperands());
    Readers all, some;
    bool canDrop = true;
    for (OpOperand &use : result.getUses()) {
      auto reader = dyn_cast<kernel::FusionOp>(use.getOwner());
      bool can = reader && reader->getBlock() == &block && canCompute(use) && plan(reader);
      canDrop &= can;
      if (can)
        all.insert(reader);
    }
    if (all.empty() || !plan(fusion))
      return false;

    // What it saves, at first sight.
    auto outer = [&](Value input) -> Value {
      if (auto argument = dyn_cast<BlockArgument>(input))
        return fusion.getInputs()[argument.getArgNumber()];
      auto values = terminator->getOperands();
      auto it = llvm::find(values, input);
      return it == values.end() ? Value() : fusion.getResult(it - values.begin());
    };
    int64_t dropped = bytesOf(result);
    for (Value input : recipe.inputs) {
      if (!outer(input))
        dropped -= bytesOf(input);
      bool isOnlyFor = isa<BlockArgument>(input) &&
                       llvm::all_of(input.getUsers(),
                                    [&](Operation *user) { return recipe.ops.contains(user); });
      if (isOnlyFor)
        dropped += bytesOf(input);
    }
    for (kernel::FusionOp reader : all) {
      int64_t saved = bytesOf(result);
      bool isMade = true;
      for (Value input : recipe.inputs) {
        Value value = outer(input);
        isMade &= value != nullptr;
        if (value && !mayRead(reader, value)) {
          saved = INT64_MIN / 2;
          canDrop = false;
          break;
        }
        if (!value || !llvm::is_contained(reader.getInputs(), value))
          saved -= bytesOf(input);
      }
      dropped += std::max(saved, INT64_MIN / 4);
      if (isMade && saved > 0)
        some.insert(reader);
    }
    if (canDrop && dropped >= 0 && replace(result, recipe, all, /*drop=*/true))
      return true;
    return !some.empty() && replace(result, recipe, some, /*drop=*/false);
  }

  /// Replaces `readers` by fusions that follow the recipe, and its fusion by one without it if
  /// it is dropped; not if that costs as much.
  bool replace(OpResult result, const Recipe &recipe, const Readers &readers, bool drop) {
    auto fusion = cast<kernel::FusionOp>(result.getOwner());
    Operation *terminator = fusion.getBody().front().getTerminator();
    double before = 0, after = 0;
    SmallVector<std::pair<kernel::FusionOp, kernel::FusionOp>> changes;
    bool fits = true;
    auto change = [&](kernel::FusionOp from, kernel::FusionOp to) {
      changes.emplace_back(from, to);
      Plan was = *plan(from);
      std::optional<Plan> is = to ? planOf(to, planner) : Plan();
      fits &= is.has_value();
      before += was.cycles;
      after += is ? is->cycles : 0;
    };

    // Where the results of the old fusion are in the new one.
    SmallVector<Value> results(terminator->getOperands());
    kernel::FusionOp producer = fusion;
    if (drop) {
      results.erase(results.begin() + result.getResultNumber());
      for (Value input : recipe.inputs)
        if (!isa<BlockArgument>(input) && !llvm::is_contained(results, input))
          results.push_back(input);
      producer = nullptr;
      if (!results.empty()) {
        FusionDraft draft(fusion);
        IRMapping names;
        draft.append(fusion, names);
        producer = draft.finish(
            fusion.getLoc(), fusion.getKind(),
            llvm::map_to_vector(results, [&](Value value) { return names.lookup(value); }));
      }
      change(fusion, producer);
    }
    for (kernel::FusionOp reader : readers) {
      FusionDraft draft(reader);
      IRMapping recomputed, names;
      for (Value input : recipe.inputs) {
        auto argument = dyn_cast<BlockArgument>(input);
        Value outer = argument ? fusion.getInputs()[argument.getArgNumber()]
                               : producer.getResult(llvm::find(results, input) - results.begin());
        recomputed.map(input, draft.input(outer));
      }
      for (Operation *op : recipe.ops)
        draft.append(op, recomputed);
      Value inner = recomputed.lookup(terminator->getOperand(result.getResultNumber()));
      for (auto [argument, outer] :
           llvm::zip_equal(reader.getBody().getArguments(), reader.getInputs()))
        if (outer == result)
          names.map(argument, inner);
      draft.append(reader, names);
      auto values = llvm::map_to_vector(reader.getBody().front().getTerminator()->getOperands(),
                                        [&](Value value) { return names.lookup(value); });
      StringRef kind = reader.getKind() == "copy" ? "loop" : reader.getKind();
      change(reader, draft.finish(reader.getLoc(), kind, values));
    }

    if (!fits || after > before) {
      for (auto [from, to] : llvm::reverse(changes))
        if (to)
          to.erase();
      return false;
    }
    // Readers first: they use results of the fusion.
    for (auto [from, to] : llvm::reverse(changes)) {
      if (from == fusion) {
        Operation *last = from.getBody().front().getTerminator();
        for (auto [value, old] : llvm::zip_equal(last->getOperands(), from.getResults()))
          if (old != result)
            old.replaceAllUsesWith(to.getResult(llvm::find(results, value) - results.begin()));
      } else {
        from.replaceAllUsesWith(to.getResults());
      }
      plans.erase(from);
      replaced[from] = to;
      if (to)
        planner.planFusion(to);
      dead.push_back(from);
      from->remove();
      from->dropAllReferences();
    }
    return true;
  }

public:
  ~Recomputer() {
    for (kernel::FusionOp fusion : dead)
      fusion->destroy();
  }

private:
  Block &block;
  Planner &planner;
  llvm::DenseMap<Operation *, std::optional<Plan>> plans;
  /// What stands for a fusion now, null for nothing. The old ones live on until the end, so that
  /// their addresses are theirs.
  llvm::DenseMap<Operation *, kernel::FusionOp> replaced;
  SmallVector<kernel::FusionOp> dead;
};

struct Recompute : PlanningPass<impl::RecomputeBase<Recompute>> {
  using PlanningPass::PlanningPass;

  void runOnOperation() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    for (Block *block : blocksOfFusions(getOperation()))
      Recomputer(*block, planner()).run();
  }
};

} // namespace

std::unique_ptr<Pass> createRecompute(std::shared_ptr<Planner> planner) {
  return std::make_unique<Recompute>(std::move(planner));
}

} // namespace systole
