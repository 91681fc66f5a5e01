// Dead code elimination.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/DeadCode.h"

namespace systole::machine {

/// Whether an instruction has no side effects. Loads may trap, but only in invalid programs.
static bool removable(const Function &f, InstId i) {
  const isa::InstInfo &info = isa::info(f.insts[i].opcode);
  return f.resultCount(i) == 1 && info.slot != isa::Slot::Pop && info.slot != isa::Slot::Push &&
         !traits(f.insts[i].opcode).barrier;
}

void removeDeadCode(Function &f) {
  // Registers used by instructions with side effects, directly or through other
  // instructions.
  std::vector<bool> needed(f.regs.size(), false);
  std::vector<std::vector<InstId>> defs(f.regs.size());
  std::vector<std::vector<Operand>> sources(f.regs.size()); // of loop-carried values
  std::vector<RegId> work;
  auto need = [&](const Operand &o) {
    if (o.isReg() && !needed[o.regId()]) {
      needed[o.regId()] = true;
      work.push_back(o.regId());
    }
  };
  forEachNode(f, f.body, [&](NodeId n) {
    const Node &node = f.nodes[n];
    need(node.operand);
    for (RegId r : node.arguments)
      need(Operand::reg(r));
    for (const Carried &c : node.carried) {
      sources[c.phi] = {c.init, c.next};
      if (c.result != kNone)
        sources[c.result] = {Operand::reg(c.phi)};
    }
    for (InstId i : node.insts) {
      if (removable(f, i) && !f.regs[f.ops(i)[0].regId()].fixed) {
        defs[f.ops(i)[0].regId()].push_back(i);
        continue;
      }
      for (const Operand &o : f.ops(i).subspan(size_t(f.resultCount(i))))
        need(o);
    }
  });
  while (!work.empty()) {
    RegId r = work.back();
    work.pop_back();
    for (const Operand &o : sources[r])
      need(o);
    for (InstId i : defs[r])
      for (const Operand &o : f.ops(i).subspan(1))
        need(o);
  }
  forEachNode(f, f.body, [&](NodeId n) {
    Node &node = f.nodes[n];
    std::erase_if(node.insts, [&](InstId i) {
      return removable(f, i) && !f.regs[f.ops(i)[0].regId()].fixed && !needed[f.ops(i)[0].regId()];
    });
    std::erase_if(node.carried, [&](const Carried &c) { return !needed[c.phi]; });
    for (Carried &c : node.carried)
      if (c.result != kNone && !needed[c.result])
        c.result = kNone;
  });
}

} // namespace systole::machine
