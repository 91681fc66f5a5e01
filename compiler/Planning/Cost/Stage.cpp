// Accesses of stages, and the work of their parts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/Stage.h"

#include "dialects/Layout/RowLayout.h"

using namespace mlir;

namespace systole {

/// Bits of an element in memory.
static int bitsOf(Type element) {
  return element ? std::max(8u, element.getIntOrFloatBitWidth()) : 32;
}

int64_t VmemBlock::pitch(size_t dim) const { return rowPitch(shape, bitsOf(element), dim); }

/// Of all dimensions, without padding.
static int64_t denseRows(const VmemBlock &block) {
  int64_t rows = block.tiles();
  for (size_t d = 0; d + 1 < block.shape.size(); ++d)
    rows *= block.shape[d];
  return rows;
}

int64_t VmemBlock::logicalRows() const {
  return rowPadding(shape, bitsOf(element)).occupied(denseRows(*this));
}

bool VmemBlock::hasRowsOf(const VmemBlock &other) const {
  int64_t rows = denseRows(*this);
  return rows == denseRows(other) && haveSamePlaces(rows, rowPadding(shape, bitsOf(element)),
                                                    rowPadding(other.shape, bitsOf(other.element)));
}

bool VmemBlock::isViewOf(const VmemBlock &other) const {
  bool isFull = lanes() % kLanes == 0 && other.lanes() % kLanes == 0;
  return (isFull || lanes() == other.lanes()) && hasRowsOf(other);
}

bool paddingTakesLastGroup(ArrayRef<LoopDim> dims, size_t sublaneDim, ArrayRef<RowAccess> accesses,
                           ArrayRef<StageInput> inputs, int64_t outputRows) {
  return llvm::all_of(llvm::enumerate(accesses), [&](auto each) {
    auto [number, access] = each;
    bool isOutput = number >= inputs.size();
    int64_t rows = isOutput ? outputRows : inputs[number].block.logicalRows();
    return paddingTakesLastGroup(dims, sublaneDim, access, number, rows, isOutput);
  });
}

RowAccess accessOf(const StageInput &input, ArrayRef<int64_t> sizes) {
  RowAccess access;
  access.strides.assign(sizes.size(), 0);
  access.lanes = RowAccess::Lanes::first;
  for (auto [position, index] : llvm::enumerate(input.indices)) {
    if (index.dim < 0 || sizes[index.dim] == 1)
      continue;
    bool isLast = position + 1 == input.indices.size();
    if (input.isReplicated) {
      access.strides[index.dim] +=
          llvm::product_of(ArrayRef(input.block.shape).drop_front(position + 1), int64_t(1)) *
          index.factor;
    } else if (!isLast) {
      access.strides[index.dim] += input.block.pitch(position) * index.factor;
    } else if (index.dim + 1 == static_cast<int64_t>(sizes.size())) {
      access.lanes = RowAccess::Lanes::along;
      access.strides[index.dim] = 1;
    } else {
      access.lanes = RowAccess::Lanes::chosen;
      access.laneDim = index.dim;
    }
  }
  // If only lane 0 is used, or all have the element, it need not be broadcast.
  bool isUniform = input.isReplicated || sizes.empty() || sizes.back() == 1;
  if (access.lanes == RowAccess::Lanes::first && isUniform)
    access.lanes = RowAccess::Lanes::along;
  return access;
}

Work workOf(const OpCost &cost, const MachineModel &model) {
  return model.arithmetic(cost.all, cost.chain);
}

Work loadOf(const StageInput &input, const RowAccess &access, bool gathers,
            const MachineModel &model) {
  Work work = model.load();
  if (access.lanes != RowAccess::Lanes::along)
    work += model.crossLane(gathers ? MachineModel::CrossLane::gather
                                    : MachineModel::CrossLane::rotate);
  if (input.block.isPredicate())
    work += model.arithmetic({1}, {1});
  return work;
}

Work storeOf(Type element, const MachineModel &model) {
  Work work = model.store();
  if (element.isInteger(1))
    work += model.arithmetic({1}, {1});
  return work;
}

} // namespace systole
