// Builds operations on batches of matrices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Expand/Matrices.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

Value Matrices::batched(Value matrices) {
  ArrayRef<int64_t> shape = shapeOf(matrices);
  int64_t batch = 1;
  for (int64_t size : shape.drop_back(2))
    batch *= size;
  return t.convert(t.reshape(matrices, {batch, shape.end()[-2], shape.end()[-1]}), element);
}

Value Matrices::contract(Value x, Value y, int64_t dimOfY) {
  MLIRContext *context = t.b.getContext();
  SmallVector<int64_t> shape = {shapeOf(x)[0], shapeOf(x)[1], shapeOf(y)[3 - dimOfY]};
  auto numbers = DotDimensionNumbersAttr::get(context, /*lhsBatchingDimensions=*/0,
                                              /*rhsBatchingDimensions=*/0,
                                              /*lhsContractingDimensions=*/2, dimOfY);
  Attribute highest = PrecisionAttr::get(context, Precision::HIGHEST);
  return DotGeneralOp::create(t.b, t.loc, typeOf(x).clone(shape), x, y, numbers,
                              t.b.getArrayAttr({highest, highest}), DotAlgorithmAttr());
}

Value Matrices::row(Value x, Value j) {
  ArrayRef<int64_t> shape = shapeOf(x);
  Value origin = t.number(i32, 0);
  Value row = DynamicSliceOp::create(t.b, t.loc, x, ValueRange{origin, j, origin},
                                     ArrayRef<int64_t>{shape[0], 1, shape[2]});
  return t.reshape(row, {shape[0], shape[2]});
}

Value Matrices::at(Value x, Value j) {
  ArrayRef<int64_t> shape = shapeOf(x);
  return pick(indexMask(ComparisonDirection::EQ, shape, j), x);
}

// A sum of f64 takes many instructions.
Value Matrices::pick(Value mask, Value x) {
  if (!element.isF64())
    return sum(t.select(mask, x, t.real(element, -0.0, shapeOf(x))));
  Type bits = t.b.getIntegerType(64, /*isSigned=*/false);
  Value chosen = t.select(mask, t.bitcast(x, bits), t.number(bits, 0, shapeOf(x)));
  Value picked = t.reduce<OrOp>(chosen, t.number(bits, 0), {typeOf(x).getRank() - 1});
  return t.bitcast(picked, element);
}

Value Matrices::withRow(Value x, Value j, Value value) {
  ArrayRef<int64_t> shape = shapeOf(x);
  return t.select(rowsAre(ComparisonDirection::EQ, shape, j), t.spread(value, shape, {0, 2}), x);
}

} // namespace systole::expansion
