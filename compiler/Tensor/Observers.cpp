// Operations that compute nothing but what taps send to the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/Observers.h"

#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace systole {

Observers::Observers(ModuleOp module) {
  auto first = module->getAttrOfType<IntegerAttr>(kernel::kFirstTapAttr);
  if (!first)
    return;
  // Users stand behind what they use.
  module.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (auto send = dyn_cast<kernel::SendOp>(op)) {
      if (!send.getQueued() && static_cast<int64_t>(send.getChannel()) >= first.getInt())
        observers.insert(op);
    } else if (op->getNumResults() > 0 && !op->use_empty() && isMemoryEffectFree(op) &&
               llvm::all_of(op->getUsers(), [&](Operation *user) { return contains(user); })) {
      observers.insert(op);
    }
  });
}

bool Observers::hasOneUse(Value value) const {
  return llvm::count_if(value.getUsers(), [&](Operation *user) { return !contains(user); }) == 1;
}

Operation *Observers::userOf(Value value) const {
  for (Operation *user : value.getUsers())
    if (!contains(user))
      return user;
  return nullptr;
}

} // namespace systole
