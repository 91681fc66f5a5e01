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
#include "compiler/Tiling/IndexStreams.h"
#include "compiler/Tiling/Passes.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace systole {

namespace {

/// The reciprocal of VMEM's share that fusion plans with. Buffers that stages need beside blocks
/// (split operands, transposed blocks, spills) get the rest.
constexpr int64_t kPlannedVmemShare = 2;
/// Dimensions of a transposition without a loop: those along lanes, sublanes and the grid.
constexpr int64_t kUnloopedDimensions = 5;

struct PipelineFlags : PassPipelineOptions<PipelineFlags> {
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
};

} // namespace

std::optional<Level> levelFromName(StringRef name) {
  return llvm::StringSwitch<std::optional<Level>>(name)
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
  int64_t vmemBytes = target.vmemRows() * kRowBytes / kPlannedVmemShare;
  SimplifyOptions simplify;
  simplify.indexWords = indexWords(target.smemWords());
  auto includes = [&](Level level) { return from < level && level <= to; };

  if (includes(Level::Graph)) {
    // StableHLO from a portable artifact, for one device.
    passes.addPass(createVhloToStableHLO());
    passes.addPass(createDropInternalAttributes());
    passes.addPass(createDropShardings());
    passes.addPass(createLowerTokens());
    passes.addPass(createRecomposeChlo());
    passes.addPass(createDropCollectives());
    // One function on tensors of static shapes and supported types.
    passes.addPass(createResolveEntry());
    passes.addPass(createInlineCalls());
    passes.addPass(createNarrowDoubles());
    passes.addPass(createNarrowDoubleArguments());
    passes.addPass(createCheckTypes());
    passes.addPass(createResolveConstants());
    // One dialect with a small set of operations.
    passes.addPass(createExpandChlo());
    passes.addPass(createExpandRandom());
    passes.addPass(createExpandLinearAlgebra());
    passes.addPass(createExpandCustomCalls());
    passes.addPass(createUnifyProducts());
    passes.addPass(createExpandOperations());
    passes.addPass(createExpandReduceWindow());
    passes.addPass(createExpandSelectAndScatter());
    passes.addPass(createExpandBatchNorm());
    passes.addPass(createExpandSort());
    passes.addPass(createOrderReductions());
    passes.addPass(createSplitIntegers());
    passes.addPass(createSelectGathers());
    // Target-independent rewrites.
    passes.addPass(createRegroupConvolutions());
    passes.addPass(createFoldWindows());
    passes.addPass(createSumWindows());
    passes.addPass(createCanonicalizeConvolutions());
    SplitConvolutionsOptions parts;
    parts.vmemBytes = vmemBytes;
    passes.addPass(createSplitConvolutions(parts));
    passes.addPass(createCanonicalizeScatters());
    passes.addPass(createSimplifyLoops());
    passes.addPass(createSimplify(simplify));
    passes.addPass(createCSEPass());
  }

  if (includes(Level::Layout)) {
    // Materializes the layout of each tensor: from here on all tensors are row-major.
    passes.addPass(createAssignLayouts());
    passes.addPass(createMaterializeLayouts());
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
    // Reshapes whose blocks would be too large.
    FlattenReshapesOptions flatten;
    flatten.vmemBytes = vmemBytes;
    passes.addPass(createFlattenReshapes(flatten));
    // Tensors that one kernel would have to tile in two ways, and narrow ones that none could tile.
    SplitOperandsOptions split;
    split.vmemBytes = vmemBytes;
    passes.addPass(createSplitOperands(split));
    WidenNarrowOptions widen;
    widen.vmemBytes = vmemBytes;
    passes.addPass(createWidenNarrow(widen));
    // Groups operations into kernels.
    passes.addPass(createCloseBodies());
    FuseOptions fuse;
    fuse.vmemBytes = vmemBytes;
    passes.addPass(createFuse(fuse));
    // Recomputes values for which that is cheaper than moving them.
    RecomputeOptions recompute;
    recompute.vmemBytes = vmemBytes;
    passes.addPass(createRecompute(recompute));
    MergeFusionsOptions merge;
    merge.vmemBytes = vmemBytes;
    passes.addPass(createMergeFusions(merge));
    passes.addPass(createResolveBarriers());
  }

  if (includes(Level::Kernel)) {
    // Grids, blocks in VMEM, and the HBM plan.
    FormKernelsOptions kernels;
    kernels.vmemBytes = vmemBytes;
    kernels.smemWords = target.smemWords();
    kernels.hbmRows = target.hbmRows();
    kernels.precision = options.precision;
    passes.addPass(createFormKernels(kernels));
  }

  if (includes(Level::Core))
    // Machine instructions. Registers, schedules and bundles are not MLIR (compiler/Schedule,
    // compiler/Emit).
    passes.addPass(createCodegen(codegen::machineOf(target), options.excessPrecision));
}

void registerPipelines() {
  PassPipelineRegistration<PipelineFlags>(
      "systole-pipeline", "Compile StableHLO down to a level",
      [](OpPassManager &passes, const PipelineFlags &flags) {
        auto level = levelFromName(flags.to);
        auto precision = precisionFromName(flags.precision);
        auto target = Target::load(flags.target.getValue());
        if (!level)
          llvm::report_fatal_error(llvm::Twine("unknown level '") + flags.to + "'", false);
        if (!precision)
          llvm::report_fatal_error(llvm::Twine("unknown precision '") + flags.precision + "'",
                                   false);
        if (!target.ok())
          llvm::report_fatal_error(llvm::Twine(std::string(target.status().message())), false);
        buildPipeline(passes, *target, {*precision, flags.excessPrecision}, Level::Input, *level);
      });
}

} // namespace systole
