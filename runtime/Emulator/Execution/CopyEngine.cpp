// Copies between memories: extents, ownership, contents, time.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/CopyEngine.h"

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

// The words of one side of a copy, inside its region.
std::optional<Fault> CopyEngine::locate(const CopyRequest &request, bool isSource,
                                        Pattern &p) const {
  const program::Descriptor &d = *request.descriptor;
  const char *side = isSource ? "source" : "destination";
  int32_t index = isSource ? request.srcRegion : request.dstRegion;
  p.space = isSource ? d.src() : d.dst();
  if (index < 0 || index >= header->regions_size())
    return Fault{TrapKind::BadOperand, absl::StrCat("the ", side, " of the copy is region ", index,
                                                    " of ", header->regions_size())};
  const program::Region &region = header->regions(index);
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

std::optional<Fault> CopyEngine::acquire(Pattern p, bool write) {
  simplify(p);
  Owner *owners = context.memory.owners(p.space);
  int64_t conflict = -1, taken = 0; // of the units in their order
  forEachRun(p, [&](int64_t unit, int64_t count) {
    for (int64_t i = unit; i < unit + count && conflict < 0; ++i) {
      // One more reader than the counter can represent is rejected like a writer.
      if (write ? owners[i] != 0 : owners[i] >= kWritten - 1) {
        conflict = i;
        return;
      }
      owners[i] = write ? kWritten : Owner(owners[i] + 1);
      ++taken;
    }
  });
  if (conflict < 0) {
    context.memory.copiesOnVmem += p.space == program::VMEM;
    context.memory.copiesOnSmem += p.space == program::SMEM;
    return std::nullopt;
  }
  const bool isWritten = owners[conflict] & kWritten;
  forEachRun(p, [&](int64_t unit, int64_t count) {
    for (int64_t i = unit; i < unit + count && taken > 0; ++i, --taken)
      owners[i] = write ? 0 : Owner(owners[i] - 1);
  });
  return Fault{TrapKind::MemoryOwned,
               absl::StrCat("the copy ", write ? "writes " : "reads ", program::Space_Name(p.space),
                            " ", unitName(p.space), " ", conflict, ", which a copy in flight ",
                            isWritten ? "writes" : "reads")};
}

void CopyEngine::release(Pattern p, bool write) {
  simplify(p);
  Owner *owners = context.memory.owners(p.space);
  forEachRun(p, [&](int64_t unit, int64_t count) {
    for (int64_t i = unit; i < unit + count; ++i) {
      assert((write ? owners[i] == kWritten : owners[i] > 0 && owners[i] < kWritten) &&
             "a copy gives back what it owns");
      owners[i] = write ? 0 : Owner(owners[i] - 1);
    }
  });
  context.memory.copiesOnVmem -= p.space == program::VMEM;
  context.memory.copiesOnSmem -= p.space == program::SMEM;
  assert(context.memory.copiesOnVmem >= 0 && context.memory.copiesOnSmem >= 0 &&
         "each copy is counted once");
}

void CopyEngine::reset(std::vector<Message> &messages) {
  for (const Message &message : messages)
    if (message.ownsMemory())
      release(message.where, true);
  messages.clear();
  for (const Copy &copy : context.state.inFlight) {
    if (copy.ownsSrc)
      release(copy.src, false);
    if (copy.ownsDst)
      release(copy.dst, true);
  }
  context.state = {};
}

std::optional<Fault> CopyEngine::start(const CopyRequest &request, int64_t now, KernelStats &stats,
                                       IssuedCopy &issued) {
  std::vector<Copy> &inFlight = context.state.inFlight;
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
  if (isFull())
    return Fault{TrapKind::QueueFull,
                 absl::StrCat(inFlight.size(),
                              " copies to other cores are in flight; the queue holds ",
                              context.timing.queueDepth)};
  const bool remote = request.descriptor->arrival_flag() > 0;
  if (remote && (request.to < 0 || request.to >= header->cores()))
    return Fault{TrapKind::BadOperand, absl::StrCat("there is no core ", request.to)};
  const auto [begin, finish, bytes, occupied] =
      context.timing.schedule(src, dst, remote, now, context.state.channels, stats);
  issued.begin = begin;
  issued.finish = finish;
  issued.bytes = bytes;
  if (maxCycles > 0 && finish > maxCycles)
    return Fault{TrapKind::Watchdog, absl::StrCat("a copy would complete at cycle ", finish,
                                                  ", after the last allowed, ", maxCycles)};
  if (!remote && !toHost && !context.memory.isWritable(dst))
    return Fault{TrapKind::BadOperand,
                 absl::StrCat("the copy writes region `", header->regions(request.dstRegion).name(),
                              "`, an argument that the caller keeps")};
  bool ownsSrc = request.srcOrigin == kKnown && !fromHost;
  bool ownsDst = request.dstOrigin == kKnown && !remote && !toHost;
  if (ownsSrc)
    if (auto fault = acquire(src, false))
      return fault;
  if (ownsDst)
    if (auto fault = acquire(dst, true)) {
      if (ownsSrc)
        release(src, false);
      return fault;
    }
  if (toHost || fromHost) {
    if (!context.known.demand) {
      if (auto fault = exchange(request, src, dst)) {
        for (const auto &[isOwned, pattern, write] :
             {std::tuple(ownsSrc, &src, false), {ownsDst, &dst, true}})
          if (isOwned)
            release(*pattern, write);
        return fault;
      }
    } else if (fromHost) {
      moveKnown(request, src, dst);
    }
  } else if (remote) {
    issued.ticket = ++context.state.sends;
    issued.message = Message{.flag = request.descriptor->arrival_flag() - 1,
                             .occupied = occupied,
                             .owns = request.dstOrigin == kKnown,
                             .where = dst,
                             .words = {}};
    if (!context.known.demand)
      issued.message->words = gather(src);
  } else if (context.known.demand) {
    moveKnown(request, src, dst);
  } else {
    context.memory.move(src, dst);
  }
  const int32_t amount = request.descriptor->counts_words() ? int32_t(src.words()) : 1;
  inFlight.push_back({begin, remote ? INT64_MAX : finish, request.flag, amount, src, dst, ownsSrc,
                      ownsDst, issued.ticket});
  context.state.expect(inFlight.back());
  return std::nullopt;
}

std::vector<uint32_t> CopyEngine::gather(const Pattern &pattern) {
  std::vector<uint32_t> words(size_t(pattern.words()));
  uint32_t *next = words.data();
  forEachChunk(pattern, [&](int64_t at) {
    context.memory.read(pattern.space, at, pattern.chunk, next);
    next += pattern.chunk;
  });
  return words;
}

void CopyEngine::advance(int64_t now, std::array<int32_t, isa::kSyncFlags> &flags) {
  CopyState &state = context.state;
  state.nextFinish = INT64_MAX;
  size_t kept = 0;
  for (size_t i = 0; i < state.inFlight.size(); ++i) {
    Copy &copy = state.inFlight[i];
    if (copy.finish > now) {
      state.expect(copy);
      if (kept != i)
        state.inFlight[kept] = copy;
      ++kept;
      continue;
    }
    assert(copy.begin <= copy.finish && "a copy begins before it completes");
    assert(copy.flag >= 0 && copy.flag < int(flags.size()) && "no such flag");
    int32_t &flag = flags[size_t(copy.flag)];
    flag = int32_t(uint32_t(flag) + uint32_t(copy.amount));
    if (copy.ownsSrc)
      release(copy.src, false);
    if (copy.ownsDst)
      release(copy.dst, true);
  }
  state.inFlight.resize(kept);
}

} // namespace systole::emulation
