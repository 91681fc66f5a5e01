// Windows of arrays that stay in HBM.
// See docs/decisions/copies-and-parts-of-arrays.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"
#include "dialects/Layout/RowLayout.h"

#include "compiler/Planning/Blocking.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/Scatters.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace systole {

/// The value of `kernel.access` for operations that reach their operand through windows.
static constexpr StringLiteral kWindowAccess = "window";

namespace {

/// No array larger than this comes to VMEM as a whole where its windows suffice.
constexpr int64_t kResidentBytes = 4 << 20;
/// So much of an array that is cut can be in VMEM beside all else.
constexpr int64_t kBlockBytes = 1 << 20;
/// What HBM moves in the time that one of many copies under way takes at least.
constexpr int64_t kCopyBytes = 8 << 10;

/// The box around a slice of `type`: the whole array, if no smaller one is certain to hold it.
/// Nothing if the rows of narrow elements leave none.
std::optional<CopyWindow> boxAround(RankedTensorType type, ArrayRef<int64_t> slice) {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t rank = type.getRank();
  if (rank == 0 || type.getNumElements() == 0 || llvm::is_contained(slice, 0))
    return std::nullopt;
  CopyWindow window;
  window.slice.assign(slice.begin(), slice.end());
  window.sizes.assign(shape.begin(), shape.end());
  window.missing.assign(rank, 0);
  window.alignment.assign(rank, 1);
  window.lastStart.assign(rank, 0);
  int64_t packing = 32 / std::max<int64_t>(8, type.getElementTypeBitWidth());
  int64_t tiles = llvm::divideCeil(shape.back(), kLanes);

  // Along the lanes, whole groups of 128, which are rows if nothing packs several into one.
  int64_t groups = llvm::divideCeil(slice.back() + kLanes - 1, kLanes);
  bool cutsLanes = packing == 1 && slice.back() < shape.back() && groups * kLanes < shape.back();
  if (cutsLanes) {
    window.sizes[rank - 1] = groups * kLanes;
    window.alignment[rank - 1] = kLanes;
    window.lastStart[rank - 1] = (tiles - groups) * kLanes;
  }
  // All others from the innermost; `pitch` logical rows are one step of dimension d.
  int bits = 32 / packing;
  for (int64_t d = rank - 2; d >= 0; --d) {
    int64_t pitch = rowPitch(shape, bits, d);
    int64_t unit = packing / std::gcd(packing, pitch);
    int64_t size = unit == 1 ? slice[d] : llvm::alignTo(slice[d] + unit - 1, unit);
    if (slice[d] == shape[d] || size >= shape[d])
      continue;
    window.sizes[d] = size;
    window.alignment[d] = unit;
    int64_t end = llvm::alignTo(shape[d], unit), outer = 1;
    window.lastStart[d] = end - size;
    for (int64_t e = 0; e < d; ++e)
      outer *= shape[e];
    // Behind the end of the array is room up to eight logical rows, elsewhere that of padding.
    int64_t room =
        outer == 1 ? llvm::alignTo(shape[d] * pitch, kSublanes) : rowPitch(shape, bits, d - 1);
    if (end * pitch > room)
      return std::nullopt;
  }
  int64_t rows = llvm::divideCeil(window.sizes.back(), kLanes);
  for (int64_t size : ArrayRef(window.sizes).drop_back())
    rows *= size;
  rows = rowPadding(window.sizes, bits).padded(rows);
  if (rows % packing != 0)
    return std::nullopt;
  window.bytes = rows * kRowBytes / packing;
  return window;
}

/// Whether the rows of a slice are rows of the result; of narrow elements that may begin a slice in
/// the middle of a row.
bool keepsPlace(stablehlo::GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  int64_t last = typeOf(op.getOperand()).getRank() - 1;
  return typeOf(op).getElementTypeBitWidth() == 32 &&
         !llvm::is_contained(numbers.getCollapsedSliceDims(), last) &&
         !llvm::is_contained(numbers.getOperandBatchingDims(), last) &&
         llvm::is_contained(numbers.getOffsetDims(), typeOf(op).getRank() - 1);
}

/// The dimensions of the result that enumerate positions.
SmallVector<int64_t> batchDimsOf(stablehlo::GatherOp op) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < typeOf(op).getRank(); ++d)
    if (!llvm::is_contained(op.getDimensionNumbers().getOffsetDims(), d))
      dims.push_back(d);
  return dims;
}

