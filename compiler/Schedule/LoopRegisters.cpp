// Registers that a pipelined loop could use, if values that only live through it were in memory.
// See docs/decisions/register-allocation-and-code-budgets.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/LoopRegisters.h"

#include "compiler/Schedule/RegisterAllocator.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace systole::machine {
namespace {

// Registers of a block that scheduling reserves for values that it does not model.
constexpr int kReserve = 2;
constexpr int kLeastBudget = 4;

struct Candidate {
  RegId reg;
  double accesses; // for each time that the loop runs
};

} // namespace

/// Cycles of an access to a value in memory, beside those of the instruction that needs it.
static double accessCycles(const Limits &limits, RegClass cls) {
  return latencyOf(limits, cls == RegClass::S ? isa::Opcode::s_ld : isa::Opcode::vld_b32);
}

/// Accesses of each register by flow blocks; infinite for those of loops that may be pipelined.
static std::vector<double> countAccesses(const Function &f, const std::vector<FlowBlock> &flow,
                                         int depth) {
  std::vector<double> accesses(f.regs.size(), 0);
  for (uint32_t b = 0; b < flow.size(); ++b) {
    bool isInnermost = b > 0 && isPipelineCandidate(f, flow[b - 1].node);
    double weight = isInnermost ? INFINITY : std::pow(kLoopWeight, flow[b].depth - depth);
    auto access = [&](RegId r) { accesses[r] += weight; };
    forEachAccess(f, f.nodes[flow[b].node], access, access);
  }
  return accesses;
}

std::array<int, kRegClasses> registersLeft(const Function &f, const Liveness &live, uint32_t b,
                                           std::span<const Carried> own) {
  std::array<int, kRegClasses> left;
  for (int c = 0; c < kRegClasses; ++c)
    left[c] = registerCount(RegClass(c)) - kReserve;
  --left[int(RegClass::M)];
  llvm::BitVector around = live.liveInSet(b);
  around |= live.liveOutSet(b);
  for (int r : around.set_bits())
    --left[int(f.regs[live.globalRegs()[r]].cls)];
  // The value after the loop is the last one in it.
  for (const Carried &c : own)
    for (RegId r : {c.phi, c.result})
      if (r != kNone && (live.liveIn(b, r) || live.liveOut(b, r)))
        ++left[int(f.regs[r].cls)];
  return left;
}

std::array<int, kRegClasses> registerBudget(const Function &f, const Liveness &live, uint32_t b,
                                            std::span<const Carried> own, int reduction) {
  std::array<int, kRegClasses> left = registersLeft(f, live, b, own);
  for (int &l : left)
    l = std::max(l - reduction, kLeastBudget);
  return left;
}

std::vector<RegId> valuesToSpill(const Function &f, const std::vector<FlowBlock> &flow,
                                 const Liveness &live, uint32_t loop, const PipelineResult &found,
                                 const Limits &limits) {
  if (found.lacks.empty())
    return {};
  const Node &node = f.nodes[flow[loop].node];
  uint32_t body = loop + 1;
  assert(flow[body].node == node.body[0] && "the body follows its loop");
  std::vector<double> accesses = countAccesses(f, flow, flow[loop].depth);
  std::array<std::vector<Candidate>, kRegClasses> candidates;
  llvm::BitVector through = live.liveInSet(body);
  through &= live.liveOutSet(body);
  for (int g : through.set_bits()) {
    RegId r = live.globalRegs()[g];
    const RegInfo &info = f.regs[r];
    bool isCarried = std::any_of(node.carried.begin(), node.carried.end(),
                                 [&](const Carried &c) { return c.phi == r || c.result == r; });
    if (!isCarried && !info.fixed && !info.temporary && std::isfinite(accesses[r]))
      candidates[size_t(info.cls)].push_back({info.origin, accesses[r]});
  }
  for (auto &list : candidates)
    std::stable_sort(list.begin(), list.end(), [](const Candidate &a, const Candidate &b) {
      return a.accesses < b.accesses;
    });

  double trips = node.operand.value, plain = trips * found.plainLength;
  double present = found.schedule ? (trips - 1) * found.schedule->ii + found.schedule->end : plain;
  std::vector<RegId> best;
  double bestCycles = present;
  for (const RegisterLack &lack : found.lacks) {
    double cycles = (trips - 1) * lack.ii + found.plainLength;
    std::vector<RegId> spilled;
    bool suffices = true;
    for (int c = 0; c < kRegClasses && suffices; ++c) {
      suffices = lack.registers[c] <= int(candidates[c].size());
      for (int k = 0; k < lack.registers[c] && suffices; ++k) {
        spilled.push_back(candidates[c][k].reg);
        cycles += candidates[c][k].accesses * accessCycles(limits, RegClass(c));
      }
    }
    if (suffices && cycles < bestCycles) {
      bestCycles = cycles;
      best = std::move(spilled);
    }
  }
  return best;
}

} // namespace systole::machine
