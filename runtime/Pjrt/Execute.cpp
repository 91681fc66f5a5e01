// Runs: arguments taken, results promised, the work in the device's order.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <unordered_map>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "runtime/Client/Profiler.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/HostCallbacks.h"
#include "runtime/Pjrt/Objects.h"
#include "runtime/Report/ProgressLine.h"

namespace systole::pjrt {
namespace {

// A program that took no longer last time runs on the caller's thread.
constexpr double kShortSeconds = 500e-6;

using Values = std::vector<std::shared_ptr<PJRT_Buffer::Value>>;

struct Task {
  std::shared_ptr<CompiledProgram> program;
  ClientDevice *device;
  Client *client;
  Values arguments, results;
  std::vector<int64_t> donated;
  HostChannels channels;
  bool isNested = false; // in a callback of a program of the same device
  Event done;
  PendingRun pending;
  const uint64_t session = profileSession(); // at the call

  absl::Status run();
};

// While the host is at work for a program, its device runs what the host's function wants.
class StreamPort : public ChannelPort {
public:
  StreamPort(const Program &program, const HostChannels &channels, Stream &stream)
      : ChannelPort(program, channels), stream(stream) {}

  absl::Status send(int region, absl::Span<const uint32_t> words) override {
    Stream::Waiting waiting(stream);
    return ChannelPort::send(region, words);
  }
  absl::Status receive(int region, absl::Span<uint32_t> words,
                       const std::atomic<bool> *cancel) override {
    Stream::Waiting waiting(stream);
    return ChannelPort::receive(region, words, cancel);
  }

private:
  Stream &stream;
};

absl::Status Task::run() {
  for (const auto &argument : arguments)
    if (isNested && !argument->ready.isReady())
      return absl::FailedPreconditionError(
          absl::StrCat(program->name, ": an argument comes from a program that waits for the "
                                      "callback which calls this one"));
  for (const auto &argument : arguments)
    if (absl::Status status = argument->ready.await(); !status.ok())
      return status;
  std::vector<std::shared_ptr<DeviceArray>> arrays;
  for (auto &argument : arguments)
    // An argument that only this run holds may give its memory to a result.
    arrays.push_back(argument.use_count() == 1 ? std::move(argument->array) : argument->array);
  StreamPort port(program->loaded->program(), channels, device->stream);
  std::atomic<int64_t> cycles = 0;
  absl::StatusOr<LoadedProgram::Run> run = [&] {
    ProgressLine::Task shown(client->progress(), [&] {
      return absl::StrCat(
          "running @", program->name, ": ",
          cyclesSoFar(cycles.load(std::memory_order_relaxed), client->target().clockHz()));
    });
    return program->loaded->run(std::move(arrays), donated, *device->hbm, client->cancelFlag(),
                                &port, &cycles);
  }();
  // An error of the host's own reaches who waits as it is.
  if (!port.status().ok())
    return port.status();
  if (!run.ok())
    return absl::Status(run.status().code(),
                        absl::StrCat(program->name, ": ", run.status().message()));
  for (size_t i = 0; i < results.size(); ++i)
    results[i]->array = std::move(run->results[i]);
  if (run->profileSession == session)
    profileRun(session, *program->loaded, run->stats, device->id, *device->hbm);
  if (client->log().isActive())
    client->log().ran(*program->loaded, run->stats, run->seconds, device->id);
  return absl::OkStatus();
}

absl::Status takeArguments(const PJRT_LoadedExecutable &executable, PJRT_Buffer *const *buffers,
                           size_t count, PJRT_Device *device, Task &task) {
  const auto types = executable.program->loaded->arguments();
  if (count != types.size())
    // Clients look for XLA's wording.
    return absl::InvalidArgumentError(
        absl::StrCat("Execution supplied ", count, " buffers but compiled program expected ",
                     types.size(), " buffers (", executable.program->name, ")"));
  for (size_t i = 0; i < count; ++i) {
    PJRT_Buffer *buffer = buffers[i];
    SYSTOLE_PJRT_REQUIRE(buffer);
    if (*buffer->type != *types[i])
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, " of ", executable.program->name, " is ",
                       types[i]->toString(), ", but given as ", buffer->type->toString()));
    if (buffer->device != device)
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, " of ", executable.program->name, " is on ",
                       buffer->device->description->text, ", but the program runs on ",
                       device->description->text));
    std::lock_guard lock(buffer->mutex);
    if (!buffer->value)
      return absl::InvalidArgumentError(absl::StrCat(
          "argument ", i, " of ", executable.program->name, " has been deleted or donated"));
    task.arguments.push_back(buffer->value);
  }
  return absl::OkStatus();
}

