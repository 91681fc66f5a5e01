// Arguments and results of the entry that are split into planes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Planes/Entry.h"

#include "compiler/Import/Passes.h"
#include "dialects/Kernel/Attributes.h"

using namespace mlir;

namespace systole::planes {

namespace {

class Entry {
public:
  Entry(func::FuncOp function, Splitter &s)
      : function(function), s(s), body(function.getBody().front()) {}

  void splitArguments() {
    llvm::append_range(arguments, body.getArguments());
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      attributesOf(argument.getType(), function.getArgAttrDict(i), argAttrs);
      if (!s.isWide(argument))
        continue;
      Type type = typeOf(argument).clone(s.entryElement(typeOf(argument)));
      Value low = body.insertArgument(argument.getArgNumber(), type, argument.getLoc());
      Value high = body.insertArgument(argument.getArgNumber(), type, argument.getLoc());
      s.setPlanes(argument, {low, high});
    }
  }

  void splitResults() {
    Operation *end = body.getTerminator();
    SmallVector<Value> results;
    for (auto [i, value] : llvm::enumerate(end->getOperands())) {
      attributesOf(value.getType(), function.getResultAttrDict(i), resultAttrs);
      if (s.isWide(value))
        llvm::append_range(results, s.entryPlanes(end, value));
      else
        results.push_back(value);
    }
    end->setOperands(results);
  }

  void finish() {
    for (BlockArgument argument : llvm::reverse(arguments))
      if (s.isWide(argument))
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
    if (s.isWide(type)) {
      bool isNarrowed = bool(attributes.erase(kDoubleAttr));
      // Planes that are split once more are of the same array.
      if (!attributes.get(kernel::kElementAttr))
        attributes.set(kernel::kElementAttr,
                       TypeAttr::get(isNarrowed ? Float64Type::get(type.getContext())
                                                : cast<RankedTensorType>(type).getElementType()));
    }
    list.append(s.isWide(type) ? 2 : 1, attributes.getDictionary(function.getContext()));
  }

  func::FuncOp function;
  Splitter &s;
  Block &body;
  SmallVector<BlockArgument> arguments;
  SmallVector<DictionaryAttr> argAttrs, resultAttrs;
};

} // namespace

LogicalResult splitEntry(func::FuncOp function, Splitter &s) {
  Entry entry(function, s);
  entry.splitArguments();
  if (failed(s.visit(function.getBody().front())))
    return failure();
  entry.splitResults();
  s.finish();
  entry.finish();
  return success();
}

} // namespace systole::planes
