// Makes 32-bit integers of 64-bit ones that only count.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_NARROWCOUNTS
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// A static tensor of integers of 64 bits.
bool isLong(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && isa<IntegerType>(tensor.getElementType()) &&
         tensor.getElementTypeBitWidth() == 64;
}

/// The constant that all elements of a value are.
std::optional<uint64_t> splatOf(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    value = broadcast.getOperand();
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APInt>().getZExtValue();
}

class Counts {
public:
  void run(ModuleOp module) {
    // Operands come before the operations that use them, and loops carry what is not known.
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getNumResults() != 1 || !isLong(op->getResult(0).getType()))
        return;
      std::optional<uint64_t> bound = boundOf(op);
      if (bound && *bound <= UINT32_MAX)
        most[op->getResult(0)] = *bound;
    });
    while (dropUnfit())
      ;
    for (auto [value, bound] : most)
      narrow(value);
  }

private:
  /// The largest element of the result, if none is negative as a signed number.
  std::optional<uint64_t> boundOf(Operation *op);
  std::optional<uint64_t> known(Value value) {
    auto it = most.find(value);
    return it == most.end() ? std::nullopt : std::optional(it->second);
  }
  /// Forgets the values that have to stay as they are since what they are made of, or what is
  /// made of them, does; whether there were any.
  bool dropUnfit();
  void narrow(Value value);

  llvm::MapVector<Value, uint64_t> most;
};

std::optional<uint64_t> Counts::boundOf(Operation *op) {
  using Bound = std::optional<uint64_t>;
  auto combine = [&](auto function) -> Bound {
    Bound x = known(op->getOperand(0)), y = known(op->getOperand(1));
    return x && y ? Bound(function(*x, *y)) : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, Bound>(op)
      .Case([](ConstantOp op) -> Bound {
        auto elements = dyn_cast<DenseIntElementsAttr>(op.getValue());
        if (!elements)
          return std::nullopt;
        uint64_t largest = 0;
        for (const APInt &value : elements.getValues<APInt>())
          largest = std::max(largest, value.getZExtValue());
        return largest;
      })
      .Case([](IotaOp op) -> Bound {
        return std::max<int64_t>(typeOf(op).getDimSize(op.getIotaDimension()), 1) - 1;
      })
      .Case<BroadcastInDimOp, ReshapeOp, TransposeOp, SliceOp>(
          [&](auto op) { return known(op.getOperand()); })
      .Case([&](ConvertOp op) -> Bound {
        Type from = typeOf(op.getOperand()).getElementType();
        bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
        unsigned bits = isUnsigned ? from.getIntOrFloatBitWidth() : 64;
        return bits <= 32 ? Bound(llvm::maskTrailingOnes<uint64_t>(bits)) : std::nullopt;
      })
      .Case([&](AddOp) {
        return combine([](uint64_t x, uint64_t y) { return llvm::SaturatingAdd(x, y); });
      })
      .Case([&](MulOp) {
        return combine([](uint64_t x, uint64_t y) { return llvm::SaturatingMultiply(x, y); });
      })
      .Case([&](ShiftRightLogicalOp op) -> Bound {
        Bound bound = known(op.getLhs()), by = splatOf(op.getRhs());
        if (!bound || !by || !known(op.getRhs()))
          return std::nullopt;
        return *by < 64 ? *bound >> *by : 0;
      })
      .Default([](Operation *) { return std::nullopt; });
}

bool Counts::dropUnfit() {
  auto stays = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return llvm::any_of(
               maker->getOperands(),
               [&](Value operand) { return isLong(operand.getType()) && !known(operand); }) ||
           llvm::any_of(value.getUsers(), [&](Operation *user) {
             bool isCounted = user->getNumResults() == 1 && known(user->getResult(0));
             return !isCounted && !(isa<ConvertOp>(user) && !isLong(user->getResult(0).getType()));
           });
  };
  llvm::SmallDenseSet<Value> unfit;
  for (auto [value, bound] : most)
    if (stays(value))
      unfit.insert(value);
  most.remove_if([&](auto &entry) { return unfit.contains(entry.first); });
  return !unfit.empty();
}

void Counts::narrow(Value value) {
  Operation *maker = value.getDefiningOp();
  OpBuilder b(maker);
  auto type = typeOf(value).clone(b.getIntegerType(32, /*isSigned=*/false));
  if (auto constant = dyn_cast<ConstantOp>(maker)) {
    auto elements = cast<DenseIntElementsAttr>(constant.getValue());
    constant.setValueAttr(elements.mapValues(type.getElementType(),
                                             [](const APInt &value) { return value.trunc(32); }));
  } else if (auto shift = dyn_cast<ShiftRightLogicalOp>(maker); shift && most[value] == 0) {
    // Perhaps by 32 bits or more, which 32 bits do not have.
    Value zero =
        ConstantOp::create(b, shift.getLoc(), DenseElementsAttr::get(type, APInt::getZero(32)));
    value.replaceAllUsesWith(zero);
    return shift.erase();
  }
  value.setType(type);
}

struct NarrowCounts : impl::NarrowCountsBase<NarrowCounts> {
  void runOnOperation() override { Counts().run(getOperation()); }
};

} // namespace
} // namespace systole
