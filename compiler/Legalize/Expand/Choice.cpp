// Analysis of reducers that select one of two elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Choice.h"

#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

namespace {

/// The possible outcomes of comparing two elements.
enum Relation { Equal, Less, Greater, FirstNaN, SecondNaN, BothNaN };
constexpr int kIntegerRelations = 3, kFloatRelations = 6;
/// Argmin and argmax have two or three elements per side.
constexpr unsigned kMaxElements = 4;

bool isFloat(Value value) {
  return isa<FloatType>(cast<RankedTensorType>(value.getType()).getElementType());
}

/// Evaluates a reducer's conditions for given outcomes of comparisons.
class Conditions {
public:
  explicit Conditions(Block &body)
      : body(body), half(body.getNumArguments() / 2), relations(half, Equal) {}

  /// Advances to the next combination of outcomes for all pairs of elements.
  bool next() {
    for (unsigned i = 0; i < half; ++i) {
      int count = isFloat(body.getArgument(i)) ? kFloatRelations : kIntegerRelations;
      relations[i] = static_cast<Relation>((relations[i] + 1) % count);
      if (relations[i] != Equal)
        return true;
    }
    return false;
  }

  bool areEqual(unsigned element) const { return relations[element] == Equal; }

  /// Evaluates all conditions of the body, each operation once.
  void evaluate() {
    known.clear();
    for (Operation &op : body.without_terminator())
      if (std::optional<bool> value = valueOf(&op))
        known[op.getResult(0)] = *value;
  }

  /// Nothing if the condition depends on more than comparisons.
  std::optional<bool> get(Value condition) const {
    auto it = known.find(condition);
    return it == known.end() ? std::nullopt : std::optional(it->second);
  }

private:
  std::optional<bool> valueOf(Operation *op) const {
    if (auto comparison = dyn_cast<CompareOp>(op))
      return compare(comparison);
    if (!isa<AndOp, OrOp, XorOp, NotOp, SelectOp>(op))
      return std::nullopt;
    SmallVector<bool, 3> values;
    for (Value operand : op->getOperands()) {
      std::optional<bool> value = get(operand);
      if (!value)
        return std::nullopt;
      values.push_back(*value);
    }
    return llvm::TypeSwitch<Operation *, std::optional<bool>>(op)
        .Case([&](AndOp) { return values[0] && values[1]; })
        .Case([&](OrOp) { return values[0] || values[1]; })
        .Case([&](XorOp) { return values[0] != values[1]; })
        .Case([&](NotOp) { return !values[0]; })
        .Case([&](SelectOp) { return values[0] ? values[1] : values[2]; });
  }

  std::optional<bool> compare(CompareOp op) const {
    auto x = dyn_cast<BlockArgument>(op.getLhs()), y = dyn_cast<BlockArgument>(op.getRhs());
    if (!x || !y || x.getOwner() != &body || y.getOwner() != &body ||
        x.getArgNumber() % half != y.getArgNumber() % half ||
        op.getCompareType() == ComparisonType::TOTALORDER)
      return std::nullopt;
    Relation relation = relations[x.getArgNumber() % half];
    bool isNaN = relation == BothNaN || (x != y && (relation == FirstNaN || relation == SecondNaN));
    if (x == y) {
      isNaN |= relation == (x.getArgNumber() < half ? FirstNaN : SecondNaN);
      relation = Equal;
    } else if (x.getArgNumber() >= half && (relation == Less || relation == Greater)) {
      relation = relation == Less ? Greater : Less;
    }
    switch (op.getComparisonDirection()) {
    case ComparisonDirection::EQ:
      return !isNaN && relation == Equal;
    case ComparisonDirection::NE:
      return isNaN || relation != Equal;
    case ComparisonDirection::LT:
      return !isNaN && relation == Less;
    case ComparisonDirection::LE:
      return !isNaN && relation != Greater;
    case ComparisonDirection::GT:
      return !isNaN && relation == Greater;
    case ComparisonDirection::GE:
      return !isNaN && relation != Less;
    }
    return std::nullopt;
  }

  Block &body;
  unsigned half;
  SmallVector<Relation, kMaxElements> relations;
  llvm::DenseMap<Value, bool> known;
};

/// Whether every result agrees with `reference`, except between equal elements.
bool agree(Block &body, ArrayRef<Choice> choices, const Choice &reference) {
  Conditions conditions(body);
  do {
    conditions.evaluate();
    for (auto [i, choice] : llvm::enumerate(choices)) {
      if (choice.condition == reference.condition && choice.takesFirst == reference.takesFirst)
        continue;
      std::optional<bool> mine = conditions.get(choice.condition);
      std::optional<bool> wanted = conditions.get(reference.condition);
      if (!mine || !wanted)
        return false;
      bool isSame = (*mine == choice.takesFirst) == (*wanted == reference.takesFirst);
      if (!isSame && !conditions.areEqual(i))
        return false;
    }
  } while (conditions.next());
  return true;
}

} // namespace

std::optional<Choice> choiceOf(Block &body) {
  SmallVector<Choice> choices;
  unsigned half = body.getNumArguments() / 2;
  if (half > kMaxElements)
    return std::nullopt;
  for (auto [i, result] : llvm::enumerate(body.getTerminator()->getOperands())) {
    auto select = result.getDefiningOp<SelectOp>();
    if (!select || select->getBlock() != &body)
      return std::nullopt;
    Value first = body.getArgument(i), second = body.getArgument(half + i);
    bool takesFirst = select.getOnTrue() == first && select.getOnFalse() == second;
    if (!takesFirst && !(select.getOnTrue() == second && select.getOnFalse() == first))
      return std::nullopt;
    choices.push_back({select.getPred(), takesFirst});
  }
  for (const Choice &choice : choices)
    if (agree(body, choices, choice))
      return choice;
  return std::nullopt;
}

} // namespace systole::expansion
