// Operands of commands: tensors, their elements, registers and words of memories.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Operand.h"
#include "runtime/Debugger/TransferArrays.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "dialects/Machine/Program/PackTensor.h"
#include "dialects/Machine/Program/TensorLayout.h"

namespace systole::debugger {

absl::StatusOr<NamedTensor> findTensor(const Program &program, absl::string_view text) {
  const program::ProgramHeader &header = program.header;
  // The longest name, since names have brackets: "params['w']".
  std::optional<NamedTensor> found;
  size_t longest = 0;
  auto consider = [&](const program::Tensor &tensor, absl::string_view name) {
    if (name.size() <= longest || !absl::StartsWith(text, name))
      return;
    const absl::string_view rest = absl::StripAsciiWhitespace(text.substr(name.size()));
    if (!rest.empty() && rest.front() != '[')
      return;
    longest = name.size();
    found = NamedTensor{tensor, rest};
  };
  auto considerAll = [&](const auto &tensors, const char *prefix) {
    for (int i = 0; i < tensors.size(); ++i) {
      consider(tensors.Get(i), absl::StrCat(prefix, i));
      consider(tensors.Get(i), tensors.Get(i).name());
    }
  };
  considerAll(header.arguments(), "arg");
  for (int i = 0; i < header.arguments_size(); ++i)
    consider(header.arguments(i), argumentName(header, i));
  considerAll(header.results(), "out");
  if (found)
    return *std::move(found);
  for (const program::HostTransfer &transfer : header.transfers())
    for (const program::Tensor &tensor : transfer.tensors())
      consider(tensor, tensor.name());
  const std::vector<ArrayCopy> copies =
      found ? copiesOf(program, found->tensor) : std::vector<ArrayCopy>();
  if (copies.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("there is no argument or result '", text, "'; `info tensors` lists them"));
  return NamedTensor{copies.front().onDevice, found->rest};
}

namespace {

// Elements of one dimension.
struct Range {
  int64_t first = 0, step = 1, count = 0;
  bool isIndex = false; // the dimension goes
};

// `text` is one of "3", "1:4", "::2", as of a dimension of `size` elements.
std::optional<Range> parseRange(absl::string_view text, int64_t size) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  std::optional<int64_t> values[3];
  for (size_t i = 0; i < parts.size(); ++i) {
    const absl::string_view part = absl::StripAsciiWhitespace(parts[i]);
    int64_t value;
    if (i >= 3 || (!part.empty() && !absl::SimpleAtoi(part, &value)))
      return std::nullopt;
    if (!part.empty())
      values[i] = value;
  }
  if (parts.size() == 1) {
    if (!values[0] || *values[0] < -size || *values[0] >= size)
      return std::nullopt;
    return Range{*values[0] < 0 ? *values[0] + size : *values[0], 1, 1, true};
  }
  const int64_t step = values[2].value_or(1);
  if (step == 0 || step == INT64_MIN)
    return std::nullopt;
  auto bound = [&](std::optional<int64_t> value, int64_t otherwise) {
    if (!value)
      return otherwise;
    const int64_t least = step < 0 ? -1 : 0, most = step < 0 ? size - 1 : size;
    return std::clamp(*value < 0 ? *value + size : *value, least, most);
  };
  const int64_t first = bound(values[0], step < 0 ? size - 1 : 0),
                end = bound(values[1], step < 0 ? -1 : size);
  const int64_t distance = step < 0 ? first - end : end - first;
  return Range{first, step, distance <= 0 ? 0 : (distance - 1) / std::abs(step) + 1, false};
}

absl::StatusOr<std::vector<Range>> parseRanges(const std::vector<int64_t> &dims,
                                               absl::string_view text) {
  std::vector<Range> ranges;
  for (int64_t size : dims)
    ranges.push_back({0, 1, size, false});
  const absl::string_view all = text;
  if (text.empty())
    return ranges;
  const bool hasBrackets = absl::ConsumePrefix(&text, "[") && absl::ConsumeSuffix(&text, "]");
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  bool isValid = hasBrackets && parts.size() <= dims.size();
  for (size_t i = 0; isValid && i < parts.size(); ++i) {
    std::optional<Range> range = parseRange(absl::StripAsciiWhitespace(parts[i]), dims[i]);
    isValid = range.has_value();
    if (isValid)
      ranges[i] = *range;
  }
  if (!isValid)
    return absl::InvalidArgumentError(
        absl::StrCat("'", all, "' names no elements of an array of ", dims.size(), " dimensions"));
  return ranges;
}

// Calls f(number of the element in row-major order) for the elements of ranges.
template <typename F>
void forEachElement(const std::vector<int64_t> &dims, const std::vector<Range> &ranges, F f) {
  std::vector<int64_t> at(dims.size(), 0);
  if (std::ranges::any_of(ranges, [](const Range &range) { return range.count == 0; }))
    return;
  for (;;) {
    int64_t element = 0;
    for (size_t d = 0; d < dims.size(); ++d)
      element = element * dims[d] + ranges[d].first + at[d] * ranges[d].step;
    f(element);
    size_t d = dims.size();
    while (d > 0 && ++at[d - 1] == ranges[d - 1].count)
      at[--d] = 0;
    if (d == 0)
      return;
  }
}

int64_t elementsOf(const std::vector<int64_t> &dims) {
  int64_t elements = 1;
  for (int64_t size : dims)
    elements *= size;
  return elements;
}

} // namespace

