// Turns fusions into kernels over a static plan of HBM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Decisions/Decisions.h"
#include "compiler/Diagnostics/Cancellation.h"
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Model/MachineAnalysis.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/ScalarArithmetic.h"
#include "compiler/Tensor/TensorLevel.h"
#include "compiler/Tensor/TensorTypes.h"
#include "compiler/Tiling/Passes.h"
#include "compiler/Tiling/ProgramBuilder.h"
#include "compiler/Tiling/RowAccesses.h"
#include "dialects/Kernel/Attributes.h"
#include "dialects/Kernel/Resident.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_FORMKERNELS
#include "compiler/Tiling/Passes.h.inc"

using namespace stablehlo;

ProgramBuilder::Buffer ProgramBuilder::newBuffer(Value value, StringRef name, HbmUse use) {
  return plan.add(name.str(), typeOf(value), value.getLoc(), time, use);
}

ProgramBuilder::Buffer ProgramBuilder::read(Value value) {
  auto it = buffers.find(value);
  Buffer buffer;
  if (it != buffers.end()) {
    buffer = it->second;
  } else {
    // The only values without a buffer are constants of the image.
    auto constant = value.getDefiningOp<ConstantOp>();
    buffer = buffers[value] = newBuffer(value, "constant", HbmUse::Fixed);
    constants.push_back(b.getDictionaryAttr({b.getNamedAttr("region", b.getI32IntegerAttr(buffer)),
                                             b.getNamedAttr("value", constant.getValue())}));
  }
  touch(buffer);
  if (!loopBegins.empty())
    readsInLoops.emplace_back(buffer, time);
  return buffer;
}

Value ProgramBuilder::hbm(Buffer buffer, kernel::BufferType type, Location loc) {
  return kernel::HbmOp::create(b, loc, type, buffer);
}

void ProgramBuilder::markUninitialized(Value array, Buffer buffer) {
  RankedTensorType type = typeOf(array);
  auto rows = kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                                      kernel::Space::hbm);
  hbm(buffer, rows, array.getLoc())
      .getDefiningOp()
      ->setAttr(kernel::kUninitializedAttr, b.getUnitAttr());
}

void ProgramBuilder::copy(Buffer from, Buffer to, Location loc) {
  if (from == to || plan.buffers()[from].type.getNumElements() == 0)
    return;
  copyRows(plan.buffers()[from].rows, from, nullptr, to, nullptr, loc);
}

/// The blocks that the kernel of `op` loads for the one behind it.
static FailureOr<SmallVector<KernelLoad>> loadsOf(kernel::FusionOp op) {
  SmallVector<KernelLoad> loads;
  Operation *next = op->getNextNode();
  while (next && !isa<kernel::FusionOp>(next))
    next = next->getNextNode();
  auto behind = dyn_cast_or_null<kernel::FusionOp>(next);
  if (!behind || !behind.getPrefetched() || kernel::loaderOf(behind) != op)
    return loads;
  FailureOr<Blocking> blocking = blockingOf(behind);
  if (failed(blocking))
    return failure();
  for (auto prefetch : behind.getPrefetched()->getAsRange<kernel::PrefetchAttr>())
    loads.push_back({&behind->getOpOperand(prefetch.getInput()),
                     blocking->copiedShape({behind.getBody().getArgument(prefetch.getInput())}),
                     prefetch.getPlacement()});
  return loads;
}

LogicalResult ProgramBuilder::emitFusion(kernel::FusionOp op) {
  ++time;
  FailureOr<Blocking> blocking = blockingOf(op);
  FailureOr<SmallVector<KernelLoad>> loads = loadsOf(op);
  if (failed(blocking) || failed(loads))
    return failure();
  CallOperands operands;
  llvm::DenseMap<Value, int64_t> rows = rowsOf(op, operands.words);
  FailureOr<BuiltKernel> built = kernels.build(
      op, *blocking, [&](Value input) { return scalars.holds(input); }, rows,
      [&](Value input) { return residentAt(input); }, *loads);
  if (failed(built))
    return failure();
  for (Value result : op.getResults()) {
    if (isResident(result))
      continue;
    auto it = destinations.find(result);
    if (it != destinations.end()) {
      buffers[result] = it->second;
    } else {
      std::optional<Buffer> operand = dyingOperand(op, cast<OpResult>(result));
      buffers[result] = operand ? *operand : newBuffer(result, "value");
      temporaries[buffers[result]] = result;
    }
    touch(buffers[result]);
  }
  if (!built->func)
    return success(); // nothing but empty arrays
  for (auto [result, input] : built->updates)
    copy(read(op.getInputs()[input]), buffers[op.getResult(result)], op.getLoc());
  auto types = llvm::map_to_vector(built->func.getOperandTypes().getAsValueRange<TypeAttr>(),
                                   [](Type type) { return cast<kernel::BufferType>(type); });
  for (auto [number, bufferType] :
       llvm::zip_equal(built->operandInputs, ArrayRef(types).drop_back(loads->size()))) {
    if (bufferType.getSpace() == kernel::Space::vmem) {
      Value resident = number >= 0 ? op.getInputs()[number] : op.getResult(-1 - number);
      operands.add(vmem(resident, bufferType, op.getLoc()), residents.at(resident));
      continue;
    }
    Buffer buffer = number >= 0 ? read(op.getInputs()[number]) : buffers[op.getResult(-1 - number)];
    operands.add(hbm(buffer, bufferType, op.getLoc()), placementOfPrefetched(op, number));
  }
  for (auto [load, type] : llvm::zip_equal(*loads, ArrayRef(types).take_back(loads->size())))
    operands.add(hbm(read(load.input->get()), type, op.getLoc()),
                 placementOfPrefetched(cast<kernel::FusionOp>(load.input->getOwner()),
                                       load.input->getOperandNumber()));
  for (int64_t number : built->scalarInputs)
    operands.words.push_back(toWord(b, op.getLoc(), scalar(op.getInputs()[number], op.getLoc())));
  kernel::CallOp call = this->call(built->func, operands, op.getLoc(), kernel::residentRowsAt(op));
  if (Attribute decision = op->getAttr(kernel::kDecisionAttr))
    call->setAttr(kernel::kDecisionAttr, decision);
  for (Value result : op.getResults())
    setDefined(result, call->getBlock(), call);
  return success();
}

