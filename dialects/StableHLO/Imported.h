// The operations of the StableHLO dialect that importing a program replaces by others: no later
// pass sees them.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_IMPORTED_H
#define SYSTOLE_DIALECTS_STABLEHLO_IMPORTED_H

#include "dialects/StableHLO/StableHLO.h"

#define GET_OP_CLASSES
#include "dialects/StableHLO/Dynamic.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Grouping.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Superseded.h.inc"

#endif // SYSTOLE_DIALECTS_STABLEHLO_IMPORTED_H