absl::StatusOr<HostArray> sliced(const HostArray &array, absl::string_view text) {
  absl::StatusOr<std::vector<Range>> ranges = parseRanges(array.dims, text);
  if (!ranges.ok())
    return ranges.status();
  HostArray result{array.dtype, {}, {}};
  for (const Range &range : *ranges)
    if (!range.isIndex)
      result.dims.push_back(range.count);
  const int64_t elements = elementsOf(array.dims);
  const size_t width = elements == 0 ? 0 : array.bytes.size() / size_t(elements);
  forEachElement(array.dims, *ranges, [&](int64_t element) {
    const uint8_t *from = array.bytes.data() + size_t(element) * width;
    result.bytes.insert(result.bytes.end(), from, from + width);
  });
  return result;
}

absl::StatusOr<std::string> elementOf(const std::vector<int64_t> &dims, absl::string_view text,
                                      int64_t index) {
  absl::StatusOr<std::vector<Range>> ranges = parseRanges(dims, text);
  if (!ranges.ok())
    return ranges.status();
  absl::string_view inside = text;
  absl::ConsumePrefix(&inside, "[");
  absl::ConsumeSuffix(&inside, "]");
  std::vector<std::string> parts = absl::StrSplit(inside, ',', absl::SkipWhitespace());
  const auto left = std::ranges::find(*ranges, false, &Range::isIndex);
  if (left == ranges->end() || index < 0 || index >= left->count)
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' has no element ", index));
  const auto dim = size_t(left - ranges->begin());
  parts.resize(std::max(parts.size(), dim + 1), ":");
  parts[dim] = absl::StrCat(left->first + index * left->step);
  for (std::string &part : parts)
    part = std::string(absl::StripAsciiWhitespace(part));
  return absl::StrCat("[", absl::StrJoin(parts, ", "), "]");
}

std::optional<int> registerIn(absl::string_view text, absl::string_view prefix, int count) {
  int number;
  if (absl::ConsumePrefix(&text, prefix) && absl::SimpleAtoi(text, &number) && number >= 0 &&
      number < count)
    return number;
  return std::nullopt;
}

std::optional<WatchedWords> parseWords(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  const std::pair<absl::string_view, absl::string_view> numbers =
      absl::StrSplit(parts.second, absl::MaxSplits('+', 1));
  WatchedWords words;
  words.count = 1;
  if (parts.first == "hbm")
    words.space = program::HBM;
  else if (parts.first == "vmem")
    words.space = program::VMEM;
  else if (parts.first == "smem")
    words.space = program::SMEM;
  else if (parts.first == "pinned")
    words.space = program::PINNED;
  else
    return std::nullopt;
  if (!absl::SimpleAtoi(numbers.first, &words.first) || words.first < 0 ||
      (!numbers.second.empty() && !absl::SimpleAtoi(numbers.second, &words.count)) ||
      words.count < 1 || words.first > INT64_MAX - words.count)
    return std::nullopt;
  return words;
}

absl::StatusOr<std::vector<WatchedWords>> wordsOf(const Program &program, absl::string_view text) {
  if (std::optional<WatchedWords> words = parseWords(text))
    return std::vector<WatchedWords>{*words};
  absl::StatusOr<NamedTensor> named = findTensor(program, text);
  if (!named.ok())
    return named.status();
  const program::Tensor &tensor = named->tensor;
  const std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  absl::StatusOr<std::vector<Range>> ranges = parseRanges(dims, named->rest);
  if (!ranges.ok())
    return ranges.status();
  // Where elements are follows from an array that has bits in these alone.
  const int64_t elements = elementsOf(dims);
  std::vector<uint8_t> host(size_t(hostBytes(tensor)), 0);
  const size_t width = elements == 0 ? 0 : host.size() / size_t(elements);
  forEachElement(dims, *ranges, [&](int64_t element) {
    std::memset(host.data() + size_t(element) * width, 0xff, width);
  });
  std::vector<uint32_t> device(size_t(deviceRows(tensor)) * isa::kLanes, 0);
  toDevice(tensor, host.data(), reinterpret_cast<uint8_t *>(device.data()));
  std::vector<WatchedWords> found;
  const Planes planes = planesOf(tensor);
  const int64_t planeWords = planes.rows * isa::kLanes;
  for (int plane = 0; plane < planes.count; ++plane) {
    const program::Region &region = program.header.regions(planes.regions[size_t(plane)]);
    const int64_t base = region.base() * isa::kLanes;
    for (int64_t word = 0; word < planeWords; ++word) {
      if (device[size_t(plane * planeWords + word)] == 0)
        continue;
      if (found.empty() || found.back().space != region.space() ||
          found.back().first + found.back().count != base + word)
        found.push_back({region.space(), base + word, 0});
      ++found.back().count;
    }
  }
  if (found.empty())
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' has no elements"));
  return found;
}

} // namespace systole::debugger
