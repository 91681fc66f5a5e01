// The log messages of a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/LogMessages.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Layout/ElementTypes.h"

namespace systole {
namespace {

constexpr int64_t kMostWords = int64_t(1) << 24;
constexpr int kMostDims = 64;

std::span<const int64_t> dimsOf(const program::LogValue &value) {
  return {value.dims().data(), size_t(value.dims_size())};
}

// Of a message that has been checked.
int64_t elementsOf(const program::LogValue &value) { return *elementCount(dimsOf(value)); }

bool isFloat(std::string_view dtype) { return dtype.front() == 'f' || dtype.front() == 'b'; }

// As XLA names them.
std::string nameOf(std::string_view dtype) {
  if (dtype == "i1")
    return "pred";
  if (dtype.starts_with("ui"))
    return absl::StrCat("u", std::string(dtype.substr(2)));
  if (dtype.starts_with("i"))
    return absl::StrCat("s", std::string(dtype.substr(1)));
  std::string name(dtype);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return name;
}

std::string elementText(std::string_view dtype, uint32_t word) {
  if (!isFloat(dtype))
    return dtype.starts_with("ui") ? absl::StrCat(word) : absl::StrCat(int32_t(word));
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), std::bit_cast<float>(word));
  return {buffer, end.ptr};
}

// The elements of an array behind its dimension `dim`, in braces, a line for each row.
void appendArray(std::string &text, const program::LogValue &value, int dim,
                 std::span<const uint32_t> words) {
  const int64_t size = value.dims(dim);
  const bool isRow = dim + 1 == value.dims_size() || words.empty();
  text += "{";
  for (int64_t i = 0; i < size && !words.empty(); ++i) {
    const size_t part = words.size() / size_t(size);
    text += i == 0 ? "" : isRow ? ", " : ",";
    if (isRow) {
      text += elementText(value.dtype(), words[size_t(i)]);
    } else {
      text += "\n" + std::string(size_t(2 * (dim + 1)), ' ');
      appendArray(text, value, dim + 1, words.subspan(size_t(i) * part, part));
    }
  }
  text += isRow ? "}" : "\n" + std::string(size_t(2 * dim), ' ') + "}";
}

} // namespace

absl::Status checkLogMessage(const program::LogMessage &message) {
  if (message.texts_size() != message.values_size() + 1)
    return absl::InvalidArgumentError(absl::StrCat("has ", message.values_size(), " values and ",
                                                   message.texts_size(), " texts"));
  int64_t words = 0;
  for (const program::LogValue &value : message.values()) {
    const std::optional<int> bits = elementBits(value.dtype());
    const std::optional<int64_t> elements = elementCount(dimsOf(value));
    if (!bits || *bits > 32)
      return absl::InvalidArgumentError(
          absl::StrCat("has a value of type '", value.dtype(), "', which is unsupported"));
    if (value.dims_size() > kMostDims)
      return absl::InvalidArgumentError(absl::StrCat("has a value of ", value.dims_size(),
                                                     " dimensions; up to ", kMostDims,
                                                     " are supported"));
    if (!elements || *elements > kMostWords || (words += *elements) > kMostWords)
      return absl::InvalidArgumentError(
          absl::StrCat("has more than ", kMostWords, " elements, or a negative dimension"));
  }
  return absl::OkStatus();
}

int64_t wordsOf(const program::LogMessage &message) {
  int64_t words = 0;
  for (const program::LogValue &value : message.values())
    words += elementsOf(value);
  return std::max<int64_t>(words, 1);
}

std::string renderLog(const program::LogMessage &message, std::span<const uint32_t> words) {
  std::string text = message.texts(0);
  for (int i = 0; i < message.values_size(); ++i) {
    const program::LogValue &value = message.values(i);
    const auto count = size_t(elementsOf(value));
    if (message.typed())
      absl::StrAppend(&text, nameOf(value.dtype()), "[", absl::StrJoin(value.dims(), ","), "] ");
    if (value.dims().empty())
      text += elementText(value.dtype(), words.front());
    else
      appendArray(text, value, 0, words.first(count));
    words = words.subspan(count);
    text += message.texts(i + 1);
  }
  return text;
}

} // namespace systole
