// Dependences between the instructions of a block, and across iterations of a loop's
// body.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_DEPENDENCE_H
#define SYSTOLE_COMPILER_SCHEDULE_DEPENDENCE_H

#include "compiler/Schedule/CopyRegions.h"
#include "compiler/Schedule/Units.h"

namespace systole::machine {

/// `to`, `distance` iterations later, issues at least `latency` cycles after `from`. Both are
/// indices of instructions of the block, in program order.
struct Dependence {
  uint32_t from, to;
  int32_t latency;
  int32_t distance;
};

/// A result in a FIFO.
struct FifoEntry {
  uint32_t push, pop;
  int8_t queue;
  int8_t index; // among the results of the same push
};

struct DependenceGraph {
  uint32_t count = 0;
  std::vector<Dependence> edges; // sorted by `from`
  std::vector<uint32_t> firstEdge;
  std::vector<FifoEntry> fifo;

  std::span<const Dependence> from(uint32_t i) const {
    return {edges.data() + firstEdge[i], firstEdge[i + 1] - firstEdge[i]};
  }
};

/// Properties of a routine that the builder uses, computed once.
struct DependenceContext {
  const Module &module;
  const Function &f;
  const Limits &limits;
  const AliasAnalysis &alias;
  const std::vector<MemoryAccess> &accesses; // by InstId
};

class DependenceBuilder {
public:
  explicit DependenceBuilder(const DependenceContext &context);

  /// Dependences of a block that is executed once. `independent`: it is the body of a loop whose
  /// iterations access disjoint memory (core.noalias_iterations).
  DependenceGraph block(std::span<const InstId> insts, bool independent);
  /// The same of a block that fills a pipeline: other blocks pop some of its results. Each unit's
  /// pushes and pops keep their order.
  DependenceGraph filling(std::span<const InstId> insts);
  const CopyRegions &copyRegions() const { return copies; }
  /// The same with dependences that `loop`, with body `insts` in SSA form, carries
  /// between iterations; nullopt if iterations cannot overlap (copies, waits, values that
  /// rotate). `evenLatencies`: all results of a FIFO take as long as those that take longest, so
  /// that results of several iterations do not get in each other's way.
  std::optional<DependenceGraph> loop(std::span<const InstId> insts, const Node &loop,
                                      bool evenLatencies = false);

private:
  struct Group {
    std::vector<uint32_t> loads, stores;
  };

  void edge(uint32_t from, uint32_t to, int latency, int distance = 0);
  void registers();
  void memoryAndBarriers();
  void memory(uint32_t i);
  void barrier(uint32_t i);
  void copyOrWait(uint32_t i);
  void fence(uint32_t i);
  void units(bool carried, bool isFilling = false, bool evenLatencies = false);
  void keepOrderOfResults();
  bool carriedRegisters(const Node &loop);
  void carriedMemory(const Node &loop);
  bool conflict(uint32_t a, uint32_t b) const;
  int memoryLatency(uint32_t from, uint32_t to) const;
  DependenceGraph finish();
  void start(std::span<const InstId> insts, bool isIndependent);

  const DependenceContext &c;
  std::span<const InstId> insts;
  bool independent = false;
  DependenceGraph g;
  // By register: the last definition in the block, and its uses since.
  std::vector<uint32_t> lastDef;
  std::vector<uint32_t> firstUse; // head of a linked list in useList
  struct Use {
    uint32_t inst, next;
  };
  std::vector<Use> useList;
  std::vector<RegId> touched;
  std::vector<uint32_t> memoryOps; // since the last fence
  std::vector<std::pair<int32_t, Group>> groups;
  CopyRegions copies;
  std::vector<uint32_t> copiesAndWaits; // since the last fence
  uint32_t lastFence = kNone;
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_DEPENDENCE_H
