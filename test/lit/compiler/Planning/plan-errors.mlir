// RUN: systole-opt %s --systole-plan-fusions="target=v3" --split-input-file --verify-diagnostics

// Plans that no kernel can follow, each for one reason.

func.func @main(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  // expected-note @+2 {{this is value 0 of the fusion, 'tensor<256x512xf32>'}}
  // expected-error @+1 {{no kernel can follow this plan: two of its axes divide the same dimension}}
  %0 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 1 dim 0 by 64>, <value 0 dim 0 by 128>]>}
      : (tensor<256x512xf32>) -> tensor<256x512xf32> {
    %1 = stablehlo.negate %a : tensor<256x512xf32>
    kernel.fused %1 : tensor<256x512xf32>
  }
  return %0 : tensor<256x512xf32>
}

// -----

func.func @main(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  // expected-error @+1 {{no kernel can follow this plan: it has tiles of 64 of dimension 1; those that start and end at whole rows of 512 bytes are multiples of 128}}
  %0 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 1 dim 1 by 64>]>}
      : (tensor<256x512xf32>) -> tensor<256x512xf32> {
    // expected-note @+1 {{this is value 1 of the fusion, 'tensor<256x512xf32>'}}
    %1 = stablehlo.negate %a : tensor<256x512xf32>
    kernel.fused %1 : tensor<256x512xf32>
  }
  return %0 : tensor<256x512xf32>
}

// -----

func.func @main(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  // expected-error @+1 {{no kernel can follow this plan: it has buffers for 1 operands, and 2 are copied in blocks}}
  %0 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 1 dim 0 by 64>], buffers = [2]>}
      : (tensor<256x512xf32>) -> tensor<256x512xf32> {
    %1 = stablehlo.negate %a : tensor<256x512xf32>
    kernel.fused %1 : tensor<256x512xf32>
  }
  return %0 : tensor<256x512xf32>
}

// -----

func.func @main(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  // expected-error @+1 {{no kernel can follow this plan: operand 1 has two buffers, but the same block in every step}}
  %0 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [], buffers = [1, 2]>}
      : (tensor<256x512xf32>) -> tensor<256x512xf32> {
    // expected-note @+1 {{this is value 1 of the fusion, 'tensor<256x512xf32>'}}
    %1 = stablehlo.negate %a : tensor<256x512xf32>
    kernel.fused %1 : tensor<256x512xf32>
  }
  return %0 : tensor<256x512xf32>
}

// -----

func.func @main(%x: tensor<65536x512xf32>) -> tensor<65536x512xf32> {
  // expected-error @+1 {{no kernel can follow this plan: its blocks take 268435456 bytes of VMEM, of which there are 16515072}}
  %0 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<65536x512xf32>) -> tensor<65536x512xf32> {
    %1 = stablehlo.negate %a : tensor<65536x512xf32>
    kernel.fused %1 : tensor<65536x512xf32>
  }
  return %0 : tensor<65536x512xf32>
}

// -----

func.func @main(%x: tensor<256x512xf32>) -> tensor<512xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-note @+2 {{this is value 0 of the fusion, 'tensor<256x512xf32>'}}
  // expected-error @+1 {{no kernel can follow this plan: its operations cannot be divided along dimension 0}}
  %0 = kernel.fusion "reduce" (%a = %x, %z = %zero) attributes {plan = #kernel.plan<axes = [<value 0 dim 0 by 64>]>}
      : (tensor<256x512xf32>, tensor<f32>) -> tensor<512xf32> {
    %1 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<256x512xf32>, tensor<f32>) -> tensor<512xf32>
    kernel.fused %1 : tensor<512xf32>
  }
  return %0 : tensor<512xf32>
}

// -----

