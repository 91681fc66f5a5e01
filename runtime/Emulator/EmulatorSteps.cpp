// Runs in steps, snapshots between them, and runs that continue from one.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/EmulatorImpl.h"
#include "runtime/Emulator/Execution/Capture.h"
#include "runtime/Emulator/Execution/Pausing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

namespace systole {

using emulation::Core;

static absl::Status sharedMachine() {
  return absl::FailedPreconditionError("a snapshot is of a machine that no others use");
}

absl::Status Emulator::start(const HostPorts &hosts) {
  if (impl->options.timingOnly)
    return Impl::noData();
  if (absl::Status status = impl->loadConstants(); !status.ok())
    return status;
  impl->reset(hosts);
  return absl::OkStatus();
}

absl::Status Emulator::Impl::checkRuns() const {
  if (!isStarted || trap || options.timingOnly)
    return absl::FailedPreconditionError("no run has begun that could be continued");
  return absl::OkStatus();
}

absl::StatusOr<std::optional<RunStats>>
Emulator::advance(int64_t cycle, std::atomic<int64_t> *cycles, PausingStep *step) {
  if (absl::Status status = impl->checkRuns(); !status.ok())
    return status;
  if (step && !impl->options.interprets)
    return absl::FailedPreconditionError("runs that are interpreted can pause");
  FlushDenormals flush;
  if (step) {
    int64_t now = INT64_MAX;
    for (const auto &core : impl->cores)
      if (core->state.run != emulation::RunState::Halted)
        now = std::min(now, core->state.due());
    static const PausePoints none;
    const PausingStep other{none, step->isContinued};
    for (const auto &core : impl->cores)
      impl->pausing.emplace_back(step->points.areOf(core->index) ? *step : other, *core, now);
  }
  absl::StatusOr<bool> hasHalted = impl->advance(cycle, cycles);
  for (size_t i = 0; i < impl->pausing.size(); ++i)
    if (std::optional<Pause> pause = impl->pausing[i].pause(*impl->cores[i])) {
      if (!step->pause || pause->cycle < step->pause->cycle)
        step->pause = std::move(pause);
      else if (pause->cycle == step->pause->cycle)
        llvm::append_range(step->pause->hits, pause->hits);
    }
  if (step && step->pause)
    step->pause->isExact = !impl->windows;
  impl->pausing.clear();
  if (!hasHalted.ok())
    return hasHalted.status();
  return *hasHalted ? std::optional(impl->collect()) : std::nullopt;
}

CoreView Emulator::core(int core) const { return CoreView(*impl->cores.at(size_t(core))); }

absl::Status Emulator::cancel(int core) {
  if (absl::Status status = impl->checkRuns(); !status.ok())
    return status;
  if (core < 0 || size_t(core) >= impl->cores.size())
    return absl::NotFoundError(absl::StrCat("there is no core ", core));
  impl->cores[size_t(core)]->fail(TrapKind::Cancelled, Impl::kCancelled);
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
  if (impl->network)
    snapshot.network = impl->network->capture();
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

absl::Status Emulator::restore(const Snapshot &snapshot, const HostPorts &hosts) {
  if (impl->options.timingOnly)
    return Impl::noData();
  if (impl->machine)
    return sharedMachine();
  if (snapshot.program != impl->hash() || snapshot.cores.size() != impl->cores.size())
    return absl::InvalidArgumentError("the snapshot is of another program or machine");
  FlushDenormals flush;
  impl->reset(hosts);
  impl->isStarted = false;
  if (impl->network)
    if (absl::Status status = impl->network->restore(snapshot.network); !status.ok())
      return absl::InvalidArgumentError(absl::StrCat("the network: ", status.message()));
  for (size_t i = 0; i < impl->cores.size(); ++i) {
    Core &core = *impl->cores[i];
    const Snapshot::Core &from = snapshot.cores[i];
    core.memory.releaseAll();
    impl->images[i] = std::make_unique<emulation::MemoryImage>(from.memory);
    for (const absl::Status &status :
         {from.memory.restore(core.memory), restoreState(core, from.state)})
      if (!status.ok()) {
        impl->images[i].reset();
        impl->reset(hosts);
        impl->isStarted = false;
        return absl::InvalidArgumentError(absl::StrCat("core ", i, ": ", status.message()));
      }
  }
  impl->isStarted = true;
  return absl::OkStatus();
}

} // namespace systole
