// Contractions that are none for the matrix unit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Expand/Expand.h"
#include "compiler/Graph/Expand/Tensors.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

static bool isPredicate(Value value) { return getElementTypeOrSelf(value).isInteger(1); }

bool hasPredicates(Operation *op) {
  return isPredicate(op->getOperand(0)) || isPredicate(op->getOperand(1));
}

// Counts of ones are exact below 2^24, and beyond that not zero either. Narrow integers wrap.
Value expandPredicates(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool isCount = llvm::all_of(op->getOperands(), isPredicate);
  IRMapping numbers;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Type element = isCount ? Type(b.getBF16Type()) : getElementTypeOrSelf(op->getOperand(1 - i));
    if (isPredicate(operand))
      numbers.map(operand,
                  ConvertOp::create(
                      b, loc, cast<RankedTensorType>(operand.getType()).clone(element), operand));
  }
  Value result = b.clone(*op, numbers)->getResult(0);
  if (!isCount)
    return result;
  result.setType(type.clone(b.getF32Type()));
  if (type.getElementType().isInteger() && !type.getElementType().isInteger(1))
    result = ConvertOp::create(b, loc, type.clone(b.getI32Type()), result);
  return ConvertOp::create(b, loc, type, result);
}

//===----------------------------------------------------------------------===//
// Products that use no number twice
//===----------------------------------------------------------------------===//

static int64_t sizeOf(Value value, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t d : dims)
    size *= cast<RankedTensorType>(value.getType()).getDimSize(d);
  return size;
}

constexpr int64_t kSmallMatrix = 2 * 128 * 128;

/// Whether numbers that the arrays take as they are lie in rows along which is not summed: the
/// vector unit makes each of them wide before it multiplies. Of a small matrix, latching it takes
/// longer than that.
static bool hasNarrowRows(Value matrix, ArrayRef<int64_t> summed, ArrayRef<int64_t> free) {
  auto type = cast<RankedTensorType>(matrix.getType());
  if (!type.getElementType().isBF16() && type.getElementTypeBitWidth() != 8)
    return false;
  if (sizeOf(matrix, summed) * sizeOf(matrix, free) < kSmallMatrix)
    return false;
  for (int64_t d = type.getRank(); d-- > 0;)
    if (type.getDimSize(d) != 1)
      return !llvm::is_contained(summed, d);
  return false;
}

bool isForVectorUnit(DotGeneralOp op) {
  int64_t depth = sizeOf(op.getLhs(), op.getLhsContractingDims());
  if (depth <= 1)
    return true;
  bool isLhsVector = sizeOf(op.getLhs(), op.getLhsFreeDims()) == 1,
       isRhsVector = sizeOf(op.getRhs(), op.getRhsFreeDims()) == 1;
  if (isLhsVector && isRhsVector)
    return true;
  return isLhsVector ? !hasNarrowRows(op.getRhs(), op.getRhsContractingDims(), op.getRhsFreeDims())
         : isRhsVector
             ? !hasNarrowRows(op.getLhs(), op.getLhsContractingDims(), op.getLhsFreeDims())
             : false;
}

/// What each dimension of an operand is in the product: a dimension of the result, or behind
/// these one along which is summed.
static SmallVector<int64_t> namesOf(Value operand, ArrayRef<int64_t> batch, ArrayRef<int64_t> free,
                                    int64_t firstFree, ArrayRef<int64_t> summed,
                                    int64_t firstSummed) {
  SmallVector<int64_t> names(cast<RankedTensorType>(operand.getType()).getRank());
  auto give = [&](ArrayRef<int64_t> dims, int64_t first) {
    for (auto [number, d] : llvm::enumerate(dims))
      names[d] = first + number;
  };
  give(batch, 0);
  give(free, firstFree);
  give(summed, firstSummed);
  return names;
}

