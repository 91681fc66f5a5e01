// Lowers scalar arithmetic, `arith` on i32 and i1, to instructions of the scalar unit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Control.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

namespace {
using Operands = ArrayRef<Value>;
using EmitScalar = Value (*)(Emitter &, Operation &, Operands);
} // namespace

template <typename Op> static Value instruction(Emitter &e, Value a, Value b) {
  return Op::create(e.b, e.loc, e.b.getI32Type(), a, b);
}
template <typename Op> static Value binary(Emitter &e, Operation &, Operands x) {
  return instruction<Op>(e, x[0], x[1]);
}

static Value add(Emitter &e, Operation &, Operands x) { return e.add(x[0], x[1]); }
static Value sub(Emitter &e, Operation &, Operands x) { return e.sub(x[0], x[1]); }
static Value mul(Emitter &e, Operation &, Operands x) { return e.mul(x[0], x[1]); }
static Value min(Emitter &e, Operation &, Operands x) { return e.min(x[0], x[1]); }
static Value max(Emitter &e, Operation &, Operands x) { return e.max(x[0], x[1]); }
static Value select(Emitter &e, Operation &, Operands x) { return e.select(x[0], x[1], x[2]); }
static Value forward(Emitter &, Operation &, Operands x) { return x[0]; }

static Value constant(Emitter &e, Operation &op, Operands) {
  auto value = dyn_cast<IntegerAttr>(cast<arith::ConstantOp>(op).getValue());
  if (!value)
    return nullptr;
  bool isPredicate = value.getType().isInteger(1);
  return e.constant(isPredicate ? value.getValue().getZExtValue() : value.getInt());
}

static Value minUnsigned(Emitter &e, Operation &, Operands x) {
  return e.select(instruction<core::SLtuOp>(e, x[0], x[1]), x[0], x[1]);
}
static Value maxUnsigned(Emitter &e, Operation &, Operands x) {
  return e.select(instruction<core::SLtuOp>(e, x[0], x[1]), x[1], x[0]);
}

// An i1 is 0 or 1; its sign extension 0 or -1.
static Value extendSign(Emitter &e, Operation &, Operands x) { return e.sub(e.constant(0), x[0]); }
static Value truncate(Emitter &e, Operation &op, Operands x) {
  if (!op.getResult(0).getType().isInteger(1))
    return nullptr;
  return instruction<core::SAndOp>(e, x[0], e.constant(1));
}

// Rounds down; for a < 0 that is -1 - (-1 - a) / d, where -1 - a is not negative.
static Value floorDivide(Emitter &e, Value a, int64_t divisor) {
  if (std::optional<int32_t> known = e.constantValue(a); known && *known >= 0)
    return e.constant(*known / divisor);
  Value sign = instruction<core::SSraOp>(e, a, e.constant(31));
  Value folded = instruction<core::SXorOp>(e, a, sign);
  return instruction<core::SXorOp>(e, e.divide(folded, divisor), sign);
}

static std::optional<int32_t> positiveDivisor(Emitter &e, Operands x) {
  std::optional<int32_t> divisor = e.constantValue(x[1]);
  return divisor && *divisor > 0 ? divisor : std::nullopt;
}

static Value floorDivision(Emitter &e, Operation &, Operands x) {
  std::optional<int32_t> divisor = positiveDivisor(e, x);
  return divisor ? floorDivide(e, x[0], *divisor) : Value();
}

static Value division(Emitter &e, Operation &, Operands x) {
  std::optional<int32_t> divisor = positiveDivisor(e, x);
  if (!divisor)
    return nullptr;
  // Rounds towards zero: for a < 0, the quotient of a + d - 1 rounded down.
  Value negative = e.less(x[0], e.constant(0));
  Value raised = e.select(negative, e.add(x[0], *divisor - 1), x[0]);
  return floorDivide(e, raised, *divisor);
}

static Value remainder(Emitter &e, Operation &op, Operands x) {
  Value quotient = division(e, op, x);
  return quotient ? e.sub(x[0], e.mul(quotient, x[1])) : Value();
}

