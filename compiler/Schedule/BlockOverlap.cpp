// Overlaps the end of each pipelined loop with what follows, up to the start of the next one.
//
// A loop that holds other loops is rotated: the first block of its body goes to the end, for the
// next iteration, and once before the loop; the last iteration is peeled.
//
//   loop n { A; loop m { K }; B }    becomes    A; loop n-1 { loop m { K }; B and A }; loop m { K
//   }; B
// See docs/decisions/loop-pipelines.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/BlockOverlap.h"

#include "compiler/Diagnostics/Debug.h"
#include "compiler/Schedule/BlockMerger.h"
#include "compiler/Schedule/RegisterAllocator.h"

#include <algorithm>
#include <cassert>

#define DEBUG_TYPE "systole-overlap"

namespace systole::machine {

int64_t countBundles(const Function &f, const std::vector<NodeId> &nodes) {
  int64_t count = 0;
  forEachNode(f, nodes, [&](NodeId n) {
    const std::vector<int32_t> &cycles = f.nodes[n].cycles;
    for (size_t k = 0; k < cycles.size(); ++k)
      count += k == 0 || cycles[k] != cycles[k - 1];
  });
  return count;
}

namespace {

class Overlap {
public:
  Overlap(Function &f, const DependenceContext &context, DependenceBuilder &builder,
          IterationAccess &iterations, std::vector<MemoryAccess> &accesses,
          llvm::DenseSet<InstId> pipelined)
      : f(f), c(context), builder(builder), iterations(iterations), accesses(accesses),
        pipelined(std::move(pipelined)) {}

  /// `times`: how often the list runs in a call of the routine.
  std::vector<NodeId> list(const std::vector<NodeId> &nodes, double times, bool isRepeated) {
    std::vector<NodeId> out;
    for (NodeId n : nodes) {
      double inner = times;
      if (f.nodes[n].kind == Node::Kind::Loop)
        inner *= f.nodes[n].operand.isImm() ? f.nodes[n].operand.value : kLoopWeight;
      std::vector<NodeId> body = list(f.nodes[n].body, inner, f.nodes[n].kind == Node::Kind::Loop);
      f.nodes[n].body = std::move(body);
      std::vector<NodeId> orElse = list(f.nodes[n].orElse, times, false);
      f.nodes[n].orElse = std::move(orElse);
      if (!rotate(n, times, out))
        out.push_back(n);
    }
    int32_t following = 0; // cycles of the blocks that begin the next iteration
    for (size_t k = 0; isRepeated && k < out.size() && isBlock(out[k]); ++k)
      following += f.nodes[out[k]].length;
    return merge(out, following);
  }

private:
  bool isBlock(NodeId n) const { return f.nodes[n].kind == Node::Kind::Block; }
  bool isKernel(NodeId n) const {
    const Node &node = f.nodes[n];
    return node.kind == Node::Kind::Loop && node.body.size() == 1 && isBlock(node.body[0]) &&
           f.nodes[node.body[0]].pipelined;
  }
  const Node *drainedBy(const std::vector<NodeId> &nodes, size_t block) const {
    if (block == 0 || !isKernel(nodes[block - 1]))
      return nullptr;
    return &f.nodes[f.nodes[nodes[block - 1]].body[0]];
  }

  /// Merges blocks that follow one another; `following` cycles of blocks come behind the last one.
  std::vector<NodeId> merge(const std::vector<NodeId> &nodes, int32_t following) {
    std::vector<NodeId> out;
    for (size_t k = 0; k < nodes.size(); ++k) {
      NodeId n = nodes[k];
      if (out.empty() || !isBlock(n) || !isBlock(out.back())) {
        out.push_back(n);
        continue;
      }
      int32_t lookahead = k + 1 == nodes.size()   ? following
                          : isBlock(nodes[k + 1]) ? f.nodes[nodes[k + 1]].length
                                                  : 0;
      MergeRequest request{f.nodes[out.back()],      f.nodes[n], drainedBy(out, out.size() - 1),
                           f.nodes[n].fillsPipeline, pipelined,  lookahead};
      if (auto merged = mergeBlocks(c, builder, request))
        out.back() = add(*std::move(merged));
      else
        out.push_back(n);
    }
    return out;
  }

