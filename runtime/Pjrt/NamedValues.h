// Lists of named values of the C interface.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_NAMEDVALUES_H
#define SYSTOLE_RUNTIME_PJRT_NAMEDVALUES_H

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "pjrt_c_api.h"

namespace systole::pjrt {

// Owns names and values.
class NamedValues {
public:
  NamedValues() = default;
  NamedValues(const NamedValues &) = delete; // the values point into it
  NamedValues(NamedValues &&) noexcept = default;

  void add(std::string name, int64_t value);
  void add(std::string name, float value);
  void add(std::string name, std::string value);
  void add(std::string name, std::vector<int64_t> value);

  const PJRT_NamedValue *data() const { return values.data(); }
  size_t size() const { return values.size(); }

private:
  PJRT_NamedValue &addValue(std::string name, PJRT_NamedValue_Type type);

  std::vector<PJRT_NamedValue> values;
  std::deque<std::string> texts; // a deque, whose elements do not move
  std::deque<std::vector<int64_t>> lists;
};

// The value of a string option; "" if it is absent. InvalidArgument for another
// type.
absl::StatusOr<std::string> findText(const PJRT_NamedValue *options, size_t count,
                                     absl::string_view name);

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_NAMEDVALUES_H
