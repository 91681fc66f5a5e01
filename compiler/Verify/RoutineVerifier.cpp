// Verifies the copies and sync flags of one routine, over all its paths.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/RoutineVerifier.h"

#include "dialects/Machine/InstructionSet/Scalars.h"

#include "llvm/ADT/STLExtras.h"

#include "absl/strings/str_cat.h"

using namespace llvm;

namespace systole::verify {

template <typename... Parts> void RoutineVerifier::fail(int64_t bundle, const Parts &...parts) {
  if (isWidened)
    return giveUp("a counter of a loop whose count depends on data");
  if (hasFailed())
    return;
  const std::string where = describeBundle(header, bundle);
  status = absl::InternalError(absl::StrCat(
      "bundle ", bundle, where.empty() ? "" : absl::StrCat(" (", where, ")"), ": ", parts...));
}

void RoutineVerifier::report(const std::optional<Conflict> &conflict) {
  if (conflict)
    fail(conflict->bundle, conflict->writes ? "writes" : "reads",
         " memory of the copy in flight that bundle ", conflict->copy.bundle, " starts with flag ",
         conflict->copy.flag);
}

absl::Status RoutineVerifier::verify(const RoutineTree &tree, int64_t end) {
  isRegister = &tree.isRegister;
  found.regions = tree.regions;
  ScalarState entry;
  entry.scalars.resize(size_t(tree.scalars));
  for (Value &value : entry.scalars)
    value = entry.unknown();
  States states{std::move(entry)};
  run(tree.nodes, states);
  for (const ScalarState &state : states) {
    for (auto [flag, value] : enumerate(state.flags))
      if (value != 0)
        fail(end - 1, "the routine ends with ", value, " in flag ", flag);
    if (!state.copies.empty())
      fail(end - 1, "the routine ends without a wait for the copy that bundle ",
           state.copies.front().bundle, " starts");
  }
  if (segments.isExhausted())
    giveUp("too many iterations");
  found.isVerified = status.ok();
  return status;
}

void RoutineVerifier::giveUp(const char *why) {
  if (!hasFailed())
    status = absl::ResourceExhaustedError(why);
}

void RoutineVerifier::run(const std::vector<CodeNode> &nodes, States &states) {
  for (const CodeNode &node : nodes) {
    if (hasFailed())
      return;
    if (node.kind != CodeNode::Kind::Segment) {
      if (!node.isIdle())
        run(node, states);
      continue;
    }
    if (node.hasTracked)
      for (const ScalarState &state : states)
        report(segments.verify(node, state));
    for (const CodeNode *inner : node.controlled)
      run(*inner, states);
  }
}

void RoutineVerifier::run(const CodeNode &node, States &states) {
  // Several states are copied, sorted and compared, which takes as long as many nodes in one.
  constexpr int64_t nodesForState = 16;
  nodesLeft -= states.size() == 1 ? 1 : int64_t(states.size()) * nodesForState;
  if (nodesLeft < 0 || segments.isExhausted())
    giveUp("too many iterations");
  SmallVector<Value, 4> operands;
  if (states.size() == 1) {
    const Value operand = states.front().read(node.operand);
    if (!issueKnown(node, states.front()))
      issue(node, states, operands);
    else if (node.kind == CodeNode::Kind::Step)
      return;
    else
      operands.push_back(operand);
  } else {
    issue(node, states, operands);
  }
  switch (node.kind) {
  case CodeNode::Kind::Loop:
  case CodeNode::Kind::While:
  case CodeNode::Kind::If: {
    if (states.size() == 1) {
      runBlocks(node, operands.front(), states);
      break;
    }
    States results;
    for (auto [state, operand] : zip_equal(states, operands)) {
      States one{std::move(state)};
      runBlocks(node, operand, one);
      append_range(results, one);
    }
    states = std::move(results);
    break;
  }
  case CodeNode::Kind::Exit:
    append_range(*behindWhile, states);
    break;
  case CodeNode::Kind::Call:
    for (ScalarState &state : states)
      runCall(node, state);
    break;
  default:
    break;
  }
  if (states.size() > 1)
    mergeStates(states, node.after);
  if (states.size() > kMostStates)
    giveUp("too many states");
}

bool RoutineVerifier::issueKnown(const CodeNode &node, ScalarState &state) {
  // With masks and spilled words there may be more.
  static constexpr size_t kMost = isa::kMaxSlots[size_t(isa::Slot::Scalar)];
  const ArrayRef<ScalarInst> scalars = node.control();
  if (!node.events.empty() || (node.isApart && node.hasTracked) || scalars.size() > kMost)
    return false;
  uint32_t results[kMost];
  for (auto [inst, result] : zip(scalars, results)) {
    const Value a = state.read(inst.sources[0]), b = state.read(inst.sources[1]),
                c = state.read(inst.sources[2]);
    if (!isScalarArithmetic(inst.opcode) || !a.isKnown() || !b.isKnown() || !c.isKnown())
      return false;
    result = evaluateScalar(inst.opcode, a.bits, b.bits, c.bits);
  }
  for (auto [inst, result] : zip(scalars, results))
    state.scalars[size_t(inst.result)] = {result};
  return true;
}

void RoutineVerifier::issue(const CodeNode &node, States &states,
                            SmallVectorImpl<Value> &operands) {
  operands.clear();
  for (const ScalarState &state : states)
    operands.push_back(state.read(node.operand));
  SmallVector<std::pair<int32_t, Outcome>, 4> outcomes;
  const size_t count = states.size();
  for (size_t i = 0; i < count; ++i) {
    if (node.isApart && node.hasTracked)
      report(segments.verifyBundle(node, states[i]));
    // The scalars of a bundle are written behind its events.
    for (const Event &event : node.events)
      runEvent(node, event, states[i]);
    outcomes.clear();
    for (const ScalarInst &inst : node.control())
      outcomes.push_back({inst.result, evaluate(inst, states[i])});
    const size_t forks = states.size();
    for (const auto &[scalar, outcome] : outcomes) {
      auto write = [&, scalar = scalar, outcome = outcome](size_t number) {
        if (outcome.isFork) {
          states.push_back(states[number]);
          operands.push_back(operands[number]);
          states.back().scalars[size_t(scalar)] = outcome.second;
        }
        states[number].scalars[size_t(scalar)] = outcome.first;
      };
      const size_t end = states.size();
      write(i);
      for (size_t fork = forks; fork < end; ++fork)
        write(fork);
    }
  }
}

void RoutineVerifier::runEvent(const CodeNode &node, const Event &event, ScalarState &state) {
  found.flags.set(size_t(event.flag));
  switch (event.kind) {
  case Event::Kind::Start:
    return startCopy(node, event, state);
  case Event::Kind::Wait:
    return wait(node, event, state);
  case Event::Kind::Add: {
    const Value amount = state.read(event.amount);
    if (!amount.isKnown())
      return giveUp("what is added to a flag depends on data");
    state.flags[size_t(event.flag)] += int32_t(amount.bits);
    return;
  }
  }
}

/// The increment of a copy's flag; `count` replaces the innermost one unless it is negative.
static int64_t amountOf(const program::Descriptor &d, int32_t count) {
  if (!d.counts_words())
    return 1;
  int64_t words = d.chunk();
  for (int level = 0; level < d.counts_size(); ++level)
    words *= level == 0 && count >= 0 ? count : d.counts(level);
  return words;
}

void RoutineVerifier::startCopy(const CodeNode &node, const Event &event, ScalarState &state) {
  const program::Descriptor &d = header.descriptors(event.descriptor);
  const Value count = state.read(event.amount);
  if (d.counts_words() && !count.isKnown())
    return giveUp("the size of a copy depends on data");
  CopyInFlight copy{event.flag,   node.bundle, amountOf(d, int32_t(count.bits)),
                    channelOf(d), {},          {}};
  for (bool isSource : {true, false}) {
    const program::Space space = isSource ? d.src() : d.dst();
    const Value address = state.read(event.address[isSource ? 0 : 1]),
                region = state.read(event.region[isSource ? 0 : 1]);
    if ((space != program::VMEM && space != program::SMEM) || !address.isKnown() ||
        !region.isKnown() || int32_t(region.bits) < 0 ||
        int32_t(region.bits) >= header.regions_size())
      continue;
    (isSource ? copy.source : copy.target) =
        rangeOf(d, isSource, header.regions(int(region.bits)), int32_t(address.bits),
                count.isKnown() ? int32_t(count.bits) : -1);
  }
  if (copy.source.overlaps(copy.target))
    fail(node.bundle, "starts a copy with flag ", event.flag, " from memory to the same memory");
  for (const CopyInFlight &other : state.copies)
    if (copy.target.overlaps(other.target) || copy.target.overlaps(other.source) ||
        copy.source.overlaps(other.target))
      fail(node.bundle, "starts a copy with flag ", event.flag,
           " on memory of the copy in flight that bundle ", other.bundle, " starts with flag ",
           other.flag);
  state.flags[size_t(event.flag)] += copy.amount;
  // An empty copy is done at once.
  if (count.isKnown() && count.bits == 0)
    return;
  state.copies.push_back(std::move(copy));
  found.copies = std::max(found.copies, int32_t(state.copies.size()));
}

void RoutineVerifier::wait(const CodeNode &node, const Event &event, ScalarState &state) {
  const Value amount = state.read(event.amount);
  if (!amount.isKnown() || int32_t(amount.bits) < 0)
    return giveUp("the count of a wait depends on data");
  int64_t &flag = state.flags[size_t(event.flag)];
  if (int32_t(amount.bits) > flag)
    return fail(node.bundle, "waits until flag ", event.flag, " is ", int32_t(amount.bits),
                ", and it becomes ", flag, " when all copies in flight are done");
  flag -= int32_t(amount.bits);
  // Of copies with one flag, those that make up `flag` may not be done: the last ones, if they are
  // on one channel.
  int64_t done = -flag;
  std::optional<CopyChannel> channel;
  bool isInOrder = true;
  for (const CopyInFlight &copy : state.copies)
    if (copy.flag == event.flag) {
      done += copy.amount;
      isInOrder &= channel.value_or(copy.channel) == copy.channel;
      channel = copy.channel;
    }
  if (!isInOrder && flag > 0)
    return;
  erase_if(state.copies, [&](const CopyInFlight &copy) {
    if (copy.flag != event.flag)
      return false;
    done -= copy.amount;
    return done >= 0;
  });
}

void RoutineVerifier::runCall(const CodeNode &node, ScalarState &state) {
  const RoutineSummary &callee = callees[size_t(node.callee)];
  if (!callee.isVerified)
    giveUp("there is no verdict on a routine that it calls");
  for (size_t flag = 0; flag < state.flags.size(); ++flag)
    if (callee.flags[flag] && state.flags[flag] != 0)
      fail(node.bundle, "calls routine `", header.routines(node.callee).name(),
           "`, which uses flag ", flag, ", while it is ", state.flags[flag]);
  for (RegionUse use : callee.regions)
    for (const CopyInFlight &copy : state.copies) {
      const program::Region &region = header.regions(use.region);
      if (copy.target.isWithin(region) || (use.writes && copy.source.isWithin(region)))
        fail(node.bundle, "calls routine `", header.routines(node.callee).name(), "`, which ",
             use.writes ? "writes" : "reads", " memory of the copy in flight that bundle ",
             copy.bundle, " starts with flag ", copy.flag);
    }
  found.flags |= callee.flags;
  found.copies = std::max(found.copies, int32_t(state.copies.size()) + callee.copies);
  for (size_t i = 0; i < state.scalars.size(); ++i)
    if ((*isRegister)[i])
      state.scalars[i] = state.unknown();
}

void RoutineVerifier::runBlocks(const CodeNode &node, Value operand, States &states) {
  switch (node.kind) {
  case CodeNode::Kind::Loop:
    if (operand.isKnown() && !node.isIndifferent())
      return runLoop(node, int32_t(operand.bits), states);
    return runUnknownTimes(node, states);
  case CodeNode::Kind::While:
    return runUnknownTimes(node, states);
  case CodeNode::Kind::If:
    return runChoice(node, operand, states);
  default:
    llvm_unreachable("the node has no blocks");
  }
}

void RoutineVerifier::runLoop(const CodeNode &node, int32_t count, States &states) {
  States before;
  for (int32_t i = 0; i < count && !hasFailed(); ++i) {
    // Whether an iteration has changed nothing is asked at powers of two.
    const bool compares = (i & (i - 1)) == 0;
    if (compares) {
      mergeStates(states, node.atHead);
      before = states;
    }
    run(node.body, states);
    if (!compares)
      continue;
    mergeStates(states, node.atHead);
    if (states == before)
      return;
  }
}

namespace {
/// The known values that scalars have at the head of a loop.
class KnownValues {
public:
  void add(const std::vector<ScalarState> &states) {
    for (const ScalarState &state : states) {
      values.resize(state.scalars.size());
      for (auto [value, known] : zip_equal(state.scalars, values))
        if (value.isKnown() && known.size() < kMost && !is_contained(known, value.bits))
          known.push_back(value.bits);
    }
  }

