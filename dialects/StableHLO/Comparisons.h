// Directions of comparisons.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_STABLEHLO_COMPARISONS_H
#define SYSTOLE_DIALECTS_STABLEHLO_COMPARISONS_H

#include "dialects/StableHLO/StableHLO.h"

namespace systole::stablehlo {

/// Returns the direction for exchanged operands, which is also the one for negated operands.
inline ComparisonDirection exchanged(ComparisonDirection direction) {
  switch (direction) {
  case ComparisonDirection::LT:
    return ComparisonDirection::GT;
  case ComparisonDirection::LE:
    return ComparisonDirection::GE;
  case ComparisonDirection::GT:
    return ComparisonDirection::LT;
  case ComparisonDirection::GE:
    return ComparisonDirection::LE;
  case ComparisonDirection::EQ:
  case ComparisonDirection::NE:
    return direction;
  }
  llvm_unreachable("unknown direction");
}

} // namespace systole::stablehlo

#endif // SYSTOLE_DIALECTS_STABLEHLO_COMPARISONS_H
