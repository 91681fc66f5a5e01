// Elements as signed 32-bit integers in the same order.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_ORDEREDWORDS_H
#define SYSTOLE_COMPILER_TENSOR_ORDEREDWORDS_H

#include "compiler/Tensor/Tensors.h"

namespace systole::expansion {

/// Whether elements of a type have up to 32 bits, and an order.
bool hasOrderedWords(mlir::Type element);

/// The bits of each element in a word of 32 bits (f32 and unsigned words stay), and back. Narrow
/// floats are moved as integers. A kernel that makes 16-bit floats of words again computes them,
/// which flushes denormals and may change the payloads of NaNs (docs/limits.md).
mlir::Value wordsOf(Tensors &t, mlir::Value elements);
mlir::Value elementsOf(Tensors &t, mlir::Value words, mlir::Type element);

/// Signed integers in the order of the elements, of as many bits: of floats the total order of IEEE
/// 754, in which -0 comes before 0 and NaNs are outside of all numbers.
mlir::Value orderedWords(Tensors &t, mlir::Value elements);
mlir::Value fromOrderedWords(Tensors &t, mlir::Value words, mlir::Type element);

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_TENSOR_ORDEREDWORDS_H
