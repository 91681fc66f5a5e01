// The order in which a reduction combines its elements (docs/planning.md, "Order of summation").
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_SUMORDER_H
#define SYSTOLE_COMPILER_TENSOR_SUMORDER_H

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include <string>

namespace systole {

/// The order of a reduction whose operand has its dimensions in the order `layout`, the one along
/// the lanes last. It depends on the shape, the layout and the combiner alone.
kernel::OrderAttr orderIn(stablehlo::ReduceOp op, llvm::ArrayRef<int64_t> layout);

/// The order that `op` carries; without one that of a row-major operand.
kernel::OrderAttr orderOf(stablehlo::ReduceOp op);

/// Whether a reduction can keep `order` if dimension `lanes` of its operand lies along the lanes.
bool isKept(kernel::OrderAttr order, int64_t lanes);

/// Why `op`, whose operand is row-major, cannot keep the order that it carries; empty if it can.
std::string orderProblemOf(stablehlo::ReduceOp op);

/// The element that combined with any x gives x, for combiners of one input that are one operation
/// of which that is known; null for others.
mlir::TypedAttr identityOf(stablehlo::ReduceOp op);
/// The same for each result of a reducer that treats its inputs apart; empty for others.
llvm::SmallVector<mlir::TypedAttr, 2> identitiesOf(stablehlo::ReduceOp op);

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_SUMORDER_H
