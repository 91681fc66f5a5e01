//===- Passes.td - From Mosaic kernels to stages -------------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_MOSAIC_PASSES_TD
#define SYSTOLE_COMPILER_MOSAIC_PASSES_TD

include "compiler/Diagnostics/RewritePass.td"
include "mlir/Pass/PassBase.td"

def ArrangeMosaicOperands : RewritePass<"systole-arrange-mosaic-operands"> {
  let summary = "Give operands and results of Mosaic kernels forms that DMA can copy blocks of";
  let description = [{
    Arrays of narrow elements whose columns a kernel divides lie as panels, [..., C / 128, R, 128]: then
    rows that share a row of 512 bytes are of one block. Arrays are padded where a block is larger than
    they are, or where it would end within a row of 512 bytes. Arrays in SMEM have elements of 32 bits.
    The transpositions, paddings and slices around the call are kernels of their own, unless others
    take them in.
  }];
  let dependentDialects = ["::systole::kernel::KernelDialect", "::systole::stablehlo::StableHLODialect"];
}

def LowerMosaic : Pass<"systole-lower-mosaic", "::mlir::ModuleOp"> {
  let summary = "Turn Mosaic kernels into kernels over stages";
  let description = [{
    Each nested module that a `kernel.mosaic_call` names becomes a `kernel.func` of the same name. Its
    windows become blocks of the operands. Operations on vectors become tensor operations, which are
    staged as those of a fusion are, in segments that end where control flow begins or memory is
    accessed out of order; scalars and control flow stay on the sequencer.
  }];
  let options = [
    Option<"precision", "precision", "int", "1",
           "bf16 passes of an f32 product that asks for the default: 1, 3 or 6">,
    Option<"overlap", "overlap", "bool", "true",
           "whether a kernel that copies its blocks by a loop copies them beside its steps">];
  let dependentDialects = ["::systole::kernel::KernelDialect", "::systole::stablehlo::StableHLODialect",
                           "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect"];
}

#endif // SYSTOLE_COMPILER_MOSAIC_PASSES_TD
