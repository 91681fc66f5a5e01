// Kernels of fusions and of plain copies.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/KernelBuilder.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/WindowBounds.h"
#include "dialects/Layout/MachineShape.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Diagnostics/Overflow.h"
#include "compiler/Planning/Estimate.h"
#include "compiler/Planning/Flops.h"
#include "compiler/Planning/KernelNames.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/RoundedOperands.h"
#include "compiler/Planning/StepBytes.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tiling/StageBuilder.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;

namespace systole {

namespace {

/// The most buffers that the plan has for an operand.
int64_t mostBuffers(const Blocking &blocking, const OperandBlocks &operand) {
  return llvm::is_contained(blocking.singleBuffered, operand) ? 1 : 2;
}

/// The blocks of an operand, which begin at `row` of their buffer, or at `resident` in VMEM. Their
/// indices along dimensions that are not cut are 0. VMEM has them at `prefetch`, if not -1, with
/// the first one.
kernel::OperandAttr blockOf(OpBuilder &b, const Blocking &blocking, const OperandBlocks &operand,
                            kernel::Role role, int64_t row, int64_t resident, int64_t prefetch) {
  SmallVector<AffineExpr> indices(typeOf(operand.value).getRank(), b.getAffineConstantExpr(0));
  SmallVector<int64_t> shape = blocking.copiedShape(operand), stride = shape, offset(shape.size());
  bool hasOffset = false;
  for (auto [axis, cut] : llvm::enumerate(blocking.cuts)) {
    OpOperand *use = operand.ownUse;
    auto shared = cut.map->inputHalos.find(operand.value);
    const Span *span = use                                   ? cut.offsetBlockOf(*use)
                       : shared == cut.map->inputHalos.end() ? nullptr
                                                             : &shared->second;
    if (span) {
      hasOffset = true;
      indices[span->dim] = b.getAffineDimExpr(axis);
      stride[span->dim] = span->stride(cut.blockSize);
      offset[span->dim] = span->start(cut.blockSize);
    } else if (auto dim = use ? cut.dimOf(*use) : cut.dimOf(operand.value)) {
      indices[*dim] = b.getAffineDimExpr(axis);
    }
  }
  auto map = AffineMap::get(blocking.cuts.size(), 0, indices, b.getContext());
  int64_t buffers = mostBuffers(blocking, operand);
  // Parts of arrays, and what is loaded ahead, are copied at once.
  int64_t pieces = row >= 0 || prefetch >= 0 ? 1 : blocking.piecesOf(operand);
  return hasOffset ? kernel::OperandAttr::get(b.getContext(), role, shape, map, stride, offset,
                                              buffers, row, resident, prefetch, /*pieces=*/1)
                   : kernel::OperandAttr::get(b.getContext(), role, shape, map, buffers, row,
                                              resident, prefetch, pieces);
}

kernel::BufferType bufferOf(RankedTensorType type, kernel::Space space) {
  return kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(), space);
}

} // namespace

kernel::PlacementAttr prefetchPlacement(kernel::FusionOp fusion, int64_t number) {
  if (fusion.getPrefetched())
    for (auto prefetch : fusion.getPrefetched()->getAsRange<kernel::PrefetchAttr>())
      if (prefetch.getInput() == number)
        return prefetch.getPlacement();
  return nullptr;
}

IndexStreams KernelBuilder::streamsOf(kernel::FusionOp fusion) const {
  return IndexStreams(fusion.getBody().front(), given.smemWords);
}

/// Indices that come in chunks have their components inside of the dimension that these cut.
static LogicalResult verifyIndices(Block &body, const IndexStreams &indexStreams) {
  for (Operation &op : body) {
    if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
      RankedTensorType type = typeOf(gather.getStartIndices());
      int64_t components = gather.getDimensionNumbers().getIndexVectorDim();
      if (type.getNumElements() > indexStreams.chunkWords() &&
          components <= indexStreams.chunkDimOf(type))
        return op.emitError("expects the components of more than ")
               << indexStreams.chunkWords() << " start indices in their last dimension";
    }
  }
  return success();
}

