// Applies a reduction's combiner to vectors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Combiner.h"
#include "dialects/StableHLO/Reducers.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;
namespace hlo = systole::stablehlo;

// The reduction that an operation on the elements of one input is.
static LaneReduction reductionOf(Operation *op) {
  if (op->getOperand(0) == op->getOperand(1))
    return LaneReduction::none;
  return llvm::TypeSwitch<Operation *, LaneReduction>(op)
      .Case<hlo::AddOp>([](auto) { return LaneReduction::add; })
      .Case<hlo::MulOp>([](auto) { return LaneReduction::mul; })
      .Case<hlo::MinOp>([](auto) { return LaneReduction::min; })
      .Case<hlo::MaxOp>([](auto) { return LaneReduction::max; })
      .Case<hlo::AndOp>([](auto) { return LaneReduction::bitAnd; })
      .Case<hlo::OrOp>([](auto) { return LaneReduction::bitOr; })
      .Case<hlo::XorOp>([](auto) { return LaneReduction::bitXor; })
      .Default([](auto) { return LaneReduction::none; });
}

// On predicates, as 0 or 1, arithmetic is logic.
static LaneReduction onPredicates(LaneReduction reduction) {
  switch (reduction) {
  case LaneReduction::add:
  case LaneReduction::max:
    return LaneReduction::bitOr;
  case LaneReduction::mul:
  case LaneReduction::min:
    return LaneReduction::bitAnd;
  default:
    return reduction;
  }
}

// Fills `to` with the combiner `from`, specialized to first arguments that precede the second ones,
// if `from` depends on their order.
static void assumeAscending(Region &from, Region &to) {
  auto asks = [](Operation &op) { return op.hasAttr(kernel::kAscendingAttr); };
  if (llvm::none_of(from.front(), asks))
    return;
  IRMapping mapping;
  from.cloneInto(&to, mapping);
  for (Operation &op : llvm::make_early_inc_range(to.front()))
    if (auto select = dyn_cast<hlo::SelectOp>(op))
      if (Operation *condition = select.getPred().getDefiningOp(); condition && asks(*condition)) {
        select.replaceAllUsesWith(select.getOnTrue());
        select.erase();
      }
  for (Operation &op : llvm::make_early_inc_range(to.front()))
    if (asks(op) && op.use_empty())
      op.erase();
}

Combiner::Combiner(kernel::ReduceOp op, Body &body)
    : block(op.getCombiner().front()), body(body), e(body.e) {
  for (Value output : op.getOutputs())
    elements.push_back(cast<kernel::BufferType>(output.getType()).getElementType());
  assumeAscending(op.getCombiner(), ascending);
  SmallVector<LaneReduction, 2> reductions;
  for (auto [output, combiner] : llvm::enumerate(combinersOf(block)))
    reductions.push_back(unitFor(combiner, elements[output]));
  if (!llvm::is_contained(reductions, LaneReduction::none))
    units = reductions;
}

// The operation of the cross-lane unit for a combiner, if it rounds as the combiner does.
LaneReduction Combiner::unitFor(Operation *combiner, Type element) const {
  LaneReduction reduction = reductionOf(combiner);
  // The unit rounds to f32 in each step, but a narrower sum rounds to its own type.
  bool isNarrow = element.isBF16() || element.isF16();
  bool isExact = reduction == LaneReduction::min || reduction == LaneReduction::max;
  if (isNarrow && !isExact && !body.excessPrecision)
    return LaneReduction::none;
  return classOf(element) == ElementClass::Pred ? onPredicates(reduction) : reduction;
}

Value Combiner::select(Value mask, Value a, Value b) {
  if (!isa<core::MaskType>(a.getType()))
    return core::VSelectOp::create(e.b, e.loc, e.vectorType(), mask, a, b);
  Value kept = core::MAndNotOp::create(e.b, e.loc, e.maskType(), b, mask);
  return core::MOrOp::create(e.b, e.loc, e.maskType(), e.maskAnd(mask, a), kept);
}

Values Combiner::combine(Block &how, const Values &a, const Values &b, Value valid) {
  SmallVector<Value> arguments(a.begin(), a.end());
  arguments.append(b.begin(), b.end());
  FailureOr<SmallVector<Value>> results = body.emit(how, arguments);
  if (failed(results)) {
    hasFailed = true;
    return a;
  }
  Values combined;
  for (auto [old, value] : llvm::zip_equal(a, *results)) {
    value = body.vector(value);
    combined.push_back(valid ? select(valid, value, old) : value);
  }
  return combined;
}

Value Combiner::toCells(Value value, size_t output) { return toMemory(e, value, elements[output]); }
Value Combiner::fromCells(Value cells, size_t output) {
  return fromMemory(e, cells, elements[output]);
}