/// The order of `large`, of the operand with more elements, so that these stay where they are;
/// what only the other one has comes behind the dimensions of the batch that lead.
static SmallVector<int64_t> orderOf(ArrayRef<int64_t> large, ArrayRef<int64_t> small,
                                    int64_t batchRank) {
  SmallVector<int64_t> order(large);
  auto *place = llvm::find_if(order, [&](int64_t name) { return name >= batchRank; });
  SmallVector<int64_t> missing;
  for (int64_t name : small)
    if (!llvm::is_contained(large, name))
      missing.push_back(name);
  order.insert(place, missing.begin(), missing.end());
  return order;
}

// The products of f32 are rounded once, those of narrower numbers not at all.
Value expandForVectorUnit(OpBuilder &b, DotGeneralOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  Tensors t(op);
  if (sizeOf(op.getLhs(), op.getLhsContractingDims()) == 0)
    return t.number(element, 0, type.getShape());
  if (isa<FloatType>(element))
    element = b.getF32Type();
  else if (auto integer = cast<IntegerType>(element); integer.getWidth() < 32)
    element = IntegerType::get(b.getContext(), 32, integer.getSignedness());

  int64_t batchRank = op.getLhsBatchingDims().size(), rank = type.getRank();
  SmallVector<int64_t> lhsFree = op.getLhsFreeDims(), rhsFree = op.getRhsFreeDims();
  SmallVector<int64_t> lhs = namesOf(op.getLhs(), op.getLhsBatchingDims(), lhsFree, batchRank,
                                     op.getLhsContractingDims(), rank);
  SmallVector<int64_t> rhs = namesOf(op.getRhs(), op.getRhsBatchingDims(), rhsFree,
                                     batchRank + lhsFree.size(), op.getRhsContractingDims(), rank);
  bool isLhsLarge = sizeOf(op.getLhs(), lhsFree) > sizeOf(op.getRhs(), rhsFree);
  SmallVector<int64_t> order =
      isLhsLarge ? orderOf(lhs, rhs, batchRank) : orderOf(rhs, lhs, batchRank);

  // Dimensions of one element come back at the end.
  SmallVector<int64_t> sizes(type.getShape());
  for (int64_t d : op.getLhsContractingDims())
    sizes.push_back(sizeOf(op.getLhs(), d));
  SmallVector<int64_t> shape, summed, kept, keptShape;
  llvm::erase_if(order, [&](int64_t name) { return sizes[name] == 1; });
  for (auto [place, name] : llvm::enumerate(order)) {
    shape.push_back(sizes[name]);
    if (name >= rank) {
      summed.push_back(place);
      continue;
    }
    kept.push_back(name);
    keptShape.push_back(sizes[name]);
  }
  auto spread = [&](Value value, ArrayRef<int64_t> names) -> Value {
    auto own = cast<RankedTensorType>(value.getType()).clone(element);
    SmallVector<int64_t> places, ownShape;
    for (int64_t name : names)
      if (sizes[name] != 1) {
        places.push_back(llvm::find(order, name) - order.begin());
        ownShape.push_back(sizes[name]);
      }
    value = ConvertOp::create(b, loc, own, value);
    if (ownShape.size() != names.size())
      value = ReshapeOp::create(b, loc, own.clone(ownShape), value);
    return BroadcastInDimOp::create(b, loc, own.clone(shape), value, places);
  };
  Value result = MulOp::create(b, loc, spread(op.getLhs(), lhs), spread(op.getRhs(), rhs));
  auto sums = RankedTensorType::get(keptShape, element);
  if (!summed.empty())
    result = t.reduce<AddOp>(result, t.number(element, 0), summed);
  result = ConvertOp::create(b, loc, sums.clone(type.getElementType()), result);
  SmallVector<int64_t> back(kept.size());
  std::iota(back.begin(), back.end(), 0);
  llvm::sort(back, [&](int64_t x, int64_t y) { return kept[x] < kept[y]; });
  result = TransposeOp::create(b, loc, result, back);
  return result.getType() == type ? result : Value(ReshapeOp::create(b, loc, type, result));
}

} // namespace systole::expansion
