// Converts a routine to bundles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/CodeLayout.h"

#include "compiler/Schedule/Units.h"

#include <algorithm>
#include <cassert>

namespace systole::machine {
namespace {

using isa::Opcode;

constexpr int32_t kMaxDelay = UINT16_MAX;

class RoutineLayout {
public:
  RoutineLayout(const Function &f, const Limits &limits, const CodeLayoutOptions &options)
      : f(f), limits(limits), options(options) {}

  RoutineCode run() {
    list(f.body);
    control(options.entry ? Opcode::halt : Opcode::ret, {}, f.loc);
    return std::move(code);
  }

private:
  isa::Operand operand(const Operand &o) const {
    if (!o.isReg())
      return {isa::Operand::Kind::Immediate, o.value};
    const RegInfo &info = f.regs[o.regId()];
    assert(info.phys >= 0 && info.phys < registerCount(info.cls) && "registers are assigned");
    isa::Operand::Kind kind = info.cls == RegClass::V   ? isa::Operand::Kind::Vector
                              : info.cls == RegClass::M ? isa::Operand::Kind::Mask
                                                        : isa::Operand::Kind::Scalar;
    return {kind, info.phys};
  }

  isa::Inst instruction(InstId i) const {
    isa::Inst inst;
    inst.opcode = f.insts[i].opcode;
    auto ops = f.ops(i);
    assert(ops.size() == isa::info(inst.opcode).fields.size() && "an operand for each field");
    for (size_t k = 0; k < ops.size(); ++k)
      inst.operands[k] = operand(ops[k]);
    int region = traits(inst.opcode).regionField;
    if (region >= 0) {
      if (inst.operands[size_t(region)].value == kSpillRowsRegion)
        inst.operands[size_t(region)].value = options.spillRowsRegion;
      else if (inst.operands[size_t(region)].value == kSpillWordsRegion)
        inst.operands[size_t(region)].value = options.spillWordsRegion;
    }
    return inst;
  }

  void newBundle(uint32_t loc) {
    code.bundles.emplace_back();
    code.locs.push_back(loc);
  }

  /// Delays the next bundle by `cycles` after the last one.
  void delay(int32_t cycles) {
    assert(cycles >= 0 && !code.bundles.empty() && "empty cycles follow a bundle");
    code.bundles.back().delay = uint16_t(std::min(cycles, kMaxDelay));
    for (cycles -= kMaxDelay; cycles > 0; cycles -= kMaxDelay + 1) {
      newBundle(code.locs.back());
      code.bundles.back().delay = uint16_t(std::min(cycles - 1, kMaxDelay));
    }
  }

  void list(const std::vector<NodeId> &nodes) {
    for (NodeId n : nodes)
      node(f.nodes[n]);
  }

  void block(const Node &node) {
    if (node.insts.empty() && !node.pipelined)
      return;
    if (node.length == 0)
      return;
    assert(node.cycles.size() == node.insts.size() && "a cycle for each instruction");
    assert((node.cycles.empty() || node.cycles.back() < node.length) && "the block ends last");
    lastBlock = &node;
    int32_t now = -1; // cycle of the last bundle
    for (size_t k = 0; k < node.insts.size();) {
      int32_t cycle = node.cycles[k];
      assert(cycle > now && "instructions stand in the order of their cycles");
      if (now < 0 && cycle > 0) {
        newBundle(f.insts[node.insts[k]].loc);
        now = 0;
      }
      if (now >= 0)
        delay(cycle - now - 1);
      newBundle(f.insts[node.insts[k]].loc);
      now = cycle;
      for (; k < node.insts.size() && node.cycles[k] == cycle; ++k)
        code.bundles.back().insts.push_back(instruction(node.insts[k]));
      sortSlots(code.bundles.back());
    }
    if (now < 0) {
      newBundle(node.loc);
      now = 0;
    }
    assert(code.bundles.size() == code.locs.size() && "a location for each bundle");
    lastCycle = now;
    // The remaining cycles of the block, unless a control instruction uses them.
    pendingDelay = node.length - now - 1;
  }

