// Arrays of what a value of a loop is in each trip.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_STACKS_H
#define SYSTOLE_COMPILER_TENSOR_STACKS_H

#include "compiler/Tensor/CountedLoops.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace systole {

/// The most that all new stacks of a loop take: an eighth of the smallest memory. Which sums are
/// behind a loop must not depend on the target.
inline constexpr int64_t kMostStackBytes = int64_t(1) << 30;

/// Bytes of the elements of a tensor, without padding.
int64_t bytesOf(mlir::RankedTensorType type);
/// Whether `value` is a constant of zeros.
bool isZero(mlir::Value value);

/// `array` with its dimension `from` as dimension `to`, where `b` inserts.
mlir::Value moveDim(mlir::OpBuilder &b, mlir::Value array, int64_t from, int64_t to);
/// `array`, whose dimension `dim` are the trips, as [trips, row...].
mlir::Value readStack(mlir::OpBuilder &b, mlir::Value array, int64_t dim,
                      llvm::ArrayRef<int64_t> row);

/// What becomes a position of the array that `loop` stacks as loop-carried value `number`, without
/// the dimension of trips; null if it does not have that form.
mlir::Value stackedRow(const CountedLoop &loop, unsigned number, const TripSlice &stack);

/// The stacks that a loop reads or writes already, and those that are added to it. All are read
/// behind the loop with the trips as their first dimension, in the order of their positions.
class Stacks {
public:
  explicit Stacks(const CountedLoop &loop);

  /// Asks for stacks of `values` of the body in a common order of trips, that of `like` if it is
  /// there, of which new ones take at most `mostBytes` a trip; whether there will be such.
  bool request(llvm::ArrayRef<mlir::Value> values, int64_t mostBytes,
               const TripSlice *like = nullptr);
  /// Adds what was asked for to the loop, which a new one replaces.
  stablehlo::WhileOp build();
  /// The stack of a value that was asked for, where `b` inserts: [trips, shape of the value].
  mlir::Value read(mlir::OpBuilder &b, mlir::Value value);

private:
  struct Stack {
    TripIndex index;
    mlir::Value position; ///< in the body
    mlir::Value array;    ///< null until it is built
    int64_t dim = 0;
  };

  CountedLoop loop;
  llvm::MapVector<mlir::Value, Stack> stacks;
  int64_t newBytes = 0;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_STACKS_H
