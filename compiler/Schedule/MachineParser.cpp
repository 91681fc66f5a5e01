// Parses machine modules from text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/MachineText.h"

#include "absl/strings/str_cat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace llvm;

namespace systole::machine {
namespace {

// The nesting limit; deeper text could exhaust the stack.
constexpr int kMaxDepth = 64;

// By number, as MachinePrinter.cpp writes them.
constexpr StringLiteral kSpaces[] = {"hbm", "vmem", "smem", "host"};

struct Token {
  enum Kind { End, Word, Number, String, Punct } kind = End;
  StringRef text;
  int64_t number = 0;
};

class Lexer {
public:
  explicit Lexer(StringRef text) : all(text), rest(text) { advance(); }

  const Token &peek() const { return token; }
  Token take() {
    Token t = token;
    advance();
    return t;
  }
  std::string position() const {
    StringRef before = all.take_front(token.text.data() - all.data());
    size_t line = before.count('\n') + 1;
    size_t lastBreak = before.rfind('\n');
    size_t column = before.size() - (lastBreak == StringRef::npos ? 0 : lastBreak + 1) + 1;
    return absl::StrCat(line, ":", column);
  }

private:
  static bool isWordStart(char c) { return isAlpha(c) || c == '_' || c == '%' || c == '@'; }
  static bool isWordPart(char c) { return isAlnum(c) || c == '_' || c == '.'; }

  void advance() {
    for (;;) {
      rest = rest.ltrim();
      if (!rest.starts_with(";"))
        break;
      rest = rest.drop_until([](char c) { return c == '\n'; });
    }
    if (rest.empty()) {
      token = {Token::End, rest, 0};
      return;
    }
    char c = rest.front();
    size_t length = 1;
    Token::Kind kind = Token::Punct;
    int64_t number = 0;
    if (isWordStart(c)) {
      kind = Token::Word;
      while (length < rest.size() && isWordPart(rest[length]))
        ++length;
    } else if (isDigit(c) || (c == '-' && rest.size() > 1 && isDigit(rest[1]))) {
      while (length < rest.size() && isDigit(rest[length]))
        ++length;
      kind = rest.take_front(length).getAsInteger(10, number) ? Token::Punct : Token::Number;
    } else if (rest.starts_with("->") || rest.starts_with("=>")) {
      length = 2;
    } else if (c == '"') {
      size_t close = rest.find('"', 1);
      if (close != StringRef::npos) {
        kind = Token::String;
        length = close + 1;
      }
    }
    token = {kind, rest.take_front(length), number};
    rest = rest.drop_front(length);
  }

  StringRef all, rest;
  Token token;
};

class Parser {
public:
  explicit Parser(StringRef text) : lex(text) {}

  absl::StatusOr<Module> run() {
    while (ok() && lex.peek().kind != Token::End)
      topLevel();
    for (const auto &[function, node, name] : calls) {
      auto it = routines.find(name);
      if (it == routines.end())
        fail("no routine @" + name);
      else
        module.functions[function].nodes[node].callee = it->second;
    }
    if (!entry.empty()) {
      auto it = routines.find(entry);
      if (it == routines.end())
        fail("no routine @" + entry);
      else
        module.main = it->second;
    }
    if (!ok())
      return absl::InvalidArgumentError(error);
    return std::move(module);
  }

private:
  bool ok() const { return error.empty(); }
  void fail(const std::string &message) {
    if (ok())
      error = lex.position() + ": " + message;
  }
  bool accept(StringRef text) {
    if (lex.peek().kind == Token::String || lex.peek().text != text)
      return false;
    lex.take();
    return true;
  }
  void expect(StringRef text) {
    if (!accept(text))
      fail("expected `" + text.str() + "`");
  }
  int64_t number() {
    if (lex.peek().kind != Token::Number) {
      fail("expected a number");
      return 0;
    }
    return lex.take().number;
  }
  int32_t number32() {
    int64_t n = number();
    if (n != int32_t(n) && n != int64_t(uint32_t(n)))
      fail("number does not fit 32 bits");
    return int32_t(n);
  }
  std::string string() {
    if (lex.peek().kind != Token::String) {
      fail("expected a string");
      return {};
    }
    StringRef body = lex.take().text.drop_front().drop_back();
    std::string out;
    for (size_t i = 0; i < body.size(); ++i) {
      if (body[i] == '\\' && i + 2 < body.size() && isHexDigit(body[i + 1]) &&
          isHexDigit(body[i + 2])) {
        out += char(hexFromNibbles(body[i + 1], body[i + 2]));
        i += 2;
      } else if (body[i] == '\\' && i + 1 < body.size()) {
        out += body[++i];
      } else {
        out += body[i];
      }
    }
    return out;
  }
  int32_t space() {
    for (auto [i, name] : enumerate(kSpaces))
      if (accept(name))
        return int32_t(i);
    fail("expected a memory");
    return 0;
  }
  std::string symbol() {
    if (!lex.peek().text.starts_with("@")) {
      fail("expected a routine's name");
      return {};
    }
    return lex.take().text.drop_front().str();
  }