func.func @main(%x: tensor<64x512xf32>, %r: tensor<64x1xf32>) -> (tensor<64x512xf32>, tensor<64x1xf32>) {
  // expected-error @+1 {{no kernel can follow this plan: the grid comes back to blocks that it has written: axes that divide a result have to be the outer ones}}
  %0:2 = kernel.fusion "loop" (%a = %x, %b = %r)
      attributes {plan = #kernel.plan<axes = [<value 0 dim 1 by 128>, <value 0 dim 0 by 8>]>}
      : (tensor<64x512xf32>, tensor<64x1xf32>) -> (tensor<64x512xf32>, tensor<64x1xf32>) {
    // expected-note @+1 {{this is value 2 of the fusion, 'tensor<64x1xf32>'}}
    %1 = stablehlo.negate %b : tensor<64x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x512xf32>
    %3 = stablehlo.add %a, %2 : tensor<64x512xf32>
    kernel.fused %3, %1 : tensor<64x512xf32>, tensor<64x1xf32>
  }
  return %0#0, %0#1 : tensor<64x512xf32>, tensor<64x1xf32>
}

// -----

func.func @main(%x: tensor<128x8192xf32>, %w: tensor<8192x128xf32>) -> tensor<128x128xf32> {
  // expected-error @+1 {{no kernel can follow this plan: it does a sum at once; the order of this one is in pieces of 1024}}
  %0 = kernel.fusion "dot" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<128x8192xf32>, tensor<8192x128xf32>) -> tensor<128x128xf32> {
    // expected-note @+1 {{this is value 2 of the fusion, 'tensor<128x128xf32>'}}
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x8192xf32>, tensor<8192x128xf32>) -> tensor<128x128xf32>
    kernel.fused %1 : tensor<128x128xf32>
  }
  return %0 : tensor<128x128xf32>
}

// -----

func.func @main(%x: tensor<128x8192xf32>, %w: tensor<8192x128xf32>) -> tensor<128x128xf32> {
  // expected-error @+1 {{no kernel can follow this plan: it does a sum in pieces of 512; the order of this one is in pieces of 1024}}
  %0 = kernel.fusion "dot" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = [<value 0 dim 1 by 512>]>}
      : (tensor<128x8192xf32>, tensor<8192x128xf32>) -> tensor<128x128xf32> {
    // expected-note @+1 {{this is value 2 of the fusion, 'tensor<128x128xf32>'}}
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x8192xf32>, tensor<8192x128xf32>) -> tensor<128x128xf32>
    kernel.fused %1 : tensor<128x128xf32>
  }
  return %0 : tensor<128x128xf32>
}

// -----

// In one pass any pieces do that start where a block of the depth does.
func.func @main(%x: tensor<128x8192xf32>, %w: tensor<8192x128xf32>) -> tensor<128x128xf32> {
  // expected-error @+1 {{no kernel can follow this plan: it does a sum in pieces of 384; the order of this one is in pieces of 256, or multiples of it}}
  %0 = kernel.fusion "dot" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = [<value 0 dim 1 by 384>]>}
      : (tensor<128x8192xf32>, tensor<8192x128xf32>) -> tensor<128x128xf32> {
    // expected-note @+1 {{this is value 2 of the fusion, 'tensor<128x128xf32>'}}
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {kernel.single_pass} : (tensor<128x8192xf32>, tensor<8192x128xf32>) -> tensor<128x128xf32>
    kernel.fused %1 : tensor<128x128xf32>
  }
  return %0 : tensor<128x128xf32>
}

// -----

// Rows along the lanes: no stage numbers elements of a sum in this way.
func.func @main(%x: tensor<9x200xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{no kernel can follow this plan: dimension 1 lies along the lanes, and its order is #kernel.order<rows = [1], tree = 0>}}
  %0 = kernel.fusion "reduce" (%a = %x, %b = %z) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<9x200xf32>, tensor<f32>) -> tensor<f32> {
    // expected-note @+1 {{this is value 2 of the fusion, 'tensor<f32>'}}
    %1 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [0, 1]
        {kernel.order = #kernel.order<rows = [1], tree = 0>} : (tensor<9x200xf32>, tensor<f32>) -> tensor<f32>
    kernel.fused %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// The order is of other dimensions than the reduction.
func.func @main(%x: tensor<9x200xf32>) -> tensor<9xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{no kernel can follow this plan: it reduces dimensions [1]; its order is of [0, 1]}}
  %0 = kernel.fusion "reduce" (%a = %x, %b = %z) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<9x200xf32>, tensor<f32>) -> tensor<9xf32> {
    // expected-note @+1 {{this is value 2 of the fusion, 'tensor<9xf32>'}}
    %1 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1]
        {kernel.order = #kernel.order<rows = [0], tree = 1>} : (tensor<9x200xf32>, tensor<f32>) -> tensor<9xf32>
    kernel.fused %1 : tensor<9xf32>
  }
  return %0 : tensor<9xf32>
}
