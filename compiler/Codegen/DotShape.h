// The iteration spaces of kernel.dot and kernel.contract.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTSHAPE_H
#define SYSTOLE_COMPILER_CODEGEN_DOTSHAPE_H

#include "compiler/Codegen/CopyBox.h"
#include "compiler/Model/DotShape.h"
#include "compiler/Model/MxuShape.h"

namespace systole::codegen {

/// The product of `op` on buffers of its operands' types.
DotShape shapeOf(kernel::DotOp op);
DotShape shapeOf(kernel::ContractOp op);

/// Cycles in which the MXUs take the rows of a product, and their weights.
double productCycles(const DotShape &shape, int64_t passes, const MxuShape &mxu);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_DOTSHAPE_H
