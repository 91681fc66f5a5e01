// How the operations of a kernel are cut into grid steps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/Blocking.h"

#include "compiler/Graph/OpKinds.h"
#include "compiler/Tiling/CutPropagation.h"
#include "compiler/Tiling/Windows.h"
#include "runtime/Device/Layout.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace systole {

namespace {

constexpr int64_t kLanes = 128;
constexpr int64_t kRowBytes = 512;
/// Blocks begin at whole physical rows of every element type, and at whole
/// vector registers: eight rows, or eight groups of lanes.
constexpr int64_t kRowQuantum = 8;
constexpr int64_t kLaneQuantum = 8 * kLanes;
/// Kernels that move less than this run in one step: the start-up of more
/// copies would cost what their overlap saves.
constexpr int64_t kWholeBytes = 512 << 10;
/// Bytes that one grid step should move, so that its copies take several times their
/// start-up latency.
constexpr int64_t kStepBytes = 256 << 10;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Contractions with fewer results gain nothing from a grid of their own.
constexpr int64_t kLargeProduct = 256 * 1024;
/// Blocks of a large contraction. Weights of a block stay in the arrays for
/// kRowBlock rows, twice the time that the next ones take to latch; a column block
/// of 512 makes f32 rows arrive in half the time that they take to pass.
constexpr int64_t kRowBlock = 256;
constexpr int64_t kColumnBlock = 512;

int64_t blockBytes(ArrayRef<int64_t> shape, Type elementType) {
  RowShape matrix;
  if (!shape.empty()) {
    matrix.columns = shape.back();
    for (int64_t size : shape.drop_back())
      matrix.rows *= size;
  }
  return matrix.physicalRows(std::max(8u, elementType.getIntOrFloatBitWidth())) * kRowBytes;
}

/// The tensors of a kernel: those it reads, those it hands on, and all others; those
/// that stay in HBM, and the bytes of their windows.
struct Tensors {
  llvm::SmallSetVector<Value, 16> inputs, outputs, inner, windowed;
  int64_t windowBytes = 0;
};

Tensors collect(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  Tensors tensors;
  for (Operation *op : ops) {
    if (auto window = windowOf(op)) {
      tensors.windowed.insert(op->getOperand(0));
      tensors.windowBytes += window->count * window->bytes;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (!isWindowed(operand) && !inside.contains(operand.get().getDefiningOp()))
        tensors.inputs.insert(operand.get());
    for (Value result : op->getResults()) {
      if (isUpdatedInHbm(result))
        continue;
      bool escapes =
          llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); });
      OpKind kind = kindOf(op);
      if (escapes)
        tensors.outputs.insert(result);
      else if (kind != OpKind::Constant && kind != OpKind::Generator && kind != OpKind::Broadcast)
        tensors.inner.insert(result);
    }
  }
  return tensors;
}

} // namespace

int64_t paddedBytes(RankedTensorType type) {
  return blockBytes(type.getShape(), type.getElementType());
}

int64_t payloadBytes(RankedTensorType type) {
  return type.getNumElements() * std::max<int64_t>(8, type.getElementTypeBitWidth()) / 8;
}

std::optional<int64_t> Cut::dimOf(Value value) const {
  auto it = dims.find(value);
  return it == dims.end() ? std::nullopt : std::optional(it->second);
}

bool Blocking::isCut(Value value) const {
  return llvm::any_of(cuts, [&](const Cut &cut) { return cut.dims.contains(value); });
}

SmallVector<int64_t> Blocking::blockShape(Value value) const {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  for (const Cut &cut : cuts)
    if (auto dim = cut.dimOf(value))
      shape[*dim] = std::min(shape[*dim], cut.blockSize);
  return shape;
}

namespace {

/// Finds a blocking for one group of operations.
class Planner {
public:
  Planner(ArrayRef<Operation *> ops, int64_t vmemBytes)
      : ops(ops), tensors(collect(ops)), propagation(ops), vmemBytes(vmemBytes) {}

  std::optional<Blocking> run() {
    int64_t moved =
        sum(tensors.inputs, whole) + sum(tensors.outputs, whole) + tensors.windowBytes;
    bool fits = moved + sum(tensors.inner, whole) <= vmemBytes;
    if (fits && moved <= kWholeBytes)
      return Blocking();
    if (auto blocking = cutContraction())
      return blocking;
    if (auto blocking = cutLargest(moved))
      return blocking;
    return fits ? std::optional(Blocking()) : std::nullopt;
  }

private:
  static int64_t whole(Value value) { return paddedBytes(typeOf(value)); }

  template <typename Values, typename Bytes> static int64_t sum(Values &values, Bytes bytes) {
    int64_t total = 0;
    for (Value value : values)
      total += bytes(value);
    return total;
  }

  /// Bytes of VMEM that the blocks take; those that change are double buffered.
  int64_t footprint(const Blocking &blocking) const {
    auto step = [&](Value value) {
      return blockBytes(blocking.blockShape(value), typeOf(value).getElementType());
    };
    auto buffers = [&](Value value) { return step(value) * (blocking.isCut(value) ? 2 : 1); };
    return sum(tensors.inputs, buffers) + sum(tensors.outputs, buffers) +
           sum(tensors.inner, step) + tensors.windowBytes;
  }

  /// The cut that takes `seed` along `dim`, if all operations allow it.
  std::optional<Cut> cutAlong(Value seed, int64_t dim) {
    if (!propagation.run(seed, dim))
      return std::nullopt;
    Cut cut;
    cut.size = typeOf(seed).getDimSize(dim);
    for (auto [value, assigned] : propagation.assigned())
      if (assigned != kWhole)
        cut.dims[value] = assigned;
    return cut;
  }

