// Reductions too large for one step of a grid: the chunks in which they are done.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Chunks.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"

#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/ConvolutionPlan.h"
#include "compiler/Planning/FilterParts.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/SumOrder.h"
#include "dialects/Kernel/Kernel.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;

namespace systole {

namespace {

/// Deep contractions are summed in chunks around this depth: 512 columns of weights then
/// take 2 MiB, and a block of results stays for the whole depth.
constexpr int64_t kChunkDepth = 1024;
/// Where any division of the depth gives the same bits, chunks are multiples of this many elements.
constexpr int64_t kFreeChunkDepth = 2 * kLanes;
/// The arrays of a filter's gradient may take this much, else a chunk of the batch.
constexpr int64_t kWholeFilterBytes = 4 << 20;
constexpr int64_t kFilterChunkBytes = 2 << 20;
/// A step on whole images: two blocks of each array, the padded image, the gradient transposed.
constexpr int64_t kImageBytes = 7 << 19;
/// Cycles of a step beside its products.
constexpr double kFilterStepCycles = 1000;
/// How much slower the usual chunks, and a batch that is not divided in two, may be.
constexpr double kOtherChunkPrice = 1.15, kTwoKernelsPrice = 1.5;
/// And a step on windows of positions, with two blocks of each array and the padded image.
constexpr int64_t kFilterStepBytes = 3 * kWholeFilterBytes;

/// Whether chunks of `size` elements along `dim` start at whole rows of 512 bytes.
bool startsChunksAtRows(Value value, int64_t dim, int64_t size) {
  int64_t unit = rowUnit(typeOf(value), dim);
  return unit > 0 && size % unit == 0;
}

std::optional<Chunks> chunksOfDot(stablehlo::DotGeneralOp op) {
  int64_t dim = op.getLhsContractingDims().front();
  int64_t depth = typeOf(op.getLhs()).getDimSize(dim);
  Type element = typeOf(op).getElementType(), lhs = typeOf(op.getLhs()).getElementType();
  if (!(element.isF32() || element.isInteger(32)))
    return std::nullopt;
  bool hasPasses = (lhs.isF16() || lhs.isF32()) && !op->hasAttr(kernel::kSinglePassAttr);
  if (!hasPasses) {
    // A row of 512 bytes holds two such chunks of 8-bit elements.
    for (int64_t size : {kFreeChunkDepth, 2 * kFreeChunkDepth})
      if (depth > size && startsChunksAtRows(op.getLhs(), dim, size) &&
          startsChunksAtRows(op.getRhs(), op.getRhsContractingDims().front(), size))
        return Chunks{dim, size, /*operand=*/0, /*isFree=*/true};
    return std::nullopt;
  }
  // Several passes are apart within each chunk.
  if (!isDeep(op))
    return std::nullopt;
  // A depth that divides what there is, if one is near: nothing is left to mask. Of f16 two groups
  // of 128 lanes are a row of 512 bytes.
  int64_t size = kChunkDepth * 3 / 2, step = lhs.isF16() ? 2 * kLanes : kLanes;
  while (depth % size != 0 && size > kChunkDepth / 2)
    size -= step;
  if (depth % size != 0)
    size = kChunkDepth;
  return Chunks{dim, size};
}

/// A chunk of dimension `dim` of a filter's gradient that divides it and takes at most
/// `limit` bytes of what `bytes` are for all of it; one element if there is none.
std::optional<Chunks> chunkOfGradient(stablehlo::ConvolutionOp op, int64_t dim, int64_t bytes,
                                      int64_t limit) {
  int64_t extent = op.getRhs().getType().getDimSize(dim);
  for (int64_t size = extent - 1; size > 0; --size)
    if (extent % size == 0 && (bytes / extent * size <= limit || size == 1) &&
        startsChunksAtRows(op.getRhs(), dim, size) &&
        (dim > 0 || startsChunksAtRows(op.getLhs(), dim, size)))
      return Chunks{dim, size, /*operand=*/1};
  return std::nullopt;
}

bool isFilterGradient(stablehlo::ConvolutionOp op) {
  return formOf(op) == ConvolutionForm::Filter && op.getFeatureGroupCount() == 1;
}

/// Bytes of an image in VMEM, with elements of the window side by side if it has them so.
int64_t imageBytes(stablehlo::ConvolutionOp op) {
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  int64_t bytes = paddedBytes(lhs);
  if (LaneFold fold = laneFoldOf(op); fold.isNeeded())
    for (const FoldLevel &level :
         foldLevels(fold, lhs.getShape(), rhs.getShape().drop_front().drop_back()))
      bytes += blockBytes(level.shape, lhs.getElementType());
  return bytes;
}

/// Cycles of all images of a filter's gradient in chunks of `size`: of their products, or of HBM,
/// which moves a row in about a cycle.
double cyclesInChunks(stablehlo::ConvolutionOp op, int64_t size) {
  RankedTensorType gradient = op.getRhs().getType();
  int64_t images = gradient.getDimSize(0);
  double rows = double(paddedBytes(op.getLhs().getType()) + paddedBytes(gradient)) / kRowBytes;
  SmallVector<int64_t> shape(gradient.getShape().drop_back());
  double cycles = 0;
  for (auto [count, own] :
       {std::pair(images / size, size), {int64_t(images % size > 0), images % size}})
    if (count > 0) {
      shape.front() = own;
      double products = filterCycles(op, shape), moved = rows * double(own) / double(images);
      cycles += double(count) * (std::max(products, moved) + kFilterStepCycles);
    }
  return cycles;
}

/// The size of chunks of the batch: as many images as fit beside what makes the operands, or those
/// that take clearly fewer cycles and fit by themselves. They divide the batch if `divides`.
std::optional<int64_t> bestChunk(stablehlo::ConvolutionOp op, bool divides) {
  int64_t images = op.getRhs().getType().getDimSize(0);
  int64_t bytes = imageBytes(op) + paddedBytes(op.getRhs().getType());
  auto isLegal = [&](int64_t size) {
    return (!divides || images % size == 0) && startsChunksAtRows(op.getRhs(), 0, size) &&
           startsChunksAtRows(op.getLhs(), 0, size);
  };
  int64_t most = std::min(images - 1, kImageBytes * images / bytes);
  int64_t usual = std::min(most, std::max<int64_t>(1, kFilterChunkBytes * images / bytes));
  while (usual > 0 && !isLegal(usual))
    --usual;
  if (usual <= 0)
    return std::nullopt;
  int64_t best = usual;
  double least = cyclesInChunks(op, usual) / kOtherChunkPrice;
  for (int64_t size = most; size > 0; --size)
    if (isLegal(size))
      if (double cycles = cyclesInChunks(op, size); cycles < least) {
        least = cycles;
        best = size;
      }
  return best;
}

/// Elements of the image along `dim` that the windows of `positions` see, padding included.
int64_t elementsSeen(stablehlo::ConvolutionOp op, int64_t dim, int64_t positions) {
  if (dim == 0)
    return positions;
  const stablehlo::ConvolutionOp::Window window = op.getWindow()[dim - 1];
  return (positions - 1) * window.rhsDilation +
         (op.getType().getDimSize(dim - 1) - 1) * window.stride + 1;
}

/// Bytes of the image and of the gradient that a chunk has in VMEM.
struct FilterBytes {
  explicit FilterBytes(stablehlo::ConvolutionOp op)
      : op(op), image(imageBytes(op)), gradient(paddedBytes(op.getRhs().getType())) {}
  int64_t all() const { return image + gradient; }
  /// Leaves `chunk` of them. Windows of neighbouring positions overlap, so less may be left out
  /// than it seems.
  void cut(const Chunks &chunk) {
    int64_t rows = op.getLhs().getType().getDimSize(chunk.dim);
    image = image / rows * std::min(rows, elementsSeen(op, chunk.dim, chunk.size));
    gradient = gradient / op.getRhs().getType().getDimSize(chunk.dim) * chunk.size;
  }

