// Lowers a `core` module to a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/Emit.h"

#include "compiler/Emit/SpillFrames.h"
#include "compiler/Schedule/Lower.h"
#include "dialects/Machine/Program/Verify.h"

namespace systole {

using namespace mlir;

/// Words of SMEM that the regions of a module take.
static int64_t smemWords(const machine::Module &module) {
  int64_t words = 0;
  for (const machine::RegionInfo &region : module.regions)
    if (region.space == program::SMEM)
      words = std::max<int64_t>(words, region.base + region.size);
  return words;
}

llvm::FailureOr<Program> emitProgram(ModuleOp module, const Target &target, EmitOptions options,
                                     machine::Statistics &statistics) {
  auto report = [&](const absl::Status &status) -> LogicalResult {
    if (status.ok())
      return success();
    auto message = status.message();
    return module.emitError() << StringRef(message.data(), message.size());
  };
  Limits limits = target.limits();
  FailureOr<machine::Module> lowered = failure();
  auto schedule = [&]() -> LogicalResult {
    {
      machine::PassTimer timer(statistics, "lower", 0);
      lowered = machine::lowerToMachine(module);
    }
    if (failed(lowered))
      return failure();
    return report(machine::runBackend(*lowered, limits, options.backend, statistics));
  };
  if (failed(schedule()))
    return failure();
  // Scalars that do not fit into SMEM beside the kernels' buffers are spilled to VMEM.
  int64_t free = target.smemWords() - smemWords(*lowered);
  if (auto frames = machine::placeSpillFrames(*lowered); frames.ok() && frames->size.words > free) {
    machine::restrictFrames(*frames, free, options.backend);
    if (failed(schedule()))
      return failure();
  }
  absl::StatusOr<Program> program;
  {
    machine::PassTimer timer(statistics, "encode", statistics.instructions);
    program = machine::encodeModule(*lowered, target, std::move(options.header),
                                    options.startsOverlaysEarly);
  }
  if (failed(report(program.status())))
    return failure();
  statistics.bundles += int64_t(program->code.size());
  program->constants = std::move(options.constants);
  if (options.verify) {
    machine::PassTimer timer(statistics, "verify program", statistics.instructions);
    if (failed(report(verifyProgram(*program, limits))))
      return failure();
  }
  return std::move(*program);
}

} // namespace systole
