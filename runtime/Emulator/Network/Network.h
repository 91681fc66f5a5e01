// The links between the chips of a slice: when messages between cores leave and arrive.
//
// A copy takes each link of its route (Topology::route), one after the other, for its bytes divided
// by the link's rate; a link's latency behind its first word there it goes on to the next one.
// Links carry copies one at a time, in the order in which the network takes them: by the cycle in
// which they were issued, then by core. Its memory is read at the sender before, and its source is
// free when the first link has carried its last word. Between the cores of a chip, and from a core
// to itself, there is no link. A flag takes the latency of its route's links, and no time of them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_NETWORK_NETWORK_H
#define SYSTOLE_RUNTIME_EMULATOR_NETWORK_NETWORK_H

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "dialects/Machine/Target/Topology.h"
#include "runtime/Emulator/Execution/Core.h"
#include "runtime/Emulator/RunStats.h"

namespace systole::emulation {

// The cycles from which links are free, and what they have carried.
struct NetworkState {
  std::vector<int64_t> freeAt;
  std::vector<LinkStats> links;
  std::vector<LinkSpan> spans; // of a trace
};

class Network {
public:
  // `places`: by core of the program that of the slice.
  Network(const Target &target, const Topology &topology, std::vector<int> places);

  // No message arrives, and no copy's source is free, in fewer cycles behind its issue; at least 1.
  int64_t leastLatency() const { return least; }

  // The beginning of a run, which may be traced.
  void reset(bool isTraced);
  // Takes what the cores have sent: it is delivered to its receivers, and senders learn when their
  // sources are free. Whatever is sent later has to be issued later.
  void take(std::span<const std::unique_ptr<Core>> cores);

  // The state as an archive (State/Archive.h), and from one, which is untrusted: InvalidArgument if
  // it is none that a network of so many links can have.
  std::string capture() const;
  absl::Status restore(std::string_view bytes);

  NetworkState state;

private:
  static constexpr size_t kMostSpans = 1 << 20; // that a trace keeps

  // The cycle at which the message's source is free; sets those of its arrival.
  int64_t schedule(Send &send);
  bool isPossible(const NetworkState &restored) const;

  Topology topology;
  std::vector<int> places;
  double rate; // bytes a cycle of a link
  int64_t linkLatency, chipLatency, least;
  std::vector<Send> sends; // of `take`
  bool traces = false;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_NETWORK_NETWORK_H
