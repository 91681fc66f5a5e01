// Counters and times of the machine passes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_STATISTICS_H
#define SYSTOLE_COMPILER_SCHEDULE_STATISTICS_H

#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace systole::machine {

struct PassStatistics {
  std::string name;
  double seconds = 0;
  int64_t instructions = 0;
};

/// Statistics of one compilation. Not thread-safe.
struct Statistics {
  std::vector<PassStatistics> passes; // in the order of their first run
  int64_t instructions = 0;           // of the program, including spill code
  int64_t bundles = 0;
  int64_t pipelinedLoops = 0, plainLoops = 0; // innermost loops
  int64_t sharedLoops = 0;                    // with iterations of two streams
  int64_t fusedLoops = 0;                     // that are parts of others
  int64_t spilledRegisters = 0;
  int64_t attempts = 0; // scheduling attempts over all routines
  int64_t unverifiedRoutines = 0; // of which verifyCopies cannot tell

  PassStatistics &pass(const std::string &name);
  void merge(const Statistics &other);
  /// Prints a table with one line per pass: seconds, instructions, ns per instruction.
  void print(llvm::raw_ostream &os) const;
};

/// Adds the time of its scope to a pass.
class PassTimer {
public:
  PassTimer(Statistics &statistics, const char *name, int64_t instructions)
      : statistics(statistics), name(name), instructions(instructions),
        start(std::chrono::steady_clock::now()) {}
  ~PassTimer();
  PassTimer(const PassTimer &) = delete;
  PassTimer &operator=(const PassTimer &) = delete;

private:
  Statistics &statistics;
  const char *name;
  int64_t instructions;
  std::chrono::steady_clock::time_point start;
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_STATISTICS_H
