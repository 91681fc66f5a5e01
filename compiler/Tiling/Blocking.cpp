// How the operations of a kernel are cut into grid steps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/Blocking.h"

#include "compiler/Graph/OpKinds.h"

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

/// No dimension: the tensor is whole in every step.
constexpr int64_t kWhole = -1;

class Propagation {
public:
  Propagation(ArrayRef<Operation *> ops) : ops(ops.begin(), ops.end()) {}

  /// Cuts `seed` along `dim` and every other tensor as the operations then
  /// demand. Fails when they contradict each other.
  bool run(Value seed, int64_t dim) {
    dims.clear();
    worklist.clear();
    if (!assign(seed, dim))
      return false;
    while (!worklist.empty())
      if (!visit(worklist.pop_back_val()))
        return false;
    // What no constraint reached is whole; then nothing of it may leave the
    // kernel or be computed anew in every step.
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (lookup(result) == kWhole && !isCheap(op))
          return false;
    return true;
  }

  int64_t lookup(Value value) const {
    auto it = dims.find(value);
    return it == dims.end() ? kWhole : it->second;
  }
  const llvm::DenseMap<Value, int64_t> &assigned() const { return dims; }

private:
  static bool isCheap(Operation *op) {
    return isSplatConstant(op) || kindOf(op) == OpKind::Generator ||
           kindOf(op) == OpKind::Broadcast ||
           typeOf(op->getResult(0)).getNumElements() <= kLanes;
  }

  bool assign(Value value, int64_t dim) {
    auto [it, inserted] = dims.try_emplace(value, dim);
    if (!inserted)
      return it->second == dim;
    if (Operation *op = value.getDefiningOp(); op && ops.contains(op))
      worklist.push_back(op);
    for (Operation *user : value.getUsers())
      if (ops.contains(user))
        worklist.push_back(user);
    return true;
  }

  bool assignAll(ValueRange values, int64_t dim) {
    return llvm::all_of(values, [&](Value value) { return assign(value, dim); });
  }

  /// Relates the operands and results of `op`, of which one is assigned.
  bool visit(Operation *op) {
    switch (kindOf(op)) {
    case OpKind::Constant:
      // A splat is the same in every block.
      return isSplatConstant(op) || lookup(op->getResult(0)) == kWhole;
    case OpKind::Generator:
      return true;
    case OpKind::Elementwise:
      return visitElementwise(op);
    case OpKind::Broadcast:
      return visitBroadcast(cast<stablehlo::BroadcastInDimOp>(op));
    case OpKind::Reshape:
      return visitReshape(cast<stablehlo::ReshapeOp>(op));
    case OpKind::Movement:
      return visitMovement(op);
    case OpKind::Reduce:
      return visitReduce(cast<stablehlo::ReduceOp>(op));
    case OpKind::Dot:
      return visitDot(cast<stablehlo::DotGeneralOp>(op));
    case OpKind::Indexed:
    case OpKind::Control:
    case OpKind::Other:
      return false;
    }
    return false;
  }

  /// The dimension of the first assigned value, or nothing.
  std::optional<int64_t> known(ValueRange values) const {
    for (Value value : values)
      if (auto it = dims.find(value); it != dims.end())
        return it->second;
    return std::nullopt;
  }

  bool visitElementwise(Operation *op) {
    std::optional<int64_t> dim = known(op->getResults());
    if (!dim)
      dim = known(op->getOperands());
    return assignAll(op->getResults(), *dim) && assignAll(op->getOperands(), *dim);
  }

  bool visitBroadcast(stablehlo::BroadcastInDimOp op) {
    ArrayRef<int64_t> map = op.getBroadcastDimensions();
    RankedTensorType operandType = typeOf(op.getOperand());
    if (auto dim = known(op->getResults())) {
      if (*dim == kWhole)
        return assign(op.getOperand(), kWhole);
      for (auto [i, d] : llvm::enumerate(map))
        if (d == *dim && operandType.getDimSize(i) != 1)
          return assign(op.getOperand(), i);
      return assign(op.getOperand(), kWhole);
    }
    int64_t dim = lookup(op.getOperand());
    // A whole operand says nothing of the result.
    return dim == kWhole || assign(op.getResult(), map[dim]);
  }

