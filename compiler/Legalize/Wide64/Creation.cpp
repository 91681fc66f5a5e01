// Constants and counts of 64-bit integers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Wide64/Elementwise.h"

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

namespace {

LogicalResult constant(Splitter &s, Operation *op) {
  auto elements = cast<DenseIntElementsAttr>(cast<ConstantOp>(op).getValue());
  Expressions e(op);
  auto words = [&](Type element, unsigned offset) -> Value {
    if (elements.empty())
      return e.t.number(element, 0, shapeOf(op->getResult(0)));
    return ConstantOp::create(e.t.b, e.t.loc, elements.mapValues(element, [&](const APInt &value) {
      return value.extractBits(32, offset);
    }));
  };
  if (Type narrow = s.narrowElement(op->getResult(0)))
    s.set(op->getResult(0), {words(narrow, 0), nullptr});
  else
    s.set(op->getResult(0), {words(e.u32, 0), words(e.u32, 32)});
  return success();
}

/// A dimension has fewer than 2^32 elements.
LogicalResult iota(Splitter &s, Operation *op) {
  auto iota = cast<IotaOp>(op);
  Expressions e(op);
  Type element = s.narrowElement(iota.getResult());
  s.set(iota.getResult(),
        {e.t.iota(element, shapeOf(iota.getResult()), iota.getIotaDimension()), nullptr});
  return success();
}

} // namespace

void addCreation(RewriteTable &table) {
  table.add<ConstantOp>(constant);
  table.add<IotaOp>(iota);
}

} // namespace systole::wide64
