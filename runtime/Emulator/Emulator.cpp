// Loading of programs, access to HBM, and the order in which cores execute.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Emulator.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Code.h"
#include "runtime/Emulator/Core.h"
#include "runtime/Emulator/Kernels.h"

namespace systole {

using emulation::Core;
using emulation::RunState;

// Blocks between checks of cancellation and memory: tens of microseconds.
static constexpr int64_t kBlocksAtOnce = 64;
// Most of HBM that a run for timing holds.
static constexpr int64_t kMostKnownBytes = int64_t(1) << 30;

struct Emulator::Impl {
  std::shared_ptr<const Program> program;
  Target target;
  EmulatorOptions options;
  emulation::Code code;
  std::unique_ptr<emulation::Demand> demand; // with timingOnly
  std::vector<std::unique_ptr<Core>> cores;
  std::optional<TrapInfo> trap;

  // The first byte and the number of bytes of a region in `space`.
  absl::StatusOr<std::pair<size_t, size_t>> rangeOf(program::Space space, int region,
                                                    int core) const;
  int64_t touchedBytes() const;
  absl::Status loadConstants();
  // Timing only: the contents of HBM when a run begins.
  absl::Status loadKnown(const WriteArguments &arguments);
  absl::StatusOr<RunStats> runOnce(HostPort *host, std::atomic<int64_t> *cycles);
  absl::StatusOr<RunStats> runForTiming(HostPort *host, std::atomic<int64_t> *cycles,
                                        const WriteArguments &arguments);
  absl::StatusOr<std::unique_ptr<Core>> createCore(int index);
  // The core with the earliest event; null if all have halted.
  Core *nextCore();
  void exchange(Core &from);
  void guard(Core &core, std::atomic<int64_t> *cycles);
};

Emulator::Emulator(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Emulator::~Emulator() = default;
const Program &Emulator::program() const { return *impl->program; }
const Target &Emulator::target() const { return impl->target; }
const std::optional<TrapInfo> &Emulator::lastTrap() const { return impl->trap; }

static absl::Status checkSizes(const Program &program, const Target &target) {
  const program::ProgramHeader &header = program.header;
  if (formatOf(header) != target.bundleFormat())
    return absl::InvalidArgumentError(absl::StrCat(
        "the program's bundles have other slots than those of target ", target.name()));
  auto check = [&](const char *what, int64_t used, int64_t available) {
    if (used <= available)
      return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("the program uses ", used, " ", what,
                                                   "; target ", target.name(), " has ", available));
  };
  if (absl::Status status = check("rows of HBM", header.hbm_rows(), target.hbmRows()); !status.ok())
    return status;
  if (absl::Status status = check("rows of VMEM", header.vmem_rows(), target.vmemRows());
      !status.ok())
    return status;
  if (absl::Status status = check("words of SMEM", header.smem_words(), target.smemWords());
      !status.ok())
    return status;
  return check("cores", header.cores(), target.cores());
}

absl::StatusOr<std::unique_ptr<Emulator>> Emulator::create(std::shared_ptr<const Program> program,
                                                           const Target &target,
                                                           const EmulatorOptions &options) {
  if (absl::Status status = checkHeader(*program); !status.ok())
    return status;
  if (absl::Status status = checkSizes(*program, target); !status.ok())
    return status;
  absl::StatusOr<emulation::Code> code = emulation::decodeProgram(*program, target);
  if (!code.ok())
    return code.status();
  auto impl = std::make_unique<Impl>(Impl{program, target, options, *std::move(code), {}, {}, {}});
  for (int i = 0; i < program->header.cores(); ++i) {
    absl::StatusOr<std::unique_ptr<Core>> core = impl->createCore(i);
    if (!core.ok())
      return core.status();
    impl->cores.push_back(*std::move(core));
  }
  return std::unique_ptr<Emulator>(new Emulator(std::move(impl)));
}

absl::StatusOr<std::unique_ptr<Core>> Emulator::Impl::createCore(int index) {
  const program::ProgramHeader &header = program->header;
  absl::StatusOr<emulation::Memory> memory = emulation::Memory::create(
      {header.hbm_rows(), header.vmem_rows(), header.smem_words(), header.pinned_rows()},
      options.timingOnly);
  if (!memory.ok())
    return memory.status();
  auto core = std::make_unique<Core>(*program, code, target, index, options.timingOnly,
                                     options.maxCycles, options.assumedTrips, *std::move(memory));
  if (absl::Status status = core->allocate(); !status.ok())
    return status;
  return core;
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

absl::StatusOr<absl::Span<const uint8_t>> Emulator::readHbm(int region, int core) const {
  if (impl->options.timingOnly)
    return noData();
  auto range = impl->rangeOf(program::HBM, region, core);
  if (!range.ok())
    return range.status();
  auto *hbm = reinterpret_cast<const uint8_t *>(impl->cores[size_t(core)]->memories().hbm());
  return absl::MakeConstSpan(hbm + range->first, range->second);
}

absl::StatusOr<absl::Span<uint8_t>> Emulator::pinned(int region) const {
  if (impl->options.timingOnly)
    return noData();
  auto range = impl->rangeOf(program::PINNED, region, 0);
  if (!range.ok())
    return range.status();
  auto *memory = reinterpret_cast<uint8_t *>(impl->cores[0]->memories().pinned());
  return absl::MakeSpan(memory + range->first, range->second);
}

absl::StatusOr<absl::Span<uint8_t>> Emulator::writeHbm(int region, int core) {
  auto range = impl->rangeOf(program::HBM, region, core);
  if (!range.ok())
    return range.status();
  if (impl->options.timingOnly && !(impl->demand && impl->demand->loads(region)))
    return noData();
  emulation::Memory &memory = impl->cores[size_t(core)]->memories();
  memory.touchHbm(range->first, range->second);
  if (int64_t cap = impl->options.memoryCapBytes; cap > 0 && impl->touchedBytes() > cap)
    return absl::ResourceExhaustedError(absl::StrCat(
        "HBM in use on the host is ", impl->touchedBytes(), " bytes; the cap is ", cap));
  return absl::MakeSpan(reinterpret_cast<uint8_t *>(memory.hbm()) + range->first, range->second);
}

void Emulator::releaseHbm(int region, int core) {
  auto range = impl->rangeOf(program::HBM, region, core);
  if (range.ok())
    impl->cores[size_t(core)]->memories().releaseHbm(range->first, range->second);
}

void Emulator::releaseMemory() {
  for (auto &core : impl->cores)
    core->memories().releaseAll();
}

int64_t Emulator::Impl::touchedBytes() const {
  int64_t bytes = 0;
  for (const auto &core : cores)
    bytes += core->memories().touchedBytes();
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
      core->memories().touchHbm(range->first, bytes.size());
      std::memcpy(reinterpret_cast<uint8_t *>(core->memories().hbm()) + range->first, bytes.data(),
                  bytes.size());
    }
  return absl::OkStatus();
}

// Cores only interact through messages, which arrive later than they are sent and
// are only received at the beginning of a block: so the earliest core runs first.
Core *Emulator::Impl::nextCore() {
  Core *next = nullptr;
  for (auto &core : cores)
    if (core->state() != RunState::Halted && (!next || core->due() < next->due()))
      next = core.get();
  return next;
}

void Emulator::Impl::exchange(Core &from) {
  for (auto &message : std::exchange(from.outbox(), {}))
    cores[size_t(message.core)]->receive(std::move(message.message));
}

// Stops a core that exceeds a limit or is cancelled.
void Emulator::Impl::guard(Core &core, std::atomic<int64_t> *cycles) {
  if (cycles)
    cycles->store(core.now(), std::memory_order_relaxed);
  if (options.cancel && options.cancel->load(std::memory_order_relaxed))
    core.fail(TrapKind::Cancelled, "the run was cancelled");
  if (int64_t cap = options.memoryCapBytes; cap > 0 && touchedBytes() > cap)
    core.fail(TrapKind::MemoryCap, absl::StrCat("HBM in use on the host is ", touchedBytes(),
                                                " bytes; the cap is ", cap));
}

absl::StatusOr<RunStats> Emulator::Impl::runOnce(HostPort *host, std::atomic<int64_t> *cycles) {
  int64_t blocks = cores.size() == 1 ? kBlocksAtOnce : 1;
  trap.reset();
  while (Core *core = nextCore()) {
    if (core->state() == RunState::Waiting)
      core->resume();
    else
      core->run(blocks);
    if (core->state() != RunState::Trapped)
      guard(*core, cycles);
    if (core->state() == RunState::Trapped) {
      trap = core->trap();
      return toStatus(*trap);
    }
    exchange(*core);
  }
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
      std::fill_n(core->memories().origins(program::PINNED), rows, emulation::kNever);
  for (auto &core : cores)
    for (const int32_t region : demand->initialRegions())
      if (const program::Region &r = program->header.regions(region); !demand->loads(region))
        std::fill_n(core->memories().origins(program::HBM) + r.base(), r.size(),
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
    for (auto &core : cores) {
      core->memories().releaseAll();
      core->reset(demand.get(), options.trace, options.countCopies, host, options.cancel);
    }
    if (absl::Status status = loadKnown(arguments); !status.ok())
      return status;
    absl::StatusOr<RunStats> stats = runOnce(host, cycles);
    if (stats.ok() ? !demand->isIncomplete() : absl::IsCancelled(stats.status()))
      return stats;
    if (demand->grow())
      continue;
    if (const std::optional<TrapInfo> &missing = demand->missingStatement()) {
      trap = missing;
      return toStatus(*trap);
    }
    return stats;
  }
}

absl::StatusOr<RunStats> Emulator::run(HostPort *host, std::atomic<int64_t> *cycles,
                                       const WriteArguments &arguments) {
  FlushDenormals flush;
  if (impl->options.timingOnly)
    return impl->runForTiming(host, cycles, arguments);
  if (absl::Status status = impl->loadConstants(); !status.ok())
    return status;
  for (auto &core : impl->cores)
    core->reset(nullptr, impl->options.trace, impl->options.countCopies, host,
                impl->options.cancel);
  return impl->runOnce(host, cycles);
}

} // namespace systole
