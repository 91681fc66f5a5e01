// Spill code.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Spill.h"

#include <array>

namespace systole::machine {
namespace {

using isa::Opcode;

// Offsets of loads and stores are signed 16-bit fields.
constexpr int32_t kOffsetSpan = 1 << 15;

class SpillRewriter {
public:
  SpillRewriter(Function &f, const std::vector<bool> &spilled)
      : f(f), spilled(spilled), slot(f.regs.size(), -1), definition(f.regs.size(), kNone),
        definitions(f.regs.size(), 0) {}

  void run() {
    forEachNode(f, f.body, [&](NodeId n) {
      for (const Carried &c : f.nodes[n].carried)
        definitions[c.phi] = 2;
      for (InstId i : f.nodes[n].insts)
        for (const Operand &o : f.ops(i).first(size_t(f.resultCount(i)))) {
          definition[o.regId()] = i;
          ++definitions[o.regId()];
        }
    });
    f.body = list(f.body);
  }

private:
  bool isSpilled(RegId r) const { return r < spilled.size() && spilled[r] && !f.regs[r].fixed; }

  /// The instruction that computes the register anew anywhere, or kNone.
  InstId recipe(RegId r) const {
    if (definitions[r] != 1)
      return kNone;
    InstId i = definition[r];
    Opcode op = f.insts[i].opcode;
    bool constant = (op == Opcode::v_mov || op == Opcode::s_mov) && f.ops(i)[1].isImm();
    return constant || op == Opcode::v_lane || op == Opcode::v_sublane ? i : kNone;
  }

  int32_t slotOf(RegId r) {
    if (slot[r] < 0) {
      bool scalar = f.regs[r].cls == RegClass::S;
      int32_t &size = scalar ? f.spillWords : f.spillRows;
      slot[r] = size;
      size += scalar ? 1 : isa::kSublanes;
    }
    return slot[r];
  }

  RegId temporary(RegClass cls) {
    RegId t = f.newReg(cls);
    f.regs[t].temporary = true;
    return t;
  }

  void emit(std::vector<InstId> &out, Opcode opcode, std::initializer_list<Operand> ops,
            uint32_t loc) {
    out.push_back(f.newInst(opcode, ops, loc));
  }

  struct Place {
    Operand base, offset;
  };
  Place place(RegId r) {
    int32_t s = slotOf(r);
    int32_t offset = s % kOffsetSpan;
    return {Operand::imm(s - offset), Operand::imm(offset)};
  }

  RegId reload(RegId r, std::vector<InstId> &out, uint32_t loc) {
    RegClass cls = f.regs[r].cls;
    if (InstId i = recipe(r); i != kNone) {
      RegId t = temporary(cls);
      InstId copy = f.newInst(f.insts[i].opcode, f.ops(i), loc);
      f.ops(copy)[0] = Operand::reg(t);
      out.push_back(copy);
      return t;
    }
    if (cls == RegClass::S) {
      RegId t = temporary(cls);
      emit(out, Opcode::s_ld,
           {Operand::reg(t), Operand::imm(slotOf(r)), Operand::imm(kSpillWordsRegion)}, loc);
      return t;
    }
    Place p = place(r);
    RegId v = temporary(RegClass::V);
    emit(out, Opcode::vld_b32,
         {Operand::reg(v), p.base, Operand::imm(1), Operand::reg(kAllOnes), p.offset,
          Operand::imm(kSpillRowsRegion)},
         loc);
    if (cls == RegClass::V)
      return v;
    RegId m = temporary(RegClass::M);
    emit(out, Opcode::v_ne, {Operand::reg(m), Operand::reg(v), Operand::imm(0)}, loc);
    return m;
  }

  void store(RegId r, RegId value, std::vector<InstId> &out, uint32_t loc) {
    RegClass cls = f.regs[r].cls;
    if (cls == RegClass::S) {
      emit(out, Opcode::s_st,
           {Operand::reg(value), Operand::imm(slotOf(r)), Operand::imm(kSpillWordsRegion)}, loc);
      return;
    }
    if (cls == RegClass::M) {
      RegId v = temporary(RegClass::V);
      emit(out, Opcode::v_sel,
           {Operand::reg(v), Operand::reg(value), Operand::imm(1), Operand::imm(0)}, loc);
      value = v;
    }
    Place p = place(r);
    emit(out, Opcode::vst_b32,
         {Operand::reg(value), p.base, Operand::imm(1), Operand::reg(kAllOnes), p.offset,
          Operand::imm(kSpillRowsRegion)},
         loc);
  }