  void settle() {
    if (lastBlock && pendingDelay > 0)
      delay(pendingDelay);
    lastBlock = nullptr;
    pendingDelay = 0;
  }

  static void sortSlots(isa::Bundle &bundle) {
    std::stable_sort(bundle.insts.begin(), bundle.insts.end(),
                     [](const isa::Inst &a, const isa::Inst &b) {
                       const isa::InstInfo &x = isa::info(a.opcode), &y = isa::info(b.opcode);
                       return x.slot != y.slot ? x.slot < y.slot : x.sequencer > y.sequencer;
                     });
  }

  /// Whether the last bundle of the previous block has space for a control instruction.
  bool fitsLastBundle(const std::vector<Operand> &ops) const {
    if (!lastBlock)
      return false;
    const isa::Bundle &bundle = code.bundles.back();
    int scalars = 0;
    std::vector<int32_t> immediates;
    for (const isa::Inst &inst : bundle.insts) {
      const isa::InstInfo &info = isa::info(inst.opcode);
      scalars += info.slot == isa::Slot::Scalar;
      if (info.sequencer)
        return false;
      for (size_t k = 0; k < info.fields.size(); ++k)
        if (inst.operands[k].kind == isa::Operand::Kind::Immediate &&
            takesSharedImmediate(info.fields[k].kind) &&
            std::find(immediates.begin(), immediates.end(), inst.operands[k].value) ==
                immediates.end())
          immediates.push_back(inst.operands[k].value);
    }
    // Lengths are not known yet: each may need an immediate word of its own.
    size_t needed = immediates.size();
    for (const Operand &o : ops)
      needed += !o.isReg();
    return scalars < limits.bundle.count(isa::Slot::Scalar) && needed <= limits.bundle.immediates &&
           readyCycle(ops) <= lastCycle;
  }

  /// The cycle of the previous block from which on the registers can be read.
  int32_t readyCycle(const std::vector<Operand> &ops) const {
    int32_t ready = 0;
    for (const Operand &o : ops) {
      if (!o.isReg())
        continue;
      const RegInfo &wanted = f.regs[o.regId()];
      for (size_t k = 0; k < lastBlock->insts.size(); ++k) {
        InstId i = lastBlock->insts[k];
        for (const Operand &d : f.ops(i).first(size_t(f.resultCount(i)))) {
          const RegInfo &info = f.regs[d.regId()];
          if (info.cls == wanted.cls && info.phys == wanted.phys)
            ready = std::max(ready, lastBlock->cycles[k] + latencyOf(limits, f.insts[i].opcode));
        }
      }
    }
    return ready;
  }

  /// Adds a control instruction and returns the index of its bundle.
  uint32_t control(Opcode opcode, std::vector<Operand> ops, uint32_t loc) {
    isa::Inst inst;
    inst.opcode = opcode;
    for (size_t k = 0; k < ops.size(); ++k)
      inst.operands[k] = operand(ops[k]);
    if (pendingDelay <= kMaxDelay && fitsLastBundle(ops)) {
      code.bundles.back().insts.push_back(inst);
      sortSlots(code.bundles.back());
      uint32_t last = uint32_t(code.bundles.size()) - 1;
      settle();
      return last;
    }
    int32_t rest = 0;
    if (lastBlock) {
      // In a new bundle, as early as its operands allow.
      int32_t cycle = std::max(lastCycle + 1, readyCycle(ops));
      int32_t length = lastCycle + 1 + pendingDelay;
      delay(cycle - lastCycle - 1);
      rest = std::max(0, length - cycle - 1);
      lastBlock = nullptr;
      pendingDelay = 0;
    }
    newBundle(loc);
    code.bundles.back().insts.push_back(inst);
    code.bundles.back().delay = uint16_t(std::min(rest, kMaxDelay));
    return uint32_t(code.bundles.size()) - 1;
  }

