// A run that can be taken to any of its cycles, forwards and backwards.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Session.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace systole::debugger {

// Of one step of the emulator, so that the interval between snapshots follows its speed.
static constexpr int64_t kLeastCycles = 1, kMostCycles = int64_t(1) << 40;

// Emulation for the time of a snapshot, so that they take few percent of a run, up to so many
// seconds, which a step back then takes.
static constexpr double kEmulationForSnapshot = 50, kMostSecondsBetween = 1.75;

static double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Stops that a run back passes one by one, and the cycles before its end that it then looks at
// first, and how much further each time.
static constexpr int64_t kManyStops = 256, kFirstWindow = 256, kWindowFactor = 32;

static HostPorts portsOf(const std::vector<std::unique_ptr<RepeatingPort>> &hosts) {
  std::vector<HostPort *> ports;
  for (const std::unique_ptr<RepeatingPort> &host : hosts)
    ports.push_back(host.get());
  return HostPorts(std::move(ports));
}

absl::StatusOr<std::unique_ptr<Session>> Session::create(std::unique_ptr<Emulator> emulator,
                                                         const SessionOptions &options,
                                                         const std::atomic<bool> *cancel,
                                                         std::span<HostPort *const> hosts) {
  std::unique_ptr<Session> session(new Session(std::move(emulator), options, cancel));
  for (HostPort *host : hosts)
    session->hosts.push_back(std::make_unique<RepeatingPort>(*host));
  if (absl::Status status = session->machine->start(portsOf(session->hosts)); !status.ok())
    return status;
  absl::StatusOr<Snapshot> first = session->machine->snapshot();
  if (!first.ok())
    return first.status();
  session->snapshots.add(0, *std::move(first));
  return session;
}

int64_t Session::cycle() const {
  int64_t next = INT64_MAX, last = 0;
  for (int core = 0; core < coresOf(*this); ++core) {
    const ProgramPoint point = machine->core(core).point();
    last = std::max(last, point.cycle);
    if (!point.hasHalted && !point.isBlocked)
      next = std::min(next, point.cycle);
  }
  return next == INT64_MAX ? last : next;
}

static bool isAtStart(const Session &session) {
  for (int core = 0; core < coresOf(session); ++core)
    if (session.emulator().core(core).point().last >= 0)
      return false;
  return true;
}

static bool isSet(const std::atomic<bool> *flag) {
  return flag && flag->load(std::memory_order_relaxed);
}

absl::Status Session::restore(int64_t cycle) {
  ended.reset();
  trapped.reset();
  if (absl::Status status = machine->restore(snapshots.before(cycle)->second, portsOf(hosts));
      !status.ok())
    return status;
  for (size_t core = 0; core < hosts.size(); ++core)
    hosts[core]->rewind(size_t(machine->hostMessages(int(core))));
  return absl::OkStatus();
}

absl::StatusOr<Stop> Session::stopBeforeTrap() {
  const TrapInfo trap = *machine->lastTrap();
  if (absl::Status status = restore(trap.cycle); !status.ok())
    return status;
  absl::StatusOr<Stop> stop = advance(trap.cycle, {});
  if (!stop.ok() || stop->kind != Stop::Kind::Cycle)
    return stop;
  trapped = trap;
  chosen = trap.core;
  return Stop{Stop::Kind::Trap};
}

absl::Status Session::keepSnapshot() {
  const int64_t now = cycle();
  // They are close together where the run goes again, which is where the user goes back.
  double wait = secondsBetween;
  if (now > furthest)
    wait = std::max(wait, std::min(kEmulationForSnapshot * snapshotSeconds, kMostSecondsBetween));
  furthest = std::max(furthest, now);
  const double cycles = double(cyclesBetween) * (secondsBetween > 0 ? wait / secondsBetween : 1);
  if (ended || double(now - snapshots.before(now)->first) < cycles)
    return absl::OkStatus();
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<Snapshot> snapshot = machine->snapshot();
  snapshotSeconds = secondsSince(begin);
  if (snapshot.ok())
    snapshots.add(now, *std::move(snapshot));
  return snapshot.status();
}

