// Counters and times of the machine passes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Statistics.h"

#include "llvm/Support/Format.h"

namespace systole::machine {

PassStatistics &Statistics::pass(const std::string &name) {
  for (PassStatistics &p : passes)
    if (p.name == name)
      return p;
  return passes.emplace_back(PassStatistics{name});
}

void Statistics::merge(const Statistics &other) {
  for (const PassStatistics &p : other.passes) {
    PassStatistics &mine = pass(p.name);
    mine.seconds += p.seconds;
    mine.instructions += p.instructions;
  }
  instructions += other.instructions;
  bundles += other.bundles;
  pipelinedLoops += other.pipelinedLoops;
  plainLoops += other.plainLoops;
  sharedLoops += other.sharedLoops;
  fusedLoops += other.fusedLoops;
  spilledRegisters += other.spilledRegisters;
  attempts += other.attempts;
  unverifiedRoutines += other.unverifiedRoutines;
}

void Statistics::print(llvm::raw_ostream &os) const {
  for (const PassStatistics &p : passes)
    os << llvm::format("%-20s %10.6f s %10lld instructions %8.1f ns each\n", p.name.c_str(),
                       p.seconds, (long long)p.instructions,
                       p.instructions ? p.seconds * 1e9 / double(p.instructions) : 0.0);
  os << instructions << " instructions in " << bundles << " bundles; " << pipelinedLoops
     << " loops pipelined, " << plainLoops << " not, " << sharedLoops << " shared by streams; "
     << spilledRegisters << " registers spilled; " << attempts << " schedules tried; "
     << unverifiedRoutines << " routines not verified\n";
}

PassTimer::~PassTimer() {
  PassStatistics &p = statistics.pass(name);
  p.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  p.instructions += instructions;
}

} // namespace systole::machine
