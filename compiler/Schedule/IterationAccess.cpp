// Memory accesses of single iterations of a loop.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/IterationAccess.h"

#include <algorithm>

namespace systole::machine {

const llvm::DenseSet<RegId> &IterationAccess::definedIn(NodeId loop) {
  auto [it, isNew] = defined.try_emplace(loop);
  if (!isNew)
    return it->second;
  llvm::DenseSet<RegId> registers;
  forEachNode(source, {loop}, [&](NodeId n) {
    for (const Carried &c : source.nodes[n].carried) {
      registers.insert(c.phi);
      if (n != loop && c.result != kNone)
        registers.insert(c.result);
    }
    for (InstId i : source.nodes[n].insts)
      for (const Operand &o : source.ops(i).first(size_t(source.resultCount(i))))
        registers.insert(o.regId());
  });
  return defined[loop] = std::move(registers);
}

MemoryAccess IterationAccess::replace(const MemoryAccess &access, NodeId loop, ValueOf value) {
  MemoryAccess replaced = access;
  replaced.address = LinearForm();
  replaced.address.constant = access.address.constant;
  auto add = [&](const std::optional<LinearForm> &form, int64_t scale) {
    auto sum = form ? LinearForm::sum(replaced.address, *form, scale) : std::nullopt;
    if (sum)
      replaced.address = *sum;
    else
      replaced.bounded = false;
  };
  const auto &carried = source.nodes[loop].carried;
  for (int t = 0; t < access.address.count && replaced.bounded; ++t) {
    const LinearForm::Term &term = access.address.terms[t];
    auto it = std::find_if(carried.begin(), carried.end(),
                           [&](const Carried &c) { return c.phi == term.reg; });
    if (it != carried.end())
      add(value(*it), term.coefficient);
    else if (definedIn(loop).contains(term.reg))
      replaced.bounded = false;
    else
      add(LinearForm{0, 1, {{term.reg, 1}}}, term.coefficient);
  }
  if (!replaced.bounded)
    replaced.address = LinearForm();
  return replaced;
}

MemoryAccess IterationAccess::at(const MemoryAccess &access, NodeId loop, int64_t iteration) {
  return replace(access, loop, [&](const Carried &c) -> std::optional<LinearForm> {
    auto step = addresses.step(c.phi);
    if (iteration != 0 && (!step || iteration == kAnyIteration))
      return std::nullopt;
    LinearForm advance;
    advance.constant = iteration == 0 ? 0 : iteration * *step;
    return LinearForm::sum(addresses.form(c.init), advance, 1);
  });
}

MemoryAccess IterationAccess::next(const MemoryAccess &access, NodeId loop) {
  return replace(access, loop, [&](const Carried &c) -> std::optional<LinearForm> {
    auto step = addresses.step(c.phi);
    if (!step)
      return std::nullopt;
    return LinearForm{*step, 1, {{c.phi, 1}}};
  });
}

} // namespace systole::machine
