// Scatters of single elements into few, as reductions.
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
/// of them takes three instructions, an update in a loop some tens of cycles.
constexpr int64_t kMostPairs = 16 << 10;

bool ScatterBuilder::areSums() const {
  int64_t elements = 1;
  for (auto [size, windowSize] : llvm::zip_equal(shape, window)) {
    if (windowSize != 1)
      return false;
    elements *= size;
  }
  // Sums of narrow floats are rounded after each update.
  Type element = typeOf(inputs.front()).getElementType();
  bool isExact = !isa<FloatType>(element) || element.getIntOrFloatBitWidth() >= 32;
  return inputs.size() == 1 && isExact && combinerOf(op) &&
         llvm::alignTo(elements, kSublanes) * llvm::alignTo(count, kLanes) <= kMostPairs * count;
}

SmallVector<Value> ScatterBuilder::buildSums() {
  SmallVector<int64_t> scattered(llvm::to_vector(llvm::seq<int64_t>(0, shape.size())));
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  const int64_t pairs[] = {elements, count};
  Value indices = t.reshape(flatIndices(scattered, {}), {count});
  Value updates = t.reshape(this->updates.front(), {count});
  Value isHere =
      t.compare(ComparisonDirection::EQ, t.iota(i32, pairs, 0), t.spread(indices, pairs, {1}));
  DenseElementsAttr identity = identityOf(combinerOf(op));
  Value wanted = t.select(isHere, t.spread(updates, pairs, {1}), t.constant(identity, pairs));
  auto sums = ReduceOp::create(t.b, t.loc, TypeRange(typeOf(updates).clone({elements})), wanted,
                               t.constant(identity), {1});
  IRMapping mapping;
  op.getUpdateComputation().cloneInto(&sums.getBody(), mapping);
  Value arguments[] = {t.reshape(inputs.front(), {elements}), sums.getResult(0)};
  return {t.reshape(applyBody(t, op.getUpdateComputation(), arguments).front(), shape)};
}

} // namespace systole
