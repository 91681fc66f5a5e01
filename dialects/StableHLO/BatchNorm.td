// The batch normalizations of the StableHLO dialect.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_BATCHNORM_TD
#define SYSTOLE_DIALECTS_STABLEHLO_BATCHNORM_TD

include "dialects/StableHLO/StableHLOBase.td"

// A number of each feature.
def StableHLO_FeatureVector : 1DTensorOf<[StableHLO_Float, StableHLO_Quantized]>;

class StableHLO_BatchNormOp<string mnemonic>
    : StableHLO_Op<mnemonic, [StableHLO_SameElementType, Pure]> {
  let hasVerifier = 1;
}

def StableHLO_BatchNormTrainingOp : StableHLO_BatchNormOp<"batch_norm_training"> {
  let summary = "Normalize each feature by its own mean and variance";
  let semantics = [{
    For every index of dimension `feature_index` the mean and the variance of the
    operand's elements over all other dimensions; `output` is
    (operand - mean) / sqrt(variance + `epsilon`) * scale + offset.

    Constraints:
    - all operands and results have the same element type, a float or quantized;
    - `feature_index` is a dimension of the operand;
    - `output` has the operand's shape, all others have rank 1 and the size of that
      dimension.
  }];
  let arguments = (ins
    StableHLO_FloatTensor:$operand,
    StableHLO_FeatureVector:$scale,
    StableHLO_FeatureVector:$offset,
    F32Attr:$epsilon,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index);
  let results = (outs
    StableHLO_FloatTensor:$output,
    StableHLO_FeatureVector:$batch_mean,
    StableHLO_FeatureVector:$batch_var);
  let example = [{
    func.func @batch_norm_training(%x: tensor<8x16x3xf32>, %scale: tensor<3xf32>,
                                   %offset: tensor<3xf32>)
        -> (tensor<8x16x3xf32>, tensor<3xf32>, tensor<3xf32>) {
      %y, %mean, %var = "stablehlo.batch_norm_training"(%x, %scale, %offset)
          <{epsilon = 0.001 : f32, feature_index = 2 : i64}>
          : (tensor<8x16x3xf32>, tensor<3xf32>, tensor<3xf32>)
          -> (tensor<8x16x3xf32>, tensor<3xf32>, tensor<3xf32>)
      return %y, %mean, %var : tensor<8x16x3xf32>, tensor<3xf32>, tensor<3xf32>
    }
  }];
}

def StableHLO_BatchNormInferenceOp : StableHLO_BatchNormOp<"batch_norm_inference"> {
  let summary = "Normalize each feature by a given mean and variance";
  let semantics = [{
    Along dimension `feature_index`
    (operand - mean) / sqrt(variance + `epsilon`) * scale + offset.

    Constraints:
    - all operands and the result have the same element type, a float or quantized;
    - `feature_index` is a dimension of the operand;
    - the result has the operand's shape, all others have rank 1 and the size of that
      dimension.
  }];
  let arguments = (ins
    StableHLO_FloatTensor:$operand,
    StableHLO_FeatureVector:$scale,
    StableHLO_FeatureVector:$offset,
    StableHLO_FeatureVector:$mean,
    StableHLO_FeatureVector:$variance,
    F32Attr:$epsilon,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index);
  let results = (outs StableHLO_FloatTensor:$result);
  let example = [{
    func.func @batch_norm_inference(%x: tensor<8x16x3xf32>, %scale: tensor<3xf32>,
                                    %offset: tensor<3xf32>, %mean: tensor<3xf32>,
                                    %var: tensor<3xf32>) -> tensor<8x16x3xf32> {
      %y = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %var)
          <{epsilon = 0.001 : f32, feature_index = 2 : i64}>
          : (tensor<8x16x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>,
             tensor<3xf32>) -> tensor<8x16x3xf32>
      return %y : tensor<8x16x3xf32>
    }
  }];
}

def StableHLO_BatchNormGradOp : StableHLO_BatchNormOp<"batch_norm_grad"> {
  let summary = "The gradients of batch_norm_training";
  let semantics = [{
    The gradients of operand, scale and offset from `grad_output`, the gradient of the
    normalized operand, and the mean and variance of each feature.

    Constraints:
    - all operands and results have the same element type, a float or quantized;
    - `feature_index` is a dimension of the operand;
    - `grad_output` and `grad_operand` have the operand's shape, all others have rank 1
      and the size of that dimension.
  }];
  let arguments = (ins
    StableHLO_FloatTensor:$operand,
    StableHLO_FeatureVector:$scale,
    StableHLO_FeatureVector:$mean,
    StableHLO_FeatureVector:$variance,
    StableHLO_FloatTensor:$grad_output,
    F32Attr:$epsilon,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index);
  let results = (outs
    StableHLO_FloatTensor:$grad_operand,
    StableHLO_FeatureVector:$grad_scale,
    StableHLO_FeatureVector:$grad_offset);
  let example = [{
    func.func @batch_norm_grad(%x: tensor<8x3xf32>, %scale: tensor<3xf32>,
                               %mean: tensor<3xf32>, %var: tensor<3xf32>,
                               %g: tensor<8x3xf32>)
        -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) {
      %dx, %dscale, %doffset = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %var, %g)
          <{epsilon = 0.001 : f32, feature_index = 1 : i64}>
          : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>,
             tensor<8x3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>)
      return %dx, %dscale, %doffset : tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_BATCHNORM_TD
