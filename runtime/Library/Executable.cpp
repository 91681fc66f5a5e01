// Executables of the C++ interface: signatures and runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "runtime/Library/State.h"

namespace systole::v0 {
namespace {

Signature signatureOf(const LoadedProgram &program) {
  Signature signature;
  const program::ProgramHeader &header = program.program().header;
  for (int i = 0; i < header.arguments_size(); ++i)
    signature.arguments.push_back({.name = header.arguments(i).name(),
                                   .type = tensorType(*program.arguments()[size_t(i)]),
                                   .donated = header.arguments(i).donated()});
  for (int i = 0; i < header.results_size(); ++i)
    signature.results.push_back(
        {.name = header.results(i).name(), .type = tensorType(*program.results()[size_t(i)])});
  return signature;
}

// Programs with callbacks wait for functions of the host, which this interface does not take yet;
// it has the device's queues. Its buffers are on devices.
absl::Status checkTransfers(const std::string &name, const program::ProgramHeader &header) {
  for (const auto *entries : {&header.arguments(), &header.results()})
    for (const program::Tensor &entry : *entries)
      if (entry.memory() != program::DEVICE)
        return absl::UnimplementedError(
            absl::StrCat(entry.name(), " of ", name, " is in the memory ",
                         memoryKind(entry.memory()), "; the library does not support that yet"));
  for (const program::HostTransfer &transfer : header.transfers())
    if (!transfer.queued())
      return absl::UnimplementedError(
          absl::StrCat(transfer.source().empty() ? "" : absl::StrCat(transfer.source(), ": "), name,
                       " exchanges data with the host over channel ", transfer.channel(),
                       " while it runs, as callbacks do; the library does not support that yet"));
  return absl::OkStatus();
}

HostChannels queuesOf(ClientDevice &device) {
  HostChannels channels;
  channels.outfeed = [&device](HostArray array) {
    device.outfeed.put(std::move(array));
    return absl::OkStatus();
  };
  channels.infeed = [&device](const program::Tensor &expected, const std::atomic<bool> *cancel) {
    return device.infeed.take({.dtype = expected.dtype(),
                               .dims = {expected.dims().begin(), expected.dims().end()},
                               .bytes = {}},
                              cancel);
  };
  return channels;
}

} // namespace

absl::StatusOr<Executable> makeExecutable(const Device &device,
                                          std::shared_ptr<LoadedProgram> program) {
  if (program->program().header.cores() > 1)
    return absl::UnimplementedError(absl::StrCat("the program is for ",
                                                 program->program().header.cores(),
                                                 " devices; the library has one and does not "
                                                 "support such programs yet"));
  auto state = std::make_shared<Executable::State>();
  const std::string &module = program->program().header.module();
  state->device = device;
  state->name = module.empty() ? "main" : module;
  state->signature = signatureOf(*program);
  state->program = std::move(program);
  return Access::make<Executable>(std::move(state));
}

absl::StatusOr<Executable> Executable::load(const Device &device, std::string_view sysx) {
  if (Access::isEmpty(device))
    return absl::InvalidArgumentError("the device is empty");
  // The caller's handle may be destroyed meanwhile.
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const Device held = device;
  absl::StatusOr<std::shared_ptr<LoadedProgram>> program = Access::state(held).client->load(sysx);
  return program.ok() ? makeExecutable(held, *std::move(program)) : program.status();
}

absl::StatusOr<std::string> Executable::serialize() const {
  return serializeProgram(state->program->program());
}

const std::string &Executable::name() const { return state->name; }

const Signature &Executable::signature() const { return state->signature; }

const std::string &Executable::precision() const {
  return state->program->program().header.precision();
}

ProgramMemory Executable::memory() const {
  const systole::ProgramMemory memory = state->program->memory();
  return {.code = memory.code,
          .arguments = memory.device.arguments,
          .results = memory.device.results,
          .aliased = memory.device.aliased,
          .temporaries = memory.device.temporaries,
          .peak = memory.device.peak};
}

Device Executable::device() const { return state->device; }

static absl::StatusOr<Execution> startRun(const std::shared_ptr<Executable::State> &state,
                                          std::span<const Buffer> arguments,
                                          const RunOptions &options, bool mayRunHere) {
  const LoadedProgram &program = *state->program;
  Device::State &device = Access::state(state->device);
  if (absl::Status status = checkTransfers(state->name, program.program().header); !status.ok())
    return status;
  if (arguments.size() != program.arguments().size())
    return absl::InvalidArgumentError(absl::StrCat(state->name, " has ", program.arguments().size(),
                                                   " arguments, but ", arguments.size(),
                                                   " were given"));
  LaunchOptions launchOptions;
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto what = [&] { return absl::StrCat("argument ", i, " of ", state->name); };
    if (Access::isEmpty(arguments[i]))
      return absl::InvalidArgumentError(absl::StrCat(what(), " is an empty buffer"));
    Buffer::State &buffer = Access::state(arguments[i]);
    if (!program.accepts(i, *buffer.arrayType))
      return absl::InvalidArgumentError(
          absl::StrCat(what(), " is ", program.arguments()[i]->toString(), ", but given as ",
                       buffer.arrayType->toString()));
    if (&Access::state(buffer.device) != &device)
      return absl::InvalidArgumentError(absl::StrCat(what(), " is on another device"));
    const bool gives = state->signature.arguments[i].donated && !options.keepDonated;
    if (gives && std::ranges::count_if(arguments, [&](const Buffer &other) {
                   return !Access::isEmpty(other) && &Access::state(other) == &buffer;
                 }) > 1)
      return absl::InvalidArgumentError(
          absl::StrCat(what(), " is donated, but the same buffer is another argument, too"));
    absl::StatusOr<std::shared_ptr<PendingArray>> value = buffer.hold();
    if (!value.ok())
      return absl::Status(value.status().code(),
                          absl::StrCat(what(), ": ", value.status().message()));
    launchOptions.arguments.push_back(*std::move(value));
    if (gives)
      launchOptions.donated.push_back(int64_t(i));
  }
  device.core().stream.waitForRoom();
  auto outcome = std::make_shared<Outcome>();
  const std::vector<int64_t> donated = launchOptions.donated;
  launchOptions.program = state->program;
  launchOptions.name = state->name;
  launchOptions.client = device.client.get();
  launchOptions.devices = {&device.core()};
  launchOptions.channels = {queuesOf(device.core())};
  launchOptions.cancel = Access::flag(options.cancellation);
  launchOptions.mayRunHere = mayRunHere;
  launchOptions.onSuccess = [outcome](LoadedProgram::Run &run) {
    std::lock_guard lock(outcome->mutex);
    outcome->stats = std::move(run.stats);
    outcome->seconds = run.seconds;
  };
  Launch launch(std::move(launchOptions));