  void topLevel() {
    if (accept("source")) {
      module.sources.push_back(string());
    } else if (accept("kernel")) {
      KernelInfo k;
      k.name = string();
      k.source = string();
      k.kind = string();
      k.flops = number();
      k.bytes = number();
      if (accept("user"))
        k.user = string();
      if (accept("name_stack"))
        k.nameStack = string();
      if (accept("estimate"))
        k.estimate = number();
      if (accept("step"))
        k.step = number();
      module.kernels.push_back(std::move(k));
    } else if (accept("region")) {
      RegionInfo r;
      r.name = string();
      r.space = space();
      r.base = number();
      r.size = number();
      r.owner = string();
      module.regions.push_back(std::move(r));
    } else if (accept("descriptor")) {
      DescriptorInfo d;
      d.src = space();
      d.dst = space();
      d.chunk = number();
      d.arrivalFlag = number();
      d.countsWords = accept("words");
      while (ok() && accept("(")) {
        d.counts.push_back(number());
        d.srcStrides.push_back(number());
        d.dstStrides.push_back(number());
        expect(")");
      }
      module.descriptors.push_back(std::move(d));
    } else if (accept("entry")) {
      entry = symbol();
    } else if (accept("routine")) {
      routine();
    } else {
      fail("expected source, kernel, region, descriptor, entry or routine");
    }
  }

  void routine() {
    f = Function();
    names.clear();
    f.name = symbol();
    if (!routines.emplace(f.name, module.functions.size()).second)
      fail("routine @" + f.name + " is defined twice");
    f.params = registers();
    if (accept("kernel"))
      f.kernel = number32();
    if (f.kernel >= int32_t(module.kernels.size()))
      fail("no such kernel");
    if (accept("spills")) {
      f.spillRows = number32();
      f.spillWords = number32();
    }
    f.loc = loc();
    f.body = braces();
    module.functions.push_back(std::move(f));
  }

  std::vector<RegId> registers() {
    std::vector<RegId> list;
    expect("(");
    while (ok() && !accept(")")) {
      list.push_back(reg());
      if (lex.peek().text != ")")
        expect(",");
    }
    return list;
  }

  RegId reg() {
    StringRef text = lex.peek().text;
    StringRef digits = text;
    bool isVirtual = digits.consume_front("%");
    unsigned n = 0;
    if (lex.peek().kind != Token::Word || digits.size() < 2 ||
        !StringRef("vms").contains(digits[0]) || digits.drop_front().getAsInteger(10, n)) {
      fail("expected a register");
      return kAllOnes;
    }
    RegClass cls = digits[0] == 'v' ? RegClass::V : digits[0] == 'm' ? RegClass::M : RegClass::S;
    if (!isVirtual && n >= unsigned(registerCount(cls))) {
      fail("no such register");
      return kAllOnes;
    }
    lex.take();
    if (text == "m0")
      return kAllOnes;
    auto [it, isNew] = names.try_emplace(text, 0);
    if (isNew) {
      it->second = f.newReg(cls);
      if (!isVirtual) {
        f.regs[it->second].phys = int8_t(n);
        f.regs[it->second].fixed = true;
      }
    }
    return it->second;
  }

  Operand operand() {
    if (lex.peek().kind == Token::Number)
      return Operand::imm(number32());
    return Operand::reg(reg());
  }

  uint32_t loc() {
    if (!accept("!"))
      return kNone;
    uint32_t l = uint32_t(number32());
    if (l >= module.sources.size())
      fail("no such source");
    return l;
  }

  std::vector<NodeId> braces() {
    std::vector<NodeId> nodes;
    expect("{");
    if (++depth > kMaxDepth)
      fail("nested too deeply");
    while (ok() && !accept("}"))
      nodes.push_back(node());
    --depth;
    return nodes;
  }

