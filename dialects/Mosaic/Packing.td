//===- Packing.td - Narrow elements in words, and masks ----*- tablegen -*-===//
//
// Several narrow elements in one word, and masks of them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_MOSAIC_PACKING_TD
#define SYSTOLE_DIALECTS_MOSAIC_PACKING_TD

def Mosaic_PackElementwiseOp : Mosaic_Op<"pack_elementwise", [Pure, SameTypeOperands]> {
  let summary = "one element of each source, narrowed, in a word";
  let description = [{
    There are as many sources as elements of `target_type` fit into one of theirs. The first one is in the
    lowest bits. Integers lose their high bits.
  }];
  let arguments = (ins Variadic<Mosaic_WordVector>:$sources, TypeAttr:$target_type);
  let results = (outs Mosaic_IntegerVector:$output);
  let hasVerifier = 1;
}

def Mosaic_UnpackElementwiseOp : Mosaic_Op<"unpack_elementwise", [Pure, SameOperandsAndResultShape]> {
  let summary = "one of the narrow elements in each word, widened";
  let description = [{
    Element `index` of type `source_type`, of which 0 is in the lowest bits. Integers are signed.
  }];
  let arguments = (ins Mosaic_IntegerVector:$source, TypeAttr:$source_type, I32Attr:$index);
  let results = (outs Mosaic_WordVector:$output);
  let hasVerifier = 1;
}

def Mosaic_PackSubelementsOp : Mosaic_Op<"pack_subelements", [Pure, SameTypeOperands]> {
  let summary = "several registers narrowed into one";
  let description = [{
    `interleaved`: `positions`[i] is the place in each word of what source i has there. `compressed`: rows of
    the sources, packed ones included, are behind each other, and `positions` are their order.
  }];
  let arguments = (ins Variadic<Mosaic_Vector>:$sources, DenseI32ArrayAttr:$positions,
                       Mosaic_PackFormatAttr:$pack_format,
                       DefaultValuedAttr<BoolAttr, "false">:$unsigned_integers);
  let results = (outs Mosaic_Vector:$output);
  let hasVerifier = 1;
}

def Mosaic_UnpackSubelementsOp : Mosaic_Op<"unpack_subelements", [Pure]> {
  let summary = "a part of a register's narrow elements, widened";
  let description = [{
    Inverse of `tpu.pack_subelements` for source number `index`. Without `integer_extended` the high bits of
    integers are unspecified, otherwise `unsigned_integers` tells whether they are zeros or copies of the
    sign.
  }];
  let arguments = (ins Mosaic_Vector:$source, I32Attr:$index, Mosaic_PackFormatAttr:$pack_format,
                       DefaultValuedAttr<BoolAttr, "true">:$integer_extended,
                       DefaultValuedAttr<BoolAttr, "false">:$unsigned_integers);
  let results = (outs Mosaic_Vector:$output);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

def Mosaic_CreateMaskOp : Mosaic_Op<"create_mask", [Pure, SameVariadicOperandSize]> {
  let summary = "ones from one position up to another";
  let description = [{
    Positions i with `low` <= i < `high` in all dimensions.
  }];
  let arguments = (ins Variadic<Index>:$low, Variadic<Index>:$high);
  let results = (outs Mosaic_Mask:$output);
  let hasVerifier = 1;
}

def Mosaic_CreateSubelementMaskOp : Mosaic_Op<"create_subelement_mask", [Pure]> {
  let summary = "ones in rows of narrow elements";
  let description = [{
    Rows `from` to `to` - 1 of a register, in all lanes; if `to` is less, all others.
  }];
  let arguments = (ins I32Attr:$from, I32Attr:$to);
  let results = (outs Mosaic_Mask:$output);
}

def Mosaic_MaskCastOp : Mosaic_Op<"mask_cast", [Pure]> {
  let summary = "a mask of elements of another width";
  let description = [{
    The last dimension counts the elements in a word. Where it becomes smaller, elements that become one are
    equal.
  }];
  let arguments = (ins Mosaic_Mask:$input);
  let results = (outs Mosaic_Mask:$result);
  let hasVerifier = 1;
}

def Mosaic_PackMaskOp : Mosaic_Op<"pack_vmsk", [Pure, SameTypeOperands]> {
  let summary = "several masks of wide elements as one of narrow ones";
  let arguments = (ins Variadic<Mosaic_Mask>:$sources, DenseI32ArrayAttr:$positions);
  let results = (outs Mosaic_Mask:$output);
}

#endif // SYSTOLE_DIALECTS_MOSAIC_PACKING_TD
