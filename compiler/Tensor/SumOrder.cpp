// The order in which a reduction combines its elements.
// See docs/decisions/order-and-precision-of-sums.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/SumOrder.h"

#include "compiler/Tensor/Identities.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace mlir;

namespace systole {

namespace {

using namespace stablehlo;

/// What is reduced to one element, or to one row of 128 lanes, may take this much as 32-bit cells;
/// of more, chunks are reduced. Steps of a grid take whole chunks, several of them if they are
/// small. Chunks along the lanes are larger, since each ends with a row of 128 or 1,024 partial
/// results.
constexpr int64_t kWholeBytes = 2 << 20, kChunkBytes = 512 << 10, kLaneChunkBytes = 1 << 20;
/// 128 rows, of which nothing but the elements along the lanes are reduced: VMEM has room for two
/// arrays of them, double buffered, so that a norm is one kernel.
constexpr int64_t kWholeRowBytes = 15 << 18;
/// The same for all results along the lanes together: a kernel that has whole rows, too, as that of
/// a norm's gradient, holds a chunk of each array. Of wide rows a chunk has 512 at least.
constexpr int64_t kWidestWholeBytes = 8 << 20, kWidestChunkBytes = 2 << 20;
constexpr int64_t kLeastChunkBytes = 256 << 10;

/// Whether any order of combination gives the same bits.
bool isExact(ReduceOp op) {
  Block &body = op.getBody().front();
  // Selections by position, which is compared where elements are equal.
  if (llvm::any_of(body, [](Operation &inner) { return inner.hasAttr(kernel::kAscendingAttr); }))
    return true;
  SmallVector<Operation *, 2> combiners = combinersOf(body);
  return !combiners.empty() && llvm::all_of(combiners, [](Operation *combiner) {
    bool isInteger = typeOf(combiner->getResult(0)).getElementType().isInteger();
    return isa<MinOp, MaxOp, AndOp, OrOp, XorOp>(combiner) ||
           (isInteger && isa<AddOp, MulOp>(combiner));
  });
}

struct Chunk {
  int64_t dim, size;
};

/// Chooses the chunks of a reduction from the shape of its operand as it lies.
class ChunkChoice {
public:
  /// `bitsOfAll`: of an element of each input together, as they are in memory.
  ChunkChoice(ArrayRef<int64_t> shape, ArrayRef<bool> reduced, bool hasIdentity, int64_t bitsOfAll)
      : shape(shape), reduced(reduced), last(static_cast<int64_t>(shape.size()) - 1),
        hasIdentity(hasIdentity), bitsOfAll(bitsOfAll) {}

  /// The dimensions in chunks, the outermost first.
  SmallVector<Chunk> run() {
    int64_t bytes = bytesOfAll(), groups = resultGroups();
    const bool isAlongLanes = reduced[last] && shape[last] > 1;
    if (bytes <= (isAlongLanes && !hasInner(-1) ? kWholeRowBytes : kWholeBytes) &&
        bytes * groups <= kWidestWholeBytes)
      return {};
    int64_t most = isAlongLanes
                       ? kLaneChunkBytes
                       : std::clamp(kWidestChunkBytes / groups, kLeastChunkBytes, kChunkBytes);
    auto [chunks, chunkBytes] = choose(bytes, most, /*divideRows=*/false);
    // VMEM has to have room for two of them.
    if (isAlongLanes && chunkBytes / kCellBytes * bitsOfAll / 8 > 2 * kWholeRowBytes)
      chunks = choose(bytes, most, /*divideRows=*/true).chunks;
    return chunks;
  }

private:
  struct Choice {
    SmallVector<Chunk> chunks;
    int64_t bytes; ///< of one chunk, or of all if there are none
  };

  /// Chunks of at most `most` of all `bytes`, if there are any. With `divideRows` a row may be in
  /// several of them.
  Choice choose(int64_t bytes, int64_t most, bool divideRows) const {
    SmallVector<Chunk> chunks;
    // Where no chunk of one dimension is small enough, the one of which it is smallest.
    Chunk smallest = {-1, 0};
    int64_t smallestBytes = bytes;
    for (int64_t d = 0; d <= last && bytes > most; ++d) {
      if (!reduced[d] || shape[d] == 1)
        continue;
      int64_t perIndex = llvm::divideCeil(bytes, shape[d]), quantum = quantumOf(d, perIndex);
      // One index at a time, and chunks of the dimensions inside of it.
      if (perIndex > most && (hasInner(d) || (divideRows && d < last))) {
        chunks.push_back({d, 1});
        bytes = smallestBytes = perIndex;
        smallest = {-1, 0};
        continue;
      }
      int64_t size = sizeOf(shape[d], quantum, std::max<int64_t>(1, most / perIndex));
      if (size >= shape[d] || size * perIndex >= smallestBytes)
        continue;
      smallest = {d, size};
      smallestBytes = size * perIndex;
      if (smallestBytes <= most)
        break;
    }
    if (smallest.dim >= 0)
      chunks.push_back(smallest);
    return {chunks, smallestBytes};
  }

  /// Whether rows inside of dimension `d` are reduced.
  bool hasInner(int64_t d) const {
    for (int64_t inner = d + 1; inner < last; ++inner)
      if (reduced[inner] && shape[inner] > 1)
        return true;
    return false;
  }

  /// Cells of what is reduced to one element, or to one row of 128 lanes, in bytes.
  int64_t bytesOfAll() const {
    int64_t cells = 1, lastKept = -1;
    for (auto [d, size] : llvm::enumerate(shape)) {
      if (!reduced[d])
        lastKept = d;
      else
        cells *= static_cast<int64_t>(d) == last ? llvm::alignTo(size, kLanes) : size;
    }
    if (lastKept >= 0)
      cells *= lastKept == last ? kLanes : std::min(kLanes, shape[lastKept]);
    return cells * kCellBytes;
  }

