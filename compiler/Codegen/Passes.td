//===- Passes.td - From kernels to machine instructions ------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_CODEGEN_PASSES_TD
#define SYSTOLE_COMPILER_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def Codegen : Pass<"systole-codegen", "::mlir::ModuleOp"> {
  let summary = "Turn kernels into routines of machine instructions";
  let description = [{
    Every `kernel.func` becomes a private `func.func` with one `i32` argument per
    operand, the region that holds it; `@main` calls them. Kernels get their VMEM and
    SMEM, grids become loops with copies that overlap with computation, stages become
    vector instructions. `core.regions` lists all regions, those of `kernel.hbm_plan`
    last and in its order; kernels share equal ranges of VMEM and SMEM. Routines say in `core.kernel` what reports need.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"v3\"",
           "name or file of the machine's description">,
    Option<"excessPrecision", "excess-precision", "bool", "false",
           "keep bf16 and f16 results inside a stage in f32">,
    Option<"spillRows", "spill-rows", "int64_t", "512",
           "rows of VMEM that stay free for the spills of registers">];
  let dependentDialects = ["::systole::core::CoreDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

#endif // SYSTOLE_COMPILER_CODEGEN_PASSES_TD