  /// Sets a length operand of the control instruction in a bundle.
  void setLength(uint32_t bundle, int operandIndex, size_t length) {
    assert(isa::info(code.bundles[bundle].insts[0].opcode).sequencer &&
           "the control instruction is the first of its bundle");
    code.bundles[bundle].insts[0].operands[size_t(operandIndex)] = {isa::Operand::Kind::Immediate,
                                                                    int32_t(length)};
  }

  size_t body(const std::vector<NodeId> &nodes) {
    size_t begin = code.bundles.size();
    list(nodes);
    settle();
    return code.bundles.size() - begin;
  }

  size_t loop(const std::vector<NodeId> &nodes) {
    size_t range = code.loops.size();
    const auto begin = uint32_t(code.calls.size());
    code.loops.push_back({begin, begin});
    size_t length = body(nodes);
    code.loops[range].end = uint32_t(code.calls.size());
    if (code.loops[range].end == begin)
      code.loops.erase(code.loops.begin() + ptrdiff_t(range), code.loops.end());
    return length;
  }

  bool isEmpty(const std::vector<NodeId> &nodes) const {
    return std::all_of(nodes.begin(), nodes.end(), [&](NodeId n) {
      const Node &x = f.nodes[n];
      switch (x.kind) {
      case Node::Kind::Block:
        return (x.insts.empty() && !x.pipelined) || x.length == 0;
      case Node::Kind::Loop:
        return isEmpty(x.body);
      case Node::Kind::If:
        return isEmpty(x.body) && isEmpty(x.orElse);
      default:
        return false;
      }
    });
  }

  void node(const Node &n) {
    const Operand length = Operand::imm(0); // set below
    switch (n.kind) {
    case Node::Kind::Block:
      settle();
      block(n);
      break;
    case Node::Kind::Loop: {
      if (isEmpty(n.body))
        break;
      uint32_t at = control(Opcode::loop, {n.operand, length}, n.loc);
      setLength(at, 1, loop(n.body));
      break;
    }
    case Node::Kind::If: {
      if (isEmpty(n.body) && isEmpty(n.orElse))
        break;
      uint32_t at = control(Opcode::if_, {n.operand, length, length}, n.loc);
      setLength(at, 1, body(n.body));
      setLength(at, 2, body(n.orElse));
      break;
    }
    case Node::Kind::While: {
      uint32_t at = control(Opcode::while_, {length}, n.loc);
      setLength(at, 0, loop(n.body));
      break;
    }
    case Node::Kind::Exit:
      control(Opcode::exit, {n.operand}, n.loc);
      break;
    case Node::Kind::Call: {
      if (options.overlays) {
        const OverlayUses &uses = *options.overlays;
        auto it = uses.overlayOf.find(n.callee);
        if (it != uses.overlayOf.end())
          control(Opcode::overlay, {Operand::imm(it->second)}, n.loc);
        if (int32_t next = uses.starts[code.calls.size()])
          control(Opcode::overlay_start, {Operand::imm(next)}, n.loc);
      }
      uint32_t at = control(Opcode::call, {Operand::imm(int32_t(n.callee))}, n.loc);
      code.calls.push_back({at, n.callee, n.kernel});
      break;
    }
    case Node::Kind::Interleave:
      assert(false && "scheduling has merged the streams");
      break;
    }
  }

  const Function &f;
  const Limits &limits;
  const CodeLayoutOptions &options;
  RoutineCode code;
  const Node *lastBlock = nullptr; // its bundles end the code and may take control
  int32_t lastCycle = 0, pendingDelay = 0;
};

} // namespace

RoutineCode layOutCode(const Function &f, const Limits &limits, const CodeLayoutOptions &options) {
  return RoutineLayout(f, limits, options).run();
}

} // namespace systole::machine
