// Named values that point to texts and lists stored beside them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/NamedValues.h"

#include "absl/strings/str_cat.h"
#include "runtime/Pjrt/Entry.h"

namespace systole::pjrt {

PJRT_NamedValue &NamedValues::addValue(std::string name, PJRT_NamedValue_Type type) {
  texts.push_back(std::move(name));
  PJRT_NamedValue value{};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = texts.back().data();
  value.name_size = texts.back().size();
  value.type = type;
  value.value_size = 1;
  values.push_back(value);
  return values.back();
}

void NamedValues::add(std::string name, int64_t value) {
  addValue(std::move(name), PJRT_NamedValue_kInt64).int64_value = value;
}

void NamedValues::add(std::string name, float value) {
  addValue(std::move(name), PJRT_NamedValue_kFloat).float_value = value;
}

void NamedValues::add(std::string name, std::string value) {
  PJRT_NamedValue &added = addValue(std::move(name), PJRT_NamedValue_kString);
  texts.push_back(std::move(value));
  added.string_value = texts.back().data();
  added.value_size = texts.back().size();
}

void NamedValues::add(std::string name, std::vector<int64_t> value) {
  PJRT_NamedValue &added = addValue(std::move(name), PJRT_NamedValue_kInt64List);
  lists.push_back(std::move(value));
  added.int64_array_value = lists.back().data();
  added.value_size = lists.back().size();
}

// The distance between the elements of a caller's list. It is their size, if that can be one: of
// ours or of a newer version's, which has some more fields of 8 bytes.
static size_t strideOf(const PJRT_NamedValue &first) {
  constexpr size_t kMostNewBytes = 256;
  const size_t size = first.struct_size;
  const bool possible = size >= sizeof(PJRT_NamedValue) &&
                        size <= sizeof(PJRT_NamedValue) + kMostNewBytes &&
                        size % alignof(PJRT_NamedValue) == 0;
  return possible ? size : sizeof(PJRT_NamedValue);
}

absl::StatusOr<std::string> findText(const PJRT_NamedValue *options, size_t count,
                                     absl::string_view name) {
  SYSTOLE_PJRT_REQUIRE_LIST(options, count);
  const size_t stride = count > 0 ? strideOf(*options) : 0;
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue option = nestedCopyOf(reinterpret_cast<const PJRT_NamedValue *>(
        reinterpret_cast<const char *>(options) + i * stride));
    SYSTOLE_PJRT_REQUIRE_LIST(option.name, option.name_size);
    if (absl::string_view(option.name, option.name_size) != name)
      continue;
    if (option.type != PJRT_NamedValue_kString)
      return absl::InvalidArgumentError(absl::StrCat("option ", name, " is no text"));
    SYSTOLE_PJRT_REQUIRE_LIST(option.string_value, option.value_size);
    return std::string(option.string_value, option.value_size);
  }
  return "";
}

} // namespace systole::pjrt