// The arguments that this run may give away. InvalidArgument, as on a TPU, if one is given twice.
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
  // Lists of nothing may be null.
  if (args.num_args > 0)
    SYSTOLE_PJRT_REQUIRE(args.argument_lists);
  if (!executable.program->loaded->results().empty())
    SYSTOLE_PJRT_REQUIRE(args.output_lists);
  const PJRT_ExecuteOptions options = copyOf(args.options);
  if (executable.deleted)
    return absl::FailedPreconditionError(
        absl::StrCat(executable.program->name, " has been deleted"));
  if (args.num_devices != 1)
    return absl::UnimplementedError(
        absl::StrCat("runs on ", args.num_devices, " devices at once are not supported yet"));
  PJRT_Device *device = args.execute_device ? args.execute_device : executable.device;
  SYSTOLE_PJRT_REQUIRE(device);

  device->device->stream.waitForRoom();
  absl::StatusOr<HostChannels> channels = channelsOf(options);
  if (!channels.ok())
    return channels.status();
  const Program &program = executable.program->loaded->program();
  if (absl::Status status = checkChannels(program, *channels); !status.ok())
    return status;
  auto task = std::make_shared<Task>();
  task->channels = *std::move(channels);
  task->isNested = device->device->stream.isWaitingHere();
  task->program = executable.program;
  task->device = device->device;
  task->client = device->client->client.get();
  PJRT_Buffer *const *buffers = args.num_args > 0 ? args.argument_lists[0] : nullptr;
  if (absl::Status status = takeArguments(executable, buffers, args.num_args, device, *task);
      !status.ok())
    return status;

  absl::StatusOr<std::vector<int64_t>> donated =
      donatedOf(*executable.program, options, buffers, args.num_args);
  if (!donated.ok())
    return donated.status();
  task->donated = *std::move(donated);

  std::vector<std::unique_ptr<PJRT_Buffer>> results;
  for (const auto &type : executable.program->loaded->results()) {
    task->results.push_back(std::make_shared<PJRT_Buffer::Value>());
    auto buffer = std::make_unique<PJRT_Buffer>();
    buffer->device = device;
    buffer->type = type;
    buffer->value = task->results.back();
    // All of a run's results are there at once.
    buffer->value->ready = task->done;
    results.push_back(std::move(buffer));
  }
  std::unique_ptr<PJRT_Event> complete;
  if (args.device_complete_events)
    complete = std::make_unique<PJRT_Event>(PJRT_Event{task->done});

  // Nothing can fail any more: the donated buffers are the run's.
  for (int64_t index : task->donated) {
    std::lock_guard lock(buffers[index]->mutex);
    buffers[index]->value = nullptr;
  }
  // The host's work for a program may take long, or take locks that the caller holds.
  bool ready = program.header.transfers().empty();
  for (const auto &argument : task->arguments)
    ready = ready && argument->ready.isReady();
  const double last = executable.program->loaded->lastSeconds();
  auto work = [task] {
    absl::Status status = guarded([&] { return task->run(); });
    // What the arguments hold goes before anybody is told.
    task->arguments.clear();
    task->done.complete(std::move(status));
  };
  if (ready && last > 0 && last < kShortSeconds)
    device->device->stream.runHereIfIdle(std::move(work));
  else
    device->device->stream.run(std::move(work));

  for (size_t i = 0; i < results.size(); ++i)
    args.output_lists[0][i] = results[i].release();
  if (complete)
    args.device_complete_events[0] = complete.release();
  return absl::OkStatus();
}

} // namespace systole::pjrt
