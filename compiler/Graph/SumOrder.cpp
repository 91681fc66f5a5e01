// The order in which a reduction combines its elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/SumOrder.h"

#include "compiler/Graph/Identities.h"
#include "compiler/Graph/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace mlir;

namespace systole {

namespace {

using namespace stablehlo;

/// What is reduced to one element, or to one row of 128 lanes, may take this much as 32-bit cells;
/// of more, chunks are reduced.
constexpr int64_t kWholeSliceBytes = 2 << 20;
constexpr int64_t kChunkBytes = 1 << 20;

/// Whether any order of combination gives the same bits.
bool isExact(ReduceOp op) {
  Block &body = op.getBody().front();
  // Selections by position, which is compared where elements are equal.
  if (llvm::any_of(body, [](Operation &inner) { return inner.hasAttr(kernel::kAscendingAttr); }))
    return true;
  Operation *combiner = combinerOf(body);
  if (!combiner)
    return false;
  bool isInteger = typeOf(combiner->getResult(0)).getElementType().isInteger();
  return isa<MinOp, MaxOp, AndOp, OrOp, XorOp>(combiner) ||
         (isInteger && isa<AddOp, MulOp>(combiner));
}

struct Chunk {
  int64_t dim = -1, size = 0;
};

/// The chunks of a reduction over `reduced`, of an operand whose shape as it lies is `shape`.
Chunk chunkOf(ArrayRef<int64_t> shape, ArrayRef<bool> reduced, bool hasIdentity) {
  int64_t last = shape.size() - 1, cells = 1, lastKept = -1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!reduced[d])
      lastKept = d;
    else
      cells *= static_cast<int64_t>(d) == last ? llvm::alignTo(size, kLanes) : size;
  }
  if (lastKept >= 0)
    cells *= lastKept == last ? kLanes : std::min(kLanes, shape[lastKept]);
  int64_t bytes = cells * kCellBytes;
  Chunk best;
  if (bytes <= kWholeSliceBytes)
    return best;
  // The outermost dimension of which a chunk is small enough, else the one of which it is
  // smallest.
  int64_t bestBytes = INT64_MAX;
  for (auto [d, extent] : llvm::enumerate(shape)) {
    if (!reduced[d])
      continue;
    int64_t rowsInside = llvm::divideCeil(shape[last], kLanes);
    for (int64_t inner = d + 1; inner < last; ++inner)
      rowsInside *= shape[inner];
    int64_t quantum = static_cast<int64_t>(d) == last ? kSublanes * kLanes
                                                      : kSublanes / std::gcd(kSublanes, rowsInside);
    int64_t perIndex = llvm::divideCeil(bytes, extent);
    int64_t size = std::max<int64_t>(quantum, llvm::alignDown(kChunkBytes / perIndex, quantum));
    // What stands beyond the end of a shorter last chunk takes no part; without an identity that
    // costs a selection for each result.
    if (!hasIdentity) {
      int64_t even = size;
      while (even > quantum && extent % even != 0)
        even -= quantum;
      size = extent % even == 0 ? even : size;
    }
    if (size >= extent || size * perIndex >= bestBytes)
      continue;
    bestBytes = size * perIndex;
    best = {static_cast<int64_t>(d), size};
    if (bestBytes <= kChunkBytes)
      break;
  }
  return best;
}

} // namespace

kernel::OrderAttr orderIn(ReduceOp op, ArrayRef<int64_t> layout) {
  RankedTensorType type = typeOf(op.getInputs().front());
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> rows, lying;
  SmallVector<bool> reduced(shape.size(), false), lyingReduced;
  for (int64_t d : op.getDimensions())
    reduced[d] = true;
  int64_t kept = 1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!reduced[d])
      kept *= size;
    else if (size != 1)
      rows.push_back(d);
  }
  for (int64_t d : layout) {
    lying.push_back(shape[d]);
    lyingReduced.push_back(reduced[d]);
  }
  int64_t tree = -1, partials = kLanes;
  bool isEmpty = type.getNumElements() == 0, isAny = isExact(op);
  if (!rows.empty() && !isAny) {
    tree = llvm::is_contained(rows, layout.back()) ? layout.back() : rows.front();
    llvm::erase(rows, tree);
    if (kept == 1 && tree == layout.back() && shape[tree] >= kSublanes * kLanes)
      partials = kSublanes * kLanes;
  }
  Chunk chunk;
  if (!isEmpty)
    chunk = chunkOf(lying, lyingReduced, identityOf(op) != nullptr);
  MLIRContext *context = op.getContext();
  return kernel::OrderAttr::get(context, DenseI64ArrayAttr::get(context, rows), tree, partials,
                                chunk.dim < 0 ? -1 : layout[chunk.dim], chunk.size, isAny);
}

kernel::OrderAttr orderOf(ReduceOp op) {
  if (auto order = op->getAttrOfType<kernel::OrderAttr>(kernel::kOrderAttr))
    return order;
  auto rowMajor = llvm::to_vector(llvm::seq<int64_t>(typeOf(op.getInputs().front()).getRank()));
  return orderIn(op, rowMajor);
}

bool isKept(kernel::OrderAttr order, int64_t lanes) {
  // DMA divides rows at multiples of 128 elements.
  if (order.getChunked() == lanes && order.getChunk() % kLanes != 0)
    return false;
  if (order.getAny())
    return true;
  bool isVector = order.getPartials() > kLanes;
  return (!isVector || order.getTree() == lanes) &&
         !llvm::is_contained(order.getRows().asArrayRef(), lanes);
}

std::string orderProblemOf(ReduceOp op) {
  kernel::OrderAttr order = orderOf(op);
  RankedTensorType type = typeOf(op.getInputs().front());
  SmallVector<int64_t> expected, found = order.getDims();
  for (int64_t d : op.getDimensions())
    if (type.getDimSize(d) != 1)
      expected.push_back(d);
  llvm::sort(expected);
  llvm::sort(found);
  std::string text;
  llvm::raw_string_ostream out(text);
  auto list = [&](ArrayRef<int64_t> dims) {
    out << '[';
    llvm::interleaveComma(dims, out);
    out << ']';
  };
  if (expected != found) {
    out << "it reduces dimensions ";
    list(expected);
    out << "; its order is of ";
    list(found);
  } else if (order.getChunked() >= 0 && !llvm::is_contained(expected, order.getChunked())) {
    out << "its order has chunks of dimension " << order.getChunked() << ", which is not reduced";
  } else if (int64_t lanes = type.getRank() - 1; lanes >= 0 && !isKept(order, lanes)) {
    out << "dimension " << lanes << " lies along the lanes, and its order is " << order;
  }
  return text;
}

TypedAttr identityOf(ReduceOp op) {
  Operation *combiner = combinerOf(op.getBody().front());
  return combiner && op->getNumResults() == 1 ? identityOf(combiner) : nullptr;
}

} // namespace systole
