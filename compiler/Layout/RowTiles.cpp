// Which tensors have several rows side by side in each row of 128 lanes.
// See docs/decisions/memory-layout.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/RowTiles.h"

#include "compiler/Layout/FewRows.h"
#include "compiler/Layout/Order.h"
#include "compiler/Layout/RowPieces.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <utility>

using namespace mlir;

namespace systole {

using namespace stablehlo;

int64_t positionsInRow(RankedTensorType type) {
  int64_t rank = type.getRank();
  if (rank < 2 || type.getNumElements() == 0)
    return 1;
  int64_t columns = type.getDimSize(rank - 1), rows = type.getDimSize(rank - 2);
  if (columns < kLeastSharedLanes || columns > kLanes / 2 || kLanes % columns != 0)
    return 1;
  int64_t tile = kLanes / columns;
  return rows % tile == 0 ? tile : 1;
}

RankedTensorType tiledType(RankedTensorType type) {
  int64_t tile = positionsInRow(type), rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  shape[rank - 2] /= tile;
  shape[rank - 1] *= tile;
  return type.clone(shape);
}

//===----------------------------------------------------------------------===//
// Operations on tiled tensors
//===----------------------------------------------------------------------===//

namespace {

/// Whether dimension `d` of `op` is taken as a whole.
bool isWhole(SliceOp op, int64_t d) {
  return op.getStartIndices()[d] == 0 && op.getStrides()[d] == 1 &&
         op.getLimitIndices()[d] == shapeOf(op.getOperand())[d];
}

bool keeps(SliceOp op, int64_t rows, int64_t lanes, int64_t tile) {
  return isWhole(op, lanes) && op.getStrides()[rows] == 1 &&
         op.getStartIndices()[rows] % tile == 0 && op.getLimitIndices()[rows] % tile == 0;
}

bool keeps(PadOp op, int64_t rows, int64_t lanes, int64_t tile) {
  return op.getEdgePaddingLow()[lanes] == 0 && op.getEdgePaddingHigh()[lanes] == 0 &&
         op.getInteriorPadding()[lanes] == 0 && op.getInteriorPadding()[rows] == 0 &&
         op.getEdgePaddingLow()[rows] % tile == 0 && op.getEdgePaddingHigh()[rows] % tile == 0;
}

bool keeps(ConcatenateOp op, int64_t rows, int64_t lanes, int64_t tile) {
  auto dim = static_cast<int64_t>(op.getDimension());
  return dim != lanes && llvm::all_of(op.getInputs(), [&](Value input) {
           return positionsInRow(typeOf(input)) == tile;
         });
}

/// Whether windows of `sizes` have all of the last two dimensions.
bool hasWholeRows(ArrayRef<int64_t> sizes, RankedTensorType type) {
  return sizes.take_back(2) == type.getShape().take_back(2);
}

bool keeps(GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  int64_t last = typeOf(op.getOperand()).getRank() - 1, lastResult = typeOf(op).getRank() - 1;
  auto isIn = [](ArrayRef<int64_t> dims, int64_t last) {
    return llvm::is_contained(dims, last) || llvm::is_contained(dims, last - 1);
  };
  return hasWholeRows(op.getSliceSizes(), typeOf(op.getOperand())) &&
         !isIn(numbers.getCollapsedSliceDims(), last) && !isIn(numbers.getStartIndexMap(), last) &&
         !isIn(numbers.getOperandBatchingDims(), last) &&
         llvm::is_contained(numbers.getOffsetDims(), lastResult) &&
         llvm::is_contained(numbers.getOffsetDims(), lastResult - 1);
}

bool keepsRows(Operation *op, RankedTensorType type) {
  int64_t lanes = type.getRank() - 1, rows = lanes - 1, tile = positionsInRow(type);
  auto isOuter = [&](ArrayRef<int64_t> dims) {
    return !llvm::is_contained(dims, rows) && !llvm::is_contained(dims, lanes);
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<SliceOp, PadOp, ConcatenateOp>([&](auto op) { return keeps(op, rows, lanes, tile); })
      .Case<ReverseOp, ReduceOp>([&](auto op) { return isOuter(op.getDimensions()); })
      .Case<TransposeOp>([&](auto op) {
        return op.getPermutation()[rows] == rows && op.getPermutation()[lanes] == lanes;
      })
      .Case<DynamicSliceOp>([&](auto op) { return hasWholeRows(op.getSliceSizes(), type); })
      .Case<DynamicUpdateSliceOp>(
          [&](auto op) { return hasWholeRows(shapeOf(op.getUpdate()), type); })
      .Case<GatherOp>([&](auto op) { return keeps(op); })
      .Default([&](Operation *op) {
        return kindOf(op) == OpKind::Elementwise && llvm::all_of(op->getOperands(), [&](Value v) {
                 return typeOf(v).getRank() == 0 || shapeOf(v) == type.getShape();
               });
      });
}

} // namespace

Value tileOwner(Operation *op) {
  bool isPart = isa<ReduceOp, SliceOp, DynamicSliceOp, GatherOp>(op);
  return isPart ? op->getOperand(0) : op->getResult(0);
}

bool keepsTile(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return false;
  RankedTensorType type = typeOf(tileOwner(op));
  // Arrays without elements have no rows to share.
  auto isEmpty = [](Value value) { return typeOf(value).getNumElements() == 0; };
  return positionsInRow(type) > 1 && llvm::none_of(op->getOperands(), isEmpty) &&
         llvm::none_of(op->getResults(), isEmpty) && keepsRows(op, type);
}

bool differsByRow(Operation *op) {
  auto broadcast = dyn_cast_or_null<BroadcastInDimOp>(op);
  if (!broadcast)
    return false;
  int64_t lanes = typeOf(broadcast).getRank() - 1;
  bool hasRows = false, hasLanes = false;
  ArrayRef<int64_t> shape = shapeOf(broadcast.getOperand());
  for (auto [size, d] : llvm::zip_equal(shape, broadcast.getBroadcastDimensions())) {
    hasRows |= size != 1 && d == lanes - 1;
    hasLanes |= size != 1 && d == lanes;
  }
  return hasRows && !hasLanes;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

namespace {

/// How many loops `op` is in.
size_t depthOf(Operation *op) {
  size_t depth = 0;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    depth += isa<WhileOp>(parent) ? 1 : 0;
  return depth;
}

/// Whether the windows of a convolution overlap, so that an element is read for several results.
bool overlaps(ConvolutionOp op) {
  auto numbers = op.getDimensionNumbers();
  for (auto [kernel, result] :
       llvm::zip_equal(numbers.getKernelSpatialDimensions(), numbers.getOutputSpatialDimensions()))
    if (shapeOf(op.getRhs())[kernel] != 1 && shapeOf(op.getResult())[result] != 1)
      return true;
  return false;
}

/// Whether a contraction can rearrange what it reads.
bool rearranges(Operation *op) {
  auto convolution = dyn_cast<ConvolutionOp>(op);
  return kindOf(op) == OpKind::Dot || (convolution && !overlaps(convolution));
}

/// Whether kernels of other operations do the work of `op` on the way.
bool isFused(Operation *op) {
  OpKind kind = kindOf(op);
  return kind == OpKind::Elementwise || kind == OpKind::Broadcast || kind == OpKind::Reshape ||
         kind == OpKind::Movement || kind == OpKind::Reduce;
}

/// Whether `op` writes a part of its first operand.
bool isUpdate(Operation *op) {
  return isa<DynamicUpdateSliceOp, ScatterOp>(op) && op->getNumResults() == 1;
}

/// Whether a reduction of each row takes tiled rows.
bool isInPieces(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && reducesRows(reduce) && isBroadcastAlongRows(reduce.getResult(0));
}

bool isElementwise(Operation *op) { return op && kindOf(op) == OpKind::Elementwise; }

} // namespace

bool RowTiles::Group::isTiled() const {
  // A loop's body runs more often than what is around it.
  for (size_t depth = tiled.size(); depth-- > 0;)
    if (tiled[depth] != plain[depth])
      return tiled[depth] < plain[depth];
  return false;
}

RowTiles::RowTiles(func::FuncOp function, const MachineModel &model) : model(model) {
  size_t levels = 1;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    levels = std::max(levels, depthOf(op) + 1);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          collect(argument);
    if (!isRematerializable(op) && kindOf(op) != OpKind::Constant)
      for (Value result : op->getResults())
        collect(result);
  });
  function.walk([&](Operation *op) { linkAcross(op); });
  groups.resize(leaders.size(), {Cycles(levels, 0), Cycles(levels, 0)});
  for (Value value : values)
    addCost(value);
}

bool RowTiles::isTiled(Value value) const {
  return numbers.contains(value) && groups[find(value)].isTiled();
}

void RowTiles::collect(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = type.getShape();
  if (rowTile({shape.data(), shape.size()}) == 1 ||
      !numbers.try_emplace(value, leaders.size()).second)
    return;
  leaders.push_back(leaders.size());
  values.push_back(value);
}

int RowTiles::find(Value value) const {
  int number = numbers.at(value);
  while (leaders[number] != number)
    number = leaders[number];
  return number;
}

void RowTiles::link(Value a, Value b) {
  if (numbers.contains(a) && numbers.contains(b))
    leaders[find(a)] = find(b);
}

void RowTiles::linkAcross(Operation *op) {
  if (isa<func::FuncOp, func::ReturnOp>(op))
    return;
  if (isa<OptimizationBarrierOp>(op)) {
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      link(operand, result);
    return;
  }
  if (kindOf(op) == OpKind::Control) {
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      bool isLoop = isa<WhileOp>(op);
      if (isLoop)
        link(op->getOperand(i), result);
      for (Region &region : op->getRegions()) {
        if (isLoop)
          link(region.getArgument(i), result);
        if (!isLoop || region.getRegionNumber() == 1)
          link(region.front().getTerminator()->getOperand(i), result);
      }
    }
    return;
  }
  // An update is made in place. Sums are small beside what is summed.
  if (isUpdate(op))
    link(op->getOperand(0), op->getResult(0));
  if (isa<ReduceOp>(op) || !(keepsTile(op) || isa<ReshapeOp>(op)))
    return;
  for (Value operand : op->getOperands())
    for (Value result : op->getResults())
      link(operand, result);
}

