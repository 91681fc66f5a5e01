// Rewrites gathers that select elements within each row as masked selections.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Passes.h"
#include "compiler/Tensor/Indices.h"
#include "compiler/Tensor/OrderedWords.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace systole {
#define GEN_PASS_DEF_SELECTGATHERS
#include "compiler/Legalize/Passes.h.inc"

using namespace mlir;
using namespace stablehlo;
using namespace expansion;

namespace {

/// Lane rows that fit into VMEM besides a kernel's other buffers.
constexpr int64_t kResidentRows = 8192;

/// Lane rows of a tensor with dimension `lanes` along the lanes: the others take whole rows.
int64_t rowsAlong(int64_t lanes, ArrayRef<int64_t> shape) {
  int64_t rows = llvm::divideCeil(shape[lanes], kLanes);
  for (auto [d, size] : llvm::enumerate(shape))
    if (static_cast<int64_t>(d) != lanes)
      rows *= size;
  return rows;
}

/// The number of lane rows in row-major order.
int64_t rowsOf(ArrayRef<int64_t> shape) { return rowsAlong(shape.size() - 1, shape); }

/// Iterates over the position dimensions that are not an axis of the operand, then over the
/// operand's dimensions. Along some of the latter one element is selected.
class Selector {
public:
  Selector(GatherOp op, int64_t kernelCycles);
  /// The result, if this form applies and takes fewer cycles than a loop over positions.
  Value build();

private:
  bool classify();
  bool pays();

  GatherOp op;
  int64_t kernelCycles; ///< the latencies of a kernel
  Tensors t;
  Type i32;
  SmallVector<int64_t> shape, positions;
  /// By dimension of the operand: the start indices of slices, null if always 0; the position
  /// dimension that counts along it, or -1.
  SmallVector<Value> starts;
  SmallVector<int64_t> axes;
  SmallVector<int64_t> chosen; ///< dimensions of the operand along which an element is selected
  SmallVector<int64_t> free;   ///< position dimensions that are not an axis
};

Selector::Selector(GatherOp op, int64_t kernelCycles)
    : op(op), kernelCycles(kernelCycles), t(op), i32(t.b.getI32Type()),
      shape(shapeOf(op.getOperand())), axes(shape.size(), -1) {
  auto numbers = op.getDimensionNumbers();
  positions = positionsOf(op.getStartIndices(), numbers.getIndexVectorDim());
  starts = startsOf(t.b, t.loc, op.getStartIndices(), numbers.getIndexVectorDim(), shape.size(),
                    numbers.getStartIndexMap(), numbers.getOperandBatchingDims(),
                    numbers.getStartIndicesBatchingDims());
}

bool Selector::classify() {
  SmallVector<bool> used(positions.size());
  for (auto [d, start] : llvm::enumerate(starts)) {
    // A full-size slice can only start at 0.
    if (op.getSliceSizes()[d] == shape[d] && shape[d] != 1)
      continue;
    if (op.getSliceSizes()[d] != 1)
      return false;
    auto counted = start ? progressionOf(start) : std::nullopt;
    if (counted && counted->first == 0 && counted->step == 1 && !used[counted->dim] &&
        positions[counted->dim] == shape[d]) {
      axes[d] = counted->dim;
      used[counted->dim] = true;
    } else {
      chosen.push_back(d);
    }
  }
  for (auto [p, isUsed] : llvm::enumerate(used))
    if (!isUsed)
      free.push_back(p);
  return free.size() < positions.size() && !chosen.empty();
}

// Measured on v3: a comparison takes about 6 cycles per vector, 12 more if the vector is loaded
// from HBM only for that. A position takes 25 to 35 cycles in a loop or, if each row of its slab
// keeps one element, at least one cycle per row (up to 43); tensors with another dimension along
// the lanes are transposed first. Narrow rows move twice as fast.
bool Selector::pays() {
  int64_t copies = 1, count = 1, slabRows = 0;
  for (int64_t p : free)
    copies *= positions[p];
  for (int64_t size : positions)
    count *= size;
  constexpr int64_t cyclesPerVector = 6, cyclesPerCopied = 12, cyclesPerPosition = 30;
  auto last = static_cast<int64_t>(shape.size()) - 1;
  int64_t lanes = entryOrder(shape).front(), rows = rowsAlong(lanes, shape);
  int64_t cycles = llvm::divideCeil(rows * copies, kSublanes) * cyclesPerVector;
  if (rows > kResidentRows)
    cycles += llvm::divideCeil(rows, kSublanes) * cyclesPerCopied;

  // A lookup takes as long for up to 128 positions of a row along the lanes as a comparison for
  // one, but it is a kernel of its own.
  if (cycles > 2 * kernelCycles && copies > 1 && ArrayRef(chosen) == ArrayRef(last) &&
      lanes == last && hasOrderedWords(op.getType().getElementType()))
    return false;
  if (llvm::is_contained(chosen, last)) {
    slabRows = count;
    for (int64_t size : op.getSliceSizes().drop_back())
      slabRows *= size;
  }
  int64_t least = count * cyclesPerPosition, moved = std::max(least, slabRows);
  if (lanes != last)
    moved += rowsOf(shape);
  if (op.getType().getElementTypeBitWidth() < 32)
    moved = std::max(least, moved / 2);
  constexpr auto remarkOf = [](StringRef name) {
    return remark::RemarkOpts::name(name).category("systole-select-gathers");
  };
  auto report = [&](remark::detail::InFlightRemark found) {
    found << remark::metric("SelectionCycles", cycles) << remark::metric("LoopCycles", moved);
  };
  if (cycles <= moved)
    report(remark::passed(op.getLoc(), remarkOf("Selection")));
  else
    report(remark::missed(op.getLoc(), remarkOf("Loop")));
  return cycles <= moved;
}

Value Selector::build() {
  if (!classify() || !pays())
    return nullptr;
  // The iteration space, and the dimensions of the operand and of the positions in it.
  auto first = static_cast<int64_t>(free.size());
  SmallVector<int64_t> space, operandDims, positionDims(positions.size());
  for (auto [dim, p] : llvm::enumerate(free)) {
    space.push_back(positions[p]);
    positionDims[p] = dim;
  }
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (axes[d] >= 0)
      positionDims[axes[d]] = space.size();
    operandDims.push_back(space.size());
    space.push_back(size);
  }
  auto within = [&](Value value, ArrayRef<int64_t> dims) -> Value {
    return BroadcastInDimOp::create(t.b, t.loc, typeOf(value).clone(space), value, dims);
  };
  Value mask;
  SmallVector<int64_t> reduced;
  for (int64_t d : chosen) {
    reduced.push_back(first + d);
    Value start = starts[d] ? starts[d] : t.number(i32, 0, positions);
    start = t.apply<MaxOp>(start, t.number(i32, 0, positions));
    start = t.apply<MinOp>(start, t.number(i32, shape[d] - 1, positions));
    Value isHere = t.compare(ComparisonDirection::EQ, t.iota(i32, space, first + d),
                             within(start, positionDims));
    mask = mask ? t.apply<AndOp>(mask, isHere) : isHere;
  }
  // Combines bits, of which all but the selected ones are 0: no value is rounded.
  Type element = op.getType().getElementType(), bits = element;
  if (isa<FloatType>(element))
    bits = t.b.getIntegerType(element.getIntOrFloatBitWidth());
  Value operand = within(t.bitcast(op.getOperand(), bits), operandDims);
  Value wanted = t.select(mask, operand, t.number(bits, 0, space));
  Value result = t.bitcast(t.reduce<OrOp>(wanted, t.number(bits, 0), reduced), element);

