// Copies between memories: extents, ownership, contents, time.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Dma.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace systole::emulation {

constexpr int64_t kMaxCopyBytes = int64_t(1) << 50;

static const char *unitName(program::Space space) {
  return space == program::SMEM ? "word" : "row";
}

DmaEngine::DmaEngine(const program::ProgramHeader &header, const Target &target, int core,
                     int64_t maxCycles)
    : header(header), core(core), maxCycles(maxCycles) {
  const target::TargetDescription &d = target.description();
  hbmRate = target.hbmBytesPerCycle();
  localRate = d.vmem_copy_bytes_per_cycle().value();
  iciRate = target.iciBytesPerCycle();
  overlayRate = d.overlay_bytes_per_cycle().value();
  hostRate = target.hostBytesPerCycle();
  hostLatency = int64_t(d.host_latency_cycles().value());
  latency = int64_t(d.dma_latency_cycles().value());
  iciLatency = int64_t(d.ici_latency_cycles().value());
  minChunkBytes = int64_t(d.dma_min_chunk_bytes().value());
  queueDepth = size_t(d.dma_queue_depth().value());
}

void DmaEngine::reset(Demand *timing, HostPort *hostPort, const std::atomic<bool> *cancelled) {
  demand = timing;
  port = hostPort;
  cancel = cancelled;
  copies.clear();
  message.reset();
  next = INT64_MAX;
  hbmFree = overlayFree = localFree = iciFree = toHostFree = fromHostFree = 0;
  sent = 0;
  knownWrites = 0;
  unknownSince.assign(demand ? size_t(header.regions_size()) : 0, -1);
}

// The words of one side of a copy, inside its region.
std::optional<Fault> DmaEngine::locate(const CopyRequest &request, bool isSource,
                                       Pattern &p) const {
  const program::Descriptor &d = *request.descriptor;
  const char *side = isSource ? "source" : "destination";
  int32_t index = isSource ? request.srcRegion : request.dstRegion;
  p.space = isSource ? d.src() : d.dst();
  if (index < 0 || index >= header.regions_size())
    return Fault{TrapKind::BadOperand, absl::StrCat("the ", side, " of the copy is region ", index,
                                                    " of ", header.regions_size())};
  const program::Region &region = header.regions(index);
  if (region.space() != p.space)
    return Fault{TrapKind::BadOperand,
                 absl::StrCat("the ", side, " of the copy, region `", region.name(),
                              "`, is not in ", program::Space_Name(p.space))};
  p.chunk = d.chunk();
  p.levels = d.counts_size();
  if (p.levels == 0 && request.count >= 0)
    p.levels = 1;
  __int128 low = 0, high = p.chunk, total = p.chunk;
  for (int i = 0; i < p.levels; ++i) {
    bool given = i < d.counts_size();
    int64_t count = i == 0 && request.count >= 0 ? request.count : d.counts(i);
    int64_t stride = !given ? 0 : isSource ? d.src_strides(i) : d.dst_strides(i);
    p.counts[size_t(i)] = count;
    p.strides[size_t(i)] = stride;
    __int128 span = __int128(count - 1) * stride;
    (span < 0 ? low : high) += span;
    total *= count;
  }
  if (total > kMaxCopyBytes / 4)
    return Fault{TrapKind::BadOperand, "a copy of more than 2^50 bytes"};
  bool inWords = p.space == program::SMEM || (isSource && d.dst() == program::SMEM);
  int64_t unit = unitWords(p.space), address = isSource ? request.src : request.dst;
  p.base = region.base() * unit + address * (inWords ? 1 : unit);
  __int128 begin = region.base() * unit, end = (region.base() + region.size()) * unit;
  if ((isSource ? request.srcOrigin : request.dstOrigin) != kKnown)
    return std::nullopt;
  if (p.base + low < begin || p.base + high > end)
    return Fault{TrapKind::OutOfBounds,
                 absl::StrCat("the ", side, " of the copy covers words ",
                              int64_t(p.base + low - begin), " to ", int64_t(p.base + high - begin),
                              " of region `", region.name(), "`, which has ",
                              int64_t(end - begin))};
  return std::nullopt;
}

std::optional<Fault> DmaEngine::own(Pattern p, bool write, Memory &memory) const {
  simplify(p);
  Owner *owners = memory.owners(p.space);
  int64_t conflict = -1;
  forEachRun(p, [&](int64_t unit, int64_t count) {
    if (conflict >= 0)
      return;
    for (int64_t i = unit; i < unit + count; ++i) {
      // One more reader than the counter can represent is rejected like a writer.
      if (write ? owners[i] != 0 : owners[i] >= kWritten - 1) {
        conflict = i;
        return;
      }
      owners[i] = write ? kWritten : Owner(owners[i] + 1);
    }
  });
  if (conflict < 0) {
    memory.copiesOnVmem += p.space == program::VMEM;
    memory.copiesOnSmem += p.space == program::SMEM;
    return std::nullopt;
  }
  return Fault{TrapKind::MemoryOwned,
               absl::StrCat("the copy ", write ? "writes " : "reads ", program::Space_Name(p.space),
                            " ", unitName(p.space), " ", conflict, ", which a copy in flight ",
                            owners[conflict] & kWritten ? "writes" : "reads")};
}

