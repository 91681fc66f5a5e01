//===- Exchange.td - Exchanges of arrays between cores -------*- tablegen -*-===//
//
// The data movement of collective operations, as copies between the memories of cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_EXCHANGE_TD
#define SYSTOLE_DIALECTS_KERNEL_EXCHANGE_TD

def Kernel_StepAttr : AttrDef<Kernel_Dialect, "Step"> {
  let mnemonic = "step";
  let summary = "copies of an exchange, at most one of each core";
  let description = [{
    Core c copies block `sources[c]` of its operand, or of its result if `forwards` is set, to block
    `places[c]` of the result of core `targets[c]`, which may be c; nothing if `targets[c]` is -1.
    Steps of one `phase` have no order. One that forwards a block of the result does so when all
    that arrives in earlier phases is there.
  }];
  let parameters = (ins "int64_t":$phase, "bool":$forwards, ArrayRefParameter<"int64_t">:$sources,
                        ArrayRefParameter<"int64_t">:$targets, ArrayRefParameter<"int64_t">:$places);
  let assemblyFormat = [{
    `<` $phase `,` `forwards` `=` $forwards `,` `sources` `=` `[` $sources `]` `,`
        `targets` `=` `[` $targets `]` `,` `places` `=` `[` $places `]` `>`
  }];
  let genVerifyDecl = 1;
}
def Kernel_ScheduleAttr : TypedArrayAttrBase<Kernel_StepAttr, "steps of an exchange">;

def Kernel_ExchangeOp : Kernel_Op<"exchange", [MemoryEffects<[MemWrite]>, OpKindOf<"Transfer">]> {
  let summary = "exchange blocks of arrays between cores";
  let description = [{
    All cores of the program that `steps` names execute it together. Operand and result are blocks of
    one shape, `sourceBlocks` and `targetBlocks` of them, one behind the other along the first
    dimension. Blocks of the result that no step writes are unspecified.

    The verifier executes the steps for all cores: each block of a result is written once at most,
    before it is forwarded.
  }];
  let arguments = (ins AnyRankedTensor:$operand, I64Attr:$sourceBlocks, I64Attr:$targetBlocks,
                       Kernel_ScheduleAttr:$steps, OptionalAttr<StrAttr>:$collective);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $operand `blocks` $sourceBlocks `to` $targetBlocks `steps` $steps (`of` $collective^)? attr-dict
    `:` functional-type($operand, $result)
  }];
  let hasVerifier = 1;
}

def Kernel_CoreNumberOp : Kernel_Op<"core_number", [Pure, OpKindOf<"Elementwise">]> {
  let summary = "the number of the core that executes the program";
  let description = [{ From 0 on; a tensor of rank 0, or a scalar of the sequencer. }];
  let results = (outs AnyTypeOf<[I32, 0DTensorOf<[AnyInteger]>]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Kernel_CopyToCoresOp : Kernel_Op<"copy_to_cores"> {
  let summary = "exchange blocks of HBM buffers between cores";
  let description = [{
    As `kernel.exchange`, of buffers. Complete, at both ends, before anything else accesses them.
  }];
  let arguments = (ins Kernel_BufferType:$source, Kernel_BufferType:$target, I64Attr:$sourceBlocks,
                       I64Attr:$targetBlocks, Kernel_ScheduleAttr:$steps,
                       OptionalAttr<StrAttr>:$collective);
  let assemblyFormat = [{
    $source `to` $target `blocks` $sourceBlocks `to` $targetBlocks `steps` $steps (`of` $collective^)?
    attr-dict `:` type($source) `to` type($target)
  }];
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_KERNEL_EXCHANGE_TD
