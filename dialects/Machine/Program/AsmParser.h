// The assembler's parser: directives build the header, routines the bundles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASMPARSER_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASMPARSER_H

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "dialects/Machine/Program/AsmLexer.h"
#include "dialects/Machine/Program/LocationTable.h"
#include "dialects/Machine/Program/Program.h"

namespace systole::assembly {

// Functions return false after they have set `status`; the first error ends the
// parse.
class Parser {
public:
  explicit Parser(absl::string_view text) : lexer(text), token(lexer.next()) {}

  absl::StatusOr<Program> parse();

private:
  // Tokens. An error token is reported when it becomes the current one.
  bool advance(); // always true
  bool fail(Position position, absl::string_view message);
  bool failHere(absl::string_view message) { return fail(token.position, message); }
  bool unexpected(absl::string_view wanted);
  bool expect(char punctuation);
  bool expectWord(absl::string_view word);
  bool accept(char punctuation);
  bool acceptWord(absl::string_view word);
  void skipNewlines();
  bool endOfLine();

  // Parts of directives.
  bool parseInteger(int64_t &value);
  bool parseInteger(int64_t &value, int64_t low, int64_t high);
  bool parseText(std::string &text); // identifier or string
  bool parseString(std::string &text);
  template <typename T> bool parseIntegers(google::protobuf::RepeatedField<T> &values);
  bool parseSpace(program::Space &space);
  bool parseRegion(int64_t &index);
  bool declare(std::map<std::string, int, std::less<>> &names, const std::string &name, int index,
               Position position);

  // Directives (AssembleDirectives.cpp).
  bool parseDirective();
  bool parseProducer();
  bool parseTarget();
  bool parseCores();
  bool parsePrecision();
  bool parseFlops();
  bool parseCompileSeconds();
  bool parseMemory();
  bool parseBundleFormat();
  bool parseDefine();
  bool parseRegionDirective();
  bool parseDescriptor();
  bool parseTrap();
  bool parseMessage();
  bool parseTensor(program::Tensor &tensor);
  bool parseArrayMemory(program::Tensor &tensor);
  bool parseArgument();
  bool parseResult();
  bool parseTransfer(bool toHost, bool queued);
  bool parseSend() { return parseTransfer(/*toHost=*/true, /*queued=*/false); }
  bool parseRecv() { return parseTransfer(/*toHost=*/false, /*queued=*/false); }
  bool parseOutfeed() { return parseTransfer(/*toHost=*/true, /*queued=*/true); }
  bool parseInfeed() { return parseTransfer(/*toHost=*/false, /*queued=*/true); }
  bool parseAllocation();
  bool parseEntry();
  bool parseRoutineDirective();
  bool parseKernelDirective();
  bool parseKernelOptions(program::Kernel &kernel);
  // One of `source`, `user` and `name_stack` with its text, if there is one.
  bool parseLocationOption(program::Location &location, bool &found);
  bool parseSourceDirective();
  bool parseOverlay();
  bool parseBundleRange(program::Range &range);

  // Constants (AssembleData.cpp).
  bool parseConstant();
  bool parseData(std::string &bytes, int64_t maxBytes);
  bool parseWord(bool isFloat, uint32_t &word);
  bool parseHex(std::string &bytes, int64_t maxBytes);

  // Code (Assembler.cpp).
  bool parseRoutine();
  bool parseBlock();
  bool parseStatement();
  bool parseControl();
  bool parseControlBundle(isa::Bundle &bundle);
  bool parseBundleBody(isa::Bundle &bundle);
  bool parseDelay(isa::Bundle &bundle);
  bool parseInst(isa::Bundle &bundle);
  bool parseOperands(isa::Inst &inst, const isa::InstInfo &info, const Token &mnemonic);
  bool parseOperand(isa::Inst &inst, size_t index);
  bool parseConstantOperand(isa::Opcode opcode, const isa::FieldInfo &field, isa::Operand &operand);
  bool parseAnnotation();
  bool emit(isa::Bundle bundle, Position position);
  bool resolveNames();
  bool encodeAll();

  Lexer lexer;
  Token token;
  absl::Status status;
  Program program;
  LocationTable locations;

  std::map<std::string, int, std::less<>> regions, descriptors, routines;
  std::map<std::string, Token, std::less<>> defines;
  int64_t regionEnd[program::Space_ARRAYSIZE] = {}; // per memory, the base of the next region

  std::vector<isa::Bundle> bundles;
  std::vector<Position> positions; // of each bundle
  // Routine names in `call`s and `.entry`, resolved when all are known.
  struct Call {
    size_t bundle;
    Token name;
  };
  std::vector<Call> calls;
  std::vector<Token> declaredRoutines;
  Token entryName;
  int depth = 0;
};

} // namespace systole::assembly

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASMPARSER_H
