// The vector instructions of element-wise operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/OpCosts.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace systole {

namespace hlo = stablehlo;

namespace {

enum class Class { Float, Int, Pred };

Class classOf(Type element) {
  if (isa<FloatType>(element))
    return Class::Float;
  return element.isInteger(1) ? Class::Pred : Class::Int;
}

Type elementOf(Value value) { return cast<ShapedType>(value.getType()).getElementType(); }
unsigned widthOf(Type element) { return element.getIntOrFloatBitWidth(); }

/// Instructions of one kind that depend on each other.
OpCost chain(const Arithmetic &instructions) { return {instructions, instructions, {}, {}, 0}; }
constexpr Arithmetic kValu{1, 0, 0, 0, 0}, kMultiply{0, 1, 0, 0, 0}, kConvert{0, 0, 1, 0, 0},
    kEup{0, 0, 0, 1, 0}, kEupLong{0, 0, 0, 0, 1};

struct Entry {
  OpCost cost;
  bool wraps = false; ///< narrow results are rounded, or reduced to their bits
};

class Table {
public:
  Table();
  const Entry *find(StringRef name, Class cls) const {
    auto it = entries.find(name);
    if (it == entries.end() || !it->second[size_t(cls)])
      return nullptr;
    return &*it->second[size_t(cls)];
  }

private:
  enum Finish { exact, wrap };
  template <typename... Ops> void add(Class cls, Finish finish, const OpCost &cost) {
    for (StringRef name : {Ops::getOperationName()...})
      entries[name][size_t(cls)] = Entry{cost, finish == wrap};
  }
  void addFloats();
  void addIntegers();
  void addPredicates();

  llvm::StringMap<std::array<std::optional<Entry>, 3>> entries;
};

Table::Table() {
  addFloats();
  addIntegers();
  addPredicates();
}

void Table::addFloats() {
  constexpr Class cls = Class::Float;
  add<hlo::AbsOp, hlo::NegOp, hlo::MaxOp, hlo::MinOp>(cls, exact, chain(kValu));
  add<hlo::CeilOp, hlo::FloorOp, hlo::RoundNearestEvenOp, hlo::AddOp, hlo::SubtractOp>(
      cls, wrap, chain(kValu));
  add<hlo::MulOp>(cls, wrap, chain(kMultiply));
  add<hlo::SignOp>(cls, exact, {{6}, {4}, {}, {}, 0});
  add<hlo::RoundOp>(cls, wrap, {{8}, {5}, {}, {}, 0});
  add<hlo::IsFiniteOp, hlo::ClampOp>(cls, exact, chain({2}));
  add<hlo::ExpOp, hlo::LogOp, hlo::TanhOp, hlo::RsqrtOp>(cls, wrap, chain(kEup));
  add<hlo::Expm1Op, hlo::Log1pOp, hlo::LogisticOp, hlo::TanOp, hlo::SineOp, hlo::CosineOp,
      hlo::SqrtOp, hlo::CbrtOp, hlo::DivOp, hlo::PowOp, hlo::Atan2Op>(cls, wrap, chain(kEupLong));
  add<hlo::RemOp>(cls, wrap, {{10}, {3}, {8, 2, 0, 0, 1}, {5, 1, 0, 0, 1}, 12});
}

void Table::addIntegers() {
  constexpr Class cls = Class::Int;
  add<hlo::AbsOp>(cls, wrap, chain({2}));
  add<hlo::NegOp, hlo::NotOp, hlo::AddOp, hlo::SubtractOp, hlo::ShiftLeftOp,
      hlo::ShiftRightLogicalOp, hlo::ShiftRightArithmeticOp>(cls, wrap, chain(kValu));
  add<hlo::SignOp, hlo::ClampOp>(cls, exact, chain({2}));
  add<hlo::PopulationCountOp, hlo::ClzOp, hlo::MinOp, hlo::MaxOp, hlo::AndOp, hlo::OrOp,
      hlo::XorOp>(cls, exact, chain(kValu));
  add<hlo::MulOp>(cls, wrap, chain(kMultiply));
  add<kernel::MulHighOp>(cls, exact, chain(kMultiply));
}

void Table::addPredicates() {
  constexpr Class cls = Class::Pred;
  add<hlo::AndOp, hlo::MulOp, hlo::MinOp, hlo::OrOp, hlo::AddOp, hlo::MaxOp, hlo::XorOp,
      hlo::NotOp>(cls, exact, chain(kValu));
  add<hlo::ClampOp>(cls, exact, chain({2}));
}

/// The reduction of a cell to the bits of a narrow type.
OpCost wrapCost(Type type) {
  if (type.isBF16() || type.isF16())
    return chain(kConvert);
  if (isa<FloatType>(type) || widthOf(type) == 32 || type.isInteger(1))
    return {};
  return chain({type.isUnsignedInteger() ? 1 : 2});
}

OpCost operator+(const OpCost &a, const OpCost &b) {
  return {a.all + b.all, a.chain + b.chain, a.loop + b.loop, a.loopChain + b.loopChain,
          a.trips + b.trips};
}

/// Division and remainder of integers.
OpCost divisionCost(Operation *op, Type type) {
  OpCost cost;
  bool isSigned = !type.isUnsignedInteger();
  if (widthOf(type) < 32)
    cost = {{0, 0, 3, 0, 1}, {0, 0, 2, 0, 1}, {}, {}, 0};
  else // a reciprocal, a step of Newton's, two corrections
    cost = {{11, 4, 2, 0, 1}, {8, 4, 2, 0, 1}, {}, {}, 0};
  if (widthOf(type) == 32 && isSigned)
    cost = cost + OpCost{{8}, {4}, {}, {}, 0};
  if (isa<hlo::RemOp>(op))
    cost = cost + OpCost{{1, 1}, {1, 1}, {}, {}, 0};
  return cost + OpCost{{2}, {1}, {}, {}, 0};
}

OpCost compareCost(hlo::CompareOp op, Type type) {
  using Direction = hlo::ComparisonDirection;
  if (classOf(type) == Class::Pred) {
    switch (op.getComparisonDirection()) {
    case Direction::NE:
    case Direction::LT:
    case Direction::GT:
      return chain(kValu);
    default:
      return chain({2});
    }
  }
  bool isTotal =
      classOf(type) == Class::Float && op.getCompareType() == hlo::ComparisonType::TOTALORDER;
  return isTotal ? OpCost{{7}, {4}, {}, {}, 0} : chain(kValu);
}

OpCost convertCost(Type in, Type out) {
  switch (classOf(in)) {
  case Class::Pred:
    return classOf(out) == Class::Pred ? OpCost() : chain(kValu);
  case Class::Float:
    if (classOf(out) == Class::Float)
      return out.isF32() ? OpCost() : chain(kConvert);
    if (classOf(out) == Class::Pred)
      return chain(kValu);
    return chain(kConvert) + chain({widthOf(out) == 32 ? 0 : out.isUnsignedInteger() ? 1 : 2});
  case Class::Int:
    break;
  }
  if (classOf(out) == Class::Float)
    return chain(kConvert) + (out.isF32() ? OpCost() : chain(kConvert));
  if (classOf(out) == Class::Pred)
    return chain(kValu);
  bool holdsAll =
      widthOf(out) > widthOf(in) && (!out.isUnsignedInteger() || in.isUnsignedInteger());
  return holdsAll ? OpCost() : wrapCost(out);
}

OpCost bitcastCost(Type in, Type out) {
  if (in == out || widthOf(in) != widthOf(out))
    return {};
  OpCost cost;
  if (in.isBF16())
    cost = chain(kValu);
  else if (in.isF16())
    cost = {{15}, {6}, {}, {}, 0};
  if (out.isBF16())
    return cost + chain(kValu);
  if (out.isF16())
    return cost + OpCost{{13}, {6}, {}, {}, 0};
  return classOf(out) == Class::Int ? cost + wrapCost(out) : cost;
}

/// Square and multiply, for each bit of the exponent.
OpCost powerCost(Type type) {
  OpCost cost{{}, {}, {4, 2}, {0, 1}, int(widthOf(type))};
  if (!type.isUnsignedInteger())
    cost = cost + OpCost{{9}, {4}, {}, {}, 0};
  return cost;
}

/// Instructions that widen narrow operands for instructions on 32 bits.
OpCost extensionCost(Operation *op, Type type) {
  if (classOf(type) != Class::Int || widthOf(type) == 32)
    return {};
  if (isa<hlo::ShiftRightArithmeticOp>(op))
    return type.isUnsignedInteger() ? chain({2}) : OpCost();
  bool zero = isa<hlo::PopulationCountOp, hlo::ClzOp, hlo::ShiftRightLogicalOp>(op);
  OpCost cost = zero && !type.isUnsignedInteger() ? chain(kValu) : OpCost();
  return isa<hlo::ClzOp>(op) ? cost + chain(kValu) : cost;
}

} // namespace

