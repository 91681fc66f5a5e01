// Live ranges of the buffers in a kernel's body.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Liveness.h"

#include "dialects/Kernel/Views.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

BodyLiveness::BodyLiveness(kernel::FuncOp kernel) {
  auto number = [&](auto &&self, Block &block) -> void {
    for (Operation &op : block) {
      positions[&op] = ++last;
      // Bodies of stages are evaluated as part of the stage.
      if (isa<kernel::MapOp, kernel::ReduceOp, kernel::SortOp>(op))
        continue;
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          self(self, inner);
      ends[&op] = last;
    }
  };
  number(number, kernel.getBody().front());
}

std::optional<LiveRange> BodyLiveness::range(Value buffer) const {
  std::optional<LiveRange> result;
  extend(buffer, buffer.getParentBlock(), result);
  return result;
}

void BodyLiveness::extend(Value buffer, Block *definedIn, std::optional<LiveRange> &range) const {
  for (Operation *user : buffer.getUsers()) {
    if (kernel::isView(user)) {
      extend(user->getResult(0), definedIn, range);
      continue;
    }
    LiveRange use{position(user), position(user)};
    for (Operation *op = user; op->getBlock() != definedIn; op = op->getParentOp()) {
      Operation *around = op->getParentOp();
      use = {std::min(use.first, position(around)), std::max(use.last, ends.lookup(around))};
    }
    if (!range)
      range = use;
    range->first = std::min(range->first, use.first);
    range->last = std::max(range->last, use.last);
  }
}
