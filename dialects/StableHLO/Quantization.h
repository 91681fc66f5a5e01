// Rules of quantized element types that several StableHLO operations share.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_QUANTIZATION_H
#define SYSTOLE_DIALECTS_STABLEHLO_QUANTIZATION_H

#include "dialects/StableHLO/Verify.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace systole::stablehlo {

/// Whether two quantized types store the same integers.
bool haveSameStorage(mlir::quant::QuantizedType a, mlir::quant::QuantizedType b);

/// The dimension along which a type is quantized, if it is a quantized type with one.
std::optional<int64_t> quantizedDimension(mlir::Type element);

/// Whether two types differ at most in scales, zero points and the dimension of these.
bool haveSameNumbers(mlir::Type a, mlir::Type b);

/// Checks the element types of a tensor and of its elements under another shape.
llvm::LogicalResult checkReshapedElements(const Refusal &refuse, mlir::RankedTensorType operand,
                                          mlir::RankedTensorType result);

/// Checks the element types of a tensor and of its broadcast form, in which dimension i is
/// dimension `dims[i]`.
llvm::LogicalResult checkBroadcastElements(const Refusal &refuse, mlir::RankedTensorType operand,
                                           mlir::RankedTensorType result,
                                           llvm::ArrayRef<int64_t> dims);

/// Checks the element types of sums of products and of their factors.
llvm::LogicalResult checkProductElements(const Refusal &refuse, mlir::RankedTensorType lhs,
                                         mlir::RankedTensorType rhs, mlir::RankedTensorType result);

/// Checks how the right factor of a contraction is quantized, if it is.
llvm::LogicalResult checkRightFactor(const Refusal &refuse, mlir::RankedTensorType rhs,
                                     llvm::ArrayRef<int64_t> contracting);

} // namespace systole::stablehlo

#endif // SYSTOLE_DIALECTS_STABLEHLO_QUANTIZATION_H
