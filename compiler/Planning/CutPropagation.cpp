// Where a cut of one tensor cuts all others of a kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/CutPropagation.h"

#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/MachineShape.h"

#include <utility>

using namespace mlir;

namespace systole {

/// Whether every step may compute the result of `op` anew: nothing that it writes is read by
/// itself, and it takes less than most kernels.
static bool isRepeatable(Operation *op) {
  OpKind kind = kindOf(op);
  return kind != OpKind::Indexed && kind != OpKind::Sort && kind != OpKind::Lookup;
}

CutPropagation::CutPropagation(ArrayRef<Operation *> ops) : ops(ops) {
  for (auto [place, op] : llvm::enumerate(ops)) {
    bool hasElsewhere = llvm::any_of(op->getOpOperands(), [](OpOperand &operand) {
      return isIndexOperand(operand) || isWindowed(operand);
    });
    members[op] = {static_cast<unsigned>(place), kindOf(op), hasElsewhere};
  }
}

std::optional<Cut> CutPropagation::cut(Value seed, int64_t dim) {
  if (!run(seed, dim))
    return std::nullopt;
  auto map = std::make_shared<CutMap>();
  for (auto [value, at] : dims)
    if (!at.isWhole()) {
      // Offsets relate dimensions of different sizes; all of a cut have the same steps.
      if (typeOf(value).getDimSize(at.dim) != size * at.factor)
        return std::nullopt;
      map->dims[value] = at;
    }
  map->ownDims = own;
  map->offsetBlocks.assign(found.begin(), found.end());
  map->halos = inner;
  map->inputHalos = shared;
  map->accumulating.assign(sums.begin(), sums.end());
  return Cut{seed, dim, size, size, std::move(map)};
}

bool CutPropagation::run(Value seed, int64_t dim) {
  dims.clear();
  sums.clear();
  found.clear();
  own.clear();
  inner.clear();
  shared.clear();
  windows.clear();
  worklist.clear();
  size = typeOf(seed).getDimSize(dim);
  if (!assign(seed, {dim}))
    return false;
  // Halos may say more about what is cut, and that about halos.
  do {
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      bool &isStale = members.find(op)->second.isStale;
      // A visit with the same cuts finds nothing new.
      if (!std::exchange(isStale, false))
        continue;
      if (!visit(op))
        return false;
    }
    if (!cutUnreached() || (worklist.empty() && !extendHalos()))
      return false;
  } while (!worklist.empty());
  // A result that no constraint reached is whole, and computed anew in every step.
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (lookup(result).isWhole() && !inner.contains(result) && !isRepeatable(op) &&
          !sums.contains(op) && !(isUpdatedInHbm(result) && !lookup(slicedValue(op)).isWhole()))
        return false;
  if (!own.empty())
    shareBlocks();
  shareInputs();
  return true;
}

void CutPropagation::shareBlocks() {
  llvm::SmallSetVector<Value, 2> shared;
  for (OpOperand *operand : llvm::make_first_range(own))
    shared.insert(operand->get());
  for (Value value : shared) {
    SmallVector<OpOperand *> readers;
    for (OpOperand &operand : value.getUses())
      if (isInside(operand.getOwner()) && !isElsewhere(operand) &&
          llvm::none_of(found, [&](const OffsetBlock &block) { return block.operand == &operand; }))
        readers.push_back(&operand);
    llvm::sort(readers, [&](OpOperand *a, OpOperand *b) {
      return std::pair(members.lookup(a->getOwner()).place, a->getOperandNumber()) <
             std::pair(members.lookup(b->getOwner()).place, b->getOperandNumber());
    });
    auto wantedBy = [&](OpOperand *reader) {
      auto it = own.find(reader);
      return it == own.end() ? lookup(value) : it->second;
    };
    SmallVector<CutDim> wanted = llvm::map_to_vector(readers, wantedBy);
    CutDim most = *std::max_element(wanted.begin(), wanted.end(), [&](CutDim a, CutDim b) {
      return llvm::count(wanted, a) < llvm::count(wanted, b);
    });
    dims[value] = most;
    for (auto [reader, at] : llvm::zip_equal(readers, wanted)) {
      own.erase(reader);
      if (at != most)
        own[reader] = at;
    }
  }
}

bool CutPropagation::isElsewhere(OpOperand &operand) const {
  return members.find(operand.getOwner())->second.hasElsewhere &&
         (isIndexOperand(operand) || isWindowed(operand));
}

