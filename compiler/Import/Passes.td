//===- Passes.td - From a producer's module to one function --*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_IMPORT_PASSES_TD
#define SYSTOLE_COMPILER_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def NarrowCounts : Pass<"systole-narrow-counts", "::mlir::ModuleOp"> {
  let summary = "Make 32-bit integers of 64-bit ones that only count";
  let description = [{
    Constants, iotas, and sums, products and shifts of these, of which all values are known to fit
    into unsigned 32-bit integers and end in conversions to at most 32 bits, as in
    JAX's random numbers.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def ResolveEntry : Pass<"systole-resolve-entry", "::mlir::ModuleOp"> {
  let summary = "Find the function that a program runs and check its types";
  let description = [{
    The entry is `@main`, or the only public function, which is then renamed to
    `main`. Every type in the module must have static dimensions and an element
    type that the compiler supports; the first that does not is an error at its
    operation.
  }];
}

def ResolveConstants : Pass<"systole-resolve-constants", "::mlir::ModuleOp"> {
  let summary = "Make every constant an attribute that holds its elements";
  let description = [{
    `dense_resource` and `sparse` become `dense`, which is all that later passes
    know. A resource without data, or with another number of bytes than its type
    takes, is an error. Expects the types that `resolve-entry` checked.
  }];
}

def InlineCalls : Pass<"systole-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replace calls by the bodies of their callees";
  let description = [{
    Leaves the entry as the only function. A `stablehlo.composite` is a call of its
    decomposition. A recursive call is an error, and so is what grows too large.
  }];
}

#endif // SYSTOLE_COMPILER_IMPORT_PASSES_TD
