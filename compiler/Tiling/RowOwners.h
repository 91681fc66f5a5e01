// Whose contents the rows of a memory have.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_ROWOWNERS_H
#define SYSTOLE_COMPILER_TILING_ROWOWNERS_H

#include <cstdint>
#include <map>

namespace systole {

/// Rows of a memory. Each has been written for an array, or never, or its contents are those of no
/// array, or not known.
class RowOwners {
public:
  static constexpr int32_t kNobody = -1;

  /// Rows from `first` up to `end` are written for `owner`.
  void set(int64_t first, int64_t end, int32_t owner);
  /// Rows from `first` up to `end` are written for `owner` later on a path that comes back here.
  void setLater(int64_t first, int64_t end, int32_t owner);
  /// Whether all rows from `first` up to `end` have been written for `owner`.
  bool areAll(int64_t first, int64_t end, int32_t owner) const;
  /// Joins the rows of another path.
  void join(const RowOwners &other);

private:
  /// Splits the run of rows that contains `row`, so that one begins there.
  void split(int64_t row);

  struct Run {
    int64_t end;
    int32_t owner;
  };
  std::map<int64_t, Run> runs; ///< of written rows, by the first one, disjoint
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_ROWOWNERS_H