bool CutPropagation::accumulate(Operation *op, CutDim iterator) {
  bool isChunk = iterator.factor == 1 && llvm::any_of(chunksOf(op), [&](const Chunks &chunks) {
                   return relationOf(op).iteratorOf(chunks.operand, chunks.dim) == iterator.dim;
                 });
  bool leaves = llvm::none_of(op->getUsers(), [&](Operation *user) { return isInside(user); });
  if (!isChunk || !leaves)
    return false;
  sums.insert(op);
  members[op].isStale = true;
  return assignAll(op->getResults(), {});
}

bool CutPropagation::assign(Value value, CutDim at) {
  auto [it, inserted] = dims.try_emplace(value, at);
  if (!inserted)
    return it->second == at;
  auto push = [&](Operation *op) {
    auto member = members.find(op);
    if (member == members.end())
      return;
    member->second.isStale = true;
    worklist.push_back(op);
  };
  push(value.getDefiningOp());
  // Equal constants are one, which says nothing about how its readers are cut.
  if (isSplatConstant(value.getDefiningOp()))
    return true;
  // Not in the order of uses, which is another in a copy of the operations.
  size_t first = worklist.size();
  llvm::for_each(value.getUsers(), push);
  std::sort(worklist.begin() + first, worklist.end(), [&](Operation *a, Operation *b) {
    return members.find(a)->second.place > members.find(b)->second.place;
  });
  return true;
}

void CutPropagation::markStale(Value value) {
  auto mark = [&](Operation *op) {
    if (auto member = members.find(op); member != members.end())
      member->second.isStale = true;
  };
  mark(value.getDefiningOp());
  llvm::for_each(value.getUsers(), mark);
}

bool CutPropagation::assignWhole(OpOperand &operand) {
  if (isFromOutside(operand.get()))
    return assign(operand, {});
  auto [it, isNew] = dims.try_emplace(operand.get());
  if (isNew)
    markStale(operand.get());
  return it->second.isWhole();
}

/// Whether the stages of an operation read blocks of their own.
static bool readsOwnBlocks(Operation *op) {
  OpKind kind = kindOf(op);
  return kind == OpKind::Elementwise || kind == OpKind::Broadcast || kind == OpKind::Reshape ||
         kind == OpKind::Movement || kind == OpKind::Reduce || kind == OpKind::Dot;
}

bool CutPropagation::assign(OpOperand &operand, CutDim at) {
  if (auto it = own.find(&operand); it != own.end())
    return it->second == at;
  if (assign(operand.get(), at))
    return true;
  if (!isFromOutside(operand.get()) || !readsOwnBlocks(operand.getOwner()))
    return false;
  own[&operand] = at;
  members[operand.getOwner()].isStale = true;
  return true;
}

bool CutPropagation::assignAll(ValueRange values, CutDim at) {
  return llvm::all_of(values, [&](Value value) { return assign(value, at); });
}

const OperandRelation &CutPropagation::relationOf(Operation *op) {
  auto [it, isNew] = relations.try_emplace(op);
  if (isNew)
    it->second = *systole::relationOf(op);
  return it->second;
}

std::optional<CutDim> CutPropagation::known(Value value) const {
  auto it = dims.find(value);
  return it == dims.end() ? std::nullopt : std::optional(it->second);
}

/// Whether every dimension of the result is one of the operand, so that a whole operand makes a
/// whole result.
static bool usesAll(const OperandRelation &relation, unsigned operand) {
  for (auto [number, iterator] : llvm::enumerate(relation.iterators))
    if (iterator.kind == IteratorKind::Result && iterator.extent != 1 &&
        !relation.operands[operand].uses(number))
      return false;
  return true;
}

/// The only dimension of the result on which the index along a dimension of an operand depends.
static std::optional<unsigned> resultIteratorOf(const OperandRelation &relation, unsigned operand,
                                                int64_t dim) {
  std::optional<unsigned> only;
  for (auto [number, iterator] : llvm::enumerate(relation.iterators)) {
    if (!relation.operands[operand].dims[dim].dependsOn(number))
      continue;
    if (only || iterator.kind != IteratorKind::Result)
      return std::nullopt;
    only = number;
  }
  return only;
}

/// The dimension of a convolution's result of which the index along a dimension of the image
/// depends, beside taps.
static std::optional<unsigned> positionIteratorOf(const OperandRelation &relation, unsigned operand,
                                                  int64_t dim) {
  for (auto [number, iterator] : llvm::enumerate(relation.iterators))
    if (iterator.kind == IteratorKind::Result &&
        relation.operands[operand].dims[dim].dependsOn(number))
      return number;
  return std::nullopt;
}

