// The operations of the StableHLO dialect for linear algebra.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_LINEARALGEBRA_TD
#define SYSTOLE_DIALECTS_STABLEHLO_LINEARALGEBRA_TD

include "dialects/StableHLO/Attributes.td"

def StableHLO_CholeskyOp : StableHLO_Op<"cholesky", [StableHLO_SameType, Pure]> {
  let summary = "The triangular factor of positive definite matrices";
  let semantics = [{
    For each matrix in the last two dimensions, the lower triangular L with L L' = `a`
    if `lower`, else the upper triangular U with U' U = `a`. Only that triangle of `a` is
    read. The result for a matrix that is not positive definite is implementation-defined.

    Constraints:
    - `a` has rank 2 or more; its last two dimensions have the same size;
    - operand and result have the same type.
  }];
  let arguments = (ins
    StableHLO_FloatOrComplexTensor:$a,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` 
    custom<SameOperandsAndResultType>(type($a), type($result))
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @cholesky(%x: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
      %r = stablehlo.cholesky %x, lower = true : tensor<2x3x3xf32>
      return %r : tensor<2x3x3xf32>
    }
  }];
}

def StableHLO_TriangularSolveOp
    : StableHLO_Op<"triangular_solve", [StableHLO_SameElementType, Pure]> {
  let summary = "Solve systems of equations with triangular matrices";
  let semantics = [{
    For each matrix in the last two dimensions, x with op(`a`) x = `b` if `left_side`, else
    with x op(`a`) = `b`, where op is that of `transpose_a`. Of `a` only the lower triangle is
    read, or the upper one unless `lower`; its diagonal is assumed to be ones if `unit_diagonal`.

    Constraints:
    - `a` and `b` have the same element type and rank, which is 2 or more;
    - all but their last two dimensions have the same sizes;
    - the last two of `a` have the same size, which is that of the dimension of `b` that
      they multiply: the one before the last if `left_side`, else the last;
    - `transpose_a` is not `TRANSPOSE_INVALID`;
    - the result has the type of `b`.
  }];
  let arguments = (ins
    StableHLO_FloatOrComplexTensor:$a,
    StableHLO_FloatOrComplexTensor:$b,
    BoolAttr:$left_side,
    BoolAttr:$lower,
    BoolAttr:$unit_diagonal,
    StableHLO_TransposeAttr:$transpose_a);
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
  let hasVerifier = 1;
  let example = [{
    func.func @triangular_solve(%a: tensor<3x3xf32>, %b: tensor<3x5xf32>) -> tensor<3x5xf32> {
      %r = "stablehlo.triangular_solve"(%a, %b) <{
          left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>,
          unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
      return %r : tensor<3x5xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_LINEARALGEBRA_TD
