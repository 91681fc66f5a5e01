// Constants and counts of complex numbers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Complex/Splitter.h"
#include "dialects/CHLO/CHLO.h"

#include <complex>

using namespace mlir;

namespace systole::complex {

using namespace stablehlo;
using namespace expansion;

namespace {

LogicalResult setConstant(Splitter &s, Operation *op, DenseElementsAttr elements) {
  OpBuilder b(op);
  RankedTensorType type = typeOf(op->getResult(0)).clone(partType(op->getResult(0)));
  SmallVector<APFloat> re, im;
  auto append = [&](const std::complex<APFloat> &number) {
    re.push_back(number.real());
    im.push_back(number.imag());
  };
  if (elements.isSplat())
    append(elements.getSplatValue<std::complex<APFloat>>());
  else
    for (const auto &number : elements.getValues<std::complex<APFloat>>())
      append(number);
  SmallVector<Value> parts;
  for (ArrayRef<APFloat> part : {ArrayRef(re), ArrayRef(im)})
    parts.push_back(ConstantOp::create(b, op->getLoc(), DenseElementsAttr::get(type, part)));
  s.setPlanes(op->getResult(0), parts);
  return success();
}

LogicalResult constant(Splitter &s, Operation *op) {
  return setConstant(s, op, cast<DenseElementsAttr>(cast<ConstantOp>(op).getValue()));
}

LogicalResult constantLike(Splitter &s, Operation *op) {
  auto like = cast<chlo::ConstantLikeOp>(op);
  return setConstant(s, op,
                     DenseElementsAttr::get(cast<ShapedType>(like.getType()),
                                            ArrayRef<Attribute>{like.getValue()}));
}

LogicalResult iota(Splitter &s, Operation *op) {
  auto iota = cast<IotaOp>(op);
  Tensors t(op);
  Type element = partType(iota.getResult());
  ArrayRef<int64_t> shape = shapeOf(iota.getResult());
  s.setPlanes(iota.getResult(),
              {t.iota(element, shape, iota.getIotaDimension()), t.number(element, 0, shape)});
  return success();
}

} // namespace

void addCreation(RewriteTable &table) {
  table.add<ConstantOp>(constant);
  table.add<chlo::ConstantLikeOp>(constantLike);
  table.add<IotaOp>(iota);
}

} // namespace systole::complex
