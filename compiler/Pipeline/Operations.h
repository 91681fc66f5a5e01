// Lists the unsupported operations of StableHLO and CHLO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PIPELINE_OPERATIONS_H
#define SYSTOLE_COMPILER_PIPELINE_OPERATIONS_H

#include <string>

namespace systole {

// The text of docs/operations.md: unsupported operations of StableHLO and CHLO, from the registered
// dialects and from the tables of artifacts, which include all of StableHLO.
std::string unsupportedOperationsPage();

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_OPERATIONS_H
