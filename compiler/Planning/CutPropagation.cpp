// Where a cut of one tensor cuts all others of a kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/CutPropagation.h"

#include "compiler/Graph/Convolutions.h"
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorTypes.h"
#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/Windows.h"

using namespace mlir;

namespace systole {

/// Whether every step may compute the result of `op` anew: nothing that it writes is read by
/// itself.
static bool isRepeatable(Operation *op) { return kindOf(op) != OpKind::Indexed; }

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
  if (!assign(seed, dim))
    return false;
  // Halos may say more about what is cut, and that about halos.
  do {
    while (!worklist.empty())
      if (!visit(worklist.pop_back_val()))
        return false;
    if (!cutUnreached() || (worklist.empty() && !extendHalos()))
      return false;
  } while (!worklist.empty());
  // A result that no constraint reached is whole, and computed anew in every step.
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (lookup(result) == kWhole && !inner.contains(result) && !isRepeatable(op) &&
          !sums.contains(op) && !(isUpdatedInHbm(result) && lookup(slicedValue(op)) != kWhole))
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
      return std::pair(places.lookup(a->getOwner()), a->getOperandNumber()) <
             std::pair(places.lookup(b->getOwner()), b->getOperandNumber());
    });
    auto wantedBy = [&](OpOperand *reader) {
      auto it = own.find(reader);
      return it == own.end() ? lookup(value) : it->second;
    };
    SmallVector<int64_t> wanted = llvm::map_to_vector(readers, wantedBy);
    int64_t most = *std::max_element(wanted.begin(), wanted.end(), [&](int64_t a, int64_t b) {
      return llvm::count(wanted, a) < llvm::count(wanted, b);
    });
    dims[value] = most;
    for (auto [reader, dim] : llvm::zip_equal(readers, wanted)) {
      own.erase(reader);
      if (dim != most)
        own[reader] = dim;
    }
  }
}

bool CutPropagation::isElsewhere(OpOperand &operand) {
  return isIndexOperand(operand) || isWindowed(operand);
}

bool CutPropagation::accumulate(Operation *op, int64_t iterator) {
  bool isChunk = llvm::any_of(chunksOf(op), [&](const Chunks &chunks) {
    return relationOf(op).iteratorOf(chunks.operand, chunks.dim) == iterator;
  });
  bool leaves = llvm::none_of(op->getUsers(), [&](Operation *user) { return isInside(user); });
  if (!isChunk || !leaves)
    return false;
  sums.insert(op);
  return assignAll(op->getResults(), kWhole);
}

int64_t CutPropagation::lookup(Value value) const {
  auto it = dims.find(value);
  return it == dims.end() ? kWhole : it->second;
}

bool CutPropagation::assign(Value value, int64_t dim) {
  auto [it, inserted] = dims.try_emplace(value, dim);
  if (!inserted)
    return it->second == dim;
  if (Operation *op = value.getDefiningOp(); isInside(op))
    worklist.push_back(op);
  // Equal constants are one, which says nothing about how its readers are cut.
  if (isSplatConstant(value.getDefiningOp()))
    return true;
  // Not in the order of uses, which is another in a copy of the operations.
  size_t first = worklist.size();
  for (Operation *user : value.getUsers())
    if (isInside(user))
      worklist.push_back(user);
  std::sort(worklist.begin() + first, worklist.end(),
            [&](Operation *a, Operation *b) { return places.lookup(a) > places.lookup(b); });
  return true;
}

bool CutPropagation::assignWhole(OpOperand &operand) {
  return isFromOutside(operand.get())
             ? assign(operand, kWhole)
             : dims.try_emplace(operand.get(), kWhole).first->second == kWhole;
}

/// Whether the stages of an operation read blocks of their own.
static bool readsOwnBlocks(Operation *op) {
  OpKind kind = kindOf(op);
  return kind == OpKind::Elementwise || kind == OpKind::Broadcast || kind == OpKind::Reshape ||
         kind == OpKind::Movement || kind == OpKind::Reduce || kind == OpKind::Dot;
}

bool CutPropagation::assign(OpOperand &operand, int64_t dim) {
  if (auto it = own.find(&operand); it != own.end())
    return it->second == dim;
  if (assign(operand.get(), dim))
    return true;
  if (!isFromOutside(operand.get()) || !readsOwnBlocks(operand.getOwner()))
    return false;
  own[&operand] = dim;
  return true;
}

bool CutPropagation::assignAll(ValueRange values, int64_t dim) {
  return llvm::all_of(values, [&](Value value) { return assign(value, dim); });
}

const OperandRelation &CutPropagation::relationOf(Operation *op) {
  auto [it, isNew] = relations.try_emplace(op);
  if (isNew)
    it->second = *systole::relationOf(op);
  return it->second;
}

std::optional<int64_t> CutPropagation::known(Value value) const {
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
    if (!relation.operands[operand].dims[dim].expr.isFunctionOfDim(number))
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
        relation.operands[operand].dims[dim].expr.isFunctionOfDim(number))
      return number;
  return std::nullopt;
}

