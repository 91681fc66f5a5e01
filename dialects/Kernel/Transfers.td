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

def Kernel_Direction : I32EnumAttr<"Direction", "which way a transfer goes", [
    I32EnumAttrCase<"send", 0>, I32EnumAttrCase<"recv", 1>]> {
  let cppNamespace = "::systole::kernel";
  let genSpecializedAttr = 0;
}

def Kernel_TransferAttr : AttrDef<Kernel_Dialect, "Transfer"> {
  let mnemonic = "transfer";
  let summary = "one entry of the module's `kernel.transfers`";
  let description = [{
    What goes over a channel: `send` to the host, `recv` from it. `type` is the tensor as it
    lies, `layout` the order of the dimensions of the one that the host knows; `source` is the
    line of the first operation that uses the channel.
  }];
  let parameters = (ins EnumParameter<Kernel_Direction>:$direction, "int64_t":$channel,
                        "::mlir::TypeAttr":$type, "::systole::kernel::LayoutAttr":$layout,
                        OptionalParameter<"::mlir::StringAttr">:$source);
  let assemblyFormat = [{
    `<` $direction `,` `channel` `=` $channel `,` `type` `=` $type `,` `layout` `=` $layout
    (`,` `source` `=` $source^)? `>`
  }];
  let genVerifyDecl = 1;
}

class Kernel_TransferOp<string mnemonic> : Kernel_Op<mnemonic, [MemoryEffects<[MemWrite]>]>;

def Kernel_SendOp : Kernel_TransferOp<"send"> {
  let summary = "send a tensor to the host";
  let description = [{
    Transfers happen in the order in which they stand, once each time that control gets there.
    `layout` says how the dimensions lie once the tensor has them in that order.
  }];
  let arguments = (ins AnyRankedTensor:$operand, ConfinedAttr<I64Attr, [IntNonNegative]>:$channel,
                       OptionalAttr<Kernel_LayoutAttr>:$layout);
  let assemblyFormat = "$operand `to` $channel (`layout` $layout^)? attr-dict `:` type($operand)";
}

def Kernel_RecvOp : Kernel_TransferOp<"recv"> {
  let summary = "wait for a tensor from the host";
  let description = [{ As `kernel.send`; the host has heard of all that was sent before. }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$channel,
                       OptionalAttr<Kernel_LayoutAttr>:$layout);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$channel (`layout` $layout^)? attr-dict `:` type($result)";
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
  let summary = "copy what the host sends to an HBM buffer";
  let description = [{ As `kernel.to_host`; complete before anything reads the buffer. }];
  let arguments = (ins Kernel_BufferType:$buffer, I32Attr:$transfer);
  let assemblyFormat = "$buffer `,` $transfer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_KERNEL_TRANSFERS_TD
