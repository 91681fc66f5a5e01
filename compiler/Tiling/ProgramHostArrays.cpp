// Copies between HBM and arrays in the memory of the host.
//
// Kernels run while copies are on their way. In each direction those that the program has one
// behind the other are on their way together; before the next one starts, which could not move data
// earlier, they are waited for. So no array waits for more than its own copy.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/HostCopyCost.h"
#include "compiler/Planning/ScalarArithmetic.h"
#include "compiler/Tensor/CountedLoops.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tiling/ProgramBuilder.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/RowLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

static kernel::BufferType hbmType(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                                 kernel::Space::hbm);
}

/// Rows of 512 bytes with elements.
static int64_t usedRows(kernel::BufferType type) {
  return llvm::divideCeil(type.getLogicalRows(), 32 / type.getStorageBits());
}

template <typename Op>
ProgramBuilder::HostPlace ProgramBuilder::placeOf(Op op, Value array,
                                                  llvm::function_ref<Value(Location)> position) {
  ArrayAttr all = kernel::hostArraysOf(source);
  const kernel::WordsAttr words = op.getWordsAttr();
  HostPlace place;
  place.region = kernel::firstPinnedRegion(all, op.getArray()) + (words ? words.getPlane() : 0);
  const int64_t rows = usedRows(hbmType(array));
  int64_t &end = pinnedRows[place.region];
  end = std::max(end, rows);
  if (op.getPosition()) {
    // Positions lie one behind the other.
    const int64_t pitch = rows / cast<RankedTensorType>(array.getType()).getDimSize(0);
    end = std::max(end, pitch * int64_t(op.getPositions()));
    Location loc = op.getLoc();
    Value first = position ? position(loc) : toWord(b, loc, scalar(op.getPosition(), loc));
    place.row =
        arith::MulIOp::create(b, loc, first, arith::ConstantIntOp::create(b, loc, pitch, 32));
  }
  return place;
}

void ProgramBuilder::waitForHost(Location loc, HostCopies &copies, size_t count) {
  if (count == 0)
    return;
  SmallVector<int32_t> flags;
  for (const HostCopy &copy : ArrayRef(copies).take_front(count)) {
    flags.push_back(copy.flag);
    copyFlags.release(copy.flag);
    // Until now the rows were not free.
    touch(copy.buffer);
  }
  kernel::WaitOp::create(b, loc, flags);
  copies.erase(copies.begin(), copies.begin() + count);
}

void ProgramBuilder::waitForHost(Location loc) {
  for (HostCopies *copies : {&offloads, &fetches})
    waitForHost(loc, *copies, copies->size());
}

/// Waits for copies in the way of one that `op` starts.
void ProgramBuilder::makeWay(Operation *op, HostCopies &copies, HostCopies &others,
                             int32_t region) {
  Location loc = op->getLoc();
  auto isSame = [&](const HostCopy &copy) { return copy.region == region; };
  // What follows from constants does not separate two copies, nor do their positions.
  Operation *before = op->getPrevNode();
  while (before &&
         (isa<stablehlo::ConstantOp, kernel::ReinterpretOp>(before) || scalars.computes(before)))
    before = before->getPrevNode();
  const bool isNext = before && before->getName() == op->getName();
  const auto *last = llvm::find_if(llvm::reverse(others), isSame).base();
  waitForHost(loc, others, last - others.begin());
  if (!isNext || int64_t(copies.size()) >= mostHostCopies(*kernels.options().model) ||
      llvm::any_of(copies, isSame))
    waitForHost(loc, copies, copies.size());
}

LogicalResult ProgramBuilder::emitOffload(kernel::OffloadOp op) {
  ++time;
  if (staged.contains(op)) {
    emitStaged(op);
    return success();
  }
  Value value = op.getOperand();
  Location loc = op.getLoc();
  HostPlace place = placeOf(op, value);
  makeWay(op, offloads, fetches, place.region);
  Buffer buffer;
  if (scalars.holds(value)) {
    buffer = newBuffer(value, "offloaded");
    write(value, buffer, loc);
  } else {
    buffer = read(value);
  }
  const int flag = copyFlags.take();
  kernel::StartOffloadOp::create(b, loc, hbm(buffer, hbmType(value), loc), place.row, place.region,
                                 flag);
  offloads.push_back({buffer, place.region, flag, {}});
  return success();
}

