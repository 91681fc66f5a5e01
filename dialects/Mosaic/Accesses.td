//===- Accesses.td - Loads and stores of vectors -----------*- tablegen -*-===//
//
// Vectors from and to memrefs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_MOSAIC_ACCESSES_TD
#define SYSTOLE_DIALECTS_MOSAIC_ACCESSES_TD

def Mosaic_VectorLoadOp : Mosaic_Op<"vector_load", [Mosaic_Read, AttrSizedOperandSegments]> {
  let summary = "load a vector";
  let description = [{
    Element i of the result is that of `base` at `indices` + `strides` * i, where no strides are ones; a
    vector of fewer dimensions lies along the last ones. Elements outside of `mask` are unspecified.
  }];
  let arguments = (ins AnyMemRef:$base, Variadic<Index>:$indices, DenseI32ArrayAttr:$strides,
                       Optional<Mosaic_Vector>:$mask);
  let results = (outs Mosaic_Vector:$result);
  let hasVerifier = 1;
}

def Mosaic_VectorStoreOp : Mosaic_Op<"vector_store", [Mosaic_Write, AttrSizedOperandSegments]> {
  let summary = "store a vector, or add it to what is there";
  let description = [{
    Elements are at the places that `tpu.vector_load` reads. Those outside of `mask` keep what they have.
  }];
  let arguments = (ins Mosaic_Vector:$valueToStore, AnyMemRef:$base, Variadic<Index>:$indices,
                       DenseI32ArrayAttr:$strides, Optional<Mosaic_Vector>:$mask,
                       DefaultValuedAttr<BoolAttr, "false">:$add);
  let hasVerifier = 1;
}

def Mosaic_StridedLoadOp : Mosaic_Op<"strided_load", [Mosaic_Read]> {
  let summary = "load every n-th element along each dimension";
  let description = [{
    Element i of the result is that of `base` at `indices` + `strides` * i. A stride of 0 repeats one position.
  }];
  let arguments = (ins AnyMemRef:$base, Variadic<Index>:$indices, DenseI32ArrayAttr:$strides);
  let results = (outs Mosaic_Vector:$result);
  let hasVerifier = 1;
}

def Mosaic_StridedStoreOp : Mosaic_Op<"strided_store", [Mosaic_Write]> {
  let summary = "store to every n-th element along each dimension";
  let description = [{
    Element i of the vector goes to `indices` + `strides` * i of `base`; elements between them keep what
    they have.
  }];
  let arguments = (ins Mosaic_Vector:$valueToStore, AnyMemRef:$base, Variadic<Index>:$indices,
                       DenseI32ArrayAttr:$strides);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Single registers
//===----------------------------------------------------------------------===//

def Mosaic_LoadOp : Mosaic_Op<"load", [Mosaic_Read]> {
  let summary = "load one register";
  let description = [{
    Sublane s of the result is that at `indices`, moved by s * `sublane_stride` sublanes, if `sublane_mask`
    has it; other sublanes are unspecified.
  }];
  let arguments = (ins AnyMemRef:$base, Variadic<Index>:$indices, DenseBoolArrayAttr:$sublane_mask,
                       DefaultValuedAttr<I32Attr, "1">:$sublane_stride);
  let results = (outs Mosaic_Vector:$result);
  let hasVerifier = 1;
}

def Mosaic_StoreOp : Mosaic_Op<"store", [Mosaic_Write, AttrSizedOperandSegments]> {
  let summary = "store one register, or add it to what is there";
  let description = [{
    Sublanes go to the places that `tpu.load` reads, of which elements outside of `mask` keep what they have.
  }];
  let arguments = (ins Mosaic_Vector:$valueToStore, AnyMemRef:$base, Variadic<Index>:$indices,
                       DenseBoolArrayAttr:$sublane_mask, Optional<AnyType>:$mask,
                       DefaultValuedAttr<I32Attr, "1">:$sublane_stride,
                       DefaultValuedAttr<BoolAttr, "false">:$add);
  let hasVerifier = 1;
}

def Mosaic_ShuffledLoadOp : Mosaic_Op<"shuffled_load", [Mosaic_Read]> {
  let summary = "load one register of sublanes at given offsets";
  let description = [{
    Sublane s of the result is that at `indices`, moved by `sublane_offsets`[s] sublanes, if `sublane_mask`
    has it.
  }];
  let arguments = (ins AnyMemRef:$base, Variadic<Index>:$indices, DenseBoolArrayAttr:$sublane_mask,
                       DenseI32ArrayAttr:$sublane_offsets);
  let results = (outs Mosaic_Vector:$result);
  let hasVerifier = 1;
}

def Mosaic_ShuffledStoreOp : Mosaic_Op<"shuffled_store", [Mosaic_Write]> {
  let summary = "store one register to sublanes at given offsets";
  let description = [{
    Sublanes go to the places that `tpu.shuffled_load` reads.
  }];
  let arguments = (ins Mosaic_Vector:$valueToStore, AnyMemRef:$base, Variadic<Index>:$indices,
                       DenseBoolArrayAttr:$sublane_mask, DenseI32ArrayAttr:$sublane_offsets);
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_MOSAIC_ACCESSES_TD
