// Lines of JSON to a file and to recorders.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/RunLog.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Report/Memory.h"
#include "runtime/Report/Report.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {

namespace {

struct Recorder {
  std::mutex mutex; // protects the lines
  std::atomic<bool> on = false;
  std::string lines;
  std::set<uint64_t> described; // programs whose memory is in the lines
};

Recorder &recorder() {
  static Recorder global;
  return global;
}

struct PendingRuns {
  std::mutex mutex;
  std::condition_variable ended;
  uint64_t next = 0; // each run has a ticket, in the order of calls
  std::set<uint64_t> tickets;
};

PendingRuns &pendingRuns() {
  static PendingRuns &global = *new PendingRuns; // leaked: runs may outlive main()
  return global;
}

// Not for runs that start later: another thread may always have some.
void waitForRuns() {
  PendingRuns &runs = pendingRuns();
  std::unique_lock lock(runs.mutex);
  const uint64_t now = runs.next;
  runs.ended.wait(lock, [&] { return runs.tickets.empty() || *runs.tickets.begin() >= now; });
}

} // namespace

PendingRun::PendingRun() {
  PendingRuns &runs = pendingRuns();
  std::lock_guard lock(runs.mutex);
  ticket = runs.next++;
  runs.tickets.insert(ticket);
}

PendingRun::~PendingRun() {
  PendingRuns &runs = pendingRuns();
  {
    std::lock_guard lock(runs.mutex);
    runs.tickets.erase(ticket);
  }
  runs.ended.notify_all();
}

absl::StatusOr<std::unique_ptr<RunLog>> RunLog::create(const std::string &path) {
  std::unique_ptr<RunLog> log(new RunLog);
  if (path.empty())
    return log;
  log->file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (log->file < 0)
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": cannot be appended to: ", std::strerror(errno)));
  return log;
}

RunLog::~RunLog() {
  if (file >= 0)
    ::close(file);
}

bool RunLog::isActive() const { return file >= 0 || recorder().on; }

void RunLog::add(std::string line) {
  {
    std::lock_guard lock(mutex);
    // Usually a single write, so that lines of several processes do not mix.
    for (std::string_view rest = line; file >= 0 && !rest.empty();) {
      const ssize_t written = ::write(file, rest.data(), rest.size());
      if (written < 0) {
        const std::string reason = std::strerror(errno);
        llvm::errs() << "systole: the report cannot be written any more: " << reason << '\n';
        ::close(file.exchange(-1));
        break;
      }
      rest.remove_prefix(size_t(written));
    }
  }
  Recorder &runs = recorder();
  std::lock_guard lock(runs.mutex);
  if (runs.on)
    runs.lines += line;
}

static std::string lineOf(llvm::json::Object object) {
  std::string line;
  llvm::raw_string_ostream(line) << llvm::json::Value(std::move(object)) << '\n';
  return line;
}

void RunLog::compiled(const LoadedProgram &program, double seconds, const char *from) {
  const program::ProgramHeader &header = program.program().header;
  const ProgramMemory memory = program.memory();
  add(lineOf(llvm::json::Object{{"event", "compile"},
                                {"program", header.module()},
                                {"target", program.target().name()},
                                {"precision", header.precision()},
                                {"from", from},
                                {"compile_seconds", seconds},
                                {"code_bytes", memory.code},
                                {"argument_bytes", memory.device.arguments},
                                {"result_bytes", memory.device.results},
                                {"hbm_peak_bytes", memory.device.peak}}));
}

bool RunLog::isNew(const LoadedProgram &program) {
  bool found = false;
  {
    std::lock_guard lock(mutex);
    found = file >= 0 && described.insert(program.id()).second;
  }
  Recorder &runs = recorder();
  std::lock_guard lock(runs.mutex);
  return (runs.on && runs.described.insert(program.id()).second) || found;
}

void RunLog::ran(const LoadedProgram &program, const RunStats &stats, double seconds,
                 std::span<const int> devices) {
  Report report = makeReport(program.program(), stats, program.target());
  report.program = program.program().header.module();
  report.emulateSeconds = seconds;
  report.compileSeconds = program.program().header.compile_seconds();
  llvm::json::Object object = toJson(report);
  object["event"] = "run";
  object["device"] = devices.front();
  if (devices.size() > 1)
    object["devices"] = llvm::json::Array(devices);
  object["program_id"] = int64_t(program.id());
  if (isNew(program))
    add(lineOf(llvm::json::Object{{"event", "memory"},
                                  {"program_id", int64_t(program.id())},
                                  {"memory", toJson(memoryReport(program.program().header))}}));
  add(lineOf(std::move(object)));
}

void recordRuns(bool on) {
  waitForRuns();
  Recorder &runs = recorder();
  std::lock_guard lock(runs.mutex);
  runs.on = on;
  runs.lines.clear();
  runs.described.clear();
}

std::string takeRecordedRuns() {
  waitForRuns();
  Recorder &runs = recorder();
  std::lock_guard lock(runs.mutex);
  return std::exchange(runs.lines, "");
}

} // namespace systole
