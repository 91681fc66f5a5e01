//===- Shapes.td - Movement of elements in vectors ---------*- tablegen -*-===//
//
// Elements of vectors in another order or shape.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_MOSAIC_SHAPES_TD
#define SYSTOLE_DIALECTS_MOSAIC_SHAPES_TD

def Mosaic_IotaOp : Mosaic_Op<"iota", [Pure]> {
  let summary = "numbers along dimensions";
  let description = [{
    Each element is the linear index of its position in `dimensions`, of which the last one counts fastest.
  }];
  let arguments = (ins DenseI32ArrayAttr:$dimensions);
  let results = (outs VectorOfNonZeroRankOf<[AnyInteger, Index]>:$output);
  let hasVerifier = 1;
}

def Mosaic_DynamicRotateOp : Mosaic_Op<"dynamic_rotate", [Pure]> {
  let summary = "rotate along a dimension";
  let description = [{
    Element i goes to (i + `amount`) mod the size of `dimension`. With a `stride` the amount is larger by
    `stride` * j at position j of `stride_dimension`.
  }];
  let arguments = (ins Mosaic_Vector:$value, I32:$amount, SI32Attr:$dimension,
                       OptionalAttr<SI32Attr>:$stride, OptionalAttr<SI32Attr>:$stride_dimension);
  let results = (outs Mosaic_Vector:$result);
  let hasVerifier = 1;
}

def Mosaic_ReshapeOp : Mosaic_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order, in another shape";
  let arguments = (ins Mosaic_Vector:$source);
  let results = (outs Mosaic_Vector:$result);
  let hasVerifier = 1;
}

def Mosaic_RepeatOp : Mosaic_Op<"repeat", [Pure]> {
  let summary = "a vector several times behind itself, along a dimension";
  let arguments = (ins Mosaic_Vector:$source, I32Attr:$dimension, I32Attr:$times);
  let results = (outs Mosaic_Vector:$output);
  let hasVerifier = 1;
}

def Mosaic_ConcatenateOp : Mosaic_Op<"concatenate", [Pure]> {
  let summary = "vectors behind each other, along a dimension";
  let arguments = (ins Variadic<Mosaic_Vector>:$sources, I32Attr:$dimension);
  let results = (outs Mosaic_Vector:$output);
  let hasVerifier = 1;
}

def Mosaic_TransposeOp : Mosaic_Op<"transpose", [Pure]> {
  let summary = "dimensions in another order";
  let description = [{
    Dimension i of the result is dimension `permutation`[i] of the operand.
  }];
  let arguments = (ins AnyVectorOfAnyRank:$vector, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyVectorOfAnyRank:$result);
  let hasVerifier = 1;
}

def Mosaic_GatherOp : Mosaic_Op<"gather", [Pure]> {
  let summary = "positions along a dimension in a given order";
  let arguments = (ins Mosaic_Vector:$source, DenseI32ArrayAttr:$indices, I32Attr:$dimension);
  let results = (outs Mosaic_Vector:$output);
  let hasVerifier = 1;
}

def Mosaic_DynamicGatherOp : Mosaic_Op<"dynamic_gather", [Pure]> {
  let summary = "elements at computed positions along dimensions";
  let description = [{
    `dimensions` of the source are one dimension of M positions, of which the last of them counts fastest.
    Each element of the result is that of the source at `indices` mod M along it, and at the element's own
    position along the others.
  }];
  let arguments = (ins Mosaic_Vector:$source, Mosaic_IntegerVector:$indices,
                       DenseI32ArrayAttr:$dimensions);
  let results = (outs Mosaic_Vector:$output);
  let hasVerifier = 1;
}

def Mosaic_RelayoutOp : Mosaic_Op<"relayout", [Pure, SameOperandsAndResultType]> {
  let summary = "the same vector with another layout in registers";
  let arguments = (ins AnyVectorOfAnyRank:$input);
  let results = (outs AnyVectorOfAnyRank:$output);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

def Mosaic_BroadcastInSublanesOp : Mosaic_Op<"broadcast_in_sublanes", [Pure]> {
  let summary = "one lane in all lanes of a sublane";
  let description = [{
    Sublane i of the result has lane `lane` + i of its sublane of the operand, everywhere; it is unspecified
    where there is no such lane.
  }];
  let arguments = (ins Mosaic_Vector:$source, I32Attr:$lane);
  let results = (outs Mosaic_Vector:$output);
}

def Mosaic_SublaneShuffleOp : Mosaic_Op<"sublane_shuffle", [Pure, SameOperandsAndResultType]> {
  let summary = "sublanes of two registers";
  let description = [{
    Sublane i of the result is sublane `pattern`[i] of `lhs`, followed by `rhs`.
  }];
  let arguments = (ins Mosaic_Vector:$lhs, Mosaic_Vector:$rhs, DenseI32ArrayAttr:$pattern);
  let results = (outs Mosaic_Vector:$result);
  let hasVerifier = 1;
}

def Mosaic_RollVectorsOp : Mosaic_Op<"roll_vectors", [Pure]> {
  let summary = "registers as one vector";
  let arguments = (ins Variadic<AnyVectorOfAnyRank>:$input);
  let results = (outs AnyVectorOfAnyRank:$output);
}

def Mosaic_UnrollVectorsOp : Mosaic_Op<"unroll_vectors", [Pure]> {
  let summary = "a vector as registers";
  let arguments = (ins AnyVectorOfAnyRank:$input);
  let results = (outs Variadic<AnyVectorOfAnyRank>:$output);
}

#endif // SYSTOLE_DIALECTS_MOSAIC_SHAPES_TD
