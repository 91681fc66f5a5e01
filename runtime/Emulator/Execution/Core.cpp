// Creation of cores, and the place of a trap.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Core.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"

namespace systole::emulation {

absl::StatusOr<std::unique_ptr<Core>> Core::create(const CoreTiming &timing, Memory memory,
                                                   const MemorySize &size, bool timingOnly) {
  std::unique_ptr<Core> core(new Core(timing, std::move(memory), timingOnly));
  if (timingOnly) {
    absl::StatusOr<RowOrigins> rows = RowOrigins::create(size);
    if (!rows.ok())
      return rows.status();
    core->known.rows = *std::move(rows);
  }
  try {
    core->allocate();
  } catch (const std::bad_alloc &) {
    return absl::ResourceExhaustedError("cannot reserve the memory of a core's units");
  }
  return core;
}

Core::Core(const CoreTiming &timing, Memory contents, bool timingOnly)
    : timing(timing), timingOnly(timingOnly), memory(std::move(contents)),
      copies({timing.copies, state.copies, memory, known}),
      instructions(timing.instructionBundles, state.control.overlays) {}

MemorySize sizeOf(const program::ProgramHeader &header) {
  return {header.hbm_rows(), header.vmem_rows(), header.smem_words(), header.pinned_rows()};
}

absl::Status Core::load(const CoreSetup &setup) {
  copies.reset(state.inbox);
  const program::ProgramHeader &header = setup.program.header;
  if (absl::Status status = memory.setSize(sizeOf(header)); !status.ok())
    return status;
  loaded = &setup.program;
  decoded = &setup.code;
  maxCycles = setup.maxCycles;
  assumedTrips = setup.assumedTrips;
  index = setup.index;
  keepsDeadRegisters = setup.keepsDeadRegisters;
  statistics.load(setup.code, index);
  copies.load(header, maxCycles);
  instructions.load(header);
  return absl::OkStatus();
}

void Core::allocate() {
  for (int i = 0; i < kFifos; ++i) {
    state.fifos[size_t(i)].allocate(timing.fifoDepths[size_t(i)]);
    if (timingOnly)
      known.results[size_t(i)].resize(size_t(timing.fifoDepths[size_t(i)]));
  }
  state.transposeBlock.resize(size_t(isa::kLanes) / isa::kSublanes);
  for (int i = 0; i < timing.mxus; ++i) {
    MxuState &mxu = state.mxus[size_t(i)];
    mxu.tilesPerSide = timing.tilesPerSide;
    mxu.tiles.resize(size_t(timing.tilesPerSide) * size_t(timing.tilesPerSide));
    if (!timingOnly)
      for (MxuTile &tile : mxu.tiles)
        for (auto &side : tile.weights)
          side.resize(size_t(kTileSize) * kTileSize);
  }
}

void Core::clearRegisters() {
  // All of them are 350 KB, of which a small program uses little.
  if (hasRestored)
    state.registers = {};
  else
    for (const int32_t offset : written)
      std::memset(registerAt(offset), 0, sizeof(VectorRegister));
  hasRestored = false;
  written = code().written; // a copy: another program may be loaded before the next run
  std::ranges::fill(state.registers.s, 0);
  std::fill_n(state.registers.m[0], kCells, ~0u);
}

void Core::reset(const RunInputs &inputs) {
  state.run = RunState::Running;
  state.clock = state.issued = 0;
  state.nextEvent = INT64_MAX;
  state.control = {};
  clearRegisters();
  state.ready.fill(0);
  for (Fifo &fifo : state.fifos)
    fifo.head = fifo.count = 0;
  state.freeAt.fill(0);
  state.transposeRows = 0;
  for (MxuState &mxu : state.mxus) {
    mxu.current = mxu.k = mxu.n = 0;
    mxu.integers = mxu.currentIntegers = false;
    mxu.forgetLatches();
    mxu.latchReady = 0;
  }
  state.flags.fill(0);
  state.log = {};
  log = inputs.log;
  copies.reset(state.inbox);
  memory.reset();
  statistics.reset(inputs.traces, inputs.countsCopies);
  known.reset(inputs.demand, program().header.regions_size());
  copies.connect(inputs.port, inputs.cancel);
  instructions.reset();
  outgoing.clear();
  trap = {};
  state.control.block = code().ends[size_t(code().entry)].target;
}

void Core::collect(RunStats &stats) const {
  stats.cycles = std::max(stats.cycles, state.clock);
  stats.coreCycles.push_back(state.clock);
  stats.hbmTouchedBytes += memory.peakTouchedBytes();
  statistics.collect(stats);
  for (const auto &[place, times] : known.assumed) {
    const Block &b = code().blocks[size_t(place)];
    stats.assumptions.push_back(
        {b.transfer == Transfer::If ? Assumption::Kind::Branch : Assumption::Kind::Trips, b.end - 1,
         times});
  }
}

//===----------------------------------------------------------------------===//
// Traps
//===----------------------------------------------------------------------===//

TrapInfo Core::describe(TrapKind kind, const std::string &text) const {
  TrapInfo info;
  info.kind = kind;
  info.text = text;
  info.bundle = state.control.bundle;
  info.cycle = state.issued;
  info.core = index;
  info.clock = state.clock;
  if (const int running = kernel(); running >= 0) {
    info.kernel = program().header.kernels(running).name();
    const program::Location &from =
        locationOf(program().header, program().header.kernels(running).location());
    info.source = from.source();
    info.nameStack = from.name_stack();
  }
  int64_t narrowest = INT64_MAX;
  for (const program::SourceRange &range : program().header.sources()) {
    int64_t size = range.bundles().end() - range.bundles().begin();
    if (range.bundles().begin() <= info.bundle && info.bundle < range.bundles().end() &&
        size < narrowest) {
      narrowest = size;
      info.source = locationOf(program().header, range.location()).source();
    }
  }
  return info;
}

bool Core::fail(TrapKind kind, const std::string &text) {
  state.run = RunState::Trapped;
  absl::Status cause = std::move(trap.cause);
  trap = describe(kind, text);
  trap.cause = std::move(cause);
  return false;
}

bool Core::failOp(const Op &op, TrapKind kind, const std::string &text) {
  return fail(kind, absl::StrCat(std::string(isa::info(op.opcode).mnemonic), " ", text));
}

} // namespace systole::emulation
