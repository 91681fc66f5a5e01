// Loading of programs, access to HBM, and the order in which cores execute.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Emulator.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Code/Code.h"
#include "runtime/Emulator/Execution/Capture.h"
#include "runtime/Emulator/Execution/Control.h"
#include "runtime/Emulator/Execution/Core.h"
#include "runtime/Emulator/Execution/Interpreter.h"
#include "runtime/Emulator/Vector/Kernels.h"
#include "llvm/Support/xxhash.h"

namespace systole {

using emulation::Core;
using emulation::RunState;

// Blocks between checks of cancellation and memory: tens of microseconds.
static constexpr int64_t kBlocksAtOnce = 64;
// Most of HBM that a run for timing holds.
static constexpr int64_t kMostKnownBytes = int64_t(1) << 30;

static constexpr const char *kCancelled = "the run was cancelled";

struct Emulator::Impl {
  Impl(std::shared_ptr<const DecodedProgram> decoded, const EmulatorOptions &options)
      : decoded(std::move(decoded)), program(&this->decoded->program()), options(options) {}

  std::shared_ptr<const DecodedProgram> decoded;
  const Program *program;
  EmulatorOptions options;
  Machine *machine = nullptr;                          // that others use, too, or null,
  int place = 0;                                       // and the core of it
  std::unique_ptr<const emulation::CoreTiming> timing; // of a machine of its own
  std::unique_ptr<emulation::Executor> executor = std::make_unique<emulation::Interpreter>();
  std::unique_ptr<emulation::Demand> demand; // with timingOnly
  std::vector<std::unique_ptr<Core>> cores;
  std::optional<TrapInfo> trap;
  // Whether a run has begun, whose state is one that can be continued.
  bool isStarted = false;
  // By core: the last copies of memories, or null.
  std::vector<std::unique_ptr<emulation::MemoryImage>> images;
  uint64_t programHash = 0; // 0: not computed yet

