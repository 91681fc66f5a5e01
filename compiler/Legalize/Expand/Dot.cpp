// Expands contractions that the matrix unit does not compute.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

static bool isPredicate(Value value) { return getElementTypeOrSelf(value).isInteger(1); }

bool hasPredicates(Operation *op) {
  return isPredicate(op->getOperand(0)) && isPredicate(op->getOperand(1));
}

// Counts of ones are exact below 2^24, and beyond that not zero either.
Value expandPredicates(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  IRMapping numbers;
  for (Value operand : op->getOperands()) {
    auto counts = cast<RankedTensorType>(operand.getType()).clone(b.getBF16Type());
    numbers.map(operand, ConvertOp::create(b, loc, counts, operand));
  }
  Value result = b.clone(*op, numbers)->getResult(0);
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

constexpr int64_t kSmallMatrix = 2 * kLanes * kLanes;

static bool isRowMajor(ArrayRef<int64_t> shape) {
  return shape.empty() || entryOrder(shape).front() == static_cast<int64_t>(shape.size()) - 1;
}

/// Whether the MXUs multiply a matrix in its own element type, as weights in almost its own layout:
/// the vector unit would widen each element first. For a small matrix, latching takes longer, and
/// so does a transposition to the layout of weights; sums over dimensions that are not adjacent and
/// rows that are half empty take even longer on the vector unit.
static bool areNarrowWeights(Value matrix, ArrayRef<int64_t> batch, ArrayRef<int64_t> summed) {
  auto type = cast<RankedTensorType>(matrix.getType());
  if (!type.getElementType().isBF16() && type.getElementTypeBitWidth() > 8)
    return false;
  SmallVector<int64_t> shape, kept;
  int64_t elements = 1, sums = 0; // of a batch; runs of adjacent contracting dimensions
  bool isSum = false;
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    if (size == 1)
      continue;
    bool wasSum = std::exchange(isSum, llvm::is_contained(summed, d));
    sums += isSum && !wasSum;
    bool isBatch = llvm::is_contained(batch, d);
    if (!isSum && !isBatch)
      kept.push_back(shape.size());
    elements *= isBatch ? 1 : size;
    shape.push_back(size);
  }
  auto rank = static_cast<int64_t>(shape.size()), count = static_cast<int64_t>(kept.size());
  if (elements < kSmallMatrix || !isRowMajor(shape) || kept.empty() || kept.back() != rank - 1)
    return false;
  return count == 1 || sums > 1 || (kept.front() == rank - count && shape.back() < kLanes / 2);
}

static bool isLhsVector(DotGeneralOp op) { return sizeOf(op.getLhs(), op.getLhsFreeDims()) == 1; }
static bool isRhsVector(DotGeneralOp op) { return sizeOf(op.getRhs(), op.getRhsFreeDims()) == 1; }

bool isForVectorUnit(DotGeneralOp op) {
  if (sizeOf(op.getLhs(), op.getLhsContractingDims()) <= 1)
    return true;
  if (!isLhsVector(op) && !isRhsVector(op))
    return false;
  if (isLhsVector(op) && isRhsVector(op))
    return true;
  return isLhsVector(op)
             ? !areNarrowWeights(op.getRhs(), op.getRhsBatchingDims(), op.getRhsContractingDims())
             : !areNarrowWeights(op.getLhs(), op.getLhsBatchingDims(), op.getLhsContractingDims());
}

