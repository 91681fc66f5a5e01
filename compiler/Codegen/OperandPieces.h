// Whole operands of a kernel that arrive in pieces.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_OPERANDPIECES_H
#define SYSTOLE_COMPILER_CODEGEN_OPERANDPIECES_H

#include "compiler/Codegen/BlockCopy.h"

#include <optional>

namespace systole::codegen {

/// An operand of which all steps read all rows: the first step multiplies those of a piece while
/// the others are under way.
struct OperandPieces {
  kernel::DotOp product; // whose lhs they are, before any other stage uses the operand
  int64_t count;
  BlockCopy copy; // of one piece, in one DMA
  int64_t rows;   // of 512 bytes
};

/// Nothing if the operand `buffer` of the kernel's body, of type `type` in HBM, arrives at once: if
/// it has one piece, or if its first reader is no product that can begin with a part of its rows.
std::optional<OperandPieces> piecesOf(kernel::FuncOp kernel, mlir::BlockArgument buffer,
                                      kernel::BufferType type);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_OPERANDPIECES_H
