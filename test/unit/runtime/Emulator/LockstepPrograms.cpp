// Compares both executors on compiled programs, with random numbers as arguments:
//
//   LockstepPrograms STEPS THREADS all|paying PROGRAM.sysx...
//
// All parts of blocks have plans, or those for which these pay. Each program runs to its end three
// times, then in some STEPS steps with a snapshot after each. Prints its cycles, the share of its
// instructions whose cells plans computed, and what the plans cost. Exits with 1 if anything
// differs. benchmarks/emulation/lockstep.py calls it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "test/unit/runtime/Emulator/BothExecutors.h"

using namespace systole;
using namespace systole::test;

// Numbers around 1, of either sign, in all regions of HBM but the program's constants, which the
// emulator writes.
static void fill(Emulator &emulator) {
  const auto &header = emulator.program().header;
  for (int region = 0; region < header.regions_size(); ++region) {
    if (header.regions(region).space() != program::HBM)
      continue;
    auto bytes = emulator.writeHbm(region);
    if (!bytes.ok())
      continue;
    std::mt19937 random{uint32_t(region)};
    for (size_t at = 0; at + 4 <= bytes->size(); at += 4) {
      const uint32_t bits = random();
      const uint32_t cell = (bits & 0x80ffffff) | (bits >> 24 & 1 ? 0x3f000000u : 0x3e000000u);
      std::memcpy(bytes->data() + at, &cell, 4);
    }
  }
}

static std::string compare(const std::string &path, int64_t steps, int threads, bool everyPart) {
  auto program = readProgram(path);
  if (!program.ok())
    return program.status().ToString();
  auto target = Target::load(program->header.target());
  if (!target.ok())
    return target.status().ToString();
  auto both = BothExecutors::create(
      *program, *target, threads,
      {.maxCycles = 100'000'000, .memoryCapBytes = int64_t(4) << 30, .everyPart = everyPart});
  if (!both.ok())
    return both.status().ToString();
  for (int run = 0; run < 3; ++run)
    if (std::string difference = both->run(fill); !difference.empty())
      return difference;
  const RunStats &stats = both->statistics();
  const int64_t all = stats.plannedInstructions + stats.otherInstructions;
  const emulation::PlanStore::Usage made = both->planning();
  std::printf("%s: %lld cycles, %.1f %% of %lld instructions by plans%s; %lld plans of %lld "
              "instructions, %.1f MB, made in %.1f ms\n",
              path.c_str(), (long long)both->lastCycles(),
              100.0 * double(stats.plannedInstructions) / double(std::max<int64_t>(all, 1)),
              (long long)all, both->hasTrapped() ? ", traps" : "", (long long)made.plans,
              (long long)made.instructions, double(made.bytes) / 1e6,
              double(made.nanoseconds) / 1e6);
  std::fflush(stdout);
  std::mt19937 random(1);
  // Half of the most cycles of a step are its mean.
  return both->runInSteps(random, std::max<int64_t>(2 * both->lastCycles() / steps, 1), fill);
}

int main(int argc, char **argv) {
  const std::string parts = argc > 3 ? argv[3] : "";
  if (argc < 5 || (parts != "all" && parts != "paying")) {
    std::fprintf(stderr, "usage: LockstepPrograms STEPS THREADS all|paying PROGRAM.sysx...\n");
    return 1;
  }
  int differ = 0;
  for (int i = 4; i < argc; ++i) {
    const std::string difference = compare(argv[i], std::max(std::atoi(argv[1]), 1),
                                           std::max(std::atoi(argv[2]), 1), parts == "all");
    if (difference.empty())
      continue;
    std::printf("%s: %s\n", argv[i], difference.c_str());
    ++differ;
  }
  std::printf("%d of %d programs differ\n", differ, argc - 4);
  return differ > 0;
}
