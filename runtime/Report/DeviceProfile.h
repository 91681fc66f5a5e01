// The runs of a device as a plane of an XLA profile for XProf and jax.profiler.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_DEVICEPROFILE_H
#define SYSTOLE_RUNTIME_REPORT_DEVICEPROFILE_H

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Report/xplane.pb.h"

namespace systole {

// The plane has the lines that XProf expects of a TPU ("Steps", "XLA Modules", "XLA Ops"), lines of
// waits and copies, and counters of HBM bandwidth, MXU utilization and memory in use. Its time is
// the device's: each run begins where the one before ended, however long emulation took.
class DeviceProfile {
public:
  // `startNs` since 1970, of the first run.
  DeviceProfile(int device, const Target &target, int64_t startNs);

  // A run, of which the device executed `core`, and the bytes of HBM in use while it ran. Its
  // events are those of the core in stats.trace; without them only the run itself is shown.
  void add(std::shared_ptr<const Program> program, const RunStats &stats, int64_t hbmBytes,
           int core = 0);
  // No run begins before a time, in picoseconds since the first: the devices of a slice begin
  // together, when the last of them is free.
  void waitUntil(int64_t time) { now = std::max(now, time); }
  int64_t freeAt() const { return now; }

  const xplane::XPlane &plane() const { return xplane; }

private:
  enum Line { kSteps, kModules, kOps, kWaits, kCounters, kCopies };
  // The metadata that events refer to, by the program's kernels.
  struct ProgramEvents {
    int64_t id = 0;
    int64_t module = 0;
    std::map<std::pair<TraceEvent::Kind, int>, int64_t> events;
  };

  int64_t picoseconds(int64_t cycles) const;
  xplane::XLine &line(int number, const std::string &name);
  xplane::XEvent &addEvent(int line, int64_t metadata, int64_t offset, int64_t duration);
  int64_t statId(const std::string &name);
  template <typename Message, typename Value>
  void addStat(Message &to, const std::string &name, Value value);
  xplane::XEventMetadata &newMetadata(const std::string &name);
  ProgramEvents &eventsOf(const std::shared_ptr<const Program> &program);
  int64_t metadataOf(ProgramEvents &events, const program::ProgramHeader &header,
                     const TraceEvent &event);
  void addCounter(int64_t &metadata, const char *name, const char *unit, int64_t offset,
                  double value);
  void addCounters(const program::ProgramHeader &header, const std::vector<TraceEvent> &shown,
                   const RunStats &stats, int64_t end);

  const Target target;
  xplane::XPlane xplane;
  std::map<std::string, int64_t> statIds;
  std::map<std::shared_ptr<const Program>, ProgramEvents> programs;
  int64_t bandwidth = 0, utilization = 0, memory = 0; // metadata of the counters
  int64_t runs = 0;
  int64_t now = 0; // picoseconds since the start
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_DEVICEPROFILE_H
