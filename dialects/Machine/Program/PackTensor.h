// Conversion between dense row-major arrays and row-linear layout.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_PACKTENSOR_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_PACKTENSOR_H

#include <cstdint>

namespace systole {

namespace program {
class Tensor;
} // namespace program

// Writes a dense row-major array of hostBytes into deviceRows of device memory;
// padding becomes zero. i1 bytes other than 0 become 1. Arrays without elements may be null.
void toDevice(const program::Tensor &tensor, const uint8_t *host, uint8_t *device);

// The reverse; padding is ignored.
void fromDevice(const program::Tensor &tensor, const uint8_t *device, uint8_t *host);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_PACKTENSOR_H
