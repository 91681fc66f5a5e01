// Loops whose number of trips is known, and what they read and write in each trip.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_COUNTEDLOOPS_H
#define SYSTOLE_COMPILER_TENSOR_COUNTEDLOOPS_H

#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/APSInt.h"

namespace systole {

/// A loop that runs while its counter, which starts at `start` and grows by `step`, compares to
/// `bound` as `direction` says.
struct LoopCounter {
  unsigned number; ///< of the loop-carried value
  llvm::APSInt start, step, bound;
  stablehlo::ComparisonDirection direction;

  /// How often the body runs; nothing if that is more than `most` times.
  std::optional<int64_t> count(int64_t most) const;

private:
  bool continues(const llvm::APSInt &value) const;
};

/// The counter that alone decides how often `loop` runs, if there is one.
std::optional<LoopCounter> counterOf(stablehlo::WhileOp loop);

/// The integer `first` in the first trip of a loop, and `step` more in each later one.
struct TripIndex {
  int64_t first = 0, step = 0;
  friend bool operator==(const TripIndex &, const TripIndex &) = default;
};

/// What a loop reads or writes of `array` in each trip: the position `index` along `dim`, which
/// visits each one once, and all of the other dimensions. `position` is the index as a value.
struct TripSlice {
  mlir::Value array, position;
  int64_t dim;
  TripIndex index;
};

/// A loop whose body runs `trips` times.
class CountedLoop {
public:
  static std::optional<CountedLoop> of(stablehlo::WhileOp loop);

  stablehlo::WhileOp op() const { return loop; }
  int64_t trips() const { return count; }
  mlir::Block &body() const { return op().getBody().front(); }
  /// The counter in the body, if it is the number of the trip.
  mlir::Value tripNumber() const;

  bool isInvariant(mlir::Value value) const;
  /// The values of an integer of rank 0 in the body, where they are an arithmetic progression.
  std::optional<TripIndex> indexOf(mlir::Value value) const;
  /// Of which invariant array `value` is one position in each trip, with that dimension dropped or
  /// of size 1.
  std::optional<TripSlice> sliceOf(mlir::Value value) const;
  /// The array that loop-carried value `number` becomes in this loop, which replaces one position
  /// of it in each trip and reads none. `array` is the loop's result.
  std::optional<TripSlice> stackedIn(unsigned number) const;

private:
  std::optional<TripSlice> visits(mlir::Value array, llvm::ArrayRef<int64_t> sizes,
                                  mlir::OperandRange starts) const;

  stablehlo::WhileOp loop;
  LoopCounter counter;
  int64_t count;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_COUNTEDLOOPS_H
