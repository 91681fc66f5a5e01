// Bounds of everything that a state has.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/CheckState.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/LogMessages.h"

namespace systole::emulation {
namespace {

// The last cycle of a state: later ones can be added to it without overflow.
constexpr int64_t kLastCycle = int64_t(1) << 52;
constexpr int64_t kMostWords = int64_t(1) << 48;

bool isBetween(int64_t x, int64_t low, int64_t high) { return low <= x && x <= high; }
bool isCycle(int64_t x) { return isBetween(x, 0, kLastCycle); }
bool areCycles(const auto &cycles) { return std::ranges::all_of(cycles, isCycle); }

class StateCheck {
public:
  explicit StateCheck(const Core &core)
      : core(core), state(core.state), header(core.program().header) {}

  absl::Status run() {
    checkControl();
    checkUnits();
    checkCopies();
    require(state.log.words.empty() ||
                (isBetween(state.log.message, 0, header.log_messages_size() - 1) &&
                 int64_t(state.log.words.size()) < wordsOf(header.log_messages(state.log.message))),
            "the log");
    require(isCycle(core.memory.lastVmemReady) && isCycle(core.memory.lastSmemReady) &&
                areCycles(core.memory.vmemReady) && areCycles(core.memory.smemReady),
            "a store");
    require(core.statistics.isPossible(state.clock, header), "the statistics");
    return status;
  }

private:
  void require(bool holds, std::string_view what) {
    if (!holds && status.ok())
      status = absl::InvalidArgumentError(absl::StrCat(std::string(what), " is not possible"));
  }

  bool isKernel(int32_t kernel) const {
    return isBetween(kernel, -1, int64_t(core.code().kernelFirst.size()) - 1);
  }

  void checkControl() {
    const ControlState &control = state.control;
    require(isBetween(int64_t(state.run), 0, int64_t(RunState::Halted)), "the state of the run");
    require(isCycle(state.clock) && isCycle(state.issued), "the clock");
    const bool isBlock = isBetween(control.block, 0, int64_t(core.code().blocks.size()) - 1);
    require(isBlock, "the block");
    require(isBetween(control.bundle, 0, int64_t(core.code().bundles.size()) - 2), "the bundle");
    require(isKernel(control.inherited), "the kernel");
    require(control.loops.size() <= core.timing.loopDepth &&
                std::ranges::all_of(control.loops, [](int32_t left) { return left > 0; }),
            "a loop");
    require(control.calls.size() <= core.timing.callDepth &&
                std::ranges::all_of(control.calls,
                                    [&](const Call &call) {
                                      return isBetween(call.back, 0,
                                                       int64_t(core.code().ends.size()) - 1) &&
                                             isKernel(call.kernel);
                                    }),
            "a call");
    require(control.overlays.size() == size_t(header.overlays_size()) &&
                std::ranges::all_of(control.overlays,
                                    [](int64_t overlay) {
                                      return isBetween(overlay, InstructionMemory::kResident,
                                                       kLastCycle);
                                    }),
            "an overlay");
    if (!isBlock)
      return;
    const Block &block = core.code().blocks[size_t(control.block)];
    require(control.resumeAt == -1 || (state.run == RunState::Running &&
                                       isBetween(control.resumeAt, block.begin, block.end - 1)),
            "the bundle to go on with");
    require(state.run != RunState::Waiting || block.transfer == Transfer::Wait, "the wait");
  }

  void checkUnits() {
    require(areCycles(state.ready) && areCycles(state.freeAt), "a unit's time");
    for (const Fifo &fifo : state.fifos)
      require(isBetween(fifo.count, 0, fifo.depth) && areCycles(fifo.ready), "a FIFO");
    require(isBetween(state.transposeRows, 0, int64_t(state.transposeBlock.size()) - 1),
            "a block to transpose");
    const int size = core.timing.tilesPerSide * kTileSize;
    for (const MxuState &mxu : state.mxus) {
      require(isBetween(mxu.k, 0, size) && isBetween(mxu.n, 0, size) && isCycle(mxu.latchReady),
              "an MXU");
      for (const MxuTile &tile : mxu.tiles)
        require(isBetween(tile.rowGroups, 0, kAllGroups) &&
                    isBetween(tile.columnGroups, 0, kAllGroups),
                "a latch");
    }
  }

  // Whether the words are the memory's. A copy to another core may have none.
  bool isInside(Pattern p) const {
    if (!program::Space_IsValid(int(p.space)) || p.space == program::HOST ||
        !isBetween(p.levels, 0, int64_t(p.counts.size())) || !isBetween(p.chunk, 1, kMostWords) ||
        !isBetween(p.base, 0, kMostWords))
      return false;
    for (size_t i = 0; i < size_t(p.levels); ++i)
      if (!isBetween(p.counts[i], 0, kMostWords) ||
          !isBetween(p.strides[i], -kMostWords, kMostWords))
        return false;
    if (std::find(p.counts.begin(), p.counts.begin() + p.levels, 0) != p.counts.begin() + p.levels)
      return true;
    simplify(p);
    const auto words = int64_t(core.memory.bytes(p.space) / sizeof(uint32_t));
    __int128 high = __int128(p.base) + p.chunk, chunks = 1;
    for (size_t i = 0; i < size_t(p.levels); ++i) {
      high += __int128(p.counts[i] - 1) * p.strides[i];
      chunks *= p.counts[i];
      // Each of them is visited.
      if (chunks > words)
        return false;
    }
    return p.base >= 0 && high <= words;
  }

  void checkCopies() {
    const CopyState &copies = state.copies;
    require(copies.inFlight.size() <= core.timing.copies.queueDepth, "the queue of copies");
    for (const Copy &copy : copies.inFlight)
      require(isCycle(copy.begin) && isCycle(copy.finish) && copy.begin <= copy.finish &&
                  isBetween(copy.flag, 0, isa::kSyncFlags - 1) && copy.ticket == 0 &&
                  (!copy.ownsSrc || isInside(copy.src)) && (!copy.ownsDst || isInside(copy.dst)),
              "a copy");
    require(isBetween(copies.hostMessages, 0, kMostWords) && isBetween(copies.sends, 0, kMostWords),
            "the number of messages");
    const Channels &channels = copies.channels;
    for (const int64_t cycle : {channels.hbm, channels.overlays, channels.local, channels.toHost,
                                channels.fromHost, channels.sent})
      require(isCycle(cycle), "a channel's time");
    for (const Message &message : state.inbox)
      require(isCycle(message.begin) && isCycle(message.arrival) &&
                  isBetween(message.from, 0, header.cores() - 1) &&
                  isBetween(message.flag, 0, isa::kSyncFlags - 1) &&
                  isBetween(message.occupied, 0, kMostWords) &&
                  (message.occupied == 0
                       ? message.words.empty()
                       : isInside(message.where) &&
                             message.where.words() == int64_t(message.words.size())),
              "a message");
  }

  const Core &core;
  const CoreState &state;
  const program::ProgramHeader &header;
  absl::Status status;
};

} // namespace

absl::Status checkState(const Core &core) { return StateCheck(core).run(); }

} // namespace systole::emulation
