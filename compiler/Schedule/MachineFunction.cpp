// Construction of machine functions and the table of opcode traits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/MachineFunction.h"

#include <array>
#include <cassert>

namespace systole::machine {

int registerCount(RegClass cls) {
  switch (cls) {
  case RegClass::V:
    return isa::kVectorRegisters;
  case RegClass::M:
    return isa::kMaskRegisters;
  case RegClass::S:
    return isa::kScalarRegisters;
  }
  return 0;
}

Function::Function() {
  regs.push_back({RegClass::M, /*phys=*/0, /*fixed=*/true, /*temporary=*/false, kAllOnes});
}

RegId Function::newReg(RegClass cls) {
  RegId id = RegId(regs.size());
  regs.push_back({cls, -1, false, false, id});
  return id;
}

RegId Function::cloneReg(RegId r) {
  assert(r < regs.size() && "no such register");
  RegId id = RegId(regs.size());
  RegInfo info = regs[r];
  info.phys = -1;
  info.fixed = false;
  regs.push_back(info);
  return id;
}

RegId Function::fixedReg(RegClass cls, int phys) {
  assert(phys >= 0 && phys < registerCount(cls) && "the class has no such machine register");
  for (RegId r = 0; r < regs.size(); ++r)
    if (regs[r].fixed && regs[r].cls == cls && regs[r].phys == phys)
      return r;
  RegId r = newReg(cls);
  regs[r].phys = int8_t(phys);
  regs[r].fixed = true;
  return r;
}

NodeId Function::newNode(Node::Kind kind) {
  NodeId id = NodeId(nodes.size());
  nodes.emplace_back().kind = kind;
  return id;
}

InstId Function::newInst(isa::Opcode opcode, std::span<const Operand> ops, uint32_t loc) {
  assert(opcode != isa::Opcode::none && opcode < isa::Opcode::count_ && "no such instruction");
  assert(ops.size() <= isa::kMaxOperands && "more operands than an instruction has");
  InstId id = InstId(insts.size());
  uint32_t first = uint32_t(operands.size());
  Inst &made = insts.emplace_back();
  made.opcode = opcode;
  made.count = uint8_t(ops.size());
  made.first = first;
  made.loc = loc;
  // Copied first, since `ops` may point into `operands`, which may be reallocated.
  std::array<Operand, isa::kMaxOperands> copy;
  std::copy(ops.begin(), ops.end(), copy.begin());
  operands.insert(operands.end(), copy.begin(), copy.begin() + ops.size());
  return id;
}

int Function::resultCount(InstId i) const { return traits(insts[i].opcode).results; }

bool callsOthers(const Function &f) {
  bool calls = false;
  forEachNode(f, f.body, [&](NodeId n) { calls |= f.nodes[n].kind == Node::Kind::Call; });
  return calls;
}

static OpTraits makeTraits(isa::Opcode opcode) {
  OpTraits t;
  const isa::InstInfo &info = isa::info(opcode);
  std::string_view m = info.mnemonic;
  t.vectorLoad = info.slot == isa::Slot::Load;
  t.vectorStore = info.slot == isa::Slot::Store;
  t.scalarLoad = m == "s.ld";
  t.scalarStore = m == "s.st";
  t.pop = info.slot == isa::Slot::Pop;
  t.push = info.slot == isa::Slot::Push && info.unit != isa::Unit::Dma;
  t.transposeEnd = m == "xlu.tr.end";
  t.transposePart = m == "xlu.tr" || t.transposeEnd;
  t.barrier = info.unit == isa::Unit::Dma || m == "wait" || m == "trap" || m == "log.word" ||
              m.starts_with("flag.");
  if (t.vectorLoad || t.vectorStore)
    t.pack = m.ends_with("16") ? 2 : m.ends_with("8") ? 4 : 1;
  for (int i = 0; i < int(info.fields.size()); ++i) {
    const isa::FieldInfo &field = info.fields[i];
    if (field.isResult)
      t.results = i + 1;
    if (field.name == "mxu")
      t.mxuField = i;
    if (field.name == "address")
      t.addressField = i;
    if (field.name == "stride")
      t.strideField = i;
    if (field.name == "offset")
      t.offsetField = i;
    if (field.kind == isa::FieldKind::R)
      t.regionField = i;
  }
  return t;
}

const OpTraits &traits(isa::Opcode opcode) {
  static const auto table = [] {
    std::array<OpTraits, size_t(isa::Opcode::count_)> all;
    for (size_t i = 1; i < all.size(); ++i)
      all[i] = makeTraits(isa::Opcode(i));
    return all;
  }();
  assert(opcode < isa::Opcode::count_ && "no such instruction");
  return table[size_t(opcode)];
}

} // namespace systole::machine
