//===- Products.td - Products of matrices ------------------*- tablegen -*-===//
//
// Products, whole and in steps of one matrix unit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_MOSAIC_PRODUCTS_TD
#define SYSTOLE_DIALECTS_MOSAIC_PRODUCTS_TD

def Mosaic_MatmulOp : Mosaic_Op<"matmul", [Pure]> {
  let summary = "a product of vectors, plus an accumulator";
  let description = [{
    result = acc + the contraction of `lhs` and `rhs` by `dimension_numbers`. Without these both are
    matrices, and `transpose_lhs` and `transpose_rhs` tell whether their contracting dimension is the first
    (lhs) or the last (rhs) instead of the other one; with them these two have no meaning.
    `transpose_lhs_hint` only advises how to transpose.

    Without `precision` f32 operands are rounded to bf16, or not, as the compiler's default is.
  }];
  let arguments = (ins Mosaic_Vector:$lhs, Mosaic_Vector:$rhs, Mosaic_Vector:$acc,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_lhs,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_rhs,
                       OptionalAttr<Mosaic_ContractPrecisionAttr>:$precision,
                       OptionalAttr<Mosaic_DotDimensionNumbersAttr>:$dimension_numbers,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_lhs_hint);
  let results = (outs Mosaic_Vector:$result);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// `dimension_numbers`, or what the two flags say of matrices.
    DotDimensionNumbersAttr getDimensions();
  }];
}

//===----------------------------------------------------------------------===//
// One matrix unit
//===----------------------------------------------------------------------===//

def Mosaic_MatmulPushRhsOp : Mosaic_Op<"matmul_push_rhs"> {
  let summary = "load weights into a staging register of a matrix unit";
  let arguments = (ins Mosaic_Vector:$rhs, I32Attr:$mxu_index,
                       DefaultValuedAttr<I32Attr, "0">:$staging_register,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose);
  let hasVerifier = 1;
}

def Mosaic_MatmulAccLhsOp : Mosaic_Op<"matmul_acc_lhs"> {
  let summary = "multiply rows with a matrix unit's weights, and add the products to its accumulators";
  let description = [{
    With `load_staged_rhs` the weights of that staging register are taken first. `acc` is the first
    accumulator.
  }];
  let arguments = (ins I32Attr:$acc, Mosaic_Vector:$lhs, I32Attr:$mxu_index,
                       OptionalAttr<I32Attr>:$load_staged_rhs);
  let hasVerifier = 1;
}

def Mosaic_MatmulPopOp : Mosaic_Op<"matmul_pop"> {
  let summary = "take the sums from accumulators of a matrix unit, which are zero then";
  let arguments = (ins I32Attr:$acc, I32Attr:$mxu_index);
  let results = (outs Mosaic_Vector:$result);
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_MOSAIC_PRODUCTS_TD
