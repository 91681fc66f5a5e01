// Chooses the dimension along the lanes that costs least padding.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Layout/EntryLayout.h"

#include "dialects/Layout/RowLayout.h"

#include <algorithm>

namespace systole {

int64_t rowTile(std::span<const int64_t> dims) {
  if (dims.size() < 2)
    return 1;
  const int64_t columns = dims.back(), inner = dims[dims.size() - 2];
  if (columns < kLeastSharedLanes || columns > kLanes / 2 || kLanes % columns != 0)
    return 1;
  const int64_t tile = kLanes / columns;
  int64_t rows = 1;
  for (int64_t size : dims.first(dims.size() - 1))
    rows *= size;
  return inner % tile == 0 && rows - rows / tile >= kLayoutSavedRows ? tile : 1;
}

std::vector<int64_t> entryOrder(std::span<const int64_t> dims) {
  const int64_t rank = static_cast<int64_t>(dims.size());
  auto withLanes = [&](int64_t lanes) {
    std::vector<int64_t> order{lanes};
    for (int64_t d = rank; d-- > 0;)
      if (d != lanes)
        order.push_back(d);
    return order;
  };
  if (rank < 2)
    return std::vector<int64_t>(rank, 0);
  std::vector<int64_t> rowMajor = withLanes(rank - 1);
  const int64_t rows = logicalRows(dims, rowMajor) / rowTile(dims);
  int64_t fewest = rows;
  for (int64_t d = rank - 1; d-- > 0;)
    fewest = std::min(fewest, logicalRows(dims, withLanes(d)));
  if (fewest > rows / kLayoutGain || rows - fewest < kLayoutSavedRows)
    return rowMajor;
  // Of nearly equal ones the innermost dimension: windows move along it, or operations join it with
  // the last one, while an outer one is the batch.
  for (int64_t d = rank - 1; d-- > 0;)
    if (std::vector<int64_t> order = withLanes(d); 4 * logicalRows(dims, order) <= 5 * fewest)
      return order;
  return rowMajor;
}

int64_t entryTile(std::span<const int64_t> dims) {
  // Arrays in another order have the lanes full already.
  const std::vector<int64_t> order = entryOrder(dims);
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<int64_t>(order.size() - 1 - i))
      return 1;
  return rowTile(dims);
}

} // namespace systole
