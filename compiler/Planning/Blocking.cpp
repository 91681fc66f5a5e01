// How the operations of a kernel are cut into grid steps: cuts and blocks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Blocking.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"

#include "dialects/Layout/RowLayout.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace systole {

int64_t blockBytes(ArrayRef<int64_t> shape, Type elementType) {
  int bits = std::max(8u, elementType.getIntOrFloatBitWidth());
  RowShape matrix;
  if (!shape.empty()) {
    matrix.columns = shape.back();
    for (int64_t size : shape.drop_back())
      matrix.rows *= size;
    matrix.padding = rowPadding(shape, bits);
  }
  return matrix.physicalRows(bits) * kRowBytes;
}

int64_t paddedBytes(RankedTensorType type) {
  return blockBytes(type.getShape(), type.getElementType());
}

int64_t payloadBytes(RankedTensorType type) {
  return type.getNumElements() * std::max<int64_t>(8, type.getElementTypeBitWidth()) / 8;
}

std::optional<int64_t> Cut::dimOf(Value value) const {
  auto it = map->dims.find(value);
  return it == map->dims.end() ? std::nullopt : std::optional(it->second.dim);
}

const OffsetBlock *Cut::offsetBlockOf(OpOperand &operand) const {
  auto *it = llvm::find_if(map->offsetBlocks,
                           [&](const OffsetBlock &block) { return block.operand == &operand; });
  return it == map->offsetBlocks.end() ? nullptr : it;
}

CutDim Cut::cutDimOf(OpOperand &operand) const {
  if (offsetBlockOf(operand))
    return {};
  auto own = map->ownDims.find(&operand);
  return own == map->ownDims.end() ? cutDimOf(operand.get()) : own->second;
}

std::optional<int64_t> Cut::dimOf(OpOperand &operand) const {
  CutDim cutDim = cutDimOf(operand);
  return cutDim.isWhole() ? std::nullopt : std::optional(cutDim.dim);
}

bool Blocking::hasOwnBlock(OpOperand &operand) const {
  return llvm::any_of(cuts, [&](const Cut &cut) { return cut.hasOwnBlock(operand); });
}

bool Blocking::isCut(OpOperand &operand) const {
  return llvm::any_of(
      cuts, [&](const Cut &cut) { return cut.dimOf(operand) || cut.offsetBlockOf(operand); });
}

const Span *Cut::haloOf(Value value) const {
  for (const auto *known : {&map->halos, &map->inputHalos})
    if (auto it = known->find(value); it != known->end())
      return &it->second;
  return nullptr;
}

SmallVector<int64_t> Blocking::blockShape(OpOperand &operand) const {
  SmallVector<int64_t> shape(typeOf(operand.get()).getShape());
  bool isOwn = hasOwnBlock(operand);
  for (const Cut &cut : cuts)
    if (const OffsetBlock *block = cut.offsetBlockOf(operand))
      shape[block->dim] = isOwn ? block->size(cut.blockSize) : block->elements(cut.blockSize);
    else if (CutDim at = cut.cutDimOf(operand); !at.isWhole())
      shape[at.dim] = std::min(shape[at.dim], cut.blockSize * at.factor);
  return shape;
}

bool Blocking::isCut(Value value) const {
  return llvm::any_of(
      cuts, [&](const Cut &cut) { return cut.map->dims.contains(value) || cut.haloOf(value); });
}

SmallVector<int64_t> Blocking::resultShape(Value value) const {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  for (const Cut &cut : cuts)
    if (auto dim = cut.dimOf(value))
      shape[*dim] = std::min(shape[*dim], cut.blockOf(value));
  return shape;
}

SmallVector<int64_t> Blocking::blockShape(Value value) const {
  SmallVector<int64_t> shape = resultShape(value);
  for (const Cut &cut : cuts)
    if (const Span *halo = cut.haloOf(value))
      shape[halo->dim] = halo->size(cut.blockSize);
  return shape;
}

SmallVector<int64_t> Blocking::copiedShape(const OperandBlocks &operand) const {
  if (operand.ownUse)
    return blockShape(*operand.ownUse);
  bool isInput = llvm::any_of(
      cuts, [&](const Cut &cut) { return cut.map->inputHalos.contains(operand.value); });
  return isInput ? blockShape(operand.value) : resultShape(operand.value);
}

SmallVector<int64_t> Blocking::slackOf(OpOperand &operand) const {
  SmallVector<int64_t> slack(typeOf(operand.get()).getRank(), 0);
  bool isOwn = hasOwnBlock(operand);
  for (const Cut &cut : cuts) {
    const OffsetBlock *wanted = cut.offsetBlockOf(operand);
    const Span *halo = isOwn ? nullptr : cut.haloOf(operand.get());
    if (halo)
      slack[halo->dim] = (wanted ? wanted->lowest(cut.blockSize) : 0) - halo->start(cut.blockSize);
    else if (wanted)
      slack[wanted->dim] = wanted->slack(cut.blockSize);
  }
  return slack;
}

