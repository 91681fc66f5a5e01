// Verifies machine functions before scheduling.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/ScheduleVerifier.h"

#include "compiler/Schedule/ListScheduler.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <array>

namespace systole::machine {
namespace {

class Verifier {
public:
  Verifier(const Module &module, const Function &f)
      : module(module), f(f), defined(f.regs.size(), false) {}

  absl::Status run() {
    defined[kAllOnes] = true;
    for (RegId r : f.params)
      defined[r] = true;
    list(f.body);
    if (message.empty())
      return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("routine @", f.name, ": ", message));
  }

private:
  void fail(std::string what) {
    if (message.empty())
      message = std::move(what);
  }

  void read(const Operand &o, const char *what) {
    if (o.isReg() && !defined[o.regId()])
      fail(absl::StrCat(what, " reads a register that has no value yet"));
  }

  void scalar(const Operand &o, const char *what) {
    read(o, what);
    if (o.kind == Operand::Kind::None || (o.isReg() && f.regs[o.regId()].cls != RegClass::S))
      fail(absl::StrCat(what, " needs a scalar"));
  }

  void inst(InstId i) {
    const isa::InstInfo &info = isa::info(f.insts[i].opcode);
    auto ops = f.ops(i);
    if (f.insts[i].opcode == isa::Opcode::none || ops.size() != info.fields.size())
      return fail("an instruction has the wrong number of operands");
    for (size_t k = 0; k < ops.size(); ++k) {
      const isa::FieldInfo &field = info.fields[k];
      if (!kindFits(ops[k], field))
        return fail(absl::StrCat("operand `", std::string(field.name), "` of ",
                                 std::string(info.mnemonic), " has the wrong kind"));
      if (!field.isResult)
        read(ops[k], std::string(info.mnemonic).c_str());
    }
    if (!ImmediateSet(isa::BundleFormat()).add(f, i))
      fail(absl::StrCat(std::string(info.mnemonic), " has more immediates than a bundle"));
    for (size_t k = 0; k < ops.size() && info.fields[k].isResult; ++k)
      defined[ops[k].regId()] = true;
  }

  /// Checks that a block pops its pushed results, in order.
  void queues(const Node &node) {
    std::array<int, kQueues> held{};
    bool transposing = false;
    for (InstId i : node.insts) {
      const OpTraits &t = traits(f.insts[i].opcode);
      int q = queueOf(f, i);
      if (q < 0)
        continue;
      if (q == 0 && !t.pop) {
        if (transposing && !t.transposePart)
          fail("the XLU is used inside a block to transpose");
        transposing = t.transposePart && !t.transposeEnd;
      }
      held[size_t(q)] += t.pop ? -1 : pushCount(f, i);
      if (held[size_t(q)] < 0)
        fail("a result is popped that its straight run of instructions has not pushed");
    }
    for (int h : held)
      if (h > 0)
        fail("a result is not popped in the straight run of instructions that pushes it");
    if (transposing)
      fail("a block to transpose has no end");
  }

  bool kindFits(const Operand &o, const isa::FieldInfo &field) const {
    using isa::FieldKind;
    bool inlineField = field.kind == FieldKind::U || field.kind == FieldKind::I ||
                       field.kind == FieldKind::R || field.kind == FieldKind::D;
    if (o.isImm())
      return inlineField || (!field.isResult && takesSharedImmediate(field.kind));
    if (!o.isReg() || inlineField)
      return false;
    RegClass cls = f.regs[o.regId()].cls;
    if (field.kind == FieldKind::VS)
      return cls != RegClass::M;
    return cls == fieldClass(field.kind);
  }

  // Counts exits directly in the list.
  int list(const std::vector<NodeId> &nodes) {
    int exits = 0;
    for (NodeId n : nodes) {
      const Node &node = f.nodes[n];
      switch (node.kind) {
      case Node::Kind::Block:
        for (InstId i : node.insts)
          inst(i);
        if (message.empty())
          queues(node);
        break;
      case Node::Kind::Loop:
        scalar(node.operand, "loop");
        for (const Carried &c : node.carried)
          read(c.init, "loop");
        for (const Carried &c : node.carried)
          defined[c.phi] = true;
        if (list(node.body) != 0)
          fail("an exit is outside of a while");
        for (const Carried &c : node.carried) {
          read(c.next, "loop");
          if (c.result != kNone) {
            defined[c.result] = true;
            if (f.regs[c.result].cls != f.regs[c.phi].cls)
              fail("a carried value changes its class");
          }
          for (const Operand &o : {c.init, c.next}) {
            bool fits = o.isReg() ? f.regs[o.regId()].cls == f.regs[c.phi].cls ||
                                        (f.regs[c.phi].cls == RegClass::V &&
                                         f.regs[o.regId()].cls == RegClass::S)
                                  : o.isImm() && f.regs[c.phi].cls != RegClass::M;
            if (!fits)
              fail("a carried value changes its class");
          }
        }
        break;
      case Node::Kind::If: {
        scalar(node.operand, "if");
        std::vector<bool> before = defined;
        int inner = list(node.body);
        std::vector<bool> then = defined;
        defined = before;
        inner += list(node.orElse);
        if (inner != 0)
          fail("an exit is outside of a while");
        for (size_t r = 0; r < defined.size(); ++r)
          defined[r] = defined[r] && then[r];
        break;
      }
      case Node::Kind::Interleave:
        if (list(node.body) + list(node.orElse) != 0)
          fail("an exit is outside of a while");
        break;
      case Node::Kind::While:
        if (list(node.body) != 1)
          fail("a while has exactly one exit");
        break;
      case Node::Kind::Exit:
        scalar(node.operand, "exit");
        ++exits;
        break;
      case Node::Kind::Call:
        if (node.callee >= module.functions.size()) {
          fail("a call has no callee");
          break;
        }
        if (node.arguments.size() != module.functions[node.callee].params.size())
          fail(absl::StrCat("a call of @", module.functions[node.callee].name, " passes ",
                            node.arguments.size(), " arguments"));
        for (RegId r : node.arguments)
          read(Operand::reg(r), "call");
        break;
      }
    }
    return exits;
  }

  const Module &module;
  const Function &f;
  std::vector<bool> defined;
  std::string message;
};

} // namespace

absl::Status verifyFunction(const Module &module, const Function &f) {
  return Verifier(module, f).run();
}

} // namespace systole::machine
