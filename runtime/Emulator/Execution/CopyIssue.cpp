// The instruction that issues a copy.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <utility>

#include "runtime/Emulator/Execution/Units.h"

namespace systole::emulation {

// Hands a copy to a core to the network.
static void send(Core &core, const CopyRequest &request, IssuedCopy &issued) {
  const bool isRead = request.descriptor->src() == program::HBM;
  issued.message->from = core.index;
  core.outgoing.push_back({core.index, request.to, request.kernel, core.state.clock, issued.begin,
                           issued.finish, issued.ticket, isRead ? issued.bytes : 0,
                           *std::move(issued.message)});
}

// Operand 4 is the count of `dma.start`, and the core of `dma.send`.
template <Mode mode> bool startCopy(Core &core, const Op &op) {
  if (!checkBusy(core, op))
    return false;
  const bool isSend = op.opcode == isa::Opcode::dma_send;
  bool allOfIt = false;
  if constexpr (tracks(mode)) {
    Origin regions = core.known.join(originOf(core, op, 2), originOf(core, op, 3)),
           count = originOf(core, op, 4);
    if (isSend)
      regions = core.known.join(regions, std::exchange(count, kKnown));
    allOfIt = count != kKnown;
    if (regions != kKnown || allOfIt)
      core.known.demand->need(core.known.join(regions, count));
    if (regions != kKnown)
      return core.failOp(op, TrapKind::Unknown, "has a region that was not computed");
    if (allOfIt && core.assumedTrips < 0 && !core.known.demand->missingStatement())
      core.known.demand->needStatement(core.describe(
          TrapKind::Unknown, "the count of a copy depends on data that a run for timing "
                             "only does not compute; --assume-trips takes the largest"));
  }
  CopyRequest request{&core.program().header.descriptors(op.aux),
                      core.signedScalar(op, 0),
                      core.signedScalar(op, 1),
                      core.signedScalar(op, 2),
                      core.signedScalar(op, 3),
                      allOfIt || isSend ? -1 : core.signedScalar(op, 4),
                      op.count,
                      isSend ? core.signedScalar(op, 4) : -1};
  const int kernel = core.kernel();
  request.kernel = kernel;
  if constexpr (tracks(mode)) {
    request.dstOrigin = originOf(core, op, 0);
    request.srcOrigin = originOf(core, op, 1);
    request.isComputed = mode == Mode::Known;
  }
  const program::Descriptor &descriptor = *request.descriptor;
  if (request.count == 0) {
    core.state.flags[op.count] += descriptor.counts_words() ? 0 : 1;
    return true;
  }
  KernelStats &stats = core.statistics.of(kernel);
  const int64_t hbmBefore = stats.hbmReadBytes + stats.hbmWriteBytes;
  IssuedCopy issued;
  if (auto fault = core.copies.start(request, core.state.clock, stats, issued)) {
    core.trap.cause = fault->cause;
    return core.failOp(op, fault->kind, fault->text);
  }
  core.state.nextEvent = std::min(
      core.state.nextEvent, core.copies.isFull() ? core.state.clock : core.state.copies.nextFinish);
  if (descriptor.src() == program::HBM)
    core.statistics.countCopy(kernel, request.srcRegion, true, issued.bytes);
  if (descriptor.dst() == program::HBM && !isSend)
    core.statistics.countCopy(kernel, request.dstRegion, false, issued.bytes);
  if (issued.message)
    send(core, request, issued);
  else
    core.statistics.addTrace({TraceEvent::Kind::Copy, core.index, kernel, core.state.clock,
                              issued.finish, issued.bytes,
                              stats.hbmReadBytes + stats.hbmWriteBytes - hbmBefore});
  return true;
}

template bool startCopy<Mode::Full>(Core &, const Op &);
template bool startCopy<Mode::Clock>(Core &, const Op &);
template bool startCopy<Mode::Known>(Core &, const Op &);

} // namespace systole::emulation
