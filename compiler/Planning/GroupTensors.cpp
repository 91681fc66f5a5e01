// Which tensors the operations of a kernel read, hand on and keep.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/GroupTensors.h"

#include "compiler/Model/OpCosts.h"
#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/RoundedOperands.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"

using namespace mlir;

namespace systole {

/// Whether some operation reads `value` from a buffer, even if it could be computed in place.
static bool needsBuffer(Value value, const llvm::SmallPtrSetImpl<Operation *> &inside) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (!inside.contains(user))
      return false;
    if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(user))
      return !isLaneKeepingReshape(reshape);
    if (isRoundedByProduct(user, /*leaves=*/false))
      return inside.contains(*user->user_begin());
    return kindOf(user) == OpKind::Movement || kindOf(user) == OpKind::Dot ||
           kindOf(user) == OpKind::Convolution || kindOf(user) == OpKind::Indexed ||
           kindOf(user) == OpKind::Sort || kindOf(user) == OpKind::Lookup;
  });
}

/// Whether a broadcast repeats the elements of `value`, at once or behind reshapes that are read in
/// place.
static bool isRepeated(Value value, llvm::function_ref<bool(Operation *)> isInside) {
  int64_t elements = typeOf(value).getNumElements();
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (!isInside(user))
      return false;
    if (isa<stablehlo::ReshapeOp>(user))
      return isExpression(user) && isRepeated(user->getResult(0), isInside);
    return isa<stablehlo::BroadcastInDimOp>(user) &&
           typeOf(user->getResult(0)).getNumElements() > elements;
  });
}

/// Whether other work than on one element for each row reads `value`, at once or behind reshapes
/// that are read in place.
static bool isReadByElements(Value value, llvm::function_ref<bool(Operation *)> isInside) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (!isInside(user) || isPerRow(user))
      return false;
    return !isa<stablehlo::ReshapeOp>(user) || !isExpression(user) ||
           isReadByElements(user->getResult(0), isInside);
  });
}

/// Whether rows of several dimensions are summed, of which the innermost has no whole vectors, to
/// results that fill at most half of a vector's sublanes: the rows have to follow one another
/// without gaps, to be vectors together.
static bool needsDenseRows(stablehlo::ReduceOp op) {
  ArrayRef<int64_t> shape = typeOf(op.getInputs().front()).getShape();
  int64_t innermost = -1, rows = 0, results = 1, last = shape.size() - 1;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool isReduced = llvm::is_contained(op.getDimensions(), static_cast<int64_t>(dim));
    if (!isReduced)
      results *= static_cast<int64_t>(dim) == last ? llvm::divideCeil(size, kLanes) : size;
    if (!isReduced || static_cast<int64_t>(dim) == last || size == 1)
      continue;
    innermost = dim;
    ++rows;
  }
  return rows > 1 && shape[innermost] % kSublanes != 0 && 2 * results <= kSublanes;
}

/// Whether `value` is a part of what such a sum adds.
static bool isSummedInDenseRows(Value value, llvm::function_ref<bool(Operation *)> isInside) {
  SmallVector<Value> worklist = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (!isInside(user) || !seen.insert(user).second)
        continue;
      if (auto reduce = dyn_cast<stablehlo::ReduceOp>(user); reduce && needsDenseRows(reduce))
        return true;
      if (isExpression(user) && kindOf(user) == OpKind::Elementwise)
        llvm::append_range(worklist, user->getResults());
    }
  return false;
}

/// Rows of packed elements have gaps where a dimension is rounded up; those of 32-bit elements do
/// not.
static bool closesGaps(Operation *op, llvm::function_ref<bool(Operation *)> isInside) {
  auto convert = dyn_cast<stablehlo::ConvertOp>(op);
  if (!convert || typeOf(op->getResult(0)).getElementTypeBitWidth() != 32)
    return false;
  auto from = typeOf(Value(convert.getOperand()));
  int bits = std::max(8u, from.getElementTypeBitWidth());
  return bits < 32 && !rowPadding(from.getShape(), bits).isNone() &&
         isSummedInDenseRows(convert, isInside);
}

