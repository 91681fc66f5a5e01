// Reductions that are elementwise operations, and reductions of reshapes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/SimplifyReductions.h"

#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/Reducers.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

/// A reduction over dimensions of size 1 combines each element with the initial value.
static LogicalResult reduceOfOne(ReduceOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = typeOf(op.getInputs().front()).getShape();
  SmallVector<Operation *, 2> combiners = combinersOf(op.getBody().front());
  if (combiners.empty() || op.getDimensions().empty() ||
      !llvm::all_of(op.getDimensions(), [&](int64_t d) { return shape[d] == 1; }))
    return failure();
  SmallVector<Value> results;
  for (auto [number, combiner] : llvm::enumerate(combiners)) {
    auto type = cast<RankedTensorType>(op.getResult(number).getType());
    Value init = BroadcastInDimOp::create(rewriter, op.getLoc(), type, op.getInitValues()[number],
                                          ArrayRef<int64_t>());
    Value element = ReshapeOp::create(rewriter, op.getLoc(), type, op.getInputs()[number]);
    IRMapping mapping;
    mapping.map(op.getBody().getArgument(number), init);
    mapping.map(op.getBody().getArgument(combiners.size() + number), element);
    Operation *combined = rewriter.clone(*combiner, mapping);
    combined->getResult(0).setType(type);
    results.push_back(combined->getResult(0));
  }
  rewriter.replaceOp(op, results);
  return success();
}

/// The dimensions of `source` that a reshape to `result` merges to those of `reduced`, if it leaves
/// all others as they are; else nothing. Dimensions of size 1 that it drops are among them.
static std::optional<SmallVector<int64_t>>
mergedDims(ArrayRef<int64_t> source, ArrayRef<int64_t> result, ArrayRef<int64_t> reduced) {
  auto groups = getReassociationIndicesForCollapse(source, result);
  if (!groups)
    return std::nullopt;
  SmallVector<int64_t> merged;
  for (auto [d, group] : llvm::enumerate(*groups)) {
    if (llvm::is_contained(reduced, int64_t(d))) {
      llvm::append_range(merged, group);
      continue;
    }
    // Beside a dimension of the result's size all others of the group have size 1.
    const int64_t *kept =
        llvm::find_if(group, [&](int64_t dim) { return source[dim] == result[d]; });
    if (kept == group.end())
      return std::nullopt;
    llvm::copy_if(group, std::back_inserter(merged), [&](int64_t dim) { return dim != *kept; });
  }
  return merged;
}

/// A reduction of a reshape that merges what it reduces is one of the array before it, which needs
/// no relayout.
static LogicalResult reduceOfMerge(ReduceOp op, PatternRewriter &rewriter) {
  // Its order follows from the shape of its operand.
  if (op->hasAttr(kernel::kOrderAttr) || op.getInputs().empty())
    return failure();
  SmallVector<Value> sources;
  for (Value input : op.getInputs()) {
    auto reshape = input.getDefiningOp<ReshapeOp>();
    if (!reshape || (!sources.empty() && shapeOf(reshape.getOperand()) != shapeOf(sources.front())))
      return failure();
    sources.push_back(reshape.getOperand());
  }
  ArrayRef<int64_t> source = shapeOf(sources.front()), merge = shapeOf(op.getInputs().front());
  // Empty arrays have no dimensions that could be told apart.
  if (source.size() <= merge.size() || llvm::is_contained(source, 0))
    return failure();
  std::optional<SmallVector<int64_t>> dims = mergedDims(source, merge, op.getDimensions());
  if (!dims)
    return failure();
  auto reduce = ReduceOp::create(rewriter, op.getLoc(), op.getResultTypes(), sources,
                                 op.getInitValues(), *dims);
  rewriter.inlineRegionBefore(op.getBody(), reduce.getBody(), reduce.getBody().end());
  rewriter.replaceOp(op, reduce);
  return success();
}

void addReductionPatterns(RewritePatternSet &patterns) {
  patterns.add(reduceOfOne);
  patterns.add(reduceOfMerge);
}

} // namespace systole
