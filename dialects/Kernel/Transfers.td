//===- Transfers.td - Transfers between device and host ------*- tablegen -*-===//
//
// Arrays that a running program exchanges with the host: tensors below the input
// level, buffers in HBM once memory is planned.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_TRANSFERS_TD
#define SYSTOLE_DIALECTS_KERNEL_TRANSFERS_TD

def Kernel_Direction : I32EnumAttr<"Direction", "where a transfer goes, or comes from", [
    I32EnumAttrCase<"send", 0>, I32EnumAttrCase<"recv", 1>,
    I32EnumAttrCase<"outfeed", 2>, I32EnumAttrCase<"infeed", 3>]> {
  let cppNamespace = "::systole::kernel";
  let genSpecializedAttr = 0;
}

def Kernel_WordsAttr : AttrDef<Kernel_Dialect, "Words"> {
  let mnemonic = "words";
  let summary = "a tensor as one plane of a tensor with other elements";
  let description = [{
    Elements of 64 bits have two planes and complex<f64> has four: of f32 for complex<f32>, the real
    and the imaginary parts, else of ui32, the lowest words first. Elements of less than a byte and
    floats of a byte have one, of i8 or ui8. A tensor that is several planes, f64 that has not been
    split, has the number of the first.
  }];
  let parameters = (ins "unsigned":$plane, "::mlir::Type":$element);
  let assemblyFormat = "`<` $plane `of` $element `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The element type of the plane.
    ::mlir::Type planeElement() const;
  }];
}

def Kernel_TransferAttr : AttrDef<Kernel_Dialect, "Transfer"> {
  let mnemonic = "transfer";
  let summary = "one entry of the module's `kernel.transfers`";
  let description = [{
    An array that is transferred over a channel, `send` to the host or `recv` from it, or through a
    queue, `outfeed` or `infeed`. `type` is its tensor in physical order of dimensions, `layout` that
    order; `source` is the line of the first operation that uses the channel. A channel transfers
    arrays 0, 1, ..., each in an entry, or in one for each plane of its elements, in order: `words`.
    Transfers through a queue of equal types have the same number as their channel.
  }];
  let parameters = (ins EnumParameter<Kernel_Direction>:$direction, "int64_t":$channel,
                        DefaultValuedParameter<"int64_t", "0">:$array,
                        OptionalParameter<"::systole::kernel::WordsAttr">:$words,
                        "::mlir::TypeAttr":$type, "::systole::kernel::LayoutAttr":$layout,
                        OptionalParameter<"::mlir::StringAttr">:$source);
  let assemblyFormat = [{
    `<` $direction `,` `channel` `=` $channel (`array` $array^)? (`words` $words^)? `,` `type` `=` $type `,` `layout` `=` $layout
    (`,` `source` `=` $source^)? `>`
  }];
  let genVerifyDecl = 1;
}

class Kernel_TransferOp<string mnemonic> : Kernel_Op<mnemonic, [MemoryEffects<[MemWrite]>, OpKindOf<"Transfer">]> {
  dag transferArguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$channel,
                               DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$array,
                               OptionalAttr<Kernel_WordsAttr>:$words,
                               OptionalAttr<Kernel_LayoutAttr>:$layout, UnitAttr:$queued);
  string transferFormat = [{
    (`queue` $queued^)? $channel (`array` $array^)? (`words` $words^)? (`layout` $layout^)? attr-dict `:`
  }];
}

def Kernel_SendOp : Kernel_TransferOp<"send"> {
  let summary = "send a tensor to the host";
  let description = [{
    Transfers happen in program order, once each time that they are executed. `layout` is the
    physical order of the host array's dimensions, once the tensor has them in that order. One
    transfer over a channel is arrays 0, 1, ..., each sent by an operation of its own, or each of
    its planes by one; the host receives all of them with the last. To a `queue` they are appended.
  }];
  let arguments = !con((ins AnyRankedTensor:$operand), transferArguments);
  let assemblyFormat = "$operand `to`" # transferFormat # "type($operand)";
}

def Kernel_RecvOp : Kernel_TransferOp<"recv"> {
  let summary = "wait for a tensor from the host";
  let description = [{ As `kernel.send`; the host has heard of all that was sent before. From a
    `queue` the next arrays are taken. }];
  let arguments = transferArguments;
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = transferFormat # "type($result)";
}

def Kernel_ToHostOp : Kernel_Op<"to_host"> {
  let summary = "copy an HBM buffer to the host";
  let description = [{
    `transfer` indexes the module's `kernel.transfers`. Complete before anything overwrites the
    buffer.
  }];
  let arguments = (ins Kernel_BufferType:$buffer, I32Attr:$transfer);
  let assemblyFormat = "$buffer `,` $transfer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Kernel_FromHostOp : Kernel_Op<"from_host"> {
  let summary = "copy a message from the host to an HBM buffer";
  let description = [{ As `kernel.to_host`; complete before anything reads the buffer. }];
  let arguments = (ins Kernel_BufferType:$buffer, I32Attr:$transfer);
  let assemblyFormat = "$buffer `,` $transfer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_KERNEL_TRANSFERS_TD
