// Rewrites contractions to the canonical forms of the matrix unit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_CANONICALIZEDOTS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;

int64_t product(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  int64_t result = 1;
  for (int64_t d : dims)
    result *= shape[d];
  return result;
}

/// Transposes and reshapes `value` such that its dimensions are in the order of `groups`, each
/// group merged into one; creates only the operations that are needed.
Value regroup(OpBuilder &builder, Location loc, Value value, ArrayRef<ArrayRef<int64_t>> groups) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> permutation, permuted, merged;
  for (ArrayRef<int64_t> group : groups) {
    for (int64_t d : group) {
      permutation.push_back(d);
      permuted.push_back(type.getDimSize(d));
    }
    merged.push_back(product(type.getShape(), group));
  }
  if (!llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    value = TransposeOp::create(builder, loc, type.clone(permuted), value, permutation);
  if (merged != permuted)
    value = ReshapeOp::create(builder, loc, type.clone(merged), value);
  return value;
}

/// Of more batch dimensions one is made: a grid has three axes, and rows or columns want one.
constexpr size_t kMostBatchDims = 2;

bool isCanonical(DotGeneralOp op) {
  auto batch = llvm::seq<int64_t>(0, op.getLhsBatchingDims().size());
  int64_t rank = static_cast<int64_t>(batch.size()) + 2;
  return batch.size() <= kMostBatchDims &&
         cast<RankedTensorType>(op.getLhs().getType()).getRank() == rank &&
         cast<RankedTensorType>(op.getRhs().getType()).getRank() == rank &&
         op.getLhsContractingDims() == ArrayRef<int64_t>{rank - 1} &&
         op.getRhsContractingDims().size() == 1 && llvm::equal(op.getLhsBatchingDims(), batch) &&
         llvm::equal(op.getRhsBatchingDims(), batch);
}

/// The batch dimensions of an operand, each by itself or all as one.
SmallVector<ArrayRef<int64_t>> batchGroups(ArrayRef<int64_t> batchingDims) {
  if (batchingDims.size() > kMostBatchDims)
    return {batchingDims};
  return llvm::map_to_vector(batchingDims, [](const int64_t &dim) { return ArrayRef(dim); });
}

DotGeneralOp canonicalize(DotGeneralOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto lhsShape = cast<RankedTensorType>(op.getLhs().getType()).getShape();
  auto rhsType = cast<RankedTensorType>(op.getRhs().getType());
  ArrayRef<int64_t> rhsShape = rhsType.getShape();
  SmallVector<int64_t> lhsFree = op.getLhsFreeDims(), rhsFree = op.getRhsFreeDims();
  ArrayRef<int64_t> lhsContracting = op.getLhsContractingDims();
  ArrayRef<int64_t> rhsContracting = op.getRhsContractingDims();

  // If the contracting dimension is along the lanes already, weights are latched transposed. So is
  // a vector, which would take a row per element as a column.
  bool rhsTransposed = !rhsContracting.empty() && (rhsContracting.back() == rhsType.getRank() - 1 ||
                                                   product(rhsShape, rhsFree) == 1);

  SmallVector<ArrayRef<int64_t>> lhsGroups = batchGroups(op.getLhsBatchingDims()),
                                 rhsGroups = batchGroups(op.getRhsBatchingDims());
  const SmallVector<int64_t> batch =
      llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(lhsGroups.size())));
  SmallVector<int64_t> resultShape = llvm::map_to_vector(
      lhsGroups, [&](ArrayRef<int64_t> group) { return product(lhsShape, group); });
  lhsGroups.append({lhsFree, lhsContracting});
  if (rhsTransposed)
    rhsGroups.append({rhsFree, rhsContracting});
  else
    rhsGroups.append({rhsContracting, rhsFree});
  Value lhs = regroup(builder, loc, op.getLhs(), lhsGroups);
  Value rhs = regroup(builder, loc, op.getRhs(), rhsGroups);

  resultShape.push_back(product(lhsShape, lhsFree));
  resultShape.push_back(product(rhsShape, rhsFree));
  int64_t first = batch.size();
  auto numbers = DotDimensionNumbersAttr::get(builder.getContext(), batch, batch, {first + 1},
                                              {rhsTransposed ? first + 1 : first});
  auto resultType = cast<RankedTensorType>(op.getType());
  auto dot = DotGeneralOp::create(builder, loc, resultType.clone(resultShape), lhs, rhs, numbers,
                                  op.getPrecisionConfigAttr(), op.getAlgorithmAttr());
  dot->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Value result = dot;
  if (result.getType() != resultType)
    result = ReshapeOp::create(builder, loc, resultType, result);
  op.replaceAllUsesWith(result);
  op.erase();
  return dot;
}

/// The matrix unit accumulates floating point in f32 and integers in i32. If the depth is summed in
/// chunks, a narrower result is rounded once, after the last chunk.
void widenDeep(DotGeneralOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  OpBuilder builder(op->getContext());
  Type sum = isa<FloatType>(element) ? Type(builder.getF32Type()) : Type(builder.getI32Type());
  if (element.getIntOrFloatBitWidth() >= 32 || !isDeep(op))
    return;
  builder.setInsertionPointAfter(op);
  op.getResult().setType(type.clone(sum));
  auto converted = ConvertOp::create(builder, op.getLoc(), type, op);
  op.getResult().replaceAllUsesExcept(converted, converted);
}

struct CanonicalizeDots : impl::CanonicalizeDotsBase<CanonicalizeDots> {
  void rewrite() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    getOperation().walk(
        [](DotGeneralOp op) { widenDeep(isCanonical(op) ? op : canonicalize(op)); });
  }
};

} // namespace
} // namespace systole
