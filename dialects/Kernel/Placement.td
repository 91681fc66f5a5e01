//===- Placement.td - Where VMEM has what several kernels use -*- tablegen -*-===//
//
// The rows of VMEM that an array or block takes, for how long, and what fills them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_PLACEMENT_TD
#define SYSTOLE_DIALECTS_KERNEL_PLACEMENT_TD

def Kernel_Residency : I32EnumAttr<"Residency", "how long VMEM has an array, and what fills it", [
    I32EnumAttrCase<"kernels", 0>, I32EnumAttrCase<"loop", 1>, I32EnumAttrCase<"carried", 2>,
    I32EnumAttrCase<"iteration", 3>, I32EnumAttrCase<"prefetch", 4>, I32EnumAttrCase<"next", 5>]> {
  let cppNamespace = "::systole::kernel";
  let genSpecializedAttr = 0;
}

// Other dialects of tables use plain integers for flags, too; -1 is none.
def Kernel_PlacementAttr : AttrDef<Kernel_Dialect, "Placement"> {
  let mnemonic = "placement";
  let summary = "rows of VMEM that several kernels use, their lifetime, and what fills them";
  let description = [{
    `rows` rows of 512 bytes that begin `place` rows before the end of what VMEM has for kernels.

    | residency | lifetime | filled by |
    |---|---|---|
    | `kernels` | from the kernel that writes it to its last reader in the block | that kernel |
    | `loop` | all iterations of a loop | a copy before the loop |
    | `carried` | all iterations of a loop, of which each replaces it | a copy before the loop, then a kernel of each iteration |
    | `iteration` | all iterations of a loop | in each one a copy that is in flight until its first reader |
    | `prefetch` | all iterations of a loop | before the loop, and behind the last reader of each iteration, a copy that is in flight until the first reader of the next one |
    | `next` | two kernels, one behind the other | a copy of the first one, which it waits for |

    Copies of `iteration` and `prefetch` are asynchronous: nothing may access the rows between the
    start of one and the wait for `flag`, which no other copy has meanwhile. Arrays whose lifetimes
    overlap have no row in common, and kernels that run in a lifetime use none of its rows but as this
    array.
  }];
  let parameters = (ins EnumParameter<Kernel_Residency>:$residency, "int64_t":$rows,
                        "int64_t":$place, DefaultValuedParameter<"int32_t", "-1">:$flag);
  let assemblyFormat = [{
    `<` $residency `,` `rows` `=` $rows `,` `place` `=` $place (`,` `flag` `=` $flag^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether an asynchronous copy fills it, in a loop.
    bool isLoadedInLoop() const {
      return getResidency() == Residency::iteration || getResidency() == Residency::prefetch;
    }
    /// The first row and the one behind the last, counted from the end of VMEM.
    int64_t firstRow() const { return getPlace() - getRows(); }
    int64_t endRow() const { return getPlace(); }
  }];
}

def Kernel_PrefetchAttr : AttrDef<Kernel_Dialect, "Prefetch"> {
  let mnemonic = "prefetch";
  let summary = "an input of a fusion whose first block the kernel before loads";
  let description = [{
    The blocks of input number `input`, one or two at a time, are where `placement` says. The fusion
    directly before loads the first one.
  }];
  let parameters = (ins "int64_t":$input, "PlacementAttr":$placement);
  let assemblyFormat = "`<` `input` `=` $input `,` `placement` `=` $placement `>`";
}

#endif // SYSTOLE_DIALECTS_KERNEL_PLACEMENT_TD
