// Arrays that are divided among the cores of a slice, on the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/Shards.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Layout/ElementTypes.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole {
namespace {

// Elements of an array that are side by side there and in a part of it: their offsets in both.
using Run = absl::FunctionRef<void(int64_t whole, int64_t part, int64_t count)>;

std::vector<int64_t> dimsOf(const program::Tensor &tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

int64_t elementBytes(const HostArray &array) { return elementBits(array.dtype).value_or(0) / 8; }

void forEachRun(const program::Tensor &tensor, int core, Run run) {
  const std::vector<int64_t> dims = dimsOf(tensor);
  if (std::ranges::find(dims, 0) != dims.end())
    return;
  const std::span<const int64_t> position = positionOf(tensor, core);
  // Dimensions behind the last divided one are whole.
  size_t last = dims.size() - 1;
  int64_t count = dims[last];
  while (last > 0 && dims[last] == tensor.whole_dims(int(last)))
    count *= dims[--last];
  std::vector<int64_t> index(last, 0);
  for (int64_t part = 0;; part += count) {
    int64_t place = 0;
    for (size_t d = 0; d < dims.size(); ++d)
      place = place * tensor.whole_dims(int(d)) + position[d] * dims[d] + (d < last ? index[d] : 0);
    run(place, part, count);
    size_t d = last;
    while (d > 0 && ++index[d - 1] == dims[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

// The index of an element in row-major order.
std::string indexText(std::span<const int64_t> dims, int64_t element) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0; element /= dims[d])
    index[d] = element % dims[d];
  return absl::StrCat("[", absl::StrJoin(index, ", "), "]");
}

// The first byte in which a part differs from the array; -1 if none does.
int64_t firstDifference(const program::Tensor &tensor, int core, const HostArray &whole,
                        const HostArray &part) {
  const int64_t bytes = elementBytes(part);
  int64_t found = -1;
  forEachRun(tensor, core, [&](int64_t from, int64_t to, int64_t count) {
    const auto own = std::span(part.bytes).subspan(size_t(to * bytes), size_t(count * bytes));
    const auto other = whole.bytes.begin() + ptrdiff_t(from * bytes);
    if (const auto place = std::ranges::mismatch(own, std::span(other, own.size())).in1;
        found < 0 && place != own.end())
      found = to * bytes + (place - own.begin());
  });
  return found;
}

} // namespace

HostArray shardOf(const HostArray &whole, const program::Tensor &tensor, int core) {
  HostArray part{whole.dtype, dimsOf(tensor), {}};
  part.bytes.resize(size_t(hostBytes(tensor)));
  const int64_t bytes = elementBytes(whole);
  forEachRun(tensor, core, [&](int64_t from, int64_t to, int64_t count) {
    std::memcpy(part.bytes.data() + to * bytes, whole.bytes.data() + from * bytes,
                size_t(count * bytes));
  });
  return part;
}

absl::Status ShardAssembler::add(const HostArray &part) {
  const int core = nextCore++;
  const std::span<const int64_t> position =
      isSharded(tensor) ? positionOf(tensor, core) : std::span<const int64_t>();
  const auto [place, isFirst] = firstCores.try_emplace({position.begin(), position.end()}, core);
  auto conflict = [&](const std::string &what) {
    return absl::InvalidArgumentError(absl::StrCat("cores ", place->second, " and ", core,
                                                   " have the same part with different ", what));
  };
  if (!isSharded(tensor)) {
    if (isFirst)
      whole = part;
    if (part.dims != whole.dims)
      return conflict("sizes");
    const auto different = std::ranges::mismatch(part.bytes, whole.bytes).in1;
    if (different != part.bytes.end())
      return conflict(absl::StrCat(
          "values from element ",
          indexText(part.dims, (different - part.bytes.begin()) / elementBytes(part)), " on"));
    return absl::OkStatus();
  }
  if (core == 0) {
    whole = {part.dtype, {tensor.whole_dims().begin(), tensor.whole_dims().end()}, {}};
    whole.bytes.resize(size_t(hostBytes(wholeTensor(tensor))));
  }
  const int64_t bytes = elementBytes(part);
  if (!isFirst) {
    const int64_t different = firstDifference(tensor, core, whole, part);
    return different < 0 ? absl::OkStatus()
                         : conflict(absl::StrCat("values from element ",
                                                 indexText(part.dims, different / bytes), " on"));
  }
  forEachRun(tensor, core, [&](int64_t to, int64_t from, int64_t count) {
    std::memcpy(whole.bytes.data() + to * bytes, part.bytes.data() + from * bytes,
                size_t(count * bytes));
  });
  return absl::OkStatus();
}

absl::Status checkNoTerms(const program::Tensor &tensor) {
  if (tensor.core_terms().empty())
    return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("`", tensor.name(),
                   "` is a sum of partial sums on different cores, which files do not have"));
}

} // namespace systole
