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

void ArrayBindings::addOthers(const program::ProgramHeader &header) {
  auto add = [&](int32_t number) {
    const program::Region &region = header.regions(number);
    if (region.space() == program::HBM || region.space() == program::PINNED)
      (region.space() == program::HBM ? hbm : pinned)
          .push_back({region.base(), region.base() + region.size()});
  };
  for (const program::Constant &constant : header.constants())
    add(constant.region());
  for (const auto *tensors : {&header.arguments(), &header.results()})
    for (const program::Tensor &tensor : *tensors)
      for (const program::DynamicDim &dim : tensor.dynamic_dims())
        add(dim.region());
}

bool ArrayBindings::isAliased(const program::ProgramHeader &header, const program::Tensor &result) {
  const program::Tensor &over = header.arguments(result.aliased_input() - 1);
  const Planes a = planesOf(result), b = planesOf(over);
  auto isSame = [&](int32_t x, int32_t y) {
    return header.regions(x).base() == header.regions(y).base() &&
           header.regions(x).size() == header.regions(y).size();
  };
  return result.dtype() == over.dtype() && std::ranges::equal(result.dims(), over.dims()) &&
         std::ranges::equal(result.layout().minor_to_major(), over.layout().minor_to_major()) &&
         spaceOf(result) == spaceOf(over) && a.rows == b.rows &&
         std::ranges::equal(a.all(), b.all(), isSame);
}

void ArrayBindings::keepSeparate() {
  const size_t count = ofArguments.size();
  auto arrayOf = [&](const Part &part) -> BoundArray * {
    return part.array == kNoArray ? nullptr
           : part.array < count   ? &ofArguments[part.array]
                                  : &ofResults[part.array - count];
  };
  for (std::vector<Part> *parts : {&hbm, &pinned}) {
    std::ranges::sort(*parts, {}, &Part::begin);
    const Part *last = nullptr; // of those so far, the one that ends last
    for (const Part &part : *parts) {
      if (last && part.begin < last->end)
        for (BoundArray *array : {arrayOf(part), arrayOf(*last)})
          if (array)
            array->isBound = false;
      if (!last || part.end > last->end)
        last = &part;
    }
  }
  for (BoundArray &result : ofResults)
    result.isBound &= !result.aliased || ofArguments[*result.aliased].isBound;
  for (std::vector<Part> *parts : {&hbm, &pinned})
    std::erase_if(*parts, [&](const Part &part) {
      const BoundArray *array = arrayOf(part);
      return !array || !array->isBound;
    });
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
  std::vector<bool> hasResult(count);
  for (size_t i = 0; i < bindings.ofResults.size(); ++i) {
    const program::Tensor &tensor = header.results(int(i));
    BoundArray &result = bindings.ofResults[i];
    result.isBound = deviceRows(tensor) > 0;
    const auto over = size_t(tensor.aliased_input()) - 1;
    if (result.isBound && over < count && isAliased(header, tensor)) {
      // A second result over the same argument is a copy of the first one.
      result.isBound = !hasResult[over];
      if (result.isBound)
        result.aliased = over;
      hasResult[over] = true;
    } else if (absl::Status status = bindings.add(header, tensor, count + i); !status.ok()) {
      return status;
    }
  }
  bindings.addOthers(header);
  bindings.keepSeparate();
  return bindings;
}

int64_t ArrayBindings::ownRows(program::Space space, const std::vector<Place> &arguments) const {
  int64_t rows = space == program::HBM ? hbmRows : pinnedRows;
  for (const Part &part : partsOf(space))
    if (part.array >= arguments.size() || arguments[part.array].row)
      rows -= part.end - part.begin;
  return rows;
}

emulation::AddressMap ArrayBindings::map(program::Space space, const std::vector<Place> &arguments,
                                         const std::vector<Place> &results, int64_t own) const {
  std::vector<emulation::Segment> segments;
  int64_t next = 0;
  auto addOwn = [&](int64_t end) {
    if (next == end)
      return;
    if (!segments.empty() && !segments.back().isReadOnly &&
        segments.back().place + next - segments.back().begin == own)
      segments.back().end = end;
    else
      segments.push_back({next, end, own});
    own += end - next;
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
