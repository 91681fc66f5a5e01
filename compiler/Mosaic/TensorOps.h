// Operations of Mosaic on vectors as operations on tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MOSAIC_TENSOROPS_H
#define SYSTOLE_COMPILER_MOSAIC_TENSOROPS_H

#include "compiler/Tensor/Tensors.h"
#include "llvm/ADT/StringMap.h"

namespace systole::mosaic {

using expansion::Tensors;

/// Whether elements are floats of at most 8 bits or integers of 2 or 4, which memory holds as ui8
/// and i8.
bool isSmall(mlir::Type element);

/// The type of a word of SMEM that holds such an element: i32, or f32.
mlir::Type wordOf(mlir::Type element);

/// Whether `op` moves elements, or converts them, so that those may be small.
bool movesElements(mlir::Operation *op);

/// The tensor that holds a vector, or a scalar, which has rank 0. An index is an i32, small
/// elements are as memory holds them.
mlir::RankedTensorType tensorType(mlir::Type type);

/// The bits of a tensor of elements `from` as elements `to`. Of another width these are parts of the
/// same words, which are rows of the last dimension but one, from the lowest bits; null if that is
/// unsupported.
mlir::Value bitcastRows(Tensors &t, mlir::Value x, mlir::Type from, mlir::Type to);

/// Integers of fewer bits than a byte, each in a byte, with their sign or zeros above those bits.
mlir::Value extendSmall(Tensors &t, mlir::Value x, unsigned bits, bool isSigned);

/// Builds the result of `op` from its operands as tensors, of `tensorType`; null if `op` is
/// unsupported.
using Translation = mlir::Value (*)(Tensors &t, mlir::Operation *op, mlir::ValueRange operands);

/// The operations that compute with vectors, or scalars in place of them, without memory.
class TensorOps {
public:
  static const TensorOps &get();
  /// Null for all other operations.
  Translation find(llvm::StringRef name) const { return entries.lookup(name); }
  void add(llvm::StringRef name, Translation translation) { entries[name] = translation; }

private:
  llvm::StringMap<Translation> entries;
};

// Elementwise.cpp, Conversions.cpp, Shapes.cpp, Reductions.cpp.
void addElementwiseOps(TensorOps &ops);
void addConversionOps(TensorOps &ops);
void addShapeOps(TensorOps &ops);
void addReductionOps(TensorOps &ops);

} // namespace systole::mosaic

#endif // SYSTOLE_COMPILER_MOSAIC_TENSOROPS_H
