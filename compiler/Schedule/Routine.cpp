// Schedules routines and allocates registers. If registers run out, changes the set of spilled
// values or of pipelined loops, and tries again.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Routine.h"

#include "compiler/Diagnostics/Debug.h"
#include "compiler/Schedule/Address.h"
#include "compiler/Schedule/BlockOverlap.h"
#include "compiler/Schedule/DeadCode.h"
#include "compiler/Schedule/Interleave.h"
#include "compiler/Schedule/ListScheduler.h"
#include "compiler/Schedule/Liveness.h"
#include "compiler/Schedule/LoopFusion.h"
#include "compiler/Schedule/LoopRegisters.h"
#include "compiler/Schedule/OutOfSsa.h"
#include "compiler/Schedule/Pipeliner.h"
#include "compiler/Schedule/RegisterAllocator.h"
#include "compiler/Schedule/ScheduleVerifier.h"
#include "compiler/Schedule/ShareAddresses.h"
#include "compiler/Schedule/Spill.h"

#include "llvm/ADT/SmallSet.h"

#include <algorithm>
#include <cassert>
#include <climits>
#include <optional>
#include <set>

#define DEBUG_TYPE "systole-backend"

namespace systole::machine {
namespace {

// Attempts in each mode but the last.
constexpr int kMaxAttempts = 10;
// The number of registers by which the budget of a pipelined loop is reduced when allocation fails
// because of it, and how often that is tried before it is not pipelined.
constexpr int kRegistersPerReduction = 2;
constexpr int kMaxReductions = 3;
// For each failed allocation after this number, scheduling reserves another register in each block.
constexpr int kFewFailures = 5;

// Bundles reserved for a routine's control instructions.
constexpr int64_t kOtherBundles = 128;
// Bundles per call in the entry: a call and its overlay.
constexpr int64_t kCallBundles = 2;

class RoutineBackend {
public:
  /// `room` is the maximum number of bundles of the routine.
  RoutineBackend(const Module &module, Function &f, const Limits &limits, int64_t room,
                 const BackendOptions &options, const SharedLoops &shared, const FusedLoops &fused,
                 Statistics &statistics)
      : module(module), source(f), limits(limits), room(room), options(options), shared(shared),
        fused(fused), statistics(statistics) {}

  /// The shared and the fused loops that are not worth it, if any. Then there is no schedule.
  const llvm::SmallSet<int32_t, 4> &refusedLoops() const { return refused; }
  const std::set<NodeId> &refusedFusions() const { return unfused; }
  bool hasRefused() const { return !refused.empty() || !unfused.empty(); }

  absl::Status run() {
    shareAddresses(source);
    removeDeadCode(source);
    {
      PassTimer timer(statistics, "addresses", countInstructions(source));
      addresses.emplace(source);
      alias.emplace(module, *addresses);
      accesses = describeAccesses(source, *addresses);
      iterations.emplace(source, *addresses);
    }
    uses.assign(source.nodes.size(), {});
    hasRoom.assign(source.nodes.size(), false);
    for (ScheduleMode mode : {ScheduleMode::Reordered, ScheduleMode::Ordered}) {
      if (mode < options.firstMode)
        continue;
      spilled.assign(source.regs.size(), false);
      failures = 0;
      for (int attempt = 0; attempt < kMaxAttempts; ++attempt)
        switch (Outcome outcome = attemptWith(mode, attempt); outcome.kind) {
        case Outcome::Done:
          return outcome.status;
        case Outcome::Again:
          continue;
        case Outcome::Refused:
          return absl::OkStatus();
        case Outcome::Stuck:
          attempt = kMaxAttempts;
        }
    }
    Outcome last = attemptWith(ScheduleMode::InMemory, 0);
    if (last.kind == Outcome::Refused)
      return absl::OkStatus();
    return last.kind == Outcome::Done
               ? last.status
               : absl::InternalError("routine @" + source.name + ": out of registers");
  }

private:
  struct Outcome {
    enum Kind {
      Done,    ///< the routine is scheduled, or `status` is an error
      Again,   ///< registers ran out, and the next attempt will need fewer
      Refused, ///< fewer loops should be shared or fused
      Stuck,   ///< another attempt in the same mode would be the same
    } kind = Done;
    absl::Status status = absl::OkStatus();
  };

