// The window that convolutions and reductions slide over a tensor.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_WINDOW_H
#define SYSTOLE_DIALECTS_STABLEHLO_WINDOW_H

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace systole::stablehlo {

/// A window along one dimension.
struct Window {
  int64_t size;
  int64_t stride = 1;
  int64_t low = 0, high = 0;
  int64_t lhsDilation = 1, rhsDilation = 1;
  bool reversed = false;

  /// Elements from the first to the last of the window.
  int64_t extent() const { return size == 0 ? 0 : (size - 1) * rhsDilation + 1; }
  /// The number of window positions on `image` elements; std::nullopt if a count exceeds 62 bits.
  std::optional<int64_t> positionsOn(int64_t image) const;
};

/// An attribute with an entry per dimension.
using OptionalInts = std::optional<llvm::ArrayRef<int64_t>>;

/// A window of `sizes`; absent attributes are 1, or 0 for the padding.
llvm::SmallVector<Window> makeWindow(llvm::ArrayRef<int64_t> sizes, OptionalInts strides,
                                     OptionalInts lhsDilations, OptionalInts rhsDilations,
                                     mlir::DenseIntElementsAttr padding);

} // namespace systole::stablehlo

#endif // SYSTOLE_DIALECTS_STABLEHLO_WINDOW_H
