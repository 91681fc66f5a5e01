// Lists of devices that StableHLO's communication names.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Devices.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace systole::stablehlo {

/// Pads the rows of smaller groups.
static constexpr int64_t kNoDevice = -1;

SmallVector<int64_t> numbersOf(DenseIntElementsAttr list) {
  int64_t count = list.isSplat() ? std::min<int64_t>(list.size(), 4) : list.size();
  auto values = list.value_begin<int64_t>();
  return SmallVector<int64_t>(values, values + count);
}

FailureOr<int64_t> checkDevices(const Refusal &refuse, StringRef name, ArrayRef<int64_t> devices,
                                bool isFilledUp) {
  llvm::DenseSet<int64_t> seen;
  for (int64_t device : devices) {
    if (isFilledUp && device == kNoDevice)
      continue;
    if (device < 0)
      return refuse("cannot name device ", device, " in ", name);
    if (!seen.insert(device).second)
      return refuse("names device ", device, " twice in ", name);
  }
  return seen.size();
}

LogicalResult checkDevicePairs(const Refusal &refuse, DenseIntElementsAttr pairs) {
  ShapedType type = pairs.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return refuse("requires source_target_pairs to have two columns, but they are of type ", type);
  SmallVector<int64_t> ends[2];
  for (auto [i, device] : llvm::enumerate(numbersOf(pairs)))
    ends[i % 2].push_back(device);
  for (int i : {0, 1})
    if (failed(checkDevices(
            refuse, i == 0 ? "sources of source_target_pairs" : "targets of source_target_pairs",
            ends[i], /*isFilledUp=*/false)))
      return failure();
  return success();
}

} // namespace systole::stablehlo