/// Whether the stages of an operation can make blocks of several elements of an iterator for each
/// one of the cut.
static bool canCutInRuns(Operation *op) {
  OpKind kind = kindOf(op);
  return kind == OpKind::Constant || kind == OpKind::Generator || kind == OpKind::Elementwise ||
         kind == OpKind::Broadcast || kind == OpKind::Reshape || kind == OpKind::Reduce ||
         kind == OpKind::Dot || isa<stablehlo::TransposeOp>(op);
}

/// Whether the stages of an operation can make blocks of its result along an iterator.
static bool canCut(Operation *op, CutDim at) {
  int64_t iterator = at.dim;
  if (at.factor != 1 && !canCutInRuns(op))
    return false;
  // Rows that are updated, of which whole updates meet each block.
  if (isa<stablehlo::ScatterOp>(op))
    return iterator == 0;
  // Columns beside each other, unless each takes several chunks of the lanes.
  if (auto sort = dyn_cast<kernel::ColumnSortOp>(op))
    return iterator == 0 || (iterator == 2 && sort.getChunks() == 1);
  // Of positions, those along the outermost dimension of the indices.
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
    return llvm::is_contained(gather.getDimensionNumbers().getOffsetDims(), iterator) ||
           iterator == positionDimOf(gather);
  auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op);
  if (!convolution)
    return true;
  int64_t last = convolution.getType().getRank() - 1;
  bool hasGroups = convolution.getFeatureGroupCount() != 1;
  switch (*formOf(convolution)) {
  case ConvolutionForm::Positions:
    return iterator != last || !hasGroups;
  case ConvolutionForm::Channels:
    return true;
  case ConvolutionForm::Filter:
    return iterator >= last - 1 && !hasGroups;
  case ConvolutionForm::ChannelFilter:
    return iterator == last;
  }
  return false;
}

bool CutPropagation::visit(Operation *op) {
  OpKind kind = kindIn(op);
  if (kind == OpKind::Control || kind == OpKind::Transfer || kind == OpKind::Other)
    return false;
  Value result = op->getResult(0);
  // A splat is the same in every block; an update in HBM needs none.
  if ((kind == OpKind::Constant && !isSplatConstant(op)) || isUpdatedInHbm(result))
    return lookup(result).isWhole();
  for (OpOperand &operand : op->getOpOperands())
    if (typeOf(operand.get()).getRank() == 0 && !isElsewhere(operand) && !assign(operand.get(), {}))
      return false;
  bool contradicts = false;
  std::optional<CutDim> iterator = cutOf(op, contradicts);
  return iterator ? cutAlong(op, *iterator) : !contradicts;
}

/// The indices that a reshape reads along a dimension of its operand for one element of an
/// iterator, if that is a run of whole elements, or a part of one, and the dimension the outermost
/// one with that. Runs of lanes are of whole rows.
static std::optional<BlockIndex> runOf(Operation *reshape, const OperandRelation &relation,
                                       int64_t dim, unsigned iterator) {
  ArrayRef<IndexRelation> indices = relation.operands.front().dims;
  auto *outermost =
      llvm::find_if(indices, [&](const IndexRelation &index) { return index.dependsOn(iterator); });
  bool hasLanes =
      dim + 1 == static_cast<int64_t>(indices.size()) || iterator + 1 == relation.resultRank();
  auto fillsRows = [](Value value) { return typeOf(value).getShape().back() % kLanes == 0; };
  bool isWhole =
      !hasLanes || (fillsRows(reshape->getOperand(0)) && fillsRows(reshape->getResult(0)));
  if (outermost - indices.begin() != dim || !isWhole)
    return std::nullopt;
  std::optional<BlockIndex> block = relation.blockOf(0, dim, iterator);
  bool isRun = block && block->num > 0 && block->offset() == 0 && block->extra() == 0;
  return isRun ? block : std::nullopt;
}

std::optional<CutDim> CutPropagation::mergedIteratorOf(Operation *reshape, CutDim operand) {
  const OperandRelation &relation = relationOf(reshape);
  for (unsigned iterator = 0; iterator < relation.resultRank(); ++iterator)
    if (auto run = runOf(reshape, relation, operand.dim, iterator);
        run && operand.factor * run->den % run->num == 0)
      return CutDim{iterator, operand.factor * run->den / run->num};
  return std::nullopt;
}

bool CutPropagation::isSameElement(Operation *op, Value operand) const {
  return kindIn(op) == OpKind::Elementwise &&
         typeOf(operand).getShape() == typeOf(op->getResult(0)).getShape();
}

