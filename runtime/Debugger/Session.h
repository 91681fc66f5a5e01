// A run that can be taken to any of its cycles, forwards and backwards.
// See docs/decisions/debugger.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_SESSION_H
#define SYSTOLE_RUNTIME_DEBUGGER_SESSION_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/Debugger/Checkpoints.h"
#include "runtime/Emulator/Emulator.h"
#include "runtime/Emulator/HostLog.h"

namespace systole::debugger {

struct SessionOptions {
  // Of the host, for snapshots; the first one may take more.
  int64_t snapshotBytes = int64_t(2) << 30;
  // Of emulation, from one snapshot to the next unless these take long, and the cycles that are
  // taken for it at first.
  double secondsBetween = 0.2;
  int64_t cyclesBetween = 100'000;
  // Unless null, set while the run is taken elsewhere for a look, from where it comes back: what it
  // logs there is for when it gets there.
  std::shared_ptr<bool> isLooking = nullptr;
};

// Why a run has stopped.
struct Stop {
  enum class Kind : uint8_t {
    Point,  // before a bundle at which it pauses, or behind an access to watched words
    Cycle,  // at the cycle that was asked for
    Start,  // nothing has issued
    End,    // the program has halted
    Trap,   // the bundle that issues next traps
    Cancel, // the caller's flag
  };
  Kind kind = Kind::Cycle;
  std::vector<WatchHit> hits = {}; // accesses to watched words
};

// The state at a cycle is that in which everything that issues before it has issued, on each core.
// It depends on the program, its arguments and the answers of the host alone, so that a state that
// was left is computed again, from the snapshot before it. The host is asked for each answer once.
class Session {
public:
  // Starts the run of an interpreting emulator in whose memories the arguments are. `hosts`, one
  // for each core or none, must outlive the session. A run stops within about `secondsBetween`
  // after `cancel`, which may be null, is true.
  static absl::StatusOr<std::unique_ptr<Session>> create(std::unique_ptr<Emulator> emulator,
                                                         const SessionOptions &options = {},
                                                         const std::atomic<bool> *cancel = nullptr,
                                                         std::span<HostPort *const> hosts = {});

  const Emulator &emulator() const { return *machine; }
  // The core in view: that which has stopped the run, or that was chosen. Steps are its bundles.
  int chosenCore() const { return chosen; }
  void chooseCore(int core) { chosen = core; }
  CoreView core() const { return machine->core(chosen); }
  // Of the bundle that issues next on any core; behind the last one, when the program has halted or
  // all cores wait for each other.
  int64_t cycle() const;
  // The statistics of the whole run, if the program has halted.
  const std::optional<RunStats> &stats() const { return ended; }
  // That of the bundle that issues next, if the run has stopped before it.
  const std::optional<TrapInfo> &trap() const { return trapped; }
  const Checkpoints &checkpoints() const { return snapshots; }

  // The present state.
  absl::StatusOr<Snapshot> snapshot() { return machine->snapshot(); }

  // Takes the run to a cycle, or to its end or trap if that comes before.
  absl::StatusOr<Stop> seek(int64_t cycle);
  // Runs on until a point, the end or a trap.
  absl::StatusOr<Stop> run(const PausePoints &points);
  // Runs back to the last time before this one that `run` would have stopped at a point, or to the
  // start. With `withLast` an access of the bundle that issued last counts, which is right behind.
  absl::StatusOr<Stop> runBack(const PausePoints &points, bool withLast = false);
  // Issues so many bundles, or takes them back.
  absl::StatusOr<Stop> step(int64_t bundles);
  absl::StatusOr<Stop> stepBack(int64_t bundles);

private:
  friend absl::Status visit(Session &session, const std::function<absl::Status()> &look);

  Session(std::unique_ptr<Emulator> emulator, const SessionOptions &options,
          const std::atomic<bool> *cancel)
      : machine(std::move(emulator)), snapshots(options.snapshotBytes),
        secondsBetween(options.secondsBetween), cyclesBetween(options.cyclesBetween),
        cancel(cancel),
        isLooking(options.isLooking ? options.isLooking : std::make_shared<bool>(false)) {}

  // Executes what issues before `limit`, up to a point, and takes snapshots on the way.
  absl::StatusOr<Stop> advance(int64_t limit, const PausePoints &points);
  absl::Status restore(int64_t cycle);
  // To the state before the bundle that has trapped.
  absl::StatusOr<Stop> stopBeforeTrap();
  // Takes a snapshot if the last one is far enough behind.
  absl::Status keepSnapshot();
  // The last stop at a point between two cycles and before `present`, if there is one.
  struct Found {
    int64_t cycle;
    std::vector<WatchHit> hits;
    int core;
  };
  struct Stretch {
    int64_t begin, end, present;
    bool withLast; // as of runBack
    int64_t mostStops = INT64_MAX;
  };
  // ResourceExhausted beyond the most stops.
  absl::StatusOr<std::optional<Found>> lastStop(const Stretch &stretch, const PausePoints &points);
  std::vector<std::unique_ptr<RepeatingPort>> hosts; // by core, or none
  std::unique_ptr<Emulator> machine;
  Checkpoints snapshots;
  double secondsBetween;
  int64_t cyclesBetween;      // that take about secondsBetween, by the last ones
  double snapshotSeconds = 0; // of the last one
  int64_t furthest = 0;       // cycle that the run has reached
  const std::atomic<bool> *cancel;
  std::shared_ptr<bool> isLooking;
  int chosen = 0;
  std::optional<RunStats> ended;
  std::optional<TrapInfo> trapped;
};

// The number of cores of its program.
inline int coresOf(const Session &session) { return session.emulator().program().header.cores(); }

// Calls `look`, which may take the run to other places, and comes back to this one.
absl::Status visit(Session &session, const std::function<absl::Status()> &look);

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_SESSION_H
