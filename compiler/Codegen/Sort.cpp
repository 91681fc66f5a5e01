// Lowers kernel.sort: a bitonic network whose comparators are all ascending.
// See docs/decisions/sorting.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Body.h"
#include "compiler/Codegen/Codegen.h"
#include "compiler/Model/OpCosts.h"
#include "compiler/Model/SortNetwork.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

namespace {

/// Whether signed integers are sorted by themselves.
bool isIntegerSort(kernel::SortOp op) {
  Block &body = op.getBody().front();
  auto compare = dyn_cast<stablehlo::CompareOp>(body.front());
  return compare && body.getNumArguments() == 2 && compare->getNextNode() == body.getTerminator() &&
         compare.getLhs() == body.getArgument(0) && compare.getRhs() == body.getArgument(1) &&
         compare.getComparisonDirection() == stablehlo::ComparisonDirection::LT &&
         elementOf(compare.getLhs()).isSignlessInteger(32);
}

/// Of the comparator, once.
int64_t instructionsOf(kernel::SortOp op) {
  int64_t count = 0;
  for (Operation &inner : op.getBody().front().without_terminator())
    count += opCost(&inner).all.vector();
  return count;
}

template <typename Op> Value integers(Emitter &e, Value a, Value b) {
  return Op::create(e.b, e.loc, e.vectorType(), a, b);
}

/// A vector of each array.
using Cells = SmallVector<Value, 4>;

/// Rows of all columns are numbered as one sequence, since a column is a power of two of them, and
/// a group of 128 lanes is sorted by itself. A vector takes eight rows of a group, or one row of
/// eight groups (`SortShape::acrossGroups`).
class SortLowering {
public:
  SortLowering(kernel::SortOp op, ArrayRef<BufferRef> inputs, ArrayRef<BufferRef> outputs,
               Emitter &e, const StageOptions &options)
      : op(op), inputs(inputs), outputs(outputs), e(e),
        shape(inputs[0].type.getShape(), op.getChunks()),
        body(
            e, options.excessPrecision, [](int64_t) { return Value(); }, options.scalar),
        isMinimum(isIntegerSort(op)) {}

  LogicalResult lower();

private:
  // Vectors at a row: eight rows from it on, `apart` rows from one to the next, or the row of eight
  // groups.
  Cells load(ArrayRef<BufferRef> buffers, Value row, int64_t apart, Value mask = nullptr);
  void store(const Cells &cells, Value row, int64_t apart, Value mask = nullptr);
  /// The address of `row` in the group of lanes that is sorted.
  Value address(Value row) { return e.add(e.mul(row, shape.groups), group); }
  Value stride(int64_t apart) { return e.constant(shape.acrossGroups ? 1 : apart * shape.groups); }

  /// The mask of cells that change places.
  Value swaps(const Cells &low, const Cells &high);
  Cells select(Value mask, const Cells &a, const Cells &b);
  void compareExchange(Cells &low, Cells &high);

  /// Emits `emit` for the first of every eight rows that follow one another, of all columns, in
  /// vectors of which each has one of the eight.
  void forEights(llvm::function_ref<void(Value first, Value mask)> emit);
  /// Sorts or merges them.
  void emitEights(ArrayRef<BufferRef> from, ArrayRef<Comparator> network);
  void emitSmall(Value distance, bool mirrored);
  /// Compares the rows of blocks of 2 * `distance`, by mirror images or at the distance.
  void emitRows(Value distance, bool mirrored);
  void emitDistances(Value first, Value count);
  /// Compares mirror images in blocks of chunks, of which `top` is the highest bit of a lane's
  /// number that differs.
  void emitMirroredLanes(Value top);
  /// Compares lanes that differ in one bit.
  void emitLanes(Value bit);
  /// Cells with the smaller position of two whose lanes differ in bits up to `top`.
  Value isLower(Value top);
  /// The cells of other lanes, which a vector numbers, or which differ in one bit.
  Cells gathered(const Cells &cells, Value lanes);
  Cells exchanged(const Cells &cells, Value bit, Value lower);
  Cells compareWith(const Cells &own, const Cells &other, Value lower);

