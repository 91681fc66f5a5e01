// The AVX2 variant of the kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define SYSTOLE_VARIANT kernels_avx2
#define SYSTOLE_VARIANT_NAME "AVX2"
#define SYSTOLE_VECTOR_BYTES 32
#include "runtime/Emulator/Vector/KernelsBody.inc"
