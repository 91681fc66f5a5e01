// Estimates the costlier branch of a conditional without executing it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Code/BranchCost.h"

#include <algorithm>
#include <map>

namespace systole::emulation {
namespace {

using isa::Opcode;

class Estimate {
public:
  Estimate(const Program &program, const std::vector<isa::Bundle> &bundles, const Code &code,
           const Target &target)
      : program(program), bundles(bundles), code(code),
        bytesPerCycle(std::max(1e-9, target.hbmBytesPerCycle())),
        routineCost(size_t(program.header.routines_size()), kUnknown), result(bundles.size()) {
    for (const program::Kernel &kernel : program.header.kernels())
      if (kernel.bundles().end() - kernel.bundles().begin() == 1)
        callBytes[kernel.bundles().begin()] = double(kernel.bytes());
  }

  std::vector<bool> run() {
    for (int i = 0; i < program.header.routines_size(); ++i)
      costOfRoutine(i, 0);
    return std::move(result);
  }

private:
  static constexpr double kUnknown = -1;

  double costOfRoutine(int32_t routine, int depth) {
    double &cost = routineCost[size_t(routine)];
    if (cost != kUnknown || depth > 64)
      return std::max(cost, 0.0);
    cost = 0; // of a routine that calls itself
    const program::Range &range = program.header.routines(routine).bundles();
    return routineCost[size_t(routine)] = costOf(range.begin(), range.end(), depth);
  }

  // Ranges nest, which `buildBlocks` has checked.
  double costOf(int64_t begin, int64_t end, int depth) {
    double cost = 0;
    for (int64_t i = begin; i < end;) {
      cost += double(code.bundles[size_t(i)].cycles);
      const isa::Inst *inst = control(bundles[size_t(i)]);
      int64_t next = i + 1;
      if (inst && inst->opcode == Opcode::loop) {
        const isa::Operand &trips = inst->operands[0];
        const int64_t length = uint32_t(inst->operands[1].value);
        const bool isKnown = trips.kind == isa::Operand::Kind::Immediate;
        cost += (isKnown ? std::max(trips.value, 0) : 1) * costOf(next, next + length, depth);
        next += length;
      } else if (inst && inst->opcode == Opcode::if_) {
        const int64_t otherwise = next + uint32_t(inst->operands[1].value);
        const int64_t after = otherwise + uint32_t(inst->operands[2].value);
        const double first = costOf(next, otherwise, depth);
        const double second = costOf(otherwise, after, depth);
        result[size_t(i)] = first >= second;
        cost += std::max(first, second);
        next = after;
      } else if (inst && inst->opcode == Opcode::call) {
        auto bytes = callBytes.find(i);
        cost += std::max(costOfRoutine(inst->operands[0].value, depth + 1),
                         bytes == callBytes.end() ? 0 : bytes->second / bytesPerCycle);
      }
      i = next;
    }
    return cost;
  }

  static const isa::Inst *control(const isa::Bundle &bundle) {
    for (const isa::Inst &inst : bundle.insts)
      if (isa::info(inst.opcode).sequencer)
        return &inst;
    return nullptr;
  }

  const Program &program;
  const std::vector<isa::Bundle> &bundles;
  const Code &code;
  double bytesPerCycle;
  std::map<int64_t, double> callBytes; // by bundle
  std::vector<double> routineCost;
  std::vector<bool> result;
};

} // namespace

std::vector<bool> costlierThen(const Program &program, const std::vector<isa::Bundle> &bundles,
                               const Code &code, const Target &target) {
  return Estimate(program, bundles, code, target).run();
}

} // namespace systole::emulation
