// Element types of arrays.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_ELEMENT_TYPE_H
#define SYSTOLE_ELEMENT_TYPE_H

#include <cstdint>
#include <string_view>

#include "systole/export.h"

namespace systole::SYSTOLE_V0 {

/// All element types of StableHLO but the quantized ones, which are parameterized. Values are
/// those of `systole_element_type` in systole.h and never change.
enum class ElementType : int32_t {
  Invalid = 0,
  I1 = 1,
  I2 = 2,
  I4 = 3,
  I8 = 4,
  I16 = 5,
  I32 = 6,
  I64 = 7,
  UI2 = 8,
  UI4 = 9,
  UI8 = 10,
  UI16 = 11,
  UI32 = 12,
  UI64 = 13,
  F4E2M1FN = 14,
  F6E2M3FN = 15,
  F6E3M2FN = 16,
  F8E3M4 = 17,
  F8E4M3 = 18,
  F8E4M3FN = 19,
  F8E4M3FNUZ = 20,
  F8E4M3B11FNUZ = 21,
  F8E5M2 = 22,
  F8E5M2FNUZ = 23,
  F8E8M0FNU = 24,
  BF16 = 25,
  F16 = 26,
  TF32 = 27,
  F32 = 28,
  F64 = 29,
  ComplexF32 = 30,
  ComplexF64 = 31,
  Token = 32,
};

/// As MLIR writes it: "f32", "ui8", "complex<f32>"; "" for a value that is none of the above.
SYSTOLE_EXPORT std::string_view elementTypeName(ElementType type);

/// ElementType::Invalid for an unknown name.
SYSTOLE_EXPORT ElementType elementTypeFromName(std::string_view name);

/// Bytes of an element on the host; those of less than a byte take one. 0 for types that no buffer
/// can hold: tf32 and tokens.
SYSTOLE_EXPORT int64_t elementBytes(ElementType type);

} // namespace systole::SYSTOLE_V0

#endif // SYSTOLE_ELEMENT_TYPE_H
