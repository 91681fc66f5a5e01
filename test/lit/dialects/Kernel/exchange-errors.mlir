// RUN: systole-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects a phase of 0 to 31, found 32}}
#phase = #kernel.step<32, forwards = false, sources = [0], targets = [0], places = [0]>

// -----

// expected-error @+1 {{names core 2 of 2}}
#core = #kernel.step<0, forwards = false, sources = [0, 0], targets = [1, 2], places = [0, 0]>

// -----

// expected-error @+1 {{for each of 1 to 32 cores, found 1, 2 and 2}}
#lists = #kernel.step<0, forwards = false, sources = [0], targets = [1, 0], places = [0, 0]>

// -----

func.func @shape(%x: tensor<8x128xf32>) -> tensor<12x128xf32> {
  // expected-error @+1 {{expects 1 and 1 blocks of one shape, found shapes [8, 128] and [12, 128]}}
  %0 = kernel.exchange %x blocks 1 to 1 steps [] : (tensor<8x128xf32>) -> tensor<12x128xf32>
  return %0 : tensor<12x128xf32>
}

// -----

func.func @source(%x: tensor<8x128xf32>) -> tensor<16x128xf32> {
  // expected-error @+1 {{step 0: core 1 copies block 1, which it has not}}
  %0 = kernel.exchange %x blocks 1 to 2 steps [#kernel.step<0, forwards = false, sources = [0, 1], targets = [1, 0], places = [0, 1]>] : (tensor<8x128xf32>) -> tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}

// -----

func.func @place(%x: tensor<8x128xf32>) -> tensor<16x128xf32> {
  // expected-error @+1 {{step 0: core 1 writes block 2 of 2}}
  %0 = kernel.exchange %x blocks 1 to 2 steps [#kernel.step<0, forwards = false, sources = [0, 0], targets = [1, 0], places = [0, 2]>] : (tensor<8x128xf32>) -> tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}

// -----

func.func @twice(%x: tensor<8x128xf32>) -> tensor<16x128xf32> {
  // expected-error @+1 {{step 1: writes block 0 of core 1, which another step writes}}
  %0 = kernel.exchange %x blocks 1 to 2 steps [
      #kernel.step<0, forwards = false, sources = [0, 0], targets = [1, -1], places = [0, 0]>,
      #kernel.step<1, forwards = false, sources = [0, 0], targets = [-1, 1], places = [0, 0]>] : (tensor<8x128xf32>) -> tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}

// -----

// What arrives in a phase is not there when the phase begins.
func.func @early(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // expected-error @+1 {{step 1: core 1 forwards block 0, which does not arrive in an earlier phase}}
  %0 = kernel.exchange %x blocks 1 to 1 steps [
      #kernel.step<0, forwards = false, sources = [0, 0, 0], targets = [1, -1, -1], places = [0, 0, 0]>,
      #kernel.step<0, forwards = true, sources = [0, 0, 0], targets = [-1, 2, -1], places = [0, 0, 0]>] : (tensor<8x128xf32>) -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}

// -----

func.func @order(%x: tensor<8x128xf32>) -> tensor<16x128xf32> {
  // expected-error @+1 {{expects steps in the order of their phases}}
  %0 = kernel.exchange %x blocks 1 to 2 steps [
      #kernel.step<1, forwards = false, sources = [0, 0], targets = [1, 0], places = [0, 0]>,
      #kernel.step<0, forwards = false, sources = [0, 0], targets = [0, 1], places = [1, 1]>] : (tensor<8x128xf32>) -> tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}
