// The indices that windows of a kernel's operands may have.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/WindowBounds.h"

#include "dialects/Kernel/Bounds.h"

#include <cstdlib>

using namespace systole::kernel;

std::optional<size_t> systole::kernel::windowBeyondIndices(OperandAttr operand,
                                                           llvm::ArrayRef<int64_t> grid) {
  constexpr int64_t limit = kMostWindowIndices;
  for (size_t d = 0; d < operand.getStride().size(); ++d) {
    std::optional<Bounds> bounds = boundsOf(operand.getMap().getResult(d), grid);
    int64_t block = operand.getBlock()[d];
    int64_t stride = operand.getStride()[d], offset = operand.getOffset()[d];
    bool isSmall = block > 0 && block < limit && std::abs(stride) < limit &&
                   std::abs(offset) < limit && bounds && std::abs(bounds->min) < limit &&
                   std::abs(bounds->max) < limit;
    if (!isSmall || std::abs(stride * bounds->min) + std::abs(offset) + block >= limit ||
        std::abs(stride * bounds->max) + std::abs(offset) + block >= limit)
      return d;
  }
  return std::nullopt;
}
