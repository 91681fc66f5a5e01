// Lowers loop-carried values to copies.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/OutOfSsa.h"

#include "compiler/Schedule/MachineBuilder.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cassert>

namespace systole::machine {
namespace {

class CarriedLowering {
public:
  CarriedLowering(Function &f, llvm::function_ref<bool(NodeId)> keep)
      : f(f), keep(keep), facts(f.regs.size()) {}

  void run() {
    scan(f.body, kNone);
    forEachNode(f, f.body, [&](NodeId n) {
      if (f.nodes[n].kind == Node::Kind::Loop && !keep(n))
        coalesce(n);
    });
    f.body = lower(f.body);
    rename();
  }

private:
  struct Facts {
    uint32_t defs = 0, uses = 0;
    uint32_t defPlace = 0, lastUse = 0;
    uint32_t lastUseInLoop = 0; // of a loop-carried value
    NodeId owner = kNone;       // loop (or other node) whose body contains the definition
    RegId target = kNone;       // the register that replaces it
  };

  void use(const Operand &o) {
    if (!o.isReg())
      return;
    Facts &r = facts[o.regId()];
    ++r.uses;
    r.lastUse = place;
  }

  // Numbers all positions of the function in program order. `owner` identifies the list of nodes: a
  // value defined in it is available in the rest of the list.
  void scan(const std::vector<NodeId> &list, NodeId owner) {
    for (NodeId n : list) {
      const Node &node = f.nodes[n];
      ++place;
      listOf.resize(f.nodes.size(), kNone);
      listOf[n] = owner;
      use(node.operand);
      for (RegId r : node.arguments)
        use(Operand::reg(r));
      for (const Carried &c : node.carried) {
        use(c.init);
        facts[c.phi].defs += 2; // never renamed
      }
      for (InstId i : node.insts) {
        ++place;
        auto ops = f.ops(i);
        int results = f.resultCount(i);
        for (const Operand &o : ops.subspan(size_t(results)))
          use(o);
        for (const Operand &o : ops.first(size_t(results))) {
          Facts &r = facts[o.regId()];
          ++r.defs;
          r.defPlace = place;
          r.owner = owner;
        }
      }
      scan(node.body, n);
      // The two arms of a conditional are different lists; the second one gets an id that no loop
      // has.
      scan(node.orElse, kNone - 1);
      ++place;
      for (const Carried &c : node.carried)
        use(c.next);
      for (const Carried &c : node.carried)
        facts[c.phi].lastUseInLoop = facts[c.phi].lastUse;
    }
  }

  bool renamable(RegId r, RegId to) const {
    return f.regs[r].cls == f.regs[to].cls && facts[r].defs == 1 && facts[r].target == kNone &&
           !f.regs[r].fixed;
  }

  void coalesce(NodeId n) {
    for (const Carried &c : f.nodes[n].carried) {
      // The carried register is not written between the loop and its last use.
      if (c.result != kNone) {
        assert(f.regs[c.result].cls == f.regs[c.phi].cls && "a loop-carried value keeps its class");
        facts[c.result].target = c.phi;
      }
      // The next value may overwrite the current one after its last use.
      if (c.next.isReg()) {
        RegId y = c.next.regId();
        if (renamable(y, c.phi) && facts[y].owner == n &&
            facts[c.phi].lastUseInLoop <= facts[y].defPlace)
          facts[y].target = c.phi;
      }
      if (c.init.isReg()) {
        RegId v = c.init.regId();
        if (renamable(v, c.phi) && facts[v].uses == 1 && facts[v].owner == listOf[n] &&
            listOf[n] != kNone - 1)
          facts[v].target = c.phi;
      }
    }
  }

  // Takes the list by value: new nodes may move existing ones.
  std::vector<NodeId> lower(std::vector<NodeId> list) {
    std::vector<NodeId> out;
    for (NodeId n : list) {
      std::vector<Carried> carried;
      bool loop = f.nodes[n].kind == Node::Kind::Loop && !keep(n);
      if (loop)
        carried = std::move(f.nodes[n].carried);
      llvm::SmallVector<std::pair<RegId, Operand>> copies;
      for (const Carried &c : carried)
        copies.push_back({c.phi, renamed(c.init)});
      appendCopies(out, copies, f.nodes[n].loc);
      out.push_back(n);
      std::vector<NodeId> body = lower(f.nodes[n].body);
      copies.clear();
      for (const Carried &c : carried)
        copies.push_back({c.phi, renamed(c.next)});
      appendCopies(body, copies, f.nodes[n].loc);
      f.nodes[n].body = std::move(body);
      f.nodes[n].orElse = lower(f.nodes[n].orElse);
      if (loop) {
        f.nodes[n].carried.clear();
        f.nodes[n].plain = true;
      }
    }
    return out;
  }

  void appendCopies(std::vector<NodeId> &list, llvm::ArrayRef<std::pair<RegId, Operand>> copies,
                    uint32_t loc) {
    MachineBuilder b(f);
    b.loc = loc;
    auto outer = b.begin();
    b.parallelCopy(copies);
    std::vector<NodeId> made = b.end(std::move(outer));
    if (made.empty())
      return;
    assert(made.size() == 1 && "copies are one block");
    if (list.empty() || f.nodes[list.back()].kind != Node::Kind::Block) {
      list.push_back(made[0]);
      return;
    }
    auto &to = f.nodes[list.back()].insts;
    auto &from = f.nodes[made[0]].insts;
    to.insert(to.end(), from.begin(), from.end());
  }

  Operand renamed(Operand o) const {
    while (o.isReg() && o.regId() < facts.size() && facts[o.regId()].target != kNone) {
      assert(facts[o.regId()].target != o.regId() && "a register does not replace itself");
      o = Operand::reg(facts[o.regId()].target);
    }
    return o;
  }

  void rename() {
    auto apply = [&](Operand &o) { o = renamed(o); };
    forEachNode(f, f.body, [&](NodeId n) {
      Node &node = f.nodes[n];
      apply(node.operand);
      for (Carried &c : node.carried) {
        apply(c.init);
        apply(c.next);
      }
      for (InstId i : node.insts)
        for (Operand &o : f.ops(i))
          apply(o);
    });
  }

  Function &f;
  llvm::function_ref<bool(NodeId)> keep;
  std::vector<Facts> facts;
  std::vector<NodeId> listOf; // by node: the list that contains it
  uint32_t place = 0;
};

} // namespace

void lowerCarried(Function &f, llvm::function_ref<bool(NodeId)> keep) {
  CarriedLowering(f, keep).run();
}

} // namespace systole::machine