  bool visitReshape(stablehlo::ReshapeOp op) {
    RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op);
    auto related = [](RankedTensorType from, int64_t dim, RankedTensorType to) -> std::optional<int64_t> {
      if (dim == kWhole)
        return kWhole;
      int64_t before = 1;
      for (int64_t d = 0; d < dim; ++d)
        before *= from.getDimSize(d);
      int64_t product = 1;
      for (int64_t d = 0; d < to.getRank(); ++d) {
        if (product == before && to.getDimSize(d) == from.getDimSize(dim) &&
            (d + 1 == to.getRank()) == (dim + 1 == from.getRank()))
          return d;
        product *= to.getDimSize(d);
      }
      return std::nullopt;
    };
    if (auto dim = known(op->getResults())) {
      auto operandDim = related(to, *dim, from);
      return operandDim && assign(op.getOperand(), *operandDim);
    }
    auto dim = related(from, lookup(op.getOperand()), to);
    return dim && assign(op.getResult(), *dim);
  }

  /// Movements pass a dimension that they leave alone.
  bool visitMovement(Operation *op) {
    Value result = op->getResult(0), operand = op->getOperand(0);
    if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
      ArrayRef<int64_t> permutation = transpose.getPermutation();
      if (auto dim = known(result))
        return assign(operand, *dim == kWhole ? kWhole : permutation[*dim]);
      int64_t dim = lookup(operand);
      return assign(result, dim == kWhole ? kWhole
                                          : llvm::find(permutation, dim) - permutation.begin());
    }
    SmallVector<Value> values(op->getOperands());
    if (isa<stablehlo::PadOp>(op)) {
      if (!assign(values.pop_back_val(), kWhole))
        return false;
    }
    auto dim = known(result);
    if (!dim)
      dim = known(values);
    if (!dim)
      return true;
    return (*dim == kWhole || leavesAlone(op, *dim)) && assign(result, *dim) && assignAll(values, *dim);
  }

  static bool leavesAlone(Operation *op, int64_t dim) {
    if (auto pad = dyn_cast<stablehlo::PadOp>(op))
      return pad.getEdgePaddingLow()[dim] == 0 && pad.getEdgePaddingHigh()[dim] == 0 &&
             pad.getInteriorPadding()[dim] == 0;
    if (auto concat = dyn_cast<stablehlo::ConcatenateOp>(op))
      return static_cast<int64_t>(concat.getDimension()) != dim;
    if (auto reverse = dyn_cast<stablehlo::ReverseOp>(op))
      return !llvm::is_contained(reverse.getDimensions(), dim);
    auto slice = cast<stablehlo::SliceOp>(op);
    return slice.getStartIndices()[dim] == 0 && slice.getStrides()[dim] == 1 &&
           slice.getLimitIndices()[dim] == typeOf(slice.getOperand()).getDimSize(dim);
  }

  bool visitReduce(stablehlo::ReduceOp op) {
    if (!assignAll(op.getInitValues(), kWhole))
      return false;
    SmallVector<int64_t> kept;
    for (int64_t d = 0; d < typeOf(op.getInputs().front()).getRank(); ++d)
      if (!llvm::is_contained(op.getDimensions(), d))
        kept.push_back(d);
    if (auto dim = known(op->getResults()))
      return assignAll(op->getResults(), *dim) &&
             assignAll(op.getInputs(), *dim == kWhole ? kWhole : kept[*dim]);
    auto dim = known(op.getInputs());
    if (!dim)
      return true;
    if (*dim == kWhole)
      return assignAll(op.getInputs(), kWhole) && assignAll(op->getResults(), kWhole);
    auto *it = llvm::find(kept, *dim);
    return it != kept.end() && assignAll(op.getInputs(), *dim) &&
           assignAll(op->getResults(), it - kept.begin());
  }

  bool visitDot(stablehlo::DotGeneralOp op) {
    int64_t rank = typeOf(op).getRank();
    auto dim = known(op->getResults());
    if (!dim)
      dim = known(op.getLhs());
    // The right operand's columns are its last dimension or, transposed, the one before.
    int64_t contraction = op.getRhsContractingDims().front();
    int64_t columns = contraction == rank - 1 ? rank - 2 : rank - 1;
    if (!dim) {
      int64_t rhs = lookup(op.getRhs());
      if (rhs == kWhole)
        return true;
      if (rhs == contraction)
        return false;
      dim = rhs == columns ? rank - 1 : 0;
    } else if (!dims.contains(op.getResult()) && *dim == rank - 1) {
      return false; // the left operand's contraction
    }
    if (*dim == kWhole)
      return (!dims.contains(op.getResult()) && dims.contains(op.getLhs())) ||
             (assign(op.getResult(), kWhole) && assign(op.getLhs(), kWhole) &&
              assign(op.getRhs(), kWhole));
    if (*dim == rank - 1)
      return assign(op.getResult(), *dim) && assign(op.getLhs(), kWhole) &&
             assign(op.getRhs(), columns);
    bool batch = rank == 3 && *dim == 0;
    return assign(op.getResult(), *dim) && assign(op.getLhs(), *dim) &&
           assign(op.getRhs(), batch ? 0 : kWhole);
  }

  llvm::SmallSetVector<Operation *, 32> ops;
  llvm::DenseMap<Value, int64_t> dims;
  SmallVector<Operation *> worklist;
};