FailureOr<BuiltKernel> KernelBuilder::build(kernel::FusionOp fusion, const Blocking &blocking,
                                            llvm::function_ref<bool(Value)> isHeld,
                                            const llvm::DenseMap<Value, int64_t> &rows,
                                            llvm::function_ref<int64_t(Value)> residentAt,
                                            ArrayRef<KernelLoad> loads) {
  Block &body = fusion.getBody().front();
  IndexStreams indexStreams = streamsOf(fusion);
  if (failed(verifyWindows(fusion)) || failed(verifyIndices(body, indexStreams)))
    return failure();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  int64_t gridRank = blocking.cuts.size();

  // Which inputs the scalar unit reads.
  llvm::SmallSetVector<Value, 4> streams;
  int64_t flops = 0, bytes = 0;
  for (Operation &op : body) {
    flops += flopsOf(&op);
    if (std::optional<CopyWindow> window = windowOf(&op))
      bytes += window->count * window->bytes;
    for (OpOperand &operand : op.getOpOperands()) {
      if (isWindowed(operand)) {
        if (isa<stablehlo::ScatterOp>(op))
          bytes += paddedBytes(typeOf(operand.get()));
      } else if (isIndexOperand(operand)) {
        streams.insert(operand.get());
      }
    }
  }

  BuiltKernel built;
  SmallVector<Attribute> types, operands;
  SmallVector<Type> argumentTypes(gridRank, b.getI32Type());
  struct Binding {
    Value value;
    kernel::Role role;
    OpOperand *ownUse;
  };
  SmallVector<Binding> bindings;
  auto add = [&](Value value, kernel::Role role, int64_t number, OpOperand *ownUse = nullptr) {
    RankedTensorType type = typeOf(value);
    if (type.getNumElements() == 0)
      return;
    const bool isResident = blocking.isResident(value);
    types.push_back(
        TypeAttr::get(bufferOf(type, isResident ? kernel::Space::vmem : kernel::Space::hbm)));
    if (role == kernel::Role::raw || role == kernel::Role::stream) {
      SmallVector<AffineExpr> zeros(type.getRank(), b.getAffineConstantExpr(0));
      operands.push_back(
          kernel::OperandAttr::get(b.getContext(), role, type.getShape(),
                                   AffineMap::get(gridRank, 0, zeros, b.getContext())));
      argumentTypes.push_back(
          bufferOf(type, role == kernel::Role::raw ? kernel::Space::hbm : kernel::Space::smem));
    } else {
      Value outside = number >= 0 ? fusion.getInputs()[number] : fusion.getResult(-1 - number);
      auto it = rows.find(outside);
      int64_t row = it == rows.end() ? -1 : it->second;
      kernel::PlacementAttr prefetch = prefetchPlacement(fusion, number);
      auto attr =
          blockOf(b, blocking, {value, ownUse}, role, row, isResident ? residentAt(outside) : -1,
                  prefetch ? prefetch.getPlace() : -1);
      operands.push_back(attr);
      argumentTypes.push_back(bufferOf(type.clone(attr.getBlock()), kernel::Space::vmem));
    }
    built.operandInputs.push_back(number);
    if (role != kernel::Role::raw && !isResident)
      bytes += paddedBytes(type);
    bindings.push_back({value, role, ownUse});
  };
  SmallVector<OperandBlocks> blocked = blockedOperands(fusion, blocking);
  for (auto [number, argument] : llvm::enumerate(body.getArguments())) {
    bool isPosition = streams.contains(argument) && typeOf(argument).getRank() == 0;
    if (isPosition || isHeld(fusion.getInputs()[number])) {
      built.scalarInputs.push_back(number);
      continue;
    }
    if (indexStreams.isResident(argument))
      add(argument, kernel::Role::stream, number);
    if (readsInHbm(fusion, number) || indexStreams.isStaged(argument))
      add(argument, kernel::Role::raw, number);
    for (const OperandBlocks &operand : blocked)
      if (operand.value == argument)
        add(argument, kernel::Role::in, number, operand.ownUse);
  }
  // A value that is returned twice is written twice, to two buffers.
  ValueRange values = body.getTerminator()->getOperands();
  for (auto [number, value] : llvm::enumerate(values)) {
    auto input = updatedInput(fusion, number);
    add(value, input ? kernel::Role::raw : kernel::Role::out, -1 - static_cast<int64_t>(number));
    if (input)
      built.updates.emplace_back(number, *input);
  }
  if (built.operandInputs.empty())
    return built;
  for (const KernelLoad &load : loads) {
    RankedTensorType type = typeOf(load.input->get());
    SmallVector<AffineExpr> first(type.getRank(), b.getAffineConstantExpr(0));
    types.push_back(TypeAttr::get(bufferOf(type, kernel::Space::hbm)));
    operands.push_back(kernel::OperandAttr::get(b.getContext(), kernel::Role::prefetch, load.block,
                                                AffineMap::get(gridRank, 0, first, b.getContext()),
                                                /*buffers=*/1, /*row=*/-1,
                                                load.placement.getPlace()));
    argumentTypes.push_back(bufferOf(type.clone(load.block), kernel::Space::vmem));
  }

  SmallVector<int64_t> grid;
  for (const Cut &cut : blocking.cuts)
    grid.push_back(cut.steps());
  for (auto operand : ArrayRef(operands))
    if (auto attr = cast<kernel::OperandAttr>(operand);
        attr.isWindow() && kernel::windowBeyondIndices(attr, grid))
      return emitUnimplemented(fusion.getLoc())
             << ownerAt("operation '" + kernelName(body) + "'", fusion.getLoc())
             << " reads at an offset of 2^30 elements or more along a dimension";
  int64_t rowCount = 0;
  for (int64_t row : llvm::make_second_range(rows))
    rowCount = std::max(rowCount, row + 1);
  std::string source = sourceLine(fusion.getLoc());
  built.func = kernel::FuncOp::create(
      b, fusion.getLoc(), "kernel", b.getArrayAttr(types), b.getArrayAttr(operands), grid,
      source.empty() ? StringAttr() : b.getStringAttr(source), flops, bytes, fusion.getKindAttr(),
      rowCount + built.scalarInputs.size());
  Block &block = built.func.getBody().emplaceBlock();
  argumentTypes.append(rowCount + built.scalarInputs.size(), b.getI32Type());
  for (Type type : argumentTypes)
    block.addArgument(type, fusion.getLoc());
  b.setInsertionPointToEnd(&block);
  SmallVector<Value> steps(block.getArguments().take_front(gridRank));
  StageBuilder stages(b, blocking, indexStreams, steps, given.precision);
  for (auto [number, scalar] : llvm::zip_equal(
           built.scalarInputs, block.getArguments().take_back(built.scalarInputs.size())))
    stages.bindScalar(body.getArgument(number), scalar);
  unsigned next = gridRank;
  for (auto [value, role, ownUse] : bindings) {
    BlockArgument buffer = block.getArgument(next++);
    if (role == kernel::Role::stream)
      stages.bindStream(value, buffer);
    else if (role == kernel::Role::raw && isa<BlockArgument>(value))
      stages.bindWindowed(value, buffer);
    else if (ownUse)
      stages.bindOwn(*ownUse, buffer);
    else if (role == kernel::Role::in)
      stages.bindInput(value, buffer);
    else
      stages.bindOutput(value, buffer);
  }
  if (failed(stages.build(body)))
    return failure();
  kernel::ReturnOp::create(b, fusion.getLoc());
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  // Cycles of a call, for reports.
  Estimate estimate = estimateOf(ops, blocking, *given.model, given.precision);
  built.func->setAttr("estimate", b.getI64IntegerAttr(std::llround(estimate.overlapped)));
  built.func = unique(built.func, kernelName(body));
  return built;
}

