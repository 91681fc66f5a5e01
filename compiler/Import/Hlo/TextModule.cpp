// Parses HLO text, as XLA dumps it, into protos.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Text.h"

#include "compiler/Import/Hlo/TextParser.h"

using namespace llvm;

namespace systole::hlo {

namespace {

class ModuleParser {
public:
  ModuleParser(StringRef text, StringRef fileName, Source &source)
      : lexer(text), fileName(fileName), source(source), module(source.module) {}

  bool parse() {
    if (!header() || !parseStackFrames(lexer, *module.mutable_stack_frame_index()))
      return false;
    bool hasEntry = false;
    while (!lexer.atEnd())
      if (!computation(hasEntry))
        return false;
    if (!hasEntry)
      return lexer.fail("expected a computation marked ENTRY");
    return resolveCalls();
  }

  const std::optional<TextError> &error() const { return lexer.error(); }

private:
  /// The computations that an instruction calls, which may be defined after it.
  struct Calls {
    int computation, instruction;
    CalledNames names;
    size_t offset;
  };

  bool header();
  bool entryLayout();
  bool aliases();
  bool donors();
  bool computation(bool &hasEntry);
  bool signature();
  bool instruction(HloComputationProto &computation, StringMap<int64_t> &ids);
  bool operands(HloInstructionProto &proto);
  bool resolveOperands(HloComputationProto &computation, const StringMap<int64_t> &ids);
  bool resolveCalls();

