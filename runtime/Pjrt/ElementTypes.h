// Element types: the C interface's and Systole's.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_ELEMENTTYPES_H
#define SYSTOLE_RUNTIME_PJRT_ELEMENTTYPES_H

#include <string_view>

#include "pjrt_c_api.h"

namespace systole::pjrt {

// As MLIR writes it ("f32", "ui8", ...); "" for types without such a name.
std::string_view elementTypeName(PJRT_Buffer_Type type);

// PJRT_Buffer_Type_INVALID for an unknown name.
PJRT_Buffer_Type elementType(std::string_view name);

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_ELEMENTTYPES_H
