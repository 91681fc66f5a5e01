// The iteration spaces of kernel.dot and kernel.contract.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTLOOPS_H
#define SYSTOLE_COMPILER_CODEGEN_DOTLOOPS_H

#include "compiler/Codegen/CopyBox.h"
#include "compiler/Model/DotShape.h"

namespace systole::codegen {

/// The product of `op` on buffers of its operands' types.
DotShape shapeOf(kernel::DotOp op);
DotShape shapeOf(kernel::ContractOp op);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_DOTLOOPS_H
