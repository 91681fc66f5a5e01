// Unrolls short counted loops over elementwise work.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/CountedLoops.h"
#include "compiler/Tensor/OpKinds.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_UNROLLLOOPS
#include "compiler/Graph/Passes.h.inc"

namespace {

using stablehlo::WhileOp;

/// The most operations, constants not counted, that take the place of a loop. The 20 rounds of a
/// Threefry generator have 300.
constexpr int64_t kMostOperations = 512;

/// Whether a kernel can hold the operation of one iteration together with those of the next.
bool isStreaming(Operation *op) {
  switch (kindOf(op)) {
  case OpKind::Constant:
  case OpKind::Generator:
  case OpKind::Elementwise:
  case OpKind::Broadcast:
  case OpKind::Reshape:
  case OpKind::Movement:
    return op->getNumRegions() == 0;
  default:
    return false;
  }
}

void unroll(WhileOp loop) {
  std::optional<LoopCounter> counter = counterOf(loop);
  if (!counter)
    return;
  auto operations = loop.getBody().front().without_terminator();
  if (!llvm::all_of(operations, [](Operation &op) { return isStreaming(&op); }))
    return;
  int64_t perTrip =
      llvm::count_if(operations, [](Operation &op) { return kindOf(&op) != OpKind::Constant; });
  std::optional<int64_t> trips = counter->count(kMostOperations / std::max<int64_t>(perTrip, 1));
  if (!trips)
    return;

  OpBuilder builder(loop);
  Block &body = loop.getBody().front();
  SmallVector<Value> carried(loop.getOperand());
  for (int64_t trip = 0; trip < *trips; ++trip) {
    IRMapping names;
    names.map(body.getArguments(), carried);
    for (Operation &op : operations)
      builder.clone(op, names);
    for (auto [value, next] : llvm::zip_equal(carried, body.getTerminator()->getOperands()))
      value = names.lookupOrDefault(next);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

struct UnrollLoops : impl::UnrollLoopsBase<UnrollLoops> {
  void rewrite() override {
    // Inner loops first, without which an outer one may be unrolled.
    getOperation().walk<WalkOrder::PostOrder>([](WhileOp loop) { unroll(loop); });
  }
};

} // namespace
} // namespace systole
