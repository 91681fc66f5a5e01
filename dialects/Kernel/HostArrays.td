//===- HostArrays.td - Arrays in the memory of the host ------*- tablegen -*-===//
//
// Arrays that a program keeps in pinned memory of the host: tensors that are copied
// to and from it below the input level. Once memory is planned they are asynchronous
// copies (AsyncCopies.td).
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

class Kernel_HostCopyOp<string mnemonic> : Kernel_Op<mnemonic, [MemoryEffects<[MemWrite]>, OpKindOf<"Transfer">]> {
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

#endif // SYSTOLE_DIALECTS_KERNEL_HOSTARRAYS_TD
