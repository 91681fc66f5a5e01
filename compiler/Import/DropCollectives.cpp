// Replaces collective operations by their results on a single device.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Passes.h"
#include "dialects/StableHLO/Imported.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_DROPCOLLECTIVES
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

bool isCollective(Operation *op) {
  return isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp, CollectivePermuteOp,
             CollectiveReduceOp, CrossReplicaSumOp, ReduceScatterOp>(op);
}

/// Whether the device lists name device 0; an error if they name others. Group lists are padded
/// with -1.
FailureOr<bool> namesThis(Operation *op, StringRef name) {
  auto devices = op->getAttrOfType<DenseIntElementsAttr>(name);
  if (!devices)
    return op->emitOpError("requires ")
           << name << " to be lists, but they are " << op->getAttr(name);
  int64_t last = -1;
  // A splat may stand for any number of devices.
  if (!devices.empty() && devices.isSplat())
    last = std::max(last, devices.getSplatValue<APInt>().getSExtValue());
  else
    for (const APInt &device : devices)
      last = std::max(last, device.getSExtValue());
  if (last > 0)
    return emitUnimplemented(op) << "'" << op->getName() << "' of " << last + 1
                                 << " devices or more is not supported yet; there is one";
  return last == 0;
}

/// Zeros of `type`, which quantized types store as their zero points; null where there are none.
Value zerosOf(OpBuilder &b, Location loc, RankedTensorType type) {
  if (!type.hasStaticShape())
    return {};
  Type element = type.getElementType();
  if (auto quantized = dyn_cast<quant::UniformQuantizedType>(element)) {
    Type storage = quantized.getStorageType();
    Attribute zero = IntegerAttr::get(storage, quantized.getZeroPoint());
    return ConstantOp::create(b, loc, type, DenseElementsAttr::get(type.clone(storage), zero));
  }
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto zero = APFloat::getZero(cast<FloatType>(complex.getElementType()).getFloatSemantics());
    return ConstantOp::create(b, loc,
                              DenseElementsAttr::get(type, std::complex<APFloat>(zero, zero)));
  }
  return ConstantOp::create(b, loc, cast<ElementsAttr>(b.getZeroAttr(type)));
}

LogicalResult drop(Operation *op) {
  bool isPermutation = isa<CollectivePermuteOp>(op);
  StringRef list = isPermutation ? "source_target_pairs" : "replica_groups";
  FailureOr<bool> isNamed = namesThis(op, list);
  if (failed(isNamed))
    return failure();
  // Whatever the root is computed to be, there is one device.
  ValueRange operands = op->getOperands();
  if (op->hasAttr("has_dynamic_root"))
    operands = operands.drop_back();
  if (operands.size() != op->getNumResults())
    return op->emitOpError("requires as many results as operands");
  // An empty list of groups is one group of all devices; an empty list of pairs is no transfer.
  auto devices = op->getAttrOfType<DenseIntElementsAttr>(list);
  bool isZero = !*isNamed && (isPermutation || !devices.empty());
  OpBuilder b(op);
  for (auto [operand, result] : llvm::zip_equal(operands, op->getResults())) {
    auto from = cast<RankedTensorType>(operand.getType()),
         to = cast<RankedTensorType>(result.getType());
    if (from.getShape() != to.getShape())
      return op->emitOpError() << "requires results of its operands' shapes for one device, but "
                               << from << " becomes " << to;
    Value value = operand;
    if (isZero)
      value = zerosOf(b, op->getLoc(), to);
    else if (from != to)
      value = ConvertOp::create(b, op->getLoc(), to, operand);
    if (!value)
      return emitUnimplemented(op) << "zeros of type " << to << " are not supported";
    result.replaceAllUsesWith(value);
  }
  op->erase();
  return success();
}

struct DropCollectives : impl::DropCollectivesBase<DropCollectives> {
  void rewrite() override {
    if (auto count = getOperation()->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
        count && count.getInt() > 1)
      return;
    WalkResult result = getOperation().walk([](Operation *op) {
      if (isa<PartitionIdOp, ReplicaIdOp>(op)) {
        OpBuilder b(op);
        Type type = op->getResult(0).getType();
        op->getResult(0).replaceAllUsesWith(
            ConstantOp::create(b, op->getLoc(), cast<ElementsAttr>(b.getZeroAttr(type))));
        op->erase();
        return WalkResult::advance();
      }
      return isCollective(op) ? WalkResult(drop(op)) : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
