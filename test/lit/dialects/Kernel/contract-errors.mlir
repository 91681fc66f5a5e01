// Verifier errors of sums of products over linear indices.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects sizes of at least 0}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, -1] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, hbm>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects buffers in vmem}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x4xf32, hbm>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xbf16, vmem>) {
  // expected-error @+1 {{expects an output of 'f32', found 'bf16'}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xbf16, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects a precision of 1, 3 or 6 passes, found 4}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)> {precision = 4 : i32}
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects one result per dimension of lhs}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k, n)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects indices within dimension 0 of lhs}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m - t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects a sum of dimensions with factors of at least 0 along the lanes of rhs}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n + 1)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects indices within dimension 0 of lhs}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t * 2, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<10x16xf32, vmem>) {
  // expected-error @+1 {{expects the results of the map of out to be multiples of distinct dimensions, along the lanes one as long as out}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m + t, n)>
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<10x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x17xf32, vmem>) {
  // expected-error @+1 {{expects the results of the map of out to be multiples of distinct dimensions, along the lanes one as long as out}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x17xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<8x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects k along the lanes of lhs, n along those of out and one of them along those of rhs, found dimension 1 elsewhere}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (m, k, t)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<8x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x8x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects k along the lanes of lhs, n along those of out and one of them along those of rhs, found dimension 2 elsewhere}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, m, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x8x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<13x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects dimension 2 along lanes to be no other index of the same buffer}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t + k, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<13x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x8xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects the last result of the map of lhs to be k or, as long as lhs, runs of it in groups of eight}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k * 2)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x8xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x12xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects the last result of the map of lhs to be k or, as long as lhs, runs of it in groups of eight}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m, t * 4 + k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x12xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects an output that is not an input}}
  kernel.contract %x, %y into %x sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)>
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<10x4xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects a range of at most 128 lanes of lhs, which has 4}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)> {lhsLanes = array<i64: 0, 5>}
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects a range of at most 128 lanes of lhs, which has 4}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)> {lhsLanes = array<i64: 3, 3>}
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects a range of at most 128 lanes of out, which has 16}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)> {outLanes = array<i64: -1, 8>}
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<10x4xf32, vmem>, %y: !kernel.buffer<3x4x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects a range of at most 128 lanes of out, which has 16}}
  kernel.contract %x, %y into %z sizes = [8, 3, 4, 16] lhs affine_map<(m, t, k, n) -> (m + t, k)>
      rhs affine_map<(m, t, k, n) -> (t, k, n)> out affine_map<(m, t, k, n) -> (m, n)> {outLanes = array<i64: 8>}
      : !kernel.buffer<10x4xf32, vmem>, !kernel.buffer<3x4x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}