  Outcome attemptWith(ScheduleMode mode, int attempt) {
    ++statistics.attempts;
    if ((mode != ScheduleMode::Reordered || !pipelines) && refuseAll())
      return {Outcome::Refused};
    Function g = prepare(mode);
    auto stop = [&](BackendStep step) {
      if (options.last == step)
        source = std::move(g);
      return options.last == step;
    };
    if (stop(BackendStep::Prepare))
      return {};
    pipelined = 0;
    std::vector<MemoryAccess> all = accessesOf(g);
    DependenceContext context{module, g, limits, *alias, all};
    DependenceBuilder builder(context);
    if (pipelines && mode == ScheduleMode::Reordered && !pipeline(g, builder, all))
      return {hasRefused() ? Outcome::Refused : Outcome::Again};
    if (stop(BackendStep::Pipeline))
      return {};
    if (absl::Status s = schedule(g, builder, mode, std::max(failures - kFewFailures, 0)); !s.ok())
      return {Outcome::Done, s};
    if (stop(BackendStep::Schedule))
      return {};
    if (pipelined > 0) {
      Function merged = overlap(g, all);
      if (options.last == BackendStep::Overlap || fits(merged)) {
        countLoops(mode, attempt);
        source = std::move(merged);
        return {Outcome::Done, options.last == BackendStep::Overlap ? absl::OkStatus() : finish()};
      }
    }
    if (stop(BackendStep::Overlap))
      return {};
    Allocation allocation = allocate(g);
    if (!allocation.complete)
      return {adapt(allocation.failure) ? Outcome::Again : Outcome::Stuck};
    if (pipelines && mode == ScheduleMode::Reordered && bundlesOf(g) > room) {
      LLVM_DEBUG(llvm::dbgs() << "@" << source.name << ": " << bundlesOf(g)
                              << " bundles with pipelined loops, instruction memory has room for "
                              << room << "\n");
      // Prologues and epilogues do not fit into instruction memory.
      pipelines = false;
      return {Outcome::Again};
    }
    countLoops(mode, attempt);
    source = std::move(g);
    return {Outcome::Done, finish()};
  }

  /// Counts the loops of the attempt that succeeded.
  void countLoops(ScheduleMode mode, int attempt) {
    int64_t loops = countInnermostLoops(source);
    LLVM_DEBUG(llvm::dbgs() << "@" << source.name << ": attempt " << attempt << " of mode "
                            << int(mode) << ", " << pipelined << " of " << loops
                            << " innermost loops pipelined\n");
    assert(pipelined <= loops && "pipelined loops hold no other");
    statistics.pipelinedLoops += pipelined;
    statistics.plainLoops += loops - pipelined;
  }

  /// The function with loop-carried values lowered to copies, and spill code.
  Function prepare(ScheduleMode mode) {
    PassTimer timer(statistics, "prepare", countInstructions(source));
    Function g = source;
    lowerCarried(g, [&](NodeId n) {
      return mode == ScheduleMode::Reordered && pipelines && mayPipeline(g, n);
    });
    std::vector<bool> inMemory = spilled;
    inMemory.resize(g.regs.size(), false);
    if (mode == ScheduleMode::InMemory)
      inMemory.assign(g.regs.size(), true);
    inMemory[kAllOnes] = false;
    spillAcrossCalls(g, inMemory);
    rewriteSpills(g, inMemory, callsOthers(g) ? options.callerWords : options.leafWords);
    return g;
  }

  bool mayPipeline(const Function &g, NodeId n) const {
    // Nodes that the source does not have are blocks of copies.
    if (n >= uses.size() || uses[n].reductions > kMaxReductions || !isPipelineCandidate(g, n))
      return false;
    // A value in memory is stored and loaded in each iteration, which prevents overlap.
    auto inMemory = [&](const Operand &o) {
      return o.isReg() && o.regId() < spilled.size() && spilled[o.regId()];
    };
    for (const Carried &c : g.nodes[n].carried)
      if (inMemory(Operand::reg(c.phi)) || inMemory(c.next))
        return false;
    return true;
  }

