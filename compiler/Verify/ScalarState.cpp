// Scalars whose bits may be unknown.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/ScalarState.h"

#include "dialects/Machine/InstructionSet/Scalars.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace systole::verify {

using isa::Opcode;

void ScalarState::refine(uint32_t symbol, bool isNonzero) {
  for (Value &value : scalars)
    if (value.symbol == symbol) {
      if (isNonzero)
        value.isNonzero = true;
      else
        value = {};
    }
}

void ScalarState::canonicalize(const BitVector &live) {
  SmallVector<std::pair<uint32_t, uint32_t>, 8> numbers;
  for (size_t i = 0; i < scalars.size(); ++i) {
    Value &value = scalars[i];
    if (!live[unsigned(i)]) {
      value = {};
    } else if (!value.isKnown()) {
      auto it = find_if(numbers, [&](auto &pair) { return pair.first == value.symbol; });
      if (it == numbers.end()) {
        numbers.push_back({value.symbol, uint32_t(numbers.size() + 1)});
        it = std::prev(numbers.end());
      }
      value.symbol = it->second;
    }
  }
  symbols = uint32_t(numbers.size());
}

/// The sublanes of a mask, from a comparison of the numbers of sublanes or lanes with a scalar, or
/// from two masks.
static Value evaluateMask(const ScalarInst &inst, Value a, Value b, ScalarState &state) {
  if (!a.isKnown() || !b.isKnown())
    return state.unknown();
  SublaneRange range;
  if (inst.opcode == Opcode::m_and) {
    const SublaneRange other = SublaneRange::decode(b.bits);
    range = SublaneRange::decode(a.bits);
    range.first = std::max(range.first, other.first);
    range.end = std::min(range.end, other.end);
    return {range.encode()};
  }
  const bool isBelow = inst.sources[0].isVector;
  if (isBelow == inst.sources[1].isVector)
    return state.unknown();
  const Value vector = isBelow ? a : b;
  int64_t bound = int32_t((isBelow ? b : a).bits);
  if (inst.opcode == (isBelow ? Opcode::v_le : Opcode::v_lt))
    ++bound;
  const int cells = vector.bits == kSublaneNumbers ? isa::kSublanes : isa::kLanes;
  bound = std::clamp<int64_t>(bound, 0, cells);
  if (vector.bits == kSublaneNumbers)
    (isBelow ? range.end : range.first) = int32_t(bound);
  else if (bound == (isBelow ? 0 : cells))
    range.end = 0;
  return {range.encode()};
}

Outcome evaluate(const ScalarInst &inst, ScalarState &state) {
  const Value a = state.read(inst.sources[0]), b = state.read(inst.sources[1]),
              c = state.read(inst.sources[2]);
  if (inst.opcode == Opcode::none)
    return {state.unknown()};
  if (inst.opcode == Opcode::v_lt || inst.opcode == Opcode::v_le || inst.opcode == Opcode::m_and)
    return {evaluateMask(inst, a, b, state)};
  if (a.isKnown() && b.isKnown() && c.isKnown())
    return {Value{evaluateScalar(inst.opcode, a.bits, b.bits, c.bits)}};
  auto is = [](Value value, uint32_t bits) { return value.isKnown() && value.bits == bits; };
  switch (inst.opcode) {
  case Opcode::s_mov:
    return {a};
  case Opcode::s_sel:
    if (a.isKnown())
      return {a.bits ? b : c};
    if (a.isNonzero || b == c)
      return {b};
    return {c, b, true};
  case Opcode::s_add:
  case Opcode::s_or:
  case Opcode::s_xor:
    if (is(a, 0))
      return {b};
    [[fallthrough]];
  case Opcode::s_sub:
  case Opcode::s_shl:
  case Opcode::s_shr:
  case Opcode::s_sra:
    if (is(b, 0))
      return {a};
    break;
  case Opcode::s_mul:
  case Opcode::s_and:
    if (is(a, 0) || is(b, 0))
      return {Value{}};
    if (inst.opcode == Opcode::s_and && (is(a, 1) || is(b, 1)))
      return {Value{0}, Value{1}, true};
    break;
  case Opcode::s_eq:
  case Opcode::s_ne:
  case Opcode::s_lt:
  case Opcode::s_le:
  case Opcode::s_ltu:
    if (a == b)
      return {Value{evaluateScalar(inst.opcode, 0, 0, 0)}};
    if (inst.opcode == Opcode::s_ne && is(b, 0) && a.isNonzero)
      return {Value{1}};
    return {Value{0}, Value{1}, true};
  default:
    break;
  }
  return {state.unknown()};
}

void mergeStates(std::vector<ScalarState> &states, const BitVector &live) {
  for (ScalarState &state : states)
    state.canonicalize(live);
  if (states.size() < 2)
    return;
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
}

} // namespace systole::verify
