// RUN: systole-opt %s -split-input-file -verify-diagnostics

// expected-error @+2 {{expected ::systole::tpu::MemorySpace to be one of: vmem, smem, hbm}}
// expected-error @+1 {{failed to parse Mosaic_MemorySpaceAttr parameter 'value'}}
func.func private @f(memref<8x128xf32, #tpu.memory_space<l2>>)

// -----

// expected-error @+1 {{has 1 strides of tiles for 2 dimensions}}
func.func private @f(memref<8x128xf32, #tpu.tiled<(8,128),[1]>, #tpu.memory_space<vmem>>)

// -----

// expected-error @+1 {{has a tile whose sizes are not positive}}
func.func private @f(memref<8x128xf32, #tpu.tiled<(0,128),[1,1]>, #tpu.memory_space<vmem>>)

// -----

// expected-error @+1 {{has a tile of 2 dimensions for 1}}
func.func private @f(memref<128xf32, #tpu.tiled<(8,128),[1]>, #tpu.memory_space<vmem>>)

// -----

// expected-error @+1 {{expects a float of at most 8 bits, not 'f32'}}
func.func private @f(vector<8x!tpu.float8_exmy<f32>>)
