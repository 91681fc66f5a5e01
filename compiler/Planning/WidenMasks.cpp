// Masks of few elements that broadcasts repeat, in words of 32 bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Passes.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_WIDENMASKS
#include "compiler/Planning/Passes.h.inc"

namespace {

/// Whether `broadcast` repeats a mask of few elements: in words of 32 bits it takes no more bytes
/// than what the broadcast makes, of a byte for each element.
bool repeatsMask(stablehlo::BroadcastInDimOp broadcast) {
  RankedTensorType from = typeOf(broadcast.getOperand()), to = typeOf(broadcast);
  return from.getElementType().isInteger(1) && from.getRank() > 0 &&
         static_cast<int64_t>(sizeof(int32_t)) * from.getNumElements() <= to.getNumElements();
}

struct WidenMasks : impl::WidenMasksBase<WidenMasks> {
  void rewrite() override {
    llvm::DenseMap<Value, Value> widened;
    getOperation()->walk([&](stablehlo::BroadcastInDimOp broadcast) {
      if (repeatsMask(broadcast))
        widen(broadcast, widened[broadcast.getOperand()]);
    });
  }

  /// Makes `broadcast` one of `wide`, the mask as integers, and compares that with 0.
  static void widen(stablehlo::BroadcastInDimOp broadcast, Value &wide) {
    Value mask = broadcast.getOperand();
    OpBuilder b(broadcast);
    Location loc = broadcast.getLoc();
    Type word = b.getI32Type();
    if (!wide) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfterValue(mask);
      wide = stablehlo::ConvertOp::create(b, loc, typeOf(mask).clone(word), mask);
    }
    RankedTensorType type = typeOf(broadcast).clone(word);
    Value words =
        stablehlo::BroadcastInDimOp::create(b, loc, type, wide, broadcast.getBroadcastDimensions());
    Value zero = stablehlo::ConstantOp::create(b, loc, DenseElementsAttr::get(type, int32_t(0)));
    broadcast.replaceAllUsesWith(
        stablehlo::CompareOp::create(
            b, loc, typeOf(broadcast), words, zero, stablehlo::ComparisonDirection::NE,
            stablehlo::ComparisonTypeAttr::get(b.getContext(), stablehlo::ComparisonType::SIGNED))
            .getResult());
    broadcast.erase();
  }
};

} // namespace
} // namespace systole