int64_t blockBytes(ArrayRef<int64_t> shape, Type elementType) {
  int64_t rows = 1, lanes = 1;
  if (!shape.empty()) {
    lanes = shape.back();
    for (int64_t size : shape.drop_back())
      rows *= size;
  }
  int64_t bits = std::max<int64_t>(8, elementType.getIntOrFloatBitWidth());
  int64_t logical = llvm::alignTo(rows * llvm::divideCeil(lanes, kLanes), kRowQuantum);
  return logical * kRowBytes * bits / 32;
}

/// The tensors of a kernel: those it reads, those it hands on, and all others.
struct Tensors {
  llvm::SmallSetVector<Value, 16> inputs, outputs, inner;
};

Tensors collect(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  Tensors tensors;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !inside.contains(operand.getDefiningOp()))
        tensors.inputs.insert(operand);
    for (Value result : op->getResults()) {
      bool escapes = llvm::any_of(result.getUsers(),
                                  [&](Operation *user) { return !inside.contains(user); });
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
    int64_t moved = sum(tensors.inputs, whole) + sum(tensors.outputs, whole);
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
    return sum(tensors.inputs, buffers) + sum(tensors.outputs, buffers) + sum(tensors.inner, step);
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

  /// Whether the blocks of every tensor start at whole rows of 512 bytes, of which
  /// narrow elements pack several logical rows into one.
  static bool isAligned(const Cut &cut) {
    return llvm::all_of(cut.dims, [&](auto &entry) {
      auto [value, dim] = entry;
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
    if (footprint(blocking) > vmemBytes || !llvm::all_of(blocking.cuts, isAligned))
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
    RankedTensorType type = typeOf(largest);
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      bool lanes = isLanes(largest, dim);
      int64_t quantum = lanes ? kLaneQuantum : kRowQuantum;
      int64_t size = type.getDimSize(dim);
      if (size <= quantum || (lanes && type.getNumElements() != size))
        continue;
      std::optional<Cut> cut = cutAlong(largest, dim);
      // Lanes of one tensor must not be rows of another.
      if (!cut || llvm::any_of(cut->dims, [&](auto &entry) {
            return isLanes(entry.first, entry.second) != lanes;
          }))
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
  Propagation propagation;
  int64_t vmemBytes;
};

} // namespace

int64_t countOperands(ArrayRef<Operation *> ops) {
  Tensors tensors = collect(ops);
  return tensors.inputs.size() + tensors.outputs.size();
}

std::optional<Blocking> findBlocking(ArrayRef<Operation *> ops, int64_t vmemBytes) {
  return Planner(ops, vmemBytes).run();
}

} // namespace systole