  void emitGroup();

  kernel::SortOp op;
  ArrayRef<BufferRef> inputs, outputs;
  Emitter &e;
  const SortShape shape;
  Body body;
  const bool isMinimum; ///< one array of integers is sorted: the smaller one comes first
  Value group;          ///< of 128 lanes, the first of eight if a vector is across them
  bool hasFailed = false;
};

Value shiftRight(Emitter &e, Value value) {
  return core::SShrOp::create(e.b, e.loc, e.b.getI32Type(), value, e.constant(1));
}

} // namespace

Cells SortLowering::load(ArrayRef<BufferRef> buffers, Value row, int64_t apart, Value mask) {
  Value at = address(row);
  return llvm::map_to_vector<4>(
      buffers, [&](const BufferRef &buffer) { return e.load(buffer, at, stride(apart), mask); });
}

void SortLowering::store(const Cells &cells, Value row, int64_t apart, Value mask) {
  Value at = address(row);
  for (auto [value, buffer] : llvm::zip_equal(cells, outputs))
    e.store(value, buffer, at, stride(apart), mask);
}

Value SortLowering::swaps(const Cells &low, const Cells &high) {
  SmallVector<Value> arguments;
  for (auto [a, b] : llvm::zip_equal(high, low))
    arguments.append({a, b});
  FailureOr<SmallVector<Value>> before = body.emit(op.getBody().front(), arguments);
  if (failed(before)) {
    hasFailed = true;
    return e.allMask();
  }
  return before->front();
}

Cells SortLowering::select(Value mask, const Cells &a, const Cells &b) {
  Cells chosen;
  for (auto [x, y] : llvm::zip_equal(a, b))
    chosen.push_back(core::VSelectOp::create(e.b, e.loc, e.vectorType(), mask, x, y));
  return chosen;
}