  // The first byte and the number of bytes of a region in `space`.
  absl::StatusOr<std::pair<size_t, size_t>> rangeOf(program::Space space, int region,
                                                    int core) const;
  // The memory and the first word of a region that has room for so many bytes.
  absl::StatusOr<std::pair<program::Space, int64_t>> beginOf(int region, size_t bytes) const;
  // The contents of a region.
  absl::StatusOr<absl::Span<uint8_t>> bytesOf(program::Space space, int region, int core,
                                              bool isWritten) const;
  int64_t touchedBytes() const;
  absl::Status loadConstants();
  // Timing only: the contents of HBM when a run begins.
  absl::Status loadKnown(const WriteArguments &arguments);
  void reset(HostPort *host);
  // Executes what issues before cycle `limit`; whether all cores have halted.
  absl::StatusOr<bool> advance(int64_t limit, std::atomic<int64_t> *cycles);
  RunStats collect();
  uint64_t hash();
  // FailedPrecondition if no run has begun, or it has trapped.
  absl::Status checkRuns() const;
  absl::StatusOr<RunStats> runForTiming(HostPort *host, std::atomic<int64_t> *cycles,
                                        const WriteArguments &arguments);
  // The core with the earliest event; null if all have halted.
  Core *nextCore();
  void exchange(Core &from);
  void guard(Core &core, std::atomic<int64_t> *cycles);
};

Emulator::Emulator(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Emulator::~Emulator() {
  if (impl->machine)
    for (std::unique_ptr<Core> &core : impl->cores)
      impl->machine->giveBack(impl->place, std::move(core));
}
const Program &Emulator::program() const { return *impl->program; }
const Target &Emulator::target() const { return impl->decoded->target(); }
const std::optional<TrapInfo> &Emulator::lastTrap() const { return impl->trap; }

static emulation::CoreSetup setupOf(const DecodedProgram &program, const EmulatorOptions &options) {
  return {program.program(), program.code(), options.maxCycles, options.assumedTrips};
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
  for (int i = 0; i < decoded.program().header.cores(); ++i) {
    absl::StatusOr<emulation::Memory> memory = emulation::Memory::create(size);
    if (!memory.ok())
      return memory.status();
    absl::StatusOr<std::unique_ptr<Core>> core =
        Core::create(*impl->timing, i, *std::move(memory), size, options.timingOnly);
    if (!core.ok())
      return core.status();
    if (absl::Status status = (*core)->load(setupOf(decoded, options)); !status.ok())
      return status;
    impl->cores.push_back(*std::move(core));
  }
  impl->images.resize(impl->cores.size());
  return std::unique_ptr<Emulator>(new Emulator(std::move(impl)));
}

absl::StatusOr<std::unique_ptr<Emulator>>
Emulator::create(std::shared_ptr<const DecodedProgram> program, Machine &machine, int core,
                 const EmulatorOptions &options) {
  assert(program->program().header.cores() == 1 && !options.timingOnly && "a program with data");
  if (program->target().hash() != machine.target.hash())
    return absl::InvalidArgumentError("the program was decoded for another machine");
  auto impl = std::make_unique<Impl>(std::move(program), options);
  absl::StatusOr<std::unique_ptr<Core>> taken = machine.take(core);
  if (!taken.ok())
    return taken.status();
  impl->machine = &machine;
  impl->place = core;
  impl->cores.push_back(*std::move(taken));
  std::unique_ptr<Emulator> emulator(new Emulator(std::move(impl)));
  if (emulator->impl->program->header.pinned_rows() > 0) {
    auto pinned = machine.host().space();
    if (!pinned.ok())
      return pinned.status();
    emulator->impl->cores[0]->memory.attachPinned(*std::move(pinned));
  }
  if (absl::Status status =
          emulator->impl->cores[0]->load(setupOf(*emulator->impl->decoded, options));
      !status.ok())
    return status;
  return emulator;
}

void Emulator::place(program::Space space, emulation::AddressMap map) {
  assert(impl->machine && "on a machine of its own the plan's rows are where it says");
  impl->cores[0]->memory.place(space, std::move(map));
}

//===----------------------------------------------------------------------===//
// HBM
//===----------------------------------------------------------------------===//

absl::StatusOr<std::pair<size_t, size_t>> Emulator::Impl::rangeOf(program::Space space, int region,
                                                                  int core) const {
  const program::ProgramHeader &header = program->header;
  if (core < 0 || core >= header.cores())
    return absl::NotFoundError(absl::StrCat("there is no core ", core));
  if (region < 0 || region >= header.regions_size() || header.regions(region).space() != space)
    return absl::NotFoundError(
        absl::StrCat("there is no region ", region, " in ", program::Space_Name(space)));
  const program::Region &r = header.regions(region);
  return std::pair(size_t(r.base()) * isa::kRowBytes, size_t(r.size()) * isa::kRowBytes);
}

static absl::Status noData() {
  return absl::FailedPreconditionError("a run for timing only has no data");
}

static absl::Status sharedMachine() {
  return absl::FailedPreconditionError("a snapshot is of a machine that no others use");
}

absl::StatusOr<absl::Span<uint8_t>> Emulator::Impl::bytesOf(program::Space space, int region,
                                                            int core, bool isWritten) const {
  auto range = rangeOf(space, region, core);
  if (!range.ok())
    return range.status();
  if (options.timingOnly && !(isWritten && demand && demand->loads(region)))
    return noData();
  uint32_t *words = cores[size_t(core)]->memory.find(space, int64_t(range->first / 4),
                                                     int64_t(range->second / 4), isWritten);
  if (!words)
    return absl::FailedPreconditionError(
        absl::StrCat("the rows of region ", region, " are not side by side"));
  return absl::MakeSpan(reinterpret_cast<uint8_t *>(words), range->second);
}

absl::StatusOr<absl::Span<const uint8_t>> Emulator::readHbm(int region, int core) const {
  return impl->bytesOf(program::HBM, region, core, false);
}

absl::StatusOr<absl::Span<uint8_t>> Emulator::pinned(int region) const {
  return impl->options.timingOnly ? noData() : impl->bytesOf(program::PINNED, region, 0, true);
}

absl::StatusOr<absl::Span<uint8_t>> Emulator::writeHbm(int region, int core) {
  auto bytes = impl->bytesOf(program::HBM, region, core, true);
  if (int64_t cap = impl->options.memoryCapBytes;
      bytes.ok() && cap > 0 && impl->touchedBytes() > cap)
    return absl::ResourceExhaustedError(absl::StrCat(
        "HBM in use on the host is ", impl->touchedBytes(), " bytes; the cap is ", cap));
  return bytes;
}

absl::StatusOr<std::pair<program::Space, int64_t>> Emulator::Impl::beginOf(int region,
                                                                           size_t bytes) const {
  for (const program::Space space : {program::HBM, program::PINNED})
    if (auto range = rangeOf(space, region, 0); range.ok()) {
      if (bytes <= range->second)
        return std::pair(space, int64_t(range->first / 4));
      return absl::InvalidArgumentError(
          absl::StrCat("region ", region, " has no room for ", bytes, " bytes"));
    }
  return absl::NotFoundError(absl::StrCat("there is no region ", region, " to copy"));
}

absl::Status Emulator::copyIn(int region, absl::Span<const uint8_t> from) {
  auto begin = impl->beginOf(region, from.size());
  if (!begin.ok())
    return begin.status();
  impl->cores[0]->memory.write(begin->first, begin->second,
                               reinterpret_cast<const char *>(from.data()), from.size());
  return absl::OkStatus();
}

absl::Status Emulator::copyOut(int region, absl::Span<uint8_t> to) const {
  auto begin = impl->beginOf(region, to.size());
  if (!begin.ok())
    return begin.status();
  impl->cores[0]->memory.read(begin->first, begin->second, reinterpret_cast<char *>(to.data()),
                              to.size());
  return absl::OkStatus();
}

int64_t Emulator::Impl::touchedBytes() const {
  int64_t bytes = 0;
  for (const auto &core : cores)
    bytes += core->memory.touchedBytes();
  return bytes;
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

// Cores only interact through messages, which arrive later than they are sent and
// are only received at the beginning of a block: so the earliest core runs first.
Core *Emulator::Impl::nextCore() {
  Core *next = nullptr;
  for (auto &core : cores)
    if (core->state.run != RunState::Halted && (!next || core->state.due() < next->state.due()))
      next = core.get();
  return next;
}

void Emulator::Impl::exchange(Core &from) {
  for (auto &message : std::exchange(from.outgoing, {}))
    cores[size_t(message.core)]->receive(std::move(message.message));
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

void Emulator::Impl::reset(HostPort *host) {
  trap.reset();
  isStarted = true;
  for (auto &core : cores)
    core->reset({demand.get(), host, options.cancel, options.trace, options.countCopies});
}

absl::StatusOr<bool> Emulator::Impl::advance(int64_t limit, std::atomic<int64_t> *cycles) {
  // Of several cores each finishes its block: what arrives meanwhile is received behind it.
  const int64_t blocks = cores.size() == 1 ? kBlocksAtOnce : 1;
  while (Core *core = nextCore()) {
    // If nothing will wake even the earliest core, there is a deadlock whatever the limit.
    if (const int64_t due = core->state.due(); due >= limit && due != INT64_MAX)
      return false;
    if (core->state.run == RunState::Waiting)
      resume(*core);
    else
      executor->run(*core, {blocks, cores.size() == 1 ? limit : INT64_MAX});
    if (core->state.run != RunState::Trapped)
      guard(*core, cycles);
    if (core->state.run == RunState::Trapped) {
      trap = core->trap;
      return toStatus(*trap);
    }
    exchange(*core);
  }
  return true;
}

RunStats Emulator::Impl::collect() {
  RunStats stats;
  for (auto &core : cores) {
    core->settle();
    core->collect(stats);
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

absl::StatusOr<RunStats> Emulator::Impl::runForTiming(HostPort *host, std::atomic<int64_t> *cycles,
                                                      const WriteArguments &arguments) {
  const int64_t cap = options.memoryCapBytes;
  demand = std::make_unique<emulation::Demand>(
      program->header, bool(arguments), cap > 0 ? std::min(cap, kMostKnownBytes) : kMostKnownBytes);
  for (;;) {
    demand->beginRun();
    reset(host);
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

absl::StatusOr<RunStats> Emulator::run(HostPort *host, std::atomic<int64_t> *cycles,
                                       const WriteArguments &arguments) {
  FlushDenormals flush;
  if (impl->options.timingOnly)
    return impl->runForTiming(host, cycles, arguments);
  if (absl::Status status = start(host); !status.ok())
    return status;
  if (absl::Status status = impl->advance(INT64_MAX, cycles).status(); !status.ok())
    return status;
  return impl->collect();
}

//===----------------------------------------------------------------------===//
// Runs in steps
//===----------------------------------------------------------------------===//

absl::Status Emulator::start(HostPort *host) {
  if (impl->options.timingOnly)
    return noData();
  if (absl::Status status = impl->loadConstants(); !status.ok())
    return status;
  impl->reset(host);
  return absl::OkStatus();
}

absl::Status Emulator::Impl::checkRuns() const {
  if (!isStarted || trap || options.timingOnly)
    return absl::FailedPreconditionError("no run has begun that could be continued");
  return absl::OkStatus();
}

absl::StatusOr<std::optional<RunStats>> Emulator::advance(int64_t cycle,
                                                          std::atomic<int64_t> *cycles) {
  if (absl::Status status = impl->checkRuns(); !status.ok())
    return status;
  FlushDenormals flush;
  absl::StatusOr<bool> hasHalted = impl->advance(cycle, cycles);
  if (!hasHalted.ok())
    return hasHalted.status();
  return *hasHalted ? std::optional(impl->collect()) : std::nullopt;
}

absl::Status Emulator::cancel(int core) {
  if (absl::Status status = impl->checkRuns(); !status.ok())
    return status;
  if (core < 0 || size_t(core) >= impl->cores.size())
    return absl::NotFoundError(absl::StrCat("there is no core ", core));
  impl->cores[size_t(core)]->fail(TrapKind::Cancelled, kCancelled);
  impl->trap = impl->cores[size_t(core)]->trap;
  return toStatus(*impl->trap);
}

int64_t Emulator::hostMessages(int core) const {
  return impl->cores.at(size_t(core))->state.copies.hostMessages;
}

uint64_t Emulator::Impl::hash() {
  if (programHash == 0) {
    std::string bytes = program->header.SerializeAsString();
    bytes.append(reinterpret_cast<const char *>(program->code.data()),
                 program->code.size() * sizeof(program->code[0]));
    absl::StrAppend(&bytes, decoded->target().hash());
    programHash = llvm::xxh3_64bits(llvm::StringRef(bytes)) | 1;
  }
  return programHash;
}

absl::StatusOr<Snapshot> Emulator::snapshot() {
  if (absl::Status status = impl->checkRuns(); !status.ok())
    return status;
  if (impl->machine)
    return sharedMachine();
  Snapshot snapshot;
  snapshot.program = impl->hash();
  for (size_t i = 0; i < impl->cores.size(); ++i) {
    Core &core = *impl->cores[i];
    std::unique_ptr<emulation::MemoryImage> &image = impl->images[i];
    image = std::make_unique<emulation::MemoryImage>(
        emulation::MemoryImage::capture(core.memory, image.get()));
    snapshot.cores.push_back({captureState(core), *image});
    snapshot.stoppedAt = std::max(snapshot.stoppedAt, core.state.clock);
  }
  return snapshot;
}

absl::Status Emulator::restore(const Snapshot &snapshot, HostPort *host) {
  if (impl->options.timingOnly)
    return noData();
  if (impl->machine)
    return sharedMachine();
  if (snapshot.program != impl->hash() || snapshot.cores.size() != impl->cores.size())
    return absl::InvalidArgumentError("the snapshot is of another program or machine");
  FlushDenormals flush;
  impl->reset(host);
  impl->isStarted = false;
  for (size_t i = 0; i < impl->cores.size(); ++i) {
    Core &core = *impl->cores[i];
    const Snapshot::Core &from = snapshot.cores[i];
    core.memory.releaseAll();
    impl->images[i] = std::make_unique<emulation::MemoryImage>(from.memory);
    for (const absl::Status &status :
         {from.memory.restore(core.memory), restoreState(core, from.state)})
      if (!status.ok()) {
        impl->images[i].reset();
        impl->reset(host);
        impl->isStarted = false;
        return absl::InvalidArgumentError(absl::StrCat("core ", i, ": ", status.message()));
      }
  }
  impl->isStarted = true;
  return absl::OkStatus();
}

} // namespace systole