  auto execution = std::make_shared<Execution::State>();
  execution->device = state->device;
  execution->program = state->program;
  execution->done = launch.done();
  execution->outcome = std::move(outcome);
  for (size_t i = 0; i < launch.results().size(); ++i) {
    auto buffer = std::make_shared<Buffer::State>();
    buffer->device = state->device;
    buffer->arrayType = program.results()[i];
    buffer->type = state->signature.results[i].type;
    buffer->value = launch.results()[i];
    execution->results.push_back(Access::make<Buffer>(std::move(buffer)));
  }
  // The run reuses the memory of buffers that are its own alone.
  for (int64_t i : donated)
    arguments[size_t(i)].release();
  if (absl::Status status = launch.start(); !status.ok()) {
    for (int64_t i : donated)
      Access::state(arguments[size_t(i)]).restore(launch.arguments()[size_t(i)]);
    return status;
  }
  return Access::make<Execution>(std::move(execution));
}

absl::StatusOr<Execution> Executable::runAsync(std::span<const Buffer> arguments,
                                               const RunOptions &options) const {
  // The length of a run may depend on its data, so none begins on the caller's thread.
  return startRun(state, arguments, options, /*mayRunHere=*/false);
}

absl::StatusOr<Execution> Executable::run(std::span<const Buffer> arguments,
                                          const RunOptions &options) const {
  absl::StatusOr<Execution> execution = startRun(state, arguments, options, /*mayRunHere=*/true);
  if (!execution.ok())
    return execution;
  if (absl::Status status = execution->done().await(); !status.ok())
    return status;
  return execution;
}

absl::StatusOr<Report> Executable::predict() const {
  absl::StatusOr<RunStats> stats = state->program->predict();
  if (!stats.ok())
    return stats.status();
  return publicReport(*state->program, *stats, std::nullopt);
}

Event Execution::done() const { return Access::event(state->done); }

const std::vector<Buffer> &Execution::results() const { return state->results; }

absl::StatusOr<Report> Execution::report() const {
  if (absl::Status status = state->done.await(); !status.ok())
    return status;
  std::lock_guard lock(state->outcome->mutex);
  return publicReport(*state->program, state->outcome->stats, state->outcome->seconds);
}

} // namespace systole::v0
