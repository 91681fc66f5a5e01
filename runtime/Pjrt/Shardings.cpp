// Shardings as text.
//
// Clients learn how arguments and results are divided from attributes of the optimized program: the
// interface has no functions for that.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/Shardings.h"

#include <cassert>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Machine/Program/ArrayParts.h"

namespace systole::pjrt {

std::string shardingOf(const program::Tensor &tensor, int cores) {
  const absl::StatusOr<ArrayParts> parts = arrayPartsOf(tensor, cores);
  assert(parts.ok() && "headers are checked");
  const int64_t copies = parts->copies();
  if (!parts->isDivided() && parts->terms == 1)
    return "{replicated}";
  std::vector<int64_t> dims = parts->counts;
  if (parts->terms > 1)
    dims.push_back(parts->terms);
  if (copies > 1)
    dims.push_back(copies);
  std::string kinds;
  if (parts->terms > 1)
    kinds = copies > 1 ? " last_tile_dims={unreduced, replicated}" : " last_tile_dims={unreduced}";
  else if (copies > 1)
    kinds = " last_tile_dim_replicate";
  return absl::StrCat("{devices=[", absl::StrJoin(dims, ","), "]", absl::StrJoin(parts->cores, ","),
                      kinds, "}");
}

std::vector<std::string>
shardingsOf(const google::protobuf::RepeatedPtrField<program::Tensor> &tensors, int cores) {
  std::vector<std::string> shardings;
  for (const program::Tensor &tensor : tensors)
    shardings.push_back(shardingOf(tensor, cores));
  return shardings;
}

std::string outputSharding(const program::ProgramHeader &header) {
  const std::vector<std::string> shardings = shardingsOf(header.results(), header.cores());
  const std::string list = absl::StrJoin(shardings, ", ");
  return shardings.size() > 1 ? absl::StrCat("{", list, "}") : list;
}

} // namespace systole::pjrt
