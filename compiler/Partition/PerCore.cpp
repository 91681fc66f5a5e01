// Numbers that differ from core to core.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/PerCore.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  auto type = RankedTensorType::get({}, b.getI32Type());
  return ConstantOp::create(b, loc, DenseElementsAttr::get(type, int32_t(value)));
}

Value perCore(OpBuilder &b, Location loc, ArrayRef<int64_t> values) {
  if (llvm::all_equal(values))
    return constant(b, loc, values.front());
  auto type = RankedTensorType::get({}, b.getI32Type());
  Value core = PartitionIdOp::create(
      b, loc, type.clone(IntegerType::get(b.getContext(), 32, IntegerType::Unsigned)));
  core = ConvertOp::create(b, loc, type, core);
  // A line through all of them.
  const int64_t step = values[1] - values[0];
  bool isLine = true;
  for (auto [number, value] : llvm::enumerate(values))
    isLine &= value == values[0] + step * int64_t(number);
  if (isLine) {
    Value product = step == 1 ? core : MulOp::create(b, loc, core, constant(b, loc, step));
    return values[0] == 0 ? product : AddOp::create(b, loc, product, constant(b, loc, values[0]));
  }
  // Runs of equal values, the last one first.
  Value result = constant(b, loc, values.back());
  for (size_t end = values.size(); end-- > 1;)
    if (values[end] != values[end - 1]) {
      Value isBefore = CompareOp::create(b, loc, core, constant(b, loc, int64_t(end)),
                                         ComparisonDirection::LT, ComparisonTypeAttr());
      result = SelectOp::create(b, loc, isBefore, constant(b, loc, values[end - 1]), result);
    }
  return result;
}

} // namespace systole::partition
