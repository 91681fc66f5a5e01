// Operands of products that are split into parts once, before their passes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTSPLIT_H
#define SYSTOLE_COMPILER_CODEGEN_DOTSPLIT_H

#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/DotParts.h"

#include <map>

namespace systole::codegen {

/// The parts of both operands of a product as arrays of bf16, which holds them.
class SplitOperands {
public:
  /// Emits the stage that splits.
  SplitOperands(Emitter &e, const DotBuffers &buffers, const DotParts &parts,
                ScratchAllocator &scratch);

  /// Row of the parts that a pass takes of lhs (rhs).
  int64_t lhsBase(DotPass pass) const { return left.bases.at(parts.lhsKind(pass)); }
  int64_t rhsBase(DotPass pass) const { return right.bases.at(parts.rhsKind(pass)); }
  /// `buffers` with the parts from these rows on in place of the operands.
  DotBuffers at(DotBuffers buffers, mlir::Value lhsBase, mlir::Value rhsBase) const;

private:
  /// Arrays of the operand's shape one after the other.
  struct Parts {
    BufferRef buffer;
    std::map<int, int64_t> bases; // first row, by kind of part
  };
  template <typename Kind, typename Part>
  Parts split(Emitter &e, const BufferRef &operand, ScratchAllocator &scratch, Kind kindOf,
              Part partOf);

  const DotParts &parts;
  Parts left, right;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_DOTSPLIT_H
