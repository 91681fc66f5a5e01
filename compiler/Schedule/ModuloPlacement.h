// The cycles of a loop's instructions in a modulo schedule, and what they occupy.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_MODULOPLACEMENT_H
#define SYSTOLE_COMPILER_SCHEDULE_MODULOPLACEMENT_H

#include "compiler/Schedule/Dependence.h"
#include "compiler/Schedule/FifoTable.h"
#include "compiler/Schedule/Reservation.h"

#include <array>
#include <optional>

namespace systole::machine {

inline constexpr int32_t kUnplaced = -1;

/// What the instructions of a loop's body occupy, by index in the body.
struct LoopResources {
  LoopResources(const Function &f, std::span<const InstId> insts, const DependenceGraph &graph,
                const Limits &limits);

  bool isPop(uint32_t i) const { return entryOfPop[i] != kNone; }
  bool isPush(uint32_t i) const { return !entriesOfPush[i].empty(); }

  const DependenceGraph &graph;
  const Limits &limits;
  std::vector<ResourceUse> uses;
  std::vector<int32_t> latencies;
  std::vector<std::vector<uint32_t>> entriesOfPush;          // of graph.fifo
  std::vector<uint32_t> entryOfPop;                          // of graph.fifo, or kNone
  std::array<std::vector<uint32_t>, kQueues> entriesOfQueue; // of graph.fifo
};

/// The cycle of each instruction, relative to the start of its iteration, and the slots, units and
/// FIFOs that all iterations together occupy. Pops are placed after their pushes.
class ModuloPlacement {
public:
  ModuloPlacement(const LoopResources &resources, int32_t ii);

  int32_t time(uint32_t i) const { return times[i]; }
  bool isPlaced(uint32_t i) const { return times[i] != kUnplaced; }

  /// The first cycle from `from` on in which slot, unit and FIFO are free for instruction `i`, and
  /// its result would leave the FIFO in the order of pushes; `end` if none before it is.
  int32_t firstFit(uint32_t i, int32_t from, int32_t end) const;
  /// The same from `from` back: the last such cycle, or `end`, if none behind it is.
  int32_t lastFit(uint32_t i, int32_t from, int32_t end) const;
  void issue(uint32_t i, int32_t time);
  void withdraw(uint32_t i);
  /// Whether placed instruction `j` is in the way of `i` at `time`: it uses the same slot or unit,
  /// its result would be popped out of order, or it is a push whose results help to fill the FIFO.
  bool competes(uint32_t i, int32_t time, uint32_t j) const;
  bool popsInOrder() const;
  bool fifosHold() const { return fifos.holds(); }

private:
  /// What a FIFO holds in addition if a push or pop issues.
  struct Demand {
    uint32_t push;
    FifoInterval interval;
    int32_t results;
  };
  std::optional<Demand> demand(uint32_t i, int32_t time) const;
  FifoInterval interval(uint32_t entry) const;
  /// The cycles from `first` to `last`.
  struct Window {
    int32_t first = 0, last = INT32_MAX;
    bool contains(int32_t time) const { return first <= time && time <= last; }
  };
  Window windowBeside(uint32_t a, uint32_t b) const;
  Window windowInOrder(uint32_t i) const;
  /// Whether slot, unit and FIFO are free.
  bool isFree(uint32_t i, int32_t time) const;

  const LoopResources *resources;
  int32_t ii;
  std::vector<int32_t> times;
  Reservation table;
  FifoTable fifos;
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_MODULOPLACEMENT_H
