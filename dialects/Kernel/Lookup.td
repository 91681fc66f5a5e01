//===- Lookup.td - Elements at computed lanes ----------------*- tablegen -*-===//
//
// The tensor operation and the stage that take elements of rows by the cross-lane unit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_LOOKUP_TD
#define SYSTOLE_DIALECTS_KERNEL_LOOKUP_TD

def Kernel_LookupOp : Kernel_Op<"lookup", [Pure, OpKindOf<"Lookup">]> {
  let summary = "elements of tables at computed indices";
  let description = [{
    Of tables [B, N] and indices [B, M] of i32 element (b, m) of the result is (b, indices(b, m)) of the
    tables, whose elements have 32 bits. It is unspecified where an index is not in [0, N).
  }];
  let arguments = (ins AnyRankedTensor:$table, AnyRankedTensor:$indices);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$table `at` $indices attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Kernel_TakeOp : Kernel_Op<"take"> {
  let summary = "elements of rows at computed lanes";
  let description = [{
    What `kernel.lookup` does, on buffers of VMEM. Each group of 128 elements of a table is a row, of which
    the cross-lane unit gathers lanes for all indices; those that are in the group are kept.
  }];
  let arguments = (ins Kernel_BufferType:$table, Kernel_BufferType:$indices,
                       Kernel_BufferType:$out);
  let assemblyFormat = [{
    $table `at` $indices `into` $out attr-dict `:` type($table) `,` type($indices) `,` type($out)
  }];
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_KERNEL_LOOKUP_TD
