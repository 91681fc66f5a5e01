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
  /// Arguments, results and constants: never shared.
  bool permanent = false;
  int64_t base = 0; ///< first row, set by `place`
};

class HbmPlan {
public:
  /// A buffer for `type`, written at `time` for the first time.
  int32_t add(std::string name, mlir::RankedTensorType type, mlir::Location loc, int64_t time,
              bool permanent = false);
  /// The contents matter up to `time`.
  void extend(int32_t buffer, int64_t time);

  void setTitle(int32_t buffer, std::string title) { all[buffer].title = std::move(title); }

  /// Gives every buffer its place; buffers with disjoint times may share rows.
  /// Returns the rows that all of them take.
  int64_t place();

  const std::vector<HbmBuffer> &buffers() const { return all; }
  /// The module attribute `kernel.hbm_plan`.
  mlir::ArrayAttr toAttribute(mlir::MLIRContext *context) const;
  /// The module attribute `kernel.allocations`: what reports say of each buffer.
  mlir::ArrayAttr allocations(mlir::MLIRContext *context) const;
  /// Explains at `loc` that the plan exceeds `capacity` rows: whether elements or their padding are
  /// too many, the largest buffers of the time at which most is live, and what may help.
  mlir::LogicalResult reportOverflow(mlir::Location loc, int64_t rows, int64_t capacity) const;

private:
  /// The buffers that are live when most rows are, the largest first.
  std::vector<const HbmBuffer *> atPeak() const;

  std::vector<HbmBuffer> all;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_HBMPLAN_H
