// The stages in which a reduction over a block keeps its order.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/ReduceSteps.h"

#include "compiler/Tensor/SumOrder.h"
#include "dialects/Layout/MachineShape.h"

using namespace mlir;

namespace systole {

SmallVector<int64_t> ReduceSteps::between(ArrayRef<int64_t> block) const {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(block))
    if (!llvm::is_contained(first, static_cast<int64_t>(dim)))
      shape.push_back(size);
  return shape;
}

int64_t ReduceSteps::placeOf(int64_t dim) const { return llvm::find(space, dim) - space.begin(); }

ReduceSteps reduceSteps(stablehlo::ReduceOp op, ArrayRef<int64_t> block) {
  kernel::OrderAttr order = orderOf(op);
  int64_t lanes = static_cast<int64_t>(block.size()) - 1, tree = order.getTree();
  SmallVector<int64_t> rows(order.getRows().asArrayRef());
  if (order.getAny() && llvm::is_contained(rows, lanes)) {
    tree = lanes;
    llvm::erase(rows, lanes);
  }

  ReduceSteps steps;
  steps.space = llvm::to_vector(llvm::seq<int64_t>(block.size()));
  SmallVector<int64_t> places(rows);
  llvm::sort(places);
  for (auto [place, dim] : llvm::zip_equal(places, rows))
    steps.space[place] = dim;

  int64_t rowCount = 1, treeSize = tree < 0 ? 1 : block[tree];
  for (int64_t dim : rows)
    rowCount *= block[dim];
  int64_t treePartials = tree == lanes && order.getPartials() == kLanes ? kSublanes
                         : tree < 0                                     ? kSublanes
                                                                        : order.getPartials();
  SmallVector<int64_t> dims(op.getDimensions());
  llvm::sort(dims);
  if (rowCount == 1 || treeSize == 1 || (tree == lanes && treeSize <= kLanes)) {
    steps.first = dims;
    steps.firstPartials = rowCount > 1 ? kSublanes : treePartials;
    return steps;
  }
  steps.first = places;
  for (int64_t dim : dims)
    if (!llvm::is_contained(places, dim))
      steps.second.push_back(dim - llvm::count_if(places, [&](int64_t row) { return row < dim; }));
  steps.secondPartials = treePartials;
  return steps;
}

} // namespace systole
