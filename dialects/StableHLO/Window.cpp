// The window that convolutions and reductions slide over a tensor.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Window.h"

using namespace mlir;

namespace systole::stablehlo {

std::optional<int64_t> Window::positionsOn(int64_t image) const {
  using Wide = __int128;
  Wide dilated = image == 0 ? Wide(0) : Wide(image - 1) * lhsDilation + 1;
  Wide padded = dilated + low + high;
  Wide shown = size == 0 ? Wide(0) : Wide(size - 1) * rhsDilation + 1;
  if (padded < 0 || padded < shown || padded == 0)
    return 0;
  Wide count = (padded - shown) / stride + 1;
  if (std::max({padded, shown, count}) >= Wide(1) << 62)
    return std::nullopt;
  return static_cast<int64_t>(count);
}

SmallVector<Window> makeWindow(ArrayRef<int64_t> sizes, OptionalInts strides,
                               OptionalInts lhsDilations, OptionalInts rhsDilations,
                               DenseIntElementsAttr padding) {
  SmallVector<Window> window;
  for (int64_t size : sizes)
    window.push_back({size});
  auto set = [&](OptionalInts values, auto member) {
    if (values)
      for (auto [dim, value] : llvm::zip_equal(window, *values))
        dim.*member = value;
  };
  set(strides, &Window::stride);
  set(lhsDilations, &Window::lhsDilation);
  set(rhsDilations, &Window::rhsDilation);
  if (padding) {
    auto amounts = llvm::to_vector(padding.getValues<int64_t>());
    for (auto [number, dim] : llvm::enumerate(window)) {
      dim.low = amounts[2 * number];
      dim.high = amounts[2 * number + 1];
    }
  }
  return window;
}

} // namespace systole::stablehlo