absl::StatusOr<Stop> Session::advance(int64_t limit, const PausePoints &points) {
  if (ended)
    return Stop{Stop::Kind::End};
  trapped.reset();
  for (bool isContinued = false; cycle() < limit; isContinued = true) {
    if (isSet(cancel))
      return Stop{Stop::Kind::Cancel};
    const int64_t from = cycle(), to = std::min(limit, from + cyclesBetween);
    const auto begin = std::chrono::steady_clock::now();
    PausingStep step{points, isContinued};
    absl::StatusOr<std::optional<RunStats>> stats = machine->advance(to, nullptr, &step);
    if (!stats.ok())
      return machine->lastTrap() ? stopBeforeTrap() : absl::StatusOr<Stop>(stats.status());
    if (step.pause && !step.pause->isExact) {
      if (absl::Status status = restore(step.pause->cycle); !status.ok())
        return status;
      absl::StatusOr<Stop> stop = advance(step.pause->cycle, {});
      if (!stop.ok() || stop->kind == Stop::Kind::Cancel || stop->kind == Stop::Kind::Trap)
        return stop;
      chosen = step.pause->core;
      return Stop{Stop::Kind::Point, step.pause->hits};
    }
    if (*stats)
      ended = **std::move(stats);
    if (absl::Status status = keepSnapshot(); !status.ok())
      return status;
    if (step.pause)
      return Stop{Stop::Kind::Point, step.pause->hits};
    if (ended)
      return Stop{Stop::Kind::End};
    const double seconds = secondsSince(begin);
    if (to == from + cyclesBetween)
      cyclesBetween = std::clamp(
          int64_t(double(cyclesBetween) * std::clamp(secondsBetween / seconds, 0.5, 2.0)),
          kLeastCycles, kMostCycles);
  }
  return Stop{Stop::Kind::Cycle};
}

absl::StatusOr<Stop> Session::seek(int64_t to) {
  to = std::max<int64_t>(to, 0);
  if (ended || to < cycle())
    if (absl::Status status = restore(to); !status.ok())
      return status;
  absl::StatusOr<Stop> stop = advance(to, {});
  if (stop.ok() && stop->kind == Stop::Kind::Cycle && isAtStart(*this))
    stop->kind = Stop::Kind::Start;
  return stop;
}

absl::StatusOr<Stop> Session::run(const PausePoints &points) { return advance(INT64_MAX, points); }

absl::StatusOr<std::optional<Session::Found>> Session::lastStop(const Stretch &stretch,
                                                                const PausePoints &points) {
  if (absl::Status status = restore(stretch.begin); !status.ok())
    return status;
  if (absl::StatusOr<Stop> stop = advance(stretch.begin, {}); !stop.ok())
    return stop.status();
  const int64_t present = stretch.present;
  std::optional<Found> found;
  // The first bundles of a step do not pause it.
  for (int core = 0; core < coresOf(*this) && !found; ++core) {
    const ProgramPoint point = machine->core(core).point();
    const int64_t first = point.bundle;
    if (points.areOf(core) && !point.isWaiting && point.cycle == cycle() && cycle() < present &&
        first >= 0 && size_t(first) < points.bundles.size() && points.bundles[size_t(first)])
      found = Found{cycle(), {}, core};
  }
  for (int64_t stops = 0; stops < stretch.mostStops; ++stops) {
    absl::StatusOr<Stop> stop = advance(stretch.end, points);
    if (!stop.ok())
      return stop.status();
    if (stop->kind == Stop::Kind::Cancel)
      return absl::CancelledError("");
    if (stop->kind != Stop::Kind::Point)
      return found;
    // Behind an access the core may wait, up to the present and beyond it.
    if (cycle() < present || (stretch.withLast && !stop->hits.empty()))
      found = Found{std::min(cycle(), present), stop->hits, chosen};
  }
  return absl::ResourceExhaustedError("many stops");
}