double RowTiles::moving(RankedTensorType type) const {
  double bytes = bytesIn(type, rowMajor(type.getRank()));
  return model.channel(bytes, 1);
}

double RowTiles::rearranging(RankedTensorType type) const {
  int64_t positions = positionsInRow(type), columns = type.getShape().back();
  // Eight rows of each position: loaded, rotated to its place in the row and stored.
  Work vector = model.load();
  vector += model.store();
  Work rotation = model.crossLane(MachineModel::CrossLane::rotate);
  Work group = vector * positions;
  group += rotation * (positions - 1);
  double groups = static_cast<double>(type.getNumElements()) / columns / positions / kSublanes;
  return model.issue(group) * groups;
}

void RowTiles::addCost(Value value) {
  Operation *producer = value.getDefiningOp();
  auto type = cast<RankedTensorType>(value.getType());
  double apart = moving(type), full = apart / positionsInRow(type), rearranged = rearranging(type);
  auto &[tiled, plain] = groups[find(value)];
  // A rearranged copy is made where the value is.
  size_t level = depthOf(value.getParentBlock()->getTerminator());
  llvm::SmallSetVector<Operation *, 8> users(value.user_begin(), value.user_end());
  bool isArgument = !producer && isa<func::FuncOp>(value.getParentBlock()->getParentOp());
  bool isReturned = llvm::any_of(users, [](Operation *user) { return isa<func::ReturnOp>(user); });

  // What kernels of elementwise work, sums and movement write and read; none of it where such
  // work alone makes the value and reads it.
  bool isMade = producer && !isFused(producer), isRead = llvm::any_of(users, isFused);
  if (isMade || !producer || !llvm::all_of(users, isFused)) {
    double accesses = (producer ? 1 : 0) + (isRead ? 1 : 0);
    // Arguments and results of the program have full rows in either case.
    bool isEntry = isArgument || (isReturned && !isMade);
    plain[level] += isEntry ? accesses * full + rearranged : accesses * apart;
    tiled[level] += accesses * full;
  }
  bool isLinked =
      producer && (kindOf(producer) == OpKind::Control || keepsTile(producer) ||
                   (isa<ReshapeOp>(producer) && numbers.contains(producer->getOperand(0))));
  if (producer && !isLinked)
    tiled[level] += rearranged;

  bool isRearranged = false, isCopied = false;
  for (Operation *user : users) {
    if (user->hasTrait<mlir::OpTrait::IsTerminator>() || kindOf(user) == OpKind::Control ||
        isElementwise(user))
      continue;
    size_t inner = depthOf(user);
    if (isFused(user)) {
      // Pieces of rows, which have to be rearranged if these are not full.
      auto reshape = dyn_cast<ReshapeOp>(user);
      if (reshape && !isUnitReshape(reshape))
        plain[inner] += rearranged;
      else if (!keepsTile(user) && !isInPieces(user) && !std::exchange(isRearranged, true))
        tiled[inner] += rearranged;
      continue;
    }
    double share = 1;
    if (isUpdate(user))
      share = moving(typeOf(user->getOperand(isa<ScatterOp>(user) ? 2 : 1))) / apart;
    else if (isa<DynamicSliceOp, GatherOp>(user))
      share = moving(typeOf(user->getResult(0))) / apart;
    share = std::min(1.0, share);
    plain[inner] += share * apart;
    if (keepsTile(user)) {
      tiled[inner] += share * full;
    } else if (takesFewRows(user)) {
      // A full row for each.
      tiled[inner] += share * (apart + rearranged);
    } else if (rearranges(user)) {
      tiled[inner] += full + rearranged;
    } else {
      tiled[inner] += share * apart;
      if (!std::exchange(isCopied, true))
        tiled[level] += apart;
    }
  }
}

} // namespace systole
