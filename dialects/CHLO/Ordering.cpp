// The CHLO operations that order elements.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::chlo;

#define GET_OP_CLASSES
#include "dialects/CHLO/Ordering.cpp.inc"

void CHLODialect::registerOrderingOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/CHLO/Ordering.cpp.inc"
      >();
}

LogicalResult TopKOp::verify() {
  stablehlo::Refusal refuse(*this);
  auto type = cast<RankedTensorType>(getOperand().getType());
  int64_t k = static_cast<int64_t>(getK());
  if (type.getRank() == 0)
    return refuse("requires an operand with a dimension");
  if (k < 0)
    return refuse("requires a k that is not negative, but it is ", k);
  int64_t size = type.getShape().back();
  if (!ShapedType::isDynamic(size) && size < k)
    return refuse("requires ", k, " elements in the last dimension, but there are ", size);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = k;
  Type values = type.clone(shape), indices = type.clone(shape, IntegerType::get(getContext(), 32));
  if (!stablehlo::areCompatibleTypes(values, getValues().getType()))
    return refuse("requires ", values, " for values, but it is ", getValues().getType());
  if (!stablehlo::areCompatibleTypes(indices, getIndices().getType()))
    return refuse("requires ", indices, " for indices, but it is ", getIndices().getType());
  return success();
}
