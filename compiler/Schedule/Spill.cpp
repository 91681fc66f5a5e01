// Inserts spill code.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Spill.h"

#include "compiler/Diagnostics/Debug.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cassert>
#include <deque>

#define DEBUG_TYPE "systole-spill"

namespace systole::machine {
namespace {

using isa::Opcode;

// Offsets of loads and stores are signed 16-bit fields.
constexpr int32_t kOffsetSpan = 1 << 15;
// The number of spilled scalars per vector in VMEM.
constexpr int32_t kCells = isa::kSublanes * isa::kLanes;
// Rows of a frame in which each register has its own: accesses to shared ones keep their order.
constexpr int32_t kUnsharedRows = 256;
// SMEM has fewer words than this.
constexpr int32_t kFirstCell = 1 << 30;

class SpillRewriter {
public:
  SpillRewriter(Function &f, const std::vector<bool> &spilled, int64_t smemWords)
      : f(f), spilled(spilled), smemWords(smemWords), slot(f.regs.size(), -1),
        definition(f.regs.size(), kNone), definitions(f.regs.size(), 0), spans(f.regs.size()) {}

  void run() {
    forEachNode(f, f.body, [&](NodeId n) {
      for (const Carried &c : f.nodes[n].carried)
        definitions[c.phi] = 2;
      for (InstId i : f.nodes[n].insts)
        for (const Operand &o : f.ops(i).first(size_t(f.resultCount(i)))) {
          definition[o.regId()] = i;
          ++definitions[o.regId()];
        }
      findSpans(n);
    });
    if (interleavesLaneMoves())
      smemWords = INT64_MAX;
    f.body = list(f.body);
    LLVM_DEBUG(if (f.spillRows + f.spillWords > 0) llvm::dbgs()
               << "@" << f.name << ": " << f.spillRows << " rows of VMEM, of which " << cells
               << " cells of scalars, and " << f.spillWords << " words of SMEM\n");
  }

private:
  /// Whether other instructions are between a V2S push and its pop: reloads of cells inserted there
  /// would pop the wrong result.
  bool interleavesLaneMoves() const {
    bool found = false;
    forEachNode(f, f.body, [&](NodeId n) {
      bool isUnderWay = false;
      for (InstId i : f.nodes[n].insts) {
        Opcode op = f.insts[i].opcode;
        found |= isUnderWay && op != Opcode::v2s_pop;
        isUnderWay = op == Opcode::v2s;
      }
    });
    return found;
  }

  /// The block that has all accesses of a register, and the last of them there.
  struct Span {
    NodeId node = kNone;
    InstId last = kNone;
    bool isLocal = true;
  };

  void findSpans(NodeId n) {
    const Node &node = f.nodes[n];
    auto leave = [&](const Operand &o) {
      if (o.isReg())
        spans[o.regId()].isLocal = false;
    };
    leave(node.operand);
    for (RegId r : node.arguments)
      spans[r].isLocal = false;
    for (const Carried &c : node.carried) {
      leave(c.init);
      leave(c.next);
      for (RegId r : {c.phi, c.result})
        if (r != kNone)
          spans[r].isLocal = false;
    }
    for (InstId i : node.insts)
      for (const Operand &o : f.ops(i)) {
        if (!o.isReg())
          continue;
        Span &span = spans[o.regId()];
        // In a loop, what is read before it is written comes from the iteration before.
        bool isRead = span.node == kNone && definition[o.regId()] != i;
        span.isLocal &= !isRead && (span.node == kNone || span.node == n);
        span.node = n;
        span.last = i;
      }
  }

  /// Takes back the rows of registers that instruction `i`, which had `ops`, is the last to access.
  void release(InstId i, llvm::ArrayRef<Operand> ops) {
    for (const Operand &o : ops) {
      if (!o.isReg() || !isSpilled(o.regId()) || f.regs[o.regId()].cls == RegClass::S)
        continue;
      Span &span = spans[o.regId()];
      if (!span.isLocal || span.last != i || slot[o.regId()] < 0)
        continue;
      freeRows.push_back(slot[o.regId()]);
      span.isLocal = false; // an instruction may read it twice
    }
  }

  bool isSpilled(RegId r) const { return r < spilled.size() && spilled[r] && !f.regs[r].fixed; }

  /// The instruction that rematerializes the register, or kNone.
  InstId recipe(RegId r) const {
    if (definitions[r] != 1)
      return kNone;
    InstId i = definition[r];
    Opcode op = f.insts[i].opcode;
    bool constant = (op == Opcode::v_mov || op == Opcode::s_mov) && f.ops(i)[1].isImm();
    return constant || op == Opcode::v_lane || op == Opcode::v_sublane ? i : kNone;
  }

  /// A word of SMEM, the first row of a vector, or kFirstCell plus the number of a cell.
  int32_t slotOf(RegId r) {
    assert(isSpilled(r) && "only spilled registers have a slot");
    if (slot[r] < 0) {
      if (f.regs[r].cls != RegClass::S)
        slot[r] = newRows();
      else if (f.spillWords < smemWords)
        slot[r] = f.spillWords++;
      else
        slot[r] = kFirstCell + cells++;
    }
    return slot[r];
  }

  int32_t newRows() {
    if (f.spillRows >= kUnsharedRows && !freeRows.empty()) {
      int32_t longestFree = freeRows.front();
      freeRows.pop_front();
      return longestFree;
    }
    int32_t first = f.spillRows;
    f.spillRows += isa::kSublanes;
    return first;
  }

