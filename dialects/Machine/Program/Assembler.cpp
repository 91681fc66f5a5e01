// Routines, structured control and bundles of the machine's text form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/Assembler.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "dialects/Machine/Program/AsmParser.h"
#include "dialects/Machine/Program/AsmSyntax.h"

namespace systole::assembly {

using isa::FieldInfo;
using isa::FieldKind;
using isa::Inst;
using isa::InstInfo;
using isa::Opcode;
using isa::Operand;

// Blocks are parsed recursively; the machine's own limits are far lower.
static constexpr int kMaxDepth = 64;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

bool Parser::advance() {
  token = lexer.next();
  return true;
}

bool Parser::fail(Position position, absl::string_view message) {
  if (token.kind == Token::Kind::Error) {
    position = token.position;
    message = token.text;
  }
  status =
      absl::InvalidArgumentError(absl::StrCat(position.line, ":", position.column, ": ", message));
  return false;
}

bool Parser::unexpected(absl::string_view wanted) {
  std::string found = absl::StrCat("`", token.text, "`");
  if (token.kind == Token::Kind::Newline)
    found = "the end of the line";
  else if (token.kind == Token::Kind::End)
    found = "the end of the text";
  else if (token.kind == Token::Kind::String)
    found = "a string";
  return failHere(absl::StrCat("expected ", wanted, ", found ", found));
}

bool Parser::expect(char punctuation) {
  if (!token.is(punctuation))
    return unexpected(absl::StrCat("`", std::string(1, punctuation), "`"));
  return advance();
}

bool Parser::expectWord(absl::string_view word) {
  if (!token.isWord(word))
    return unexpected(absl::StrCat("`", word, "`"));
  return advance();
}

bool Parser::accept(char punctuation) { return token.is(punctuation) && advance(); }
bool Parser::acceptWord(absl::string_view word) { return token.isWord(word) && advance(); }

void Parser::skipNewlines() {
  while (token.kind == Token::Kind::Newline)
    advance();
}

bool Parser::endOfLine() {
  if (token.kind == Token::Kind::Newline || token.kind == Token::Kind::End || token.is('}'))
    return true;
  return unexpected("the end of the line");
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

absl::StatusOr<Program> Parser::parse() {
  program.header.set_cores(1);
  while (true) {
    skipNewlines();
    if (token.kind == Token::Kind::End)
      break;
    if (!(token.kind == Token::Kind::Directive ? parseDirective() : parseRoutine()))
      return status;
  }
  if (!resolveNames() || !encodeAll())
    return status;
  if (absl::Status check = checkHeader(program); !check.ok())
    return check;
  return std::move(program);
}

bool Parser::parseRoutine() {
  if (!token.isWord("routine"))
    return unexpected("a directive or `routine`");
  advance();
  const Token name = token;
  if (token.kind != Token::Kind::Identifier)
    return unexpected("the routine's name");
  advance();
  auto &table = *program.header.mutable_routines();
  auto declared = routines.find(name.text);
  // A declared routine has no range until its block has been read.
  if (declared == routines.end() || table.Get(declared->second).has_bundles()) {
    if (!declare(routines, name.text, table.size(), name.position))
      return false;
    table.Add();
    declared = routines.find(name.text);
  }
  program::Routine &routine = *table.Mutable(declared->second);
  routine.set_name(name.text);
  if (acceptWord("named") && !parseString(*routine.mutable_name()))
    return false;
  const int64_t begin = int64_t(bundles.size());
  routine.mutable_bundles()->set_begin(begin);
  if (!parseBlock())
    return false;
  if (int64_t(bundles.size()) == begin)
    return fail(name.position, absl::StrCat("routine `", name.text, "` has no bundle"));
  routine.mutable_bundles()->set_end(int64_t(bundles.size()));
  return endOfLine();
}

bool Parser::parseBlock() {
  if (++depth > kMaxDepth)
    return failHere("blocks nest too deeply");
  if (!expect('{'))
    return false;
  while (true) {
    skipNewlines();
    if (token.is('}'))
      break;
    if (!parseStatement())
      return false;
  }
  --depth;
  return advance();
}

bool Parser::parseStatement() {
  if (token.isWord("loop") || token.isWord("if") || token.isWord("while"))
    return parseControl();
  if (token.isWord("kernel") || token.isWord("source"))
    return parseAnnotation();
  isa::Bundle bundle;
  const Position position = token.position;
  if (token.is('{')) {
    if (!parseBundleBody(bundle))
      return false;
  } else if (!acceptWord("nop") && !parseInst(bundle)) {
    return false;
  }
  if (token.is(';'))
    return failHere("instructions of one bundle stand in braces");
  return parseDelay(bundle) && endOfLine() && emit(std::move(bundle), position);
}

// loop VALUE [with BUNDLE] [delay N] BLOCK; if likewise, with an else; while
// without a value. The lengths are known after the blocks.
bool Parser::parseControl() {
  const Position position = token.position;
  const Opcode opcode = *isa::opcodeFromMnemonic(token.text);
  const InstInfo &info = isa::info(opcode);
  isa::Bundle bundle;
  Inst inst;
  inst.opcode = opcode;
  size_t firstLength = 0;
  advance();
  for (; info.fields[firstLength].kind != FieldKind::L; ++firstLength)
    if (!parseOperand(inst, firstLength))
      return false;
  for (size_t i = firstLength; i < info.fields.size(); ++i)
    inst.operands[i] = {Operand::Kind::Immediate, 0};
  bundle.insts.push_back(inst);
  if (acceptWord("with") && !parseBundleBody(bundle))
    return false;
  if (!parseDelay(bundle))
    return false;

  const size_t index = bundles.size();
  if (!emit(std::move(bundle), position))
    return false;
  auto body = [&](size_t field) {
    const size_t begin = bundles.size();
    if (!parseBlock())
      return false;
    bundles[index].insts[0].operands[field].value = int32_t(bundles.size() - begin);
    return true;
  };
  if (!body(firstLength))
    return false;
  if (firstLength + 1 < info.fields.size() && acceptWord("else") && !body(firstLength + 1))
    return false;
  return endOfLine();
}

// kernel NAME OPTIONS BLOCK, source TEXT BLOCK: the block's bundles as a range.
bool Parser::parseAnnotation() {
  const bool isKernel = token.isWord("kernel");
  std::string name;
  if (!advance() || !parseText(name))
    return false;
  int index;
  if (isKernel) {
    index = program.header.kernels_size();
    program::Kernel *kernel = program.header.add_kernels();
    kernel->set_name(name);
    if (!parseKernelOptions(*kernel))
      return false;
  } else {
    index = program.header.sources_size();
    program::Location location;
    location.set_source(name);
    program.header.add_sources()->set_location(locations.add(program.header, location));
  }
  const Position position = token.position;
  const size_t begin = bundles.size();
  if (!parseBlock())
    return false;
  if (begin == bundles.size())
    return fail(position, "the block has no bundle");
  program::Range *range = isKernel ? program.header.mutable_kernels(index)->mutable_bundles()
                                   : program.header.mutable_sources(index)->mutable_bundles();
  range->set_begin(int64_t(begin));
  range->set_end(int64_t(bundles.size()));
  return endOfLine();
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

bool Parser::parseBundleBody(isa::Bundle &bundle) {
  if (!expect('{'))
    return false;
  while (true) {
    while (token.is(';') || token.kind == Token::Kind::Newline)
      advance();
    if (token.is('}'))
      return advance();
    if (token.isWord("loop") || token.isWord("if") || token.isWord("while"))
      return failHere(absl::StrCat("`", token.text,
                                   "` stands before its block; instructions of its "
                                   "bundle follow `with`"));
    if (!parseInst(bundle))
      return false;
    if (!token.is(';') && !token.is('}') && token.kind != Token::Kind::Newline)
      return unexpected("`;` or `}`");
  }
}

bool Parser::parseDelay(isa::Bundle &bundle) {
  if (!acceptWord("delay"))
    return true;
  int64_t delay;
  if (!parseInteger(delay, 0, UINT16_MAX))
    return false;
  bundle.delay = uint16_t(delay);
  return true;
}

bool Parser::emit(isa::Bundle bundle, Position position) {
  if (bundles.size() >= size_t(INT32_MAX))
    return fail(position, "too many bundles");
  isa::sortBySlot(bundle);
  bundles.push_back(std::move(bundle));
  positions.push_back(position);
  return true;
}

bool Parser::parseInst(isa::Bundle &bundle) {
  if (token.kind != Token::Kind::Identifier)
    return unexpected("an instruction");
  Token first = token, mnemonic = token;
  std::optional<Operand> result;
  advance();
  if (token.is('=')) {
    result = parseRegister(first.text);
    if (!result)
      return fail(first.position, absl::StrCat("`", first.text, "` is not a register"));
    advance();
    mnemonic = token;
    if (token.kind != Token::Kind::Identifier)
      return unexpected("an instruction");
    advance();
  }
  const auto opcode = isa::opcodeFromMnemonic(mnemonic.text);
  if (!opcode)
    return fail(mnemonic.position, absl::StrCat("unknown instruction `", mnemonic.text, "`"));
  const InstInfo &info = isa::info(*opcode);
  Inst inst;
  inst.opcode = *opcode;
  const bool hasResult = !info.fields.empty() && info.fields[0].isResult;
  if (hasResult != result.has_value())
    return fail(mnemonic.position,
                absl::StrCat("`", mnemonic.text, "` has ", hasResult ? "a" : "no", " result"));
  if (result)
    inst.operands[0] = *result;
  if (!parseOperands(inst, info, mnemonic))
    return false;
  bundle.insts.push_back(inst);
  return true;
}

bool Parser::parseOperands(Inst &inst, const InstInfo &info, const Token &mnemonic) {
  const size_t first = !info.fields.empty() && info.fields[0].isResult;
  auto atEnd = [&] {
    return token.is(';') || token.is('}') || token.kind == Token::Kind::Newline ||
           token.kind == Token::Kind::End || token.isWord("delay");
  };
  size_t next = first; // positional operands come in order
  bool named = false;
  for (bool more = !atEnd(); more; more = accept(',')) {
    const Token name = token;
    Lexer ahead = lexer;
    size_t index = next;
    if (token.kind == Token::Kind::Identifier && ahead.next().is('=')) {
      for (index = first; index < info.fields.size(); ++index)
        if (info.fields[index].name == name.text)
          break;
      if (index == info.fields.size())
        return failHere(absl::StrCat("`", mnemonic.text, "` has no operand `", name.text, "`"));
      advance();
      advance();
      named = true;
    } else if (named) {
      return failHere("an operand without a name stands after one with a name");
    } else if (next++ == info.fields.size()) {
      return failHere(
          absl::StrCat("`", mnemonic.text, "` has only ", info.fields.size() - first, " operands"));
    }
    if (inst.operands[index].kind != Operand::Kind::None)
      return fail(name.position,
                  absl::StrCat("operand `", toAbsl(info.fields[index].name), "` is given twice"));
    if (!parseOperand(inst, index))
      return false;
  }
  for (size_t i = first; i < info.fields.size(); ++i) {
    if (inst.operands[i].kind != Operand::Kind::None)
      continue;
    const auto value = defaultOperand(inst.opcode, info.fields[i]);
    if (!value)
      return fail(mnemonic.position, absl::StrCat("`", mnemonic.text, "` needs operand `",
                                                  toAbsl(info.fields[i].name), "`"));
    inst.operands[i] = *value;
  }
  return true;
}

bool Parser::parseOperand(Inst &inst, size_t index) {
  const FieldInfo &field = isa::info(inst.opcode).fields[index];
  if (token.kind == Token::Kind::Identifier)
    if (auto reg = parseRegister(token.text)) {
      inst.operands[index] = *reg;
      return advance();
    }
  if (field.kind == FieldKind::V || field.kind == FieldKind::M)
    return unexpected(field.kind == FieldKind::V ? "a vector register" : "a mask register");
  return parseConstantOperand(inst.opcode, field, inst.operands[index]);
}

bool Parser::parseConstantOperand(Opcode opcode, const FieldInfo &field, Operand &operand) {
  operand.kind = Operand::Kind::Immediate;
  // Strings: the message of a trap, added to the program's when it is new.
  if (token.kind == Token::Kind::String && opcode == Opcode::trap && field.kind == FieldKind::U) {
    auto *messages = program.header.mutable_traps();
    int code = 0;
    while (code < messages->size() && messages->Get(code) != token.text)
      ++code;
    if (code == messages->size())
      *messages->Add() = token.text;
    operand.value = code;
    return advance();
  }
  // Names.
  if (token.kind == Token::Kind::Identifier) {
    if (field.kind == FieldKind::L && opcode == Opcode::call) {
      // Resolved at the end: a routine may be defined after its calls.
      calls.push_back({bundles.size(), token});
      return advance();
    }
    const bool isDescriptor = field.kind == FieldKind::D;
    const auto &names = isDescriptor ? descriptors : regions;
    auto it = names.find(token.text);
    if (it != names.end() && (isDescriptor || namesRegion(field) || field.kind == FieldKind::S)) {
      operand.value = it->second;
      return advance();
    }
    auto define = defines.find(token.text);
    if (define == defines.end())
      return failHere(absl::StrCat("unknown ",
                                   isDescriptor         ? "descriptor"
                                   : namesRegion(field) ? "region"
                                                        : "name",
                                   " `", token.text, "`"));
    const Position position = token.position;
    token = define->second;
    token.position = position;
  }
  // Numbers. #N is a number of bits whatever the operand is.
  const bool raw = accept('#');
  if (token.kind == Token::Kind::Float && !raw &&
      (field.kind == FieldKind::S || field.kind == FieldKind::VS)) {
    operand.value = int32_t(uint32_t(token.integer));
    return advance();
  }
  if (token.kind != Token::Kind::Integer)
    return unexpected(field.kind == FieldKind::VS ? "a register or a constant" : "a constant");
  if (readsFloat(opcode, field) && !raw && token.integer != 0)
    return failHere(absl::StrCat("`", token.text, "` is an integer where f32 is meant: write ",
                                 token.integer, ".0, or #", token.integer, " for the bits"));
  if (token.integer < INT32_MIN || token.integer > int64_t(UINT32_MAX))
    return failHere(absl::StrCat("`", token.text, "` needs more than 32 bits"));
  operand.value = int32_t(uint32_t(token.integer));
  return advance();
}

//===----------------------------------------------------------------------===//
// The whole program
//===----------------------------------------------------------------------===//

bool Parser::resolveNames() {
  for (const Token &name : declaredRoutines)
    if (!program.header.routines(routines.find(name.text)->second).has_bundles())
      return fail(name.position, absl::StrCat("routine `", name.text, "` has no block"));
  for (const Call &call : calls) {
    auto it = routines.find(call.name.text);
    if (it == routines.end())
      return fail(call.name.position, absl::StrCat("unknown routine `", call.name.text, "`"));
    // A call is the first instruction of its bundle, as there is at most one;
    // violations are reported when the bundle is encoded.
    for (Inst &inst : bundles[call.bundle].insts)
      if (inst.opcode == Opcode::call)
        inst.operands[0].value = it->second;
  }
  if (!entryName.text.empty()) {
    auto it = routines.find(entryName.text);
    if (it == routines.end())
      return fail(entryName.position, absl::StrCat("unknown routine `", entryName.text, "`"));
    program.header.set_entry(it->second);
  } else if (auto it = routines.find("main"); it != routines.end()) {
    program.header.set_entry(it->second);
  }
  return true;
}

bool Parser::encodeAll() {
  program.code.reserve(bundles.size());
  const isa::BundleFormat format = formatOf(program.header);
  for (size_t i = 0; i < bundles.size(); ++i) {
    auto encoded = isa::encode(bundles[i], format);
    if (!encoded.ok())
      return fail(positions[i], encoded.status().message());
    program.code.push_back(*encoded);
  }
  return true;
}

} // namespace systole::assembly

namespace systole {

bool isAssemblyText(absl::string_view text) {
  assembly::Lexer lexer(text);
  assembly::Token token = lexer.next();
  while (token.kind == assembly::Token::Kind::Newline)
    token = lexer.next();
  return token.kind == assembly::Token::Kind::Directive && token.text == "program";
}

absl::StatusOr<Program> assemble(absl::string_view text, absl::string_view origin) {
  auto program = assembly::Parser(text).parse();
  if (program.ok() || origin.empty())
    return program;
  // Errors at a line begin with its number, those of the whole program do not.
  absl::string_view message = program.status().message();
  bool hasLine = !message.empty() && absl::ascii_isdigit(message.front());
  return absl::Status(program.status().code(), absl::StrCat(origin, hasLine ? ":" : ": ", message));
}

} // namespace systole
