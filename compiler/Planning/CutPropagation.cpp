// Where a cut of one tensor cuts all others of a kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/CutPropagation.h"

#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorTypes.h"
#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/Windows.h"

using namespace mlir;

namespace systole {

/// Results this small may be computed anew in every step.
static constexpr int64_t kSmallElements = 128;

/// Undoes what systole-widen-narrow did to an array: without it no step could read a block.
static bool isNarrowing(Operation *op) {
  if (isa<stablehlo::BitcastConvertOp>(op))
    return true;
  return isa<stablehlo::ConvertOp>(op) &&
         typeOf(op->getOperand(0)).getElementType().isInteger(32) &&
         typeOf(op->getResult(0)).getElementType().isInteger() &&
         typeOf(op->getResult(0)).getElementTypeBitWidth() < 32;
}

/// Work that may be repeated in every step.
static bool isCheap(Operation *op) {
  return isSplatConstant(op) || kindOf(op) == OpKind::Generator ||
         kindOf(op) == OpKind::Broadcast || isNarrowing(op) ||
         typeOf(op->getResult(0)).getNumElements() <= kSmallElements;
}

bool CutPropagation::run(Value seed, int64_t dim) {
  dims.clear();
  sums.clear();
  found.clear();
  worklist.clear();
  if (!assign(seed, dim))
    return false;
  while (!worklist.empty())
    if (!visit(worklist.pop_back_val()))
      return false;
  // What no constraint reached is whole; then nothing of it may leave the
  // kernel or be computed anew in every step.
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (lookup(result) == kWhole && !isCheap(op) && !sums.contains(op) &&
          !(isUpdatedInHbm(result) && lookup(slicedValue(op)) != kWhole))
        return false;
  return true;
}

bool CutPropagation::accumulate(Operation *op, int64_t dim) {
  bool isChunk =
      llvm::any_of(chunksOf(op), [&](const Chunks &chunks) { return chunks.dim == dim; });
  bool leaves = llvm::none_of(op->getUsers(), [&](Operation *user) { return ops.contains(user); });
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
  if (Operation *op = value.getDefiningOp(); op && ops.contains(op))
    worklist.push_back(op);
  for (Operation *user : value.getUsers())
    if (ops.contains(user))
      worklist.push_back(user);
  return true;
}

bool CutPropagation::assignAll(ValueRange values, int64_t dim) {
  return llvm::all_of(values, [&](Value value) { return assign(value, dim); });
}

bool CutPropagation::visit(Operation *op) {
  switch (kindOf(op)) {
  case OpKind::Constant:
    // A splat is the same in every block.
    return isSplatConstant(op) || lookup(op->getResult(0)) == kWhole;
  case OpKind::Generator:
    return true;
  case OpKind::Elementwise:
    return visitElementwise(op);
  case OpKind::Broadcast:
    return visitBroadcast(cast<stablehlo::BroadcastInDimOp>(op));
  case OpKind::Reshape:
    return visitReshape(cast<stablehlo::ReshapeOp>(op));
  case OpKind::Movement:
    return visitMovement(op);
  case OpKind::Reduce:
    return visitReduce(cast<stablehlo::ReduceOp>(op));
  case OpKind::Dot:
    return visitDot(cast<stablehlo::DotGeneralOp>(op));
  case OpKind::Convolution:
    return visitConvolution(cast<stablehlo::ConvolutionOp>(op));
  case OpKind::Indexed:
    return visitIndexed(op);
  case OpKind::Control:
  case OpKind::Transfer:
  case OpKind::Other:
    return false;
  }
  return false;
}

std::optional<int64_t> CutPropagation::known(ValueRange values) const {
  for (Value value : values)
    if (auto it = dims.find(value); it != dims.end())
      return it->second;
  return std::nullopt;
}

bool CutPropagation::visitElementwise(Operation *op) {
  std::optional<int64_t> dim = known(op->getResults());
  if (!dim)
    dim = known(op->getOperands());
  return assignAll(op->getResults(), *dim) && assignAll(op->getOperands(), *dim);
}

bool CutPropagation::visitBroadcast(stablehlo::BroadcastInDimOp op) {
  ArrayRef<int64_t> map = op.getBroadcastDimensions();
  RankedTensorType operandType = typeOf(op.getOperand());
  if (auto dim = known(op->getResults())) {
    if (*dim == kWhole)
      return assign(op.getOperand(), kWhole);
    for (auto [i, d] : llvm::enumerate(map))
      if (d == *dim && operandType.getDimSize(i) != 1)
        return assign(op.getOperand(), i);
    return assign(op.getOperand(), kWhole);
  }
  int64_t dim = lookup(op.getOperand());
  // A whole operand says nothing of the result.
  return dim == kWhole || assign(op.getResult(), map[dim]);
}

/// The block of a reshape's operand for a cut of its result along `dim`: some dimension
/// of the operand repeats as often, and all elements inside of it are one run.
static std::optional<OffsetBlock> offsetBlockOfReshape(stablehlo::ReshapeOp op, int64_t dim) {
  RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op);
  int64_t outer = 1, inner = 1, repeats = 1;
  for (int64_t d = 0; d < to.getRank(); ++d)
    (d < dim ? outer : inner) *= to.getDimSize(d);
  for (int64_t d = 0; d < from.getRank(); ++d) {
    // Where dimensions of size 1 stand, any would do; the last one has the rows.
    bool isLast = d + 1 == from.getRank() || from.getDimSize(d) != 1;
    if (repeats == outer && isLast) {
      OffsetBlock block{op, 0, d};
      block.num = inner / std::max<int64_t>(1, to.getDimSize(dim));
      for (int64_t i = d + 1; i < from.getRank(); ++i)
        block.den *= from.getDimSize(i);
      return block;
    }
    repeats *= from.getDimSize(d);
  }
  return std::nullopt;
}

