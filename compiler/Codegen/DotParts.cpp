// Decomposes operands of products into parts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/DotParts.h"
#include "compiler/Codegen/CopyBox.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

DotParts::DotParts(Type lhs, Type rhs, unsigned precision, bool exchanged)
    : all(lhs, rhs, precision) {
  if (exchanged)
    for (auto [lhsPart, rhsPart] : ProductPasses(rhs, lhs, precision).order)
      order.push_back({rhsPart, lhsPart});
  else
    for (auto [lhsPart, rhsPart] : all.order)
      order.push_back({lhsPart, rhsPart});
}

Value DotParts::part(Emitter &e, Value elements, int number, int count, DotPass pass) const {
  if (all.isInteger) {
    if (count > 1) {
      Value shift = e.constant(8 * number);
      // The top byte includes the sign: bits above 32 cancel out.
      if (number == count - 1)
        elements = vectorOp<core::VSraOp>(e, elements, shift);
      else {
        if (number > 0)
          elements = vectorOp<core::VShrOp>(e, elements, shift);
        elements = vectorOp<core::VAndOp>(e, elements, e.constant(255));
      }
    }
    return vectorOp<core::VS32ToF32Op>(e, elements);
  }
  if (order.size() == 1)
    return elements; // the MXUs round
  Value high = vectorOp<core::VSplitHiOp>(e, elements);
  if (number == 0) {
    // An infinity or NaN takes part in a single pass: in the others it is replaced by 0, so that an
    // infinity is never multiplied by a part that is 0.
    bool counts = pass.lhs == 0 && pass.rhs == 0;
    return counts ? high : vectorOp<core::VSplitLoOp>(e, high, e.constant(0));
  }
  Value rest = vectorOp<core::VSplitLoOp>(e, elements, high);
  if (count == 2)
    return rest; // the MXUs round it
  Value middle = vectorOp<core::VSplitHiOp>(e, rest);
  return number == 1 ? middle : vectorOp<core::VSplitLoOp>(e, rest, middle);
}

static Value bytesOf(Emitter &e, Value elements, Value shift, Value mask) {
  Value shifted = vectorOp<core::VSraOp>(e, elements, shift);
  return vectorOp<core::VS32ToF32Op>(e, vectorOp<core::VAndOp>(e, shifted, mask));
}

Value DotParts::lhsPart(Emitter &e, Value elements, DotPass pass) const {
  if (pass.bytes)
    return bytesOf(e, elements, pass.bytes->lhsShift, pass.bytes->lhsMask);
  return part(e, elements, pass.lhs, all.lhsParts, pass);
}

Value DotParts::rhsPart(Emitter &e, Value elements, DotPass pass) const {
  if (pass.bytes)
    return bytesOf(e, elements, pass.bytes->rhsShift, pass.bytes->rhsMask);
  return part(e, elements, pass.rhs, all.rhsParts, pass);
}

Value DotParts::summand(Emitter &e, Value results, DotPass pass) const {
  if (!all.isInteger)
    return results;
  Value sum = vectorOp<core::VF32ToS32Op>(e, results);
  if (pass.sumShift)
    return vectorOp<core::VShlOp>(e, sum, pass.sumShift);
  int shift = 8 * (pass.lhs + pass.rhs);
  return shift ? vectorOp<core::VShlOp>(e, sum, e.constant(shift)) : sum;
}
