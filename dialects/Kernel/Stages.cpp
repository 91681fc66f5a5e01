// Verifiers of the stages of a kernel's body.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Bounds.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace systole;
using namespace systole::kernel;

static LogicalResult verifyVmem(Operation *op, ValueRange buffers) {
  for (Value buffer : buffers)
    if (cast<BufferType>(buffer.getType()).getSpace() != Space::vmem)
      return op->emitOpError() << "expects buffers in vmem, found " << buffer.getType();
  return success();
}

// Whether `type` is the type of an element of `buffer` in a stage's body.
static bool isElementOf(Type type, Value buffer) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         tensor.getElementType() == cast<BufferType>(buffer.getType()).getElementType();
}

static LogicalResult verifyArguments(Operation *op, Block &block, ValueRange buffers,
                                     StringRef what) {
  if (block.getNumArguments() != buffers.size())
    return op->emitOpError() << "expects " << buffers.size() << " arguments of its " << what
                             << ", found " << block.getNumArguments();
  for (auto [argument, buffer] : llvm::zip_equal(block.getArguments(), buffers))
    if (!isElementOf(argument.getType(), buffer))
      return op->emitOpError() << "expects argument " << argument.getArgNumber() << " of its "
                               << what << " to be a rank-0 tensor of the buffer's elements, found "
                               << argument.getType();
  return success();
}

static LogicalResult verifyYield(Operation *op, Block &block, ValueRange outputs, StringRef what) {
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError() << "expects its " << what << " to end in kernel.yield";
  if (yield.getValues().size() != outputs.size())
    return yield.emitOpError() << "expects " << outputs.size() << " values, found "
                               << yield.getValues().size();
  for (auto [value, output] : llvm::zip_equal(yield.getValues(), outputs))
    if (!isElementOf(value.getType(), output))
      return yield.emitOpError() << "expects rank-0 tensors of the outputs' elements, found "
                                 << value.getType();
  return success();
}

// Verifies the maps from the space `sizes` to each input: distinct dimensions with factors and
// offsets, or constants; along the lanes a dimension without either, of which the space's last one,
// if it is along the lanes (`hasLanes`), occurs nowhere else.
static LogicalResult verifyMaps(Operation *op, ArrayAttr maps, ValueRange inputs,
                                ArrayRef<int64_t> sizes, bool hasLanes) {
  if (maps.size() != inputs.size())
    return op->emitOpError() << "expects " << inputs.size() << " maps, found " << maps.size();
  bool isEmpty = llvm::is_contained(sizes, 0);
  for (auto [number, attr, input] : llvm::enumerate(maps, inputs)) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    BufferType type = cast<BufferType>(input.getType());
    if (map.getNumDims() != sizes.size() || map.getNumSymbols() ||
        static_cast<int64_t>(map.getNumResults()) != type.getRank())
      return op->emitOpError() << "expects map " << number << " to go from " << sizes.size()
                               << " dimensions to " << type.getRank() << ", found " << attr;
    SmallVector<bool> used(sizes.size());
    for (auto [position, result] : llvm::enumerate(map.getResults())) {
      int64_t extent = type.getShape()[position];
      bool isLast = position + 1 == map.getNumResults() && !type.getReplicated();
      std::optional<LinearIndex> index = linearIndexOf(result);
      bool isPlain = index && index->offset == 0 && index->factor <= 1;
      if (!index || (isLast && !isPlain) || (index->dim && used[*index->dim]))
        return op->emitOpError() << "expects the results of map " << number
                                 << " to be distinct dimensions, with factors and offsets but for "
                                    "the last one, or constants, found "
                                 << attr;
      if (index->dim)
        used[*index->dim] = true;
      int64_t count = index->dim ? sizes[*index->dim] : 1;
      if (!isEmpty && index->offset + (count - 1) * index->factor >= extent)
        return op->emitOpError() << "expects map " << number << " to stay within dimension "
                                 << position << " of its input, found " << count << " indices of "
                                 << extent;
      if (isLast && index->dim && count != extent)
        return op->emitOpError() << "expects the last dimension of input " << number
                                 << " to be as long as dimension " << *index->dim
                                 << " of the index space, found " << extent << " and " << count;
      if (!isLast && hasLanes && index->dim && *index->dim + 1 == sizes.size() && count > 1)
        return op->emitOpError() << "expects the last dimension to be a map's last result; map "
                                 << number << " is a transposition";
    }
  }
  return success();
}

