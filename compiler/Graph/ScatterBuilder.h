// Builds the canonical forms of scatters.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_SCATTERBUILDER_H
#define SYSTOLE_COMPILER_GRAPH_SCATTERBUILDER_H

#include "compiler/Tensor/Tensors.h"

namespace systole {

/// Whether each element of the only input had better look for its updates: there are few elements
/// (ScatterSums.cpp).
bool areSums(stablehlo::ScatterOp op);

/// A scatter in normalized form: P dimensions enumerate updates; a window has a size along every
/// dimension of the inputs, which is 1 for inserted and batching dimensions.
class ScatterBuilder {
public:
  using Value = mlir::Value;
  using Sizes = llvm::SmallVector<int64_t>;

  explicit ScatterBuilder(stablehlo::ScatterOp op);

  /// The results, in the form that suits the scatter.
  llvm::SmallVector<Value> build();

private:
  // CanonicalizeScatters.cpp
  llvm::SmallVector<Value> buildWindow();
  /// Combines `isInside` with 0 <= start <= last.
  void checkInside(Value &isInside, Value start, int64_t last);
  llvm::SmallVector<Value> buildRows();
  Value flatIndices(llvm::ArrayRef<int64_t> scattered, llvm::ArrayRef<int64_t> expanded);
  /// Reshapes `update`, of dimensions [positions..., expanded..., kept...], to [N, kept...].
  Value updateRows(Value update, llvm::ArrayRef<int64_t> expanded, llvm::ArrayRef<int64_t> kept,
                   int64_t padding);
  // ScatterSelection.cpp
  /// A dimension of the inputs along which updates are at first, first + step, ...
  struct Axis {
    int64_t source; ///< dimension among those of the positions, then of the window
    int64_t first = 0, step = 1;
  };
  /// The axes by dimension of the inputs, if almost all position dimensions are axes.
  std::optional<llvm::SmallVector<std::optional<Axis>>> axes() const;
  llvm::SmallVector<Value> buildSelection(llvm::ArrayRef<std::optional<Axis>> axes);
  /// `value`, with position and then window dimensions, spread over the inputs for index `number`
  /// along the position dimensions without an axis; `padding` where there is no update.
  Value spread(Value value, llvm::ArrayRef<std::optional<Axis>> axes, int64_t number,
               Value padding);

  // ScatterSums.cpp
  llvm::SmallVector<Value> buildSums();

  Value both(Value x, Value y) { return x ? t.apply<stablehlo::AndOp>(x, y) : y; }
  /// Broadcasts `value` to `shape`; its dimensions become `dims`.
  Value broadcast(Value value, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims) {
    return stablehlo::BroadcastInDimOp::create(t.b, t.loc, typeOf(value).clone(shape), value, dims);
  }

  stablehlo::ScatterOp op;
  expansion::Tensors t;
  mlir::Type i32;
  /// Updates have dimensions [positions..., window...] and the results' element types.
  llvm::SmallVector<Value> inputs, updates;
  Sizes shape, window, positions;
  /// By dimension of the inputs: the start indices of windows, null if always 0.
  llvm::SmallVector<Value> starts;
  int64_t count = 1; ///< number of updates
};

} // namespace systole

#endif // SYSTOLE_COMPILER_GRAPH_SCATTERBUILDER_H
