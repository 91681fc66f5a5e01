// Splits complex numbers into their parts: code shared by all groups of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Complex/Splitter.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace systole::complex {

bool isComplex(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<ComplexType>(tensor.getElementType());
}

Type partType(Type type) {
  Type element = getElementTypeOrSelf(type);
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

SmallVector<Type> Splitter::elementTypes(Value value) const {
  Type part = partType(value.getType());
  return {part, part};
}

Complex Splitter::get(OpBuilder &b, Location loc, Value value) const {
  SmallVector<Value> parts = planesOf(value);
  return {Real(b, loc, parts[0]), Real(b, loc, parts[1])};
}

std::optional<LogicalResult> Splitter::rewrite(Operation *op) {
  static const RewriteTable table = [] {
    RewriteTable table;
    for (auto add : {addCreation, addElementwise, addFourier, addLinearAlgebra, addProducts})
      add(table);
    return table;
  }();
  std::optional<LogicalResult> result = table.apply(*this, op);
  return result ? result : planes::sharedRewrites().apply(*this, op);
}

} // namespace systole::complex
