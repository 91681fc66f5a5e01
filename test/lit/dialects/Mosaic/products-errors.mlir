// Products and reductions.
// RUN: systole-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: vector<8x32xf32>, %y: vector<32x16xf32>, %z: vector<8x8xf32>) {
  // expected-error @+1 {{expects an accumulator of the result's type, found 'vector<8x8xf32>' and 'vector<8x16xf32>'}}
  %0 = tpu.matmul %x, %y, %z : (vector<8x32xf32>, vector<32x16xf32>, vector<8x8xf32>) -> vector<8x16xf32>
  return
}

// -----

func.func @f(%x: vector<32xf32>, %y: vector<32x16xf32>, %z: vector<16xf32>) {
  // expected-error @+1 {{expects matrices without dimension_numbers}}
  %0 = tpu.matmul %x, %y, %z : (vector<32xf32>, vector<32x16xf32>, vector<16xf32>) -> vector<16xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>, %y: vector<32x16xf32>, %z: vector<8x16xf32>) {
  // expected-error @+1 {{expects each dimension of the left operand once, of 'vector<8x32xf32>', found 2}}
  %0 = tpu.matmul %x, %y, %z {dimension_numbers = #tpu.dot_dimension_numbers<[2], [0], [0], [1], [0, 0, 1, 1], [], []>} : (vector<8x32xf32>, vector<32x16xf32>, vector<8x16xf32>) -> vector<8x16xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>, %y: vector<32x16xf32>, %z: vector<8x16xf32>) {
  // expected-error @+1 {{expects each dimension of the right operand once, of 'vector<32x16xf32>', found 0}}
  %0 = tpu.matmul %x, %y, %z {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [0], [0, 0, 1, 1], [], []>} : (vector<8x32xf32>, vector<32x16xf32>, vector<8x16xf32>) -> vector<8x16xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>, %y: vector<32x16xf32>, %z: vector<8x16xf32>) {
  // expected-error @+1 {{expects each dimension of the left operand once, of 'vector<8x32xf32>'}}
  %0 = tpu.matmul %x, %y, %z {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [], [1], [1, 1], [], []>} : (vector<8x32xf32>, vector<32x16xf32>, vector<8x16xf32>) -> vector<8x16xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>, %y: vector<32x16xf32>, %z: vector<8x16xf32>) {
  // expected-error @+1 {{expects contracting dimensions of the same sizes, found [0] of 'vector<8x32xf32>' and [0] of 'vector<32x16xf32>'}}
  %0 = tpu.matmul %x, %y, %z {dimension_numbers = #tpu.dot_dimension_numbers<[0], [0], [1], [1], [0, 1, 1, 1], [], []>} : (vector<8x32xf32>, vector<32x16xf32>, vector<8x16xf32>) -> vector<8x16xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>, %y: vector<32x16xf32>, %z: vector<8x16xf32>) {
  // expected-error @+1 {{expects batch dimensions of the same sizes, found [0] of 'vector<8x32xf32>' and [1] of 'vector<32x16xf32>'}}
  %0 = tpu.matmul %x, %y, %z {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [], [], [0, 0], [0], [1]>} : (vector<8x32xf32>, vector<32x16xf32>, vector<8x16xf32>) -> vector<8x16xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>, %y: vector<32x16xf32>, %z: vector<8x16xf32>) {
  // expected-error @+1 {{expects each dimension of the result once in output_dim_order, found [0, 0]}}
  %0 = tpu.matmul %x, %y, %z {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0], [], []>} : (vector<8x32xf32>, vector<32x16xf32>, vector<8x16xf32>) -> vector<8x16xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>, %y: vector<32x16xf32>, %z: vector<8x16xf32>) {
  // expected-error @+1 {{expects each dimension of the result once in output_dim_order, found [0, 0, 0, 0]}}
  %0 = tpu.matmul %x, %y, %z {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 0, 0], [], []>} : (vector<8x32xf32>, vector<32x16xf32>, vector<8x16xf32>) -> vector<8x16xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>, %y: vector<32x16xf32>, %z: vector<8x16xf32>) {
  // expected-error @+1 {{expects each dimension of the result once in output_dim_order}}
  %0 = tpu.matmul %x, %y, %z {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 2, 1], [], []>} : (vector<8x32xf32>, vector<32x16xf32>, vector<8x16xf32>) -> vector<8x16xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>, %y: vector<32x16xf32>, %z: vector<8x16xf32>) {
  // expected-error @+1 {{expects each dimension of the result once in output_dim_order}}
  %0 = tpu.matmul %x, %y, %z {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 0], [], []>} : (vector<8x32xf32>, vector<32x16xf32>, vector<8x16xf32>) -> vector<8x16xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>, %y: vector<32x16xf32>, %z: vector<8x16xf32>) {
  // expected-error @+1 {{expects a result of shape [16, 8], found 'vector<8x16xf32>'}}
  %0 = tpu.matmul %x, %y, %z {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [1, 1, 0, 0], [], []>} : (vector<8x32xf32>, vector<32x16xf32>, vector<8x16xf32>) -> vector<8x16xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>) {
  // expected-error @+1 {{expects a number of a matrix unit, found -1}}
  tpu.matmul_push_rhs %x {mxu_index = -1 : i32} : (vector<8x32xf32>) -> ()
  return
}

// -----

func.func @f(%x: vector<8x32xf32>) {
  // expected-error @+1 {{expects a number of an accumulator, found -2}}
  tpu.matmul_acc_lhs %x {mxu_index = 0 : i32, acc = -2 : i32} : (vector<8x32xf32>) -> ()
  return
}

// -----

func.func @f(%x: vector<8x32xf32>) {
  // expected-error @+1 {{expects a number of a staging register, found -3}}
  tpu.matmul_acc_lhs %x {mxu_index = 0 : i32, acc = 2 : i32, load_staged_rhs = -3 : i32} : (vector<8x32xf32>) -> ()
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expects a number of an accumulator, found -1}}
  %0 = tpu.matmul_pop {mxu_index = 0 : i32, acc = -1 : i32} : () -> vector<8x32xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>) {
  // expected-error @+1 {{expects a dimension of 'vector<8x32xf32>', found 2}}
  %0 = tpu.all_reduce %x {dim = 2 : i64, kind = #tpu.reduction_kind<sum>} : (vector<8x32xf32>) -> vector<8x32xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>) {
  // expected-error @+1 {{expects a result of the operand's shape with elements of 'i32', found 'vector<8x32xf32>'}}
  %0 = tpu.all_reduce %x {dim = 1 : i64, kind = #tpu.reduction_kind<arg_min>} : (vector<8x32xf32>) -> vector<8x32xf32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>) {
  // expected-error @+1 {{expects arg_max or arg_min, found sum}}
  %0 = tpu.reduce_index %x {axis = 1 : i32, kind = #tpu.reduction_kind<sum>} : (vector<8x32xf32>) -> vector<8xi32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>) {
  // expected-error @+1 {{expects a dimension of 'vector<8x32xf32>', found -1}}
  %0 = tpu.reduce_index %x {axis = -1 : i32, kind = #tpu.reduction_kind<arg_max>} : (vector<8x32xf32>) -> vector<8xi32>
  return
}

// -----

func.func @f(%x: vector<8x32xf32>) {
  // expected-error @+1 {{expects a result of shape [8], found 'vector<32xi32>'}}
  %0 = tpu.reduce_index %x {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : (vector<8x32xf32>) -> vector<32xi32>
  return
}
