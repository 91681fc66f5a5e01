// Takes arguments of f64 as their bits where a program narrows or compares them only.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Doubles.h"
#include "compiler/Import/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_NARROWDOUBLEARGUMENTS
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

/// The operations that the elements of a value reach unchanged.
struct Uses {
  SmallVector<ConvertOp> conversions;
  /// Operations with the operand that is compared.
  SmallVector<std::pair<CompareOp, Value>> comparisons;
};

/// Collects the conversions to narrower floats and the comparisons with narrower numbers that a
/// value's elements reach; false if they reach anything else.
bool collect(Value value, Uses &uses) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto convert = dyn_cast<ConvertOp>(user)) {
      auto to = dyn_cast<RankedTensorType>(convert.getType());
      uses.conversions.push_back(convert);
      return to && (to.getElementType().isF32() || to.getElementType().isBF16() ||
                    to.getElementType().isF16());
    }
    if (auto compare = dyn_cast<CompareOp>(user)) {
      uses.comparisons.push_back({compare, value});
      return isNarrowComparison(compare, value);
    }
    return isa<BroadcastInDimOp, ReshapeOp>(user) && collect(user->getResult(0), uses);
  });
}

void eraseUsers(Value value) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    eraseUsers(user->getResult(0));
    user->erase();
  }
}

void narrow(func::FuncOp function, BlockArgument argument, const Uses &uses) {
  OpBuilder b(function.getContext());
  b.setInsertionPointToStart(argument.getOwner());
  auto wide = cast<RankedTensorType>(argument.getType());
  auto bitsType = wide.clone(b.getIntegerType(64, false));
  BlockArgument bits =
      argument.getOwner()->insertArgument(argument.getArgNumber() + 1, bitsType, argument.getLoc());
  Value nearest, odd;
  for (ConvertOp convert : uses.conversions) {
    Type element = cast<RankedTensorType>(convert.getType()).getElementType();
    Value &narrow = element.isF32() ? nearest : odd;
    if (!narrow) {
      b.setInsertionPointToStart(argument.getOwner());
      narrow = DoubleBits(b, bits).toF32(element.isF32() ? DoubleBits::Rounding::Nearest
                                                         : DoubleBits::Rounding::Odd);
    }
    b.setInsertionPoint(convert);
    Value made = rebuild(b, convert.getOperand(), argument, narrow);
    if (!element.isF32())
      made = ConvertOp::create(b, convert.getLoc(), convert.getType(), made);
    convert.replaceAllUsesWith(made);
  }
  for (auto [compare, value] : uses.comparisons)
    narrowComparison(compare, value, argument, bits);
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
        Uses uses;
        if (isDouble(function.getArgument(i)) && collect(function.getArgument(i), uses))
          narrow(function, function.getArgument(i), uses);
      }
    }
  }
};

} // namespace
} // namespace systole
