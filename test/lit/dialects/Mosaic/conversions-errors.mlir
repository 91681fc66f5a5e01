// Conversions, narrow elements in words, and masks.
// RUN: systole-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects as many bits in both types}}
  %0 = tpu.bitcast %x : (vector<8x128xf32>) -> vector<8x128xbf16>
  return
}

// -----

func.func @f(%x: vector<128xf32>) {
  // expected-error @+1 {{expects vectors of one rank, at least 2 if the widths differ}}
  %0 = tpu.bitcast %x : (vector<128xf32>) -> vector<256xbf16>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects vectors of integers or floats}}
  %0 = tpu.bitcast %x : (vector<8x128xf32>) -> vector<8x128xindex>
  return
}

// -----

func.func @f(%i: vector<8x128xi32>) {
  // expected-error @+1 {{expects f32 and i1 of one shape}}
  %0 = tpu.weird %i : (vector<8x128xi32>) -> vector<8x128xi1>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects f32 and i1 of one shape}}
  %0 = tpu.weird %x : (vector<8x128xf32>) -> vector<8xi1>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>, %i: vector<8x128xi32>) {
  // expected-error @+1 {{expects a float of at most 16 bits to convert to, found 'i8'}}
  %0 = tpu.stochastic_convert_elementwise %x, %i {dst_type = i8} : (vector<8x128xf32>, vector<8x128xi32>) -> vector<8x128xi32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects a source for each of 2 'bf16' in 'f32', found 1}}
  %0 = tpu.pack_elementwise %x {target_type = bf16} : (vector<8x128xf32>) -> vector<8x128xi32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expects sources}}
  %0 = tpu.pack_elementwise {target_type = bf16} : () -> vector<8x128xi32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects a result with the shape and width of 'vector<8x128xf32>', found 'vector<8x128xi16>'}}
  %0 = tpu.pack_elementwise %x, %x {target_type = bf16} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128xi16>
  return
}

// -----

func.func @f(%i: vector<8x128xi32>) {
  // expected-error @+1 {{expects elements that fill 'i32', found 'f64'}}
  %0 = tpu.unpack_elementwise %i {source_type = f64, index = 0 : i32} : (vector<8x128xi32>) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%i: vector<8x128xi32>) {
  // expected-error @+1 {{expects an index below 2, found 2}}
  %0 = tpu.unpack_elementwise %i {source_type = bf16, index = 2 : i32} : (vector<8x128xi32>) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%i: vector<8x128xi32>) {
  // expected-error @+1 {{expects a result as wide as 'i32', found 'vector<8x128xi16>'}}
  %0 = tpu.unpack_elementwise %i {source_type = i8, index = 0 : i32} : (vector<8x128xi32>) -> vector<8x128xi16>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects sources and a position for each, found 2 and 1}}
  %0 = tpu.pack_subelements %x, %x {positions = array<i32: 0>, pack_format = #tpu.pack_format<compressed>} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128x2xbf16>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects different positions below 2, found 0}}
  %0 = tpu.pack_subelements %x, %x {positions = array<i32: 0, 0>, pack_format = #tpu.pack_format<compressed>} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128x2xbf16>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects wider elements than 'f32', found 'f32'}}
  %0 = tpu.unpack_subelements %x {index = 0 : i32, pack_format = #tpu.pack_format<compressed>} : (vector<8x128xf32>) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128x2xbf16>) {
  // expected-error @+1 {{expects an index below 2, found 2}}
  %0 = tpu.unpack_subelements %x {index = 2 : i32, pack_format = #tpu.pack_format<compressed>} : (vector<8x128x2xbf16>) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{expects two ends of each dimension of 'vector<8x128xi1>', found 1}}
  %0 = tpu.create_mask %n, %n : (index, index) -> vector<8x128xi1>
  return
}

// -----

func.func @f(%m: vector<8x128x2xi1>) {
  // expected-error @+1 {{expects the same sublanes and lanes}}
  %0 = tpu.mask_cast %m : (vector<8x128x2xi1>) -> vector<16x128xi1>
  return
}