  void instruction(InstId i, std::vector<InstId> &out) {
    uint32_t loc = f.insts[i].loc;
    int results = f.resultCount(i);
    int count = int(f.ops(i).size());
    if (results && isSpilled(f.ops(i)[0].regId()) && recipe(f.ops(i)[0].regId()) == i)
      return;
    // An operand that stands twice is loaded once.
    std::array<std::pair<RegId, RegId>, isa::kMaxOperands> loaded;
    int loads = 0;
    for (int k = results; k < count; ++k) {
      Operand o = f.ops(i)[size_t(k)];
      if (!o.isReg() || !isSpilled(o.regId()))
        continue;
      RegId t = kNone;
      for (int j = 0; j < loads; ++j)
        if (loaded[j].first == o.regId())
          t = loaded[j].second;
      if (t == kNone) {
        t = reload(o.regId(), out, loc);
        loaded[loads++] = {o.regId(), t};
      }
      f.ops(i)[size_t(k)] = Operand::reg(t);
    }
    out.push_back(i);
    for (int k = 0; k < results; ++k) {
      RegId r = f.ops(i)[size_t(k)].regId();
      if (!isSpilled(r))
        continue;
      RegId t = temporary(f.regs[r].cls);
      f.ops(i)[size_t(k)] = Operand::reg(t);
      store(r, t, out, loc);
    }
  }

  /// Loads what a control node reads in the block before it.
  void control(Operand &o, std::vector<NodeId> &out, uint32_t loc) {
    if (!o.isReg() || !isSpilled(o.regId()))
      return;
    if (out.empty() || f.nodes[out.back()].kind != Node::Kind::Block)
      out.push_back(f.newNode(Node::Kind::Block));
    std::vector<InstId> code;
    o = Operand::reg(reload(o.regId(), code, loc));
    auto &insts = f.nodes[out.back()].insts;
    insts.insert(insts.end(), code.begin(), code.end());
  }

  /// Stores the results of a loop that is pipelined later.
  void storeResults(NodeId n, std::vector<NodeId> &out) {
    std::vector<InstId> code;
    for (Carried &c : f.nodes[n].carried) {
      if (c.result == kNone || !isSpilled(c.result))
        continue;
      RegId r = c.result;
      c.result = temporary(f.regs[r].cls);
      store(r, c.result, code, f.nodes[n].loc);
    }
    if (code.empty())
      return;
    out.push_back(f.newNode(Node::Kind::Block));
    f.nodes[out.back()].insts = std::move(code);
  }

  std::vector<NodeId> list(std::vector<NodeId> nodes) {
    std::vector<NodeId> out;
    for (NodeId n : nodes) {
      if (f.nodes[n].kind == Node::Kind::Block) {
        std::vector<InstId> code;
        std::vector<InstId> old = std::move(f.nodes[n].insts);
        code.reserve(old.size());
        for (InstId i : old)
          instruction(i, code);
        f.nodes[n].insts = std::move(code);
        out.push_back(n);
        continue;
      }
      uint32_t loc = f.nodes[n].loc;
      Operand operand = f.nodes[n].operand;
      control(operand, out, loc);
      f.nodes[n].operand = operand;
      for (size_t k = 0; k < f.nodes[n].carried.size(); ++k) {
        Operand init = f.nodes[n].carried[k].init;
        control(init, out, loc);
        f.nodes[n].carried[k].init = init;
      }
      out.push_back(n);
      std::vector<NodeId> body = list(f.nodes[n].body);
      for (size_t k = 0; k < f.nodes[n].carried.size(); ++k) {
        Operand next = f.nodes[n].carried[k].next;
        control(next, body, loc);
        f.nodes[n].carried[k].next = next;
      }
      f.nodes[n].body = std::move(body);
      std::vector<NodeId> orElse = list(f.nodes[n].orElse);
      f.nodes[n].orElse = std::move(orElse);
      storeResults(n, out);
    }
    return out;
  }

  Function &f;
  const std::vector<bool> &spilled;
  std::vector<int32_t> slot;
  std::vector<InstId> definition;
  std::vector<uint32_t> definitions;
};

} // namespace

void rewriteSpills(Function &f, const std::vector<bool> &spilled) {
  SpillRewriter(f, spilled).run();
}

} // namespace systole::machine
