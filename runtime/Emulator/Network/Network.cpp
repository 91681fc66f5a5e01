// The links between the chips of a slice.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Network/Network.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "runtime/Emulator/Execution/Arrivals.h"
#include "runtime/Emulator/State/Archive.h"

namespace systole::emulation {

Network::Network(const Target &target, const Topology &topology, std::vector<int> corePlaces)
    : topology(topology), places(std::move(corePlaces)), rate(target.iciBytesPerCycle()),
      linkLatency(int64_t(target.description().ici_latency_cycles().value())),
      // Between the cores of a chip a flag takes as long as a copy to start.
      chipLatency(std::max<int64_t>(1, int64_t(target.description().dma_latency_cycles().value()))),
      least(std::min(chipLatency, std::max<int64_t>(1, linkLatency))) {
  reset(false);
}

void Network::reset(bool isTraced) {
  traces = isTraced;
  state.spans.clear();
  state.freeAt.assign(size_t(topology.links()), 0);
  state.links.assign(size_t(topology.links()), {});
}

int64_t Network::schedule(Send &send) {
  const std::vector<int> route = topology.route(topology.chipOf(places[size_t(send.from)]),
                                                topology.chipOf(places[size_t(send.to)]));
  Message &message = send.message;
  if (send.ticket == 0) {
    const auto hops = int64_t(route.size());
    message.begin = message.arrival = send.issued + std::max(chipLatency, hops * linkLatency);
    return message.begin;
  }
  const auto cycles = int64_t(std::ceil(double(message.occupied) / rate));
  // Of the first word at the next link.
  int64_t head = std::max(send.begin, send.issued + least), sourceFree = send.readEnd;
  for (size_t i = 0; i < route.size(); ++i) {
    const auto link = size_t(route[i]);
    head = std::max(head, state.freeAt[link]);
    state.freeAt[link] = head + cycles;
    state.links[link].bytes += message.occupied;
    state.links[link].cycles += cycles;
    if (traces && state.spans.size() < kMostSpans)
      state.spans.push_back(
          {route[i], send.from, send.to, send.kernel, head, head + cycles, message.occupied});
    if (i == 0)
      sourceFree = std::max(sourceFree, head + cycles);
    head += linkLatency;
  }
  message.begin = head;
  message.arrival = std::max(sourceFree, route.empty() ? head : head + cycles);
  return std::max(sourceFree, send.issued + least);
}

template <typename Archive> static void describe(Archive &archive, auto &state) {
  archive.value("freeAt", state.freeAt);
  archive.list("links", state.links, [](auto &to, auto &link) {
    to.value("bytes", link.bytes);
    to.value("cycles", link.cycles);
  });
  archive.list("spans", state.spans, [](auto &to, auto &span) {
    to.value("link", span.link);
    to.value("from", span.from);
    to.value("to", span.to);
    to.value("kernel", span.kernel);
    to.value("begin", span.begin);
    to.value("end", span.end);
    to.value("bytes", span.bytes);
  });
}

std::string Network::capture() const {
  ArchiveWriter archive;
  describe(archive, state);
  return std::move(archive).take();
}

bool Network::isPossible(const NetworkState &restored) const {
  // Sums with it can be represented.
  constexpr int64_t most = int64_t(1) << 60, mostCycles = int64_t(1) << 52;
  auto isCount = [](int64_t count) { return count >= 0 && count <= most; };
  auto isCycle = [](int64_t cycle) { return cycle >= 0 && cycle <= mostCycles; };
  auto isCore = [&](int core) { return core >= 0 && size_t(core) < places.size(); };
  return restored.freeAt.size() == state.freeAt.size() &&
         restored.links.size() == state.links.size() &&
         std::ranges::all_of(restored.freeAt, isCycle) &&
         std::ranges::all_of(
             restored.links,
             [&](const LinkStats &link) { return isCount(link.bytes) && isCount(link.cycles); }) &&
         std::ranges::all_of(restored.spans, [&](const LinkSpan &span) {
           return span.link >= 0 && span.link < topology.links() && isCore(span.from) &&
                  isCore(span.to) && span.kernel >= -1 && isCycle(span.begin) &&
                  isCycle(span.end) && span.begin <= span.end && isCount(span.bytes);
         });
}

absl::Status Network::restore(std::string_view bytes) {
  NetworkState restored;
  ArchiveReader archive(bytes);
  describe(archive, restored);
  if (absl::Status status = archive.finish(); !status.ok())
    return status;
  if (!isPossible(restored))
    return absl::InvalidArgumentError("links are not possible");
  state = std::move(restored);
  return absl::OkStatus();
}

void Network::take(std::span<const std::unique_ptr<Core>> cores) {
  sends.clear();
  for (const auto &core : cores)
    for (Send &send : std::exchange(core->outgoing, {}))
      sends.push_back(std::move(send));
  // The order of a core's own is that in which it has issued them.
  std::ranges::stable_sort(sends, [](const Send &a, const Send &b) {
    return std::pair(a.issued, a.from) < std::pair(b.issued, b.from);
  });
  for (Send &send : sends) {
    const int64_t sourceFree = schedule(send);
    if (send.ticket != 0)
      finishSend(*cores[size_t(send.from)], send, sourceFree);
    receive(*cores[size_t(send.to)], std::move(send.message));
  }
}

} // namespace systole::emulation
