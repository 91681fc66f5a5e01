// The executor with plans beside the interpreter on one program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_BOTHEXECUTORS_H
#define SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_BOTHEXECUTORS_H

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/Emulator.h"
#include "runtime/Emulator/Plans/PlanStore.h"

namespace systole::test {

// Functions return where the executors differ, or "".
class BothExecutors {
public:
  struct Limits {
    int64_t maxCycles = 100000;
    int64_t memoryCapBytes = 64 << 20;
    bool everyPart = true; // has a plan and is shared by threads, whether that pays or not
  };

  // Cells are computed on so many threads. InvalidArgument if the program is refused, else errors
  // of Emulator::create.
  static absl::StatusOr<BothExecutors> create(const Program &program, const Target &target,
                                              int threads, const Limits &limits) {
    auto decoded = DecodedProgram::create(std::make_shared<Program>(program), target);
    if (!decoded.ok())
      return decoded.status();
    BothExecutors both;
    both.decoded = *decoded;
    for (const bool interprets : {true, false}) {
      EmulatorOptions options;
      options.interprets = interprets;
      options.liveRegistersOnly = true;
      options.threads = interprets ? 1 : threads;
      options.plansEveryPart = limits.everyPart;
      options.maxCycles = limits.maxCycles;
      options.memoryCapBytes = limits.memoryCapBytes;
      options.log =
          [log = (interprets ? both.expectedLog : both.log).get()](const LoggedMessage &message) {
            log->push_back(absl::StrCat(message.cycle, " ", message.text));
          };
      auto emulator = Emulator::create(*decoded, options);
      if (!emulator.ok())
        return emulator.status();
      (interprets ? both.interpreter : both.plans) = *std::move(emulator);
    }
    return both;
  }

  // Sets both memories before a run.
  using Fill = std::function<void(Emulator &)>;

  // A run from the beginning to the end.
  std::string run(const Fill &fill = {}) {
    begin(fill);
    auto expected = interpreter->run(), got = plans->run();
    if (std::string difference = ofEnds(expected.status(), got.status()); !difference.empty())
      return difference;
    if (expected.ok()) {
      if (expected->cycles != got->cycles)
        return absl::StrCat(expected->cycles, " and ", got->cycles, " cycles");
      last = *std::move(got);
      cycles = last.cycles;
    } else if (hasTrapped()) {
      cycles = interpreter->lastTrap()->cycle;
    }
    if (*expectedLog != *log)
      return absl::StrCat("the log, of ", expectedLog->size(), " and ", log->size(), " messages");
    return hbmOf(*interpreter) == hbmOf(*plans) ? "" : "HBM after a run";
  }

  // A run in steps of at most so many cycles, of which many end inside of a block.
  std::string runInSteps(std::mt19937 &random, int64_t mostCycles, const Fill &fill = {}) {
    begin(fill);
    for (Emulator *each : {interpreter.get(), plans.get()})
      if (absl::Status status = each->start(); !status.ok())
        return status.ToString();
    for (int64_t cycle = 0;;) {
      cycle += 1 + int64_t(random() % uint64_t(mostCycles));
      auto expected = interpreter->advance(cycle), got = plans->advance(cycle);
      if (std::string difference = ofEnds(expected.status(), got.status()); !difference.empty())
        return difference;
      if (*expectedLog != *log)
        return absl::StrCat("the log before cycle ", cycle);
      if (!expected.ok() || expected->has_value())
        return "";
      const std::string difference = interpreter->snapshot()->firstDifference(*plans->snapshot());
      if (!difference.empty())
        return absl::StrCat("cycle ", cycle, ": ", difference);
    }
  }

  bool hasTrapped() const { return interpreter->lastTrap().has_value(); }
  // Of the last run, up to its end or a trap.
  int64_t lastCycles() const { return cycles; }
  // Of the last run that ended, with plans.
  const RunStats &statistics() const { return last; }
  emulation::PlanStore::Usage planning() const { return decoded->plans().usage(); }

private:
  void begin(const Fill &fill) {
    expectedLog->clear();
    log->clear();
    if (fill)
      for (Emulator *each : {interpreter.get(), plans.get()})
        fill(*each);
  }

  static std::vector<uint8_t> hbmOf(const Emulator &emulator) {
    std::vector<uint8_t> contents;
    const auto &header = emulator.program().header;
    for (int region = 0; region < header.regions_size(); ++region)
      if (header.regions(region).space() == program::HBM)
        if (auto bytes = emulator.readHbm(region); bytes.ok())
          contents.insert(contents.end(), bytes->begin(), bytes->end());
    return contents;
  }

  static std::string describe(const absl::Status &status, const std::optional<TrapInfo> &trap) {
    if (!trap)
      return status.ToString();
    return absl::StrCat(status.ToString(), " bundle ", trap->bundle, " cycle ", trap->cycle,
                        " clock ", trap->clock);
  }

  std::string ofEnds(const absl::Status &expected, const absl::Status &got) const {
    const std::string a = describe(expected, interpreter->lastTrap()),
                      b = describe(got, plans->lastTrap());
    return a == b ? "" : absl::StrCat("ends: ", a, " and ", b);
  }

  std::shared_ptr<const DecodedProgram> decoded;
  using Log = std::vector<std::string>;
  std::unique_ptr<Log> expectedLog = std::make_unique<Log>(), log = std::make_unique<Log>();
  std::unique_ptr<Emulator> interpreter, plans;
  RunStats last;
  int64_t cycles = 0;
};

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_BOTHEXECUTORS_H
