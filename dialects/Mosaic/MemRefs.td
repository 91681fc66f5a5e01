//===- MemRefs.td - Views of memrefs -----------------------*- tablegen -*-===//
//
// Parts and other shapes of memrefs, without a copy.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_MOSAIC_MEMREFS_TD
#define SYSTOLE_DIALECTS_MOSAIC_MEMREFS_TD

def Mosaic_MemRefSliceOp : Mosaic_Op<"memref_slice", [Pure, AttrSizedOperandSegments]> {
  let summary = "a part of a memref";
  let description = [{
    The elements from `base_idx` on; the size is that of the result's type, with one of `dynamic_sizes` for
    each dimension that has none there.
  }];
  let arguments = (ins AnyMemRef:$mem_ref, Variadic<I32>:$base_idx, Variadic<I32>:$dynamic_sizes);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
}

def Mosaic_MemRefSqueezeOp : Mosaic_Op<"memref_squeeze", [Pure]> {
  let summary = "a memref without some dimensions of size 1";
  let arguments = (ins AnyMemRef:$input);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
}

def Mosaic_MemRefReshapeOp : Mosaic_Op<"memref_reshape", [Pure]> {
  let summary = "a memref with another shape of as many elements";
  let arguments = (ins AnyMemRef:$input);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
}

def Mosaic_MemRefBitcastOp : Mosaic_Op<"memref_bitcast", [Pure]> {
  let summary = "a memref whose bits are elements of another width";
  let description = [{
    Words of 32 bits stay where they are. The second last dimension counts the narrow elements of a word: of
    memref<8x128xi32> the bits are memref<32x128xi8>.
  }];
  let arguments = (ins AnyMemRef:$input);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
}

def Mosaic_ReinterpretCastOp : Mosaic_Op<"reinterpret_cast", [Pure, AttrSizedOperandSegments]> {
  let summary = "a memory as a memref of another type";
  let description = [{
    The result begins `dynamic_offset` of its elements after the first element of `input`. `dynamic_sizes`
    has one size for each dimension that the result's type leaves open.
  }];
  let arguments = (ins AnyMemRef:$input, Optional<I32>:$dynamic_offset, Variadic<I32>:$dynamic_sizes);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
}

def Mosaic_EraseLayoutOp : Mosaic_Op<"erase_memref_layout", [Pure]> {
  let summary = "a memref whose type does not tell its layout";
  let description = [{
    The same elements; the result's type has no layout, and may have no memory space.
  }];
  let arguments = (ins AnyMemRef:$operand);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
}

def Mosaic_AssumeLayoutOp : Mosaic_Op<"assume_layout", [Pure, SameOperandsAndResultType]> {
  let summary = "a value with a layout in registers that its attributes name";
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}

#endif // SYSTOLE_DIALECTS_MOSAIC_MEMREFS_TD
