// `systole compile`: a program file from StableHLO or from the text form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"

#include "tools/systole/Commands.h"
#include "tools/systole/Input.h"
#include "tools/systole/Values.h"

namespace systole {
namespace {

struct Options {
  BuildOptions build;
  std::string output;
};

absl::Status compileTo(const Options &options) {
  std::error_code none;
  for (const std::string &input : {options.build.input, options.build.target})
    if (std::filesystem::equivalent(input, options.output, none))
      return absl::InvalidArgumentError(
          absl::StrCat(options.output, ": is an input; give the program a file of its own"));
  absl::StatusOr<Built> built = build(options.build);
  if (!built.ok())
    return built.status();
  return writeProgram(built->program, options.output);
}

} // namespace

void addCompile(CLI::App &app, int &exitCode) {
  CLI::App *command = app.add_subcommand("compile", "Compile to a program file (.sysx)");
  auto options = std::make_shared<Options>();
  addBuildOptions(*command, options->build);
  command->add_option("-o", options->output, "The program file to write")
      ->required()
      ->check(notEmpty());
  command->callback([options, &exitCode] { exitCode = finish(compileTo(*options)); });
}

} // namespace systole
