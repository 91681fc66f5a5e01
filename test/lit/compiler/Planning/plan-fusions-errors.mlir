// RUN: systole-opt %s --systole-plan-fusions="target=v3" --verify-diagnostics

// The image and the gradient fit VMEM, but not beside the buffers of the stages, and one array cannot be cut as both.
func.func @main(%x: tensor<1x4100x128xf32>) -> tensor<3x1x128xf32> {
  // expected-error @below {{operation 'convolution' cannot be divided: sums that are done in chunks have no axis in common}}
  %0 = kernel.fusion "convolution" (%a = %x) : (tensor<1x4100x128xf32>) -> tensor<3x1x128xf32> {
    %r = stablehlo.convolution(%a, %a) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {pad = [[1, 1]]} {batch_group_count = 128 : i64, feature_group_count = 1 : i64} : (tensor<1x4100x128xf32>, tensor<1x4100x128xf32>) -> tensor<3x1x128xf32>
    kernel.fused %r : tensor<3x1x128xf32>
  }
  return %0 : tensor<3x1x128xf32>
}