/// Whether the stages of an operation can make blocks of its result along an iterator.
static bool canCut(Operation *op, int64_t iterator) {
  // Rows that are updated, of which whole updates meet each block.
  if (isa<stablehlo::ScatterOp>(op))
    return iterator == 0;
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
  OpKind kind = kindOf(op);
  if (kind == OpKind::Control || kind == OpKind::Transfer || kind == OpKind::Other)
    return false;
  Value result = op->getResult(0);
  // A splat is the same in every block; an update in HBM needs none.
  if ((kind == OpKind::Constant && !isSplatConstant(op)) || isUpdatedInHbm(result))
    return lookup(result) == kWhole;
  for (OpOperand &operand : op->getOpOperands())
    if (typeOf(operand.get()).getRank() == 0 && !isElsewhere(operand) &&
        !assign(operand.get(), kWhole))
      return false;
  bool contradicts = false;
  std::optional<int64_t> iterator = cutOf(op, contradicts);
  return iterator ? cutAlong(op, *iterator) : !contradicts;
}

std::optional<int64_t> CutPropagation::cutOf(Operation *op, bool &contradicts) {
  bool isSum = sums.contains(op);
  if (!isSum)
    for (Value result : op->getResults())
      if (auto dim = known(result))
        return dim;
  const OperandRelation &relation = relationOf(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto dim = known(operand.get());
    if (!dim || isElsewhere(operand) || own.contains(&operand) ||
        isSplatConstant(operand.get().getDefiningOp()))
      continue;
    unsigned number = operand.getOperandNumber();
    if (*dim == kWhole) {
      if (!isSum && typeOf(operand.get()).getRank() > 0 && usesAll(relation, number))
        return kWhole;
      continue;
    }
    std::optional<unsigned> window, iterator = relation.iteratorOf(number, *dim);
    bool isPart = iterator && kindOf(op) == OpKind::Movement &&
                  typeOf(operand.get()).getDimSize(*dim) != relation.iterators[*iterator].extent;
    if (iterator && !isPart)
      return *iterator;
    if (kindOf(op) == OpKind::Movement)
      window = resultIteratorOf(relation, number, *dim);
    else if (kindOf(op) == OpKind::Convolution && !isFromOutside(operand.get()))
      window = positionIteratorOf(relation, number, *dim);
    contradicts = !window;
    if (window)
      windows.insert({op, *window});
    return std::nullopt;
  }
  return std::nullopt;
}

bool CutPropagation::cutAlong(Operation *op, int64_t iterator) {
  bool isResult =
      iterator == kWhole || relationOf(op).iterators[iterator].kind == IteratorKind::Result;
  if (isResult && iterator != kWhole && !canCut(op, iterator))
    return false;
  if (isResult ? !assignAll(op->getResults(), iterator)
               : !sums.contains(op) && !accumulate(op, iterator))
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return isElsewhere(operand) || cutOperand(operand, iterator);
  });
}

bool CutPropagation::cutOperand(OpOperand &operand, int64_t iterator) {
  Operation *op = operand.getOwner();
  const OperandRelation &relation = relationOf(op);
  unsigned number = operand.getOperandNumber();
  const OperandIndices &indices = relation.operands[number];
  RankedTensorType type = typeOf(operand.get());
  // Positions of a gather come from anywhere.
  auto gather = dyn_cast<stablehlo::GatherOp>(op);
  if (iterator == kWhole || !indices.uses(iterator) ||
      (gather && iterator == positionDimOf(gather)))
    return assign(operand, kWhole);
  auto isEqual = [&](int64_t dim) {
    // A reshape does not move elements between lanes and rows.
    bool keepsLanes = !isa<stablehlo::ReshapeOp>(op) ||
                      (dim + 1 == type.getRank()) ==
                          (iterator + 1 == static_cast<int64_t>(relation.resultRank()));
    return keepsLanes && type.getDimSize(dim) == relation.iterators[iterator].extent;
  };
  if (auto dim = relation.dimOf(number, iterator); dim && isEqual(*dim))
    return assign(operand, *dim);

  // Else it is read at an offset, along the outermost dimension that depends on the iterator.
  auto *dim = llvm::find_if(indices.dims, [&](const IndexRelation &index) {
    return index.expr.isFunctionOfDim(iterator);
  });
  std::optional<Span> span =
      spanOf(operand, dim - indices.dims.begin(), Span{static_cast<int64_t>(iterator)});
  if (!span || !addOffsetBlock(operand, *span))
    return false;
  // Of a value of the kernel all that is not read at an offset is cut as well.
  bool isCutAlike = !isFromOutside(operand.get()) && span->num == 1 && span->den == 1 &&
                    type.getDimSize(span->dim) == relation.iterators[iterator].extent;
  return !isCutAlike || assign(operand.get(), span->dim);
}

} // namespace systole
