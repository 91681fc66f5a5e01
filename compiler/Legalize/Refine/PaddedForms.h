// The forms of operations on padded arrays.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_REFINE_PADDEDFORMS_H
#define SYSTOLE_COMPILER_LEGALIZE_REFINE_PADDEDFORMS_H

#include "compiler/Legalize/Refine/Padded.h"
#include "compiler/Legalize/Refine/Refine.h"
#include "dialects/CHLO/CHLO.h"

namespace systole::refine {

using Arrays = llvm::SmallVector<Padded>;

/// An operation, and what its form on padded arrays is built of.
struct PaddedForm {
  PaddedForm(mlir::Operation *op, Evaluator &evaluator, PaddedArrays &arrays,
             llvm::function_ref<llvm::LogicalResult(mlir::Block &)> visit)
      : op(op), evaluator(evaluator), arrays(arrays), visit(visit), t(op) {}

  mlir::Operation *op;
  Evaluator &evaluator;
  PaddedArrays &arrays;
  llvm::function_ref<llvm::LogicalResult(mlir::Block &)> visit;
  PaddedTensors t;

  Padded at(mlir::Value value) const;
  Arrays at(mlir::ValueRange values) const;
  mlir::RankedTensorType declared(unsigned result = 0) const;
  /// The size or the bound of a result's dimension; std::nullopt if its type has neither.
  std::optional<int64_t> extent(int64_t dim, unsigned result = 0) const;
  /// The size, if the result's type has it.
  std::optional<int64_t> size(int64_t dim, unsigned result = 0) const;
  Number number(mlir::Value scalar);
  Number number(mlir::Value list, int64_t index);
  llvm::SmallVector<Number> numbers(mlir::Value list);
  /// The operation on other operands of static shapes; its regions move there. An error if it does
  /// not hold for them.
  llvm::FailureOr<mlir::Operation *> rebuild(mlir::ValueRange operands);
  /// The same, whose results have these sizes.
  llvm::FailureOr<Arrays> rebuild(mlir::ValueRange operands, llvm::ArrayRef<mlir::Value> sizes);
  /// Emits an error that the operation is not supported, `why` and what to do instead.
  llvm::LogicalResult refuse(const llvm::Twine &why) const;
};

/// The size of a dimension, or the bound that the type has for it; std::nullopt if neither is
/// known.
std::optional<int64_t> extentOf(mlir::RankedTensorType type, int64_t dim);

/// Whether a size or a position of the operation depends on data, or its operands are padded.
bool dependsOnData(mlir::Operation *op, Evaluator &evaluator, const PaddedArrays &arrays);

/// The arrays that replace the results of such an operation. `visit` refines a block.
llvm::FailureOr<Arrays> makePadded(mlir::Operation *op, Evaluator &evaluator, PaddedArrays &arrays,
                                   llvm::function_ref<llvm::LogicalResult(mlir::Block &)> visit);

using Form = llvm::FailureOr<Arrays>;

// Each function returns what replaces the results of an operation.

// PaddedElements.cpp
Form elementwise(PaddedForm &f, llvm::ArrayRef<mlir::Value> operands);
Form broadcastOperands(PaddedForm &f);
Form broadcastInDim(PaddedForm &f);
Form dynamicBroadcast(PaddedForm &f, stablehlo::DynamicBroadcastInDimOp op);
Form normalize(PaddedForm &f, int64_t feature);

// PaddedMovement.cpp
Form slice(PaddedForm &f, stablehlo::SliceOp op);
Form dynamicSlice(PaddedForm &f, stablehlo::RealDynamicSliceOp op);
Form pad(PaddedForm &f, stablehlo::PadOp op);
Form dynamicPad(PaddedForm &f, stablehlo::DynamicPadOp op);
Form concatenate(PaddedForm &f, stablehlo::ConcatenateOp op);
Form reverse(PaddedForm &f, stablehlo::ReverseOp op);
Form transpose(PaddedForm &f, stablehlo::TransposeOp op);
/// Pads and masks along each dimension as `low`, `high` and `interior` say.
llvm::FailureOr<Padded> padBy(PaddedForm &f, Padded array, mlir::Value padding,
                              llvm::ArrayRef<Number> low, llvm::ArrayRef<Number> high,
                              llvm::ArrayRef<Number> interior,
                              llvm::function_ref<std::optional<int64_t>(int64_t)> bound);
Padded reversed(PaddedTensors &t, Padded array, llvm::ArrayRef<int64_t> dims);

// PaddedReshapes.cpp
Form reshape(PaddedForm &f);

// PaddedSums.cpp
Form reduce(PaddedForm &f, stablehlo::ReduceOp op);
Form reduceWindow(PaddedForm &f, stablehlo::ReduceWindowOp op);
Form selectAndScatter(PaddedForm &f, stablehlo::SelectAndScatterOp op);
Form product(PaddedForm &f, stablehlo::DotGeneralOp op);
Form dot(PaddedForm &f, stablehlo::DotOp op);
Form einsum(PaddedForm &f, llvm::StringRef equation);
Form convolution(PaddedForm &f, stablehlo::ConvolutionOp op, Padded lhs, Padded rhs);
Form dynamicConvolution(PaddedForm &f, stablehlo::DynamicConvOp op);

// PaddedWindows.cpp
/// A convolution of which the window has sizes that depend on data.
Form unrolledWindows(PaddedForm &f, stablehlo::ConvolutionOp op, const Padded &lhs,
                     const Padded &rhs);

// PaddedIndexing.cpp
Form gather(PaddedForm &f, stablehlo::GatherOp op);
Form scatter(PaddedForm &f, stablehlo::ScatterOp op);
Form sliceAt(PaddedForm &f, stablehlo::DynamicSliceOp op);
Form updateAt(PaddedForm &f, stablehlo::DynamicUpdateSliceOp op);
Form sort(PaddedForm &f, stablehlo::SortOp op);
Form topK(PaddedForm &f, chlo::TopKOp op);
Form cholesky(PaddedForm &f, stablehlo::CholeskyOp op);
Form triangularSolve(PaddedForm &f, stablehlo::TriangularSolveOp op);

// PaddedControl.cpp
Form loop(PaddedForm &f, stablehlo::WhileOp op);
Form choice(PaddedForm &f);

} // namespace systole::refine

#endif // SYSTOLE_COMPILER_LEGALIZE_REFINE_PADDEDFORMS_H
