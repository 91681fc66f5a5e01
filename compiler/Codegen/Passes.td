//===- Passes.td - From kernels to machine instructions ------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_CODEGEN_PASSES_TD
#define SYSTOLE_COMPILER_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def Codegen : Pass<"systole-codegen", "::mlir::ModuleOp"> {
  let summary = "Lower kernels to routines of machine instructions";
  let description = [{
    Every `kernel.func` becomes a private `func.func` with one `i32` argument per
    operand, its region; `@main` calls them. The pass allocates VMEM and SMEM for each
    kernel, lowers grids to loops in which copies overlap with computation, and stages to
    vector instructions. `core.regions` lists all regions, those of `kernel.hbm_plan`
    last and in its order; kernels share equal ranges of VMEM and SMEM. The attribute
    `core.kernel` of a routine contains the data for reports.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"v3\"",
           "name or file of the target description">,
    Option<"excessPrecision", "excess-precision", "bool", "false",
           "keep bf16 and f16 results inside a stage in f32">,
    Option<"spillRows", "spill-rows", "int64_t", "512",
           "rows of VMEM that are reserved for spilled registers">];
  let dependentDialects = ["::systole::core::CoreDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

#endif // SYSTOLE_COMPILER_CODEGEN_PASSES_TD
