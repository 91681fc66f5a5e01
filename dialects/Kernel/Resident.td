//===- Resident.td - Arrays resident in VMEM ----------------*- tablegen -*-===//
//
// Arrays in VMEM for several kernels: tensors at the fusion level, buffers once kernels are
// formed.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_RESIDENT_TD
#define SYSTOLE_DIALECTS_KERNEL_RESIDENT_TD

def Kernel_ResidentOp : Kernel_Op<"resident", [MemoryEffects<[MemAlloc]>, SameOperandsAndResultType]> {
  let summary = "an array that VMEM keeps for several kernels";
  let description = [{
    The operand's elements in VMEM where `placement` says, in blocks of shape `block`, each as a buffer
    of its own, in row-major order of their indices; the last ones may extend past the end, with
    unspecified elements there. Kernels that run while it is there plan with the rest, and fusions read
    it in place.

    - `kernels`: of a result of a fusion in the same block, which has no other user and which the fusion
      writes there.
    - `loop`, `carried`: directly before a `stablehlo.while`, or before others that are. A `carried` one
      is the loop's initial value, and what is carried has its place.
    - `iteration`, `prefetch`: in a loop's body, of a `kernel.part`, which has no other user. A copy of
      `iteration` starts where the operation is.
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$block,
      Kernel_PlacementAttr:$placement);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `block` `=` $block `placement` `=` $placement attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows of 512 bytes that all blocks take.
    int64_t getRows();
    int64_t getPlace() { return getPlacement().getPlace(); }
    Residency getResidency() { return getPlacement().getResidency(); }
    /// The loop for whose kernels VMEM keeps the array; null if there is none.
    ::mlir::Operation *getLoop();
  }];
}

def Kernel_VmemOp : Kernel_Op<"vmem", [Pure]> {
  let summary = "a buffer that VMEM keeps while several kernels run";
  let description = [{
    `placement` indexes the module's `kernel.vmem_plan`. The buffer is in blocks as its kernels' operands
    say.
  }];
  let arguments = (ins I32Attr:$placement);
  let results = (outs Kernel_BufferType:$result);
  let assemblyFormat = "$placement attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_KERNEL_RESIDENT_TD
