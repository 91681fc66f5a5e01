// Passes f64 arguments as bits if a program only narrows or compares them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Doubles/Bits.h"
#include "compiler/Import/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_NARROWDOUBLEARGUMENTS
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace doubles;

/// The uses of an argument, reached through operations that move its elements.
struct Uses {
  SmallVector<ConvertOp> conversions;
  /// Comparisons, each with its operand.
  SmallVector<std::pair<CompareOp, Value>> comparisons;
  /// The operations that move elements, producers first.
  SmallVector<Operation *> moves;
};

/// The limit on cloned moves. They are cloned for each conversion and comparison that follows,
/// which is quadratic.
constexpr int64_t kMaxRebuilt = 1 << 16;

/// The conversions to narrower floats and the comparisons with narrower values that an argument's
/// elements reach; nothing if they have other uses.
std::optional<Uses> usesOf(BlockArgument argument) {
  Uses uses;
  SmallVector<std::pair<Value, int64_t>> values{{argument, 0}};
  int64_t rebuilt = 0;
  while (!values.empty()) {
    auto [value, distance] = values.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (auto convert = dyn_cast<ConvertOp>(user)) {
        Type to = getElementTypeOrSelf(convert.getType());
        if (!to.isF32() && !to.isBF16() && !to.isF16())
          return std::nullopt;
        uses.conversions.push_back(convert);
      } else if (auto compare = dyn_cast<CompareOp>(user)) {
        if (!isNarrowComparison(compare, value))
          return std::nullopt;
        uses.comparisons.push_back({compare, value});
      } else if (isa<BroadcastInDimOp, ReshapeOp>(user)) {
        uses.moves.push_back(user);
        values.push_back({user->getResult(0), distance + 1});
        continue;
      } else {
        return std::nullopt;
      }
      rebuilt += distance;
      if (rebuilt > kMaxRebuilt)
        return std::nullopt;
    }
  }
  return uses;
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
    convert.erase();
  }
  for (auto [compare, value] : uses.comparisons)
    narrowComparison(compare, value, argument, bits);
  for (Operation *op : llvm::reverse(uses.moves))
    op->erase();
  unsigned number = argument.getArgNumber();
  argument.getOwner()->eraseArgument(number);
  function.setType(FunctionType::get(function.getContext(),
                                     function.getBody().front().getArgumentTypes(),
                                     function.getResultTypes()));
  function.setArgAttr(number, kDoubleAttr, b.getUnitAttr());
}

struct NarrowDoubleArguments : impl::NarrowDoubleArgumentsBase<NarrowDoubleArguments> {
  void rewrite() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      // Only this pass sets the attribute.
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.removeArgAttr(i, kDoubleAttr);
      if (!function.isPublic() || function.isExternal() || !function.getBody().hasOneBlock())
        continue;
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        if (!isDouble(function.getArgument(i)))
          continue;
        if (std::optional<Uses> uses = usesOf(function.getArgument(i)))
          narrow(function, function.getArgument(i), *uses);
      }
      eraseUnused(function);
    }
  }
};

} // namespace
} // namespace systole
