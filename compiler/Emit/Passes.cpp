// Passes that print the machine levels in systole-opt.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/Passes.h"

#include "compiler/Emit/Emit.h"
#include "compiler/Schedule/Lower.h"
#include "compiler/Schedule/MachineText.h"
#include "compiler/Schedule/ScheduleVerifier.h"
#include "dialects/Machine/Program/Disassembler.h"
#include "dialects/Machine/Program/Verify.h"

#include "absl/strings/str_cat.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

namespace systole {

#define GEN_PASS_DEF_CORETOMACHINE
#define GEN_PASS_DEF_MACHINEPARSE
#include "compiler/Emit/Passes.h.inc"

using namespace mlir;

namespace {

struct Settings {
  std::string printAfter, target, output;
  bool pipeline = true, simplest = false;
};

/// The step of scheduling with this name in `print-after`; nothing for a step before or after it.
std::optional<machine::BackendStep> scheduleStep(StringRef name) {
  using Step = machine::BackendStep;
  return StringSwitch<std::optional<Step>>(name)
      .Case("prepare", Step::Prepare)
      .Case("pipeline", Step::Pipeline)
      .Case("schedule", Step::Schedule)
      .Case("overlap", Step::Overlap)
      .Case("allocate", Step::Allocate)
      .Default(std::nullopt);
}

/// Whether `name` is `first` (lower or parse), `verify` after parsing, or a later step.
bool isStep(StringRef name, StringRef first) {
  return name == first || (name == "verify" && first == "parse") || name == "encode" ||
         scheduleStep(name);
}

/// Runs the steps after lowering or parsing and prints where they stop.
absl::Status runAndPrint(machine::Module &module, const Settings &settings,
                         machine::Statistics &statistics) {
  auto target = Target::load(settings.target);
  if (!target.ok())
    return target.status();
  Limits limits = target->limits();
  machine::BackendOptions options;
  options.pipeline = settings.pipeline;
  if (settings.simplest)
    options.firstMode = machine::ScheduleMode::InMemory;
  std::optional<machine::BackendStep> last = scheduleStep(settings.printAfter);
  options.last = last.value_or(machine::BackendStep::Allocate);
  if (absl::Status s = machine::runBackend(module, limits, options, statistics); !s.ok())
    return s;
  if (last) {
    machine::print(llvm::outs(), module);
    return absl::OkStatus();
  }
  auto program = machine::encodeModule(module, *target, {});
  if (!program.ok())
    return program.status();
  statistics.bundles += int64_t(program->code.size());
  if (absl::Status s = verifyProgram(*program, limits); !s.ok())
    return s;
  llvm::outs() << disassemble(*program);
  if (!settings.output.empty())
    return writeProgram(*program, settings.output);
  return absl::OkStatus();
}

struct CoreToMachinePass : impl::CoreToMachineBase<CoreToMachinePass> {
  using CoreToMachineBase::CoreToMachineBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (!isStep(StringRef(printAfter), "lower")) {
      getOperation().emitError() << "no step `" << printAfter << "`";
      return signalPassFailure();
    }
    machine::Statistics counters;
    FailureOr<machine::Module> module = machine::lowerToMachine(getOperation());
    if (failed(module))
      return signalPassFailure();
    if (printAfter == "lower")
      return machine::print(llvm::outs(), *module);
    absl::Status status =
        runAndPrint(*module, {printAfter, target, output, pipeline, simplest}, counters);
    if (statistics)
      counters.print(llvm::errs());
    if (!status.ok()) {
      getOperation().emitError() << StringRef(status.message().data(), status.message().size());
      signalPassFailure();
    }
  }
};

struct MachineParsePass : impl::MachineParseBase<MachineParsePass> {
  using MachineParseBase::MachineParseBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (absl::Status s = run(); !s.ok()) {
      getOperation().emitError() << file << ": "
                                 << StringRef(s.message().data(), s.message().size());
      signalPassFailure();
    }
  }

  absl::Status run() {
    if (!isStep(StringRef(printAfter), "parse"))
      return absl::InvalidArgumentError(absl::StrCat("no step `", printAfter.getValue(), "`"));
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      return absl::NotFoundError(buffer.getError().message());
    auto module = machine::parse((*buffer)->getBuffer());
    if (!module.ok())
      return module.status();
    if (printAfter == "parse") {
      machine::print(llvm::outs(), *module);
      return absl::OkStatus();
    }
    auto target = Target::load(this->target);
    if (!target.ok())
      return target.status();
    if (printAfter == "verify") {
      for (const machine::Function &f : module->functions)
        if (absl::Status s = machine::verifySchedule(f, target->limits()); !s.ok())
          return s;
      return absl::OkStatus();
    }
    machine::Statistics counters;
    return runAndPrint(*module, {printAfter, this->target, "", pipeline, simplest}, counters);
  }
};

} // namespace
} // namespace systole
