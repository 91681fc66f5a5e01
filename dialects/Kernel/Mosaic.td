//===- Mosaic.td - Kernels that the program brings along -----*- tablegen -*-===//
//
// Calls of Mosaic kernels, and what these need of stages: state that lives over the grid, stores to
// SMEM, and elements of VMEM as scalars.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_MOSAIC_TD
#define SYSTOLE_DIALECTS_KERNEL_MOSAIC_TD

def Kernel_MosaicCallOp : Kernel_Op<"mosaic_call", [OpKindOf<"Transfer">,
                                    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "run a Mosaic kernel, such as Pallas writes, on tensors";
  let description = [{
    `callee` is a nested module that holds the kernel and its index maps (dialects/Mosaic), below the
    kernel level a `kernel.func`. Operands and results are row-major; those of rank 0 are elements.
    `aliases` gives for each result the operand whose memory it takes, or -1: the kernel may read the
    operand's elements there. A call with `sideEffects` is executed although nothing uses its results.
    `vmemLimit` is the VMEM in bytes that the kernel may use, `flops` and `bytes` the arithmetic and the
    bytes of HBM that it says to take, if the program gives them.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, FlatSymbolRefAttr:$callee,
                       DenseI64ArrayAttr:$aliases, UnitAttr:$sideEffects,
                       OptionalAttr<I64Attr>:$vmemLimit, OptionalAttr<I64Attr>:$flops,
                       OptionalAttr<I64Attr>:$bytes);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `aliases` `=` $aliases (`vmem_limit` `=` $vmemLimit^)?
    (`flops` `=` $flops^)? (`bytes` `=` $bytes^)? (`side_effects` $sideEffects^)? attr-dict `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

def Kernel_StoreScalarOp : Kernel_Op<"store_scalar"> {
  let summary = "replace an element of a SMEM buffer";
  let description = [{ Each element takes a word; of narrow integers the low bits count. }];
  let arguments = (ins I32:$value, Kernel_BufferType:$buffer, Variadic<I32>:$indices);
  let assemblyFormat = "$value `to` $buffer `[` $indices `]` attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Kernel_ReadElementOp : Kernel_Op<"read_element"> {
  let summary = "the only element of a VMEM buffer as a sequencer scalar";
  let description = [{
    Of f32 and 32-bit integers the bits; narrow floats as the bits of the f32 of the same value,
    narrow integers extended by their sign; an i1 as 0 or 1.
  }];
  let arguments = (ins Kernel_BufferType:$buffer);
  let results = (outs I32:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Kernel_SlotOp : Kernel_Op<"slot", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "one of several buffers that are allocated together";
  let description = [{
    `index` is at least 0 and less than the number of buffers of the `kernel.alloc`.
  }];
  let arguments = (ins Kernel_BufferType:$source, I32:$index);
  let results = (outs Kernel_BufferType:$result);
  let assemblyFormat = "$source `[` $index `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_BitcastOp : Kernel_Op<"bitcast", [Pure]> {
  let summary = "the same VMEM buffer with elements of another width";
  let description = [{
    Rows of at most 128 lanes: 2 or 4 rows of narrow elements are a row of wide ones, the first in the
    lowest bits. Both buffers have as many rows of 512 bytes.
  }];
  let arguments = (ins Kernel_BufferType:$source);
  let results = (outs Kernel_BufferType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Kernel_LogOp : Kernel_Op<"log"> {
  let summary = "give the host a word of a message";
  let description = [{
    The message is texts[0] values[0] texts[1] ... texts[n], and consists of a word for each element of
    its values, scalars or ranked tensors, in row-major order; of one word that does not count if it has
    no values. A kernel gives all words of a message one after the other. Of narrow floats the words are
    those of f32, narrow integers are extended by their sign. If it is `typed`, the values are shown
    with their types.
  }];
  let arguments = (ins I32:$word, StrArrayAttr:$texts, TypeArrayAttr:$values, UnitAttr:$typed);
  let assemblyFormat = "$word $texts `values` `=` $values (`typed` $typed^)? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Copies in flight, and semaphores
//===----------------------------------------------------------------------===//

class Kernel_AsyncCopyOp<string mnemonic> : Kernel_Op<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = (ins Kernel_BufferType:$source, Kernel_BufferType:$destination,
      Variadic<I32>:$srcOffsets, Variadic<I32>:$dstOffsets, Kernel_BufferType:$semaphore,
      Variadic<I32>:$indices, Optional<I32>:$count, DenseI64ArrayAttr:$sizes, AffineMapAttr:$srcMap,
      AffineMapAttr:$dstMap);
  let assemblyFormat = [{
    $source (`at` `[` $srcOffsets^ `]`)? `to` $destination (`at` `[` $dstOffsets^ `]`)?
    `sizes` `=` $sizes (`count` $count^)? `from` $srcMap `into` $dstMap `semaphore` $semaphore `[` $indices `]` attr-dict
    `:` type($source) `,` type($destination) `,` type($semaphore)
  }];
  let hasVerifier = 1;
}

def Kernel_StartCopyOp : Kernel_AsyncCopyOp<"start_copy"> {
  let summary = "begin to copy a box between two memories";
  let description = [{
    destination[dstMap(i) + dstOffsets] = source[srcMap(i) + srcOffsets] for every index i of the space
    `sizes`, of which `count` replaces the first; results of the maps are distinct dimensions or 0. When
    it is there, the semaphore has its words of 32 bits more. Until then an access of the destination, or a store to the source, is a trap. Both boxes consist of
    whole rows of 512 bytes, or of words if one side is in SMEM.
  }];
}

def Kernel_WaitCopyOp : Kernel_AsyncCopyOp<"wait_copy"> {
  let summary = "wait for a copy that has begun";
  let description = [{
    Until the semaphore has the words of this box, which are subtracted. One may wait for several copies
    by a box of as many words.
  }];
}

class Kernel_SemaphoreOp<string mnemonic> : Kernel_Op<mnemonic> {
  let arguments = (ins I32:$value, Kernel_BufferType:$semaphore, Variadic<I32>:$indices);
  let assemblyFormat = "$value `,` $semaphore `[` $indices `]` attr-dict `:` type($semaphore)";
  let hasVerifier = 1;
}

def Kernel_SignalOp : Kernel_SemaphoreOp<"signal"> {
  let summary = "add to a semaphore";
}

def Kernel_WaitSemaphoreOp : Kernel_SemaphoreOp<"wait_semaphore"> {
  let summary = "wait until a semaphore has a value, and subtract it";
}

def Kernel_ReadSemaphoreOp : Kernel_Op<"read_semaphore"> {
  let summary = "the value of a semaphore now";
  let arguments = (ins Kernel_BufferType:$semaphore, Variadic<I32>:$indices);
  let results = (outs I32:$result);
  let assemblyFormat = "$semaphore `[` $indices `]` attr-dict `:` type($semaphore)";
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_KERNEL_MOSAIC_TD
