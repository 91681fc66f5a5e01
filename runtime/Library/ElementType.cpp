// Element types: their names and sizes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "systole/element_type.h"

#include <string_view>

#include "runtime/Client/ArrayType.h"

namespace systole::v0 {

// By value.
static constexpr std::string_view kNames[] = {
    "",
    "i1",
    "i2",
    "i4",
    "i8",
    "i16",
    "i32",
    "i64",
    "ui2",
    "ui4",
    "ui8",
    "ui16",
    "ui32",
    "ui64",
    "f4E2M1FN",
    "f6E2M3FN",
    "f6E3M2FN",
    "f8E3M4",
    "f8E4M3",
    "f8E4M3FN",
    "f8E4M3FNUZ",
    "f8E4M3B11FNUZ",
    "f8E5M2",
    "f8E5M2FNUZ",
    "f8E8M0FNU",
    "bf16",
    "f16",
    "tf32",
    "f32",
    "f64",
    "complex<f32>",
    "complex<f64>",
    "token",
};
static_assert(std::size(kNames) == size_t(ElementType::Token) + 1);

std::string_view elementTypeName(ElementType type) {
  const auto index = size_t(type);
  return index < std::size(kNames) ? kNames[index] : "";
}

ElementType elementTypeFromName(std::string_view name) {
  for (size_t i = 1; i < std::size(kNames); ++i)
    if (kNames[i] == name)
      return ElementType(i);
  return ElementType::Invalid;
}

int64_t elementBytes(ElementType type) { return systole::elementBytes(elementTypeName(type)); }

} // namespace systole::v0