  /// The row of the vector that contains a cell.
  int32_t rowsOfCell(int32_t cell) {
    size_t number = size_t(cell / kCells);
    while (cellRows.size() <= number)
      cellRows.push_back(newRows());
    return cellRows[number];
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
  static Place place(int32_t row) {
    assert(row >= 0 && row % isa::kSublanes == 0 && "slots of vectors are whole tiles");
    int32_t offset = row % kOffsetSpan;
    return {Operand::imm(row - offset), Operand::imm(offset)};
  }

  RegId loadRows(int32_t row, std::vector<InstId> &out, uint32_t loc) {
    RegId v = temporary(RegClass::V);
    Place p = place(row);
    emit(out, Opcode::vld_b32,
         {Operand::reg(v), p.base, Operand::imm(1), Operand::reg(kAllOnes), p.offset,
          Operand::imm(kSpillRowsRegion)},
         loc);
    return v;
  }

  void storeRows(int32_t row, Operand value, RegId mask, std::vector<InstId> &out, uint32_t loc) {
    Place p = place(row);
    emit(out, Opcode::vst_b32,
         {value, p.base, Operand::imm(1), Operand::reg(mask), p.offset,
          Operand::imm(kSpillRowsRegion)},
         loc);
  }

  void loadCell(RegId t, int32_t cell, std::vector<InstId> &out, uint32_t loc) {
    assert(cell >= 0 && cell < cells && "no such cell");
    RegId v = loadRows(rowsOfCell(cell), out, loc);
    int32_t inside = cell % kCells;
    emit(out, Opcode::v2s,
         {Operand::reg(v), Operand::imm(inside / isa::kLanes), Operand::imm(inside % isa::kLanes)},
         loc);
    emit(out, Opcode::v2s_pop, {Operand::reg(t)}, loc);
  }

  /// Stores to all lanes and sublanes under a mask for a single cell.
  void storeCell(RegId value, int32_t cell, std::vector<InstId> &out, uint32_t loc) {
    RegId lane = temporary(RegClass::V), sublane = temporary(RegClass::V);
    RegId row = temporary(RegClass::V), number = temporary(RegClass::V);
    RegId here = temporary(RegClass::M), splat = temporary(RegClass::V);
    emit(out, Opcode::v_lane, {Operand::reg(lane)}, loc);
    emit(out, Opcode::v_sublane, {Operand::reg(sublane)}, loc);
    emit(out, Opcode::v_mul, {Operand::reg(row), Operand::reg(sublane), Operand::imm(isa::kLanes)},
         loc);
    emit(out, Opcode::v_add, {Operand::reg(number), Operand::reg(row), Operand::reg(lane)}, loc);
    emit(out, Opcode::v_eq, {Operand::reg(here), Operand::reg(number), Operand::imm(cell % kCells)},
         loc);
    emit(out, Opcode::v_mov, {Operand::reg(splat), Operand::reg(value)}, loc);
    storeRows(rowsOfCell(cell), Operand::reg(splat), here, out, loc);
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
      if (slotOf(r) >= kFirstCell)
        loadCell(t, slotOf(r) - kFirstCell, out, loc);
      else
        emit(out, Opcode::s_ld,
             {Operand::reg(t), Operand::imm(slotOf(r)), Operand::imm(kSpillWordsRegion)}, loc);
      return t;
    }
    RegId v = loadRows(slotOf(r), out, loc);
    if (cls == RegClass::V)
      return v;
    RegId m = temporary(RegClass::M);
    emit(out, Opcode::v_ne, {Operand::reg(m), Operand::reg(v), Operand::imm(0)}, loc);
    return m;
  }

  void store(RegId r, RegId value, std::vector<InstId> &out, uint32_t loc) {
    RegClass cls = f.regs[r].cls;
    if (cls == RegClass::S && slotOf(r) >= kFirstCell)
      return storeCell(value, slotOf(r) - kFirstCell, out, loc);
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
    storeRows(slotOf(r), Operand::reg(value), kAllOnes, out, loc);
  }

  void instruction(InstId i, std::vector<InstId> &out) {
    uint32_t loc = f.insts[i].loc;
    int results = f.resultCount(i);
    int count = int(f.ops(i).size());
    if (results && isSpilled(f.ops(i)[0].regId()) && recipe(f.ops(i)[0].regId()) == i)
      return;
    // An operand that occurs twice is loaded once.
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
        assert(loads < int(loaded.size()) && "more operands than an instruction has");
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

  /// Loads the operand of a control node in the preceding block.
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
        for (InstId i : old) {
          llvm::SmallVector<Operand, 8> ops(f.ops(i).begin(), f.ops(i).end());
          instruction(i, code);
          release(i, ops);
        }
        f.nodes[n].insts = std::move(code);
        out.push_back(n);
        continue;
      }
      uint32_t loc = f.nodes[n].loc;
      Operand operand = f.nodes[n].operand;
      control(operand, out, loc);
      f.nodes[n].operand = operand;
      for (size_t k = 0; k < f.nodes[n].carried.size(); ++k) {
        assert(!isSpilled(f.nodes[n].carried[k].phi) &&
               "loops whose carried values are in memory are not pipelined");
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
  int64_t smemWords;
  std::vector<int32_t> slot, cellRows;
  int32_t cells = 0;
  std::vector<InstId> definition;
  std::vector<uint32_t> definitions;
  std::vector<Span> spans;
  std::deque<int32_t> freeRows;
};

} // namespace

void rewriteSpills(Function &f, const std::vector<bool> &spilled, int64_t smemWords) {
  assert((spilled.size() <= kAllOnes || !spilled[kAllOnes]) && "m0 is constant");
  SpillRewriter(f, spilled, smemWords).run();
}

} // namespace systole::machine
