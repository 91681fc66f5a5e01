// Products of truth values.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Expand/Expand.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

// Counts of ones are exact below 2^24, and beyond that not zero either.
Value expandPredicateDot(OpBuilder &b, DotGeneralOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  auto narrow = [&](Value value) -> Value {
    auto own = cast<RankedTensorType>(value.getType());
    return ConvertOp::create(b, loc, own.clone(b.getBF16Type()), value);
  };
  RankedTensorType counts = type.clone(b.getF32Type());
  Value count =
      DotGeneralOp::create(b, loc, counts, narrow(op.getLhs()), narrow(op.getRhs()),
                           op.getDotDimensionNumbersAttr(), ArrayAttr(), DotAlgorithmAttr());
  return ConvertOp::create(b, loc, type, count);
}

} // namespace systole::expansion
