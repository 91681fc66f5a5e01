// Parts of buffers that are buffers themselves.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MOSAIC_PARTS_H
#define SYSTOLE_COMPILER_MOSAIC_PARTS_H

#include "compiler/Mosaic/Refs.h"

namespace systole::mosaic {

/// Whether two buffers may have elements in common: they are views of one, and not known to be
/// different rows of it.
bool mayOverlap(mlir::Value a, mlir::Value b);

/// The buffers for parts that a kernel has accessed.
class BufferParts {
public:
  /// A box as all of a buffer (kernel.rows), so that stages access it in place, where its rows
  /// follow one another and are whole vectors; else the box itself.
  Ref take(mlir::OpBuilder &b, mlir::Location loc, const Ref &box);

private:
  llvm::SmallVector<std::pair<Ref, mlir::Value>> parts;
};

} // namespace systole::mosaic

#endif // SYSTOLE_COMPILER_MOSAIC_PARTS_H
