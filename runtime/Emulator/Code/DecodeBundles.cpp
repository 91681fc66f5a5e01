// Bundles as operations, ordered such that every operand is read before it
// is overwritten.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Code/BranchCost.h"
#include "runtime/Emulator/Code/Code.h"
#include "runtime/Emulator/Code/Liveness.h"

namespace systole::emulation {

namespace {

bool reads(const Op &op, int reg) {
  return std::find(op.reads.begin(), op.reads.begin() + op.numReads, reg) !=
         op.reads.begin() + op.numReads;
}

bool pops(const Op &op) {
  return op.handler == Handler::PopVector || op.handler == Handler::PopScalar;
}
bool accessesMemory(const Op &op) {
  return op.handler == Handler::Load || op.handler == Handler::Store ||
         op.handler == Handler::SmemLoad || op.handler == Handler::SmemStore;
}

// Memory and FIFOs: readers come before writers, a copy after both.
// Dependences lead from lower to higher stages 0, 1 and 2.
int stage(const Op &op) {
  if (pops(op) || op.handler == Handler::Load || op.handler == Handler::SmemLoad ||
      op.handler == Handler::FlagRead)
    return 0;
  return op.handler == Handler::Copy ? 2 : 1;
}
bool takesBefore(const program::ProgramHeader &header, const Op &first, const Op &second) {
  if (first.handler == Handler::Load && second.handler == Handler::Store) {
    const program::Region &a = header.regions(first.aux), &b = header.regions(second.aux);
    return a.base() < b.base() + b.size() && b.base() < a.base() + a.size();
  }
  if (pops(first))
    return !pops(second) && second.count > 0 && second.unit == first.unit && stage(second) == 1;
  return (first.handler == Handler::SmemLoad && second.handler == Handler::SmemStore) ||
         (first.handler == Handler::FlagRead && second.handler == Handler::FlagAdd) ||
         (accessesMemory(first) && second.handler == Handler::Copy);
}

bool mustPrecede(const program::ProgramHeader &header, const Op &first, const Op &second) {
  return (second.dest != kNoRegister && reads(first, second.dest)) ||
         takesBefore(header, first, second);
}

// The operation that moves the result which `op` wrote to a temporary into its register.
Op commit(Op &op, int temporary[3]) {
  Op copy{};
  copy.opcode = op.opcode;
  copy.dest = op.dest;
  copy.destOffset = op.destOffset;
  copy.latency = op.latency;
  int kind = op.dest < kVectorBase ? 0 : op.dest < kMaskBase ? 1 : 2;
  copy.handler = kind == 0   ? Handler::CommitScalar
                 : kind == 1 ? Handler::CommitVector
                             : Handler::CommitMask;
  int index = temporary[kind]++;
  assert(index < (kind == 0   ? Registers::kScalars - isa::kScalarRegisters
                  : kind == 1 ? Registers::kVectors - isa::kVectorRegisters
                              : Registers::kMasks - isa::kMaskRegisters) &&
         "a bundle exchanges no more registers than there are places beside them");
  op.destOffset = offsetOfRegister(kind == 0   ? isa::kScalarRegisters + index
                                   : kind == 1 ? kVectorBase + isa::kVectorRegisters + index
                                               : kMaskBase + isa::kMaskRegisters + index);
  copy.cellTime = cellTimeOf(copy);
  copy.operandCount = 1;
  copy.operands[0] = op.destOffset;
  copy.maskResult = op.maskResult;
  op.maskResult = writesVectorOrMask(op) ? maskAtOffset(op.destOffset) : kNoRegister;
  copy.aux = op.dest < kVectorBase ? isa::kScalarRegisters + index : 0;
  op.dest = kNoRegister;
  return copy;
}

// Orders the operations of one bundle. Where instructions exchange registers,
// one of them writes to a temporary and a move follows all others.
void order(const program::ProgramHeader &header, std::vector<Op> &ops) {
  std::vector<Op> ordered, late;
  int temporary[3] = {0, 0, 0};
  while (!ops.empty()) {
    size_t pick = 0;
    for (; pick < ops.size(); ++pick) {
      bool ready = true;
      for (size_t other = 0; other < ops.size() && ready; ++other)
        ready = other == pick || !mustPrecede(header, ops[other], ops[pick]);
      if (ready)
        break;
    }
    if (pick == ops.size()) {
      // An operation of the lowest stage only waits for readers of its result:
      // it can be placed once it writes to a temporary.
      pick = size_t(std::min_element(ops.begin(), ops.end(),
                                     [](const Op &a, const Op &b) { return stage(a) < stage(b); }) -
                    ops.begin());
      late.push_back(commit(ops[pick], temporary));
    }
    ordered.push_back(ops[pick]);
    ops.erase(ops.begin() + ptrdiff_t(pick));
  }
  assert(late.size() <= ordered.size() && "one commit for an operation");
  ops = std::move(ordered);
  ops.insert(ops.end(), late.begin(), late.end());
}

absl::Status atBundle(const Program &program, size_t bundle, const absl::Status &status) {
  return absl::Status(status.code(), absl::StrCat("bundle ", bundle, " (",
                                                  describeBundle(program.header, int64_t(bundle)),
                                                  "): ", status.message()));
}

absl::Status checkPairs(const std::vector<Op> &ops) {
  for (size_t i = 0; i < ops.size(); ++i)
    for (size_t j = i + 1; j < ops.size(); ++j) {
      if (pops(ops[i]) && pops(ops[j]) && ops[i].unit == ops[j].unit)
        return absl::InvalidArgumentError("two instructions pop the same FIFO");
      if (ops[i].dest != kNoRegister && ops[i].dest == ops[j].dest)
        return absl::InvalidArgumentError(
            absl::StrCat("two instructions write ", registerName(ops[i].dest)));
    }
  return absl::OkStatus();
}

} // namespace

absl::Status decodeBundles(const Program &program, const Target &target,
                           std::vector<isa::Bundle> &bundles, Code &code) {
  bundles.reserve(program.code.size());
  code.bundles.reserve(program.code.size() + 1);
  std::vector<Op> ops;
  const isa::BundleFormat format = formatOf(program.header);
  for (size_t i = 0; i < program.code.size(); ++i) {
    absl::StatusOr<isa::Bundle> bundle = isa::decode(program.code[i], format);
    if (!bundle.ok())
      return atBundle(program, i, bundle.status());
    ops.clear();
    for (const isa::Inst &inst : bundle->insts)
      if (absl::Status status = decodeInst(program, target, inst, ops); !status.ok())
        return atBundle(program, i, status);
    if (absl::Status status = checkPairs(ops); !status.ok())
      return atBundle(program, i, status);
    order(program.header, ops);
    code.bundles.push_back({uint32_t(code.ops.size()), uint32_t(bundle->delay) + 1});
    code.ops.insert(code.ops.end(), ops.begin(), ops.end());
    bundles.push_back(*std::move(bundle));
  }
  code.bundles.push_back({uint32_t(code.ops.size()), 0});
  return absl::OkStatus();
}

static std::vector<int32_t> writtenRegisters(const std::vector<Op> &ops) {
  std::vector<int32_t> offsets;
  for (const Op &op : ops)
    if (!isScalarOffset(op.destOffset))
      offsets.push_back(op.destOffset);
  std::ranges::sort(offsets);
  const auto repeated = std::ranges::unique(offsets);
  offsets.erase(repeated.begin(), repeated.end());
  return offsets;
}

absl::StatusOr<Code> decodeProgram(const Program &program, const Target &target) {
  Code code;
  std::vector<isa::Bundle> bundles;
  if (absl::Status status = decodeBundles(program, target, bundles, code); !status.ok())
    return status;
  if (absl::Status status = buildBlocks(program, bundles, code); !status.ok())
    return status;
  const std::vector<bool> costlier = costlierThen(program, bundles, code, target);
  assert(costlier.size() == bundles.size() && "an estimate for each bundle");
  for (Block &block : code.blocks)
    block.thenIsCostlier = costlier[size_t(block.end) - 1];
  code.written = writtenRegisters(code.ops);
  code.liveOut = computeLiveOut(code);
  return code;
}

} // namespace systole::emulation
