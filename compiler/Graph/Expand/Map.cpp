// A function of elements, applied to whole tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Expand/Expand.h"
#include "compiler/Graph/OpKinds.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

Value expandMap(OpBuilder &b, MapOp op) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
  auto whole = [&](Type type) { return cast<RankedTensorType>(type).clone(shape); };
  Block &body = op.getComputation().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), op.getInputs());
  // What comes from outside is the same for all elements.
  auto get = [&](Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Value all = BroadcastInDimOp::create(b, op.getLoc(), whole(value.getType()), value,
                                         ArrayRef<int64_t>{});
    mapping.map(value, all);
    return all;
  };
  for (Operation &inner : body.without_terminator()) {
    if (auto constant = dyn_cast<ConstantOp>(inner)) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      mapping.map(constant.getResult(),
                  ConstantOp::create(b, constant.getLoc(),
                                     elements.resizeSplat(whole(constant.getType()))));
      continue;
    }
    if (kindOf(&inner) != OpKind::Elementwise) {
      inner.emitError() << "operation '" << inner.getName()
                        << "' is not supported in the body of 'stablehlo.map'";
      return nullptr;
    }
    OperationState state(inner.getLoc(), inner.getName());
    for (Value operand : inner.getOperands())
      state.addOperands(get(operand));
    state.addTypes(whole(inner.getResult(0).getType()));
    state.addAttributes(inner.getAttrs());
    mapping.map(inner.getResult(0), b.create(state)->getResult(0));
  }
  return get(body.getTerminator()->getOperand(0));
}

} // namespace systole::expansion
