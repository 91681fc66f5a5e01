// Sizes of the tensors that a program takes and gives.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Program/TensorLayout.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace systole {

// Far above any memory, far below where products of a few overflow.
static constexpr int64_t kMaxElements = int64_t(1) << 44;

std::optional<int> elementBytes(absl::string_view dtype) {
  static constexpr struct {
    absl::string_view name;
    int bytes;
  } kTypes[] = {{"f32", 4}, {"i32", 4},  {"ui32", 4}, {"bf16", 2}, {"f16", 2},
                {"i16", 2}, {"ui16", 2}, {"i1", 1},   {"i8", 1},   {"ui8", 1}};
  for (const auto &type : kTypes)
    if (type.name == dtype)
      return type.bytes;
  return std::nullopt;
}

absl::StatusOr<TensorShape> tensorShape(const program::Tensor &tensor) {
  auto error = [&](auto &&...parts) {
    return absl::InvalidArgumentError(absl::StrCat("tensor `", tensor.name(), "`: ", parts...));
  };
  const auto bytes = elementBytes(tensor.dtype());
  if (!bytes)
    return error("unknown element type `", tensor.dtype(), "`");
  const int rank = tensor.dims_size();
  const auto &order = tensor.layout().minor_to_major();
  if (order.size() != rank)
    return error("layout names ", order.size(), " of ", rank, " dimensions");

  TensorShape shape;
  shape.elementBytes = *bytes;
  std::vector<bool> seen(rank, false);
  int64_t elements = 1;
  for (int i = 0; i < rank; ++i) {
    const int64_t dim = order.Get(i);
    if (dim < 0 || dim >= rank || seen[dim])
      return error("layout is not a permutation of its dimensions");
    seen[dim] = true;
    const int64_t extent = tensor.dims(int(dim));
    if (extent < 0 || extent > kMaxElements)
      return error("dimension ", dim, " is ", extent);
    // A zero dimension empties the tensor, but the others still bound it.
    if (extent > 0 && elements > kMaxElements / extent)
      return error("more than ", kMaxElements, " elements");
    elements *= extent > 0 ? extent : 1;
    if (i == 0)
      shape.columns = extent;
    else
      shape.rows *= extent;
  }
  return shape;
}

}  // namespace systole