  stablehlo::ConvolutionOp op;
  int64_t image, gradient;
};

/// The batch whose gradients a filter sums at once; if those of one image are too many, positions
/// too, along as many dimensions as it takes.
SmallVector<Chunks, 2> chunksOfFilter(stablehlo::ConvolutionOp op) {
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  Type element = op.getType().getElementType();
  bool isWide = element.isF32() || element.isInteger(32);
  SmallVector<Chunks, 2> chunks;
  bool isGradient = formOf(op) == ConvolutionForm::ChannelFilter || isFilterGradient(op);
  if (!isGradient || !isWide)
    return chunks;
  FilterBytes bytes(op);
  if (bytes.image == 0 || bytes.gradient == 0 || bytes.all() <= kWholeFilterBytes)
    return chunks;
  if (isFilterGradient(op))
    if (std::optional<int64_t> size = bestChunk(op, /*divides=*/true))
      return {Chunks{0, *size, /*operand=*/1}};
  // What windows of all positions see, padding included.
  int64_t padded = paddedBytes(lhs);
  for (int64_t dim = 0; dim + 1 < rhs.getRank(); ++dim)
    padded = padded / lhs.getDimSize(dim) * elementsSeen(op, dim, rhs.getDimSize(dim));

  bool fits = false;
  for (int64_t dim = 0; dim + 1 < rhs.getRank() && !fits; ++dim) {
    int64_t extent = rhs.getDimSize(dim);
    if (extent == 1)
      continue;
    std::optional<Chunks> chunk = chunkOfGradient(op, dim, bytes.all(), kFilterChunkBytes);
    if (!chunk)
      break;
    chunks.push_back(*chunk);
    bytes.cut(*chunk);
    padded = padded / elementsSeen(op, dim, extent) * elementsSeen(op, dim, chunk->size);
    fits = dim == 0 ? bytes.all() <= kImageBytes : 2 * bytes.all() + padded <= kFilterStepBytes;
  }
  return chunks;
}

/// Cycles of all positions along the dimension of the last of `chunks` in chunks of `size`, of
/// which the last may be shorter: of their products, or of HBM.
double cyclesOfPositions(stablehlo::ConvolutionOp op, ArrayRef<Chunks> chunks, int64_t size) {
  int64_t dim = chunks.back().dim, extent = op.getRhs().getType().getDimSize(dim);
  SmallVector<int64_t> shape(op.getRhs().getType().getShape().drop_back());
  for (const Chunks &chunk : chunks)
    shape[chunk.dim] = chunk.size;
  double cycles = 0;
  for (auto [count, own] :
       {std::pair(extent / size, size), {int64_t(extent % size > 0), extent % size}})
    if (count > 0) {
      FilterBytes bytes(op);
      for (const Chunks &chunk : chunks.drop_back())
        bytes.cut(chunk);
      bytes.cut({dim, own});
      shape[dim] = own;
      double moved = double(bytes.all()) / kRowBytes;
      cycles += double(count) * (std::max(filterCycles(op, shape), moved) + kFilterStepCycles);
    }
  return cycles;
}

/// As `positionsForChunks`, of one image's positions.
std::optional<FirstPositions> rowsForChunks(stablehlo::ConvolutionOp op, ArrayRef<Chunks> chunks) {
  int64_t dim = chunks.back().dim, extent = op.getRhs().getType().getDimSize(dim), best = 0;
  FilterBytes bytes(op);
  for (const Chunks &chunk : chunks.drop_back())
    bytes.cut(chunk);
  double least = cyclesOfPositions(op, chunks, chunks.back().size) / kTwoKernelsPrice;
  for (int64_t size = extent - 1; size > 0; --size)
    if (extent % size != 0 && bytes.all() / extent * size <= kFilterChunkBytes &&
        startsChunksAtRows(op.getRhs(), dim, size) && startsChunksAtRows(op.getLhs(), dim, size))
      if (double cycles = cyclesOfPositions(op, chunks, size); cycles < least) {
        least = cycles;
        best = size;
      }
  return best > 0 ? std::optional(FirstPositions{dim, extent / best * best}) : std::nullopt;
}

} // namespace

std::optional<FirstPositions> positionsForChunks(stablehlo::ConvolutionOp op) {
  if (!isFilterGradient(op))
    return std::nullopt;
  SmallVector<Chunks, 2> chunks = chunksOf(op);
  if (chunks.empty())
    return std::nullopt;
  if (chunks.back().dim > 0)
    return rowsForChunks(op, chunks);
  int64_t images = op.getRhs().getType().getDimSize(0), even = chunks.back().size;
  std::optional<int64_t> uneven = bestChunk(op, /*divides=*/false);
  if (!uneven || images % *uneven == 0)
    return std::nullopt;
  bool isFaster = cyclesInChunks(op, *uneven) * kTwoKernelsPrice < cyclesInChunks(op, even);
  return isFaster ? std::optional(FirstPositions{0, images / *uneven * *uneven}) : std::nullopt;
}

bool staysForChunks(Operation *op) { return op->getNumResults() > 1 && !chunksOf(op).empty(); }

SmallVector<Chunks, 2> chunksOf(Operation *op) {
  std::optional<Chunks> chunks;
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
    kernel::OrderAttr order = orderOf(reduce);
    SmallVector<Chunks, 2> all;
    for (auto [dim, size] : llvm::zip_equal(order.chunkedDims(), order.chunkSizes()))
      all.push_back({dim, size});
    return all;
  } else if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
    chunks = chunksOfDot(dot);
  } else if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op)) {
    return chunksOfFilter(convolution);
  }
  return chunks ? SmallVector<Chunks, 2>{*chunks} : SmallVector<Chunks, 2>();
}

} // namespace systole
