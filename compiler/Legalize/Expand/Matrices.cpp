// Builds operations on batches of matrices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Matrices.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

Type Matrices::elementOf(Operation *op) {
  Type element = typeOf(op->getOperand(0)).getElementType();
  return element.isF64() || isa<ComplexType>(element) ? element
                                                      : Float32Type::get(op->getContext());
}

Value Matrices::conjugate(Value x) {
  return isComplex() ? complex(partOf<RealOp>(x), t.apply<NegOp>(partOf<ImagOp>(x))) : x;
}

Value Matrices::fromReal(Value x) {
  return isComplex() ? complex(x, t.real(part, 0, shapeOf(x))) : x;
}

Value Matrices::magnitude(Value x) {
  if (!isComplex())
    return t.apply<AbsOp>(x);
  return t.apply<MaxOp>(t.apply<AbsOp>(partOf<RealOp>(x)), t.apply<AbsOp>(partOf<ImagOp>(x)));
}

Value Matrices::squared(Value x) {
  if (!isComplex())
    return multiply(x, x);
  Value re = partOf<RealOp>(x), im = partOf<ImagOp>(x);
  return add(multiply(re, re), multiply(im, im));
}

Value Matrices::batched(Value matrices) {
  ArrayRef<int64_t> shape = shapeOf(matrices);
  int64_t batch = 1;
  for (int64_t size : shape.drop_back(2))
    batch *= size;
  return t.convert(t.reshape(matrices, {batch, shape.end()[-2], shape.end()[-1]}), element);
}

Value Matrices::contract(Value x, Value y, int64_t dimOfX) {
  MLIRContext *context = t.b.getContext();
  SmallVector<int64_t> shape = {shapeOf(x)[0], shapeOf(x)[3 - dimOfX], shapeOf(y)[2]};
  auto numbers = DotDimensionNumbersAttr::get(context, /*lhsBatchingDimensions=*/0,
                                              /*rhsBatchingDimensions=*/0, dimOfX,
                                              /*rhsContractingDimensions=*/1);
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
  Type type = typeOf(x).getElementType();
  if (isa<ComplexType>(type))
    return complex(pick(mask, partOf<RealOp>(x)), pick(mask, partOf<ImagOp>(x)));
  if (!type.isF64())
    return sum(t.select(mask, x, t.real(type, -0.0, shapeOf(x))));
  Type bits = t.b.getIntegerType(64, /*isSigned=*/false);
  Value chosen = t.select(mask, t.bitcast(x, bits), t.number(bits, 0, shapeOf(x)));
  Value picked = t.reduce<OrOp>(chosen, t.number(bits, 0), {typeOf(x).getRank() - 1});
  return t.bitcast(picked, type);
}

Value Matrices::withRow(Value x, Value j, Value value) {
  ArrayRef<int64_t> shape = shapeOf(x);
  return t.select(rowsAre(ComparisonDirection::EQ, shape, j), t.spread(value, shape, {0, 2}), x);
}

Value Matrices::rowsInOrder(Value x, Value order) {
  ArrayRef<int64_t> shape = shapeOf(x);
  auto numbers = GatherDimensionNumbersAttr::get(
      t.b.getContext(), /*offsetDims=*/2, /*collapsedSliceDims=*/1, /*operandBatchingDims=*/0,
      /*startIndicesBatchingDims=*/0, /*startIndexMap=*/1, /*indexVectorDim=*/2);
  return GatherOp::create(t.b, t.loc, x.getType(), x, order, numbers,
                          t.b.getDenseI64ArrayAttr({1, 1, shape[2]}), t.b.getBoolAttr(false));
}

Value Matrices::span(Value x, int64_t dim, Value first, int64_t count) {
  SmallVector<int64_t> sizes(shapeOf(x));
  SmallVector<Value> starts(sizes.size(), t.number(i32, 0));
  sizes[size_t(dim)] = count;
  starts[size_t(dim)] = first;
  return DynamicSliceOp::create(t.b, t.loc, x, starts, sizes);
}

Value Matrices::withSpan(Value x, int64_t dim, Value first, Value span) {
  SmallVector<Value> starts(shapeOf(x).size(), t.number(i32, 0));
  starts[size_t(dim)] = first;
  return DynamicUpdateSliceOp::create(t.b, t.loc, x.getType(), x, span, starts);
}

Value Matrices::filledUp(Value x, int64_t size) {
  int64_t n = shapeOf(x)[1], missing = size - n;
  if (missing == 0)
    return x;
  x = t.pad(x, t.real(element, 0), {0, 0, 0}, {0, missing, missing}, {0, 0, 0});
  ArrayRef<int64_t> shape = shapeOf(x);
  Value isAdded = rowsAre(ComparisonDirection::GE, shape, t.number(i32, n));
  return t.select(both(isAdded, triangle(ComparisonDirection::EQ, shape)), one(shape), x);
}

bool isFactored(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return element.isF32() || element.isF64();
}

} // namespace systole::expansion
