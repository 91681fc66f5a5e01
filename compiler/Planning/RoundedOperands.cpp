// Operands of products that are rounded to bf16.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/RoundedOperands.h"

#include "compiler/Planning/Passes.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_ROUNDOPERANDS
#include "compiler/Planning/Passes.h.inc"

bool isRoundedByProduct(Operation *op, bool leaves) {
  auto convert = dyn_cast<stablehlo::ConvertOp>(op);
  return convert && !leaves && convert->hasOneUse() &&
         typeOf(convert.getOperand()).getElementType().isF32() &&
         typeOf(convert).getElementType().isBF16() &&
         isa<stablehlo::DotGeneralOp>(*convert->user_begin()) &&
         convert->user_begin()->hasAttr(kernel::kSinglePassAttr);
}

OpOperand &productSource(OpOperand &operand, llvm::function_ref<bool(Operation *)> leaves) {
  Operation *producer = operand.get().getDefiningOp();
  return producer && producer->getBlock() == operand.getOwner()->getBlock() &&
                 isRoundedByProduct(producer, leaves(producer))
             ? producer->getOpOperand(0)
             : operand;
}

namespace {

/// Whether each index of the outer dimensions begins a row of 512 bytes, which holds two logical
/// rows of bf16, so that blocks can be those of f32. Lanes that fill one row only are not divided.
bool beginsRowsAnew(RankedTensorType type) {
  constexpr int64_t packing = 2;
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.empty())
    return false;
  int64_t rows = llvm::divideCeil(shape.back(), kLanes);
  bool divides = rows == 1 || rows % packing == 0;
  for (int64_t d = shape.size() - 2; d > 0; --d)
    divides &= (rows *= shape[d]) % packing == 0;
  return divides;
}

/// Rounds the operands of one block's products.
class Rounder {
public:
  explicit Rounder(Block &block) : block(block) {}

  void run() {
    for (auto op : llvm::to_vector(block.getOps<stablehlo::DotGeneralOp>()))
      if (op->hasAttr(kernel::kSinglePassAttr))
        for (OpOperand &operand : op->getOpOperands())
          if (isWorthRounding(operand.get()))
            operand.set(rounded(operand));
  }

private:
  /// Elements of f32 that a kernel computes. Their blocks can be those of any kernel.
  static bool isWorthRounding(Value value) {
    Operation *producer = value.getDefiningOp();
    return typeOf(value).getElementType().isF32() && producer && !isRematerializable(producer) &&
           kindOf(producer) != OpKind::Constant && beginsRowsAnew(typeOf(value));
  }

  /// Beside what computes it, so that it may be rounded there, once for all products of a block.
  Value rounded(OpOperand &operand) {
    Value value = operand.get();
    Operation *producer = value.getDefiningOp();
    Value &known = values[value];
    if (known)
      return known;
    OpBuilder builder(operand.getOwner());
    if (producer->getBlock() == &block)
      builder.setInsertionPointAfter(producer);
    auto type = typeOf(value).clone(builder.getBF16Type());
    known = stablehlo::ConvertOp::create(builder, value.getLoc(), type, value);
    return known;
  }

  Block &block;
  llvm::DenseMap<Value, Value> values;
};

struct RoundOperands : impl::RoundOperandsBase<RoundOperands> {
  void rewrite() override {
    forEachBlock(getOperation(), [](Block &block) { Rounder(block).run(); });
  }
};

} // namespace

} // namespace systole
