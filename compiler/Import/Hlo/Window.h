// Windows of HLO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_WINDOW_H
#define SYSTOLE_COMPILER_IMPORT_HLO_WINDOW_H

#include "compiler/Import/Hlo/Emitter.h"

namespace systole::hlo {

/// The sizes, strides and so on of a window, a list for each of StableHLO's attributes.
struct WindowNumbers {
  explicit WindowNumbers(const Window &window) {
    for (const WindowDimension &dimension : window.dimensions()) {
      sizes.push_back(dimension.size());
      strides.push_back(dimension.stride());
      pads.append({dimension.padding_low(), dimension.padding_high()});
      dilations.push_back(dimension.window_dilation());
      baseDilations.push_back(dimension.base_dilation());
      reversals.push_back(dimension.window_reversal());
    }
  }

  bool isReversed() const { return llvm::is_contained(reversals, true); }

  mlir::DenseIntElementsAttr padding(Emitter &emitter) const {
    auto type =
        mlir::RankedTensorType::get({int64_t(sizes.size()), 2}, emitter.builder.getI64Type());
    return mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int64_t>(pads));
  }

  llvm::SmallVector<int64_t> sizes, strides, pads, dilations, baseDilations;
  llvm::SmallVector<bool> reversals;
};

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_WINDOW_H
