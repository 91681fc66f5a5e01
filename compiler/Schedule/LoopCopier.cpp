// Copies of loops and of their bodies, with registers of their own.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/LoopCopier.h"

namespace systole::machine {

Operand LoopCopier::valueOf(const Operand &o, const Registers &registers) {
  if (!o.isReg())
    return o;
  auto it = registers.find(o.regId());
  return it == registers.end() ? o : it->second;
}

NodeId LoopCopier::blockOf(std::vector<InstId> insts) {
  NodeId block = f.newNode(Node::Kind::Block);
  f.nodes[block].insts = std::move(insts);
  return block;
}

/// Adds constants to what a sum is made of: sums in iterations that follow one another need not
/// wait for each other.
void LoopCopier::foldSum(isa::Opcode opcode, std::vector<Operand> &ops) {
  if (opcode != isa::Opcode::s_add || !ops[1].isReg() || !ops[2].isImm())
    return;
  if (auto it = sums.find(ops[1].regId()); it != sums.end()) {
    ops[1] = Operand::reg(it->second.first);
    // As the machine adds, modulo 2^32.
    ops[2] = Operand::imm(int32_t(uint32_t(ops[2].value) + uint32_t(it->second.second)));
  }
  sums[ops[0].regId()] = {ops[1].regId(), ops[2].value};
}

void LoopCopier::copy(const std::vector<InstId> &insts, Registers &registers,
                      const StreamOrder *order, std::vector<InstId> &out) {
  for (InstId i : insts) {
    Inst inst = f.insts[i];
    std::vector<Operand> ops(f.ops(i).begin(), f.ops(i).end());
    auto results = size_t(f.resultCount(i));
    for (size_t k = results; k < ops.size(); ++k)
      ops[k] = valueOf(ops[k], registers);
    for (size_t k = 0; k < results; ++k) {
      Operand copy = Operand::reg(f.cloneReg(ops[k].regId()));
      registers[ops[k].regId()] = copy;
      ops[k] = copy;
    }
    foldSum(inst.opcode, ops);
    InstId made = f.newInst(inst.opcode, ops, inst.loc);
    f.insts[made].order = order ? *order : inst.order;
    f.insts[made].order.stream = inst.order.stream;
    out.push_back(made);
  }
}

std::vector<Operand> LoopCopier::carry(Node &loop, const std::vector<Carried> &like,
                                       const std::vector<Operand> &inits) {
  std::vector<Operand> phis;
  for (size_t k = 0; k < like.size(); ++k) {
    Carried c;
    c.phi = f.cloneReg(like[k].phi);
    c.result = f.cloneReg(like[k].phi);
    c.init = inits[k];
    loop.carried.push_back(c);
    phis.push_back(Operand::reg(c.phi));
  }
  return phis;
}

std::vector<Operand> LoopCopier::setNext(Node &loop, size_t first,
                                         const std::vector<Operand> &next) {
  std::vector<Operand> results;
  for (size_t k = 0; k < next.size(); ++k) {
    loop.carried[first + k].next = next[k];
    results.push_back(Operand::reg(loop.carried[first + k].result));
  }
  return results;
}

void LoopCopier::bind(const std::vector<Carried> &carried, const std::vector<Operand> &values,
                      Registers &registers) {
  for (size_t k = 0; k < carried.size(); ++k)
    registers[carried[k].phi] = values[k];
}

std::vector<Operand> LoopCopier::nextOf(const std::vector<Carried> &carried,
                                        const Registers &registers) {
  std::vector<Operand> next;
  for (const Carried &c : carried)
    next.push_back(valueOf(c.next, registers));
  return next;
}

} // namespace systole::machine
