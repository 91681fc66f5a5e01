// Costs of programs, as lines of JSON.
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
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Client/LoadedProgram.h"

namespace systole {

// A line for each compiled program ({"event": "compile", ...}) and each run ({"event": "run", ...}
// with the report of `systole run --report json`), appended to a file. A program's first run is
// preceded by a line about its HBM buffers ({"event": "memory", ...}). May be used from any thread.
class RunLog {
public:
  // "" for no file. InvalidArgument if it cannot be appended to.
  static absl::StatusOr<std::unique_ptr<RunLog>> create(const std::string &path);
  ~RunLog();

  // Whether lines are needed: producing one takes longer than a small run.
  bool isActive() const;

  void compiled(const LoadedProgram &program, double seconds, const char *from);
  // `devices`: one for each core of the program.
  void ran(const LoadedProgram &program, const RunStats &stats, double seconds,
           std::span<const int> devices);

private:
  RunLog() = default;
  void add(std::string line);
  // Whether some reader has not received the program's memory line.
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

// Starts or stops recording of the lines of all logs in this process; recorded lines are dropped.
// Like takeRecordedRuns it waits for the runs that are pending at the call, so a run must not call
// either.
void recordRuns(bool on);
// The lines since the last call, each ending in a line break.
std::string takeRecordedRuns();

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_RUNLOG_H
