// The cost of kernel.take: the loops that codegen makes of it (compiler/Codegen/Take.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/Stage.h"

#include "dialects/Kernel/LookupShape.h"

using namespace mlir;

namespace systole {

StageCost costOf(kernel::LookupOp op, const VmemBlock &table, const VmemBlock &result,
                 const MachineModel &model) {
  LookupShape shape(table.shape, result.shape);
  // A row of the table: its lanes, and a comparison and a selection.
  Work row = model.load();
  row += model.crossLane(MachineModel::CrossLane::gather);
  row += model.arithmetic({2}, {2});
  Work around = model.load();
  around += model.arithmetic({1}, {1});
  around += model.store();
  const double rows = double(shape.tableRows), vectors = double(shape.vectors());
  StageCost cost;
  cost.work = (row * rows);
  cost.work += around;
  cost.work = cost.work * vectors;
  if (shape.tableRows <= kMostUnrolledTableRows) {
    Work iteration = row * rows;
    iteration.chain = row.chain;
    iteration += around;
    cost.cycles = model.pipeline(iteration, vectors);
  } else {
    cost.cycles = vectors * (model.pipeline(row, rows, model.arithmetic({1}, {1}).chain) +
                             model.once(around));
  }
  return cost;
}

} // namespace systole
