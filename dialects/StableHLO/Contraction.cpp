// The StableHLO operations that sum products.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/Quantization.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Contraction.cpp.inc"

void StableHLODialect::registerContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Contraction.cpp.inc"
      >();
}

ArrayRef<int64_t> DotGeneralOp::getLhsBatchingDims() {
  return getDotDimensionNumbers().getLhsBatchingDimensions();
}
ArrayRef<int64_t> DotGeneralOp::getRhsBatchingDims() {
  return getDotDimensionNumbers().getRhsBatchingDimensions();
}
ArrayRef<int64_t> DotGeneralOp::getLhsContractingDims() {
  return getDotDimensionNumbers().getLhsContractingDimensions();
}
ArrayRef<int64_t> DotGeneralOp::getRhsContractingDims() {
  return getDotDimensionNumbers().getRhsContractingDimensions();
}

static SmallVector<int64_t> otherDims(int64_t rank, ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(a, dim) && !llvm::is_contained(b, dim))
      dims.push_back(dim);
  return dims;
}

SmallVector<int64_t> DotGeneralOp::getLhsFreeDims() {
  return otherDims(getLhs().getType().getRank(), getLhsBatchingDims(), getLhsContractingDims());
}
SmallVector<int64_t> DotGeneralOp::getRhsFreeDims() {
  return otherDims(getRhs().getType().getRank(), getRhsBatchingDims(), getRhsContractingDims());
}

Precision DotGeneralOp::getOperandPrecision(unsigned operand) {
  return precisionOf(getPrecisionConfigAttr(), operand);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Checks the dimensions of one operand that the op names.
static LogicalResult checkOperandDims(const Refusal &refuse, StringRef side,
                                      ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting,
                                      int64_t rank) {
  std::string batchingName = (side + "_batching_dimensions").str();
  std::string contractingName = (side + "_contracting_dimensions").str();
  if (failed(checkDims(refuse, batchingName, batching, side, rank)) ||
      failed(checkDims(refuse, contractingName, contracting, side, rank)))
    return failure();
  return checkDisjoint(refuse, batchingName, batching, contractingName, contracting);
}

/// Checks that paired dimensions have equal sizes.
static LogicalResult checkPairs(const Refusal &refuse, StringRef kind, ArrayRef<int64_t> lhsDims,
                                RankedTensorType lhs, ArrayRef<int64_t> rhsDims,
                                RankedTensorType rhs) {
  if (lhsDims.size() != rhsDims.size())
    return refuse("requires as many ", kind, " dimensions of lhs as of rhs, ", "but they are ",
                  toText(lhsDims), " and ", toText(rhsDims));
  for (auto [a, b] : llvm::zip_equal(lhsDims, rhsDims))
    if (!areCompatibleSizes(lhs.getDimSize(a), rhs.getDimSize(b)))
      return refuse(kind, " dimension ", a, " of lhs has size ", lhs.getDimSize(a),
                    ", but its counterpart ", b, " of rhs has size ", rhs.getDimSize(b));
  return success();
}

LogicalResult DotGeneralOp::verify() {
  Refusal refuse(*this);
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  RankedTensorType result = getResult().getType();
  if (failed(checkOperandDims(refuse, "lhs", getLhsBatchingDims(), getLhsContractingDims(),
                              lhs.getRank())) ||
      failed(checkOperandDims(refuse, "rhs", getRhsBatchingDims(), getRhsContractingDims(),
                              rhs.getRank())) ||
      failed(
          checkPairs(refuse, "batching", getLhsBatchingDims(), lhs, getRhsBatchingDims(), rhs)) ||
      failed(checkPairs(refuse, "contracting", getLhsContractingDims(), lhs,
                        getRhsContractingDims(), rhs)))
    return failure();

  if (failed(checkProductElements(refuse, lhs, rhs, result)) ||
      failed(checkRightFactor(refuse, rhs, getRhsContractingDims())))
    return failure();

  SmallVector<int64_t> shape;
  for (int64_t dim : getLhsBatchingDims())
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : getLhsFreeDims())
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : getRhsFreeDims())
    shape.push_back(rhs.getDimSize(dim));
  RankedTensorType expected = result.clone(shape);
  if (!areCompatibleShapes(expected, result))
    return refuse("requires a result of the batching and free dimensions, ", expected,
                  ", but it is ", result);

  ArrayAttr config = getPrecisionConfigAttr();
  if (config && config.size() > 2)
    return refuse("precision_config has ", config.size(), " entries, but there are 2 operands");
  if (getAlgorithmAttr())
    for (unsigned operand : {0u, 1u})
      if (getOperandPrecision(operand) != Precision::DEFAULT)
        return refuse("allows only DEFAULT precision beside an algorithm, but "
                      "that of operand #",
                      operand, " is ", stringifyPrecision(getOperandPrecision(operand)));
  return success();
}