bool CutPropagation::visitReshape(stablehlo::ReshapeOp op) {
  RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op);
  auto related = [](RankedTensorType from, int64_t dim,
                    RankedTensorType to) -> std::optional<int64_t> {
    if (dim == kWhole)
      return kWhole;
    int64_t before = 1;
    for (int64_t d = 0; d < dim; ++d)
      before *= from.getDimSize(d);
    int64_t product = 1;
    for (int64_t d = 0; d < to.getRank(); ++d) {
      if (product == before && to.getDimSize(d) == from.getDimSize(dim) &&
          (d + 1 == to.getRank()) == (dim + 1 == from.getRank()))
        return d;
      product *= to.getDimSize(d);
    }
    return std::nullopt;
  };
  if (auto dim = known(op->getResults())) {
    if (auto operandDim = related(to, *dim, from))
      return assign(op.getOperand(), *operandDim);
    std::optional<OffsetBlock> block = offsetBlockOfReshape(op, *dim);
    return block && addOffsetBlock(*block);
  }
  auto dim = related(from, lookup(op.getOperand()), to);
  return dim && assign(op.getResult(), *dim);
}

bool CutPropagation::addOffsetBlock(OffsetBlock block) {
  Operation *producer = block.value().getDefiningOp();
  if (producer && ops.contains(producer))
    return false;
  bool known = llvm::any_of(found, [&](const OffsetBlock &other) {
    return other.op == block.op && other.operand == block.operand;
  });
  if (!known)
    found.push_back(block);
  return true;
}

bool CutPropagation::readAtOffsets(Operation *op, int64_t dim) {
  if (!assign(op->getResult(0), dim))
    return false;
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op))
    return addOffsetBlock({op, 0, dim, slice.getStrides()[dim], 1, slice.getStartIndices()[dim]});
  if (isa<stablehlo::ReverseOp>(op))
    return addOffsetBlock({op, 0, dim, -1, 1, typeOf(op->getResult(0)).getDimSize(dim) - 1});
  if (auto pad = dyn_cast<stablehlo::PadOp>(op)) {
    // The first element that the first block has room for.
    int64_t distance = pad.getInteriorPadding()[dim] + 1;
    int64_t first = llvm::divideCeilSigned(-pad.getEdgePaddingLow()[dim], distance);
    return addOffsetBlock({op, 0, dim, 1, distance, first});
  }
  if (!isa<stablehlo::ConcatenateOp>(op))
    return false;
  int64_t begin = 0;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    if (!addOffsetBlock({op, static_cast<unsigned>(number), dim, 1, 1, -begin}))
      return false;
    begin += typeOf(operand).getDimSize(dim);
  }
  return true;
}

/// Whether a movement passes dimension `dim` as it is.
static bool leavesAlone(Operation *op, int64_t dim) {
  if (auto pad = dyn_cast<stablehlo::PadOp>(op))
    return pad.getEdgePaddingLow()[dim] == 0 && pad.getEdgePaddingHigh()[dim] == 0 &&
           pad.getInteriorPadding()[dim] == 0;
  if (auto concat = dyn_cast<stablehlo::ConcatenateOp>(op))
    return static_cast<int64_t>(concat.getDimension()) != dim;
  if (auto reverse = dyn_cast<stablehlo::ReverseOp>(op))
    return !llvm::is_contained(reverse.getDimensions(), dim);
  auto slice = cast<stablehlo::SliceOp>(op);
  return slice.getStartIndices()[dim] == 0 && slice.getStrides()[dim] == 1 &&
         slice.getLimitIndices()[dim] == typeOf(slice.getOperand()).getDimSize(dim);
}

bool CutPropagation::visitMovement(Operation *op) {
  Value result = op->getResult(0), operand = op->getOperand(0);
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    if (auto dim = known(result))
      return assign(operand, *dim == kWhole ? kWhole : permutation[*dim]);
    int64_t dim = lookup(operand);
    return assign(result,
                  dim == kWhole ? kWhole : llvm::find(permutation, dim) - permutation.begin());
  }
  SmallVector<Value> values(op->getOperands());
  if (isa<stablehlo::PadOp>(op)) {
    if (!assign(values.pop_back_val(), kWhole))
      return false;
  }
  auto dim = known(result);
  if (!dim)
    dim = known(values);
  if (!dim)
    return true;
  if (*dim != kWhole && !leavesAlone(op, *dim))
    return readAtOffsets(op, *dim);
  return assign(result, *dim) && assignAll(values, *dim);
}

