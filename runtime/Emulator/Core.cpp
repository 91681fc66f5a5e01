// A core's control flow, waits, traps and statistics.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Core.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace systole::emulation {

Core::Core(const Program &program, const Code &code, const Target &target, int index,
           bool timingOnly, int64_t maxCycles, int64_t assumedTrips, Memory memory)
    : program(program), code(code), target(target), index(index), timingOnly(timingOnly),
      maxCycles(maxCycles), assumedTrips(assumedTrips), tilesPerSide(target.mxuSize() / kTileSize),
      controlCycles(target.latency(isa::LatencyClass::control)),
      iciLatency(int64_t(target.description().ici_latency_cycles().value())),
      loopDepth(size_t(target.description().loop_depth().value())),
      callDepth(size_t(target.description().call_depth().value())), memory(std::move(memory)),
      dma(program.header, target, index, maxCycles),
      instructions(program.header,
                   int64_t(target.description().instruction_memory_bundles().value())) {
  const target::TargetDescription &d = target.description();
  fifos[kXlu].depth = int(d.xlu_fifo_depth().value());
  fifos[kEup].depth = int(d.eup_fifo_depth().value());
  fifos[kToScalar].depth = int(d.v2s_fifo_depth().value());
  for (int i = 0; i < target.mxusPerCore(); ++i) {
    fifos[size_t(kMxu + i)].depth = int(d.mxu_fifo_depth().value());
    mxus[size_t(i)].tiles.resize(size_t(tilesPerSide) * tilesPerSide);
  }
  for (Fifo &fifo : fifos) {
    fifo.ready.resize(size_t(fifo.depth));
    fifo.origins.resize(size_t(fifo.depth));
  }
}

absl::Status Core::allocate() {
  registers.reset(new (std::align_val_t(64)) Registers);
  std::vector<std::pair<Reservation *, size_t>> needed;
  constexpr size_t cells = kCells * 4, weights = size_t(kTileSize) * kTileSize * 4;
  needed.push_back({&scratch, cells});
  for (Fifo &fifo : fifos)
    needed.push_back({&fifo.cells, size_t(fifo.depth) * cells});
  if (!timingOnly)
    for (MxuState &mxu : mxus)
      for (MxuTile &tile : mxu.tiles)
        for (Reservation &side : tile.weights)
          needed.push_back({&side, weights});
  transposeBlock.resize(size_t(isa::kLanes) * isa::kLanes);
  for (auto [to, bytes] : needed) {
    absl::StatusOr<Reservation> reservation = Reservation::create(bytes);
    if (!reservation.ok())
      return reservation.status();
    *to = *std::move(reservation);
  }
  return absl::OkStatus();
}

