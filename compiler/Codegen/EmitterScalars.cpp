// Builds `core` instructions: scalar arithmetic that folds constants.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

Value Emitter::constant(int64_t value) {
  int32_t bits = static_cast<int32_t>(value);
  Value &known = constants[bits];
  if (!known) {
    // Placed at the entry, so that a constant dominates all uses whenever it is created.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    known = arith::ConstantIntOp::create(b, loc, bits, 32);
  }
  return known;
}

std::optional<int32_t> Emitter::constantValue(Value value) const {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto attr = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  if (!attr)
    return std::nullopt;
  return static_cast<int32_t>(attr.getInt());
}

std::pair<Value, int64_t> Emitter::split(Value scalar) const {
  if (std::optional<int32_t> known = constantValue(scalar))
    return {nullptr, *known};
  if (auto sum = scalar.getDefiningOp<core::SAddOp>())
    if (std::optional<int32_t> known = constantValue(sum.getB()))
      return {sum.getA(), *known};
  return {scalar, 0};
}

Value Emitter::add(Value x, Value y) {
  // Constants remain outermost, where addresses can fold them as offsets.
  auto [xValue, xConstant] = split(x);
  auto [yValue, yConstant] = split(y);
  if (!xValue && !yValue)
    return constant(xConstant + yConstant);
  Value sum = xValue ? xValue : yValue;
  if (xValue && yValue)
    sum = core::SAddOp::create(b, loc, b.getI32Type(), xValue, yValue);
  return add(sum, xConstant + yConstant);
}

Value Emitter::add(Value x, int64_t c) {
  auto [value, known] = split(x);
  int32_t total = static_cast<int32_t>(known + c);
  if (!value)
    return constant(total);
  if (total == 0)
    return value;
  if (total == known)
    return x;
  return core::SAddOp::create(b, loc, b.getI32Type(), value, constant(total));
}

Value Emitter::sub(Value x, Value y) {
  if (std::optional<int32_t> known = constantValue(y))
    return add(x, -static_cast<int64_t>(*known));
  if (x == y)
    return constant(0);
  return core::SSubOp::create(b, loc, b.getI32Type(), x, y);
}

Value Emitter::mul(Value x, Value y) {
  if (std::optional<int32_t> known = constantValue(y))
    return mul(x, *known);
  if (std::optional<int32_t> known = constantValue(x))
    return mul(y, *known);
  return core::SMulOp::create(b, loc, b.getI32Type(), x, y);
}

Value Emitter::mul(Value x, int64_t c) {
  if (std::optional<int32_t> known = constantValue(x))
    return constant(static_cast<int64_t>(*known) * c);
  if (c == 0)
    return constant(0);
  if (c == 1)
    return x;
  // (x + k) * c becomes x * c + k * c, so that the constant reaches the address.
  auto [value, known] = split(x);
  Value product;
  if (c > 0 && llvm::isPowerOf2_64(c))
    product = core::SShlOp::create(b, loc, b.getI32Type(), value, constant(llvm::Log2_64(c)));
  else
    product = core::SMulOp::create(b, loc, b.getI32Type(), value, constant(c));
  return add(product, known * c);
}

namespace {

/// Of x >= 0 and a divisor that is no power of two, x / divisor is the high word of x * factor,
/// shifted right.
struct Reciprocal {
  explicit Reciprocal(int64_t divisor) {
    // With l = ceil(log2 d) and m = floor(2^(31 + l) / d) + 1, which is below 2^32,
    // m d - 2^(31 + l) = e with 0 < e <= d <= 2^l. For 0 <= x < 2^31 the product
    // x e is below 2^(31 + l), so floor(x m / 2^(31 + l)) is floor(x / d).
    unsigned bits = llvm::Log2_64_Ceil(divisor);
    factor = static_cast<int32_t>((uint64_t(1) << (31 + bits)) / divisor + 1);
    shift = static_cast<int32_t>(bits - 1);
  }

  int32_t factor, shift;
};

} // namespace

