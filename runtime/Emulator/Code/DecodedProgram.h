// A program that is decoded for a machine: once, for all of its runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_CODE_DECODEDPROGRAM_H
#define SYSTOLE_RUNTIME_EMULATOR_CODE_DECODEDPROGRAM_H

#include <memory>

#include "absl/status/statusor.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"

namespace systole {

namespace emulation {
struct Code;
class PlanStore;
} // namespace emulation

// Immutable but for its plans, which threads may use: threads and machines of the target share it.
class DecodedProgram {
public:
  // Of a program that has passed verifyProgram for the target's limits. Code that the verifier
  // would have rejected is a trap when it is executed, or InvalidArgument here.
  static absl::StatusOr<std::shared_ptr<const DecodedProgram>>
  create(std::shared_ptr<const Program> program, const Target &target);
  ~DecodedProgram();

  const Program &program() const { return *source; }
  const Target &target() const { return machine; }
  const emulation::Code &code() const { return *decoded; }
  emulation::PlanStore &plans() const { return *made; }

private:
  DecodedProgram(std::shared_ptr<const Program> program, const Target &target,
                 emulation::Code code);

  std::shared_ptr<const Program> source;
  Target machine;
  std::unique_ptr<const emulation::Code> decoded;
  std::unique_ptr<emulation::PlanStore> made;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_CODE_DECODEDPROGRAM_H