  // The remaining dimensions in the order of the result: positions, then dimensions of the
  // slice.
  auto numbers = op.getDimensionNumbers();
  SmallVector<int64_t> order, sizes(shapeOf(op.getResult())), dims;
  SmallVector<int64_t> batch, offsets(numbers.getOffsetDims());
  for (int64_t d = 0; d < op.getType().getRank(); ++d)
    if (!llvm::is_contained(offsets, d))
      batch.push_back(d);
  for (int64_t dim = 0, end = space.size(); dim < end; ++dim) {
    if (llvm::is_contained(reduced, dim))
      continue;
    auto *position = llvm::find(positionDims, dim);
    if (position != positionDims.end()) {
      dims.push_back(batch[position - positionDims.begin()]);
      continue;
    }
    int64_t number = 0;
    for (int64_t d = 0; d < dim - first; ++d)
      number += !llvm::is_contained(numbers.getCollapsedSliceDims(), d) &&
                !llvm::is_contained(numbers.getOperandBatchingDims(), d);
    dims.push_back(offsets[number]);
  }
  // Restores slice dimensions of size 1.
  order.resize(dims.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  return t.reshape(t.transpose(result, order), sizes);
}

/// If the operand does not fit into VMEM, gathers slices with the whole last dimension, whose rows
/// are contiguous, and then slices that. Null for other gathers.
Value keepLast(GatherOp op) {
  Tensors t(op);
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  auto numbers = op.getDimensionNumbers();
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  if (shape.empty() || !llvm::is_contained(numbers.getCollapsedSliceDims(), last) ||
      numbers.getOffsetDims().empty() || rowsOf(shape) <= kResidentRows ||
      op.getSliceSizes().drop_back() == shape.drop_back())
    return nullptr;
  SmallVector<int64_t> sizes(op.getType().getShape()), offsets(numbers.getOffsetDims());
  offsets.push_back(sizes.size());
  sizes.push_back(1);
  auto kept = GatherDimensionNumbersAttr::get(
      op.getContext(), offsets, numbers.getCollapsedSliceDims().drop_back(),
      numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
      numbers.getStartIndexMap(), numbers.getIndexVectorDim());
  Value slabs =
      GatherOp::create(t.b, t.loc, op.getType().clone(sizes), op.getOperand(), op.getStartIndices(),
                       kept, op.getSliceSizesAttr(), op.getIndicesAreSortedAttr());
  return t.reshape(slabs, op.getType().getShape());
}

struct SelectGathers : impl::SelectGathersBase<SelectGathers> {
  using SelectGathersBase::SelectGathersBase;

  void rewrite() override {
    getOperation().walk([&](GatherOp op) {
      if (op.getType().getNumElements() == 0)
        return;
      Value result = Selector(op, kernelCycles).build();
      if (!result)
        result = keepLast(op);
      if (result) {
        op.replaceAllUsesWith(result);
        op.erase();
      }
    });
  }
};

} // namespace
} // namespace systole
