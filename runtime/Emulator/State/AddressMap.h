// Where the rows of a program's plan are in a memory.
//
// A program addresses rows of its static plan. Those of its arguments and results are where their
// arrays are, and the others where the run has room for them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_ADDRESSMAP_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_ADDRESSMAP_H

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dialects/Machine/InstructionSet/Isa.h"

namespace systole::emulation {

// Rows of the plan that lie side by side in memory.
struct Segment {
  int64_t begin = 0, end = 0; // rows of the plan
  int64_t place = 0;          // of the first one, in rows of the memory
  bool isReadOnly = false;
};

class AddressMap {
public:
  // Each row of the plan is where it says.
  static AddressMap identity(int64_t rows) { return AddressMap({{0, rows, 0}}); }
  // `segments` are in order, without gaps.
  explicit AddressMap(std::vector<Segment> segments) : segments(std::move(segments)) {
    assert(std::adjacent_find(this->segments.begin(), this->segments.end(),
                              [](const Segment &a, const Segment &b) {
                                return a.end != b.begin;
                              }) == this->segments.end() &&
           "segments cover the plan");
    for (const Segment &segment : this->segments)
      hasReadOnly |= segment.isReadOnly;
  }
  AddressMap() = default;

  int64_t rows() const { return segments.empty() ? 0 : segments.back().end; }
  bool isReadOnlySomewhere() const { return hasReadOnly; }

  // The segment of a row of the plan.
  const Segment &at(int64_t row) const {
    assert(row >= 0 && row < rows() && "a row of the plan");
    if (const Segment &recent = segments[last]; recent.begin <= row && row < recent.end)
      return recent;
    auto after = std::upper_bound(segments.begin(), segments.end(), row,
                                  [](int64_t row, const Segment &s) { return row < s.begin; });
    last = size_t(after - segments.begin()) - 1;
    return segments[last];
  }

  // Calls f(word of the memory, words) for each part of a range of words of the plan that lies
  // side by side, in order.
  template <typename F> void forEachPart(int64_t word, int64_t words, F f) const {
    while (words > 0) {
      const Segment &segment = at(word / isa::kLanes);
      const int64_t here = std::min(words, segment.end * isa::kLanes - word);
      f(word + (segment.place - segment.begin) * isa::kLanes, here);
      word += here;
      words -= here;
    }
  }

private:
  std::vector<Segment> segments;
  bool hasReadOnly = false;
  mutable size_t last = 0; // of `at`
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_ADDRESSMAP_H
