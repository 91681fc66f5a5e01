// Takes arguments of f64 as their bits where a program uses them as narrower floats only.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_NARROWDOUBLEARGUMENTS
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

bool isDouble(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF64() && type.hasStaticShape();
}

/// Collects the conversions that a value's elements reach unchanged; false if they reach anything
/// else.
bool collect(Value value, SmallVectorImpl<ConvertOp> &conversions) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto convert = dyn_cast<ConvertOp>(user)) {
      auto to = dyn_cast<RankedTensorType>(convert.getType());
      conversions.push_back(convert);
      return to && (to.getElementType().isF32() || to.getElementType().isBF16() ||
                    to.getElementType().isF16());
    }
    return isa<BroadcastInDimOp, ReshapeOp>(user) && collect(user->getResult(0), conversions);
  });
}

/// Integer arithmetic on the bits of doubles.
class Bits {
public:
  Bits(OpBuilder &b, Value bits)
      : b(b), loc(bits.getLoc()), type(cast<RankedTensorType>(bits.getType())), bits(bits) {}

  /// The nearest f32, with a tie to the even one; or, with `isOdd`, the next one towards zero with
  /// an odd last bit if that is another number: what is rounded to fewer bits then is rounded once.
  /// Subnormals are zero.
  Value toF32(bool isOdd) {
    constexpr uint64_t kDropped = 29; // bits of the mantissa
    constexpr uint64_t kInfinity = 0x7f800000, kNan = 0x7fc00000;
    // Exponents of f32 start at 2^-126, which f64 has 897 for.
    constexpr uint64_t kBias = uint64_t(896) << 52, kSmallest = uint64_t(897) << 52;
    constexpr uint64_t kWideInfinity = uint64_t(0x7ff) << 52;
    Value magnitude = both(bits, number(~uint64_t(0) >> 1));
    Value rebiased = SubtractOp::create(b, loc, magnitude, number(kBias));
    Value kept = right(rebiased, kDropped), rounded;
    if (isOdd) {
      Value rest = both(rebiased, number((uint64_t(1) << kDropped) - 1));
      Value sticky = MinOp::create(b, loc, rest, number(1));
      rounded = OrOp::create(b, loc, kept, sticky);
    } else {
      Value half = add(both(kept, number(1)), number((uint64_t(1) << (kDropped - 1)) - 1));
      rounded = right(add(rebiased, half), kDropped);
    }
    Value result = MinOp::create(b, loc, rounded, number(kInfinity));
    result = select(ComparisonDirection::LT, magnitude, number(kSmallest), number(0), result);
    result =
        select(ComparisonDirection::GT, magnitude, number(kWideInfinity), number(kNan), result);
    Value sign = both(right(bits, 32), number(uint64_t(1) << 31));
    result = OrOp::create(b, loc, result, sign);
    Value word = ConvertOp::create(b, loc, type.clone(b.getIntegerType(32, false)), result);
    return BitcastConvertOp::create(b, loc, type.clone(b.getF32Type()), word);
  }

private:
  Value number(uint64_t value) {
    return ConstantOp::create(b, loc, DenseElementsAttr::get(type, APInt(64, value)));
  }
  Value both(Value x, Value y) { return AndOp::create(b, loc, x, y); }
  Value add(Value x, Value y) { return AddOp::create(b, loc, x, y); }
  Value right(Value x, uint64_t places) {
    return ShiftRightLogicalOp::create(b, loc, x, number(places));
  }
  Value select(ComparisonDirection direction, Value x, Value y, Value then, Value otherwise) {
    Value mask = CompareOp::create(b, loc, x, y, direction, ComparisonTypeAttr());
    return SelectOp::create(b, loc, mask, then, otherwise);
  }

  OpBuilder &b;
  Location loc;
  RankedTensorType type;
  Value bits;
};

/// `value`, which `argument` reaches through reshapes and broadcasts, with `narrow` in its place.
Value rebuild(OpBuilder &b, Value value, Value argument, Value narrow) {
  if (value == argument)
    return narrow;
  Operation *op = value.getDefiningOp();
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(rebuild(b, op->getOperand(0), argument, narrow));
  state.addTypes(cast<RankedTensorType>(value.getType())
                     .clone(cast<RankedTensorType>(narrow.getType()).getElementType()));
  state.addAttributes(op->getAttrs());
  return b.create(state)->getResult(0);
}

void eraseUsers(Value value) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    eraseUsers(user->getResult(0));
    user->erase();
  }
}

void narrow(func::FuncOp function, BlockArgument argument, ArrayRef<ConvertOp> conversions) {
  OpBuilder b(function.getContext());
  b.setInsertionPointToStart(argument.getOwner());
  auto wide = cast<RankedTensorType>(argument.getType());
  auto bitsType = wide.clone(b.getIntegerType(64, false));
  BlockArgument bits =
      argument.getOwner()->insertArgument(argument.getArgNumber() + 1, bitsType, argument.getLoc());
  Value nearest, odd;
  for (ConvertOp convert : conversions) {
    Type element = cast<RankedTensorType>(convert.getType()).getElementType();
    Value &narrow = element.isF32() ? nearest : odd;
    if (!narrow) {
      b.setInsertionPointToStart(argument.getOwner());
      narrow = Bits(b, bits).toF32(/*isOdd=*/!element.isF32());
    }
    b.setInsertionPoint(convert);
    Value made = rebuild(b, convert.getOperand(), argument, narrow);
    if (!element.isF32())
      made = ConvertOp::create(b, convert.getLoc(), convert.getType(), made);
    convert.replaceAllUsesWith(made);
  }
  eraseUsers(argument);
  unsigned number = argument.getArgNumber();
  argument.getOwner()->eraseArgument(number);
  function.setType(FunctionType::get(function.getContext(),
                                     function.getBody().front().getArgumentTypes(),
                                     function.getResultTypes()));
  function.setArgAttr(number, kDoubleAttr, b.getUnitAttr());
}

struct NarrowDoubleArguments : impl::NarrowDoubleArgumentsBase<NarrowDoubleArguments> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      // Nobody but this pass says it.
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.removeArgAttr(i, kDoubleAttr);
      if (!function.isPublic() || function.isExternal() || !function.getBody().hasOneBlock())
        continue;
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        SmallVector<ConvertOp> conversions;
        if (isDouble(function.getArgument(i)) && collect(function.getArgument(i), conversions))
          narrow(function, function.getArgument(i), conversions);
      }
    }
  }
};

} // namespace
} // namespace systole