  // Spill code is newer than the address analysis; its addresses are constants.
  std::vector<MemoryAccess> accessesOf(const Function &g) const {
    std::vector<MemoryAccess> all = accesses;
    all.resize(g.insts.size());
    for (InstId i = InstId(accesses.size()); i < g.insts.size(); ++i)
      if (traits(g.insts[i].opcode).isMemory())
        all[i] = describeAccess(g, *addresses, i);
    return all;
  }

  /// Refuses all shared and fused loops; false if there are none.
  bool refuseAll() {
    for (size_t number = 0; number < shared.pairs.size(); ++number)
      refused.insert(int32_t(number));
    for (const auto &[n, loop] : fused.loops)
      unfused.insert(n);
    return hasRefused();
  }

  /// False if other values have to be in memory first, so that a loop has registers, or if shared
  /// or fused loops are refused.
  bool pipeline(Function &g, DependenceBuilder &builder, std::vector<MemoryAccess> &all) {
    PassTimer timer(statistics, "pipeline", countInstructions(g));
    auto flow = buildFlow(g);
    Liveness live(g, flow);
    std::vector<std::pair<NodeId, ModuloSchedule>> chosen;
    bool makesRoom = false;
    for (uint32_t b = 0; b < flow.size(); ++b) {
      NodeId n = flow[b].node;
      if (!mayPipeline(g, n))
        continue;
      ModuloOptions modulo;
      if (int32_t number = g.nodes[n].shared; number >= 0) {
        modulo.limitII = shared.limits[size_t(number)];
        modulo.mayStagger = true;
      }
      if (auto loop = fused.loops.find(n); loop != fused.loops.end()) {
        modulo.limitII = loop->second.limitII;
        modulo.mostSinks = FusedLoops::kMostSinks;
      }
      // The body's block follows its loop. Loop-carried values belong to the loop.
      assert(flow[b + 1].node == g.nodes[n].body[0] && "the body follows its loop");
      modulo.budget = registerBudget(g, live, b + 1, g.nodes[n].carried,
                                     kRegistersPerReduction * uses[n].reductions);
      for (int c = 0; c < kRegClasses; ++c)
        modulo.budget[c] = std::min(modulo.budget[c], uses[n].most[c]);
      PipelineResult found = pipelineSchedule(g, n, builder, limits, modulo);
      if (!hasRoom[n]) {
        hasRoom[n] = true;
        // A budget has a few registers even if the values around the loop take all.
        std::array<int, kRegClasses> left = registersLeft(g, live, b + 1, g.nodes[n].carried);
        for (RegisterLack &lack : found.lacks)
          for (int c = 0; c < kRegClasses; ++c)
            lack.registers[c] += lack.registers[c] ? std::max(modulo.budget[c] - left[c], 0) : 0;
        makesRoom |= spill(valuesToSpill(g, flow, live, b, found, limits));
      }
      if (found.schedule &&
          fused.isSlowerThanParts(n, source.nodes[n].operand.value, *found.schedule))
        found.schedule.reset();
      if (found.schedule) {
        uses[n].registers = found.schedule->registers;
        chosen.push_back({n, *std::move(found.schedule)});
      }
    }
    if (makesRoom)
      return false;
    auto isChosen = [&](NodeId n) {
      return std::any_of(chosen.begin(), chosen.end(), [&](auto &c) { return c.first == n; });
    };
    forEachNode(g, g.body, [&](NodeId n) {
      if (g.nodes[n].kind != Node::Kind::Loop || isChosen(n))
        return;
      // Registers are short in it, or in what it leaves of a loop of products.
      for (int32_t number = 0; number < int32_t(shared.pairs.size()); ++number)
        if (g.nodes[n].shared == number || shared.pairs[size_t(number)].host == n)
          refused.insert(number);
      if (fused.loops.contains(n))
        unfused.insert(n);
    });
    if (hasRefused())
      return false;
    pipelined = chosen.size();
    lowerCarried(g, isChosen);
    std::vector<IterationCopy> copies = expandPipelines(g, limits, chosen);
    all.resize(g.insts.size());
    pipelinedInsts.clear();
    for (const IterationCopy &copy : copies) {
      pipelinedInsts.insert(copy.copy);
      if (traits(g.insts[copy.copy].opcode).isMemory())
        all[copy.copy] = iterations->at(all[copy.original], copy.loop, copy.iteration);
    }
    return true;
  }

