// Transfers with the host in a program for several cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/HostTransfers.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Partition/Mesh.h"
#include "compiler/Partition/Terms.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

/// The core that exchanges a transfer's array with the host.
static FailureOr<int64_t> coreOf(Operation *op, int64_t cores) {
  ArrayRef<Attribute> shardings = shardingsOf(op->getAttr(sdy::kTransferShardingAttr));
  if (shardings.empty())
    return 0;
  FailureOr<std::optional<int64_t>> device = onlyDeviceOf(op, shardings.front());
  if (failed(device))
    return failure();
  const int64_t core = device->value_or(0);
  if (core < 0 || core >= cores)
    return op->emitError() << "exchanges data with the host on device " << core
                           << " of a program for " << cores;
  return core;
}

/// Whether a core is the one that transfers.
static Value isCore(OpBuilder &b, Location loc, int64_t core) {
  auto number =
      RankedTensorType::get({}, IntegerType::get(b.getContext(), 32, IntegerType::Unsigned));
  Value own = PartitionIdOp::create(b, loc, number);
  Value that = ConstantOp::create(b, loc, DenseElementsAttr::get(number, uint32_t(core)));
  return CompareOp::create(b, loc, own, that, ComparisonDirection::EQ, ComparisonTypeAttr());
}

LogicalResult transferOnOneCore(Operation *op, int64_t cores) {
  FailureOr<int64_t> core = coreOf(op, cores);
  if (failed(core))
    return failure();
  OpBuilder b(op);
  const Location loc = op->getLoc();
  SmallVector<RankedTensorType> types;
  for (Type type : op->getResultTypes())
    types.push_back(cast<RankedTensorType>(type));
  auto choice = IfOp::create(b, loc, op->getResultTypes(), isCore(b, loc, *core));
  b.createBlock(&choice.getFalseBranch());
  SmallVector<Value> nothing;
  for (RankedTensorType type : types)
    nothing.push_back(zeros(b, loc, type));
  ReturnOp::create(b, loc, nothing);
  b.createBlock(&choice.getTrueBranch());
  auto end = ReturnOp::create(b, loc, op->getResults());
  b.setInsertionPointAfter(choice);
  SmallVector<int64_t> group = {*core};
  for (int64_t other : llvm::seq(cores))
    if (other != *core)
      group.push_back(other);
  for (auto [received, result, type] :
       llvm::zip_equal(op->getResults(), choice.getResults(), types)) {
    Value everywhere = result;
    if (type.getNumElements() > 0)
      everywhere =
          CollectiveBroadcastOp::create(
              b, loc, TypeRange(type), ValueRange(result),
              DenseIntElementsAttr::get(RankedTensorType::get({1, cores}, b.getI64Type()), group),
              ChannelHandleAttr::get(b.getContext(), 1, 1), UnitAttr())
              .getResult(0);
    received.replaceAllUsesExcept(everywhere, end);
  }
  op->removeAttr(sdy::kTransferShardingAttr);
  op->moveBefore(end);
  return success();
}

LogicalResult checkQueues(ModuleOp module) {
  const WalkResult result =
      module.walk([](Operation *op) -> WalkResult {
        auto send = dyn_cast<kernel::SendOp>(op);
        auto recv = dyn_cast<kernel::RecvOp>(op);
        if (!(send && send.getQueued()) && !(recv && recv.getQueued()))
          return WalkResult::advance();
        return emitUnimplemented(op)
               << "infeed and outfeed are not supported in programs for several cores";
      });
  return failure(result.wasInterrupted());
}

} // namespace systole::partition
