// The form of named values.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/Archive.h"

#include <cassert>

#include "absl/strings/str_cat.h"

namespace systole::emulation {

// A value: the length of its name in a byte, the name, the length of its data, the data.

std::string elementName(std::string_view name, size_t i) {
  return absl::StrCat(std::string(name), "[", i, "].");
}

void ArchiveWriter::bytes(std::string_view name, const void *data, size_t count) {
  static_assert(sizeof(size_t) == sizeof(uint64_t));
  std::string whole = prefix;
  whole += name;
  assert(whole.size() <= UINT8_MAX && "names are short");
  written.push_back(char(whole.size()));
  written.append(whole);
  written.append(reinterpret_cast<const char *>(&count), sizeof(count));
  written.append(static_cast<const char *>(data), count);
}

namespace {

struct NamedValue {
  std::string_view name, data;
};

// Takes the first value from `rest`. False if there is no complete one.
bool takeValue(std::string_view &rest, NamedValue &value) {
  const size_t nameLength = rest.empty() ? 0 : uint8_t(rest[0]);
  const size_t before = 1 + nameLength + sizeof(uint64_t);
  if (rest.size() < before)
    return false;
  uint64_t length;
  std::memcpy(&length, rest.data() + 1 + nameLength, sizeof(length));
  if (length > rest.size() - before)
    return false;
  value = {rest.substr(1, nameLength), rest.substr(before, length)};
  rest.remove_prefix(before + length);
  return true;
}

} // namespace

std::string_view ArchiveReader::next(std::string_view name) {
  NamedValue value;
  if (error.ok() && takeValue(rest, value) && value.name.starts_with(prefix) &&
      value.name.substr(prefix.size()) == name)
    return value.data;
  fail(name);
  return {};
}

void ArchiveReader::fail(std::string_view name) {
  if (error.ok())
    error = absl::InvalidArgumentError(
        absl::StrCat("`", prefix, std::string(name), "` is missing or malformed"));
}

void ArchiveReader::bytes(std::string_view name, void *data, size_t count) {
  const std::string_view found = next(name);
  if (found.size() != count)
    return fail(name);
  if (error.ok() && count > 0)
    std::memcpy(data, found.data(), count);
}

void ArchiveReader::value(std::string_view name, bool &x) {
  uint8_t byte = 0;
  bytes(name, &byte, 1);
  if (byte > 1)
    return fail(name);
  x = byte;
}

absl::Status ArchiveReader::finish() const {
  if (error.ok() && !rest.empty())
    return absl::InvalidArgumentError("there are more values than a state has");
  return error;
}

std::string firstDifference(std::string_view a, std::string_view b) {
  NamedValue first, second;
  while (takeValue(a, first)) {
    if (!takeValue(b, second) || first.name != second.name || first.data != second.data)
      return std::string(first.name);
  }
  return takeValue(b, second) ? std::string(second.name) : "";
}

} // namespace systole::emulation
