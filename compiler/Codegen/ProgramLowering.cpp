// Lowers the program outside of kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/ProgramLowering.h"

#include "compiler/Codegen/Control.h"
#include "compiler/Codegen/Exchange.h"
#include "compiler/Codegen/HostCopies.h"
#include "compiler/Diagnostics/Diagnostics.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

/// Appends the regions of a plan of the module, if it has it, to the table.
static void addRegions(ModuleOp module, StringRef plan, core::MemorySpace space,
                       RegionTable &regions) {
  auto entries = module->getAttrOfType<ArrayAttr>(plan);
  if (!entries)
    return;
  for (auto region : entries.getAsRange<kernel::HbmRegionAttr>())
    regions.add({region.getName().str(), space, region.getBase(), region.getRows(), ""});
}

namespace {
/// The numbers of the first regions of the program's memories.
struct FirstRegions {
  size_t hbm, pinned, host;
};

class MainLowering : public ControlLowering {
public:
  /// `scalarWord` is the word of SMEM through which scalars are copied from and to HBM.
  MainLowering(Emitter &emitter, const RegionTable &regions, FirstRegions first, int32_t scalarWord,
               const llvm::DenseMap<Value, int32_t> &resident, const KernelReports &reports)
      : ControlLowering(emitter), regions(regions), reports(reports), first(first),
        scalarWord(scalarWord), hostCopies(emitter, regions, first.host), buffers(resident) {}

  LogicalResult lower(mlir::Block &body) { return lowerBlock(body); }

private:
  LogicalResult lowerOther(Operation &op) override;
  LogicalResult lowerHbm(kernel::HbmOp op);
  void lowerCall(kernel::CallOp op);
  LogicalResult lowerExchange(kernel::CopyToCoresOp op);
  void lowerStartLoad(kernel::StartLoadOp op);
  void lowerReadScalar(kernel::ReadScalarOp op);
  void lowerWriteScalar(kernel::WriteScalarOp op);
  template <typename Op> LogicalResult lowerHostCopy(Op op, kernel::Direction direction);
  template <typename Op> LogicalResult lowerPinnedCopy(Op op, bool isOffload);
  /// Copies one word between SMEM and HBM.
  void copyWord(Value buffer, core::MemorySpace from, core::MemorySpace to);

  const RegionTable &regions;
  const KernelReports &reports;
  FirstRegions first;
  int32_t scalarWord;
  HostCopies hostCopies;
  int64_t exchanges = 0;                  ///< that have been emitted
  llvm::DenseMap<Value, int32_t> buffers; // from buffers to regions
};
} // namespace

LogicalResult MainLowering::lowerHbm(kernel::HbmOp op) {
  int32_t planned = op.getRegion();
  kernel::BufferType type = op.getResult().getType();
  if (planned < 0 || static_cast<size_t>(planned) >= first.pinned - first.hbm)
    return op.emitOpError() << "names region " << planned << ", which is not in kernel.hbm_plan";
  int32_t number = planned + static_cast<int32_t>(first.hbm);
  // Rows that copies access: those with elements.
  int64_t rows = llvm::divideCeil(type.getLogicalRows(), 32 / type.getStorageBits());
  if (rows > regions[number].size)
    return op.emitOpError() << "of type " << type << " takes " << rows << " rows, and region "
                            << planned << " has " << regions[number].size;
  buffers[op.getResult()] = number;
  return success();
}

/// The report attributes of a kernel with the location of one of its calls.
static DictionaryAttr withPlace(DictionaryAttr report, kernel::CallOp call) {
  Builder b(call.getContext());
  NamedAttrList entries(report);
  std::string source = call.getSource().value_or("").str();
  if (source.empty())
    source = sourceLine(call.getLoc());
  std::string user = userLine(call.getLoc());
  auto add = [&](StringRef name, StringRef text) {
    if (!text.empty())
      entries.append(name, b.getStringAttr(text));
  };
  add("source", source);
  add("user", user == source ? "" : user);
  add("name_stack", nameStack(call.getLoc()));
  if (IntegerAttr step = call.getStepAttr())
    entries.append("step", step);
  return entries.getDictionary(call.getContext());
}

void MainLowering::lowerCall(kernel::CallOp op) {
  SmallVector<Value> arguments;
  for (Value buffer : op.getBuffers())
    arguments.push_back(e.constant(buffers.lookup(buffer)));
  llvm::append_range(arguments, scalars(op.getScalars()));
  e.loc = op.getLoc();
  auto call = func::CallOp::create(e.b, e.loc, op.getCallee(), TypeRange(), arguments);
  auto report = reports.find(op.getCalleeAttr().getAttr());
  if (report != reports.end())
    call->setAttr("core.kernel", withPlace(report->second, op));
}

