// Linear forms of addresses and alias queries.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Address.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace systole::machine {

using isa::Opcode;

// Larger coefficients are not tracked, since they could overflow.
constexpr int64_t kMaxMagnitude = int64_t(1) << 31;

static bool small(int64_t v) { return v > -kMaxMagnitude && v < kMaxMagnitude; }

std::optional<LinearForm> LinearForm::sum(const LinearForm &a, const LinearForm &b, int64_t scale) {
  [[maybe_unused]] auto ascends = [](const LinearForm &form) {
    return std::is_sorted(form.terms, form.terms + form.count,
                          [](const Term &x, const Term &y) { return x.reg < y.reg; });
  };
  assert(ascends(a) && ascends(b) && "the terms of a form are in the order of registers");
  LinearForm out;
  if (!small(scale))
    return std::nullopt;
  out.constant = a.constant + scale * b.constant;
  if (!small(out.constant))
    return std::nullopt;
  int i = 0, j = 0;
  while (i < a.count || j < b.count) {
    Term t;
    if (j == b.count || (i < a.count && a.terms[i].reg < b.terms[j].reg)) {
      t = a.terms[i++];
    } else if (i == a.count || b.terms[j].reg < a.terms[i].reg) {
      t = {b.terms[j].reg, scale * b.terms[j].coefficient};
      ++j;
    } else {
      t = {a.terms[i].reg, a.terms[i].coefficient + scale * b.terms[j].coefficient};
      ++i, ++j;
    }
    if (!small(t.coefficient))
      return std::nullopt;
    if (t.coefficient == 0)
      continue;
    if (out.count == kMaxTerms)
      return std::nullopt;
    out.terms[out.count++] = t;
  }
  return out;
}

LinearForm LinearForm::renamed(llvm::function_ref<RegId(RegId)> name) const {
  LinearForm out;
  out.constant = constant;
  for (int t = 0; t < count; ++t) {
    auto more = sum(out, LinearForm{0, 1, {{name(terms[t].reg), 1}}}, terms[t].coefficient);
    if (!more)
      return *this; // as true, with coefficients that are in range
    out = *more;
  }
  return out;
}

bool LinearForm::hasTermsOf(const LinearForm &other) const {
  return std::equal(terms, terms + count, other.terms, other.terms + other.count);
}

LinearForm AddressAnalysis::form(const Operand &o) const {
  LinearForm out;
  if (o.isImm()) {
    out.constant = o.value;
  } else if (o.isReg()) {
    if (known[o.regId()])
      return forms[o.regId()];
    out.count = 1;
    out.terms[0] = {o.regId(), 1};
  }
  return out;
}

std::optional<int64_t> AddressAnalysis::step(RegId phi) const {
  auto it = std::lower_bound(steps.begin(), steps.end(), std::pair(phi, INT64_MIN));
  if (it == steps.end() || it->first != phi)
    return std::nullopt;
  return it->second;
}

bool AddressAnalysis::areEqual(const Carried &a, const Carried &b) const {
  std::optional<int64_t> own = step(a.phi);
  const LinearForm init = form(a.init), other = form(b.init);
  return own && own == step(b.phi) && init.constant == other.constant && init.hasTermsOf(other);
}

bool AddressAnalysis::isMultiple(const LinearForm &form, int64_t number) const {
  if (form.constant % number != 0)
    return false;
  return std::all_of(form.terms, form.terms + form.count, [&](const LinearForm::Term &term) {
    auto divisor = divisors.find(term.reg);
    int64_t known = divisor == divisors.end() ? 1 : divisor->second;
    return term.coefficient * known % number == 0;
  });
}

