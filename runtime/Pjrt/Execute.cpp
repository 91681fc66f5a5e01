// Runs: arguments are taken, result buffers returned, and the work is queued on the devices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unordered_map>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "runtime/Client/Launch.h"
#include "runtime/Pjrt/AnswerRecording.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/HostCallbacks.h"
#include "runtime/Pjrt/Objects.h"

namespace systole::pjrt {
namespace {

absl::Status takeArguments(const PJRT_LoadedExecutable &executable, PJRT_Buffer *const *buffers,
                           size_t count, PJRT_Device *device, LaunchOptions &launch) {
  const auto types = executable.program->loaded->arguments();
  if (count != types.size())
    // Clients look for XLA's wording.
    return absl::InvalidArgumentError(
        absl::StrCat("Execution supplied ", count, " buffers but compiled program expected ",
                     types.size(), " buffers (", executable.program->name, ")"));
  for (size_t i = 0; i < count; ++i) {
    PJRT_Buffer *buffer = buffers[i];
    SYSTOLE_PJRT_REQUIRE(buffer);
    if (!executable.program->loaded->accepts(i, *buffer->type))
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, " of ", executable.program->name, " is ",
                       types[i]->toString(), ", but given as ", buffer->type->toString()));
    if (const program::Memory memory = executable.program->loaded->argumentMemory(i);
        buffer->memory->kind != memory)
      return absl::InvalidArgumentError(absl::StrCat(
          "argument ", i, " of ", executable.program->name, " is in ",
          memoryKind(buffer->memory->kind), ", but the program has it in ", memoryKind(memory)));
    if (buffer->device != device)
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, " of ", executable.program->name, " is on ",
                       buffer->device->description->text, ", but the program runs on ",
                       device->description->text));
    std::lock_guard lock(buffer->mutex);
    if (!buffer->value)
      return absl::InvalidArgumentError(absl::StrCat(
          "argument ", i, " of ", executable.program->name, " has been deleted or donated"));
    launch.arguments.push_back(buffer->value);
  }
  return absl::OkStatus();
}

// Adds the arguments of one device that this run may reuse, by their numbers among those of all
// devices, of which the first one is `first`. InvalidArgument, as on a TPU, if one is passed twice.
absl::Status addDonated(const CompiledProgram &program, const PJRT_ExecuteOptions &options,
                        PJRT_Buffer *const *buffers, size_t count, size_t first,
                        std::vector<int64_t> &donated) {
  if (program.donated.empty())
    return absl::OkStatus();
  const std::unordered_set<int64_t> kept(options.non_donatable_input_indices,
                                         options.non_donatable_input_indices +
                                             options.num_non_donatable_input_indices);
  std::unordered_map<const PJRT_Buffer *, int> times;
  for (size_t i = 0; i < count; ++i)
    ++times[buffers[i]];
  for (int64_t index : program.donated) {
    if (kept.contains(index))
      continue;
    if (times[buffers[index]] > 1)
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", index, " of ", program.name,
                       " is donated, but the same array is another argument, too"));
    donated.push_back(int64_t(first) + index);
  }
  return absl::OkStatus();
}

// The devices of a run: those of the executable, or the one that a portable executable is called
// for.
absl::StatusOr<std::vector<PJRT_Device *>>
devicesOf(const PJRT_LoadedExecutable &executable, const PJRT_LoadedExecutable_Execute_Args &args) {
  const std::string &name = executable.program->name;
  std::vector<PJRT_Device *> devices = executable.devicePointers;
  if (args.execute_device) {
    if (devices.size() > 1)
      return absl::InvalidArgumentError(
          absl::StrCat(name, " runs on ", devices.size(), " devices, not on one alone"));
    devices = {args.execute_device};
  }
  if (devices.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is portable, and the device that it is to run on is not given"));
  if (args.num_devices != devices.size())
    return absl::InvalidArgumentError(absl::StrCat(name, " runs on ", devices.size(),
                                                   " devices, and arguments are given for ",
                                                   args.num_devices));
  return devices;
}

std::unique_ptr<PJRT_Buffer> resultOf(const LoadedProgram &program, size_t number,
                                      PJRT_Device *device, std::shared_ptr<PendingArray> value) {
  auto buffer = std::make_unique<PJRT_Buffer>();
  buffer->device = device;
  buffer->memory = device->memoryPointers[program.resultMemory(number)];
  buffer->type = program.results()[number];
  const program::Tensor &tensor = program.program().header.results(int(number));
  for (const program::DynamicDim &dim : tensor.dynamic_dims())
    buffer->dynamicDims.push_back(size_t(dim.dim()));
  buffer->value = std::move(value);
  return buffer;
}

} // namespace