/// A routine of its own, with an entry in reports.
LogicalResult MainLowering::lowerExchange(kernel::CopyToCoresOp op) {
  const std::string name =
      (op.getCollective().value_or("exchange") + "." + Twine(++exchanges)).str();
  FailureOr<func::FuncOp> routine = emitExchange(
      op, {buffers.lookup(op.getSource()), buffers.lookup(op.getTarget())}, name, e.machine);
  if (failed(routine))
    return failure();
  e.loc = op.getLoc();
  auto call = func::CallOp::create(e.b, e.loc, *routine, ValueRange());
  const int64_t bytes = op.getTarget().getType().getPhysicalRows() * kRowBytes;
  NamedAttrList report;
  report.append("name", e.b.getStringAttr(name));
  report.append("kind", e.b.getStringAttr("collective"));
  report.append("flops", e.b.getI64IntegerAttr(0));
  report.append("bytes", e.b.getI64IntegerAttr(bytes));
  auto add = [&](StringRef key, const std::string &text) {
    if (!text.empty())
      report.append(key, e.b.getStringAttr(text));
  };
  const std::string source = sourceLine(op.getLoc()), user = userLine(op.getLoc());
  add("source", source);
  add("user", user == source ? "" : user);
  add("name_stack", nameStack(op.getLoc()));
  call->setAttr("core.kernel", report.getDictionary(op.getContext()));
  return success();
}

void MainLowering::lowerStartLoad(kernel::StartLoadOp op) {
  e.loc = op.getLoc();
  int64_t chunk = op.getTarget().getType().getPhysicalRows() * kLanes;
  auto descriptor =
      core::DmaAttr::get(e.b.getContext(), core::MemorySpace::hbm, core::MemorySpace::vmem, chunk,
                         {1}, {chunk}, {chunk}, /*arrivalFlag=*/-1);
  e.startDma(descriptor, e.constant(buffers.lookup(op.getTarget())), e.constant(0),
             e.constant(buffers.lookup(op.getSource())), scalar(op.getRow()), int(op.getFlag()));
}

void MainLowering::copyWord(Value buffer, core::MemorySpace from, core::MemorySpace to) {
  auto descriptor = core::DmaAttr::get(e.b.getContext(), from, to, /*chunk=*/1, {1}, {1}, {1},
                                       /*arrivalFlag=*/-1);
  Value zero = e.constant(0), smem = e.constant(scalarWord);
  Value hbm = e.constant(buffers.lookup(buffer));
  bool isRead = to == core::MemorySpace::smem;
  e.startDma(descriptor, isRead ? smem : hbm, zero, isRead ? hbm : smem, zero, kernel::kStageFlag);
  e.wait(e.constant(1), kernel::kStageFlag);
}

void MainLowering::lowerReadScalar(kernel::ReadScalarOp op) {
  e.loc = op.getLoc();
  copyWord(op.getBuffer(), core::MemorySpace::hbm, core::MemorySpace::smem);
  Value word = core::SLoadOp::create(e.b, e.loc, e.b.getI32Type(), e.constant(0),
                                     e.b.getI32IntegerAttr(scalarWord));
  setScalar(op.getResult(), narrow(e, word, op.getBuffer().getType().getElementType()));
}

// The rest of the row is padding.
void MainLowering::lowerWriteScalar(kernel::WriteScalarOp op) {
  e.loc = op.getLoc();
  core::SStoreOp::create(e.b, e.loc, scalar(op.getValue()), e.constant(0),
                         e.b.getI32IntegerAttr(scalarWord));
  copyWord(op.getBuffer(), core::MemorySpace::smem, core::MemorySpace::hbm);
}

template <typename Op>
LogicalResult MainLowering::lowerHostCopy(Op op, kernel::Direction direction) {
  e.loc = op.getLoc();
  return hostCopies.copy(op, direction, buffers.lookup(op.getBuffer()), op.getTransfer());
}

template <typename Op> LogicalResult MainLowering::lowerPinnedCopy(Op op, bool isOffload) {
  e.loc = op.getLoc();
  const int32_t planned = op.getRegion();
  if (planned < 0 || static_cast<size_t>(planned) >= first.host - first.pinned)
    return op.emitOpError() << "names region " << planned << ", which is not in kernel.pinned_plan";
  const int32_t hbm = buffers.lookup(op.getBuffer());
  const int32_t pinned = planned + static_cast<int32_t>(first.pinned);
  kernel::BufferType type = op.getBuffer().getType();
  const int64_t chunk =
      kLanes * int64_t(llvm::divideCeil(type.getLogicalRows(), 32 / type.getStorageBits()));
  auto hbmSpace = core::MemorySpace::hbm, pinnedSpace = core::MemorySpace::pinned;
  auto descriptor = core::DmaAttr::get(e.b.getContext(), isOffload ? hbmSpace : pinnedSpace,
                                       isOffload ? pinnedSpace : hbmSpace, chunk, {}, {}, {},
                                       /*arrivalFlag=*/-1);
  Value zero = e.constant(0), row = op.getRow() ? scalar(op.getRow()) : zero;
  e.startDma(descriptor, e.constant(isOffload ? pinned : hbm), isOffload ? row : zero,
             e.constant(isOffload ? hbm : pinned), isOffload ? zero : row, int(op.getFlag()));
  return success();
}

