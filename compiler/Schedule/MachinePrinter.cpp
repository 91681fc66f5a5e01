// Prints machine modules as text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/MachineText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace llvm;

namespace systole::machine {
namespace {

constexpr const char *kSpaces[] = {"hbm", "vmem", "smem", "host"};
constexpr char kClassLetters[] = {'v', 'm', 's'};

void quoted(raw_ostream &os, StringRef text) {
  os << '"';
  printEscapedString(text, os);
  os << '"';
}

class Printer {
public:
  Printer(raw_ostream &os, const Module &module, const Function &f)
      : os(os), module(module), f(f), numbers(f.regs.size(), -1) {}

  void run() {
    os << "routine @" << f.name << "(";
    interleaveComma(f.params, os, [&](RegId r) { reg(r); });
    os << ")";
    if (f.kernel >= 0)
      os << " kernel " << f.kernel;
    if (f.spillRows || f.spillWords)
      os << " spills " << f.spillRows << " " << f.spillWords;
    loc(f.loc);
    os << " {\n";
    list(f.body);
    os << "}\n";
  }

private:
  void reg(RegId r) {
    const RegInfo &info = f.regs[r];
    char letter = kClassLetters[int(info.cls)];
    if (info.phys >= 0) {
      os << letter << int(info.phys);
      return;
    }
    int &number = numbers[r];
    if (number < 0)
      number = next[int(info.cls)]++;
    os << '%' << letter << number;
  }
  void operand(const Operand &o) {
    if (o.isReg())
      reg(o.regId());
    else if (o.isImm())
      os << o.value;
    else
      os << '_';
  }
  void loc(uint32_t l) {
    if (l != kNone)
      os << " !" << l;
  }
  raw_ostream &indent() { return os.indent(2 * depth); }

  void inst(InstId i) {
    auto ops = f.ops(i);
    int results = f.resultCount(i);
    if (results) {
      interleaveComma(ops.first(results), os, [&](const Operand &o) { operand(o); });
      os << " = ";
    }
    os << isa::info(f.insts[i].opcode).mnemonic;
    if (int(ops.size()) > results)
      os << ' ';
    interleaveComma(ops.subspan(results), os, [&](const Operand &o) { operand(o); });
    loc(f.insts[i].loc);
  }

  void block(const Node &node) {
    os << "block";
    if (node.pipelined)
      os << " pipelined";
    if (node.scheduled)
      os << " length " << node.length;
    os << " {\n";
    ++depth;
    for (auto [k, i] : enumerate(node.insts)) {
      indent();
      if (node.scheduled)
        os << '[' << node.cycles[k] << "] ";
      inst(i);
      os << '\n';
    }
    --depth;
    indent() << "}\n";
  }

  void braces(const std::vector<NodeId> &nodes) {
    os << " {\n";
    list(nodes);
    indent() << "}";
  }

  void list(const std::vector<NodeId> &nodes) {
    ++depth;
    for (NodeId id : nodes)
      node(f.nodes[id]);
    --depth;
  }

  void node(const Node &n) {
    indent();
    switch (n.kind) {
    case Node::Kind::Block:
      return block(n);
    case Node::Kind::Loop:
      os << "loop ";
      operand(n.operand);
      if (n.independent)
        os << " independent";
      if (n.equalOrDisjoint)
        os << " equal_or_disjoint";
      if (n.plain)
        os << " plain";
      if (!n.carried.empty()) {
        os << " carried(";
        interleaveComma(n.carried, os, [&](const Carried &c) {
          reg(c.phi);
          os << " = ";
          operand(c.init);
          os << " -> ";
          operand(c.next);
          if (c.result != kNone) {
            os << " => ";
            reg(c.result);
          }
        });
        os << ")";
      }
      loc(n.loc);
      braces(n.body);
      break;
    case Node::Kind::If:
      os << "if ";
      operand(n.operand);
      loc(n.loc);
      braces(n.body);
      if (!n.orElse.empty()) {
        os << " else";
        braces(n.orElse);
      }
      break;
    case Node::Kind::Interleave:
      os << "interleave";
      loc(n.loc);
      braces(n.body);
      braces(n.orElse);
      break;
    case Node::Kind::While:
      os << "while";
      loc(n.loc);
      braces(n.body);
      break;
    case Node::Kind::Exit:
      os << "exit ";
      operand(n.operand);
      loc(n.loc);
      break;
    case Node::Kind::Call:
      os << "call @" << module.functions[n.callee].name << "(";
      interleaveComma(n.arguments, os, [&](RegId r) { reg(r); });
      os << ")";
      if (n.kernel >= 0)
        os << " kernel " << n.kernel;
      loc(n.loc);
      break;
    }
    os << '\n';
  }

  raw_ostream &os;
  const Module &module;
  const Function &f;
  // Registers are numbered per class in order of appearance.
  std::vector<int> numbers;
  std::array<int, kRegClasses> next{};
  int depth = 0;
};

} // namespace

void print(raw_ostream &os, const Module &module, const Function &function) {
  Printer(os, module, function).run();
}

void print(raw_ostream &os, const Module &module) {
  for (const std::string &source : module.sources) {
    os << "source ";
    quoted(os, source);
    os << '\n';
  }
  for (const KernelInfo &k : module.kernels) {
    os << "kernel ";
    quoted(os, k.name);
    os << ' ';
    quoted(os, k.source);
    os << ' ';
    quoted(os, k.kind);
    os << ' ' << k.flops << ' ' << k.bytes;
    if (!k.user.empty()) {
      os << " user ";
      quoted(os, k.user);
    }
    if (!k.nameStack.empty()) {
      os << " name_stack ";
      quoted(os, k.nameStack);
    }
    if (k.estimate != 0)
      os << " estimate " << k.estimate;
    if (k.step != 0)
      os << " step " << k.step;
    os << '\n';
  }
  for (const RegionInfo &r : module.regions) {
    os << "region ";
    quoted(os, r.name);
    os << ' ' << kSpaces[r.space] << ' ' << r.base << ' ' << r.size << ' ';
    quoted(os, r.owner);
    os << '\n';
  }
  for (const DescriptorInfo &d : module.descriptors) {
    os << "descriptor " << kSpaces[d.src] << ' ' << kSpaces[d.dst] << ' ' << d.chunk << ' '
       << d.arrivalFlag << (d.countsWords ? " words" : "");
    for (size_t i = 0; i < d.counts.size(); ++i)
      os << " (" << d.counts[i] << ' ' << d.srcStrides[i] << ' ' << d.dstStrides[i] << ')';
    os << '\n';
  }
  if (module.main != kNone)
    os << "entry @" << module.functions[module.main].name << '\n';
  for (const Function &function : module.functions)
    print(os, module, function);
}

} // namespace systole::machine
