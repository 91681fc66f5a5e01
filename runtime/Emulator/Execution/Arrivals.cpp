// Copies that complete, and messages that arrive.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Arrivals.h"

#include <algorithm>
#include <cassert>

#include "absl/strings/str_cat.h"

namespace systole::emulation {

// Writes a message's words to its destination.
static void deliver(Core &core, const Message &message) {
  if (message.ownsMemory())
    core.copies.release(message.where, true);
  if (message.words.empty()) {
    if (core.known.demand && message.where.chunk > 0)
      markUnits(message.where, kNever, core.known.rows);
    return;
  }
  const uint32_t *from = message.words.data();
  forEachChunk(message.where, [&](int64_t at) {
    core.memory.write(message.where.space, at, message.where.chunk, from);
    from += message.where.chunk;
  });
}

// The first word arrives. False after a trap.
static bool admit(Core &core, Message &message) {
  message.isArriving = true;
  if (message.occupied == 0) {
    message.arrival = message.begin;
    return true;
  }
  message.arrival = core.timing.copies.arrive(message, core.state.copies.channels,
                                              core.statistics.of(core.state.control));
  if (core.maxCycles > 0 && message.arrival > core.maxCycles)
    return core.fail(TrapKind::Watchdog,
                     absl::StrCat("a copy from core ", message.from, " would arrive at cycle ",
                                  message.arrival, ", after the last allowed, ", core.maxCycles));
  if (!message.owns)
    return true;
  std::optional<Fault> fault;
  if (core.memory.isWritable(message.where))
    fault = core.copies.acquire(message.where, true);
  else
    fault = Fault{TrapKind::BadOperand, "the copy writes an argument that the caller keeps"};
  if (!fault)
    return true;
  message.owns = false;
  return core.fail(fault->kind,
                   absl::StrCat("on arrival from core ", message.from, ", ", fault->text));
}

bool completeCopies(Core &core) {
  CoreState &state = core.state;
  core.copies.advance(state.clock, state.flags);
  state.nextEvent = state.copies.nextFinish;
  std::vector<Message> &inbox = state.inbox;
  for (size_t i = 0; i < inbox.size();) {
    Message &message = inbox[i];
    if (!message.isArriving && message.begin <= state.clock && !admit(core, message))
      return false;
    const int64_t next = message.isArriving ? message.arrival : message.begin;
    if (next > state.clock) {
      state.nextEvent = std::min(state.nextEvent, next);
      ++i;
      continue;
    }
    deliver(core, message);
    int32_t &flag = state.flags[size_t(message.flag)];
    flag = int32_t(uint32_t(flag) + uint32_t(message.add));
    inbox.erase(inbox.begin() + ptrdiff_t(i));
  }
  return true;
}

void settle(Core &core) {
  for (const Message &message : core.state.inbox)
    deliver(core, message);
  core.state.inbox.clear();
}

void receive(Core &core, Message message) {
  core.state.nextEvent = std::min(core.state.nextEvent, message.begin);
  core.state.inbox.push_back(std::move(message));
}

void finishSend(Core &core, const Send &send, int64_t finish) {
  std::vector<Copy> &inFlight = core.state.copies.inFlight;
  auto copy = std::ranges::find(inFlight, send.ticket, &Copy::ticket);
  assert(copy != inFlight.end() && "a copy is in flight until the network has taken it");
  copy->finish = finish;
  copy->ticket = 0;
  core.state.copies.expect(*copy);
  core.state.nextEvent = std::min(core.state.nextEvent, finish);
  core.statistics.addTrace({TraceEvent::Kind::Copy, core.index, send.kernel, send.issued, finish,
                            send.message.where.words() * 4, send.hbmBytes});
}

} // namespace systole::emulation
