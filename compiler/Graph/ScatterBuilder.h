// What the forms of a scatter are built from.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_SCATTERBUILDER_H
#define SYSTOLE_COMPILER_GRAPH_SCATTERBUILDER_H

#include "compiler/Graph/Expand/Tensors.h"

namespace systole {

/// A scatter taken apart: P dimensions enumerate positions; a window has a size along every
/// dimension of the inputs, 1 where these are inserted or batched over.
class ScatterBuilder {
public:
  using Value = mlir::Value;
  using Sizes = llvm::SmallVector<int64_t>;

  explicit ScatterBuilder(stablehlo::ScatterOp op);

  /// The results in whichever form suits the scatter.
  llvm::SmallVector<Value> build();

private:
  // CanonicalizeScatters.cpp
  llvm::SmallVector<Value> buildWindow();
  /// Adds to `isInside` that 0 <= start <= last.
  void checkInside(Value &isInside, Value start, int64_t last);
  llvm::SmallVector<Value> buildRows();
  Value flatIndices(llvm::ArrayRef<int64_t> scattered, llvm::ArrayRef<int64_t> expanded);
  /// `update` with dimensions [positions..., expanded..., kept...] as [N, kept...].
  Value updateRows(Value update, llvm::ArrayRef<int64_t> expanded, llvm::ArrayRef<int64_t> kept,
                   int64_t padding);
  // ScatterSelection.cpp
  /// A dimension of the inputs along which updates lie at first, first + step, ...
  struct Axis {
    int64_t source; ///< dimension of the positions, or of them and then the window
    int64_t first = 0, step = 1;
  };
  /// The axes by dimension of the inputs, if every position is one of them or one of few others.
  std::optional<llvm::SmallVector<std::optional<Axis>>> axes() const;
  llvm::SmallVector<Value> buildSelection(llvm::ArrayRef<std::optional<Axis>> axes);
  /// `value`, with dimensions of positions and then a window, where `number` of the positions
  /// without axis is chosen, spread over the inputs; `padding` where no update is.
  Value spread(Value value, llvm::ArrayRef<std::optional<Axis>> axes, int64_t number,
               Value padding);

  Value both(Value x, Value y) { return x ? t.apply<stablehlo::AndOp>(x, y) : y; }
  /// `value` with its dimensions as `dims` of `shape`.
  Value broadcast(Value value, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims) {
    return stablehlo::BroadcastInDimOp::create(t.b, t.loc, typeOf(value).clone(shape), value, dims);
  }

  stablehlo::ScatterOp op;
  expansion::Tensors t;
  mlir::Type i32;
  /// Of the results' element types; the updates have dimensions [positions..., window...].
  llvm::SmallVector<Value> inputs, updates;
  Sizes shape, window, positions;
  /// By dimension of the inputs: where windows start along it, null for always at 0.
  llvm::SmallVector<Value> starts;
  int64_t count = 1; ///< of positions
};

} // namespace systole

#endif // SYSTOLE_COMPILER_GRAPH_SCATTERBUILDER_H