Value Emitter::divide(Value x, int64_t divisor) {
  if (divisor == 1)
    return x;
  if (std::optional<int32_t> known = constantValue(x))
    return constant(*known / divisor);
  if (llvm::isPowerOf2_64(divisor))
    return core::SShrOp::create(b, loc, b.getI32Type(), x, constant(llvm::Log2_64(divisor)));
  Reciprocal by(divisor);
  Value high = core::SMulHiOp::create(b, loc, b.getI32Type(), x, constant(by.factor));
  return core::SShrOp::create(b, loc, b.getI32Type(), high, constant(by.shift));
}

Value Emitter::divideCells(Value cells, int64_t divisor) {
  if (divisor == 1)
    return cells;
  if (llvm::isPowerOf2_64(divisor))
    return core::VShrOp::create(b, loc, vectorType(), cells, constant(llvm::Log2_64(divisor)));
  Reciprocal by(divisor);
  Value high = core::VMulHiOp::create(b, loc, vectorType(), cells, constant(by.factor));
  return core::VShrOp::create(b, loc, vectorType(), high, constant(by.shift));
}

Value Emitter::remainderOfCells(Value cells, int64_t divisor) {
  Value whole =
      core::VMulOp::create(b, loc, vectorType(), divideCells(cells, divisor), constant(divisor));
  return core::VSubOp::create(b, loc, vectorType(), cells, whole);
}

Value Emitter::remainder(Value x, int64_t divisor) {
  if (divisor == 1)
    return constant(0);
  if (std::optional<int32_t> known = constantValue(x))
    return constant(*known % divisor);
  if (llvm::isPowerOf2_64(divisor))
    return core::SAndOp::create(b, loc, b.getI32Type(), x, constant(divisor - 1));
  return sub(x, mul(divide(x, divisor), divisor));
}

Value Emitter::min(Value x, Value y) {
  std::optional<int32_t> xKnown = constantValue(x), yKnown = constantValue(y);
  if (xKnown && yKnown)
    return constant(std::min(*xKnown, *yKnown));
  return x == y ? x : core::SMinOp::create(b, loc, b.getI32Type(), x, y);
}

Value Emitter::max(Value x, Value y) {
  std::optional<int32_t> xKnown = constantValue(x), yKnown = constantValue(y);
  if (xKnown && yKnown)
    return constant(std::max(*xKnown, *yKnown));
  return x == y ? x : core::SMaxOp::create(b, loc, b.getI32Type(), x, y);
}

Value Emitter::less(Value x, Value y) {
  std::optional<int32_t> xKnown = constantValue(x), yKnown = constantValue(y);
  if (xKnown && yKnown)
    return constant(*xKnown < *yKnown);
  return core::SLtOp::create(b, loc, b.getI32Type(), x, y);
}

Value Emitter::select(Value condition, Value x, Value y) {
  if (std::optional<int32_t> known = constantValue(condition))
    return *known ? x : y;
  return x == y ? x : core::SSelOp::create(b, loc, b.getI32Type(), condition, x, y);
}

Value Emitter::bitAnd(Value x, Value y) {
  std::optional<int32_t> xKnown = constantValue(x), yKnown = constantValue(y);
  if (xKnown && yKnown)
    return constant(*xKnown & *yKnown);
  if (xKnown == 0 || yKnown == 0)
    return constant(0);
  return x == y ? x : core::SAndOp::create(b, loc, b.getI32Type(), x, y);
}

Value Emitter::bitOr(Value x, Value y) {
  std::optional<int32_t> xKnown = constantValue(x), yKnown = constantValue(y);
  if (xKnown && yKnown)
    return constant(*xKnown | *yKnown);
  if (xKnown == 0 || x == y)
    return y;
  return yKnown == 0 ? x : core::SOrOp::create(b, loc, b.getI32Type(), x, y);
}

Value Emitter::bitXor(Value x, Value y) {
  std::optional<int32_t> xKnown = constantValue(x), yKnown = constantValue(y);
  if (xKnown && yKnown)
    return constant(*xKnown ^ *yKnown);
  if (x == y)
    return constant(0);
  if (xKnown == 0)
    return y;
  return yKnown == 0 ? x : core::SXorOp::create(b, loc, b.getI32Type(), x, y);
}