/// Whether a grid can go over the operand of a gather, and its result, instead: along what it
/// takes whole, in blocks of which several fit into VMEM.
bool canCutOperand(Operation *op) {
  auto gather = dyn_cast<stablehlo::GatherOp>(op);
  return gather && llvm::any_of(gather.getDimensionNumbers().getOffsetDims(), [&](int64_t dim) {
           std::optional<int64_t> operandDim = wholeDimOf(gather, dim);
           auto finest = [](RankedTensorType type, int64_t dim) {
             SmallVector<int64_t> shape(type.getShape());
             shape[dim] = std::min(shape[dim], dim + 1 == type.getRank() ? kLanes : 1);
             return blockBytes(shape, type.getElementType());
           };
           return operandDim && finest(typeOf(gather.getOperand()), *operandDim) <= kBlockBytes &&
                  finest(typeOf(gather), dim) <= kBlockBytes;
         });
}

/// What moves if every box is copied by itself.
int64_t movedBytes(const CopyWindow &window) {
  return window.count * std::max(window.bytes, kCopyBytes);
}

} // namespace

/// The window of an operation, whatever its access.
static std::optional<CopyWindow> possibleWindow(Operation *op) {
  std::optional<CopyWindow> window;
  bool isInPlace = true;
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op)) {
    window = boxAround(typeOf(slice.getOperand()), slice.getSliceSizes());
  } else if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op)) {
    window = boxAround(typeOf(update.getOperand()), typeOf(update.getUpdate()).getShape());
  } else if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    window = boxAround(typeOf(gather.getOperand()), gather.getSliceSizes());
    // Not the whole array for each position.
    if (window && ArrayRef(window->sizes) == typeOf(gather.getOperand()).getShape())
      return std::nullopt;
    if (window)
      for (int64_t d : batchDimsOf(gather))
        window->count *= typeOf(gather).getDimSize(d);
    isInPlace = keepsPlace(gather);
  }
  if (!window || window->count == 0)
    return std::nullopt;
  window->isDirect = window->slice == window->sizes && isInPlace;
  return window;
}

void assignAccess(Operation *op) {
  std::optional<CopyWindow> window = possibleWindow(op);
  int64_t whole = window ? paddedBytes(typeOf(op->getOperand(0))) : 0;
  bool isResident =
      window && (whole <= kResidentBytes || canCutOperand(op)) && movedBytes(*window) >= whole;
  if (window && !isResident)
    op->setAttr(kernel::kAccessAttr, StringAttr::get(op->getContext(), kWindowAccess));
  else
    op->removeAttr(kernel::kAccessAttr);
}

std::optional<CopyWindow> windowOf(Operation *op) {
  auto access = dyn_cast_or_null<StringAttr>(op->getDiscardableAttr(kernel::kAccessAttr));
  return access && access == kWindowAccess ? possibleWindow(op) : std::nullopt;
}

SmallVector<int64_t> CopyWindow::place() const {
  SmallVector<int64_t> shape;
  for (auto [size, unit, rest] : llvm::zip_equal(sizes, alignment, missing))
    shape.push_back(size + llvm::alignTo(rest, unit));
  return shape;
}

Value slicedValue(Operation *op) {
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op))
    return slice.getResult();
  if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op))
    return update.getUpdate();
  return nullptr;
}

/// Whether DMA can copy a window to a place that is longer by what is missing. Dimensions that
/// are cut are aligned already; repetitions of what is taken whole are where they are in HBM.
static bool canBeLonger(RankedTensorType type, const CopyWindow &window) {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t packing = 32 / std::max<int64_t>(8, type.getElementTypeBitWidth());
  auto isWhole = [&](int64_t dim) {
    return window.missing[dim] && window.sizes[dim] == shape[dim];
  };
  if (isWhole(type.getRank() - 1))
    return false;
  int64_t repetitions = type.getNumElements() / shape.back();
  for (int64_t d = type.getRank() - 2; d >= 0; --d) {
    int64_t pitch = rowPitch(shape, 32 / packing, d);
    repetitions /= shape[d];
    bool isAligned = shape[d] * pitch % packing == 0 && window.missing[d] * pitch % packing == 0;
    if (isWhole(d) && repetitions > 1 && !isAligned)
      return false;
  }
  return true;
}

