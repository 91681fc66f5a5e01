// The static plan of a program's HBM: which buffer is where, and when.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_HBMPLAN_H
#define SYSTOLE_COMPILER_TILING_HBMPLAN_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

#include <string>
#include <vector>

namespace systole {

enum class HbmUse {
  Temporary, ///< from its first write to its last read
  Fixed,     ///< arguments that the caller keeps, and constants: always
  Donated,   ///< an argument that is given up: from the start to its last read
  Result,    ///< from its first write to the end
};

/// One array in HBM, with the time in which its contents matter. Times are
/// positions of operations in program order.
struct HbmBuffer {
  std::string name;
  mlir::RankedTensorType type;
  mlir::Location loc;
  /// The framework's name of an argument or result, or "".
  std::string title = {};
  int64_t rows = 0; ///< of 512 bytes
  int64_t begin = 0, end = 0;
  HbmUse use = HbmUse::Temporary;
  int64_t base = 0; ///< first row, set by `place`

  /// Allocated by the caller: of these none share rows, whatever their times.
  bool isCallers() const { return use != HbmUse::Temporary; }
  bool isLiveAt(int64_t time) const { return begin <= time && time <= end; }
};

class HbmPlan {
public:
  /// A buffer for `type`, written at `time` for the first time.
  int32_t add(std::string name, mlir::RankedTensorType type, mlir::Location loc, int64_t time,
              HbmUse use = HbmUse::Temporary);
  /// The contents matter up to `time`.
  void extend(int32_t buffer, int64_t time);

  void setTitle(int32_t buffer, std::string title) { all[buffer].title = std::move(title); }

  /// `buffer` has no contents until a time that `extend` names.
  void setUnwritten(int32_t buffer) { all[buffer].begin = INT64_MAX; }
  /// From here on `buffer`, a donated argument, holds a result.
  void keep(int32_t buffer) { all[buffer].use = HbmUse::Fixed; }

  /// Gives every buffer its place; buffers with disjoint times may share rows.
  /// Returns the rows that all of them take; `capacity` are there.
  int64_t place(int64_t capacity = INT64_MAX);

  const std::vector<HbmBuffer> &buffers() const { return all; }
  /// The module attribute `kernel.hbm_plan`.
  mlir::ArrayAttr toAttribute(mlir::MLIRContext *context) const;
  /// The module attribute `kernel.allocations`: what reports say of each buffer.
  mlir::ArrayAttr allocations(mlir::MLIRContext *context) const;
  /// Explains at `loc` that the plan exceeds `capacity` rows: whether elements or their padding are
  /// too many, the largest buffers of the time at which most is live, and what may help.
  mlir::LogicalResult reportOverflow(mlir::Location loc, int64_t rows, int64_t capacity) const;

private:
  /// The time at which the sum of `size` of the live buffers is largest, and that sum.
  std::pair<int64_t, int64_t> atPeak(llvm::function_ref<int64_t(const HbmBuffer &)> size) const;
  /// Sets the times that follow from the use of a buffer.
  void closeTimes();

  std::vector<HbmBuffer> all;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_HBMPLAN_H
