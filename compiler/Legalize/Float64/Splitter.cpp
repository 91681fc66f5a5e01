// Splits f64 into 32-bit words: code shared by all groups of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Splitter.h"

#include "compiler/Tensor/OpKinds.h"

using namespace mlir;

namespace systole::float64 {

bool isDouble(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF64();
}

Type Splitter::entryElement(RankedTensorType type) const {
  return IntegerType::get(type.getContext(), 32, IntegerType::Unsigned);
}

bool Splitter::shareKernel(Operation *op) const { return kindOf(op) == OpKind::Elementwise; }

SmallVector<Type> Splitter::elementTypes(Value value) const {
  Type word = entryElement(typeOf(value));
  return {word, word};
}

Words Splitter::get(Value value) const {
  SmallVector<Value> words = planesOf(value);
  return {words[0], words[1]};
}

std::optional<LogicalResult> Splitter::rewrite(Operation *op) {
  static const RewriteTable table = [] {
    RewriteTable table;
    for (auto add : {addConversions, addCreation, addElementwise})
      add(table);
    return table;
  }();
  std::optional<LogicalResult> result = table.apply(*this, op);
  return result ? result : planes::sharedRewrites().apply(*this, op);
}

} // namespace systole::float64
