// Type constraints shared by many StableHLO operations, as op traits, and the
// comparison of types behind them.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_TRAITS_H
#define SYSTOLE_DIALECTS_STABLEHLO_TRAITS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeRange.h"
#include "mlir/IR/ValueRange.h"

namespace systole::stablehlo {

/// Whether two sizes may be the same: equal, or one of them is dynamic.
bool areCompatibleSizes(int64_t a, int64_t b);

/// Whether two ranked tensors may have the same shape.
bool areCompatibleShapes(mlir::Type a, mlir::Type b);

/// Whether two element types are the same, or both quantized forms of one type.
bool areCompatibleElements(mlir::Type a, mlir::Type b);

/// Whether two ranked tensors have compatible element types and may have one shape.
bool areCompatibleTypes(mlir::Type a, mlir::Type b);
bool areCompatibleTypes(mlir::TypeRange a, mlir::TypeRange b);

/// Infers one result of the first operand's type; fails without operands.
llvm::LogicalResult inferFirstOperandType(mlir::ValueRange operands,
                                          llvm::SmallVectorImpl<mlir::Type> &types);

namespace OpTrait {
namespace detail {
llvm::LogicalResult verifySameType(mlir::Operation *op);
llvm::LogicalResult verifySameElementType(mlir::Operation *op);
llvm::LogicalResult verifySameShape(mlir::Operation *op);
llvm::LogicalResult verifyPairwiseSameType(mlir::Operation *op);
llvm::LogicalResult verifyInferredType(mlir::Operation *op);
} // namespace detail

/// Operands and results have one element type and compatible shapes.
template <typename Op> struct SameType : mlir::OpTrait::TraitBase<Op, SameType> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return detail::verifySameType(op); }
};

/// Operands and results have one element type.
template <typename Op> struct SameElementType : mlir::OpTrait::TraitBase<Op, SameElementType> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameElementType(op);
  }
};

/// Operands and results have compatible shapes.
template <typename Op> struct SameShape : mlir::OpTrait::TraitBase<Op, SameShape> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameShape(op);
  }
};

/// There are as many operands as results, and operand i has result i's type.
template <typename Op> struct PairwiseSameType : mlir::OpTrait::TraitBase<Op, PairwiseSameType> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyPairwiseSameType(op);
  }
};

/// The one result has the type that InferTypeOpInterface infers, except for
/// dynamic sizes.
template <typename Op> struct InferredType : mlir::OpTrait::TraitBase<Op, InferredType> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyInferredType(op);
  }
};

/// Swapping the two operands changes nothing.
template <typename Op> struct Commutative : mlir::OpTrait::TraitBase<Op, Commutative> {};
} // namespace OpTrait
} // namespace systole::stablehlo

#endif // SYSTOLE_DIALECTS_STABLEHLO_TRAITS_H
