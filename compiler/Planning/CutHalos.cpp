// Where a cut of one tensor cuts all others of a kernel: what is read at an offset.
// See docs/decisions/kernels-and-plans.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/CutPropagation.h"
#include "compiler/Planning/Halos.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace systole {

bool CutPropagation::cutUnreached() {
  if (windows.empty())
    return true;
  llvm::SmallSetVector<Value, 16> needed;
  for (Value value : llvm::make_first_range(inner))
    needed.insert(value);
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i].getDefiningOp()->getOperands())
      if (!isFromOutside(operand))
        needed.insert(operand);
  for (auto [op, iterator] : windows)
    if (!known(op->getResult(0)) && !needed.contains(op->getResult(0)))
      return cutAlong(op, {iterator});
  return true;
}

std::optional<Span> CutPropagation::spanOf(OpOperand &operand, int64_t dim, const Span &result) {
  OpKind kind = kindIn(operand.getOwner());
  if (kind != OpKind::Movement && kind != OpKind::Reshape && kind != OpKind::Convolution)
    return std::nullopt;
  std::optional<BlockIndex> index =
      relationOf(operand.getOwner()).blockOf(operand.getOperandNumber(), dim, result.dim);
  if (!index)
    return std::nullopt;
  bool isPlain = result.offset == 0 && result.extra == 0 && result.num == 1 && result.den == 1;
  // The block of a reshape consists of runs of elements, with all that is inside of them.
  bool hasRuns =
      index->extra() == 0 && result.offset % index->den == 0 && result.extra % index->den == 0;
  if (kind == OpKind::Reshape && !hasRuns)
    return std::nullopt;
  if (isPlain)
    return Span{dim, index->num, index->den, index->offset(), index->extra()};
  if (index->num < 0)
    return std::nullopt;
  // From the first element that the result's first one meets to the last that its last one does.
  int64_t first = index->num * result.offset + index->first;
  int64_t last = index->num * (result.offset + result.extra - 1) + index->last;
  int64_t num = result.num * index->num, den = result.den * index->den;
  Span span{dim, num / std::gcd(num, den), den / std::gcd(num, den)};
  span.offset = llvm::divideCeilSigned(first, index->den);
  span.extra = llvm::divideFloorSigned(last, index->den) + 1 - span.offset;
  if (index->den > 1) // what is between the elements of a dilated operand meets nothing
    span.extra = std::max<int64_t>(span.extra, 0);
  return span;
}

bool CutPropagation::addOffsetBlock(OpOperand &operand, Span span) {
  Value value = operand.get();
  members[operand.getOwner()].isStale = true;
  if (isFromOutside(value)) {
    span.unit = rowUnit(typeOf(value), span.dim);
  } else {
    // Stages read whole rows along the lanes.
    if (span.num < 0 || span.dim + 1 == typeOf(value).getRank() || this->known(value) == CutDim())
      return false;
    auto [halo, isNew] = inner.try_emplace(value, span);
    if (!isNew && !halo->second.movesWith(span))
      return false;
    halo->second = halo->second.unionWith(span);
  }
  // Once the halo of its result is known an operation reads more.
  auto *known =
      llvm::find_if(found, [&](const OffsetBlock &other) { return other.operand == &operand; });
  if (known == found.end())
    found.emplace_back(operand, span);
  else
    *known = OffsetBlock(operand, span);
  return true;
}

bool CutPropagation::extendHalos() {
  if (inner.empty())
    return true;
  for (Operation *op : llvm::reverse(ops)) {
    std::optional<Span> all; // of its results
    size_t count = 0;
    for (Value result : op->getResults()) {
      auto it = inner.find(result);
      if (it == inner.end())
        continue;
      std::optional<CutDim> at = known(result);
      bool leaves =
          llvm::any_of(result.getUsers(), [&](Operation *user) { return !isInside(user); });
      // What leaves the kernel, or is read without an offset, is part of it.
      if (at) {
        if (at->isWhole() || !it->second.movesWith(at->span()))
          return false;
        it->second = it->second.unionWith(at->span());
      } else if (leaves || !llvm::all_of(result.getUses(), [&](OpOperand &use) {
                   return readsAlong(it->second, use);
                 })) {
        CutDim along{it->second.dim};
        return it->second.movesWith(along.span()) && typeOf(result).getDimSize(along.dim) == size &&
               assign(result, along);
      }
      roundToRuns(op, it->second);
      if (all && !all->movesWith(it->second))
        return false;
      all = all ? all->unionWith(it->second) : it->second;
      ++count;
    }
    if (!all)
      continue;
    // One index of the operands stands for all results.
    if (count < op->getNumResults())
      return false;
    for (Value result : op->getResults())
      inner.find(result)->second = *all;
    if (!extendHalo(op, *all))
      return false;
  }
  return true;
}