  Function overlap(const Function &g, std::vector<MemoryAccess> all) {
    PassTimer timer(statistics, "overlap", countInstructions(g));
    Function merged = g;
    DependenceContext context{module, merged, limits, *alias, all};
    DependenceBuilder builder(context);
    overlapBlocks(merged, context, builder, *iterations, all, pipelinedInsts);
    return merged;
  }

  /// Allocates registers of a function with merged blocks; false if there are too few, or no room
  /// in instruction memory.
  bool fits(Function &merged) { return bundlesOf(merged) <= room && allocate(merged).complete; }

  // A callee may overwrite every register.
  void spillAcrossCalls(const Function &g, std::vector<bool> &inMemory) const {
    if (!callsOthers(g))
      return;
    auto flow = buildFlow(g);
    Liveness live(g, flow);
    for (uint32_t b = 0; b < flow.size(); ++b)
      if (g.nodes[flow[b].node].kind == Node::Kind::Call)
        for (int r : live.liveOutSet(b).set_bits())
          inMemory[live.globalRegs()[r]] = true;
  }

  absl::Status schedule(Function &g, DependenceBuilder &builder, ScheduleMode mode, int reduction) {
    PassTimer timer(statistics, "schedule", countInstructions(g));
    auto flow = buildFlow(g);
    Liveness live(g, flow);
    std::vector<bool> independent = independentBlocks(g);
    for (uint32_t b = 0; b < flow.size(); ++b) {
      NodeId n = flow[b].node;
      Node &node = g.nodes[n];
      if (node.kind != Node::Kind::Block || node.scheduled)
        continue;
      DependenceGraph graph = builder.block(node.insts, independent[n]);
      ListOptions list;
      list.budget = registerBudget(g, live, b, {}, reduction);
      list.global = &live.globals();
      list.inOrder = mode != ScheduleMode::Reordered;
      BlockSchedule result = listSchedule(g, node.insts, graph, limits, list);
      setSchedule(node, result);
    }
    return verifySchedule(g, limits);
  }

  static std::vector<bool> independentBlocks(const Function &g) {
    std::vector<bool> flags(g.nodes.size(), false);
    forEachNode(g, g.body, [&](NodeId n) {
      if (g.nodes[n].kind == Node::Kind::Loop && g.nodes[n].independent)
        for (NodeId child : g.nodes[n].body)
          flags[child] = true;
    });
    return flags;
  }

  static void setSchedule(Node &node, const BlockSchedule &schedule) {
    assert(schedule.cycles.size() == node.insts.size() && "a cycle for each instruction");
    std::vector<uint32_t> order(node.insts.size());
    for (uint32_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return schedule.cycles[a] < schedule.cycles[b];
    });
    std::vector<InstId> insts(order.size());
    node.cycles.resize(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      insts[i] = node.insts[order[i]];
      node.cycles[i] = schedule.cycles[order[i]];
    }
    node.insts = std::move(insts);
    node.length = schedule.length;
    node.scheduled = true;
  }

  Allocation allocate(Function &g) {
    PassTimer timer(statistics, "allocate", countInstructions(g));
    return allocateRegisters(g, limits);
  }

  /// Keeps values in memory. False if all of them already are.
  bool spill(const std::vector<RegId> &values) {
    bool changed = false;
    for (RegId r : values) {
      if (r >= spilled.size() || spilled[r])
        continue;
      spilled[r] = true;
      ++statistics.spilledRegisters;
      changed = true;
    }
    return changed;
  }