void SortLowering::compareExchange(Cells &low, Cells &high) {
  if (isMinimum) {
    Value first = integers<core::VMinOp>(e, low.front(), high.front());
    high.front() = integers<core::VMaxOp>(e, low.front(), high.front());
    low.front() = first;
    return;
  }
  Value swap = swaps(low, high);
  Cells first = select(swap, high, low);
  high = select(swap, low, high);
  low = first;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void SortLowering::forEights(llvm::function_ref<void(Value first, Value mask)> emit) {
  const int64_t block = shape.acrossGroups ? kSublanes : kSublanes * kSublanes;
  e.loop(
      0, shape.rows / block, 1, [&](Value number) { emit(e.mul(number, block), nullptr); },
      /*independent=*/true);
  if (int64_t rest = shape.rows % block)
    emit(e.constant(shape.rows - rest), e.sublaneMask(nullptr, e.constant(rest / kSublanes)));
}

void SortLowering::emitEights(ArrayRef<BufferRef> from, ArrayRef<Comparator> network) {
  forEights([&](Value first, Value mask) {
    std::array<Cells, kSublanes> slots;
    for (auto [number, cells] : llvm::enumerate(slots))
      cells = load(from, e.add(first, number), kSublanes, mask);
    for (auto [low, high] : network)
      compareExchange(slots[low], slots[high]);
    for (auto [number, cells] : llvm::enumerate(slots))
      store(cells, e.add(first, number), kSublanes, mask);
  });
}

// Each pair by itself, in a loop: there are four among eight rows.
void SortLowering::emitSmall(Value distance, bool mirrored) {
  Value above = e.sub(e.constant(0), distance);
  Value last = e.sub(e.mul(distance, 2), e.constant(1));
  forEights([&](Value first, Value mask) {
    e.loop(
        0, kSublanes / 2, 1,
        [&](Value pair) {
          Value low = e.add(pair, e.bitAnd(pair, above));
          Value high = mirrored ? e.bitXor(low, last) : e.add(low, distance);
          low = e.add(first, low);
          high = e.add(first, high);
          Cells a = load(outputs, low, kSublanes, mask), b = load(outputs, high, kSublanes, mask);
          compareExchange(a, b);
          store(a, low, kSublanes, mask);
          store(b, high, kSublanes, mask);
        },
        /*independent=*/true);
  });
}

void SortLowering::emitRows(Value distance, bool mirrored) {
  // A bit of zero is inserted into the number of a pair at the place of the distance's.
  Value above = e.sub(e.constant(0), distance);
  Value last = e.sub(e.mul(distance, 2), e.constant(1));
  e.loop(
      0, shape.rows / 2 / shape.rowsOfVector(), 1,
      [&](Value pair) {
        Value number = e.mul(pair, shape.rowsOfVector());
        Value low = e.add(number, e.bitAnd(number, above));
        Value high = mirrored ? e.bitXor(low, last) : e.add(low, distance);
        int64_t apart = mirrored ? -1 : 1;
        Cells a = load(outputs, low, 1), b = load(outputs, high, apart);
        compareExchange(a, b);
        store(a, low, 1);
        store(b, high, apart);
      },
      /*independent=*/true);
}

void SortLowering::emitDistances(Value first, Value count) {
  e.loop(e.constant(0), count, 1, ValueRange(first), [&](Value, ValueRange carried) {
    emitRows(carried.front(), /*mirrored=*/false);
    return SmallVector<Value>{shiftRight(e, carried.front())};
  });
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Value SortLowering::isLower(Value top) {
  Value bit = core::VAndOp::create(e.b, e.loc, e.vectorType(), e.laneId(), top);
  return core::VEqOp::create(e.b, e.loc, e.maskType(), bit, e.splatBits(0));
}

Cells SortLowering::gathered(const Cells &cells, Value lanes) {
  return llvm::map_to_vector<4>(
      cells, [&](Value value) { return e.xlu<core::XluGatherOp>(value, lanes); });
}

// Two rotations take less of the cross-lane unit than a gather.
Cells SortLowering::exchanged(const Cells &cells, Value bit, Value lower) {
  Value down = e.sub(e.constant(kLanes), bit);
  return llvm::map_to_vector<4>(cells, [&](Value value) -> Value {
    Value above = e.xlu<core::XluRotateOp>(value, down);
    Value below = e.xlu<core::XluRotateOp>(value, bit);
    return core::VSelectOp::create(e.b, e.loc, e.vectorType(), lower, above, below);
  });
}

Cells SortLowering::compareWith(const Cells &own, const Cells &other, Value lower) {
  if (isMinimum)
    return select(lower, {integers<core::VMinOp>(e, own.front(), other.front())},
                  {integers<core::VMaxOp>(e, own.front(), other.front())});
  return select(swaps(select(lower, own, other), select(lower, other, own)), other, own);
}

void SortLowering::emitMirroredLanes(Value top) {
  // All bits from the lowest of chunks up to the highest differ.
  Value bits = e.sub(e.mul(top, 2), e.constant(shape.lanesOfChunk()));
  Value lanes = core::VXorOp::create(e.b, e.loc, e.vectorType(), e.laneId(), bits);
  Value lower = isLower(top);
  Value above = e.constant(-(shape.columnRows / 2));
  e.loop(
      0, shape.rows / 2 / kSublanes, 1,
      [&](Value pair) {
        Value number = e.mul(pair, kSublanes);
        Value low = e.add(number, e.bitAnd(number, above));
        Value high = e.bitXor(low, e.constant(shape.columnRows - 1));
        Cells a = load(outputs, low, 1), b = load(outputs, high, -1);
        Cells ofA = gathered(a, lanes), ofB = gathered(b, lanes);
        store(compareWith(a, ofB, lower), low, 1);
        store(compareWith(b, ofA, lower), high, -1);
      },
      /*independent=*/true);
}

void SortLowering::emitLanes(Value bit) {
  Value lower = isLower(bit);
  e.loop(
      0, shape.rows / kSublanes, 1,
      [&](Value number) {
        Value row = e.mul(number, kSublanes);
        Cells cells = load(outputs, row, 1);
        store(compareWith(cells, exchanged(cells, bit, lower), lower), row, 1);
      },
      /*independent=*/true);
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

void SortLowering::emitGroup() {
  const int64_t levels = llvm::Log2_64(shape.columnRows), smallLevels = llvm::Log2_64(kSublanes);
  const bool inRegisters = sortsInRegisters(outputs.size(), instructionsOf(op));
  const int64_t chunkLevels = llvm::Log2_64(shape.chunks);
  Value distances = e.constant(levels - smallLevels), half = e.constant(shape.columnRows / 2);
  auto mergeSmall = [&](Value first, Value count) {
    e.loop(e.constant(0), count, 1, ValueRange(first), [&](Value, ValueRange carried) {
      emitSmall(carried.front(), /*mirrored=*/false);
      return SmallVector<Value>{shiftRight(e, carried.front())};
    });
  };
  // From distances within a column of rows down to one.
  auto mergeRows = [&](Value first, Value count) {
    emitDistances(first, count);
    inRegisters ? emitEights(outputs, mergerOfEight())
                : mergeSmall(e.constant(kSublanes / 2), e.constant(smallLevels));
  };
  // Lanes that differ in one bit, the highest first.
  auto mergeLanes = [&](Value first, Value count) {
    e.loop(e.constant(0), count, 1, ValueRange(first), [&](Value, ValueRange carried) {
      emitLanes(carried.front());
      return SmallVector<Value>{shiftRight(e, carried.front())};
    });
  };
  emitEights(inputs, op.getMerge() || !inRegisters ? ArrayRef<Comparator>() : sorterOfEight());
  if (!op.getMerge()) {
    if (!inRegisters)
      e.loop(e.constant(0), e.constant(smallLevels), 1, ValueRange(e.constant(1)),
             [&](Value level, ValueRange carried) {
               Value distance = carried.front();
               emitSmall(distance, /*mirrored=*/true);
               mergeSmall(shiftRight(e, distance), level);
               return SmallVector<Value>{e.add(distance, distance)};
             });
    e.loop(e.constant(0), distances, 1, ValueRange(e.constant(kSublanes)),
           [&](Value level, ValueRange carried) {
             Value distance = carried.front();
             emitRows(distance, /*mirrored=*/true);
             mergeRows(shiftRight(e, distance), level);
             return SmallVector<Value>{e.add(distance, distance)};
           });
    // The bits of lanes in which chunks of a level differ.
    e.loop(e.constant(0), e.constant(chunkLevels), 1, ValueRange(e.constant(shape.lanesOfChunk())),
           [&](Value level, ValueRange carried) {
             Value top = carried.front();
             emitMirroredLanes(top);
             mergeLanes(shiftRight(e, top), level);
             mergeRows(half, distances);
             return SmallVector<Value>{e.add(top, top)};
           });
    return;
  }
  mergeLanes(e.constant(shape.lanes / 2), e.constant(chunkLevels));
  mergeRows(half, distances);
}

LogicalResult SortLowering::lower() {
  if (shape.isEmpty())
    return success();
  e.loop(0, shape.groups, shape.acrossGroups ? kSublanes : 1, [&](Value first) {
    group = first;
    emitGroup();
  });
  return failure(hasFailed);
}

LogicalResult codegen::lowerSort(kernel::SortOp op, ArrayRef<BufferRef> inputs,
                                 ArrayRef<BufferRef> outputs, Emitter &e,
                                 const StageOptions &options) {
  return SortLowering(op, inputs, outputs, e, options).lower();
}
