// Quantized numbers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_SMALL_QUANTIZED_H
#define SYSTOLE_COMPILER_LEGALIZE_SMALL_QUANTIZED_H

#include "compiler/Tensor/Tensors.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace systole::small {

/// An f32 tensor of `shape` of one value, or of one for each index of dimension `dim`.
mlir::Value spreadNumbers(expansion::Tensors &t, llvm::ArrayRef<double> values,
                          llvm::ArrayRef<int64_t> shape, std::optional<int64_t> dim);

/// The parameters of a type of quantized elements: one scale and zero point, or one of each for
/// every index of a dimension. Numbers are (stored - zero point) * scale.
class Quantization {
public:
  explicit Quantization(mlir::quant::QuantizedType type);

  /// The f32 that stored integers represent.
  mlir::Value dequantize(expansion::Tensors &t, mlir::Value stored) const;
  /// Stored integers less the zero point, in f32.
  mlir::Value centered(expansion::Tensors &t, mlir::Value stored) const;
  /// The integers that represent f32, rounded to even and saturated.
  mlir::Value quantize(expansion::Tensors &t, mlir::Value number) const;
  /// The same of numbers that have been divided by the scale.
  mlir::Value quantizeScaled(expansion::Tensors &t, mlir::Value number) const;

  /// The integer that represents a number, if there is one scale.
  std::optional<int64_t> quantize(float number) const;

  /// One scale, or one for each index of `axis`.
  llvm::ArrayRef<double> scales() const { return scaleValues; }
  /// The dimension of several scales.
  std::optional<int64_t> axis() const { return dim; }
  /// The zero point of all elements; none if they have several.
  std::optional<int64_t> zeroPoint() const;
  /// Whether both give the same numbers to stored integers, apart from the place of the dimension.
  bool isSame(const Quantization &other) const;

private:
  mlir::quant::QuantizedType type;
  llvm::SmallVector<double> scaleValues, zeroPoints;
  std::optional<int64_t> dim;
};

} // namespace systole::small

#endif // SYSTOLE_COMPILER_LEGALIZE_SMALL_QUANTIZED_H
