// Constants and counts of f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Splitter.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;
using namespace expansion;

namespace {

LogicalResult constant(Splitter &s, Operation *op) {
  auto elements = cast<DenseElementsAttr>(cast<ConstantOp>(op).getValue());
  Doubles d(op);
  auto words = [&](unsigned offset) -> Value {
    if (elements.empty())
      return d.t.number(d.u32, 0, shapeOf(op->getResult(0)));
    auto word = [&](const APFloat &value) {
      return value.bitcastToAPInt().extractBits(32, offset);
    };
    auto type = typeOf(op->getResult(0)).clone(d.u32);
    if (elements.isSplat())
      return ConstantOp::create(
          d.t.b, d.t.loc, DenseElementsAttr::get(type, word(elements.getSplatValue<APFloat>())));
    return ConstantOp::create(
        d.t.b, d.t.loc,
        DenseElementsAttr::get(type, llvm::map_to_vector(elements.getValues<APFloat>(), word)));
  };
  s.set(op->getResult(0), {words(0), words(32)});
  return success();
}

LogicalResult iota(Splitter &s, Operation *op) {
  auto iota = cast<IotaOp>(op);
  Doubles d(op);
  Value number = d.t.iota(d.u32, shapeOf(iota.getResult()), iota.getIotaDimension());
  s.set(iota.getResult(), d.fromWord(number, /*isSigned=*/false));
  return success();
}

} // namespace

void addCreation(RewriteTable &table) {
  table.add<ConstantOp>(constant);
  table.add<IotaOp>(iota);
}

} // namespace systole::float64