std::optional<int64_t> operandDimOf(stablehlo::GatherOp op, int64_t dim) {
  auto numbers = op.getDimensionNumbers();
  auto *place = llvm::find(numbers.getOffsetDims(), dim);
  if (place == numbers.getOffsetDims().end())
    return std::nullopt;
  int64_t left = place - numbers.getOffsetDims().begin();
  for (int64_t d = 0; d < typeOf(op.getOperand()).getRank(); ++d)
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), d) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), d) && left-- == 0)
      return d;
  return std::nullopt;
}

std::optional<CopyWindow> windowOfBlock(Operation *op, ArrayRef<int64_t> shape) {
  auto gather = dyn_cast<stablehlo::GatherOp>(op);
  SmallVector<int64_t> whole, slice(shape);
  if (gather) {
    whole.assign(gather.getSliceSizes().begin(), gather.getSliceSizes().end());
    slice = whole;
    for (int64_t d : gather.getDimensionNumbers().getOffsetDims())
      slice[*operandDimOf(gather, d)] = shape[d];
  } else {
    llvm::append_range(whole, typeOf(slicedValue(op)).getShape());
  }
  std::optional<CopyWindow> window = boxAround(typeOf(op->getOperand(0)), slice);
  if (!window)
    return std::nullopt;
  bool leavesNone = true;
  for (auto [d, size] : llvm::enumerate(whole)) {
    window->missing[d] = llvm::alignTo(size, slice[d]) - size;
    leavesNone &= window->missing[d] == 0;
  }
  if (!canBeLonger(typeOf(op->getOperand(0)), *window))
    return std::nullopt;
  if (gather)
    for (int64_t d : batchDimsOf(gather))
      window->count *= shape[d];
  window->isDirect =
      window->slice == window->sizes && leavesNone && (!gather || keepsPlace(gather));
  return window;
}

std::optional<int64_t> wholeDimOf(stablehlo::GatherOp op, int64_t dim) {
  std::optional<int64_t> operandDim = operandDimOf(op, dim);
  bool isWhole = operandDim &&
                 typeOf(op.getOperand()).getDimSize(*operandDim) == op.getSliceSizes()[*operandDim];
  return isWhole ? operandDim : std::nullopt;
}

std::optional<int64_t> positionDimOf(stablehlo::GatherOp op) {
  RankedTensorType indices = typeOf(op.getStartIndices());
  auto numbers = op.getDimensionNumbers();
  // Of few positions the components may come first.
  if (indices.getRank() == 0 || numbers.getIndexVectorDim() == 0)
    return std::nullopt;
  int64_t dim = 0;
  while (llvm::is_contained(numbers.getOffsetDims(), dim))
    ++dim;
  return dim;
}

bool isWindowed(OpOperand &operand) {
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(operand.getOwner()))
    return operand.getOperandNumber() > scatter.getInputs().size() && isRowScatter(scatter) &&
           hasChunks(scatter);
  return operand.getOperandNumber() == 0 && windowOf(operand.getOwner());
}

bool isUpdatedInHbm(Value value) {
  auto update = value.getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  return update && windowOf(update);
}

std::optional<unsigned> updatedInput(kernel::FusionOp fusion, unsigned number) {
  Value value = fusion.getBody().front().getTerminator()->getOperand(number);
  if (!isUpdatedInHbm(value))
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(value.getDefiningOp()->getOperand(0));
  return argument ? std::optional(argument.getArgNumber()) : std::nullopt;
}

LogicalResult verifyWindows(kernel::FusionOp fusion) {
  Block &body = fusion.getBody().front();
  for (Operation &op : body) {
    for (OpOperand &operand : op.getOpOperands())
      if (isWindowed(operand) && !isa<BlockArgument>(operand.get()))
        return op.emitError("expects operand #")
               << operand.getOperandNumber() << ", of which it copies windows, to be in HBM";
    if (windowOf(&op) && isUpdatedInHbm(op.getResult(0)) &&
        !(op.getResult(0).hasOneUse() && *op.user_begin() == body.getTerminator()))
      return op.emitError("expects its result, which stays in HBM, to leave the kernel once");
  }
  return success();
}

bool isReadInHbm(OpOperand &use) {
  return isWindowed(use) && !isUpdatedInHbm(use.getOwner()->getResult(0));
}

bool readsInHbm(kernel::FusionOp fusion, unsigned number) {
  return llvm::any_of(fusion.getBody().getArgument(number).getUses(), isReadInHbm);
}

} // namespace systole
