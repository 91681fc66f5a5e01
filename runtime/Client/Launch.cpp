// Runs as tasks of the streams of devices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Launch.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Client/Gang.h"
#include "runtime/Client/Guarded.h"
#include "runtime/Client/Profiler.h"
#include "runtime/Report/ProgressLine.h"

namespace systole {
namespace {

// A program whose last run took no longer runs on the caller's thread.
constexpr double kShortSeconds = 500e-6;

// While a program waits for the host, its devices run programs that the host's function submits.
class StreamPort : public HostPort {
public:
  StreamPort(HostPort &port, const ChannelPorts &all, std::span<ClientDevice *const> devices)
      : port(port), all(all), devices(devices) {}

  absl::Status send(int region, absl::Span<const uint32_t> words) override {
    if (absl::Status status = all.status(); !status.ok())
      return status; // other cores go on until the end of a window of time
    const std::deque<Stream::Waiting> waiting = wait();
    return port.send(region, words);
  }
  absl::Status receive(int region, absl::Span<uint32_t> words,
                       const std::atomic<bool> *cancel) override {
    if (absl::Status status = all.status(); !status.ok())
      return status;
    const std::deque<Stream::Waiting> waiting = wait();
    return port.receive(region, words, cancel);
  }

private:
  std::deque<Stream::Waiting> wait() const {
    std::deque<Stream::Waiting> waiting;
    for (ClientDevice *device : devices)
      waiting.emplace_back(device->stream);
    return waiting;
  }

  HostPort &port;
  const ChannelPorts &all;
  std::span<ClientDevice *const> devices;
};

std::vector<int> idsOf(std::span<ClientDevice *const> devices) {
  std::vector<int> ids;
  for (const ClientDevice *device : devices)
    ids.push_back(device->id);
  return ids;
}

std::vector<Stream *> streamsOf(std::span<ClientDevice *const> devices) {
  std::vector<Stream *> streams;
  for (ClientDevice *device : devices)
    streams.push_back(&device->stream);
  return streams;
}

} // namespace

struct Launch::Task {
  explicit Task(LaunchOptions options)
      : options(std::move(options)),
        isNested(std::ranges::any_of(this->options.devices, [](ClientDevice *device) {
          return device->stream.isWaitingHere();
        })) {}

  absl::Status run();

  LaunchOptions options;
  const bool isNested; // in a callback of a program of the same device
  std::vector<std::shared_ptr<PendingArray>> results;
  Event done;
  PendingRun pending;
  const uint64_t session = profileSession(); // at the call
};

absl::Status Launch::Task::run() {
  const auto &[program, name, client, devices, arguments, donated, channels, cancel, mayRunHere,
               onSuccess] = options;
  for (const auto &argument : arguments)
    if (isNested && !argument->ready.isReady())
      return absl::FailedPreconditionError(
          absl::StrCat(name, ": an argument comes from a program that waits for the "
                             "callback which calls this one"));
  for (const auto &argument : arguments)
    if (absl::Status status = argument->ready.await(); !status.ok())
      return status;
  std::vector<std::shared_ptr<DeviceArray>> arrays;
  for (const auto &argument : arguments)
    // An argument owned by this run alone may donate its memory to a result.
    arrays.push_back(argument.use_count() == 1 ? std::move(argument->array) : argument->array);
  std::vector<const DeviceMemories *> memories;
  for (const ClientDevice *device : devices)
    memories.push_back(&device->memories);
  ChannelPorts ports(program->program(), channels);
  std::vector<StreamPort> waitingPorts;
  waitingPorts.reserve(channels.size());
  std::vector<HostPort *> hosts;
  for (HostPort *port : ports.byCore())
    hosts.push_back(&waitingPorts.emplace_back(*port, ports, devices));
  std::atomic<int64_t> cycles = 0;
  absl::StatusOr<LoadedProgram::Run> run = [&] {
    ProgressLine::Task shown(client->progress(), [&] {
      return absl::StrCat(
          "running @", name, ": ",
          cyclesSoFar(cycles.load(std::memory_order_relaxed), client->target().clockHz()));
    });
    return program->run(std::move(arrays), donated, memories,
                        cancel ? *cancel : client->cancelFlag(), HostPorts(std::move(hosts)),
                        &cycles);
  }();
  // An error of the host's own is returned unchanged.
  if (absl::Status status = ports.status(); !status.ok())
    return status;
  if (!run.ok())
    return absl::Status(run.status().code(), absl::StrCat(name, ": ", run.status().message()));
  for (size_t i = 0; i < results.size(); ++i)
    results[i]->array = std::move(run->results[i]);
  if (run->profileSession == session)
    for (size_t core = 0; core < devices.size(); ++core)
      profileRun(session, *program, run->stats, int(core), devices[core]->id, devices[core]->hbm());
  if (client->log().isActive())
    client->log().ran(*program, run->stats, run->seconds, idsOf(devices));
  if (onSuccess)
    onSuccess(*run);
  return absl::OkStatus();
}

Launch::Launch(LaunchOptions options) : task(std::make_shared<Task>(std::move(options))) {
  assert(int(task->options.devices.size()) == task->options.program->program().header.cores() &&
         "a device for each core");
  assert((task->options.channels.empty() ||
          task->options.channels.size() == task->options.devices.size()) &&
         "channels of each core");
  for (size_t i = 0; i < task->options.program->results().size() * task->options.devices.size();
       ++i)
    pending.push_back(
        std::make_shared<PendingArray>(PendingArray{.ready = task->done, .array = nullptr}));
  task->results = pending;
}

std::span<const std::shared_ptr<PendingArray>> Launch::results() const { return pending; }

const Event &Launch::done() const { return task->done; }

std::span<const std::shared_ptr<PendingArray>> Launch::arguments() const {
  return task->options.arguments;
}

absl::Status Launch::start() {
  const LaunchOptions &options = task->options;
  // The host's functions for a program may take long, or take locks that the caller holds.
  const bool ready =
      options.mayRunHere && options.program->program().header.transfers().empty() &&
      std::ranges::all_of(options.arguments, [](auto &a) { return a->ready.isReady(); });
  const double last = options.program->lastSeconds();
  const bool isShort = ready && last > 0 && last < kShortSeconds;
  // Devices of a gang may have to end tasks first that wait for the callback.
  if (options.devices.size() > 1 && task->isNested)
    return absl::FailedPreconditionError(
        absl::StrCat(options.name, " runs on ", options.devices.size(),
                     " devices, of which one waits for the callback that calls it"));
  auto work = [task = this->task] {
    absl::Status status = guarded([&] { return task->run(); });
    // Arrays are released before waiters are notified, who may delete them and ask for the memory.
    task->options.arguments.clear();
    task->results.clear();
    task->done.complete(std::move(status));
  };
  return guarded([&] {
    Stream &first = options.devices.front()->stream;
    if (options.devices.size() > 1)
      runOnAll(streamsOf(options.devices), options.client->gangOrder(), std::move(work), isShort);
    else if (isShort)
      first.runHereIfIdle(std::move(work));
    else
      first.run(std::move(work));
    return absl::OkStatus();
  });
}

} // namespace systole
