// The table of Mosaic's operations on vectors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/TensorOps.h"

using namespace mlir;

namespace systole::mosaic {

bool isSmall(Type element) {
  unsigned bits = element.isIndex() ? 32 : element.getIntOrFloatBitWidth();
  return isa<FloatType>(element) ? bits <= 8 : bits > 1 && bits < 8;
}

Type wordOf(Type element) {
  if (!element.isIndex() && element.getIntOrFloatBitWidth() == 32)
    return element;
  MLIRContext *context = element.getContext();
  return isa<FloatType>(element) ? Type(Float32Type::get(context))
                                 : Type(IntegerType::get(context, 32));
}

bool movesElements(Operation *op) {
  static constexpr llvm::StringLiteral names[] = {
      "arith.bitcast",     "arith.constant",  "arith.select",
      "arith.extf",        "arith.extsi",     "arith.fptosi",
      "arith.fptoui",      "tpu.fptosi",      "tpu.fptoui",
      "tpu.uitofp",        "arith.extui",     "arith.sitofp",
      "arith.truncf",      "arith.trunci",    "arith.uitofp",
      "tpu.bitcast",       "tpu.concatenate", "tpu.extf",
      "tpu.relayout",      "tpu.repeat",      "tpu.reshape",
      "tpu.sitofp",        "tpu.transpose",   "tpu.truncf",
      "vector.broadcast",  "vector.extract",  "vector.extract_strided_slice",
      "vector.shape_cast", "vector.transpose"};
  return llvm::is_contained(names, op->getName().getStringRef());
}

RankedTensorType tensorType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  MLIRContext *context = type.getContext();
  if (element.isIndex())
    element = IntegerType::get(context, 32);
  if (isSmall(element))
    element = isa<FloatType>(element) ? IntegerType::get(context, 8, IntegerType::Unsigned)
                                      : IntegerType::get(context, 8);
  return RankedTensorType::get(vector ? vector.getShape() : ArrayRef<int64_t>(), element);
}

const TensorOps &TensorOps::get() {
  static const TensorOps table = [] {
    TensorOps ops;
    addElementwiseOps(ops);
    addConversionOps(ops);
    addShapeOps(ops);
    addReductionOps(ops);
    return ops;
  }();
  return table;
}

} // namespace systole::mosaic
