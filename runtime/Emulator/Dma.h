// The copy engine of one core: checks, moves and times asynchronous copies.
//
// A copy issued at cycle t starts when its start-up latency has passed and the copies before it
// on its channel are done, and takes its bytes divided by the channel's rate, rounded up. The
// HBM channel carries every copy that touches HBM (one from HBM to HBM twice), the local channel
// the others. A chunk counts as at least the target's least chunk. A copy between HBM and the
// host occupies the HBM channel and one direction of the host link until the later of the two is
// done, plus the link's latency; a copy from the host begins when earlier copies to it have
// arrived. Contents move at issue: until the copy completes, any access that could observe this
// is a trap.
//
// A copy with pinned memory takes the time of one with the host. Rows of pinned memory are
// addressed and owned as those of HBM; it does not wait for messages to the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_DMA_H
#define SYSTOLE_RUNTIME_EMULATOR_DMA_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/Demand.h"
#include "runtime/Emulator/HostPort.h"
#include "runtime/Emulator/Memory.h"
#include "runtime/Emulator/Pattern.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Emulator/Trap.h"

namespace systole::emulation {

// A trap without its position.
struct Fault {
  TrapKind kind;
  std::string text;
  absl::Status cause = absl::OkStatus(); // of a failure outside of the machine
};

// A message to another core: words of a copy, or none, and a flag.
struct Message {
  int64_t arrival = 0;
  int flag = 0;
  int32_t add = 1;
  Pattern where;
  std::vector<uint32_t> words;
};

struct CopyRequest {
  const program::Descriptor *descriptor;
  int32_t dst, src, dstRegion, srcRegion, count;
  int flag;
  // Timing only: the origins of the addresses, of which unknown ones are not checked; the kernel
  // that issues the copy, and whether it is computed.
  Origin dstOrigin = kKnown, srcOrigin = kKnown;
  int kernel = -1;
  bool isComputed = false;
};

class DmaEngine {
public:
  DmaEngine(const program::ProgramHeader &header, const Target &target, int core,
            int64_t maxCycles);

  // With `demand` the run is for timing only. `port` may be null: then copies from and to the host
  // are traps, but for timing only.
  void reset(Demand *demand, HostPort *port, const std::atomic<bool> *cancel);

  // Issues a copy at cycle `now`; its cost is added to `stats`.
  std::optional<Fault> start(const CopyRequest &request, int64_t now, Memory &memory,
                             KernelStats &stats);

  // Loads `bytes` of instructions from HBM, from cycle `now` on; returns the cycle at which they
  // have arrived. The load is queued with the copies on the HBM channel.
  int64_t load(int64_t bytes, int64_t now, KernelStats &stats);

  // Completes the copies that are done at cycle `now`.
  void advance(int64_t now, Memory &memory, std::array<int32_t, isa::kSyncFlags> &flags);

  // Cycle at which the next copy completes; INT64_MAX if none is in flight.
  int64_t nextCompletion() const { return next; }
  // Cycle from which the next copy to complete moves data.
  int64_t nextBegin() const { return nextBegins; }
  int inFlight() const { return int(copies.size()); }
  // Completion of the copy that was issued last.
  int64_t lastFinish() const { return finished; }
  int64_t lastBytes() const { return moved; }

  // The message of the last copy, if it was to another core.
  std::optional<Message> takeMessage() { return std::exchange(message, std::nullopt); }

private:
  struct Copy {
    int64_t begin, finish;
    int flag; // -1: the flag is another core's
    Pattern src, dst;
    bool ownsSrc, ownsDst;
  };

  std::optional<Fault> locate(const CopyRequest &request, bool isSource, Pattern &pattern) const;
  std::optional<Fault> own(Pattern pattern, bool write, Memory &memory) const;
  void disown(Pattern pattern, bool write, Memory &memory) const;
  void move(const Pattern &src, const Pattern &dst, Memory &memory) const;
  // Timing only (DmaOrigins.cpp): moves what is known, and the origins of the rest.
  void moveKnown(const CopyRequest &request, const Pattern &src, const Pattern &dst,
                 Memory &memory);
  Origin originOfContents(const CopyRequest &request, const Pattern &src, const Pattern &dst) const;
  void moveRows(const CopyRequest &request, const Pattern &src, int64_t from, const Pattern &dst,
                int64_t to, Memory &memory);
  void moveWords(const CopyRequest &request, const Pattern &src, int64_t from, const Pattern &dst,
                 int64_t to, Memory &memory);
  void mark(const CopyRequest &request, program::Space space, int64_t unit, bool isWhole,
            Origin origin, Memory &memory) const;
  void markRegion(const CopyRequest &request, Origin origin, const Pattern &dst, Memory &memory);
  // Whether contents may be kept there; counts them if so.
  bool keep(program::Space space, int64_t word, int64_t words, Memory &memory);
  // Records a copy in flight that may be the next to complete.
  void expect(const Copy &copy);
  // Copies between HBM and the host (DmaHost.cpp).
  std::optional<Fault> locateHost(const CopyRequest &request, bool isSource, const Pattern &memory,
                                  Pattern &host) const;
  std::optional<Fault> exchange(const CopyRequest &request, const Pattern &src, const Pattern &dst,
                                Memory &memory) const;
  int64_t scheduleHost(bool isSend, bool isMessage, int64_t bytes, double occupied, int64_t begin,
                       KernelStats &stats);
  int64_t schedule(const Pattern &src, const Pattern &dst, bool remote, int64_t now,
                   KernelStats &stats);

  const program::ProgramHeader &header;
  int core;
  Demand *demand = nullptr;
  int64_t maxCycles;
  double hbmRate, localRate, iciRate, overlayRate, hostRate;
  int64_t latency, iciLatency, hostLatency, minChunkBytes;
  size_t queueDepth;

  std::vector<Copy> copies;
  int64_t next = INT64_MAX, nextBegins = 0;
  int64_t hbmFree = 0, overlayFree = 0, localFree = 0, iciFree = 0, toHostFree = 0,
          fromHostFree = 0;
  int64_t began = 0, finished = 0, moved = 0;
  int64_t sent = 0; // arrival of everything sent to the host
  HostPort *port = nullptr;
  const std::atomic<bool> *cancel = nullptr;
  std::optional<Message> message;
  // Timing only: how often known contents were written to HBM; for each region the number of
  // these writes when all of its rows were marked as unknown, or -1.
  int64_t knownWrites = 0;
  std::vector<int64_t> unknownSince;
};

// Marks the units of a pattern, also those that it covers in part.
void markUnits(const Pattern &pattern, Origin origin, Memory &memory);

// Writes a message's words to its destination.
void deliver(const Message &message, Memory &memory);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_DMA_H
