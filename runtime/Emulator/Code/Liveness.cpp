// Backward data flow over blocks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Code/Liveness.h"

#include <cassert>

namespace systole::emulation {

// From after an operation to before it.
static void stepBack(const Op &op, RegisterSet &live) {
  if (writesVectorOrMask(op))
    live.reset(size_t(registerAtOffset(op.destOffset)));
  for (int i = 0; i < op.operandCount; ++i)
    if (!(op.scalars >> i & 1))
      live.set(size_t(registerAtOffset(op.operands[size_t(i)])));
}

namespace {

struct Flow {
  const Code &code;
  // Of blocks, and, as one more, of the places after calls.
  std::vector<std::vector<int32_t>> successors{};

  // The blocks to which a continuation may lead.
  void addTargets(Continuation at, std::vector<int32_t> &targets) const {
    for (; at >= 0;) {
      const EndAction &end = code.ends[size_t(at)];
      switch (end.kind) {
      case EndAction::Kind::Goto:
      case EndAction::Kind::Back:
        if (end.target >= 0)
          targets.push_back(end.target);
        return;
      case EndAction::Kind::LoopEnd:
        targets.push_back(end.target);
        ++at;
        break;
      case EndAction::Kind::Jump:
        at = end.target;
        break;
      case EndAction::Kind::Fall:
        return;
      }
    }
  }

  void link() {
    const auto afterCalls = int32_t(code.blocks.size());
    successors.resize(code.blocks.size() + 1);
    for (size_t i = 0; i < code.blocks.size(); ++i) {
      const Block &b = code.blocks[i];
      std::vector<int32_t> &targets = successors[i];
      if (b.transfer == Transfer::Return)
        targets.push_back(afterCalls);
      // The continuation of a call is a successor of returns.
      if (b.transfer == Transfer::Call)
        addTargets(b.next, successors.back());
      else if (b.transfer != Transfer::Return && b.transfer != Transfer::Halt &&
               b.transfer != Transfer::If)
        addTargets(b.next, targets);
      addTargets(b.taken, targets);
      addTargets(b.other, targets);
    }
  }
};

} // namespace

std::vector<RegisterSet> computeLiveOut(const Code &code) {
  Flow flow{code};
  flow.link();
  const size_t count = flow.successors.size();
  std::vector<std::vector<int32_t>> predecessors(count);
  std::vector<RegisterSet> reads(count), keeps(count), in(count), out(count);
  for (size_t b = 0; b < count; ++b) {
    for (const int32_t next : flow.successors[b])
      predecessors[size_t(next)].push_back(int32_t(b));
    // Live-in registers are those that it reads first, and live-out ones that it does not write.
    keeps[b].set();
    if (b == code.blocks.size())
      continue;
    const auto first = code.bundles[size_t(code.blocks[b].begin)].firstOp,
               end = code.bundles[size_t(code.blocks[b].end)].firstOp;
    for (size_t i = end; i-- > first;) {
      stepBack(code.ops[i], reads[b]);
      stepBack(code.ops[i], keeps[b]);
    }
  }
  std::vector<size_t> work(count);
  for (size_t b = 0; b < count; ++b)
    work[b] = b;
  std::vector<bool> isWaiting(count, true);
  while (!work.empty()) {
    const size_t b = work.back();
    work.pop_back();
    isWaiting[b] = false;
    for (const int32_t next : flow.successors[b])
      out[b] |= in[size_t(next)];
    const RegisterSet now = reads[b] | (out[b] & keeps[b]);
    if (now == in[b])
      continue;
    in[b] = now;
    for (const int32_t previous : predecessors[b])
      if (!isWaiting[size_t(previous)]) {
        isWaiting[size_t(previous)] = true;
        work.push_back(size_t(previous));
      }
  }
  out.resize(code.blocks.size());
  return out;
}

RegisterSet liveBefore(const Code &code, size_t block, size_t op) {
  RegisterSet live = code.liveOut[block];
  const size_t end = code.bundles[size_t(code.blocks[block].end)].firstOp;
  assert(op <= end && "an operation of the block");
  for (size_t i = end; i-- > op;)
    stepBack(code.ops[i], live);
  return live;
}

} // namespace systole::emulation