/// The same product, reading through a transposition of operand `side`.
static DotGeneralOp readThrough(DotGeneralOp op, TransposeOp transpose, unsigned side) {
  ArrayRef<int64_t> source = transpose.getPermutation();
  auto sourceOf = [&](ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [&](int64_t d) { return source[d]; });
  };
  SmallVector<int64_t> lhsBatch(op.getLhsBatchingDims()), rhsBatch(op.getRhsBatchingDims()),
      lhsSummed(op.getLhsContractingDims()), rhsSummed(op.getRhsContractingDims());
  SmallVector<int64_t> &batch = side ? rhsBatch : lhsBatch, &summed = side ? rhsSummed : lhsSummed;
  SmallVector<int64_t> kept = sourceOf(side ? op.getRhsFreeDims() : op.getLhsFreeDims());
  batch = sourceOf(batch);
  summed = sourceOf(summed);
  // The free dimensions are in the order of the transposition's operand, and are transposed back.
  Tensors t(op);
  ArrayRef<int64_t> shape = op.getType().getShape();
  SmallVector<int64_t> sizes(shape), order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t first = batch.size() + (side ? op.getLhsFreeDims().size() : 0);
  for (auto [number, d] : llvm::enumerate(kept)) {
    int64_t position = first + llvm::count_if(kept, [&](int64_t other) { return other < d; });
    order[first + number] = position;
    sizes[position] = shape[first + number];
  }
  auto numbers =
      DotDimensionNumbersAttr::get(op.getContext(), lhsBatch, rhsBatch, lhsSummed, rhsSummed);
  Value lhs = side ? op.getLhs() : transpose.getOperand(),
        rhs = side ? transpose.getOperand() : op.getRhs();
  auto dot = DotGeneralOp::create(t.b, t.loc, op.getType().clone(sizes), lhs, rhs, numbers,
                                  op.getPrecisionConfigAttr(), op.getAlgorithmAttr());
  op.replaceAllUsesWith(t.transpose(dot, order));
  op.erase();
  return dot;
}

/// Exchanges the operands; the free dimensions of one of them have size 1.
static void exchangeSides(DotGeneralOp op) {
  Tensors t(op);
  SmallVector<int64_t> sizes(op.getType().getShape());
  auto batchRank = static_cast<int64_t>(op.getLhsBatchingDims().size());
  std::rotate(sizes.begin() + batchRank, sizes.begin() + batchRank + op.getLhsFreeDims().size(),
              sizes.end());
  auto numbers = DotDimensionNumbersAttr::get(op.getContext(), op.getRhsBatchingDims(),
                                              op.getLhsBatchingDims(), op.getRhsContractingDims(),
                                              op.getLhsContractingDims());
  auto dot = DotGeneralOp::create(t.b, t.loc, op.getType().clone(sizes), op.getRhs(), op.getLhs(),
                                  numbers, exchanged(op.getPrecisionConfigAttr()),
                                  exchanged(op.getAlgorithmAttr()));
  op.replaceAllUsesWith(t.reshape(dot, op.getType().getShape()));
  op.erase();
}

void orderVectorProduct(DotGeneralOp op) {
  if (sizeOf(op.getLhs(), op.getLhsContractingDims()) <= 1 || isLhsVector(op) == isRhsVector(op))
    return;
  unsigned side = isLhsVector(op);
  while (auto transpose = op->getOperand(side).getDefiningOp<TransposeOp>())
    op = readThrough(op, transpose, side);
  if (side == 0 &&
      areNarrowWeights(op.getLhs(), op.getLhsBatchingDims(), op.getLhsContractingDims()))
    exchangeSides(op);
}

/// For each dimension of an operand its dimension in the product: a dimension of the result, or a
/// contracting dimension behind these.
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

/// An order in which `large`, the operand with more elements, is not transposed; free dimensions of
/// the other operand follow the leading batching dimensions.
static SmallVector<int64_t> orderOf(ArrayRef<int64_t> large, ArrayRef<int64_t> small,
                                    int64_t batchRank) {
  SmallVector<int64_t> order(large);
  auto *position = llvm::find_if(order, [&](int64_t name) { return name >= batchRank; });
  SmallVector<int64_t> missing;
  for (int64_t name : small)
    if (!llvm::is_contained(large, name))
      missing.push_back(name);
  order.insert(position, missing.begin(), missing.end());
  return order;
}

