// The results that the FIFOs of a modulo schedule hold in each cycle.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_FIFOTABLE_H
#define SYSTOLE_COMPILER_SCHEDULE_FIFOTABLE_H

#include "compiler/Schedule/Units.h"

#include <array>
#include <vector>

namespace systole::machine {

/// The cycles [from, until) in which a result is in its FIFO, or in the unit on the way there: from
/// its push to its pop. A bundle pops before it pushes, so that a push may take the entry of a pop
/// in the same cycle.
struct FifoInterval {
  int8_t queue;
  int32_t from, until;
  int32_t length() const { return until - from; }
};

/// The results of each FIFO, summed over the overlapping iterations of a schedule that repeats
/// every `ii` cycles.
class FifoTable {
public:
  FifoTable(int32_t ii, const Limits &limits);

  /// Whether `results` more results of one FIFO, all of the same interval, have room.
  bool fits(const FifoInterval &interval, int32_t results) const;
  void add(const FifoInterval &interval, int32_t results) { change(interval, results); }
  void remove(const FifoInterval &interval, int32_t results) { change(interval, -results); }
  /// Whether one FIFO holds results of both intervals, of any iterations, in the same cycle.
  bool overlap(const FifoInterval &a, const FifoInterval &b) const;
  /// Whether no FIFO ever holds more results than its depth.
  bool holds() const;

private:
  void change(const FifoInterval &interval, int32_t results);

  int32_t ii;
  std::array<int32_t, kQueues> depths{};
  std::array<std::vector<int32_t>, kQueues> held; // by cycle modulo ii
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_FIFOTABLE_H