LogicalResult MapOp::verify() {
  if (getOutputs().empty())
    return emitOpError("expects at least one output");
  if (failed(verifyVmem(*this, getOperands())))
    return failure();
  auto first = cast<BufferType>(getOutputs()[0].getType());
  ArrayRef<int64_t> shape = first.getShape();
  for (Value output : getOutputs()) {
    auto type = cast<BufferType>(output.getType());
    if (type.getShape() != shape || type.getReplicated() != first.getReplicated())
      return emitOpError("expects outputs of one shape, all of them replicated or none");
  }
  if (failed(verifyMaps(*this, getMaps(), getInputs(), shape, !first.getReplicated())))
    return failure();
  for (auto [number, output] : llvm::enumerate(getOutputs())) {
    if (llvm::is_contained(getOutputs().drop_front(number + 1), output))
      return emitOpError("expects distinct outputs");
    for (auto [input, attr] : llvm::zip_equal(getInputs(), getMaps()))
      if (input == output && !cast<AffineMapAttr>(attr).getValue().isIdentity())
        return emitOpError("expects the identity as map of an input that is also an output");
  }
  Block &body = getBody().front();
  if (failed(verifyArguments(*this, body, getInputs(), "body")))
    return failure();
  return verifyYield(*this, body, getOutputs(), "body");
}

