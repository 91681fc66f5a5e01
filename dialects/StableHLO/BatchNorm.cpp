// The StableHLO batch normalizations.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/BatchNorm.cpp.inc"

void StableHLODialect::registerBatchNormOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/BatchNorm.cpp.inc"
      >();
}

/// Checks an operation on `operand` and as many features as its dimension `feature` has:
/// `likeOperand` have its shape, all other values one element per feature.
static LogicalResult checkFeatures(Operation *op, Value operand, int64_t feature,
                                   ValueRange likeOperand) {
  Refusal refuse(op);
  auto type = cast<RankedTensorType>(operand.getType());
  if (feature >= type.getRank())
    return refuse("feature_index ", feature, " is out of range for rank-", type.getRank(),
                  " operand");
  auto check = [&](Value value, StringRef kind, unsigned number) -> LogicalResult {
    auto expected = llvm::is_contained(likeOperand, value) || value == operand
                        ? type
                        : type.clone(type.getDimSize(feature));
    if (areCompatibleShapes(expected, value.getType()))
      return success();
    return refuse("requires ", expected, " for ", kind, " #", number, ", but it is ",
                  value.getType());
  };
  for (auto [number, value] : llvm::enumerate(op->getOperands()))
    if (failed(check(value, "operand", number)))
      return failure();
  for (auto [number, value] : llvm::enumerate(op->getResults()))
    if (failed(check(value, "result", number)))
      return failure();
  return success();
}

LogicalResult BatchNormTrainingOp::verify() {
  return checkFeatures(*this, getOperand(), getFeatureIndex(), getOutput());
}

LogicalResult BatchNormInferenceOp::verify() {
  return checkFeatures(*this, getOperand(), getFeatureIndex(), getResult());
}

LogicalResult BatchNormGradOp::verify() {
  return checkFeatures(*this, getOperand(), getFeatureIndex(), {getGradOutput(), getGradOperand()});
}
