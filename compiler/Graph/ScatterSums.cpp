// Scatters into few elements, as reductions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/ScatterBuilder.h"
#include "compiler/Tensor/Identities.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;
using namespace expansion;

/// The operation that combines an element with an update, if it is one whose order does not matter.
static Operation *combinerOf(ScatterOp op) {
  Block &body = op.getUpdateComputation().front();
  Operation *combiner = body.getTerminator()->getOperand(0).getDefiningOp();
  bool isOnly = combiner && combiner->getNumOperands() == 2 &&
                combiner->hasTrait<stablehlo::OpTrait::Commutative>() &&
                combiner->getOperand(0) != combiner->getOperand(1) &&
                llvm::all_of(combiner->getOperands(), llvm::IsaPred<BlockArgument>);
  return isOnly && identityOf(combiner) ? combiner : nullptr;
}

/// Pairs of an element and an update that are compared for each update, at most: a vector of 1,024
/// of them takes three instructions, an update in a loop some ten cycles.
constexpr int64_t kMostPairs = 4 << 10;

bool areSums(ScatterOp op) {
  RankedTensorType type = typeOf(op.getResult(0)), update = typeOf(op.getUpdates().front());
  SmallVector<int64_t> window(op.getWindowSizes());
  // Updates are single elements, or whole along some dimensions.
  for (auto [size, windowSize] : llvm::zip_equal(type.getShape(), window))
    if (windowSize != 1 && windowSize != size)
      return false;
  // Sums of narrow floats are rounded after each update.
  Type element = type.getElementType();
  bool isExact = !isa<FloatType>(element) || element.getIntOrFloatBitWidth() >= 32;
  if (op.getInputs().size() != 1 || !isExact || update.getNumElements() == 0 || !combinerOf(op))
    return false;
  int64_t count = update.getNumElements() / ShapedType::getNumElements(window);
  return llvm::alignTo(type.getNumElements(), kSublanes) * llvm::alignTo(count, kLanes) <=
         kMostPairs * count;
}

SmallVector<Value> ScatterBuilder::buildSums() {
  SmallVector<int64_t> scattered, kept;
  int64_t rows = 1, width = 1;
  for (auto [d, size] : llvm::enumerate(window)) {
    bool isWhole = size != 1;
    (isWhole ? kept : scattered).push_back(d);
    (isWhole ? width : rows) *= shape[d];
  }
  Sizes order(scattered), moved, updateOrder;
  llvm::append_range(order, kept);
  for (int64_t d : order)
    moved.push_back(shape[d]);
  // Dimensions of windows before those of positions.
  const int64_t rank = positions.size();
  for (int64_t d : order)
    updateOrder.push_back(rank + d);
  for (int64_t p = 0; p < rank; ++p)
    updateOrder.push_back(p);
  const int64_t pairs[] = {rows, width, count};
  Value input = t.reshape(t.transpose(inputs.front(), order), {rows, width});
  Value update = t.reshape(t.transpose(updates.front(), updateOrder), {width, count});
  Value indices = t.reshape(flatIndices(scattered, {}), {count});
  Value isHere =
      t.compare(ComparisonDirection::EQ, t.iota(i32, pairs, 0), t.spread(indices, pairs, {2}));
  DenseElementsAttr identity = identityOf(combinerOf(op));
  Value wanted = t.select(isHere, t.spread(update, pairs, {1, 2}), t.constant(identity, pairs));
  auto sums =
      ReduceOp::create(t.b, t.loc, TypeRange(input.getType()), wanted, t.constant(identity), {2});
  IRMapping mapping;
  op.getUpdateComputation().cloneInto(&sums.getBody(), mapping);
  Value arguments[] = {input, sums.getResult(0)};
  Value result = applyBody(t, op.getUpdateComputation(), arguments).front();
  Sizes back(order.size());
  for (auto [i, d] : llvm::enumerate(order))
    back[d] = i;
  return {t.transpose(t.reshape(result, moved), back)};
}

} // namespace systole
