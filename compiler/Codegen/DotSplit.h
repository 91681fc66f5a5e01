// Splits the operands of products into parts once, before their passes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTSPLIT_H
#define SYSTOLE_COMPILER_CODEGEN_DOTSPLIT_H

#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/DotParts.h"

#include <map>

namespace systole::codegen {

/// The parts of both operands of a product in buffers of bf16, which represents them exactly.
class SplitOperands {
public:
  /// Emits the stage that splits the operands.
  SplitOperands(Emitter &e, const DotBuffers &buffers, const DotParts &parts,
                ScratchAllocator &scratch);

  /// The first row of the part of lhs (rhs) that a pass multiplies.
  int64_t lhsBase(DotPass pass) const { return left.bases.at(parts.lhsKind(pass)); }
  int64_t rhsBase(DotPass pass) const { return right.bases.at(parts.rhsKind(pass)); }
  /// `buffers` with the operands replaced by the parts from these rows on.
  DotBuffers at(DotBuffers buffers, mlir::Value lhsBase, mlir::Value rhsBase) const;

private:
  /// Buffers of the operand's shape, one for each part.
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
