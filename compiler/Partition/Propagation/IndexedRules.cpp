// Sharding rules of gathers, scatters, and slices that are replaced at computed positions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/RuleBuilder.h"
#include "compiler/Tensor/TensorTypes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

static constexpr int64_t kNone = RuleBuilder::kNone;

namespace {

/// What gathers and scatters have in common: an array, indices of windows of it, and windows.
struct Windows {
  ArrayRef<int64_t> shape, indices, windows;
  int64_t indexVectorDim;
  ArrayRef<int64_t> offsetDims;    ///< of windows, those within a window
  ArrayRef<int64_t> collapsedDims; ///< of the array, in which windows have no dimension
  ArrayRef<int64_t> batchingDims, indicesBatchingDims;

  /// The dimensions of the array that windows have, in their order.
  SmallVector<int64_t> windowDims() const {
    SmallVector<int64_t> dims;
    for (int64_t d = 0; d < int64_t(shape.size()); ++d)
      if (!llvm::is_contained(collapsedDims, d) && !llvm::is_contained(batchingDims, d))
        dims.push_back(d);
    return dims;
  }
};

/// Adds a factor of a dimension of the array, of the indices and of the windows.
using Add = function_ref<void(int64_t array, int64_t indices, int64_t windows, int64_t size,
                              FactorKind kind, bool isBlocked)>;

/// The factors of the windows' dimensions. `sliced` adds those of a dimension of which a window is
/// a part, `batchKind` is the kind of those that enumerate windows.
void addWindowFactors(const Windows &w, Add add,
                      function_ref<void(int64_t array, int64_t window)> sliced,
                      FactorKind batchKind) {
  SmallVector<int64_t> windowDims = w.windowDims();
  size_t offset = 0;
  int64_t batch = 0;
  for (auto [d, size] : llvm::enumerate(w.windows)) {
    const auto window = int64_t(d);
    if (llvm::is_contained(w.offsetDims, window)) {
      const int64_t array = windowDims[offset++];
      if (w.shape[size_t(array)] == size)
        add(array, kNone, window, size, FactorKind::PassThrough, false);
      else
        sliced(array, window);
      continue;
    }
    const int64_t indices = batch < w.indexVectorDim ? batch : batch + 1;
    ++batch;
    const auto *explicitBatch = llvm::find(w.indicesBatchingDims, indices);
    if (explicitBatch == w.indicesBatchingDims.end())
      add(kNone, indices, window, size, batchKind, false);
    else
      add(w.batchingDims[size_t(explicitBatch - w.indicesBatchingDims.begin())], indices, window,
          size, FactorKind::PassThrough, false);
  }
}

void addIndexVectorFactor(const Windows &w, Add add) {
  if (w.indexVectorDim < int64_t(w.indices.size()))
    add(kNone, w.indexVectorDim, kNone, w.indices[size_t(w.indexVectorDim)],
        FactorKind::NeedReplication, false);
}

/// Whether all results of a scatter's body combine the old and the new element by one operation
/// in any order.
bool hasCommonReduction(ScatterOp op) {
  Block &body = op.getUpdateComputation().front();
  const auto inputs = unsigned(op.getInputs().size());
  Operation *end = body.getTerminator(), *first = nullptr;
  if (body.getNumArguments() != 2 * inputs || end->getNumOperands() != inputs)
    return false;
  for (auto [number, value] : llvm::enumerate(end->getOperands())) {
    Operation *combine = value.getDefiningOp();
    if (!combine || combine->getNumOperands() != 2)
      return false;
    const bool isLogical = isa<AndOp, OrOp>(combine) && typeOf(value).getElementType().isInteger(1);
    if (!isLogical && !isa<AddOp, MulOp, MaxOp, MinOp>(combine))
      return false;
    if (first && first->getName() != combine->getName())
      return false;
    first = combine;
    Value before = body.getArgument(unsigned(number));
    Value update = body.getArgument(unsigned(number) + inputs);
    Value lhs = combine->getOperand(0), rhs = combine->getOperand(1);
    if (!(lhs == before && rhs == update) && !(lhs == update && rhs == before))
      return false;
  }
  return true;
}

} // namespace

