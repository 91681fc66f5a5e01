// Symbolic execution of machine functions: computes hashes instead of values, so that two forms of
// a program can be compared.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_COMPILER_SCHEDULE_INTERPRETER_H
#define SYSTOLE_TEST_UNIT_COMPILER_SCHEDULE_INTERPRETER_H

#include "compiler/Schedule/MachineFunction.h"

#include <array>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace systole::machine {

/// Vectors and masks are 64-bit hashes of their computation; scalars are numbers. A scheduled block
/// is executed cycle by cycle, reads before writes. Latencies are ignored; the schedule verifier
/// checks them.
class Interpreter {
public:
  /// What executes more than `mostExecuted` instructions and lists is an error.
  explicit Interpreter(const Module &module, int64_t mostExecuted = 2'000'000)
      : mostExecuted(mostExecuted), module(module) {}

  /// Executes the entry routine; an error message, or "".
  std::string run();
  /// A hash of memory (without spill frames) and of every effect that is ordered.
  uint64_t state() const;
  int64_t executed = 0;

private:
  const int64_t mostExecuted;
  struct Row {
    uint64_t value = 0;
    int sublane = -1; // of a whole vector `value`; -1: a hash
    uint64_t hash() const;
  };
  using Rows = std::unordered_map<int64_t, Row>;
  using Values = std::span<const uint64_t>; // of an instruction's operands
  struct Frame {
    const Function *f;
    std::vector<uint64_t> regs;
  };
  struct Queue {
    std::deque<uint64_t> results;
    uint64_t open = 0; // of a block to transpose
  };
  struct Array {
    uint64_t shadow = 0, weights = 0;
  };
  struct Write {
    Operand to;
    uint64_t value;
  };

  static uint64_t contents(const Rows &rows);
  uint64_t &place(Frame &frame, RegId r);
  uint64_t read(Frame &frame, const Operand &o, isa::FieldKind kind);
  /// False if an exit is taken.
  bool list(Frame &frame, const std::vector<NodeId> &nodes);
  void block(Frame &frame, const Node &node);
  void loop(Frame &frame, const Node &node);
  void call(Frame &frame, const Node &node);
  void inst(Frame &frame, InstId i, std::vector<Write> &writes);
  void unit(Frame &frame, InstId i, Values v, std::vector<Write> &writes);
  uint64_t load(Frame &frame, InstId i, Values v);
  void store(Frame &frame, InstId i, Values v);

  const Module &module;
  std::array<std::array<uint64_t, 64>, kRegClasses> machine{};
  std::map<std::array<int64_t, 3>, Rows> rows; // of region, routine of a frame, pack
  std::map<std::array<int64_t, 3>, uint32_t> words;
  std::map<int64_t, uint64_t> generation; // of a region, by the copies into it
  std::map<int, Queue> queues;
  std::map<int, Array> arrays;
  uint64_t log = 0;
  int depth = 0;
  std::string error;
};

} // namespace systole::machine

#endif // SYSTOLE_TEST_UNIT_COMPILER_SCHEDULE_INTERPRETER_H