/// Which dimensions a reduction may combine at once, and in how many partial results.
static LogicalResult verifyPartials(ReduceOp op) {
  ArrayRef<int64_t> sizes = op.getSizes();
  int64_t rows = 1, others = 1, rowDims = 0, last = static_cast<int64_t>(sizes.size()) - 1;
  bool reducesLanes = false;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    bool isReduced = llvm::is_contained(op.getDims(), static_cast<int64_t>(dim));
    bool isLast = static_cast<int64_t>(dim) == last;
    reducesLanes |= isReduced && isLast && size > 1;
    (isReduced && !isLast ? rows : others) *= isReduced && isLast ? 1 : size;
    rowDims += isReduced && !isLast && size > 1;
  }
  int64_t partials = op.getPartials();
  bool isVector = partials == kSublanes * kLanes && reducesLanes && sizes[last] >= partials &&
                  rows == 1 && others == 1;
  bool isTree = partials == kLanes && !reducesLanes && rowDims <= 1;
  if (partials != kSublanes && !isTree && !isVector)
    return op.emitOpError() << "expects 8 partial results, 128 of one dimension of rows, or 1024 "
                               "of at least as many elements where all lie along the last "
                               "dimension, found "
                            << partials;
  if (rows > 1 && reducesLanes && sizes[last] > kLanes)
    return op.emitOpError() << "expects at most 128 elements along a last dimension that is "
                               "reduced together with others, found "
                            << sizes[last];
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getOutputs().empty() || (!getInits().empty() && getInits().size() != getOutputs().size()))
    return emitOpError()
           << "expects at least one output, and no initial values or one for each, found "
           << getInits().size() << " and " << getOutputs().size();
  if (failed(verifyVmem(*this, getOperands())))
    return failure();
  ArrayRef<int64_t> sizes = getSizes(), dims = getDims();
  if (llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
    return emitOpError("expects sizes of at least 0");
  for (auto [number, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= static_cast<int64_t>(sizes.size()) || (number && dims[number - 1] >= dim))
      return emitOpError() << "expects reduced dimensions in ascending order below " << sizes.size()
                           << ", found [" << dims << "]";
  if (failed(verifyMaps(*this, getMaps(), getInputs(), sizes, /*hasLanes=*/true)))
    return failure();
  bool reducesLanes = !dims.empty() && dims.back() + 1 == static_cast<int64_t>(sizes.size());
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      shape.push_back(size);
  if (failed(verifyPartials(*this)))
    return failure();
  for (Value output : getOutputs()) {
    auto type = cast<BufferType>(output.getType());
    if (type.getShape() != ArrayRef<int64_t>(shape))
      return emitOpError() << "expects outputs of shape [" << shape << "], found " << type;
    if (type.getReplicated() && !reducesLanes)
      return emitOpError("expects replicated outputs only where lanes are reduced");
  }
  for (auto [init, output] : llvm::zip(getInits(), getOutputs())) {
    auto type = cast<BufferType>(output.getType());
    auto expected = BufferType::get(getContext(), {}, type.getElementType(), Space::vmem);
    if (init.getType() != expected)
      return emitOpError() << "expects an initial value of type " << expected << ", found "
                           << init.getType();
  }
  for (auto [number, output] : llvm::enumerate(getOutputs()))
    if (llvm::is_contained(getOutputs().drop_front(number + 1), output) ||
        llvm::is_contained(getInputs(), output) || llvm::is_contained(getInits(), output))
      return emitOpError("expects outputs that are no other operand");
  if (failed(verifyArguments(*this, getBody().front(), getInputs(), "body")) ||
      failed(verifyYield(*this, getBody().front(), getOutputs(), "body")))
    return failure();
  SmallVector<Value> both(getOutputs());
  llvm::append_range(both, getOutputs());
  if (failed(verifyArguments(*this, getCombiner().front(), both, "combiner")))
    return failure();
  return verifyYield(*this, getCombiner().front(), getOutputs(), "combiner");
}

// Other operations know buffers with rows along the lanes only.
static LogicalResult verifyUses(Operation *op, BufferType type) {
  if (type.getReplicated())
    for (Operation *user : op->getUsers())
      if (!isa<MapOp, ReduceOp, ViewOp>(user))
        return user->emitOpError() << "expects no replicated buffer, found " << type;
  return success();
}

LogicalResult AllocOp::verify() {
  if (failed(verifyUses(*this, getType())))
    return failure();
  if (getResult().getType().getSpace() == Space::hbm)
    return emitOpError() << "expects a buffer in vmem or smem, found " << getResult().getType();
  if (getBuffers() == 1)
    return success();
  if (getResult().getType().getSpace() != Space::vmem)
    return emitOpError() << "expects several buffers to be in vmem, found "
                         << getResult().getType();
  for (Operation *user : getResult().getUsers())
    if (!isa<SlotOp>(user))
      return emitOpError() << "expects kernel.slot to choose one of its buffers, found "
                           << user->getName();
  return success();
}

LogicalResult LoadScalarOp::verify() {
  BufferType type = getBuffer().getType();
  if (type.getSpace() != Space::smem ||
      (!type.getElementType().isInteger() && !type.getElementType().isF32()))
    return emitOpError() << "expects a buffer of integers or f32 in smem, found " << type;
  if (static_cast<int64_t>(getIndices().size()) != type.getRank())
    return emitOpError() << "expects " << type.getRank() << " indices, found "
                         << getIndices().size();
  return success();
}

// An i32 or ui32 rank-0 tensor, the type of a sequencer scalar as an element.
static LogicalResult verifyIndexElement(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.getRank() == 0 && tensor.getElementType().isInteger() &&
      tensor.getElementType().getIntOrFloatBitWidth() == 32)
    return success();
  return op->emitOpError() << "expects a rank-0 tensor of 32-bit integers as result, found "
                           << type;
}

LogicalResult ScalarOp::verify() { return verifyIndexElement(*this, getResult().getType()); }

LogicalResult IndexOp::verify() {
  int64_t rank = 0;
  if (auto map = dyn_cast<MapOp>((*this)->getParentOp()))
    rank = cast<BufferType>(map.getOutputs()[0].getType()).getRank();
  else if (auto reduce = dyn_cast<ReduceOp>((*this)->getParentOp()))
    rank = reduce.getSizes().size();
  if (getDim() >= static_cast<uint64_t>(rank))
    return emitOpError() << "expects a dimension below " << rank << ", found "
                         << static_cast<int64_t>(getDim());
  return verifyIndexElement(*this, getResult().getType());
}