ShardingRule ruleOfGather(GatherOp op) {
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  const Windows windows{shapeOf(op.getOperand()),         shapeOf(op.getStartIndices()),
                        shapeOf(op.getResult()),          numbers.getIndexVectorDim(),
                        numbers.getOffsetDims(),          numbers.getCollapsedSliceDims(),
                        numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims()};
  RuleBuilder rule(op);
  auto add = [&](int64_t array, int64_t indices, int64_t window, int64_t size, FactorKind kind,
                 bool isBlocked) { rule.add({array, indices}, {window}, size, kind, isBlocked); };
  // The parts of a dimension of which a window has one element each contribute to the result.
  auto sliced = [&](int64_t array, int64_t window) {
    const int64_t size = windows.shape[size_t(array)];
    if (windows.windows[size_t(window)] == 1) {
      add(array, kNone, kNone, size, FactorKind::Reduction, false);
      add(kNone, kNone, window, 1, FactorKind::NeedReplication, false);
    } else {
      add(array, kNone, window, size, FactorKind::NeedReplication, true);
    }
  };
  addWindowFactors(windows, add, sliced, FactorKind::PassThrough);
  for (int64_t d : windows.collapsedDims) {
    const int64_t size = windows.shape[size_t(d)];
    add(d, kNone, kNone, size, size == 1 ? FactorKind::NeedReplication : FactorKind::Reduction,
        false);
  }
  addIndexVectorFactor(windows, add);
  return rule.take();
}

ShardingRule ruleOfScatter(ScatterOp op) {
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  const Windows windows{shapeOf(op.getInputs().front()),  shapeOf(op.getScatterIndices()),
                        shapeOf(op.getUpdates().front()), numbers.getIndexVectorDim(),
                        numbers.getUpdateWindowDims(),    numbers.getInsertedWindowDims(),
                        numbers.getInputBatchingDims(),   numbers.getScatterIndicesBatchingDims()};
  RuleBuilder rule(op);
  auto add = [&](int64_t array, int64_t indices, int64_t window, int64_t size, FactorKind kind,
                 bool isBlocked) {
    SmallVector<int64_t> operands(op.getInputs().size(), array);
    operands.push_back(indices);
    operands.append(op.getUpdates().size(), window);
    rule.add(operands, SmallVector<int64_t>(op.getInputs().size(), array), size, kind, isBlocked);
  };
  auto sliced = [&](int64_t array, int64_t window) {
    add(array, kNone, kNone, windows.shape[size_t(array)], FactorKind::NeedReplication, false);
    add(kNone, kNone, window, windows.windows[size_t(window)], FactorKind::NeedReplication, false);
  };
  addWindowFactors(windows, add, sliced,
                   hasCommonReduction(op) ? FactorKind::Reduction : FactorKind::NeedReplication);
  for (int64_t d : windows.collapsedDims)
    add(d, kNone, kNone, windows.shape[size_t(d)], FactorKind::PassThrough, false);
  addIndexVectorFactor(windows, add);
  return rule.take();
}

/// Of a dimension in which the update is smaller, each part of the operand takes its elements of
/// the whole update.
ShardingRule ruleOfDynamicUpdateSlice(DynamicUpdateSliceOp op) {
  const bool isConstant = llvm::all_of(op.getStartIndices(), [](Value index) {
    Attribute value;
    return matchPattern(index, m_Constant(&value));
  });
  RuleBuilder rule(op);
  SmallVector<int64_t> operands(op->getNumOperands(), kNone);
  for (auto [d, size, update] :
       llvm::enumerate(shapeOf(op.getOperand()), shapeOf(op.getUpdate()))) {
    if (size == update) {
      rule.addToAll(int64_t(d), size);
      continue;
    }
    operands[0] = int64_t(d);
    operands[1] = kNone;
    rule.add(operands, {int64_t(d)}, size);
    operands[0] = kNone;
    operands[1] = int64_t(d);
    rule.add(operands, {kNone}, update,
             isConstant ? FactorKind::PassThrough : FactorKind::NeedReplication);
  }
  return rule.take();
}

} // namespace systole::partition