  TextLexer lexer;
  StringRef fileName;
  Source &source;
  HloModuleProto &module;
  StringMap<int64_t> computations; // from names to ids
  std::vector<Calls> calls;
  // The operand names of each instruction in the current computation.
  std::vector<std::pair<int, std::pair<StringRef, size_t>>> names;
};

bool ModuleParser::header() {
  StringRef name;
  if (!lexer.expect("HloModule") || !lexer.expectWord(name))
    return false;
  module.set_name(name.str());
  while (lexer.consume(",")) {
    if (!lexer.expectWord(name) || !lexer.expect("="))
      return false;
    bool isTaken = true;
    if (name == "input_output_alias")
      isTaken = aliases();
    else if (name == "buffer_donor")
      isTaken = donors();
    else if (name == "num_partitions")
      isTaken = lexer.integer(source.partitions);
    else if (name == "replica_count")
      isTaken = lexer.integer(source.replicas);
    else if (name == "entry_computation_layout")
      isTaken = entryLayout();
    else // schedules and options of XLA
      isTaken = lexer.skipValue();
    if (!isTaken)
      return false;
  }
  return true;
}

/// `{(f32[2]{0:S(5)}, s32[])->f32[2]{0}}`
bool ModuleParser::entryLayout() {
  ProgramShapeProto shape;
  auto parameter = [&] { return parseShape(lexer, *shape.add_parameters()); };
  if (!lexer.expect("{") || !lexer.list(parameter, "(", ")") || !lexer.expect("->") ||
      !parseShape(lexer, *shape.mutable_result()) || !lexer.expect("}"))
    return false;
  module.set_host_program_shape(shape.SerializeAsString());
  return true;
}

/// `{ {1}: (0, {}, may-alias) }`
bool ModuleParser::aliases() {
  return lexer.list([&] {
    auto &entry = *module.mutable_input_output_alias()->add_entries();
    int64_t parameter;
    if (!lexer.integers(*entry.mutable_output_shape_index()) || !lexer.expect(":") ||
        !lexer.expect("(") || !lexer.integer(parameter) || !lexer.expect(",") ||
        !lexer.integers(*entry.mutable_parameter_shape_index()) ||
        (lexer.consume(",") && lexer.word().empty()) || !lexer.expect(")"))
      return false;
    entry.set_parameter_number(parameter);
    return true;
  });
}

/// `{ (0, {}) }`
bool ModuleParser::donors() {
  return lexer.list([&] {
    auto &entry = *module.mutable_buffer_donor()->add_entries();
    int64_t parameter;
    if (!lexer.expect("(") || !lexer.integer(parameter) || !lexer.expect(",") ||
        !lexer.integers(*entry.mutable_parameter_shape_index()) || !lexer.expect(")"))
      return false;
    entry.set_parameter_number(parameter);
    return true;
  });
}

/// `(x: f32[2]) -> f32[2]`, which repeats the types of the instructions.
bool ModuleParser::signature() {
  if (!lexer.peek('('))
    return true;
  auto parameter = [&] {
    StringRef name;
    ShapeProto ignored;
    return lexer.expectWord(name) && lexer.expect(":") && parseShape(lexer, ignored);
  };
  ShapeProto result;
  return lexer.list(parameter, "(", ")") && lexer.expect("->") && parseShape(lexer, result);
}

bool ModuleParser::computation(bool &hasEntry) {
  StringRef name;
  lexer.line();
  const size_t start = lexer.at;
  if (!lexer.expectWord(name))
    return false;
  const bool isEntry = name == "ENTRY";
  if (isEntry && !lexer.expectWord(name))
    return false;
  HloComputationProto &made = *module.add_computations();
  made.set_name(name.str());
  made.set_id(module.computations_size());
  if (!computations.try_emplace(name, made.id()).second) {
    lexer.at = start;
    return lexer.fail("duplicate computation '" + name + "'");
  }
  if (isEntry) {
    if (hasEntry)
      return lexer.fail("duplicate computation marked ENTRY");
    hasEntry = true;
    module.set_entry_computation_id(made.id());
  }
  if (!signature() || !lexer.expect("{"))
    return false;
  StringMap<int64_t> ids;
  names.clear();
  while (!lexer.consume("}"))
    if (!instruction(made, ids))
      return false;
  // Attributes that follow a computation concern threads.
  while (lexer.consume(","))
    if (!lexer.expectWord(name) || !lexer.expect("=") || !lexer.skipValue())
      return false;
  if (made.instructions().empty())
    return lexer.fail("computation '" + made.name() + "' is empty");
  if (made.root_id() == 0)
    made.set_root_id(made.instructions_size());
  return resolveOperands(made, ids);
}

bool ModuleParser::instruction(HloComputationProto &computation, StringMap<int64_t> &ids) {
  HloInstructionProto &made = *computation.add_instructions();
  made.set_id(computation.instructions_size());
  const unsigned line = lexer.line();
  StringRef name;
  if (!lexer.expectWord(name))
    return false;
  if (name == "ROOT") {
    computation.set_root_id(made.id());
    if (!lexer.expectWord(name))
      return false;
  }
  made.set_name(name.str());
  if (!ids.try_emplace(name, made.id()).second)
    return lexer.fail("duplicate instruction '" + name + "'");
  StringRef opcode;
  if (!lexer.expect("=") || !parseShape(lexer, *made.mutable_shape()) || !lexer.expectWord(opcode))
    return false;
  made.set_opcode(opcode.str());
  if (!operands(made))
    return false;
  Calls called{int(computation.id() - 1), int(made.id() - 1), {}, lexer.at};
  while (lexer.consume(","))
    if (!parseAttribute(lexer, made, called.names))
      return false;
  if (!called.names.names.empty() || !called.names.body.empty())
    calls.push_back(std::move(called));
  if (made.metadata().source_file().empty() && made.metadata().stack_frame_id() == 0) {
    made.mutable_metadata()->set_source_file(fileName.str());
    made.mutable_metadata()->set_source_line(line);
    made.mutable_metadata()->set_source_column(1);
  }
  return true;
}

bool ModuleParser::operands(HloInstructionProto &proto) {
  if (proto.opcode() == "parameter") {
    int64_t number;
    if (!lexer.expect("(") || !lexer.integer(number) || !lexer.expect(")"))
      return false;
    proto.set_parameter_number(number);
    return true;
  }
  if (proto.opcode() == "constant")
    return lexer.expect("(") && parseLiteral(lexer, proto.shape(), *proto.mutable_literal()) &&
           lexer.expect(")");
  return lexer.list(
      [&] {
        // Some dumps print the operand's shape before its name.
        ShapeProto ignored;
        if (lexer.peek('(') && !parseShape(lexer, ignored))
          return false;
        size_t start = lexer.at;
        StringRef name;
        if (!lexer.expectWord(name))
          return false;
        if (lexer.peek('[', /*adjoining=*/true)) {
          lexer.at = start;
          if (!parseShape(lexer, ignored))
            return false;
          start = lexer.at;
          if (!lexer.expectWord(name))
            return false;
        }
        names.push_back({int(proto.id() - 1), {name, start}});
        return true;
      },
      "(", ")");
}

bool ModuleParser::resolveOperands(HloComputationProto &computation,
                                   const StringMap<int64_t> &ids) {
  for (const auto &[user, operand] : names) {
    auto found = ids.find(operand.first);
    if (found == ids.end()) {
      lexer.at = operand.second;
      return lexer.fail("there is no instruction '" + operand.first + "' in computation '" +
                        computation.name() + "'");
    }
    computation.mutable_instructions(user)->add_operand_ids(found->second);
  }
  return true;
}

bool ModuleParser::resolveCalls() {
  for (Calls &called : calls) {
    HloInstructionProto &proto =
        *module.mutable_computations(called.computation)->mutable_instructions(called.instruction);
    if (!called.names.body.empty())
      called.names.names.insert(called.names.names.begin(), called.names.body);
    for (StringRef name : called.names.names) {
      auto found = computations.find(name);
      if (found == computations.end()) {
        lexer.at = called.offset;
        return lexer.fail("there is no computation '" + name + "'");
      }
      proto.add_called_computation_ids(found->second);
    }
  }
  return true;
}

} // namespace

std::optional<TextError> parseText(StringRef text, StringRef fileName, Source &source) {
  ModuleParser parser(text, fileName, source);
  if (parser.parse())
    return std::nullopt;
  return parser.error().value_or(TextError{0, "the file is malformed"});
}

} // namespace systole::hlo
