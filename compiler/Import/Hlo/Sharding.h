// The number of devices of an HLO sharding.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_SHARDING_H
#define SYSTOLE_COMPILER_IMPORT_HLO_SHARDING_H

#include "compiler/Import/Hlo/hlo.pb.h"

namespace systole::hlo {

/// 1 if the array is not sharded.
uint64_t devicesOf(const OpSharding &sharding);

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_SHARDING_H
