// Rates of channels, and the order of copies on them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Timing/CopyTiming.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace systole::emulation {

static int64_t cyclesOf(double bytes, double rate) { return int64_t(std::ceil(bytes / rate)); }

CopyTiming::CopyTiming(const Target &target) {
  const target::TargetDescription &d = target.description();
  hbmRate = target.hbmBytesPerCycle();
  localRate = d.vmem_copy_bytes_per_cycle().value();
  overlayRate = d.overlay_bytes_per_cycle().value();
  hostRate = target.hostBytesPerCycle();
  hostLatency = int64_t(d.host_latency_cycles().value());
  latency = int64_t(d.dma_latency_cycles().value());
  minChunkBytes = int64_t(d.dma_min_chunk_bytes().value());
  queueDepth = size_t(d.dma_queue_depth().value());
}

CopyTiming::Span CopyTiming::schedule(const Pattern &src, const Pattern &dst, bool remote,
                                      int64_t now, Channels &channels, KernelStats &stats) const {
  assert(src.chunk > 0 && "the header's check refuses empty chunks");
  assert(src.words() == dst.words() && "both sides have the same words");
  const int64_t bytes = src.words() * 4, chunks = src.words() / src.chunk;
  const double occupied = double(chunks) * double(std::max(src.chunk * 4, minChunkBytes));
  const bool readsHbm = src.space == program::HBM, writesHbm = dst.space == program::HBM && !remote;
  stats.hbmReadBytes += readsHbm ? bytes : 0;
  stats.hbmWriteBytes += writesHbm ? bytes : 0;
  const int64_t start = now + latency;
  Span span{start, start, bytes, int64_t(occupied)};
  const bool isMessage = src.space == program::HOST || dst.space == program::HOST;
  if (isMessage || src.space == program::PINNED || dst.space == program::PINNED) {
    span = scheduleHost(readsHbm, isMessage, bytes, occupied, start, channels, stats);
  } else {
    const bool isHbm = readsHbm || writesHbm;
    const int64_t cycles = isHbm ? cyclesOf(occupied * (readsHbm + writesHbm), hbmRate)
                                 : cyclesOf(occupied, localRate);
    int64_t &free = isHbm ? channels.hbm : channels.local;
    span.begin = std::max(start, free);
    span.finish = free = span.begin + cycles;
    (isHbm ? stats.hbmCycles : stats.localCycles) += cycles;
  }
  stats.sentBytes += remote ? bytes : 0;
  return span;
}

int64_t CopyTiming::arrive(const Message &message, Channels &channels, KernelStats &stats) const {
  const bool isHbm = message.where.space == program::HBM;
  const int64_t cycles = cyclesOf(double(message.occupied), isHbm ? hbmRate : localRate);
  int64_t &free = isHbm ? channels.hbm : channels.local;
  free = std::max(message.begin, free) + cycles;
  (isHbm ? stats.hbmCycles : stats.localCycles) += cycles;
  stats.hbmWriteBytes += isHbm ? message.where.words() * 4 : 0;
  return std::max(message.arrival, free);
}

CopyTiming::Span CopyTiming::scheduleHost(bool isSend, bool isMessage, int64_t bytes,
                                          double occupied, int64_t begin, Channels &channels,
                                          KernelStats &stats) const {
  const int64_t hbmCycles = cyclesOf(occupied, hbmRate);
  const int64_t linkCycles = cyclesOf(double(bytes), hostRate);
  (isSend ? stats.hostSentBytes : stats.hostReceivedBytes) += bytes;
  stats.hbmCycles += hbmCycles;
  stats.hostCycles += linkCycles;
  // The host answers messages that it has received.
  if (isMessage && !isSend)
    begin = std::max(begin, channels.sent);
  int64_t &linkFree = isSend ? channels.toHost : channels.fromHost;
  const int64_t began = std::max(begin, linkFree);
  linkFree = began + linkCycles;
  channels.hbm = std::max(begin, channels.hbm) + hbmCycles;
  const int64_t done = std::max(linkFree, channels.hbm) + hostLatency;
  if (isMessage && isSend)
    channels.sent = std::max(channels.sent, done);
  return {began, done, bytes, int64_t(occupied)};
}

int64_t CopyTiming::load(int64_t bytes, int64_t now, Channels &channels, KernelStats &stats) const {
  const int64_t begin = std::max(now + latency, channels.hbm);
  const int64_t cycles = cyclesOf(double(bytes), hbmRate);
  channels.hbm = begin + cycles;
  stats.hbmReadBytes += bytes;
  stats.hbmCycles += cycles;
  // Instruction memory is loaded at its own rate, one overlay after the other.
  channels.overlays = std::max(channels.hbm, std::max(begin, channels.overlays) +
                                                 cyclesOf(double(bytes), overlayRate));
  return channels.overlays;
}

} // namespace systole::emulation
