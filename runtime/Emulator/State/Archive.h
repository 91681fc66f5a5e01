// Named values as bytes, for states that can be compared and read again.
//
// Each value has its name and its length before it, so that two archives can be compared value by
// value, and bytes that are no archive are refused whatever they are. A type is described once, by
// a function that calls `value` for each of its members, for the writer and for the reader.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_ARCHIVE_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_ARCHIVE_H

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace systole::emulation {

template <typename T>
concept ArchivedBits = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// "name[i]."
std::string elementName(std::string_view name, size_t i);

// Names inside of a scope begin with its name.
class ArchiveScope {
public:
  ArchiveScope(std::string &prefix, std::string_view name) : prefix(prefix), outer(prefix.size()) {
    prefix += name;
  }
  ~ArchiveScope() { prefix.resize(outer); }
  ArchiveScope(const ArchiveScope &) = delete;
  ArchiveScope &operator=(const ArchiveScope &) = delete;

private:
  std::string &prefix;
  size_t outer;
};

class ArchiveWriter {
public:
  static constexpr bool kReads = false;

  template <ArchivedBits T> void value(std::string_view name, const T &x) {
    bytes(name, &x, sizeof(T));
  }
  template <ArchivedBits T, size_t n> void value(std::string_view name, const std::array<T, n> &x) {
    bytes(name, x.data(), n * sizeof(T));
  }
  template <ArchivedBits T, typename A>
  void value(std::string_view name, const std::vector<T, A> &x) {
    bytes(name, x.data(), x.size() * sizeof(T));
  }
  void value(std::string_view name, const std::string &x) { bytes(name, x.data(), x.size()); }
  // `count` bytes.
  void bytes(std::string_view name, const void *data, size_t count);
  // Elements that `describe(archive, element)` describes.
  template <typename T, typename A, typename F>
  void list(std::string_view name, const std::vector<T, A> &elements, F describe) {
    value(name, uint64_t(elements.size()));
    for (size_t i = 0; i < elements.size(); ++i) {
      const ArchiveScope scope(prefix, elementName(name, i));
      describe(*this, elements[i]);
    }
  }
  // Values whose names begin with `name`, such as "copies.".
  template <typename F> void members(std::string_view name, F describe) {
    const ArchiveScope scope(prefix, name);
    describe();
  }

  std::string take() && { return std::move(written); }

private:
  std::string prefix, written;
};

// Reads what a writer has written with the same names. The first difference ends it: values are
// left as they are from then on.
class ArchiveReader {
public:
  static constexpr bool kReads = true;

  explicit ArchiveReader(std::string_view bytes) : rest(bytes) {}

  template <ArchivedBits T> void value(std::string_view name, T &x) { bytes(name, &x, sizeof(T)); }
  void value(std::string_view name, bool &x);
  void value(std::string_view name, std::string &x) { x = next(name); }
  template <ArchivedBits T, size_t n> void value(std::string_view name, std::array<T, n> &x) {
    bytes(name, x.data(), n * sizeof(T));
  }
  template <ArchivedBits T, typename A> void value(std::string_view name, std::vector<T, A> &x) {
    const std::string_view data = next(name);
    if (data.size() % sizeof(T))
      return fail(name);
    x.resize(data.size() / sizeof(T));
    std::memcpy(x.data(), data.data(), data.size());
  }
  void bytes(std::string_view name, void *data, size_t count);
  template <typename T, typename A, typename F>
  void list(std::string_view name, std::vector<T, A> &elements, F describe) {
    uint64_t count = 0;
    value(name, count);
    // Each element has a byte at least.
    if (count > rest.size())
      return fail(name);
    elements.clear();
    for (size_t i = 0; i < count && error.ok(); ++i) {
      const ArchiveScope scope(prefix, elementName(name, i));
      describe(*this, elements.emplace_back());
    }
  }
  template <typename F> void members(std::string_view name, F describe) {
    const ArchiveScope scope(prefix, name);
    describe();
  }

  bool ok() const { return error.ok(); }
  // Ends the reading, since the value of that name is not possible.
  void refuse(std::string_view name) { fail(name); }
  // InvalidArgument that names the first value which is not as expected, or if there are more.
  absl::Status finish() const;

private:
  std::string_view next(std::string_view name);
  void fail(std::string_view name);

  std::string prefix;
  std::string_view rest;
  absl::Status error;
};

// The name of the first value in which two archives differ; "" if they are equal.
std::string firstDifference(std::string_view a, std::string_view b);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_ARCHIVE_H
