//===- Passes.td - Fusion ------------------------------------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_FUSION_PASSES_TD
#define SYSTOLE_COMPILER_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def Fuse : Pass<"systole-fuse", "::mlir::ModuleOp"> {
  let summary = "Group tensor operations into kernels";
  let description = [{
    Every tensor operation outside control flow ends in a `kernel.fusion`. An
    operation joins the kernel of the last of its producers when that kernel's blocks still
    fit into VMEM: elementwise work and reductions follow a contraction into its
    epilogue, and each other. A kernel has at most one contraction.
    Splat constants, iota and broadcasts are copied into each kernel that reads
    them. Positions for dynamic slices and gathers must have left their kernel before.
  }];
  let options = [Option<"vmemBytes", "vmem-bytes", "int64_t", "8 << 20",
                        "VMEM that the blocks of one kernel may take">];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

#endif // SYSTOLE_COMPILER_FUSION_PASSES_TD
