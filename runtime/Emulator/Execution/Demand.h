// Values that a run for timing has to compute, since control depends on them.
//
// The run is repeated. Each time kernels are computed, and arguments loaded, from which a value
// came that decided control and was unknown. All else is timed without data.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_DEMAND_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_DEMAND_H

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "dialects/Machine/Program/Program.h"
#include "runtime/Emulator/Execution/Origins.h"
#include "runtime/Emulator/Trap.h"

namespace systole::emulation {

class Demand {
public:
  // `withArguments`: the contents of arguments can be had. At most `mostBytes` of HBM are held.
  Demand(const program::ProgramHeader &header, bool withArguments, int64_t mostBytes);

  Origins &origins() { return sets; }
  int64_t mostHbmBytes() const { return mostBytes; }

  // Whether the vectors of a kernel are computed; -1 is control between kernels.
  bool computes(int32_t kernel) const { return computed[size_t(kernel + 1)]; }
  // The entry of a kernel's call, of which `kernel` is a part or the whole.
  int32_t callOf(int32_t kernel) const { return calls[size_t(kernel + 1)]; }
  // Whether a region of an argument or a constant has its contents when the program starts.
  bool loads(int32_t region) const { return loaded[size_t(region)]; }
  // Regions of arguments and constants.
  const std::vector<int32_t> &initialRegions() const { return initial; }

  void beginRun();
  void noteWrite(int32_t kernel, int32_t region) { writes.insert({region, callOf(kernel)}); }
  // Control was decided by an unknown value.
  void need(Origin origin) { needed.insert(origin); }
  // Control needs a value that nobody has stated; the first one is kept.
  void needStatement(TrapInfo place) {
    if (!missing)
      missing = std::move(place);
  }

  // Whether the last run met unknown values.
  bool isIncomplete() const { return !needed.empty(); }
  const std::optional<TrapInfo> &missingStatement() const { return missing; }
  // Adds what the last run lacked. False if nothing more can be computed.
  bool grow();

private:
  static constexpr int kMostRuns = 16;

  bool add(const Origins::Source &source);
  bool load(int32_t region);

  const program::ProgramHeader &header;
  int64_t mostBytes;
  Origins sets;
  std::vector<int32_t> initial, calls;
  std::vector<bool> computed;          // by kernel + 1
  std::vector<bool> available, loaded; // by region
  int64_t loadedBytes = 0;
  std::set<std::pair<int32_t, int32_t>> writes; // regions with the kernels that write them
  std::set<Origin> needed;
  std::optional<TrapInfo> missing;
  int runs = 0;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_DEMAND_H
