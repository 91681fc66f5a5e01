// Timing and FIFOs: checks that hold for all data.
//
// The number of results in each FIFO is known everywhere, since blocks that may
// repeat or be skipped leave it unchanged. Times are known within straight-line
// code; at the boundaries of blocks all results are assumed to have arrived.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <deque>

#include "dialects/Machine/InstructionSet/Units.h"
#include "dialects/Machine/Program/AsmSyntax.h"
#include "dialects/Machine/Program/VerifyParts.h"

namespace systole::verify {
namespace {

using assembly::toAbsl;
using isa::Inst;
using isa::InstInfo;
using isa::Opcode;
using isa::Operand;

constexpr int kRegisters = isa::kScalarRegisters + isa::kVectorRegisters + isa::kMaskRegisters;
// Eight rows a push make a block of 128.
constexpr int kMaxTransposePushes = isa::kLanes / isa::kSublanes;
constexpr int kUnknown = -1;

using Counts = std::array<int, kFifos>;

const char *fifoName(int fifo) {
  static constexpr const char *names[] = {"XLU", "EUP", "vector-to-scalar", "MXU"};
  return names[std::min(fifo, 3)];
}

// Index of a register among all, or -1.
int registerIndex(const Operand &operand) {
  switch (operand.kind) {
  case Operand::Kind::Scalar:
    return operand.value;
  case Operand::Kind::Vector:
    return isa::kScalarRegisters + operand.value;
  case Operand::Kind::Mask:
    return isa::kScalarRegisters + isa::kVectorRegisters + operand.value;
  default:
    return -1;
  }
}

class FlowChecker {
public:
  explicit FlowChecker(const Context &context) : context(context) {}

  absl::Status block(int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end;)
      if (auto status = step(at); !status.ok())
        return status;
    return absl::OkStatus();
  }

private:
  // One bundle and the blocks that belong to it.
  absl::Status step(int64_t &at) {
    const int64_t here = at++;
    const Blocks blocks = blocksOf(context.bundles[size_t(here)]);
    if (auto status = issue(here); !status.ok())
      return status;
    switch (blocks.opcode) {
    case Opcode::loop:
    case Opcode::while_:
      return repeated(here, at, blocks);
    case Opcode::if_:
      return alternatives(here, at, blocks);
    case Opcode::call:
    case Opcode::ret:
    case Opcode::halt:
      return empty(here, blocks.opcode);
    case Opcode::exit:
      exitCounts = counts();
      forgetTimes();
      return absl::OkStatus();
    case Opcode::wait:
    case Opcode::overlay:
      // The stall may last long enough for all results to arrive.
      forgetTimes();
      return absl::OkStatus();
    default:
      return absl::OkStatus();
    }
  }

  absl::Status repeated(int64_t here, int64_t &at, const Blocks &blocks) {
    const Counts before = counts(), outerExit = exitCounts;
    const int rowsBefore = transposeRows;
    forgetTimes();
    if (rowsBefore > 0)
      transposeRows = kUnknown;
    if (auto status = block(at, at + blocks.lengths[0]); !status.ok())
      return status;
    at += blocks.lengths[0];
    if (auto status = balanced(here, before, "the body of the loop"); !status.ok())
      return status;
    // A `while` continues after its exit.
    if (blocks.opcode == Opcode::while_)
      setCounts(exitCounts);
    exitCounts = outerExit;
    if (transposeRows != 0 || rowsBefore != 0)
      transposeRows = kUnknown;
    forgetTimes();
    return absl::OkStatus();
  }

  absl::Status alternatives(int64_t here, int64_t &at, const Blocks &blocks) {
    const Counts before = counts();
    const int rowsBefore = transposeRows;
    forgetTimes();
    if (auto status = block(at, at + blocks.lengths[0]); !status.ok())
      return status;
    at += blocks.lengths[0];
    const Counts after = counts();
    const int rowsAfter = transposeRows;
    setCounts(before);
    transposeRows = rowsBefore;
    forgetTimes();
    if (auto status = block(at, at + blocks.lengths[1]); !status.ok())
      return status;
    at += blocks.lengths[1];
    if (auto status = balanced(here, after, "the other branch of the `if`"); !status.ok())
      return status;
    if (rowsAfter != transposeRows)
      transposeRows = kUnknown;
    forgetTimes();
    return absl::OkStatus();
  }