//===----------------------------------------------------------------------===//
// copy
//===----------------------------------------------------------------------===//

static LogicalResult verifyCopySide(CopyOp op, BufferType type, AffineMap map, size_t offsets,
                                    StringRef side) {
  ArrayRef<int64_t> sizes = op.getSizes();
  if (map.getNumDims() != sizes.size() || map.getNumSymbols() ||
      static_cast<int64_t>(map.getNumResults()) != type.getRank())
    return op.emitOpError() << "expects the " << side << " map to go from " << sizes.size()
                            << " dimensions to " << type.getRank() << ", found "
                            << AffineMapAttr::get(map);
  if (offsets != 0 && static_cast<int64_t>(offsets) != type.getRank())
    return op.emitOpError() << "expects no " << side << " offsets or " << type.getRank()
                            << ", found " << offsets;
  if (llvm::is_contained(sizes, 0))
    return success();
  for (auto [dim, result] : llvm::enumerate(map.getResults())) {
    std::optional<Bounds> bounds = boundsOf(result, sizes);
    bool linear = !result
                       .walk([](AffineExpr part) {
                         auto kind = part.getKind();
                         return kind == AffineExprKind::Mod || kind == AffineExprKind::CeilDiv ||
                                        kind == AffineExprKind::FloorDiv
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
    if (!bounds || !linear)
      return op.emitOpError() << "expects constant coefficients in the " << side << " map, found "
                              << AffineMapAttr::get(map);
    int64_t extent = type.getShape()[dim];
    // With offsets only the extent is known here; the producer of the offsets clamps them.
    int64_t excess = offsets ? bounds->max - bounds->min - (extent - 1)
                             : std::max(bounds->max - (extent - 1), -bounds->min);
    if (excess > 0)
      return op.emitOpError() << "reaches outside dimension " << dim << " of its " << side
                              << ": indices " << bounds->min << " to " << bounds->max << " of "
                              << extent;
  }
  return success();
}

LogicalResult CopyOp::verify() {
  BufferType from = getSource().getType(), to = getDestination().getType();
  if (getSource() == getDestination())
    return emitOpError("expects different buffers as source and destination");
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "expects equal element types, found " << from.getElementType()
                         << " and " << to.getElementType();
  auto inHbm = [](BufferType type) { return type.getSpace() == Space::hbm; };
  auto inVmem = [](BufferType type) { return type.getSpace() == Space::vmem; };
  bool isStream = inHbm(from) && to.getSpace() == Space::smem;
  if (isStream) {
    ArrayRef<int64_t> sizes = getSizes();
    bool isChunk = getSrcMap().isIdentity() && getDstMap().isIdentity() &&
                   getDstOffsets().empty() && sizes == to.getShape() &&
                   from.getRank() == to.getRank();
    // Dimensions after the first size that is not 1 are whole.
    const int64_t *cut = llvm::find_if(sizes, [](int64_t size) { return size != 1; });
    size_t inside = cut == sizes.end() ? 0 : sizes.end() - cut - 1;
    isChunk = isChunk && sizes.take_back(inside) == from.getShape().take_back(inside);
    if (!isChunk || from.getStorageBits() != 32)
      return emitOpError() << "to smem expects to fill it with consecutive 32-bit elements of the "
                              "source";
  } else if ((!inHbm(from) && !inVmem(from)) || (!inHbm(to) && !inVmem(to)) ||
             (inHbm(from) && inHbm(to)))
    return emitOpError() << "expects buffers in vmem, at most one of them in hbm, found " << from
                         << " and " << to;
  if (llvm::any_of(getSizes(), [](int64_t size) { return size < 0; }))
    return emitOpError("expects sizes of at least 0");
  if (failed(verifyCopySide(*this, from, getSrcMap(), getSrcOffsets().size(), "source")))
    return failure();
  return verifyCopySide(*this, to, getDstMap(), getDstOffsets().size(), "destination");
}
