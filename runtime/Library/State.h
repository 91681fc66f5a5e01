// The state behind the handles of the C++ interface.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_LIBRARY_STATE_H
#define SYSTOLE_RUNTIME_LIBRARY_STATE_H

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/Client/Client.h"
#include "runtime/Client/Event.h"
#include "runtime/Client/Launch.h"
#include "systole/compiler.h"

namespace systole::v0 {

struct [[gnu::visibility("hidden")]] Event::State {
  systole::Event event;
};

struct [[gnu::visibility("hidden")]] Cancellation::State {
  std::atomic<bool> cancelled = false;
};

struct Slice;

// A core of a slice, which its handles keep.
struct [[gnu::visibility("hidden")]] Device::State {
  ClientDevice &core() const;
  Client &client() const;

  Slice *slice = nullptr;
  size_t number = 0;
};

// A client and the states of its devices.
struct Slice {
  // May be called on the thread of a device, by the last handle in a callback.
  ~Slice();

  std::unique_ptr<Client> client;
  std::string target, targetHash;
  std::vector<Device::State> cores;
};

struct [[gnu::visibility("hidden")]] Buffer::State {
  // FailedPrecondition if it has been released.
  absl::StatusOr<std::shared_ptr<PendingArray>> hold();
  // Undoes release().
  void restore(std::shared_ptr<PendingArray> released);

  Device device;
  std::shared_ptr<const ArrayType> arrayType;
  TensorType type;
  std::mutex mutex;                    // guards the fields below
  std::shared_ptr<PendingArray> value; // null once released or donated
};

// Counts of a run that succeeded. It holds no device: the device's own thread would destroy it.
struct Outcome {
  std::mutex mutex; // guards the fields below
  RunStats stats;
  double seconds = 0; // on this host
};

struct [[gnu::visibility("hidden")]] Execution::State {
  Device device;
  std::shared_ptr<LoadedProgram> program;
  systole::Event done;
  std::vector<Buffer> results;
  std::shared_ptr<Outcome> outcome;
};

struct [[gnu::visibility("hidden")]] Executable::State {
  std::vector<Device> devices; // one for each core of the program
  std::shared_ptr<LoadedProgram> program;
  std::string name;
  Signature signature;
};

// Makes handles, and looks behind them.
struct Access {
  template <typename Handle> static Handle make(decltype(Handle::state) state) {
    Handle handle;
    handle.state = std::move(state);
    return handle;
  }
  static Event event(systole::Event event) {
    return make<Event>(std::make_shared<Event::State>(std::move(event)));
  }
  template <typename Handle> static auto &state(const Handle &handle) { return *handle.state; }
  template <typename Handle> static bool isEmpty(const Handle &handle) { return !handle.state; }
  static std::shared_ptr<const std::atomic<bool>>
  flag(const std::optional<Cancellation> &cancellation) {
    if (!cancellation)
      return nullptr;
    return {cancellation->state, &cancellation->state->cancelled};
  }
};

TensorType tensorType(const ArrayType &type);

// On `devices`, as many as the program has cores.
Executable makeExecutable(std::vector<Device> devices, std::shared_ptr<LoadedProgram> program);

// `emulateSeconds` is missing for a prediction.
Report publicReport(const LoadedProgram &program, const RunStats &stats,
                    std::optional<double> emulateSeconds);

} // namespace systole::v0

#endif // SYSTOLE_RUNTIME_LIBRARY_STATE_H
