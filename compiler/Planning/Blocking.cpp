// How the operations of a kernel are cut into grid steps: cuts and blocks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Blocking.h"
#include "compiler/Graph/TensorTypes.h"
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
  auto it = dims.find(value);
  return it == dims.end() ? std::nullopt : std::optional(it->second);
}

const OffsetBlock *Cut::offsetBlockOf(OpOperand &operand) const {
  auto *it = llvm::find_if(offsetBlocks,
                           [&](const OffsetBlock &block) { return block.operand == &operand; });
  return it == offsetBlocks.end() ? nullptr : it;
}

std::optional<int64_t> Cut::dimOf(OpOperand &operand) const {
  if (offsetBlockOf(operand))
    return std::nullopt;
  auto own = ownDims.find(&operand);
  if (own == ownDims.end())
    return dimOf(operand.get());
  return own->second == kWhole ? std::nullopt : std::optional(own->second);
}

bool Blocking::hasOwnBlock(OpOperand &operand) const {
  return llvm::any_of(cuts, [&](const Cut &cut) { return cut.hasOwnBlock(operand); });
}

bool Blocking::isCut(OpOperand &operand) const {
  return llvm::any_of(
      cuts, [&](const Cut &cut) { return cut.dimOf(operand) || cut.offsetBlockOf(operand); });
}

SmallVector<int64_t> Blocking::blockShape(OpOperand &operand) const {
  SmallVector<int64_t> shape(typeOf(operand.get()).getShape());
  for (const Cut &cut : cuts)
    if (const OffsetBlock *block = cut.offsetBlockOf(operand))
      shape[block->dim] = block->size(cut.blockSize);
    else if (auto dim = cut.dimOf(operand))
      shape[*dim] = std::min(shape[*dim], cut.blockSize);
  return shape;
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
  auto addBlocks = [&](Value value, int64_t dim) {
    if (dim == kWhole || !isInHbm(value))
      return true;
    Rows rows(typeOf(value), dim);
    bool wholeVectors = vectors && !(rows.isLanes && rows.outer > 1);
    result = std::lcm(result, rows.elements(wholeVectors ? kSublanes : rows.packing));
    return rows.startsAligned();
  };
  for (auto [value, dim] : dims)
    if (!addBlocks(value, dim))
      return std::nullopt;
  for (auto [operand, dim] : ownDims)
    if (!addBlocks(operand->get(), dim))
      return std::nullopt;
  for (const OffsetBlock &block : offsetBlocks) {
    std::optional<int64_t> unit = block.unit();
    if (!unit)
      return std::nullopt;
    int64_t period = block.den * *unit;
    result = std::lcm(result, period / std::gcd(period, std::abs(block.num)));
  }
  return result;
}

std::optional<int64_t> OffsetBlock::unit() const {
  Rows rows(typeOf(value()), dim);
  return rows.startsAligned() ? std::optional(rows.elements(rows.packing)) : std::nullopt;
}

int64_t OffsetBlock::start(int64_t blockSize) const {
  // Blocks that have no unit are refused by Cut::quantum.
  int64_t step = unit().value_or(1);
  return llvm::divideFloorSigned(lowest(blockSize), step) * step;
}

int64_t OffsetBlock::size(int64_t blockSize) const {
  return llvm::alignTo(slack(blockSize) + blockSize * std::abs(num) / den + extra,
                       unit().value_or(1));
}

const Cut *Blocking::chunksOf(Operation *op) const {
  for (const Cut &cut : cuts)
    if (llvm::is_contained(cut.accumulating, op))
      return &cut;
  return nullptr;
}

} // namespace systole
