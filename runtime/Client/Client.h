// A slice of emulated devices, and compilation for one or several of them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_CLIENT_H
#define SYSTOLE_RUNTIME_CLIENT_CLIENT_H

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Client/ArrayQueue.h"
#include "runtime/Client/Hbm.h"
#include "runtime/Client/LoadedProgram.h"
#include "runtime/Client/ProgramCache.h"
#include "runtime/Client/RunLog.h"
#include "runtime/Client/Stream.h"
#include "runtime/Report/ProgressLine.h"

namespace systole {

// The position of a core: its chip in the slice, and its index on the chip.
struct DevicePlace {
  std::array<int64_t, 3> coords{};
  int64_t coreOnChip = 0;
};

// The positions of a target's cores. Chips form the squarest rectangle of their number.
std::vector<DevicePlace> devicePlaces(const Target &target);

struct ClientDevice {
  // Core `id` of the machine.
  ClientDevice(int id, DevicePlace place, Machine &machine, int64_t hbmBytes)
      : id(id), place(place), memories(machine, id, hbmBytes) {}

  Hbm &hbm() const { return memories.of(program::DEVICE); }

  int id;
  DevicePlace place;
  DeviceMemories memories;
  // The queues of `stablehlo.infeed` and `stablehlo.outfeed`.
  ArrayQueue infeed{"infeed"}, outfeed{"outfeed"};
  Stream stream;
};

struct ClientOptions {
  std::string target = "v3";         // as for Target::load
  std::string precision = "default"; // as for CompileOptions
  std::string reportFile = "";       // see RunLog; "" for none
  std::string cacheDir = "";         // see ProgramCache; "" for none
  // Whether Ctrl-C cancels a compilation (see InterruptScope), and a terminal shows the
  // progress of long tasks.
  bool isInteractive = true;
};

// Options of one compilation.
struct ClientCompileOptions {
  std::string precision = ""; // "" for the client's
  bool excessPrecision = false;
  std::string fileName = "module"; // in locations
  // As in CompileOptions: there is a program for each list of shapes.
  std::optional<std::vector<std::vector<int64_t>>> argumentShapes = std::nullopt;
  // The devices that a program for several runs on, by their numbers, in the order of its
  // partitions, each once. Without at least two a program is for one device, any of the slice.
  std::vector<int> devices = {};
  // Cancels this compilation alone, besides the client's flag. May be null.
  const std::atomic<bool> *cancel = nullptr;
};

// Shared by all programs and buffers of its owner; must outlive the users of its devices.
class Client {
public:
  // Errors of Target::load and RunLog::create; InvalidArgument for an unknown precision.
  static absl::StatusOr<std::unique_ptr<Client>> create(const ClientOptions &options);
  // The same for `target`, whatever the options name.
  static absl::StatusOr<std::unique_ptr<Client>> create(Target target,
                                                        const ClientOptions &options);
  // Calls shutDown() before its devices are destroyed.
  ~Client();

  // Cancels compilations and runs, now and later, and waits for calls in flight: a host that is
  // interrupted exits while another of its threads may still compile.
  void shutDown();
  // The scope of a call to this client.
  class Call {
  public:
    explicit Call(Client &client);
    ~Call();
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

  private:
    Client &client;
  };

  // The whole slice.
  const Target &target() const { return slice; }
  const std::string &precision() const { return defaultPrecision; }
  std::span<const std::unique_ptr<ClientDevice>> devices() const { return cores; }
  RunLog &log() { return *runLog; }
  ProgressLine &progress() { return progressLine; }
  const std::atomic<bool> &cancelFlag() const { return cancel; }
  // The lock of runs on several devices: see runOnAll.
  std::mutex &gangOrder() { return gangMutex; }

  // A program from StableHLO as text or portable artifact; compiled unless it is in the cache.
  // `precision` "" is the client's. Errors of compile(), Cancelled after shutDown().
  absl::StatusOr<std::shared_ptr<LoadedProgram>> compile(std::string_view source,
                                                         const std::string &precision);
  absl::StatusOr<std::shared_ptr<LoadedProgram>> compile(std::string_view source,
                                                         const ClientCompileOptions &options);
  // The same for the bytes of a .sysx, which are untrusted. FailedPrecondition if it is for another
  // machine, or for more cores than the slice has.
  absl::StatusOr<std::shared_ptr<LoadedProgram>> load(std::string_view bytes);

private:
  Client(Target target, ClientOptions options)
      : slice(std::move(target)), core(slice.withCores(1)),
        defaultPrecision(std::move(options.precision)), isInteractive(options.isInteractive),
        cache(std::move(options.cacheDir)),
        progressLine(isInteractive ? ProgressLine::forTerminal()
                                   : ProgressLine::Options{.active = false}) {}

  Target slice, core;
  std::string defaultPrecision;
  bool isInteractive;
  std::unique_ptr<RunLog> runLog;
  ProgramCache cache;
  ProgressLine progressLine;
  std::atomic<bool> cancel = false;
  std::mutex gangMutex;
  std::mutex callMutex;
  std::condition_variable callEnds;
  int calls = 0; // in flight
  std::unique_ptr<Machine> machine;
  std::vector<std::unique_ptr<ClientDevice>> cores;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_CLIENT_H