/// The result of a reshape has whole runs of elements that stand for one of the operand, and for
/// as many of them as blocks in HBM begin at: it copies the operand's block with all that it has.
void CutPropagation::roundToRuns(Operation *op, Span &result) {
  if (!isa<stablehlo::ReshapeOp>(op))
    return;
  const OperandRelation &relation = relationOf(op);
  for (size_t dim = 0; dim < relation.operands[0].dims.size(); ++dim)
    if (relation.operands[0].dims[dim].dependsOn(result.dim)) {
      std::optional<BlockIndex> index = relation.blockOf(0, dim, result.dim);
      int64_t run = index ? index->den : 1, end = result.offset + result.extra;
      if (Value operand = op->getOperand(0); index && isFromOutside(operand))
        if (int64_t period = run * rowUnit(typeOf(operand), dim); period > 0)
          run = std::lcm(run, period / std::gcd(period, std::abs(index->num)));
      result.offset = llvm::divideFloorSigned(result.offset, run) * run;
      result.extra = llvm::divideCeilSigned(end, run) * run - result.offset;
      return;
    }
}

/// Whether `operand` is read at an offset in the way of `span`.
bool CutPropagation::readsAlong(const Span &span, OpOperand &operand) const {
  return llvm::any_of(found, [&](const OffsetBlock &block) {
    return block.operand == &operand && block.movesWith(span);
  });
}

bool CutPropagation::extendHalo(Operation *op, const Span &result) {
  OpKind kind = kindIn(op);
  bool isSimple = kind == OpKind::Elementwise || kind == OpKind::Broadcast ||
                  kind == OpKind::Generator || kind == OpKind::Movement ||
                  kind == OpKind::Reshape || isSplatConstant(op);
  if (!isSimple)
    return false;
  const OperandRelation &relation = relationOf(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (isElsewhere(operand))
      return false;
    unsigned number = operand.getOperandNumber();
    const OperandIndices &indices = relation.operands[number];
    if (!indices.uses(result.dim)) {
      // A reshape has no more elements than its operand, along a dimension of size 1 either.
      if (kind == OpKind::Reshape)
        return false;
      if (inner.contains(operand.get()) || !assignWhole(operand))
        return false;
      continue;
    }
    auto dim = relation.dimOf(number, result.dim);
    std::optional<Span> span;
    if (dim && typeOf(operand.get()).getDimSize(*dim) == relation.iterators[result.dim].extent) {
      span = result;
      span->dim = *dim;
    } else {
      auto *place = llvm::find_if(
          indices.dims, [&](const IndexRelation &index) { return index.dependsOn(result.dim); });
      span = spanOf(operand, place - indices.dims.begin(), result);
    }
    if (!span || !addOffsetBlock(operand, *span))
      return false;
  }
  return true;
}

void CutPropagation::shareInputs() {
  llvm::SmallSetVector<Value, 4> arrays;
  for (const OffsetBlock &block : found)
    if (isFromOutside(block.value()))
      arrays.insert(block.value());
  for (Value array : arrays) {
    std::optional<Span> all;
    int64_t apart = 0, count = 0;
    bool canShare = true;
    for (OpOperand &use : array.getUses()) {
      if (!isInside(use.getOwner()) || isElsewhere(use) || own.contains(&use))
        continue;
      auto *block =
          llvm::find_if(found, [&](const OffsetBlock &block) { return block.operand == &use; });
      Span span = block == found.end() ? lookup(array).span() : Span(*block);
      canShare &= readsInPlace(use) && span.num > 0 && span.dim != kWhole &&
                  span.dim + 1 < typeOf(array).getRank() && (!all || all->movesWith(span));
      if (!canShare)
        break;
      // Elements of the smallest blocks.
      apart += span.elements(span.den);
      all = all ? all->unionWith(span) : span;
      ++count;
    }
    if (!canShare || count < 2 || all->elements(all->den) > apart)
      continue;
    all->unit = rowUnit(typeOf(array), all->dim);
    if (all->unit > 0)
      shared[array] = *all;
  }
}

} // namespace systole
