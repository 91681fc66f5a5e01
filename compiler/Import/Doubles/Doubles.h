// Steps of narrowing f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_DOUBLES_DOUBLES_H
#define SYSTOLE_COMPILER_IMPORT_DOUBLES_DOUBLES_H

#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/APFloat.h"

#include <optional>

namespace systole::doubles {

/// Whether a value is a tensor of f64 with static dimensions.
bool isDouble(mlir::Value value);

/// The source of the chain of broadcasts and reshapes that ends in `value`.
mlir::Value startOf(mlir::Value value);

/// `value` rounded to nearest in `element`; for integers truncated and saturated, 0 for a NaN.
llvm::APInt convertNumber(const llvm::APFloat &value, mlir::Type element);

/// The f64 result of an operation on these operand elements; nothing unless IEEE 754 defines
/// it.
std::optional<llvm::APFloat> evaluate(mlir::Operation *op, llvm::ArrayRef<llvm::APFloat> operands);

/// The value of a splat constant.
std::optional<llvm::APFloat> splatOf(mlir::Value value);

/// Folds arithmetic in f64 on constants.
void foldConstants(mlir::Operation *root);

/// Erases unused operations on f64.
void eraseUnused(mlir::Operation *root);

/// Computes values of f64 in a narrower element type, by the same operations.
class Narrower {
public:
  enum class Mode {
    Rounded, ///< equal to the f64 converted to the narrower type
    Exact,   ///< equal to the f64
  };

  Narrower(mlir::Type element, Mode mode) : element(element), mode(mode) {}

  /// Whether a value can be narrowed.
  bool accepts(mlir::Value wide);

  /// The narrow value for an accepted one.
  mlir::Value narrow(mlir::Value wide);

private:
  bool acceptsNode(mlir::Value wide) const;
  bool acceptsConversion(mlir::Type from) const;
  mlir::Value make(mlir::Value wide) const;

  mlir::Type element;
  Mode mode;
  llvm::DenseMap<mlir::Value, bool> accepted;
  llvm::DenseMap<mlir::Value, mlir::Value> made;
};

/// The mask that a comparison of f64 with a constant computes, from a comparison of narrower values
/// or of f64 bits; null if there is none.
mlir::Value compareWithThreshold(mlir::OpBuilder &b, stablehlo::CompareOp op);

} // namespace systole::doubles

#endif // SYSTOLE_COMPILER_IMPORT_DOUBLES_DOUBLES_H
