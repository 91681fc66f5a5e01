// Executables of the C++ interface: signatures and runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "runtime/Library/State.h"

namespace systole::v0 {
namespace {

Division divisionOf(const program::Tensor &tensor, int cores) {
  Division division;
  division.wholeDims.assign(tensor.whole_dims().begin(), tensor.whole_dims().end());
  division.terms.assign(tensor.core_terms().begin(), tensor.core_terms().end());
  const auto &positions = tensor.core_positions();
  for (int core = 0; core < cores && !positions.empty(); ++core)
    division.positions.emplace_back(positions.begin() + core * tensor.dims_size(),
                                    positions.begin() + (core + 1) * tensor.dims_size());
  return division;
}

Signature signatureOf(const LoadedProgram &program) {
  Signature signature;
  const program::ProgramHeader &header = program.program().header;
  for (int i = 0; i < header.arguments_size(); ++i)
    signature.arguments.push_back({.name = header.arguments(i).name(),
                                   .type = tensorType(*program.arguments()[size_t(i)]),
                                   .donated = header.arguments(i).donated(),
                                   .division = divisionOf(header.arguments(i), header.cores())});
  for (int i = 0; i < header.results_size(); ++i)
    signature.results.push_back({.name = header.results(i).name(),
                                 .type = tensorType(*program.results()[size_t(i)]),
                                 .division = divisionOf(header.results(i), header.cores())});
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

Executable makeExecutable(std::vector<Device> devices, std::shared_ptr<LoadedProgram> program) {
  assert(int(devices.size()) == program->program().header.cores() && "a device for each core");
  auto state = std::make_shared<Executable::State>();
  const std::string &module = program->program().header.module();
  state->devices = std::move(devices);
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
  absl::StatusOr<std::shared_ptr<LoadedProgram>> program = Access::state(held).client().load(sysx);
  if (!program.ok())
    return program.status();
  const program::ProgramHeader &header = (*program)->program().header;
  if (header.cores() == 1)
    return makeExecutable({held}, *std::move(program));
  const std::vector<Device> slice = held.slice();
  std::vector<Device> devices;
  for (int core = 0; core < header.cores(); ++core)
    devices.push_back(
        slice[size_t(header.core_places_size() > 0 ? header.core_places(core) : core)]);
  return makeExecutable(std::move(devices), *std::move(program));
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

Device Executable::device() const { return state->devices.front(); }

const std::vector<Device> &Executable::devices() const { return state->devices; }

static absl::StatusOr<Execution> startRun(const std::shared_ptr<Executable::State> &state,
                                          std::span<const Buffer> arguments,
                                          const RunOptions &options, bool mayRunHere) {
  const LoadedProgram &program = *state->program;
  if (absl::Status status = checkTransfers(state->name, program.program().header); !status.ok())
    return status;
  const std::vector<Device> &devices = state->devices;
  const size_t each = program.arguments().size();
  if (arguments.size() != each * devices.size())
    return absl::InvalidArgumentError(absl::StrCat(
        state->name, " has ", each, each == 1 ? " argument" : " arguments",
        devices.size() > 1 ? absl::StrCat(" on each of ", devices.size(), " devices") : "",
        ", but ", arguments.size(), arguments.size() == 1 ? " was given" : " were given"));
  LaunchOptions launchOptions;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t number = i % each, device = i / each;
    auto what = [&] {
      return absl::StrCat("argument ", number, " of ", state->name,
                          devices.size() > 1 ? absl::StrCat(" on device ", devices[device].number())
                                             : "");
    };
    if (Access::isEmpty(arguments[i]))
      return absl::InvalidArgumentError(absl::StrCat(what(), " is an empty buffer"));
    Buffer::State &buffer = Access::state(arguments[i]);
    if (!program.accepts(number, *buffer.arrayType))
      return absl::InvalidArgumentError(
          absl::StrCat(what(), " is ", program.arguments()[number]->toString(), ", but given as ",
                       buffer.arrayType->toString()));
    if (buffer.device != devices[device])
      return absl::InvalidArgumentError(absl::StrCat(what(), " is on another device"));
    const bool gives = state->signature.arguments[number].donated && !options.keepDonated;
    // Buffers of other devices are others.
    const std::span<const Buffer> ofDevice = arguments.subspan(device * each, each);
    if (gives && std::ranges::count_if(ofDevice, [&](const Buffer &other) {
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
  for (const Device &device : devices) {
    ClientDevice &core = Access::state(device).core();
    core.stream.waitForRoom();
    launchOptions.devices.push_back(&core);
    if (!program.program().header.transfers().empty())
      launchOptions.channels.push_back(queuesOf(core));
  }
  auto outcome = std::make_shared<Outcome>();
  const std::vector<int64_t> donated = launchOptions.donated;
  launchOptions.program = state->program;
  launchOptions.name = state->name;
  launchOptions.client = &Access::state(devices.front()).client();
  launchOptions.cancel = Access::flag(options.cancellation);
  launchOptions.mayRunHere = mayRunHere;
  launchOptions.onSuccess = [outcome](LoadedProgram::Run &run) {
    std::lock_guard lock(outcome->mutex);
    outcome->stats = std::move(run.stats);
    outcome->seconds = run.seconds;
  };
  Launch launch(std::move(launchOptions));

  auto execution = std::make_shared<Execution::State>();
  execution->device = devices.front();
  execution->program = state->program;
  execution->done = launch.done();
  execution->outcome = std::move(outcome);
  const size_t eachResults = program.results().size();
  for (size_t i = 0; i < launch.results().size(); ++i) {
    auto buffer = std::make_shared<Buffer::State>();
    buffer->device = devices[i / eachResults];
    buffer->arrayType = program.results()[i % eachResults];
    buffer->type = state->signature.results[i % eachResults].type;
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
