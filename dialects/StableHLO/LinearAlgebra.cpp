// The StableHLO operations of linear algebra.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/LinearAlgebra.cpp.inc"

void StableHLODialect::registerLinearAlgebraOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/LinearAlgebra.cpp.inc"
      >();
}

/// Checks that an operand's last two dimensions are those of square matrices.
static LogicalResult checkSquare(const Refusal &refuse, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() < 2)
    return refuse("requires a to have two dimensions or more, but it is ", type);
  if (failed(verifyCompatibleShape(shape.take_back(), shape.end()[-2])))
    return refuse("requires the last two dimensions of a to have the same size, but a is ", type);
  return success();
}

LogicalResult CholeskyOp::verify() { return checkSquare(Refusal(*this), getA()); }

LogicalResult TriangularSolveOp::verify() {
  Refusal refuse(*this);
  RankedTensorType a = getA().getType(), b = getB().getType();
  if (failed(checkSquare(refuse, getA())))
    return failure();
  if (a.getRank() != b.getRank())
    return refuse("requires a and b of one rank, but a is ", a, " and b is ", b);
  ArrayRef<int64_t> outerOfA = a.getShape().drop_back(2);
  if (failed(verifyCompatibleShape(outerOfA, b.getShape().drop_back(2))))
    return refuse("requires a and b to agree in all but their last two dimensions, but a is ", a,
                  " and b is ", b);
  int64_t multiplied = b.getShape().end()[getLeftSide() ? -2 : -1];
  if (failed(verifyCompatibleShape(a.getShape().take_back(), multiplied)))
    return refuse("requires matrices of a to have as many columns as b has ",
                  getLeftSide() ? "rows" : "columns", ", but a is ", a, " and b is ", b);
  if (getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return refuse("requires transpose_a to be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  if (!areCompatibleTypes(b, getType()))
    return refuse("requires the result to have the type of b, ", b, ", but it is ", getType());
  return success();
}
