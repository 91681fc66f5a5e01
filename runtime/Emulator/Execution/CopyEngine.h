// The copy engine of one core: checks, moves and times asynchronous copies.
//
// Contents move at issue: until the copy completes (CopyTiming.h), any access that could observe
// this is a trap. Rows of pinned memory are addressed and owned as those of HBM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_COPYENGINE_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_COPYENGINE_H

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "dialects/Machine/Program/Program.h"
#include "runtime/Emulator/Execution/Fault.h"
#include "runtime/Emulator/Execution/KnownValues.h"
#include "runtime/Emulator/HostPort.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Emulator/State/CopyState.h"
#include "runtime/Emulator/State/Memory.h"
#include "runtime/Emulator/Timing/CopyTiming.h"

namespace systole::emulation {

struct CopyRequest {
  const program::Descriptor *descriptor;
  int32_t dst, src, dstRegion, srcRegion, count;
  int flag;
  int to = -1; // the core of `dma.send`
  // Timing only: the origins of the addresses, of which unknown ones are not checked; the kernel
  // that issues the copy, and whether it is computed.
  Origin dstOrigin = kKnown, srcOrigin = kKnown;
  int kernel = -1;
  bool isComputed = false;
};

// A copy that has been issued.
struct IssuedCopy {
  int64_t finish = 0, bytes = 0;
  // Of `dma.send`, as in Send (Core.h); its finish is that of reading.
  int64_t begin = 0, ticket = 0;
  std::optional<Message> message;
};

class CopyEngine {
public:
  // The core's description, state and memories.
  struct Context {
    const CopyTiming &timing;
    CopyState &state;
    Memory &memory;
    KnownValues &known;
  };
  explicit CopyEngine(const Context &context) : context(context) {}

  // For runs of a program, which has to outlive them, of at most so many cycles; 0: no limit.
  void load(const program::ProgramHeader &program, int64_t cycles) {
    header = &program;
    maxCycles = cycles;
  }
  // Forgets the copies in flight, and messages, which give back what they own.
  void reset(std::vector<Message> &messages);

  // The other side of copies from and to the host, which may be null: then they are traps, but for
  // timing only.
  void connect(HostPort *hostPort, const std::atomic<bool> *cancelled) {
    port = hostPort;
    cancel = cancelled;
  }

  // Issues a copy at cycle `now`; its cost is added to `stats`.
  std::optional<Fault> start(const CopyRequest &request, int64_t now, KernelStats &stats,
                             IssuedCopy &issued);

  // Loads `bytes` of instructions from HBM, from cycle `now` on; returns the cycle at which they
  // have arrived. The load is queued with the copies on the HBM channel.
  int64_t load(int64_t bytes, int64_t now, KernelStats &stats) {
    return context.timing.load(bytes, now, context.state.channels, stats);
  }

  // Whether the queue holds as many copies as it can.
  bool isFull() const { return context.state.inFlight.size() >= context.timing.queueDepth; }

  // Completes the copies that are done at cycle `now`.
  void advance(int64_t now, std::array<int32_t, isa::kSyncFlags> &flags);

  // Takes a memory's words for a copy in flight, which others may not write, or not even read.
  std::optional<Fault> acquire(Pattern pattern, bool write);
  void release(Pattern pattern, bool write);

private:
  std::optional<Fault> locate(const CopyRequest &request, bool isSource, Pattern &pattern) const;
  // The words of a pattern, in order.
  std::vector<uint32_t> gather(const Pattern &pattern);
  // Timing only (CopyOrigins.cpp): moves what is known, and the origins of the rest.
  void moveKnown(const CopyRequest &request, const Pattern &src, const Pattern &dst);
  Origin originOfContents(const CopyRequest &request, const Pattern &src, const Pattern &dst) const;
  void moveRows(const CopyRequest &request, const Pattern &src, int64_t from, const Pattern &dst,
                int64_t to);
  void moveWords(const CopyRequest &request, const Pattern &src, int64_t from, const Pattern &dst,
                 int64_t to);
  void mark(const CopyRequest &request, program::Space space, int64_t unit, bool isWhole,
            Origin origin);
  void markRegion(const CopyRequest &request, Origin origin, const Pattern &dst);
  // Whether contents may be kept there; counts them if so.
  bool keep(program::Space space, int64_t word, int64_t words);
  // Copies between HBM and the host (CopyHost.cpp).
  std::optional<Fault> locateHost(const CopyRequest &request, bool isSource, const Pattern &memory,
                                  Pattern &host) const;
  std::optional<Fault> exchange(const CopyRequest &request, const Pattern &src, const Pattern &dst);

  Context context;
  const program::ProgramHeader *header = nullptr;
  int64_t maxCycles = 0;
  HostPort *port = nullptr;
  const std::atomic<bool> *cancel = nullptr;
};

// Timing only: marks the units of a pattern, also those that it covers in part.
void markUnits(const Pattern &pattern, Origin origin, RowOrigins &rows);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_COPYENGINE_H