/// Whether contracting dimensions are merged into one. That moves no row of the larger operand; the
/// smaller one, of which an element applies to a whole row, is moved along rows once, not in parts
/// for every index of the outer dimensions, which is slower unless these are whole vectors.
static bool mergesSums(ArrayRef<int64_t> order, ArrayRef<int64_t> sizes, int64_t rank,
                       ArrayRef<int64_t> small) {
  constexpr int64_t sublanes = 8, kFewSums = 256;
  auto isSum = [&](int64_t name) { return name >= rank; };
  auto last = llvm::find_if(llvm::reverse(order), isSum);
  // Dimensions that rows of the vector and free dimensions behind the sums have are not moved.
  if (last == order.rend() || last == order.rbegin())
    return false;
  for (auto it = order.rbegin(); it != last; ++it)
    if (llvm::is_contained(small, *it))
      return false;
  int64_t depth = 1;
  for (int64_t name : order)
    depth *= isSum(name) ? sizes[name] : 1;
  if (sizes[*last] % sublanes == 0 || depth < kFewSums)
    return false;
  SmallVector<int64_t> shape;
  for (int64_t name : order)
    shape.push_back(sizes[name]);
  return isRowMajor(shape);
}

// f32 products are rounded once, products of narrower elements not at all.
Value expandForVectorUnit(OpBuilder &b, DotGeneralOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  Tensors t(op);
  if (sizeOf(op.getLhs(), op.getLhsContractingDims()) == 0)
    return t.number(element, 0, type.getShape());
  if (isa<FloatType>(element) && !element.isF64())
    element = b.getF32Type();
  else if (auto integer = dyn_cast<IntegerType>(element); integer && integer.getWidth() < 32)
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

  // Dimensions of size 1 are restored at the end.
  SmallVector<int64_t> sizes(type.getShape());
  for (int64_t d : op.getLhsContractingDims())
    sizes.push_back(sizeOf(op.getLhs(), d));
  llvm::erase_if(order, [&](int64_t name) { return sizes[name] == 1; });
  SmallVector<int64_t> shape, summed, kept, keptShape;
  SmallVector<int64_t> positions(sizes.size(), -1);
  bool merges = mergesSums(order, sizes, rank, isLhsLarge ? rhs : lhs);
  for (auto [number, name] : llvm::enumerate(order)) {
    bool isSum = name >= rank, isLast = number + 1 == order.size();
    if (merges && isSum && !isLast && number > 0 && order[number - 1] >= rank) {
      shape.back() *= sizes[name];
    } else {
      if (isSum)
        summed.push_back(shape.size());
      shape.push_back(sizes[name]);
    }
    positions[name] = static_cast<int64_t>(shape.size()) - 1;
    if (!isSum) {
      kept.push_back(name);
      keptShape.push_back(sizes[name]);
    }
  }
  auto spread = [&](Value value, SmallVector<int64_t> names) -> Value {
    SmallVector<int64_t> own;
    llvm::erase_if(names, [&](int64_t name) { return sizes[name] == 1; });
    for (int64_t name : names)
      own.push_back(sizes[name]);
    value = t.reshape(t.convert(value, element), own);
    // Dimensions in the order of the product.
    SmallVector<int64_t> dims(names.size()), at;
    std::iota(dims.begin(), dims.end(), 0);
    llvm::sort(dims, [&](int64_t x, int64_t y) {
      return llvm::find(order, names[x]) < llvm::find(order, names[y]);
    });
    value = t.transpose(value, dims);
    own.clear();
    for (int64_t d : dims) {
      int64_t position = positions[names[d]];
      if (at.empty() || at.back() != position) {
        at.push_back(position);
        own.push_back(1);
      }
      own.back() *= sizes[names[d]];
    }
    value = t.reshape(value, own);
    return t.spread(value, shape, at);
  };
  // A matrix comes before its vector, which is then widened in the same kernel; in a kernel tiled
  // along more than one dimension, it would be widened again for each of them.
  bool isMatrixFirst = isLhsVector(op) && !isRhsVector(op) && order.size() == 2;
  Value factors[2];
  for (bool isRhs : {isMatrixFirst, !isMatrixFirst})
    factors[isRhs] = isRhs ? spread(op.getRhs(), rhs) : spread(op.getLhs(), lhs);
  Value result = MulOp::create(b, loc, factors[isMatrixFirst], factors[!isMatrixFirst]);
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
