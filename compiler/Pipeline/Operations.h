// Which operations that producers may write are not supported.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PIPELINE_OPERATIONS_H
#define SYSTOLE_COMPILER_PIPELINE_OPERATIONS_H

#include <string>

namespace systole {

// docs/operations.md: those of StableHLO and CHLO, from the dialects as they are registered and
// from the encoding of artifacts, which has all of StableHLO.
std::string unsupportedOperationsPage();

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_OPERATIONS_H
