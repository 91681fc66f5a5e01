// Contractions and convolutions of complex numbers as those of their parts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Complex/Splitter.h"

using namespace mlir;

namespace systole::complex {

using namespace stablehlo;

namespace {

/// Four products: three would cancel the smaller part of a result.
LogicalResult multiply(Splitter &s, Operation *op) {
  OpBuilder b(op);
  Type type = typeOf(op->getResult(0)).clone(partType(op->getResult(0)));
  auto product = [&](Real lhs, Real rhs) {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands({lhs.value(), rhs.value()});
    state.addTypes(type);
    state.addAttributes(op->getAttrs());
    return Real(b, op->getLoc(), b.create(state)->getResult(0));
  };
  Complex x = s.get(b, op->getLoc(), op->getOperand(0));
  Complex y = s.get(b, op->getLoc(), op->getOperand(1));
  s.set(op->getResult(0),
        {product(x.re, y.re) - product(x.im, y.im), product(x.re, y.im) + product(x.im, y.re)});
  return success();
}

} // namespace

void addProducts(RewriteTable &table) { table.add<DotGeneralOp, ConvolutionOp>(multiply); }

} // namespace systole::complex
