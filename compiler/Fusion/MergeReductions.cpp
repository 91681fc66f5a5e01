// Merges reductions of equal spaces that read a tensor in common into one of several results.
// See docs/decisions/reductions-and-row-statistics.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/Reducers.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_MERGEREDUCTIONS
#include "compiler/Fusion/Passes.h.inc"

using stablehlo::ReduceOp;

namespace {

/// Results of a merged reduction: each has accumulators of its own, which registers hold.
constexpr size_t kMostResults = 4;
/// Operations that are looked at, the nearest first, to find what two reductions read in common.
constexpr size_t kMostOperations = 64;

} // namespace

static bool areAlike(ReduceOp a, ReduceOp b) {
  return a.getInputs().front().getType() == b.getInputs().front().getType() &&
         a.getDimensions() == b.getDimensions() &&
         a->getDiscardableAttrDictionary() == b->getDiscardableAttrDictionary();
}

/// The tensors of the size of a reduction's inputs that these are, or are computed from element by
/// element.
static llvm::SmallSetVector<Value, 16> tensorsReadBy(ReduceOp op) {
  int64_t size = typeOf(op.getInputs().front()).getNumElements();
  llvm::SmallSetVector<Value, 16> tensors;
  tensors.insert_range(op.getInputs());
  for (size_t next = 0; next < std::min(tensors.size(), kMostOperations); ++next)
    if (Operation *producer = tensors[next].getDefiningOp(); producer && isExpression(producer))
      for (Value operand : producer->getOperands())
        if (typeOf(operand).getNumElements() == size)
          tensors.insert(operand);
  llvm::SmallSetVector<Value, 16> all;
  for (Value tensor : tensors)
    if (!tensor.getDefiningOp() || !isSplatConstant(tensor.getDefiningOp()))
      all.insert(tensor);
  return all;
}

/// The operations behind `earlier` that `later` needs, in program order; nothing if one of them is
/// no expression, as a product or `earlier` itself.
static std::optional<SmallVector<Operation *>> expressionsBetween(ReduceOp earlier,
                                                                  ReduceOp later) {
  llvm::SmallSetVector<Operation *, 16> needed;
  auto add = [&](Value value) {
    Operation *producer = value.getDefiningOp();
    if (!producer || producer->getBlock() != earlier->getBlock() ||
        producer->isBeforeInBlock(earlier))
      return true;
    needed.insert(producer);
    return needed.size() <= kMostOperations &&
           (isExpression(producer) || isSplatConstant(producer));
  };
  if (!llvm::all_of(later->getOperands(), add))
    return std::nullopt;
  for (size_t next = 0; next < needed.size(); ++next)
    if (!llvm::all_of(needed[next]->getOperands(), add))
      return std::nullopt;
  SmallVector<Operation *> sorted(needed.begin(), needed.end());
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

/// One reduction that has the results of both, in place of the first one.
static ReduceOp merge(ReduceOp first, ReduceOp second) {
  SmallVector<Value> inputs(first.getInputs()), inits(first.getInitValues());
  llvm::append_range(inputs, second.getInputs());
  llvm::append_range(inits, second.getInitValues());
  SmallVector<Type> types(first.getResultTypes());
  llvm::append_range(types, second.getResultTypes());
  OpBuilder b(first);
  auto merged =
      ReduceOp::create(b, first.getLoc(), types, inputs, inits, first.getDimensionsAttr());
  merged->setDiscardableAttrs(first->getDiscardableAttrDictionary());

  Block &body = merged.getBody().emplaceBlock();
  for (int side = 0; side < 2; ++side)
    for (Value init : inits)
      body.addArgument(init.getType(), first.getLoc());
  b.setInsertionPointToEnd(&body);
  SmallVector<Value> results;
  size_t position = 0;
  for (ReduceOp op : {first, second}) {
    Block &from = op.getBody().front();
    size_t count = op.getInputs().size();
    IRMapping mapping;
    for (size_t i = 0; i < count; ++i) {
      mapping.map(from.getArgument(i), body.getArgument(position + i));
      mapping.map(from.getArgument(count + i), body.getArgument(inputs.size() + position + i));
    }
    for (Operation &inner : from.without_terminator())
      b.clone(inner, mapping);
    for (Value result : from.getTerminator()->getOperands())
      results.push_back(mapping.lookup(result));
    position += count;
  }
  stablehlo::ReturnOp::create(b, first.getLoc(), results);
  size_t split = first->getNumResults();
  first->replaceAllUsesWith(merged->getResults().take_front(split));
  second->replaceAllUsesWith(merged->getResults().drop_front(split));
  first->erase();
  second->erase();
  return merged;
}

namespace {

/// The reductions of a block so far, by the tensors that they read.
class Merger {
public:
  void visit(ReduceOp op) {
    llvm::SmallSetVector<Value, 16> tensors = tensorsReadBy(op);
    llvm::SmallSetVector<size_t, 8> candidates;
    for (Value tensor : tensors)
      candidates.insert_range(readers.lookup(tensor));
    size_t number = kept.size();
    for (size_t candidate : candidates)
      if (ReduceOp merged = mergeIfPossible(kept[candidate], op)) {
        kept[number = candidate] = merged;
        break;
      }
    if (number == kept.size())
      kept.push_back(op);
    for (Value tensor : tensors)
      readers[tensor].push_back(number);
  }

private:
  static ReduceOp mergeIfPossible(ReduceOp earlier, ReduceOp later) {
    if (earlier->getNumResults() + later->getNumResults() > kMostResults ||
        !areAlike(earlier, later))
      return nullptr;
    std::optional<SmallVector<Operation *>> between = expressionsBetween(earlier, later);
    if (!between)
      return nullptr;
    for (Operation *expression : *between)
      expression->moveBefore(earlier);
    return merge(earlier, later);
  }

  SmallVector<ReduceOp> kept;
  llvm::DenseMap<Value, SmallVector<size_t, 2>> readers;
};

} // namespace

static void mergeIn(Block &block) {
  Merger merger;
  for (ReduceOp op : llvm::to_vector(block.getOps<ReduceOp>()))
    // Reducers that apply an operation to each input's elements alone.
    if (!combinersOf(op.getBody().front()).empty())
      merger.visit(op);
}

namespace {

struct MergeReductions : impl::MergeReductionsBase<MergeReductions> {
  void rewrite() override {
    forEachBlock(getOperation(), [](Block &block) {
      if (!isa<ReduceOp>(block.getParentOp()))
        mergeIn(block);
    });
  }
};

} // namespace
} // namespace systole
