// The pipelines of each phase, from top to bottom.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Phases.h"

#include "compiler/Codegen/Passes.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Import/Passes.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Legalize/Passes.h"
#include "compiler/Model/MachineModel.h"
#include "compiler/Mosaic/Passes.h"
#include "compiler/Numerics/Passes.h"
#include "compiler/Partition/Passes.h"
#include "compiler/Planning/Passes.h"
#include "compiler/Residency/Passes.h"
#include "compiler/Tiling/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace systole {

/// Dimensions of a transposition without a loop: those along lanes, sublanes and the grid.
static constexpr int64_t kUnloopedDimensions = 5;

static SimplifyOptions simplifyFor(const Target &target) {
  SimplifyOptions simplify;
  simplify.indexWords = indexWords(target.smemWords());
  return simplify;
}

static void addImport(OpPassManager &passes, const PhaseContext &context) {
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
  passes.addPass(createImportMosaic());
}

static void addSpmd(OpPassManager &passes, const PhaseContext &context) {
  passes.addPass(createRefineShapes({context.options.argumentShapes}));
  // The program of one core among several.
  passes.addPass(createPropagateShardings());
  passes.addPass(createPartitionProgram({/*remarks=*/false, context.options.divideOperations}));
  passes.addPass(createCombineCollectives());
  // Values that the caller compares: those of operations as the program has them.
  if (context.options.raise)
    passes.addPass(createRaisePrecision(*context.options.raise));
  if (context.options.taps)
    passes.addPass(createInsertTaps(*context.options.taps));
}

static void addLegalize(OpPassManager &passes, const PhaseContext &context) {
  passes.addPass(createExpandCollectives(context.target, context.options.places));
  passes.addPass(createPlaceHostArrays());
  passes.addPass(createExpandBroadcasts());
  passes.addPass(createDecompose());
  passes.addPass(createNarrowDoubles());
  passes.addPass(createNarrowDoubleArguments());
  passes.addPass(createCheckTypes({context.target.hbmRows() * kRowBytes}));
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
  passes.addPass(createOrderReductions());
  passes.addPass(createSplitDoubles());
  passes.addPass(createSplitIntegers());
  passes.addPass(createExpandSort({context.target.vmemRows() * kRowBytes / 8 * 7}));
  passes.addPass(createSelectGathers({int64_t(context.planner->machine().model.emptyKernel())}));
}

static void addGraph(OpPassManager &passes, const PhaseContext &context) {
  // Convolutions and scatters in the forms that kernels compute.
  passes.addPass(createRegroupConvolutions());
  passes.addPass(createFoldWindows());
  passes.addPass(createSumWindows());
  passes.addPass(createCanonicalizeConvolutions());
  passes.addPass(createSpaceToDepth());
  passes.addPass(createSplitConvolutions(context.planner));
  passes.addPass(createLookUpGathers(context.planner));
  passes.addPass(createCanonicalizeScatters());
  passes.addPass(createSimplifyLoops());
  // Work that loops do trip by trip, and that is done at once outside of them.
  passes.addPass(createCSEPass());
  passes.addPass(createSumBehindLoops());
  passes.addPass(createBatchLoopProducts());
  passes.addPass(createRecomputeStacks());
  passes.addPass(createSimplifyLoops());
  passes.addPass(createSimplify(simplifyFor(context.target)));
  passes.addPass(createCSEPass());
  passes.addPass(createOrderSums());
  passes.addPass(createArrangeMosaicOperands());
}

static void addLayout(OpPassManager &passes, const PhaseContext &context) {
  // Gathers that take more loops than the machine nests, beside two for a grid and for rows.
  MergePositionsOptions positions;
  positions.mostDimensions = context.target.limits().loopDepth - 2;
  passes.addPass(createMergePositions(positions));
  // Materializes the layout of each tensor: from here on all tensors are row-major.
  passes.addPass(createAssignLayouts());
  passes.addPass(createMaterializeLayouts());
  passes.addPass(createSimplify(simplifyFor(context.target)));
  passes.addPass(createTileRows());
  // Contractions in the forms of the matrix unit, on operands in their layouts.
  passes.addPass(createCanonicalizeDots());
  passes.addPass(createSimplify(simplifyFor(context.target)));
  passes.addPass(createCSEPass());
  passes.addPass(createVerifyLayouts());
}

