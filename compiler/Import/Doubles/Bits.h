// Values of f64 as their bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_DOUBLES_BITS_H
#define SYSTOLE_COMPILER_IMPORT_DOUBLES_BITS_H

#include "compiler/Import/Doubles/Doubles.h"

#include "mlir/IR/Builders.h"

namespace systole::doubles {

/// The chain from `start` to `value`, once more from `other`, which has `start`'s shape.
mlir::Value rebuild(mlir::OpBuilder &b, mlir::Value value, mlir::Value start, mlir::Value other);

/// Integer arithmetic on the bits of doubles, a tensor of ui64.
class DoubleBits {
public:
  DoubleBits(mlir::OpBuilder &b, mlir::Value bits)
      : b(b), loc(bits.getLoc()), type(mlir::cast<mlir::RankedTensorType>(bits.getType())),
        bits(bits) {}

  /// Which f32 stands for a double that is none. Those that are subnormal in f32 count as none.
  enum class Rounding {
    Nearest, ///< with a tie to the even one
    Odd,     ///< the next one towards zero, with an odd last bit: rounding it to fewer bits is
             ///< rounding once
    Up,      ///< the smallest that is not below
    Down,    ///< the largest that is not above
    Exact    ///< a NaN
  };
  mlir::Value toF32(Rounding rounding);

  /// Numbers of i64 in the order of the doubles, and `nan` for a NaN.
  mlir::Value toOrder(int64_t nan);

  /// The bits of the doubles nearest to `magnitude`, integers of ui64.
  static mlir::Value ofIntegers(mlir::OpBuilder &b, mlir::Value magnitude);

private:
  mlir::Value number(uint64_t value);
  mlir::Value both(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value right(mlir::Value x, uint64_t places);
  mlir::Value compare(stablehlo::ComparisonDirection direction, mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value mask, mlir::Value then, mlir::Value otherwise);
  mlir::Value magnitude();
  mlir::Value isNegative();
  /// The bits of a magnitude's f32, not yet with its sign or NaN.
  mlir::Value rounded(mlir::Value magnitude, Rounding rounding);
  mlir::Value bounded(mlir::Value magnitude, Rounding rounding);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::RankedTensorType type;
  mlir::Value bits;
};

/// Whether `op` compares `value`, an operand, with numbers that were of a narrower type before they
/// became f64.
bool isNarrowComparison(stablehlo::CompareOp op, mlir::Value value);

/// Compares in the narrower type instead, or in i64. `bits` are those of `start`, from which
/// `value` is made by broadcasts and reshapes.
void narrowComparison(stablehlo::CompareOp op, mlir::Value value, mlir::Value start,
                      mlir::Value bits);

} // namespace systole::doubles

#endif // SYSTOLE_COMPILER_IMPORT_DOUBLES_BITS_H
