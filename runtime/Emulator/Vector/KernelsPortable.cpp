// The portable variant of the kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define SYSTOLE_VARIANT kernels_portable
#define SYSTOLE_VARIANT_NAME "portable"
#define SYSTOLE_VECTOR_BYTES 16
#include "runtime/Emulator/Vector/KernelsBody.inc"
