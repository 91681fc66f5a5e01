// Construction of machine functions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/MachineBuilder.h"

#include "llvm/ADT/SmallVector.h"

#include <cassert>

namespace systole::machine {

using isa::Opcode;

void MachineBuilder::append(InstId inst) {
  if (block == kNone) {
    block = f.newNode(Node::Kind::Block);
    nodes.push_back(block);
  }
  f.nodes[block].insts.push_back(inst);
}

InstId MachineBuilder::emit(Opcode opcode, std::span<const Operand> ops) {
  assert(ops.size() == isa::info(opcode).fields.size() && "an operand for each field");
  InstId id = f.newInst(opcode, ops, loc);
  append(id);
  return id;
}

static bool fold(Opcode opcode, uint32_t a, uint32_t b, uint32_t &out) {
  switch (opcode) {
  case Opcode::s_add:
    out = a + b;
    return true;
  case Opcode::s_sub:
    out = a - b;
    return true;
  case Opcode::s_sra:
    out = uint32_t(int32_t(a) >> std::min(b, 31u));
    return true;
  default:
    return false;
  }
}

Operand MachineBuilder::scalar(Opcode opcode, Operand a, Operand b) {
  uint32_t value = 0;
  if (a.isImm() && b.isImm() && fold(opcode, uint32_t(a.value), uint32_t(b.value), value))
    return Operand::imm(int32_t(value));
  Operand result = Operand::reg(f.newReg(RegClass::S));
  emit(opcode, {result, a, b});
  return result;
}

InstId makeCopy(Function &f, RegId dst, Operand src, uint32_t loc) {
  assert(src.kind != Operand::Kind::None && "copies a value");
  Operand d = Operand::reg(dst);
  switch (f.regs[dst].cls) {
  case RegClass::V:
    return f.newInst(Opcode::v_mov, {d, src}, loc);
  case RegClass::M:
    assert(src.isReg() && f.regs[src.regId()].cls == RegClass::M && "masks are no immediates");
    return f.newInst(Opcode::m_and, {d, src, src}, loc);
  case RegClass::S:
    break;
  }
  return f.newInst(Opcode::s_mov, {d, src}, loc);
}

bool isCopy(const Function &f, InstId i) {
  switch (f.insts[i].opcode) {
  case Opcode::v_mov:
  case Opcode::s_mov:
    return true;
  case Opcode::m_and:
    return f.ops(i)[1] == f.ops(i)[2];
  default:
    return false;
  }
}

InstId MachineBuilder::copy(RegId dst, Operand src) {
  InstId id = makeCopy(f, dst, src, loc);
  append(id);
  return id;
}

void MachineBuilder::parallelCopy(std::span<const std::pair<RegId, Operand>> copies) {
  assert(std::all_of(copies.begin(), copies.end(),
                     [&](auto &a) {
                       return 1 == std::count_if(copies.begin(), copies.end(),
                                                 [&](auto &b) { return a.first == b.first; });
                     }) &&
         "two copies at once into one register");
  // A source that another copy overwrites is saved in a new register.
  llvm::SmallVector<std::pair<RegId, Operand>> late;
  for (auto [dst, src] : copies) {
    if (src == Operand::reg(dst))
      continue;
    bool overwritten = src.isReg() && std::any_of(copies.begin(), copies.end(), [&](auto &other) {
                         return other.first == src.regId();
                       });
    if (overwritten) {
      RegId t = f.newReg(f.regs[dst].cls);
      copy(t, src);
      src = Operand::reg(t);
    }
    late.push_back({dst, src});
  }
  for (auto [dst, src] : late)
    copy(dst, src);
}

Node &MachineBuilder::control(Node::Kind kind) {
  NodeId id = f.newNode(kind);
  nodes.push_back(id);
  block = kNone;
  f.nodes[id].loc = loc;
  return f.nodes[id];
}

MachineBuilder::Saved MachineBuilder::begin() {
  Saved saved{std::move(nodes), block};
  nodes.clear();
  block = kNone;
  return saved;
}

std::vector<NodeId> MachineBuilder::end(Saved &&outer) {
  std::vector<NodeId> inner = std::move(nodes);
  nodes = std::move(outer.nodes);
  block = outer.block;
  return inner;
}

} // namespace systole::machine