LogicalResult ProgramBuilder::emit(Operation *op) {
  if (auto fusion = dyn_cast<kernel::FusionOp>(op))
    return emitFusion(fusion);
  if (auto reinterpret = dyn_cast<kernel::ReinterpretOp>(op)) {
    buffers[reinterpret.getResult()] = read(reinterpret.getSource());
    if (Value row = parts.lookup(reinterpret.getSource()))
      parts[reinterpret.getResult()] = row;
    if (auto [block, after] = defined.lookup(reinterpret.getSource()); block)
      setDefined(reinterpret.getResult(), block, after);
    return success();
  }
  if (auto part = dyn_cast<kernel::PartOp>(op)) {
    if (!kernel::residentOf(part.getResult()))
      emitPart(part);
    return success();
  }
  if (auto replace = dyn_cast<kernel::ReplacePartOp>(op)) {
    emitReplacePart(replace);
    return success();
  }
  if (auto uninitialized = dyn_cast<kernel::UninitializedOp>(op)) {
    // A loop has a buffer for it.
    Value result = uninitialized.getResult();
    if (!llvm::all_of(result.getUsers(), llvm::IsaPred<WhileOp>)) {
      buffers[result] = newBuffer(result, "value");
      setDefined(result, b.getInsertionBlock(), nullptr);
      markUninitialized(result, buffers[result]);
    }
    return success();
  }
  if (auto resident = dyn_cast<kernel::ResidentOp>(op)) {
    emitResident(resident);
    return success();
  }
  if (auto loop = dyn_cast<WhileOp>(op))
    return emitWhile(loop);
  if (isa<IfOp, CaseOp>(op))
    return emitChoice(op);
  if (auto call = dyn_cast<kernel::MosaicCallOp>(op))
    return emitMosaicCall(call);
  if (isa<kernel::SendOp, kernel::RecvOp, kernel::ExchangeOp>(op))
    return emitTransfer(op);
  if (auto offload = dyn_cast<kernel::OffloadOp>(op))
    return emitOffload(offload);
  if (auto fetch = dyn_cast<kernel::FetchOp>(op))
    return emitFetch(fetch);
  if (isa<ConstantOp>(op))
    return success(); // on demand
  if (scalars.computes(op)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(scalar(operand, op->getLoc()));
    held[op->getResult(0)] = emitScalar(b, op, operands);
    return success();
  }
  return emitUnsupported(op);
}

LogicalResult ProgramBuilder::emitBlock(Block &block) {
  const size_t outerCopies = localCopies.size();
  for (Operation &op : block.without_terminator()) {
    waitForLoads(&op);
    waitForHost(&op);
    if (isCancelled(op.getContext()) || failed(emit(&op)))
      return failure();
    startLoads(&op);
  }
  waitForHost(block.getTerminator()->getLoc());
  // Others may run without this block: they read the parts where they are.
  for (; localCopies.size() > outerCopies; localCopies.pop_back()) {
    const LocalCopy &copy = localCopies.back();
    buffers[copy.part] = copy.buffer;
    parts[copy.part] = copy.row;
  }
  return success();
}