LogicalResult MainLowering::lowerOther(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](kernel::HbmOp hbm) { return lowerHbm(hbm); })
      .Case([](kernel::VmemOp) { return success(); })
      .Case([&](kernel::StartLoadOp load) {
        lowerStartLoad(load);
        return success();
      })
      .Case([&](kernel::WaitOp wait) {
        e.loc = wait.getLoc();
        for (int32_t flag : wait.getFlags())
          e.wait(e.constant(1), flag);
        return success();
      })
      .Case([&](kernel::CopyToCoresOp copy) { return lowerExchange(copy); })
      .Case([&](kernel::CoreNumberOp number) {
        e.loc = number.getLoc();
        setScalar(number.getResult(), core::SCoreOp::create(e.b, e.loc, e.b.getI32Type()));
        return success();
      })
      .Case([&](kernel::CallOp call) {
        lowerCall(call);
        return success();
      })
      .Case([&](kernel::ReadScalarOp read) {
        lowerReadScalar(read);
        return success();
      })
      .Case([&](kernel::WriteScalarOp write) {
        lowerWriteScalar(write);
        return success();
      })
      .Case([&](kernel::ToHostOp copy) { return lowerHostCopy(copy, kernel::Direction::send); })
      .Case([&](kernel::FromHostOp copy) { return lowerHostCopy(copy, kernel::Direction::recv); })
      .Case([&](kernel::StartOffloadOp copy) { return lowerPinnedCopy(copy, /*isOffload=*/true); })
      .Case([&](kernel::StartFetchOp copy) { return lowerPinnedCopy(copy, /*isOffload=*/false); })
      .Default([](Operation *other) {
        return other->emitOpError("is not supported outside of kernels");
      });
}

LogicalResult codegen::lowerMain(func::FuncOp main, RegionTable &regions, const Machine &machine,
                                 const KernelReports &reports) {
  if (!main.getBody().hasOneBlock() || main.getNumArguments() || main.getNumResults())
    return main.emitOpError("expects one block, without arguments and results");
  bool passesScalars = main.walk([](Operation *op) {
                             return isa<kernel::ReadScalarOp, kernel::WriteScalarOp>(op)
                                        ? WalkResult::interrupt()
                                        : WalkResult::advance();
                           })
                           .wasInterrupted();
  int32_t scalarWord =
      passesScalars
          ? regions.add({"scalar", core::MemorySpace::smem, machine.argumentWords, 1, "main"})
          : -1;
  // Of what VMEM keeps, kernels know the place, and pass no region.
  llvm::DenseMap<Value, int32_t> resident;
  main.walk([&](kernel::VmemOp vmem) {
    bool isLoaded = llvm::any_of(vmem->getUsers(), llvm::IsaPred<kernel::StartLoadOp>);
    int64_t base = machine.vmemRows - machine.budget.spillRows -
                   kernel::placementAt(vmem, vmem.getPlacement()).getPlace();
    int64_t rows = vmem.getResult().getType().getPhysicalRows();
    resident[vmem.getResult()] =
        isLoaded ? regions.add({"kept", core::MemorySpace::vmem, base, rows, "main"}) : 0;
  });
  auto module = main->getParentOfType<ModuleOp>();
  if (regions.size() > RegionTable::maxNamed)
    return module.emitError() << "the kernels need " << regions.size()
                              << " regions of VMEM and SMEM, and loads and stores can name "
                              << RegionTable::maxNamed;
  FirstRegions first;
  first.hbm = regions.size();
  addRegions(module, kernel::kHbmPlanAttr, core::MemorySpace::hbm, regions);
  first.pinned = regions.size();
  addRegions(module, kernel::kPinnedPlanAttr, core::MemorySpace::pinned, regions);
  first.host = regions.size();
  addHostRegions(module, regions);
  OpBuilder builder(main);
  auto lowered =
      func::FuncOp::create(builder, main.getLoc(), main.getName(), builder.getFunctionType({}, {}));
  lowered->setDiscardableAttrs(main->getDiscardableAttrDictionary());
  builder.setInsertionPointToStart(lowered.addEntryBlock());
  Emitter emitter(builder, main.getLoc(), machine);
  if (failed(MainLowering(emitter, regions, first, scalarWord, resident, reports)
                 .lower(main.getBody().front())))
    return failure();
  func::ReturnOp::create(builder, main.getLoc());
  removeDeadScalars(lowered);
  main.erase();
  return success();
}

void codegen::removeDeadScalars(func::FuncOp routine) {
  // Users come after definitions, so one backward walk suffices.
  auto clean = [](auto &&self, mlir::Block &block) -> void {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      for (Region &region : op.getRegions())
        for (mlir::Block &inner : region)
          self(self, inner);
      if (op.use_empty() && isPure(&op) && !op.hasTrait<OpTrait::IsTerminator>() &&
          op.getNumRegions() == 0)
        op.erase();
    }
  };
  clean(clean, routine.getBody().front());
}
