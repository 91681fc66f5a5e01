// Conversions between f32 and the bits of floating-point formats of at most 8 bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_SMALL_CODES_H
#define SYSTOLE_COMPILER_LEGALIZE_SMALL_CODES_H

#include "compiler/Legalize/Small/FloatFormat.h"
#include "compiler/Tensor/Tensors.h"

namespace systole::small {

/// The f32 that bits, a tensor of ui8, represent. Bits above those of the format are zero.
mlir::Value decode(expansion::Tensors &t, const FloatFormat &format, mlir::Value bits);

/// A number of the format, in both forms.
struct Rounded {
  mlir::Value bits;   // ui8
  mlir::Value number; // f32
};

/// Rounds f32 to the nearest number of the format, ties to even.
Rounded encode(expansion::Tensors &t, const FloatFormat &format, mlir::Value number);

} // namespace systole::small

#endif // SYSTOLE_COMPILER_LEGALIZE_SMALL_CODES_H
