// Scatters of rows as loops over updates.
// See docs/decisions/gathers-scatters-and-sorts.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/Scatters.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"
#include "compiler/Tiling/StageExpression.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

namespace {

kernel::BufferType bufferTypeOf(Value buffer) { return cast<kernel::BufferType>(buffer.getType()); }

/// Whether what an update changes is in one vector register, which may be stored as it was loaded:
/// of f16 NaNs would change.
bool isOneVector(kernel::BufferType target) {
  return !target.getElementType().isF16() &&
         (target.getRank() == 1 || target.getPitch(0) <= kSublanes);
}

/// Where an element is in a buffer of rank 1.
struct Lane {
  Value row, lane;
};

/// The updates that are in VMEM at the same time, and a run of them whose indices are in SMEM:
/// `count` updates from `first` on, whose indices begin at `firstIndex`. Null stands for 0.
struct Updates {
  Value indices;
  SmallVector<Value> buffers;
  Value count, first, firstIndex;
};

/// Emits the loop over a run of updates.
class UpdateLoop {
public:
  /// `first` is the number of the first row of `targets` among all, of which `left` follow.
  UpdateLoop(OpBuilder &b, stablehlo::ScatterOp op, ValueRange targets, Value first, Value left)
      : b(b), loc(op.getLoc()), op(op), targets(targets), first(first), left(left) {}

  void emit(const Updates &updates) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = scf::ForOp::create(b, loc, constant(0), updates.count, constant(1));
    b.setInsertionPoint(loop.getBody()->getTerminator());
    auto from = [&](Value first) -> Value {
      Value number = loop.getInductionVar();
      return first ? arith::AddIOp::create(b, loc, number, first).getResult() : number;
    };
    Value place = from(updates.firstIndex);
    Value index =
        kernel::LoadScalarOp::create(b, loc, b.getI32Type(), updates.indices, ValueRange(place));
    if (first)
      index = arith::SubIOp::create(b, loc, index, first);
    // One comparison: what is negative is above everything else.
    Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, left);
    if (isOneVector(bufferTypeOf(targets.front()))) {
      // Without a branch the loop is a software pipeline; an update outside leaves the first row as
      // it is.
      index = arith::SelectOp::create(b, loc, isInside, index, constant(0));
      Value applies = arith::SelectOp::create(b, loc, isInside, constant(1), constant(0));
      return emitUpdate(updates, from(updates.first), index, applies);
    }
    auto branch = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    emitUpdate(updates, from(updates.first), index, /*applies=*/nullptr);
  }

