// How arrays of a program's signature are divided among its cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/Shards.h"

#include "absl/strings/str_cat.h"
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
  for (int d = 0; d < tensor.dims_size(); ++d) {
    const int64_t size = tensor.dims(d), whole = tensor.whole_dims(d);
    if (whole < size || (size == 0 ? whole != 0 : whole % size != 0))
      return invalid("dimension ", d, " of ", whole, " in parts of ", size);
  }
  if (auto status = checkTensor(wholeTensor(tensor)); !status.ok())
    return status;
  if (const int64_t indices = cores * int64_t(tensor.dims_size());
      tensor.core_positions_size() != indices)
    return invalid(tensor.core_positions_size(), " indices of positions of ", cores,
                   " cores; expected ", indices);
  return arrayPartsOf(tensor, cores).status();
}

} // namespace systole
