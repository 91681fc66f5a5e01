// The canonical form of a copy between row-linear buffers: a box of iterations that steps through
// two linear sequences of lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_COPYBOX_H
#define SYSTOLE_COMPILER_CODEGEN_COPYBOX_H

#include "compiler/Codegen/Emitter.h"
#include "compiler/Model/CopyDims.h"
#include "compiler/Model/KnownFactor.h"

namespace systole::codegen {

/// A scalar of the machine plus a constant.
struct Sum {
  mlir::Value value; // null: 0
  int64_t constant = 0;
  bool isStatic() const { return !value; }
};
Sum plus(Emitter &e, const Sum &a, const Sum &b);
Sum times(Emitter &e, const Sum &a, int64_t factor);
mlir::Value toValue(Emitter &e, const Sum &a);
/// `value` as a sum: a constant if it is static.
Sum toSum(Emitter &e, mlir::Value value);

/// The position of an element: `lane` lanes after the first one of logical row `row`. `lane` may be
/// any number until `split` normalizes it to 0 .. 127.
struct Position {
  Sum row, lane;
};
/// `position` advanced by `index` steps of `step` lanes.
Position moved(Emitter &e, const Position &position, int64_t step, const Sum &index);
Position split(Emitter &e, const Position &position);

struct CopyBox {
  llvm::SmallVector<CopyDim, 6> dims;
  Position src, dst;
};

/// The two buffers of a copy.
struct CopyWork {
  Emitter &e;
  BufferRef source, destination;
};

/// The box of a copy; `srcOffsets` and `dstOffsets` have one scalar per dimension of the buffers,
/// or none. Dimensions are merged where both sides allow it, have more than one iteration, and step
/// forwards through the destination.
struct CopyIndices {
  kernel::BufferType source, destination;
  llvm::ArrayRef<int64_t> sizes;
  mlir::AffineMap srcMap, dstMap;
};
CopyBox boxOf(Emitter &e, const CopyIndices &copy, mlir::ValueRange srcOffsets,
              mlir::ValueRange dstOffsets);
/// The indices of a kernel.copy, kernel.start_copy or kernel.wait_copy.
template <typename Op> CopyIndices indicesOf(Op op) {
  return {op.getSource().getType(), op.getDestination().getType(), op.getSizes(), op.getSrcMap(),
          op.getDstMap()};
}

/// Loads eight logical rows row, row + stride, ... as raw bits, zero-extended to
/// 32.
mlir::Value loadBits(Emitter &e, const BufferRef &buffer, const Sum &row, int64_t stride,
                     mlir::Value mask);
void storeBits(Emitter &e, mlir::Value value, const BufferRef &buffer, const Sum &row,
               int64_t stride, mlir::Value mask);

/// Runs `body` once per iteration of `dims`, at the positions in source and destination; a short
/// dimension that is not over whole rows is unrolled. The longest dimension of whole rows is
/// innermost.
using BoxBody = llvm::function_ref<void(const Position &src, const Position &dst)>;
void forEachPosition(Emitter &e, llvm::ArrayRef<CopyDim> dims, const Position &src,
                     const Position &dst, BoxBody body);
/// The same for dimensions of whole rows only, unrolled up to `unroll` times in the innermost
/// loop.
using RowBody = llvm::function_ref<void(const Sum &srcRow, const Sum &dstRow)>;
void forEachRow(Emitter &e, llvm::ArrayRef<CopyDim> dims, const Sum &srcRow, const Sum &dstRow,
                int64_t unroll, RowBody body);

/// Moves the elements of a box within VMEM by the vector unit, the cheapest way.
void emitVectorCopy(const CopyWork &work, const CopyBox &box);

/// A `core` instruction with a vector, mask or scalar as its result.
template <typename OpT, typename... Args> mlir::Value vectorOp(Emitter &e, Args... args) {
  return OpT::create(e.b, e.loc, core::VectorType::get(e.b.getContext()), args...);
}
template <typename OpT, typename... Args> mlir::Value maskOp(Emitter &e, Args... args) {
  return OpT::create(e.b, e.loc, core::MaskType::get(e.b.getContext()), args...);
}
template <typename OpT, typename... Args> mlir::Value scalarOp(Emitter &e, Args... args) {
  return OpT::create(e.b, e.loc, e.b.getI32Type(), args...);
}

/// Masks of lower <= lane (sublane) < upper; null if they include every cell.
mlir::Value lanesBetween(Emitter &e, const Sum &lower, const Sum &upper);
mlir::Value sublanesBetween(Emitter &e, const Sum &lower, const Sum &upper);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_COPYBOX_H
