// The passes of a product.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/ProductPasses.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace systole {

static int partsOf(Type type, unsigned precision) {
  if (type.isBF16())
    return 1;
  if (type.isF16())
    return 2;
  if (type.isF32())
    return precision == 1 ? 1 : precision == 3 ? 2 : 3;
  return static_cast<int>(type.getIntOrFloatBitWidth()) / 8;
}

ProductPasses::ProductPasses(Type lhs, Type rhs, unsigned precision)
    : isInteger(isa<IntegerType>(lhs)), lhsParts(partsOf(lhs, precision)),
      rhsParts(partsOf(rhs, precision)) {
  if (isInteger) {
    // Modulo 2^32; the order does not matter.
    for (int i = 0; i < lhsParts; ++i)
      for (int j = 0; j < rhsParts && i + j < 4; ++j)
        order.push_back({i, j});
    return;
  }
  // Products of f16 are exact; those of f32 stop at the requested precision.
  bool wide = lhs.isF32() || rhs.isF32();
  int least = wide && precision != 6 ? 1 : 2;
  for (int sum = least; sum >= 0; --sum)
    for (int i = lhsParts - 1; i >= 0; --i)
      if (sum - i >= 0 && sum - i < rhsParts)
        order.push_back({i, sum - i});
}

bool ProductPasses::areLoop(const DotShape &shape) const {
  constexpr int64_t leastRows = 128;
  int64_t streamed = 1;
  for (const DotDim &dim : shape.rows)
    streamed *= dim.size;
  return order.size() > 1 && streamed >= leastRows;
}

} // namespace systole
