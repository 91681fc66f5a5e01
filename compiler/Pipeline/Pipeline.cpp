// The pass pipeline of the compiler, from top to bottom.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Pipeline.h"

#include "compiler/Codegen/Passes.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Import/Passes.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Legalize/Passes.h"
#include "compiler/Model/MachineModel.h"
#include "compiler/Model/Passes.h"
#include "compiler/Planning/Passes.h"
#include "compiler/Planning/Planner.h"
#include "compiler/Residency/Passes.h"
#include "compiler/Tiling/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace systole {

namespace {

/// Dimensions of a transposition without a loop: those along lanes, sublanes and the grid.
constexpr int64_t kUnloopedDimensions = 5;

struct PipelineFlags : PassPipelineOptions<PipelineFlags> {
  PassOptions::Option<std::string> from{
      *this, "from", llvm::cl::desc("level of the input: input, or one of those below"),
      llvm::cl::init("input")};
  PassOptions::Option<std::string> to{
      *this, "to", llvm::cl::desc("last level: graph, layout, fusion, kernel or core"),
      llvm::cl::init("core")};
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

void buildPipeline(OpPassManager &passes, const Target &target, const PipelineOptions &options,
                   Level from, Level to) {
  auto planner =
      std::make_shared<Planner>(PlanningContext(target, options.precision, options.budget));
  SimplifyOptions simplify;
  simplify.indexWords = indexWords(target.smemWords());
  auto includes = [&](Level level) { return from < level && level <= to; };

  // For the passes that ask what something costs.
  passes.addPass(createSetTarget(target, options.budget));
  if (includes(Level::Graph)) {
    // StableHLO from a portable artifact, for one device.
    passes.addPass(createVhloToStableHLO());
    passes.addPass(createDropInternalAttributes());
    passes.addPass(createDropShardings());
    passes.addPass(createFlattenTuples());
    passes.addPass(createInlineAsync());
    passes.addPass(createLowerTokens());
    passes.addPass(createRecomposeChlo());
    passes.addPass(createDropCollectives());
    // One function on tensors of static shapes and supported types.
    passes.addPass(createResolveEntry());
    passes.addPass(createInlineCalls());
    passes.addPass(createRefineShapes({options.argumentShapes}));
    passes.addPass(createPlaceHostArrays());
    passes.addPass(createExpandBroadcasts());
    passes.addPass(createDecompose());
    passes.addPass(createNarrowDoubles());
    passes.addPass(createNarrowDoubleArguments());
    passes.addPass(createCheckTypes({target.hbmRows() * kRowBytes}));
    passes.addPass(createExpandCustomCalls());
    passes.addPass(createResolveConstants());
    passes.addPass(createStoreSmallTypes());
    passes.addPass(createSplitComplex());
    passes.addPass(createUnrollLoops());
    passes.addPass(createFoldConstants());
    // Calls of one function with the same arguments, such as those for random bits.
    passes.addPass(createCSEPass());
    // One dialect with a small set of operations.
    passes.addPass(createExpandChlo());
    passes.addPass(createExpandRandom());
    passes.addPass(createExpandLinearAlgebra());
    passes.addPass(createUnifyProducts());
    passes.addPass(createExpandOperations());
    passes.addPass(createWidenSums());
    passes.addPass(createExpandReduceWindow());
    passes.addPass(createExpandSelectAndScatter());
    passes.addPass(createExpandBatchNorm());
    passes.addPass(createExpandSort());
    passes.addPass(createOrderReductions());
    passes.addPass(createSplitDoubles());
    passes.addPass(createSplitIntegers());
    passes.addPass(createSelectGathers());
    // Convolutions and scatters in the forms that kernels compute.
    passes.addPass(createRegroupConvolutions());
    passes.addPass(createFoldWindows());
    passes.addPass(createSumWindows());
    passes.addPass(createCanonicalizeConvolutions());
    passes.addPass(createSpaceToDepth());
    passes.addPass(createSplitConvolutions(planner));
    passes.addPass(createCanonicalizeScatters());
    passes.addPass(createSimplifyLoops());
    // Work that loops do trip by trip, and that is done at once outside of them.
    passes.addPass(createCSEPass());
    passes.addPass(createSumBehindLoops());
    passes.addPass(createBatchLoopProducts());
    passes.addPass(createRecomputeStacks());
    passes.addPass(createSimplifyLoops());
    passes.addPass(createSimplify(simplify));
    passes.addPass(createCSEPass());
    passes.addPass(createOrderSums());
  }

  if (includes(Level::Layout)) {
    // Gathers that take more loops than the machine nests, beside two for a grid and for rows.
    MergePositionsOptions positions;
    positions.mostDimensions = target.limits().loopDepth - 2;
    passes.addPass(createMergePositions(positions));
    // Materializes the layout of each tensor: from here on all tensors are row-major.
    passes.addPass(createAssignLayouts());
    passes.addPass(createMaterializeLayouts());
    passes.addPass(createSimplify(simplify));
    passes.addPass(createTileRows());
    // Contractions in the forms of the matrix unit, on operands in their layouts.
    passes.addPass(createCanonicalizeDots());
    passes.addPass(createSimplify(simplify));
    passes.addPass(createCSEPass());
    passes.addPass(createVerifyLayouts());
  }

  if (includes(Level::Fusion)) {
    // Transpositions that take more loops than the machine nests.
    SplitTransposesOptions transposes;
    transposes.mostDimensions = target.limits().loopDepth + kUnloopedDimensions;
    passes.addPass(createSplitTransposes(transposes));
    // Arrays that stay in HBM although they are read at computed positions.
    passes.addPass(createAssignAccess());
    // Products whose depth may be divided anywhere.
    passes.addPass(createMarkSinglePass(planner));
    // What loops need not do in each trip, or before the first one.
    passes.addPass(createRoundInvariantOperands());
    passes.addPass(createElideFills());
    passes.addPass(createPlaceParts());
    // Reshapes whose blocks would be too large.
    passes.addPass(createFlattenReshapes(planner));
    // Operands of products in the type in which they are multiplied.
    passes.addPass(createRoundOperands());
    // Masks in rows that kernels may divide anywhere.
    passes.addPass(createWidenMasks());
    // Sums of one tensor in one loop, in kernels that are divided along their trees.
    passes.addPass(createCloseBodies());
    passes.addPass(createSplitSums());
    passes.addPass(createMergeReductions());
    // Groups operations into kernels.
    passes.addPass(createGroupParts());
    passes.addPass(createFuse(planner));
    // Recomputes values for which that is cheaper than moving them.
    passes.addPass(createRecompute(planner));
    passes.addPass(createMergeFusions(planner));
    // Of merged kernels, what several results follow from.
    passes.addPass(createRecompute(planner));
    // The order of kernels, within which arrays live.
    passes.addPass(createOrderKernels());
    passes.addPass(createRematerialize(planner, target.hbmRows()));
    passes.addPass(createResolveBarriers());
    // Copies from the host, and arrays that stay in VMEM between kernels or while a loop runs.
    if (options.crossKernel)
      passes.addPass(createPlanResidency(planner, ResidencyStep::Arrays, target.hbmRows()));
  }

  if (includes(Level::Kernel)) {
    // Grids and blocks in VMEM as the plans of fusions say, and the HBM plan.
    passes.addPass(createPlanFusions(planner));
    if (options.decisions)
      passes.addPass(createExplainFusions(planner, *options.decisions));
    // First blocks of the next kernel, by its plan, which may be forced.
    if (options.crossKernel)
      passes.addPass(createPlanResidency(planner, ResidencyStep::FirstBlocks, target.hbmRows()));
    FormKernelsOptions kernels;
    kernels.smemWords = target.smemWords();
    kernels.hbmRows = target.hbmRows();
    kernels.precision = options.precision;
    passes.addPass(createFormKernels(kernels));
    passes.addPass(createVerifyResidency());
    passes.addPass(createReplicateRows());
  }

  if (includes(Level::Core))
    // Machine instructions. Registers, schedules and bundles are not MLIR (compiler/Schedule,
    // compiler/Emit).
    passes.addPass(
        createCodegen(codegen::machineOf(target, options.budget), options.excessPrecision));
}

void registerPipelines() {
  PassPipelineRegistration<PipelineFlags>(
      "systole-pipeline", "Compile StableHLO down to a level",
      [](OpPassManager &passes, const PipelineFlags &flags) {
        auto from = levelFromName(flags.from), to = levelFromName(flags.to);
        auto precision = precisionFromName(flags.precision);
        auto target = Target::load(flags.target.getValue());
        for (const auto &[level, name] : {std::pair(from, &flags.from), {to, &flags.to}})
          if (!level)
            llvm::report_fatal_error(llvm::Twine("unknown level '") + *name + "'", false);
        if (!precision)
          llvm::report_fatal_error(llvm::Twine("unknown precision '") + flags.precision + "'",
                                   false);
        if (!target.ok())
          llvm::report_fatal_error(llvm::Twine(std::string(target.status().message())), false);
        buildPipeline(passes, *target,
                      {*precision, flags.excessPrecision, flags.crossKernel, /*budget=*/{},
                       /*decisions=*/nullptr, flags.argumentShapes},
                      *from, *to);
      });
}

} // namespace systole