  absl::Status balanced(int64_t here, const Counts &expected, absl::string_view what) const {
    const Counts found = counts();
    for (int fifo = 0; fifo < kFifos; ++fifo)
      if (found[size_t(fifo)] != expected[size_t(fifo)])
        return context.error(here, what, " leaves ", found[size_t(fifo)], " results in the ",
                             fifoName(fifo), " FIFO instead of ", expected[size_t(fifo)]);
    return absl::OkStatus();
  }

  // Routines share the FIFOs with their callers, so FIFOs are empty at both ends of a call.
  absl::Status empty(int64_t here, Opcode opcode) {
    const absl::string_view name = toAbsl(isa::info(opcode).mnemonic);
    for (int fifo = 0; fifo < kFifos; ++fifo)
      if (!fifos[size_t(fifo)].empty())
        return context.error(here, "`", name, "` with ", fifos[size_t(fifo)].size(),
                             " results in the ", fifoName(fifo), " FIFO");
    if (transposeRows > 0)
      return context.error(here, "`", name, "` inside a block of `xlu.tr`");
    forgetTimes();
    return absl::OkStatus();
  }

  absl::Status issue(int64_t here) {
    const isa::Bundle &bundle = context.bundles[size_t(here)];
    for (const Inst &inst : bundle.insts)
      if (auto status = reads(here, inst); !status.ok())
        return status;
    for (const Inst &inst : bundle.insts)
      if (isa::info(inst.opcode).slot == isa::Slot::Pop)
        if (auto status = pop(here, inst); !status.ok())
          return status;
    for (const Inst &inst : bundle.insts) {
      if (isa::info(inst.opcode).slot == isa::Slot::Push)
        if (auto status = push(here, inst); !status.ok())
          return status;
      if (auto status = writes(here, inst); !status.ok())
        return status;
    }
    now += 1 + bundle.delay;
    return absl::OkStatus();
  }

  absl::Status reads(int64_t here, const Inst &inst) const {
    const InstInfo &info = isa::info(inst.opcode);
    for (size_t i = 0; i < info.fields.size(); ++i) {
      const int reg = info.fields[i].isResult ? -1 : registerIndex(inst.operands[i]);
      if (reg >= 0 && ready[size_t(reg)] > now)
        return context.error(here, toAbsl(info.mnemonic), ": ",
                             assembly::registerName(inst.operands[i]), " is read ",
                             ready[size_t(reg)] - now, " cycles before its result arrives");
    }
    return absl::OkStatus();
  }

  absl::Status writes(int64_t here, const Inst &inst) {
    const InstInfo &info = isa::info(inst.opcode);
    if (info.fields.empty() || !info.fields[0].isResult)
      return absl::OkStatus();
    int64_t &arrival = ready[size_t(registerIndex(inst.operands[0]))];
    const int64_t time = now + context.limits.latency(info.latency).cycles;
    if (arrival > now && arrival >= time)
      return context.error(here, toAbsl(info.mnemonic), ": ",
                           assembly::registerName(inst.operands[0]),
                           " still waits for an earlier result, which would arrive later");
    arrival = time;
    return absl::OkStatus();
  }

  absl::Status pop(int64_t here, const Inst &inst) {
    const int number = fifoOf(inst);
    auto &fifo = fifos[size_t(number)];
    const absl::string_view mnemonic = toAbsl(isa::info(inst.opcode).mnemonic);
    if (fifo.empty())
      return context.error(here, mnemonic, ": the ", fifoName(number), " FIFO is empty");
    if (fifo.front() > now)
      return context.error(here, mnemonic, ": pops ", fifo.front() - now,
                           " cycles before the result arrives");
    fifo.pop_front();
    return absl::OkStatus();
  }