void DmaEngine::disown(Pattern p, bool write, Memory &memory) const {
  simplify(p);
  Owner *owners = memory.owners(p.space);
  forEachRun(p, [&](int64_t unit, int64_t count) {
    for (int64_t i = unit; i < unit + count; ++i) {
      assert((write ? owners[i] == kWritten : owners[i] > 0 && owners[i] < kWritten) &&
             "a copy gives back what it owns");
      owners[i] = write ? 0 : Owner(owners[i] - 1);
    }
  });
  memory.copiesOnVmem -= p.space == program::VMEM;
  memory.copiesOnSmem -= p.space == program::SMEM;
  assert(memory.copiesOnVmem >= 0 && memory.copiesOnSmem >= 0 && "each copy is counted once");
}

void DmaEngine::move(const Pattern &src, const Pattern &dst, Memory &memory) const {
  Pattern from = src, to = dst;
  while (from.levels > 0 && from.strides[0] == from.chunk && to.strides[0] == to.chunk) {
    from.chunk *= from.counts[0];
    to.chunk *= to.counts[0];
    dropLevel(from, 0);
    dropLevel(to, 0);
  }
  const uint32_t *source = memory.words(from.space);
  uint32_t *target = memory.words(to.space);
  size_t bytes = size_t(from.chunk) * 4;
  int64_t offset[3];
  int64_t n[3];
  for (int i = 0; i < 3; ++i)
    n[i] = i < from.levels ? from.counts[size_t(i)] : 1;
  for (offset[2] = 0; offset[2] < n[2]; ++offset[2])
    for (offset[1] = 0; offset[1] < n[1]; ++offset[1]) {
      const uint32_t *s =
          source + from.base + offset[2] * from.strides[2] + offset[1] * from.strides[1];
      int64_t at = to.base + offset[2] * to.strides[2] + offset[1] * to.strides[1];
      for (offset[0] = 0; offset[0] < n[0]; ++offset[0]) {
        std::memcpy(target + at, s, bytes);
        if (to.space == program::HBM)
          memory.touchHbm(size_t(at) * 4, bytes);
        s += from.strides[0];
        at += to.strides[0];
      }
    }
}

// Cycle at which a copy that is issued now completes.
int64_t DmaEngine::schedule(const Pattern &src, const Pattern &dst, bool remote, int64_t now,
                            KernelStats &stats) {
  assert(src.chunk > 0 && "the header's check refuses empty chunks");
  assert(src.words() == dst.words() && "both sides have the same words");
  int64_t bytes = src.words() * 4;
  int64_t chunks = src.words() / src.chunk;
  double occupied = double(chunks) * double(std::max(src.chunk * 4, minChunkBytes));
  bool readsHbm = src.space == program::HBM, writesHbm = dst.space == program::HBM && !remote;
  stats.hbmReadBytes += readsHbm ? bytes : 0;
  stats.hbmWriteBytes += writesHbm ? bytes : 0;
  int64_t begin = now + latency;
  int64_t done;
  const bool isMessage = src.space == program::HOST || dst.space == program::HOST;
  if (isMessage || src.space == program::PINNED || dst.space == program::PINNED) {
    done = scheduleHost(readsHbm, isMessage, bytes, occupied, begin, stats);
  } else if (readsHbm || writesHbm) {
    int64_t cycles = int64_t(std::ceil(occupied * (readsHbm + writesHbm) / hbmRate));
    began = std::max(begin, hbmFree);
    done = hbmFree = began + cycles;
    stats.hbmCycles += cycles;
  } else {
    int64_t cycles = int64_t(std::ceil(occupied / localRate));
    began = std::max(begin, localFree);
    done = localFree = began + cycles;
    stats.localCycles += cycles;
  }
  if (remote) {
    int64_t cycles = int64_t(std::ceil(occupied / iciRate));
    iciFree = std::max(begin, iciFree) + cycles;
    done = std::max(done, iciFree) + iciLatency;
  }
  moved = bytes;
  return finished = done;
}