AddressAnalysis::AddressAnalysis(const Function &f)
    : forms(f.regs.size()), known(f.regs.size(), false) {
  // A register with several definitions has no linear form.
  std::vector<uint8_t> definitions(f.regs.size(), 0);
  auto define = [&](RegId r) { definitions[r] = uint8_t(std::min(2, definitions[r] + 1)); };
  auto forEachInst = [&](auto &&fn) {
    forEachNode(f, f.body, [&](NodeId n) {
      for (InstId i : f.nodes[n].insts)
        fn(i);
    });
  };
  forEachNode(f, f.body, [&](NodeId n) {
    for (const Carried &c : f.nodes[n].carried)
      define(c.phi);
  });
  forEachInst([&](InstId i) {
    for (int r = 0; r < f.resultCount(i); ++r)
      define(f.ops(i)[r].regId());
  });
  // Definitions precede uses in the order of nodes; loop-carried values are terms of their
  // own.
  forEachInst([&](InstId i) {
    auto ops = f.ops(i);
    std::optional<LinearForm> result;
    switch (f.insts[i].opcode) {
    case Opcode::s_mov:
      result = form(ops[1]);
      break;
    case Opcode::s_add:
      result = LinearForm::sum(form(ops[1]), form(ops[2]), 1);
      break;
    case Opcode::s_sub:
      result = LinearForm::sum(form(ops[1]), form(ops[2]), -1);
      break;
    case Opcode::s_mul: {
      LinearForm a = form(ops[1]), b = form(ops[2]);
      if (a.count == 0)
        std::swap(a, b);
      if (b.count == 0)
        result = LinearForm::sum(LinearForm(), a, b.constant);
      break;
    }
    case Opcode::s_shl: {
      LinearForm shift = form(ops[2]);
      if (shift.count == 0 && shift.constant >= 0 && shift.constant < 31)
        result = LinearForm::sum(LinearForm(), form(ops[1]), int64_t(1) << shift.constant);
      break;
    }
    default:
      break;
    }
    if (!result)
      return;
    // Forms over registers with several definitions are not valid at later points.
    for (int t = 0; t < result->count; ++t)
      if (definitions[result->terms[t].reg] > 1)
        return;
    RegId d = ops[0].regId();
    if (definitions[d] == 1) {
      forms[d] = *result;
      known[d] = true;
    }
  });
  forEachNode(f, f.body, [&](NodeId n) {
    for (const Carried &c : f.nodes[n].carried) {
      if (f.regs[c.phi].cls != RegClass::S)
        continue;
      LinearForm next = form(c.next);
      if (next.count != 1 || !(next.terms[0] == LinearForm::Term{c.phi, 1}))
        continue;
      steps.push_back({c.phi, next.constant});
      if (LinearForm init = form(c.init); init.count == 0)
        divisors[c.phi] = std::gcd(init.constant, next.constant);
    }
  });
  std::sort(steps.begin(), steps.end());
  mergeEqualValues(f);
}

void AddressAnalysis::mergeEqualValues(const Function &f) {
  llvm::DenseMap<RegId, RegId> equals;
  forEachNode(f, f.body, [&](NodeId n) {
    const std::vector<Carried> &carried = f.nodes[n].carried;
    for (size_t k = 1; k < carried.size(); ++k)
      for (size_t first = 0; first < k && !equals.contains(carried[k].phi); ++first)
        if (areEqual(carried[k], carried[first]))
          equals[carried[k].phi] = carried[first].phi;
  });
  if (equals.empty())
    return;
  auto name = [&](RegId r) {
    auto equal = equals.find(r);
    return equal == equals.end() ? r : equal->second;
  };
  for (auto [phi, equal] : equals) {
    forms[phi] = LinearForm{0, 1, {{phi, 1}}};
    known[phi] = true;
  }
  for (size_t r = 0; r < forms.size(); ++r)
    if (known[r])
      forms[r] = forms[r].renamed(name);
}

MemoryAccess describeAccess(const Function &f, const AddressAnalysis &analysis, InstId i) {
  const OpTraits &t = traits(f.insts[i].opcode);
  assert(t.isMemory() && "a load or a store");
  auto ops = f.ops(i);
  MemoryAccess access;
  access.address = analysis.form(ops[t.addressField]);
  access.region = ops[t.regionField].value;
  access.pack = t.pack;
  access.store = t.isStore();
  access.order = f.insts[i].order;
  if (t.scalarLoad || t.scalarStore)
    return access;
  access.address.constant += ops[t.offsetField].value;
  LinearForm stride = analysis.form(ops[t.strideField]);
  if (stride.count != 0) {
    access.bounded = false;
    return access;
  }
  access.stride = stride.constant;
  int64_t extent = stride.constant * (isa::kSublanes - 1);
  access.low = std::min<int64_t>(0, extent);
  access.high = std::max<int64_t>(0, extent);
  access.wholeRows = access.stride == 1 && isa::kSublanes % access.pack == 0 &&
                     analysis.isMultiple(access.address, access.pack);
  return access;
}

