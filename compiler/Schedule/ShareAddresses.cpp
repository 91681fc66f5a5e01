// Scalars of addresses: those that differ by constants share one, and those of interleaved and of
// fused loops are carried from iteration to iteration.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/ShareAddresses.h"

#include "compiler/Schedule/Address.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace systole::machine {
namespace {

/// The terms of an address without its constant.
using Terms = llvm::SmallVector<std::pair<RegId, int64_t>, LinearForm::kMaxTerms>;

Terms termsOf(const LinearForm &form) {
  Terms terms;
  for (int k = 0; k < form.count; ++k)
    terms.emplace_back(form.terms[k].reg, form.terms[k].coefficient);
  return terms;
}

class AddressSharing {
public:
  explicit AddressSharing(Function &f) : f(f), addresses(f) {}

  void list(std::vector<NodeId> &nodes) {
    std::vector<NodeId> out;
    for (NodeId n : nodes) {
      if (f.nodes[n].kind == Node::Kind::Block && isShared(f.nodes[n].insts))
        share(f.nodes[n].insts);
      std::vector<NodeId> body = std::move(f.nodes[n].body), orElse = std::move(f.nodes[n].orElse);
      list(body);
      list(orElse);
      f.nodes[n].body = std::move(body);
      f.nodes[n].orElse = std::move(orElse);
      if (NodeId before = carry(n); before != kNone)
        out.push_back(before);
      out.push_back(n);
    }
    nodes = std::move(out);
  }

private:
  /// Whether these are the body of a loop that streams share, or of a fused one.
  bool isShared(const std::vector<InstId> &insts) const {
    return std::any_of(insts.begin(), insts.end(),
                       [&](InstId i) { return f.insts[i].order.loop != 0; });
  }
  template <typename Fn> void forEachAccess(const std::vector<InstId> &insts, Fn fn) {
    for (InstId i : insts) {
      const OpTraits &t = traits(f.insts[i].opcode);
      if ((t.vectorLoad || t.vectorStore) && f.ops(i)[size_t(t.addressField)].isReg())
        fn(i, f.ops(i)[size_t(t.addressField)], f.ops(i)[size_t(t.offsetField)]);
    }
  }

  void share(const std::vector<InstId> &insts) {
    struct Shared {
      RegId reg;
      int64_t constant;
    };
    // Accesses of different loops that were fused are far apart, as their scalars would live.
    std::map<std::pair<uint16_t, Terms>, Shared> known;
    forEachAccess(insts, [&](InstId i, Operand &address, Operand &offset) {
      LinearForm form = addresses.form(address);
      if (form.count == 0)
        return;
      auto [it, isNew] = known.try_emplace({f.insts[i].order.loop, termsOf(form)},
                                           Shared{address.regId(), form.constant});
      if (isNew)
        return;
      int64_t sum = offset.value + form.constant - it->second.constant;
      if (llvm::isInt<16>(sum)) {
        address = Operand::reg(it->second.reg);
        offset = Operand::imm(int32_t(sum));
      } else {
        // Later addresses are more likely to be near to this one.
        it->second = {address.regId(), form.constant};
      }
    });
  }

  /// Of the terms, the loop-carried value that is the only one to change in the loop, if its step
  /// is constant.
  const Carried *changing(const Node &loop, const LinearForm &form) const {
    const Carried *found = nullptr;
    for (int k = 0; k < form.count; ++k) {
      RegId reg = form.terms[k].reg;
      auto it = std::find_if(loop.carried.begin(), loop.carried.end(),
                             [&](const Carried &c) { return c.phi == reg; });
      if (it == loop.carried.end()) {
        if (defined.contains(reg))
          return nullptr;
      } else {
        if (found || !addresses.step(reg))
          return nullptr;
        found = &*it;
      }
    }
    return found;
  }

