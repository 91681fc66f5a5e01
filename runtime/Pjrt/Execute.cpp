// Runs: arguments are taken, result buffers returned, and the work is queued on the device.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unordered_map>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "runtime/Client/Launch.h"
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

// The arguments that this run may reuse. InvalidArgument, as on a TPU, if one is passed twice.
absl::StatusOr<std::vector<int64_t>> donatedOf(const CompiledProgram &program,
                                               const PJRT_ExecuteOptions &options,
                                               PJRT_Buffer *const *buffers, size_t count) {
  const std::unordered_set<int64_t> kept(options.non_donatable_input_indices,
                                         options.non_donatable_input_indices +
                                             options.num_non_donatable_input_indices);
  std::vector<int64_t> donated;
  for (int64_t index : program.donated)
    if (!kept.contains(index))
      donated.push_back(index);
  if (donated.empty())
    return donated;
  std::unordered_map<const PJRT_Buffer *, int> times;
  for (size_t i = 0; i < count; ++i)
    ++times[buffers[i]];
  for (int64_t index : donated)
    if (times[buffers[index]] > 1)
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", index, " of ", program.name,
                       " is donated, but the same array is another argument, too"));
  return donated;
}

} // namespace

absl::Status LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  PJRT_LoadedExecutable &executable = *args.executable;
  const size_t numResults = executable.program->loaded->results().size();
  SYSTOLE_PJRT_REQUIRE_LIST(args.argument_lists, args.num_args);
  SYSTOLE_PJRT_REQUIRE_LIST(args.output_lists, numResults);
  const PJRT_ExecuteOptions options = nestedCopyOf(args.options);
  SYSTOLE_PJRT_REQUIRE_LIST(options.non_donatable_input_indices,
                            options.num_non_donatable_input_indices);
  if (executable.deleted)
    return absl::FailedPreconditionError(
        absl::StrCat(executable.program->name, " has been deleted"));
  if (args.num_devices != 1)
    return absl::UnimplementedError(
        absl::StrCat("runs on ", args.num_devices, " devices at once are not supported yet"));
  SYSTOLE_PJRT_REQUIRE_LIST(args.argument_lists[0], args.num_args);
  SYSTOLE_PJRT_REQUIRE_LIST(args.output_lists[0], numResults);
  PJRT_Device *device = args.execute_device ? args.execute_device : executable.device;
  SYSTOLE_PJRT_REQUIRE(device);

  device->device->stream.waitForRoom();
  absl::StatusOr<HostChannels> channels = channelsOf(options);
  if (!channels.ok())
    return channels.status();
  const Program &program = executable.program->loaded->program();
  if (absl::Status status = checkChannels(program, *channels); !status.ok())
    return status;
  LaunchOptions run;
  run.channels = *std::move(channels);
  run.program = executable.program->loaded;
  run.name = executable.program->name;
  run.device = device->device;
  run.client = device->client->client.get();
  PJRT_Buffer *const *buffers = args.num_args > 0 ? args.argument_lists[0] : nullptr;
  if (absl::Status status = takeArguments(executable, buffers, args.num_args, device, run);
      !status.ok())
    return status;

  absl::StatusOr<std::vector<int64_t>> donated =
      donatedOf(*executable.program, options, buffers, args.num_args);
  if (!donated.ok())
    return donated.status();
  run.donated = *donated;

  Launch launch(std::move(run));
  std::vector<std::unique_ptr<PJRT_Buffer>> results;
  for (size_t i = 0; i < launch.results().size(); ++i) {
    auto buffer = std::make_unique<PJRT_Buffer>();
    buffer->device = device;
    buffer->memory = device->memoryPointers[executable.program->loaded->resultMemory(i)];
    buffer->type = executable.program->loaded->results()[i];
    for (const program::DynamicDim &dim : program.header.results(int(i)).dynamic_dims())
      buffer->dynamicDims.push_back(size_t(dim.dim()));
    buffer->value = launch.results()[i];
    results.push_back(std::move(buffer));
  }
  std::unique_ptr<PJRT_Event> complete;
  if (args.device_complete_events)
    complete = std::make_unique<PJRT_Event>(PJRT_Event{launch.done()});

  // The run reuses the memory of buffers that are its own alone.
  for (int64_t index : *donated) {
    std::lock_guard lock(buffers[index]->mutex);
    buffers[index]->value = nullptr;
  }
  if (absl::Status status = launch.start(); !status.ok()) {
    for (int64_t index : *donated) {
      std::lock_guard lock(buffers[index]->mutex);
      buffers[index]->value = launch.arguments()[size_t(index)];
    }
    return status;
  }

  for (size_t i = 0; i < results.size(); ++i)
    args.output_lists[0][i] = results[i].release();
  if (complete)
    args.device_complete_events[0] = complete.release();
  return absl::OkStatus();
}

} // namespace systole::pjrt
