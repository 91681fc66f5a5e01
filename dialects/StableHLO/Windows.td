// The operations of the StableHLO dialect that slide a window over tensors and
// apply a region to its elements.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_WINDOWS_TD
#define SYSTOLE_DIALECTS_STABLEHLO_WINDOWS_TD

include "dialects/StableHLO/StableHLOBase.td"

class StableHLO_WindowOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits # [
          RecursiveMemoryEffects, RecursivelySpeculatable,
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The window along each dimension.
    ::llvm::SmallVector<Window> getWindow();
  }];
}

def StableHLO_ReduceWindowOp
    : StableHLO_WindowOp<"reduce_window", [SameVariadicOperandSize]> {
  let summary = "Combine the elements in a sliding window";
  let semantics = [{
    For every position of a window of size `window_dimensions` the elements within
    it and the initial value are combined by the body, as `reduce` does. Before
    that the inputs' elements are `base_dilations` apart, with the initial value in
    between, and the inputs are padded by `padding` (low and high per dimension;
    negative amounts remove) with the initial value; the window's elements are
    `window_dilations` apart and consecutive windows `window_strides`. Absent attributes
    are 1 or 0.

    Constraints:
    - there is at least one input, and as many initial values and results;
    - all inputs have the same shape;
    - the window's attributes have an entry per dimension of the inputs, sizes,
      strides and dilations are positive;
    - for input i, two of the body's arguments and one value it returns have one
      type: rank 0, of the element type of result i; the element types of input
      and initial value are that one or a narrower one of its kind;
    - every result has one element per position of the window.
  }];
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    Variadic<StableHLO_Tensor>:$init_values,
    DenseI64ArrayAttr:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
    OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
    OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let example = [{
    func.func @reduce_window(%x: tensor<2x8x8x3xf32>, %none: tensor<f32>)
        -> tensor<2x4x4x3xf32> {
      %r = "stablehlo.reduce_window"(%x, %none) <{
        padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>,
        window_dimensions = array<i64: 1, 3, 3, 1>,
        window_strides = array<i64: 1, 2, 2, 1>
      }> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %m = stablehlo.maximum %a, %b : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }) : (tensor<2x8x8x3xf32>, tensor<f32>) -> tensor<2x4x4x3xf32>
      return %r : tensor<2x4x4x3xf32>
    }
  }];
}

def StableHLO_SelectAndScatterOp : StableHLO_WindowOp<"select_and_scatter"> {
  let summary = "Scatter values to the elements that windows select";
  let semantics = [{
    For every position of a window of size `window_dimensions` on the operand one of
    the elements within it is selected: the first one, unless `select` is false for it
    and a later one, which then replaces it, and so on. Padding is never selected.
    The element of `source` at that position is scattered to the selected element,
    where `scatter` combines all such elements with the initial value, in an
    order that is not specified. Window positions are those of `reduce_window`.

    Constraints:
    - `window_dimensions` must be given, and the window's attributes have an entry per
      dimension of the operand, sizes and strides are positive;
    - `source` has the operand's element type, and one element per position of the window;
    - `select` takes two values of rank 0 of the operand's element type and returns a
      `tensor<i1>`;
    - `scatter` takes two values of rank 0 of the result's element type and
      returns one; the element types of source and initial value are that one or a
      narrower one of its kind;
    - the result has the operand's shape.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_Tensor:$source,
    StableHLO_Scalar:$init_value,
    OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs StableHLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let example = [{
    func.func @select_and_scatter(%x: tensor<4x4xf32>, %g: tensor<2x2xf32>,
                                  %zero: tensor<f32>) -> tensor<4x4xf32> {
      %r = "stablehlo.select_and_scatter"(%x, %g, %zero) <{
        window_dimensions = array<i64: 2, 2>,
        window_strides = array<i64: 2, 2>
      }> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x4xf32>
      return %r : tensor<4x4xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_WINDOWS_TD
