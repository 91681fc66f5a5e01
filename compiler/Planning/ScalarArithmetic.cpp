// Integer operations on rank-0 tensors as arithmetic of the sequencer.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/ScalarArithmetic.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace hlo = systole::stablehlo;

namespace systole {

namespace {

Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

/// Emits one operation whose operands have elements of `in` and whose result has `out`.
struct ScalarEmitter {
  OpBuilder &b;
  Location loc;
  Type in, out;

  unsigned width() const { return in.getIntOrFloatBitWidth(); }
  bool isPredicate() const { return in.isInteger(1); }
  bool isUnsigned() const { return in.isUnsignedInteger() || isPredicate(); }

  template <typename Op> Value make(Value x, Value y) const { return Op::create(b, loc, x, y); }
  Value constant(int64_t value) const { return arith::ConstantIntOp::create(b, loc, value, 32); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value negate(Value x) const { return make<arith::SubIOp>(constant(0), x); }

  Value wrap(Value x) const;
  Value shift(Operation *op, Value x, Value amount) const;
  Value order(hlo::ComparisonDirection direction, Value x, Value y) const;
  Value convert(Value x) const;
  std::pair<Value, Value> divideUnsigned(Value n, Value d) const;
  Value divide(Value n, Value d, bool wantsRemainder) const;
  Value emit(Operation *op, ValueRange x) const;
};

/// The low bits of `x` as an element of `out`.
Value ScalarEmitter::wrap(Value x) const {
  unsigned bits = out.getIntOrFloatBitWidth();
  if (bits == 32 || bits == 1)
    return x;
  if (out.isUnsignedInteger())
    return make<arith::AndIOp>(x, constant((1 << bits) - 1));
  Value unused = constant(32 - bits);
  return make<arith::ShRSIOp>(make<arith::ShLIOp>(x, unused), unused);
}

/// An amount of the width or more, or a negative one, shifts all bits out.
Value ScalarEmitter::shift(Operation *op, Value x, Value amount) const {
  Value fits = compare(arith::CmpIPredicate::ult, amount, constant(width()));
  if (isa<hlo::ShiftRightArithmeticOp>(op)) {
    // Also of an unsigned element the highest bit is the sign.
    Value unused = constant(32 - width());
    x = make<arith::ShRSIOp>(make<arith::ShLIOp>(x, unused), unused);
    return wrap(make<arith::ShRSIOp>(x, select(fits, amount, constant(31))));
  }
  Value shifted;
  if (isa<hlo::ShiftLeftOp>(op)) {
    shifted = make<arith::ShLIOp>(x, amount);
  } else {
    if (width() < 32)
      x = make<arith::AndIOp>(x, constant((1 << width()) - 1));
    shifted = make<arith::ShRUIOp>(x, amount);
  }
  return select(fits, wrap(shifted), constant(0));
}

Value ScalarEmitter::order(hlo::ComparisonDirection direction, Value x, Value y) const {
  using Direction = hlo::ComparisonDirection;
  using Predicate = arith::CmpIPredicate;
  auto predicate = [&](Predicate isSigned, Predicate otherwise) {
    return isUnsigned() ? otherwise : isSigned;
  };
  x = toWord(b, loc, x);
  y = toWord(b, loc, y);
  switch (direction) {
  case Direction::EQ:
    return compare(Predicate::eq, x, y);
  case Direction::NE:
    return compare(Predicate::ne, x, y);
  case Direction::LT:
    return compare(predicate(Predicate::slt, Predicate::ult), x, y);
  case Direction::LE:
    return compare(predicate(Predicate::sle, Predicate::ule), x, y);
  case Direction::GT:
    return compare(predicate(Predicate::sgt, Predicate::ugt), x, y);
  case Direction::GE:
    return compare(predicate(Predicate::sge, Predicate::uge), x, y);
  }
  llvm_unreachable("every direction is handled");
}

Value ScalarEmitter::convert(Value x) const {
  Value word = toWord(b, loc, x);
  if (out.isInteger(1))
    return isPredicate() ? x : compare(arith::CmpIPredicate::ne, word, constant(0));
  return wrap(word);
}

/// Quotient and remainder bit by bit, the highest first. By 0 every step subtracts:
/// all bits of the quotient are set and the remainder is `n`.
std::pair<Value, Value> ScalarEmitter::divideUnsigned(Value n, Value d) const {
  Value one = constant(1), zero = constant(0), top = constant(31);
  auto loop = scf::ForOp::create(b, loc, zero, constant(32), one, ValueRange{zero, zero, n});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value quotient = loop.getRegionIterArg(0), rest = loop.getRegionIterArg(1);
  Value bits = loop.getRegionIterArg(2);
  // The remainder's bit that the shift loses makes it larger than any divisor.
  Value lost = compare(arith::CmpIPredicate::slt, rest, zero);
  rest = make<arith::OrIOp>(make<arith::ShLIOp>(rest, one), make<arith::ShRUIOp>(bits, top));
  Value fits = make<arith::OrIOp>(lost, compare(arith::CmpIPredicate::uge, rest, d));
  rest = select(fits, make<arith::SubIOp>(rest, d), rest);
  quotient = make<arith::OrIOp>(make<arith::ShLIOp>(quotient, one), toWord(b, loc, fits));
  scf::YieldOp::create(b, loc, ValueRange{quotient, rest, make<arith::ShLIOp>(bits, one)});
  return {loop.getResult(0), loop.getResult(1)};
}

/// Rounded towards zero. By 0 the quotient is all ones and the remainder `n`, as in
/// the vector unit.
Value ScalarEmitter::divide(Value n, Value d, bool wantsRemainder) const {
  APInt known;
  bool isPositive = matchPattern(d, m_ConstantInt(&known)) && known.isStrictlyPositive();
  if (isPositive && (!isUnsigned() || width() < 32))
    return wantsRemainder ? make<arith::RemSIOp>(n, d) : make<arith::DivSIOp>(n, d);
  if (isUnsigned()) {
    auto [quotient, rest] = divideUnsigned(n, d);
    return wrap(wantsRemainder ? rest : quotient);
  }
  auto magnitude = [&](Value x) { return make<arith::MaxSIOp>(x, negate(x)); };
  auto isNegative = [&](Value x) { return compare(arith::CmpIPredicate::slt, x, constant(0)); };
  // The magnitude of the least integer is right as an unsigned number.
  auto [quotient, rest] = divideUnsigned(magnitude(n), magnitude(d));
  if (wantsRemainder)
    return select(isNegative(n), negate(rest), rest);
  quotient = select(isNegative(make<arith::XOrIOp>(n, d)), negate(quotient), quotient);
  Value byZero = compare(arith::CmpIPredicate::eq, d, constant(0));
  return select(byZero, constant(-1), wrap(quotient));
}

Value ScalarEmitter::emit(Operation *op, ValueRange x) const {
  auto least = [&](Value a, Value b) {
    return isPredicate()  ? make<arith::AndIOp>(a, b)
           : isUnsigned() ? make<arith::MinUIOp>(a, b)
                          : make<arith::MinSIOp>(a, b);
  };
  auto greatest = [&](Value a, Value b) {
    return isPredicate()  ? make<arith::OrIOp>(a, b)
           : isUnsigned() ? make<arith::MaxUIOp>(a, b)
                          : make<arith::MaxSIOp>(a, b);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](hlo::AddOp) {
        return isPredicate() ? make<arith::OrIOp>(x[0], x[1])
                             : wrap(make<arith::AddIOp>(x[0], x[1]));
      })
      .Case([&](hlo::MulOp) {
        return isPredicate() ? make<arith::AndIOp>(x[0], x[1])
                             : wrap(make<arith::MulIOp>(x[0], x[1]));
      })
      .Case([&](hlo::SubtractOp) { return wrap(make<arith::SubIOp>(x[0], x[1])); })
      .Case([&](hlo::NegOp) { return wrap(negate(x[0])); })
      .Case([&](hlo::AbsOp) { return wrap(make<arith::MaxSIOp>(x[0], negate(x[0]))); })
      .Case([&](hlo::SignOp) { return least(greatest(x[0], constant(-1)), constant(1)); })
      .Case([&](hlo::DivOp) { return divide(x[0], x[1], /*wantsRemainder=*/false); })
      .Case([&](hlo::RemOp) { return divide(x[0], x[1], /*wantsRemainder=*/true); })
      .Case([&](hlo::MinOp) { return least(x[0], x[1]); })
      .Case([&](hlo::MaxOp) { return greatest(x[0], x[1]); })
      .Case([&](hlo::ClampOp) { return least(greatest(x[0], x[1]), x[2]); })
      .Case([&](hlo::AndOp) { return make<arith::AndIOp>(x[0], x[1]); })
      .Case([&](hlo::OrOp) { return make<arith::OrIOp>(x[0], x[1]); })
      .Case([&](hlo::XorOp) { return make<arith::XOrIOp>(x[0], x[1]); })
      .Case([&](hlo::NotOp) {
        Value ones = isPredicate() ? arith::ConstantIntOp::create(b, loc, 1, 1) : constant(-1);
        return wrap(make<arith::XOrIOp>(x[0], ones));
      })
      .Case<hlo::ShiftLeftOp, hlo::ShiftRightArithmeticOp, hlo::ShiftRightLogicalOp>(
          [&](Operation *) { return shift(op, x[0], x[1]); })
      .Case([&](hlo::CompareOp compare) {
        return order(compare.getComparisonDirection(), x[0], x[1]);
      })
      .Case([&](hlo::SelectOp) { return select(x[0], x[1], x[2]); })
      .Case<hlo::ConvertOp, hlo::BitcastConvertOp>([&](Operation *) { return convert(x[0]); })
      .Default([](Operation *) { return Value(); });
}

} // namespace

Type scalarTypeOf(Type element) {
  return IntegerType::get(element.getContext(), element.isInteger(1) ? 1 : 32);
}

bool hasScalarArithmetic(Operation *op) {
  if (isa<kernel::CoreNumberOp>(op))
    return true;
  bool known =
      isa<hlo::AddOp, hlo::MulOp, hlo::SubtractOp, hlo::NegOp, hlo::AbsOp, hlo::SignOp, hlo::DivOp,
          hlo::RemOp, hlo::MinOp, hlo::MaxOp, hlo::ClampOp, hlo::AndOp, hlo::OrOp, hlo::XorOp,
          hlo::NotOp, hlo::ShiftLeftOp, hlo::ShiftRightArithmeticOp, hlo::ShiftRightLogicalOp,
          hlo::CompareOp, hlo::SelectOp, hlo::ConvertOp, hlo::BitcastConvertOp>(op);
  auto isInteger = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0 && tensor.getElementType().isInteger();
  };
  if (!known || !llvm::all_of(op->getOperandTypes(), isInteger) ||
      !llvm::all_of(op->getResultTypes(), isInteger))
    return false;
  // A division of predicates has no meaning, their order against bounds no use.
  bool logic = !isa<hlo::SubtractOp, hlo::NegOp, hlo::AbsOp, hlo::DivOp, hlo::RemOp, hlo::ClampOp,
                    hlo::ShiftLeftOp, hlo::ShiftRightArithmeticOp, hlo::ShiftRightLogicalOp>(op);
  return logic || !elementOf(op->getOperand(0)).isInteger(1);
}

Value emitScalar(OpBuilder &builder, Operation *op, ValueRange operands) {
  if (isa<kernel::CoreNumberOp>(op))
    return kernel::CoreNumberOp::create(builder, op->getLoc(), builder.getI32Type());
  Type in = elementOf(op->getOperands().back()), out = elementOf(op->getResult(0));
  return ScalarEmitter{builder, op->getLoc(), in, out}.emit(op, operands);
}

Value emitScalarConstant(OpBuilder &builder, Location loc, DenseElementsAttr value) {
  Type element = value.getElementType();
  APInt bits = value.getSplatValue<APInt>();
  int64_t held = element.isUnsignedInteger() || element.isInteger(1) ? bits.getZExtValue()
                                                                     : bits.getSExtValue();
  return arith::ConstantIntOp::create(builder, loc, static_cast<int32_t>(held),
                                      scalarTypeOf(element).getIntOrFloatBitWidth());
}

Value toWord(OpBuilder &builder, Location loc, Value scalar) {
  if (!scalar.getType().isInteger(1))
    return scalar;
  return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), scalar);
}

Value fromWord(OpBuilder &builder, Location loc, Value word, Type element) {
  if (!element.isInteger(1))
    return word;
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, word, zero);
}

} // namespace systole
