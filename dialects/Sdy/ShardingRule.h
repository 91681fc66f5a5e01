// The text of sharding rules, which say how the dimensions of operands and results correspond.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_SDY_SHARDINGRULE_H
#define SYSTOLE_DIALECTS_SDY_SHARDINGRULE_H

#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/OpImplementation.h"

namespace systole::sdy {

/// Parses `<([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}, custom>`, or the fields in
/// the form of coded dialects; null after a diagnostic.
mlir::Attribute parseShardingRule(const SdyDialect &dialect, mlir::AsmParser &parser);

/// The name of a factor in text: i, j, ... z, z_1, z_2, ...
std::string nameOfFactor(int64_t factor);

/// Checks that a rule fits operation `op`: a mapping for each operand and result, with as many
/// dimensions, and factors that have a size and are used.
mlir::LogicalResult verifyShardingRule(mlir::Operation *op, mlir::Attribute rule);

} // namespace systole::sdy

#endif // SYSTOLE_DIALECTS_SDY_SHARDINGRULE_H
