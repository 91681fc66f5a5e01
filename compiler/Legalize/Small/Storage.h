// Stores elements that the machine lacks as integers: code shared by all operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_SMALL_STORAGE_H
#define SYSTOLE_COMPILER_LEGALIZE_SMALL_STORAGE_H

#include "compiler/Tensor/Tensors.h"
#include "dialects/CHLO/CHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace systole::small {

/// Whether elements of a type, or of a tensor, are stored as integers: floats of at most 8 bits,
/// integers of 2 and 4 bits, and quantized numbers.
bool isStored(mlir::Type type);
/// Whether the numbers that such elements represent are real ones.
bool isReal(mlir::Type element);

/// The integers that hold such elements: floats as their bits, integers as numbers.
mlir::Type storageOf(mlir::Type element);
/// The type of numbers to compute with: f32, or the integers that are stored.
mlir::Type computedType(mlir::Type element);
/// The bits of an element on the host.
unsigned widthOf(mlir::Type element);

/// The numbers that the lowest bits of stored integers are, as elements of type `element`.
mlir::Value wrap(expansion::Tensors &t, mlir::Value value, mlir::Type element);

/// Rewrites operations in place. A tensor of such elements becomes one of its storage type with the
/// same shape, or one of f32 in the bodies of reducers and comparators.
class Storage {
public:
  llvm::LogicalResult lower(mlir::func::FuncOp function);

  /// The original element type of a value; null if its elements are not stored as integers.
  mlir::Type elementOf(mlir::Value value) const;
  /// The elements of `value` at `t` as numbers: f32, or the integers that are stored.
  mlir::Value numbersOf(expansion::Tensors &t, mlir::Value value);
  /// The same in storage.
  mlir::Value bitsOf(expansion::Tensors &t, mlir::Value value);
  /// Replaces the uses of `result` by `numbers` (or by those of its own numbers, once they have
  /// their type) in the form in which its elements are stored. `isExact` if they need not be
  /// rounded.
  void storeNumbers(mlir::Value result, mlir::Value numbers, mlir::Type element, bool isExact);
  /// Replaces the uses of `result` by bits that are stored.
  void storeBits(mlir::Value result, mlir::Value bits, mlir::Type element);

private:
  llvm::LogicalResult lowerBlock(mlir::Block &block);
  llvm::LogicalResult lowerOperation(mlir::Operation *op);
  bool concerns(mlir::Operation &op) const;

  /// Operations whose elements are not combined: the same on what is stored.
  llvm::LogicalResult move(mlir::Operation *op);
  /// Operations on numbers, whose results are rounded.
  llvm::LogicalResult compute(mlir::Operation *op);
  /// The body of a reducer or comparator: computes in f32, and rounds only where it converts.
  llvm::LogicalResult lowerBody(mlir::Region &body);
  /// Whether all stored operands and results of an operation have one format.
  bool hasOneFormat(mlir::Operation *op) const;
  void lowerConstant(mlir::Operation *op, mlir::DenseElementsAttr elements);
  void lowerIota(stablehlo::IotaOp op);
  void lowerMultiplyHigh(chlo::MulhiOp op);

  /// Gives a value that keeps its place its new type.
  void setStored(mlir::Value value);

  llvm::DenseMap<mlir::Value, mlir::Type> elements;
  /// The numbers of stored floats, where they have been computed.
  llvm::DenseMap<mlir::Value, mlir::Value> numbers;
  /// Within a body whose floats are f32, and one whose only operation keeps the low bits right
  /// although no integer is wrapped.
  bool isInBody = false, isWrapped = true;
};

/// Products, of dot_general and convolution.
void lowerProduct(Storage &s, mlir::Operation *op);
/// Conversions of element types: convert, uniform_quantize and uniform_dequantize. The operation is
/// replaced.
void lowerConvert(Storage &s, mlir::Operation *op);
void lowerBitcast(Storage &s, stablehlo::BitcastConvertOp op);

} // namespace systole::small

#endif // SYSTOLE_COMPILER_LEGALIZE_SMALL_STORAGE_H