  /// Makes scalars of which there are many, such as counters, unknown. Whether there is one.
  bool widen(std::vector<ScalarState> &states) const {
    bool hasWidened = false;
    for (ScalarState &state : states)
      for (auto [value, known] : zip_equal(state.scalars, values))
        if (value.isKnown() && known.size() == kMost) {
          value = state.unknown();
          hasWidened = true;
        }
    return hasWidened;
  }

private:
  static constexpr size_t kMost = 4;
  std::vector<SmallVector<uint32_t, kMost>> values;
};
} // namespace

/// A flag that each iteration leaves higher has a value for nearly each of them.
void RoutineVerifier::reportRisingFlag(const CodeNode &node, const std::set<ScalarState> &heads) {
  for (size_t flag = 0; flag < isa::kSyncFlags; ++flag) {
    std::set<int64_t> values;
    for (const ScalarState &head : heads)
      values.insert(head.flags[flag]);
    if (values.size() > kMostStates / 4)
      fail(node.bundle, "iterations leave flag ", flag, " higher than they find it");
  }
}

void RoutineVerifier::runUnknownTimes(const CodeNode &node, States &states) {
  const bool isWhile = node.kind == CodeNode::Kind::While;
  States left, &frontier = states;
  mergeStates(frontier, node.atHead);
  std::set<ScalarState> heads(frontier.begin(), frontier.end());
  KnownValues values;
  values.add(frontier);
  // Where counters make many states, they are unknown from then on.
  size_t most = kMostStates / 2;
  bool widens = false;
  while (!frontier.empty() && !hasFailed()) {
    States *outer = behindWhile;
    if (isWhile)
      behindWhile = &left;
    run(node.body, frontier);
    behindWhile = outer;
    mergeStates(frontier, node.atHead);
    values.add(frontier);
    if (widens && values.widen(frontier)) {
      isWidened = true;
      mergeStates(frontier, node.atHead);
    }
    erase_if(frontier, [&](const ScalarState &next) { return !heads.insert(next).second; });
    if (heads.size() <= most)
      continue;
    reportRisingFlag(node, heads);
    if (widens)
      giveUp("too many states");
    widens = true;
    most = heads.size() + kMostStates;
  }
  if (!isWhile)
    left.assign(heads.begin(), heads.end());
  mergeStates(left, node.after);
  states = std::move(left);
}

void RoutineVerifier::runChoice(const CodeNode &node, Value condition, States &states) {
  const bool isFree = node.isIndifferent();
  if (!isFree && (condition.isKnown() || condition.isNonzero))
    return run(condition.isNonzero || condition.bits ? node.body : node.orElse, states);
  States other = states;
  if (!isFree) {
    for (ScalarState &state : states)
      state.refine(condition.symbol, /*isNonzero=*/true);
    for (ScalarState &state : other)
      state.refine(condition.symbol, /*isNonzero=*/false);
  }
  run(node.body, states);
  run(node.orElse, other);
  append_range(states, other);
  mergeStates(states, node.after);
}

} // namespace systole::verify
