// Keys of groups of operations; groups with equal keys have the same plan.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_GROUPKEY_H
#define SYSTOLE_COMPILER_PLANNING_GROUPKEY_H

#include "mlir/IR/Operation.h"

#include <string>

namespace systole {

/// Two groups have the same key if and only if their operations are the same, with the same
/// attributes, types and regions, compute with each other's results in the same way, and the same
/// ones of these leave the group. Names and locations make no difference. Valid as long as the
/// context of `ops`.
std::string groupKey(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_GROUPKEY_H