absl::Status LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  PJRT_LoadedExecutable &executable = *args.executable;
  LoadedProgram &program = *executable.program->loaded;
  const size_t numResults = program.results().size();
  SYSTOLE_PJRT_REQUIRE_LIST(args.argument_lists, args.num_args);
  SYSTOLE_PJRT_REQUIRE_LIST(args.output_lists, numResults);
  const PJRT_ExecuteOptions options = nestedCopyOf(args.options);
  SYSTOLE_PJRT_REQUIRE_LIST(options.non_donatable_input_indices,
                            options.num_non_donatable_input_indices);
  if (executable.deleted)
    return absl::FailedPreconditionError(
        absl::StrCat(executable.program->name, " has been deleted"));
  absl::StatusOr<std::vector<PJRT_Device *>> devices = devicesOf(executable, args);
  if (!devices.ok())
    return devices.status();
  for (size_t i = 0; i < devices->size(); ++i) {
    SYSTOLE_PJRT_REQUIRE_LIST(args.argument_lists[i], args.num_args);
    SYSTOLE_PJRT_REQUIRE_LIST(args.output_lists[i], numResults);
  }
  for (PJRT_Device *device : *devices)
    device->device->stream.waitForRoom();

  LaunchOptions run;
  const bool hasTransfers = !program.program().header.transfers().empty();
  for (size_t i = 0; hasTransfers && i < devices->size(); ++i) {
    absl::StatusOr<HostChannels> channels = channelsOf(options, i);
    if (!channels.ok())
      return channels.status();
    if (absl::Status status = checkChannels(program.program(), *channels); !status.ok())
      return status;
    run.channels.push_back(*std::move(channels));
  }
  recordIfFirst(program.program().header, run.channels);
  run.program = executable.program->loaded;
  run.name = executable.program->name;
  run.client = devices->front()->client->client.get();
  // The arguments of all devices, one list after the other.
  std::vector<PJRT_Buffer *> buffers;
  for (size_t i = 0; i < devices->size(); ++i) {
    PJRT_Device *device = (*devices)[i];
    PJRT_Buffer *const *list = args.num_args > 0 ? args.argument_lists[i] : nullptr;
    run.devices.push_back(device->device);
    if (absl::Status status = takeArguments(executable, list, args.num_args, device, run);
        !status.ok())
      return status;
    if (absl::Status status = addDonated(*executable.program, options, list, args.num_args,
                                         buffers.size(), run.donated);
        !status.ok())
      return status;
    buffers.insert(buffers.end(), list, list + args.num_args);
  }

  const std::vector<int64_t> donated = run.donated;
  Launch launch(std::move(run));
  std::vector<std::unique_ptr<PJRT_Buffer>> results;
  for (size_t i = 0; i < launch.results().size(); ++i)
    results.push_back(
        resultOf(program, i % numResults, (*devices)[i / numResults], launch.results()[i]));
  std::vector<std::unique_ptr<PJRT_Event>> complete;
  if (args.device_complete_events)
    for (size_t i = 0; i < devices->size(); ++i)
      complete.push_back(std::make_unique<PJRT_Event>(PJRT_Event{launch.done()}));

  // The run reuses the memory of buffers that are its own alone.
  for (int64_t index : donated) {
    std::lock_guard lock(buffers[size_t(index)]->mutex);
    buffers[size_t(index)]->value = nullptr;
  }
  if (absl::Status status = launch.start(); !status.ok()) {
    for (int64_t index : donated) {
      std::lock_guard lock(buffers[size_t(index)]->mutex);
      buffers[size_t(index)]->value = launch.arguments()[size_t(index)];
    }
    return status;
  }

  for (size_t i = 0; i < results.size(); ++i)
    args.output_lists[i / numResults][i % numResults] = results[i].release();
  for (size_t i = 0; i < complete.size(); ++i)
    args.device_complete_events[i] = complete[i].release();
  return absl::OkStatus();
}

} // namespace systole::pjrt
