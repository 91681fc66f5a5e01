// Splits tensors of elements that the machine lacks into planes: code that all such types share.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Planes/Splitter.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Planes/Expansion.h"
#include "compiler/Tensor/OpKinds.h"

#include <cassert>

using namespace mlir;

namespace systole::planes {

using namespace stablehlo;
using namespace expansion;

const RewriteTable<Splitter> &sharedRewrites() {
  static const RewriteTable<Splitter> table = [] {
    RewriteTable<Splitter> table;
    addMovement(table);
    addRegions(table);
    return table;
  }();
  return table;
}

static bool hasWideTypes(Operation *op, function_ref<bool(Type)> isWide) {
  return llvm::any_of(op->getOperandTypes(), isWide) ||
         llvm::any_of(op->getResultTypes(), isWide) ||
         llvm::any_of(op->getRegions(), [&](Region &region) {
           return llvm::any_of(region.getArgumentTypes(), isWide);
         });
}

bool hasWide(ModuleOp module, function_ref<bool(Type)> isWide) {
  return module
      ->walk([&](Operation *op) {
        return hasWideTypes(op, isWide) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool Splitter::concerns(Operation &op) const {
  return hasWideTypes(&op, [this](Type type) { return isWide(type); });
}

void markExpansion(Operation *first, Operation *end, Attribute number) {
  constexpr size_t few = 2;
  SmallVector<Operation *> parts;
  for (Operation *part = first; part != end; part = part->getNextNode())
    if (kindOf(part) == OpKind::Elementwise)
      parts.push_back(part);
  if (parts.size() > few)
    for (Operation *part : parts)
      part->setAttr(kernel::kExpandedAttr, number ? number : UnitAttr::get(part->getContext()));
}

LogicalResult Splitter::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (!concerns(op)) {
      for (Region &region : op.getRegions())
        if (!region.empty() && failed(visit(region.front())))
          return failure();
      continue;
    }
    // Rewriting empties the bodies of some operations.
    const bool sharesKernel = shareKernel(&op);
    Operation *before = op.getPrevNode();
    std::optional<LogicalResult> result = rewrite(&op);
    if (!result)
      return emitUnsupported(&op, " for " + elements());
    if (failed(*result))
      return failure();
    Attribute number;
    if (sharesKernel)
      number = Builder(&op).getI32IntegerAttr(expanded++);
    markExpansion(before ? before->getNextNode() : &block.front(), &op, number);
    rewritten.push_back(&op);
  }
  return success();
}

void Splitter::finish() {
  for (Operation *op : llvm::reverse(rewritten))
    op->erase();
  for (BlockArgument argument : llvm::reverse(oldArguments))
    argument.getOwner()->eraseArgument(argument.getArgNumber());
}

void Splitter::setPlanes(Value value, ArrayRef<Value> is) {
  planes[value].assign(is.begin(), is.end());
}

SmallVector<Value> Splitter::planesOf(Value value) const {
  auto found = planes.find(value);
  assert(found != planes.end() && "a value whose producer has been rewritten");
  return SmallVector<Value>(ArrayRef<Value>(found->second));
}

SmallVector<Type> Splitter::planeTypes(Value value) const {
  RankedTensorType type = typeOf(value);
  if (!isWide(type))
    return {type};
  return llvm::map_to_vector(elementTypes(value),
                             [&](Type element) -> Type { return type.clone(element); });
}

SmallVector<Type> Splitter::planeTypes(ValueRange values) const {
  SmallVector<Type> types;
  for (Value value : values)
    llvm::append_range(types, planeTypes(value));
  return types;
}

SmallVector<Value> Splitter::planesLike(Operation *op, ValueRange values, ValueRange like) {
  SmallVector<Value> all;
  for (auto [value, includes] : llvm::zip_equal(values, like))
    if (isWide(value))
      llvm::append_range(all, planesLike(op, value, includes));
    else
      all.push_back(value);
  return all;
}

void Splitter::takePlanes(Value value, ValueRange &values) {
  size_t count = 1;
  if (!isWide(value)) {
    value.replaceAllUsesWith(values.front());
  } else {
    count = elementTypes(value).size();
    assert(values.size() >= count && "a value for each plane");
    setPlanes(value, SmallVector<Value>(values.take_front(count)));
  }
  values = values.drop_front(count);
}

void Splitter::splitArguments(Block &block, ValueRange like, unsigned groups) {
  SmallVector<BlockArgument> arguments(block.getArguments());
  SmallVector<Value> values(like);
  assert(arguments.size() == values.size() && values.size() % groups == 0 && "whole groups");
  for (unsigned first = 0; first < arguments.size(); first += groups) {
    if (!isWide(arguments[first]))
      continue;
    auto group = ArrayRef(arguments).slice(first, groups);
    SmallVector<SmallVector<Value>> added(groups);
    for (Type element : elementTypes(values[first]))
      for (auto [old, list] : llvm::zip_equal(group, added))
        list.push_back(block.insertArgument(group.front().getArgNumber(),
                                            typeOf(old).clone(element), old.getLoc()));
    for (auto [old, list] : llvm::zip_equal(group, added)) {
      setPlanes(old, list);
      oldArguments.push_back(old);
    }
  }
}

} // namespace systole::planes