static Value compare(Emitter &e, Operation &op, Operands x) {
  Value a = x[0], b = x[1];
  auto notLess = [&](Value less) { return instruction<core::SXorOp>(e, less, e.constant(1)); };
  switch (cast<arith::CmpIOp>(op).getPredicate()) {
  case arith::CmpIPredicate::eq:
    return instruction<core::SEqOp>(e, a, b);
  case arith::CmpIPredicate::ne:
    return instruction<core::SNeOp>(e, a, b);
  case arith::CmpIPredicate::slt:
    return instruction<core::SLtOp>(e, a, b);
  case arith::CmpIPredicate::sle:
    return instruction<core::SLeOp>(e, a, b);
  case arith::CmpIPredicate::sgt:
    return instruction<core::SLtOp>(e, b, a);
  case arith::CmpIPredicate::sge:
    return instruction<core::SLeOp>(e, b, a);
  case arith::CmpIPredicate::ult:
    return instruction<core::SLtuOp>(e, a, b);
  case arith::CmpIPredicate::ule:
    return notLess(instruction<core::SLtuOp>(e, b, a));
  case arith::CmpIPredicate::ugt:
    return instruction<core::SLtuOp>(e, b, a);
  case arith::CmpIPredicate::uge:
    return notLess(instruction<core::SLtuOp>(e, a, b));
  }
  llvm_unreachable("every predicate is handled");
}

static const llvm::StringMap<EmitScalar> &table() {
  static const llvm::StringMap<EmitScalar> entries = {
      {arith::ConstantOp::getOperationName(), constant},
      {arith::AddIOp::getOperationName(), add},
      {arith::SubIOp::getOperationName(), sub},
      {arith::MulIOp::getOperationName(), mul},
      {arith::DivSIOp::getOperationName(), division},
      {arith::FloorDivSIOp::getOperationName(), floorDivision},
      {arith::RemSIOp::getOperationName(), remainder},
      {arith::AndIOp::getOperationName(), binary<core::SAndOp>},
      {arith::OrIOp::getOperationName(), binary<core::SOrOp>},
      {arith::XOrIOp::getOperationName(), binary<core::SXorOp>},
      {arith::ShLIOp::getOperationName(), binary<core::SShlOp>},
      {arith::ShRUIOp::getOperationName(), binary<core::SShrOp>},
      {arith::ShRSIOp::getOperationName(), binary<core::SSraOp>},
      {arith::MinSIOp::getOperationName(), min},
      {arith::MaxSIOp::getOperationName(), max},
      {arith::MinUIOp::getOperationName(), minUnsigned},
      {arith::MaxUIOp::getOperationName(), maxUnsigned},
      {arith::SelectOp::getOperationName(), select},
      {arith::CmpIOp::getOperationName(), compare},
      {arith::ExtUIOp::getOperationName(), forward},
      {arith::ExtSIOp::getOperationName(), extendSign},
      {arith::TruncIOp::getOperationName(), truncate},
  };
  return entries;
}

Value codegen::emitArithmetic(Emitter &e, Operation &op, ArrayRef<Value> operands) {
  // Arithmetic on i1 other than logic may leave 0 and 1.
  auto fits = [&](Type type) {
    bool logic = isa<arith::ConstantOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp,
                     arith::CmpIOp, arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(op);
    return type.isInteger(32) || (type.isInteger(1) && logic);
  };
  auto found = table().find(op.getName().getStringRef());
  if (found == table().end() || !llvm::all_of(op.getOperandTypes(), fits) ||
      !llvm::all_of(op.getResultTypes(), fits))
    return nullptr;
  // Signed comparison and sign extension of i1 assume -1 and 0.
  if (auto cmp = dyn_cast<arith::CmpIOp>(op); cmp && cmp.getLhs().getType().isInteger(1) &&
                                              cmp.getPredicate() != arith::CmpIPredicate::eq &&
                                              cmp.getPredicate() != arith::CmpIPredicate::ne)
    return nullptr;
  return found->second(e, op, operands);
}
