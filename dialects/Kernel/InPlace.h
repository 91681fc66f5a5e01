// Kernels that write results over arrays which they read.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_KERNEL_INPLACE_H
#define SYSTOLE_DIALECTS_KERNEL_INPLACE_H

#include "dialects/Kernel/Kernel.h"

#include "llvm/ADT/STLExtras.h"

namespace systole::kernel {

/// The operands over which operand `out` of `kernel` is written.
inline llvm::SmallVector<int32_t, 2> overwrittenBy(FuncOp kernel, int32_t out) {
  llvm::SmallVector<int32_t, 2> inputs;
  if (auto pairs = kernel->getAttrOfType<mlir::DenseI32ArrayAttr>(kInPlaceAttr))
    for (size_t i = 0; i + 1 < size_t(pairs.size()); i += 2)
      if (pairs[i] == out)
        inputs.push_back(pairs[i + 1]);
  return inputs;
}

/// Says that operand `out` of `kernel` is written over operand `in`.
inline void addInPlace(FuncOp kernel, int32_t out, int32_t in) {
  if (llvm::is_contained(overwrittenBy(kernel, out), in))
    return;
  llvm::SmallVector<int32_t> pairs;
  if (auto known = kernel->getAttrOfType<mlir::DenseI32ArrayAttr>(kInPlaceAttr))
    llvm::append_range(pairs, known.asArrayRef());
  pairs.append({out, in});
  kernel->setAttr(kInPlaceAttr, mlir::DenseI32ArrayAttr::get(kernel.getContext(), pairs));
}

} // namespace systole::kernel

#endif // SYSTOLE_DIALECTS_KERNEL_INPLACE_H
