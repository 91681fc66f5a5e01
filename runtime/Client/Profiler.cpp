// The active profiling session.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Profiler.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "runtime/Report/DeviceProfile.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

// About 100 bytes of memory each.
constexpr int64_t kMostEvents = 1 << 19;

struct Session {
  std::mutex mutex; // protects all members that are not atomic
  std::atomic<uint64_t> current = 0;
  uint64_t last = 0;
  std::atomic<int64_t> room = 0; // for events
  int64_t withoutEvents = 0;     // runs
  std::map<int, DeviceProfile> devices;
};

Session &session() {
  static Session &global = *new Session; // leaked: runs may outlive main()
  return global;
}

} // namespace

absl::Status startProfile() {
  Session &profile = session();
  std::lock_guard lock(profile.mutex);
  if (profile.current != 0)
    return absl::FailedPreconditionError("a profile is being taken already");
  profile.devices.clear();
  profile.withoutEvents = 0;
  profile.room = kMostEvents;
  profile.current = ++profile.last;
  return absl::OkStatus();
}

std::string stopProfile() {
  Session &profile = session();
  std::lock_guard lock(profile.mutex);
  profile.current = 0;
  xplane::XSpace space;
  for (const auto &[device, plane] : profile.devices)
    *space.add_planes() = plane.plane();
  if (profile.withoutEvents > 0) {
    space.add_warnings(absl::StrCat("the last ", profile.withoutEvents,
                                    " runs are without their kernels: a profile has at most ",
                                    kMostEvents, " events"));
    // JAX only reads the planes.
    llvm::errs() << "systole: warning: " << space.warnings(0) << '\n';
  }
  profile.devices.clear();
  return space.SerializeAsString();
}

uint64_t profileSession() { return session().current.load(std::memory_order_relaxed); }

bool profileWantsEvents() { return session().room.load(std::memory_order_relaxed) > 0; }

// With the events of one core.
static RunStats statsOf(const RunStats &stats, int core) {
  RunStats result = stats;
  std::erase_if(result.trace, [&](const TraceEvent &event) { return event.core != core; });
  return result;
}

void profileRun(uint64_t number, const LoadedProgram &program, const RunStats &all, int core,
                int device, const Hbm &hbm) {
  if (number == 0)
    return;
  Session &profile = session();
  std::lock_guard lock(profile.mutex);
  if (profile.current != number)
    return;
  auto place = profile.devices.find(device);
  if (place == profile.devices.end()) {
    const auto sinceEpoch = std::chrono::system_clock::now().time_since_epoch();
    const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(sinceEpoch).count();
    place = profile.devices
                .emplace(std::piecewise_construct, std::forward_as_tuple(device),
                         std::forward_as_tuple(device, program.target(), now))
                .first;
  }
  const RunStats stats = statsOf(all, core);
  if (profile.room <= 0)
    ++profile.withoutEvents;
  place->second.add(program.sharedProgram(), stats,
                    hbm.usage().inUse + program.memory().device.temporaries);
  profile.room -= int64_t(stats.trace.size()) + 1;
}

} // namespace systole