  /// Appends what replaces loop `n`; false if it stays as it is.
  bool rotate(NodeId n, double times, std::vector<NodeId> &out) {
    if (f.nodes[n].kind != Node::Kind::Loop || !f.nodes[n].operand.isImm() ||
        f.nodes[n].operand.value < 2)
      return false;
    int32_t trips = f.nodes[n].operand.value;
    std::vector<NodeId> body = f.nodes[n].body;
    auto isOther = [&](NodeId node) { return !isBlock(node); };
    auto begin = std::find_if(body.begin(), body.end(), isOther);
    auto end = std::find_if(body.rbegin(), body.rend(), isOther).base();
    if (begin == body.begin() || begin == body.end() || end == body.end())
      return false;
    std::vector<NodeId> first(body.begin(), begin), middle(begin, end), last(end, body.end());
    std::vector<NodeId> seam = {middle.back()};
    seam.insert(seam.end(), last.begin(), last.end());
    for (NodeId block : first)
      seam.push_back(copyOf(block, [&](auto &access) {
        MemoryAccess next = iterations.next(access, n);
        // Streams are disjoint within an iteration.
        next.order = StreamOrder();
        return next;
      }));
    seam = merge(seam, 0);
    seam.erase(seam.begin());
    // The code of an iteration is there twice.
    int64_t saved = length(last) + length(first) - length(seam);
    if (times * (trips - 1) * double(saved) <= double(countBundles(f, body)))
      return false;
    LLVM_DEBUG(llvm::dbgs() << "@" << f.name << ": loop of " << trips << " iterations rotated, "
                            << saved << " cycles of each saved\n");
    for (NodeId block : first)
      out.push_back(copyOf(block, [&](auto &access) { return iterations.at(access, n, 0); }));
    std::vector<NodeId> peeled = copies(middle);
    for (NodeId block : last)
      peeled.push_back(
          copyOf(block, [&](auto &access) { return iterations.at(access, n, trips - 1); }));
    middle.insert(middle.end(), seam.begin(), seam.end());
    if (trips == 2) {
      out.insert(out.end(), middle.begin(), middle.end());
    } else {
      f.nodes[n].operand = Operand::imm(trips - 1);
      f.nodes[n].body = std::move(middle);
      out.push_back(n);
    }
    out.insert(out.end(), peeled.begin(), peeled.end());
    return true;
  }

  int64_t length(const std::vector<NodeId> &blocks) const {
    int64_t sum = 0;
    for (NodeId n : blocks)
      sum += f.nodes[n].length;
    return sum;
  }

  NodeId add(Node node) {
    NodeId n = f.newNode(Node::Kind::Block);
    f.nodes[n] = std::move(node);
    return n;
  }

  /// A copy of a block whose instructions have other accesses.
  NodeId copyOf(NodeId n, llvm::function_ref<MemoryAccess(const MemoryAccess &)> accessOf) {
    Node copy = f.nodes[n];
    for (InstId &i : copy.insts) {
      std::vector<Operand> ops(f.ops(i).begin(), f.ops(i).end());
      InstId made = f.newInst(f.insts[i].opcode, ops, f.insts[i].loc);
      accesses.resize(f.insts.size());
      if (traits(f.insts[i].opcode).isMemory())
        accesses[made] = accessOf(accesses[i]);
      if (pipelined.contains(i))
        pipelined.insert(made);
      i = made;
    }
    return add(std::move(copy));
  }

  /// Copies of nodes with the same instructions.
  std::vector<NodeId> copies(const std::vector<NodeId> &nodes) {
    std::vector<NodeId> out;
    for (NodeId n : nodes) {
      Node copy = f.nodes[n];
      copy.body = copies(copy.body);
      copy.orElse = copies(copy.orElse);
      out.push_back(add(std::move(copy)));
    }
    return out;
  }

  Function &f;
  const DependenceContext &c;
  DependenceBuilder &builder;
  IterationAccess &iterations;
  std::vector<MemoryAccess> &accesses;
  llvm::DenseSet<InstId> pipelined; // instructions of pipelined loops
};

} // namespace

void overlapBlocks(Function &f, const DependenceContext &context, DependenceBuilder &builder,
                   IterationAccess &iterations, std::vector<MemoryAccess> &accesses,
                   llvm::DenseSet<InstId> pipelined) {
  assert(&context.f == &f && &context.accesses == &accesses && "the context of this function");
  Overlap overlap(f, context, builder, iterations, accesses, std::move(pipelined));
  std::vector<NodeId> body = overlap.list(f.body, 1, false);
  f.body = std::move(body);
}

} // namespace systole::machine
