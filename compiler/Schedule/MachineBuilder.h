// Appends instructions and control nodes to a machine function.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_MACHINEBUILDER_H
#define SYSTOLE_COMPILER_SCHEDULE_MACHINEBUILDER_H

#include "compiler/Schedule/MachineFunction.h"

#include <utility>

namespace systole::machine {

/// Builds one list of nodes at a time. Straight-line instructions are appended to a block until the
/// next control node.
class MachineBuilder {
public:
  explicit MachineBuilder(Function &function) : f(function) {}

  Function &f;
  uint32_t loc = kNone;

  void append(InstId inst);
  InstId emit(isa::Opcode opcode, std::span<const Operand> ops);
  InstId emit(isa::Opcode opcode, std::initializer_list<Operand> ops) {
    return emit(opcode, std::span<const Operand>(ops.begin(), ops.size()));
  }
  /// A scalar instruction with two operands and a new result; folds constants for the few opcodes
  /// that trip counts need.
  Operand scalar(isa::Opcode opcode, Operand a, Operand b);
  /// dst = src, with the move instruction of dst's class.
  InstId copy(RegId dst, Operand src);
  /// dst[i] = src[i] for all i in parallel.
  void parallelCopy(std::span<const std::pair<RegId, Operand>> copies);
  /// Appends a control node and returns it; a block opened later follows it.
  Node &control(Node::Kind kind);

  /// Starts a nested list; `end` returns its nodes and resumes the outer one.
  struct Saved {
    std::vector<NodeId> nodes;
    NodeId block;
  };
  Saved begin();
  std::vector<NodeId> end(Saved &&outer);

private:
  std::vector<NodeId> nodes;
  NodeId block = kNone;
};

/// Creates the move instruction dst = src without inserting it.
InstId makeCopy(Function &f, RegId dst, Operand src, uint32_t loc);
/// Whether the instruction moves a whole register or constant.
bool isCopy(const Function &f, InstId i);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_MACHINEBUILDER_H
