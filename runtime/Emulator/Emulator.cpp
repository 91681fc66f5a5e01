// Loading of programs, and their execution.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/EmulatorImpl.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Code/Code.h"
#include "runtime/Emulator/Execution/Arrivals.h"
#include "runtime/Emulator/Execution/Control.h"
#include "runtime/Emulator/Execution/Interpreter.h"
#include "runtime/Emulator/Plans/PlannedExecutor.h"

namespace systole {

using emulation::Core;
using emulation::RunState;

// Blocks between checks of cancellation and memory: tens of microseconds.
static constexpr int64_t kBlocksAtOnce = 64;
// Most of HBM that a run for timing holds.
static constexpr int64_t kMostKnownBytes = int64_t(1) << 30;

// By the environment: to find out whether a fault is of the other executor.
static bool isInterpreterChosen() {
  const char *value = std::getenv("SYSTOLE_INTERPRET");
  return value && std::string_view(value) != "" && std::string_view(value) != "0";
}

Emulator::Impl::Impl(std::shared_ptr<const DecodedProgram> program, const EmulatorOptions &options)
    : decoded(std::move(program)), program(&decoded->program()), options(options) {
  if (options.log)
    this->options.log = [this, log = options.log](const LoggedMessage &message) {
      std::lock_guard lock(logMutex);
      log(message);
    };
  // The cores of a slice have threads of their own.
  const int cellThreads = decoded->program().header.cores() == 1 ? options.threads : 1;
  this->options.interprets |= options.timingOnly || isInterpreterChosen();
  if (this->options.interprets)
    executor = std::make_unique<emulation::Interpreter>();
  else
    executor = std::make_unique<emulation::PlannedExecutor>(
        decoded->plans(), decoded->program().header.cores(), cellThreads, options.plansEveryPart);
}

Emulator::Emulator(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Emulator::~Emulator() {
  if (impl->machine)
    for (size_t i = 0; i < impl->cores.size(); ++i)
      impl->machine->giveBack(impl->places[i], std::move(impl->cores[i]));
}
const Program &Emulator::program() const { return *impl->program; }
const Target &Emulator::target() const { return impl->decoded->target(); }
const std::optional<TrapInfo> &Emulator::lastTrap() const { return impl->trap; }

static emulation::CoreSetup setupOf(const DecodedProgram &program, const EmulatorOptions &options,
                                    int core) {
  return {program.program(),    program.code(), options.maxCycles,
          options.assumedTrips, core,           options.interprets && !options.liveRegistersOnly};
}

void Emulator::Impl::connect(int slice) {
  // A program of one core may send to itself.
  const bool sends = std::ranges::any_of(program->header.descriptors(), [](const auto &descriptor) {
    return descriptor.arrival_flag() != 0;
  });
  if (cores.size() == 1 && !sends)
    return;
  sliceCores = slice;
  const Target &target = decoded->target();
  network = std::make_unique<emulation::Network>(target, Topology(target, sliceCores), places);
  const bool isAlone = options.timingOnly || program->header.transfers_size() > 0;
  windows = std::make_unique<emulation::Windows>(
      cores, *network, *executor, isAlone ? 1 : std::max(1, options.threads),
      int(target.description().cores_per_chip().value()));
}

absl::StatusOr<std::unique_ptr<Emulator>> Emulator::create(std::shared_ptr<const Program> program,
                                                           const Target &target,
                                                           const EmulatorOptions &options) {
  auto decoded = DecodedProgram::create(std::move(program), target);
  return decoded.ok() ? create(*std::move(decoded), options) : decoded.status();
}

absl::StatusOr<std::unique_ptr<Emulator>>
Emulator::create(std::shared_ptr<const DecodedProgram> program, const EmulatorOptions &options) {
  auto impl = std::make_unique<Impl>(std::move(program), options);
  const DecodedProgram &decoded = *impl->decoded;
  impl->timing = std::make_unique<const emulation::CoreTiming>(decoded.target());
  const emulation::MemorySize size = emulation::sizeOf(decoded.program().header);
  const program::ProgramHeader &header = decoded.program().header;
  impl->places.assign(header.core_places().begin(), header.core_places().end());
  for (int i = int(impl->places.size()); i < header.cores(); ++i)
    impl->places.push_back(i);
  for (int i = 0; i < header.cores(); ++i) {
    absl::StatusOr<emulation::Memory> memory = emulation::Memory::create(size);
    if (!memory.ok())
      return memory.status();
    absl::StatusOr<std::unique_ptr<Core>> core =
        Core::create(*impl->timing, *std::move(memory), size, options.timingOnly);
    if (!core.ok())
      return core.status();
    if (absl::Status status = (*core)->load(setupOf(decoded, impl->options, i)); !status.ok())
      return status;
    impl->cores.push_back(*std::move(core));
  }
  impl->images.resize(impl->cores.size());
  impl->connect(std::max(header.slice_cores(), header.cores()));
  return std::unique_ptr<Emulator>(new Emulator(std::move(impl)));
}

absl::StatusOr<std::unique_ptr<Emulator>>
Emulator::create(std::shared_ptr<const DecodedProgram> program, Machine &machine,
                 absl::Span<const int> cores, const EmulatorOptions &options) {
  assert(program->program().header.cores() == int(cores.size()) && !options.timingOnly &&
         "a program with data, and a core for each of its own");
  if (program->target().hash() != machine.target.hash())
    return absl::InvalidArgumentError("the program was decoded for another machine");
  std::unique_ptr<Emulator> emulator(
      new Emulator(std::make_unique<Impl>(std::move(program), options)));
  Impl &impl = *emulator->impl;
  impl.machine = &machine;
  impl.places.assign(cores.begin(), cores.end());
  std::shared_ptr<emulation::MemorySpace> pinned;
  if (impl.program->header.pinned_rows() > 0) {
    auto space = machine.host().space();
    if (!space.ok())
      return space.status();
    pinned = *std::move(space);
  }
  for (size_t i = 0; i < cores.size(); ++i) {
    absl::StatusOr<std::unique_ptr<Core>> taken = machine.take(cores[i]);
    if (!taken.ok())
      return taken.status();
    Core &core = *impl.cores.emplace_back(*std::move(taken));
    if (pinned)
      core.memory.attachPinned(pinned);
    if (absl::Status status = core.load(setupOf(*impl.decoded, impl.options, int(i))); !status.ok())
      return status;
  }
  impl.connect(machine.target.cores());
  return emulator;
}

void Emulator::place(program::Space space, emulation::AddressMap map, int core) {
  assert(impl->machine && "on a machine of its own the plan's rows are where it says");
  impl->cores[size_t(core)]->memory.place(space, std::move(map));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

absl::Status Emulator::Impl::loadConstants() {
  for (auto &core : cores)
    for (int i = 0; i < program->header.constants_size(); ++i) {
      const std::string &bytes = program->constants[size_t(i)];
      if (demand && !demand->loads(program->header.constants(i).region()))
        continue;
      auto range = rangeOf(program::HBM, program->header.constants(i).region(), 0);
      if (!range.ok())
        return range.status();
      core->memory.write(program::HBM, int64_t(range->first / 4), bytes.data(), bytes.size());
    }
  return absl::OkStatus();
}

// Stops a core that exceeds a limit or is cancelled.
void Emulator::Impl::guard(Core &core, std::atomic<int64_t> *cycles) {
  if (cycles)
    cycles->store(core.state.clock, std::memory_order_relaxed);
  if (options.cancel && options.cancel->load(std::memory_order_relaxed))
    core.fail(TrapKind::Cancelled, kCancelled);
  if (int64_t cap = options.memoryCapBytes; cap > 0 && touchedBytes() > cap)
    core.fail(TrapKind::MemoryCap, absl::StrCat("HBM in use on the host is ", touchedBytes(),
                                                " bytes; the cap is ", cap));
}

void Emulator::Impl::reset(const HostPorts &hosts) {
  trap.reset();
  isStarted = true;
  if (network)
    network->reset(options.trace);
  for (size_t i = 0; i < cores.size(); ++i)
    cores[i]->reset({demand.get(), hosts.of(int(i)), options.cancel, &options.log, options.trace,
                     options.countCopies});
}

void Emulator::Impl::runAlone(Core &core, int64_t limit, std::atomic<int64_t> *cycles) {
  while (core.state.run != RunState::Halted && core.state.run != RunState::Trapped) {
    // If nothing will wake it, there is a deadlock whatever the limit.
    if (const int64_t due = core.state.due(); due >= limit && due != INT64_MAX)
      return;
    if (core.state.run == RunState::Waiting)
      resume(core);
    else if (!pausing.empty())
      pausing.front().run(core, {kBlocksAtOnce, limit});
    else
      executor->run(core, {kBlocksAtOnce, limit});
    if (!pausing.empty() && pausing.front().hasPaused())
      return;
    if (core.state.run != RunState::Trapped)
      guard(core, cycles);
  }
}

absl::StatusOr<bool> Emulator::Impl::advance(int64_t limit, std::atomic<int64_t> *cycles) {
  if (!windows)
    runAlone(*cores[0], limit, cycles);
  else
    windows->advance(limit, [&](Core &core) { guard(core, cycles); }, pausing);
  bool hasHalted = true;
  for (const auto &core : cores) {
    hasHalted &= core->state.run == RunState::Halted;
    if (core->state.run == RunState::Trapped) {
      trap = (windows ? *windows->trapped() : *core).trap;
      return toStatus(*trap);
    }
  }
  return hasHalted;
}

RunStats Emulator::Impl::collect() {
  RunStats stats;
  for (auto &core : cores) {
    settle(*core);
    core->collect(stats);
  }
  if (network) {
    stats.sliceCores = sliceCores;
    stats.places = places;
    stats.links = network->state.links;
    stats.linkSpans = network->state.spans;
  }
  return stats;
}

absl::Status Emulator::Impl::loadKnown(const WriteArguments &arguments) {
  for (auto &core : cores)
    if (const int64_t rows = program->header.pinned_rows(); rows > 0)
      std::fill_n(core->known.rows.of(program::PINNED), rows, emulation::kNever);
  for (auto &core : cores)
    for (const int32_t region : demand->initialRegions())
      if (const program::Region &r = program->header.regions(region); !demand->loads(region))
        std::fill_n(core->known.rows.of(program::HBM) + r.base(), r.size(),
                    demand->origins().ofRegion(region));
  if (absl::Status status = loadConstants(); !status.ok() || !arguments)
    return status;
  return arguments([&](int region) { return demand->loads(region); });
}

absl::StatusOr<RunStats> Emulator::Impl::runForTiming(const HostPorts &hosts,
                                                      std::atomic<int64_t> *cycles,
                                                      const WriteArguments &arguments) {
  const int64_t cap = options.memoryCapBytes;
  demand = std::make_unique<emulation::Demand>(
      program->header, bool(arguments), cap > 0 ? std::min(cap, kMostKnownBytes) : kMostKnownBytes);
  for (;;) {
    demand->beginRun();
    reset(hosts);
    for (auto &core : cores)
      core->memory.releaseAll();
    if (absl::Status status = loadKnown(arguments); !status.ok())
      return status;
    const absl::Status status = advance(INT64_MAX, cycles).status();
    const bool isLast = status.ok() ? !demand->isIncomplete() : absl::IsCancelled(status);
    if (!isLast && demand->grow())
      continue;
    if (!isLast && demand->missingStatement()) {
      trap = demand->missingStatement();
      return toStatus(*trap);
    }
    return status.ok() ? absl::StatusOr<RunStats>(collect()) : status;
  }
}

absl::StatusOr<RunStats> Emulator::run(const HostPorts &hosts, std::atomic<int64_t> *cycles,
                                       const WriteArguments &arguments) {
  FlushDenormals flush;
  if (impl->options.timingOnly)
    return impl->runForTiming(hosts, cycles, arguments);
  if (absl::Status status = start(hosts); !status.ok())
    return status;
  if (absl::Status status = impl->advance(INT64_MAX, cycles).status(); !status.ok())
    return status;
  return impl->collect();
}

} // namespace systole
