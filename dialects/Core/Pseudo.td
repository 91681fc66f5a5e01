//===- Pseudo.td - Operations that are not instructions ------*- tablegen -*-===//
//
// The region table, and operations that become an operand of an instruction instead of
// an instruction.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_CORE_PSEUDO_TD
#define SYSTOLE_DIALECTS_CORE_PSEUDO_TD

include "dialects/Core/CoreBase.td"
include "dialects/Core/Memory.td"

def Core_RegionAttr : AttrDef<Core_Dialect, "Region"> {
  let mnemonic = "region";
  let summary = "an entry of the module's region table, `core.regions`";
  let description = [{
    `size` rows of 512 bytes (words in SMEM) from row (word) `base` of memory `space`. Loads,
    stores and DMAs name a region by its index in the table. `owner` is the kernel that uses
    it, empty for the whole program.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, EnumParameter<Core_SpaceAttr>:$space,
                        "int64_t":$base, "int64_t":$size, "::mlir::StringAttr":$owner);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

class Core_PseudoOp<string mnemonic> : Op<Core_Dialect, mnemonic, [Pure]>;

def Core_AllMaskOp : Core_PseudoOp<"m.all"> {
  let summary = "the mask of all cells: register m0";
  let results = (outs M:$d);
  let assemblyFormat = "attr-dict `:` type($d)";
}

def Core_CondOp : Core_PseudoOp<"cond"> {
  let summary = "a scalar as the condition of an scf.if or scf.while: whether it is not zero";
  let arguments = (ins S:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "$value attr-dict";
}

def Core_InterleaveOp : Op<Core_Dialect, "interleave", [NoTerminator]> {
  let summary = "two streams of instructions that may run in any order";
  let description = [{
    Neither stream accesses memory that the other one writes. Scheduling runs loops of one beside those of the
    other, so that they use different units at the same time.
  }];
  let regions = (region SizedRegion<1>:$first, SizedRegion<1>:$second);
  let assemblyFormat = "$first $second attr-dict";
}

#endif // SYSTOLE_DIALECTS_CORE_PSEUDO_TD