  static bool isLanes(Value value, int64_t dim) { return dim + 1 == typeOf(value).getRank(); }

  /// Whether the blocks of every tensor in HBM start at whole rows of 512 bytes, of which
  /// narrow elements pack several logical rows into one.
  bool isAligned(const Cut &cut) const {
    return llvm::all_of(cut.dims, [&](auto &entry) {
      auto [value, dim] = entry;
      if (!tensors.inputs.contains(value) && !tensors.outputs.contains(value))
        return true;
      RankedTensorType type = typeOf(value);
      int64_t packing = 32 / std::max<int64_t>(8, type.getElementTypeBitWidth());
      // Logical rows of a block, and of the whole dimension with what is inside of it.
      int64_t inner = 1, outer = 1;
      for (int64_t d = 0; d + 1 < type.getRank(); ++d) {
        if (d < dim)
          outer *= type.getDimSize(d);
        else if (d > dim)
          inner *= type.getDimSize(d);
      }
      int64_t blockRows, rows;
      if (isLanes(value, dim)) {
        blockRows = cut.blockSize / kLanes;
        rows = llvm::divideCeil(cut.size, kLanes);
      } else {
        inner *= llvm::divideCeil(type.getShape().back(), kLanes);
        blockRows = cut.blockSize * inner;
        rows = cut.size * inner;
      }
      // Copies of the last block end at a whole row, too, which must still be the tensor's.
      int64_t owned = llvm::alignTo(rows, kRowQuantum);
      int64_t copied = isLanes(value, dim) ? rows : llvm::alignTo(rows, std::lcm(inner, packing));
      return blockRows % packing == 0 && (outer == 1 || rows % packing == 0) && copied <= owned;
    });
  }

  /// Cuts a group around one large contraction along its columns and rows. A
  /// block of right-hand columns stays while the blocks of rows pass through the
  /// arrays, so that what moves in a step is small against what is computed.
  std::optional<Blocking> cutContraction() {
    stablehlo::DotGeneralOp dot;
    for (Operation *op : ops)
      if (auto found = dyn_cast<stablehlo::DotGeneralOp>(op))
        dot = found;
    if (!dot)
      return std::nullopt;
    int64_t rank = typeOf(dot).getRank();
    int64_t rows = typeOf(dot).getDimSize(rank - 2), columns = typeOf(dot).getDimSize(rank - 1);
    if (rank != 2 || rows * columns < kLargeProduct)
      return std::nullopt;
    std::optional<Cut> byColumns, byRows;
    if (columns > kColumnBlock)
      byColumns = cutAlong(dot.getResult(), rank - 1);
    if (rows > kRowBlock)
      byRows = cutAlong(dot.getResult(), rank - 2);
    if (byColumns) {
      byColumns->blockSize = kColumnBlock;
      if (!isAligned(*byColumns))
        byColumns.reset();
    }
    if (byRows)
      byRows->blockSize = kRowBlock;
    Blocking blocking;
    if (byColumns)
      blocking.cuts.push_back(std::move(*byColumns));
    if (byRows)
      blocking.cuts.push_back(std::move(*byRows));
    if (blocking.isWhole())
      return std::nullopt;
    // Fewer rows first: a narrower column block moves the rows more often.
    for (Cut &cut : llvm::reverse(blocking.cuts))
      while (footprint(blocking) > vmemBytes && cut.blockSize > kLanes)
        cut.blockSize /= 2;
    if (footprint(blocking) > vmemBytes ||
        !llvm::all_of(blocking.cuts, [&](const Cut &cut) { return isAligned(cut); }))
      return std::nullopt;
    return blocking;
  }

  /// Cuts along a dimension of the largest tensor that is moved.
  std::optional<Blocking> cutLargest(int64_t moved) {
    Value largest;
    for (auto *set : {&tensors.outputs, &tensors.inputs})
      for (Value value : *set)
        if (!largest || whole(value) > whole(largest))
          largest = value;
    if (!largest)
      return std::nullopt;
    RankedTensorType type = typeOf(largest);
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int64_t size = type.getDimSize(dim);
      std::optional<Cut> cut = cutAlong(largest, dim);
      if (!cut)
        continue;
      // What lies along the lanes of one tensor may be rows of another.
      bool lanes =
          llvm::any_of(cut->dims, [](auto &entry) { return isLanes(entry.first, entry.second); });
      int64_t quantum = lanes ? kLaneQuantum : kRowQuantum;
      if (size <= quantum)
        continue;
      Blocking blocking;
      int64_t steps = std::max<int64_t>(1, llvm::divideCeil(moved, kStepBytes));
      cut->blockSize = llvm::alignTo(llvm::divideCeil(size, steps), quantum);
      blocking.cuts.push_back(std::move(*cut));
      int64_t &blockSize = blocking.cuts.front().blockSize;
      while (footprint(blocking) > vmemBytes && blockSize > quantum)
        blockSize = llvm::alignTo(blockSize / 2, quantum);
      if (footprint(blocking) <= vmemBytes && blocking.cuts.front().steps() > 1 &&
          isAligned(blocking.cuts.front()))
        return blocking;
    }
    return std::nullopt;
  }

  ArrayRef<Operation *> ops;
  Tensors tensors;
  CutPropagation propagation;
  int64_t vmemBytes;
};

} // namespace

int64_t countOperands(ArrayRef<Operation *> ops) {
  Tensors tensors = collect(ops);
  return tensors.inputs.size() + tensors.outputs.size() + tensors.windowed.size();
}

std::optional<Blocking> findBlocking(ArrayRef<Operation *> ops, int64_t vmemBytes) {
  return Planner(ops, vmemBytes).run();
}

} // namespace systole
