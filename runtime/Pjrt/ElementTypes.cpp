// One table for both directions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/ElementTypes.h"

#include <utility>

namespace systole::pjrt {

static constexpr std::pair<PJRT_Buffer_Type, std::string_view> kTypes[] = {
    {PJRT_Buffer_Type_PRED, "i1"},
    {PJRT_Buffer_Type_S2, "i2"},
    {PJRT_Buffer_Type_S4, "i4"},
    {PJRT_Buffer_Type_S8, "i8"},
    {PJRT_Buffer_Type_S16, "i16"},
    {PJRT_Buffer_Type_S32, "i32"},
    {PJRT_Buffer_Type_S64, "i64"},
    {PJRT_Buffer_Type_U2, "ui2"},
    {PJRT_Buffer_Type_U4, "ui4"},
    {PJRT_Buffer_Type_U8, "ui8"},
    {PJRT_Buffer_Type_U16, "ui16"},
    {PJRT_Buffer_Type_U32, "ui32"},
    {PJRT_Buffer_Type_U64, "ui64"},
    {PJRT_Buffer_Type_F16, "f16"},
    {PJRT_Buffer_Type_F32, "f32"},
    {PJRT_Buffer_Type_F64, "f64"},
    {PJRT_Buffer_Type_BF16, "bf16"},
    {PJRT_Buffer_Type_C64, "complex<f32>"},
    {PJRT_Buffer_Type_C128, "complex<f64>"},
    {PJRT_Buffer_Type_F4E2M1FN, "f4E2M1FN"},
    {PJRT_Buffer_Type_F8E3M4, "f8E3M4"},
    {PJRT_Buffer_Type_F8E4M3, "f8E4M3"},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, "f8E4M3B11FNUZ"},
    {PJRT_Buffer_Type_F8E4M3FN, "f8E4M3FN"},
    {PJRT_Buffer_Type_F8E4M3FNUZ, "f8E4M3FNUZ"},
    {PJRT_Buffer_Type_F8E5M2, "f8E5M2"},
    {PJRT_Buffer_Type_F8E5M2FNUZ, "f8E5M2FNUZ"},
    {PJRT_Buffer_Type_F8E8M0FNU, "f8E8M0FNU"},
    {PJRT_Buffer_Type_TOKEN, "token"},
};

std::string_view elementTypeName(PJRT_Buffer_Type type) {
  for (auto [known, name] : kTypes)
    if (known == type)
      return name;
  return "";
}

PJRT_Buffer_Type elementType(std::string_view name) {
  for (auto [type, known] : kTypes)
    if (known == name)
      return type;
  return PJRT_Buffer_Type_INVALID;
}

} // namespace systole::pjrt
