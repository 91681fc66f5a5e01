// How arrays of a program's signature are divided among its cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/Shards.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Machine/Program/ArrayParts.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole {

template <typename... Parts> static absl::Status invalid(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

bool isSharded(const program::Tensor &tensor) { return tensor.whole_dims_size() > 0; }

program::Tensor wholeTensor(const program::Tensor &tensor) {
  program::Tensor whole = tensor;
  if (isSharded(tensor)) {
    *whole.mutable_dims() = tensor.whole_dims();
    whole.clear_whole_dims();
    whole.clear_core_positions();
  }
  return whole;
}

std::span<const int64_t> positionOf(const program::Tensor &tensor, int core) {
  const auto rank = size_t(tensor.whole_dims_size());
  return std::span(tensor.core_positions().data(), size_t(tensor.core_positions_size()))
      .subspan(size_t(core) * rank, rank);
}

// The number of parts in each dimension.
static absl::Status countParts(const program::Tensor &tensor, std::vector<int64_t> &parts) {
  for (int d = 0; d < tensor.dims_size(); ++d) {
    const int64_t size = tensor.dims(d), whole = tensor.whole_dims(d);
    if (whole < size || (size == 0 ? whole != 0 : whole % size != 0))
      return invalid("dimension ", d, " of ", whole, " in parts of ", size);
    parts.push_back(size == 0 ? 1 : whole / size);
  }
  return absl::OkStatus();
}

absl::Status checkShards(const program::Tensor &tensor, int cores) {
  if (!isSharded(tensor))
    return tensor.core_positions_size() == 0
               ? arrayPartsOf(tensor, cores).status()
               : invalid(tensor.core_positions_size(),
                         " indices of positions of an array that is not divided");
  if (tensor.whole_dims_size() != tensor.dims_size())
    return invalid(tensor.whole_dims_size(), " dimensions in parts of ", tensor.dims_size());
  if (tensor.dynamic_dims_size() > 0)
    return invalid("an array with dynamic dimensions is divided");
  std::vector<int64_t> parts;
  if (auto status = countParts(tensor, parts); !status.ok())
    return status;
  if (auto status = checkTensor(wholeTensor(tensor)); !status.ok())
    return status;
  const int64_t rank = tensor.dims_size();
  if (tensor.core_positions_size() != cores * rank)
    return invalid(tensor.core_positions_size(), " indices of positions of ", cores,
                   " cores; expected ", cores * rank);
  // Of an empty dimension only positions say in how many parts it is.
  for (int64_t d = 0; d < rank; ++d)
    for (int core = 0; core < cores && tensor.dims(int(d)) == 0; ++core)
      parts[size_t(d)] =
          std::clamp(positionOf(tensor, core)[size_t(d)] + 1, parts[size_t(d)], int64_t(cores));
  std::set<std::vector<int64_t>> taken;
  for (int core = 0; core < cores; ++core) {
    const std::span<const int64_t> position = positionOf(tensor, core);
    for (int64_t d = 0; d < rank; ++d)
      if (position[size_t(d)] < 0 || position[size_t(d)] >= parts[size_t(d)])
        return invalid("core ", core, " has part ", position[size_t(d)], " of ", parts[size_t(d)],
                       " of dimension ", d);
    taken.emplace(position.begin(), position.end());
  }
  // Divided as often as possible, since the product of the numbers may overflow.
  auto missing = int64_t(taken.size());
  for (const int64_t count : parts)
    missing = missing % count == 0 ? missing / count : 0;
  if (missing != 1)
    return invalid(absl::StrJoin(parts, " x "), " parts, of which the cores have ", taken.size());
  return arrayPartsOf(tensor, cores).status();
}

} // namespace systole
