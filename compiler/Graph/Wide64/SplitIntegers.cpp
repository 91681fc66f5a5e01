// Splits 64-bit integers into two 32-bit words.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Identities.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/Wide64/Splitter.h"
#include "compiler/Import/Passes.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPLITINTEGERS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace expansion;
using namespace wide64;

/// The original element type of an argument or result that is a word, for the signature.
constexpr StringLiteral kElement = "kernel.element";

bool hasWide(ModuleOp module) {
  auto wide = [](Type type) { return isWide(type); };
  return module
      ->walk([&](Operation *op) {
        bool found =
            llvm::any_of(op->getOperandTypes(), wide) || llvm::any_of(op->getResultTypes(), wide);
        for (Region &region : op->getRegions())
          found |= llvm::any_of(region.getArgumentTypes(), wide);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Starts reductions from identities and combines other initial values afterwards: identities of
/// reducers on words cannot be recognized any more.
void separateInitialValues(ModuleOp module) {
  using namespace stablehlo;
  module.walk([](ReduceOp op) {
    Operation *combiner = combinerOf(op.getBody().front());
    DenseElementsAttr identity =
        combiner && isWide(op.getResult(0)) ? identityOf(combiner) : nullptr;
    auto init = op.getInitValues().front().getDefiningOp<ConstantOp>();
    if (!identity || (init && init.getValue() == identity))
      return;
    Tensors t(op);
    Value start = op.getInitValues().front(), result = op.getResult(0);
    op.getInitValuesMutable().assign(t.constant(identity));
    t.b.setInsertionPointAfter(op);
    OperationState state(op.getLoc(), combiner->getName());
    state.addOperands({t.fill(start, shapeOf(result)), result});
    state.addTypes(result.getType());
    state.addAttributes(combiner->getAttrs());
    Operation *combined = t.b.create(state);
    result.replaceAllUsesExcept(combined->getResult(0), combined);
  });
}

/// Splits 64-bit arguments and results of the entry, with attributes for their original type.
class Entry {
public:
  Entry(func::FuncOp function, Splitter &s)
      : function(function), s(s), body(function.getBody().front()),
        word(IntegerType::get(function.getContext(), 32, IntegerType::Unsigned)) {}

  void splitArguments() {
    llvm::append_range(arguments, body.getArguments());
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      attributesOf(argument.getType(), function.getArgAttrDict(i), argAttrs);
      if (!isWide(argument))
        continue;
      Type type = typeOf(argument).clone(word);
      Location loc = argument.getLoc();
      Value low = body.insertArgument(argument.getArgNumber(), type, loc);
      Value high = body.insertArgument(argument.getArgNumber(), type, loc);
      s.set(argument, {low, high});
    }
  }

  void splitResults() {
    Operation *end = body.getTerminator();
    Expressions e(end);
    SmallVector<Value> results;
    for (auto [i, value] : llvm::enumerate(end->getOperands())) {
      attributesOf(value.getType(), function.getResultAttrDict(i), resultAttrs);
      if (!isWide(value)) {
        results.push_back(value);
        continue;
      }
      Words is = s.wide(e, value);
      results.append({is.low, is.high});
    }
    end->setOperands(results);
  }

  void finish() {
    for (BlockArgument argument : llvm::reverse(arguments))
      if (isWide(argument))
        body.eraseArgument(argument.getArgNumber());
    function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                       body.getTerminator()->getOperandTypes()));
    function.setAllArgAttrs(argAttrs);
    function.setAllResultAttrs(resultAttrs);
  }

private:
  void attributesOf(Type type, DictionaryAttr given, SmallVectorImpl<DictionaryAttr> &list) {
    NamedAttrList attributes;
    if (given)
      attributes.append(given.getValue());
    if (isWide(type))
      attributes.set(kElement, TypeAttr::get(attributes.erase(kDoubleAttr)
                                                 ? Float64Type::get(type.getContext())
                                                 : cast<RankedTensorType>(type).getElementType()));
    list.append(isWide(type) ? 2 : 1, attributes.getDictionary(function.getContext()));
  }

  func::FuncOp function;
  Splitter &s;
  Block &body;
  Type word;
  SmallVector<BlockArgument> arguments;
  SmallVector<DictionaryAttr> argAttrs, resultAttrs;
};

struct SplitIntegers : impl::SplitIntegersBase<SplitIntegers> {
  void runOnOperation() override {
    if (!hasWide(getOperation()))
      return;
    splitDeepProducts(getOperation());
    separateInitialValues(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      IntegerRanges ranges(function.getBody().front());
      Splitter splitter(ranges);
      Entry entry(function, splitter);
      entry.splitArguments();
      if (failed(splitter.visit(function.getBody().front())))
        return signalPassFailure();
      entry.splitResults();
      splitter.finish();
      entry.finish();
    }
  }
};

} // namespace
} // namespace systole
