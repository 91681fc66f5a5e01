// RUN: systole-opt %s -split-input-file -verify-diagnostics --systole-plan-fusions

// expected-error @+1 {{expects a place in VMEM for what is loaded}}
kernel.func @no_place grid () (%x : !kernel.buffer<8x128xf32, hbm> #kernel.operand<prefetch, block = [8, 128], map = () -> (0, 0)>) { kernel.return }

// -----

// expected-error @+1 {{expects what the kernel before loads to be whole, `in`, and no window}}
kernel.func @written grid () (%x : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0), prefetched = 8>) { kernel.return }

// -----

// expected-error @+1 {{expects one block of operand 0, which it loads}}
kernel.func @several grid (%i = 2) (%x : !kernel.buffer<16x128xf32, hbm> #kernel.operand<prefetch, block = [8, 128], map = (d0) -> (d0, 0), resident = 8>) attributes {reserved = 8 : i64} { kernel.return }

// -----

// expected-error @+1 {{expects operand 0, which VMEM keeps, within the reserved rows}}
kernel.func @outside grid () (%x : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), prefetched = 8>) { kernel.return }

// -----

// expected-error @+1 {{expects operand 0, which VMEM keeps, within the reserved rows}}
kernel.func @end grid () (%x : !kernel.buffer<16x128xf32, hbm> #kernel.operand<prefetch, block = [16, 128], map = () -> (0, 0), resident = 8>) attributes {reserved = 8 : i64} { kernel.return }

// -----

func.func @input(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // expected-error @+1 {{expects an input and reserved rows for each block that the fusion before loads, found #kernel.prefetch<input = 1, placement = <next, rows = 8, place = 8>>}}
  %m = kernel.fusion "loop" (%x = %a) attributes {prefetched = [#kernel.prefetch<input = 1, placement = <next, rows = 8, place = 8>>], reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  return %m : tensor<8x128xf32>
}

// -----

func.func @first(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // expected-error @+1 {{expects a fusion directly before it, which loads its blocks}}
  %m = kernel.fusion "loop" (%x = %a) attributes {prefetched = [#kernel.prefetch<input = 0, placement = <next, rows = 8, place = 8>>], reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  return %m : tensor<8x128xf32>
}

// -----

func.func @own_result(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %l = kernel.fusion "loop" (%x = %a) attributes {reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-error @+1 {{expects input 0, which the fusion before loads, to be there before it}}
  %m = kernel.fusion "loop" (%x = %l) attributes {prefetched = [#kernel.prefetch<input = 0, placement = <next, rows = 8, place = 8>>], reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  return %m : tensor<8x128xf32>
}

// -----

func.func @not_reserved(%a: tensor<8x128xf32>, %b: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %l = kernel.fusion "loop" (%x = %a) : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-error @+1 {{expects that it and the fusion before reserve the rows of input 1, which that loads}}
  %m = kernel.fusion "loop" (%x = %l, %y = %b) attributes {prefetched = [#kernel.prefetch<input = 1, placement = <next, rows = 8, place = 8>>], reserved = 8 : i64} : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %y : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  return %m : tensor<8x128xf32>
}

// -----

func.func @kept_there(%a: tensor<8x128xf32>, %b: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %l = kernel.fusion "loop" (%x = %a) attributes {reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-note @+1 {{by this operation}}
  %k = kernel.resident %l block = [8, 128] placement = <kernels, rows = 8, place = 8> : tensor<8x128xf32>
  // expected-error @+1 {{loads blocks to rows that are taken}}
  %m = kernel.fusion "loop" (%x = %k, %y = %b) attributes {prefetched = [#kernel.prefetch<input = 1, placement = <next, rows = 8, place = 8>>], reserved = 8 : i64} : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %y : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  return %m : tensor<8x128xf32>
}

// -----

func.func @both(%a: tensor<8x128xf32>, %b: tensor<8x128xf32>, %c: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %l = kernel.fusion "loop" (%x = %a) attributes {reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-note @+1 {{by this operation}}
  %m = kernel.fusion "loop" (%x = %l, %y = %b) attributes {prefetched = [#kernel.prefetch<input = 1, placement = <next, rows = 8, place = 8>>], reserved = 8 : i64} : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %y : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-error @+1 {{loads blocks to rows that are taken}}
  %n = kernel.fusion "loop" (%x = %m, %y = %c) attributes {prefetched = [#kernel.prefetch<input = 1, placement = <next, rows = 8, place = 8>>], reserved = 8 : i64} : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %y : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  return %n : tensor<8x128xf32>
}

// -----

// What is placed in a part of another array begins at a row that is known when the program runs.
func.func @part(%a: tensor<8x128xf32>, %b: tensor<4x8x128xf32>, %i: tensor<i32>) -> tensor<4x8x128xf32> {
  %m = kernel.fusion "loop" (%x = %a) : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  %n = kernel.fusion "loop" (%x = %a) attributes {reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-error @+1 {{expects input 0, which the fusion before loads, to begin at a known row}}
  %o = kernel.fusion "loop" (%x = %m) attributes {prefetched = [#kernel.prefetch<input = 0, placement = <next, rows = 8, place = 8>>], reserved = 8 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  %row = kernel.reinterpret %m : tensor<8x128xf32> to tensor<1x8x128xf32>
  %p = kernel.replace_part %b, %row[%i, %i, %i] : (tensor<4x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x128xf32>
  return %p : tensor<4x8x128xf32>
}
