// Verifies that code between copies and waits does not touch what copies in flight use.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/SegmentVerifier.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace systole::verify {

std::optional<Conflict> SegmentVerifier::verify(const CodeNode &segment, const ScalarState &state) {
  auto meetsCopies = [&](int32_t number) {
    const program::Region &region = header.regions(number);
    return any_of(state.copies, [&](const CopyInFlight &copy) {
      return copy.source.isWithin(region) || copy.target.isWithin(region);
    });
  };
  if (none_of(segment.regions, meetsCopies))
    return std::nullopt;
  if (!verified.insert(keyOf(segment, state)).second)
    return std::nullopt;
  ScalarState at = state;
  conflict.reset();
  run(segment.body, at);
  return conflict;
}

SegmentVerifier::Key SegmentVerifier::keyOf(const CodeNode &segment, const ScalarState &state) {
  Key key{int64_t(reinterpret_cast<uintptr_t>(&segment))};
  SmallVector<uint32_t, 4> symbols;
  for (auto [scalar, bits] : segment.inputs) {
    const Value value = state.scalars[size_t(scalar)];
    // Unknown values by the first input that has the same one.
    auto it = find(symbols, value.symbol);
    key.push_back(value.isKnown() ? int64_t(value.bits & bits) : -1 - (it - symbols.begin()));
    if (!value.isKnown() && it == symbols.end())
      symbols.push_back(value.symbol);
  }
  for (const CopyInFlight &copy : state.copies)
    for (const CopyRange *range : {&copy.source, &copy.target}) {
      if (range->isEmpty())
        continue;
      key.insert(key.end(), {range == &copy.source, range->space, range->base, range->chunk});
      key.insert(key.end(), range->counts.begin(), range->counts.end());
      key.insert(key.end(), range->strides.begin(), range->strides.end());
    }
  return key;
}

std::optional<Conflict> SegmentVerifier::verifyBundle(const CodeNode &node,
                                                      const ScalarState &state) const {
  for (const Access &access : node.accesses) {
    const Value address = state.read(access.address), stride = state.read(access.stride);
    const Value mask = state.read(access.mask);
    if (!address.isKnown() || !stride.isKnown() || !mask.isKnown())
      continue;
    const program::Region &region = header.regions(access.region);
    const int64_t first = int64_t(int32_t(address.bits)) + access.offset,
                  step = int32_t(stride.bits);
    const SublaneRange sublanes =
        access.space == program::VMEM ? SublaneRange::decode(mask.bits) : SublaneRange{0, 1};
    if (sublanes.first >= sublanes.end)
      continue;
    auto rowOf = [&](int sublane) {
      return region.base() + (first + sublane * step) / access.pack;
    };
    const auto [low, high] = std::minmax(rowOf(sublanes.first), rowOf(sublanes.end - 1));
    for (const CopyInFlight &copy : state.copies)
      for (const CopyRange *range : {&copy.source, &copy.target}) {
        if (range->space != access.space || (!access.writes && range == &copy.source) ||
            high < range->base || low >= range->end())
          continue;
        for (int i = sublanes.first; i < sublanes.end; ++i)
          if (range->contains(rowOf(i)))
            return Conflict{node.bundle, copy, access.writes};
      }
  }
  return std::nullopt;
}

void SegmentVerifier::run(const std::vector<CodeNode> &nodes, ScalarState &state) {
  for (const CodeNode &node : nodes)
    if (!conflict && --nodesLeft >= 0)
      run(node, state);
}

void SegmentVerifier::run(const CodeNode &node, ScalarState &state) {
  const Value operand = state.read(node.operand);
  if (node.hasTracked)
    conflict = verifyBundle(node, state);
  SmallVector<std::pair<int32_t, Value>, 4> results;
  for (const ScalarInst &inst : node.scalars)
    if (inst.isAddress) {
      Outcome outcome = evaluate(inst, state);
      results.push_back({inst.result, outcome.isFork ? state.unknown() : outcome.first});
    }
  for (auto [scalar, value] : results)
    state.scalars[size_t(scalar)] = value;
  if (!node.hasAddress && !node.hasTracked)
    return;
  switch (node.kind) {
  case CodeNode::Kind::Loop:
    return runLoop(node, operand, state);
  case CodeNode::Kind::While:
    return runUnknownTimes(node, state);
  case CodeNode::Kind::If: {
    if (operand.isKnown() || operand.isNonzero)
      return run(operand.isNonzero || operand.bits ? node.body : node.orElse, state);
    ScalarState other = state;
    run(node.orElse, other);
    run(node.body, state);
    state.symbols = std::max(state.symbols, other.symbols);
    for (auto [value, otherValue] : zip_equal(state.scalars, other.scalars))
      if (value != otherValue)
        value = state.unknown();
    return;
  }
  default:
    return;
  }
}

void SegmentVerifier::runLoop(const CodeNode &node, Value count, ScalarState &state) {
  if (!count.isKnown())
    return runUnknownTimes(node, state);
  for (int32_t i = 0; i < int32_t(count.bits) && !conflict && !isExhausted(); ++i) {
    if (!node.hasAddress && i > 0)
      return;
    run(node.body, state);
  }
}

void SegmentVerifier::runUnknownTimes(const CodeNode &node, ScalarState &state) {
  forget(node.body, state);
  run(node.body, state);
  forget(node.body, state);
}

/// Takes what the nodes compute as unknown.
void SegmentVerifier::forget(const std::vector<CodeNode> &nodes, ScalarState &state) {
  for (const CodeNode &node : nodes) {
    for (const ScalarInst &inst : node.scalars)
      if (inst.isAddress)
        state.scalars[size_t(inst.result)] = state.unknown();
    forget(node.body, state);
    forget(node.orElse, state);
  }
}

} // namespace systole::verify
