// Copies in flight of one core, its channels, and messages from other cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_COPYSTATE_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_COPYSTATE_H

#include <cstdint>
#include <vector>

#include "runtime/Emulator/State/Pattern.h"

namespace systole::emulation {

// A copy in flight. Its contents have moved when it was issued.
struct Copy {
  int64_t begin = 0, finish = 0; // cycles from which it moves data, and at which it completes
  int32_t flag = 0, amount = 1; // what the flag has more when it completes
  Pattern src, dst;
  bool ownsSrc = false, ownsDst = false; // whether accesses to the words are checked
  // Of a copy to a core whose finish the network has not decided yet; 0 for others.
  int64_t ticket = 0;
};

// The cycles from which channels are free.
struct Channels {
  int64_t hbm = 0, overlays = 0, local = 0, toHost = 0, fromHost = 0;
  int64_t sent = 0; // arrival of everything sent to the host
};

struct CopyState {
  std::vector<Copy> inFlight;
  Channels channels;
  int64_t hostMessages = 0; // sent to the host or received from it
  int64_t sends = 0;        // copies to cores that were issued: the last one's ticket
  // Of the next copy to complete; INT64_MAX if none is in flight.
  int64_t nextFinish = INT64_MAX, nextBegin = 0;

  // Notes a copy in flight that may be the next to complete.
  void expect(const Copy &copy) {
    if (copy.finish < nextFinish) {
      nextFinish = copy.finish;
      nextBegin = copy.begin;
    }
  }
};

// A message to a core: words of a copy, or none, and a flag.
struct Message {
  // The cycle of the first word's arrival, from which on the copy owns its destination; and that of
  // the last one's, which may move while others use the memory.
  int64_t begin = 0, arrival = 0;
  int32_t from = 0;
  int32_t flag = 0;
  int32_t add = 1;
  int64_t occupied = 0;    // bytes that it takes of the memory's channel; 0 for a flag alone
  bool owns = false;       // whether accesses to the destination are checked
  bool isArriving = false; // `begin` has passed
  Pattern where;
  std::vector<uint32_t> words;

  bool ownsMemory() const { return isArriving && owns && occupied > 0; }
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_COPYSTATE_H