private:
  Value constant(int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); }

  Value part(Value buffer, ArrayRef<int64_t> shape, Value row) {
    kernel::BufferType type = bufferTypeOf(buffer);
    return kernel::RowsOp::create(
        b, loc,
        kernel::BufferType::get(b.getContext(), shape, type.getElementType(), type.getSpace()),
        buffer, row);
  }

  /// The row of slab `number` of a buffer, along its first dimension.
  Value rowOf(Value number, Value buffer) {
    kernel::BufferType type = bufferTypeOf(buffer);
    int64_t rows = type.getRank() == 1 ? 1 : type.getPitch(0);
    return rows == 1 ? number : arith::MulIOp::create(b, loc, number, constant(rows)).getResult();
  }

  /// The update `number` of what the targets have at `index`, if the scalar `applies` is not 0, or
  /// null.
  void emitUpdate(const Updates &updates, Value number, Value index, Value applies) {
    ArrayRef<int64_t> shape = bufferTypeOf(targets.front()).getShape().drop_front();
    bool isElement = shape.empty();
    const int64_t lanes[] = {kLanes}, one[] = {1};
    Lane place;
    if (isElement) {
      place.row = arith::ShRSIOp::create(b, loc, index, constant(7));
      place.lane = arith::AndIOp::create(b, loc, index, constant(127));
      if (applies) {
        // No lane is number -1.
        Value none = arith::SubIOp::create(b, loc, applies, constant(1));
        place.lane = arith::OrIOp::create(b, loc, place.lane, none);
      }
    }
    SmallVector<Value> outputs, inputs;
    for (Value target : targets) {
      auto window =
          kernel::BufferType::get(b.getContext(), isElement ? lanes : shape,
                                  bufferTypeOf(target).getElementType(), kernel::Space::vmem);
      outputs.push_back(
          part(target, window.getShape(), isElement ? place.row : rowOf(index, target)));
    }
    llvm::append_range(inputs, outputs);
    auto windowType = cast<kernel::BufferType>(outputs.front().getType());
    for (Value update : updates.buffers)
      inputs.push_back(part(update, isElement ? ArrayRef<int64_t>(one) : shape,
                            isElement ? number : rowOf(number, update)));
    AffineMap identity = b.getMultiDimIdentityMap(windowType.getRank());
    AffineMap repeated = AffineMap::get(1, 0, b.getAffineConstantExpr(0));
    SmallVector<AffineMap> maps(outputs.size(), identity);
    maps.append(updates.buffers.size(), isElement ? repeated : identity);
    auto map = kernel::MapOp::create(b, loc, inputs, outputs, b.getAffineMapArrayAttr(maps));
    OpBuilder::InsertionGuard guard(b);
    IRMapping mapping;
    op.getUpdateComputation().cloneInto(&map.getBody(), mapping);
    Block &body = map.getBody().front();
    Operation *terminator = body.getTerminator();
    b.setInsertionPoint(terminator);
    SmallVector<Value> results(terminator->getOperands());
    if (isElement) {
      auto word = RankedTensorType::get({}, b.getI32Type());
      Value isHere = compareElements(b, loc, kernel::IndexOp::create(b, loc, word, 0),
                                     kernel::ScalarOp::create(b, loc, word, place.lane),
                                     stablehlo::ComparisonDirection::EQ);
      for (auto [i, result] : llvm::enumerate(results))
        result = stablehlo::SelectOp::create(b, loc, isHere, result, body.getArgument(i));
    } else if (applies) {
      auto word = RankedTensorType::get({}, b.getI32Type());
      Value isApplied =
          compareElements(b, loc, kernel::ScalarOp::create(b, loc, word, applies),
                          zeroElement(b, loc, b.getI32Type()), stablehlo::ComparisonDirection::NE);
      for (auto [i, result] : llvm::enumerate(results))
        result = stablehlo::SelectOp::create(b, loc, isApplied, result, body.getArgument(i));
    }
    kernel::YieldOp::create(b, loc, results);
    terminator->erase();
  }

  OpBuilder &b;
  Location loc;
  stablehlo::ScatterOp op;
  ValueRange targets;
  Value first, left;
};

} // namespace

