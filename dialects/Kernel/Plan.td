//===- Plan.td - Plans of kernels ----------------------------*- tablegen -*-===//
//
// How the kernel of a fusion is tiled.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_PLAN_TD
#define SYSTOLE_DIALECTS_KERNEL_PLAN_TD

def Kernel_AxisAttr : AttrDef<Kernel_Dialect, "Axis"> {
  let mnemonic = "axis";
  let summary = "one dimension of a kernel's grid";
  let description = [{
    `<value 2 dim 1 by 512>`: each step along this axis has 512 elements of dimension 1 of value 2 of
    the fusion's body. Values are numbered: the body's arguments, then the results of its
    operations in order.
  }];
  let parameters = (ins "int64_t":$value, "int64_t":$dim, "int64_t":$tile);
  let assemblyFormat = "`<` `value` $value `dim` $dim `by` $tile `>`";
}

def Kernel_PlanAttr : AttrDef<Kernel_Dialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "how the kernel of a fusion is tiled";
  let description = [{
    `#kernel.plan<axes = [<value 2 dim 1 by 512>], buffers = [1, 2, 2], pieces = [4, 1, 1],
    estimate = 41230>`

    `axes` are the dimensions of the kernel's grid, the outermost first; none if it has one step.
    The tiles of values that no axis names follow from the operations between them.

    `buffers` is how many blocks of each operand VMEM has room for: with two, a block is copied
    while a step works on another. It has an entry for each operand that is copied in blocks: the
    arguments of the fusion's body in order, where an operation that reads one at an offset of its
    own (`stride` and `offset` of `#kernel.operand`) has one more, then the results in order.
    Without it, each operand whose block changes over the grid has two.

    `pieces`, for the same operands, is how many parts the first step takes each of them in; without
    it, all arrive at once.

    `estimate` is how many cycles the planner expects, 0 if it is not known.
  }];
  let parameters = (ins ArrayRefParameter<"AxisAttr">:$axes,
                        OptionalArrayRefParameter<"int64_t">:$buffers,
                        OptionalArrayRefParameter<"int64_t">:$pieces,
                        DefaultValuedParameter<"int64_t", "0">:$estimate);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // SYSTOLE_DIALECTS_KERNEL_PLAN_TD