static void addFusion(OpPassManager &passes, const PhaseContext &context) {
  // Transpositions along lanes.
  passes.addPass(createLookUpTransposes(context.planner));
  // Transpositions that take more loops than the machine nests.
  SplitTransposesOptions transposes;
  transposes.mostDimensions = context.target.limits().loopDepth + kUnloopedDimensions;
  passes.addPass(createSplitTransposes(transposes));
  // Arrays that stay in HBM although they are read at computed positions.
  passes.addPass(createAssignAccess(context.planner));
  // Products whose depth may be divided anywhere.
  passes.addPass(createMarkSinglePass(context.planner));
  // What loops need not do in each trip, or before the first one.
  passes.addPass(createRoundInvariantOperands());
  passes.addPass(createElideFills());
  passes.addPass(createPlaceParts());
  // Reshapes whose blocks would be too large.
  passes.addPass(createFlattenReshapes(context.planner));
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
  passes.addPass(createFuse(context.planner));
  // Recomputes values for which that is cheaper than moving them.
  passes.addPass(createRecompute(context.planner));
  passes.addPass(createMergeFusions(context.planner));
  // Of merged kernels, what several results follow from.
  passes.addPass(createRecompute(context.planner));
  // The order of kernels, within which arrays live.
  passes.addPass(createOrderKernels());
  passes.addPass(createRematerialize(context.planner, context.target.hbmRows()));
  passes.addPass(createResolveBarriers());
  // Copies from the host, and arrays that stay in VMEM between kernels or while a loop runs.
  if (context.options.crossKernel)
    passes.addPass(
        createPlanResidency(context.planner, ResidencyStep::Arrays, context.target.hbmRows()));
}

static void addKernel(OpPassManager &passes, const PhaseContext &context) {
  // Grids and blocks in VMEM as the plans of fusions say, and the HBM plan.
  passes.addPass(createPlanFusions(context.planner));
  if (context.options.decisions)
    passes.addPass(createExplainFusions(context.planner, *context.options.decisions));
  // First blocks of the next kernel, by its plan, which may be forced.
  if (context.options.crossKernel)
    passes.addPass(
        createPlanResidency(context.planner, ResidencyStep::FirstBlocks, context.target.hbmRows()));
  passes.addPass(createLowerMosaic({context.options.precision, context.options.crossKernel}));
  FormKernelsOptions kernels;
  kernels.smemWords = context.target.smemWords();
  kernels.hbmRows = context.target.hbmRows();
  kernels.precision = context.options.precision;
  passes.addPass(createFormKernels(kernels));
  passes.addPass(createVerifyResidency());
  passes.addPass(createReplicateRows());
}

static void addCore(OpPassManager &passes, const PhaseContext &context) {
  // Machine instructions. Registers, schedules and bundles are not MLIR (compiler/Schedule,
  // compiler/Emit).
  passes.addPass(createCodegen(codegen::machineOf(context.target, context.options.budget),
                               context.options.excessPrecision));
}

ArrayRef<Phase> phases() {
  static constexpr Phase phases[] = {
      {"import", "portable StableHLO as one function for one device", Level::Graph, addImport},
      {kSpmdPhase, "the program of one core among several (single program, multiple data)",
       Level::Graph, addSpmd},
      {"legalize", "tensors of supported types, and a small set of operations", Level::Graph,
       addLegalize},
      {"graph", "canonical convolutions and scatters; optimizations of the graph", Level::Graph,
       addGraph},
      {"layout", "layouts of all tensors", Level::Layout, addLayout},
      {"fusion", "kernels as fused operations, and arrays resident in VMEM", Level::Fusion,
       addFusion},
      {"kernel", "grids, blocks and copies, and the memory plan", Level::Kernel, addKernel},
      {"core", "machine instructions in SSA form", Level::Core, addCore},
  };
  return phases;
}

} // namespace systole
