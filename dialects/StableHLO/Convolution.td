// The convolution of the StableHLO dialect.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_CONVOLUTION_TD
#define SYSTOLE_DIALECTS_STABLEHLO_CONVOLUTION_TD

include "dialects/StableHLO/Attributes.td"

def StableHLO_ConvolutionOp : StableHLO_Op<"convolution",
    [Pure, OpKindOf<"Convolution">]> {
  let summary = "Sums of products over a window that slides over an image";
  let semantics = [{
    For every position in the result's spatial dimensions a window of the kernel's
    spatial size lies on the image; its elements are multiplied by the kernel's
    and summed over the window and the input features. Before that the image's
    elements are `lhs_dilation` apart with zeros in between, the image is padded
    by `padding` (low and high per spatial dimension; negative amounts remove)
    with zeros, the window's elements are `rhs_dilation` apart, consecutive
    windows `window_strides`, and the window is reversed along the dimensions in
    which `window_reversal` is true.

    With `feature_group_count` G the image's and the result's features are G groups,
    and each group of the result is computed of one group of the image; with
    `batch_group_count` G the image's batch is G groups, each of which gives one group
    of the result's features. Absent attributes are 1, 0 or false.

    Constraints:
    - the dimension numbers name every dimension of image, kernel and result once;
    - the window's attributes have an entry per spatial dimension, strides and
      dilations are positive;
    - the group counts are positive and not both above 1; they divide the
      dimensions that they group, and the kernel's input features are those of one
      group of the image;
    - `precision_config` has at most two entries;
    - the result has the shape described above, and elements of the operands' kind.
  }];
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_PerAxisTensor:$rhs,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
    I64Attr:$feature_group_count,
    I64Attr:$batch_group_count,
    OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config);
  let results = (outs StableHLO_PerAxisTensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
    `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation,
                                              $rhs_dilation, $window_reversal) `}`
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    using Window = ::systole::stablehlo::Window;
    /// One for each spatial dimension, in the order of the dimension numbers.
    ::llvm::SmallVector<Window> getWindow();
    /// The precision of operand 0 or 1, DEFAULT if there is none.
    ::systole::stablehlo::Precision getOperandPrecision(unsigned operand);
  }];
  let example = [{
    func.func @convolution(%x: tensor<2x8x8x3xf32>, %w: tensor<3x3x3x16xf32>)
        -> tensor<2x8x8x16xf32> {
      %y = stablehlo.convolution(%x, %w)
          dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
          {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<2x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<2x8x8x16xf32>
      return %y : tensor<2x8x8x16xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_CONVOLUTION_TD
