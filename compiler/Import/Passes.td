//===- Passes.td - From a producer's module to one function --*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_IMPORT_PASSES_TD
#define SYSTOLE_COMPILER_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def VhloToStableHLO : Pass<"systole-vhlo-to-stablehlo", "::mlir::ModuleOp"> {
  let summary = "Make StableHLO of a portable artifact's operations, whatever their versions";
  let description = [{
    Attributes that say no more than their absence does are left out. Where operations are on tuples,
    these become the values that they hold, as arguments, operands and results of their own. An operation, type or
    attribute that StableHLO has no counterpart for here is an error at its place; `sdy` stays.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect", "::systole::vhlo::VhloDialect",
                           "::mlir::func::FuncDialect"];
}

def StableHLOToVhlo : Pass<"systole-stablehlo-to-vhlo", "::mlir::ModuleOp"> {
  let summary = "Make a portable artifact's operations of StableHLO";
  let description = [{
    Every operation becomes the one of its name that the given version of StableHLO has. What the
    version cannot say is an error at its place.
  }];
  let options = [Option<"version", "version", "std::string", /*default=*/"",
                        "MAJOR.MINOR of StableHLO, the newest by default">];
  let dependentDialects = ["::systole::vhlo::VhloDialect"];
}

def DropInternalAttributes : Pass<"systole-drop-internal-attributes", "::mlir::ModuleOp"> {
  let summary = "Remove attributes of the compiler's own levels from a program that comes from outside";
  let description = [{
    Passes believe what the attributes of `kernel`, `core` and `systole` say, since only passes set
    them. StableHLO may carry any attribute.
  }];
}

def DropShardings : Pass<"systole-drop-shardings", "::mlir::ModuleOp"> {
  let summary = "Remove how a program is divided among devices if there is only one";
  let description = [{
    Meshes, shardings and constraints of Shardy vanish, and manual computations are inlined; so do
    shardings and custom calls of GSPMD. More than one device is an error, whether a mesh, a
    sharding or the module's counts of partitions and replicas say so.
  }];
}

def DropCollectives : Pass<"systole-drop-collectives", "::mlir::ModuleOp"> {
  let summary = "Replace what several devices do together by what a single one does";
  let description = [{
    Of one device all_reduce, all_gather, reduce_scatter and all_to_all give their operands, and so do
    collective_broadcast and collective_permute, but zeros where they do not name it. The
    numbers of its replica and partition are 0. Groups and pairs that name another device are errors.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def LowerTokens : Pass<"systole-lower-tokens", "::mlir::ModuleOp"> {
  let summary = "Order transfers with the host by their places instead of tokens";
  let description = [{
    `stablehlo.send` and `stablehlo.recv` become `kernel.send` and `kernel.recv`, which happen in the
    order in which they stand: one of the orders that their tokens allow. Where tokens are arguments or
    results, carried or chosen, an array without elements, `tensor<0xi1>`, stands for them.
    A transfer between devices is an error.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect",
                           "::systole::kernel::KernelDialect"];
}

def NarrowDoubles : Pass<"systole-narrow-doubles", "::mlir::ModuleOp"> {
  let summary = "Use narrower elements for f64 where they give the same results";
  let description = [{
    Producers write their scalars as f64 even where nothing is computed with it. Arithmetic of constants
    that IEEE 754 defines is done. A `convert` is of narrow elements if what it reads only moves or orders
    constants, arguments and elements that were narrow before. A `compare` is one of narrower elements if both of its sides
    are such elements, or if one is constant and the other a monotone function of narrower elements or of
    an f64's bits: with the threshold that bisection of that function finds. All other f64 stays.
    Expects one function that calls no others.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def RecomposeChlo : Pass<"systole-recompose-chlo", "::mlir::ModuleOp"> {
  let summary = "Make CHLO operations of the custom calls in which they travel"
                " through portable artifacts";
  let description = [{
    Calls of `mhlo.erf`, `mhlo.topk` and the like, whose attributes are a dictionary
    `mhlo.attributes`. Those that CHLO has no operation for stay custom calls.
  }];
  let dependentDialects = ["::systole::chlo::CHLODialect"];
}

def NarrowDoubleArguments : Pass<"systole-narrow-double-arguments", "::mlir::ModuleOp"> {
  let summary = "Take arguments of f64 as bits where they are narrowed or compared only";
  let description = [{
    Of a public function, as PyTorch passes its scalars. The argument becomes one of ui64, marked `systole.double`,
    whose bits integer arithmetic rounds to f32; numbers that are subnormal there become zero. A bf16 or f16 is
    rounded once. Comparisons with numbers that were converted to f64 are those of `narrow-doubles`. Other uses of
    an f64 leave the argument as it is.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def ResolveEntry : Pass<"systole-resolve-entry", "::mlir::ModuleOp"> {
  let summary = "Find the function that a program runs";
  let description = [{
    The entry is `@main`, or the only public function, which is then renamed to
    `main`. Every function must have a body of one block.
  }];
}

def CheckTypes : Pass<"systole-check-types", "::mlir::ModuleOp"> {
  let summary = "Check that every type in the module is supported";
  let description = [{
    Every type must have static dimensions and an element type that the compiler
    supports; the first that does not is an error at its operation.
  }];
}

def ResolveConstants : Pass<"systole-resolve-constants", "::mlir::ModuleOp"> {
  let summary = "Make every constant an attribute that holds its elements";
  let description = [{
    `dense_resource` and `sparse` become `dense`, which is all that later passes
    know. A resource without data, or with another number of bytes than its type
    takes, is an error. Expects the types that `check-types` checked.
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
