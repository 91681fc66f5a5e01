// RUN: %systole-opt %s -split-input-file -verify-diagnostics --systole-plan-fusions="target=v3"

// Two arrays that are there at one time have places of their own.
func.func @overlap(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %m = kernel.fusion "loop" (%x = %a) attributes {reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-note @+1 {{which is kept here}}
  %k = kernel.resident %m block = [8, 128] placement = <kernels, rows = 8, place = 8> : tensor<8x128xf32>
  %n = kernel.fusion "loop" (%x = %k) attributes {reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-error @+1 {{takes rows of another array that VMEM keeps}}
  %l = kernel.resident %n block = [8, 128] placement = <kernels, rows = 8, place = 8> : tensor<8x128xf32>
  %o = kernel.fusion "loop" (%x = %l) attributes {reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// A kernel between the one that makes an array and its reader leaves the array alone.
func.func @not_reserved(%a: tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32>) {
  %m = kernel.fusion "loop" (%x = %a) attributes {reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-error @+1 {{expects all kernels, from the one that makes it to its last reader, to reserve its rows}}
  %k = kernel.resident %m block = [8, 128] placement = <kernels, rows = 8, place = 8> : tensor<8x128xf32>
  %n = kernel.fusion "loop" (%x = %a) : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  %o = kernel.fusion "loop" (%x = %k) attributes {reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  return %n, %o : tensor<8x128xf32>, tensor<8x128xf32>
}

// -----

func.func @kernel_of_the_program(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %a = kernel.fusion "loop" (%b = %x) attributes {reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.exponential %b : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-error @+1 {{expects all kernels, from the one that makes it to its last reader, to reserve its rows}}
  %k = kernel.resident %a block = [8, 128] placement = <kernels, rows = 8, place = 8> : tensor<8x128xf32>
  %o = kernel.mosaic_call @own(%x) aliases = [-1] : (tensor<8x128xf32>) -> tensor<8x128xf32>
  %r = kernel.fusion "loop" (%b = %k) attributes {reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.exponential %b : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  return %r : tensor<8x128xf32>
}