/// Rows that are updated can be cut, whole updates meet each block.
bool CutPropagation::visitScatter(stablehlo::ScatterOp op) {
  for (OpOperand &operand : op->getOpOperands())
    if (operand.getOperandNumber() > op.getInputs().size() && !isWindowed(operand) &&
        !assign(operand.get(), kWhole))
      return false;
  auto dim = known(op->getResults());
  if (!dim)
    dim = known(op.getInputs());
  if (!dim)
    return true;
  return (*dim == kWhole || *dim == 0) && assignAll(op->getResults(), *dim) &&
         assignAll(op.getInputs(), *dim);
}

/// The operand of an operation with windows is read in HBM, wherever its result is cut. Of one in
/// VMEM a dimension can be cut that passes through as it is.
bool CutPropagation::visitIndexed(Operation *op) {
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
    return visitGather(gather);
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return visitScatter(scatter);
  bool isUpdate = isa<stablehlo::DynamicUpdateSliceOp>(op);
  if (windowOf(op))
    return !isUpdate || lookup(op->getResult(0)) == kWhole;
  SmallVector<Value> values = {op->getResult(0), op->getOperand(0)};
  if (isUpdate)
    values.push_back(op->getOperand(1));
  auto dim = known(values);
  if (!dim)
    return true;
  bool passes = *dim == kWhole || typeOf(slicedValue(op)).getDimSize(*dim) ==
                                      typeOf(op->getOperand(0)).getDimSize(*dim);
  return passes && assignAll(values, *dim);
}

/// Rows that are gathered can be cut into the positions that they come from, and inside.
bool CutPropagation::visitGather(stablehlo::GatherOp op) {
  auto dim = known(op->getResults());
  if (dim && (*dim == kWhole || *dim == positionDimOf(op)))
    return windowOf(op) || assign(op.getOperand(), kWhole);
  if (windowOf(op))
    return !dim || operandDimOf(op, *dim);
  if (dim) {
    std::optional<int64_t> operandDim = wholeDimOf(op, *dim);
    return operandDim && assign(op.getOperand(), *operandDim);
  }
  int64_t cut = lookup(op.getOperand());
  if (cut == kWhole)
    return true;
  for (int64_t d : op.getDimensionNumbers().getOffsetDims())
    if (wholeDimOf(op, d) == cut)
      return assign(op.getResult(), d);
  return false;
}

bool CutPropagation::visitReduce(stablehlo::ReduceOp op) {
  if (!assignAll(op.getInitValues(), kWhole))
    return false;
  if (sums.contains(op))
    return assignAll(op.getInputs(), chunksOf(op).front().dim);
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < typeOf(op.getInputs().front()).getRank(); ++d)
    if (!llvm::is_contained(op.getDimensions(), d))
      kept.push_back(d);
  if (auto dim = known(op->getResults()))
    return assignAll(op->getResults(), *dim) &&
           assignAll(op.getInputs(), *dim == kWhole ? kWhole : kept[*dim]);
  auto dim = known(op.getInputs());
  if (!dim)
    return true;
  if (*dim == kWhole)
    return assignAll(op.getInputs(), kWhole) && assignAll(op->getResults(), kWhole);
  auto *it = llvm::find(kept, *dim);
  return assignAll(op.getInputs(), *dim) &&
         (it == kept.end() ? accumulate(op, *dim) : assignAll(op->getResults(), it - kept.begin()));
}

bool CutPropagation::visitDot(stablehlo::DotGeneralOp op) {
  int64_t rank = typeOf(op).getRank();
  // The right operand's columns are its last dimension or, transposed, the one before.
  int64_t contraction = op.getRhsContractingDims().front();
  int64_t columns = contraction == rank - 1 ? rank - 2 : rank - 1;
  auto cutDepth = [&] { return assign(op.getLhs(), rank - 1) && assign(op.getRhs(), contraction); };
  if (sums.contains(op))
    return cutDepth();
  auto dim = known(op->getResults());
  if (!dim)
    dim = known(op.getLhs());
  if (!dim) {
    int64_t rhs = lookup(op.getRhs());
    if (rhs == kWhole)
      return true;
    if (rhs == contraction)
      return cutDepth() && accumulate(op, rank - 1);
    dim = rhs == columns ? rank - 1 : 0;
  } else if (!dims.contains(op.getResult()) && *dim == rank - 1) {
    return cutDepth() && accumulate(op, rank - 1);
  }
  if (*dim == kWhole)
    return (!dims.contains(op.getResult()) && dims.contains(op.getLhs())) ||
           (assign(op.getResult(), kWhole) && assign(op.getLhs(), kWhole) &&
            assign(op.getRhs(), kWhole));
  if (*dim == rank - 1)
    return assign(op.getResult(), *dim) && assign(op.getLhs(), kWhole) &&
           assign(op.getRhs(), columns);
  bool batch = rank == 3 && *dim == 0;
  return assign(op.getResult(), *dim) && assign(op.getLhs(), *dim) &&
         assign(op.getRhs(), batch ? 0 : kWhole);
}

} // namespace systole
