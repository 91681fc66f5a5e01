// Rotations of Mosaic's vectors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Translator.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole::mosaic {

/// Element i of the result is element i - `amount` of `x` along `dim`, which wraps around.
static Value rotate(Tensors &t, Value x, int64_t dim, int64_t amount) {
  int64_t size = typeOf(x).getDimSize(dim);
  amount = ((amount % size) + size) % size;
  if (amount == 0)
    return x;
  return t.concatenate({t.slice(x, dim, size - amount, amount), t.slice(x, dim, 0, size - amount)},
                       dim);
}

LogicalResult RotateTranslator::visit(Operation *op) {
  auto rotation = cast<tpu::DynamicRotateOp>(op);
  Location loc = op->getLoc();
  Value amount = scalar(rotation.getAmount());
  Value x = amount ? tensor(rotation.getValue()) : Value();
  if (!x)
    return failure();
  Tensors t = tensors(loc);
  auto dim = int64_t(int32_t(rotation.getDimension()));
  int64_t size = typeOf(x).getDimSize(dim);
  if (Index known = indexOf(amount); known.isConstant()) {
    x = rotate(t, x, dim, known.constant);
  } else {
    // A window of the vector behind itself, which begins at a place that the scalar unit computes.
    auto word = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(b, loc, value, 32);
    };
    auto rest = [&](Value value) -> Value {
      return arith::RemSIOp::create(b, loc, value, word(size));
    };
    Value first = rest(arith::SubIOp::create(b, loc, word(size), rest(amount)));
    Value twice = t.concatenate({x, x}, dim);
    SmallVector<Value> starts(typeOf(x).getRank(), t.number(b.getI32Type(), 0));
    starts[dim] = segment.read(first);
    x = stablehlo::DynamicSliceOp::create(t.b, loc, twice, starts, typeOf(x).getShape());
  }
  if (!rotation.getStride()) {
    values.tensors[rotation.getResult()] = x;
    return success();
  }
  // Row r along the other dimension is rotated r strides further: by those of each bit of r.
  auto stride = int64_t(int32_t(*rotation.getStride()));
  auto rows = int64_t(int32_t(*rotation.getStrideDimension()));
  RankedTensorType type = typeOf(x);
  Type i32 = b.getI32Type();
  for (int64_t bit = 1; bit < type.getDimSize(rows); bit *= 2) {
    Value row = t.iota(i32, type.getShape(), rows);
    Value has = t.compare(stablehlo::ComparisonDirection::NE,
                          t.apply<stablehlo::AndOp>(row, t.number(i32, bit, type.getShape())),
                          t.number(i32, 0, type.getShape()));
    x = t.select(has, rotate(t, x, dim, stride * bit), x);
  }
  values.tensors[rotation.getResult()] = x;
  return success();
}

} // namespace systole::mosaic
