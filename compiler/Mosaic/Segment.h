// A run of a Mosaic kernel's vector operations as tensor operations, which become stages together.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MOSAIC_SEGMENT_H
#define SYSTOLE_COMPILER_MOSAIC_SEGMENT_H

#include "compiler/Mosaic/Parts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace systole::mosaic {

/// Tensor operations that have not been staged yet. They are staged with `flush`, in front of which
/// the memory that they read must not change; stores are carried out at the end, in order.
class Segment {
public:
  /// `precision`: bf16 passes of a product of f32 that asks for the default.
  Segment(mlir::MLIRContext *context, int precision);

  /// Operations of the segment are created in front of it.
  mlir::Operation *end() { return holder->getBody().front().getTerminator(); }

  /// A tensor of `type` with the elements of `buffer`, which has its shape.
  mlir::Value read(mlir::Location loc, mlir::Value buffer, mlir::RankedTensorType type);
  /// A tensor of rank 0, i32, with a value of the scalar unit.
  mlir::Value read(mlir::Value scalar);
  /// Whether operations may read elements of `buffer`, or replace them.
  bool reads(mlir::Value buffer) const;
  bool writes(mlir::Value buffer) const;

  /// Replaces the elements of the box of `ref` with those of `tensor`, which has the box's shape.
  void store(mlir::Location loc, mlir::Value tensor, const Ref &ref);
  /// The tensor that the last store to this box replaced its elements with; null if there is none.
  mlir::Value stored(const Ref &ref) const;
  /// Whether the stage that computes `tensor`, which has the box's shape, may write it there:
  /// nothing that is still to be computed, such as `others`, reads what was there.
  bool mayStore(mlir::Value tensor, const Ref &ref, mlir::ValueRange others) const {
    return !writes(ref.buffer) && (!reads(ref.buffer) || mayReplace(tensor, ref, others));
  }

  /// Useful arithmetic of the operations.
  int64_t flops();

  /// A buffer in VMEM with the elements of a tensor.
  struct Kept {
    mlir::Value buffer;
    /// Whether it is the memory of a ref, which may be written later.
    bool isShared = false;
  };
  /// Stages all operations at the insertion point of `b`, and carries out the stores. For each of
  /// `values`, tensors of the segment, a buffer with its elements. If `mayShare`, what is stored in
  /// a ref stands there only.
  mlir::FailureOr<llvm::SmallVector<Kept>> flush(mlir::OpBuilder &b, mlir::Location loc,
                                                 mlir::ValueRange values, bool mayShare);

private:
  /// Whether `tensor` is computed element by element from the buffer of `ref`, so that a stage may
  /// write it over that, and nothing else reads the buffer.
  bool mayReplace(mlir::Value tensor, const Ref &ref, mlir::ValueRange others) const;

  struct Store {
    mlir::Location loc;
    mlir::Value tensor;
    Ref ref;
    /// Whether the stage that computes the tensor writes the buffer itself.
    bool isDirect;
  };
  /// The product that a store adds to the memory of its ref, if the MXU may add it there: nothing
  /// else uses the product, or reads the memory; else null.
  stablehlo::DotGeneralOp productAddedTo(const Store &store) const;
  /// The store of a tensor, perhaps under another shape, to a whole buffer; null if there is none.
  const Store *storeOf(mlir::Value tensor) const;
  void reset();

  mlir::MLIRContext *context;
  int precision;
  mlir::OwningOpRef<mlir::func::FuncOp> holder;
  llvm::MapVector<mlir::Value, mlir::BlockArgument> buffers, scalars;
  llvm::SmallVector<Store> stores;
};

} // namespace systole::mosaic

#endif // SYSTOLE_COMPILER_MOSAIC_SEGMENT_H
