// Rows that one array has alone, and maps of memories.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/ArrayBindings.h"

#include <algorithm>
#include <cassert>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/TensorLayout.h"

namespace systole {

static program::Space spaceOf(const program::Tensor &tensor) {
  return tensor.memory() == program::DEVICE ? program::HBM : program::PINNED;
}

absl::Status ArrayBindings::add(const program::ProgramHeader &header, const program::Tensor &tensor,
                                size_t array) {
  const Planes planes = planesOf(tensor);
  if (planes.rows == 0)
    return absl::OkStatus();
  std::vector<Part> &parts = spaceOf(tensor) == program::HBM ? hbm : pinned;
  for (int plane = 0; plane < planes.count; ++plane) {
    const program::Region &region = header.regions(planes.regions[size_t(plane)]);
    if (region.space() != spaceOf(tensor) || region.size() < planes.rows)
      return absl::InvalidArgumentError(
          absl::StrCat("region `", region.name(), "` has no room for ", tensor.name()));
    // The rows behind those of a small array are its own, too.
    const int64_t rows = planes.count == 1 ? region.size() : planes.rows;
    parts.push_back({region.base(),
                     region.base() + std::min(rows, std::max<int64_t>(8, planes.rows)), array,
                     plane * planes.rows});
  }
  return absl::OkStatus();
}

bool ArrayBindings::isAliased(const program::ProgramHeader &header, size_t result) const {
  const program::Tensor &tensor = header.results(int(result));
  const int argument = tensor.aliased_input() - 1;
  if (argument < 0)
    return false;
  const program::Tensor &over = header.arguments(argument);
  const Planes a = planesOf(tensor), b = planesOf(over);
  auto isSame = [&](int32_t x, int32_t y) {
    return header.regions(x).base() == header.regions(y).base() &&
           header.regions(x).size() == header.regions(y).size();
  };
  return spaceOf(tensor) == spaceOf(over) && a.rows == b.rows &&
         std::ranges::equal(a.all(), b.all(), isSame);
}

absl::StatusOr<ArrayBindings> ArrayBindings::create(const program::ProgramHeader &header) {
  ArrayBindings bindings;
  bindings.hbmRows = header.hbm_rows();
  bindings.pinnedRows = header.pinned_rows();
  bindings.ofArguments.resize(size_t(header.arguments_size()));
  bindings.ofResults.resize(size_t(header.results_size()));
  const size_t count = bindings.ofArguments.size();
  for (size_t i = 0; i < count; ++i) {
    const program::Tensor &tensor = header.arguments(int(i));
    bindings.ofArguments[i] = {deviceRows(tensor) > 0, std::nullopt, tensor.donated()};
    if (absl::Status status = bindings.add(header, tensor, i); !status.ok())
      return status;
  }
  for (size_t i = 0; i < bindings.ofResults.size(); ++i) {
    const program::Tensor &tensor = header.results(int(i));
    BoundArray &result = bindings.ofResults[i];
    result.isBound = deviceRows(tensor) > 0;
    if (result.isBound && bindings.isAliased(header, i))
      result.aliased = size_t(tensor.aliased_input() - 1);
    else if (absl::Status status = bindings.add(header, tensor, count + i); !status.ok())
      return status;
  }
  auto boundOf = [&](size_t array) -> BoundArray & {
    return array < count ? bindings.ofArguments[array] : bindings.ofResults[array - count];
  };
  for (std::vector<Part> *parts : {&bindings.hbm, &bindings.pinned}) {
    std::ranges::sort(*parts, {}, &Part::begin);
    const Part *last = nullptr; // of those so far, the one that ends last
    for (const Part &part : *parts) {
      if (last && part.begin < last->end)
        boundOf(part.array).isBound = boundOf(last->array).isBound = false;
      if (!last || part.end > last->end)
        last = &part;
    }
  }
  for (BoundArray &result : bindings.ofResults)
    result.isBound &= !result.aliased || bindings.ofArguments[*result.aliased].isBound;
  for (std::vector<Part> *parts : {&bindings.hbm, &bindings.pinned})
    std::erase_if(*parts, [&](const Part &part) { return !boundOf(part.array).isBound; });
  return bindings;
}

ArrayBindings::Range ArrayBindings::ownRows(program::Space space,
                                            const std::vector<Place> &arguments) const {
  const int64_t rows = space == program::HBM ? hbmRows : pinnedRows;
  Range own{rows, 0};
  auto add = [&](int64_t begin, int64_t end) {
    if (begin < end)
      own = {std::min(own.begin, begin), std::max(own.end, end)};
  };
  int64_t next = 0;
  for (const Part &part : partsOf(space)) {
    add(next, part.begin);
    if (part.array < arguments.size() && !arguments[part.array].row)
      add(part.begin, part.end);
    next = part.end;
  }
  add(next, rows);
  return own.begin < own.end ? own : Range{};
}

emulation::AddressMap ArrayBindings::map(program::Space space, const std::vector<Place> &arguments,
                                         const std::vector<Place> &results, int64_t own) const {
  const int64_t shift = own - ownRows(space, arguments).begin;
  std::vector<emulation::Segment> segments;
  int64_t next = 0;
  auto addOwn = [&](int64_t end) {
    if (next == end)
      return;
    if (!segments.empty() && segments.back().place == shift + segments.back().begin &&
        !segments.back().isReadOnly)
      segments.back().end = end;
    else
      segments.push_back({next, end, shift + next});
    next = end;
  };
  for (const Part &part : partsOf(space)) {
    addOwn(part.begin);
    const Place &place = part.array < arguments.size() ? arguments[part.array]
                                                       : results[part.array - arguments.size()];
    if (!place.row) {
      addOwn(part.end);
      continue;
    }
    segments.push_back({part.begin, part.end, *place.row + part.offset, place.isReadOnly});
    next = part.end;
  }
  addOwn(space == program::HBM ? hbmRows : pinnedRows);
  return emulation::AddressMap(std::move(segments));
}

} // namespace systole
