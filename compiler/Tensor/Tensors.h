// Builds tensor operations, folding identities.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_TENSORS_H
#define SYSTOLE_COMPILER_TENSOR_TENSORS_H

#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

#include <cassert>

namespace systole::expansion {

/// Builds operations before the one that they replace.
class Tensors {
public:
  using Value = mlir::Value;
  using Sizes = llvm::ArrayRef<int64_t>;
  using Direction = stablehlo::ComparisonDirection;

  explicit Tensors(mlir::Operation *op) : b(op), loc(op->getLoc()) {}

  /// A scalar or splat constant.
  Value constant(mlir::DenseElementsAttr scalar, Sizes shape = {});
  Value number(mlir::Type element, int64_t value, Sizes shape = {});
  /// A splat of a floating-point type, or of a complex one without imaginary parts.
  Value real(mlir::Type element, double value, Sizes shape = {});
  Value iota(mlir::Type element, Sizes shape, int64_t dim);

  /// Broadcasts a scalar to `shape`; a value that has the shape is unchanged.
  Value fill(Value value, Sizes shape);
  /// Broadcasts `value` to `shape`; its dimensions become `dims`.
  Value spread(Value value, Sizes shape, Sizes dims);
  Value reshape(Value value, Sizes shape);
  Value transpose(Value value, Sizes order);
  Value convert(Value value, mlir::Type element);
  /// Bitcasts to another element type of the same width.
  Value bitcast(Value value, mlir::Type element);
  Value slice(Value value, Sizes starts, Sizes limits, Sizes strides);
  /// `count` elements along `dim` from `start`, `stride` apart.
  Value slice(Value value, int64_t dim, int64_t start, int64_t count, int64_t stride = 1);
  /// Element `index` along `dim`, which is dropped.
  Value take(Value value, int64_t dim, int64_t index);
  Value pad(Value value, Value padding, Sizes low, Sizes high, Sizes interior);
  Value concatenate(mlir::ValueRange values, int64_t dim);
  /// Concatenates along a new dimension `dim`.
  Value stack(mlir::ValueRange values, int64_t dim);

  Value compare(Direction direction, Value x, Value y);
  Value select(Value mask, Value x, Value y);
  template <typename Op> Value apply(Value x, Value y) {
    assert(shapeOf(x) == shapeOf(y) && "combines tensors of one shape");
    return Op::create(b, loc, x, y);
  }
  template <typename Op> Value apply(Value x) { return Op::create(b, loc, x.getType(), x); }

  /// Reduces along `dims` by Op, for which `initial` must be the identity.
  template <typename Op> Value reduce(Value value, Value initial, Sizes dims) {
    llvm::SmallVector<int64_t> shape;
    for (auto [dim, size] : llvm::enumerate(shapeOf(value)))
      if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
        shape.push_back(size);
    auto type = typeOf(value).clone(shape);
    auto reduction =
        stablehlo::ReduceOp::create(b, loc, mlir::TypeRange(type), value, initial, dims);
    mlir::OpBuilder::InsertionGuard guard(b);
    mlir::Block *body =
        b.createBlock(&reduction.getBody(), {}, {initial.getType(), initial.getType()}, {loc, loc});
    Value combined = apply<Op>(body->getArgument(0), body->getArgument(1));
    stablehlo::ReturnOp::create(b, loc, combined);
    return reduction.getResult(0);
  }

  /// Sorts arrays of one shape together along `dim`, and keeps the order of equal elements. The
  /// comparator receives two elements of each array.
  llvm::SmallVector<Value>
  sort(mlir::ValueRange arrays, int64_t dim,
       llvm::function_ref<Value(mlir::ValueRange, mlir::ValueRange)> isBefore);

  /// Applies `body` to `values` while `condition` of them, a scalar i1, holds. It must keep their
  /// types.
  llvm::SmallVector<Value>
  loop(mlir::ValueRange values, llvm::function_ref<Value(mlir::ValueRange)> condition,
       llvm::function_ref<llvm::SmallVector<Value>(mlir::ValueRange)> body);
  /// Applies `body` to `values` `times` times, in a loop. It must keep their types, and receives
  /// the iteration number, an i32, first.
  llvm::SmallVector<Value>
  repeat(int64_t times, mlir::ValueRange values,
         llvm::function_ref<llvm::SmallVector<Value>(Value, mlir::ValueRange)> body);

  mlir::OpBuilder b;
  mlir::Location loc;
};

/// Whether a region's operations can be applied to whole tensors; if not, emits a diagnostic.
llvm::LogicalResult checkElementwise(mlir::Region &body);

/// Applies `body`, a function of scalars that passed checkElementwise, to tensors of one
/// shape.
llvm::SmallVector<mlir::Value> applyBody(Tensors &t, mlir::Region &body, mlir::ValueRange args);

/// Calls `expand` for each operation of type Op in `root` if its bodies pass checkElementwise.
template <typename Op>
llvm::LogicalResult expandEach(mlir::Operation *root, llvm::function_ref<void(Op)> expand) {
  mlir::WalkResult result = root->walk([&](Op op) {
    for (mlir::Region &body : op->getRegions())
      if (failed(checkElementwise(body)))
        return mlir::WalkResult::interrupt();
    expand(op);
    return mlir::WalkResult::advance();
  });
  return llvm::failure(result.wasInterrupted());
}

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_TENSOR_TENSORS_H
