// The pass pipeline of the compiler, from top to bottom.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Pipeline/Pipeline.h"

#include "compiler/Model/Passes.h"
#include "compiler/Pipeline/Phases.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace systole {

namespace {

struct PhaseFlags : PassPipelineOptions<PhaseFlags> {
  PassOptions::Option<std::string> target{
      *this, "target", llvm::cl::desc("name or file of the target"), llvm::cl::init("v3")};
  PassOptions::Option<std::string> precision{
      *this, "precision", llvm::cl::desc("default, high or highest"), llvm::cl::init("default")};
  PassOptions::Option<bool> excessPrecision{
      *this, "excess-precision", llvm::cl::desc("keep narrow intermediate results in f32"),
      llvm::cl::init(false)};
  PassOptions::Option<std::string> argumentShapes{
      *this, "arguments", llvm::cl::desc("shapes of the arguments, as for systole-refine-shapes"),
      llvm::cl::init("")};
  PassOptions::Option<bool> crossKernel{
      *this, "cross-kernel",
      llvm::cl::desc(
          "keep arrays in VMEM for several kernels, and copies in flight while they run"),
      llvm::cl::init(true)};
};

struct PipelineFlags : PhaseFlags {
  PassOptions::Option<std::string> from{
      *this, "from", llvm::cl::desc("level of the input: input, or one of those below"),
      llvm::cl::init("input")};
  PassOptions::Option<std::string> to{
      *this, "to", llvm::cl::desc("last level: graph, layout, fusion, kernel or core"),
      llvm::cl::init("core")};
};

} // namespace

std::optional<Level> levelFromName(StringRef name) {
  return llvm::StringSwitch<std::optional<Level>>(name)
      .Case("input", Level::Input)
      .Case("graph", Level::Graph)
      .Case("layout", Level::Layout)
      .Case("fusion", Level::Fusion)
      .Case("kernel", Level::Kernel)
      .Case("core", Level::Core)
      .Default(std::nullopt);
}

std::optional<int> precisionFromName(StringRef name) {
  return llvm::StringSwitch<std::optional<int>>(name)
      .Case("default", 1)
      .Case("high", 3)
      .Case("highest", 6)
      .Default(std::nullopt);
}

/// Adds the passes of the phases for which `isWanted` holds.
static void addPhases(OpPassManager &passes, const Target &target, const PipelineOptions &options,
                      function_ref<bool(const Phase &)> isWanted) {
  PhaseContext context{
      target, options,
      std::make_shared<Planner>(PlanningContext(target, options.precision, options.budget))};
  // For the passes that ask what something costs.
  passes.addPass(createSetTarget(target, options.budget));
  for (const Phase &phase : phases())
    if (isWanted(phase))
      phase.addPasses(passes, context);
}

void buildPipeline(OpPassManager &passes, const Target &target, const PipelineOptions &options,
                   Level from, Level to) {
  addPhases(passes, target, options,
            [&](const Phase &phase) { return from < phase.to && phase.to <= to; });
}

void buildSpmdPipeline(OpPassManager &passes, const Target &target,
                       const PipelineOptions &options) {
  bool isBehind = false;
  addPhases(passes, target, options, [&](const Phase &phase) {
    const bool isWanted = !isBehind;
    isBehind |= phase.name == kSpmdPhase;
    return isWanted;
  });
}

/// Calls `build` with what the flags say; ends the program with an error if they are wrong.
static void withOptions(const PhaseFlags &flags,
                        function_ref<void(const Target &, const PipelineOptions &)> build) {
  auto precision = precisionFromName(flags.precision);
  if (!precision)
    llvm::report_fatal_error(llvm::Twine("unknown precision '") + flags.precision + "'", false);
  auto target = Target::load(flags.target.getValue());
  if (!target.ok())
    llvm::report_fatal_error(llvm::Twine(std::string(target.status().message())), false);
  build(*target, {*precision, flags.excessPrecision, flags.crossKernel, /*budget=*/{},
                  /*decisions=*/nullptr, flags.argumentShapes});
}

void registerPipelines() {
  PassPipelineRegistration<PipelineFlags>(
      "systole-pipeline", "Compile StableHLO down to a level",
      [](OpPassManager &passes, const PipelineFlags &flags) {
        auto from = levelFromName(flags.from), to = levelFromName(flags.to);
        for (const auto &[level, name] : {std::pair(from, &flags.from), {to, &flags.to}})
          if (!level)
            llvm::report_fatal_error(llvm::Twine("unknown level '") + *name + "'", false);
        withOptions(flags, [&](const Target &target, const PipelineOptions &options) {
          buildPipeline(passes, target, options, *from, *to);
        });
      });
  for (const Phase &phase : phases())
    PassPipelineRegistration<PhaseFlags>(
        ("systole-" + phase.name + "-pipeline").str(), phase.description,
        [&phase](OpPassManager &passes, const PhaseFlags &flags) {
          withOptions(flags, [&](const Target &target, const PipelineOptions &options) {
            addPhases(passes, target, options, [&](const Phase &each) { return &each == &phase; });
          });
        });
}

} // namespace systole