static OpCost costOf(kernel::ElementwiseOp elementwise) {
  OpCost sum;
  for (Operation &op : elementwise.getOps()) {
    OpCost cost = opCost(&op);
    sum.all = sum.all + cost.all;
    sum.loop = sum.loop + cost.loop;
    sum.loopChain = sum.loopChain + cost.loopChain;
    sum.trips = std::max(sum.trips, cost.trips);
  }
  return sum;
}

OpCost opCost(Operation *op) {
  if (auto elementwise = dyn_cast<kernel::ElementwiseOp>(op))
    return costOf(elementwise);
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return {};
  Type in = elementOf(op->getOperand(0)), out = elementOf(op->getResult(0));
  if (auto compare = dyn_cast<hlo::CompareOp>(op))
    return compareCost(compare, in);
  if (isa<hlo::ConvertOp>(op))
    return convertCost(in, out);
  if (isa<hlo::BitcastConvertOp>(op))
    return bitcastCost(in, out);
  if (isa<hlo::SelectOp>(op))
    return classOf(out) == Class::Pred ? OpCost{{3}, {2}, {}, {}, 0} : chain(kValu);
  if (classOf(in) == Class::Int && isa<hlo::DivOp, hlo::RemOp>(op))
    return divisionCost(op, in) + wrapCost(out);
  if (classOf(in) == Class::Int && isa<hlo::PowOp>(op))
    return powerCost(in) + wrapCost(out);
  static const Table table;
  const Entry *entry = table.find(op->getName().getStringRef(), classOf(in));
  if (!entry)
    return {};
  OpCost cost = entry->cost + extensionCost(op, in);
  return entry->wraps ? cost + wrapCost(out) : cost;
}

} // namespace systole
