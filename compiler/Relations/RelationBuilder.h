// Builds the relation of one operation, dimension by dimension.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_RELATIONS_RELATIONBUILDER_H
#define SYSTOLE_COMPILER_RELATIONS_RELATIONBUILDER_H

#include "compiler/Relations/OperandRelation.h"
#include "dialects/StableHLO/StableHLO.h"

namespace systole {

class RelationBuilder {
public:
  /// Starts with an iterator for each dimension of the result, and index 0 along all dimensions of
  /// the operands.
  explicit RelationBuilder(mlir::Operation *op);

  mlir::AffineExpr iterator(int64_t number) const {
    return mlir::getAffineDimExpr(number, context);
  }
  mlir::AffineExpr constant(int64_t value) const {
    return mlir::getAffineConstantExpr(value, context);
  }
  /// A new iterator after all others.
  mlir::AffineExpr add(IteratorKind kind, int64_t extent);

  IndexRelation &at(unsigned operand, int64_t dim) { return relation.operands[operand].dims[dim]; }
  /// Gives dimension d of an operand iterator d.
  void setIdentity(unsigned operand);

  OperandRelation take() { return std::move(relation); }

private:
  mlir::MLIRContext *context;
  OperandRelation relation;
};

/// Reshapes (Reshape.cpp).
void relateReshape(stablehlo::ReshapeOp op, RelationBuilder &b);

/// Products and convolutions (Products.cpp).
void relateDot(stablehlo::DotGeneralOp op, RelationBuilder &b);
void relateConvolution(stablehlo::ConvolutionOp op, RelationBuilder &b);

/// Operations at computed positions (Indexed.cpp).
void relateDynamicSlice(stablehlo::DynamicSliceOp op, RelationBuilder &b);
void relateDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op, RelationBuilder &b);
void relateGather(stablehlo::GatherOp op, RelationBuilder &b);
void relateScatter(stablehlo::ScatterOp op, RelationBuilder &b);

} // namespace systole

#endif // SYSTOLE_COMPILER_RELATIONS_RELATIONBUILDER_H
