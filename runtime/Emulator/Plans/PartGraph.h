// The operations of a part of a block, the values between them, and their order.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_PLANS_PARTGRAPH_H
#define SYSTOLE_RUNTIME_EMULATOR_PLANS_PARTGRAPH_H

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/Emulator/Plans/Plan.h"

namespace systole::emulation {

struct PartGraph {
  // Cells that an operation computes, or that are somewhere before the part.
  struct Value {
    std::optional<Place> place = std::nullopt; // where they are
    Place slotPlace = {};                      // of a result: where they are if nobody pops it
    int node = -1;
    int slot = -1; // of a result: counted from the oldest when the part begins
  };
  struct Node {
    const Op *op = nullptr;
    PlannedOp::Kind kind{};
    int32_t argument = 0;
    std::array<int, 3> operands = {-1, -1, -1}; // values
    std::vector<int> results;                   // values
    int stage = 0;
    // The state that it changes (kTransposes, or an MXU's weights), and its turn there; -1: none.
    int chain = -1, turn = 0;
    int group = kNoGroup; // of the rows that it accesses
  };
  static constexpr int kTransposes = kMaxMxus, kChains = kTransposes + 1;
  static constexpr int kNoGroup = -1, kSeveralGroups = -2;
  // Results of a unit.
  struct Queue {
    int popped = 0;
    std::vector<int> entries; // values of those that the part finds, if it pops them, else -1
    std::vector<int> pushed;  // values

    // Whether a pushed result is there behind the part, which finds `found`.
    bool stays(size_t pushedIndex, int found) const { return int(pushedIndex) + found >= popped; }
  };

  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<int> order; // of the nodes that are needed
  // By register: the value that it has behind the part, and the one that the part finds; -1: the
  // part writes, or reads, none.
  std::array<int, kRegisters> registers, entries;
  std::array<Queue, kFifos> queues;
  ResultCounts found{};                        // results, by FIFO
  RegisterSet live;                            // behind the part
  std::vector<std::vector<SharedRows>> shared; // by group
  bool isInOrder = false;                      // as Plan::inOrder

  // Whether the part leaves a value in a register.
  bool writes(int reg) const {
    return live[size_t(reg)] && registers[size_t(reg)] >= 0 &&
           registers[size_t(reg)] != entries[size_t(reg)];
  }
};

// None if a pop finds no result.
std::optional<PartGraph> makeGraph(const program::ProgramHeader &header, const std::vector<Op> &ops,
                                   const PlanRange &range, const ResultCounts &results);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_PLANS_PARTGRAPH_H
