// Arrays of other sizes, and names of arrays and signature entries in messages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/HostArray.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Layout/ElementTypes.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole {

template <typename Array> static std::string format(const std::string &dtype, const Array &dims) {
  return absl::StrCat("tensor<", absl::StrJoin(dims, "x"), dims.empty() ? "" : "x", dtype, ">");
}

std::string typeString(const HostArray &array) { return format(array.dtype, array.dims); }

std::string typeString(const program::Tensor &tensor) {
  std::vector<std::string> dims, bounds;
  for (int64_t size : tensor.dims()) {
    dims.push_back(absl::StrCat(size));
    bounds.push_back("?");
  }
  for (const program::DynamicDim &dim : tensor.dynamic_dims())
    std::swap(dims[size_t(dim.dim())], bounds[size_t(dim.dim())]);
  std::string type = format(tensor.dtype(), dims);
  if (tensor.dynamic_dims().empty())
    return type;
  type.pop_back();
  return absl::StrCat(type, ", #stablehlo.bounds<", absl::StrJoin(bounds, ", "), ">>");
}

HostArray resized(const HostArray &array, std::vector<int64_t> dims) {
  const size_t bytes = size_t(elementBits(array.dtype).value_or(0) / 8);
  HostArray result{array.dtype, std::move(dims), {}};
  size_t count = 1;
  for (int64_t size : result.dims)
    count *= size_t(size);
  result.bytes.resize(count * bytes);
  // Copies what both have, a row after the other.
  const size_t rank = result.dims.size();
  std::vector<size_t> common(rank), index(rank, 0);
  for (size_t i = 0; i < rank; ++i)
    common[i] = size_t(std::min(array.dims[i], result.dims[i]));
  if (std::ranges::find(common, 0u) != common.end())
    return result;
  const size_t row = (rank == 0 ? 1 : common.back()) * bytes;
  auto offset = [&](const std::vector<int64_t> &sizes) {
    size_t place = 0;
    for (size_t i = 0; i < rank; ++i)
      place = place * size_t(sizes[i]) + index[i];
    return place * bytes;
  };
  for (bool isDone = false; !isDone;) {
    std::memcpy(result.bytes.data() + offset(result.dims), array.bytes.data() + offset(array.dims),
                row);
    isDone = true;
    for (size_t i = rank == 0 ? 0 : rank - 1; i-- > 0;) {
      if (++index[i] < common[i]) {
        isDone = false;
        break;
      }
      index[i] = 0;
    }
  }
  return result;
}

} // namespace systole