/// Whether loads of a buffer convert its elements: each stage that reads them can.
static bool isConvertedByLoads(Operation *op, llvm::function_ref<bool(Operation *)> isInside) {
  auto convert = dyn_cast<stablehlo::ConvertOp>(op);
  if (!convert || opCost(op).all.vector() > 0)
    return false;
  Operation *producer = convert.getOperand().getDefiningOp();
  return !producer || !isInside(producer) || !isExpression(producer);
}

bool wantsBuffer(OpResult result, llvm::function_ref<bool(Operation *)> isInside, bool leaves) {
  Operation *op = result.getOwner();
  if (kindOf(op) != OpKind::Elementwise)
    return false;
  if (closesGaps(op, isInside))
    return true;
  if (isConvertedByLoads(op, isInside))
    return false;
  if (isRepeated(result, isInside) || (isPerRow(op) && isReadByElements(result, isInside)))
    return true;
  int stages = 0;
  bool others = false;
  for (Operation *user : result.getUsers()) {
    if (!isInside(user))
      continue;
    bool reads = isExpression(user);
    others |= reads;
    stages += !reads;
  }
  return stages > 1 || (stages == 1 && (others || leaves));
}

bool isMovedByReader(Operation *op) {
  auto slice = dyn_cast<stablehlo::SliceOp>(op);
  if (!slice || !op->hasOneUse() || slice.getStartIndices().empty())
    return false;
  auto reader = dyn_cast<stablehlo::ConcatenateOp>(*op->user_begin());
  int64_t last = slice.getStartIndices().size() - 1;
  return reader && reader->getBlock() == op->getBlock() &&
         static_cast<int64_t>(reader.getDimension()) != last &&
         slice.getStartIndices()[last] % kLanes == 0 &&
         llvm::all_of(slice.getStrides(), [](int64_t stride) { return stride == 1; });
}

bool GroupTensors::replicates(Operation *op) const {
  bool isBroadcast = llvm::all_of(op->getResults(), [&](Value result) {
    return typeOf(result).getRank() > 0 && !outputs.contains(result) &&
           llvm::all_of(result.getUsers(), [](Operation *user) {
             OpKind kind = kindOf(user);
             return kind == OpKind::Broadcast || kind == OpKind::Reshape ||
                    kind == OpKind::Elementwise;
           });
  });
  if (!isBroadcast)
    return false;
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return llvm::is_contained(reduce.getDimensions(),
                              typeOf(reduce.getInputs().front()).getRank() - 1);
  OpKind kind = kindOf(op);
  auto isKnown = [&](Value operand) { return replicated.contains(operand); };
  return (kind == OpKind::Elementwise || kind == OpKind::Reshape) &&
         llvm::any_of(op->getOperands(), isKnown) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return typeOf(operand).getRank() == 0 ||
                  operand.getDefiningOp<stablehlo::ConstantOp>() || isKnown(operand);
         });
}

GroupOperands::GroupOperands(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  for (Operation *op : ops) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (inside.contains(operand.get().getDefiningOp()))
        continue;
      auto &set = isIndexOperand(operand) || isWindowed(operand) ? elsewhere : inputs;
      set.insert(operand.get());
    }
    for (OpResult result : op->getResults()) {
      auto leaves = [&] {
        return staysForChunks(op) || llvm::any_of(result.getUsers(), [&](Operation *user) {
                 return !inside.contains(user);
               });
      };
      if (!isUpdatedInHbm(result) && leaves())
        outputs.insert(result);
    }
  }
}

GroupTensors::GroupTensors(ArrayRef<Operation *> ops) : GroupOperands(ops) {
  llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  auto isInside = [&](Operation *user) { return inside.contains(user); };
  for (Operation *op : ops) {
    if (windowOf(op))
      windowed.push_back(op);
    for (OpResult result : op->getResults()) {
      if (isUpdatedInHbm(result) || outputs.contains(result) || isMovedByReader(op) ||
          isRoundedByProduct(op, /*leaves=*/false))
        continue;
      if (!isExpression(op) || needsBuffer(result, inside) ||
          wantsBuffer(result, isInside, /*leaves=*/false))
        inner.insert(result);
    }
    if (replicates(op))
      replicated.insert(op->result_begin(), op->result_end());
  }
}

} // namespace systole
