// Lowers a `core` module to a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/Emit.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Emit/SpillFrames.h"
#include "compiler/Schedule/Lower.h"
#include "compiler/Verify/VerifyCopies.h"
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

static LogicalResult report(ModuleOp module, const absl::Status &status) {
  if (status.ok())
    return success();
  InFlightDiagnostic error =
      absl::IsInternal(status) ? emitInternal(module.getLoc()) : module.emitError();
  auto message = status.message();
  return error << StringRef(message.data(), message.size());
}

/// Verifies that the machine accepts the program, and that its copies are right on all paths.
static LogicalResult verifyEmitted(ModuleOp module, const Program &program, const Limits &limits,
                                   machine::Statistics &statistics) {
  absl::StatusOr<std::vector<isa::Bundle>> bundles;
  {
    machine::PassTimer timer(statistics, "verify program", statistics.instructions);
    bundles = decodeProgram(program);
    if (failed(report(module, bundles.status())) ||
        failed(report(module, verifyProgram(program, limits, *bundles))))
      return failure();
  }
  machine::PassTimer timer(statistics, "verify copies", statistics.instructions);
  absl::StatusOr<CopyVerification> verified = verifyCopies(program, limits, *bundles);
  if (failed(report(module, verified.status())))
    return failure();
  statistics.unverifiedRoutines += int64_t(verified->unverified.size());
  return success();
}

/// The table that code generation has made of `kernel.log`.
static void addLogMessages(ModuleOp module, program::ProgramHeader &header) {
  auto messages = module->getAttrOfType<ArrayAttr>("core.log_messages");
  if (!messages)
    return;
  for (auto from : messages.getAsRange<DictionaryAttr>()) {
    program::LogMessage &message = *header.add_log_messages();
    for (auto text : from.getAs<ArrayAttr>("texts").getAsValueRange<StringAttr>())
      message.add_texts(text.str());
    for (Type type : from.getAs<ArrayAttr>("values").getAsValueRange<TypeAttr>()) {
      program::LogValue &value = *message.add_values();
      // Types of elements have the same names there.
      llvm::raw_string_ostream(*value.mutable_dtype()) << getElementTypeOrSelf(type);
      if (auto shaped = dyn_cast<ShapedType>(type))
        value.mutable_dims()->Add(shaped.getShape().begin(), shaped.getShape().end());
    }
    message.set_typed(from.contains("typed"));
  }
}

llvm::FailureOr<Program> emitProgram(ModuleOp module, const Target &target, EmitOptions options,
                                     machine::Statistics &statistics, CodeShortage *shortage) {
  Limits limits = target.limits();
  FailureOr<machine::Module> lowered = failure();
  auto schedule = [&]() -> LogicalResult {
    {
      machine::PassTimer timer(statistics, "lower", 0);
      lowered = machine::lowerToMachine(module);
    }
    if (failed(lowered))
      return failure();
    return report(module, machine::runBackend(*lowered, limits, options.backend, statistics));
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
  if (auto traps = module->getAttrOfType<ArrayAttr>("core.traps"))
    for (auto message : traps.getAsValueRange<StringAttr>())
      options.header.add_traps(message.str());
  addLogMessages(module, options.header);
  absl::StatusOr<Program> program;
  {
    machine::PassTimer timer(statistics, "encode", statistics.instructions);
    program = machine::encodeModule(*lowered, target, std::move(options.header),
                                    options.startsOverlaysEarly, shortage);
  }
  if (failed(report(module, program.status())))
    return failure();
  statistics.bundles += int64_t(program->code.size());
  program->constants = std::move(options.constants);
  if (options.verify && failed(verifyEmitted(module, *program, limits, statistics)))
    return failure();
  return std::move(*program);
}

} // namespace systole
