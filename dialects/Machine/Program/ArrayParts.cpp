// Parts of arrays and the cores that have them, from the positions in a program's header.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/ArrayParts.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole {

static int64_t product(const std::vector<int64_t> &values) {
  return std::accumulate(values.begin(), values.end(), int64_t(1), std::multiplies<>());
}

bool ArrayParts::isDivided() const { return product(counts) > 1; }

int64_t ArrayParts::copies() const { return int64_t(cores.size()) / (product(counts) * terms); }

absl::StatusOr<ArrayParts> arrayPartsOf(const program::Tensor &tensor, int cores) {
  assert(cores >= 1 && "a program has a core");
  const auto rank = size_t(tensor.dims_size());
  auto invalid = [](const auto &...why) {
    return absl::InvalidArgumentError(absl::StrCat(why...));
  };
  ArrayParts result{std::vector<int64_t>(rank, 1), 1, std::vector<int>(size_t(cores))};
  std::iota(result.cores.begin(), result.cores.end(), 0);
  if (tensor.whole_dims().empty() && tensor.core_positions().empty() && tensor.core_terms().empty())
    return result;
  if (size_t(tensor.whole_dims_size()) != rank ||
      size_t(tensor.core_positions_size()) != rank * size_t(cores))
    return invalid(tensor.whole_dims_size(), " dimensions of the whole and ",
                   tensor.core_positions_size(), " positions of ", cores, " cores; it has ", rank,
                   " dimensions");
  for (size_t i = 0; i < rank * size_t(cores); ++i) {
    const int64_t position = tensor.core_positions(int(i));
    if (position < 0 || position >= cores)
      return invalid("a part at position ", position, " for ", cores, " cores");
    result.counts[i % rank] = std::max(result.counts[i % rank], position + 1);
  }
  int64_t parts = 1;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t whole = tensor.whole_dims(int(d)), along = result.counts[d];
    if ((parts *= along) > cores)
      return invalid("more parts than ", cores, " cores");
    if (whole % along != 0 || whole / along != tensor.dims(int(d)))
      return invalid(along, " parts of ", tensor.dims(int(d)), " positions along dimension ", d,
                     " of ", whole);
  }
  if (!tensor.core_terms().empty()) {
    if (tensor.core_terms_size() != cores)
      return invalid(tensor.core_terms_size(), " terms of ", cores, " cores");
    for (const int64_t term : tensor.core_terms()) {
      if (term < 0 || term >= cores)
        return invalid("term ", term, " for ", cores, " cores");
      result.terms = std::max(result.terms, term + 1);
    }
    if ((parts *= result.terms) > cores)
      return invalid("more terms of parts than ", cores, " cores");
  }
  // By core the number of its part, and of its term of that.
  std::vector<int64_t> numbers(size_t(cores), 0), owners(size_t(parts), 0);
  for (size_t core = 0; core < size_t(cores); ++core) {
    for (size_t d = 0; d < rank; ++d)
      numbers[core] =
          numbers[core] * result.counts[d] + tensor.core_positions(int(core * rank + d));
    if (!tensor.core_terms().empty())
      numbers[core] = numbers[core] * result.terms + tensor.core_terms(int(core));
    ++owners[size_t(numbers[core])];
  }
  if (std::ranges::any_of(owners, [&](int64_t count) { return count != owners[0]; }))
    return invalid("not all of ", parts, " parts are of equally many cores");
  std::ranges::stable_sort(result.cores, {}, [&](int core) { return numbers[size_t(core)]; });
  return result;
}

} // namespace systole
