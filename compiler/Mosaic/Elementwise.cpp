// Elementwise operations of Mosaic on tensors: arithmetic, comparisons, functions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Chlo/Expansions.h"
#include "compiler/Mosaic/TensorOps.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;

namespace systole::mosaic {

using namespace stablehlo;
using Direction = ComparisonDirection;

static Type elementOf(Value tensor) { return typeOf(tensor).getElementType(); }
static Type unsignedOf(Type element) {
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(),
                          IntegerType::Unsigned);
}
static Value splat(Tensors &t, Value like, double value) {
  Type element = elementOf(like);
  return isa<FloatType>(element)
             ? t.real(element, value, typeOf(like).getShape())
             : t.number(element, static_cast<int64_t>(value), typeOf(like).getShape());
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename Op> static Value unary(Tensors &t, Operation *, ValueRange x) {
  return t.apply<Op>(x[0]);
}
template <typename Op> static Value binary(Tensors &t, Operation *, ValueRange x) {
  return t.apply<Op>(x[0], x[1]);
}
/// On the bits as unsigned integers.
template <typename Op> static Value onUnsigned(Tensors &t, Operation *, ValueRange x) {
  Type element = elementOf(x[0]);
  if (element.isInteger(1))
    return t.apply<Op>(x[0], x[1]);
  Type bits = unsignedOf(element);
  return t.bitcast(t.apply<Op>(t.bitcast(x[0], bits), t.bitcast(x[1], bits)), element);
}

static Value constant(Tensors &t, Operation *op, ValueRange) {
  RankedTensorType type = tensorType(op->getResult(0).getType());
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (elements && !elements.isSplat())
    return nullptr;
  Attribute element = elements ? elements.getSplatValue<Attribute>() : value;
  if (auto index = dyn_cast<IntegerAttr>(element); index && index.getType().isIndex())
    element = IntegerAttr::get(type.getElementType(), index.getInt());
  return ConstantOp::create(t.b, t.loc, DenseElementsAttr::get(type, element));
}

/// The number if one of them is NaN.
template <typename Op> static Value ofNumbers(Tensors &t, Operation *, ValueRange x) {
  Value best = t.apply<Op>(x[0], x[1]);
  best = t.select(t.compare(Direction::NE, x[1], x[1]), x[0], best);
  return t.select(t.compare(Direction::NE, x[0], x[0]), x[1], best);
}

static Value fusedMultiplyAdd(Tensors &t, Operation *, ValueRange x) {
  return t.apply<AddOp>(t.apply<MulOp>(x[0], x[1]), x[2]);
}

/// Rounds towards negative infinity.
static Value floorDivide(Tensors &t, Operation *, ValueRange x) {
  Value quotient = t.apply<DivOp>(x[0], x[1]), rest = t.apply<RemOp>(x[0], x[1]);
  Value zero = splat(t, rest, 0);
  Value isInexact = t.compare(Direction::NE, rest, zero);
  Value differ = t.compare(Direction::NE, t.compare(Direction::LT, rest, zero),
                           t.compare(Direction::LT, x[1], zero));
  Value below = t.apply<SubtractOp>(quotient, splat(t, rest, 1));
  return t.select(t.apply<AndOp>(isInexact, differ), below, quotient);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static Value compareIntegers(Tensors &t, Operation *op, ValueRange x) {
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = cast<arith::CmpIOp>(op).getPredicate();
  Value lhs = x[0], rhs = x[1];
  if (predicate >= Predicate::ult && !elementOf(lhs).isInteger(1)) {
    Type bits = unsignedOf(elementOf(lhs));
    lhs = t.bitcast(lhs, bits);
    rhs = t.bitcast(rhs, bits);
  }
  switch (predicate) {
  case Predicate::eq:
    return t.compare(Direction::EQ, lhs, rhs);
  case Predicate::ne:
    return t.compare(Direction::NE, lhs, rhs);
  case Predicate::slt:
  case Predicate::ult:
    return t.compare(Direction::LT, lhs, rhs);
  case Predicate::sle:
  case Predicate::ule:
    return t.compare(Direction::LE, lhs, rhs);
  case Predicate::sgt:
  case Predicate::ugt:
    return t.compare(Direction::GT, lhs, rhs);
  case Predicate::sge:
  case Predicate::uge:
    return t.compare(Direction::GE, lhs, rhs);
  }
  llvm_unreachable("every predicate is handled");
}

static Value compareFloats(Tensors &t, Operation *op, ValueRange x) {
  using Predicate = arith::CmpFPredicate;
  auto compare = [&](Direction direction) { return t.compare(direction, x[0], x[1]); };
  auto negate = [&](Value mask) { return t.apply<NotOp>(mask); };
  auto isNumber = [&] {
    return t.apply<AndOp>(t.compare(Direction::EQ, x[0], x[0]),
                          t.compare(Direction::EQ, x[1], x[1]));
  };
  // Comparisons of NaN are false but for NE.
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
  case Predicate::AlwaysFalse:
  case Predicate::AlwaysTrue:
    return nullptr;
  case Predicate::OEQ:
    return compare(Direction::EQ);
  case Predicate::OGT:
    return compare(Direction::GT);
  case Predicate::OGE:
    return compare(Direction::GE);
  case Predicate::OLT:
    return compare(Direction::LT);
  case Predicate::OLE:
    return compare(Direction::LE);
  case Predicate::ORD:
    return isNumber();
  case Predicate::UEQ:
    return negate(t.apply<OrOp>(compare(Direction::LT), compare(Direction::GT)));
  case Predicate::UGT:
    return negate(compare(Direction::LE));
  case Predicate::UGE:
    return negate(compare(Direction::LT));
  case Predicate::ULT:
    return negate(compare(Direction::GE));
  case Predicate::ULE:
    return negate(compare(Direction::GT));
  // JAX writes ONE for `!=`, by which NaN differs from all numbers on a TPU.
  case Predicate::ONE:
  case Predicate::UNE:
    return compare(Direction::NE);
  case Predicate::UNO:
    return negate(isNumber());
  }
  llvm_unreachable("every predicate is handled");
}

static Value select(Tensors &t, Operation *, ValueRange x) {
  return t.select(t.fill(x[0], typeOf(x[1]).getShape()), x[1], x[2]);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A function of f32, rounded to the type of its argument.
static Value inF32(Tensors &t, Value x, llvm::function_ref<Value(Value)> compute) {
  Type element = elementOf(x);
  return t.convert(compute(t.convert(x, t.b.getF32Type())), element);
}

template <expansion::Real (*function)(expansion::Real)>
static Value expanded(Tensors &t, Operation *, ValueRange x) {
  return inF32(t, x[0],
               [&](Value wide) { return function(expansion::Real(t.b, t.loc, wide)).value(); });
}

static Value exponential2(Tensors &t, Operation *, ValueRange x) {
  return inF32(t, x[0], [&](Value wide) { return t.apply<PowOp>(splat(t, wide, 2), wide); });
}
static Value logarithm2(Tensors &t, Operation *, ValueRange x) {
  return inF32(t, x[0], [&](Value wide) {
    Value natural = t.apply<LogOp>(wide);
    return t.apply<MulOp>(natural, splat(t, wide, 1 / std::numbers::ln2));
  });
}
static Value truncate(Tensors &t, Operation *, ValueRange x) {
  Value isNegative = t.compare(Direction::LT, x[0], splat(t, x[0], 0));
  return t.select(isNegative, t.apply<CeilOp>(x[0]), t.apply<FloorOp>(x[0]));
}
static Value reciprocal(Tensors &t, Operation *, ValueRange x) {
  return t.apply<DivOp>(splat(t, x[0], 1), x[0]);
}

/// Whether an element is infinite or NaN.
static Value isNotFinite(Tensors &t, Operation *op, ValueRange x) {
  auto type = RankedTensorType::get(typeOf(x[0]).getShape(), t.b.getI1Type());
  Value isFinite = IsFiniteOp::create(t.b, t.loc, type, x[0]);
  return t.apply<NotOp>(isFinite);
}

void addElementwiseOps(TensorOps &ops) {
  ops.add("arith.constant", constant);
  ops.add("arith.addf", binary<AddOp>);
  ops.add("arith.subf", binary<SubtractOp>);
  ops.add("arith.mulf", binary<MulOp>);
  ops.add("arith.divf", binary<DivOp>);
  ops.add("arith.remf", binary<RemOp>);
  ops.add("arith.negf", unary<NegOp>);
  ops.add("arith.maximumf", binary<MaxOp>);
  ops.add("arith.minimumf", binary<MinOp>);
  ops.add("arith.maxnumf", ofNumbers<MaxOp>);
  ops.add("arith.minnumf", ofNumbers<MinOp>);
  ops.add("arith.addi", binary<AddOp>);
  ops.add("arith.subi", binary<SubtractOp>);
  ops.add("arith.muli", binary<MulOp>);
  ops.add("arith.divsi", binary<DivOp>);
  ops.add("arith.remsi", binary<RemOp>);
  ops.add("arith.floordivsi", floorDivide);
  ops.add("arith.divui", onUnsigned<DivOp>);
  ops.add("arith.remui", onUnsigned<RemOp>);
  ops.add("arith.maxsi", binary<MaxOp>);
  ops.add("arith.minsi", binary<MinOp>);
  ops.add("arith.maxui", onUnsigned<MaxOp>);
  ops.add("arith.minui", onUnsigned<MinOp>);
  ops.add("arith.andi", binary<AndOp>);
  ops.add("arith.ori", binary<OrOp>);
  ops.add("arith.xori", binary<XorOp>);
  ops.add("arith.shli", binary<ShiftLeftOp>);
  ops.add("arith.shrsi", binary<ShiftRightArithmeticOp>);
  ops.add("arith.shrui", binary<ShiftRightLogicalOp>);
  ops.add("arith.cmpi", compareIntegers);
  ops.add("arith.cmpf", compareFloats);
  ops.add("arith.select", select);
  ops.add("math.absf", unary<AbsOp>);
  ops.add("math.absi", unary<AbsOp>);
  ops.add("math.ceil", unary<CeilOp>);
  ops.add("math.floor", unary<FloorOp>);
  ops.add("math.round", unary<RoundOp>);
  ops.add("math.roundeven", unary<RoundNearestEvenOp>);
  ops.add("math.trunc", truncate);
  ops.add("math.exp", unary<ExpOp>);
  ops.add("math.exp2", exponential2);
  ops.add("math.expm1", unary<Expm1Op>);
  ops.add("math.log", unary<LogOp>);
  ops.add("math.log1p", unary<Log1pOp>);
  ops.add("math.log2", logarithm2);
  ops.add("math.sin", unary<SineOp>);
  ops.add("math.cos", unary<CosineOp>);
  ops.add("math.tan", unary<TanOp>);
  ops.add("math.tanh", unary<TanhOp>);
  ops.add("math.sqrt", unary<SqrtOp>);
  ops.add("math.rsqrt", unary<RsqrtOp>);
  ops.add("math.cbrt", unary<CbrtOp>);
  ops.add("math.powf", binary<PowOp>);
  ops.add("math.ipowi", binary<PowOp>);
  ops.add("math.atan2", binary<Atan2Op>);
  ops.add("math.fma", fusedMultiplyAdd);
  ops.add("math.ctpop", unary<PopulationCountOp>);
  ops.add("math.ctlz", unary<ClzOp>);
  ops.add("math.erf", expanded<expansion::erf>);
  ops.add("math.erfc", expanded<expansion::erfc>);
  ops.add("math.acos", expanded<expansion::acos>);
  ops.add("math.acosh", expanded<expansion::acosh>);
  ops.add("math.asin", expanded<expansion::asin>);
  ops.add("math.asinh", expanded<expansion::asinh>);
  ops.add("math.atan", expanded<expansion::atan>);
  ops.add("math.atanh", expanded<expansion::atanh>);
  ops.add("math.cosh", expanded<expansion::cosh>);
  ops.add("math.sinh", expanded<expansion::sinh>);
  ops.add("tpu.reciprocal", reciprocal);
  ops.add("tpu.weird", isNotFinite);
}

} // namespace systole::mosaic
