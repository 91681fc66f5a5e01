//===- Passes.td - From a producer's module to one function --*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_IMPORT_PASSES_TD
#define SYSTOLE_COMPILER_IMPORT_PASSES_TD

include "compiler/Diagnostics/RewritePass.td"
include "mlir/Pass/PassBase.td"

def VhloToStableHLO : RewritePass<"systole-vhlo-to-stablehlo"> {
  let summary = "Upgrade the VHLO operations of a portable artifact to StableHLO";
  let description = [{
    Operations may be of any version. Attributes that have their default value are omitted. Tuples are
    flattened: their elements become arguments, operands and results. An operation, type or attribute
    without a StableHLO counterpart here is an error at its location; `sdy` is unchanged.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect", "::systole::vhlo::VhloDialect",
                           "::mlir::func::FuncDialect"];
}

def StableHLOToVhlo : Pass<"systole-stablehlo-to-vhlo", "::mlir::ModuleOp"> {
  let summary = "Convert StableHLO to the VHLO of a given version";
  let description = [{
    Every operation becomes the VHLO operation of its name in the given version of StableHLO. An
    operation or attribute that the version cannot represent is an error at its location.
  }];
  let options = [Option<"version", "version", "std::string", /*default=*/"",
                        "MAJOR.MINOR of StableHLO, the newest by default">];
  let dependentDialects = ["::systole::vhlo::VhloDialect"];
}

def ImportMosaic : RewritePass<"systole-import-mosaic"> {
  let summary = "Read the Pallas kernels that custom calls bring along";
  let description = [{
    Each `stablehlo.custom_call @tpu_custom_call` becomes a `kernel.mosaic_call` of a nested module, which
    holds the kernel in Mosaic's dialects; equal configurations share one. What cannot be read is an
    error at the kernel's line.
  }];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def DropInternalAttributes : RewritePass<"systole-drop-internal-attributes"> {
  let summary = "Remove attributes of the compiler's own dialects from an imported program";
  let description = [{
    Passes trust the attributes of `kernel`, `core` and `systole`, since only passes set them. An
    imported program may contain any attribute of `core` and `systole`, and declared ones of `kernel`.
  }];
}

def DropShardings : RewritePass<"systole-drop-shardings"> {
  let summary = "Remove shardings from a program for a single device";
  let description = [{
    Removes Shardy's meshes, shardings and constraints as well as GSPMD's shardings and custom calls,
    inlines manual computations, and makes groups along axes of a mesh lists. More than one device in
    a mesh, a sharding, or the module's partition and replica counts is an error.
  }];
}

def DropCollectives : RewritePass<"systole-drop-collectives"> {
  let summary = "Replace collective operations by their results on a single device";
  let description = [{
    On one device the result of all_reduce, all_gather, reduce_scatter, all_to_all and cross-replica-sum
    is the operand; so is that of collective_broadcast, collective_reduce and collective_permute, or zeros
    if they do not list the device.
    Replica and partition ids are 0. Groups and pairs that list another device are errors.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def InlineAsync : RewritePass<"systole-inline-async"> {
  let summary = "Compute what is asynchronous where it starts";
  let description = [{
    The body of async_start takes its place, and the results of async_done are the values that it
    returns. A future from anywhere else, such as an argument, is an error.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def FlattenTuples : RewritePass<"systole-flatten-tuples"> {
  let summary = "Replace tuples by their elements";
  let description = [{
    The elements of tuples become arguments and results of functions, and operands and results of
    calls and custom calls. Afterwards there are no tuples.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def LowerTokens : RewritePass<"systole-lower-tokens"> {
  let summary = "Order host transfers by program order instead of tokens";
  let description = [{
    `stablehlo.send` and `outfeed` become `kernel.send`, and `stablehlo.recv` and `infeed` become
    `kernel.recv`. These are executed in program order: one of the orders that their tokens allow.
    Tokens that are arguments, results, loop-carried or results of branches are replaced by a tensor
    without elements, `tensor<0xi1>`.
    A transfer between devices is an error.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect",
                           "::systole::kernel::KernelDialect"];
}

def RaiseMosaicCalls : RewritePass<"systole-raise-mosaic-calls"> {
  let summary = "Write calls of Pallas kernels as StableHLO";
  let description = [{
    For texts that others read: `kernel.mosaic_call` becomes a `stablehlo.custom_call` of `tpu_custom_call`,
    with the name of the kernel, and without its code.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def RaiseTransfers : RewritePass<"systole-raise-transfers"> {
  let summary = "Write host transfers over channels as StableHLO";
  let description = [{
    The inverse of `systole-lower-tokens`, for texts that others read: `kernel.send` and
    `kernel.recv` become `stablehlo.send` and `recv`, each with the token of the one before it in its
    block.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def NarrowDoubles : RewritePass<"systole-narrow-doubles"> {
  let summary = "Replace f64 by narrower element types that give the same results";
  let description = [{
    Producers write scalars as f64 even if the program does not compute in f64. Folds arithmetic on
    constants that IEEE 754 defines. A `convert` to a narrower type is applied to the source elements if
    its operand is computed from constants, arguments and widened elements by operations that only move
    or order elements. A `compare` is done in a narrower type if both sides are such values, or if one
    side is constant and the other a monotone function of a narrower value or of an f64's bits: then it
    becomes a comparison with a threshold, which bisection of that function finds. All other operations
    on f64 are unchanged. Expects one function without calls.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def RecomposeChlo : RewritePass<"systole-recompose-chlo"> {
  let summary = "Recreate CHLO operations from the custom calls that encode them in"
                " portable artifacts";
  let description = [{
    Converts calls of `mhlo.erf`, `mhlo.topk` and so on, whose attributes are in the dictionary
    `mhlo.attributes`. Calls without a CHLO counterpart are unchanged.
  }];
  let dependentDialects = ["::systole::chlo::CHLODialect"];
}

def NarrowDoubleArguments : RewritePass<"systole-narrow-double-arguments"> {
  let summary = "Pass f64 arguments as bits if a program only narrows or compares them";
  let description = [{
    PyTorch passes scalars as f64 arguments of the public function. Such an argument becomes a ui64 with
    the attribute `systole.double`; integer arithmetic rounds its bits to f32 and flushes subnormal f32 to
    zero. Conversions to bf16 and f16 round once. Comparisons with values converted to f64 are done in the
    narrower type, as in `systole-narrow-doubles`. An argument with any other use is unchanged.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def ResolveEntry : RewritePass<"systole-resolve-entry"> {
  let summary = "Find the entry function";
  let description = [{
    The entry is `@main`, or the only public function, which is then renamed to
    `main`. Every function must have a body of one block. Numbers of type `index`, which shapes may
    have, become integers of 64 bits.
  }];
}

def CheckTypes : RewritePass<"systole-check-types"> {
  let summary = "Check that every type in the module is supported";
  let description = [{
    Every type must have static dimensions and a supported element type; the first
    one that does not is an error at its operation. So is an array of 2^31 elements or more, of
    which the error says what memory it takes if that is more than `hbm-bytes`.
  }];
  let options = [Option<"hbmBytes", "hbm-bytes", "int64_t",
                        "std::numeric_limits<int64_t>::max()", "bytes of HBM that a core has">];
}

def ResolveConstants : RewritePass<"systole-resolve-constants"> {
  let summary = "Convert every constant to a dense elements attribute";
  let description = [{
    `dense_resource` and `sparse` become `dense`, the only kind that later passes
    support. A resource without data, or whose size does not match its type, is an
    error. Expects types that `systole-check-types` accepts.
  }];
}

def InlineCalls : RewritePass<"systole-inline-calls"> {
  let summary = "Replace calls by the bodies of their callees";
  let description = [{
    Leaves the entry, and the functions that custom calls name. A `stablehlo.composite` is a call of its
    decomposition. Recursive calls are errors, and so is an expansion that grows too large.
  }];
}

#endif // SYSTOLE_COMPILER_IMPORT_PASSES_TD