LogicalResult ProgramBuilder::emitFetch(kernel::FetchOp op) {
  ++time;
  if (staged.contains(op)) {
    emitStaged(op);
    return success();
  }
  Value value = op.getResult();
  Location loc = op.getLoc();
  HostPlace place = placeOf(op, value);
  makeWay(op, fetches, offloads, place.region);
  auto it = destinations.find(value);
  Buffer buffer = buffers[value] =
      it == destinations.end() ? newBuffer(value, "fetched") : it->second;
  touch(buffer);
  const int flag = copyFlags.take();
  auto start = kernel::StartFetchOp::create(b, loc, hbm(buffer, hbmType(value), loc), place.row,
                                            place.region, flag);
  fetches.push_back({buffer, place.region, flag, {value}});
  Operation *complete = start;
  // Scalars are read where they are complete.
  if (cast<RankedTensorType>(value.getType()).getRank() == 0) {
    waitForHost(loc, fetches, fetches.size());
    complete = start->getNextNode();
  }
  setDefined(value, start->getBlock(), complete);
  return success();
}

bool ProgramBuilder::isOnItsWay(Buffer buffer) const {
  auto isSame = [&](const HostCopy &copy) { return copy.buffer == buffer; };
  return llvm::any_of(offloads, isSame) || llvm::any_of(fetches, isSame);
}

void ProgramBuilder::waitForHost(Operation *op) {
  if (offloads.empty() && fetches.empty())
    return;
  Location loc = op->getLoc();
  if (kindOf(op) == OpKind::Control || isa<kernel::ReplacePartOp, kernel::ResidentOp>(op))
    return waitForHost(loc);
  auto isRead = [&](const HostCopy &copy) {
    return llvm::any_of(op->getOperands(),
                        [&](Value operand) { return llvm::is_contained(copy.values, operand); });
  };
  if (auto reinterpret = dyn_cast<kernel::ReinterpretOp>(op)) {
    for (HostCopy &copy : fetches)
      if (isRead(copy))
        copy.values.push_back(reinterpret.getResult());
    return;
  }
  const auto *last = llvm::find_if(llvm::reverse(fetches), isRead).base();
  waitForHost(loc, fetches, last - fetches.begin());
  // Whether a result lies in an array that is being copied.
  auto isWritten = [&](const HostCopy &copy) {
    return llvm::any_of(op->getResults(), [&](Value result) {
      auto it = destinations.find(result);
      return it != destinations.end() && it->second == copy.buffer;
    });
  };
  for (HostCopies *copies : {&offloads, &fetches})
    if (llvm::any_of(*copies, isWritten))
      waitForHost(loc, *copies, copies->size());
}

//===----------------------------------------------------------------------===//
// Staged copies
//===----------------------------------------------------------------------===//

/// The position of `fetch` in the first trip of `loop`, and by how much it grows.
static TripIndex indexOf(kernel::FetchOp fetch, const CountedLoop &loop) {
  Value position = fetch.getPosition();
  for (std::optional<TripIndex> index; position;) {
    if (index = loop.indexOf(position); index)
      return *index;
    // It is inside of the array in each trip, so that bounds do not matter.
    Operation *bounded = position.getDefiningOp();
    Value first = bounded->getOperand(0);
    position = first.getDefiningOp<stablehlo::ConstantOp>() ? bounded->getOperand(1) : first;
  }
  llvm_unreachable("the position of a staged copy is known a trip ahead");
}

void ProgramBuilder::enterStaged(stablehlo::WhileOp loop) {
  Location loc = loop.getLoc();
  for (Operation &op : loop.getBody().front()) {
    if (!op.hasAttr(kernel::kStagedAttr))
      continue;
    auto fetch = dyn_cast<kernel::FetchOp>(op);
    Value array = fetch ? Value(fetch.getResult()) : op.getOperand(0);
    Buffer buffer = newBuffer(array, "staged");
    const int flag = copyFlags.take();
    staged[&op] = {buffer, flag};
    touch(buffer);
    // The first iteration waits for a copy as the others do: before it stages an array to offload,
    // for one that fills the staging array with anything.
    auto first = [&](Location) -> Value {
      const int64_t position = fetch ? indexOf(fetch, *CountedLoop::of(loop)).first : 0;
      return arith::ConstantIntOp::create(b, loc, position, 32);
    };
    HostPlace place =
        fetch ? placeOf(fetch, array, first) : placeOf(cast<kernel::OffloadOp>(op), array, first);
    kernel::StartFetchOp::create(b, loc, hbm(buffer, hbmType(array), loc), place.row, place.region,
                                 flag);
  }
}