void ProgramBuilder::setSignature(ArrayRef<Buffer> arguments, ArrayRef<Buffer> results) {
  module->setAttr(kernel::kArgumentsAttr, b.getDenseI32ArrayAttr(arguments));
  module->setAttr(kernel::kResultsAttr, b.getDenseI32ArrayAttr(results));
  module->setAttr(kernel::kSignatureAttr, TypeAttr::get(source.getFunctionType()));
  auto entryLayout = [](Attribute attribute, Type type) -> Attribute {
    auto tensor = cast<RankedTensorType>(type);
    return attribute ? attribute
                     : kernel::LayoutAttr::inOrder(
                           tensor.getElementType(),
                           llvm::to_vector(llvm::seq<int64_t>(0, tensor.getRank())));
  };
  SmallVector<Attribute> argumentLayouts, resultLayouts;
  for (auto [i, type] : llvm::enumerate(source.getArgumentTypes()))
    argumentLayouts.push_back(entryLayout(source.getArgAttr(i, kernel::kEntryLayoutAttr), type));
  for (auto [i, type] : llvm::enumerate(source.getResultTypes()))
    resultLayouts.push_back(entryLayout(source.getResultAttr(i, kernel::kEntryLayoutAttr), type));
  module->setAttr(kernel::kArgumentLayoutsAttr, b.getArrayAttr(argumentLayouts));
  module->setAttr(kernel::kResultLayoutsAttr, b.getArrayAttr(resultLayouts));
  auto elements = [&](unsigned count, auto get) {
    auto list = llvm::map_to_vector(llvm::seq(count), get);
    for (Attribute &element : list)
      element = element ? element : b.getUnitAttr();
    return b.getArrayAttr(list);
  };
  auto argumentElements = elements(source.getNumArguments(), [&](unsigned i) {
    return source.getArgAttr(i, kernel::kElementAttr);
  });
  auto resultElements = elements(source.getNumResults(), [&](unsigned i) {
    return source.getResultAttr(i, kernel::kElementAttr);
  });
  auto sizeOf = [](Attribute dim) { return dim ? cast<IntegerAttr>(dim).getInt() : -1; };
  auto argumentSizes = llvm::map_to_vector(llvm::seq(source.getNumArguments()), [&](unsigned i) {
    return sizeOf(source.getArgAttr(i, kernel::kDynamicDimAttr));
  });
  auto resultSizes = llvm::map_to_vector(llvm::seq(source.getNumResults()), [&](unsigned i) {
    return sizeOf(source.getResultAttr(i, kernel::kDynamicDimAttr));
  });
  auto isSize = [](int64_t dim) { return dim >= 0; };
  if (llvm::any_of(argumentSizes, isSize) || llvm::any_of(resultSizes, isSize)) {
    module->setAttr(kernel::kArgumentSizesAttr, b.getDenseI64ArrayAttr(argumentSizes));
    module->setAttr(kernel::kResultSizesAttr, b.getDenseI64ArrayAttr(resultSizes));
  }
  auto isWord = [](Attribute element) { return isa<TypeAttr>(element); };
  if (llvm::any_of(argumentElements, isWord) || llvm::any_of(resultElements, isWord)) {
    module->setAttr(kernel::kArgumentElementsAttr, argumentElements);
    module->setAttr(kernel::kResultElementsAttr, resultElements);
  }
}

LogicalResult ProgramBuilder::run(int64_t hbmRows) {
  MLIRContext *context = module.getContext();
  Location loc = source.getLoc();
  SmallVector<Buffer> arguments = argumentBuffers();

  b.setInsertionPointToEnd(module.getBody());
  auto main = func::FuncOp::create(b, loc, "main", b.getFunctionType({}, {}));
  b.setInsertionPointToEnd(main.addEntryBlock());
  for (BlockArgument argument : source.getArguments())
    setDefined(argument, &main.getBody().front(), nullptr);
  Block &body = source.getBody().front();
  SmallVector<Buffer> results = resultBuffers(body);
  chooseHomes(body);
  findResident();
  if (failed(emitBlock(body)))
    return failure();
  // Sizes that arguments and other results have, too, are there already.
  SmallVector<Buffer> written = results;
  for (auto [i, buffer] : llvm::enumerate(results))
    if (source.getResultAttr(i, kernel::kDynamicDimAttr) &&
        (llvm::is_contained(arguments, buffer) ||
         llvm::is_contained(ArrayRef(results).take_front(i), buffer)))
      written[i] = kHeld;
  finishBlock(body, written);
  func::ReturnOp::create(b, loc);

  int64_t rows = plan.place(hbmRows);
  if (rows > hbmRows)
    return plan.reportOverflow(loc, rows, hbmRows);
  module->setAttr(kernel::kHbmPlanAttr, plan.toAttribute(context));
  module->setAttr(kernel::kHbmRowsAttr, b.getI64IntegerAttr(rows));
  module->setAttr(kernel::kAllocationsAttr, plan.allocations(context));
  setSignature(arguments, results);
  setPinnedPlan();
  if (!placements.empty())
    module->setAttr(kernel::kVmemPlanAttr,
                    b.getArrayAttr(SmallVector<Attribute>(placements.begin(), placements.end())));
  module->setAttr(kernel::kConstantsAttr, b.getArrayAttr(constants));
  if (!transfers.empty())
    module->setAttr(kernel::kTransfersAttr, b.getArrayAttr(transfers));
  source.erase();
  return success();
}

namespace {

struct FormKernels : impl::FormKernelsBase<FormKernels> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    auto source = module.lookupSymbol<func::FuncOp>("main");
    if (!source) {
      module.emitError("expects a function '@main'");
      return signalPassFailure();
    }
    source.setName("main.tensors");
    KernelOptions options;
    options.smemWords = smemWords;
    options.precision = precision;
    options.model = &getAnalysis<MachineAnalysis>().model();
    if (failed(ProgramBuilder(module, source, options).run(hbmRows)))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
