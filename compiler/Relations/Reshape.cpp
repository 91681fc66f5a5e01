// The relation of reshapes: quotients and remainders.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Relations/Reshape.h"

#include "compiler/Relations/RelationBuilder.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

namespace {

/// A dimension inside of a run of dimensions: of how many elements of the run one step along it
/// is, and of how many all of it.
struct Digit {
  int64_t dim, step, end;
};

/// Dimensions of the operand and of the result that hold the same elements, the innermost first and
/// those of size 1 left out; the smallest such.
struct Run {
  SmallVector<Digit> from, to;
};

/// The digits of the dimensions `dims`, given from the outermost to the innermost.
SmallVector<Digit> digitsOf(ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) {
  SmallVector<Digit> digits;
  int64_t step = 1;
  for (int64_t d : llvm::reverse(dims)) {
    digits.push_back({d, step, step * shape[d]});
    step *= shape[d];
  }
  return digits;
}

SmallVector<Run> runsOf(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<Run> runs;
  size_t a = 0, b = 0;
  while (a < from.size() || b < to.size()) {
    SmallVector<int64_t> left, right;
    int64_t leftSize = 1, rightSize = 1;
    do {
      bool takeLeft = leftSize <= rightSize && a < from.size();
      int64_t d = takeLeft ? a++ : b++;
      int64_t size = takeLeft ? from[d] : to[d];
      (takeLeft ? leftSize : rightSize) *= size;
      if (size != 1)
        (takeLeft ? left : right).push_back(d);
    } while (leftSize != rightSize);
    runs.push_back({digitsOf(left, from), digitsOf(right, to)});
  }
  return runs;
}

/// Whether of any two boundaries between the digits of both sides one divides the other.
bool isRefinable(const Run &run) {
  SmallVector<int64_t> ends;
  for (const Digit &digit : llvm::concat<const Digit>(run.from, run.to))
    ends.push_back(digit.end);
  llvm::sort(ends);
  for (size_t i = 1; i < ends.size(); ++i)
    if (ends[i] % ends[i - 1] != 0)
      return false;
  return true;
}

/// The operand's index is a sum of parts of the result's indices.
AffineExpr sumOfParts(const Digit &digit, const Run &run, RelationBuilder &b) {
  AffineExpr index = b.constant(0);
  for (const Digit &other : llvm::reverse(run.to)) {
    int64_t begin = std::max(digit.step, other.step), end = std::min(digit.end, other.end);
    if (begin >= end)
      continue;
    AffineExpr part = b.iterator(other.dim).floorDiv(begin / other.step);
    if (end != other.end)
      part = part % (end / begin);
    index = index + part * (begin / digit.step);
  }
  return index;
}

/// The operand's index is a part of the position in the run.
AffineExpr partOfPosition(const Digit &digit, const Run &run, RelationBuilder &b) {
  AffineExpr position = b.constant(0);
  for (const Digit &other : llvm::reverse(run.to))
    position = position + b.iterator(other.dim) * other.step;
  AffineExpr index = position.floorDiv(digit.step);
  return digit.end == run.from.back().end ? index : index % (digit.end / digit.step);
}

} // namespace

std::optional<SmallVector<int64_t>> commonRefinement(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  // The sizes of all trailing parts of both shapes.
  SmallVector<int64_t> boundaries = {1};
  for (ArrayRef<int64_t> shape : {a, b}) {
    int64_t product = 1;
    for (int64_t size : llvm::reverse(shape))
      boundaries.push_back(product *= size);
  }
  llvm::sort(boundaries);
  boundaries.erase(llvm::unique(boundaries), boundaries.end());
  SmallVector<int64_t> sizes;
  for (size_t i = boundaries.size(); i-- > 1;) {
    if (boundaries[i] % boundaries[i - 1] != 0)
      return std::nullopt;
    sizes.push_back(boundaries[i] / boundaries[i - 1]);
  }
  return sizes;
}

void relateReshape(stablehlo::ReshapeOp op, RelationBuilder &b) {
  if (typeOf(op).getNumElements() == 0)
    return;
  for (const Run &run : runsOf(shapeOf(op.getOperand()), shapeOf(op.getResult()))) {
    auto *relate = isRefinable(run) ? sumOfParts : partOfPosition;
    for (const Digit &digit : run.from)
      b.at(0, digit.dim).expr = relate(digit, run, b);
  }
}

} // namespace systole
