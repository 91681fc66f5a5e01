// What programs cost, as lines of JSON.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_RUNLOG_H
#define SYSTOLE_RUNTIME_CLIENT_RUNLOG_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Client/LoadedProgram.h"

namespace systole {

// A line for each compiled program ({"event": "compile", ...}) and each run ({"event": "run", ...}
// with the report of `systole run --report json`), appended to a file. With a program's first run
// comes one of what it keeps in HBM ({"event": "memory", ...}). May be used from any thread.
class RunLog {
public:
  // "" for no file. InvalidArgument if it cannot be appended to.
  static absl::StatusOr<std::unique_ptr<RunLog>> create(const std::string &path);
  ~RunLog();

  // Whether anybody wants lines: making one takes longer than a small run.
  bool isActive() const;

  void compiled(const LoadedProgram &program, double seconds, const char *from);
  void ran(const LoadedProgram &program, const RunStats &stats, double seconds, int device);

private:
  RunLog() = default;
  void add(std::string line);
  // Whether some reader has not seen the program's memory.
  bool isNew(const LoadedProgram &program);

  std::mutex mutex;
  std::set<uint64_t> described; // programs whose memory is in the file
  std::atomic<int> file = -1;
};

// A run from its call until its line is written.
class PendingRun {
public:
  PendingRun();
  PendingRun(const PendingRun &) = delete;
  PendingRun &operator=(const PendingRun &) = delete;
  ~PendingRun();

private:
  uint64_t ticket;
};

// The lines of all logs of this process, from `on` until it is off, for who wants to see them here.
// Dropped where it is turned on or off. Waits for the runs that are pending at the call, as
// takeRecordedRuns does: a run must not call either.
void recordRuns(bool on);
// Those since the last call, each ending in a line break.
std::string takeRecordedRuns();

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_RUNLOG_H