std::vector<MemoryAccess> describeAccesses(const Function &f, const AddressAnalysis &analysis) {
  std::vector<MemoryAccess> accesses(f.insts.size());
  for (InstId i = 0; i < f.insts.size(); ++i)
    if (traits(f.insts[i].opcode).isMemory())
      accesses[i] = describeAccess(f, analysis, i);
  return accesses;
}

bool AliasAnalysis::regionsOverlap(int32_t a, int32_t b) const {
  if (a == b)
    return true;
  if (std::max(a, b) >= kSpillRowsRegion)
    return false;
  if (size_t(a) >= module.regions.size() || size_t(b) >= module.regions.size())
    return true;
  const RegionInfo &x = module.regions[a], &y = module.regions[b];
  return x.space == y.space && x.base < y.base + y.size && y.base < x.base + x.size;
}

/// b - a as a linear form over the terms in which `a` and `b` differ.
static std::optional<LinearForm> difference(const MemoryAccess &a, const MemoryAccess &b) {
  if (a.region != b.region || a.pack != b.pack || !a.bounded || !b.bounded)
    return std::nullopt;
  return LinearForm::sum(b.address, a.address, -1);
}

static int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// From which distance on rows of the two, which have equal packs, are in different physical rows.
static int64_t reach(const MemoryAccess &a, const MemoryAccess &b) {
  return a.wholeRows && b.wholeRows ? 1 : a.pack;
}

/// Whether the rows of one are between those of the other, which are `delta` rows away, without
/// sharing a physical row.
static bool interleave(const MemoryAccess &a, const MemoryAccess &b, int64_t delta) {
  if (a.stride != b.stride || a.stride <= 0)
    return false;
  int64_t ahead = delta - floorDiv(delta, a.stride) * a.stride;
  return ahead >= a.pack && a.stride - ahead >= a.pack;
}

bool AliasAnalysis::mayOverlap(const MemoryAccess &a, const MemoryAccess &b) const {
  if (!regionsOverlap(a.region, b.region))
    return false;
  auto delta = difference(a, b);
  if (!delta || delta->count != 0)
    return true;
  if (interleave(a, b, delta->constant))
    return false;
  int64_t apart = reach(a, b);
  return delta->constant + b.high + apart > a.low && delta->constant + b.low < a.high + apart;
}

std::optional<int64_t> AliasAnalysis::carriedDistance(const MemoryAccess &a, const MemoryAccess &b,
                                                      llvm::function_ref<bool(RegId)> variant,
                                                      bool equalOrDisjoint) const {
  if (!regionsOverlap(a.region, b.region))
    return std::nullopt;
  // Addresses as functions of the iteration: all variant terms must grow by
  // constants.
  int64_t growthA = 0, growthB = 0;
  auto growth = [&](const MemoryAccess &access, int64_t &sum) {
    for (int t = 0; t < access.address.count; ++t) {
      RegId reg = access.address.terms[t].reg;
      if (!variant(reg))
        continue;
      auto s = addresses.step(reg);
      if (!s)
        return false;
      sum += access.address.terms[t].coefficient * *s;
    }
    return true;
  };
  auto delta = difference(a, b);
  if (!delta || delta->count != 0)
    return 1;
  if (!growth(a, growthA) || !growth(b, growthB) || growthA != growthB) {
    // Accesses at different addresses are disjoint, so the addresses are treated as invariant.
    if (!equalOrDisjoint)
      return 1;
    growthA = 0;
  }
  if (growthA == 0 && interleave(a, b, delta->constant))
    return std::nullopt;
  // `b` in iteration i + d is delta + growth * d away from `a` in iteration i; they overlap while
  // least < growth * d < most.
  int64_t apart = reach(a, b);
  int64_t least = a.low - apart - b.high - delta->constant;
  int64_t most = a.high + apart - b.low - delta->constant;
  int64_t k = growthA;
  if (k == 0) {
    if (least < 0 && 0 < most)
      return 1;
    return std::nullopt;
  }
  if (k < 0) {
    std::swap(least, most);
    least = -least;
    most = -most;
    k = -k;
  }
  assert(least < most && "two accesses of at least a row each");
  int64_t d = std::max<int64_t>(1, floorDiv(least, k) + 1);
  if (k * d < most)
    return d;
  return std::nullopt;
}

} // namespace systole::machine