  NodeId node() {
    using Kind = Node::Kind;
    Node n;
    if (accept("block")) {
      block(n);
    } else if (accept("loop")) {
      n.kind = Kind::Loop;
      n.operand = operand();
      n.independent = accept("independent");
      n.equalOrDisjoint = accept("equal_or_disjoint");
      n.plain = accept("plain");
      if (accept("carried"))
        carried(n);
      n.loc = loc();
      n.body = braces();
    } else if (accept("if")) {
      n.kind = Kind::If;
      n.operand = operand();
      n.loc = loc();
      n.body = braces();
      if (accept("else"))
        n.orElse = braces();
    } else if (accept("interleave")) {
      n.kind = Kind::Interleave;
      n.loc = loc();
      n.body = braces();
      n.orElse = braces();
    } else if (accept("while")) {
      n.kind = Kind::While;
      n.loc = loc();
      n.body = braces();
    } else if (accept("exit")) {
      n.kind = Kind::Exit;
      n.operand = operand();
      n.loc = loc();
    } else if (accept("call")) {
      n.kind = Kind::Call;
      std::string name = symbol();
      n.arguments = registers();
      if (accept("kernel"))
        n.kernel = number32();
      if (n.kernel >= int32_t(module.kernels.size()))
        fail("no such kernel");
      n.loc = loc();
      calls.push_back({module.functions.size(), NodeId(f.nodes.size()), name});
    } else {
      fail("expected block, loop, if, while, exit or call");
    }
    f.nodes.push_back(std::move(n));
    return NodeId(f.nodes.size() - 1);
  }

  void carried(Node &n) {
    expect("(");
    do {
      Carried c;
      c.phi = reg();
      expect("=");
      c.init = operand();
      expect("->");
      c.next = operand();
      if (accept("=>"))
        c.result = reg();
      n.carried.push_back(c);
    } while (ok() && accept(","));
    expect(")");
  }

  void block(Node &n) {
    n.pipelined = accept("pipelined");
    if (accept("length")) {
      n.scheduled = true;
      n.length = number32();
    }
    expect("{");
    while (ok() && !accept("}")) {
      if (n.scheduled) {
        expect("[");
        n.cycles.push_back(number32());
        expect("]");
      }
      n.insts.push_back(inst());
    }
  }

  InstId inst() {
    SmallVector<Operand> ops;
    if (lex.peek().kind == Token::Word && !isa::opcodeFromMnemonic(toView(lex.peek().text))) {
      do
        ops.push_back(Operand::reg(reg()));
      while (ok() && accept(","));
      expect("=");
    }
    size_t results = ops.size();
    auto opcode = isa::opcodeFromMnemonic(toView(lex.peek().text));
    if (!opcode) {
      fail("no instruction `" + lex.peek().text.str() + "`");
      return 0;
    }
    lex.take();
    const isa::InstInfo &info = isa::info(*opcode);
    if (results != size_t(traits(*opcode).results))
      fail("wrong number of results");
    while (ok() && ops.size() < info.fields.size()) {
      if (ops.size() > results)
        expect(",");
      ops.push_back(operand());
    }
    for (auto [o, field] : zip(ops, info.fields))
      if (ok() && !fits(o, field))
        fail("operand `" + std::string(field.name) + "` of " + std::string(info.mnemonic) +
             " has the wrong kind");
    uint32_t l = loc();
    return ok() ? f.newInst(*opcode, ops, l) : 0;
  }

  bool fits(const Operand &o, const isa::FieldInfo &field) const {
    using isa::FieldKind;
    FieldKind k = field.kind;
    if (o.isImm())
      return k != FieldKind::V && k != FieldKind::M;
    RegClass cls = f.regs[o.regId()].cls;
    return k == FieldKind::VS                                            ? cls != RegClass::M
           : k == FieldKind::V || k == FieldKind::M || k == FieldKind::S ? cls == fieldClass(k)
                                                                         : false;
  }

  static std::string_view toView(StringRef s) { return {s.data(), s.size()}; }

  struct PendingCall {
    size_t function;
    NodeId node;
    std::string name;
  };

  Lexer lex;
  Module module;
  Function f;
  StringMap<RegId> names;
  std::map<std::string, uint32_t> routines;
  std::vector<PendingCall> calls;
  std::string entry, error;
  int depth = 0;
};

} // namespace

absl::StatusOr<Module> parse(StringRef text) { return Parser(text).run(); }

} // namespace systole::machine
