//===- AsyncCopies.td - Copies in flight while kernels run ---*- tablegen -*-===//
//
// Copies of the program outside of kernels, which run while kernels do.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_ASYNCCOPIES_TD
#define SYSTOLE_DIALECTS_KERNEL_ASYNCCOPIES_TD

// One of the flags that SyncFlags.h leaves to copies of the program. Until the copy has been waited
// for, no other one in flight has this flag.
def Kernel_CopyFlag : ConfinedAttr<I32Attr, [IntMinValue<32>, IntMaxValue<61>]>;

def Kernel_StartLoadOp : Kernel_Op<"start_load"> {
  let summary = "begin to copy rows of HBM to VMEM";
  let description = [{
    All rows of `target`, from row `row` of 512 bytes of `source` on. Until a `kernel.wait` for `flag`
    nothing may access `target` or write the rows of `source`.
  }];
  let arguments = (ins Kernel_BufferType:$source, I32:$row, Kernel_BufferType:$target,
                       Kernel_CopyFlag:$flag);
  let assemblyFormat = [{
    $source `at` $row `to` $target `flag` $flag attr-dict `:` type($source) `to` type($target)
  }];
  let hasVerifier = 1;
}

class Kernel_StartHostCopyOp<string mnemonic> : Kernel_Op<mnemonic> {
  let arguments = (ins Kernel_BufferType:$buffer, Optional<I32>:$row, I32Attr:$region,
                       Kernel_CopyFlag:$flag);
  let assemblyFormat = [{
    $buffer `,` $region (`at` $row^)? `flag` $flag attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
}

def Kernel_StartOffloadOp : Kernel_StartHostCopyOp<"start_offload"> {
  let summary = "begin to copy an HBM buffer to the host";
  let description = [{
    To a region of the module's `kernel.pinned_plan`, from its row `row` on. Until a `kernel.wait` for
    `flag` nothing may write the buffer, or access these rows.
  }];
}

def Kernel_StartFetchOp : Kernel_StartHostCopyOp<"start_fetch"> {
  let summary = "begin to copy rows of the host to an HBM buffer";
  let description = [{ As `kernel.start_offload`, but nothing may access the buffer. }];
}

def Kernel_WaitOp : Kernel_Op<"wait"> {
  let summary = "wait for the copies in flight that have these flags";
  let arguments = (ins DenseI32ArrayAttr:$flags);
  let assemblyFormat = "$flags attr-dict";
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_KERNEL_ASYNCCOPIES_TD
