// Control flow and register liveness of a machine function.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_LIVENESS_H
#define SYSTOLE_COMPILER_SCHEDULE_LIVENESS_H

#include "compiler/Schedule/MachineFunction.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace systole::machine {

/// A node that executes as a unit: a block, or the instruction of a control node (the start of a
/// loop, a conditional's test, an exit, a call).
struct FlowBlock {
  NodeId node;
  llvm::SmallVector<uint32_t, 2> successors;
  /// The number of enclosing loops and whiles.
  int depth = 0;
};

/// The flow blocks of a function in layout order; entry first.
std::vector<FlowBlock> buildFlow(const Function &f);

/// Calls `use(r)` or `def(r)` for the registers that a flow block reads and writes, in order of
/// time: the reads of a cycle before its writes. The loop-carried values of a pipelined loop that
/// is not expanded yet count as read and written by it.
template <typename Use, typename Def>
void forEachAccess(const Function &f, const Node &node, Use &&use, Def &&def) {
  auto operand = [&](const Operand &o) {
    if (o.isReg() && o.regId() != kAllOnes)
      use(o.regId());
  };
  if (node.kind != Node::Kind::Block) {
    operand(node.operand);
    for (RegId r : node.arguments)
      use(r);
    for (const Carried &c : node.carried) {
      operand(c.init);
      def(c.phi);
      if (c.result != kNone)
        def(c.result);
    }
    return;
  }
  for (size_t k = 0; k < node.insts.size();) {
    size_t end = k + 1;
    if (node.scheduled)
      while (end < node.insts.size() && node.cycles[end] == node.cycles[k])
        ++end;
    for (size_t j = k; j < end; ++j)
      for (const Operand &o : f.ops(node.insts[j]).subspan(size_t(f.resultCount(node.insts[j]))))
        operand(o);
    for (size_t j = k; j < end; ++j)
      for (const Operand &o : f.ops(node.insts[j]).first(size_t(f.resultCount(node.insts[j]))))
        def(o.regId());
    k = end;
  }
}

/// Liveness of the registers that are accessed by more than one flow block, or read in one before
/// it writes them; all others are local to a block.
class Liveness {
public:
  Liveness(const Function &f, const std::vector<FlowBlock> &flow);

  const std::vector<bool> &globals() const { return isGlobal; }
  bool liveOut(uint32_t flowBlock, RegId r) const {
    return isGlobal[r] && out[flowBlock].test(index[r]);
  }
  bool liveIn(uint32_t flowBlock, RegId r) const {
    return isGlobal[r] && in[flowBlock].test(index[r]);
  }
  const std::vector<RegId> &globalRegs() const { return regs; }
  const llvm::BitVector &liveInSet(uint32_t flowBlock) const { return in[flowBlock]; }
  const llvm::BitVector &liveOutSet(uint32_t flowBlock) const { return out[flowBlock]; }

private:
  std::vector<bool> isGlobal;
  std::vector<uint32_t> index; // by RegId, among `regs`
  std::vector<RegId> regs;
  std::vector<llvm::BitVector> in, out;
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_LIVENESS_H
