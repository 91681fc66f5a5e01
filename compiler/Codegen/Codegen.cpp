// The pass that lowers kernels to routines of machine instructions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/KernelLowering.h"
#include "compiler/Codegen/LogMessages.h"
#include "compiler/Codegen/Passes.h"
#include "compiler/Codegen/ProgramLowering.h"
#include "compiler/Codegen/Semaphores.h"
#include "dialects/Machine/Target/Target.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_CODEGEN
#include "compiler/Codegen/Passes.h.inc"
} // namespace systole

using namespace systole;
using namespace systole::codegen;

Machine codegen::machineOf(const Target &target, const CodeBudget &budget) {
  const target::TargetDescription &description = target.description();
  Machine machine;
  machine.vmemRows = target.vmemRows();
  machine.smemWords = target.smemWords();
  machine.budget = budget;
  machine.mxu = mxuShapeOf(target, budget);
  machine.bf16Pairs = target.hasFeature("bf16_valu");
  machine.dmaDimensions = static_cast<int>(description.dma_dimensions().value());
  machine.dmaQueueDepth = static_cast<int>(description.dma_queue_depth().value());
  return machine;
}

// The report attributes of a kernel that are the same for all of its calls.
static DictionaryAttr reportOf(kernel::FuncOp kernel) {
  Builder b(kernel.getContext());
  SmallVector<NamedAttribute> entries = {b.getNamedAttr("name", kernel.getSymNameAttr())};
  entries.push_back(b.getNamedAttr("flops", b.getI64IntegerAttr(kernel.getFlops())));
  entries.push_back(b.getNamedAttr("bytes", b.getI64IntegerAttr(kernel.getBytes())));
  if (auto cycles = kernel->getAttrOfType<IntegerAttr>("estimate"))
    entries.push_back(b.getNamedAttr("estimate", cycles));
  if (StringAttr kind = kernel.getKindAttr())
    entries.push_back(b.getNamedAttr("kind", kind));
  return b.getDictionaryAttr(entries);
}

/// The arguments of a kernel's routine: a region for each operand, and scalars.
static int64_t argumentsOf(kernel::FuncOp kernel) {
  return int64_t(kernel.getOperands().size()) + kernel.getScalars();
}

// A failed attempt is undone by restoring `regions` and erasing the routine.
static FailureOr<bool> lowerKernel(kernel::FuncOp kernel, RegionTable &regions,
                                   const Machine &machine, const KernelOptions &options) {
  OpBuilder builder(kernel);
  size_t firstRegion = regions.size();
  SmallVector<Type> types(argumentsOf(kernel), builder.getI32Type());
  auto routine = func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                                      builder.getFunctionType(types, {}));
  routine.setPrivate();
  mlir::Block *entry = routine.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  Emitter emitter(builder, kernel.getLoc(), machine);
  KernelMemory memory(regions, kernel.getSymName(), machine, kernel.getReserved());
  if (failed(KernelLowering(kernel, entry->getArguments(), emitter, memory, options).lower()))
    return failure();
  func::ReturnOp::create(builder, kernel.getLoc());
  removeDeadScalars(routine);
  if (memory.assignAddresses()) {
    regions.share(firstRegion, routine);
    return true;
  }
  if (memory.exceedsSmem() || !options.doubleBuffer)
    return memory.reportOverflow(kernel.getLoc());
  routine.erase();
  regions.truncate(firstRegion);
  return false;
}

namespace {
class Codegen : public systole::impl::CodegenBase<Codegen> {
public:
  using CodegenBase::CodegenBase;
  Codegen(const Machine &machine, bool excess) : machine(machine) { excessPrecision = excess; }

  void runOnOperation() override {
    if (failed(run(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult loadMachine(ModuleOp module);
  LogicalResult run(ModuleOp module);

  std::optional<Machine> machine;
};
} // namespace

LogicalResult Codegen::loadMachine(ModuleOp module) {
  if (machine)
    return success();
  absl::StatusOr<Target> loaded = Target::load(std::string(target));
  if (!loaded.ok())
    return module.emitError() << "target '" << target
                              << "': " << std::string(loaded.status().message());
  machine = machineOf(*loaded);
  machine->budget.spillRows = spillRows;
  return success();
}

LogicalResult Codegen::run(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("expects a function @main");
  RegionTable regions;
  if (failed(loadMachine(module)))
    return failure();

  SmallVector<kernel::FuncOp> kernels(module.getOps<kernel::FuncOp>());
  machine->argumentWords = 0;
  for (kernel::FuncOp kernel : kernels)
    machine->argumentWords =
        std::max(machine->argumentWords, argumentsOf(kernel) - core::kRegisterArguments);
  if (machine->argumentWords > 0)
    regions.add(
        {core::kArgumentRegion.str(), core::MemorySpace::smem, 0, machine->argumentWords, ""});
  if (failed(numberLogMessages(module)))
    return failure();
  KernelReports reports;
  for (kernel::FuncOp kernel : kernels) {
    KernelOptions options;
    options.excessPrecision = excessPrecision;
    FailureOr<bool> done = lowerKernel(kernel, regions, *machine, options);
    // If memory is short, gives up stages that run ahead first, then split operands, then double
    // buffers.
    for (bool *option : {&options.runAhead, &options.splitOnce, &options.doubleBuffer}) {
      if (failed(done) || *done)
        break;
      *option = false;
      done = lowerKernel(kernel, regions, *machine, options);
    }
    if (failed(done))
      return failure();
    reports[kernel.getSymNameAttr()] = reportOf(kernel);
  }
  if (failed(lowerMain(main, regions, *machine, reports)))
    return failure();
  for (kernel::FuncOp kernel : kernels)
    kernel.erase();
  bool hasSemaphores = llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp routine) {
    return routine.walk([](core::TrapOp) { return WalkResult::interrupt(); }).wasInterrupted();
  });
  if (hasSemaphores)
    module->setAttr("core.traps",
                    Builder(module.getContext()).getStrArrayAttr({kSemaphoresNotZero}));
  module->setAttr("core.regions", regions.toAttribute(module.getContext()));
  module->removeAttr(kernel::kHbmPlanAttr);
  module->removeAttr(kernel::kVmemPlanAttr);
  module->removeAttr(kernel::kTransfersAttr);
  module->removeAttr(kernel::kPinnedPlanAttr);
  return success();
}

std::unique_ptr<Pass> systole::createCodegen(const Machine &machine, bool excessPrecision) {
  return std::make_unique<Codegen>(machine, excessPrecision);
}