absl::StatusOr<Stop> Session::runBack(const PausePoints &points, bool withLast) {
  const int64_t present = cycle();
  // From a snapshot on.
  auto lastStopFrom = [&](Stretch stretch) {
    const int64_t begin = stretch.begin;
    stretch.mostStops = kManyStops;
    absl::StatusOr<std::optional<Found>> found = lastStop(stretch, points);
    stretch.mostStops = INT64_MAX;
    // Where there are many, the last one is near the end.
    for (int64_t window = kFirstWindow; absl::IsResourceExhausted(found.status()) ||
                                        (found.ok() && !*found && stretch.begin > begin);
         window *= kWindowFactor) {
      stretch.begin = std::max(begin, stretch.end - window);
      found = lastStop(stretch, points);
    }
    return found;
  };
  int64_t end = present;
  for (std::optional<int64_t> begin = snapshots.cycleBefore(present); begin;
       end = *begin, begin = snapshots.cycleBefore(*begin)) {
    absl::StatusOr<std::optional<Found>> found = lastStopFrom({*begin, end, present, withLast});
    if (absl::IsCancelled(found.status()))
      return Stop{Stop::Kind::Cancel};
    if (!found.ok())
      return found.status();
    if (!*found)
      continue;
    absl::StatusOr<Stop> stop = seek((*found)->cycle);
    if (!stop.ok() || stop->kind == Stop::Kind::Cancel)
      return stop;
    chosen = (*found)->core;
    return Stop{Stop::Kind::Point, (*found)->hits};
  }
  return seek(0);
}

absl::StatusOr<Stop> Session::step(int64_t bundles) {
  for (; bundles > 0; --bundles) {
    const ProgramPoint before = core().point();
    // A core that waits issues its next bundle some cycles later.
    for (ProgramPoint now = before; now.last == before.last && now.lastCycle == before.lastCycle;
         now = core().point()) {
      absl::StatusOr<Stop> stop = advance(cycle() + 1, {});
      if (!stop.ok() || stop->kind != Stop::Kind::Cycle)
        return stop;
    }
  }
  return Stop{};
}

absl::StatusOr<Stop> Session::stepBack(int64_t bundles) {
  if (bundles <= 0)
    return Stop{};
  // The state knows when the last bundle issued. Others are found by issuing those behind them
  // again, of more and more cycles until there are enough.
  auto lastIssue = [&] {
    const ProgramPoint point = core().point();
    return point.last < 0 ? -1 : point.lastCycle;
  };
  const int64_t last = lastIssue();
  if (last < 0)
    return Stop{Stop::Kind::Start};
  // A cycle issues at most one bundle.
  bundles = std::min(bundles, last + 1);
  std::vector<int64_t> issued = {last};
  for (int64_t distance = 4 * bundles; int64_t(issued.size()) < bundles; distance *= 2) {
    const int64_t begin = std::max<int64_t>(0, last - distance);
    absl::StatusOr<Stop> stop = seek(begin);
    for (issued.clear(); stop.ok() && lastIssue() < last;) {
      if (stop->kind != Stop::Kind::Cycle && stop->kind != Stop::Kind::Start)
        return stop;
      stop = step(1);
      issued.push_back(lastIssue());
    }
    if (!stop.ok())
      return stop;
    if (begin == 0)
      break;
  }
  return seek(issued[size_t(std::max<int64_t>(0, int64_t(issued.size()) - bundles))]);
}

absl::Status visit(Session &session, const std::function<absl::Status()> &look) {
  const int64_t present = session.cycle();
  const int core = session.chosenCore();
  const bool isAtEnd = session.stats() || session.trap();
  *session.isLooking = true;
  absl::Status status = look();
  // Also if the user has interrupted it.
  const std::atomic<bool> *cancel = std::exchange(session.cancel, nullptr);
  absl::StatusOr<Stop> stop = session.seek(present);
  if (stop.ok() && isAtEnd)
    stop = session.run({});
  *session.isLooking = false;
  session.cancel = cancel;
  session.chooseCore(core);
  return status.ok() ? stop.status() : status;
}

} // namespace systole::debugger