void Core::reset(Demand *timing, bool traced, bool counted, HostPort *port,
                 const std::atomic<bool> *cancel) {
  demand = timing;
  std::fill_n(&registers->v[0][0], sizeof(registers->v) / 4, 0);
  std::fill_n(&registers->m[0][0], sizeof(registers->m) / 4, 0);
  std::fill_n(registers->m[0], kCells, ~0u);
  std::fill_n(registers->s, Registers::kScalars, 0);
  memory.reset();
  for (MxuState &mxu : mxus) {
    mxu.current = mxu.k = mxu.n = 0;
    mxu.forgetLatches();
    mxu.latchReady = 0;
  }
  registerOrigins.fill(kKnown);
  transposeOrigin = kKnown;
  call = -1;
  runState = RunState::Running;
  clock = issued = 0;
  ready.fill(0);
  for (Fifo &fifo : fifos)
    fifo.head = fifo.count = 0;
  freeAt.fill(0);
  transposeRows = 0;
  dma.reset(demand, port, cancel);
  flags.fill(0);
  nextEvent = INT64_MAX;
  inbox.clear();
  outgoing.clear();
  trapInfo = {};
  loops.clear();
  calls.clear();
  inherited = -1;
  instructions.reset();
  executions.assign(code.blocks.size(), 0);
  assumed.clear();
  turns.clear();
  kernelStats.assign(size_t(program.header.kernels_size()) + 1, {});
  copies.clear();
  countsCopies = counted;
  tracing = traced;
  trace.clear();
  tracedKernel = -1;
  tracedSince = 0;
  block = code.ends[size_t(code.entry)].target;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void Core::spend(int64_t cycles, int64_t KernelStats::*what) {
  assert(cycles >= 0 && "time goes on");
  clock += cycles;
  KernelStats &stats = statsOf(kernelOf(code.blocks[size_t(block)]));
  stats.cycles += cycles;
  stats.*what += cycles;
}

bool Core::follow(Continuation at) {
  for (;;) {
    assert(at >= 0 && size_t(at) < code.ends.size() && "the decoder has linked all blocks");
    const EndAction &end = code.ends[size_t(at)];
    switch (end.kind) {
    case EndAction::Kind::Back:
      spend(controlCycles, &KernelStats::controlCycles);
      [[fallthrough]];
    case EndAction::Kind::Goto:
      if (end.target < 0)
        return fail(TrapKind::BadControl, "control reaches a place outside all routines");
      block = end.target;
      return true;
    case EndAction::Kind::LoopEnd:
      if (loops.empty())
        return fail(TrapKind::BadControl, "a loop ends that has not begun");
      if (--loops.back() > 0) {
        block = end.target;
        return true;
      }
      loops.pop_back();
      ++at;
      break;
    case EndAction::Kind::Jump:
      spend(controlCycles, &KernelStats::controlCycles);
      at = end.target;
      break;
    case EndAction::Kind::Fall:
      return fail(TrapKind::BadControl, "the routine ends without `ret`");
    }
  }
}

bool Core::assumeControl(const Block &b) {
  demand->need(controlOrigin);
  if (b.transfer == Transfer::Wait)
    return fail(TrapKind::Unknown, "a wait depends on data that was not computed");
  ++assumed[block];
  if (b.transfer == Transfer::If) {
    controlValue = b.thenIsCostlier;
    return true;
  }
  if (assumedTrips < 0 && !demand->missingStatement())
    demand->needStatement(describe(
        TrapKind::Unknown, "control depends on data that a run for timing only does not compute; "
                           "--assume-trips states the iterations of its loop"));
  // Until the number is stated or computed, once.
  const int64_t trips = assumedTrips < 0 ? 1 : assumedTrips;
  if (b.transfer == Transfer::Exit) {
    controlValue = turns[block] < trips;
  } else {
    controlValue = uint32_t(std::min<int64_t>(trips, INT32_MAX));
  }
  return true;
}

bool Core::transfer(const Block &b) {
  if (controlOrigin != kKnown && !assumeControl(b))
    return false;
  switch (b.transfer) {
  case Transfer::Next:
    return follow(b.next);
  case Transfer::Loop:
    if (int32_t(controlValue) <= 0)
      return follow(b.next);
    if (loops.size() >= loopDepth)
      return fail(TrapKind::LoopDepth, absl::StrCat("the target nests ", loopDepth, " loops"));
    loops.push_back(int32_t(controlValue));
    return follow(b.taken);
  case Transfer::If: {
    bool holds = controlValue != 0;
    if (holds ? b.takenJumps : b.otherJumps)
      spend(controlCycles, &KernelStats::controlCycles);
    return follow(holds ? b.taken : b.other);
  }
  case Transfer::Exit:
    if (timingOnly)
      turns[block] = controlValue != 0 ? turns[block] + 1 : 0;
    if (controlValue != 0)
      return follow(b.next);
    spend(controlCycles, &KernelStats::controlCycles);
    return follow(b.other);
  case Transfer::Call:
    assert(b.taken >= 0 && "a call leads to a routine");
    if (calls.size() >= callDepth)
      return fail(TrapKind::CallDepth, absl::StrCat("the target nests ", callDepth, " calls"));
    spend(controlCycles, &KernelStats::controlCycles);
    calls.push_back({b.next, inherited, loops.size()});
    inherited = kernelOf(b);
    return follow(b.taken);
  case Transfer::Return: {
    if (calls.empty())
      return fail(TrapKind::BadControl, "`ret` in the routine that runs first");
    Call call = calls.back();
    spend(controlCycles, &KernelStats::controlCycles);
    calls.pop_back();
    inherited = call.kernel;
    if (loops.size() < call.loops)
      return fail(TrapKind::BadControl, "a routine ended its caller's loop");
    loops.resize(call.loops);
    return follow(call.back);
  }
  case Transfer::Halt:
    clock -= b.lastCycles;
    completeCopies();
    if (dma.inFlight() > 0)
      return fail(TrapKind::CopiesInFlight,
                  absl::StrCat("copies in flight: ", dma.inFlight(),
                               ", the next completes at cycle ", dma.nextCompletion()));
    clock += b.lastCycles;
    traceKernel(-1);
    runState = RunState::Halted;
    return true;
  case Transfer::OverlayStart:
    return startOverlay(b) && follow(b.next);
  case Transfer::Overlay:
    return endOverlay(b) && follow(b.next);
  case Transfer::Wait:
    return endWait();
  }
  return true;
}

// Ends the wait if its flag has reached the value, else the core stays waiting.
bool Core::endWait() {
  const Block &b = code.blocks[size_t(block)];
  int32_t &flag = flags[size_t(b.callee)];
  int32_t value = int32_t(controlValue);
  if (flag < value) {
    runState = RunState::Waiting;
    return true;
  }
  runState = RunState::Running;
  flag = int32_t(uint32_t(flag) - uint32_t(value));
  return follow(b.next);
}

void Core::resume() {
  const Block &b = code.blocks[size_t(block)];
  if (nextEvent == INT64_MAX) {
    fail(TrapKind::Deadlock,
         absl::StrCat("sync flag ", b.callee, " is ", flags[size_t(b.callee)],
                      ", and nothing in flight can bring it to ", int32_t(controlValue)));
    return;
  }
  // The stall comes before the empty cycles after the bundle.
  int64_t until = std::max(nextEvent + b.lastCycles, clock);
  if (maxCycles > 0 && until > maxCycles) {
    fail(TrapKind::Watchdog,
         absl::StrCat("waits until cycle ", until, ", after the last allowed, ", maxCycles));
    return;
  }
  addTrace({TraceEvent::Kind::Wait, index, kernelOf(b), clock, until, 0});
  statsOf(kernelOf(b)).waitStartCycles +=
      std::clamp<int64_t>(dma.nextBegin() - clock, 0, until - clock);
  spend(until - clock, &KernelStats::waitCycles);
  clock -= b.lastCycles;
  completeCopies();
  clock += b.lastCycles;
  endWait();
}

bool Core::startOverlay(const Block &b) {
  if (auto fault = instructions.start(b.callee, clock, dma, statsOf(kernelOf(b))))
    return fail(fault->kind, fault->text);
  return true;
}

bool Core::endOverlay(const Block &b) {
  if (instructions.isResident(b.callee))
    return true;
  if (!startOverlay(b))
    return false;
  const int64_t until = instructions.finish(b.callee);
  spend(std::max<int64_t>(until - clock, 0), &KernelStats::overlayCycles);
  return true;
}

void Core::completeCopies() {
  dma.advance(clock, memory, flags);
  nextEvent = dma.nextCompletion();
  for (size_t i = 0; i < inbox.size();) {
    if (inbox[i].arrival > clock) {
      nextEvent = std::min(nextEvent, inbox[i].arrival);
      ++i;
      continue;
    }
    deliver(inbox[i], memory);
    int32_t &flag = flags[size_t(inbox[i].flag)];
    flag = int32_t(uint32_t(flag) + uint32_t(inbox[i].add));
    inbox.erase(inbox.begin() + ptrdiff_t(i));
  }
}

void Core::settle() {
  for (const Message &message : inbox)
    deliver(message, memory);
  inbox.clear();
}

void Core::receive(Message message) {
  nextEvent = std::min(nextEvent, message.arrival);
  inbox.push_back(std::move(message));
}

//===----------------------------------------------------------------------===//
// Traps
//===----------------------------------------------------------------------===//

TrapInfo Core::describe(TrapKind kind, const std::string &text) const {
  TrapInfo info;
  info.kind = kind;
  info.text = text;
  info.bundle = bundle;
  info.cycle = issued;
  info.core = index;
  int kernel = kernelOf(code.blocks[size_t(block)]);
  if (kernel >= 0) {
    info.kernel = program.header.kernels(kernel).name();
    const program::Location &from =
        locationOf(program.header, program.header.kernels(kernel).location());
    info.source = from.source();
    info.nameStack = from.name_stack();
  }
  int64_t narrowest = INT64_MAX;
  for (const program::SourceRange &range : program.header.sources()) {
    int64_t size = range.bundles().end() - range.bundles().begin();
    if (range.bundles().begin() <= bundle && bundle < range.bundles().end() && size < narrowest) {
      narrowest = size;
      info.source = locationOf(program.header, range.location()).source();
    }
  }
  return info;
}

bool Core::fail(TrapKind kind, const std::string &text) {
  runState = RunState::Trapped;
  absl::Status cause = std::move(trapInfo.cause);
  trapInfo = describe(kind, text);
  trapInfo.cause = std::move(cause);
  return false;
}

bool Core::failOp(const Op &op, TrapKind kind, const std::string &text) {
  return fail(kind, absl::StrCat(std::string(isa::info(op.opcode).mnemonic), " ", text));
}

bool Core::readTooEarly(const Op &op) {
  for (int i = 0; i < op.numReads; ++i)
    if (ready[op.reads[size_t(i)]] > clock)
      return failOp(op, TrapKind::ReadTooEarly,
                    absl::StrCat("reads ", registerName(op.reads[size_t(i)]),
                                 ", which is ready at cycle ", ready[op.reads[size_t(i)]]));
  return false;
}

bool Core::writeConflict(const Op &op) {
  return failOp(op, TrapKind::WriteConflict,
                absl::StrCat("writes ", registerName(op.dest), " at cycle ", clock + op.latency,
                             ", but an earlier result arrives there at cycle ", ready[op.dest]));
}

std::string Core::unitName(int unit) const {
  if (unit == kXlu)
    return "the cross-lane unit";
  if (unit == kEup)
    return "the transcendental unit";
  if (unit == kToScalar)
    return "the path to the scalar unit";
  if (unit == kDma)
    return "the copy engine";
  if (unit >= kSwap)
    return absl::StrCat("the swap of MXU ", unit - kSwap);
  return unit >= kLatch ? absl::StrCat("the latch of MXU ", unit - kLatch)
                        : absl::StrCat("MXU ", unit - kMxu);
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

void Core::addTrace(const TraceEvent &event) {
  if (tracing && trace.size() < kMaxTraceEvents && event.end > event.begin)
    trace.push_back(event);
}

void Core::traceKernel(int kernel) {
  if (!tracing || kernel == tracedKernel)
    return;
  if (tracedKernel >= 0)
    addTrace({TraceEvent::Kind::Kernel, index, tracedKernel, tracedSince, clock, 0});
  tracedKernel = kernel;
  tracedSince = clock;
}

void Core::countCopy(const CopyRequest &request, int kernel) {
  auto count = [&](int region, bool reads) {
    CopyStats &copy =
        copies.try_emplace({kernel, region, reads}, CopyStats{kernel, region, reads}).first->second;
    ++copy.copies;
    copy.bytes += dma.lastBytes();
  };
  const int to = request.descriptor->dst_core();
  if (request.descriptor->src() == program::HBM)
    count(request.srcRegion, true);
  if (request.descriptor->dst() == program::HBM && (to < 0 || to == index))
    count(request.dstRegion, false);
}

void Core::collect(RunStats &stats) const {
  stats.cycles = std::max(stats.cycles, clock);
  stats.hbmTouchedBytes += memory.peakTouchedBytes();
  std::vector<KernelStats> mine = kernelStats;
  for (size_t i = 0; i < code.blocks.size(); ++i) {
    const Block &b = code.blocks[i];
    if (b.kernel < 0)
      continue;
    KernelStats &kernel = mine[size_t(b.kernel)];
    kernel.use.add(b.use, executions[i]);
    kernel.cycles += b.cycles * executions[i];
  }
  for (size_t i = 0; i < code.kernelFirst.size(); ++i)
    if (code.kernelFirst[i] >= 0)
      mine[i].calls += executions[size_t(code.kernelFirst[i])];
  stats.kernels.resize(code.kernelFirst.size());
  for (size_t i = 0; i < mine.size(); ++i) {
    (i < stats.kernels.size() ? stats.kernels[i] : stats.outside).add(mine[i]);
    stats.total.add(mine[i]);
  }
  for (const auto &[place, times] : assumed) {
    const Block &b = code.blocks[size_t(place)];
    stats.assumptions.push_back(
        {b.transfer == Transfer::If ? Assumption::Kind::Branch : Assumption::Kind::Trips, b.end - 1,
         times});
  }
  for (const auto &[place, copy] : copies)
    stats.copies.push_back(copy);
  stats.trace.insert(stats.trace.end(), trace.begin(), trace.end());
}

} // namespace systole::emulation
