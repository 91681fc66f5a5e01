// Quantized numbers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_SMALL_QUANTIZED_H
#define SYSTOLE_COMPILER_GRAPH_SMALL_QUANTIZED_H

#include "compiler/Graph/Expand/Tensors.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace systole::small {

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
  /// The scales, of a tensor of `shape` whose dimension `dim` has those of this one's.
  mlir::Value scales(expansion::Tensors &t, llvm::ArrayRef<int64_t> shape,
                     std::optional<int64_t> dim) const;

  /// The dimension of several scales.
  std::optional<int64_t> axis() const { return dim; }
  /// The zero point of all elements; none if they have several.
  std::optional<int64_t> zeroPoint() const;
  /// Whether both give the same numbers to stored integers, apart from the place of the dimension.
  bool isSame(const Quantization &other) const;

private:
  mlir::Value numbers(expansion::Tensors &t, llvm::ArrayRef<float> values,
                      llvm::ArrayRef<int64_t> shape, std::optional<int64_t> along) const;

  mlir::quant::QuantizedType type;
  llvm::SmallVector<float> scaleValues, zeroPoints;
  std::optional<int64_t> dim;
};

} // namespace systole::small

#endif // SYSTOLE_COMPILER_GRAPH_SMALL_QUANTIZED_H