kernel::FuncOp KernelBuilder::buildCopy(int64_t rows, Location loc, bool fromPart, bool toPart,
                                        int64_t residentAt) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  // As cells, whatever the array's type is: of 32 bits, or of 8 where the rows
  // are no whole number of vector registers.
  bool wide = rows % 8 == 0;
  Type element = wide ? b.getI32Type() : b.getI8Type();
  int64_t logicalRows = wide ? rows : 4 * rows;
  int64_t block = std::min(logicalRows, kCopyStepRows);
  // VMEM has the rows of the array alone, with nothing behind them that a last block could read,
  // nor padding between blocks.
  assert((residentAt < 0 || logicalRows % kSublanes == 0) && "VMEM has whole groups of eight rows");
  if (residentAt >= 0)
    while (logicalRows % block != 0)
      block = llvm::alignDown(block - 1, kSublanes);
  int64_t steps = llvm::divideCeil(logicalRows, block);
  int64_t gridRank = steps > 1 ? 1 : 0;
  auto type = RankedTensorType::get({logicalRows, kLanes}, element);
  Attribute hbm = TypeAttr::get(bufferOf(type, kernel::Space::hbm));
  Attribute from =
      residentAt < 0 ? hbm : Attribute(TypeAttr::get(bufferOf(type, kernel::Space::vmem)));
  AffineExpr first = gridRank ? b.getAffineDimExpr(0) : b.getAffineConstantExpr(0);
  auto map = AffineMap::get(gridRank, 0, {first, b.getAffineConstantExpr(0)}, b.getContext());
  Attribute operands[] = {
      kernel::OperandAttr::get(b.getContext(), kernel::Role::in, {block, kLanes}, map,
                               /*buffers=*/2, fromPart ? 0 : -1, residentAt),
      kernel::OperandAttr::get(b.getContext(), kernel::Role::out, {block, kLanes}, map,
                               /*buffers=*/2, toPart ? int64_t(fromPart) : -1)};
  SmallVector<int64_t> grid(gridRank, steps);
  std::string source = sourceLine(loc);
  auto func = kernel::FuncOp::create(
      b, loc, "kernel", b.getArrayAttr({from, hbm}), b.getArrayAttr(operands), grid,
      source.empty() ? StringAttr() : b.getStringAttr(source), 0, 2 * rows * kRowBytes,
      b.getStringAttr("copy"), fromPart + toPart);
  Block &body = func.getBody().emplaceBlock();
  for (int64_t i = 0; i < gridRank; ++i)
    body.addArgument(b.getI32Type(), loc);
  auto vmem = bufferOf(type.clone({block, kLanes}), kernel::Space::vmem);
  Value fromBlock = body.addArgument(vmem, loc), toBlock = body.addArgument(vmem, loc);
  for (int scalar = 0; scalar < fromPart + toPart; ++scalar)
    body.addArgument(b.getI32Type(), loc);
  b.setInsertionPointToEnd(&body);
  AffineMap identity = b.getMultiDimIdentityMap(2);
  kernel::CopyOp::create(b, loc, fromBlock, toBlock, ValueRange(), ValueRange(),
                         ArrayRef<int64_t>{block, kLanes}, identity, identity);
  kernel::ReturnOp::create(b, loc);
  return unique(func, "copy");
}