  /// Makes the sums of addresses in an interleaved or a fused loop loop-carried values; returns the
  /// block that computes the first ones, if any.
  NodeId carry(NodeId n) {
    if (f.nodes[n].kind != Node::Kind::Loop || f.nodes[n].body.size() != 1)
      return kNone;
    NodeId inner = f.nodes[n].body[0];
    const std::vector<InstId> insts = f.nodes[inner].insts;
    if (!isShared(insts))
      return kNone;
    defined.clear();
    for (InstId i : insts)
      for (const Operand &o : f.ops(i).first(size_t(f.resultCount(i))))
        defined.insert(o.regId());
    const std::vector<Carried> known = f.nodes[n].carried;
    // By the register of the sum, and by the loop to whose stores it belongs if that was fused with
    // others: its loads are many cycles earlier.
    std::map<std::tuple<Terms, RegId, uint16_t>, RegId> carried;
    std::vector<InstId> before, after;
    forEachAccess(insts, [&](InstId i, Operand &address, Operand &) {
      LinearForm form = addresses.form(address);
      bool isApart = f.insts[i].order.stream == 0 && traits(f.insts[i].opcode).vectorStore;
      bool isSum = form.count >= 2 && defined.contains(address.regId());
      if (form.count == 0 || (!isSum && !isApart))
        return;
      const Carried *value = changing(f.nodes[n], form);
      if (!value)
        return;
      uint16_t loop = isApart ? f.insts[i].order.loop : 0;
      auto [it, isNew] = carried.try_emplace({termsOf(form), address.regId(), loop}, kNone);
      if (isNew) {
        pending.push_back({form, *value});
        it->second = f.newReg(RegClass::S);
        replaced.push_back(it->second);
      }
      address = Operand::reg(it->second);
    });
    for (size_t k = 0; k < pending.size(); ++k)
      define(f.nodes[n], replaced[k], pending[k].first, pending[k].second, before, after);
    pending.clear();
    replaced.clear();
    std::vector<InstId> &body = f.nodes[inner].insts;
    body.insert(body.end(), after.begin(), after.end());
    if (before.empty())
      return kNone;
    NodeId block = f.newNode(Node::Kind::Block);
    f.nodes[block].insts = std::move(before);
    return block;
  }

  Operand scalar(isa::Opcode opcode, Operand a, Operand b, std::vector<InstId> &out) {
    Operand result = Operand::reg(f.newReg(RegClass::S));
    out.push_back(f.newInst(opcode, {result, a, b}, kNone));
    return result;
  }

  /// `phi` is the value of `form` in each iteration; `value` is its term that changes.
  void define(Node &loop, RegId phi, const LinearForm &form, const Carried &value,
              std::vector<InstId> &before, std::vector<InstId> &after) {
    Operand sum;
    int64_t coefficient = 0;
    bool isConstant = form.count == 1 && value.init.isImm();
    for (int k = 0; k < form.count; ++k) {
      bool changes = form.terms[k].reg == value.phi;
      Operand term = changes ? value.init : Operand::reg(form.terms[k].reg);
      int64_t factor = form.terms[k].coefficient;
      coefficient = changes ? factor : coefficient;
      if (isConstant)
        break;
      if (factor != 1)
        term = scalar(isa::Opcode::s_mul, term, Operand::imm(int32_t(factor)), before);
      sum = k == 0 ? term : scalar(isa::Opcode::s_add, sum, term, before);
    }
    if (isConstant)
      sum = Operand::imm(int32_t(value.init.value * coefficient + form.constant));
    else
      sum = scalar(isa::Opcode::s_add, sum, Operand::imm(int32_t(form.constant)), before);
    Operand step = Operand::imm(int32_t(coefficient * *addresses.step(value.phi)));
    Carried made;
    made.phi = phi;
    made.init = sum;
    made.next = scalar(isa::Opcode::s_add, Operand::reg(phi), step, after);
    loop.carried.push_back(made);
  }

  Function &f;
  AddressAnalysis addresses;
  llvm::DenseSet<RegId> defined; // in the loop
  std::vector<std::pair<LinearForm, Carried>> pending;
  std::vector<RegId> replaced;
};

} // namespace

void shareAddresses(Function &f) {
  std::vector<NodeId> body = f.body;
  AddressSharing(f).list(body);
  f.body = std::move(body);
}

} // namespace systole::machine
