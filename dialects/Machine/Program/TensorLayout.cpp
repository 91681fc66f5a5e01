// Memory of a program's tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/TensorLayout.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Layout/ElementTypes.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole {

static std::span<const int64_t> span(const google::protobuf::RepeatedField<int64_t> &field) {
  return {field.data(), static_cast<size_t>(field.size())};
}

std::vector<int64_t> lyingDims(const program::Tensor &tensor) {
  std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  if (const int64_t tile = tensor.layout().row_tile(); tile > 1) {
    dims[dims.size() - 2] /= tile;
    dims[dims.size() - 1] *= tile;
  }
  return dims;
}

RowShape rowShapeOf(const program::Tensor &tensor) {
  return rowShape(lyingDims(tensor), span(tensor.layout().minor_to_major()),
                  *elementBits(tensor.dtype()));
}

absl::Status checkTensor(const program::Tensor &tensor) {
  if (!elementBits(tensor.dtype()))
    return absl::InvalidArgumentError(
        absl::StrCat("element type '", tensor.dtype(), "' has no layout"));
  if (!elementCount(span(tensor.dims())))
    return absl::InvalidArgumentError(
        absl::StrCat("shape [", absl::StrJoin(tensor.dims(), ","), "] is not one of an array"));
  const auto &order = tensor.layout().minor_to_major();
  std::vector<bool> seen(tensor.dims_size());
  bool permutation = order.size() == tensor.dims_size();
  for (int64_t dim : order) {
    permutation = permutation && dim >= 0 && dim < tensor.dims_size() && !seen[dim];
    if (!permutation)
      break;
    seen[dim] = true;
  }
  if (!permutation)
    return absl::InvalidArgumentError(absl::StrCat("layout {", absl::StrJoin(order, ","),
                                                   "} is not an order of the dimensions of [",
                                                   absl::StrJoin(tensor.dims(), ","), "]"));
  const int64_t tile = tensor.layout().row_tile();
  bool rowMajor = tensor.dims_size() >= 2;
  for (int i = 0; i < order.size(); ++i)
    rowMajor = rowMajor && order.Get(i) == order.size() - 1 - i;
  if (tile < 0 || (tile > 1 && (!rowMajor || kLanes % tile != 0 ||
                                tensor.dims(tensor.dims_size() - 2) % tile != 0)))
    return absl::InvalidArgumentError(absl::StrCat("a row tile of ", tile,
                                                   " positions does not divide the rows of [",
                                                   absl::StrJoin(tensor.dims(), ","), "]"));
  return absl::OkStatus();
}

int64_t deviceRows(const program::Tensor &tensor) {
  assert(elementBits(tensor.dtype()) && "a tensor that checkTensor has accepted");
  return rowShapeOf(tensor).physicalRows(*elementBits(tensor.dtype()));
}

Planes planesOf(const program::Tensor &tensor) {
  const int count = std::max(1, *elementBits(tensor.dtype()) / 32);
  Planes planes = {{tensor.region()}, count, deviceRows(tensor) / count};
  for (int plane = 1; plane < count && plane <= tensor.high_regions_size(); ++plane)
    planes.regions[size_t(plane)] = tensor.high_regions(plane - 1);
  return planes;
}

program::Tensor sizeTensor(const program::DynamicDim &dim) {
  program::Tensor tensor;
  tensor.set_dtype("i32");
  tensor.set_region(dim.region());
  return tensor;
}

bool hasRoomFor(const program::Tensor &tensor, std::span<const int64_t> dims) {
  if (dims.size() != size_t(tensor.dims_size()))
    return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool isDynamic =
        std::ranges::any_of(tensor.dynamic_dims(), [&](const program::DynamicDim &dim) {
          return dim.dim() == int64_t(i);
        });
    const int64_t size = tensor.dims(int(i));
    if (isDynamic ? dims[i] < 0 || dims[i] > size : dims[i] != size)
      return false;
  }
  return true;
}

int64_t hostBytes(const program::Tensor &tensor) {
  assert(elementCount(span(tensor.dims())) && "a tensor that checkTensor has accepted");
  return *elementCount(span(tensor.dims())) * *elementBits(tensor.dtype()) / 8;
}

} // namespace systole
