// Assigns buffers and sync flags to a kernel's operands.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/KernelLowering.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

LogicalResult KernelLowering::bindOperands() {
  mlir::Block &body = kernel.getBody().front();
  size_t indices = kernel.getGrid().size();
  for (auto [argument, value] : llvm::zip_equal(body.getArguments().take_back(kernel.getScalars()),
                                                arguments.take_back(kernel.getScalars())))
    setScalar(argument, value);
  for (size_t number = 0; number < kernel.getOperands().size(); ++number) {
    auto attr = cast<kernel::OperandAttr>(kernel.getOperands()[number]);
    auto type =
        cast<kernel::BufferType>(cast<TypeAttr>(kernel.getOperandTypes()[number]).getValue());
    BlockArgument argument = body.getArgument(indices + number);
    if (attr.getRole() == kernel::Role::stream) {
      if (failed(loadStream(number)))
        return failure();
      continue;
    }
    if (attr.getRole() == kernel::Role::prefetch) {
      addLoad(number);
      continue;
    }
    if (attr.getRole() == kernel::Role::raw) {
      BufferRef ref;
      ref.type = type;
      ref.hbmRegion = arguments[number];
      buffers[argument] = ref;
      continue;
    }
    if (type.getSpace() == kernel::Space::vmem) {
      residents.push_back(
          {attr, llvm::to_vector(type.getShape()), argument, residentBuffer(type, attr)});
      continue;
    }
    Value firstRow =
        attr.isPart() ? arguments.take_back(kernel.getScalars())[attr.getRow()] : Value();
    BlockedOperand operand{attr,
                           arguments[number],
                           firstRow,
                           argument,
                           llvm::to_vector(type.getShape()),
                           BlockCopy(type, attr)};
    operand.uses = liveness.range(argument);
    if (attr.isResident()) {
      // For other kernels.
      operand.uses = LiveRange{0, liveness.end()};
      operand.ref = residentBuffer(type, attr);
    }
    // Unused and empty operands are not copied.
    if (!operand.uses || type.getLogicalRows() == 0) {
      buffers[argument] = memory.addVmem(cast<kernel::BufferType>(argument.getType()), "unused",
                                         argument.getLoc(), operand.uses.value_or(LiveRange{0, 0}));
      continue;
    }
    BlockChanges changes = changesOf(attr.getMap(), kernel.getGrid());
    operand.changes = changes.some;
    operand.changesAlways = changes.always;
    operand.hasHalves =
        operand.changes && attr.getBuffers() == 2 && options.doubleBuffer && !attr.isResident();
    if (attr.isPrefetched()) {
      auto block = cast<kernel::BufferType>(argument.getType());
      operand.ref = memory.addResident(block, block.getPhysicalRows() * (operand.hasHalves ? 2 : 1),
                                       attr.getPrefetched());
    }
    operand.isAhead =
        streams.isDivided() && operand.changes &&
        (streams.isOnlyOn(argument, StageStreams::ahead) || streams.isHandedOn(argument));
    divide(operand, type);
    operands.push_back(std::move(operand));
  }
  return success();
}

void KernelLowering::divide(BlockedOperand &operand, kernel::BufferType type) const {
  const kernel::OperandAttr &attr = operand.attr;
  if (steps == 1 || attr.getRole() != kernel::Role::in || operand.changes || attr.isResident() ||
      attr.isPrefetched() || attr.isPart())
    return;
  operand.pieces = piecesOf(kernel, operand.buffer, type);
  if (operand.pieces && streams.isDivided() &&
      !streams.isOn(operand.pieces->product, StageStreams::ahead))
    operand.pieces.reset();
}

void KernelLowering::addLoad(size_t number) {
  auto attr = cast<kernel::OperandAttr>(kernel.getOperands()[number]);
  auto type = cast<kernel::BufferType>(cast<TypeAttr>(kernel.getOperandTypes()[number]).getValue());
  BlockArgument argument = kernel.getBody().front().getArgument(kernel.getGrid().size() + number);
  auto block = cast<kernel::BufferType>(argument.getType());
  BlockedOperand load{attr,
                      arguments[number],
                      Value(),
                      argument,
                      llvm::to_vector(type.getShape()),
                      BlockCopy(type, attr)};
  load.ref = memory.addResident(block, block.getPhysicalRows(), attr.getResident());
  buffers[argument] = load.ref;
  loads.push_back(std::move(load));
}

