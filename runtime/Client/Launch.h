// One run of a program on a device, queued in the device's order.
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
  ClientDevice *device = nullptr;
  // Of the program's types. The run holds its arguments until it ends.
  std::vector<std::shared_ptr<PendingArray>> arguments;
  std::vector<int64_t> donated; // numbers of arguments, as for LoadedProgram::run
  HostChannels channels;        // checkChannels has passed
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

  // Absent before done() has completed; all results of a run become ready at once.
  std::span<const std::shared_ptr<PendingArray>> results() const;
  // Completes with the run's status.
  const Event &done() const;

  // Queues the run on the device. With `mayRunHere`, a program whose last run was shorter than two
  // thread switches is finished on return if the device is idle. After an error, such as
  // ResourceExhausted where the host has no thread for the device, nothing has run.
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