int64_t DmaEngine::load(int64_t bytes, int64_t now, KernelStats &stats) {
  auto cyclesAt = [&](double rate) { return int64_t(std::ceil(double(bytes) / rate)); };
  int64_t begin = std::max(now + latency, hbmFree), cycles = cyclesAt(hbmRate);
  hbmFree = begin + cycles;
  stats.hbmReadBytes += bytes;
  stats.hbmCycles += cycles;
  // Instruction memory is loaded at its own rate, one overlay after the other.
  overlayFree = std::max(hbmFree, std::max(begin, overlayFree) + cyclesAt(overlayRate));
  return overlayFree;
}

std::optional<Fault> DmaEngine::start(const CopyRequest &request, int64_t now, Memory &memory,
                                      KernelStats &stats) {
  Pattern src, dst;
  if (request.count < -1)
    return Fault{TrapKind::BadOperand, absl::StrCat("a copy's count is ", request.count)};
  bool toHost = request.descriptor->dst() == program::HOST;
  bool fromHost = request.descriptor->src() == program::HOST;
  if (!fromHost)
    if (auto fault = locate(request, true, src))
      return fault;
  if (!toHost)
    if (auto fault = locate(request, false, dst))
      return fault;
  if (toHost || fromHost)
    if (auto fault = locateHost(request, fromHost, fromHost ? dst : src, fromHost ? src : dst))
      return fault;
  if (request.dstOrigin != kKnown && dst.space == program::SMEM)
    return Fault{TrapKind::Unknown, "a copy's address in SMEM was not computed"};
  if (copies.size() >= queueDepth)
    return Fault{
        TrapKind::QueueFull,
        absl::StrCat(copies.size(), " copies are in flight; the queue holds ", queueDepth)};
  int to = request.descriptor->dst_core();
  bool remote = to >= 0 && to != core;
  if (remote && to >= header.cores())
    return Fault{TrapKind::BadOperand, absl::StrCat("there is no core ", to)};
  int64_t finish = schedule(src, dst, remote, now, stats);
  if (maxCycles > 0 && finish > maxCycles)
    return Fault{TrapKind::Watchdog, absl::StrCat("a copy would complete at cycle ", finish,
                                                  ", after the last allowed, ", maxCycles)};
  bool ownsSrc = request.srcOrigin == kKnown && !fromHost;
  bool ownsDst = request.dstOrigin == kKnown && !remote && !toHost;
  if (ownsSrc)
    if (auto fault = own(src, false, memory))
      return fault;
  if (ownsDst)
    if (auto fault = own(dst, true, memory))
      return fault;
  if (toHost || fromHost) {
    if (!demand) {
      if (auto fault = exchange(request, src, dst, memory))
        return fault;
    } else if (fromHost) {
      moveKnown(request, src, dst, memory);
    }
  } else if (remote) {
    message = Message{finish, request.flag, 1, dst, {}};
    if (!demand) {
      const uint32_t *words = memory.words(src.space);
      forEachChunk(src, [&](int64_t at) {
        message->words.insert(message->words.end(), words + at, words + at + src.chunk);
      });
    }
  } else if (demand) {
    moveKnown(request, src, dst, memory);
  } else {
    move(src, dst, memory);
  }
  copies.push_back({began, finish, remote ? -1 : request.flag, src, dst, ownsSrc, ownsDst});
  expect(copies.back());
  return std::nullopt;
}

void DmaEngine::expect(const Copy &copy) {
  if (copy.finish < next) {
    next = copy.finish;
    nextBegins = copy.begin;
  }
}

void DmaEngine::advance(int64_t now, Memory &memory, std::array<int32_t, isa::kSyncFlags> &flags) {
  next = INT64_MAX;
  size_t kept = 0;
  for (size_t i = 0; i < copies.size(); ++i) {
    Copy &copy = copies[i];
    if (copy.finish > now) {
      expect(copy);
      if (kept != i)
        copies[kept] = copy;
      ++kept;
      continue;
    }
    assert(copy.begin <= copy.finish && "a copy begins before it completes");
    assert(copy.flag < int(flags.size()) && "no such flag");
    if (copy.flag >= 0)
      ++flags[size_t(copy.flag)];
    if (copy.ownsSrc)
      disown(copy.src, false, memory);
    if (copy.ownsDst)
      disown(copy.dst, true, memory);
  }
  copies.resize(kept);
}

void deliver(const Message &message, Memory &memory) {
  if (message.words.empty()) {
    if (memory.hasOrigins() && message.where.chunk > 0)
      markUnits(message.where, kNever, memory);
    return;
  }
  uint32_t *target = memory.words(message.where.space);
  const uint32_t *from = message.words.data();
  forEachChunk(message.where, [&](int64_t at) {
    std::memcpy(target + at, from, size_t(message.where.chunk) * 4);
    if (message.where.space == program::HBM)
      memory.touchHbm(size_t(at) * 4, size_t(message.where.chunk) * 4);
    from += message.where.chunk;
  });
}

} // namespace systole::emulation
