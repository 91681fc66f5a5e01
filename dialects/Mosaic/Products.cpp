// Products of matrices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Mosaic/Mosaic.h"

using namespace mlir;
using namespace systole::tpu;

DotDimensionNumbersAttr MatmulOp::getDimensions() {
  if (DotDimensionNumbersAttr dimensions = getDimensionNumbersAttr())
    return dimensions;
  int64_t lhs = getTransposeLhs() ? 0 : 1, rhs = getTransposeRhs() ? 1 : 0;
  return DotDimensionNumbersAttr::get(getContext(), {lhs}, {rhs}, {1 - lhs}, {1 - rhs},
                                      {0, 1 - lhs, 1, 1 - rhs}, {}, {});
}

/// Whether the lists together name each dimension of `type` once.
static LogicalResult verifyPartition(MatmulOp op, VectorType type,
                                     ArrayRef<ArrayRef<int64_t>> lists, StringRef side) {
  SmallVector<bool> seen(type.getRank());
  for (ArrayRef<int64_t> list : lists)
    for (int64_t dim : list)
      if (dim < 0 || dim >= type.getRank() || std::exchange(seen[dim], true))
        return op.emitOpError("expects each dimension of the ")
               << side << " once, of " << type << ", found " << dim;
  if (!llvm::all_of(seen, [](bool known) { return known; }))
    return op.emitOpError("expects each dimension of the ") << side << " once, of " << type;
  return success();
}

/// Whether paired dimensions of both operands are as many, and have the same sizes.
static LogicalResult verifyPairs(MatmulOp op, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs,
                                 StringRef kind) {
  VectorType left = op.getLhs().getType(), right = op.getRhs().getType();
  bool fits = lhs.size() == rhs.size();
  for (size_t i = 0; fits && i < lhs.size(); ++i)
    fits = left.getDimSize(lhs[i]) == right.getDimSize(rhs[i]);
  if (!fits)
    return op.emitOpError("expects ") << kind << " dimensions of the same sizes, found [" << lhs
                                      << "] of " << left << " and [" << rhs << "] of " << right;
  return success();
}

LogicalResult MatmulOp::verify() {
  VectorType lhs = getLhs().getType(), rhs = getRhs().getType(), result = getResult().getType();
  if (getAcc().getType() != result)
    return emitOpError("expects an accumulator of the result's type, found ")
           << getAcc().getType() << " and " << result;
  if (!getDimensionNumbers() && (lhs.getRank() != 2 || rhs.getRank() != 2))
    return emitOpError("expects matrices without dimension_numbers, found ")
           << lhs << " and " << rhs;
  DotDimensionNumbersAttr dims = getDimensions();
  if (failed(verifyPartition(*this, lhs,
                             {dims.getLhsContracting(), dims.getLhsOther(), dims.getLhsBatch()},
                             "left operand")) ||
      failed(verifyPartition(*this, rhs,
                             {dims.getRhsContracting(), dims.getRhsOther(), dims.getRhsBatch()},
                             "right operand")) ||
      failed(
          verifyPairs(*this, dims.getLhsContracting(), dims.getRhsContracting(), "contracting")) ||
      failed(verifyPairs(*this, dims.getLhsBatch(), dims.getRhsBatch(), "batch")))
    return failure();

  // Each dimension that is not summed once: a batch dimension as one of either operand.
  ArrayRef<int64_t> order = dims.getOutputOrder();
  size_t rank = dims.getLhsBatch().size() + dims.getLhsOther().size() + dims.getRhsOther().size();
  SmallVector<int64_t> shape;
  SmallVector<bool> lhsSeen(lhs.getRank()), rhsSeen(rhs.getRank());
  for (int64_t dim : dims.getLhsContracting())
    lhsSeen[dim] = true;
  for (int64_t dim : dims.getRhsContracting())
    rhsSeen[dim] = true;
  bool isComplete = order.size() == 2 * rank;
  for (size_t i = 0; isComplete && i < order.size(); i += 2) {
    int64_t side = order[i], dim = order[i + 1];
    if ((side != 0 && side != 1) || dim < 0 || dim >= (side ? rhs : lhs).getRank()) {
      isComplete = false;
      break;
    }
    isComplete = !std::exchange((side ? rhsSeen : lhsSeen)[dim], true);
    shape.push_back((side ? rhs : lhs).getDimSize(dim));
    ArrayRef<int64_t> batch = side ? dims.getRhsBatch() : dims.getLhsBatch();
    auto *at = llvm::find(batch, dim);
    if (at != batch.end())
      (side ? lhsSeen
            : rhsSeen)[(side ? dims.getLhsBatch() : dims.getRhsBatch())[at - batch.begin()]] = true;
  }
  if (!isComplete)
    return emitOpError("expects each dimension of the result once in output_dim_order, found [")
           << order << "]";
  if (ArrayRef<int64_t>(shape) != result.getShape())
    return emitOpError("expects a result of shape [") << shape << "], found " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// One matrix unit
//===----------------------------------------------------------------------===//

/// Accumulators, units and registers have numbers.
static LogicalResult verifyNumber(Operation *op, int32_t number, StringRef what) {
  if (number < 0)
    return op->emitOpError("expects a number of ") << what << ", found " << number;
  return success();
}

LogicalResult MatmulPushRhsOp::verify() {
  return failure(failed(verifyNumber(*this, getMxuIndex(), "a matrix unit")) ||
                 failed(verifyNumber(*this, getStagingRegister(), "a staging register")));
}

LogicalResult MatmulAccLhsOp::verify() {
  return failure(failed(verifyNumber(*this, getAcc(), "an accumulator")) ||
                 failed(verifyNumber(*this, getMxuIndex(), "a matrix unit")) ||
                 failed(verifyNumber(*this, getLoadStagedRhs().value_or(0), "a staging register")));
}

LogicalResult MatmulPopOp::verify() {
  return failure(failed(verifyNumber(*this, getAcc(), "an accumulator")) ||
                 failed(verifyNumber(*this, getMxuIndex(), "a matrix unit")));
}
