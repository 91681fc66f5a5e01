// Makes tensor operations, without those that change nothing.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_EXPAND_TENSORS_H
#define SYSTOLE_COMPILER_GRAPH_EXPAND_TENSORS_H

#include "compiler/Graph/TensorTypes.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

namespace systole::expansion {

/// Builds at one place, before the operation that it replaces.
class Tensors {
public:
  using Value = mlir::Value;
  using Sizes = llvm::ArrayRef<int64_t>;
  using Direction = stablehlo::ComparisonDirection;

  explicit Tensors(mlir::Operation *op) : b(op), loc(op->getLoc()) {}

  /// A scalar, or a tensor of equal elements.
  Value constant(mlir::DenseElementsAttr scalar, Sizes shape = {});
  Value number(mlir::Type element, int64_t value, Sizes shape = {});
  /// Of a floating-point type.
  Value real(mlir::Type element, double value, Sizes shape = {});
  Value iota(mlir::Type element, Sizes shape, int64_t dim);

  /// A scalar in every place of `shape`; what has that shape stays.
  Value fill(Value value, Sizes shape);
  /// The dimensions of `value` as dimensions `dims` of `shape`.
  Value spread(Value value, Sizes shape, Sizes dims);
  Value reshape(Value value, Sizes shape);
  Value transpose(Value value, Sizes order);
  Value convert(Value value, mlir::Type element);
  /// The same bits as elements of another type of the same width.
  Value bitcast(Value value, mlir::Type element);
  Value slice(Value value, Sizes starts, Sizes limits, Sizes strides);
  /// `count` elements along `dim` from `start`, `stride` apart.
  Value slice(Value value, int64_t dim, int64_t start, int64_t count, int64_t stride = 1);
  /// Element `index` along `dim`, which vanishes.
  Value take(Value value, int64_t dim, int64_t index);
  Value pad(Value value, Value padding, Sizes low, Sizes high, Sizes interior);
  Value concatenate(mlir::ValueRange values, int64_t dim);
  /// Along a new dimension `dim`.
  Value stack(mlir::ValueRange values, int64_t dim);

  Value compare(Direction direction, Value x, Value y);
  Value select(Value mask, Value x, Value y);
  template <typename Op> Value apply(Value x, Value y) { return Op::create(b, loc, x, y); }
  template <typename Op> Value apply(Value x) { return Op::create(b, loc, x.getType(), x); }

  /// The elements along `dims` combined by Op, which leaves what is combined with `initial`.
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

  /// What `times` applications of `body` make of `values`, as a loop; it keeps their types and gets
  /// the number of the iteration, an i32, first.
  llvm::SmallVector<Value>
  repeat(int64_t times, mlir::ValueRange values,
         llvm::function_ref<llvm::SmallVector<Value>(Value, mlir::ValueRange)> body);

  mlir::OpBuilder b;
  mlir::Location loc;
};

/// Whether a region's operations can be applied to whole tensors; else a diagnostic.
llvm::LogicalResult checkElementwise(mlir::Region &body);

/// What `body`, a function of scalars that passed checkElementwise, returns for the elements
/// of tensors of one shape, as such tensors.
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

#endif // SYSTOLE_COMPILER_GRAPH_EXPAND_TENSORS_H