kernel::FuncOp KernelBuilder::buildLoad(kernel::ResidentOp resident, int64_t residentAt) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = resident.getLoc();
  auto type = cast<RankedTensorType>(resident.getType());
  ArrayRef<int64_t> block = resident.getBlock();
  SmallVector<int64_t> grid;
  SmallVector<AffineExpr> indices;
  for (auto [part, whole] : llvm::zip_equal(block, type.getShape())) {
    int64_t steps = llvm::divideCeil(whole, part);
    indices.push_back(steps > 1 ? b.getAffineDimExpr(grid.size()) : b.getAffineConstantExpr(0));
    if (steps > 1)
      grid.push_back(steps);
  }
  auto map = AffineMap::get(grid.size(), 0, indices, b.getContext());
  Attribute hbm = TypeAttr::get(bufferOf(type, kernel::Space::hbm));
  Attribute operand = kernel::OperandAttr::get(b.getContext(), kernel::Role::in, block, map,
                                               /*buffers=*/1, /*row=*/-1, residentAt);
  std::string source = sourceLine(loc);
  auto func = kernel::FuncOp::create(b, loc, "kernel", b.getArrayAttr(hbm), b.getArrayAttr(operand),
                                     grid, source.empty() ? StringAttr() : b.getStringAttr(source),
                                     0, paddedBytes(type), b.getStringAttr("copy"), /*scalars=*/0);
  Block &body = func.getBody().emplaceBlock();
  for (size_t axis = 0; axis < grid.size(); ++axis)
    body.addArgument(b.getI32Type(), loc);
  body.addArgument(bufferOf(type.clone(block), kernel::Space::vmem), loc);
  b.setInsertionPointToEnd(&body);
  kernel::ReturnOp::create(b, loc);
  return unique(func, "load");
}

kernel::FuncOp KernelBuilder::unique(kernel::FuncOp func, StringRef name) {
  // Equal text without names and places is an equal kernel.
  StringAttr source = func.getSourceAttr();
  func.removeSourceAttr();
  std::string text;
  llvm::raw_string_ostream stream(text);
  // By itself: its place in the module would be found by going through all of that.
  func->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  if (source)
    func.setSourceAttr(source);
  auto [it, inserted] = kernels.try_emplace(text, func);
  if (!inserted) {
    func.erase();
    return it->second;
  }
  int number = names[name]++;
  func.setSymName(number == 0 ? name.str() : (name + "." + Twine(number)).str());
  return func;
}

} // namespace systole