  /// Adapts to a failed allocation. False if another attempt in this mode would be the same.
  bool adapt(const AllocationFailure &failure) {
    LLVM_DEBUG(llvm::dbgs() << "@" << source.name << ": registers run out; spills "
                            << failure.spill.size() << ", takes registers from "
                            << failure.loops.size() << " pipelined loops\n");
    ++failures;
    bool changed = spill(failure.spill);
    std::optional<NodeId> last;
    for (auto [n, cls] : failure.loops) {
      if (n >= uses.size() || (n != last && uses[n].reductions > kMaxReductions))
        continue;
      LoopUse &use = uses[n];
      // A smaller budget may still be more than the loop has used.
      if (int &most = use.most[size_t(cls)]; use.reductions > 0)
        most = std::min(most, use.registers[size_t(cls)]) - kRegistersPerReduction;
      use.reductions += n != last;
      last = n;
      changed = true;
    }
    return changed;
  }

  absl::Status finish() {
    removeIdentityCopies(source);
    statistics.instructions += countInstructions(source);
    PassTimer timer(statistics, "verify", countInstructions(source));
    return verifySchedule(source, limits);
  }

  /// The registers that a pipelined loop has used, and may use after allocation has failed because
  /// of it.
  struct LoopUse {
    LoopUse() { most.fill(INT_MAX); }
    int reductions = 0;
    std::array<int, kRegClasses> registers{}, most;
  };

  const Module &module;
  Function &source;
  const Limits &limits;
  int64_t room;
  const BackendOptions &options;
  const SharedLoops &shared;
  const FusedLoops &fused;
  Statistics &statistics;
  llvm::SmallSet<int32_t, 4> refused; // by number
  std::set<NodeId> unfused;
  bool pipelines = options.pipeline;
  int64_t pipelined = 0;                 // loops of the current attempt
  llvm::DenseSet<InstId> pipelinedInsts; // their instructions
  std::optional<AddressAnalysis> addresses;
  std::optional<AliasAnalysis> alias;
  std::optional<IterationAccess> iterations;
  std::vector<MemoryAccess> accesses;
  std::vector<bool> spilled; // by RegId of the source
  int failures = 0;          // of allocation, in the present mode
  std::vector<LoopUse> uses; // by NodeId
  std::vector<bool> hasRoom; // loops for which values were spilled, if that pays; by NodeId
};

} // namespace

int64_t bundlesOf(const Function &f) {
  int64_t count = countBundles(f, f.body) + kOtherBundles;
  forEachNode(f, f.body, [&](NodeId n) {
    if (f.nodes[n].kind == Node::Kind::Call)
      count += kCallBundles;
  });
  return count;
}

int64_t countInstructions(const Function &f) {
  int64_t count = 0;
  forEachNode(f, f.body, [&](NodeId n) { count += int64_t(f.nodes[n].insts.size()); });
  return count;
}

absl::Status runRoutine(const Module &module, Function &f, const Limits &limits, int64_t room,
                        const BackendOptions &options, Statistics &statistics) {
  SharedLoops shared;
  FusedLoops fused;
  for (const Function original = f;; f = original) {
    if (options.fuseLoops)
      fuseLoops(module, f, limits, fused);
    interleaveStreams(f, limits, shared);
    RoutineBackend backend(module, f, limits, room, options, shared, fused, statistics);
    absl::Status status = backend.run();
    if (!status.ok() || !backend.hasRefused()) {
      statistics.sharedLoops += int64_t(shared.pairs.size());
      for (const auto &[n, loop] : fused.loops)
        statistics.fusedLoops += int64_t(loop.parts.size());
      return status;
    }
    std::set<SharedLoops::Pair> refused;
    for (int32_t number : backend.refusedLoops())
      refused.insert(shared.pairs[size_t(number)]);
    for (const SharedLoops::Pair &pair : refused)
      ++shared.halvings[pair];
    for (NodeId n : backend.refusedFusions())
      fused.halve(n);
  }
}

} // namespace systole::machine
