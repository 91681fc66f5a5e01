// Control flow and liveness of machine functions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Liveness.h"

#include <cassert>

namespace systole::machine {
namespace {

class FlowBuilder {
public:
  explicit FlowBuilder(const Function &f) : f(f) {}

  std::vector<FlowBlock> run() {
    Ends ends;
    list(f.body, ends, 0);
    return std::move(blocks);
  }

private:
  using Ends = llvm::SmallVector<uint32_t, 4>;

  uint32_t add(NodeId n, Ends &ends, int depth) {
    uint32_t b = uint32_t(blocks.size());
    blocks.push_back({n, {}, depth});
    connect(ends, b);
    ends.assign({b});
    return b;
  }
  void connect(const Ends &from, uint32_t to) {
    assert(to < blocks.size() && "control goes on to a flow block");
    for (uint32_t e : from)
      blocks[e].successors.push_back(to);
  }

  // `ends`: the blocks whose successor is the next block.
  void list(const std::vector<NodeId> &nodes, Ends &ends, int depth) {
    for (NodeId n : nodes) {
      const Node &node = f.nodes[n];
      uint32_t b = add(n, ends, depth);
      switch (node.kind) {
      case Node::Kind::Block:
      case Node::Kind::Call:
        break;
      case Node::Kind::Exit:
        exits.push_back(b);
        break;
      case Node::Kind::Loop: {
        Ends body = {b};
        list(node.body, body, depth + 1);
        if (blocks.size() > b + 1)
          connect(body, b + 1);
        ends = body;
        if (blocks.size() > b + 1)
          ends.push_back(b);
        break;
      }
      case Node::Kind::If: {
        Ends then = {b}, orElse = {b};
        list(node.body, then, depth);
        list(node.orElse, orElse, depth);
        ends = then;
        ends.append(orElse);
        break;
      }
      case Node::Kind::While: {
        auto outer = std::move(exits);
        exits.clear();
        Ends body = {b};
        list(node.body, body, depth + 1);
        if (blocks.size() > b + 1)
          connect(body, b + 1);
        ends.assign(exits.begin(), exits.end());
        exits = std::move(outer);
        break;
      }
      case Node::Kind::Interleave: // one after the other
        ends = {b};
        list(node.body, ends, depth);
        list(node.orElse, ends, depth);
        break;
      }
    }
  }

  const Function &f;
  std::vector<FlowBlock> blocks;
  std::vector<uint32_t> exits; // of the innermost while
};

} // namespace

std::vector<FlowBlock> buildFlow(const Function &f) { return FlowBuilder(f).run(); }

Liveness::Liveness(const Function &f, const std::vector<FlowBlock> &flow)
    : isGlobal(f.regs.size(), false), index(f.regs.size(), 0), in(flow.size()), out(flow.size()) {
  // The block in which each register was first accessed, and whether the current block has written
  // it.
  std::vector<uint32_t> owner(f.regs.size(), kNone), written(f.regs.size(), kNone);
  for (uint32_t b = 0; b < flow.size(); ++b) {
    auto touch = [&](RegId r) {
      if (owner[r] == kNone)
        owner[r] = b;
      else if (owner[r] != b)
        isGlobal[r] = true;
    };
    forEachAccess(
        f, f.nodes[flow[b].node],
        [&](RegId r) {
          touch(r);
          if (written[r] != b)
            isGlobal[r] = true;
        },
        [&](RegId r) {
          touch(r);
          written[r] = b;
        });
  }
  assert((kAllOnes >= isGlobal.size() || !isGlobal[kAllOnes]) && "m0 is constant, not live");
  for (RegId r = 0; r < f.regs.size(); ++r) {
    if (!isGlobal[r])
      continue;
    index[r] = uint32_t(regs.size());
    regs.push_back(r);
  }
  std::vector<llvm::BitVector> exposed(flow.size()), killed(flow.size());
  for (uint32_t b = 0; b < flow.size(); ++b) {
    for (auto *set : {&in[b], &out[b], &exposed[b], &killed[b]})
      set->resize(unsigned(regs.size()));
    forEachAccess(
        f, f.nodes[flow[b].node],
        [&](RegId r) {
          if (isGlobal[r] && !killed[b].test(index[r]))
            exposed[b].set(index[r]);
        },
        [&](RegId r) {
          if (isGlobal[r])
            killed[b].set(index[r]);
        });
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = uint32_t(flow.size()); b-- > 0;) {
      for (uint32_t s : flow[b].successors)
        out[b] |= in[s];
      llvm::BitVector now = out[b];
      now.reset(killed[b]);
      now |= exposed[b];
      if (now != in[b]) {
        in[b] = std::move(now);
        changed = true;
      }
    }
  }
}

} // namespace systole::machine