void StageBuilder::emitScatter(stablehlo::ScatterOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> targets;
  for (auto [input, result] : llvm::zip_equal(op.getInputs(), op.getResults())) {
    Value target = destination(result);
    AffineMap identity = b.getMultiDimIdentityMap(shapeOf(result).size());
    emitCopy(loc, buffer(input), target, shapeOf(result), identity, identity);
    targets.push_back(target);
  }
  Value result = op.getResult(0), indices = op.getScatterIndices();
  int64_t rows = cast<RankedTensorType>(result.getType()).getDimSize(0);
  Value first, left = constantIndex(loc, rows);
  for (const Cut &cut : blocking.cuts)
    if (cut.dimOf(result)) {
      first = firstOf(loc, cut);
      left = arith::SubIOp::create(b, loc, left, first);
      left = arith::MinSIOp::create(b, loc, left, constantIndex(loc, cut.blockSize));
    }
  UpdateLoop loop(b, op, targets, first, left);
  bool isElement = shapeOf(result).size() == 1;
  // An update of one element is spread over the lanes: it needs a row of its own.
  auto asRows = [&](Value buffer, int64_t count) -> Value {
    if (!isElement)
      return buffer;
    Type element = cast<kernel::BufferType>(buffer.getType()).getElementType();
    Value rows = kernel::AllocOp::create(b, loc, bufferType({count, 1}, element));
    emitReshapeCopy(loc, buffer, rows);
    return rows;
  };

  // `count` updates of which the first is number `begin` of all, null for 0.
  auto emitUpdates = [&](ArrayRef<Value> buffers, int64_t count, Value begin) {
    OpBuilder::InsertionGuard guard(b);
    Updates updates{
        streams.lookup(indices), SmallVector<Value>(buffers), constantIndex(loc, count), {}, begin};
    if (updates.indices)
      return loop.emit(updates);
    int64_t words = std::min(count, indexStreams.chunkWords());
    updates.indices = allocIndices(loc, {words});
    updates.firstIndex = nullptr;
    if (words == count) {
      loadIndices(loc, indices, updates.indices, begin ? begin : constantIndex(loc, 0));
      return loop.emit(updates);
    }
    int64_t chunks = llvm::divideCeil(count, words);
    auto all = scf::ForOp::create(b, loc, constantIndex(loc, 0), constantIndex(loc, chunks),
                                  constantIndex(loc, 1));
    b.setInsertionPoint(all.getBody()->getTerminator());
    updates.first = arith::MulIOp::create(b, loc, all.getInductionVar(), constantIndex(loc, words));
    Value start = updates.first;
    if (count % words != 0) {
      // The last chunk begins earlier, so as to end with the indices.
      start = arith::MinSIOp::create(b, loc, start, constantIndex(loc, count - words));
      updates.firstIndex = arith::SubIOp::create(b, loc, updates.first, start);
      updates.count = arith::MinSIOp::create(
          b, loc, constantIndex(loc, words),
          arith::SubIOp::create(b, loc, constantIndex(loc, count), updates.first));
    } else {
      updates.count = constantIndex(loc, words);
    }
    if (begin)
      start = arith::AddIOp::create(b, loc, start, begin);
    loadIndices(loc, indices, updates.indices, start);
    loop.emit(updates);
  };

  int64_t total = cast<RankedTensorType>(indices.getType()).getDimSize(0);
  if (!hasChunks(op)) {
    SmallVector<Value> buffers;
    for (Value update : op.getUpdates())
      buffers.push_back(asRows(buffer(update), total));
    return emitUpdates(buffers, total, {});
  }
  ArrayRef<int64_t> window =
      cast<RankedTensorType>(op.getUpdates().front().getType()).getShape().drop_front();
  int64_t count = scatterChunk(window);
  SmallVector<int64_t> sizes = {count};
  llvm::append_range(sizes, window);
  SmallVector<Value> chunks, buffers;
  for (Value update : op.getUpdates())
    chunks.push_back(kernel::AllocOp::create(
        b, loc, bufferType(sizes, cast<RankedTensorType>(update.getType()).getElementType())));
  OpBuilder::InsertionGuard guard(b);
  auto all = scf::ForOp::create(b, loc, constantIndex(loc, 0), constantIndex(loc, total / count),
                                constantIndex(loc, 1));
  b.setInsertionPoint(all.getBody()->getTerminator());
  Value begin = arith::MulIOp::create(b, loc, all.getInductionVar(), constantIndex(loc, count));
  SmallVector<Value> offsets(sizes.size(), constantIndex(loc, 0));
  offsets[0] = begin;
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  for (auto [update, chunk] : llvm::zip_equal(op.getUpdates(), chunks)) {
    emitCopy(loc, windowed.lookup(update), chunk, sizes, identity, identity, offsets);
    buffers.push_back(asRows(chunk, count));
  }
  emitUpdates(buffers, count, begin);
}

} // namespace systole
