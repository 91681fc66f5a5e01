//===- HostArrays.td - Arrays in the memory of the host ------*- tablegen -*-===//
//
// Arrays that a program keeps in pinned memory of the host: tensors that are copied
// to and from it below the input level, DMAs once memory is planned.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_HOSTARRAYS_TD
#define SYSTOLE_DIALECTS_KERNEL_HOSTARRAYS_TD

def Kernel_HostMemory : I32EnumAttr<"HostMemory", "a memory of the host", [
    I32EnumAttrCase<"pinned_host", 1>, I32EnumAttrCase<"unpinned_host", 2>]> {
  let cppNamespace = "::systole::kernel";
  let genSpecializedAttr = 0;
}

def Kernel_HostArrayAttr : AttrDef<Kernel_Dialect, "HostArray"> {
  let mnemonic = "host_array";
  let summary = "one entry of the module's `kernel.host_arrays`";
  let description = [{
    An array of type `type`, as the program has it. It is the program's argument or result of that
    number, or both, if the caller gives it up, or neither. Arguments and results have the layout of
    their shape; others consist of as many parts as their first dimension has positions, one behind
    the other, or lie as arguments do.
  }];
  let parameters = (ins EnumParameter<Kernel_HostMemory>:$memory, "::mlir::TypeAttr":$type,
                        DefaultValuedParameter<"int64_t", "-1">:$argument,
                        DefaultValuedParameter<"int64_t", "-1">:$result,
                        DefaultValuedParameter<"bool", "false">:$donated);
  let assemblyFormat = [{
    `<` $memory `,` `type` `=` $type (`,` `argument` `=` $argument^)? (`,` `result` `=` $result^)?
    (`,` `donated` `=` $donated^)? `>`
  }];
}

class Kernel_HostCopyOp<string mnemonic> : Kernel_Op<mnemonic, [MemoryEffects<[MemWrite]>]> {
  dag hostArguments = (ins Optional<AnyRankedTensor>:$position,
                           ConfinedAttr<I64Attr, [IntNonNegative]>:$array,
                           DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$positions,
                           OptionalAttr<Kernel_WordsAttr>:$words,
                           OptionalAttr<Kernel_LayoutAttr>:$layout);
  string hostFormat = [{
    $array (`at` $position^ `:` type($position) `of` $positions)? (`words` $words^)?
    (`layout` $layout^)? attr-dict `:`
  }];
  let hasVerifier = 1;
}

def Kernel_OffloadOp : Kernel_HostCopyOp<"offload"> {
  let summary = "copy a tensor to an array of the host";
  let description = [{
    `array` indexes the module's `kernel.host_arrays`. With `position` the tensor replaces that
    position of the array's first dimension, which has `positions`, and as many as follow; the caller
    has made sure that it is inside. Copies happen in program order. `layout` is the physical order of
    the tensor's dimensions, once it has them in that order; `words` says which plane it is.
  }];
  let arguments = !con((ins AnyRankedTensor:$operand), hostArguments);
  let assemblyFormat = "$operand `to`" # hostFormat # "type($operand)";
}

def Kernel_FetchOp : Kernel_HostCopyOp<"fetch"> {
  let summary = "copy a tensor from an array of the host";
  let description = [{ As `kernel.offload`, whose tensor it returns. }];
  let arguments = hostArguments;
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = hostFormat # "type($result)";
}

class Kernel_StartHostCopyOp<string mnemonic> : Kernel_Op<mnemonic> {
  let arguments = (ins Kernel_BufferType:$buffer, Optional<I32>:$row, I32Attr:$region);
  let assemblyFormat = "$buffer `,` $region (`at` $row^)? attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Kernel_StartOffloadOp : Kernel_StartHostCopyOp<"start_offload"> {
  let summary = "begin to copy an HBM buffer to the host";
  let description = [{
    To a region of the module's `kernel.pinned_plan`, from its row `row` on. Until a
    `kernel.wait_host` has waited for the copy nothing may write the buffer, or access these rows.
  }];
}

def Kernel_StartFetchOp : Kernel_StartHostCopyOp<"start_fetch"> {
  let summary = "begin to copy rows of the host to an HBM buffer";
  let description = [{ As `kernel.start_offload`, but nothing may access the buffer. }];
}

def Kernel_WaitHostOp : Kernel_Op<"wait_host"> {
  let summary = "wait for copies to or from the host, in the order in which they began";
  let description = [{ Those of each direction complete in that order. }];
  let arguments = (ins UnitAttr:$offloads, ConfinedAttr<I32Attr, [IntPositive]>:$count);
  let assemblyFormat = "(`offloads` $offloads^)? $count attr-dict";
}

#endif // SYSTOLE_DIALECTS_KERNEL_HOSTARRAYS_TD