  absl::Status push(int64_t here, const Inst &inst) {
    const InstInfo &info = isa::info(inst.opcode);
    const absl::string_view mnemonic = toAbsl(info.mnemonic);
    const Limits::Latency &latency = context.limits.latency(info.latency);
    int64_t &free = freeFrom[size_t(portOf(inst))];
    if (free > now)
      return context.error(here, mnemonic, ": its unit is busy for ", free - now, " more cycles");
    free = now + latency.interval;
    if (info.unit == isa::Unit::Mxu)
      if (auto status = weights(here, inst); !status.ok())
        return status;
    if (info.unit == isa::Unit::Xlu)
      if (auto status = transpose(here, inst); !status.ok())
        return status;
    const int number = fifoOf(inst);
    if (number < 0)
      return absl::OkStatus();
    auto &fifo = fifos[size_t(number)];
    for (int i = 0; i < resultsPushed(inst); ++i) {
      if (int(fifo.size()) >= fifoDepth(context.limits, number))
        return context.error(here, mnemonic, ": the ", fifoName(number), " FIFO of ", fifo.size(),
                             " results is full");
      fifo.push_back(now + latency.cycles);
    }
    return absl::OkStatus();
  }

  // A swap needs the latched rows to have arrived; later pushes need the new
  // weights, and later latches the free latch.
  absl::Status weights(int64_t here, const Inst &inst) {
    const InstInfo &info = isa::info(inst.opcode);
    const Limits::Latency &latency = context.limits.latency(info.latency);
    int64_t &arrival = latched[size_t(mxuOf(inst))];
    if (info.latency == isa::LatencyClass::mxu_latch) {
      arrival = now + latency.cycles;
    } else if (info.latency == isa::LatencyClass::mxu_swap) {
      if (arrival > now)
        return context.error(here, toAbsl(info.mnemonic), ": comes ", arrival - now,
                             " cycles before the latched rows arrive");
      const size_t pushes = size_t(kMxuPorts + kPortsPerMxu * mxuOf(inst));
      freeFrom[pushes] = std::max(freeFrom[pushes], now + latency.cycles);
      freeFrom[pushes + 1] = std::max(freeFrom[pushes + 1], now + latency.interval);
    }
    return absl::OkStatus();
  }

  // No other push enters the XLU while it collects a block.
  absl::Status transpose(int64_t here, const Inst &inst) {
    const bool part = inst.opcode == Opcode::xlu_tr, last = inst.opcode == Opcode::xlu_tr_end;
    if (part || last) {
      if (transposeRows == kMaxTransposePushes - (part ? 1 : 0))
        return context.error(here, "a block of more than ", kMaxTransposePushes,
                             " pushes to transpose");
      if (transposeRows != kUnknown)
        ++transposeRows;
      if (last)
        transposeRows = 0;
    } else if (transposeRows > 0) {
      return context.error(here, toAbsl(isa::info(inst.opcode).mnemonic),
                           ": the XLU is collecting a block to transpose");
    }
    return absl::OkStatus();
  }

  Counts counts() const {
    Counts result;
    for (size_t i = 0; i < fifos.size(); ++i)
      result[i] = int(fifos[i].size());
    return result;
  }
  void setCounts(const Counts &values) {
    for (size_t i = 0; i < fifos.size(); ++i)
      fifos[i].assign(size_t(values[i]), now);
  }
  void forgetTimes() {
    ready.fill(now);
    freeFrom.fill(now);
    latched.fill(now);
    setCounts(counts());
  }

  const Context &context;
  int64_t now = 0;
  std::array<int64_t, kRegisters> ready{};
  std::array<int64_t, kPorts> freeFrom{};
  std::array<int64_t, kMaxMxus> latched{};       // arrival of the last latched rows
  std::array<std::deque<int64_t>, kFifos> fifos; // arrival of each result
  int transposeRows = 0;                         // pushes of an open block
  Counts exitCounts{};                           // at the latest `exit`
};

} // namespace

absl::Status checkFlow(const Context &context, const program::Routine &routine) {
  return FlowChecker(context).block(routine.bundles().begin(), routine.bundles().end());
}

} // namespace systole::verify
