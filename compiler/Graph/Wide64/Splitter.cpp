// Splits 64-bit integers into 32-bit words: code shared by all groups of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Wide64/Splitter.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/Wide64/Elementwise.h"
#include "compiler/Graph/Wide64/Parts.h"

#include <cassert>

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

bool isWide(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<IntegerType>(tensor.getElementType()) &&
         tensor.getElementTypeBitWidth() == 64;
}

const RewriteTable &RewriteTable::get() {
  static const RewriteTable table = [] {
    RewriteTable table;
    for (auto add : {addArithmetic, addBits, addDivision, addConversions, addMovement, addRegions,
                     addProducts})
      add(table);
    return table;
  }();
  return table;
}

static bool concerns(Operation &op) {
  auto wide = [](Type type) { return isWide(type); };
  return llvm::any_of(op.getOperandTypes(), wide) || llvm::any_of(op.getResultTypes(), wide) ||
         llvm::any_of(op.getRegions(), [&](Region &region) {
           return llvm::any_of(region.getArgumentTypes(), wide);
         });
}

/// Whether the range of the only result is a single value.
static bool isKnown(const IntegerRanges &ranges, Operation &op) {
  return op.getNumResults() == 1 && isWide(op.getResult(0)) && !isa<ConstantOp>(op) &&
         op.getNumRegions() == 0 && ranges.of(op.getResult(0)).isSingleElement();
}

/// Marks the elementwise operations from `first` on, to which `op` expanded, if there are many.
static void markParts(Operation *first, Operation *op) {
  constexpr size_t few = 2;
  SmallVector<Operation *> parts;
  for (Operation *part = first; part != op; part = part->getNextNode())
    if (kindOf(part) == OpKind::Elementwise)
      parts.push_back(part);
  if (parts.size() > few)
    for (Operation *part : parts)
      part->setAttr(kPartAttr, UnitAttr::get(op->getContext()));
}

LogicalResult Splitter::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (!concerns(op)) {
      for (Region &region : op.getRegions())
        if (!region.empty() && failed(visit(region.front())))
          return failure();
      continue;
    }
    Rewrite rewrite = RewriteTable::get().find(op.getName().getStringRef());
    if (!rewrite)
      return emitUnsupported(&op, " for 64-bit integers");
    if (isKnown(ranges, op)) {
      Expressions e(&op);
      uint64_t number = ranges.of(op.getResult(0)).getSingleElement()->getZExtValue();
      setResult(*this, e, &op, e.wideNumber(number, op.getResult(0)));
      rewritten.push_back(&op);
      continue;
    }
    Operation *before = op.getPrevNode();
    if (failed(rewrite(*this, &op)))
      return failure();
    markParts(before ? before->getNextNode() : &block.front(), &op);
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

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

Type Splitter::narrowElement(Value value) const {
  MLIRContext *context = value.getContext();
  if (ranges.isSigned(value) && ranges.fitsInt32(value))
    return IntegerType::get(context, 32);
  if (ranges.fitsUInt32(value))
    return IntegerType::get(context, 32, IntegerType::Unsigned);
  return nullptr;
}

SmallVector<Type> Splitter::wordTypes(Value value) const {
  RankedTensorType type = typeOf(value);
  if (!isWide(type))
    return {type};
  if (Type narrow = narrowElement(value))
    return {type.clone(narrow)};
  Type word = type.clone(IntegerType::get(value.getContext(), 32, IntegerType::Unsigned));
  return {word, word};
}

Type Splitter::commonNarrowElement(Operation *op) const {
  SmallVector<Value> values;
  for (Value value : op->getOperands())
    if (isWide(value))
      values.push_back(value);
  for (Value value : op->getResults())
    if (isWide(value))
      values.push_back(value);
  auto i32 = IntegerType::get(op->getContext(), 32);
  auto u32 = IntegerType::get(op->getContext(), 32, IntegerType::Unsigned);
  bool fitI32 = llvm::all_of(values, [&](Value value) { return ranges.fitsInt32(value); });
  bool fitU32 = llvm::all_of(values, [&](Value value) { return ranges.fitsUInt32(value); });
  if (fitI32 && fitU32)
    return ranges.isSigned(values.front()) ? i32 : u32;
  return fitI32 ? i32 : fitU32 ? u32 : Type();
}

Words Splitter::wide(Expressions &e, Value value) const {
  Words is = get(value);
  if (is.high)
    return is;
  bool isPositive =
      ranges.isNonNegative(value) || typeOf(is.low).getElementType().isUnsignedInteger();
  return {e.word(is.low), isPositive ? e.zero(is.low) : e.signs(is.low)};
}

Value Splitter::low(Expressions &e, Value value, Type element) const {
  return e.as(get(value).low, element);
}

Value Splitter::position(Expressions &e, Value value) const {
  if (!isWide(value))
    return value;
  Words is = get(value);
  Value most = e.t.number(e.i32, INT32_MAX, shapeOf(value));
  if (!is.high) {
    if (ranges.fitsInt32(value))
      return e.as(is.low, e.i32);
    return e.as(e.t.apply<MinOp>(is.low, e.word(most)), e.i32);
  }
  if (!ranges.isSigned(value)) {
    Value low = e.as(e.t.apply<MinOp>(is.low, e.word(most)), e.i32);
    return e.t.select(e.isNonZero(is.high), most, low);
  }
  Value nearest = e.as(e.bitXor(e.signs(is.high), e.word(most)), e.i32);
  Value fits = e.equal(is.high, e.signs(is.low));
  return e.t.select(fits, e.as(is.low, e.i32), nearest);
}

//===----------------------------------------------------------------------===//
// Lists of values
//===----------------------------------------------------------------------===//

void Splitter::appendWords(Expressions &e, Value value, Value like, SmallVectorImpl<Value> &list) {
  if (!isWide(value)) {
    list.push_back(value);
  } else if (Type narrow = narrowElement(like)) {
    list.push_back(low(e, value, narrow));
  } else {
    Words is = wide(e, value);
    list.append({is.low, is.high});
  }
}

void Splitter::takeWords(Value value, ValueRange &values) {
  if (!isWide(value)) {
    value.replaceAllUsesWith(values.front());
    values = values.drop_front();
    return;
  }
  size_t count = wordTypes(value).size();
  assert(values.size() >= count && "a value for each word");
  set(value, {values[0], count == 2 ? values[1] : Value()});
  values = values.drop_front(count);
}

void Splitter::splitArguments(Block &block, ValueRange like) {
  for (auto [old, value] :
       llvm::zip_equal(llvm::to_vector(block.getArguments()), SmallVector<Value>(like))) {
    if (!isWide(old))
      continue;
    SmallVector<Value> added;
    for (Type type : wordTypes(value)) {
      auto element = RankedTensorType::get(typeOf(old).getShape(),
                                           cast<RankedTensorType>(type).getElementType());
      added.push_back(block.insertArgument(old.getArgNumber(), element, old.getLoc()));
    }
    assert(!added.empty() && added.size() <= 2 && "one word or two");
    set(old, {added[0], added.size() == 2 ? added[1] : Value()});
    oldArguments.push_back(old);
  }
}

} // namespace systole::wide64