  /// Groups of 128 results along the lanes.
  int64_t resultGroups() const { return reduced[last] ? 1 : llvm::divideCeil(shape[last], kLanes); }

  /// Chunks are multiples of this: whole vector registers. An index takes `perIndex` bytes.
  int64_t quantumOf(int64_t d, int64_t perIndex) const {
    if (d == last)
      return kSublanes * kLanes;
    int64_t rowsInside = llvm::divideCeil(shape[last], kLanes);
    for (int64_t inner = d + 1; inner < last; ++inner)
      rowsInside *= shape[inner];
    int64_t quantum = kSublanes / std::gcd(kSublanes, rowsInside);
    // Statistics of the rows lie along the lanes, if VMEM has room for so many rows.
    const int64_t lanes = std::lcm(quantum, kLanes);
    return d + 1 == last && shape[d] > kLanes && lanes * perIndex <= kWidestWholeBytes ? lanes
                                                                                       : quantum;
  }

  /// At most `most` indices if the quantum allows it, as a divisor of `extent` if one is near. What
  /// stands beyond the end of a shorter last chunk takes no part; without an identity that costs a
  /// selection for each result, so that any divisor is preferred.
  int64_t sizeOf(int64_t extent, int64_t quantum, int64_t most) const {
    int64_t size = std::max<int64_t>(quantum, llvm::alignDown(most, quantum)), even = size;
    while (even > quantum && extent % even != 0)
      even -= quantum;
    bool isNear = 2 * even >= size || !hasIdentity;
    return extent % even == 0 && isNear ? even : size;
  }

  ArrayRef<int64_t> shape;
  ArrayRef<bool> reduced;
  int64_t last;
  bool hasIdentity;
  int64_t bitsOfAll;
};

/// Bits of an element as it is in memory: sums of narrow floats convert them first.
int64_t bitsInMemory(Value input) {
  unsigned bits = typeOf(input).getElementTypeBitWidth();
  if (auto convert = input.getDefiningOp<ConvertOp>())
    bits = std::min(bits, typeOf(Value(convert.getOperand())).getElementTypeBitWidth());
  return std::max(bits, 8u);
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
  // Rows that share a row of 128 lanes (dialects/Layout/EntryLayout.h).
  if (int64_t tile = rowTile({lying.data(), lying.size()});
      tile > 1 && !lyingReduced.back() && !lyingReduced[lying.size() - 2]) {
    lying[lying.size() - 2] /= tile;
    lying.back() *= tile;
  }
  int64_t tree = -1, partials = kLanes;
  bool isEmpty = type.getNumElements() == 0, isAny = isExact(op);
  if (!rows.empty() && !isAny) {
    tree = llvm::is_contained(rows, layout.back()) ? layout.back() : rows.front();
    llvm::erase(rows, tree);
    if (kept == 1 && tree == layout.back() && shape[tree] >= kSublanes * kLanes)
      partials = kSublanes * kLanes;
  }
  SmallVector<int64_t> chunked, chunk;
  int64_t bitsOfAll = 0;
  for (Value input : op.getInputs())
    bitsOfAll += bitsInMemory(input);
  if (!isEmpty)
    for (auto [dim, size] :
         ChunkChoice(lying, lyingReduced, !identitiesOf(op).empty(), bitsOfAll).run()) {
      chunked.push_back(layout[dim]);
      chunk.push_back(size);
    }
  MLIRContext *context = op.getContext();
  auto list = [&](ArrayRef<int64_t> values) {
    return values.empty() ? DenseI64ArrayAttr() : DenseI64ArrayAttr::get(context, values);
  };
  return kernel::OrderAttr::get(context, DenseI64ArrayAttr::get(context, rows), tree, partials,
                                list(chunked), list(chunk), isAny);
}

kernel::OrderAttr orderOf(ReduceOp op) {
  if (auto order = op->getAttrOfType<kernel::OrderAttr>(kernel::kOrderAttr))
    return order;
  auto rowMajor = llvm::to_vector(llvm::seq<int64_t>(typeOf(op.getInputs().front()).getRank()));
  return orderIn(op, rowMajor);
}

bool isKept(kernel::OrderAttr order, int64_t lanes) {
  // DMA divides rows at multiples of 128 elements.
  for (auto [dim, size] : llvm::zip_equal(order.chunkedDims(), order.chunkSizes()))
    if (dim == lanes && size % kLanes != 0)
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
  } else if (const int64_t *dim = llvm::find_if(
                 order.chunkedDims(), [&](int64_t d) { return !llvm::is_contained(expected, d); });
             dim != order.chunkedDims().end()) {
    out << "its order has chunks of dimension " << *dim << ", which is not reduced";
  } else if (int64_t lanes = type.getRank() - 1; lanes >= 0 && !isKept(order, lanes)) {
    out << "dimension " << lanes << " lies along the lanes, and its order is " << order;
  }
  return text;
}

TypedAttr identityOf(ReduceOp op) {
  SmallVector<TypedAttr, 2> identities = identitiesOf(op);
  return identities.size() == 1 ? identities.front() : nullptr;
}

SmallVector<TypedAttr, 2> identitiesOf(ReduceOp op) {
  SmallVector<TypedAttr, 2> identities;
  for (Operation *combiner : combinersOf(op.getBody().front())) {
    identities.push_back(identityOf(combiner));
    if (!identities.back())
      return {};
  }
  return identities;
}

} // namespace systole
