// The pieces of narrowing f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_DOUBLES_DOUBLES_H
#define SYSTOLE_COMPILER_IMPORT_DOUBLES_DOUBLES_H

#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/APFloat.h"

#include <optional>

namespace systole::doubles {

/// Whether a value is a tensor of f64 of known dimensions.
bool isDouble(mlir::Value value);

/// The value at the start of a chain of broadcasts and reshapes that ends with `value`.
mlir::Value startOf(mlir::Value value);

/// The nearest number of `element`, of integers the one towards zero that fits; 0 for a NaN.
llvm::APInt convertNumber(const llvm::APFloat &value, mlir::Type element);

/// The f64 that an operation computes of these elements of its operands; nothing if it is not one
/// whose result IEEE 754 defines.
std::optional<llvm::APFloat> evaluate(mlir::Operation *op, llvm::ArrayRef<llvm::APFloat> operands);

/// The one number that all elements of a constant are.
std::optional<llvm::APFloat> splatOf(mlir::Value value);

/// Replaces arithmetic in f64 whose operands are constants by its results.
void foldConstants(mlir::Operation *root);

/// Erases operations of f64 that nothing reads.
void eraseUnused(mlir::Operation *root);

/// Narrow values of another element type for values of f64, made of the same operations.
class Narrower {
public:
  enum class Mode {
    Rounded, ///< as a conversion of the f64 gives them
    Exact,   ///< equal to the f64
  };

  Narrower(mlir::Type element, Mode mode) : element(element), mode(mode) {}

  /// Whether there is a narrow value for this one.
  bool accepts(mlir::Value wide);

  /// The narrow value of one that is accepted.
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

/// A mask for a comparison of f64 with a constant, made of a comparison of narrower values or of an
/// f64's bits; null if there is none.
mlir::Value compareWithThreshold(mlir::OpBuilder &b, stablehlo::CompareOp op);

} // namespace systole::doubles

#endif // SYSTOLE_COMPILER_IMPORT_DOUBLES_DOUBLES_H