BufferRef KernelLowering::residentBuffer(kernel::BufferType type, kernel::OperandAttr attr) {
  auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
  auto block = kernel::BufferType::get(type.getContext(), attr.getBlock(), type.getElementType(),
                                       kernel::Space::vmem);
  return memory.addResident(block, kernel::rowsInBlocks(tensor, attr.getBlock()),
                            attr.getResident());
}

// Copies words of HBM to consecutive words of SMEM: rows of the tensor are padded to whole groups
// of 128 words in HBM.
LogicalResult KernelLowering::loadStream(size_t number) {
  auto type = cast<kernel::BufferType>(cast<TypeAttr>(kernel.getOperandTypes()[number]).getValue());
  BlockArgument argument = kernel.getBody().front().getArgument(kernel.getGrid().size() + number);
  if (type.getStorageBits() != 32 && type.getRank() != 0)
    return kernel.emitError() << "operand " << number << " of @" << kernel.getSymName()
                              << " is a stream of " << type.getElementType()
                              << "; only 32-bit elements and single narrow ones can be streamed";
  int64_t words = type.getRows() * type.getLaneCount();
  auto smemType = cast<kernel::BufferType>(argument.getType());
  // Each step of a grid reads it.
  LiveRange range = liveness.range(argument).value_or(LiveRange{0, 0});
  range = {0, steps == 1 ? range.last : liveness.end()};
  BufferRef ref =
      memory.addSmem(smemType, ("operand" + Twine(number)).str(), argument.getLoc(), range);
  buffers[argument] = ref;
  if (words == 0 || argument.use_empty())
    return success();
  int64_t chunk = type.getLaneCount(), count = type.getRows();
  int64_t stride = type.getLaneTiles() * kLanes;
  if (chunk == stride) {
    chunk *= count;
    stride = chunk;
    count = 1;
  }
  auto descriptor =
      core::DmaAttr::get(e.b.getContext(), core::MemorySpace::hbm, core::MemorySpace::smem, chunk,
                         {count}, {stride}, {chunk}, /*arrivalFlag=*/-1);
  Value zero = e.constant(0);
  if (streamsInFlight == stageCopies(e.machine))
    e.wait(e.constant(1), kernel::kStageFlag);
  else
    ++streamsInFlight;
  e.startDma(descriptor, e.constant(ref.region), zero, arguments[number], zero, kernel::kStageFlag);
  return success();
}

void KernelLowering::waitForStreams() {
  if (streamsInFlight)
    e.wait(e.constant(streamsInFlight), kernel::kStageFlag);
  streamsInFlight = 0;
}

// Each operand gets its own flags, two if two blocks are in flight at once, and a share of the DMA
// queue, part of which is reserved for the copies that stages issue, if any. An operand with few
// copies per block gets one entry for each, the others equal shares of the remainder. Operands
// without entries issue one copy at a time.
void KernelLowering::assignFlags() {
  bool stagesCopy = llvm::any_of(kernel.getOperands(), [](Attribute attr) {
    kernel::Role role = cast<kernel::OperandAttr>(attr).getRole();
    return role == kernel::Role::raw || role == kernel::Role::stream;
  });
  int64_t reserved = stagesCopy ? stageCopies(e.machine) : 1;
  int64_t slots = e.machine.dmaQueueDepth - reserved - int64_t(kernel.getLoading());
  int64_t blocks = 0;
  auto blocksInFlight = [](const BlockedOperand &operand) {
    return (operand.reads() + operand.writes()) * (operand.hasHalves ? 2 : 1);
  };
  SmallVector<BlockedOperand *> byDmaCount;
  for (BlockedOperand &operand : operands) {
    operand.inFlags = operand.outFlags = {kernel::kStageFlag, kernel::kStageFlag};
    blocks += blocksInFlight(operand);
    byDmaCount.push_back(&operand);
  }
  llvm::stable_sort(byDmaCount, [](const BlockedOperand *a, const BlockedOperand *b) {
    return a->dmaCount() < b->dmaCount();
  });
  int mostFlags = 0;
  SmallVector<BlockedOperand *> withFlags;
  for (BlockedOperand *operand : byDmaCount) {
    int64_t inFlight = blocksInFlight(*operand);
    int64_t share = std::max<int64_t>(blocks ? slots / blocks : 0, 1);
    if (operand->pieces && operand->pieces->count > share)
      operand->pieces.reset();
    int64_t maxInFlight = std::min(operand->dmaCount(), share);
    blocks -= inFlight;
    if (inFlight * maxInFlight > slots ||
        mostFlags + inFlight > kernel::kOperandFlags - semaphores.count()) {
      operand->pieces.reset();
      continue;
    }
    slots -= inFlight * maxInFlight;
    mostFlags += static_cast<int>(inFlight);
    operand->maxInFlight = maxInFlight;
    withFlags.push_back(operand);
  }
  // Copies that others wait for would come behind those of a later step.
  bool prefetches = llvm::all_of(operands, [](const BlockedOperand &operand) {
    if (!operand.changes)
      return true;
    return operand.reads() ? !operand.writes() && operand.isStraight() : operand.maxInFlight > 0;
  });
  int nextFlag = 0;
  for (BlockedOperand *operand : withFlags) {
    operand->isPrefetched = prefetches && operand->reads() && operand->changes;
    auto take = [&](std::array<int, 2> &flags, bool isShared) {
      flags[0] = flags[1] = nextFlag++;
      if (operand->hasHalves && !isShared)
        flags[1] = nextFlag++;
    };
    if (operand->reads())
      take(operand->inFlags, operand->isPrefetched);
    if (operand->writes())
      take(operand->outFlags, operand->leavesInOrder());
  }
  freeCopies = slots + reserved;
  assignLoads(slots);
}

