// RUN: systole-opt %s -split-input-file -verify-diagnostics

func.func @twice(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects one axis at most for dimension 0 of value 1}}
  kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 1 dim 0 by 8>, <value 1 dim 0 by 4>]>} : (tensor<8xf32>) -> () { kernel.fused }
  func.return
}

// -----

func.func @buffers(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects one or two buffers for each operand, found 3}}
  kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [], buffers = [3]>} : (tensor<8xf32>) -> () { kernel.fused }
  func.return
}

// -----

func.func @pieces(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects one piece or more of each operand, found 0}}
  kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [], pieces = [0]>} : (tensor<8xf32>) -> () { kernel.fused }
  func.return
}

// -----

func.func @estimate(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects an estimate of at least 0 cycles, found -1}}
  kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [], estimate = -1>} : (tensor<8xf32>) -> () { kernel.fused }
  func.return
}

// -----

func.func @field(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects buffers, pieces or estimate, once, found cost}}
  kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [], cost = 1>} : (tensor<8xf32>) -> () { kernel.fused }
  func.return
}

// -----

func.func @value(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects axes of its plan to name one of 1 values, found value 1}}
  kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 1 dim 0 by 8>]>} : (tensor<8xf32>) -> () { kernel.fused }
  func.return
}

// -----

func.func @dimension(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects axes of its plan to name a dimension of 'tensor<8xf32>', value 0; found dimension 1}}
  kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 0 dim 1 by 8>]>} : (tensor<8xf32>) -> () { kernel.fused }
  func.return
}

// -----

func.func @tile(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects a tile between 1 and 8 for dimension 0 of value 0, found 9}}
  kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 0 dim 0 by 9>]>} : (tensor<8xf32>) -> () { kernel.fused }
  func.return
}

// -----

// expected-error @+1 {{expects one or two buffers, found 0}}
kernel.func @none grid () (%x : !kernel.buffer<8x8xf32, hbm> #kernel.operand<in, block = [8, 8], map = () -> (0, 0), buffers = 0>) { kernel.return }

// -----

// expected-error @+1 {{expects one piece or more, found 0}}
kernel.func @no_piece grid () (%x : !kernel.buffer<8x8xf32, hbm> #kernel.operand<in, block = [8, 8], map = () -> (0, 0), pieces = 0>) { kernel.return }

// -----

// expected-error @+1 {{expects what arrives in pieces to be whole, `in`, no window, and in HBM}}
kernel.func @result grid () (%x : !kernel.buffer<8x8xf32, hbm> #kernel.operand<out, block = [8, 8], map = () -> (0, 0), pieces = 2>) { kernel.return }

// -----

// expected-error @+1 {{expects operand 0 whole, in 2 pieces of whole rows of 512 bytes}}
kernel.func @cut grid (%i = 2) (%x : !kernel.buffer<32x8xf32, hbm> #kernel.operand<in, block = [16, 8], map = (d0) -> (d0, 0), pieces = 2>) { kernel.return }

// -----

// expected-error @+1 {{expects operand 0 whole, in 3 pieces of whole rows of 512 bytes}}
kernel.func @rest grid (%i = 2) (%x : !kernel.buffer<32x8xf32, hbm> #kernel.operand<in, block = [32, 8], map = (d0) -> (0, 0), pieces = 3>) { kernel.return }

// -----

// expected-error @+1 {{buffers is given twice}}
kernel.func @twice grid () (%x : !kernel.buffer<8x8xf32, hbm> #kernel.operand<in, block = [8, 8], map = () -> (0, 0), buffers = 1, buffers = 1>) { kernel.return }