SmallVector<int64_t> Blocking::slackOf(Value value) const {
  SmallVector<int64_t> slack(typeOf(value).getRank(), 0);
  for (const Cut &cut : cuts)
    if (const Span *halo = cut.haloOf(value))
      slack[halo->dim] = -halo->start(cut.blockSize);
  return slack;
}

namespace {
/// Along one dimension of a tensor, in logical rows of 128 elements.
struct Rows {
  Rows(RankedTensorType type, int64_t dim)
      : packing(32 / std::max<int64_t>(8, type.getElementTypeBitWidth())),
        isLanes(dim + 1 == type.getRank()) {
    ArrayRef<int64_t> shape = type.getShape();
    for (int64_t size : shape.take_front(dim))
      outer *= size;
    int bits = 32 / packing;
    if (!isLanes)
      inner = rowPitch(shape, bits, dim);
    if (dim > 0)
      count = rowPitch(shape, bits, dim - 1);
    else
      count = inner * (isLanes ? llvm::divideCeil(shape[dim], kLanes) : shape[dim]);
  }
  int64_t packing;   // rows in 512 bytes
  bool isLanes;      // the dimension lies along the lanes, in groups of 128
  int64_t inner = 1; // of one element, or group of lanes
  int64_t outer = 1; // how often the dimension's rows repeat
  int64_t count;     // of the whole dimension, with padding

  /// The least number of elements that are a multiple of `rows` rows.
  int64_t elements(int64_t rows) const {
    return (isLanes ? kLanes : 1) * (rows / std::gcd(rows, inner));
  }
  /// Whether each repetition starts at a whole row of 512 bytes.
  bool startsAligned() const { return outer == 1 || count % packing == 0; }
};
} // namespace

bool isCutAnywhere(RankedTensorType type) {
  return llvm::all_of(llvm::seq<int64_t>(0, type.getRank()),
                      [&](int64_t dim) { return Rows(type, dim).startsAligned(); });
}

std::optional<int64_t> Cut::quantum(bool vectors, llvm::function_ref<bool(Value)> isInHbm) const {
  int64_t result = 1;
  auto addBlocks = [&](Value value, CutDim at) {
    if (at.isWhole() || !isInHbm(value))
      return true;
    Rows rows(typeOf(value), at.dim);
    bool wholeVectors = vectors && !(rows.isLanes && rows.outer > 1);
    int64_t least = rows.elements(wholeVectors ? kSublanes : rows.packing);
    result = std::lcm(result, least / std::gcd(least, at.factor));
    return rows.startsAligned();
  };
  for (auto [value, at] : map->dims)
    if (!addBlocks(value, at))
      return std::nullopt;
  for (auto [operand, at] : map->ownDims)
    if (!addBlocks(operand->get(), at))
      return std::nullopt;
  auto addSpan = [&](const Span &span) {
    int64_t period = span.den * span.unit;
    if (period > 0)
      result = std::lcm(result, period / std::gcd(period, std::abs(span.num)));
    return period > 0;
  };
  for (const OffsetBlock &block : map->offsetBlocks)
    if (!haloOf(block.value()) && !addSpan(block))
      return std::nullopt;
  for (const auto *spans : {&map->halos, &map->inputHalos})
    for (const auto &[value, span] : *spans)
      if (!addSpan(span))
        return std::nullopt;
  return result;
}

int64_t rowUnit(RankedTensorType type, int64_t dim) {
  Rows rows(type, dim);
  return rows.startsAligned() ? rows.elements(rows.packing) : 0;
}

// Spans that have no unit are refused by Cut::quantum.
int64_t Span::start(int64_t blockSize) const {
  int64_t step = std::max<int64_t>(unit, 1);
  return llvm::divideFloorSigned(lowest(blockSize), step) * step;
}

int64_t Span::size(int64_t blockSize) const {
  return llvm::alignTo(slack(blockSize) + elements(blockSize), std::max<int64_t>(unit, 1));
}

Span Span::unionWith(const Span &other) const {
  Span both = *this;
  int64_t end = std::max(offset + extra, other.offset + other.extra);
  both.offset = std::min(offset, other.offset);
  both.extra = end - both.offset;
  return both;
}

int64_t Blocking::piecesOf(const OperandBlocks &operand) const {
  const auto *it =
      llvm::find_if(divided, [&](const DividedOperand &entry) { return entry.operand == operand; });
  return it == divided.end() ? 1 : it->pieces;
}

const Cut *Blocking::chunksOf(Operation *op) const {
  for (const Cut &cut : cuts)
    if (llvm::is_contained(cut.map->accumulating, op))
      return &cut;
  return nullptr;
}

} // namespace systole
