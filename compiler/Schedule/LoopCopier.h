// Copies of loops and of their bodies, with registers of their own.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_LOOPCOPIER_H
#define SYSTOLE_COMPILER_SCHEDULE_LOOPCOPIER_H

#include "compiler/Schedule/MachineFunction.h"

#include "llvm/ADT/DenseMap.h"

#include <utility>

namespace systole::machine {

class LoopCopier {
public:
  explicit LoopCopier(Function &f) : f(f) {}

  /// The operands of a copy by the registers of the original.
  using Registers = llvm::DenseMap<RegId, Operand>;
  static Operand valueOf(const Operand &o, const Registers &registers);

  NodeId blockOf(std::vector<InstId> insts);
  /// Appends copies of instructions to `out`; `order`, if not null, is the loop that their accesses
  /// belong to, in the stream that they have.
  void copy(const std::vector<InstId> &insts, Registers &registers, const StreamOrder *order,
            std::vector<InstId> &out);

  /// Adds loop-carried values like those of another loop to `loop`; returns these in its body.
  std::vector<Operand> carry(Node &loop, const std::vector<Carried> &like,
                             const std::vector<Operand> &inits);
  /// Sets what loop-carried values from number `first` on are in the next iteration; returns them
  /// after the loop.
  static std::vector<Operand> setNext(Node &loop, size_t first, const std::vector<Operand> &next);
  /// Lets loop-carried values of the original be these in a copy of its body.
  static void bind(const std::vector<Carried> &carried, const std::vector<Operand> &values,
                   Registers &registers);
  /// Their values in the next iteration.
  static std::vector<Operand> nextOf(const std::vector<Carried> &carried,
                                     const Registers &registers);

private:
  void foldSum(isa::Opcode opcode, std::vector<Operand> &ops);

  Function &f;
  llvm::DenseMap<RegId, std::pair<RegId, int32_t>> sums; // of a register and a constant
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_LOOPCOPIER_H
