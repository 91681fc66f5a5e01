//===- Passes.td - Layouts -----------------------------------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_LAYOUT_PASSES_TD
#define SYSTOLE_COMPILER_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def MergePositions : Pass<"systole-merge-positions", "::mlir::ModuleOp"> {
  let summary = "Make one dimension of many along which the positions of a gather count";
  let description = [{
    A kernel takes a loop for each dimension of a gather's positions, and the machine nests only so
    many. Of a gather whose result has more than `most-dimensions`, those of the positions become one,
    between reshapes.
  }];
  let options = [Option<"mostDimensions", "most-dimensions", "int64_t", "6",
                        "dimensions of a gather that is kept">];
}

def AssignLayouts : Pass<"systole-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Choose in which order the dimensions of each tensor lie";
  let description = [{
    Arguments and results of `@main` lie as their shape alone decides (`kernel.layout`). One walk
    over the function in program order chooses for every other value, among the orders that
    its operands suggest, that of its own shape and row-major, the one that moves the
    fewest bytes: the value written and read once, padding included, and each relayout that it
    makes necessary read and written. `kernel.layouts` holds the choice where it is not row-major; an
    operation that has it already keeps the order of its first result.
  }];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def MaterializeLayouts : Pass<"systole-materialize-layouts", "::mlir::ModuleOp"> {
  let summary = "Put the dimensions of every tensor into the order in which they lie";
  let description = [{
    Afterwards all tensors are row-major: types and attributes name dimensions
    in the order that `kernel.layouts` chose, and where an operation needs an operand in another
    order there is a `stablehlo.transpose`, beside the operand's producer. The signature of `@main`
    has its tensors as they lie; `kernel.entry_layout` says how the caller names them.
  }];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def TileRows : Pass<"systole-tile-rows", "::mlir::ModuleOp"> {
  let summary = "Put several rows side by side where they fill a row of 128 lanes together";
  let description = [{
    A row-major array f32[64,56,56,64] whose rows lie in pairs is the row-major array
    f32[64,56,28,128]: a row tile T(2,64) is a reshape. Tensors that elementwise work, movement of
    rows and control flow connect are tiled together or not at all, whichever moves fewer bytes;
    operations that know rows by their numbers read and make reshapes of them.
  }];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def VerifyLayouts : Pass<"systole-verify-layouts", "::mlir::ModuleOp"> {
  let summary = "Check what the layout level promises";
  let description = [{
    No operation has a layout of its own any more, and every argument and result of `@main`
    has an entry layout, the one that its shape decides.
  }];
}

#endif // SYSTOLE_COMPILER_LAYOUT_PASSES_TD