// At each distance d, cell c < d is combined with cell c + d. The valid cells are the first
// ones, so if c + d is invalid, c is unchanged and then represents all valid cells that are c
// modulo d.
Values Combiner::overSublanes(Values values, int64_t count) {
  for (int64_t distance = kSublanes / 2; distance > 0; distance /= 2) {
    if (distance >= count)
      continue;
    Values others;
    for (auto [output, value] : llvm::enumerate(values)) {
      Value rotated = core::VSublaneRotateOp::create(
          e.b, e.loc, e.vectorType(), toCells(value, output), e.constant(kSublanes - distance));
      others.push_back(fromCells(rotated, output));
    }
    bool partial = count - distance < distance;
    Value valid = partial ? e.sublaneMask(nullptr, e.constant(count - distance)) : nullptr;
    values = combine(values, others, valid);
  }
  return values;
}

Values Combiner::overLanes(Values values, int64_t count) {
  if (!units.empty()) {
    for (auto [output, value] : llvm::enumerate(values))
      value = overLanesByUnit(value, output, count);
    return values;
  }
  for (int64_t distance = kLanes / 2; distance > 0; distance /= 2) {
    if (distance >= count)
      continue;
    Values others;
    for (auto [output, value] : llvm::enumerate(values)) {
      Value rotated =
          e.xlu<core::XluRotateOp>(toCells(value, output), e.constant(kLanes - distance));
      others.push_back(fromCells(rotated, output));
    }
    bool partial = count - distance < distance;
    Value valid = partial ? e.laneMask(nullptr, e.constant(count - distance)) : nullptr;
    values = combine(values, others, valid);
  }
  for (auto [output, value] : llvm::enumerate(values)) {
    Value spread = e.xlu<core::XluBroadcastOp>(toCells(value, output), e.constant(0));
    value = fromCells(spread, output);
  }
  return values;
}

// The identity element. -0 + x is x, also for x = -0.
static uint32_t identityOf(LaneReduction reduction, Type element) {
  bool isFloat = isa<FloatType>(element), isUnsigned = element.isUnsignedInteger();
  switch (reduction) {
  case LaneReduction::add:
    return isFloat ? 0x80000000u : 0;
  case LaneReduction::mul:
    return isFloat ? 0x3f800000u : 1;
  case LaneReduction::min:
    return isFloat ? 0x7f800000u : isUnsigned ? 0xffffffffu : 0x7fffffffu;
  case LaneReduction::max:
    return isFloat ? 0xff800000u : isUnsigned ? 0 : 0x80000000u;
  case LaneReduction::bitAnd:
    return 0xffffffffu;
  case LaneReduction::bitOr:
  case LaneReduction::bitXor:
  case LaneReduction::none:
    return 0;
  }
  llvm_unreachable("every reduction is handled");
}

Value Combiner::overLanesByUnit(Value value, size_t output, int64_t count) {
  Type element = elements[output];
  LaneReduction unit = units[output];
  Value cells = toCells(value, output);
  if (Value valid = e.laneMask(nullptr, e.constant(count))) {
    Value identity = e.constant(static_cast<int32_t>(identityOf(unit, element)));
    cells = core::VSelectOp::create(e.b, e.loc, e.vectorType(), valid, cells, identity);
  }
  bool isFloat = isa<FloatType>(element), isUnsigned = element.isUnsignedInteger();
  auto reduce = [&](auto op) { return e.xlu<decltype(op)>(cells); };
  Value result;
  switch (unit) {
  case LaneReduction::add:
    result = isFloat ? reduce(core::XluFAddOp()) : reduce(core::XluAddOp());
    break;
  case LaneReduction::mul:
    result = isFloat ? reduce(core::XluFMulOp()) : reduce(core::XluMulOp());
    break;
  case LaneReduction::min:
    result = isFloat      ? reduce(core::XluFMinOp())
             : isUnsigned ? reduce(core::XluMinuOp())
                          : reduce(core::XluMinOp());
    break;
  case LaneReduction::max:
    result = isFloat      ? reduce(core::XluFMaxOp())
             : isUnsigned ? reduce(core::XluMaxuOp())
                          : reduce(core::XluMaxOp());
    break;
  case LaneReduction::bitAnd:
    result = reduce(core::XluAndOp());
    break;
  case LaneReduction::bitOr:
    result = reduce(core::XluOrOp());
    break;
  case LaneReduction::bitXor:
    result = reduce(core::XluXorOp());
    break;
  case LaneReduction::none:
    llvm_unreachable("the caller asked for a unit's reduction");
  }
  if (unit == LaneReduction::add || unit == LaneReduction::mul)
    result = body.wrap(result, element);
  return fromCells(result, output);
}
