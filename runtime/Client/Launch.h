// One run of a program on a device, or on several at once, queued in the order of each.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_LAUNCH_H
#define SYSTOLE_RUNTIME_CLIENT_LAUNCH_H

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/Client/Client.h"
#include "runtime/Client/Event.h"
#include "runtime/Client/HostChannels.h"

namespace systole {

// An array that is available once `ready` has completed.
struct PendingArray {
  Event ready;
  std::shared_ptr<DeviceArray> array;
};

struct LaunchOptions {
  std::shared_ptr<LoadedProgram> program;
  std::string name; // of the program, in errors
  Client *client = nullptr;
  std::vector<ClientDevice *> devices; // one for each core of the program, in their order
  // Of the program's types, those of the first core, of the second one, and so on. The run holds
  // its arguments until it ends.
  std::vector<std::shared_ptr<PendingArray>> arguments;
  std::vector<int64_t> donated;       // numbers of arguments, as for LoadedProgram::run
  std::vector<HostChannels> channels; // of each core, checkChannels has passed; or none
  // Cancels this run alone; null for the client's flag.
  std::shared_ptr<const std::atomic<bool>> cancel;
  // Whether start() may return only after the run where that is quicker.
  bool mayRunHere = true;
  // Called with a run that succeeded, before its results are ready. May be null.
  std::function<void(LoadedProgram::Run &)> onSuccess;
};

class Launch {
public:
  explicit Launch(LaunchOptions options);

  // Those of the first core, of the second one, and so on. Absent before done() has completed; all
  // results of a run become ready at once.
  std::span<const std::shared_ptr<PendingArray>> results() const;
  // Completes with the run's status.
  const Event &done() const;

  // Queues the run on all devices at once. With `mayRunHere`, a program whose last run was shorter
  // than two thread switches is finished on return if the devices are idle. After an error nothing
  // has run: ResourceExhausted where the host has no thread for a device, FailedPrecondition for
  // several devices in a callback of a program that runs on one of them.
  absl::Status start();

  // Of a run that has not started.
  std::span<const std::shared_ptr<PendingArray>> arguments() const;

private:
  struct Task;
  std::shared_ptr<Task> task;
  std::vector<std::shared_ptr<PendingArray>> pending;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_LAUNCH_H