void ProgramBuilder::leaveStaged(stablehlo::WhileOp loop) {
  SmallVector<int32_t> flags;
  for (auto [op, copy] : staged) {
    flags.push_back(copy.flag);
    copyFlags.release(copy.flag);
    touch(copy.buffer);
  }
  staged.clear();
  if (!flags.empty())
    kernel::WaitOp::create(b, loop.getLoc(), flags);
}

Value ProgramBuilder::isNotLastIteration(Operation *op) {
  Location loc = op->getLoc();
  auto loop = op->getParentOfType<stablehlo::WhileOp>();
  const LoopCounter counter = *counterOf(loop);
  const int64_t last = counter.start.getExtValue() +
                       (CountedLoop::of(loop)->trips() - 1) * counter.step.getExtValue();
  Value number = toWord(b, loc, scalar(loop.getBody().getArgument(counter.number), loc));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, number,
                               arith::ConstantIntOp::create(b, loc, last, 32));
}

void ProgramBuilder::emitStaged(kernel::OffloadOp op) {
  Location loc = op.getLoc();
  auto [to, flag] = staged[op];
  Buffer from = read(op.getOperand());
  HostPlace place = placeOf(op, op.getOperand());
  // The copy of the iteration before has left the array.
  kernel::WaitOp::create(b, loc, flag);
  copy(from, to, loc);
  kernel::StartOffloadOp::create(b, loc, hbm(to, hbmType(op.getOperand()), loc), place.row,
                                 place.region, flag);
}

void ProgramBuilder::emitStaged(kernel::FetchOp op) {
  Location loc = op.getLoc();
  Value value = op.getResult();
  auto it = destinations.find(value);
  auto [from, flag] = staged[op];
  Buffer to = buffers[value] = it == destinations.end() ? newBuffer(value, "fetched") : it->second;
  touch(to);
  kernel::WaitOp::create(b, loc, flag);
  copy(from, to, loc);
  const TripIndex index = indexOf(op, *CountedLoop::of(op->getParentOfType<stablehlo::WhileOp>()));
  Value position = toWord(b, loc, scalar(op.getPosition(), loc));
  // The last iteration fetches its own part once more, for nobody.
  Value isOther = isNotLastIteration(op);
  HostPlace place = placeOf(op, value, [&](Location) -> Value {
    Value step = arith::ConstantIntOp::create(b, loc, index.step, 32);
    Value next = arith::AddIOp::create(b, loc, position, step);
    return arith::SelectOp::create(b, loc, isOther, next, position).getResult();
  });
  auto start = kernel::StartFetchOp::create(b, loc, hbm(from, hbmType(value), loc), place.row,
                                            place.region, flag);
  setDefined(value, start->getBlock(), start);
}

/// Rows of one plane of an argument or result of type `type`.
static int64_t entryRows(RankedTensorType type) {
  SmallVector<int64_t> dims(type.getShape());
  const int64_t tile = entryTile({dims.data(), dims.size()});
  const std::vector<int64_t> order = entryOrder({dims.data(), dims.size()});
  if (tile > 1) {
    dims[dims.size() - 2] /= tile;
    dims.back() *= tile;
  }
  Type element = type.getElementType();
  const bool isPlane = !element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 32;
  const int bits = isPlane ? 32 : std::max<int>(8, element.getIntOrFloatBitWidth());
  return physicalRows({dims.data(), dims.size()}, order, bits);
}

void ProgramBuilder::setPinnedPlan() {
  ArrayAttr arrays = kernel::hostArraysOf(module);
  if (!arrays)
    return;
  SmallVector<Attribute> regions;
  int64_t base = 0;
  for (auto [number, array] : llvm::enumerate(arrays.getAsRange<kernel::HostArrayAttr>())) {
    const int64_t entry = array.getArgument() < 0 && array.getResult() < 0
                              ? 0
                              : entryRows(cast<RankedTensorType>(array.getType().getValue()));
    for (int32_t plane = 0; plane < kernel::pinnedRegions(array); ++plane) {
      const int64_t rows = std::max<int64_t>({1, entry, pinnedRows[regions.size()]});
      std::string name = ("host" + Twine(number)).str();
      if (plane > 0)
        name += (".plane" + Twine(plane)).str();
      regions.push_back(
          kernel::HbmRegionAttr::get(b.getContext(), b.getStringAttr(name), rows, base));
      base += rows;
    }
  }
  module->setAttr(kernel::kPinnedPlanAttr, b.getArrayAttr(regions));
}

} // namespace systole