std::optional<CutDim> CutPropagation::cutOf(Operation *op, bool &contradicts) {
  bool isSum = sums.contains(op);
  if (!isSum)
    for (Value result : op->getResults())
      if (auto at = known(result))
        return at;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<CutDim> at = known(operand.get());
    if (!at || isElsewhere(operand) || own.contains(&operand) ||
        isSplatConstant(operand.get().getDefiningOp()))
      continue;
    if (isSameElement(op, operand.get()) && !isSum && typeOf(operand.get()).getRank() > 0 &&
        (at->isWhole() || typeOf(operand.get()).getDimSize(at->dim) != 1))
      return at;
    const OperandRelation &relation = relationOf(op);
    unsigned number = operand.getOperandNumber();
    if (at->isWhole()) {
      if (!isSum && typeOf(operand.get()).getRank() > 0 && usesAll(relation, number))
        return CutDim();
      continue;
    }
    std::optional<unsigned> window, iterator = relation.iteratorOf(number, at->dim);
    bool isPart = iterator && kindIn(op) == OpKind::Movement &&
                  typeOf(operand.get()).getDimSize(at->dim) != relation.iterators[*iterator].extent;
    if (iterator && !isPart)
      return CutDim{*iterator, at->factor};
    if (kindIn(op) == OpKind::Reshape)
      if (std::optional<CutDim> merged = mergedIteratorOf(op, *at))
        return merged;
    if (kindIn(op) == OpKind::Movement && at->factor == 1)
      window = resultIteratorOf(relation, number, at->dim);
    else if (kindIn(op) == OpKind::Convolution && !isFromOutside(operand.get()))
      window = positionIteratorOf(relation, number, at->dim);
    contradicts = !window;
    if (window)
      windows.insert({op, *window});
    return std::nullopt;
  }
  return std::nullopt;
}

bool CutPropagation::cutAlong(Operation *op, CutDim iterator) {
  bool isResult = iterator.isWhole() || kindIn(op) == OpKind::Elementwise ||
                  relationOf(op).iterators[iterator.dim].kind == IteratorKind::Result;
  if (isResult && !iterator.isWhole() && !canCut(op, iterator))
    return false;
  if (isResult ? !assignAll(op->getResults(), iterator)
               : !sums.contains(op) && !accumulate(op, iterator))
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return isElsewhere(operand) || cutOperand(operand, iterator);
  });
}

bool CutPropagation::cutOperand(OpOperand &operand, CutDim iterator) {
  Operation *op = operand.getOwner();
  RankedTensorType type = typeOf(operand.get());
  if (isSameElement(op, operand.get()) && !iterator.isWhole() && type.getDimSize(iterator.dim) != 1)
    return assign(operand, iterator);
  const OperandRelation &relation = relationOf(op);
  unsigned number = operand.getOperandNumber();
  const OperandIndices &indices = relation.operands[number];
  // Positions of a gather come from anywhere.
  auto gather = dyn_cast<stablehlo::GatherOp>(op);
  if (iterator.isWhole() || !indices.uses(iterator.dim) ||
      (gather && iterator.dim == positionDimOf(gather)))
    return assign(operand, {});
  auto isEqual = [&](int64_t dim) {
    // A reshape does not move elements between lanes and rows.
    bool keepsLanes = !isa<stablehlo::ReshapeOp>(op) ||
                      (dim + 1 == type.getRank()) ==
                          (iterator.dim + 1 == static_cast<int64_t>(relation.resultRank()));
    return keepsLanes && type.getDimSize(dim) == relation.iterators[iterator.dim].extent;
  };
  if (auto dim = relation.dimOf(number, iterator.dim); dim && isEqual(*dim))
    return assign(operand, {*dim, iterator.factor});

  auto *outermost = llvm::find_if(
      indices.dims, [&](const IndexRelation &index) { return index.dependsOn(iterator.dim); });
  int64_t dim = outermost - indices.dims.begin();
  // A run of whole elements is a block like others.
  if (kindIn(op) == OpKind::Reshape)
    if (auto run = runOf(op, relation, dim, iterator.dim);
        run && iterator.factor * run->num % run->den == 0 &&
        assign(operand.get(), {dim, iterator.factor * run->num / run->den}))
      return true;
  // Else it is read at an offset, along the outermost dimension that depends on the iterator.
  std::optional<Span> span = spanOf(operand, dim, iterator.span());
  if (!span || !addOffsetBlock(operand, *span))
    return false;
  // Of a value of the kernel all that is not read at an offset is cut as well.
  bool isCutAlike = !isFromOutside(operand.get()) && span->num == iterator.factor &&
                    span->den == 1 &&
                    type.getDimSize(span->dim) == relation.iterators[iterator.dim].extent;
  return !isCutAlike || assign(operand.get(), {span->dim, iterator.factor});
}

} // namespace systole