void KernelLowering::assignLoads(int64_t slots) {
  int64_t copies = 0;
  for (BlockedOperand &load : loads) {
    copies += load.copy.dmaCount();
    load.inFlags = {kernel::kNextBlocksFlag, kernel::kNextBlocksFlag};
    load.maxInFlight = load.copy.dmaCount();
  }
  loadsMeanwhile = copies <= slots;
  if (loadsMeanwhile)
    freeCopies -= copies;
  else
    for (BlockedOperand &load : loads)
      load.maxInFlight = 1;
}

void KernelLowering::allocateBuffers() {
  bool isOnce = steps == 1;
  LiveRange always{0, liveness.end()};
  for (ResidentOperand &operand : residents)
    buffers[operand.buffer] = operand.ref;
  for (BlockedOperand &operand : operands) {
    if (operand.attr.isResident())
      continue;
    if (operand.isLoaded()) {
      buffers[operand.buffer] = operand.ref;
      continue;
    }
    LiveRange range = always;
    if (isOnce) {
      // Copied in at the beginning, out after the last use.
      range = *operand.uses;
      if (operand.reads())
        range.first = 0;
      if (operand.writes())
        range.last = liveness.end();
    }
    unsigned number = operand.buffer.getArgNumber() - kernel.getGrid().size();
    operand.ref = memory.addVmem(cast<kernel::BufferType>(operand.buffer.getType()),
                                 ("operand" + Twine(number)).str(), operand.buffer.getLoc(), range,
                                 operand.hasHalves ? 2 : 1);
    buffers[operand.buffer] = operand.ref;
  }
  kernel.walk([&](kernel::AllocOp alloc) {
    kernel::BufferType type = alloc.getResult().getType();
    LiveRange unused{liveness.position(alloc), liveness.position(alloc)};
    LiveRange range =
        withStream(alloc.getResult(), liveness.range(alloc.getResult()).value_or(unused));
    if (alloc.getPersistent())
      range = always;
    if (type.getSpace() == kernel::Space::flags)
      buffers[alloc.getResult()] = BufferRef{type, semaphores.firstFlag(alloc)};
    else if (type.getSpace() == kernel::Space::smem)
      buffers[alloc.getResult()] = memory.addSmem(type, "buffer", alloc.getLoc(), range);
    else if (streams.isHandedOn(alloc.getResult()))
      // One of this step, one of the next.
      buffers[alloc.getResult()] = memory.addVmem(type, "handed on", alloc.getLoc(), always, 2);
    else
      buffers[alloc.getResult()] =
          memory.addVmem(type, "buffer", alloc.getLoc(), range, alloc.getBuffers());
  });
}

LiveRange KernelLowering::withStream(Value buffer, LiveRange range) const {
  if (streams.isOnlyOn(buffer, StageStreams::ahead))
    range.stream = kAheadStream;
  if (streams.isOnlyOn(buffer, StageStreams::behind))
    range.stream = kBehindStream;
  return range;
}
