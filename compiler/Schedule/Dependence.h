// The order that instructions of a block, or of a loop's body across
// iterations, must keep.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_DEPENDENCE_H
#define SYSTOLE_COMPILER_SCHEDULE_DEPENDENCE_H

#include "compiler/Schedule/Address.h"
#include "compiler/Schedule/Units.h"

namespace systole::machine {

/// `to`, `distance` iterations later, issues at least `latency` cycles after `from`.
/// Both number instructions of the block in program order.
struct Dependence {
  uint32_t from, to;
  int32_t latency;
  int32_t distance;
};

/// One result on its way through a FIFO.
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

/// What the builder needs of a routine, computed once for it.
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

  /// Dependences of a block that executes once. `independent`: it is the body of
  /// a loop that promises disjoint iterations and addresses (core.noalias_iterations).
  DependenceGraph block(std::span<const InstId> insts, bool independent);
  /// The same with those carried from iteration to iteration by `loop`, whose
  /// body is `insts` with every register defined once; nullopt if the body
  /// cannot overlap with itself (copies, waits, values that rotate).
  std::optional<DependenceGraph> loop(std::span<const InstId> insts, const Node &loop);

private:
  struct Group {
    std::vector<uint32_t> loads, stores;
  };

  void edge(uint32_t from, uint32_t to, int latency, int distance = 0);
  void registers();
  void memory(uint32_t i);
  void dma(uint32_t i);
  void fence(uint32_t i);
  void orderBarrier(uint32_t i);
  void units(bool carried);
  bool carriedRegisters(const Node &loop);
  void carriedMemory(const Node &loop);
  bool conflict(uint32_t a, uint32_t b) const;
  int memoryLatency(uint32_t from, uint32_t to) const;
  DependenceGraph finish();
  void start(std::span<const InstId> insts, bool independent);

  const DependenceContext &c;
  std::span<const InstId> insts;
  bool independent = false;
  DependenceGraph g;
  // By register: the last definition in the block, and its readers since.
  std::vector<uint32_t> lastDef;
  std::vector<uint32_t> firstUse; // into useList, linked
  struct Use {
    uint32_t inst, next;
  };
  std::vector<Use> useList;
  std::vector<RegId> touched;
  std::vector<uint32_t> memoryOps; // since the last fence
  std::vector<std::pair<int32_t, Group>> groups;
  std::vector<uint32_t> dmas;
  uint32_t lastFence = kNone, lastBarrier = kNone;
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_DEPENDENCE_H
