// Computes cheap values again where they are read, instead of moving them through HBM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"

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

  /// `value` is computed from arguments, other results, and what is no work on as many elements as
  /// it has.
  Recipe(Value value, ValueRange results) : results(results), elements(elementsOf(value)) {
    add(value.getDefiningOp());
  }

  /// Work that a reader can do on the blocks that it has: elementwise, or in another order.
  static bool isWork(Operation *op) {
    return kindOf(op) == OpKind::Elementwise || isa<stablehlo::TransposeOp>(op) ||
           isa<stablehlo::ReshapeOp>(op);
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
    if (isRematerializable(op) ||
        (op && isWork(op) && elementsOf(value) == elements && !llvm::is_contained(results, value)))
      return add(op);
    inputs.insert(value);
  }

  static int64_t elementsOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  }

  ValueRange results;
  int64_t elements;
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

  /// Whether the operations that read `operand` in its fusion may compute it themselves: they read
  /// no windows of it in HBM.
  static bool canCompute(OpOperand &operand) {
    auto reader = cast<kernel::FusionOp>(operand.getOwner());
    Value argument = reader.getBody().getArgument(operand.getOperandNumber());
    for (unsigned number = 0; number < reader.getNumResults(); ++number)
      if (updatedInput(reader, number))
        return false;
    return llvm::all_of(argument.getUses(), [](OpOperand &use) {
      OpKind kind = kindOf(use.getOwner());
      return (Recipe::isWork(use.getOwner()) || kind == OpKind::Reduce || kind == OpKind::Dot ||
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

  static Operation *terminatorOf(kernel::FusionOp fusion) {
    return fusion.getBody().front().getTerminator();
  }
  /// The value in the body of its fusion that `result` is.
  static Value innerOf(OpResult result) {
    return terminatorOf(cast<kernel::FusionOp>(result.getOwner()))
        ->getOperand(result.getResultNumber());
  }
  static bool isMovable(OpResult result) {
    Value inner = innerOf(result);
    Operation *op = inner.getDefiningOp();
    return op && Recipe::isWork(op) && !isUpdatedInHbm(inner);
  }

  /// A result that its readers compute, and how.
  struct Move {
    OpResult result;
    Recipe recipe;
  };
  static SmallVector<Move> movesOf(ArrayRef<OpResult> results) {
    auto fusion = cast<kernel::FusionOp>(results.front().getOwner());
    SmallVector<Value> kept;
    for (OpResult result : fusion->getResults())
      if (!llvm::is_contained(results, result))
        kept.push_back(innerOf(result));
    SmallVector<Move> moves;
    for (OpResult result : results)
      moves.push_back({result, Recipe(innerOf(result), kept)});
    return moves;
  }

  /// Tries to do without `result`; whether its fusion has been replaced.
  bool visit(OpResult result) {
    auto fusion = cast<kernel::FusionOp>(result.getOwner());
    if (!isMovable(result) || !plan(fusion))
      return false;
    if (tryMoves(movesOf({result})))
      return true;
    // The least work first: a reader may compute some of them, but not all.
    SmallVector<OpResult> siblings = siblingsOf(result);
    if (siblings.empty())
      return false;
    SmallVector<Move> moves = movesOf(siblings);
    llvm::stable_sort(moves, [](const Move &a, const Move &b) {
      return a.recipe.ops.size() < b.recipe.ops.size();
    });
    siblings = llvm::map_to_vector(moves, [](const Move &move) { return move.result; });
    for (size_t count = 2; count <= siblings.size(); ++count)
      if (tryMoves(movesOf(ArrayRef(siblings).take_front(count))))
        return true;
    return false;
  }

  /// The results that follow from the same values as `result`, which do not leave the kernel, if it
  /// is the last of them.
  SmallVector<OpResult> siblingsOf(OpResult result) {
    auto fusion = cast<kernel::FusionOp>(result.getOwner());
    SmallVector<OpResult> movable;
    for (OpResult other : fusion->getResults())
      if (isMovable(other))
        movable.push_back(other);
    SmallVector<Move> moves = movesOf(movable);
    auto sourcesOf = [](const Move &move) {
      llvm::SetVector<Value> sources;
      for (Value input : move.recipe.inputs)
        if (!isa<BlockArgument>(input))
          sources.insert(input);
      return sources;
    };
    auto *own = llvm::find_if(moves, [&](const Move &move) { return move.result == result; });
    llvm::SetVector<Value> sources = sourcesOf(*own);
    SmallVector<OpResult> siblings;
    for (const Move &move : moves)
      if (llvm::all_of(sourcesOf(move), [&](Value value) { return sources.contains(value); }) &&
          !sourcesOf(move).empty())
        siblings.push_back(move.result);
    return !siblings.empty() && siblings.back() == result ? siblings : SmallVector<OpResult>();
  }

  /// Lets readers compute results of one fusion, if that moves no more bytes at first sight and
  /// then takes less time.
  bool tryMoves(ArrayRef<Move> moves) {
    auto fusion = cast<kernel::FusionOp>(moves.front().result.getOwner());
    Readers all, some, others;
    bool canDrop = true;
    for (const Move &move : moves)
      for (OpOperand &use : move.result.getUses()) {
        auto reader = dyn_cast<kernel::FusionOp>(use.getOwner());
        bool can = reader && reader->getBlock() == &block && canCompute(use) && plan(reader);
        canDrop &= can;
        if (can)
          all.insert(reader);
        else if (reader)
          others.insert(reader);
      }
    // One that reads it twice, and as a position once, cannot do without it.
    all.remove_if([&](kernel::FusionOp reader) { return others.contains(reader); });
    if (all.empty())
      return false;

    auto outer = [&](Value input) -> Value {
      if (auto argument = dyn_cast<BlockArgument>(input))
        return fusion.getInputs()[argument.getArgNumber()];
      for (OpResult result : fusion->getResults())
        if (innerOf(result) == input &&
            llvm::none_of(moves, [&](const Move &move) { return move.result == result; }))
          return result;
      return {};
    };
    int64_t dropped = 0;
    llvm::SetVector<Value> inputs;
    for (const Move &move : moves) {
      dropped += bytesOf(move.result);
      inputs.insert_range(move.recipe.inputs);
    }
    for (Value input : inputs) {
      if (!outer(input))
        dropped -= bytesOf(input);
      bool isOnlyFor =
          isa<BlockArgument>(input) && llvm::all_of(input.getUsers(), [&](Operation *user) {
            return llvm::any_of(moves,
                                [&](const Move &move) { return move.recipe.ops.contains(user); });
          });
      if (isOnlyFor)
        dropped += bytesOf(input);
    }
    for (kernel::FusionOp reader : all) {
      int64_t saved = 0;
      bool isMade = true, mayReadAll = true;
      llvm::SetVector<Value> wanted;
      for (const Move &move : moves)
        if (llvm::is_contained(reader.getInputs(), move.result)) {
          saved += bytesOf(move.result);
          wanted.insert_range(move.recipe.inputs);
        }
      for (Value input : wanted) {
        Value value = outer(input);
        isMade &= value != nullptr;
        mayReadAll &= !value || mayRead(reader, value);
        if (!value || !llvm::is_contained(reader.getInputs(), value))
          saved -= bytesOf(input);
      }
      canDrop &= mayReadAll;
      dropped += saved;
      if (isMade && mayReadAll && saved > 0)
        some.insert(reader);
    }
    if (canDrop && dropped >= 0 && replace(moves, all, /*drop=*/true))
      return true;
    return moves.size() == 1 && !some.empty() && replace(moves, some, /*drop=*/false);
  }

  /// Replaces `readers` by fusions that follow the recipes, and the fusion of the results by one
  /// without them if they are dropped; not if that costs as much.
  bool replace(ArrayRef<Move> moves, const Readers &readers, bool drop) {
    auto fusion = cast<kernel::FusionOp>(moves.front().result.getOwner());
    Operation *terminator = terminatorOf(fusion);
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
      results.clear();
      for (OpResult result : fusion->getResults())
        if (llvm::none_of(moves, [&](const Move &move) { return move.result == result; }))
          results.push_back(innerOf(result));
      for (const Move &move : moves)
        for (Value input : move.recipe.inputs)
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
      IRMapping names;
      for (const Move &move : moves) {
        if (!llvm::is_contained(reader.getInputs(), move.result))
          continue;
        IRMapping recomputed;
        for (Value input : move.recipe.inputs) {
          auto argument = dyn_cast<BlockArgument>(input);
          Value outer = argument ? fusion.getInputs()[argument.getArgNumber()]
                                 : producer.getResult(llvm::find(results, input) - results.begin());
          recomputed.map(input, draft.input(outer));
        }
        for (Operation *op : move.recipe.ops)
          draft.append(op, recomputed);
        Value inner = recomputed.lookup(innerOf(move.result));
        for (auto [argument, outer] :
             llvm::zip_equal(reader.getBody().getArguments(), reader.getInputs()))
          if (outer == move.result)
            names.map(argument, inner);
      }
      draft.append(reader, names);
      auto values = llvm::map_to_vector(terminatorOf(reader)->getOperands(),
                                        [&](Value value) { return names.lookup(value); });
      StringRef kind = reader.getKind() == "copy" ? "loop" : reader.getKind();
      change(reader, draft.finish(reader.getLoc(), kind, values));
    }

    if (!fits || after >= before) {
      for (auto [from, to] : llvm::reverse(changes))
        if (to)
          to.erase();
      return false;
    }
    // Readers first: they use results of the fusion.
    for (auto [from, to] : llvm::reverse(changes)) {
      if (from == fusion) {
        for (OpResult old : from->getResults())
          if (llvm::none_of(moves, [&](const Move &move) { return move.result == old; }))
            old.replaceAllUsesWith(
                to.getResult(llvm::find(results, innerOf(old)) - results.begin()));
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

  void rewrite() override {
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
