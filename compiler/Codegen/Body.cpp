// Lane-wise evaluation of a stage's body: dispatch and shared code.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Body.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

ElementClass codegen::classOf(Type element) {
  if (isa<FloatType>(element))
    return ElementClass::Float;
  return element.isInteger(1) ? ElementClass::Pred : ElementClass::Int;
}

Type codegen::elementOf(Value value) { return cast<ShapedType>(value.getType()).getElementType(); }

//===----------------------------------------------------------------------===//
// BodyOp
//===----------------------------------------------------------------------===//

Value BodyOp::f32(float value) const { return bits(llvm::bit_cast<uint32_t>(value)); }

Value BodyOp::select(Value mask, Value a, Value b) const {
  return core::VSelectOp::create(e.b, e.loc, e.vectorType(), mask, a, b);
}

Value BodyOp::notMask(Value mask) const { return m<core::MXorOp>(e.allMask(), mask); }

//===----------------------------------------------------------------------===//
// BodyTable
//===----------------------------------------------------------------------===//

void BodyTable::add(StringRef name, ElementClass cls, EmitElement emit, Finish finish) {
  entries[name][static_cast<size_t>(cls)] = {emit, finish};
}

const BodyTable::Entries *BodyTable::find(StringRef name) const {
  auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

const BodyTable &BodyTable::get() {
  static const BodyTable table = [] {
    BodyTable table;
    addFloatOps(table);
    addIntegerOps(table);
    addPredicateOps(table);
    addComparisonOps(table);
    addConversionOps(table);
    return table;
  }();
  return table;
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

Value Body::vector(Value value) {
  if (!value.getType().isInteger(32))
    return value;
  if (std::optional<int32_t> known = e.constantValue(value))
    return e.splatBits(static_cast<uint32_t>(*known));
  return core::VMovOp::create(e.b, e.loc, e.vectorType(), value);
}

Value Body::wrap(Value value, Type type) {
  auto unary = [&](auto op) -> Value {
    return decltype(op)::create(e.b, e.loc, e.vectorType(), value);
  };
  if (type.isBF16())
    return excessPrecision ? value : unary(core::VRoundBf16Op());
  if (type.isF16())
    return excessPrecision ? value : unary(core::VRoundF16Op());
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32 || bits == 1)
    return value;
  Type vector = e.vectorType();
  if (type.isUnsignedInteger())
    return core::VAndOp::create(e.b, e.loc, vector, value, e.constant((1 << bits) - 1));
  Value shift = e.constant(32 - bits);
  Value high = core::VShlOp::create(e.b, e.loc, vector, value, shift);
  return core::VSraOp::create(e.b, e.loc, vector, high, shift);
}

Value Body::emitOp(Operation &op, ArrayRef<Value> args) {
  if (auto position = dyn_cast<kernel::IndexOp>(op))
    return index(position.getDim());
  if (auto captured = dyn_cast<kernel::ScalarOp>(op))
    return scalar(captured.getValue());

  auto unsupported = [&](Type type) -> Value {
    op.emitOpError() << "on elements of " << type << " has no lowering to vector instructions";
    return nullptr;
  };
  auto isElement = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0;
  };
  const BodyTable::Entries *entries = BodyTable::get().find(op.getName().getStringRef());
  if (!entries || op.getNumResults() != 1) {
    op.emitOpError("has no lowering to vector instructions");
    return nullptr;
  }
  if (!isElement(op.getResult(0).getType()) || !llvm::all_of(op.getOperandTypes(), isElement)) {
    op.emitOpError("expects rank-0 tensors in a stage's body");
    return nullptr;
  }
  Type out = elementOf(op.getResult(0));
  Type in = op.getNumOperands() ? elementOf(op.getOperand(0)) : out;
  for (Type type : {in, out})
    if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 32 ||
        (isa<FloatType>(type) && !type.isF32() && !type.isBF16() && !type.isF16()))
      return unsupported(type);
  const BodyTable::Entry &entry = (*entries)[static_cast<size_t>(classOf(in))];
  if (!entry.emit)
    return unsupported(in);
  Value value = entry.emit(BodyOp{&op, args, *this, e, in, out});
  return value && entry.finish == Finish::wrap ? wrap(value, out) : value;
}

FailureOr<SmallVector<Value>> Body::emit(Block &block, ValueRange args) {
  llvm::SmallDenseMap<Value, Value, 16> values;
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), args))
    values[argument] = value;
  Location stageLoc = e.loc;
  SmallVector<Value> operands;
  for (Operation &op : block) {
    operands.clear();
    // kernel.scalar looks up captured scalars itself.
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    if (isa<kernel::YieldOp>(op))
      break;
    if (e.keepsLines)
      e.loc = op.getLoc();
    Value result = emitOp(op, operands);
    if (!result)
      return failure();
    values[op.getResult(0)] = result;
  }
  e.loc = stageLoc;
  return operands;
}

Value codegen::fromMemory(Emitter &e, Value loaded, Type element) {
  if (classOf(element) != ElementClass::Pred)
    return loaded;
  return core::VNeOp::create(e.b, e.loc, e.maskType(), loaded, e.constant(0));
}

Value codegen::toMemory(Emitter &e, Value value, Type element) {
  if (classOf(element) == ElementClass::Pred)
    return core::VSelectOp::create(e.b, e.loc, e.vectorType(), value, e.constant(1), e.constant(0));
  if (!value.getType().isInteger(32))
    return value;
  if (std::optional<int32_t> known = e.constantValue(value))
    return e.splatBits(static_cast<uint32_t>(*known));
  return core::VMovOp::create(e.b, e.loc, e.vectorType(), value);
}
