// f64 values represented by their bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_DOUBLES_BITS_H
#define SYSTOLE_COMPILER_IMPORT_DOUBLES_BITS_H

#include "compiler/Import/Doubles/Doubles.h"

#include "mlir/IR/Builders.h"

namespace systole::doubles {

/// Clones the chain from `start` to `value` with `other`, of the shape of `start`, as its source.
mlir::Value rebuild(mlir::OpBuilder &b, mlir::Value value, mlir::Value start, mlir::Value other);

/// Integer arithmetic on the bits of f64 values, a tensor of ui64.
class DoubleBits {
public:
  DoubleBits(mlir::OpBuilder &b, mlir::Value bits)
      : b(b), loc(bits.getLoc()), type(mlir::cast<mlir::RankedTensorType>(bits.getType())),
        bits(bits) {}

  /// How an f64 that is not an f32 is rounded to one. Subnormal f32 are excluded.
  enum class Rounding {
    Nearest, ///< ties to even
    Odd,     ///< the next one towards zero, with an odd last bit: rounding it to fewer bits is
             ///< rounding once
    Up,      ///< the smallest that is not below
    Down,    ///< the largest that is not above
    Exact    ///< a NaN
  };
  mlir::Value toF32(Rounding rounding);

  /// i64 values in the order of the f64 values, and `nan` for a NaN.
  mlir::Value toOrder(int64_t nan);

  /// The bits of the f64 values nearest to `magnitude`, a tensor of ui64.
  static mlir::Value ofIntegers(mlir::OpBuilder &b, mlir::Value magnitude);

private:
  mlir::Value number(uint64_t value);
  mlir::Value both(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value right(mlir::Value x, uint64_t amount);
  mlir::Value compare(stablehlo::ComparisonDirection direction, mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value mask, mlir::Value then, mlir::Value otherwise);
  mlir::Value magnitude();
  mlir::Value isNegative();
  /// The bits of the f32 for a magnitude, before its sign and NaNs are applied.
  mlir::Value rounded(mlir::Value magnitude, Rounding rounding);
  mlir::Value bounded(mlir::Value magnitude, Rounding rounding);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::RankedTensorType type;
  mlir::Value bits;
};

/// Whether `op` compares its operand `value` with values converted to f64 from a narrower
/// type.
bool isNarrowComparison(stablehlo::CompareOp op, mlir::Value value);

/// Replaces the comparison by one in the narrower type, or in i64. `bits` are those of `start`,
/// from which broadcasts and reshapes produce `value`.
void narrowComparison(stablehlo::CompareOp op, mlir::Value value, mlir::Value start,
                      mlir::Value bits);

} // namespace systole::doubles

#endif // SYSTOLE_COMPILER_IMPORT_DOUBLES_BITS_H
