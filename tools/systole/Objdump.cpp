// `systole objdump`: a program in the machine's text form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/Disassembler.h"
#include "tools/systole/Commands.h"
#include "tools/systole/Input.h"
#include "tools/systole/Values.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

struct Options {
  std::string input;
  DisassembleOptions form;
};

absl::Status dump(const Options &options) {
  absl::StatusOr<Program> program = loadProgram(options.input);
  if (!program.ok())
    return program.status();
  llvm::outs() << disassemble(*program, options.form);
  for (size_t i = 0; i < program->code.size(); ++i)
    if (auto bundle = isa::decode(program->code[i], formatOf(program->header)); !bundle.ok())
      return absl::InvalidArgumentError(absl::StrCat(options.input, ": bundle ", i, ": ",
                                                     bundle.status().message(),
                                                     "; the text is for reading only"));
  return absl::OkStatus();
}

} // namespace

void addObjdump(CLI::App &app, int &exitCode) {
  CLI::App *command =
      app.add_subcommand("objdump", "Print a program in a text form that assembles to it again");
  auto options = std::make_shared<Options>();
  command->add_option("IN", options->input, "A .sysx; - for stdin")->required()->check(notEmpty());
  command
      ->add_option("--max-constant-bytes", options->form.maxConstantBytes,
                   "Leave larger constants out; the text is then for reading only")
      ->check(wholeNumber(SIZE_MAX));
  command->add_flag("--bundle-numbers", options->form.bundleNumbers,
                    "Number the bundles, as traps and reports name them");
  command->callback([options, &exitCode] { exitCode = finish(dump(*options)); });
}

} // namespace systole
