//===- Keep.td - Arrays that VMEM keeps ----------------------*- tablegen -*-===//
//
// Arrays in VMEM for several kernels: tensors at the fusion level, buffers once kernels are
// formed.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_KEEP_TD
#define SYSTOLE_DIALECTS_KERNEL_KEEP_TD

def Kernel_KeepOp : Kernel_Op<"keep", [MemoryEffects<[MemAlloc]>, SameOperandsAndResultType]> {
  let summary = "an array that VMEM keeps for several kernels";
  let description = [{
    The operand's elements in VMEM, in blocks of shape `block`, each as a buffer of its own, in
    row-major order of their indices; the last ones may extend past the end, with unspecified elements
    there. It begins `place` rows of 512 bytes before the end of what VMEM has for kernels. Kernels
    that run while it is there plan with the rest, and fusions read it in place.

    With `made`: of a result of a fusion in the same block, which has no other user. The fusion writes
    it there, and it stays up to its last reader in that block.

    Otherwise it stays as long as a loop runs. Directly before a `stablehlo.while`, or before others
    that are: loaded once. If the loop starts with it, what is carried has its place. In a loop's body:
    of a `kernel.part`, what the trip before has loaded behind the last reader of its own part.
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$block, I64Attr:$place,
      UnitAttr:$made);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source (`made` $made^)? `block` `=` $block `at` $place attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows of 512 bytes that all blocks take.
    int64_t getRows();
    /// The loop for whose kernels VMEM keeps the array; null if there is none.
    ::mlir::Operation *getLoop();
  }];
}

def Kernel_VmemOp : Kernel_Op<"vmem", [Pure]> {
  let summary = "a buffer that VMEM keeps while several kernels run";
  let description = [{
    It begins `kept` rows of 512 bytes before the end of what VMEM has for kernels, in blocks as its
    kernels' operands say.
  }];
  let arguments = (ins I64Attr:$kept);
  let results = (outs Kernel_BufferType:$result);
  let assemblyFormat = "$kept attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_StartLoadOp : Kernel_Op<"start_load"> {
  let summary = "start to copy rows of HBM to what VMEM keeps";
  let description = [{
    All rows of `target`, from row `row` of 512 bytes of `source` on. Kernels run meanwhile; those that
    read `target` come behind a `kernel.wait_loads`.
  }];
  let arguments = (ins Kernel_BufferType:$source, I32:$row, Kernel_BufferType:$target);
  let assemblyFormat = [{
    $source `at` $row `to` $target attr-dict `:` type($source) `to` type($target)
  }];
  let hasVerifier = 1;
}

def Kernel_WaitLoadsOp : Kernel_Op<"wait_loads"> {
  let summary = "wait for the copies that `kernel.start_load` has started";
  let arguments = (ins I64Attr:$count);
  let assemblyFormat = "$count attr-dict";
}

#endif // SYSTOLE_DIALECTS_KERNEL_KEEP_TD
